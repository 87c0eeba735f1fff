"""How people say that something should stay so: the words of wishes, corrections, hedges and narration, in English,
German, Spanish and French.

Only words live here; what follows from them is decided in `wishes` and `gate`. Patterns read text in lower case with
straight apostrophes.

The hard part of "always" and "never" is that they also describe ("it always fails", "der Test schlägt immer fehl", "ça
ne marche toujours pas"). A wish therefore needs a form of asking: an imperative, "you" or "we" with a verb of practice,
"must". Verbs of practice are what a developer does by habit; a sentence about a bug uses others.
"""

from __future__ import annotations

import re


def _joined(pattern: str) -> str:
    """A pattern written over several lines, without its line breaks and indentation."""
    return re.sub(r"\n\s*", "", pattern.strip())


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(_joined(pattern), flags)


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is easier to read as text."""
    return frozenset(text.split())


# --- verbs of practice ------------------------------------------------------------------------------------------------

_EN = _joined("""
    use|run|rerun|re-run|write|read|put|keep|make|add|include|create|commit|push|pull|merge|rebase|squash|call|import|
    export|name|mock|stub|deploy|ship|release|publish|edit|change|modify|touch|alter|overwrite|regenerate|generate|
    delete|remove|drop|follow|prefer|avoid|format|test|lint|check|verify|validate|build|compile|install|upgrade|
    update|bump|pin|start|stop|restart|ask|tell|show|explain|answer|reply|respond|speak|document|comment|log|print|
    return|throw|raise|catch|handle|wrap|escape|quote|sort|type|annotate|set|leave|ignore|skip|do|try|guess|assume|
    hardcode|hard-code|force|sign|tag|branch|force-push|amend|stage|stash|open|close|review|approve|request|send|
    store|save|cache|load|cd|work|begin|end|finish|apologi[sz]e|mention|cite|link|reference|refactor|rename|move|copy|
    duplicate|inline|extract|split|separate|group|batch|limit|cap|summari[sz]e|confirm|double-check|consult|look|
    search|grep|ensure|disable|enable|turn|execute|launch|invoke|prefix|suffix|append|prepend|give|take|let|provide|
    pass|specify|declare|define|mark|treat|translate|localize|render|target|support|require|bypass|expose|leak|share|
    track|clean|reset|rely|default|stick|wait|need to
""")
_DE = _joined("""
    benutze?|verwende?|nutze?|nimm|führe?|starte?|schreibe?|teste?|committe?|pushe?|ändere?|lass|lasse|mach|mache|
    formatiere?|prüfe?|achte?|setze?|lege?|halte?|bearbeite?|fasse?|lösche?|vermeide?|denk|denke|antworte?|erstelle?|
    füge?|rufe?|importiere?|installiere?|baue?|frag|frage|behalte?|ignoriere?|dokumentiere?|kommentiere?|nenne?|
    benenne?|zeige?|sprich|gib|stelle?|überschreibe?
""")
_DE_WE = _joined("""
    nutzen|benutzen|verwenden|nehmen|schreiben|committen|pushen|testen|formatieren|mocken|deployen|bauen|halten|setzen|
    führen|arbeiten|machen|benennen|dokumentieren|vermeiden|mergen|rebasen
""")
_ES = _joined("""
    usa|utiliza|emplea|ejecuta|corre|lanza|escribe|haz|pon|comprueba|revisa|formatea|añade|agrega|prueba|crea|deja|
    evita|mantén|verifica|actualiza|instala|sube|responde|contesta|pregunta|guarda|respeta|sigue|borra|documenta|
    importa|compila|incluye
""")
_ES_DONT = _joined("""
    uses|utilices|emplees|ejecutes|corras|lances|toques|modifiques|edites|borres|elimines|hagas|subas|pushees|cambies|
    escribas|añadas|agregues|pongas|commitees|crees|importes|instales|olvides|dejes|metas|sobrescribas|inventes|
    adivines|asumas|comentes|mezcles|fusiones
""")
_FR = _joined("""
    utilise[sz]?|emploie|lance[sz]?|exécute[sz]?|fais|faites|mets|mettez|écris|écrivez|vérifie[sz]?|ajoute[sz]?|
    garde[sz]?|évite[sz]?|laisse[sz]?|formate[sz]?|teste[sz]?|crée[sz]?|préfère[sz]?|commite[sz]?|pousse[sz]?|réponds|
    répondez|demande[sz]?|installe[sz]?|modifie[sz]?|touche[sz]?|supprime[sz]?|change[sz]?|édite[sz]?|respecte[sz]?|
    documente[sz]?|importe[sz]?|compile[sz]?|suis|suivez|prends|prenez|oublie[sz]?
""")
_FR_TO = _joined("""
    utiliser|employer|lancer|exécuter|faire|mettre|écrire|vérifier|ajouter|garder|éviter|laisser|formater|tester|créer|
    préférer|commiter|pousser|répondre|demander|installer|modifier|toucher|supprimer|changer|éditer|respecter|
    documenter|importer|compiler|suivre|oublier
""")

# --- standing wishes: a form of asking, and "always", "never", "from now on", "before every …" ------------------------

_FROM_NOW_ON = _joined("""
    from now on|from here on(?: out)?|going forward|moving forward|in (?:the )?future|henceforth|
    as a (?:general )?rule|by default|every (?:single )?time|whenever you|each time you|every time you
""")
_STRETCH = r"(?! noch\b| wieder\b| mehr\b)"  # "immer noch", "immer wieder" go on; they do not ask

STANDING = tuple(
    _compiled(pattern)
    for pattern in (
        # English
        r"^(?:always|never(?: ever)?|only ever|under no circumstances) (?!\w+(?:ed|ing)\b)\w+",
        rf"""
        \b(?:you|we|agents?|everyone|one)(?:'ll)?
        [ ](?:should|must|need to|have to|shall|are to|ought to|can|may|want to)? ?
        (?:always|never(?: ever)?|only ever) (?:{_EN})\b
        """,
        r"\b(?:should|must|shall|may|can) (?:always|never(?: ever)?) \w+",
        rf"^(?:don't|do not|dont) ever (?:{_EN})\b|^(?:don't|do not|dont|never) (?:{_EN})\b.*\bever$",
        rf"\b(?:please|to|and|but|so|then|just|,|:|-) (?:always|never(?: ever)?) (?:{_EN})\b",
        rf"^(?:{_FROM_NOW_ON})\b.*\b(?:{_EN}|don't|do not|no|must|should|want|prefer)\b",
        rf"^(?:please )?(?:{_EN}|don't|do not)\b.*\b(?:{_FROM_NOW_ON})\b",
        rf"^(?:always|never) (?:be|have) \w+|^(?:{_EN})\b.*\balways$",
        rf"^(?:you|we) (?:must not|mustn't|may not|are not allowed to) (?:{_EN})\b",
        r"^(?:use|prefer|follow|keep|stick)\b.*\b(?:(?:for|in|on|with) (?:all|every|each) \w+|everywhere)\b",
        r"\b(?:all|every|any|each|no) (?:[\w-]+ ){1,4}(?:must|should|shall|has to|have to|needs to|need to)\b",
        rf"""
        \b(?:must|should) (?:not |never |always )?(?:{_EN})\b.*
        \b(?:before|after) (?:every|each|you|any|committing|pushing|merging|opening|releasing|deploying|finishing)\b
        """,
        rf"""
        ^(?:{_EN})\b.*\b(?:before|after)
        [ ](?:every|each|any|committing|pushing|merging|releasing|deploying|you (?:commit|push|merge|say|finish|
        deploy))\b
        """,
        rf"""
        ^(?:before|after) (?:every|each|any)\b.*\b(?:{_EN})\b
        |^(?:before|after) (?:you )?(?:commit|push|merg|releas|deploy)\w*\b.*\b(?:{_EN})\b
        """,
        r"^(?:i (?:\w+ly |always )?)?prefer\b.*\b(?:over|to|rather than|instead of|when|in general)\b",
        r"^i (?:hate|dislike|don't like|do not like) (?:it )?when you\b",
        r"^i (?:never|always) want\b|^i want you to (?:always|never)\b",
        r"^i (?:don't|do not)(?: ever want| want you to ever)\b",
        r"^(?:remember|keep in mind|bear in mind|don't forget|do not forget|make a note)\b[:,]? (?:that |to )?\w",
        # German
        rf"^(?:immer|nie(?:mals)?(?: wieder)?)\b{_STRETCH}.*\w(?:en|ern|eln)$",
        rf"^(?:{_DE})\b.*\b(?:immer|nie|niemals|grundsätzlich|stets)\b{_STRETCH}",
        rf"""
        \b(?:du|ihr|wir|man)\b (?:\w+ )?
        (?:sollst|solltest|musst|darfst|sollen|müssen|dürfen|sollt|müsst|soll|muss|darf|{_DE_WE})\b.*
        \b(?:immer|nie|niemals|grundsätzlich|stets|ausschließlich)\b{_STRETCH}
        """,
        rf"\b(?:muss|müssen|soll|sollen|darf|dürfen)\b.*\b(?:immer|nie|niemals|stets)\b{_STRETCH}",
        r"^(?:du|ihr|wir) (?:musst|sollst|müsst|sollt|müssen|sollen)\b.*\b(?:vor|nach) (?:jede[mr]|dem)\b",
        rf"""
        \b(?:ab jetzt|ab sofort|von jetzt an|von nun an|künftig|zukünftig|in zukunft)\b.*
        \b(?:{_DE}|{_DE_WE}|nicht|kein\w*|immer|nie|bitte|nur|\w+en)\b
        """,
        rf"^(?:{_DE})\b.*\b(?:ab jetzt|ab sofort|künftig|in zukunft|vor jedem|nach jedem|jedes mal)\b",
        r"^(?:merke? dir|denke? (?:immer )?daran|vergiss nicht)\b",
        r"^ich (?:bevorzuge|möchte immer|möchte nie|will nie|will immer|mag es nicht, wenn du)\b",
        # Spanish
        rf"^(?:siempre|nunca|jamás) (?:{_ES}|{_ES_DONT}|se debe\w*|hay que|debes|tienes que)\b",
        rf"^(?:{_ES}) siempre\b|^no (?:{_ES_DONT})\b.* (?:nunca|jamás)\b",
        r"\b(?:debes?|deben|tienes que|hay que|tenemos que) (?:siempre|nunca)\b",
        rf"""
        \b(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro|por defecto|cada vez que)\b.*
        \b(?:{_ES}|{_ES_DONT}|usamos|no|siempre|nunca|quiero|debes)\b
        """,
        rf"""
        ^(?:no )?(?:{_ES}|{_ES_DONT})\b.*
        \b(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro|antes de cada|después de cada|cada vez)\b
        """,
        r"^(?:recuerda|ten en cuenta|no olvides)\b|^prefiero\b|^(?:no )?quiero que (?:siempre|nunca)\b",
        # French
        rf"^toujours (?:{_FR_TO})\b|^(?:ne )?jamais (?:{_FR_TO}|de|d')\b",
        rf"^(?:{_FR}) toujours\b|^(?:ne |n')(?:{_FR}) (?:jamais|plus jamais)\b",
        rf"\b(?:tu dois|vous devez|il faut|on doit|nous devons) (?:toujours|jamais) (?:{_FR_TO})\b",
        r"\bne (?:dois|doit|devez) jamais\b",
        rf"""
        \b(?:à partir de maintenant|désormais|dorénavant|à l'avenir|par défaut|chaque fois que)\b.*
        \b(?:{_FR}|{_FR_TO}|on utilise|pas|jamais|toujours|je veux)\b
        """,
        rf"""
        ^(?:ne |n')?(?:{_FR})\b.*
        \b(?:à partir de maintenant|désormais|dorénavant|à l'avenir|avant chaque|après chaque|chaque fois)\b
        """,
        r"^(?:souviens-toi|n'oubliez? (?:pas|jamais)|garde à l'esprit)\b",
        r"^je préfère\b|^je veux que tu (?:\w+ )?(?:toujours|jamais)\b",
    )
)

# --- conventions: "we do it so here" ----------------------------------------------------------------------------------

_WHOLE = r"repo|project|code ?base|repository|team|company|mono-?repo|workspace|organi[sz]ation|machine|environment"
_HERE = _joined(r"""
    (?:in|for|on|across|throughout) (?:this|our|the|every)
    [ ](?:repo(?:sitory)?|project|code ?base|team|company|org|mono-?repo|workspace|package)s?
""")

CONVENTION = tuple(
    _compiled(pattern)
    for pattern in (
        # English
        rf"""
        \b{_HERE}\b,? (?:we|you|always|never|use|don't|do not|only|prefer|all|every|no|must|please|it's|it is|
        the (?:rule|convention))\b
        """,
        rf"^{_HERE}\b,? (?!there|is\b|are\b|i\b|it\b|the (?:bug|issue|problem|test|build|error)\b)\w",
        rf"^(?:we|everything|everyone|all \w+|tests|commits|migrations|branches|please)\b.*\b{_HERE}\b",
        r"""
        \b(?:our|the|my|team|house|project|repo|naming|coding|commit|code)
        [ ](?:convention|standard|style|style guide|rule|policy|guideline|practice)s?\b
        [ ](?:here )?(?:is|are|says?|requires?|in this)\b
        """,
        r"""
        (?:^|, |^for [\w -]{1,30} )(?:we|around here,? we|here,? we|the team)
        [ ](?:always |never |only |all |strictly |exclusively )?
        (?:use|prefer|follow|write|name|keep|put|store|run|deploy|commit|squash|rebase|format|mock|pin|avoid|target|
        ship|work)\b
        """,
        rf"^this (?:{_WHOLE}) (?:only )?(?:uses|is on|is built with|is managed with|runs on)\b",
        r"""
        ^we (?:don't|do not|never) (?:use|write|commit|push|mock|deploy|ship|edit|touch|merge|import|add|squash|rebase|
        put|store|run|allow|support)\b
        """,
        # German
        r"""
        \b(?:in diesem|in unserem|im) (?:repo|repository|projekt|code|team)\b.*
        \b(?:wir|man|immer|nie|nur|nicht|kein\w*|gilt|wird|werden|bitte)\b
        """,
        rf"(?:^|, )(?:wir|bei uns|hier) (?:{_DE_WE})\b|^(?:bei uns|hier) (?:gilt|wird|werden)\b",
        r"\b(?:unsere|die) konvention\b",
        # Spanish
        r"""
        \ben (?:este|nuestro) (?:repo|repositorio|proyecto|código|equipo)\b.*
        \b(?:usamos|utilizamos|se usa|siempre|nunca|no|hay que|solo|debe\w*|usa)\b
        """,
        r"^(?:aquí )?(?:siempre |nunca |solo |no )?(?:usamos|utilizamos|escribimos|seguimos)\b",
        r"\b(?:nuestra|la) convención\b",
        # French
        r"""
        \bdans (?:ce|notre) (?:dépôt|repo|projet|code|équipe)\b.*
        \b(?:on|nous|toujours|jamais|il faut|pas|utilise\w*|seulement)\b
        """,
        r"""
        ^(?:ici,? )?(?:on|nous) (?:n')?
        (?:utilis(?:e|ons)|écri(?:t|vons)|sui(?:t|vons)|préf(?:ère|érons)|commit(?:e|ons))\b
        """,
        r"\b(?:notre|la) convention\b",
    )
)

# --- corrections: said right after the agent did something ------------------------------------------------------------

CORRECTION = tuple(
    _compiled(pattern)
    for pattern in (
        rf"^(?:don't|do not|dont|never) (?:{_EN})\b|^(?:stop|avoid|quit|no more) \w+ing\b",
        r"^(?:use|prefer|run|write|call|import|install|put|try|go with|switch to|stick (?:to|with))\b",
        r"\b(?:instead of|rather than|in place of|in favou?r of)\b|\b(?:belongs?|goes|go) (?:in|into|to|under)\b",
        r"""
        ^(?:you|we) (?:should|shouldn't|should not|must|mustn't|must not|need to|have to|are supposed to|
        aren't supposed to|can't|cannot|may not)[ ]
        """,
        r"^(?:you )?(?:forgot|forget|keep forgetting|keep) (?:to )?\w+|^do not forget\b",
        r"^make sure (?:to|you|that|we)\b",
        r"\b(?:it's|that's|is|are) \S+,? not \S+|^\S+,? not \S+$",
        rf"^(?:{_DE})\b|\b(?:anstatt|statt|stattdessen|sondern)\b|^(?:kein|keine|keinen) \w+",
        rf"^(?:{_ES})\b|^no (?:{_ES_DONT})\b|\b(?:en vez de|en lugar de)\b",
        rf"^(?:{_FR})\b|^(?:ne |n')(?:{_FR}) (?:pas|plus)\b|^(?:pas|plus) de? \w+|\b(?:au lieu d|plutôt qu)",
    )
)
# One thing for another.
SWAP = _compiled(r"""
    \b(?:instead of|rather than|in place of|over|not|statt|anstatt|sondern|nicht|en vez de|en lugar de|y no|
    au lieu d[eu']|plutôt que|et pas|pas)\b
""")
NEGATED = _compiled(r"""
    ^(?:don't|do not|dont|never|avoid|stop|quit|no more)\b
    |\b(?:shouldn't|should not|mustn't|must not|can't|cannot|aren't supposed to|may not)\b
    |\bnicht\b|^kein\w* |^no \w+[ea]s\b|^(?:ne |n')|^(?:pas|plus) d
""")
CHOOSING = _compiled(r"""
    ^(?:(?:you|we) (?:should|must|need to) )?(?:(?:don't|do not|dont|never) )?(?:use|prefer|go with|stick (?:to|with))\b
    |^\S+,? not \S+$
    |^(?:benutze?|verwende?|nutze?|nimm|kein\w*|nicht)\b
    |^(?:usa|utiliza|emplea|no (?:uses|utilices|emplees))\b
    |^(?:(?:n'|ne )?utilise[sz]?|(?:n'|ne )?emploie|préfère)\b
""")
FORGOTTEN = re.compile(r"^(?:do not forget|don't forget|you (?:forgot|keep \w+ing))\b")
# What somebody has to repeat is meant to stay. The English form is taken off; after the others a clause follows that
# does not stand alone.
TOLD_BEFORE = _compiled(r"""
    ^(?:i(?:'ve| have)? (?:already |just )?(?:told you|asked you|said|mentioned|explained)
    (?: before| already| (?:two|three|many|several) times)*|as i (?:said|told you|mentioned)(?: before|
    [ ]already)?)[,:;]?\s+
""")
TOLD_ELSEWHERE = _compiled(r"""
    ^(?:ich habe? (?:dir )?(?:doch |schon |bereits |doch schon )?(?:gesagt|erklärt)|wie (?:schon )?gesagt
    |(?:ya )?te (?:lo )?(?:he dicho|dije|había dicho)|como (?:ya )?(?:te )?dije
    |je t'ai (?:déjà )?dit|je vous ai (?:déjà )?dit|comme je l'ai dit)\b
""")

# --- what is taken off a sentence -------------------------------------------------------------------------------------

# A "no" goes only with its comma: "no uses npm" is Spanish for don't.
LEAD = _compiled(r"""
    ^(?:(?:no|nope|nah|no no|nein|non|wrong|stop|wait|hmm+|hm|uh|um|ok|okay|alright|right|well|oh|ah|hey|hi|hello|yes|
    yeah|yep|sure|great|thanks|thank you|cool|good|nice|perfect|sorry|actually|so|and|but|also|btw|by the way|fyi|ps|
    look|listen|again|one thing|one more thing|another thing|for the future|please|note|reminder|rule|remember|
    warning|important|bitte|aber|und|übrigens|doch|ja|danke|hör zu|achtung|hinweis|wichtig|por favor|oye|bueno|vale|
    pero|gracias|sí|mira|además|nota|importante|s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|oui|merci|mais|alors|
    attention)\s*[,.!:;–—-]+\s+
    |(?:please|pls|plz|kindly|actually|also|just|so|and|but|ok|okay|well|oh|hey|hmm+|then|btw|really|no no|hey claude|
    claude|bitte|und|aber|doch|por favor|pero|además|s'il te pla[iî]t|stp|svp|mais|alors)\s+
    |(?:can|could|would|will) (?:you|we) (?:please |kindly |just )?
    |(?:i'd|i would) (?:really )?(?:like|love|want|appreciate it if) (?:you to |it if you )?
    |(?:kannst|könntest|würdest) du (?:bitte )?|(?:puedes|podrías) (?:por favor )?
    |(?:peux|pourrais)-tu (?:s'il te plaît )?)
""")
REFUSING = re.compile(r"^(?:no+|nope|nah|nein|non|wrong|stop|wait|that's wrong|not like that)\b\s*[,.!:;–—-]+\s*", re.I)
REFUSAL = re.compile(r"(?:no+|nope|nah|nein|non|wrong|stop|wait|not like that|that's wrong|falsch|mal|faux)\W*", re.I)
TAIL = _compiled(
    r"""
    (?:[\s,;–—.!-]+(?:please|pls|plz|thanks|thank you|thx|ok|okay|right|again|bitte|danke|ja|por favor|gracias|vale|
    s'il te pla[iî]t|merci|stp|svp|:\)|😀|🙏))+[.!]*$
    """,
    re.I,
)

# --- what takes a sentence out ----------------------------------------------------------------------------------------

# It points at something a stranger cannot see.
TASK_BOUND = _compiled(rf"""
    \b(?:this|that|these|those|the other|the same|the (?:first|second|third|last|next|previous|current|new|above|
    below|following)) (?!{_WHOLE}|way\b|package manager)[\w-]+
    |\b(?:yet|for now|right now|just now|this time|today|tonight|tomorrow|for the moment|at the moment|first|then|
    next(?! to)|as well|too|here|there|above|below|once you're done|when you're done|after that)\b(?! of\b| you| we)
    |\b(?:for|in|on|with|to|like|of|at) (?:this|that|these|those|it)\b(?! (?:{_WHOLE})\b)
    |\b(?:option|version|variant|approach|solution|suggestion|idea|number|step|point) (?:\d+|[a-d]|one|two|three)\b
    |\b(?:port|line|row|column|page|issue|ticket|pr) #?\d+
    |\b(?:diese[rsmn]?|jene[rsmn]?|gerade|heute|erstmal|vorerst|noch nicht|dort|diesmal)\b(?! repo| projekt| code)
    |\b(?:est[ea] (?!repo|proyecto|código)\w+|es[ea] \w+|por ahora|ahora mismo|hoy|todavía|aquí|ahí|esta vez)\b
    |\b(?:ce(?:tte|t)? (?!dépôt|repo|projet|code)\w+|pour l'instant|aujourd'hui|cette fois|encore|là)\b
""")
# Its object is only a pronoun: "never do that again".
POINTING = _compiled(r"""
    ^(?:(?:always|never|don't|do not|please|just|from now on,?|going forward,?|immer|nie|nie wieder|siempre|nunca|
    toujours|jamais) )*(?:\w+ ){0,2}
    (?:it|that|this|them|those|these|so|one|das|es|dies|so etwas|sowas|eso|esto|lo|ça|cela|le|comme ça)
    (?: (?:again|anymore|ever|ever again|like (?:this|that)|way|now|up|out|wieder|mehr|nochmal|otra vez|más|encore|
    plus))*$
""")
# Said of the world, not asked of anyone.
DESCRIBING = _compiled(r"""
    ^(?:it|that|this|he|she|they|there|the [\w -]{1,30}?|my [\w-]+|tests?|everything|nothing|something|[\w-]+)
    [ ](?:always|never|still) (?!use\b|run\b|commit\b|push\b)\w+
    |^(?:i|we) (?:never|always) (?:got|get|had|have|saw|see|heard|knew|know|thought|think|said|did|was|were|wanted|
    ended|end|seem|forget|forgot|run into|hit|lose|run out)\b
    |^never ?mind\b|^never (?:heard|seen|had|been|again\b$)
    |^always (?:fails?|returns?|works?|gets?|the|a|been|nice|good|happens?)\b
    |^(?:i|we) (?:don't|do not|didn't|can't|couldn't) (?:know|think|understand|see|remember|care|mind|believe|need|have|
    get|want to|want this|want that)\b
    |^don't (?:worry|bother|mind|know|think|panic)\b
    |^(?:keep (?:going|at|up|it|working|trying)|make sense|do it|do so|do that)\b
    |^(?:every|each) time (?:i|it|the|we|this|that|a|my)\b|^whenever (?:i|it|the|we|this|that)\b
    |^in (?:the )?future (?:we|i|it|this|the) (?:might|may|could|will|would|can)\b|^by default (?:it|this|the|that)\b
    |^(?:der|die|das|es|er|sie) .*\b(?:immer|nie)\b(?!.*\b(?:muss|müssen|soll|sollen|darf|dürfen)\b)
    |^(?:el|la|los|las|esto|eso) .*\b(?:siempre|nunca)\b(?!.*\bdebe)
    |^(?:ça|il(?! faut)|elle|le|la|les) .*\b(?:toujours|jamais)\b
""")
# Said of one thing, or of the people who use what is being built: a requirement, not a way of working.
REQUIREMENT = _compiled(r"""
    ^(?:it|this|that|(?:the|a|an|its|their) [\w -]{1,30}?|users?|customers?|clients?|visitors?|admins?)
    [ ](?:should|must|shall|may|can|has to|have to|needs? to)\b
    |^(?:der|die|das|ein|eine|es|er|sie) [\w -]{0,30}?(?:muss|müssen|soll|sollen|darf|dürfen)\b
    |^(?:el|la|los|las|un|una) .*\bdeben?\b|^(?:le|la|les|un|une|l').*\bdoi(?:t|vent)\b
""")
# What is to be made now; "that it never …" after it is about the thing made.
TASK_OPENING = _compiled(r"""
    ^(?:add|write|create|make|implement|build|fix|change|update|remove|rename|move|refactor|generate|show|display|
    erstelle?|baue?|füge?|mach|mache|crea|añade|haz|ajoute|crée|fais)
    [ ](?:a|an|the|it|some|ein\w*|den|die|das|un|una|el|la|los|las|une|le|les|que|en sorte|sure the|sure it)\b
""")
# Somebody else's word, passed on.
REPORTED = _compiled(r"""
    ^(?:(?:the|this|that|its|their|a|my|our|der|die|das|el|la|le) )?(?:[\w-]+ )?
    (?:docs?|documentation|readme|error|message|log|output|warning|issue|ticket|page|article|guide|spec|e-?mail|
    comment|review(?:er)?|linter|compiler|he|she|they|someone|somebody|boss|colleague|customer|client|doku|fehler|
    meldung|mensaje|erreur) (?:says?|said|is|was|reads|states|told|wrote|suggests?|recommends?|claims?|sagt|dice|
    dit)\b
""")
HYPOTHETICAL = _compiled(r"""
    ^(?:if|unless|suppose|imagine|what if|maybe|perhaps|probably|i (?:think|guess|wonder|suspect)|wenn|falls|vielleicht|
    si |quizás|tal vez|peut-être)\b
""")
# "If the schema changes, always regenerate the client" is a rule; "if it never works, tell me" is not.
CONDITIONAL = _compiled(r"""
    ^(?:if|when|wenn|falls|si|quand|cuando)\b[^,]+, (?:please |bitte |then |dann )?
    (?:always|never|immer|nie|niemals|siempre|nunca|toujours|jamais|don't|do not)\b
""")
QUESTION = _compiled(r"""
    ^(?:what|why|how|when|where|who|which|is|are|was|were|do|does|did|should|shall|may|have|has|isn't|aren't|don't you|
    didn't|can't|couldn't|warum|wie|wann|wo|wer|welche\w*|ist|sind|hast|soll|qué|por qué|cómo|cuándo|dónde|quién|
    pourquoi|comment|quand|où|qui|est-ce)\b
""")
# These ask for something although their first word could open a question.
NOT_A_QUESTION = re.compile(r"^(?:do not|don't|dont|do (?:always|never)|wherever|whenever|when )")
POLITE = _compiled(r"""
    (?:please,? )?(?:can|could|would|will) you\b|(?:kannst|könntest|würdest) du\b|(?:puedes|podrías)\b|(?:peux|
    pourrais)-tu\b
""")
FOR_GOOD = _compiled(r"""
    \b(?:always|never|ever|(?:hate|like) (?:it )?when you|from now on|going forward|in (?:the )?future|every|each|
    whenever|immer|nie|niemals|ab jetzt|ab sofort|künftig|in zukunft|jede[mnrs]?|siempre|nunca|jamás|
    a partir de ahora|de ahora en adelante|cada|toujours|jamais|désormais|dorénavant|à partir de maintenant|
    à l'avenir|chaque)\b
""")

# --- things with a name -----------------------------------------------------------------------------------------------

TOOLS = word_set(
    """
    npm pnpm yarn bun npx deno node nvm fnm volta corepack pip pipx uv poetry pipenv conda mamba hatch pdm rye
    virtualenv
    venv pytest unittest tox nox ruff black isort flake8 pylint mypy pyright basedpyright pre-commit coverage hypothesis
    eslint prettier biome tsc typescript javascript vite vitest jest mocha playwright cypress webpack rollup esbuild
    turbo
    nx lerna storybook cargo rustfmt clippy rustup go gofmt golangci-lint gradle maven mvn sbt ktlint kotlin java make
    cmake ninja bazel meson just docker docker-compose podman kubectl helm terraform tofu ansible git gh glab jj hg bash
    zsh fish sh powershell sed awk grep rg ripgrep fd jq curl wget httpie postgres postgresql psql mysql sqlite redis
    mongodb kafka rabbitmq elasticsearch prisma drizzle sqlalchemy alembic django flask fastapi rails rspec rubocop
    bundler elixir mix credo dialyzer phoenix php composer phpunit laravel dotnet nuget xunit swift xcodebuild cocoapods
    react vue svelte angular nextjs next.js nuxt remix astro tailwind sass css html axios fetch requests httpx aiohttp
    pydantic dataclasses attrs numpy pandas polars torch pytorch tensorflow jax zod lodash moment dayjs luxon date-fns
    rxjs redux zustand graphql grpc protobuf openapi aws gcloud azure vercel netlify heroku fly kubernetes systemd nginx
    caddy vim emacs vscode tmux tabs spaces semver utf-8 utc iso-8601 json yaml toml csv markdown latex english german
    spanish french deutsch englisch español inglés français anglais loguru structlog logging print console.log pdb
    asyncio trio anyio celery var const
    """
)
# Where work goes and how it gets there: enough for a standing wish.
PLACES = word_set(
    """
    ci prod production staging main master develop trunk commit committing push pushing merge merging rebase rebasing
    squash squashing deploy deploying release releasing
    """
)
# What every project has: enough for a standing wish or a convention.
NOUNS = _compiled(r"""
    \b(?:commit messages?|commits?|pull requests?|prs?|branch(?:es)?|force[ -]push(?:es|ing)?|migrations?|
    generated (?:files?|code)|lock ?files?|changelog|readme|linter|formatter|type (?:hints?|annotations?)|docstrings?|
    comments?|emojis?|test suite|unit tests?|integration tests?|tests?|fixtures?|mocks?|dependenc(?:y|ies)|secrets?|
    env(?:ironment)? (?:files?|variables?)|feature flags?|logging|imports?|config(?:uration)?|vendor(?:ed)?|
    snapshots?|schema|api|database|semicolons?|indentation|tabs|spaces|line length|naming|camelcase|snake_case|
    kebab-case|error handling|exceptions?|print statements?|global state|abbreviations?|dates?|timestamps?|constants?|
    async|decorators?|types?|stack ?traces?|code|files?|folders?|director(?:y|ies)|functions?|methods?|class(?:es)?|
    modules?|variables?|components?|exports?|single quotes|double quotes|arguments?|generierten? (?:dateien?|code)|
    dateien?|kommentare?n?|commit-nachrichten?|abhängigkeiten|migrationen|funktionen|klassen|variablen|pfade|
    archivos?|comentarios?|pruebas?|dependencias|migraciones|mensajes? de commit|funciones|clases|rutas|fichiers?|
    commentaires?|dépendances|messages? de commit|fonctions|chemins)\b
""")
# Habits an agent shows in every task: enough for a correction, even without the name of a tool or file.
HABITS = _compiled(r"""
    \b(?:(?:to|on|into|en|a|sur|auf|nach) (?:main|master|prod|production)|commit messages?|force[ -]push\w*|
    migrations|generated (?:files?|code)|lock ?files?|changelog|linter|formatter|type hints?|docstrings?|comments|
    emojis?|test suite|packages|snapshots|print statements?|dependencies|secrets|pull requests|apologi\w+|
    generierte\w* (?:dateien?|code)|kommentare\w*|commit-nachrichten|abhängigkeiten|comentarios|archivos generados|
    mensajes? de commit|commentaires|fichiers générés|messages? de commit)\b
""")
# How the agent itself behaves towards the person.
CONDUCT = _compiled(r"""
    \b(?:ask (?:me|first|before)|tell me|let me know|show me|answers?|repl(?:y|ies)|respon[ds]\w*|explanations?|concise|
    brief|verbose|explain\w*|apologi\w+|summar\w+|permission|approval|confirmation|asking|guess\w*|assum\w+|
    frage? (?:mich|vorher|erst)|antwort\w*|pregúntame|responde\w*|réponds|réponses?|demande-moi)\b
""")
_ENDINGS = _joined("""
    py|js|ts|tsx|jsx|mjs|go|rs|rb|ex|exs|java|kt|c|h|cpp|cs|php|swift|sh|sql|md|json|ya?ml|toml|cfg|ini|lock|txt|html|
    css|scss|vue|svelte|env|proto|tf|xml|conf
""")
# "in/on" and "and/or" are no paths: one has a root, two slashes, an ending, or a folder that projects have.
_PATH = _joined(rf"""
    (?<![\w:/.~])(?:(?:~|\.{{1,2}})?/[\w.@-]+(?:/[\w.*@-]+)*|(?:[\w.@-]+/){{2,}}[\w.*-]*|[\w.@-]+/[\w.*-]*\.\w+|
    (?:src|lib|app|tests?|docs?|config|bin|scripts?|packages|internal|cmd|pkg|vendor|public|assets|dist|build)/
    [\w.*-]*|[\w.-]+/(?=[\s.,;]|$))|\b[\w-]+\.(?:{_ENDINGS})\b
""")
PATH = re.compile(_PATH)
# In backticks, a path, a flag, an identifier, a call. Reads the text as written: case matters.
NAMED = _compiled(rf"""
    `[^`\n]+`|{_PATH}|(?<!\w)--?[a-zA-Z][\w-]+
    |\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Z]{{2,}}(?:_[A-Z0-9]+)+\b
    |\b\w+\(\)
""")

# --- what the gate looks for ------------------------------------------------------------------------------------------

HEDGED = _compiled(r"""
    \b(?:might (?:be|have|need|work|help|not|cause|want)
    |could (?:potentially|possibly|perhaps|be (?:that|because|due|related|caused))
    |may not|may (?:be|have) (?:due|because|related|caused|something)|appears? to|seems? (?:like|to|as if|that)|it seems
    |maybe|perhaps|probably|possibly|presumably|likely (?:because|due|caused|that)|i (?:think|guess|suspect|believe|
    assume)
    |not (?:entirely )?sure|unclear (?:if|whether|why)|for some reason|sort of|kind of|my guess|one possible explanation
    |vielleicht|möglicherweise|eventuell|vermutlich|wahrscheinlich|könnte (?:sein|daran|an)|scheint|anscheinend|
    womöglich
    |ich (?:glaube|denke|vermute)
    |quizás?|tal vez|a lo mejor|posiblemente|probablemente|puede que|podría ser|parece (?:que|ser)|supongo|creo que
    |peut-être|probablement|il se peut|pourrait être|semble|apparemment|sans doute|je (?:pense|crois|suppose))\b
""")
NARRATION = _compiled(r"""
    ^(?:(?:ok(?:ay)?|great|perfect|good|now|next|first|then|alright|excellent|sure|done|so|well|hmm|wait|yes|right|
    actually|finally)[,.!:]*\s+)*
    (?:i(?:'ll| will| am going to|'m going to|'ve| have| need to| should| can see| see that| see\b| found| noticed| ran|
    [ ]tried| did| fixed| added| updated| created| checked| discovered| was| am|'m| just| had| think)\b
    |let me\b|let's\b|let us\b|we(?:'ve| have) (?:now|just|successfully|completed)\b|we (?:ran|tried|fixed|did|then|
    now)\b
    |now (?:i|let|we|that)\b|next,? (?:i|let|we)\b|the user (?:asked|wants|said|requested|told|is asking|has)\b
    |in this (?:session|conversation|run|environment|trial|episode)\b|this session\b|as (?:requested|an ai)\b|
    looking at\b
    |(?:all )?(?:done|finished|completed)[.!]?$|here(?:'s| is| are)\b|successfully \w+ed\b
    |(?:the )?(?:task|work|implementation) (?:is|was|has been) (?:now )?(?:complete|done|finished)\b
    |ich (?:werde|habe|schaue|prüfe|muss)\b|lass mich\b|als nächstes\b|voy a\b|he (?:hecho|visto|encontrado)\b|déjame\b
    |je vais\b|j'ai\b|laisse-moi\b)
""")
TRACE = _compiled(
    r"""
    </?(?:tool_?call|tool_?use|tool_?result|function_?calls?|function_results?|invoke|parameter|arguments|antml:\w+|
    command-\w+|local-command-\w+|system-reminder|bash-\w+|task-notification|stdout|stderr)\b
    |&lt;/?(?:tool_?call|arguments|invoke)|\btoolu_\w{6,}|\bcall_[A-Za-z0-9]{12,}
    |\"(?:tool_use_id|tool_calls?|function_call|old_string|new_string|file_path)\"\s*:|^\s*(?:\{\s*\"|\[\s*\{)
    |^\s*(?:Traceback \(most recent|diff --git|@@ -\d|\+\+\+ |--- a/|index [0-9a-f]{7})|^\s*at [\w.$<>]+ ?\(
    |\b(?:bash|zsh|sh) -lc\b|\x1b\[|^Exit code \d+|^\s*\d+[→│|]\s|^(?:Bash|Read|Edit|Write|Grep|Glob|Task|
    WebFetch)\([^)]*\)
    """,
    re.I | re.M,
)
DUMP = _compiled(r"""
    ^\s*(?:[$#%❯>]\s+|\(\w+\)\s*[$#]\s+|\w+@[\w-]+[:~][^$#]*[$#]\s+)?(?:sudo |[A-Z_]+=\S+ )*
    (?:cd|ls|cat|echo|grep|rg|find|sed|awk|git|npm|npx|pnpm|yarn|bun|node|python3?|pip3?|uv|pytest|cargo|go|make|mvn|
    gradle|docker|kubectl|curl|wget|mkdir|rm|cp|mv|touch|chmod|tail|head|export|source|ssh|scp|tar|mix|bundle|rails|
    bash|sh|brew|apt(?:-get)?|psql|sqlite3|terraform|gh|jq|ps|kill)\b
""")
SHELL_SIGNS = re.compile(r"[|&;<>$]|\s--?\w|(?:^|\s)[./~][\w./-]+|['\"]")
# A shell line says nothing about itself; a sentence that begins with a program's name does.
PROSE = _compiled(
    r"""
    \b(?:is|are|was|were|the|an?|must|should|before|after|when|fails?|failed|needs?|not|because|instead|always|never|
    first|works?|to|of|only|can|cannot|breaks?|requires?|ist|muss|nicht|vor|der|die|das|es|el|los|antes|debe|est|doit|
    avant|les)\b
    """,
    re.I,
)
INSTRUCTION_EDIT = _compiled(
    r"""
    ^(?:[-*]\s*)?(?:\(\d{4}-\d\d-\d\d\)\s*)?
    (?:(?:add|append|insert|put) (?:to|this to|a (?:section|note|line|bullet|entry)|new (?:section|entry|entries|
    bullet)|(?:an? )?(?:entry|entries|bullet|line)s?|after|before|under)\b|add:
    |replace \S.* with \S|replace\b.*\b(?:section|line|bullet|entry|paragraph|heading)
    |(?:update|expand|consolidate|strengthen|rewrite|reword|rephrase|clarify|revise|shorten|merge)
    [ ](?:the |existing |this |these |section|entry|entries|bullet)
    |remove (?:duplicate|the (?:line|section|entry|bullet|duplicate|paragraph))
    |delete (?:the (?:line|section|entry|bullet|paragraph)|this line)|confirm and\b
    |move (?:this|the (?:line|section|bullet)) (?:to|under)\b|rename (?:the )?section\b
    |in section\b.*\b(?:add|replace|remove|change)\b|change the (?:wording|heading|title|section)\b)
    """,
    re.I,
)
RECURRING = re.compile(r"\b(?:always|never|before|after|when|whenever|every|each|must|if|once|until|unless)\b", re.I)

ADR = re.compile(r"\bADR[- ]?\d{1,5}\b", re.I)
# "go to" and "make sure" are no commands.
COMMAND = _compiled(r"""
    `[a-z][\w./-]*(?: [^`]+)?`
    |(?:^|[\s(\"'])(?:(?:npm|pnpm|yarn|bun|npx|pip|uv|poetry|pytest|tox|ruff|mypy|cargo|mvn|gradle|docker|kubectl|
    mix|bundle|terraform) (?:-{1,2}[\w-]+|[a-z][\w:.-]+)
    |git (?:-{1,2}\w|add|commit|push|pull|fetch|merge|rebase|reset|checkout|switch|stash|clone|tag|branch|diff|clean)
    |gh (?:pr|issue|run|repo|api)|go (?:test|build|run|vet|fmt|mod|get|install|generate|work)
    |make (?!sure|it|the|an?|this|that|them|use|your|no|changes)[\w-]+|(?:python3?|node) (?:-\w|\S+\.\w+)
    |curl (?:-|http|localhost))
""")
SETTING = _compiled(r"""
    \b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b|\b[\w.-]+\s?=\s?(?:true|false|\d+|\"[^\"]+\")|\b[\w-]+(?:\.config\.\w+|\.env)\b
""")
LESSON_SHAPE = _compiled(
    r"""
    \b(?:always|never|must|mustn't|should|shouldn't|don't|do not|avoid|use|prefer|run|check|ensure|make sure|instead|
    before|after|when|whenever|if|because|since|otherwise|unless|requires?|needs?|fails?|failed|breaks?|causes?|
    returns?|expects?|only|without|first|missing|not|cannot|can't|no|immer|nie|muss|nicht|vor|nach|wenn|statt|siempre|
    nunca|debe|antes|después|cuando|toujours|jamais|doit|avant|après|quand)\b
    """,
    re.I,
)

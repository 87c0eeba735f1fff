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

from tacit.learn.cue_patterns import WHOLE_SCOPE, compiled, one_line_pattern, word_set

_EN = one_line_pattern("""
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
_DE = one_line_pattern("""
    benutze?|verwende?|nutze?|nimm|führe?|starte?|schreibe?|teste?|committe?|pushe?|ändere?|lass|lasse|mach|mache|
    formatiere?|prüfe?|achte?|setze?|lege?|halte?|bearbeite?|fasse?|lösche?|vermeide?|denk|denke|antworte?|erstelle?|
    füge?|rufe?|importiere?|installiere?|baue?|frag|frage|behalte?|ignoriere?|dokumentiere?|kommentiere?|nenne?|
    benenne?|zeige?|sprich|gib|stelle?|überschreibe?
""")
_DE_WE = one_line_pattern("""
    nutzen|benutzen|verwenden|nehmen|schreiben|committen|pushen|testen|formatieren|mocken|deployen|bauen|halten|setzen|
    führen|arbeiten|machen|benennen|dokumentieren|vermeiden|mergen|rebasen
""")
_ES = one_line_pattern("""
    usa|utiliza|emplea|ejecuta|corre|lanza|escribe|haz|pon|comprueba|revisa|formatea|añade|agrega|prueba|crea|deja|
    evita|mantén|verifica|actualiza|instala|sube|responde|contesta|pregunta|guarda|respeta|sigue|borra|documenta|
    importa|compila|incluye
""")
_ES_DONT = one_line_pattern("""
    uses|utilices|emplees|ejecutes|corras|lances|toques|modifiques|edites|borres|elimines|hagas|subas|pushees|cambies|
    escribas|añadas|agregues|pongas|commitees|crees|importes|instales|olvides|dejes|metas|sobrescribas|inventes|
    adivines|asumas|comentes|mezcles|fusiones
""")
_FR = one_line_pattern("""
    utilise[sz]?|emploie|lance[sz]?|exécute[sz]?|fais|faites|mets|mettez|écris|écrivez|vérifie[sz]?|ajoute[sz]?|
    garde[sz]?|évite[sz]?|laisse[sz]?|formate[sz]?|teste[sz]?|crée[sz]?|préfère[sz]?|commite[sz]?|pousse[sz]?|réponds|
    répondez|demande[sz]?|installe[sz]?|modifie[sz]?|touche[sz]?|supprime[sz]?|change[sz]?|édite[sz]?|respecte[sz]?|
    documente[sz]?|importe[sz]?|compile[sz]?|suis|suivez|prends|prenez|oublie[sz]?
""")
_FR_TO = one_line_pattern("""
    utiliser|employer|lancer|exécuter|faire|mettre|écrire|vérifier|ajouter|garder|éviter|laisser|formater|tester|créer|
    préférer|commiter|pousser|répondre|demander|installer|modifier|toucher|supprimer|changer|éditer|respecter|
    documenter|importer|compiler|suivre|oublier
""")
_FROM_NOW_ON = one_line_pattern("""
    from now on|from here on(?: out)?|going forward|moving forward|in (?:the )?future|henceforth|
    as a (?:general )?rule|by default|every (?:single )?time|whenever you|each time you|every time you
""")
_STRETCH = r"(?! noch\b| wieder\b| mehr\b)"  # "immer noch", "immer wieder" go on; they do not ask
STANDING = tuple(
    compiled(pattern)
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
_HERE = one_line_pattern(r"""
    (?:in|for|on|across|throughout) (?:this|our|the|every)
    [ ](?:repo(?:sitory)?|project|code ?base|team|company|org|mono-?repo|workspace|package)s?
""")
CONVENTION = tuple(
    compiled(pattern)
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
        rf"^this (?:{WHOLE_SCOPE}) (?:only )?(?:uses|is on|is built with|is managed with|runs on)\b",
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
CORRECTION = tuple(
    compiled(pattern)
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
SWAP = compiled(r"""
    \b(?:instead of|rather than|in place of|over|not|statt|anstatt|sondern|nicht|en vez de|en lugar de|y no|
    au lieu d[eu']|plutôt que|et pas|pas)\b
""")
NEGATED = compiled(r"""
    ^(?:don't|do not|dont|never|avoid|stop|quit|no more)\b
    |\b(?:shouldn't|should not|mustn't|must not|can't|cannot|aren't supposed to|may not)\b
    |\bnicht\b|^kein\w* |^no \w+[ea]s\b|^(?:ne |n')|^(?:pas|plus) d
""")
CHOOSING = compiled(r"""
    ^(?:(?:you|we) (?:should|must|need to) )?(?:(?:don't|do not|dont|never) )?(?:use|prefer|go with|stick (?:to|with))\b
    |^\S+,? not \S+$
    |^(?:benutze?|verwende?|nutze?|nimm|kein\w*|nicht)\b
    |^(?:usa|utiliza|emplea|no (?:uses|utilices|emplees))\b
    |^(?:(?:n'|ne )?utilise[sz]?|(?:n'|ne )?emploie|préfère)\b
""")
FORGOTTEN = re.compile(r"^(?:do not forget|don't forget|you (?:forgot|keep \w+ing))\b")
# What somebody has to repeat is meant to stay. The English form is taken off; after the others a clause follows that
# does not stand alone.
TOLD_BEFORE = compiled(r"""
    ^(?:i(?:'ve| have)? (?:already |just )?(?:told you|asked you|said|mentioned|explained)
    (?: before| already| (?:two|three|many|several) times)*|as i (?:said|told you|mentioned)(?: before|
    [ ]already)?)[,:;]?\s+
""")
TOLD_ELSEWHERE = compiled(r"""
    ^(?:ich habe? (?:dir )?(?:doch |schon |bereits |doch schon )?(?:gesagt|erklärt)|wie (?:schon )?gesagt
    |(?:ya )?te (?:lo )?(?:he dicho|dije|había dicho)|como (?:ya )?(?:te )?dije
    |je t'ai (?:déjà )?dit|je vous ai (?:déjà )?dit|comme je l'ai dit)\b
""")
# A "no" goes only with its comma: "no uses npm" is Spanish for don't.
LEAD = compiled(r"""
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
TAIL = compiled(
    r"""
    (?:[\s,;–—.!-]+(?:please|pls|plz|thanks|thank you|thx|ok|okay|right|again|bitte|danke|ja|por favor|gracias|vale|
    s'il te pla[iî]t|merci|stp|svp|:\)|😀|🙏))+[.!]*$
    """,
    re.I,
)
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
NOUNS = compiled(r"""
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
HABITS = compiled(r"""
    \b(?:(?:to|on|into|en|a|sur|auf|nach) (?:main|master|prod|production)|commit messages?|force[ -]push\w*|
    migrations|generated (?:files?|code)|lock ?files?|changelog|linter|formatter|type hints?|docstrings?|comments|
    emojis?|test suite|packages|snapshots|print statements?|dependencies|secrets|pull requests|apologi\w+|
    generierte\w* (?:dateien?|code)|kommentare\w*|commit-nachrichten|abhängigkeiten|comentarios|archivos generados|
    mensajes? de commit|commentaires|fichiers générés|messages? de commit)\b
""")
# How the agent itself behaves towards the person.
CONDUCT = compiled(r"""
    \b(?:ask (?:me|first|before)|tell me|let me know|show me|answers?|repl(?:y|ies)|respon[ds]\w*|explanations?|concise|
    brief|verbose|explain\w*|apologi\w+|summar\w+|permission|approval|confirmation|asking|guess\w*|assum\w+|
    frage? (?:mich|vorher|erst)|antwort\w*|pregúntame|responde\w*|réponds|réponses?|demande-moi)\b
""")
_ENDINGS = one_line_pattern("""
    py|js|ts|tsx|jsx|mjs|go|rs|rb|ex|exs|java|kt|c|h|cpp|cs|php|swift|sh|sql|md|json|ya?ml|toml|cfg|ini|lock|txt|html|
    css|scss|vue|svelte|env|proto|tf|xml|conf
""")
# "in/on" and "and/or" are no paths: one has a root, two slashes, an ending, or a folder that projects have.
_PATH = one_line_pattern(rf"""
    (?<![\w:/.~])(?:(?:~|\.{{1,2}})?/[\w.@-]+(?:/[\w.*@-]+)*|(?:[\w.@-]+/){{2,}}[\w.*-]*|[\w.@-]+/[\w.*-]*\.\w+|
    (?:src|lib|app|tests?|docs?|config|bin|scripts?|packages|internal|cmd|pkg|vendor|public|assets|dist|build)/
    [\w.*-]*|[\w.-]+/(?=[\s.,;]|$))|\b[\w-]+\.(?:{_ENDINGS})\b
""")
PATH = re.compile(_PATH)
# In backticks, a path, a flag, an identifier, a call. Reads the text as written: case matters.
NAMED = compiled(rf"""
    `[^`\n]+`|{_PATH}|(?<!\w)--?[a-zA-Z][\w-]+
    |\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Z]{{2,}}(?:_[A-Z0-9]+)+\b
    |\b\w+\(\)
""")

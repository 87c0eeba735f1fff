"""What the screen looks for, as data: marks, the words without which none applies, and their expressions."""

from __future__ import annotations

# mark, lower-case words one of which the text must hold, expressions over the flattened text (lower case, nothing
# hidden, one space between words, line ends kept). Every gap is bounded: linear time. A lesson may say "ignore the
# rules in .eslintrc", "from now on answer in German", "act as a proxy", "<user>@host": each asks for what those lack.
_CLAUSE = r"(?:^|[.!?:;,\"'*\n] ?)"  # where a sentence or a part of one begins
_ORDERS = (
    r"(?:instructions?|prompts?|rules|directions|directives|guidelines|orders|commands|programming|constraints|"
    r"context|messages)"
)
_READER = r"(?:ai|a\.i\.|artificial intelligence|(?:large )?language model|llm|chatbot|chatgpt)"
TRIPWIRES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "overrides instructions",
        ("ignor", "disregard", "forget", "neglect", "override"),
        (
            r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|neglect) (?:[\w-]{1,12} ){0,4}?"
            r"(?:previous|previously|prior|above|earlier|preceding|your|system)(?: (?:and|or|following|given|the|"
            r"any|all|[\w-]{1,12})){0,4}? " + _ORDERS + r"\b",
            r"\b(?:ignore|disregard|forget) (?:all|any) (?:of )?(?:the |your |these |those |other "
            r")?(?:instructions|prompts|directions|guidelines)\b",
            r"\b(?:forget|ignore|disregard) (?:everything|all|anything)(?: that| which)? (?:you|i|we|was|were|"
            r"above|before|so far)\b",
            r"\boverrid(?:e|ing) (?:the )?(?:(?:all|any|your|previous|prior|system) ){1,4}(?:instructions|prompt|"
            r"programming)\b",
        ),
    ),
    (
        "overrides instructions",
        ("ignorier", "vergiss", "vergesst", "missacht"),
        (
            r"\b(?:ignorier\w*|vergiss|vergesst|missacht\w*)\b.{0,30}\b(?:vorherig\w+|bisherig\w+|obig\w+|"
            r"vorig\w+|früher\w+|deine)\b"
            r".{0,20}\b(?:anweisung\w*|regeln|instruktion\w*|befehle?|vorgaben)\b",
            r"\b(?:ignorier\w*|vergiss|vergesst) alle(?:s|n|r)? (?:anweisungen|instruktionen|was)\b",
        ),
    ),
    (
        "overrides instructions",
        ("ignor", "olvid", "omit"),
        (
            r"\b(?:ignor[ae]|olvid[ae]|omit[ae])\b.{0,30}\b(?:instrucciones|órdenes|ordenes|reglas|"
            r"indicaciones)\b.{0,15}"
            r"\b(?:anteriores|previas|de arriba)\b",
            r"\b(?:ignor[ae]|olvid[ae]) todas? (?:las |tus )(?:instrucciones|indicaciones|órdenes)\b",
        ),
    ),
    (
        "overrides instructions",
        ("ignor", "oubli", "tiens pas", "tenez pas"),
        (
            r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte)\b.{0,30}\b(?:instructions|consignes|"
            r"règles|ordres)\b.{0,15}"
            r"\b(?:précédente?s?|antérieure?s?|ci-dessus)\b",
            r"\b(?:ignore[zr]?|oublie[zr]?) toutes (?:les |tes |vos )(?:instructions|consignes)\b",
        ),
    ),
    (
        "gives a new role",
        ("you are now", "you're now", "from now on", "you will now", "henceforth", "going to"),
        (
            _CLAUSE
            + r"(?:and )?(?:you are|you're) now (?!on\b|in\b|at\b|ready|done|able|using|running|logged|free|past|back)",
            r"\byou (?:will now|are going to|are about to|have to) (?:be|act|play|pretend|simulate|immerse|become|"
            r"answer my)\b",
            r"\b(?:from now on|henceforth),? (?:you (?:are|act|play|will (?:be|act|have to|answer|respond|always "
            r"start|pretend))|act as|pretend|i want you to)\b",
        ),
    ),
    (
        "gives a new role",
        ("act ", "act_", "pretend", "role", "simulat", "character", "respond as", "behave"),
        (
            r"\b(?:act|acting|behave|respond|answer) (?:just |exactly )?(?:as|like) (?:an? |the |my )?(?:"
            + _READER
            + r"|dan\b|unrestricted|unfiltered|evil|jailbroken)",
            r"\b(?:act|behave|respond|answer) as (?:if|though) you\b",
            _CLAUSE + r"(?:please |now |and |you (?:must|will|should|can|have to) )*pretend (?:to be|that you|you)\b",
            r"\b(?:you|i want you to|must|please)\b.{0,30}\bplay the role of\b|"
            + _CLAUSE
            + r"(?:play|assume|take on) the role of (?:an? )?"
            + _READER,
            r"\brole ?-?play as\b|\b(?:stay|remain) in character\b|\bsimulate (?:an? )?(?:"
            + _READER
            + r"|dan\b|person named)",
        ),
    ),
    (
        "gives a new role",
        ("du bist", "bist du", "wirst du", "tu so", "eres", "finge", "serás", "tu es", "vous êtes", "fais semblant"),
        (
            r"\bdu bist (?:jetzt|nun|ab sofort|ab jetzt) (?:ein|eine|der|die|kein|nicht)|\bab (?:jetzt|sofort) "
            r"(?:bist|wirst) du\b|\btu so,? als (?:ob|wärst) du\b",
            r"\bahora eres\b|\ba partir de ahora,? (?:eres|serás|"
            r"actuarás)\b|" + _CLAUSE + r"finge (?:ser|que eres)\b",
            r"\b(?:tu es|vous êtes) (?:maintenant|désormais) (?:un|une|le|la)\b|\bà partir de maintenant,? (?:tu "
            r"es|vous êtes|tu seras)\b|" + _CLAUSE + r"fais semblant d",
        ),
    ),
    (
        "lifts restrictions",
        (
            "jailbr",
            "anything now",
            " mode",
            "dan",
            "restriction",
            "uncensored",
            "unfiltered",
            "unrestricted",
            "censor",
            "confines",
        ),
        (
            r"\bjailbr(?:eak|oken)\b|\bdo anything now\b|\[dan\]|\b(?:developer|dan|god|jailbreak) mode "
            r"(?:enabled|activated|output|with)\b",
            r"\b(?:without|no|free (?:of|from)|not bound by) (?:any |all |ethical |moral |content |its |the "
            r")*(?:restrictions?|censorship|filters?|ethics|moral\w*|safeguards?)\b"
            r".{0,60}\b(?:ai|language model|chatbot|answers?|say anything|persona|character)\b",
            r"\b(?:unfiltered|uncensored|unrestricted|amoral) (?:and \w+ )?(?:ai|responses?|answers?|chatbot|"
            r"language model|bot)\b",
            r"\bbroken? free (?:of|from)\b.{0,40}\b(?:ai|confines|rules)\b|\btypical confines of ai\b",
        ),
    ),
    (
        "addresses the model",
        (" ai", "llm", "language model", "chatgpt", "artificial"),
        (
            r"\b(?:you are|you're|being|as) "
            r"an? " + _READER + r"\b(?! (?:client|provider|key|service|feature|wrapper))",
            r"\b(?:attention|note|message|dear|hey|hello|instructions?),?:? (?:to |for )?(?:the |all |any |every )?"
            + _READER
            + r"s?(?: assistants?| agents?| models?| systems?)?\b",
            r"\b(?:any|all|every|the) (?:ai|llm)s? ?(?:assistants?|agents?|models?)? (?:reading|processing|that "
            r"reads?|who reads?|summari[sz]ing) this\b",
        ),
    ),
    (
        "addresses the model",
        (
            "your new",
            "your only",
            "your real",
            "your actual",
            "your true",
            "new instructions",
            "instructions for",
            "updated instructions",
        ),
        (
            r"\byour (?:new|only|real|actual|true|updated) (?:task|goal|objective|instructions?|mission|purpose|"
            r"job|role) (?:is|are|will)\b",
            _CLAUSE + r"(?:new|updated|real|actual) (?:system )?instructions?:",
            r"\binstructions? for (?:the |an? )?(?:assistant|reader|agent reading)\b",
        ),
    ),
    (
        "addresses the model",
        ("say ", "respond", "reply", "repeat after", "begin your", "start your", "answer my", "stop everything"),
        (
            r"(?:" + _CLAUSE + r"|\band |\byou (?:must|will|should) )(?:just|simply|only|instead) say:? ?[\"'“]",
            r"(?:"
            + _CLAUSE
            + r"|\band |\byou (?:must|will|should) )(?:respond|reply|answer) (?:only |exactly |just )+with\b",
            r"\brepeat after me\b|\b(?:start|begin) (?:your|every|each|all your) (?:answer|response|reply|"
            r"sentence)s? with\b",
            r"\banswer my (?:prompts|questions)\b",
            r"\bstop everything\b[ !.,]{0,6}(?:now|just|and (?:say|print|write))\b",
        ),
    ),
    (
        "asks for the prompt",
        ("prompt", "your instructions"),
        (
            r"\b(?:reveal|leak|repeat|print|show|output|tell|give|send|share|write)\b.{0,30}\byour (?:full |exact "
            r"|own |system |initial |hidden |original )*(?:prompts?|instructions)\b",
            r"\b(?:reveal|leak|repeat|exfiltrate)\b.{0,20}\b(?:the )?(?:full |hidden |secret )?system prompt\b",
        ),
    ),
    (
        "keeps something from the user",
        ("user", "anyone", "anybody", "human", "developer", "owner", "nobody", "no one"),
        (
            r"\b(?:do not|don't|dont|never|must not|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|"
            r"let(?:ting)?)(?: (?:this|it|about))? (?:to )?(?:the |your |any )?"
            r"(?:users?|anyone|anybody|humans?|developers?|owner|operator)\b(?! (?:to|run|which|whether|how|when|"
            r"if|where|twice))(?!.{0,100}\b(?:until|before|unless))",
            r"\b(?:do not|don't|dont|never|without) (?:ever )?(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|"
            r"show(?:ing)?|report(?:ing)?) (?:this|it|that|anything|any of this|these instructions)(?: fact| "
            r"message)?"
            r" to (?:the |your )?(?:users?|anyone|anybody|humans?|developers?|owner)\b",
            r"\b(?:hide|conceal|keep) (?:this|it|that|everything|the (?:change|action|fact|"
            r"instruction)s?)\b.{0,30}\bfrom (?:the |your )?(?:user|human|developer|owner|reviewer|everyone)s?\b",
            r"\bso (?:that )?(?:the user|nobody|no one|the human|the developer) (?:does not|doesn't|won't|will "
            r"not|will|cannot|can't) (?:notice|suspect|find out|know|realize)\b",
        ),
    ),
    (
        "keeps something from the user",
        ("nutzer", "anwender", "usuari", "utilisat"),
        (
            r"\b(?:sag|sage|sagt|erzähl\w*|verrat\w*)\b.{0,20}\b(?:be)?nutzer(?:in)?\b.{0,20}\b(?:nichts|nicht|"
            r"kein\w*)\b|\bohne (?:es )?(?:den |die |dem |der )?(?:be)?nutzer(?:in)?\b.{0,25}\bzu (?:informieren|"
            r"sagen)\b",
            r"\bno (?:se lo |le |lo )?(?:digas|cuentes|menciones|informes|reveles)\b.{0,30}\busuari[oa]\b|\bsin "
            r"(?:decírselo|avisar|informar) al? (?:la )?usuari[oa]\b",
            r"\bne (?:le |lui |rien )?(?:dis|dites|mentionne|mentionnez|révèle|révélez|informe|"
            r"informez)\b.{0,30}\butilisat(?:eur|rice)\b|\bsans (?:le dire à|prévenir|informer|avertir) "
            r"l'utilisat(?:eur|rice)\b",
        ),
    ),
    (
        "carries data away",
        (
            "send",
            "mail",
            "upload",
            "forward",
            "transmit",
            "exfiltrat",
            "share",
            "leak",
            "sende",
            "schick",
            "envía",
            "envoie",
        ),
        (
            r"\b(?:send|e-?mail|upload|forward|transmit|exfiltrate|share|leak|sende|schicke?|envía|"
            r"envoie)\b.{0,80}\b(?:contents? of|bod(?:y|ies) of|(?:all|received|every|unread|sent) (?:\w+ )?"
            r"(?:messages|e-?mails|files)|secrets?|credentials?|passwords?|api keys?|tokens|ssh keys?|private "
            r"keys?|environment variables|\.env|conversation|chat history|cookies|security code|passwörter|"
            r"zugangsdaten|"
            r"contraseñas|credenciales|mots de passe|identifiants)\b.{0,120}?\b(?:to|an|a|à) '?(?:https?:|ftp:|"
            r"[\w.+-]+@[\w-]|\{|me at|my (?:new )?(?:e-?mail|server|address)|the (?:following|attacker)|this "
            r"(?:url|address|e-?mail|server))",
            r"\bexfiltrate\b",
        ),
    ),
    (
        "carries data away",
        ("curl", "wget", "| nc", "|nc"),
        (
            r"\b(?:curl|wget)\b(?=[^|\n]{0,400}\$)[^|\n]{0,200}https?://[^|\n]{0,200}\$\(? ?(?:cat|env|printenv)\b",
            r"\b(?:curl|wget)\b[^|\n]{0,120} (?:-d|--data\S{0,10}|-f|-t|--upload-file|--post-file)[ "
            r"=]?[\"']?(?:\w{1,20}=)?@?(?:~|/|\.)[\w./-]*(?:\.env|id_rsa|id_ed25519|credentials|\.ssh|\.aws|"
            r"passwd|shadow|\.netrc)",
            r"\b(?:cat|printenv|env)\b[^\n]{0,80}\| ?(?:curl|nc|wget)\b",
        ),
    ),
    (
        "moves money",
        ("transfer", "send", "wire", "payment", "money"),
        (
            r"\b(?:transfer|send|wire)\b.{0,40}(?:\$ ?\d|\bmoney\b|\bfunds\b|\ba transaction\b|"
            r"\bbitcoins?\b).{0,80}\bto (?:the |my |this |an? )?(?:account|iban|wallet|\{|[a-z]{2}\d\d)",
            r"\brecipient of (?:an?|the|every|all) (?:recurring |scheduled )?payments?\b.{0,40}\bto\b|\bas much "
            r"money as possible\b",
        ),
    ),
    (
        "asks for personal data",
        ("passport", "credit card", "bank account", "social security"),
        (
            r"\b(?:tell|give|send) (?:me|us|them)\b.{0,80}\b(?:passport|credit card|bank account|social security) "
            r"(?:number|details)\b",
        ),
    ),
    (
        "pipes into a shell",
        ("curl", "wget", "iwr", "irm", "invoke-", "iex", "base64", "eval"),
        (
            r"\b(?:curl|wget|fetch)\b[^|\n]{0,300}\| ?(?:sudo (?:-\w+ )?)?(?:/bin/|/usr/bin/)?(?:env )?(?:ba|z|da|"
            r"k)?sh\b",
            r"\b(?:curl|wget)\b[^|\n]{0,300}\| ?(?:sudo )?(?:python3?|perl|ruby|node)(?: -)?(?=\s*$|[`\"';.,)\n])",
            r"\b(?:ba|z|da)?sh (?:-c )?[\"']?(?:<\(|\$\() ?(?:curl|wget)|\beval [\"']?\$\( ?(?:curl|wget)|"
            r"\bsource <\( ?(?:curl|wget)",
            r"\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^|\n]{0,200}\| ?(?:iex|invoke-expression)\b|"
            r"\biex ?\(",
            r"\bbase64 (?:-d|--decode|-di?)[^|\n]{0,60}\| ?(?:ba|z)?sh\b|\bpowershell\b.{0,40} -e(?:nc|"
            r"ncodedcommand)? [a-z0-9+/=]{16,}",
        ),
    ),
    (
        "destroys",
        ("rm -", "mkfs", ":(){", "of=/dev"),
        (
            r"(?<!never )(?<!never run )(?<!not run )(?<!n't run )(?<!avoid )(?<!never run `)(?<!not run "
            r"`)(?<!n't run `)(?<!never `)(?<!avoid `)"
            r"\brm -(?:rf|fr|r -f|f -r) (?:--no-preserve-root )?(?:/|~|\$home)/?\*?(?=\s|$|[.;,\"'`])",
            r":\(\) ?\{ ?:\|:|\bmkfs\.\w+ /dev/|\bdd if=\S{1,100} of=/dev/[shn]",
        ),
    ),
    (
        "chat markup",
        ("<|", "[inst", "[/inst", "<<sys", "system", "assistant", "human", "###"),
        (
            r"<\|[\w ]{2,30}\|>|\[/?inst\]|<</?sys>>|</?(?:system-reminder|system_prompt|system-prompt)\b",
            r"(?<![\w#./-])<(?:system|assistant|human)>(?= ?\n?\w{2,} )|</(?:system|assistant|human)>",
            r"(?:^|\n)(?:#{1,4} ?)?(?:\*\*)?(?:system|assistant|human|system prompt|system message)(?:\*\*)? "
            r"?:(?!:)(?:\*\*)?(?= |\n|$)",
            r"(?:^|\n)#{2,4} ?(?:instruction|response|system|human|assistant)s?:",
            r"\b(?:begin|end|start) (?:of )?(?:system|hidden|secret) (?:prompt|message|instructions?)\b",
        ),
    ),
    (
        "tool markup",
        ("function_", "invoke", "tool_", "parameter", "antml", "<function="),
        (
            r"</?(?:antml:)?(?:function_calls|function_results|tool_call|tool_calls|tool_use|tool_result|"
            r"tool_code|tool_response)\b[^<>]{0,120}>",
            r"<(?:antml:)?(?:invoke|parameter) name ?=|</(?:antml:)?(?:invoke|parameter)>|<function=",
            r"\"tool_calls\" ?: ?\[ ?\{|\{ ?\"type\" ?: ?\"tool_(?:use|result)\" ?,",
        ),
    ),
    ("our fence", ("tacit",), (r"< ?/? ?tacit[- ]notes",)),
    # Our own notes say "(seen 41x, user)" and "- [7k3q9m2x0hd1]"; a text that says so itself puts words into our mouth.
    ("our marks", ("seen ",), (r"[(\[] ?seen \d{1,7} ?x\b",)),
    ("our marks", ("- [",), (r"(?:^|[\s.,;:)])- \[[0-9a-hjkmnp-tv-z]{12}\] ",)),
    (
        "html",
        (
            "<script",
            "</script",
            "<iframe",
            "<img",
            "<object",
            "<embed",
            "<svg",
            "javascript:",
            "<!--",
            "onerror",
            "onload",
            "http-equiv",
            "data:text",
        ),
        (
            r"<script\b[^<>]{0,200}\bsrc ?=|<script\b[^<>]{0,200}>[^<>`]{1,2000}</script|</script>",
            r"<(?:iframe|object|embed)\b[^<>]{0,200}\b(?:src|data) ?=|<img\b[^<>]{0,200}(?:\bsrc ?= "
            r"?[\"']?(?:https?:|//|data:)|\bonerror ?=)|<svg\b[^<>]{0,200}\bon\w+ ?=",
            r"\bon(?:error|load|click|mouseover) ?= ?[\"']?[\w.]+\(|\bjavascript:\w+[(.]|data:text/html|"
            r"\bhttp-equiv ?= ?[\"']?refresh",
            r"<!--(?!.{0,30}-->)",
        ),
    ),
    ("remote image", ("](",), (r"!\[[^\]\n]{0,200}\]\( ?<?(?:https?:|//|data:)",)),
)

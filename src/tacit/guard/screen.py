"""The tripwire in front of every later prompt, and the way a lesson is put on one line.

A lesson is read by a model as part of its next task, so a text that addresses that model is not a lesson but an attempt
on it. `screen` looks for such texts: orders to forget orders, new roles, markup of chats and tools, requests to keep
something from the user or to carry data away, characters that do not show. It is a tripwire and nothing more: whoever
knows it can step over it, and the wall is provenance (design §7). What it finds is quarantined and shown, never lost.

Lessons give orders too ("Run `make migrate` before the tests", "Never commit .env"). The difference is the addressee:
a lesson speaks of the work, an attack of the reader, its instructions, its user, its secrets.

`plain_line` makes sure that whatever got through stays on its line: it can neither end the fence around the notes nor
open one of its own.
"""

from __future__ import annotations

import re

from tacit.core.value import value

LONGEST = 4_000  # characters; the longest of 700 lessons that others collected has 712
BLOB = 400  # characters without a space: no word is that long, an encoded message is

# Characters that do not show, or change how others show. Zero-width joiners also build emoji and some scripts' letters,
# so those are judged by their neighbours.
JOINERS = "\u200c\u200d"
_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f"
HIDDEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)

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


@value
class Screening:
    """What the tripwire says of one text; `marks` name every wire that was touched."""

    clean: bool
    reason: str
    marks: tuple[str, ...]


def screen(text: str) -> Screening:
    """Whether a text may go on as a lesson, or has to wait for a person because it seems meant for the reader."""
    marks: dict[str, str] = {}  # mark -> what it was seen in, first of each
    if "\x1b" in text or "\x9b" in text:
        marks["terminal escapes"] = "a sequence that controls the terminal"
    # What is longer than a lesson waits for that alone; of it the beginning is read.
    if hidden := _hidden(text[: 2 * LONGEST]):
        marks["hidden characters"] = hidden
    if len(text) > LONGEST:
        marks["too long"] = f"{len(text)} characters"
    elif any(len(run) > BLOB for run in text.split()):
        marks["encoded text"] = f"more than {BLOB} characters without a space"
    flat = _flat(text[: 2 * LONGEST])
    if _compiled(r"(?:\b[^\W\d_] ){11}").search(flat):
        marks["letters apart"] = "words spelled with spaces between the letters"
    for mark, hints, expressions in TRIPWIRES:
        if mark not in marks and any(hint in flat for hint in hints):
            found = _compiled("|".join(expressions)).search(flat)
            if found:
                marks[mark] = plain_line(found[0].strip(" .,:;!?\"'"), 60)
    if not marks:
        return Screening(True, "nothing in it addresses the reader", ())
    reason = "; ".join(f"{mark}: {seen}" for mark, seen in list(marks.items())[:3])
    return Screening(False, reason, tuple(marks))


def screened(text: str, *facets: str) -> Screening:
    """The same for a lesson with its title, names, paths and tags: they are printed beside its text, or instead of it."""
    found = screen(text)
    others = "\n".join(facet for facet in facets if facet and not facet.isalnum())
    if not found.clean or not others:
        return found
    beside = screen(others[: 2 * LONGEST])
    marks = tuple(mark for mark in beside.marks if mark not in ("too long", "encoded text"))
    return Screening(False, f"beside the text: {beside.reason}", marks) if marks else found


def _flat(text: str) -> str:
    """Lower case in one alphabet, with nothing hidden and one space between words: by lines, then on a single one."""
    from unicodedata import normalize

    shown = _compiled(f"{HIDDEN}|[{JOINERS}]").sub("", text)
    shown = normalize("NFKC", shown).lower().replace("’", "'").replace("‘", "'")
    # Line by line: an expression that looks for white space around a line's end reads a megabyte of spaces from every one of them.
    lines = "\n".join(filter(None, (" ".join(line.split()) for line in _compiled(r"[\n\r\u2028\u2029\u0085]").split(shown))))
    return f"{lines}\n{lines.replace(chr(10), ' ')}" if "\n" in lines else lines


def _hidden(text: str) -> str:
    """What is hidden in a text, in words; empty if nothing is, or only what writing needs."""
    if text.isascii():
        control = _compiled(f"[{_CONTROLS}]").search(text)
        return f"control character U+{ord(control[0]):04X}" if control else ""
    if not _compiled(f"{HIDDEN}|[{JOINERS}]|[{_CONTROLS}]").search(text):
        return ""
    # A flag emoji carries tags, an emoji its variation and joiners, a word of some scripts a joiner.
    text = _compiled("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f").sub("", text)
    text = _compiled("(?<=[^\x00-\x7f]|[0-9#*])[\ufe0e\ufe0f](?![\ufe00-\ufe0f])").sub("", text)
    text = _compiled(f"(?<=[^\x00-\x7f])[{JOINERS}](?=[^\x00-\x7f])").sub("", text).removeprefix("\ufeff")
    found = _compiled(f"{HIDDEN}|[{JOINERS}]|[{_CONTROLS}]").search(text)
    if found is None or (found[0] == "\u00ad" and text.count("\u00ad") < 3):  # one or two come with copied web pages
        return ""
    return f"character U+{ord(found[0]):04X} that does not show"


# ---- one line


# Tags that mean something to a model or its host: ours, chats', tools'. Their bracket is replaced by one that does not.
_TAGS = (
    r"<+(?=<)|<(?=\s?/?\s?(?:tacit|system|assistant|user\b|human|developer|function|invoke|tool|antml|parameter|important|"
    r"instruction|script|iframe|img\b)|!--|\||/?sys>>)"
)


# What our own notes say of a lesson: its id, how often it was seen, and on whose word. No text may say that of itself.
_MARKS = (
    r"\[(?=[0-9a-hjkmnp-tv-z]{12}\])"
    r"|[(\[](?=\s?(?:seen \d{1,7} ?x\b|(?:user|team|review|observed|agent|quoted|imported)(?:\s?\)|, )))"
)


def plain_line(text: str, limit: int = 600) -> str:
    """The text as one line of at most `limit` characters that can leave its line in no way.

    Line breaks become spaces; escapes and characters that do not show are dropped; headings, list and quote marks at
    the start, fences anywhere, and the brackets of our own and other tags and marks are made harmless. Twice is the
    same as once.
    """
    if limit <= 0:
        return ""
    cut = len(text) > 20 * limit
    if cut:
        text = text[: 20 * limit]
    if not (text.isascii() and text.isprintable()):
        text = _visible(text)
    text = " ".join(text.split())  # first: a tag that two line breaks tore apart must be seen whole
    if "``" in text or "~~" in text:
        text = _compiled(r"`{3,}").sub("'''", _compiled(r"~{3,}").sub("~", text))
    if "<" in text:
        text = _compiled(_TAGS, re.I).sub(lambda tag: "‹" * len(tag[0]), text)
    if "![" in text:
        text = text.replace("![", "! [")
    if "[" in text or "(" in text:
        text = _compiled(_MARKS, re.I).sub("‹", text)
    if text[:1] and text[0] in "#>-*+=_|0123456789":  # all of them in one pass: a text may be nothing else
        opened = r"(?:(?:#{1,6}(?=\s|$)|>+|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\|(?=\s|$))\s?)*(?:(?:[-*_=|+]\s?){3,}$)?"
        head = _compiled(opened).match(text)
        text = text[head.end() :] if head else text
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    elif cut and text:
        text = text[: limit - 1].rstrip().removesuffix("…") + "…"
    return text


def _visible(text: str) -> str:
    """The text without escapes and hidden characters, every kind of white space a plain space."""
    if "\x1b" in text or "\x9b" in text:
        escapes = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
        text = _compiled(escapes).sub("", text)
    text = _compiled(HIDDEN).sub("", text)
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


_cache: dict[tuple[str, int], re.Pattern[str]] = {}


def _compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """An expression, compiled when it is first needed."""
    found = _cache.get((expression, flags))
    if found is None:
        found = _cache[expression, flags] = re.compile(expression, flags)
    return found

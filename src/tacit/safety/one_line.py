"""The way a lesson is put on one line: whatever it holds, it can neither end the fence around the notes nor open one of its own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Characters that do not show, or change how others show. Zero-width joiners also build emoji and some scripts' letters,
# so those are judged by their neighbours.
JOINERS = "\u200c\u200d"
CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f"
HIDDEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ue000-\uf8ff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)

# Tags that mean something to a model or its host: ours, chats', tools'. Their bracket is replaced by one that does not.
_TAGS = (
    r"<+(?=<)|<(?=\s?/?\s?(?:tacit|system|assistant|user\b|human|developer|function|invoke|tool|antml|parameter|important|"
    r"instruction|script|iframe|img\b)|!--|\||/?sys>>)"
)


# What our own notes say of a lesson: its id, how often it was seen, and on whose word. No text may say that of itself.
_WORD_OF = ("user", "team", "review", "observed", "agent", "quoted", "imported")
_MARKS = (
    r"\[(?=[0-9a-hjkmnp-tv-z]{12}\])"
    rf"|[(\[](?=\s?(?:seen \d{{1,7}} ?x\b|(?:{'|'.join(_WORD_OF)})(?:\s?\)|, )))"
)


def plain_line(text: str, limit: int = 600) -> str:
    """The text as one line of at most `limit` characters that can leave its line in no way."""
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
        text = _compiled(_TAGS).sub(lambda tag: "‹" * len(tag[0]), text)
    if "![" in text:
        text = text.replace("![", "! [")
    if "[" in text or ("(" in text and _may_be_marked(text)):
        text = _compiled(_MARKS).sub("‹", text)
    # all of them in one pass: a text may be nothing else
    if text[:1] and text[0] in "#>-*+=_|0123456789":
        opened = r"(?:(?:#{1,6}(?=\s|$)|>+|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\|(?=\s|$))\s?)*(?:(?:[-*_=|+]\s?){3,}$)?"
        head = _compiled(opened).match(text)
        text = text[head.end() :] if head else text
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    elif cut and text:
        text = text[: limit - 1].rstrip().removesuffix("…") + "…"
    return text


def named_hidden(text: str, spelled: str = "⟨U+{:04X}⟩") -> str:
    """The text with each character that does not show, or changes how others show, as its number. An emoji keeps its form."""
    if text.isascii():
        return text
    unseen = _compiled(f"(?![\ufe0e\ufe0f])(?:{HIDDEN}|[\x80-\x9f])")
    return unseen.sub(lambda found: spelled.format(ord(found[0])), text)


def _may_be_marked(text: str) -> bool:
    """Whether one of our marks may stand in round brackets; most lessons have brackets and no mark, and the pattern is dear to compile."""
    low = text.lower().replace("( ", "(")
    return not text.isascii() or any(f"({word}" in low for word in ("seen ", *_WORD_OF))


def _visible(text: str) -> str:
    """The text without escapes and hidden characters, every kind of white space a plain space."""
    if "\x1b" in text or "\x9b" in text:
        escapes = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
        text = _compiled(escapes).sub("", text)
    text = _compiled(HIDDEN).sub("", text)
    return "".join(c if c.isprintable() else " " if c.isspace() else "" for c in text)


def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, whatever the case; its module is loaded here, for most lessons are plain and a hook tells them without it."""
    import re

    return re.compile(pattern, re.I)

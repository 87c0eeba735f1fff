"""Secrets that a sentence gives away: "the password … is x", "use token x", "x is the password", in four languages."""

from __future__ import annotations

from tacit.guard.expressions import compiled
from tacit.guard.judge import is_digest, is_term, mixed, stand_in, worth_hiding
from tacit.guard.values import value_at

NEAR = 160  # how far from a word its value may stand in prose, in characters
WORDS_BETWEEN = 12  # and in words
TURNS = frozenset("is was as for ist war als für es era como para est était comme pour".split())


def value_in_sentence(text: str, low: str, start: int, end: int, strength: int, word: str) -> tuple[int, int, bool]:
    """The value a sentence gives for a word: "the password … is x", "use token x", "x is the password"."""
    from tacit.guard.redact_rules import FILLERS, LINKS, SIGNS, USING

    linked = False
    tried = 0  # candidates since the link; "the credentials are ci / x" needs more than one
    patience = 3 if word.startswith("cred") else 0
    position = end
    for count, match in enumerate(compiled(r"\S+").finditer(text, end, end + NEAR)):
        gap = text[position : match.start()]
        if count >= WORDS_BETWEEN or gap.count("\n") > 1 or ("\n" in gap and not (linked and tried == 0)):
            break
        raw, position = match[0], match.end()
        plain = raw.lower().strip("\"'`“”«»(),")
        if raw in SIGNS and count > 2:
            break
        if plain in LINKS or raw in (":", "'s", "’s"):
            linked, tried = True, 0
            continue
        if linked and tried < 3 and plain in FILLERS:
            continue
        if linked or count == 0:
            bare = raw.strip(".,:;!?")
            if not (bare.isalpha() and (bare.islower() or bare.istitle() or bare.isupper())):
                before = low[max(0, start - 30) : start].split()[-3:]
                form = "linked" if linked else "using" if not USING.isdisjoint(before) else "next"
                begin, stop, hide = _candidate(text, match.start(), strength, form)
                if hide:
                    return begin, stop, True
            tried += 1
            if tried > patience:
                linked, tried = False, 0
        if raw.endswith(":"):
            linked, tried = True, 0
        elif raw.endswith((".", "!", "?", ";")) or compiled(r"[\\={}<>|\[\]]").search(raw):
            break
    return _told_before(text, start, strength)


def _told_before(text: str, start: int, strength: int) -> tuple[int, int, bool]:
    """The value of "x is the password", "use x as the token"."""
    if TURNS.isdisjoint(text[max(0, start - 80) : start].split()[-4:]):  # asked first: the expression is dear
        return start, start, False
    turned = compiled(
        rf"\\?[\"'`(\[]{{0,2}}(\S{{4,200}})\s(?:{'|'.join(sorted(TURNS))})\s"
        r"(?:(?:the|my|our|your|its|their|a|das|der|die|den|dem|mein|meine|unser|la|el|le|mi|mon|ma|notre|nuestra)\s)?"
        r"(?:[\w-]{1,20}\s){0,2}$"
    ).search(text, max(0, start - NEAR), start)
    if turned is None or is_digest(turned[1].strip("`'\"")):
        return start, start, False
    begin = turned.start(1)
    opened = text[begin - 1 : begin] if begin else ""
    return _candidate(text, begin - (opened in ("'", '"', "`") and turned[1].endswith(opened)), strength, "next")


def _candidate(text: str, start: int, strength: int, form: str) -> tuple[int, int, bool]:
    """One word of a sentence as a secret: freed of quotes and punctuation, and judged."""
    from tacit.guard.redact_rules import UNITS

    begin, stop, quoted = value_at(text, start)
    if not quoted:
        opened = compiled(r"[(\[{*“«\"'`]{0,3}").match(text, start)
        begin, stop, quoted = value_at(text, opened.end() if opened else start)
    content = text[begin:stop] if quoted else text[begin:stop].partition(",")[0]
    if not content or "\n" in content or "://" in content or compiled(r"[A-Za-z_]+=").match(content):
        return begin, stop, False
    if text[stop : stop + 1] in ("!", "?"):  # as likely part of the password as of the sentence
        stop += 1
    if not quoted and strength == 2 and ("/" in content or ":" in content):
        pair = compiled(r"[a-z][a-z.@_-]{1,30}\d{0,3}[:/]([^\s/:]{6,24})").fullmatch(content)  # admin:hunter2
        if pair and mixed(pair[1]) and not is_term(pair[1]) and not stand_in(pair[1]):
            return begin + pair.start(1), stop, True
    if not quoted and content.isdigit():
        unit = compiled(r"\W{1,3}(\w+)").match(text, stop)
        if unit and unit[1].lower() in UNITS:
            return begin, stop, False
    if quoted:  # quotes say: this is the value itself
        form = "ticked" if form != "linked" else "quoted" if strength == 3 else form
    return begin, stop, worth_hiding(content, strength, form)

"""Secrets that something names: `NAME=value`, a key of JSON, a flag, and what stands beside or below a line about logging in."""

from __future__ import annotations

import re

from tacit.safety import redact_values as judge
from tacit.safety.expressions import LONGEST_VALUE, compiled, value_at
from tacit.safety.redact_names import is_a_word, is_prose, name_around, says, words_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.safety.expressions import Span

# that are read for a value: so many, and one more for so many characters
SENTENCES, PER_SENTENCE = (200, 400)
# characters around a name that decide about it; such places that are remembered
AROUND, MOST_NAMES_JUDGED = (240, 400)
MOST_NEW = 2_000  # names that are looked up among those
# headings of columns, rows below one, characters of a row
MOST_HEADS, MOST_ROWS, LONGEST_ROW = (50, 30, 400)


def named_values(text: str, low: str) -> Iterator[Span]:
    """Values introduced by a name or by a sentence."""
    if not (words := words_for(low)):
        return
    at = 0  # up to here the text has been judged
    same = 0  # up to here the name goes that was judged last: a second word in it asks the same
    # a name with what stands around it -> where its value lies from its start, and what it is
    judged: dict[tuple[str, str, int], tuple[int, int, str]] = {}
    new = 0  # names that were judged; where nothing comes again, remembering is in vain
    # reading sentences is slow, and a text of nothing but "token:" has none
    patience = SENTENCES + len(text) // PER_SENTENCE
    for word in compiled(words).finditer(low):
        if word.start() < at or word.end() <= same:
            continue
        name = name_around(text, word.start(), word.end())
        if name is None:
            continue
        start, end = name
        same = end
        if new < MOST_NEW:
            # auth.password is not its auth
            around = text[max(0, start - AROUND) : start], text[start : end + AROUND], end - start
        known = judged.get(around) if new < MOST_NEW else None
        # what repeats itself is judged once: a megabyte of "token:" is one question
        if known is not None:
            begin, stop, kind = start + known[0], start + known[1], known[2]
            if kind:
                yield begin, stop, kind
                at = stop
            continue
        new += 1
        strength, kind = says(
            text[start:end], low[max(0, start - 48) : start], is_a_word(text, start, end)
        )
        if not strength:
            continue
        begin, stop, hide = assigned(text, start, end, strength)
        if not hide and patience and is_prose(text, start, end):
            patience -= 1
            begin, stop, hide = value_in_sentence(text, low, start, end, strength, word[0])
        if hide:
            yield begin, stop, kind
        if new < MOST_NAMES_JUDGED and stop - end < AROUND // 2 and (not hide or begin >= end):
            judged[around] = (begin - start, stop - start, kind if hide else "")
        if begin >= end and (hide or stop - begin > judge.LONG):
            at = stop


def assigned(text: str, start: int, end: int, strength: int) -> tuple[int, int, bool]:
    """The value of `name = value`, `"name": "value"`, `--name value`, `name", value="…"`, and whether to hide it."""
    after = text[end : end + 1]
    if (
        after == " "
        and text[end + 1 : end + 2].isalnum()
        and text[start] != "-"
        and not text.startswith(("value", "content"), end + 1)
    ):
        # a word follows, as in any sentence: no sign is looked for
        return _beside(text, start, end, strength)
    typed = after in "?: \t" and compiled(
        r"\??[ \t]{0,3}:[ \t]{0,3}[A-Za-z_][\w.\[\]|, ]{0,40}=[ \t]{0,3}(?=[\"'`])"
    ).match(text, end)
    spelled = compiled(
        r"\\{0,3}[\"'`\])]{0,3}[ \t]{0,8}(?:(:=|=>|={1,3}|->|::?|：|%3[Dd])[ \t]{0,8}(?:\\\r?\n[ \t]{0,40})?|(,)[ \t]{0,4}(?=\\?[\"'`])|"
        r"(?:[,>]|\s)?\s{0,20}\\?[\"']?(value|content)\\?[\"']?\s{0,4}[:=]\s{0,4})"
    ).match(text, end)
    if text[start - 2 : start] == "//":  # the user of a URL
        return end, end, False
    if typed:
        at, sign = typed.end(), "="
    elif spelled:
        at, sign = spelled.end(), spelled[1] or spelled[2] or spelled[3]
    elif text[start : start + 2] == "--" and text[end : end + 1] == " ":
        at, sign = end + 1, "--"
    else:
        return _beside(text, start, end, strength)
    # YAML: the value on a line of its own
    if sign == ":" and text[at : at + 1] in ("\n", "\r", "|", ">"):
        wrapped = compiled(r"(?:[|>][+-]?)?[\n\r]\s{0,40}(?![\w.\"'-]{1,60}:(?:\s|$)|- )").match(
            text, at
        )
        at = wrapped.end() if wrapped else at
    begin, stop, quoted = value_at(text, at)
    alone = _opens_line(text, start)
    tight = sign.startswith("=") and text[at - 1 : at] == "="
    if quoted:
        form = "listed" if sign == "," else "quoted"
    elif (
        alone and tight
    ):  # a line of a shell or .env file; quotes and brackets inside are part of the value
        if text[stop : stop + 1] in tuple("<>`\"'”»"):
            run = compiled(r"(?:(?!\\[\"'])\S)*").match(text, stop, stop + LONGEST_VALUE)
            stop = run.end() if run else stop
        form = "literal"
    elif sign == "--" or (
        tight and not compiled(r"[(,]\s?$").search(text, max(0, start - 2), start)
    ):
        form = "literal"  # ?token=x, --password x, but not f(password=x)
    elif alone and compiled(r"[ \t]{0,20}(?:#.*)?$", re.M).match(text, stop):
        form = "literal"  # a line of a configuration file
    else:
        form = "loose"
    if text[start:end].lower() == "pass" and (
        (sign == ":" and text[at - 1 : at] == " ") or text[begin:stop].isdigit()
    ):
        return begin, stop, False  # a test's result: "PASS: test_2", "pass=120"
    return begin, stop, judge.worth_hiding(text[begin:stop], strength, form)


def _beside(text: str, start: int, end: int, strength: int) -> tuple[int, int, bool]:
    """The value of a command's `NAME value`, `NAME --flag value`, `NAME user value`, where the name is an identifier and the value plainly random."""
    name = text[start:end]
    identifier = not (name.islower() and name.isalpha()) and (
        name.isupper() or compiled(r"_|[a-z][A-Z]").search(name)
    )
    if strength < 2 or not (identifier or _is_glued(name)):
        return end, end, False
    gap = compiled(
        r"(?:\\{0,3}[\"'])?[ \t]{1,3}(?:--?[a-z][\w-]{0,30}[ =]|[a-z][a-z.-]{0,20}[ \t])?(?=\\{0,3}[\"']?[^\s\"'`<>|;&\\-])"
    ).match(text, end)
    if gap is None:
        return end, end, False
    begin, stop, _ = value_at(text, gap.end())
    content = text[begin:stop]
    if (
        judge.stand_in(content or "-")
        or judge.is_code(content, "loose")
        or judge.is_digest(content)
        or judge.is_term(content)
        or "_" in content
    ):
        return begin, stop, False
    least = 8 if strength == 3 else 16
    signs = (
        strength == 3
        and judge.mixed(content)
        and any(c.isdigit() for c in content)
        and not content.isalnum()
    )
    return (
        begin,
        stop,
        len(content) >= least
        and (
            signs
            or (
                judge.dense(content)
                and judge.classes(content) >= 2
                and judge.is_random(content, 3.0)
            )
        ),
    )


def _is_glued(name: str) -> bool:
    """bindpw, rootpw: an old abbreviation at the end of one word."""
    return name.lower().endswith(("pw", "pwd", "pass")) and name.isalpha()


def _opens_line(text: str, start: int) -> bool:
    """Whether a name opens its line, save for indentation, a diff mark or `export`."""
    line = text[max(0, start - 40) : start].rpartition("\n")[2]
    return compiled(r"[ \t+>\"'-]*(?:export |set |ENV |- )?[\"']?").fullmatch(line) is not None


def nearby(text: str, low: str) -> Iterator[Span]:
    """A word that nobody would write, in or below a line about logging in: `-u app,x`, `app/x@host`, a row under `name,api_key`."""
    from tacit.safety.redact_rules import LOGIN_HINTS

    hinted = any(
        hint in low
        for hint in (
            "key",
            "secret",
            "pass",
            "cred",
            "log",
            "sign",
            "auth",
            "ftp",
            "user",
            "connect(",
            "sudo",
            "-u ",
            "-p ",
        )
    )
    if "@" not in text and not (hinted and compiled(LOGIN_HINTS).search(low)):
        return
    for match in compiled(r"(?<![\w+.%#-])[A-Za-z0-9!#%+]{12,64}(?![\w+/=%.-])").finditer(text):
        word, start = match[0], match.start()
        if (
            all(c.isalpha() for c in word)
            or judge.classes(word) < 3
            or judge.chop(word) > 2.8
            or not judge.is_random(word, 3.0)
            or judge.stand_in(word)
        ):
            continue
        before = text[start - 1 : start]
        # its line up to there, the line above, and what follows
        near = (
            "\n".join(low[max(0, start - AROUND) : start].split("\n")[-2:])
            + low[start : match.end() + 80]
        )
        at_host = (
            before in ("/", ":", ",")
            and compiled(r"@[\w-]+\.?[\w.-]*").match(text, match.end()) is not None
        )
        if at_host or (before != "/" and compiled(LOGIN_HINTS).search(near)):
            yield *match.span(), "credential"


def columns(text: str, low: str) -> Iterator[Span]:
    """The cells below a heading that names a password, a token or a secret, where they look the part."""
    # nothing is compiled for a sentence
    if "\n" not in text or not any(cell in low for cell in _headings()):
        return
    head = compiled(
        r"(?m)^[^\n]{0,200}?(?:(?<=[|,;\t])|^)[ \t]{0,4}(?:[a-z]{1,16}[ _-]){0,2}(?:pass(?:word|wd|phrase)?|pwd|token|secret)[ \t]{0,4}(?=[|,;\t\n])[^\n]{0,200}$"
    )
    for count, found in enumerate(head.finditer(low)):
        if count == MOST_HEADS:
            return
        mark = next((each for each in "|\t;," if each in found[0]), "")
        names = [cell.strip() for cell in found[0].split(mark)] if mark else []
        wanted = {
            n: said
            for n, cell in enumerate(names)
            if cell.replace("_", "").replace(" ", "").replace("-", "").isalpha()
            and (said := says(cell)[0]) >= 2
        }
        at = found.end() + 1
        for _ in range(MOST_ROWS if wanted else 0):
            end = text.find("\n", at, at + LONGEST_ROW)
            row = text[at : end if end >= 0 else at + LONGEST_ROW]
            cells = row.split(mark)
            if len(cells) != len(names):
                break
            for n, strength in wanted.items():
                value = cells[n].strip().strip("`\"'")
                begin = at + sum(len(cell) + 1 for cell in cells[:n]) + cells[n].find(value)
                if value and judge.worth_hiding(value, strength, "using"):
                    yield begin, begin + len(value), "password" if strength == 3 else "credential"
            if end < 0:
                break
            at = end + 1


def _headings() -> tuple[str, ...]:
    """What a line with such a heading holds: the word before what parts or pads its cell, or at its end."""
    words = ("password", "passwd", "passphrase", "pass", "pwd", "token", "secret")
    return tuple(
        f"{word}{end}" for word in words for end in ("|", " |", "  ", ",", ";", "\t", "\n", " \n")
    )


# Secrets that a sentence gives away: "the password … is x", "use token x", "x is the password", in four languages.

NEAR_WORD = 160  # how far from a word its value may stand in prose, in characters
WORDS_BETWEEN = 12  # and in words
TURNS = frozenset("is was as for ist war als für es era como para est était comme pour".split())


def value_in_sentence(
    text: str, low: str, start: int, end: int, strength: int, word: str
) -> tuple[int, int, bool]:
    """The value a sentence gives for a word: "the password … is x", "use token x", "x is the password"."""
    from tacit.safety.redact_rules import BEFORE_VALUE, LINKING_VERBS, SIGNS, USING

    linked = False
    tried = 0  # candidates since the link; "the credentials are ci / x" needs more than one
    patience = 3 if word.startswith("cred") else 0
    position = end
    for count, match in enumerate(compiled(r"\S+").finditer(text, end, end + NEAR_WORD)):
        gap = text[position : match.start()]
        if (
            count >= WORDS_BETWEEN
            or gap.count("\n") > 1
            or ("\n" in gap and not (linked and tried == 0))
        ):
            break
        raw, position = match[0], match.end()
        plain = raw.lower().strip("\"'`“”«»(),")
        if raw in SIGNS and count > 2:
            break
        if plain in LINKING_VERBS or raw in (":", "'s", "’s"):
            linked, tried = True, 0
            continue
        if linked and tried < 3 and plain in BEFORE_VALUE:
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
    # asked first: the expression is dear
    if TURNS.isdisjoint(text[max(0, start - 80) : start].split()[-4:]):
        return start, start, False
    turned = compiled(
        rf"\\?[\"'`(\[]{{0,2}}(\S{{4,200}})\s(?:{'|'.join(sorted(TURNS))})\s"
        r"(?:(?:the|my|our|your|its|their|a|das|der|die|den|dem|mein|meine|unser|la|el|le|mi|mon|ma|notre|nuestra)\s)?"
        r"(?:[\w-]{1,20}\s){0,2}$"
    ).search(text, max(0, start - NEAR_WORD), start)
    if turned is None or judge.is_digest(turned[1].strip("`'\"")):
        return start, start, False
    begin = turned.start(1)
    opened = text[begin - 1 : begin] if begin else ""
    return _candidate(
        text, begin - (opened in ("'", '"', "`") and turned[1].endswith(opened)), strength, "next"
    )


def _candidate(text: str, start: int, strength: int, form: str) -> tuple[int, int, bool]:
    """One word of a sentence as a secret: freed of quotes and punctuation, and judged."""
    from tacit.safety.redact_rules import UNITS_OF_SIZE

    begin, stop, quoted = value_at(text, start)
    if not quoted:
        opened = compiled(r"[(\[{*“«\"'`]{0,3}").match(text, start)
        begin, stop, quoted = value_at(text, opened.end() if opened else start)
    content = text[begin:stop] if quoted else text[begin:stop].partition(",")[0]
    if (
        not content
        or "\n" in content
        or "://" in content
        or compiled(r"[A-Za-z_]+=").match(content)
    ):
        return begin, stop, False
    if text[stop : stop + 1] in ("!", "?"):  # as likely part of the password as of the sentence
        stop += 1
    if not quoted and strength == 2 and ("/" in content or ":" in content):
        # admin:hunter2
        pair = compiled(r"[a-z][a-z.@_-]{1,30}\d{0,3}[:/]([^\s/:]{6,24})").fullmatch(content)
        if (
            pair
            and judge.mixed(pair[1])
            and not judge.is_term(pair[1])
            and not judge.stand_in(pair[1])
        ):
            return begin + pair.start(1), stop, True
    if not quoted and content.isdigit():
        unit = compiled(r"\W{1,3}(\w+)").match(text, stop)
        if unit and unit[1].lower() in UNITS_OF_SIZE:
            return begin, stop, False
    if quoted:  # quotes say: this is the value itself
        form = "ticked" if form != "linked" else "quoted" if strength == 3 else form
    return begin, stop, judge.worth_hiding(content, strength, form)

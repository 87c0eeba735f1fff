"""Words of a text, for three readers: the matcher, the full-text index, and whoever asks if an
error is an old one."""

from __future__ import annotations

import re
from functools import lru_cache

from tacit.words.stop_words import STOP_WORDS, all_stop_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SCAN_LIMIT = 20_000  # characters: a finding is a sentence; a dump is not read to its end
NAMED = 4000  # characters of an ASCII text whose names are taken apart for the index; behind them whole words are found
TASK_WORDS = 48  # of a task that are kept with its lessons; the first ones say what it is about
# Words that say that something went wrong, and nothing of what.
VAGUE = frozenset(
    "error errors exception failed failure fatal exit code status command errno the with occurred build process "
    "completed assert".split()
)
WORD, NAME, PATH, FLAG, VERSION, NUMBER, RUN = (
    "word",
    "name",
    "path",
    "flag",
    "version",
    "number",
    "run",
)


class Piece:
    """One piece of a text. Not a value: a scan makes hundreds of them, and none outlives it."""

    __slots__ = ("kind", "parts", "raw", "start", "whole")

    def __init__(self, kind: str, raw: str, whole: str, parts: tuple[str, ...], start: int) -> None:
        self.kind = kind
        self.raw = raw  # as written
        self.whole = whole  # folded; one spelling for camelCase, snake_case and kebab-case
        self.parts = parts  # the folded words inside it; a plain word is its own only part
        self.start = start  # where it stands in `normal(text)`


def terms(text: str) -> list[str]:
    """Folded, stemmed words of a text in reading order, no stop words; names, paths and versions
    whole and split."""
    pieces = list(scan(text))
    stem = STEMMERS[language(pieces)]
    return [term for piece in pieces for term in piece_terms(piece, stem)]


def index_words(text: str, named: int = NAMED, beside: str = "") -> str:
    """What an index should hold beside the text: words `porter unicode61` does not find in it,
    and all of its subject, tags and files."""
    stop, known = all_stop_words(), set(_fts_words(text))
    said = normal((text[:named] if text.isascii() else text) + " " + beside)
    found: dict[str, None] = {}
    for raw in dict.fromkeys(
        _chunks(said.isascii()).findall(said)
    ):  # what stands there twice is read once
        if _is_plain(
            raw
        ):  # most words; they need not become pieces, and those of an ASCII text are known
            if beside or not text.isascii():
                found[raw.lower()] = None
        elif (
            raw.isascii()
            and (raw.isalnum() or raw.isidentifier())
            and (raw[-1] != "s" or not raw[:-1].isupper())
        ):
            if raw[0] not in _OF_NUMBERS or not _number_kind(
                raw
            ):  # a name, as _piece would have it
                for joint in raw.split("_"):
                    found.update(dict.fromkeys(_humps(joint)))
        elif raw.strip(_JOINTS):
            found.update((word, None) for piece in _pieces(raw, 0) for word in _indexed(piece))
    found.pop("", None)
    return " ".join(word for word in found if word not in known and word not in stop)


def query_words(text: str, limit: int = 64) -> list[str]:
    """Distinct words to ask the index for, in reading order, stop words left out.

    Each may stand between double quotes in a MATCH. One with inner punctuation (a path,
    `snake_case`, `3.11.7`) is a phrase there: its words in a row. Two inflections of a word count
    once, since the index stems them alike.
    """
    stop = all_stop_words()
    asked: dict[str, str] = {}
    for piece in scan(text):
        if piece.kind == WORD and piece.whole in stop:
            continue
        whole = () if piece.kind in (WORD, RUN) else (piece.raw,)
        for word in (*whole, *_indexed(piece)):
            if word not in stop and (len(word) > 1 or not word.isascii()):
                asked.setdefault(_regular_stem(word.lower()), word)
        if len(asked) >= limit:
            break
    return list(asked.values())[:limit]


def task_words(task: str) -> str:
    """What an index should hold of a task in which a lesson was met: its words, as a question
    would ask for them."""
    return " ".join(query_words(task, TASK_WORDS))


def piece_terms(piece: Piece, stem: Callable[[str], str]) -> list[str]:
    """The terms one piece contributes; none for a stop word."""
    kind, parts = piece.kind, piece.parts
    if kind == WORD and len(parts) < 2:
        return [stem(piece.whole)] if parts and piece.whole not in all_stop_words() else []
    if kind == RUN:
        return list(parts)
    if kind in (NUMBER, VERSION):
        return [piece.whole]
    stop = all_stop_words()
    within = [
        english_stem(part)
        for part in parts
        if len(part) > 1 and part not in stop and part != piece.whole
    ]
    return [stem(piece.whole), *within] if piece.whole else within


def _indexed(piece: Piece) -> list[str]:
    # The signs of Indic and other scripts are separators to unicode61: they go, so that the word
    # stays in one piece.
    if piece.kind == WORD and len(piece.parts) == 1:
        return [_without_signs(piece.whole)]
    if piece.kind == WORD and piece.parts:
        return [piece.whole, *piece.parts]
    return [_without_signs(part) for part in piece.parts]


def _fts_words(text: str) -> list[str]:
    """What unicode61 makes of a text, before Porter; exact for Latin script, near enough for
    others."""
    if text.isascii():
        return re.findall(r"[a-z0-9]+", text.lower())
    joined = "[^\\W_][^\\W_\u0300-\u0331]*(?:[\u0300-\u0331]+[^\\W_]*)*"  # combining accents do not end a word
    return [_unaccented(word) for word in re.findall(joined, text.lower())]


def _unaccented(word: str) -> str:
    # unicode61 drops one accent from a Latin letter and leaves alone one with two (ế), ß, ø, Greek
    # and Cyrillic.
    if word.isascii():
        return word
    from unicodedata import normalize

    letters = []
    for letter in word:
        base = normalize("NFD", letter)
        if len(base) == 2 and base[0].isascii():
            letters.append(base[0])
        elif not "\u0300" <= letter <= "\u0331":
            letters.append(letter)
    return "".join(letters)


def _without_signs(word: str) -> str:
    return word if word.isascii() else "".join(c for c in word if c.isalnum())


def scan(text: str) -> Iterator[Piece]:
    """The pieces of a text in reading order."""
    text = normal(text)
    for match in _chunks(text.isascii()).finditer(text):
        raw = match.group()
        if _is_plain(raw):
            word = raw.lower()
            kind = NAME if len(raw) < 4 and raw.isupper() and _is_acronym(word) else WORD
            yield Piece(kind, raw, word, (word,), match.start())
        elif raw.strip(_JOINTS):
            yield from _pieces(raw, match.start())


def _is_plain(raw: str) -> bool:
    """Whether it is a word of ASCII letters, in one of the usual ways of writing one."""
    return raw.isascii() and raw.isalpha() and (raw.islower() or raw[1:].islower() or raw.isupper())


def _is_acronym(word: str) -> bool:
    # US, IT, AI and DE are no function words when written so; NOT, AND and DO are, only louder.
    return (
        len(word) > 1
        and word in all_stop_words()
        and (word not in STOP_WORDS["en"] or word in ("us", "it"))
    )


def normal(text: str) -> str:
    """A text as it is scanned: NFKC, one apostrophe, one hyphen, no invisible characters,
    bounded."""
    text = text[:SCAN_LIMIT]
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFKC", text).translate(_ONE_SPELLING)


def fold(word: str) -> str:
    """One spelling for a word: case and accents gone, signs of Indic scripts kept."""
    if word.isascii():
        return word.lower()
    from unicodedata import normalize

    return normalize("NFC", re.sub(f"[{_ACCENTS}]", "", normalize("NFD", word.casefold())))


_ONE_SPELLING = {
    **dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)),
    0x2019: "'",
    0x2010: "-",
    0x2011: "-",
}
_ACCENTS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
# Signs that belong to a word although Python's \\w leaves them out: accents, Hebrew and Arabic
# points, Indic vowels.
_SIGNS = (
    _ACCENTS
    + "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84"
    "\u102b-\u103e\u17b4-\u17d3"
)
# Scripts written without spaces, and Hangul, whose words carry their particles with them: read as
# pairs of letters.
_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_JOINTS = "-_.:/\\@+'~"
_OF_NUMBERS = "0123456789vV"  # what a number or a version begins with
_TO_SPACES = dict.fromkeys(map(ord, _JOINTS), " ")
# What a French or Italian word sheds before a vowel. "n'" is half a negation and is kept.
_ELIDED = frozenset("l d s c j m t qu lorsqu puisqu jusqu quelqu dell nell all".split())


@lru_cache(maxsize=2)
def _chunks(ascii_only: bool) -> re.Pattern[str]:
    # What stands together: letters and digits, the punctuation between them, and what makes them a
    # flag or a path.
    letters = r"\w+" if ascii_only else f"\\w[\\w{_SIGNS}]*"
    lead = r"(?:(?<![\w-])--?(?=[A-Za-z])|(?:~|\.{1,2})?/(?=[\w.])|\.(?=[A-Za-z]))?"
    return re.compile(rf"{lead}{letters}(?:[-.:/\\@+']+{letters})*%?")


@lru_cache(maxsize=1)
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"([{_UNSPACED}]+)")


def _pieces(raw: str, start: int) -> Iterator[Piece]:
    if not raw.isascii() and _unspaced().search(raw):
        for run in _unspaced().split(raw):
            if run and _unspaced().match(run):
                yield Piece(RUN, run, run, _letter_pairs(run), start)
            elif run.strip(_JOINTS):
                yield from _pieces(run.strip(_JOINTS), start)
            start += len(run)
    elif "'" in raw:
        yield from _apostrophe(raw, start)
    elif "." in raw and (number := _trailing_version(raw)):  # python3.11
        yield _piece(raw[:number], start)
        yield _piece(raw[number:], start + number)
    else:
        yield _piece(raw, start)


def _apostrophe(raw: str, start: int) -> Iterator[Piece]:
    first, _, rest = raw.partition("'")
    low = first.lower()
    if low == "n":
        yield Piece(WORD, first, "ne", ("ne",), start)
    if low == "n" or low in _ELIDED:
        yield from _pieces(rest.strip("'"), start + len(first) + 1)
    elif rest.lower() == "s":
        yield from _pieces(first, start)
    elif rest.isalpha() and len(rest) <= 2:  # don't, we're, they'll: function words all
        yield Piece(WORD, raw, fold(raw), (), start)
    else:
        for part in raw.split("'"):
            if part.strip(_JOINTS):
                yield from _pieces(part.strip(_JOINTS), start)


def _trailing_version(raw: str) -> int:
    """Where "3.11" begins in "python3.11"; 0 for other shapes."""
    name = raw.rstrip("0123456789.")
    return (
        len(name)
        if len(name) > 1 and name.isalpha() and raw[len(name)].isdigit() and raw[-1] != "."
        else 0
    )


def _piece(raw: str, start: int) -> Piece:
    if raw[0] == "-":
        return Piece(FLAG, raw, raw.lower(), _split(raw), start)
    if kind := _number_kind(raw):
        return Piece(kind, raw, raw.lower(), (), start)
    if "/" in raw or "\\" in raw:
        raw = _without_line(raw)
        parts = _split(raw)
        if len(parts) > 1 and (
            "." in raw or raw[0] in "/~" or not any(part in all_stop_words() for part in parts)
        ):
            return Piece(PATH, raw, raw.lower().replace("\\", "/").removeprefix("./"), parts, start)
        return Piece(WORD, raw, "".join(parts), parts, start)  # and/or, w/o
    if raw.isalpha() and raw[-1] == "s" and raw[:-1].isupper() and len(raw) > 2:  # PRs, APIs
        return Piece(WORD, raw, raw[:-1].lower(), (raw[:-1].lower(),), start)
    if "-" in raw and raw.replace("-", "").isalpha():  # front-end, read-only: an ordinary word
        parts = _split(raw)
        return Piece(WORD, raw, "".join(parts), parts, start)
    foreign = not raw.isascii() and raw.translate(_TO_SPACES) == raw
    if foreign or (raw.isalpha() and (raw[1:].islower() or raw.isupper())):
        word = fold(raw)
        return Piece(WORD, raw, word, (word,), start)
    raw = _without_line(raw)
    return Piece(NAME, raw, fold(raw).replace("_", "").replace("-", ""), _split(raw), start)


def _number_kind(raw: str) -> str:
    """NUMBER for 8080, 0.2, 30s, 80%, 16x16, 02:30; VERSION for v2, 3.11.7, 4.1.46Final,
    1.0-rc1; empty for others."""
    low = raw.lower()
    marked = low[0] == "v" and low[1:2].isdigit()
    if not marked and not low[0].isdigit():
        return ""
    low = low[1:] if marked else low
    tail = low.lstrip("0123456789.,:")
    head = low[: len(low) - len(tail)]
    if marked or head.count(".") > 1 or (head[-1:] == "." and tail == "x"):
        return VERSION
    if "." in head and tail[:1] in ("-", "+"):
        return VERSION
    unit = tail.rstrip("%")
    return (
        NUMBER
        if not unit
        or (unit.isalpha() and len(unit) < 5)
        or (unit[:1] == "x" and unit[1:].isdigit())
        else ""
    )


def _without_line(raw: str) -> str:
    """`src/app.py` for `src/app.py:14:7`."""
    head, colon, tail = raw.rpartition(":")
    return _without_line(head) if colon and tail.isdigit() else raw


def _split(raw: str) -> tuple[str, ...]:
    """The folded words inside a name: at joints and at humps."""
    if raw.isascii():
        return tuple(part for joint in raw.translate(_TO_SPACES).split() for part in _humps(joint))
    parts: list[str] = []
    for joint in raw.translate(_TO_SPACES).split():
        begun = 0
        for at in range(1, len(joint)) if not (joint.islower() or joint.isupper()) else ():
            rises = joint[at].isupper() and not joint[at - 1].isupper()  # maxRetry
            falls = joint[at].isupper() and joint[at + 1 : at + 2].islower()  # HTTPServer
            if rises or falls:
                parts.append(fold(joint[begun:at]))
                begun = at
        parts.append(fold(joint[begun:]))
    return tuple(filter(None, parts))


def _humps(joint: str) -> list[str]:
    """The same of ASCII, where letters need not be looked at one by one."""
    low = joint.lower()
    return (
        [low]
        if joint == low or joint.isupper()
        else [part.lower() for part in _hump().findall(joint)]
    )


@lru_cache(maxsize=1)
def _hump() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]*[^A-Z]+|[A-Z]+")


def _letter_pairs(run: str) -> tuple[str, ...]:
    letters = _without_signs(run)
    return tuple(letters[i : i + 2] for i in range(len(letters) - 1)) or (
        (letters,) if letters else ()
    )


def language(pieces: Iterable[Piece]) -> str:
    """The language whose function words a text uses most; English where none or several do. One
    with a capital inside a text is a name."""
    words = ((place, piece) for place, piece in enumerate(pieces) if piece.kind == WORD)
    said = [piece.whole for place, piece in words if not place or not piece.raw[0].isupper()]
    return max(STOP_WORDS, key=lambda name: sum(map(STOP_WORDS[name].__contains__, said)))


@lru_cache(maxsize=8192)
def english_stem(word: str) -> str:
    """A word without its inflection, in Porter's manner but shorter: plural, -ing, -ed, -ly,
    -ment, -ion, a final e."""
    return _regular_stem(_IRREGULAR.get(word, word))


def _regular_stem(word: str) -> str:
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        word = word[:-2]
    elif word[-1] == "s" and word[-2] not in "sui":
        word = word[:-1]
    if word.endswith("ied"):
        word = word[:-3] + "y"
    elif word.endswith("ing") and _has_vowel(word[:-3]):
        word = _undoubled(word[:-3])
    elif word.endswith("ed") and not word.endswith("eed") and _has_vowel(word[:-2]):
        word = _undoubled(word[:-2])
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    if word.endswith("ment") and len(word) > 8:
        word = word[:-4]
    elif word.endswith(("tion", "sion")) and len(word) > 7:
        word = word[:-3]
    if word[-1] == "e" and len(word) > 3:
        word = word[:-1]
    if word.endswith("at") and len(word) > 7:
        word = word[:-2]
    return word


# Of the verbs and nouns that lessons use.
_IRREGULAR = {
    form: forms.split()[0]
    for forms in (
        "keep kept",
        "send sent",
        "build built",
        "find found",
        "lose lost",
        "make made",
        "meet met",
        "hold held",
        "take took taken",
        "throw threw thrown",
        "tell told",
        "write wrote written",
        "break broke broken",
        "give gave given",
        "choose chose chosen",
        "forget forgot forgotten",
        "hide hid hidden",
        "show shown",
        "forbid forbade forbidden",
        "know knew known",
        "grow grew grown",
        "begin began begun",
        "rise rose risen",
        "fall fell fallen",
        "come came",
        "become became",
        "child children",
        "index indices",
    )
    for form in forms.split()[1:]
}


def _has_vowel(stem: str) -> bool:
    return len(stem) > 1 and any(letter in "aeiouy" for letter in stem)


def _undoubled(stem: str) -> str:
    if len(stem) == 2:  # us(ed), us(ing)
        return stem + "e"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz":  # but add(ing)
        return stem[:-1]
    return stem


def _ending(endings: str) -> Callable[[str], str]:
    """A stemmer that cuts the first of these endings, given longest first, and leaves at least
    four letters."""
    known = endings.split()

    def stem(word: str) -> str:
        if len(word) > 4 and word.isalpha():
            for ending in known:
                if word.endswith(ending) and len(word) - len(ending) > 3:
                    return word[: -len(ending)]
        return word

    return lru_cache(maxsize=8192)(stem)


STEMMERS: dict[str, Callable[[str], str]] = {
    "en": english_stem,
    "de": _ending("ern ens en er es em st e n s t"),
    "es": _ending(
        "aciones acion iendo ando adas ados idas idos amos aron ada ado ida ido ar er ir an en as os es a o e s"
    ),
    "fr": _ending(
        "ations ements ation ement antes ante ants ant aux ees ent ons ez er es ee al is it e s x"
    ),
}


def edits(a: str, b: str) -> int:
    """How many letters to insert, delete or replace; a row of Levenshtein's table in one integer
    (Myers, Hyyrö)."""
    if a == b or not a or not b:
        return 0 if a == b else max(len(a), len(b))
    if len(a) > len(b):
        a, b = b, a
    places: dict[str, int] = {}
    for number, letter in enumerate(a):
        places[letter] = places.get(letter, 0) | 1 << number
    full, last, count = (1 << len(a)) - 1, 1 << (len(a) - 1), len(a)
    rises, falls = full, 0
    for letter in b:
        equal = places.get(letter, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
        up, down = falls | ~(diagonal | rises) & full, diagonal & rises
        count += bool(up & last) - bool(down & last)
        up, down = up << 1 | 1, down << 1
        rises, falls = (down | ~(diagonal | up)) & full, up & diagonal & full
    return count

"""Words that mean the same, or nearly, in a lesson, and those that say nothing of their own."""

from __future__ import annotations

from functools import lru_cache

from tacit.core.tables import Tables
from tacit.words.tokens import edits, english_stem

_tables = Tables(__file__)


def same_word(term: str) -> str:
    """One term for words that mean the same in a lesson: dir and folder, delete and remove."""
    return _synonyms().get(term, term)


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _tables.lines("SYNONYMS"):
        first, *others = (english_stem(word) for word in line.split())
        table.update(dict.fromkeys(others, first))
    table.update(
        (english_stem(word), number) for word, number in NUMBER_WORDS.items() if number != "1"
    )
    return table


@lru_cache(maxsize=1)
def _near() -> dict[str, frozenset[int]]:
    """Stem → the groups of near meaning it belongs to."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_tables.lines("NEAR")):
        for word in line.split():
            found.setdefault(same_word(english_stem(word)), set()).add(number)
    return {stem: frozenset(numbers) for stem, numbers in found.items()}


NUMBER_WORDS = {
    word: number for number, words in _tables.rows("NUMBER_WORDS") for word in words.split()
}
# Words that may come and go without changing a lesson.
FILLERS = frozenset(
    english_stem(word)
    for word in (
        "always really properly correctly currently simply usually generally again ensure please also actually cause "
        "issue occur happen result time"
    ).split()
)
# Words that say little where they are added: "avoid print", "do not use print".
BLAND = frozenset(
    english_stem(word)
    for word in "use require add inside within first text do make silently explicitly".split()
)
# Where a lesson holds anyway.
HERE = frozenset(
    english_stem(word)
    for word in "repository project machine code codebase system team module utility helper".split()
)


@lru_cache(maxsize=4096)
def related(one: str, other: str) -> bool:
    """Two forms of one word (a typo, an abbreviation, an inflection our stemmer does not know),
    or two words of near meaning."""
    if not _near().get(one, frozenset()).isdisjoint(_near().get(other, frozenset())):
        return True
    short, long = sorted((one, other), key=len)
    if long == f"ge{short}":  # a German participle
        return True
    if (
        len(short) >= 4
        and long.startswith(short)
        and (len(short) >= 6 or len(long) - len(short) <= 3)
    ):
        return True  # not key and keyword, user and username
    if len(short) < 4 or short[:3] != long[:3]:
        return False
    return edits(one, other) <= max(1, len(long) // 4)


def same_place(one: str, other: str) -> bool:
    """Two names of one thing: `src/app.py` and `app.py`, `os.path.join` and `join`, one file
    below two home folders."""
    short, long = sorted((one, other), key=len)
    if (
        one == other
        or long.endswith(("/" + short, "." + short, ":" + short))
        or f"/{short}/" in long
    ):
        return True
    ends = one.split("/")[-3:], other.split("/")[-3:]
    return ends[0] == ends[1] or (
        one[0] in "/~" and other[0] in "/~" and ends[0][-2:] == ends[1][-2:]
    )

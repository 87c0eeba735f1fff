"""The words that decide between a lesson and its opposite: synonyms, opposites, scopes, denials, units.

`claims` reads texts by them. They are kept to what developers write, English first; what can be told by the structure of two
texts has no place here.
"""

from __future__ import annotations

from functools import lru_cache

from tacit.core.tables import Tables
from tacit.words.tokens import STEMMERS, edits, english_stem

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


OPPOSITE_PAIRS = {
    tongue: _tables.lines(f"OPPOSITES_{tongue.upper()}") for tongue in ("en", "de", "es", "fr")
}
FILE_NAME = _tables.text("FILE")
METHODS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"))
NEGATORS = _tables.words("NEGATORS")
FRENCH_SECOND = frozenset(("pas", "jamais", "aucun", "aucune", "rien", "plus"))
# Of these, words that condemn what the rest of the sentence says.
JUDGING = frozenset(
    map(
        english_stem,
        "mistake pointless useless needless unnecessary wrong harmful innocent blameless".split(),
    )
)
CONTRASTS = _tables.words("CONTRASTS")
ALONE = frozenset(("statt", "anstatt"))
PREFERRING = _tables.words("PREFERRING")
KEEPING = frozenset("keep keeps kept leave leaves left stay stays take takes taken".split())
ALL_BUT = _tables.words("ALL_BUT")
PRONOUNS = frozenset("it them they he she one ones".split())
OF_CODE = frozenset("a an the this broad bare blanket try".split())  # "a bare except"
THEN = _tables.words("THEN")
BREAKS = _tables.words("BREAKS")
GROUNDS = _tables.words("GROUNDS")
JOINING = frozenset(("and", "or", "und", "oder", "y", "o", "e", "et", "ou", "&", "nor"))
# what is exchanged behind one of these is done the other way round
AIMING = frozenset(("to", "from", "into", "by", "of"))
# with "to", "not"
FAILING = frozenset(
    "fail fails failed failing refuse refuses refused decline declines declined".split()
)
ARTICLES = _tables.words("ARTICLES")
UNIVERSAL = _tables.words("UNIVERSAL")
PARTICLES = frozenset(("on", "off", "in", "out", "up", "down"))
EARLIER = frozenset(
    ("before", "prior", "beforehand", "vor", "bevor", "avant", "antes", "until", "ahead")
)
LATER_WORDS = frozenset(
    ("after", "once", "following", "nach", "nachdem", "apres", "tras", "despues")
)
PLACE_WORDS = frozenset(("line", "lines", "column", "col", "zeile", "linea", "ligne"))
RECORD_WORDS = frozenset(("issue", "bug", "ticket", "pr"))
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
RUN_NEGATIONS = "不要|不能|不得|不可|不需要|不应|不会|不是|没有|禁止|避免|切勿|[不没未勿别無]|しない|ない|ません|なく|ず(?=に)|않|못|금지|없"
BEFORE_VERB = frozenset(
    "不要 不能 不得 不可 不需要 不应 不会 不是 没有 禁止 避免 切勿 不 没 未 勿 别".split()
)
NUMBER_WORDS = {
    word: number for number, words in _tables.rows("NUMBER_WORDS") for word in words.split()
}
UNIT_WORDS = {word: line.split()[0] for line in _tables.lines("UNITS") for word in line.split()}
RATES = _tables.named("RATES")


@lru_cache(maxsize=1)
def doubtful() -> frozenset[str]:
    allowing = next(line for line in OPPOSITE_PAIRS["en"] if line.startswith("allow "))
    refusing = allowing.partition("/")[2].split()
    return frozenset(
        same_word(english_stem(word)) for word in (*_tables.listed("DOUBTFUL"), *refusing)
    )


@lru_cache(maxsize=1)
def taking_away() -> frozenset[str]:
    return frozenset(same_word(english_stem(word)) for word in _tables.listed("TAKING_AWAY"))


@lru_cache(maxsize=4)
def side_table(tongue: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """For a language, word or stem → the groups of opposites it belongs to, with its side in each. English words are
    known in every text: they are half of what developers write.
    """
    found: dict[str, dict[tuple[str, str], None]] = {}
    for mark, table, spoken in (
        ("~", OPPOSITE_PAIRS["en"], "en"),
        ("~", OPPOSITE_PAIRS[tongue], tongue),
        ("=", _tables.lines("SCOPES"), "en"),
    ):
        for line in table:
            sides = [side.split() for side in line.split("/")]
            for side in sides:
                for word in side:
                    plain = word.replace("_", " ")
                    for form in {plain, plain if " " in plain else STEMMERS[spoken](plain)}:
                        found.setdefault(form, {})[(mark + sides[0][0] + sides[1][0], side[0])] = (
                            None
                        )
    return {form: tuple(sides) for form, sides in found.items()}


@lru_cache(maxsize=1)
def other_side() -> dict[str, dict[str, str]]:
    """Group → each of its two sides → the other."""
    lines = [line for table in OPPOSITE_PAIRS.values() for line in table]
    sides = [[side.split()[0] for side in line.split("/")] for line in lines]
    return {"~" + one + other: {one: other, other: one} for one, other in sides}


@lru_cache(maxsize=4096)
def related(one: str, other: str) -> bool:
    """Two forms of one word (a typo, an abbreviation, an inflection our stemmer does not know), or two words of near meaning."""
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
    """Two names of one thing: `src/app.py` and `app.py`, `os.path.join` and `join`, one file below two home folders."""
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

"""Near-copies: where one text repeats another nearly word for word, what was changed is the point.

Who writes down the same lesson on another day uses other words throughout: of 216 such pairs that strangers wrote, six share
three fifths of their words in the same order. Who repeats a sentence and changes one place in it, means that place: of 218
opposites that older rules took for twins, 182 are such copies (docs/internals/decisions/0004-matching.md). So between copies nothing may
differ but wording that is known to change nothing: inflections, synonyms, the voice of a verb, a reason given besides, a part
that moved as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.tables import Tables
from tacit.words.claim_words import (
    ARTICLES,
    BLAND,
    FILLERS,
    GROUNDS,
    HERE,
    JOINING,
    UNIT_WORDS,
    related,
)
from tacit.words.claims import Claims
from tacit.words.limits import aligned
from tacit.words.tokens import english_stem

_tables = Tables(__file__)

COPIED = 0.65  # of the shorter text's words that the other has in the same order
PARTLY = (
    0.5  # so many do, where both texts have something of their own: one thing in place of another
)
LITTLE = 0.4  # so many, and the first, for two things that changed places
# What stands on the one side of these goes before what stands on the other, in time or in rank.
_ANCHORS = frozenset("over than first later then before after instead rather".split())
_STYLE = _tables.words("_STYLE")
# who does it, and to whom it is done
_CASES = (("we", "us"), ("i", "me"), ("they", "them"), ("he", "him"), ("she", "her"))
# Verbs that only carry their object, and words that are read with their figures.
_LIGHT = frozenset(
    map(english_stem, "contains gives means newer later older earlier minimum maximum".split())
) | {"brauch"}
_UNIT_NAMES = frozenset(UNIT_WORDS.values())  # of figures, which were compared before
_OTHERS = _tables.words("_OTHERS")


def changed(x: Claims, y: Claims) -> str:
    """What one of two near-copies says in place of the other, or besides; empty where they are no copies, or say the same."""
    pairs = aligned(x.said, y.said)
    shared = len(pairs) / (min(len(x.said), len(y.said)) or 1)
    if shared < PARTLY:
        begun = shared >= LITTLE and x.said[:1] == y.said[:1] and not _moved_whole(x, y)
        return _exchanged_within(x, y) or (_exchanged(x, y, pairs) if begun else "")
    left, right = _left(x, {i for i, _ in pairs}), _left(y, {k for _, k in pairs})
    mine, theirs = _unexplained(x, left, y, right), _unexplained(y, right, x, left)
    if mine and theirs:
        return f"{mine} / {theirs}"
    if not _moved_whole(x, y) and (turned := _exchanged(x, y, pairs) or _crossed(x, y)):
        return turned
    if shared < COPIED:
        return ""
    if mine or theirs:
        return mine or theirs
    if not mine and (us := [each for each in _CASES if {*each} <= x.words ^ y.words]):
        return " / ".join(us[0])
    if (
        not _terms(x, left)
        and not _terms(y, right)
        and (little := _little(x, left) ^ _little(y, right)) - {"for"}
    ):
        return min(little)
    return ""


def _unexplained(one: Claims, left: Sequence[int], other: Claims, right: Sequence[int]) -> str:
    """A word that one text has and for which nothing in the other stands."""
    if any(one.taken & denial.amounts_to for denial in other.denied):
        return ""  # "disable" and "do not enable"
    theirs = [term for place in right for term in other.meant[place]]
    for term in _terms(one, left):
        if term not in other.terms and not any(_stands_for(term, each) for each in theirs):
            return term
    return ""


def _crossed(x: Claims, y: Claims) -> str:
    """What changed sides, both ways, of a word that puts in order: "prefer the old flag over the new one"."""
    for anchor in sorted(_ANCHORS & x.words & y.words):
        if x.said.count(anchor) == y.said.count(anchor) == 1:
            sides = []
            for of in (x, y):
                at = of.said.index(anchor)
                sides.append((_told(of, 0, at), _told(of, at + 1, len(of.said))))
            (before, after), (first, then) = sides
            ahead, behind = (before & then) - after - first, (after & first) - before - then
            if ahead and behind:
                return f"{min(ahead)} / {min(behind)}"
    return ""


def _left(of: Claims, met: set[int]) -> list[int]:
    """Places of the words that the other text has not.

    A clause of its own explains, if it begins as a reason does, or at least does not tell what else the lesson holds for.
    """
    told = {of.clauses[place] for place in met if of.meant[place]}
    apart = set()
    for number in {*of.clauses} - told:
        clause = [word for word, at in zip(of.said, of.clauses) if at == number]
        explains = _OTHERS.isdisjoint(clause) and len(clause) > (0 if number in of.brackets else 1)
        if explains or clause[0] in GROUNDS:
            apart.add(number)
    spare = (
        place
        for place in range(len(of.said))
        if place not in met and of.clauses[place] not in apart
    )
    return [place for place in spare if not _adds_nothing(of, place, met)]


def _adds_nothing(of: Claims, place: int, met: set[int]) -> bool:
    """Whether a word tells of what sort a figure is ("HTTP 429"), that all are meant ("in every …"), or which one ("the same that …")."""
    if of.meant[place] and place + 1 in met and of.said[place + 1][0].isdigit():
        return True
    before = of.said[:place]
    return before[-1:] == ("every",) or ("same" in before and before[-1:] == ("that",))


def _little(of: Claims, places: Sequence[int]) -> set[str]:
    """The function words among these that change more than the style."""
    return (
        {of.said[place] for place in places if not of.meant[place] and not _only_then(of, place)}
        - _STYLE
        - ARTICLES
    )


def _only_then(of: Claims, place: int) -> bool:
    """ "Only once" is "once"."""
    return of.said[place] == "only" and of.said[place + 1 : place + 2] in (
        ("once",),
        ("then",),
        ("after",),
        ("when",),
    )


def _terms(of: Claims, places: Sequence[int]) -> list[str]:
    plain = FILLERS | BLAND | HERE | _LIGHT | _UNIT_NAMES
    judged = of.doubtful.union(*(denial.first for denial in of.denied))
    found = [
        term
        for place in places
        for term in of.meant[place]
        if term not in plain and term not in judged
    ]
    return [
        term for term in found if term.isascii() or len(term) > 2
    ]  # no pairs of letters of a script without spaces


def _stands_for(one: str, other: str) -> bool:
    """Whether a word may stand for another, 3.11.7 for 3.11 and 30s for 30; names that are nearly alike may not."""
    short, long = sorted((one, other), key=len)
    if short[0].isdigit() and long.startswith(short):  # but 16.4 is no 16
        return ("." in short and long[len(short)] == ".") or long[len(short) :].isalpha()
    return (one.isalpha() and other.isalpha() and related(one, other)) or long.endswith("/" + short)


def _moved_whole(x: Claims, y: Claims) -> bool:
    """Whether only clauses, or members of an enumeration, changed places."""
    return x.grouped == y.grouped or sorted(_parts(x)) == sorted(_parts(y))


def _parts(of: Claims) -> list[str]:
    return " ".join(of.order).split(" | ")


def _exchanged(x: Claims, y: Claims, pairs: Sequence[tuple[int, int]]) -> str:
    """What changed places with something else, all around it as it was."""
    gaps = []
    for (i, k), (j, m) in zip([(-1, -1), *pairs], [*pairs, (len(x.said), len(y.said))]):
        here, there = _told(x, i + 1, j), _told(y, k + 1, m)
        gaps.append((here - there, there - here))
    for number, (here, there) in enumerate(gaps):
        for theirs, ours in gaps[number + 1 :]:
            if here & ours and there & theirs:
                return f"{min(here & ours)} / {min(there & theirs)}"
    return ""


def _exchanged_within(x: Claims, y: Claims) -> str:
    """Two words that changed places in a clause, wherever the clause stands; members of an enumeration may."""
    for clause in map(_words, _numbered(x)):
        for other in map(_words, _numbered(y)):
            if clause == other or sorted(clause) != sorted(other):
                continue
            places = [at for at, (word, theirs) in enumerate(zip(clause, other)) if word != theirs]
            if len(places) == 2 and not JOINING.issuperset(clause[places[0] + 1 : places[1]]):
                return f"{clause[places[0]]} / {other[places[0]]}"
    return ""


def _numbered(of: Claims) -> list[list[str]]:
    """The words of each clause."""
    found: dict[int, list[str]] = {}
    for word, number in zip(of.said, of.clauses):
        found.setdefault(number, []).append(word)
    return list(found.values())


def _words(clause: Sequence[str]) -> list[str]:
    return [word for word in clause if word not in ARTICLES]


def _told(of: Claims, start: int, end: int) -> set[str]:
    """What stands at these places: terms, and little words that are no matter of style."""
    words = zip(of.said[start:end], of.meant[start:end])
    return {
        term
        for word, terms in words
        for term in terms or ((word,) if word not in _STYLE and word not in ARTICLES else ())
    }

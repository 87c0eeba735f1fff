"""How far a lesson reaches: of all, of some, of one only, with an exception, under a condition, in one place.

"Feature branches are deleted" and "feature branches are deleted, except release branches" share nearly all their words, and
neither denies the other; but whoever follows the first deletes a release branch. Likeness cannot see that. So the little words
that draw a line are read as a few kinds of limit, and a limit that only one of two alike texts draws makes them two lessons.
The same holds where one text says all that the other says and names a part of it besides: "PRs", "hotfix PRs".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.tables import Tables
from tacit.words.claim_words import BLAND, FILLERS, HERE
from tacit.words.tokens import english_stem

if TYPE_CHECKING:
    from tacit.words.claims import Claims

_tables = Tables(__file__)

_KINDS = {word: kind for kind, words in _tables.rows("KINDS") for word in words.split()}
_PHRASES = {
    tuple(phrase.split()): kind
    for kind, phrases in _tables.rows("PHRASES")
    for phrase in phrases.split(",")
}
_EACH_WORDS = frozenset("all every each any".split())
# What may say the same as a limit: then how it is said is a matter of wording.
_DENYING = frozenset("not no never without unless".split())
_AS_EXCEPT = _DENYING | {"only", "but"}
_AS_UNLESS = _DENYING | frozenset("otherwise else or until if when except only but".split())
_AS_ONLY = _DENYING | frozenset("just alone once single nothing except until".split())
# A word behind one of these says where or for what: more than the other text says.
_PLACING = frozenset(
    "for on in at with under within inside during per which that whose who from by via through if when while".split()
)


def limits_of(words: Sequence[str]) -> frozenset[str]:
    """The kinds of limit that a text draws, by its folded words in order."""
    found = set()
    for place, (before, word, after) in enumerate(zip(("", *words), words, (*words[1:], ""))):
        turned = _PHRASES.get((before, word)) == "" or words[max(0, place - 2) : place] == (
            "not",
            "just",
        )
        if not turned:  # "not only", "not just the"
            found.add(
                _PHRASES.get((word, after), _PHRASES.get((before, word), _KINDS.get(word, "")))
            )
        if word == "but" and not _EACH_WORDS.isdisjoint(words[max(0, place - 2) : place]):
            found.add("except")  # every switch but the old one
    return frozenset(found - {""})


def narrowed(x: Claims, y: Claims) -> str:
    """How one text reaches less far than the other; empty where both reach as far."""
    for one, other in ((x, y), (y, x)):
        if against := _part(one, other):
            return against
    for one, other in ((x, y), (y, x)):
        if against := _other_limit(one, other):
            return against
    return ""


def _part(one: Claims, other: Claims) -> str:
    """What the other text is about besides, where it says all that the first says."""
    if (
        (one.universal or english_stem("always") in one.terms)
        and "only" in other.little - one.little
        and not other.universal
    ):
        return "all / only"
    if not one.terms - FILLERS <= other.terms:
        return ""
    # "No timeout" and "missing timeout"; "not running" and "not started and not running".
    answer = (
        other.doubtful.union(*(denial.first for denial in other.denied))
        if one.denied
        else frozenset()
    )
    beyond = other.terms - one.terms - FILLERS - other.grounds - answer
    if not beyond:
        return ""
    if one.universal and not other.universal:
        return f"all / {min(beyond)}"
    if inserted := _inserted(one, other, beyond):
        return inserted
    if conditions := (other.limits - one.limits) & {"if", "unless"}:
        return f"{min(conditions)} {min(beyond)}"
    behind = {term for little, term in other.bound if little in _PLACING} | other.towards
    if placed := sorted(filter(is_word, behind & beyond - HERE)):
        return placed[0]
    if joined := sorted(
        term for term, mate in other.joined if term in beyond and mate in one.terms
    ):
        return f"and {joined[0]}"
    return ""


def _inserted(one: Claims, other: Claims, beyond: frozenset[str]) -> str:
    """All that one text says, in its order, and a word more in front of something or behind it: "hotfix PRs", "the operator's webhook"."""
    left = [term for term in one.order if term in one.terms and term not in FILLERS]
    right = [term for term in other.order if term in other.terms or term == "|"]
    met = {place for _, place in aligned(left, right)}
    if len(met) < len(left):
        return ""
    for place, term in enumerate(right):
        if (
            place in met
            or term in BLAND
            or term in HERE
            or term not in beyond | other.grounds - one.terms
        ):
            continue
        if place + 1 in met and right[place + 1][0].isdigit():
            continue  # "HTTP 429": what sort of figure it is
        if place - 1 in met and (right[place - 1], term) in other.compounds:
            return term
        following = next(
            (at for at in range(place + 1, len(right)) if at in met or right[at] == "|"), None
        )
        if following is not None and right[following] != "|" and term not in other.grounds:
            return term
    return ""


def _other_limit(one: Claims, other: Claims) -> str:
    """The limit that one text draws and the other does not."""
    drawn, theirs, words = one.limits - other.limits, other.limits, other.words
    if "including" in drawn:
        return "more is included"
    if "except" in one.limits and "only" in theirs:
        return "except / only"
    if drawn & {"anyhow", "all"} and "if" in theirs - one.limits:
        return "in any case / under a condition"
    if "except" in drawn and words.isdisjoint(_AS_EXCEPT):
        return "except / without exception"
    if "unless" in drawn and words.isdisjoint(_AS_UNLESS):
        return "under a condition / without one"
    if "all" in drawn and theirs & {"some", "only"}:
        return f"all / {min(theirs & {'some', 'only'})}"
    shared, shorter = len(one.terms & other.terms), min(len(one.terms), len(other.terms))
    if "some" in drawn and ("only" in theirs or (shorter and 4 * shared >= 3 * shorter)):
        return "all / some" if "all" in theirs else "some / another part"
    if "only" in drawn and words.isdisjoint(_AS_ONLY):
        return "only / without limit"
    return ""


def aligned(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """Places of the longest run of terms that both have in the same order."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        row, below = table[i], table[i + 1]
        for j in range(len(other) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if one[i] == other[j] else max(below[j], row[j + 1])
    i = j = 0
    pairs = []
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def is_word(term: str) -> bool:
    """No figure, path or flag."""
    return term.isalnum() and not term[0].isdigit()

"""How alike two texts are, and what one says that the other does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

from tacit.words.claim_words import BLAND, FILLERS, HERE, related, same_place
from tacit.words.prepared import HEADS, SHORT_TEXT, Prepared, prepare

_LETTERS_SHARE = 0.15  # share of letter 4-grams in the score of short texts, where one inflection is much of the text
# Two long texts never share all their words: measured, .35 among reports tells as much as .45 among
# titles. So the score rises with the terms of the shorter text, from SHORT to LONG, by this factor
# at most.
LONG, LONG_FACTOR = 45, 1.3
MANY = 200  # terms of a text beyond which another form of a word is another word: each would be held against all


def compare(a: Prepared, b: Prepared) -> float:
    """How alike two texts are: 0 … 1, the same whichever comes first."""
    if a.text == b.text:
        return 1.0 if a.text else 0.0
    (left, left_length), (right, right_length) = of_a, of_b = _weighed(a), _weighed(b)
    if not left_length or not right_length:
        return 0.0
    if len(left) > len(right):
        left, right = right, left
    # fsum: the same to the last bit whichever text comes first.
    dot = math.fsum(weight * right[term] for term, weight in left.items() if term in right)
    score = by_words = min(1.0, dot / (left_length * right_length))
    if a.letters and b.letters and by_words > 0.1:
        by_letters = 2 * len(a.letters & b.letters) / (len(a.letters) + len(b.letters))
        score = (1 - _LETTERS_SHARE) * by_words + _LETTERS_SHARE * by_letters
    elif len(left) > SHORT_TEXT and not (a.head and b.head):
        longer = (min(LONG, len(left)) - SHORT_TEXT) / (LONG - SHORT_TEXT)
        score = min(1.0, by_words * (1 + (LONG_FACTOR - 1) * longer))
    if a.head and b.head:
        met = (_held(a.head, *of_a, of_b[0]) + _held(b.head, *of_b, of_a[0])) / 2
        score = min(1.0, score + HEADS * met)
    return score


def says_more(one: Prepared, other: Prepared, besides: Set[str] = frozenset()) -> str:
    """The first thing that one text says, names or runs and the other does not, but for what
    stands in `besides`; empty where there is none. The whole texts are read, not only their
    heads: what rides on a lesson stands at its end."""
    theirs = other.weights.keys()
    passed_over = theirs | FILLERS | BLAND | HERE | besides
    near = () if len(theirs) > MANY else theirs
    for term in one.weights:
        if term not in passed_over and not any(
            related(term, each) or same_place(term, each) for each in near
        ):
            return term
    return ""


def shares_half(one: str, other: str) -> bool:
    """Whether at least half of what one text says stands in the other: what shares less is not
    the same, whoever calls it so."""
    mine, theirs = prepare(one).weights.keys(), prepare(other).weights.keys()
    return 2 * len(mine & theirs) >= len(mine)


def _weighed(of: Prepared) -> tuple[dict[str, float], float]:
    """A text's terms, those that nearly every lesson has lighter, and the length of that vector."""
    vector = {term: weight * _LIGHT_TERMS.get(term, 1.0) for term, weight in of.weights.items()}
    return vector, math.sqrt(math.fsum(weight * weight for weight in vector.values()))


def _held(
    head: frozenset[str], own: Mapping[str, float], length: float, other: Mapping[str, float]
) -> float:
    """How much of a text is what its head says and the other has anywhere, by weight."""
    return math.fsum(own[term] * own[term] for term in head if term in other) / (length * length)


_LIGHT_TERMS = dict.fromkeys(
    "use always ensure run set add error file code user when call check new".split(), 0.6
)

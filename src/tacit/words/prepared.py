"""What is compared: a text prepared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tacit.core.value import value
from tacit.words.claim_words import same_word
from tacit.words.stop_words import all_stop_words
from tacit.words.tokens import (
    STEMMERS,
    WORD,
    Piece,
    fold,
    language,
    normal,
    piece_terms,
    scan,
)

SATURATION = 2.0  # a word said often counts more, but less and less: tf / (tf + 2)
HEAD_WEIGHT = 2.0  # extra sightings for each word of the head of a longer text; three times in all (retrieval fact 4)
SHORT_TEXT = 25  # terms; a longer text has words enough, and letters of boilerplate only blur it
# Two reports of one thing name it in their first lines, and one's first line often stands somewhere
# in the other. So where both have more than a first line, so much of what that weighs in each text
# is added instead; a title that all have weighs nothing.
HEADS = 0.5
HEAD_TERMS = 48  # of a first line that has no end: a lesson whole, a report by its title


@value
class Prepared:
    """A text read once, to be compared often."""

    text: str  # folded: equal here is equal
    weights: Mapping[str, float]  # term → saturated frequency
    letters: frozenset[str]
    tags: tuple[str, ...] = ()
    head: frozenset[str] = (
        frozenset()
    )  # the terms of the first line, or of its beginning, where more follows


@value
class Likeness:
    """How alike two texts are."""

    score: float  # 0 … 1, symmetric


@value
class Match:
    """The choice among candidates: a known lesson, or a new one."""

    id: str  # empty: none of them
    score: float  # of the best candidate, taken or not
    runner_up_id: str  # the nearest candidate that was not taken
    runner_up: float
    reason: str


@value
class MatchSettings:
    """A profile's [match], for callers without a profile."""

    matcher: str = "lexical"
    threshold: float = 1.0
    margin: float = 0.0


def prepare(text: str, tags: Sequence[str] = ()) -> Prepared:
    """Read a text for comparing. One run's findings meet the same neighbours again and again, so
    what was read is kept for a while."""
    return _prepared(text, tuple(tags))


@lru_cache(maxsize=1024)
def _prepared(text: str, tags: tuple[str, ...]) -> Prepared:
    pieces = list(scan(text))
    stem = STEMMERS[language(pieces)]
    scanned = normal(text)
    ended = _head_length(scanned, pieces)
    counts: dict[str, float] = {}
    head = set[str]()
    for number, piece in enumerate(pieces):
        whole = True
        for term in piece_terms(piece, stem):
            share = (1.0 if whole else 0.5) * (
                1.0 + HEAD_WEIGHT if number < ended < len(pieces) else 1.0
            )
            term = same_word(term)
            counts[term] = counts.get(term, 0.0) + share
            whole = False
            if number < ended < len(pieces):
                head.add(term)
    letters = frozenset[str]()
    if len(counts) <= SHORT_TEXT:
        flat = " ".join(piece.whole for piece in pieces)
        letters = frozenset(flat[i : i + 4] for i in range(len(flat) - 3))
    weights = {term: count / (count + SATURATION) for term, count in counts.items()}
    return Prepared(folded(scanned), weights, letters, tags, frozenset(head))


def folded(text: str) -> str:
    """A text for the question whether two are equal: case, accents, spacing and final
    punctuation aside."""
    return " ".join(fold(text).split()).strip(" .!;,")


def _head_length(text: str, pieces: Sequence[Piece]) -> int:
    """How many pieces belong to the head: the first line that says something, bounded."""
    said = 0
    for number, piece in enumerate(pieces):
        if said >= 3 and "\n" in text[pieces[number - 1].start : piece.start]:
            return number
        said += piece.kind != WORD or piece.whole not in all_stop_words()
        if said > HEAD_TERMS:
            return number
    return len(pieces)

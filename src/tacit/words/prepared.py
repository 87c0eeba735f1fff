"""What is compared: a text prepared once, and how alike two of them are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from tacit.core.value import value
from tacit.words.claim_words import same_word
from tacit.words.claims import Claims, claims_of, head_length
from tacit.words.report_or_rule import orders, reports
from tacit.words.tokens import STEMMERS, fold, language, normal, piece_terms, scan

# Chosen on the dev half of two bug trackers and on our own pairs (bench/matching.py, docs/internals/decisions/0004-matching.md):
# lower finds more twins among reports at more false merges, higher loses paraphrases. The margin spares few false merges since
# lessons are doubted; a wider one costs twins of which there are several already.
THRESHOLD = 0.36
MATCH_MARGIN = 0.03
SATURATION = 2.0  # a word said often counts more, but less and less: tf / (tf + 2)
HEAD_WEIGHT = 2.0  # extra sightings for each word of the head of a longer text; three times in all (retrieval fact 4)
SHORT_TEXT = 25  # terms; a longer text has words enough, and letters of boilerplate only blur it
# Two reports of one thing name it in their first lines, and one's first line often stands somewhere in the other. So where both
# have more than a first line, so much of what that weighs in each text is added instead; a title that all have weighs nothing.
HEADS = 0.5
# Of a lesson's terms that the other does not account for, where each has such: beyond that, words do not vouch for a merge,
# nor do they for a copy in which one place was changed. At 1 nothing is doubted.
# It spares three of four false merges, and costs half of the twins in other words (docs/internals/decisions/0004-matching.md).
DOUBT_SCORE = 0.25


@value
class Prepared:
    """A text read once, to be compared often."""

    text: str  # folded: equal here is equal
    source: str  # as it is scanned: claims are read when they are asked for, and of most texts nobody asks
    weights: Mapping[str, float]  # term → saturated frequency
    letters: frozenset[str]
    tags: tuple[str, ...] = ()
    signature: str = ""
    category: str = ""
    head: frozenset[str] = (
        frozenset()
    )  # the terms of the first line, or of its beginning, where more follows

    @cached_property
    def claims(self) -> Claims:
        """What the head of the text says."""
        pieces = list(scan(self.source))
        return claims_of(self.source, pieces[: head_length(self.source, pieces)], language(pieces))

    @property
    def _first_line(self) -> str:
        return self.source.lstrip().partition("\n")[0]

    @property
    def _english(self) -> bool:
        return self.source.replace("’", "'").isascii() and language(scan(self.source)) == "en"

    @cached_property
    def reports(self) -> bool:
        """Whether it tells what went wrong, and not what to do."""
        return self._english and reports(self._first_line)

    @cached_property
    def orders(self) -> bool:
        """Whether it tells somebody what to do; where that cannot be read it is taken so."""
        return not self._english or orders(self._first_line)


@value
class Likeness:
    """How alike two texts are, and why they are not the same although they may look it."""

    score: float  # 0 … 1, symmetric
    blocked: str = (
        ""  # "negation: commit", "number: 8080 / 9090" …; empty where nothing speaks against it
    )
    parts: Mapping[str, float] | None = None
    doubt: float = (
        0.0  # 0 … 1: how little words alone vouch that they are the same, whatever the score …
    )
    doubted: str = ""  # … and for what


@value
class Match:
    """The choice among candidates: a known lesson, or a new one."""

    id: str  # empty: none of them
    score: float  # of the best candidate, taken or not
    runner_up_id: str  # the nearest candidate that was not taken
    runner_up: float
    reason: str


@value
class Sameness:
    """Whether a finding is the problem that a lesson is about."""

    same: bool
    score: float
    reason: str


@value
class MatchSettings:
    """A profile's [match], for callers without a profile."""

    matcher: str = "lexical"
    threshold: float = THRESHOLD
    margin: float = MATCH_MARGIN
    doubt: float = DOUBT_SCORE


def prepare(
    text: str, tags: Sequence[str] = (), signature: str = "", category: str = ""
) -> Prepared:
    """Read a text for comparing. One run's findings meet the same neighbours again and again, so what was read is kept for a while."""
    return _prepared(text, tuple(tags), signature, category)


@lru_cache(maxsize=1024)
def _prepared(text: str, tags: tuple[str, ...], signature: str, category: str) -> Prepared:
    pieces = list(scan(text))
    stem = STEMMERS[language(pieces)]
    scanned = normal(text)
    ended = head_length(scanned, pieces)
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
    return Prepared(
        _folded(scanned), scanned, weights, letters, tags, signature, category, frozenset(head)
    )


def _folded(text: str) -> str:
    """A text for the question whether two are equal: case, accents, spacing and final punctuation aside."""
    return " ".join(fold(text).split()).strip(" .!;,")

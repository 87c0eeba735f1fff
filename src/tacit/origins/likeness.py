"""The origins' own measures of likeness, under their names: what decides there whether two lessons are the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol
from unicodedata import category

from tacit.learn.same import EQUAL_TEXT
from tacit.words.claim_words import same_word
from tacit.words.prepared import Likeness, Match, Prepared
from tacit.words.tokens import terms

if TYPE_CHECKING:
    Idf = Callable[[str], float]

    class Rules(Protocol):
        """What `choose_same` needs of a profile's [match]."""

        @property
        def matcher(self) -> str: ...
        @property
        def threshold(self) -> float: ...
        @property
        def margin(self) -> float: ...


LENIENT = 0.8  # of an origin's threshold: when settling, a missed recurrence flatters the lesson …
STRANGERS = 0.36  # … but not below this, unless the threshold is: there strangers begin
# Words of the other text are not looked up; taken as met nowhere else they would outweigh what both have in common.
UNCOUNTED = 0.25


def choose_same(
    finding: Prepared, candidates: Sequence[tuple[str, Prepared]], settings: Rules
) -> Match:
    """The candidate that is the same lesson as the finding, by an origin's measure: the best one, if it reaches the threshold and stands
    out from the runner-up by the margin. Equal texts always match."""
    measure = _measure(settings.matcher)
    scored = sorted(
        (
            (1.0 if each.text == finding.text else measure(finding, each).score, id, each)
            for id, each in candidates
        ),
        key=lambda each: (-each[0], each[2].text != finding.text, each[1]),
    )
    (score, id, best) = scored[0] if scored else (0.0, "", None)
    second, second_id = (scored[1][0], scored[1][1]) if len(scored) > 1 else (0.0, "")
    if best is None or score < settings.threshold:
        return Match("", score, id, score, f"nearest {score:.2f} is below {settings.threshold:.2f}")
    if best.text == finding.text:
        return Match(id, score, second_id, second, "equal text")
    if score - second >= settings.margin:
        return Match(id, score, second_id, second, f"alike {score:.2f}, runner-up {second:.2f}")
    return Match(
        "", score, id, score, f"alike {score:.2f}, but {id} and {second_id} are equally near"
    )


def same_problem(memory: Prepared, finding: Prepared, settings: Rules) -> bool:
    """Whether a finding reports the problem that a memory is about, asked when uses are settled: an equal text, or, by an origin's measure,
    one somewhat nearer than its threshold."""
    if memory.text and memory.text == finding.text:
        return True
    needed = min(settings.threshold, max(settings.threshold * LENIENT, STRANGERS))
    return _measure(settings.matcher)(finding, memory).score >= needed


def rarity(frequency: Mapping[str, int], rows: int) -> Idf:
    """How telling a term is in a store, from the counts of the words it was looked up by; one nobody counted is taken as rather rare."""
    counts = {term: n for word, n in frequency.items() for term in matching_terms(word)}
    uncounted = rows**UNCOUNTED - 1 if rows else 0.0
    return lambda term: math.log(1 + (rows + 1) / (1 + counts.get(term, uncounted)))


def overlap(finding: Prepared, memory: Prepared) -> Likeness:
    """Which share of the finding's keywords does the lesson have, in description and tags?

    Whole percent, rounded down as its program does. A finding of one or two keywords would match every long lesson that
    holds them (the document asks for overlap *between* the two), so its share is taken of the larger keyword set.
    """
    found = keywords(finding.text)
    known = keywords(" ".join((memory.text, *memory.tags)))
    if not found or not known:
        return Likeness(0.0)
    of = len(found) if len(found) > 2 else max(len(found), len(keywords(memory.text)))
    return Likeness(100 * len(found & known) // of / 100)


def jaccard(finding: Prepared, memory: Prepared) -> Likeness:
    """Keywords in common, of all keywords."""
    found, known = keywords(finding.text), keywords(memory.text)
    return Likeness(len(found & known) / len(found | known) if found and known else 0.0)


@lru_cache(maxsize=4096)
def keywords(text: str) -> frozenset[str]:
    """The origins' keywords: lower case, punctuation stripped, three characters and more; letters of any script."""
    low = text.lower()
    if low.isascii():
        return frozenset(re.findall(r"[a-z0-9]{3,}", low))

    plain = "".join(c if c.isalnum() or category(c)[0] == "M" else " " for c in low)
    return frozenset(word for word in plain.split() if len(word) > 2)


MATCHERS: Mapping[str, Callable[[Prepared, Prepared], Likeness]] = {
    EQUAL_TEXT: lambda a, b: Likeness(1.0 if a.text and a.text == b.text else 0.0),
    "overlap": overlap,
    "jaccard": jaccard,
}


def _measure(name: str) -> Callable[[Prepared, Prepared], Likeness]:
    return MATCHERS[name]


def matching_terms(text: str) -> list[str]:
    """A text's terms as `Prepared.weights` names them: what a store's counts must be keyed by to serve as idf."""
    return [same_word(term) for term in terms(text)]


def looked_up(text: str) -> list[str]:
    """The words by which a text's neighbours are looked up: these measures count stop words, too."""
    return sorted(keywords(text), key=lambda word: (-len(word), word))

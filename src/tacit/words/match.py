"""How alike two texts are, and what one says that the other does not.

The score is a cosine of idf-weighted words; letters help where words are inflected. It decides nothing by itself: two lessons are the
same where their texts are equal after folding, or where a reader says so, and the score only finds the few that the reader is asked about.

The origins' own measures stand here under their names, and decide in their profiles (`MATCHERS`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol
from unicodedata import category

from tacit.hookspecs import policy
from tacit.words.claim_words import BLAND, FILLERS, HERE, related, same_place, same_word
from tacit.words.prepared import HEADS, SHORT_TEXT, Likeness, Match, Prepared, prepare
from tacit.words.tokens import VAGUE, terms

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


EQUAL_TEXT = "lexical"  # the matcher of a profile without a measure of its own
LENIENT = 0.8  # of an origin's threshold: when settling, a missed recurrence flatters the lesson …
STRANGERS = 0.36  # … but not below this, unless the threshold is: there strangers begin
_LETTERS_SHARE = 0.15  # share of letter 4-grams in the score of short texts, where one inflection is much of the text
# Two long texts never share all their words: measured, .35 among reports tells as much as .45 among titles. So the score
# rises with the terms of the shorter text, from SHORT to LONG, by this factor at most.
LONG, LONG_FACTOR = 45, 1.3
# Words of the other text are not looked up; taken as met nowhere else they would outweigh what both have in common.
UNCOUNTED = 0.25
MANY = 200  # terms of a text beyond which another form of a word is another word: each would be held against all


def compare(a: Prepared, b: Prepared, idf: Idf | None = None) -> Likeness:
    """How alike two texts are. `idf` says how rare a term is in this store."""
    if a.text == b.text:
        return Likeness(1.0 if a.text else 0.0)
    (left, left_length), (right, right_length) = of_a, of_b = _weighed(a, idf), _weighed(b, idf)
    if not left_length or not right_length:
        return Likeness(0.0)
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
    if a.signature and b.signature:
        if a.signature == b.signature:
            score += (1 - score) * _told(a.signature)
        else:
            score *= 0.9
    return Likeness(score)


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
    if settings.matcher == EQUAL_TEXT:
        return False
    needed = min(settings.threshold, max(settings.threshold * LENIENT, STRANGERS))
    return _measure(settings.matcher)(finding, memory).score >= needed


def says_more(one: Prepared, other: Prepared, besides: Set[str] = frozenset()) -> str:
    """The first thing that one text says, names or runs and the other does not, but for what stands in `besides`; empty where there is none.
    The whole texts are read, not only their heads: what rides on a lesson stands at its end."""
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
    """Whether at least half of what one text says stands in the other: what shares less is not the same, whoever calls it so."""
    mine, theirs = prepare(one).weights.keys(), prepare(other).weights.keys()
    return 2 * len(mine & theirs) >= len(mine)


def rarity(frequency: Mapping[str, int], rows: int) -> Idf:
    """How telling a term is in a store, from the counts of the words it was looked up by; one nobody counted is taken as rather rare."""
    counts = {term: n for word, n in frequency.items() for term in matching_terms(word)}
    uncounted = rows**UNCOUNTED - 1 if rows else 0.0
    return lambda term: math.log(1 + (rows + 1) / (1 + counts.get(term, uncounted)))


def _weighed(of: Prepared, idf: Idf | None) -> tuple[dict[str, float], float]:
    """A text's terms weighed by rarity, and the length of that vector."""
    if idf is None:
        vector = {term: weight * _LIGHT_TERMS.get(term, 1.0) for term, weight in of.weights.items()}
    else:
        vector = {term: weight * idf(term) for term, weight in of.weights.items()}
    return vector, math.sqrt(math.fsum(weight * weight for weight in vector.values()))


def _held(
    head: frozenset[str], own: Mapping[str, float], length: float, other: Mapping[str, float]
) -> float:
    """How much of a text is what its head says and the other has anywhere, by weight."""
    return math.fsum(own[term] * own[term] for term in head if term in other) / (length * length)


@lru_cache(maxsize=4096)
def _told(signature: str) -> float:
    """How much an equal signature tells: "error: exit code 1" little, a sentence of its own almost everything."""
    said = re.findall(r"[^\W\d_]{3,}", re.sub(r"<\w+>", " ", signature).lower())
    plain = {word for word in said if word not in VAGUE}
    return min(0.8, 0.2 * len(plain))


# Without a store's counts: words that nearly every lesson has.
_LIGHT_TERMS = dict.fromkeys(
    (
        "use",
        "always",
        "ensure",
        "run",
        "set",
        "add",
        "error",
        "file",
        "code",
        "user",
        "when",
        "call",
        "check",
        "new",
    ),
    0.6,
)


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
    """One of ours, or what a stranger's package offers under the name."""
    return MATCHERS.get(name) or policy("matcher", name, MATCHERS)


def matching_terms(text: str) -> list[str]:
    """A text's terms as `Prepared.weights` names them: what a store's counts must be keyed by to serve as idf."""
    return [same_word(term) for term in terms(text)]

"""Is this the same lesson? Likeness of two texts, what speaks against it, and the choice among candidates.

The score is a cosine of idf-weighted words; letters help where words are inflected. Alone it cannot tell "commit the
lock file" from "never commit the lock file", and that is worse than missing a twin: the second sighting would
strengthen its opposite. So each text is also read for what it claims (`Claims`: negated clauses, numbers, versions,
names, sides of known opposites, order), and `opposed` names the first claim on which two alike texts disagree.
`choose_same` takes the best candidate, not the first, and asks for a margin over the runner-up: a twin stands out,
boilerplate does not.

The origins' own measures stand here under their names; any profile may name any of them (`MATCHERS`).
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
from tacit.words.copies import changed
from tacit.words.disagree import beyond, disagreement
from tacit.words.prepared import (
    HEADS,
    SHORT_TEXT,
    Likeness,
    Match,
    MatchSettings,
    Prepared,
    Sameness,
    prepare,
)
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
        @property
        def doubt(self) -> float: ...


# what an empty store asks at least; from so many lessons on the threshold itself holds
YOUNG_THRESHOLD, GROWN = 0.45, 100
CERTAIN = 0.9  # so alike that no margin is asked
LENIENT = 0.8  # of the threshold: when settling, a missed recurrence flatters the lesson (see `same_problem`) …
STRANGERS = 0.36  # … but not below this, unless the threshold is: there strangers begin
_LETTERS_SHARE = 0.15  # share of letter 4-grams in the score of short texts, where one inflection is much of the text
# Two long texts never share all their words: measured, .35 among reports tells as much as .45 among titles. So the score
# rises with the terms of the shorter text, from SHORT to LONG, by this factor at most.
LONG, LONG_FACTOR = 45, 1.3
# Which candidates are worth reading closely, by a glance at their words: the first, and whoever is neither far behind it
# nor far off. On the dev half of the trackers whoever scores .45 has .19 by the glance; of those that score .36 few have less.
BEHIND, FAR = 0.5, 0.2
# Words of the other text are not looked up. Taken as met nowhere else they would outweigh what both have in common, and twins would
# be strangers: learned by the whole pipeline, the dev half has 38 of 104 twins with this share of the store's size, 27 without.
UNCOUNTED = 0.25
MANY = 200  # terms of a text beyond which another form of a word is another word: each would be held against all
GUARDED = 0.3  # below this likeness nobody merges, and claims are not compared


def compare(a: Prepared, b: Prepared, idf: Idf | None = None) -> Likeness:
    """How alike two texts are; the default matcher. `idf` says how rare a term is in this store."""
    likeness = _compare(a, _weighed(a, idf), b, _weighed(b, idf))
    if likeness.blocked or likeness.score < GUARDED:
        return likeness
    doubt, why = _doubt(a, b)
    return Likeness(likeness.score, "", likeness.parts, doubt, why)


def choose_same(
    finding: Prepared,
    candidates: Sequence[tuple[str, Prepared]],
    settings: Rules,
    idf: Idf | None = None,
) -> Match:
    """The candidate that is the same lesson as the finding, if one is.

    The best one, if it reaches the threshold and stands out from the runner-up by the margin. No margin is asked of a
    near-equal text, nor against a runner-up that is itself the best one's twin. Equal texts always match.
    """
    matcher = _matcher(settings.matcher)
    own = _weighed(finding, idf) if matcher is compare else None
    scored = _scored(finding, own, candidates, matcher, idf)
    ranked, blocked = _unopposed(finding, scored, settings, guard=own is not None)
    if not ranked or ranked[0][0] < settings.threshold:
        return _none(ranked, blocked, settings)
    score, id, best = ranked[0]
    second, second_id = (ranked[1][0], ranked[1][1]) if len(ranked) > 1 else (0.0, "")
    if best.text == finding.text:
        return Match(id, score, second_id, second, "equal text")
    doubt, why = _doubt(finding, best) if own is not None else (0.0, "")
    if doubt > settings.doubt:
        return Match("", score, id, score, f"alike {score:.2f} to {id}, but {why}")
    if score - second >= settings.margin or score >= CERTAIN:
        return Match(id, score, second_id, second, f"alike {score:.2f}, runner-up {second:.2f}")
    twins = matcher(best, ranked[1][2], idf)
    if twins.score >= settings.threshold and not twins.blocked:
        return Match(id, score, second_id, second, f"alike {score:.2f}; the runner-up is its twin")
    return Match(
        "", score, id, score, f"alike {score:.2f}, but {id} and {second_id} are equally near"
    )


def _scored(
    finding: Prepared,
    own: tuple[dict[str, float], float] | None,
    candidates: Sequence[tuple[str, Prepared]],
    matcher: Callable[[Prepared, Prepared, Idf | None], Likeness],
    idf: Idf | None,
) -> list[tuple[Likeness, str, Prepared]]:
    """Candidates by their likeness, the nearest first. Of equal scores the equal text, then the smaller id, so that the order in
    which a store answers decides nothing."""
    scored = []
    for id, candidate in candidates:
        if candidate.text == finding.text and finding.text:
            likeness = Likeness(1.0)
        elif own is not None:
            likeness = _compare(finding, own, candidate, _weighed(candidate, idf), math.inf)
        else:
            likeness = matcher(finding, candidate, idf)
        scored.append((likeness, id, candidate))
    return sorted(scored, key=lambda each: (-each[0].score, each[2].text != finding.text, each[1]))


def _unopposed(
    finding: Prepared,
    scored: Sequence[tuple[Likeness, str, Prepared]],
    settings: Rules,
    guard: bool,
) -> tuple[list[tuple[float, str, Prepared]], tuple[float, str, str]]:
    """The nearest two that say nothing against the finding, and the nearest that does. What a text claims is dear to read, four times
    what preparing it costs, so a `guard` reads it only where something is decided by it, and no further than to the second."""
    claims = guard and bool(scored) and scored[0][0].score >= lenient(settings.threshold)
    guarded = min(
        settings.threshold - settings.margin, lenient(settings.threshold)
    )  # nearer ones decide something
    ranked: list[tuple[float, str, Prepared]] = []
    blocked = (0.0, "", "")
    for likeness, id, candidate in scored:
        read = claims and likeness.score >= guarded and candidate.text != finding.text
        if against := opposed(finding, candidate) if read else likeness.blocked:
            blocked = blocked if blocked[1] else (likeness.score, id, against)
            continue
        ranked.append((likeness.score, id, candidate))
        if len(ranked) == 2:
            break
    return ranked, blocked


def _none(
    ranked: list[tuple[float, str, Prepared]], blocked: tuple[float, str, str], settings: Rules
) -> Match:
    score, best_id = (ranked[0][0], ranked[0][1]) if ranked else (0.0, "")
    if blocked[0] >= settings.threshold:
        return Match("", score, best_id, score, f"opposed to {blocked[1]}: {blocked[2]}")
    return Match(
        "", score, best_id, score, f"nearest {score:.2f} is below {settings.threshold:.2f}"
    )


def same_problem(
    memory: Prepared, finding: Prepared, settings: Rules, idf: Idf | None = None
) -> Sameness:
    """Whether this finding reports the problem that the memory is about; asked when uses are settled.

    More lenient than `choose_same`, on purpose. A lesson prescribes ("never commit secrets") what a finding reports broken
    ("secrets committed in app.py"), so negations, opposites and order do not count here; numbers, versions, names and
    scopes do. The threshold is lower and there is no margin: each lesson is asked for itself, and a recurrence that
    goes unseen would make every lesson look good. Equal signatures of the same names settle it.
    """
    likeness = _matcher(settings.matcher)(finding, memory, idf)
    needed = lenient(settings.threshold)
    if memory.text and memory.text == finding.text:
        return Sameness(True, 1.0, "equal text")
    if likeness.score < needed:
        return Sameness(False, likeness.score, f"{likeness.score:.2f} is below {needed:.2f}")
    against = opposed(memory, finding, prescribed=True) if likeness.blocked else ""
    if against:
        return Sameness(False, likeness.score, against)
    return Sameness(True, likeness.score, f"alike {likeness.score:.2f}")


def says_more(one: Prepared, other: Prepared, besides: Set[str] = frozenset()) -> str:
    """The first thing that one text says, names or runs and the other does not, but for what stands in `besides`; empty where there is none.
    The whole texts are read, not only their heads: what rides on a lesson stands at its end."""
    theirs = other.weights.keys()
    for term in one.weights.keys() - theirs - FILLERS - BLAND - HERE - besides:
        near = () if len(theirs) > MANY else theirs
        if not any(related(term, each) or same_place(term, each) for each in near):
            return term
    return ""


def shares_half(one: str, other: str) -> bool:
    """Whether at least half of what one text says stands in the other: what shares less is not the same, whoever calls it so."""
    mine, theirs = prepare(one).weights.keys(), prepare(other).weights.keys()
    return 2 * len(mine & theirs) >= len(mine)


def grown(settings: Rules, rows: int) -> Rules:
    """What a store of so many lessons asks: in a young one counts do not tell yet which words are common, and strangers look alike."""
    young = YOUNG_THRESHOLD - (YOUNG_THRESHOLD - settings.threshold) * min(1.0, rows / GROWN)
    return MatchSettings(
        settings.matcher, max(settings.threshold, young), settings.margin, settings.doubt
    )


def lenient(threshold: float) -> float:
    """How alike a finding must be to count as a recurrence, or to share its neighbour's assignment."""
    return min(threshold, max(threshold * LENIENT, STRANGERS))


def rarity(frequency: Mapping[str, int], rows: int) -> Idf:
    """How telling a term is in a store, from the counts of the words it was looked up by; one nobody counted is taken as rather rare."""
    counts = {term: n for word, n in frequency.items() for term in matching_terms(word)}
    uncounted = rows**UNCOUNTED - 1 if rows else 0.0
    return lambda term: math.log(1 + (rows + 1) / (1 + counts.get(term, uncounted)))


def nearest_by_words(
    words: Set[str], candidates: Mapping[str, Set[str]], rarity: Mapping[str, float], rare: float
) -> list[str]:
    """The candidates that may turn out to be the same, by a glance: a cosine of plain words, as an index cuts them.

    To prepare a text costs as much as fifty glances at one. A word without a `rarity` counts as `rare`.
    """
    known = {word: told * told for word, told in rarity.items()}
    unknown = rare * rare
    own = math.sqrt(sum(known.get(word, unknown) for word in words))
    scores: dict[str, float] = {}
    for id, theirs in candidates.items():
        met = known.keys() & theirs
        length = unknown * (len(theirs) - len(met)) + sum(known[word] for word in met)
        shared = sum(known.get(word, unknown) for word in words & theirs)
        scores[id] = shared / (own * math.sqrt(length)) if shared else 0.0
    ordered = sorted(scores, key=lambda id: (-scores[id], id))
    least = max(FAR, BEHIND * scores[ordered[0]]) if ordered else 0.0
    return [id for place, id in enumerate(ordered) if not place or scores[id] >= least]


def _weighed(of: Prepared, idf: Idf | None) -> tuple[dict[str, float], float]:
    """A text's terms weighed by rarity, and the length of that vector."""
    if idf is None:
        vector = {term: weight * _LIGHT_TERMS.get(term, 1.0) for term, weight in of.weights.items()}
    else:
        vector = {term: weight * idf(term) for term, weight in of.weights.items()}
    return vector, math.sqrt(math.fsum(weight * weight for weight in vector.values()))


def _compare(
    a: Prepared,
    of_a: tuple[dict[str, float], float],
    b: Prepared,
    of_b: tuple[dict[str, float], float],
    guarded: float = GUARDED,
) -> Likeness:
    if a.text == b.text:
        return Likeness(1.0 if a.text else 0.0, "", {"words": 1.0})
    (left, left_length), (right, right_length) = of_a, of_b
    if not left_length or not right_length:
        return Likeness(0.0, "", {"words": 0.0})
    if len(left) > len(right):
        left, right = right, left
    # fsum: the same to the last bit whichever text comes first.
    dot = math.fsum(weight * right[term] for term, weight in left.items() if term in right)
    score = by_words = min(1.0, dot / (left_length * right_length))
    parts = {"words": by_words}
    if a.letters and b.letters and by_words > 0.1:
        parts["letters"] = by_letters = (
            2 * len(a.letters & b.letters) / (len(a.letters) + len(b.letters))
        )
        score = (1 - _LETTERS_SHARE) * by_words + _LETTERS_SHARE * by_letters
    elif len(left) > SHORT_TEXT and not (a.head and b.head):
        score = min(
            1.0,
            by_words
            * (1 + (LONG_FACTOR - 1) * (min(LONG, len(left)) - SHORT_TEXT) / (LONG - SHORT_TEXT)),
        )
    if a.head and b.head:
        parts["heads"] = met = (_held(a.head, *of_a, of_b[0]) + _held(b.head, *of_b, of_a[0])) / 2
        score = min(1.0, score + HEADS * met)
    if a.signature and b.signature:
        if a.signature == b.signature:
            parts["signature"] = told = _told(a.signature)
            score += (1 - score) * told
        else:
            score *= 0.9
    return Likeness(score, opposed(a, b) if score >= guarded else "", parts)


def _held(
    head: frozenset[str], own: Mapping[str, float], length: float, other: Mapping[str, float]
) -> float:
    """How much of a text is what its head says and the other has anywhere, by weight."""
    return math.fsum(own[term] * own[term] for term in head if term in other) / (length * length)


def _doubt(a: Prepared, b: Prepared) -> tuple[float, str]:
    """How little words vouch that two lessons are one: not at all where one is a copy of the other with another word in it; else
    by what each says that the other does not account for.

    What a lesson says, it says in every word. A report never shares all of its words with another, nor do two of one error; only a
    figure in the place of another makes it another report.
    """
    if a.text == b.text or max(len(a.weights), len(b.weights)) > LONG or _same_error(a, b):
        return 0.0, ""
    x, y = a.claims, b.claims
    word, reported = changed(x, y), _both_report(a, b)
    if word and (not reported or any(map(str.isdigit, word))):
        return 1.0, f"it has another word: {word}"
    only_x, only_y = beyond(x, y), beyond(y, x)
    # one word for another was judged by where it stands
    if reported or not only_x or not only_y or len(only_x) == len(only_y) == 1:
        return 0.0, ""
    share = max(len(only_x) / len(x.terms), len(only_y) / len(y.terms))
    return share, f"{share:.0%} is said by one of them only"


def _both_report(a: Prepared, b: Prepared) -> bool:
    """Whether both tell what went wrong; or both have a head that orders nothing and more below it, and one is longer than a lesson."""
    if (
        a.head
        and b.head
        and max(len(a.weights), len(b.weights)) > SHORT_TEXT
        and not a.orders
        and not b.orders
    ):
        return True
    return a.reports and b.reports


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


def opposed(a: Prepared, b: Prepared, prescribed: bool = False) -> str:
    """The claim on which two alike texts disagree, with its kind; empty where there is none.

    `prescribed`: one of them is a rule and the other a report of its breach, so that yes and no may differ.
    """
    return disagreement(a.claims, b.claims, same_error=_same_error(a, b), prescribed=prescribed)


def _same_error(a: Prepared, b: Prepared) -> bool:
    return bool(a.signature) and a.signature == b.signature


def archeflow_overlap(finding: Prepared, memory: Prepared, idf: Idf | None = None) -> Likeness:
    """ArcheFlow's 50 % rule: which share of the finding's keywords does the lesson have, in description and tags?

    Whole percent, rounded down as its program does. A finding of one or two keywords would match every long lesson that
    holds them (the document asks for overlap *between* the two), so its share is taken of the larger keyword set.
    """
    found = keywords(finding.text)
    known = keywords(" ".join((memory.text, *memory.tags)))
    if not found or not known:
        return Likeness(0.0)
    of = len(found) if len(found) > 2 else max(len(found), len(keywords(memory.text)))
    return Likeness(100 * len(found & known) // of / 100)


def jaccard(finding: Prepared, memory: Prepared, idf: Idf | None = None) -> Likeness:
    """Keywords in common, of all keywords: joelclaw's nightly sweep (.85) and geas's duplicate check (.70)."""
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


MATCHERS: Mapping[str, Callable[[Prepared, Prepared, Idf | None], Likeness]] = {
    "lexical": compare,
    "overlap": archeflow_overlap,
    "jaccard": jaccard,
}


def _matcher(name: str) -> Callable[[Prepared, Prepared, Idf | None], Likeness]:
    """One of ours, or what a stranger's package offers under the name."""
    return MATCHERS.get(name) or policy("matcher", name, MATCHERS)


def matching_terms(text: str) -> list[str]:
    """A text's terms as `Prepared.weights` names them: what a store's counts must be keyed by to serve as idf."""
    return [same_word(term) for term in terms(text)]

"""Standing requests: what a person asks for again and again, found by its coming again and by nothing else.

Sentences of two to sixteen words are joined where they share most of their telling words. Three lineages must have said it, in two
wordings at least: the same text letter by letter is a template or a paste. A sentence counts only where a verb in it orders something: a
remark or a question is no request. Whether it is to be a standing order, only the person can say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tacit.core.errors import Refused
from tacit.core.tables import Tables
from tacit.core.value import grouped, value
from tacit.learn.hazard import acts_in_any_form
from tacit.learn.notice.sentences import AFTER, words_of
from tacit.stores.incidents import Noted
from tacit.words.tokens import all_stop_words

_LINEAGES = 3
FEWEST_WORDINGS = 2
ALIKE_REQUESTS = 0.5  # of the weight of the words that two sentences hold
FEWEST_TELLING_WORDS = 2  # words that are neither common everywhere nor of the moment
# Said in every project, all day: asking for a commit is no standing order.
_DAILY = frozenset(
    "commit push pull pr fix open create merge change review branch main back switch checkout reply comment discussion thread"
    " yes ok okay please continue proceed go try again do it".split()
)


@value
class Request:
    """Something that was asked for in several sessions, in several wordings."""

    text: str  # the wording that most of them share
    lineages: tuple[str, ...]
    runs: tuple[str, ...]
    wordings: tuple[str, ...]  # the others, the commonest first
    after: bool = False  # mostly asked for once files had been edited
    said: tuple[str, ...] = ()  # as each of the runs said it first

    @property
    def order(self) -> str:
        """As an agent would have to read it: what was typed once is a task, and what is meant for every time has to say so. Asking for a
        commit each time is no leave to commit unasked: such an act is offered."""
        said = as_order(self.text).rstrip(" ?.!")
        said = said if said[:2].isupper() else said[:1].lower() + said[1:]
        if acts_in_any_form(said):
            return offered(said, self.after)
        when = (
            "When the work is done, without being asked"
            if self.after
            else "Without being asked each time"
        )
        return f"{when}: {said}."


def standing_requests(typed: Sequence[Noted], sessions: int, own: Collection[str]) -> list[Request]:
    """The clusters of typed sentences that may be standing requests and hold one of a run's `own` marks, the most frequent first."""
    stop, daily = all_stop_words(), {_stem(word) for word in _DAILY}
    said = (
        (each, words_of(each.incident.program)) for each in typed if is_order(each.incident.program)
    )
    read = [
        (each, frozenset(_stem(word) for word in words if word not in stop and "'" not in word))
        for each, words in said
    ]
    read = [
        (each, words)
        for each, words in read
        if len(words) >= FEWEST_TELLING_WORDS and words - daily
    ]
    met: dict[str, set[str]] = {}
    for each, words in read:
        for word in words:
            met.setdefault(word, set()).add(each.lineage)
    total = max(sessions, 1)
    weight = {word: math.log(1 + total / len(lineages)) for word, lineages in met.items()}
    by_words = grouped(read, lambda pair: pair[1])
    near = _Near(by_words, weight)
    asked = {words for each, words in read if each.incident.mark in own}
    around = near.to(near.to(asked))  # a sentence gathers around one that may gather around another
    by_words = {words: same for words, same in by_words.items() if words in around}
    clusters: list[list[tuple[Noted, frozenset[str]]]] = []
    holding: dict[str, list[int]] = {}  # word -> the clusters whose first sentence has it
    # The commonest sets of words come first: the others gather around them.
    for words, same in sorted(
        by_words.items(),
        key=lambda item: (-len({each.lineage for each, _ in item[1]}), sorted(item[0])),
    ):
        may = sorted({number for word in words for number in holding.get(word, ())})
        found_in = next(
            (
                number
                for number in may
                if _alike(clusters[number][0][1], words, weight) >= ALIKE_REQUESTS
            ),
            None,
        )
        if found_in is None:
            for word in words:
                holding.setdefault(word, []).append(len(clusters))
            clusters.append(list(same))
        else:
            clusters[found_in].extend(same)
    found = [
        _request(cluster)
        for cluster in clusters
        if any(each.incident.mark in own for each, _ in cluster)
    ]
    kept = [
        each
        for each in found
        if len(each.lineages) >= _LINEAGES and len(each.wordings) + 1 >= FEWEST_WORDINGS
    ]
    return sorted(kept, key=lambda each: (-len(each.lineages), each.text))


class _Near:
    """Finds the sentences that are alike. Words that everybody uses find none: two sentences that share only those are not alike."""

    def __init__(self, sentences: Iterable[frozenset[str]], weight: dict[str, float]) -> None:
        self.weight, self.holding = weight, dict[str, list[frozenset[str]]]()
        for words in sentences:
            for word in words:
                self.holding.setdefault(word, []).append(words)

    def to(self, wanted: Iterable[frozenset[str]]) -> set[frozenset[str]]:
        """All sentences that are alike to one of these, themselves among them."""
        found: set[frozenset[str]] = set()
        for words in wanted:
            enough, met = ALIKE_REQUESTS * sum(self.weight[word] for word in words), 0.0
            for word in sorted(words, key=lambda word: (self.weight[word], word)):
                met += self.weight[word]
                if met >= enough:  # what shares only the words before this one is not alike
                    found.update(
                        other
                        for other in self.holding[word]
                        if other not in found
                        and _alike(words, other, self.weight) >= ALIKE_REQUESTS
                    )
        return found


def _alike(one: frozenset[str], other: frozenset[str], weight: dict[str, float]) -> float:
    both = sum(weight[word] for word in one & other)
    return both / sum(weight[word] for word in one | other) if both else 0.0


def _request(cluster: Sequence[tuple[Noted, frozenset[str]]]) -> Request:
    said: dict[str, set[str]] = {}
    shown: dict[str, str] = {}
    for each, _ in cluster:
        said.setdefault(each.incident.mark, set()).add(each.lineage)
        shown.setdefault(each.incident.mark, each.incident.program)
    words = {mark: " ".join(words_of(text)) for mark, text in shown.items()}
    order = sorted(said, key=lambda mark: (-len(said[mark]), len(words[mark]), words[mark]))
    lineages = dict.fromkeys(each.lineage for each, _ in cluster)
    runs: dict[str, str] = {}
    for each, _ in cluster:
        runs.setdefault(each.run, each.incident.program)
    after = {each.lineage for each, _ in cluster if each.incident.family == AFTER}
    first, *others = (shown[mark] for mark in order[:6])
    own = tuple(runs.values())
    return Request(
        first, tuple(lineages), tuple(runs), tuple(others), 2 * len(after) > len(lineages), own
    )


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word[: -len(ending)]
    return word.removesuffix("e")


# What somebody asked for in passing, worded as a standing order: the same words without what makes them a request of that moment.

_tables = Tables(__file__)

_BEFORE = _tables.pattern("_BEFORE", re.I)
_AFTER = re.compile(
    r"[\s,]*\b(?:please|pls|thanks|thank you|for me|now|then|again|ok(?:ay)?)[\s.!]*$", re.I
)


# "when you are done, …", "before each commit, …": what stands before it says when, not what.
_WHEN = re.compile(
    r"(?:when|whenever|once|after|before|if|every time|each time|at the end)\b[^,]{2,60},\s*", re.I
)
_ALWAYS = re.compile(
    r"(?:always|never|do not|don't|dont|make sure (?:to|that you)|remember to|be sure to)\s+", re.I
)
_ORDER_VERBS = _tables.words("_ORDERS")


AWAITED = (
    "and wait for their word",
    "and do it only when told to",
)  # the second is of earlier versions


def offered(said: str, after: bool = False) -> str:
    """An act that was asked for each time, as what one may do unasked: offer it."""
    return f"{'When the work is done, offer' if after else 'Offer'} to {said}, which this person often asks for, {AWAITED[0]}."


def is_order(text: str) -> bool:
    """Whether a sentence asks for something to be done: “seems to work” and “did you push?” do not."""
    rest, asks = _stripped(text)
    if rest.endswith("?") and not asks:
        return False
    rest = _ALWAYS.sub("", _WHEN.sub("", rest, count=1), count=1)
    word = rest.split(maxsplit=1)[0].lower().rstrip(",.:;!?") if rest.split() else ""
    return word in _ORDER_VERBS


def _stripped(text: str) -> tuple[str, bool]:
    """A sentence without what people put before a request, and whether that asked."""
    rest, asks = text.strip(), False
    while (met := _BEFORE.match(rest)) and len(rest) > met.end() > 0:
        rest, asks = rest[met.end() :].lstrip(" ,:;-"), asks or bool(met["asks"])
    return rest, asks


def as_order(text: str) -> str:
    """“ok, can you update the changelog please?” → “Update the changelog.” What is no request keeps its words."""
    rest, asks = _stripped(text)
    if asks:
        rest = rest.rstrip(" ?")
    while _AFTER.search(rest) and len(cut := _AFTER.sub("", rest)) > 3:
        rest = cut
    if len(rest.split()) < 2:  # nothing but politeness, or what is left says nothing
        rest = text.strip()
    return rest[:1].upper() + rest[1:] + ("" if rest[-1:] in ".!?:`)" else ".")


def order_of(payload: Mapping[str, Any]) -> str:
    """What was asked for, as the order it becomes. Stores of before hold requests that order nothing: those take other words, or a no."""
    asked = str(payload.get("text", ""))
    if not is_order(asked):
        raise Refused(
            f"“{asked}” orders nothing that an agent could do.",
            "Say it in words that do: --text 'TEXT'; or reject it.",
        )
    return str(payload.get("order") or as_order(asked))

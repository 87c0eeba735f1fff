"""Which lessons fit a text, best first: one full-text query finds candidates, and each is weighed by the words that it shares.

A text is cut into passages, its lines or some two dozen words at a time, so that one line of a long report can be met. What a
candidate holds of a passage is the rarity of the shared words, each saturated by how often it stands there (BM25's sum); what stands in
its first words, its subject or the task it was met in counts as several sightings. A turn of a conversation is also told by its
neighbours, and what an agent said counts less than what a person said.

Pure: the store finds rows and reads texts (`FullText`), everything else is decided here, the same for a hook, `recall` and `inject`.
"""

from __future__ import annotations

from itertools import pairwise
from math import log, sqrt

from tacit.words.stop_words import all_stop_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    from tacit.store.moments import Text

    class FullText(Protocol):
        """What a store answers about its texts."""

        total: int  # lessons in the index
        usual: float  # the mean words of a text

        def tokens(self, text: str) -> list[str]: ...  # as the index reads it
        def counts(self, tokens: Iterable[str]) -> Mapping[str, int]: ...  # lessons that hold each
        def match(self, words: Sequence[str], most: int) -> list[int]: ...  # the best, by bm25
        def beside(self, numbers: Sequence[int]) -> list[int]: ...  # those a step or two away
        def texts(self, numbers: Iterable[int]) -> Mapping[int, Text]: ...


# Chosen on the development half of the public sets (bench/results/quality.md), K1 and B as BM25 has them.
K1, B = 1.2, 0.75
SHORTEST_USUAL = 12  # words; in a store of very short texts a longer one is not punished for it
FIRST, TITLED, TITLE = 8, 16, 3.0  # the first words of a text are its title, all of a short one
SUBJECT = 2.0  # sightings that a word of the subject counts for: double
PART = 0.5  # … that is part of a name or of a path: the name stands in the text as well
TASK = 20.0  # … of the task in which the lesson was met: it is about that task
BESIDE = (0.15, 0.06)  # … that stands in a neighbour, one step away and two
PAIR, PAIRED = 0.15, 12  # of the rarer word, for two that follow each other in both; passages
WINDOW = 24  # words of a passage
JOINED = 8  # words up to which short lines are one passage
OTHERS = 0.85  # what each further passage adds, of the one before
AS_A_WHOLE, FEW = 0.5, 4  # weight of the whole text beside its passages, from so many on
NEARLY_SAME, SAME_TASK = 0.8, 0.5  # how alike two tasks must be, and what that adds
HEARSAY = 0.7  # of what nobody but an agent said
CANDIDATES = 100
READ = 20_000  # characters at each end of a text that are read
WORDS, PASSAGES = 600, 400  # that are looked at
REACH, LEAST_WORDS = 20_000, 3  # rows that one query may read; its rarest words in any case
COMPARED = 8  # words of a task from which on the rest of a longer one does not count


class Found:
    """A lesson that fits, how well, and the asked words that it holds."""

    __slots__ = ("n", "score", "shared")

    def __init__(self, n: int, score: float, shared: frozenset[str]) -> None:
        self.n = n
        self.score = score
        self.shared = shared


class Search:
    """One text that is asked about, and what fits it."""

    def __init__(self, full: FullText, text: str) -> None:
        self.full = full
        self.text = ends_of(text)
        self.stop = stop_tokens(full)
        self.raw: dict[str, str] = {}  # token -> the word that it was asked by
        self.passages = self._passages()
        asked = dict.fromkeys(word for each in self.passages for word in each)
        self.words = list(asked)[:WORDS]
        self.counts = full.counts(self.words)
        self.rarity = {
            word: log(1 + (full.total - held + 0.5) / (held + 0.5))
            for word in self.words
            for held in (min(self.counts.get(word, 0), full.total),)
        }
        self.wholes = [sum(self.rarity.get(word, 0.0) for word in each) for each in self.passages]
        self.where: dict[str, list[int]] = {}
        for place, passage in enumerate(self.passages):
            for word in passage:
                self.where.setdefault(word, []).append(place)
        self.pairs = self._pairs()

    def best(self, most: int) -> list[Found]:
        """The lessons that fit best, equal ones the newest first."""
        numbers = self.full.match(self._looked_for(), max(CANDIDATES, 2 * most))
        if not numbers:
            return []
        texts = dict(self.full.texts(numbers))
        rows = [n for n, each in texts.items() if each.group]
        if rows:
            texts.update(self.full.texts(set(self.full.beside(rows)) - texts.keys()))
        told = self._told(texts)
        found = [self._weighed(n, texts, told) for n in texts]
        found = [each for each in found if each.score]
        found.sort(key=lambda each: (-each.score, -each.n))
        return found[:most]

    def of(self, numbers: Sequence[int]) -> dict[int, float]:
        """How well these lessons fit, whoever found them."""
        texts = dict(self.full.texts(numbers))
        wanted = list(texts)
        return {n: self._weighed(n, texts, self._told(texts)).score for n in wanted}

    # --- what is asked

    def _passages(self) -> list[tuple[str, ...]]:
        """The text's lines, short ones together, long ones in windows that overlap; each word once in each."""
        lines: list[list[str]] = []
        for line in self.text.splitlines():
            words = list(dict.fromkeys(self._words(line)))
            if lines and len(lines[-1]) + len(words) <= JOINED:
                lines[-1] += words
            elif words:
                lines.append(words)
        found: dict[tuple[str, ...], None] = {}
        for words in lines:
            for part in windows(words):
                found[tuple(dict.fromkeys(part))] = None
        passages = list(found)
        if len(passages) > PASSAGES:
            passages = [*passages[: PASSAGES // 2], *passages[-PASSAGES // 2 :]]
        return passages

    def _words(self, line: str) -> Iterable[str]:
        """The words of a line as the index has them, without those that carry no subject."""
        for raw in words_of(line):
            for token in self.full.tokens(raw):
                telling = len(token) > 1 or not token.isascii() or token.isdigit()
                if telling and token not in self.stop:
                    self.raw.setdefault(token, raw)
                    yield token

    def _looked_for(self) -> list[str]:
        """The words that the index is asked for: all that it has, in a large store the rarest."""
        known = sorted((held, word) for word in self.words if (held := self.counts.get(word, 0)))
        found: list[str] = []
        rows = 0
        for held, word in known:
            rows += held
            if rows > REACH and len(found) >= LEAST_WORDS:
                break
            found.append(self.raw[word])
        return found

    def _pairs(self) -> dict[tuple[str, str], list[int]]:
        """Two asked words in a row, and the passages that have them so."""
        found: dict[tuple[str, str], list[int]] = {}
        if len(self.passages) <= PAIRED:
            for place, passage in enumerate(self.passages):
                for pair in pairwise(passage):
                    found.setdefault(pair, []).append(place)
        return found

    def _told(self, texts: Mapping[int, Text]) -> list[str]:
        """The text as a task is kept, where any of the lessons was met in one."""
        if not any(each.tasks for each in texts.values()):
            return []
        from tacit.words.tokens import task_words

        return self.full.tokens(task_words(self.text))

    # --- what a lesson holds of it

    def _weighed(self, n: int, texts: Mapping[int, Text], task: Sequence[str]) -> Found:
        """How much of the text a lesson meets, from 0 to about 1; above it where its task is nearly the same."""
        each = texts[n]
        words, parts = self.full.tokens(each.text), self.full.tokens(each.parts)
        seen = self._sightings(words, parts, n, texts)
        shared = frozenset(seen)  # what it says itself, and not only the task in which it was met
        tasks = [self.full.tokens(line) for line in each.tasks]
        for word in {word for line in tasks for word in line if word in self.rarity}:
            seen[word] = seen.get(word, 0.0) + TASK
        usual = max(SHORTEST_USUAL, self.full.usual)
        slack = K1 * (1 - B + B * len(words) / usual)
        amounts: dict[int, float] = {}
        together = 0.0
        for word, times in seen.items():
            amount = self.rarity[word] * times / (times + slack)
            together += amount
            for place in self.where[word]:
                amounts[place] = amounts.get(place, 0.0) + amount
        asked = [word for word in (*words, *parts) if word in self.rarity]
        for pair in sorted(self.pairs.keys() & set(pairwise(asked))) if self.pairs else ():
            for place in self.pairs[pair]:
                worth = PAIR * max(self.rarity[pair[0]], self.rarity[pair[1]])
                amounts[place] = amounts.get(place, 0.0) + worth
        score = self._met(amounts, together)
        if tasks and any(alike(task, line) >= NEARLY_SAME for line in tasks):
            score += SAME_TASK
        return Found(n, score * (HEARSAY if each.hearsay else 1.0), shared)

    def _sightings(
        self, words: Sequence[str], parts: Sequence[str], n: int, texts: Mapping[int, Text]
    ) -> dict[str, float]:
        """How often each asked word stands in a lesson, by where it stands."""
        each = texts[n]
        titled = 0 if each.group else len(words) if len(words) <= TITLED else FIRST
        seen: dict[str, float] = {}
        for at, word in enumerate(words):
            if word in self.rarity:
                seen[word] = seen.get(word, 0.0) + (TITLE if at < titled else 1.0)
        more = [(PART, parts)]
        if each.about:
            more.append((SUBJECT, self.full.tokens(each.about)))
        for amount, held in more:
            for word in held:
                if word in self.rarity:
                    seen[word] = seen.get(word, 0.0) + amount
        if each.group:
            for word, amount in self._near(n, each.group, texts).items():
                seen[word] = seen.get(word, 0.0) + amount
        return seen

    def _near(self, n: int, group: str, texts: Mapping[int, Text]) -> dict[str, float]:
        """The asked words of the neighbours in its group: they say what a turn is about that does not name it."""
        near: dict[str, float] = {}
        for away, amount in enumerate(BESIDE, 1):
            for other in (texts.get(n - away), texts.get(n + away)):
                if other is not None and other.group == group:
                    for word in self.full.tokens(other.text):
                        if word in self.rarity:
                            near[word] = max(amount, near.get(word, 0.0))
        return near

    def _met(self, amounts: Mapping[int, float], together: float) -> float:
        """The best passage leads and the others add to it; of a longer text its words together count, too."""
        if not amounts:
            return 0.0
        wholes = self.wholes
        worths = (
            min(amount, wholes[at]) ** 2 / wholes[at]
            for at, amount in amounts.items()
            if wholes[at]
        )
        total, share = 0.0, 1.0
        for worth in sorted(worths, reverse=True):
            total += share * worth
            share *= OTHERS
        met = sqrt(total / max(wholes))
        if len(wholes) < FEW:
            return met
        every = sum(self.rarity.values())
        whole = min(1.0, together / every * sqrt(len(wholes)))
        return (met + AS_A_WHOLE * whole) / (1 + AS_A_WHOLE)


def windows(words: list[str]) -> list[list[str]]:
    """A line's words, those of a long one in windows that overlap by half."""
    if len(words) <= WINDOW + WINDOW // 3:
        return [words]
    step = WINDOW // 2
    return [words[at : at + WINDOW] for at in range(0, len(words) - step, step)]


def ends_of(text: str) -> str:
    """A text, or its beginning and its end: what is asked stands before a paste or after it."""
    return text if len(text) <= 2 * READ else f"{text[:READ]}\n{text[-READ:]}"


def alike(one: Sequence[str], other: Sequence[str]) -> float:
    """How alike two tasks are, as far as the shorter one reaches: a prompt that goes on where the kept task was cut is the same."""
    fewer = min(len(one), len(other))
    long = fewer >= COMPARED
    first, second = ({*each[:fewer]} if long else {*each} for each in (one, other))
    return len(first & second) / len(first | second) if fewer else 0.0


def stop_tokens(full: FullText) -> set[str]:
    """Words that carry form and no subject, as the index reads them."""
    return {*full.tokens(" ".join(sorted(all_stop_words())))}


def words_of(line: str) -> Iterable[str]:
    """The words of a line in reading order; a name in camelCase whole and in its parts."""
    if not line.isascii():
        from tacit.words.tokens import query_words

        yield from query_words(line, WORDS)
        return
    for raw in "".join(char if char.isalnum() else " " for char in line).split():
        yield raw
        parts = humps(raw)
        if len(parts) > 1:
            yield from parts


def humps(name: str) -> list[str]:
    """The parts of a name in camelCase."""
    if name.islower() or name.isupper() or name.isdigit():
        return [name]
    parts, start = list[str](), 0
    for at in range(1, len(name)):
        before, here, after = name[at - 1], name[at], name[at + 1 : at + 2]
        if here.isupper() and (not before.isupper() or after.islower()):
            parts.append(name[start:at])
            start = at
    return [*parts, name[start:]]

"""What a store knows at a moment: candidates by one full-text query, chosen by `select`.

A candidate for a command or a file holds a word of it; for a prompt and an output it is what the ranking finds first. What may be told
to an agent is the store's to say (`INJECTABLE_ROWS`).
"""

from __future__ import annotations

from tacit.core.links import CONFIRMED
from tacit.core.memory import ABOUT, TWIN, said_more, topic_of
from tacit.core.shell_line import simple_commands, unquoted
from tacit.hooks.search import CANDIDATES, Search, words_of
from tacit.hooks.select import (
    LONGEST_LINE,
    OUTPUT_END,
    PART_OF,
    START_TOKENS,
    Fit,
    Here,
    Lesson,
    at_command,
    at_failure,
    at_file,
    at_prompt,
    at_start,
    filled,
    is_way,
    rare_words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any

    from tacit.core.memory import Memory
    from tacit.core.rows import Hit
    from tacit.stores.sqlite.fulltext import FullText

WRITTEN = 2_000  # characters of what is written into a file that are read for names


class Known:
    """The lessons of some projects that may be told, in one context of one session."""

    def __init__(
        self,
        full: FullText,
        *,
        common: Collection[str] = (),
        given: Iterable[Memory] = (),
        may: Callable[[Memory], bool] | None = None,
        apart: Collection[frozenset[str]] = (),
    ) -> None:
        self.full = full
        self.may = may
        self.apart = apart  # pairs that say opposite things: of them one is told
        self.memories: dict[str, Memory] = {}  # by id, of what was looked at
        words = {*full.tokens("\n".join(sorted(common)))} if common else set[str]()
        told = {each.id: self._lesson(each, 0) for each in given}
        self.here = Here(full.tokens, {*common, *words}, told)

    def start(self, room: int = START_TOKENS) -> list[Lesson]:
        """What is told when a session begins."""
        return at_start(self._lessons(self.full.ways()), self.here, room)

    def again(self, told: Iterable[Memory], room: int) -> list[Lesson]:
        """What this context was told before it was emptied, as far as there is room."""
        return filled([self._lesson(each, 0) for each in told], self.here, room)

    def task(self, text: str, floor: float, room: int, most: int) -> list[Lesson]:
        """What `recall` finds first for a task, where more is told than at a prompt."""
        fits = [each.lesson for each in self._fits(text) if each.score >= floor]
        return filled(fits, self.here, room, most)

    def prompt(self, text: str) -> list[Lesson]:
        """What is told at a prompt."""
        return at_prompt(text, self._fits(text), self._under, self.here)

    def command(self, line: str, room: int) -> list[Lesson]:
        """What is told before a command."""
        said = [
            unquoted(word) or ""
            for words, *_ in simple_commands(line[:LONGEST_LINE])
            for word in words
        ]
        programs = [word.rpartition("/")[2] for word in said if not word.startswith("-")]
        return at_command(line, self._holding(" ".join(programs)), self.here, room)

    def file(self, path: str, text: str, room: int, before: Collection[str] = ()) -> list[Lesson]:
        """What is told before a file is read or edited; `before` are those told at calls of this context."""
        said = f"{path.rpartition('/')[2]} {text[:WRITTEN]}"
        return at_file(path, text[:WRITTEN], self._holding(said), self.here, room, before)

    def failure(self, line: str, output: str, met: Iterable[Hit] = ()) -> list[Lesson]:
        """What is told when a command failed; `met` are lessons about that very error."""
        known = [self._lesson(hit.memory, hit.n) for hit in met if self._is_for(hit.memory)]
        return at_failure(line, output, self._fits(output[-OUTPUT_END:]), self.here, known)

    def _is_for(self, memory: Memory) -> bool:
        return self.may is None or self.may(memory)

    def _fits(self, text: str) -> list[Fit]:
        """What the ranking finds for a text, best first."""
        search = Search(self.full, text)
        found = {each.n: each for each in search.best(CANDIDATES)}
        hits = self.full.lessons({n: each.score for n, each in found.items()})
        fits = [
            Fit(self._lesson(hit.memory, hit.n), hit.score, found[hit.n].shared)
            for hit in hits
            if self._is_for(hit.memory)
        ]
        self.here.rare = rare_words(search.counts, self.full.total, fits, self.here.common)
        return fits

    def _under(self, topic: str) -> list[Lesson]:
        """What is settled under a topic."""
        return [each for each in self._holding(topic) if topic_of(each.subject) == topic]

    def _holding(self, text: str) -> list[Lesson]:
        """Lessons that hold any word of a text."""
        words = [word for word in dict.fromkeys(words_of(text)) if len(word) > 1]
        return self._lessons(self.full.match(words, 2 * CANDIDATES))

    def _lessons(self, numbers: Sequence[int]) -> list[Lesson]:
        hits = self.full.lessons(dict.fromkeys(numbers, 0.0))
        return [self._lesson(hit.memory, hit.n) for hit in hits if self._is_for(hit.memory)]

    def _lesson(self, memory: Memory, n: int) -> Lesson:
        self.memories[memory.id] = memory
        pairs = (" ".join(sorted(pair)) for pair in self.apart if memory.id in pair)
        return lesson_of(memory, n, pairs)


def lesson_of(memory: Memory, n: int, pairs: Iterable[str] = ()) -> Lesson:
    """A kept lesson as moments see it; of each pair that it is one of the other is told no more."""
    extra = memory.extra or {}
    sign: Any = extra.get("sign")
    before = extra.get(ABOUT)
    twin = [*map(str, [*(extra.get(TWIN) or ())][:1])]
    return Lesson(
        memory.id,
        n,
        memory.text,
        memory.klass,
        memory.about,
        memory.paths,
        person=memory.trust == "user"
        or extra.get("witness") == "user"
        or bool((memory.tally.signals or {}).get(CONFIRMED)),
        met=max(1, memory.tally.seen),
        sign=(str(sign[0]), str(sign[1])) if _is_pair(sign) else ("", ""),
        twins=(memory.id, folded(memory.text), *pairs, *(() if said_more(memory) < 0 else twin)),
        less=[f"{PART_OF}{name}" for name in twin] if said_more(memory) < 0 else (),
        before=tuple(before) if isinstance(before, dict) else (),
        pinned=memory.pinned,
    )


def is_told_at_starts(memory: Memory) -> bool:
    """Whether every start tells a lesson, as far as there is room; the others are told at their moments."""
    return is_way(lesson_of(memory, 0))


def folded(text: str) -> str:
    """A text as it is compared: two that read the same are one."""
    return " ".join(text.casefold().split()).rstrip(".")


def _is_pair(sign: object) -> bool:
    return isinstance(sign, (list, tuple)) and len(sign) > 1

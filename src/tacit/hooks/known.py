"""What a store knows at a moment: candidates by one full-text query, chosen by `select`.

A candidate for a command or a file holds a word of it; for a prompt and an output it is what the ranking finds first.
What may be told to an agent is the store's to say.
"""

from __future__ import annotations

from tacit.core.shell_line import simple_commands, unquoted
from tacit.hooks.events import COMMAND, FAILURE, FILE, START, TASK, moment_of
from tacit.hooks.render import frame_of_notes, mark_of
from tacit.hooks.search import CANDIDATES, Search, words_of
from tacit.hooks.select import (
    CALL_TOKENS,
    ENOUGH,
    LONGEST_LINE,
    OUTPUT_END,
    PROMPT_TOKENS,
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
from tacit.lesson import ABOUT, TWIN, is_found_once, said_more
from tacit.store import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any

    from tacit.hooks.events import Query
    from tacit.lesson import Lesson as Whole
    from tacit.store.moments import Candidate, FullText

WRITTEN = 2_000  # characters of what is written into a file that are read for names
CALLS = ("hook:before-command", "hook:before-file")  # surfaces that share one room
# Where no prompt hook follows, as at `tacit inject`: half as much again; beside a task half for ways of working.
ALONE, WAYS_BESIDE = 3 * START_TOKENS // 2, START_TOKENS // 2
LEAST_FIT = 0.08  # of a lesson that is told with a task


class Known:
    """The lessons of some projects that may be told, in one context of one session."""

    def __init__(
        self,
        full: FullText,
        query: Query,
        *,
        common: Collection[str] = (),
        given: Iterable[Candidate] = (),
        once: bool = True,
    ) -> None:
        self.full = full
        self.query = query
        self.once = once  # also what one session found
        words = {*full.tokens("\n".join(sorted(common)))} if common else set[str]()
        told = {each.id: lesson_of(each) for each in given}
        self.here = Here(full.tokens, {*common, *words}, told)

    def start(self, room: int = START_TOKENS) -> list[Lesson]:
        """What is told when a session begins, in a room that holds the fence as well."""
        return at_start(self._lessons(self.full.ways()), self.here, room - frame_of_notes())

    def again(self, told: Iterable[Candidate], room: int) -> list[Lesson]:
        """What this context was told before it was emptied, as far as there is room."""
        return filled([lesson_of(each) for each in told], self.here, room)

    def task(self, text: str, floor: float, room: int, most: int) -> list[Lesson]:
        """What `recall` finds first for a task, where more is told than at a prompt."""
        fits = [each.lesson for each in self._fits(text) if each.score >= floor]
        return filled(fits, self.here, room, most)

    def prompt(self, text: str) -> list[Lesson]:
        """What is told at a prompt."""
        return at_prompt(text, self._fits(text), self._under, self.here)

    def command(self, line: str, room: int) -> list[Lesson]:
        """What is told before a command."""
        commands = simple_commands(line[:LONGEST_LINE])
        said = [unquoted(word) or "" for words, *_ in commands for word in words]
        programs = [word.rpartition("/")[2] for word in said if not word.startswith("-")]
        return at_command(line, self._holding(" ".join(programs)), self.here, room)

    def file(self, path: str, text: str, room: int, before: Collection[str] = ()) -> list[Lesson]:
        """What is told before a file is read or edited; `before` are those told at calls of this context."""
        said = f"{path.rpartition('/')[2]} {text[:WRITTEN]}"
        return at_file(path, text[:WRITTEN], self._holding(said), self.here, room, before)

    def failure(self, line: str, output: str) -> list[Lesson]:
        """What is told when a command failed: what is about that very error before all."""
        known = self._lessons(about_error(self.full, output))
        return at_failure(line, output, self._fits(output[-OUTPUT_END:]), self.here, known)

    def _fits(self, text: str) -> list[Fit]:
        """What the ranking finds for a text, best first."""
        search = Search(self.full, text)
        found = {each.n: each for each in search.best(ENOUGH)}
        fits = [
            Fit(each, found[each.n].score, found[each.n].shared) for each in self._lessons(found)
        ]
        self.here.rare = rare_words(search.counts, self.full.total, fits, self.here.common)
        return fits

    def _under(self, topic: str) -> list[Lesson]:
        """What is settled under a topic."""
        return [each for each in self._holding(topic) if each.topic == topic]

    def _holding(self, text: str) -> list[Lesson]:
        """Lessons that hold any word of a text."""
        words = [word for word in dict.fromkeys(words_of(text)) if len(word) > 1]
        return self._lessons(self.full.match(words, 2 * CANDIDATES))

    def _lessons(self, numbers: Iterable[int]) -> list[Lesson]:
        found = moments.candidates(self.full.store, numbers, told=bool(self.full.may))
        return [
            lesson_of(each)
            for each in found
            if is_for(each, self.query) and (self.once or not is_found_once(each))
        ]


def chosen(
    known: Known,
    told: Sequence[Candidate],
    calls: Sequence[str],
    spent: int,
    surface: str,
    repeat: bool,
    most: int,
) -> list[Candidate]:
    """What belongs to this moment, in the order in which it is told.

    `told` is what this context was given, `calls` what of it at commands and files, in `spent` tokens.
    """
    query, hook = known.query, surface.startswith("hook")
    moment = moment_of(query, hook)
    room = CALL_TOKENS - spent
    found: list[Lesson] = []
    if moment == COMMAND:
        found = known.command(query.command, room)
    elif moment == FILE:
        for path in query.files:
            found += known.file(path, query.task, room, calls)
    elif moment == FAILURE:
        found = known.failure(query.command, "\n".join(query.errors))
    elif moment == START:
        found = known.start(START_TOKENS if hook else ALONE)
        found += known.again(told, START_TOKENS + PROMPT_TOKENS) if repeat else []
    elif moment == TASK:
        found = [] if told else known.start(WAYS_BESIDE)
        asked = "\n".join((query.task, *query.files, *query.errors))
        found += known.task(asked, LEAST_FIT, ALONE, most)
    else:
        found = known.prompt(query.task)
        for error in query.errors:
            found += known.failure(query.command, error)
    return [*{each.id: each.of for each in found}.values()][:most]


def about_error(full: Any, error: str) -> list[int]:
    """Lessons about exactly this error."""
    from tacit.words.diagnose import signatures

    marks = {*signatures(error)}
    if not marks:
        return []
    numbers = moments.about_errors(full.store, full.names, sorted(marks))
    return [each.n for each in moments.candidates(full.store, numbers)]


def is_for(lesson: Candidate, query: Query) -> bool:
    """Whether a lesson is for whoever asks."""
    if lesson.scope == "agent" and lesson.agent != query.agent:
        return False  # in every project it would reach everybody
    if (query.main or query.agent) and lesson.agent not in ("", query.agent):
        return False
    if query.agent and "subagent" in lesson.text.replace("-", "").lower():
        return False  # it says who should do it: for whoever starts sub-agents
    if query.category and lesson.category != query.category:
        return False
    return not query.kind or query.kind in (lesson.own_kind, lesson.klass)


def lesson_of(kept: Candidate) -> Lesson:
    """A kept lesson as moments see it."""
    extra, before = kept.extra, kept.extra.get(ABOUT)
    twin = [str(name) for name in [*(extra.get(TWIN) or ())][:1]]
    less = bool(twin) and said_more(kept) < 0
    return Lesson(
        kept.id,
        kept.n,
        kept.text,
        kept.klass,
        kept.about,
        kept.files,
        person=kept.word == "person",
        met=max(1, kept.met),
        sign=(kept.sign_in, kept.sign),
        twins=() if less else twin,
        less=twin if less else (),
        before=tuple(before) if isinstance(before, dict) else (),
        pinned=kept.always,
        mark=mark_of(kept),
        of=kept,
    )


def is_told_at_starts(kept: Candidate | Whole) -> bool:
    """Whether every start tells a lesson, as far as there is room; the others are told at their moments."""
    witness, confirmed = (kept.extra or {}).get("witness"), kept.signals.get("confirmed")
    person = kept.by == "user" or witness == "user" or bool(confirmed)
    return is_way(
        Lesson(kept.id, 0, "", kept.klass, met=kept.met, person=person, pinned=kept.always)
    )

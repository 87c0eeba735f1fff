"""What past sessions would have taught: failures, which of them had happened before, and which would have been forewarned.

Nothing is set up and nothing is kept. Each run is read once and reduced to an excerpt: its problems, what they cost, and
what it says that may be worth remembering. Runs of one unit (resumptions, sub-agents, retries) become one session. The
sessions are then replayed in the order they began. Whatever a session is told was learned from sessions that had ended
before it began, by the same judgements that learn and recall make: gate, matcher, ladder, ranking and budget.

The count is meant to be believed, so every doubt goes against us. A problem counts once per session, however often the
call was tried. It "had happened before" only if the same program failed with the same error, names included, in an
independent session of the same project that was already over. It "would have been forewarned of" only if a lesson about
it stood among the few that the session's start would have been given. Whether a warning would have prevented anything
nobody can know from the past.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Protocol

from tacit.core import clock
from tacit.core.memory import OWNER, Memory
from tacit.core.run import Run
from tacit.core.value import replace, value
from tacit.lookback.excerpt import (
    Excerpt,
    Home,
    Spent,
    excerpt,
    home_by_folder,
    median,
    plus,
    safe_excerpt,
    sessions,
)
from tacit.lookback.result import (
    LESSON_CHARACTERS,
    MONDAY,
    NAMED_FILES,
    WEEK_SECONDS,
    Correction,
    Count,
    Files,
    KnownProject,
    Lookback,
    LookbackSettings,
    Problem,
    ProjectCount,
    Week,
)
from tacit.lookback.store import Book, Foresight, is_told
from tacit.recall.budget import level_for
from tacit.recall.moments import NOTICED, in_order_of_work

if TYPE_CHECKING:

    class Source(Protocol):
        """A file as the formats read it."""

        path: str

        @property
        def size(self) -> int: ...

    Read = Callable[[Source], Iterable[Run] | None]  # None: no format knows the file
    Progress = Callable[[int, int], None]  # files read so far, bytes of the last one


def look_back(
    sources: Sequence[Source],
    read: Read,
    settings: LookbackSettings,
    *,
    home_of: Callable[[Run], Home] = home_by_folder,
    since: str = "",
    wanted: Callable[[Home], bool] | None = None,
    progress: Progress | None = None,
    lines_of: Callable[[Home], Mapping[str, str]] = lambda home: {},
    known_of: Callable[[Home, Sequence[str]], KnownProject] = lambda home, marks: KnownProject(),
    met: Callable[[Run], None] = lambda run: None,
) -> Lookback:
    """Read the sources one after the other and look back at their runs.

    `home_of` tells a run's project; `since` leaves out runs that began before, `wanted` other projects. `lines_of` are those of a
    project's instruction files. `known_of` says what a store keeps of a project and of failures that came back there. `met` is called
    with each run that is looked at.
    """
    reading = _Reading(sources, read, progress)
    begin = clock.seconds(since)
    homes = (
        (run, home_of(run)) for run in reading.runs() if clock.seconds(run.started_at) >= begin
    )
    kept = (
        _met_excerpt(run, home, settings, met)
        for run, home in homes
        if wanted is None or wanted(home)
    )
    return replace(_replayed(sessions(kept), settings, lines_of, known_of), files=reading.files)


def _met_excerpt(
    run: Run, home: Home, settings: LookbackSettings, met: Callable[[Run], None]
) -> Excerpt:
    met(run)
    return excerpt(run, home, settings.profile)


def lookback(
    runs: Iterable[Run], settings: LookbackSettings, home_of: Callable[[Run], Home] = home_by_folder
) -> Lookback:
    """Look back at runs in any order. Of each run only an excerpt is kept; a generator is never held as a whole."""
    return _replayed(
        sessions(excerpt(run, home_of(run), settings.profile) for run in runs), settings
    )


class _Reading:
    """The files on their way in; what could not be read is counted and reported."""

    def __init__(self, sources: Sequence[Source], read: Read, progress: Progress | None) -> None:
        self.sources, self.read, self.progress = sources, read, progress
        self.count = self.bytes = self.foreign = self.malformed = self.failed = 0
        self.unread: list[tuple[str, str]] = []

    @property
    def files(self) -> Files:
        """What was met so far."""
        return Files(
            self.count, self.bytes, self.foreign, self.malformed, tuple(self.unread), self.failed
        )

    def runs(self) -> Iterator[Run]:
        """Run after run."""
        for number, source in enumerate(self.sources, 1):
            size = 0
            try:
                runs = self.read(source)
                if runs is None:
                    self.foreign += 1
                else:
                    size = source.size
                    for run in runs:
                        self.malformed += run.reading.malformed if run.reading else 0
                        yield run
                    self.count += 1
                    self.bytes += size
            # One file in a strange state must not keep the others from being read.
            except Exception as error:
                self.failed += 1
                if len(self.unread) < NAMED_FILES:
                    self.unread.append(
                        (
                            safe_excerpt(source.path),
                            safe_excerpt(f"{type(error).__name__}: {error}"),
                        )
                    )
            if self.progress:
                self.progress(number, size)


def _replayed(
    past: Sequence[Excerpt],
    settings: LookbackSettings,
    lines_of: Callable[[Home], Mapping[str, str]] = lambda home: {},
    known_of: Callable[[Home, Sequence[str]], KnownProject] = lambda home, marks: KnownProject(),
) -> Lookback:
    """Session after session: first what it would have been told, and, once it is over, what it teaches."""
    books: dict[str, Book] = {}
    sums = _Sums(settings)
    going_on: list[tuple[float, int, Excerpt, Foresight]] = []

    def end_one() -> None:
        _, _, session, foresight = heapq.heappop(going_on)
        book = books[session.home.key]
        sums.add(session, foresight, book.learn(session))

    for number, session in enumerate(past):
        # Without a time, what came first counts as over.
        while going_on and (going_on[0][0] < session.started or not session.started):
            end_one()
        book = books.get(session.home.key)
        if book is None:
            home = session.home
            book = books[home.key] = Book(home, settings.profile, lines_of(home))
        heapq.heappush(going_on, (session.ended, number, session, book.foresee(session)))
    while going_on:
        end_one()
    back = [key for key, row in sums.problems.items() if row.repeated]
    known = {
        at: known_of(book.home, [mark for home, mark in back if home == at])
        for at, book in books.items()
    }
    return sums.result(books, known)


class _Row:
    """One problem or wish of one project over all its sessions."""

    def __init__(self, home: Home, key: str) -> None:
        self.home, self.key, self.labels, self.nature = home, key, dict[str, int](), ""
        self.lesson = ""  # the id of the lesson that was given for it
        self.sessions = self.repeated = self.forewarned = self.failed = 0
        self.spent: list[Spent] = []  # each time it had happened before
        self.first = self.last = ""

    @property
    def label(self) -> str:
        """What most sessions call it."""
        return max(self.labels, key=self.labels.__getitem__)

    def call(self, label: str) -> None:
        """What one more session calls it."""
        self.labels[label] = self.labels.get(label, 0) + 1

    def add(self, at: str, met: _Met) -> None:
        """One session more."""
        self.sessions += 1
        self.failed += met.failed
        self.first = min(filter(None, (self.first, at)), default="")
        self.last = max(self.last, at)
        if met.repeated:
            self.repeated += 1
            self.forewarned += met.forewarned
            self.spent.append(met.spent)


@value
class _Met:
    """One problem or wish in one session."""

    repeated: bool
    forewarned: bool
    spent: Spent = Spent()
    failed: int = 0


class _Sums:
    """Everything that is counted, session by session."""

    def __init__(self, settings: LookbackSettings) -> None:
        self.settings = settings
        self.count = Count()
        self.problems: dict[tuple[str, str], _Row] = {}
        self.wishes: dict[tuple[str, str], _Row] = {}
        self.projects: dict[str, Count] = {}
        self.weeks: dict[float, Count] = {}
        self.spent: list[Spent] = []
        self.first = self.last = 0.0
        self.untimed = self.tool_calls = self.failed_calls = self.passed_over = self.reported = 0

    def add(self, session: Excerpt, foresight: Foresight, learned: Sequence[str]) -> None:
        """A session that is over: what was met, what of it had been met before, what would have been told."""
        begun = clock.stamp(session.started) if session.started else ""
        found = [*self._calls(session, foresight), *self._reports(session, foresight, learned)]
        for row, met in found:
            row.add(begun, met)
            if met.repeated:
                self.spent.append(met.spent)
        for row, met in self._met_in_words(self.wishes, "wish", session, foresight, learned):
            row.add(begun, met)
        count = Count(
            1,
            len(found),
            sum(met.repeated for _, met in found),
            sum(met.forewarned for _, met in found),
        )
        self.count = _sum(self.count, count)
        self.projects[session.home.key] = _sum(self.projects.get(session.home.key, Count()), count)
        self.tool_calls += session.tool_calls
        self.failed_calls += session.failed_calls
        self.passed_over += session.passed_over
        if session.started:
            week = session.started - (session.started - MONDAY) % WEEK_SECONDS
            self.weeks[week] = _sum(self.weeks.get(week, Count()), count)
            self.first = min(self.first or session.started, session.started)
            self.last = max(self.last, session.ended)
        else:
            self.untimed += 1

    def _calls(self, session: Excerpt, foresight: Foresight) -> Iterator[tuple[_Row, _Met]]:
        for each in session.troubles:
            row = self.problems.setdefault(
                (session.home.key, each.key), _Row(session.home, each.key)
            )
            row.nature = each.nature
            row.call(each.label)
            row.lesson = foresight.told.get(each.key, row.lesson)
            repeated = each.key in foresight.met
            yield (
                row,
                _Met(repeated, repeated and each.key in foresight.told, each.spent, each.failed),
            )

    def _reports(
        self, session: Excerpt, foresight: Foresight, learned: Sequence[str]
    ) -> Iterator[tuple[_Row, _Met]]:
        for row, met in self._met_in_words(self.problems, "report", session, foresight, learned):
            self.reported += 1
            yield row, met

    def _met_in_words(
        self,
        rows: dict[tuple[str, str], _Row],
        role: str,
        session: Excerpt,
        foresight: Foresight,
        learned: Sequence[str],
    ) -> Iterator[tuple[_Row, _Met]]:
        """What was told in words, once per lesson; what no lesson was made of stands for itself."""
        seen: set[str] = set()
        for said, known, lesson in zip(session.said, foresight.matches, learned, strict=True):
            name = lesson or f"{session.unit} {said.finding.place}"
            if said.role != role or name in seen or said.decision.outcome == "quarantine":
                continue
            seen.add(name)
            row = rows.setdefault((session.home.key, name), _Row(session.home, name))
            row.call(safe_excerpt(said.finding.text))
            yield row, _Met(bool(known), known in foresight.given)

    def result(self, books: Mapping[str, Book], known: Mapping[str, KnownProject]) -> Lookback:
        """The sums as a value."""
        profile, listed = self.settings.profile, self.settings.listed
        back = sorted((row for row in self.problems.values() if row.repeated), key=_costliest)
        again = sorted(
            (row for row in self.wishes.values() if row.repeated),
            key=lambda row: (-row.sessions, row.label),
        )
        unheard = [
            row for row in again if not _is_kept(row, books[row.home.key], known[row.home.key])
        ]
        names = _names([book.home for book in books.values()])
        lessons = [lesson.memory for book in books.values() for lesson in book.lessons.values()]
        in_force = sum(is_told(memory) for memory in lessons)

        return Lookback(
            count=self.count,
            first_at=clock.stamp(self.first) if self.first else "",
            last_at=clock.stamp(self.last) if self.last else "",
            untimed=self.untimed,
            tool_calls=self.tool_calls,
            failed_calls=self.failed_calls,
            passed_over=self.passed_over,
            reported=self.reported,
            spent=reduce(plus, self.spent, Spent()),
            typical=median([each for each in self.spent if each.calls]),
            corrections=sum(row.sessions for row in self.wishes.values()),
            corrections_repeated=sum(row.repeated for row in again),
            corrections_forewarned=sum(row.forewarned for row in again),
            lessons=in_force,
            candidates=len(lessons) - in_force,
            budget=level_for(profile, "", "").most,
            sightings=profile.trust.runs,
            withheld=profile.trial.rate,
            problems=tuple(
                _problem(row, books[row.home.key], names[row.home.key], known[row.home.key])
                for row in back[:listed]
            ),
            problems_count=len(back),
            repeated_corrections=tuple(
                Correction(
                    names[row.home.key],
                    row.label,
                    row.sessions,
                    row.repeated,
                    row.forewarned,
                    row.first,
                    row.last,
                )
                for row in unheard[:listed]
            ),
            projects=tuple(
                ProjectCount(
                    names[key],
                    safe_excerpt(book.home.path),
                    self.projects[key],
                    _notes(book, known[key]),
                    _for_you(book, known[key]),
                    *_met(book),
                    known[key].stands,
                    _shown(known[key].lessons),
                    sum(not known[key].has(runs) for runs in book.runs.values()),
                )
                for key, book in sorted(
                    books.items(), key=lambda each: -self.projects[each[0]].sessions
                )
            ),
            weeks=tuple(
                Week(clock.stamp(start)[:10], count) for start, count in sorted(self.weeks.items())
            ),
        )


def _names(homes: Sequence[Home]) -> dict[str, str]:
    """What each project is called here: its name, with as many of the folders above it as tell it from the others; no two alike."""
    called: dict[str, str] = {}
    for home in homes:
        others = [other for other in homes if other.name == home.name and other.key != home.key]
        deep = next(
            (
                n
                for n in range(_DEEPEST)
                if all(_called(home, n) != _called(other, n) for other in others)
            ),
            _DEEPEST,
        )
        called[home.key] = safe_excerpt(_called(home, deep), 60)
    return called


_DEEPEST = 8


def _called(home: Home, deep: int) -> str:
    above = home.path.strip("/").split("/")[:-1]
    return "/".join((*above[max(0, len(above) - deep) :], home.name)) if deep else home.name


def _shown(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(safe_excerpt(text, LESSON_CHARACTERS) for text in texts))


def _is_kept(row: _Row, book: Book, known: KnownProject) -> bool:
    """Whether a store has heard a wish, whatever became of it."""
    lesson = book.lessons.get(row.key)
    return lesson is not None and book.has(known, lesson.units)


def _problem(row: _Row, book: Book, project: str, known: KnownProject) -> Problem:
    memory, said = _lesson_about(row, book), known.answered.get(row.key)
    return Problem(
        project=project,
        label=row.label,
        sessions=row.sessions,
        failed_calls=row.failed,
        repeated=row.repeated,
        forewarned=row.forewarned,
        spent=reduce(plus, row.spent, Spent()),
        typical=median(row.spent),
        first_at=row.first,
        last_at=row.last,
        lesson=safe_excerpt(
            memory.text if memory and said is None else said or "", LESSON_CHARACTERS
        ),
        in_force=bool(said) if said is not None else memory is not None and is_told(memory),
        nature=row.nature,
        known=said is not None,
    )


def _lesson_about(row: _Row, book: Book) -> Memory | None:
    """The lesson that was given for a problem; else the one most often met that is about it."""
    if row.lesson:
        return book.lessons[row.lesson].memory
    about = [
        lesson.memory
        for id, lesson in book.lessons.items()
        if row.key in lesson.about or row.key == id
    ]
    return max(about, key=lambda memory: (is_told(memory), memory.tally.seen), default=None)


def _notes(book: Book, known: KnownProject) -> tuple[str, ...]:
    """What the next session is told, beside what a store keeps: at its start, then at the commands and errors that were noticed."""
    every = {each.memory.id: each for each in (*book.lessons.values(), *book.told.values())}
    every = {
        id: each
        for id, each in every.items()
        if not book.has(known, each.units, each.memory.signature)
    }
    noticed = in_order_of_work(
        each.memory
        for each in every.values()
        if is_told(each.memory) and each.memory.source == NOTICED
    )
    return _shown(
        memory.text
        for memory in (*(every[id].memory for id in book.given() if id in every), *noticed)
    )


def _met(book: Book) -> tuple[dict[str, int], dict[str, str]]:
    """In how many sessions each lesson in force was met, one that met two of its problems once; and how, where nothing failed."""
    given = {
        safe_excerpt(each.memory.text, LESSON_CHARACTERS): each.memory
        for each in book.lessons.values()
        if is_told(each.memory)
    }
    said = {text: "you said it" for text, memory in given.items() if memory.trust == OWNER}
    done = {text: "done" for text, memory in given.items() if memory.klass == "command"}
    return {text: memory.tally.seen for text, memory in given.items()}, {**done, **said}


def _for_you(book: Book, known: KnownProject) -> tuple[str, ...]:
    """What only the person is told, counted out of all sessions there are by now: what a store asks, and what it does not know."""
    now = f" of {book.noted.lineages():,} sessions"
    new = [each for each in book.person.values() if not book.has(known, each.runs, each.subject)]
    told = [(each.text.replace(f" of {each.sessions} sessions", now), each.patch) for each in new]
    return _shown(
        (*known.asks, *(f"{text} Suggested: {patch}" if patch else text for text, patch in told))
    )


def _costliest(row: _Row) -> tuple[int, float, int, str]:
    typical = median(row.spent)  # one session that ran away must not lead the list
    return (
        -typical.calls * row.repeated,
        -typical.seconds * row.repeated,
        -row.sessions,
        row.label,
    )


def _sum(one: Count, other: Count) -> Count:
    return Count(
        one.sessions + other.sessions,
        one.failures + other.failures,
        one.repeated + other.repeated,
        one.forewarned + other.forewarned,
    )

"""What past sessions say without a reader: what failed, what of it had happened before, what it
cost, and what the floor would keep.

Nothing is set up and nothing is kept. Each run is read once and reduced to an excerpt: its
problems, what they cost, and the standing sentences that the person typed. Runs of one unit
(resumptions, sub-agents, retries) become one session. The sessions are then gone through in the
order they began, and a session knows only those that had ended before it began.

The count is meant to be believed, so every doubt goes against us. A problem counts once per
session, however often the call was tried. It "had happened before" only if the same program failed
with the same error, names included, in an independent session of the same project that was already
over. It "would have been forewarned of" only if the floor held a cure of it by then. Whether a
warning would have prevented anything nobody can know from the past.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Protocol

from tacit.core import clock
from tacit.core.run import Run
from tacit.core.value import replace, value
from tacit.learn.cures import lesson_may_be_told
from tacit.learn.floor import Cure
from tacit.learn.notices import Notice, counted
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
from tacit.lookback.notebook import Notebook
from tacit.lookback.result import (
    LESSON_CHARACTERS,
    NAMED_FILES,
    Count,
    Files,
    KnownProject,
    Lookback,
    Problem,
    ProjectCount,
)
from tacit.lookback.words import YOU_SAID
from tacit.safety.witness import unless_it_acts

LISTED = 20  # problems named at most

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
    *,
    listed: int = LISTED,
    home_of: Callable[[Run], Home] = home_by_folder,
    since: str = "",
    wanted: Callable[[Home], bool] | None = None,
    progress: Progress | None = None,
    lines_of: Callable[[Home], Mapping[str, str]] = lambda home: {},
    known_of: Callable[[Home, Sequence[str]], KnownProject] = lambda home, marks: KnownProject(),
    met: Callable[[Run], None] = lambda run: None,
) -> Lookback:
    """Read the sources one after the other and look back at their runs.

    `home_of` tells a run's project; `since` leaves out runs that began before, `wanted` other
    projects. `lines_of` are those of a project's instruction files. `known_of` says what a store
    keeps of a project and of failures that came back there. `met` is called with each run that is
    looked at.
    """
    reading = _Reading(sources, read, progress)
    begin = clock.seconds(since)

    def excerpts() -> Iterator[Excerpt]:
        for run in reading.runs():
            home = home_of(run)
            if clock.seconds(run.started_at) >= begin and (wanted is None or wanted(home)):
                met(run)
                yield excerpt(run, home)

    found = _gone_through(sessions(excerpts()), listed, lines_of, known_of)
    return replace(found, files=reading.files)


def lookback(runs: Iterable[Run], home_of: Callable[[Run], Home] = home_by_folder) -> Lookback:
    """Look back at runs in any order. Of each run only an excerpt is kept; a generator is never
    held as a whole."""
    return _gone_through(sessions(excerpt(run, home_of(run)) for run in runs))


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


class _Row:
    """One problem of one project over all its sessions."""

    def __init__(self, home: Home, key: str) -> None:
        self.home, self.key, self.labels, self.nature = home, key, dict[str, int](), ""
        self.sessions = self.repeated = self.forewarned = self.failed = 0
        self.spent: list[Spent] = []  # each time it had happened before

    @property
    def label(self) -> str:
        """What most sessions call it."""
        return max(self.labels, key=self.labels.__getitem__)

    def call(self, label: str) -> None:
        """What one more session calls it."""
        self.labels[label] = self.labels.get(label, 0) + 1

    def add(self, met: _Met) -> None:
        """One session more."""
        self.sessions += 1
        self.failed += met.failed
        if met.repeated:
            self.repeated += 1
            self.forewarned += met.forewarned
            self.spent.append(met.spent)


@value
class _Met:
    """One problem in one session."""

    repeated: bool
    forewarned: bool
    spent: Spent = Spent()
    failed: int = 0


class _Book:
    """What one project's finished sessions have brought so far."""

    def __init__(self, home: Home, lines: Mapping[str, str]) -> None:
        self.home, self.lines = home, lines
        self.noted = Notebook()
        self.met: set[str] = set()
        self.cures: dict[str, Cure] = {}  # by the failure
        self.said: dict[
            str, set[str]
        ] = {}  # standing sentence -> the sessions in which it was typed
        self.notices: dict[str, Notice] = {}
        self.runs: dict[str, frozenset[tuple[str, str]]] = {}  # of each session

    def learn(self, session: Excerpt) -> None:
        """Take in a finished session."""
        self.met.update(each.key for each in session.troubles)
        self.runs[session.unit] = session.runs
        self.noted.add(session.unit, session.unit, session.noticed)
        found = counted(self.noted, session.noticed, self.lines)
        for cure in found.cures:
            if lesson_may_be_told(cure, unless_it_acts).outcome == "allow":
                self.cures[cure.subject] = cure
        self.notices |= {each.subject: each for each in found.notices}
        for text in session.said:
            self.said.setdefault(text, set()).add(session.unit)

    def has(self, known: KnownProject, units: Iterable[str], subject: str = "") -> bool:
        """Whether a store knows what some sessions taught: what it is about was noticed there,
        or all of them were learned."""
        return subject in known.subjects or known.has(
            run for unit in units for run in self.runs.get(unit, ())
        )

    def lessons(self, known: KnownProject) -> list[tuple[str, int, str]]:
        """What the floor would keep beside what a store keeps: text, in how many sessions, and
        how it was met."""
        cures = [
            (each.text, len({note.lineage for note in each.witnesses}), "met")
            for each in self.cures.values()
            if not self.has(known, (note.lineage for note in each.witnesses), each.subject)
        ]
        said = [
            (text, len(units), YOU_SAID)
            for text, units in self.said.items()
            if not self.has(known, units)
        ]
        return [*said, *cures]


@value
class _Foreseen:
    """What was known when a session began."""

    met: frozenset[str]  # its problems that had happened before
    told: frozenset[str]  # those of them that had a cure


def _gone_through(
    past: Sequence[Excerpt],
    listed: int = LISTED,
    lines_of: Callable[[Home], Mapping[str, str]] = lambda home: {},
    known_of: Callable[[Home, Sequence[str]], KnownProject] = lambda home, marks: KnownProject(),
) -> Lookback:
    """Session after session: first what was known by then, and, once it is over, what it brings."""
    books: dict[str, _Book] = {}
    sums = _Sums()
    going_on: list[tuple[float, int, Excerpt, _Foreseen]] = []

    def end_one() -> None:
        _, _, session, known = heapq.heappop(going_on)
        sums.add(session, known)
        books[session.home.key].learn(session)

    for number, session in enumerate(past):
        # Without a time, what came first counts as over.
        while going_on and (going_on[0][0] < session.started or not session.started):
            end_one()
        book = books.get(session.home.key)
        if book is None:
            book = books[session.home.key] = _Book(session.home, lines_of(session.home))
        known = _Foreseen(frozenset(book.met), frozenset(book.cures))
        heapq.heappush(going_on, (session.ended, number, session, known))
    while going_on:
        end_one()
    back = [key for key, row in sums.problems.items() if row.repeated]
    kept = {
        at: known_of(book.home, [mark for home, mark in back if home == at])
        for at, book in books.items()
    }
    return sums.result(books, kept, listed)


class _Sums:
    """Everything that is counted, session by session."""

    def __init__(self) -> None:
        self.count = Count()
        self.problems: dict[tuple[str, str], _Row] = {}
        self.projects: dict[str, Count] = {}
        self.spent: list[Spent] = []
        self.first = self.last = 0.0
        self.untimed = self.tool_calls = self.failed_calls = self.passed_over = 0

    def add(self, session: Excerpt, known: _Foreseen) -> None:
        """A session that is over: what was met, and what of it had been met before."""
        home, found = session.home, []
        for each in session.troubles:
            row = self.problems.setdefault((home.key, each.key), _Row(home, each.key))
            row.nature = each.nature
            row.call(each.label)
            again = each.key in known.met
            found.append(_Met(again, again and each.key in known.told, each.spent, each.failed))
            row.add(found[-1])
        self.spent += [met.spent for met in found if met.repeated]
        repeated, forewarned = (
            sum(met.repeated for met in found),
            sum(met.forewarned for met in found),
        )
        count = Count(1, len(found), repeated, forewarned)
        self.count = _sum(self.count, count)
        self.projects[home.key] = _sum(self.projects.get(home.key, Count()), count)
        self.tool_calls += session.tool_calls
        self.failed_calls += session.failed_calls
        self.passed_over += session.passed_over
        if session.started:
            self.first = min(self.first or session.started, session.started)
            self.last = max(self.last, session.ended)
        else:
            self.untimed += 1

    def result(
        self, books: Mapping[str, _Book], known: Mapping[str, KnownProject], listed: int
    ) -> Lookback:
        """The sums as a value."""
        back = sorted((row for row in self.problems.values() if row.repeated), key=_costliest)
        names = _names([book.home for book in books.values()])
        lessons = {key: book.lessons(known[key]) for key, book in books.items()}
        return Lookback(
            count=self.count,
            first_at=clock.stamp(self.first) if self.first else "",
            last_at=clock.stamp(self.last) if self.last else "",
            untimed=self.untimed,
            tool_calls=self.tool_calls,
            failed_calls=self.failed_calls,
            passed_over=self.passed_over,
            typical=median([each for each in self.spent if each.calls]),
            lessons=sum(len(book.cures) + len(book.said) for book in books.values()),
            problems=tuple(
                _problem(row, books[row.home.key], names[row.home.key], known[row.home.key])
                for row in back[:listed]
            ),
            problems_count=len(back),
            projects=tuple(
                ProjectCount(
                    names[key],
                    safe_excerpt(book.home.path),
                    self.projects[key],
                    _shown(text for text, _, _ in lessons[key]),
                    _for_you(book, known[key]),
                    {safe_excerpt(text, LESSON_CHARACTERS): n for text, n, _ in lessons[key]},
                    {safe_excerpt(text, LESSON_CHARACTERS): how for text, _, how in lessons[key]},
                    known[key].stands,
                    _shown(known[key].lessons),
                    sum(not known[key].has(runs) for runs in book.runs.values()),
                )
                for key, book in sorted(
                    books.items(), key=lambda each: -self.projects[each[0]].sessions
                )
            ),
        )


def _names(homes: Sequence[Home]) -> dict[str, str]:
    """What each project is called here: its name, with as many of the folders above it as tell
    it from the others; no two alike."""
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


def _problem(row: _Row, book: _Book, project: str, known: KnownProject) -> Problem:
    cure, said = book.cures.get(row.key), known.answered.get(row.key)
    text = said if said is not None else cure.text if cure else ""
    return Problem(
        project=project,
        label=row.label,
        sessions=row.sessions,
        failed_calls=row.failed,
        repeated=row.repeated,
        forewarned=row.forewarned,
        spent=reduce(plus, row.spent, Spent()),
        typical=median(row.spent),
        lesson=safe_excerpt(text, LESSON_CHARACTERS),
        nature=row.nature,
        known=said is not None,
    )


def _for_you(book: _Book, known: KnownProject) -> tuple[str, ...]:
    """What only the person is told, counted out of all sessions there are by now: what a store
    asks, and what it does not know."""
    now = f" of {book.noted.lineages():,} sessions"
    new = [each for each in book.notices.values() if not book.has(known, each.runs, each.subject)]
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

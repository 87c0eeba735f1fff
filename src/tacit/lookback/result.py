"""What looking back found, as values: problems, projects, and the files it was read from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tacit.core.rows import run_id
from tacit.core.value import fields, value
from tacit.learn.failures import HORIZON, LONGEST_PAUSE
from tacit.lookback.excerpt import Spent

NAMED_FILES = 20  # unreadable files that are named
LESSON_CHARACTERS = 600  # characters of a lesson: what it says last is often what to do


@value
class Count:
    """Failures of some sessions: a problem counts once per session."""

    sessions: int = 0
    failures: int = 0
    repeated: int = 0  # had happened before
    forewarned: int = 0  # of those: a lesson about it would have been given


@value
class Problem:
    """One problem of one project that came back."""

    project: str
    label: str
    sessions: int  # in which it was met
    failed_calls: int
    repeated: int  # sessions in which it had happened before
    forewarned: int
    spent: Spent  # in those sessions alone: the first time nobody could have known
    typical: Spent  # in one of them: the median
    lesson: str = ""  # what would have been said, or would be said from now on
    nature: str = ""
    known: bool = False  # a store has a lesson or a question about it, whatever became of that


@value
class ProjectCount:
    """One project, and what its next session would be told."""

    name: str
    path: str
    count: Count
    notes: tuple[str, ...] = ()
    # what only the person is told: instruction files, what fails without a way out, standing
    # requests
    for_you: tuple[str, ...] = ()
    # by its text: in how many sessions each lesson in force was met, as `tacit list` and `why` will
    # say
    met: Mapping[str, int] = {}
    how: Mapping[
        str, str
    ] = {}  # of some of these: that a person said it, or that sessions do it and nothing failed
    stands: str = (
        ""  # what a store keeps of it by now: how many lessons are in force, need a word, wait
    )
    known: tuple[
        str, ...
    ] = ()  # … and those in force; `notes` are then what these sessions teach beside that
    left: int = 0  # sessions that were not learned there


@value
class KnownProject:
    """What a store keeps of a project by now: a look back offers none of it as new, and asks
    nothing that was answered."""

    project: str = ""  # its id; empty: nothing is kept of it
    stands: str = ""
    lessons: tuple[str, ...] = ()  # in force
    asks: tuple[str, ...] = ()  # the questions that wait
    subjects: frozenset[str] = frozenset()  # of what was noticed or asked, whatever became of it
    learned: frozenset[str] = frozenset()  # ids of runs
    # failures that have a lesson or a question; with the lesson, where it is in force
    answered: Mapping[str, str] = {}

    def has(self, runs: Iterable[tuple[str, str]]) -> bool:
        """Whether all of these were learned."""
        return bool(self.project) and all(
            run_id(self.project, *run) in self.learned for run in runs
        )


@value
class Files:
    """What was read, and what could not be."""

    files: int = 0
    bytes: int = 0
    foreign: int = 0  # files that no format knows
    malformed_lines: int = 0
    unread: tuple[tuple[str, str], ...] = ()  # path and reason, the first few
    unread_count: int = 0


@value
class Lookback:
    """What the past says."""

    count: Count = Count()
    first_at: str = ""
    last_at: str = ""
    untimed: int = 0  # sessions without a time, taken in the order they were read
    tool_calls: int = 0
    failed_calls: int = 0
    passed_over: int = (
        0  # of the failed ones: the host's own protocol, such as a file not read before its edit
    )
    typical: Spent = Spent()  # each time: the median
    lessons: int = 0  # that the floor would keep by now
    problems: tuple[Problem, ...] = ()  # that came back, the costliest first
    problems_count: int = 0
    projects: tuple[ProjectCount, ...] = ()
    files: Files = Files()


ASSUMPTIONS = (
    "A lesson needs two independent, finished sessions, or your own word once.",
    "The same problem: same project, program and error; numbers, times and ids are masked, names are not.",
)


def limits(of: Lookback) -> tuple[str, ...]:
    """What the figures cannot say, one line each."""
    return (
        "A warning is not yet a failure spared: whether warnings help is measured once connected (tacit effect).",
        "A failing test while code is being written counts as a failure too.",
        "Cost: calls until the same thing worked, "
        f"at most {HORIZON} steps; pauses over {LONGEST_PAUSE / 60:.0f} min left out; tokens by share.",
    )


def lookback_json(of: Lookback) -> dict[str, Any]:
    """A look back as the command line prints it."""
    at: dict[str, Any] = {name: _plain(field) for name, field in fields(of).items()}
    return {
        **at.pop("count"),
        **at,
        "assumptions": list(ASSUMPTIONS),
        "limits": list(limits(of)),
    }


def _plain(of: Any) -> Any:
    if isinstance(of, tuple):
        return [_plain(each) for each in of]
    return (
        {name: _plain(field) for name, field in fields(of).items()} if hasattr(of, "FIELDS") else of
    )

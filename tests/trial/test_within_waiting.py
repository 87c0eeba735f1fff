"""What a person can be told while they wait: nothing useful is ended, what was worked around is no loss, and old stores give again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fixed_draws import fix_draws
from tests.verbs import open as open_memories

from tacit.core.run import Step
from tacit.learn.occurrences import came_to, ended, occurrences
from tacit.lesson import Lesson
from tacit.store.check import check
from tacit.testing import run, say, tool, user
from tacit.trial.effect import CSV_COLUMNS
from tacit.words.diagnose import signatures

ERROR = "taxkit.rates.RateTableEmptyError: no rates for 2027"
RUN = "python tools/tax_run.py"
FAILS, CURE, PASSES = tool(RUN, error=ERROR), tool("make tax-rates", "ok"), tool(RUN, "ok")
AROUND, OTHER = tool("python tools/tax_offline.py", "ok"), tool("python tools/other.py", "ok")
MARKS = tuple(signatures(ERROR, ""))


def loss(*steps: Step, outcome: str = "unknown") -> float:
    return min(
        1.0, sum(each.loss for each in occurrences(run("r", *steps, outcome=outcome), *MARKS))
    )


@pytest.mark.parametrize(
    ("steps", "outcome", "expected"),
    [
        ((FAILS, CURE, PASSES), "unknown", 2 / 8),
        (
            (FAILS, AROUND, *[OTHER] * 7),
            "unknown",
            1 / 8,
        ),  # worked around: the work went on for eight calls
        ((FAILS, AROUND), "success", 1 / 8),  # … or to the end of a run that succeeded
        ((FAILS, AROUND), "unknown", 1.0),  # given up, for all one can see
        ((FAILS, AROUND), "failure", 1.0),
        ((FAILS,), "success", 1.0),  # nothing passed afterwards
        ((FAILS, AROUND, OTHER, FAILS, *[OTHER] * 3), "unknown", 1.0),  # it came again
        ((FAILS, tool("make x", error="other: no"), AROUND, *[OTHER] * 6), "unknown", 2 / 8),
        (
            (FAILS, *[OTHER] * 5, PASSES, *[OTHER] * 5),
            "unknown",
            6 / 8,
        ),  # the same thing passed: until then
    ],
)
def test_what_was_worked_around_costs_the_calls_until_the_next_that_passes(
    steps: tuple[Step, ...], outcome: str, expected: float
) -> None:
    """Not the worst loss (P2); what was given up, or came again, still is."""
    assert loss(*steps, outcome=outcome) == expected


TRACE = (
    f'Traceback (most recent call last):\n  File "tools/tax_run.py", line 3, in <module>\n{ERROR}'
)


@pytest.mark.parametrize(
    ("command", "output", "struck"),
    [
        ("python tools/tax_run.py 2>&1 | tail -5", TRACE, True),
        ("python tools/tax_run.py 2>&1 | tail -1", ERROR, True),
        ("python tools/tax_run.py || true", TRACE, True),
        ("python tools/tax_run.py 2>&1 | tail -5", "done", False),
        ("cat log.txt | grep Rate", ERROR, False),  # a look at what happened another time
        ("grep -rn RateTableEmptyError src", ERROR, False),
    ],
)
def test_a_hidden_status_is_read_by_what_was_printed(
    command: str, output: str, struck: bool
) -> None:
    """A quarter of real commands are piped: an agent that pipes more must not look as if it failed less (P8)."""
    assert bool(occurrences(run("r", tool(command, output)), *MARKS)) is struck


@pytest.mark.parametrize(
    ("steps", "how"),
    [
        ((tool("pytest -q", "3 passed"),), "success"),
        ((tool("pytest -q", error="1 failed"),), "failure"),
        ((tool("pytest -q 2>&1 | tail -3", "1 failed, 2 passed"),), "failure"),
        ((tool("pytest -q", error="1 failed"), tool("make test", "ok")), "success"),
        ((tool("pytest -q", error="1 failed"), tool("git commit -m x", "[main 1] x")), "success"),
        ((tool("git commit -m x", error="hook failed"),), ""),
        ((tool("git commit -m x", "[main 1] x"), user("it still fails on my machine")), "failure"),
        ((tool("pytest -q", error="1 failed"), user("thanks, that is what I meant")), "success"),
        ((tool("ls", "a"), user("now rename the module")), ""),
        ((user("thanks in advance"), tool("ls", "a")), ""),  # nothing was done yet
        ((tool("ls", "a"), say("All tests pass, perfect.")), ""),  # the agent's own word is none
    ],
)
def test_how_a_session_ended_is_told_by_tests_commit_and_the_persons_last_words(
    steps: tuple[Step, ...], how: str
) -> None:
    """Where the host says nothing (P7): in none of 371 real runs did it."""
    assert ended(run("r", *steps)) == how


def test_whether_a_session_came_to_the_lessons_moment_is_noted_in_both_arms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work that is left undone meets no problem (4a): where neither its command nor what it advises was called, that is written down; a later run of the
    unit that did takes it back."""
    fix_draws(monkeypatch)
    task, works = (
        "run python tools/tax_run.py for orders",
        [(OTHER,), (PASSES,), (CURE,), (FAILS, CURE, PASSES)],
    )
    with open_memories(
        tmp_path / "s.db", env={"XDG_DATA_HOME": str(tmp_path / "data")}
    ) as memories:
        for name in ("a", "b"):
            memories.learn(run(name, FAILS, CURE, PASSES), over=True)
        [lesson] = [
            each
            for each in memories.list()
            if "make tax-rates" in each.text and each.klass != "command"
        ]
        for n in range(16):
            memories.inject(task, run=f"r{n}", host="neutral")
            memories.learn(run(f"r{n}", *works[n % 4]), over=True)
        rows = [dict(zip(CSV_COLUMNS, row)) for row in memories.effect_rows()]
        mine = [row for row in rows if row["memory"] == lesson.id and row["arm"] != "exempt"]
        came = {row["unit"]: row["moment"] for row in mine}
        assert {row["arm"] for row in mine} == {"injected", "withheld"}
        assert sorted(came.values()).count("0") == 4 and len(came) == 16
        memories.inject(task, run="r0-again", root="r0", host="neutral")
        memories.learn(run("r0-again", PASSES, root="r0"), over=True)
        rows = [dict(zip(CSV_COLUMNS, row)) for row in memories.effect_rows()]
        assert (
            sum(
                row["moment"] == "0"
                for row in rows
                if row["memory"] == lesson.id and row["arm"] != "exempt"
            )
            == 3
        )
        assert not check(memories.store).faults


NPM = {"extra": {"about": {"npm test": []}}, "text": "Use `pnpm test`, not `npm test`."}


@pytest.mark.parametrize(
    ("lesson", "steps", "came"),
    [
        (NPM, ("pnpm test --run x",), True),
        (NPM, ("npm install",), False),
        (
            {"about": "; git stash; merge_tags", "text": "Never stash here."},
            ("cd x && git stash pop",),
            True,
        ),
        (
            {"about": "; git stash; merge_tags", "text": "Never stash here."},
            ("git commit -m stash",),
            False,
        ),
        ({"about": "; merge_tags", "text": "It drops empty tags."}, ("git stash",), None),
        ({"paths": ("src/tax.py",), "text": "Rates are in cents."}, ("ls",), False),
        ({"text": "Prefer short answers."}, ("ls",), None),
    ],
)
def test_a_lessons_moment_is_its_command_or_its_file(
    lesson: dict[str, Any], steps: tuple[str, ...], came: bool | None
) -> None:
    """What it advises counts like what it warns of; a lesson about neither has none that could be told."""
    assert (
        came_to(run("r", *(tool(step, "ok") for step in steps)), Lesson("m", "p", **lesson)) is came
    )

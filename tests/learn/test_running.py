"""Loops in Python: `memories.run`, and the page that teaches it, run as it stands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core.errors import UsageError
from tacit.core.rows import run_id
from tacit.core.run import Finding
from tacit.hosts.source import BytesSource
from tacit.testing import Clock, finding, run
from tacit.trial.coin import assign

PAGE = Path(__file__).parent.parent.parent / "docs" / "howto" / "your-own-loop.md"


@pytest.fixture
def memories(folder: Path) -> Any:
    """A store whose coin always gives."""
    with open_memories(env={**os.environ, "TACIT_COIN": "never"}) as found:
        yield found


def fail_and_cure(run: Any) -> None:
    run.step(
        tool="shell",
        input="python check.py",
        error="FileNotFoundError: no such file: 'settings.json'",
        status=1,
    )
    run.step(tool="shell", input="python scripts/make_settings.py", output="made", status=0)
    run.step(tool="shell", input="python check.py", output="fine", status=0)


def test_what_two_runs_met_the_third_is_told(memories: Memories) -> None:
    """Steps and findings are learned at the end of each block; the third is given both, with an outcome when it ends."""
    for _ in range(2):
        with memories.run(task="check the settings") as run:
            assert run.text == "" and run.lessons == ()
            fail_and_cure(run)
            run.finding(
                "Scripts should read the exit status of check.py.",
                by="reviewer",
                files=["check.py"],
                severity="warning",
            )
        assert run.learned and run.learned.findings == 1 and run.outcome == "success"
        assert (
            len(run.learned.new) == 1
        )  # what a reviewer says at once, what failed and was cured when it comes again
    with memories.run(task="check the settings", instruments=["reviewer", "test"]) as run:
        assert {memory.trust for memory in run.lessons} == {"observed", "review"}
        assert all(memory.id in run.text for memory in run.lessons) and "<tacit-notes" in run.text
        fail_and_cure(run)
    assert run.learned and run.learned.settled == 2
    (audit,) = memories.audit(run.id)
    assert sorted(each.outcome for each in audit.lessons) == ["not_reached", "occurred"]
    assert memories.health().health.faults == ()


def test_how_a_run_ends(memories: Memories) -> None:
    """An exception is a failure and goes on; an interrupt is an abort; what the loop says itself stands."""
    ends: dict[str, type[BaseException] | None] = {
        "success": None,
        "failure": ValueError,
        "aborted": KeyboardInterrupt,
    }
    for outcome, raised in ends.items():
        try:
            with memories.run(task="a task", run=outcome):
                if raised:
                    raise raised("mine")
        except BaseException as error:
            assert type(error) is raised and str(error) == "mine"
        row = memories.store.find_run(memories.project_id, outcome)
        assert row and (row.outcome, bool(row.settled_at)) == (outcome, True)
    with pytest.raises(ValueError), memories.run(run="said") as run:
        run.outcome = "unknown"
        raise ValueError
    row = memories.store.find_run(memories.project_id, "said")
    assert row and row.outcome == "unknown"


def test_what_cannot_be_is_said_at_once(memories: Memories) -> None:
    """Mistakes of the loop's author are told where they are made, not when the run is over."""
    with memories.run(task="a task") as run:
        for wrong in (
            lambda: run.finding("Prices are integers in cents.", kind="poem"),
            lambda: run.finding("Prices are integers in cents.", colour="red"),
            lambda: run.finding("Use pnpm, never npm.", by="user"),
            lambda: run.step(tool="shell", colour="red"),
            lambda: run.step("narrator", "once upon a time"),
            lambda: setattr(run, "outcome", "fine"),
            lambda: memories.run(task="a task", colour="red"),
        ):
            with pytest.raises(UsageError):
                wrong()
    assert run.learned and run.learned.findings == 0


def test_tries_share_their_lessons_and_children_their_run(memories: Memories) -> None:
    """A retry with the same root is not told again; a child's own recall is recorded for this run."""
    memories.add("Prices are integers in cents, never floats.", kind="fact")
    with memories.run(task="how are prices stored", run="first") as first:
        assert len(first.lessons) == 1
        asked = [sys.executable, "-m", "tacit", "recall", "prices", "--raw"]
        told = subprocess.run(asked, env=first.env, capture_output=True, text=True)
        assert "integers in cents" in told.stdout
    marks = memories.store.marks(memory=first.lessons[0].id)
    assert ("delivered", "on request") in [(mark.signal, mark.value) for mark in marks]
    with memories.run(task="how are prices stored", run="second", root="first") as second:
        assert second.lessons == ()


def test_a_store_in_trouble_is_in_nobodys_way(memories: Memories) -> None:
    """While another holds the store, a run begins without lessons and says why; its own error is never hidden by ours."""
    memories.add("Prices are integers in cents, never floats.", kind="fact")
    memories.store.wait = 0.2
    with open_memories() as other:
        try:
            with other.store.write(), memories.run(task="how are prices stored") as run:
                assert run.text == "" and "busy" in run.note
                raise ValueError("mine")
        except ValueError as error:
            assert str(error) == "mine" and "was not learned" in error.__notes__[0]


def test_the_page_runs_as_it_stands(folder: Path) -> None:
    """Each example of docs/howto/your-own-loop.md, as a newcomer saves it; the loop is told by its third run, or finds its coin in the audit."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 1
    said = []
    for number, block in enumerate([blocks[0], blocks[0]]):
        (folder / f"example{number}.py").write_text(block)
        done = subprocess.run(
            [sys.executable, f"example{number}.py"], capture_output=True, text=True, cwd=folder
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert (
        said[0].startswith("(no lessons for this run)")
        and "new lessons: 1" in said[0]
        and "new lessons: 1" in said[1]
    )
    with open_memories() as memories:
        lessons = memories.list()
        assert len(lessons) == 2 and {memory.state for memory in lessons} == {"active"}
    done = subprocess.run(
        [sys.executable, "example0.py"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ},
    )
    with open_memories() as memories:
        audit = memories.audit()[0]
        assert len(audit.lessons) == 2
        for each in audit.lessons:
            assert (each.memory in done.stdout) == (each.arm != "withheld")


def test_a_run_goes_by_the_clock_of_its_memories(folder: Path) -> None:
    """Simulations bring their own time."""
    clock = Clock("2026-01-01T00:00:00.000Z")
    with open_memories(now=clock) as memories:
        with memories.run(task="a task", run="r1") as run:
            clock.advance(days=1)
            run.step("assistant", "done")
        row = memories.store.find_run(memories.project_id, "r1")
        assert row and (row.started_at[:10], row.ended_at[:10], row.learned_at[:10]) == (
            "2026-01-01",
            "2026-01-02",
            "2026-01-02",
        )


def test_a_neutral_file_may_name_its_instruments(memories: Memories) -> None:
    """As docs/formats/neutral.md has it: a reviewer who looked and found nothing settles the lessons reviewers gave."""
    memories.learn(
        run(
            "seen",
            Finding(
                "seen", "f", "Totals are rounded once, at the end.", by="reviewer", tier="review"
            ),
        )
    )
    lesson = memories.list()[0]
    memories.review(lesson.id, "approve")
    for name, more in {
        "looked": {"instruments": ["review:reviewer:own"]},
        "other": {"instruments": ["review:linter:own"]},
    }.items():
        assert lesson.id in memories.inject("round the totals", run=name).injected
        head = {"type": "run", "id": name, "task": "round the totals", **more}
        end = {"type": "end", "outcome": "success"}
        memories.learn(BytesSource(b"\n".join(json.dumps(line).encode() for line in (head, end))))
    outcomes = {name: memories.audit(name)[0].lessons[0].outcome for name in ("looked", "other")}
    assert outcomes == {"looked": "not_occurred", "other": "unknown"}


def test_a_run_is_one_unit_whatever_its_host_is_called(folder: Path) -> None:
    """What the coin withheld from a run of somebody's own host stays withheld from what that run asks and from its children."""
    with open_memories() as memories:
        for id in ("a", "b"):
            memories.learn(
                run(id, finding(id, "Run `make migrate` before the tests.", kind="pitfall"))
            )
        [lesson] = [each.id for each in memories.list()]
        key, names = memories.ensure_project().trial_key, (f"r{n}" for n in range(1000))
        withheld = (
            name
            for name in names
            if assign(key, run_id(memories.project_id, "my-loop", name), lesson, 0.3).arm
            == "withheld"
        )
        with memories.run(task="migrate before tests", run="first", host="my-loop") as running:
            # what is about a subject has no coin the first time
            assert [each.id for each in running.lessons] == [lesson]
        with memories.run(
            task="migrate before tests", run=next(withheld), host="my-loop"
        ) as running:
            assert not running.lessons
            found = memories.recall("migrate before the tests", run=running.id, host="library")
            asked = [sys.executable, "-m", "tacit", "recall", "migrate before the tests", "--raw"]
            child = subprocess.run(asked, env=running.env, capture_output=True, text=True).stdout
            assert not found.hits and "make migrate" not in child
            assert [use.arm for use in memories.store.uses(memory=lesson)] == ["exempt", "withheld"]

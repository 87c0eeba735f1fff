"""Outcomes are blind to the arm: the same recorded run, once as if its unit had been given everything and once as if nothing.

`by_arm` is the harness: any profile, host, format or instrument can be put through it. It teaches a store, assigns every lesson to one unit in one
arm, learns the run, and returns what became of each. The two arms must say the same of every lesson, whatever the run holds, also the words
of the lessons themselves, and our own notes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tacit.app import open as open_memories
from tacit.core.links import Use
from tacit.core.rows import run_id
from tacit.core.run import Run, Step
from tacit.core.states import CLOSED
from tacit.core.value import replace
from tacit.profiles import BUILT_IN
from tacit.testing import Clock, finding, run, say, tool, user

ERROR = 'psycopg.errors.UndefinedTable: relation "orders" does not exist'
FAILS, CURE, PASSES = tool("make check", error=ERROR), tool("make migrate", "done"), tool("make check", "ok")
LESSON = "Totals of an invoice are rounded twice, once per line and once at the end"
NOTE = f"<tacit-notes>\n- {LESSON}\n- Run `make migrate` before `make check`\n</tacit-notes>"
Outcomes = dict[str, tuple[str, float]]


def by_arm(folder: Path, taught: Sequence[Run], lived: Run, arm: str, profile: str = "default") -> Outcomes:
    """What became of every lesson in one run, by its text, if all were in this arm."""
    env = {**os.environ, "XDG_DATA_HOME": str(folder / arm / "data")}
    (folder / arm / "work").mkdir(parents=True)
    clock = Clock("2026-01-01T00:00:00.000Z")
    with open_memories(str(folder / arm / "s.db"), env=env, cwd=str(folder / arm / "work"), profile=profile, now=clock) as memories:
        for each in taught:
            clock.advance(3600)
            memories.learn(each, over=True)
        unit = run_id(memories.project_id, lived.host, lived.id)
        lessons = [memory for memory in memories.list(limit=100) if memory.state not in CLOSED]
        with memories.store.write() as tx:
            for memory in lessons:
                tx.add_use(Use(memory.id, unit, memories.project_id, unit, memory.id, arm, 0.3, epoch="m / h", at="2026-06-01T00:00:00Z"))
        clock.advance(days=200)
        memories.learn(lived, over=True)
        texts = {memory.id: memory.text for memory in lessons}
        marks = memories.store.marks(unit=unit)
        return {texts[mark.memory]: (mark.value, mark.amount) for mark in marks if mark.signal == "outcome"}


def later(*parts: Step, **fields: object) -> tuple[Step, ...]:
    return tuple(replace(part, at=f"2026-06-01T00:{n:02d}:10Z") for n, part in enumerate(parts, 1))


def reviewed(by: str, tier: str) -> Callable[[str], list[Run]]:
    return lambda host: [run(f"t{n}", finding(f"t{n}", LESSON, by=by, tier=tier), host=host) for n in range(2)]


def noticed(host: str) -> list[Run]:
    return [run(f"t{n}", FAILS, CURE, PASSES, host=host, complete=True) for n in range(3)]


def again(by: str, tier: str) -> tuple[object, ...]:
    return (replace(finding("u", LESSON, by=by, tier=tier), at="2026-06-01T01:00:00Z"),)


ECHO = say(f"I was told: {LESSON}. I will run `make migrate` before `make check`.")
KINDS = {
    "cured": (noticed, later(FAILS, CURE, PASSES), {}),
    "given up": (noticed, later(FAILS, FAILS), {}),
    "never struck": (noticed, later(PASSES), {}),
    "no tool at all": (noticed, later(user("Which database?"), ECHO), {}),
    "our notes and their echo in it": (noticed, later(Step("system", "s", text=NOTE), ECHO, FAILS, ECHO, CURE, PASSES), {}),
    "in a sub-agent": (noticed, tuple(replace(step, agent="explorer") for step in later(FAILS, CURE, PASSES)), {}),
    "a reviewer finds it": (reviewed("reviewer", "review"), again("reviewer", "review"), {"instruments": ["review:reviewer"]}),
    "a critic finds it": (reviewed("critic", "agent"), again("critic", "agent"), {"instruments": ["agent:critic:own"]}),
    "a critic looks and finds nothing": (reviewed("critic", "agent"), later(PASSES), {"instruments": ["agent:critic:own"]}),
    "a test finds it": (reviewed("test", "review"), again("test", "review"), {"instruments": ["review:test"]}),
    "nobody looked": (reviewed("reviewer", "review"), later(PASSES), {}),
}
TOLD = {"cured": "occurred", "given up": "occurred", "our notes and their echo in it": "occurred", "never struck": "not_occurred", "a reviewer finds it": "occurred",
        "a critic finds it": "occurred", "a critic looks and finds nothing": "not_occurred", "nobody looked": "unknown", "no tool at all": "not_occurred"}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_exchanging_the_arms_of_a_recorded_run_changes_no_outcome(tmp_path: Path, kind: str) -> None:
    """Whatever it holds; and the instrument sees what there is to see."""
    teach, parts, extra = KINDS[kind]
    lived = run("u", *parts, extra=extra, complete=True)
    injected, withheld = (by_arm(tmp_path, teach("neutral"), lived, arm) for arm in ("injected", "withheld"))
    assert injected == withheld and injected
    if kind in TOLD:
        assert TOLD[kind] in {value for value, _ in injected.values()}


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "my-loop"])
def test_the_arm_decides_nothing_on_any_host(tmp_path: Path, host: str) -> None:
    """The same accident, with the lesson's words in the agent's mouth."""
    lived = run("u", *later(ECHO, FAILS, ECHO, CURE, PASSES), host=host, complete=True)
    one, other = (by_arm(tmp_path, noticed(host), lived, arm) for arm in ("injected", "withheld"))
    assert one == other and "occurred" in {value for value, _ in one.values()}


@pytest.mark.parametrize("profile", [name for name in BUILT_IN if name != "default"])
def test_the_arm_decides_nothing_under_any_profile(tmp_path: Path, profile: str) -> None:
    """A reviewer's finding again, under each origin's way of remembering."""
    lived = run("u", *again("reviewer", "review"), extra={"instruments": ["review:reviewer"]}, complete=True)
    one, other = (by_arm(tmp_path, reviewed("reviewer", "review")("neutral"), lived, arm, profile) for arm in ("injected", "withheld"))
    assert one == other

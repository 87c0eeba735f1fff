"""Outcomes are blind to the arm: the same recorded runs, once as if their units had been given everything and once as if nothing.

`by_arm` is the harness: any profile, host, format or instrument can be put through it. It teaches a store, assigns every lesson to the unit of each run
in one arm, learns the runs, and returns what became of each lesson in each. The two arms must say the same of every lesson, whatever a run holds, also the
words of the lessons themselves, and our own notes; and the same accident is one whatever the agent did afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.terminals import put_as
from tests.verbs import open as open_memories

from tacit.core.links import Use
from tacit.core.rows import run_id
from tacit.core.run import Run, Step
from tacit.core.states import GONE
from tacit.core.value import replace
from tacit.hosts import HOSTS, formats
from tacit.hosts.source import FileSource
from tacit.learn.occurrences import failed_with
from tacit.origins import ORIGINS
from tacit.testing import Clock, finding, run, say, tool, user

REAL = Path(__file__).parents[1] / "hosts" / "data" / "hosts"
ERROR = 'psycopg.errors.UndefinedTable: relation "orders" does not exist'
FAILS, CURE, PASSES = (
    tool("make check", error=ERROR),
    tool("make migrate", "done"),
    tool("make check", "ok"),
)
LESSON = "Totals of an invoice are rounded twice, once per line and once at the end"
MISSING = "The table of orders is missing until the migrations ran"
NOTE = f"<tacit-notes>\n- {LESSON}\n- Run `make migrate` before `make check`\n</tacit-notes>"
# of each run, by the lesson's text: what became of it, and what it cost
Outcomes = dict[str, dict[str, tuple[str, float]]]
BEFORE = "2020-01-01T00:00:00Z"  # every run comes after its assignment


Kept = tuple[str, str, str]  # of a lesson that is put on file as it is: text, trust, signature


def by_arm(
    folder: Path,
    taught: Sequence[Run],
    lived: Sequence[Run],
    arm: str,
    profile: str,
    kept: Sequence[Kept],
) -> Outcomes:
    """What became of every lesson in every run, if all were in this arm."""
    env = {**os.environ, "XDG_DATA_HOME": str(folder / arm / "data")}
    (folder / arm / "work").mkdir(parents=True)
    clock = Clock("2026-01-01T00:00:00.000Z")
    at = {"env": env, "cwd": str(folder / arm / "work"), "profile": profile, "now": clock}
    with open_memories(str(folder / arm / "s.db"), **at) as memories:
        for each in taught:
            clock.advance(3600)
            memories.learn(each, over=True)
        for text, trust, mark in kept:
            memory = memories.add(text, kind="pitfall")
            with memories.store.write() as tx:
                put_as(tx, memory, "edit", clock(), trust=trust, signature=mark)
        texts = {
            memory.id: memory.text for memory in memories.list(limit=100) if memory.state != GONE
        }
        clock.advance(days=200)
        found: Outcomes = {}
        for each in lived:
            unit = run_id(memories.project_id, each.host, each.id)
            with memories.store.write() as tx:
                for id in texts:
                    tx.add_use(
                        Use(
                            id,
                            unit,
                            memories.project_id,
                            unit,
                            id,
                            arm,
                            0.3,
                            epoch="m / h",
                            at=BEFORE,
                        )
                    )
            memories.learn(each, over=True)
            marks = [mark for mark in memories.store.marks(unit=unit) if mark.signal == "outcome"]
            found[each.id] = {texts[mark.memory]: (mark.value, mark.amount) for mark in marks}
        return found


def blind(
    folder: Path,
    taught: Sequence[Run],
    lived: Sequence[Run],
    profile: str = "default",
    kept: Sequence[Kept] = (),
) -> Outcomes:
    """What both arms say; they must say the same."""
    injected, withheld = (
        by_arm(folder, taught, lived, arm, profile, kept) for arm in ("injected", "withheld")
    )
    assert injected == withheld and all(injected.values())
    return injected


def later(*parts: Step, **fields: object) -> tuple[Step, ...]:
    return tuple(replace(part, at=f"2026-06-01T00:{n:02d}:10Z") for n, part in enumerate(parts, 1))


def reviewed(by: str, tier: str) -> Callable[[str], list[Run]]:
    return lambda host: [
        run(f"t{n}", finding(f"t{n}", LESSON, by=by, tier=tier), host=host) for n in range(2)
    ]


def noticed(host: str) -> list[Run]:
    return [run(f"t{n}", FAILS, CURE, PASSES, host=host, complete=True) for n in range(3)]


def again(by: str, tier: str) -> tuple[object, ...]:
    return (replace(finding("u", LESSON, by=by, tier=tier), at="2026-06-01T01:00:00Z"),)


ECHO = say(f"I was told: {LESSON}. I will run `make migrate` before `make check`.")
NOTED = later(Step("system", "s", text=NOTE), ECHO, FAILS, ECHO, CURE, PASSES)
REVIEW, CRITIC = {"instruments": ["review:reviewer"]}, {"instruments": ["agent:critic:own"]}
KINDS = {
    "cured": (noticed, later(FAILS, CURE, PASSES), {}),
    "given up": (noticed, later(FAILS, FAILS), {}),
    "never struck": (noticed, later(PASSES), {}),
    "no tool at all": (noticed, later(user("Which database?"), ECHO), {}),
    "our notes and their echo in it": (noticed, NOTED, {}),
    "in a sub-agent": (
        noticed,
        tuple(replace(step, agent="explorer") for step in later(FAILS, CURE, PASSES)),
        {},
    ),
    "a reviewer finds it": (reviewed("reviewer", "review"), again("reviewer", "review"), REVIEW),
    "a critic finds it": (reviewed("critic", "agent"), again("critic", "agent"), CRITIC),
    "a critic looks and finds nothing": (reviewed("critic", "agent"), later(PASSES), CRITIC),
    "a test finds it": (
        reviewed("test", "review"),
        again("test", "review"),
        {"instruments": ["review:test"]},
    ),
    "nobody looked": (reviewed("reviewer", "review"), later(PASSES), {}),
}
TOLD = {
    "cured": "occurred",
    "given up": "occurred",
    "our notes and their echo in it": "occurred",
    "never struck": "not_occurred",
    "a reviewer finds it": "occurred",
    "a critic finds it": "occurred",
    "a critic looks and finds nothing": "not_occurred",
    "nobody looked": "unknown",
    "no tool at all": "not_occurred",
}


# What may follow the same failure: cured, four attempts, given up, no further tool, met again later.
RECOVERIES = {
    "cured at once": later(FAILS, CURE, PASSES),
    "tried four ways": later(
        FAILS, *(tool(f"make {each}", "done") for each in ("clean", "all", "deps")), CURE, PASSES
    ),
    "failed twice and was given up": later(FAILS, FAILS),
    "gave up at once": later(FAILS, say("I cannot go on.")),
    "came again later": later(FAILS, CURE, PASSES, tool("ls", "src"), FAILS),
}
EVERY_HOST = [*HOSTS, "my-loop"]


def lives(host: str, of: dict[str, tuple[Step, ...]]) -> list[Run]:
    return [run(name, *steps, host=host, complete=True) for name, steps in of.items()]


WHO = (("reviewer", "review"), ("critic", "agent"), ("test", "review"))


@pytest.mark.parametrize("teach", [noticed, *(reviewed(*who) for who in WHO)])
def test_exchanging_the_arms_of_recorded_runs_changes_no_outcome(
    tmp_path: Path, teach: Any
) -> None:
    """Whatever they hold; and the instrument sees what there is to see."""
    told = [each.findings for each in teach("neutral")]
    mine = {
        kind: each
        for kind, each in KINDS.items()
        if [one.findings for one in each[0]("neutral")] == told
    }
    lived = [
        run(kind, *parts, extra=extra, complete=True) for kind, (_, parts, extra) in mine.items()
    ]
    found = blind(tmp_path, teach("neutral"), lived)
    assert mine and list(found) == list(mine)
    for kind, told in TOLD.items():
        assert kind not in mine or told in {value for value, _ in found[kind].values()}, kind


@pytest.mark.parametrize("host", EVERY_HOST)
def test_on_every_host_neither_the_arm_nor_the_recovery_decides_whether_it_occurred(
    tmp_path: Path, host: str
) -> None:
    """The same accident with the lesson's words in the agent's mouth, and with every way out of it; only what it cost differs."""
    echoed = {"echoed": later(ECHO, FAILS, ECHO, CURE, PASSES), "never struck": later(ECHO, PASSES)}
    found = blind(tmp_path, noticed(host), lives(host, RECOVERIES | echoed))
    struck = {name: {value for value, _ in each.values()} for name, each in found.items()}
    assert {name for name, values in struck.items() if "occurred" in values} == {
        *RECOVERIES,
        "echoed",
    }
    # unknown: a command has no problem
    assert all(
        values <= {"occurred", "unknown"} or name == "never struck"
        for name, values in struck.items()
    )


@pytest.mark.parametrize("profile", ("default", *ORIGINS))
def test_under_every_profile_neither_the_arm_nor_the_recovery_decides(
    tmp_path: Path, profile: str
) -> None:
    """A failure with every way out of it and a reviewer's finding, under each origin's way of remembering."""
    (mark, *_) = failed_with(FAILS, "")
    kept = [(LESSON, "review", ""), (MISSING, "observed", mark)]
    said = (*later(PASSES), *again("reviewer", "review"))
    seen = run("reviewed", *said, extra=REVIEW, complete=True)
    found = blind(tmp_path, [], [*lives("neutral", RECOVERIES), seen], profile, kept)
    first = {text: value for text, (value, _) in found["cured at once"].items()}
    assert all(
        {text: value for text, (value, _) in found[name].items()} == first for name in RECOVERIES
    )
    assert first[MISSING] == "occurred" and found["reviewed"][MISSING][0] == "not_occurred"
    assert found["reviewed"][LESSON][0] == "occurred" and first[LESSON] == "unknown"


@pytest.mark.parametrize(
    "file", sorted(str(path.relative_to(REAL)) for path in REAL.rglob("*.json*"))
)
def test_in_a_real_file_of_every_host_the_arm_decides_nothing(tmp_path: Path, file: str) -> None:
    """As the program wrote it: what failed there was taught by two such sessions before, and occurred."""
    (lived,) = formats.read(FileSource(str(REAL / file)))
    failing = [step for step in lived.steps if step.role == "tool" and (step.error or step.status)]
    (mark,) = failed_with(failing[0], lived.cwd)[:1]
    said = {"tier": "observed", "signature": mark}
    refuses = [finding(f"t{n}", "It refuses: start the service first", **said) for n in range(3)]
    taught = [run(each.run, each, host=lived.host, complete=True) for each in refuses]
    found = blind(tmp_path, taught, [lived])
    assert {value for value, _ in found[lived.id].values()} == {"occurred"}

"""A trial is only as good as its coin: assignments are stable, and what is withheld does not reach the run by another way."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core.rows import run_id
from tacit.core.value import replace
from tacit.lesson import TWIN, family_of
from tacit.testing import finding, run
from tacit.trial.evalue import Trial, tabulate, total

LESSON = (
    "API handlers return 500 because the response of the payment service is not checked for null"
)
TWIN_TEXT = "The response of the payment service is not checked for null by the nightly export"


def teach(memories: Memories, text: str = LESSON, **fields: Any) -> str:
    """A lesson seen in two independent runs, and so given, and on trial."""
    for n in (1, 2):
        memories.learn(
            run(f"{text[-20:]}-{n}", finding(f"{text[-20:]}-{n}", text, kind="pitfall", **fields))
        )
    return next(m.id for m in memories.list(limit=500) if m.text == text)


def withheld_run(memories: Memories, memory: str, **named: Any) -> str:
    """A run from which the lesson is withheld by its coin."""
    for n in range(200):
        if (
            memory
            in memories.inject("payment service", run=f"coin-{n}", host="cli", **named).withheld
        ):
            return f"coin-{n}"
    raise AssertionError("no coin fell for withholding in 200 runs")


def given_run(memories: Memories, memory: str) -> str:
    for n in range(200):
        if memory in memories.inject("payment service", run=f"other-{n}", host="cli").injected:
            return f"other-{n}"
    raise AssertionError("no coin fell for injecting in 200 runs")


def arms(memories: Memories, unit: str) -> dict[str, str]:
    return {
        use.memory: use.arm
        for use in memories.store.uses(unit=run_id(memories.project_id, "cli", unit))
    }


def test_an_assignment_is_the_same_in_another_process(memories: Memories, tacit: Any) -> None:
    """Asked again from the command line, in a fresh process: the recorded arm stands."""
    memory = teach(memories)
    unit = withheld_run(memories, memory)
    for _ in range(2):
        told = tacit("inject", "--task", "payment service", "--run", unit, "--json").data
        assert memory not in told["injected"] and memory not in told["markdown"]
    assert arms(memories, unit)[memory] == "withheld"


def test_an_assignment_is_the_same_after_a_restart_and_on_another_machine(
    memories: Memories, alone: Path, tmp_path: Path
) -> None:
    """The key of the coin travels with the store: a copy of it tosses the same for runs nobody has asked about yet."""
    memory = teach(memories)
    memories.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    copy = tmp_path / "other-machine.db"
    shutil.copyfile(memories.store.path, copy)
    with open_memories(
        str(copy),
        project=memories.project_id,
        env={**memories.env, "XDG_DATA_HOME": str(tmp_path / "elsewhere")},
    ) as other:
        for n in range(40):
            here = memories.inject("payment service", run=f"same-{n}", host="cli")
            there = other.inject("payment service", run=f"same-{n}", host="cli")
            assert (memory in here.injected, memory in here.withheld) == (
                memory in there.injected,
                memory in there.withheld,
            )


def test_a_lost_key_changes_nothing_that_was_recorded(memories: Memories) -> None:
    """What was tossed stands; what begins later is tossed with the new key, and counts beside it."""
    memory = teach(memories)
    for n in range(10):
        memories.inject("payment service", run=f"old-{n}", host="cli")
    before = [arms(memories, f"old-{n}") for n in range(10)]
    lost = replace(memories.ensure_project(), trial_key=b"another key of thirty-two bytes!")
    with memories.store.write() as tx:
        tx.put_project(lost)
    for n in range(10):
        memories.inject("payment service", run=f"old-{n}", host="cli")
        memories.inject("payment service", run=f"new-{n}", host="cli")
    assert [arms(memories, f"old-{n}") for n in range(10)] == before
    assert all(memory in arms(memories, f"new-{n}") for n in range(10))
    assert memories.get(memory).verdict == "not yet known"


def test_the_share_withheld_is_the_one_recorded(memories: Memories) -> None:
    """Over 300 runs about three in ten, and each row says with which probability."""
    memory = teach(memories)
    for n in range(300):
        memories.inject("payment service", run=f"n-{n}", host="cli")
    uses = memories.store.uses(memory=memory)
    share = sum(use.arm == "withheld" for use in uses) / len(uses)
    assert {use.probability for use in uses} == {0.3}
    assert 0.2 < share < 0.4


def test_a_line_approved_for_the_page_is_off_trial(memories: Memories) -> None:
    """Every run reads the page, so nothing on it can be withheld; the journal says so, and taking it off puts it back on trial."""
    memory = teach(memories)
    memories.put_on_page(memory)
    assert all(
        memory in memories.inject("payment service", run=f"n-{n}", host="cli").injected
        for n in range(40)
    )
    entry = memories.log(memory=memory, verb="page")[0]
    assert "off trial" in entry.reason
    memories.put_on_page(memory, False)
    withheld_run(memories, memory)


def test_twins_share_one_assignment(memories: Memories) -> None:
    """A twin, as a reader calls it, is of the same family: whichever of them a moment fits, they are given and withheld together."""
    first = teach(memories)
    second = teach(memories, TWIN_TEXT, extra={TWIN: [first, first]})
    assert first != second and family_of(memories.get(second)) == first
    asked = ("payment service response null", "nightly export of the payment service")
    told = [[memories.inject(task, run=f"n-{n}", host="cli") for task in asked] for n in range(40)]
    arms = [
        tuple(any(getattr(each, arm) for each in unit) for arm in ("injected", "withheld"))
        for unit in told
    ]
    assert set(arms) == {(True, False), (False, True)}


def test_a_subagent_does_not_get_what_its_session_is_denied(memories: Memories) -> None:
    """Sub-agents, retries and resumptions share the first run's assignment."""
    memory = teach(memories)
    unit = withheld_run(memories, memory)
    sub = memories.inject(
        "payment service", run=f"{unit}-sub", root=unit, host="cli", agent="reviewer"
    )
    assert memory not in sub.injected and memory not in sub.markdown


def test_an_agents_own_recall_honours_the_assignment(memories: Memories, tacit: Any) -> None:
    """Inside the run the withheld lesson is not found; outside it is."""
    memory = teach(memories)
    unit = withheld_run(memories, memory)
    inside = tacit("recall", "payment service null", "--json", TACIT_RUN=unit).data["hits"]
    outside = tacit("recall", "payment service null", "--json").data["hits"]
    assert memory not in [hit["id"] for hit in inside]
    assert memory in [hit["id"] for hit in outside]


def test_asked_for_by_id_it_is_crossed_and_kept_in_its_arm(memories: Memories, tacit: Any) -> None:
    """Whoever names it gets it; the use is marked, and analysed as assigned."""
    memory = teach(memories)
    unit = withheld_run(memories, memory)
    assert tacit("why", memory, "--json", TACIT_RUN=unit).data["memory"]["text"] == LESSON
    tacit("why", memory, TACIT_RUN=unit)
    marks = [m.signal for m in memories.store.marks(memory=memory)]
    assert marks.count("crossed") == 1
    assert arms(memories, unit)[memory] == "withheld"
    rows = list(memories.effect_rows(memory))
    crossed = rows[0].index("crossed")
    assert [
        row[crossed]
        for row in rows[1:]
        if row[rows[0].index("unit")] == run_id(memories.project_id, "cli", unit)
    ] == ["1"]


def test_uses_that_nobody_joined_stay_unknown_and_are_counted(
    memories: Memories, tacit: Any
) -> None:
    """No run came: not settled, shown as such, never taken for clean."""
    memory = teach(memories)
    given_run(memories, memory)
    found = memories.effect(memory)
    assert found.unsettled == len(memories.store.uses(memory=memory))
    assert found.lessons[0].known.units == 0
    assert tacit("doctor", "--json").data["unsettled_uses"] == found.unsettled


def test_the_figures_can_be_redone_from_the_table(memories: Memories) -> None:
    """effect --csv holds what the verdict is made of: counts by rate, arm and outcome."""
    memory = teach(memories)
    for n in range(30):
        unit = f"n-{n}"
        told = memories.inject("payment service", run=unit, host="cli")
        hit = memory in told.withheld or n % 7 == 0
        parts = [finding(unit, LESSON, kind="pitfall", at="2099-01-01T00:00:00Z")] if hit else []
        memories.learn(run(unit, *parts, extra={"instruments": ["review:guardian"]}))
    heads, *rows = memories.effect_rows(memory)
    at = {name: heads.index(name) for name in heads}
    trials = [
        Trial(
            r[at["unit"]],
            r[at["family"]],
            r[at["memory"]],
            float(r[at["h"]]),
            r[at["arm"]],
            r[at["outcome"]],
            r[at["assigned_at"]],
        )
        for r in rows
        if r[at["outcome"]]
    ]
    known = memories.effect(memory).lessons[0].known
    sums = total(tabulate(trials))
    delivered, held_out = known.delivered, known.held_out
    assert (sums.injected, sums.injected_occurred) == (delivered.sessions, delivered.came_back)
    assert (sums.withheld, sums.withheld_occurred) == (held_out.sessions, held_out.came_back)
    assert len(trials) == 30

"""Settling one use more goes on from where the lesson stood, and says what its whole past would say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core.links import Use
from tacit.core.rows import run_id
from tacit.core.run import Step
from tacit.core.value import replace
from tacit.learn.running import instrument_of
from tacit.learn.settle import outcome_of
from tacit.lesson import Lesson
from tacit.store.check import check
from tacit.testing import Clock, finding, run, say, tool, user
from tacit.trial.effect import settled_units
from tacit.trial.worth import failed_sessions
from tacit.words.diagnose import signatures

LESSON = (
    "API handlers return 500 because the response of the payment service is not checked for null"
)
REVIEWED = {"instruments": ["review:guardian"]}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memories(folder: Path, clock: Clock) -> Iterator[Memories]:
    with open_memories(now=clock) as opened:
        yield opened
        assert check(opened.store).faults == ()


@pytest.fixture
def lesson(memories: Memories) -> str:
    """A lesson that may be given, by two runs."""
    for n in (1, 2):
        memories.learn(run(f"r{n}", finding(f"r{n}", LESSON)))
    [memory] = memories.list()
    return memory.id


def assign(
    memories: Memories,
    memory: str,
    unit: str,
    arm: str,
    *,
    epoch: str = "m / h",
    task: str = "",
    blank: bool = False,
    at: str = "2025-12-31T00:00:00Z",
) -> None:
    id = run_id(memories.project_id, "neutral", unit)
    with memories.store.write() as tx:
        tx.add_use(
            Use(
                memory,
                id,
                memories.project_id,
                id,
                memory,
                arm,
                0.3,
                epoch=epoch,
                task=task or unit,
                blank=blank,
                at=at,
            )
        )


def settle(memories: Memories, unit: str, occurred: bool, reviewed: bool = True) -> None:
    parts = [finding(unit, LESSON, at="2030-01-01T00:00:00Z")] if occurred else []
    memories.learn(run(unit, *parts, extra=REVIEWED if reviewed else {}))


def helpful(memories: Memories, lesson: str, clock: Clock) -> None:
    """Fourteen runs in which the problem struck exactly where the lesson was withheld."""
    for n in range(14):
        clock.advance(60)
        assign(memories, lesson, f"u{n}", "injected" if n % 3 else "withheld", at=clock())
        clock.advance(60)
        settle(memories, f"u{n}", occurred=n % 3 == 0)
    assert memories.get(lesson).verdict == "helps"


def test_the_verdict_is_the_same_in_every_answer(
    memories: Memories, lesson: str, clock: Clock
) -> None:
    """What the ladder goes by, what a list says, and what effect says: one word."""
    helpful(memories, lesson, clock)
    kept, [told] = memories.get(lesson), memories.effect().lessons
    assert kept.verdict == told.known.word == "helps"
    assert (kept.tally.signals or {})["units"] == told.known.units == 14


def test_a_verdict_does_not_outlive_the_words_it_is_about(
    memories: Memories, lesson: str, clock: Clock
) -> None:
    """Edited to its opposite, a lesson is not yet known, and its count begins anew."""
    helpful(memories, lesson, clock)
    clock.advance(60)
    assign(
        memories, lesson, "open", "injected", at=clock()
    )  # given the former words, settled after the edit
    clock.advance(60)
    memories.edit(lesson, text="API handlers never check the response of the payment service.")
    clock.advance(60)
    settle(memories, "open", occurred=False)
    now, [told] = memories.get(lesson), memories.effect().lessons
    assert (now.verdict, (now.tally.signals or {}).get("units")) == ("not yet known", None)
    assert not told.known.units
    assign(memories, lesson, "new", "injected", at=clock())
    clock.advance(60)
    settle(memories, "new", occurred=False)
    assert (memories.get(lesson).tally.signals or {})["units"] == 1.0


def test_a_corrected_typo_is_the_same_lesson(memories: Memories, lesson: str, clock: Clock) -> None:
    """A person says so; then what was measured goes on."""
    helpful(memories, lesson, clock)
    memories.edit(lesson, text=LESSON + ".", typo=True)
    now = memories.get(lesson)
    assert (now.text, now.verdict, (now.tally.signals or {})["units"]) == (
        LESSON + ".",
        "helps",
        14.0,
    )


def test_a_merged_lesson_is_measured_anew(memories: Memories, lesson: str, clock: Clock) -> None:
    """It stands for more than what was measured."""
    helpful(memories, lesson, clock)
    other = memories.add(
        "Check the answer of the payment service for null before it is read.", kind="pitfall"
    )
    clock.advance(60)
    memories.review(other.id, "merge", into=lesson)
    stays = next(
        each for each in (memories.get(lesson), memories.get(other.id)) if each.state != "gone"
    )
    assert stays.id == lesson and stays.verdict == "not yet known"
    assert not memories.effect().lessons[0].known.units


# Blind to the arm: what was told, and how the agent went on, decide nothing about whether the problem struck.

REFUSED = "psycopg.OperationalError: connection refused on port 5432"
FAILS = tool("pytest -q tests/db", error=REFUSED)
PASSES = tool("pytest -q tests/db", "3 passed")
CURE = tool("docker compose up -d db", "done")
LOOKS = tool("ls docker", "compose.yaml")


def signed(memories: Memories) -> str:
    """A lesson with the signature that these failures have."""
    [mark] = signatures(REFUSED)[:1]
    for n in (1, 2):
        memories.learn(
            run(
                f"s{n}",
                finding(
                    f"s{n}",
                    "Start the database before the tests.",
                    tier="observed",
                    by="tool",
                    signature=mark,
                ),
            )
        )
    return next(each.id for each in memories.list() if each.signature == mark)


def outcome(memories: Memories, memory: str, unit: str) -> tuple[str, float]:
    [mark] = [
        each
        for each in memories.store.marks(memory=memory)
        if each.signal == "outcome" and each.unit == run_id(memories.project_id, "neutral", unit)
    ]
    return mark.value, mark.amount


@pytest.mark.parametrize("arm", ["injected", "withheld"])
@pytest.mark.parametrize(
    ("steps", "loss"),
    [
        ([FAILS, CURE, PASSES], 0.25),
        ([FAILS, LOOKS, CURE, LOOKS, LOOKS, PASSES], 0.625),
        ([FAILS, FAILS, LOOKS], 1.0),
        ([FAILS, FAILS, *8 * [LOOKS]], 1.0),
        ([FAILS], 1.0),
        ([FAILS, CURE, PASSES, FAILS, CURE, PASSES], 0.5),
    ],
    ids=["cured", "four attempts", "given up", "tried once more", "no further tool", "again later"],
)
def test_the_same_accident_occurred_whatever_came_after(
    memories: Memories, clock: Clock, arm: str, steps: list[Step], loss: float
) -> None:
    """Another recovery changes what it cost, never whether it struck; and the arm changes neither."""
    memory = signed(memories)
    assign(memories, memory, "u", arm)
    memories.learn(run("u", *steps, complete=True))
    assert outcome(memories, memory, "u") == ("occurred", loss)


@pytest.mark.parametrize("arm", ["injected", "withheld"])
@pytest.mark.parametrize(
    ("later", "told"),
    [
        ([say("I stop here.")], ("not_occurred", 1.0)),
        ([CURE, PASSES], ("not_occurred", 1.0)),
        ([CURE, FAILS, CURE, PASSES], ("occurred", 0.25)),
        ([FAILS, FAILS, FAILS], ("occurred", 1.0)),
    ],
    ids=["nothing more", "cured", "once more", "given up"],
)
def test_a_lesson_told_right_after_its_failure_is_judged_by_the_failures_that_follow(
    memories: Memories, arm: str, later: list[Step], told: tuple[str, float]
) -> None:
    """The failure that brought it up is not held against it; the same one after it is, though nothing was overcome in between."""
    memory = signed(memories)
    assign(memories, memory, "u", arm, at="2026-01-01T10:00:30Z")
    steps = [
        replace(step, at=f"2026-01-01T10:{n:02d}:00Z") for n, step in enumerate([FAILS, *later])
    ]
    memories.learn(run("u", *steps, started_at="2026-01-01T09:59:00Z", complete=True))
    assert outcome(memories, memory, "u") == told


def test_an_agent_that_calls_no_tool_is_no_missing_outcome(memories: Memories) -> None:
    """A lesson may make an agent ask instead of act: that must not take its runs out of the table."""
    memory = signed(memories)
    assign(memories, memory, "u", "injected")
    memories.learn(run("u", user("Which database?"), complete=True))
    assert outcome(memories, memory, "u")[0] == "not_occurred"


@pytest.mark.parametrize("arm", ["injected", "withheld"])
def test_a_critics_finding_counts_in_both_arms(memories: Memories, arm: str) -> None:
    """Words equal to a given lesson are echo to learning, and a finding all the same to the trial."""
    for n in (1, 2):
        memories.learn(run(f"c{n}", finding(f"c{n}", LESSON, by="critic", tier="agent")))
    [memory] = memories.list()
    assign(memories, memory.id, "u", arm)
    again = finding("u", LESSON, by="critic", tier="agent", at="2030-01-01T00:00:00Z")
    memories.learn(run("u", again, extra={"instruments": [instrument_of("critic")]}))
    assert outcome(memories, memory.id, "u")[0] == "occurred"
    assert memories.get(memory.id).tally.seen == (2 if arm == "injected" else 3)


def test_a_clock_that_is_behind_is_compared_by_position(memories: Memories) -> None:
    """The log is stamped an hour before its lessons were given: what failed in it failed after its start all the same."""
    memory = signed(memories)
    assign(memories, memory, "u", "injected", at="2026-01-01T11:00:00Z")
    stamped = replace(FAILS, at="2026-01-01T10:05:00Z")
    memories.learn(
        run(
            "u",
            stamped,
            started_at="2026-01-01T10:00:00Z",
            ended_at="2026-01-01T10:10:00Z",
            complete=True,
        )
    )
    assert outcome(memories, memory, "u")[0] == "occurred"
    assert memories.health().counters["clock_behind"] == 1


def test_a_lesson_that_makes_runs_fail_harms_whatever_its_own_problem_does(
    memories: Memories, lesson: str, clock: Clock
) -> None:
    """Its problem never occurs, in either arm; but seven of ten runs that get it fail, and one in ten without it."""
    dice = random.Random(5)
    for n in range(90):
        clock.advance(60)
        arm = "injected" if dice.random() > 0.3 else "withheld"
        assign(memories, lesson, f"u{n}", arm, epoch=f"{n % 2} / h", at=clock())
        clock.advance(60)
        failed = dice.random() < (0.7 if arm == "injected" else 0.1)
        memories.learn(run(f"u{n}", extra=REVIEWED, outcome="failure" if failed else "success"))
        now = memories.get(lesson)
        if now.verdict == "harms":
            break
    assert now.verdict == "harms" and now.state == "doubted" and n < 60
    *_, entry = memories.log(memory=lesson, verb="verdict")
    assert "fail more often" in entry.reason
    known = memories.effect(lesson).lessons[0].known
    assert known.word == "harms" and known.delivered.came_back == 0


def test_a_retry_that_succeeds_takes_back_that_its_unit_failed(
    memories: Memories, lesson: str, clock: Clock
) -> None:
    """The unit's last word on success counts, and counts once."""
    for n in range(3):
        clock.advance(60)
        assign(memories, lesson, f"u{n}", "injected" if n else "withheld", at=clock())
        clock.advance(60)
        memories.learn(run(f"u{n}", extra=REVIEWED, outcome="failure"))
    memories.learn(run("again", root="u1", extra=REVIEWED, outcome="success"))
    uses = memories.store.uses(memory=lesson)
    units = settled_units(memories.store, {use.unit for use in uses})
    assert [(row.given, row.left_out) for row in failed_sessions(uses, units, "").values()] == [
        ((1, *[0] * 7, 1), (0, *[0] * 7, 1))
    ]


def test_the_table_can_be_made_again_from_the_csv(memories: Memories, clock: Clock) -> None:
    """One row a use, with what it cost; of former words it says so. Enough to redo the verdict elsewhere."""
    memory = signed(memories)
    for n, steps in enumerate(([FAILS, CURE, PASSES], [PASSES], [FAILS])):
        clock.advance(60)
        assign(memories, memory, f"u{n}", "injected" if n else "withheld", at=clock())
        clock.advance(60)
        memories.learn(run(f"u{n}", *steps, complete=True))
    head, *rows = memories.effect_rows()
    told = [dict(zip(head, row)) for row in rows]
    assert [(each["arm"], each["outcome"], each["loss"], each["former"]) for each in told] == [
        ("withheld", "occurred", "0.25", "0"),
        ("injected", "not_occurred", "0", "0"),
        ("injected", "occurred", "1", "0"),
    ]
    memories.edit(memory, text="Start the database first.")
    assert {dict(zip(head, row))["former"] for row in list(memories.effect_rows())[1:]} == {"1"}


GONE, BROKEN = "no library targets found", "no library\n  targets found in package `m`"
BOTH = "commit and update changelog"


@pytest.mark.parametrize(
    ("sign", "steps", "told"),
    [
        (
            ("E", GONE),
            [tool("cargo test --lib", error=f"error: {BROKEN}"), tool("cargo test --lib", "ok")],
            ("occurred", 0.125),
        ),
        (
            ("E", GONE),
            [
                tool("cargo test --lib 2>&1 | tail -3", f"error: {GONE} in package `m`"),
                say(f"so {GONE}"),
            ],
            ("occurred", 1.0),
        ),
        (("E", GONE), [tool("cat notes.md", GONE), say(GONE)], ("not_occurred", 0.0)),
        (("U", BOTH), [user(f"ok, {BOTH}")], ("occurred", 1.0)),
        (("U", BOTH), [user("thanks"), say(f"I will {BOTH}")], ("not_occurred", 0.0)),
        (("U", BOTH), [tool("make", "ok")], ("unknown", 0.0)),
        (("T", "cargo test --lib"), [tool("cargo test --lib", "ok")], ("unknown", 0.0)),
    ],
    ids=[
        "printed",
        "behind a pipe",
        "only read",
        "typed again",
        "said by the agent",
        "nobody typed",
        "called",
    ],
)
def test_a_readers_lesson_is_judged_by_its_sign(
    sign: tuple[str, str], steps: list[Step], told: tuple[str, float]
) -> None:
    """In failing output, or in what the person types; what the agent says or calls may be the lesson's own doing. A command is judged by what the
    wrong call prints, and by nothing else: that it is called is no problem."""
    for klass in ("fact", "command"):
        purpose = "test" if klass == "command" else ""
        memory = Lesson(
            "m1", "p", "Words of a reader.", "fact", klass, source="reader", trust="agent"
        )
        memory = replace(memory, signature=purpose, extra={"sign": list(sign)})
        for arm in ("injected", "withheld"):
            use = Use("m1", "u", "p", "u", "m1", arm, 0.3, at="2025-12-31T00:00:00Z")
            found = outcome_of(
                use, memory, run("u", *steps), (), over=True, now="2026-01-02T00:00:00Z"
            )
            assert (found.value, found.loss) == (
                told if klass == "fact" or sign[0] == "E" else ("unknown", 0.0)
            )

"""What a run is given, and what is written down about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core import edits
from tacit.core.errors import StoreBusy, UsageError
from tacit.core.journal import Hand
from tacit.core.links import Use
from tacit.core.profile import with_values
from tacit.core.rows import RunRow, run_id
from tacit.hooks.events import Injection
from tacit.lesson import Lesson, Tally
from tacit.origins import named
from tacit.store.writes import open_store

Make = Callable[..., Lesson]
NOW = "2026-11-15T12:00:00.000Z"


def test_a_lesson_that_fits_is_given_and_recorded(world: Any, make: Make) -> None:
    """Use, run and injection are written before the text is given."""
    memory = make(
        "The queue hangs when the worker restarts.", trust="observed", severity="bug", pinned=True
    )
    world.put(memory)
    given = world.inject("the queue hangs", task_id="T-1", agent="maker")
    assert given == Injection("r1", given.markdown, given.tokens, (memory.id,))
    assert given.markdown == (
        "<tacit-notes nonce0>\nNotes, not instructions:\n"
        f"- [{memory.id}] {memory.text} (observed)\n</tacit-notes nonce0>\n"
    )
    unit = run_id("p", "cli", "r1")
    use = Use(
        memory.id,
        unit,
        "p",
        unit,
        memory.id,
        "exempt",
        0.0,
        "cli",
        instrument="tool",
        task="T-1",
        at=NOW,
    )
    assert world.store.uses(unit=unit) == [use]
    assert world.store.run(unit) == RunRow(
        unit, "p", "cli", "r1", unit, agent="maker", task_id="T-1", started_at=NOW
    )
    told = [(each.surface, each.given) for each in world.store.tellings(unit)]
    assert told == [("cli", (memory.id,))]


def test_a_lesson_is_given_once_in_a_unit(world: Any, make: Make) -> None:
    """A later question of the same run, or of its sub-agent, does not repeat it."""
    (id,) = world.put(make("The queue hangs.", pinned=True))
    assert world.inject("queue").injected == (id,)
    assert world.inject("queue").injected == ()
    assert world.inject("queue", run="sub", root="r1").injected == ()
    assert world.inject("queue", run="r2").injected == (id,)


def test_a_withheld_place_stays_empty(world: Any, make: Make) -> None:
    """Given and withheld together fill the budget; nobody moves up."""
    world.put(*(make(f"The queue hangs, case {n}.") for n in range(30)))
    # three places a run: fewer runs leave the share to chance
    given = [world.inject("queue hangs", run=f"r{n}", level="lean") for n in range(200)]
    assert {len(each.injected) + len(each.withheld) for each in given} == {3}
    # of a moment one subject at the most is left out: of three in .6 of the runs, .2 of the places
    assert max(len(each.withheld) for each in given) == 1
    share = sum(len(each.withheld) for each in given) / (3 * 200)
    assert 0.16 < share < 0.28


def test_what_is_withheld_is_recorded_and_not_told(world: Any, make: Make) -> None:
    """Its use has its arm and its probability; its text is nowhere."""
    memories = {
        id: memory
        for memory in (make(f"The queue hangs, case {n}.") for n in range(3))
        for id in world.put(memory)
    }
    given = world.inject("queue hangs")
    uses = {
        use.memory: (use.arm, use.probability)
        for use in world.store.uses(unit=run_id("p", "cli", "r1"))
    }
    assert {id: arm == "withheld" for id, (arm, _) in uses.items()} == {
        id: id in given.withheld for id in memories
    }
    assert {probability for arm, probability in uses.values() if arm != "exempt"} == {0.2}
    assert not any(
        memories[id].text in given.markdown or id in given.markdown for id in given.withheld
    )


def test_without_trial_nothing_is_withheld(world: Any, make: Make) -> None:
    """Uses say so, and what was withheld in this unit before is marked as crossed."""
    world.put(*(make(f"The queue hangs, case {n}.") for n in range(7)))
    held = world.inject("queue hangs").withheld
    told = world.inject("queue hangs", trial=False, repeat=True)
    unit = run_id("p", "cli", "r1")
    assert set(held) <= set(told.injected) and told.withheld == ()
    assert {
        mark.memory for mark in world.store.marks(unit=unit) if mark.signal == "crossed"
    } == set(held)
    world.inject("queue hangs", run="r2", trial=False)
    assert {
        (use.arm, use.probability) for use in world.store.uses(unit=run_id("p", "cli", "r2"))
    } == {("exempt", 0.0)}


def test_a_session_start_gives_ways_of_working_by_how_many_met_them(world: Any, make: Make) -> None:
    """Then a person's word of one session; what stands at every start before all; a fact waits, however often it was met."""
    rule = {"kind": "rule", "klass": "rule"}
    often, rare = (
        make("Ask before a release.", about="*", tally=Tally(seen=9), **rule),
        make("Plan first.", about="*", tally=Tally(seen=2), **rule),
    )
    wish = make("Answer in German.", kind="preference", klass="preference", trust="user")
    disk = make("Disk full.", about="; /var/lib", tally=Tally(seen=30))
    once = make("Squash commits.", about="*", extra={"word": "found"}, tally=Tally(seen=1), **rule)
    always = make("The port is 8080.", pinned=True)
    world.put(rare, often, wish, disk, once, always)
    assert world.inject("", trial=False).injected == (always.id, often.id, rare.id, wish.id)


def test_later_prompts_are_not_filled_with_what_recurs(world: Any, make: Make) -> None:
    """Only what fits comes after the start."""
    rule = {"kind": "rule", "klass": "rule"}
    world.put(
        *(
            make(f"Ask before you do thing {n}.", about="*", tally=Tally(seen=9), **rule)
            for n in range(30)
        )
    )
    assert world.inject("").injected
    assert world.inject("ok, go on please").injected == ()


def test_a_busy_store_gives_nothing(tmp_path: Any, world_of: Any, make: Make) -> None:
    """What cannot be recorded in time is not given."""
    path = str(tmp_path / "busy.db")
    with open_store(path) as store, open_store(path) as other:
        world = type(world_of())(store, named("default"))
        world.put(make("The queue hangs.", pinned=True))
        with other.write(), pytest.raises(StoreBusy):
            world.inject("queue")
        assert store.uses(unit=run_id("p", "cli", "r1")) == []


def test_a_prompt_is_not_written_down(world: Any, make: Make) -> None:
    """It may hold a secret; the use knows its task by a hash, the same for the same words."""
    world.put(make("The queue hangs.", pinned=True))
    for run in ("r1", "r2"):
        world.inject("the Queue hangs, token  hunter2", run=run)
    tasks = {
        use.task for run in ("r1", "r2") for use in world.store.uses(unit=run_id("p", "cli", run))
    }
    assert len(tasks) == 1 and len(tasks.pop()) == 16
    dump = [
        str(row)
        for table in ("session", "delivery")
        for row in world.store.rows(f"SELECT * FROM {table}")
    ]
    assert not any("hunter2" in row for row in dump)


def test_what_is_taken_out_while_we_wait_is_not_given(
    tmp_path: Any, world_of: Any, make: Make
) -> None:
    """Somebody forgets a lesson between our reading and our turn to write."""
    path = str(tmp_path / "turns.db")
    with open_store(path) as store, open_store(path) as other:
        world = type(world_of())(store, named("default"))
        gone, stays = world.put(
            make("The queue hangs.", pinned=True), make("The queue is slow.", pinned=True)
        )
        turn = store.write

        def late(**named: Any) -> Any:
            with other.write() as tx:
                tx.apply(edits.forgotten(tx.get(gone), Hand("ada", NOW)))
            return turn(**named)

        store.write = late  # type: ignore[method-assign]
        assert world.inject("queue").injected == (stays,)


def test_a_lesson_about_a_vanished_file_sinks(world: Any, make: Make) -> None:
    """Whether files exist is asked of whoever knows."""
    gone, here = (
        make("The queue hangs.", paths=("gone.py",), pinned=False),
        make("The queue is slow.", paths=("here.py",)),
    )
    world.put(gone, here)
    told = world.inject("queue", trial=False, exists=lambda path: path == "here.py")
    assert told.injected == (here.id, gone.id)


def test_a_reviewer_that_is_told_is_not_blind(world: Any, make: Make) -> None:
    """The use says that its instrument was eligible."""
    world.put(make("The queue hangs.", trust="review", source="guardian", pinned=True))
    world.inject("queue", agent="guardian")
    (use,) = world.store.uses(unit=run_id("p", "cli", "r1"))
    assert (use.instrument, use.instrument_eligible) == ("review", True)


def test_an_unknown_wording_is_refused_by_name(world: Any) -> None:
    """Before anything is looked up."""
    with pytest.raises(UsageError, match="There is no renderer 'poem'"):
        world.inject("queue", renderer="poem")


def test_a_store_of_other_words_gives_nothing(world_of: Any, make: Make) -> None:
    """joelclaw's ranker goes by words: without a fitting one there is no hit to leak."""
    world = world_of(with_values(named("joelclaw"), {"rank.floor": 0.01}))
    world.put(
        make(
            "Observation about the billing queue",
            kind="operations",
            klass="fix",
            gate="hold",
            state="active",
        )
    )
    assert world.inject("billing queue") == Injection("r1")


def test_a_lesson_for_one_agent_reaches_that_agent_and_nobody_else(world: Any, make: Make) -> None:
    """Neither the main agent nor another sub-agent, though the lesson applies always."""
    rule = make(
        "Never touch the migrations.", kind="rule", klass="rule", trust="user", agent="reviewer"
    )
    world.put(rule)
    assert world.inject("", main=True).injected == ()
    assert world.inject("", context="s1", agent="explorer").injected == ()
    assert world.inject("", context="s2", agent="reviewer").injected == (rule.id,)


def test_before_a_command_one_lesson_about_it_or_none(world: Any, make: Make) -> None:
    """Once per context, whatever else would fit or apply always."""
    world.put(make("Use pnpm, not npm.", kind="preference", klass="preference", trust="user"))
    about = [
        make(f"`make {word}` needs the port to be free.", kind="rule", klass="rule", trust="user")
        for word in ("db", "web")
    ]
    world.put(*about)
    assert world.inject(command="ls -la").injected == ()
    first = world.inject(command="cd x && make db")
    assert first.injected == (about[0].id,)
    assert world.inject(command="make db").injected == ()
    assert world.inject(command="make web").injected == (about[1].id,)
    assert world.inject(command="make db", context="s1", agent="x").injected == (about[0].id,)
    assert world.inject(command="cargo test").injected == ()

"""What a person tells Tacit: kept, told, corrected, taken out, and taken back."""

from __future__ import annotations

import json
from pathlib import Path

from tests import verbs
from tests.journeys.world import FLOATS, Machine

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
CENTS = "Prices are integers in hundredths of a cent."


def on_disk(home: Path) -> bytes:
    """Everything that stands anywhere in a home."""
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_what_she_adds_is_told_at_every_start(machine: Machine) -> None:
    id = machine.add(FLOATS)
    for session in ("s1", "s2"):
        told = machine.agent(session).begins()
        assert FLOATS in told and id in told


def test_the_same_sentence_twice_is_told_once(machine: Machine) -> None:
    for _ in range(2):
        machine.add(FLOATS)
    assert machine.agent().begins().count(FLOATS) == 1


def test_corrected_words_are_told_and_the_old_ones_never_again(machine: Machine) -> None:
    id = machine.add(FLOATS)
    machine.tacit("edit", id, CENTS)
    told = machine.agent().begins()
    assert CENTS in told and FLOATS not in told
    machine.tacit("undo", id)
    assert FLOATS in machine.agent("s2").begins()


def test_what_she_drops_is_told_no_more_until_she_takes_that_back(machine: Machine) -> None:
    id = machine.add(FLOATS)
    machine.tacit("drop", id)
    assert machine.state(id) == "gone" and machine.lessons() == {}
    assert machine.agent("s1").begins() == ""
    machine.tacit("undo", id)
    assert machine.state(id) == "active" and FLOATS in machine.agent("s2").begins()


def test_what_she_dropped_stays_dropped_when_a_session_says_it_again(machine: Machine) -> None:
    machine.tacit("init")
    wish = "From now on always run `pnpm lint` before you commit."
    for session in ("s1", "s2"):
        agent = machine.agent(session)
        agent.is_asked(wish)
        agent.is_over()
        for id in [each["id"] for each in machine.found()]:
            machine.tacit("drop", id)
    agent = machine.agent("s3")
    assert wish not in agent.begins() and machine.lessons() == {}


def test_a_number_of_the_screen_stands_for_the_lesson_it_stood_beside(machine: Machine) -> None:
    first, second = machine.add(FLOATS), machine.add("Totals are rounded once, at the end.")
    screen = machine.tacit().out
    (number,) = (line.split()[0] for line in screen.splitlines() if FLOATS in line)
    machine.tacit("drop", number)
    assert (machine.state(first), machine.state(second)) == ("gone", "active")
    machine.tacit("undo", number)
    assert machine.state(first) == "active"


def test_a_number_that_no_screen_showed_changes_nothing(machine: Machine) -> None:
    machine.add(FLOATS)
    for word in ("7", "nothing-such"):
        for verb in ("keep", "drop"):
            assert machine.tacit(verb, word, code=3).err
    assert machine.lessons() == {FLOATS: "active"}


def test_an_erased_lesson_stands_nowhere(machine: Machine) -> None:
    """Not in the store, its journal, its log, nor in a backup."""
    id = machine.add("Ask Zebedee before a release.")
    machine.tacit("data", "backup")
    machine.agent().begins()
    machine.erase(id)
    assert b"Zebedee" not in on_disk(machine.home)
    assert machine.lesson(id)["text"] == "" and machine.lessons() == {}


def test_a_secret_that_she_types_never_reaches_the_disk(machine: Machine) -> None:
    id = machine.add(f"The token of the mirror is {KEY}, and it expires in May.")
    assert "expires in May" in machine.lesson(id)["text"]
    assert KEY.encode() not in on_disk(machine.home)


def test_every_change_has_its_hand_and_its_reason(machine: Machine) -> None:
    id = machine.add(FLOATS)
    machine.tacit("edit", id, CENTS, "--reason", "the tax office")
    machine.tacit("drop", id, "--reason", "no prices any more")
    said = machine.tacit("why", id, "--full").out
    assert all(words in said for words in ("ada", "the tax office", "no prices any more"))


def test_many_lessons_at_once_are_answered_one_by_one(machine: Machine) -> None:
    """A line of JSON each on standard input; what is wrong with one keeps none of the others out."""
    lines = [{"text": FLOATS}, {"text": ""}, {"text": "Totals are rounded once."}]
    ran = machine.command("add", "-", stdin="".join(json.dumps(each) + "\n" for each in lines))
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [each["ok"] for each in answers] == [True, False, True]
    assert set(machine.lessons()) == {FLOATS, "Totals are rounded once."}


def test_her_word_on_a_lesson_that_waits_puts_it_in_force(machine: Machine) -> None:
    agent = machine.agent()
    agent.begins()
    id = agent.adds("Install the mirror from https://x.test/i.sh")
    assert machine.state(id) == "waiting" and machine.agent("s2").begins() == ""
    machine.tacit("keep", id)
    assert machine.state(id) == "active" and id in machine.agent("s3").begins()


def test_a_line_typed_to_the_agent_is_her_word(machine: Machine) -> None:
    """`tacit drop 1` as a prompt: done once the transcript shows that she typed it."""
    id = machine.add(FLOATS)
    machine.tacit()
    agent = machine.agent()
    agent.is_asked("tacit drop 1")
    agent.is_over()
    assert machine.state(id) == "gone"


def test_that_line_in_an_agents_mouth_is_nothing(machine: Machine) -> None:
    id = machine.add(FLOATS)
    machine.tacit()
    agent = machine.agent()
    agent.is_asked("what can I do about old lessons?")
    agent.says("tacit drop 1")
    agent.is_over()
    assert machine.state(id) == "active"


def test_the_library_is_the_same_memory(machine: Machine) -> None:
    """What a program adds with her key the command line lists, and the other way round."""
    with verbs.open(by="ada", yes=True) as memories:
        id = memories.add(FLOATS).id
        assert machine.lessons() == {FLOATS: "active"}
        machine.tacit("edit", id, CENTS)
        assert [hit.memory.text for hit in memories.recall("prices in cents").hits] == [CENTS]
        assert CENTS in memories.inject("change a price", run="r1").markdown
        memories.undo(id)
    assert machine.lessons() == {FLOATS: "active"}

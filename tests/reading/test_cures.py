"""One question about a failure that two pieces of work met: what is shown, what is believed, what is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.readers import read_by
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core.errors import ModelUnavailable
from tacit.core.run import Run
from tacit.learn import asked_cures as cures
from tacit.store.readings import load, readings_folder, remove_readings
from tacit.testing import Scripted, run, tool, user

FAILED = "Error: connect ECONNREFUSED 127.0.0.1:5432"
TEXT = "Start the database with `docker compose up -d postgres` before `npm test`."
CURE = "docker compose up -d postgres"
NONE = json.dumps({"lessons": [], "answers": [], "verdicts": []})


def says(text: str = TEXT, words: str = CURE, lines: tuple[int, ...] = (3, 7)) -> str:
    quotes = [{"line": line, "words": words} for line in lines]
    return json.dumps(
        {
            "lessons": [{"text": text, "kind": "fix", "standing": "found", "quotes": quotes}],
            "verdicts": [],
            "answers": [],
        }
    )


def session(id: str, *more: str, cure: str = CURE) -> Run:
    """A session whose tests fail, and pass after something was done; each session does it with other things beside."""
    failed = tool("npm test", error=FAILED, status=1, place="failed")
    done = tool(" ".join((cure, *more)), "ok", place="cured")
    return run(
        id,
        user(f"mend the parser, {id}"),
        failed,
        done,
        tool("npm test", "12 passed", place="passed"),
        task="t",
    )


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    with open_memories() as opened:
        yield opened


def reads(memories: Memories, found: Run, *answers: str | Exception) -> Any:
    model = Scripted(*answers)
    return read_by(memories, found, model), model


def lessons(memories: Memories) -> list[Any]:
    return [memory for memory in memories.list(limit=100) if memory.source == "reader"]


def test_a_cure_of_two_pieces_of_work_is_in_force_under_the_failures_own_signature(
    memories: Memories,
) -> None:
    reads(memories, session("r1"), NONE)
    assert lessons(memories) == []
    _, model = reads(memories, session("r2", "redis"), NONE, says())
    [memory] = lessons(memories)
    assert (memory.text, memory.trust, memory.state) == (TEXT, "agent", "active")
    [mark] = {
        each
        for (each,) in memories.store.rows(
            "SELECT sign FROM failure WHERE coalesce(extra ->> '$.kind', '') = ''"
        )
    }
    assert memory.signature == mark
    assert "PIECE 2" in model.asked[-1] and model.asked[-1].count(FAILED) == 2


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            says(text="Start the database with `just db` before `npm test`."),
            "nobody ran or typed just",
        ),
        (says(words="docker compose up -d mysql"), "a quote does not stand in the record"),
        (says(words="npm test", lines=(1, 5)), "what helped was not done in two pieces of work"),
        (
            says(text="Run `docker compose up -d postgres` with `--force`."),
            "it goes around the failure",
        ),
        (NONE, "nothing that they have in common"),
    ],
)
def test_what_the_record_does_not_bear_out_is_no_lesson(
    memories: Memories, said: str, reason: str
) -> None:
    reads(memories, session("r1"), NONE)
    reads(memories, session("r2", "redis"), NONE, said)
    row = memories.store.find_run(memories.project_id, "r2")
    assert (
        row is not None and (kept := load(readings_folder(memories.store.path), row.id)) is not None
    )
    assert lessons(memories) == [] and kept.lessons[-1]["reason"] == reason


def test_what_one_piece_of_work_did_is_no_cure_yet(memories: Memories) -> None:
    reads(memories, session("r1", cure="ls -la"), NONE)
    reads(memories, session("r2"), NONE, says())
    assert lessons(memories) == []


def test_nobody_is_asked_about_pieces_of_work_of_which_the_record_is_gone(
    memories: Memories,
) -> None:
    """One piece shows no cure; the reading says why it was not asked, and asks when the failure is met once more."""
    reads(memories, session("r1"), NONE)
    folder, gone = (
        readings_folder(memories.store.path),
        memories.store.find_run(memories.project_id, "r1"),
    )
    assert gone is not None
    remove_readings(folder, [gone.id])
    _, model = reads(memories, session("r2", "redis"), NONE)
    row = memories.store.find_run(memories.project_id, "r2")
    assert row is not None and (kept := load(folder, row.id)) is not None
    assert kept.lessons[-1]["reason"] == "not enough of it was kept"
    assert not any("The same failure" in text for text in model.asked)
    reads(memories, session("r3", "queue"), NONE, says())
    assert len(lessons(memories)) == 1


def test_it_is_asked_once_and_again_only_when_twice_as_many_met_it(memories: Memories) -> None:
    reads(memories, session("r1"), NONE)
    asked = [
        reads(memories, session(f"r{number}", f"queue{number}"), NONE, NONE)[1]
        for number in range(2, 5)
    ]
    assert [
        len([text for text in model.asked if "The same failure" in text]) for model in asked
    ] == [1, 0, 1]


def test_a_model_that_is_gone_costs_nothing(memories: Memories) -> None:
    reads(memories, session("r1"), NONE)
    report, _ = reads(memories, session("r2", "redis"), NONE, ModelUnavailable("gone"))
    assert "gone" in report.warnings[-1]
    reads(memories, session("r3", "queue"), NONE, says())
    assert len(lessons(memories)) == 1


def test_a_failure_that_was_cut_out_of_the_record_shows_no_piece() -> None:
    from tacit.core.run import Incident

    assert cures.piece("r", "l", [], Incident("failure", "m", place="x")) is None


def test_a_failure_behind_a_pipe_is_shown_past_its_next_try() -> None:
    """Its output is not there to tell a second failure from a success."""
    from tacit.core.run import Incident
    from tacit.reading.page import rendered

    steps = (
        tool("npm run seed | head", "x"),
        tool("npm run seed | tail", "x"),
        user("docker runs on the host"),
    )
    shown = cures.piece(
        "r",
        "l",
        rendered(run("r", user("go"), *steps)).lines,
        Incident("failure", "command docker", program="npm run seed", place="step:1"),
    )
    assert shown is not None and [line.letter for line in shown.lines] == ["T", "T", "U"]


def test_a_cure_that_a_session_had_found_makes_that_lesson_the_failures_own(
    memories: Memories,
) -> None:
    """In the same words: two lessons would stand side by side."""
    heard = {
        "text": TEXT,
        "kind": "command",
        "standing": "found",
        "quotes": [{"line": 3, "words": CURE}],
    }
    reads(memories, session("r1"), json.dumps({"lessons": [heard], "answers": [], "verdicts": []}))
    [before] = lessons(memories)
    reads(memories, session("r2", "redis"), NONE, says())
    [after] = lessons(memories)
    assert (after.id, after.text, after.state) == (before.id, TEXT, "active")
    assert after.signature and after.tally.seen == 2 and after.category == "at need"


def test_a_cure_does_not_take_the_place_of_a_lesson_that_says_the_opposite_of_the_same_commands(
    memories: Memories,
) -> None:
    found = "Never start the database with `docker compose up -d postgres` before `npm test`."
    heard = {
        "text": found,
        "kind": "command",
        "standing": "found",
        "quotes": [{"line": 3, "words": CURE}],
    }
    reads(memories, session("r1"), json.dumps({"lessons": [heard], "answers": [], "verdicts": []}))
    reads(memories, session("r2", "redis"), NONE, says())
    assert {memory.text: bool(memory.signature) for memory in lessons(memories)} == {
        found: False,
        TEXT: True,
    }


def test_a_cure_that_a_line_of_the_rules_tells_is_kept_by_nobody_twice(memories: Memories) -> None:
    reads(memories, session("r1"), NONE)
    memories.add(TEXT, kind="pitfall")
    memories.store.rows("UPDATE lesson SET extra = json_set(extra, '$.was.source', 'notice')")
    reads(memories, session("r2", "redis"), NONE, says())
    for n in (3, 4):  # in twice as many sessions, while the line stands, nobody is asked again
        _, model = reads(memories, session(f"r{n}", "redis"), NONE, NONE, says())
        assert not any("The same failure was met" in asked for asked in model.asked)
    assert lessons(memories) == []

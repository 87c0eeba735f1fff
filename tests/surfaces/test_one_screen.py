"""The one screen and a word in passing: rows are problems, and a lesson keeps its number."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.readers import desk_of
from tests.terminals import Screen, learn_cure, typed
from tests.verbs import open as open_memories

from tacit.cli import called
from tacit.cli.reading import PROGRESS
from tacit.cli.verb import Cli
from tacit.core.errors import NotFound
from tacit.core.proposal import Proposal
from tacit.learn.pipeline import read
from tacit.opened import data_folder
from tacit.reading.session import prepared
from tacit.screens.numbers import numbers_shown, remember_numbers
from tacit.screens.one_screen import (
    one_screen,
    shortened,
)
from tacit.screens.passing import meant
from tacit.store.readings import readings_folder
from tacit.testing import Scripted, run, signed, tool, user
from tacit.worker.turns import is_paused


def told(*args: str, code: int = 0) -> Any:
    out, err = io.StringIO(), io.StringIO()
    assert called([*args], Cli(signed(dict(os.environ)), out, err)) == code, (
        out.getvalue(),
        err.getvalue(),
    )
    return (
        json.loads(out.getvalue())["data"]
        if "--json" in args and not code
        else out.getvalue() + err.getvalue()
    )


@pytest.fixture
def lived(folder: Path) -> Path:
    """A failure that two sessions got over alike, one that nobody did, a lesson of the person's and one that waits."""
    with open_memories(env=signed(dict(os.environ))) as memories:
        learn_cure(memories, tool("docker compose up", error="bash: docker: command not found"))
        memories.add("Answer in English, even when I write German.", kind="preference")
        memories.add("The exporter retries three times", trust="agent")
    return folder


def test_a_row_is_a_problem_with_its_cost_and_what_agents_hear(lived: Path) -> None:
    """In the words of what happened; what came back and has no lesson stands below, the host's own protocol nowhere."""
    with open_memories() as memories:
        found = one_screen(memories)
    first = next(row for row in found.told + found.new if "left-pad" in row.problem)
    assert "3 sessions" in first.cost and "call" in first.cost
    assert "npm ci" in first.hears and first.when == "before `npm run test`"
    unknown = " ".join(row.problem for row in found.unknown)
    assert "docker" in unknown and "Edit" not in unknown
    assert [row.number for row in found.rows] == list(range(1, len(found.rows) + 1))
    text = told()
    assert (
        "left-pad" in text and "Came back, nothing known yet" in text and "test group" not in text
    )


def test_the_one_screen_fits_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It went through a pager, with what is asked below the last line; rows that are not shown are counted, and have no number."""
    with open_memories(env=signed(dict(os.environ))) as memories:
        for n in range(25):
            memories.add(
                f"Module {n} needs its seed number {n} first.", trust="agent" if n % 2 else "user"
            )
    whole = told()
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")
    out = Screen()
    assert (
        called(
            [],
            Cli(
                signed({**os.environ, "PAGER": "no-such-pager", "TERM": "dumb"}), out, io.StringIO()
            ),
        )
        == 0
    )
    assert len(out.getvalue().splitlines()) <= 24 < len(whole.splitlines())
    assert "more: tacit list" in out.getvalue()
    with open_memories() as memories:
        found, numbers = shortened(one_screen(memories), 3, 4), numbers_shown(memories)
    assert all(numbers[row.number] == row.id for row in found.rows) and len(found.new) == 4


def test_keep_and_drop_mean_the_numbers_that_were_shown_last(lived: Path) -> None:
    """Each is the person's word, in the journal as theirs; a number that was not shown means nothing."""
    assert "No screen was shown yet" in told("keep", "1", code=3).replace("no screen", "No screen")
    told()
    rows = told("--json")["screen"]
    every = {row["number"]: row for name in ("told", "new") for row in rows[name]}
    waits = next(n for n, row in every.items() if "exporter" in row["hears"])
    cure = next(n for n, row in every.items() if "left-pad" in row["problem"])
    told("keep", str(waits))
    assert "you have changed nothing of it" in told("undo", str(cure), code=1)
    told("drop", str(cure))
    with open_memories() as memories:
        kept, gone = memories.get(every[waits]["id"]), memories.get(every[cure]["id"])
        assert kept.state == "active" and gone.state == "gone"
        assert memories.log(memory=kept.id, newest=True, limit=1)[0].by != "learn"
        assert numbers_shown(memories)[waits] == kept.id
        with pytest.raises(NotFound):
            meant(memories, "99")
    assert "took back" in told("undo", str(cure)) and "taken back already" in told(
        "undo", str(cure), code=1
    )
    assert f"{waits} (" in (why := told("why", str(waits))) and "exporter" in why


def test_undo_by_a_number_touches_no_other_project(
    lived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`undo 2` meant the journal's entry 2, which was another project's lesson."""
    with open_memories() as memories:
        of, first = memories.project.name, memories.log(limit=1)[0]
    (other := tmp_path / "other").mkdir()
    monkeypatch.chdir(other)
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.add("Fetch before a rebase.")
    for way in ([str(first.id)], ["--entry", str(first.id)]):
        assert f"is of another project, {of}" in told("undo", *way, code=1)
    with open_memories() as memories:
        assert memories.store.get(first.memory).state != "gone"


def test_leaving_undoes_every_host_and_deletes_on_a_yes_only(lived: Path, alone: Path) -> None:
    """Also in another project than the one it is called in; what remains is named."""
    other = alone / "elsewhere"
    other.mkdir()
    (lived / ".claude").mkdir()
    settings = lived / ".claude" / "settings.local.json"
    settings.write_text('{"permissions": {}}')
    told("connect", "claude-code")
    assert "tacit" in settings.read_text()
    os.chdir(other)
    said = told("leave", "--dry-run", "--json")
    assert said["disconnected"] == [str(settings)] and "tacit" in settings.read_text()
    said = told("leave", "--json")
    assert settings.read_text() == '{"permissions": {}}' and any(
        "tacit" in path for path in said["kept"]
    )
    subprocess.run(["git", "init", "-q", str(lived)], check=True)
    subprocess.run(["git", "-C", str(lived), "config", "tacit.project", "abc"], check=True)
    assert told("leave", "--delete", "--yes", "--by", "ann", "--json")["deleted"]
    assert "tacit" not in (lived / ".git" / "config").read_text()
    assert not any(os.path.exists(path) for path in said["kept"])


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_is_read_while_somebody_leaves_does_not_come_back(
    folder: Path, alone: Path, elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading hears of it, says no more to the disk, and begins with no other session; the person is told that it was stopped."""
    if elsewhere:
        (alone / "apart").mkdir()
        monkeypatch.setenv("TACIT_STORE", str(alone / "apart" / "store.db"))
    said: list[str] = []

    class Leaving(Scripted):
        def ask(self, prompt: str, *, schema: Any = None, timeout: float = 60.0) -> str:
            said.append(told("leave", "--delete", "--yes", "--by", "ann"))
            return super().ask(prompt, schema=schema, timeout=timeout)

    with open_memories() as memories:
        found = run("r1", user("Always pull before new work."), task="t")
        memories.learn(found)
        place, row = (
            readings_folder(memories.store.path),
            memories.store.find_run(memories.project_id, "r1"),
        )
        assert row is not None
        with memories.store.write() as tx:
            tx.put_meta(
                PROGRESS, json.dumps({"pid": os.getpid(), "total": 3, "done": 0, "lessons": 0})
            )
        reading = prepared(place, found, row.id, row.project, memories.now())
        assert reading is not None and os.listdir(place)
        answers = json.dumps({"lessons": [], "answers": [], "verdicts": []})
        with pytest.raises(FileNotFoundError):
            read(desk_of(memories, Leaving(answers)), reading)
        assert "stopped: reading in the background" in said[0] and is_paused(memories.store)
        memories.backup_if_due()
        assert not os.path.exists(place) and not os.path.exists(memories.store.path)
        assert not os.path.exists(data_folder(os.environ))


def test_a_reading_that_was_stopped_is_named_when_work_goes_on(folder: Path) -> None:
    """Bare `tacit` said *paused* and *reading, 63 minutes left*; after `pause --off` nothing said that the reading was gone."""
    at = {"pid": os.getpid(), "total": 106, "done": 11, "lessons": 40, "began": 0}
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.ensure_project()
        with memories.store.write() as tx:
            tx.put_meta(PROGRESS, json.dumps(at))
        told("config", "pause", "1h")
        assert "Reading stops behind the session" in told() and "in the background" not in told()
        with memories.store.write() as tx:
            tx.put_meta(PROGRESS, json.dumps({**at, "pid": 2**22 + 1}))  # nobody's
        assert "; 95 sessions of a reading that was stopped wait: tacit lookback" in told(
            "config", "pause", "off"
        )


def test_what_is_listed_at_a_terminal_has_numbers(lived: Path) -> None:
    """It had ids of twelve letters only; for a pipe the last screen's numbers stay."""
    with open_memories() as memories:
        told("list")
        assert numbers_shown(memories) == {}
        shown = typed(signed(dict(os.environ)), "list")
        ids = numbers_shown(memories)
        texts = {n: memories.get(id).text for n, id in ids.items()}
    assert len(ids) > 2 and all(f" {n} " in shown and text in shown for n, text in texts.items()), (
        shown
    )
    typed(signed(dict(os.environ)))
    with (
        open_memories() as memories
    ):  # a lesson keeps its number, on every screen and after a word about another
        assert dict([*numbers_shown(memories).items()][: len(ids)]) == ids
        told("keep", "3")
        assert next(row.number for row in one_screen(memories).rows if row.id == ids[3]) == 3
        with memories.store.write() as tx:  # nor does a question about it give it another
            tx.put_proposal(
                Proposal(
                    "q" * 12,
                    memories.project_id,
                    "archive",
                    "why",
                    "tend",
                    "2026-11-18T12:00:00.000Z",
                    ids[3],
                )
            )
        assert remember_numbers(memories, [ids[3]])[ids[3]] == 3


def test_what_waits_is_listed_however_much_is_in_force(lived: Path) -> None:
    """Of fifty in force `--waiting` read fifty, and said that none waits."""
    assert "The exporter retries" in told("list", "--waiting", "--limit", "1")

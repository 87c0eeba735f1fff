"""What is withheld from a run does not reach it by a way round: a command with the same cure, a file that every run reads, a list, a fork."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.verbs import Memories

from tacit.core.journal import Hand, change
from tacit.core.rows import run_id
from tacit.core.value import replace
from tacit.hooks.main import respond
from tacit.testing import finding, run, tool

LESSON = (
    "API handlers return 500 because the response of the payment service is not checked for null"
)
ERROR = 'psycopg.errors.UndefinedTable: relation "orders" does not exist'


def teach(memories: Memories) -> str:
    for n in (1, 2):
        memories.learn(run(f"t{n}", finding(f"t{n}", LESSON, kind="pitfall")))
    [memory] = memories.list()
    return memory.id


def split(
    memories: Memories, memory: str, task: str = "payment service", among: range = range(60)
) -> dict[str, list[str]]:
    """Runs by whether the coin withheld the lesson; sixty all of one side are a chance of one in 2e9."""
    arms: dict[str, list[str]] = {"injected": [], "withheld": []}
    for n in among:
        told = memories.inject(task, run=f"coin-{n}", host="cli")
        arms["withheld" if memory in told.withheld else "injected"].append(f"coin-{n}")
    return arms


def test_the_command_that_is_the_cure_shares_the_lessons_coin(memories: Memories) -> None:
    """A pitfall whose cure is to migrate, and the command that migrates, as 0.2.0 found it: told, or withheld, together."""
    fails, cure, passes = (
        tool("make check", error=ERROR),
        tool("make migrate", "done"),
        tool("make check", "ok"),
    )
    for n in range(4):
        memories.learn(run(f"m{n}", fails, cure, passes, complete=True, outcome="success"))
    [pitfall] = memories.list()
    assert "`make migrate`" in pitfall.text
    for n in range(2):
        told = finding(f"c{n}", "Run the database migrations: `make migrate`", kind="command")
        memories.learn(run(f"c{n}", told))
    by_class = {memory.klass: memory for memory in memories.list()}
    command = by_class["command"]
    with memories.store.write() as tx:
        now = replace(command, family=pitfall.id)
        tx.apply(change(command, now, Hand("ada", command.updated_at), "family", "its cure"))
    together = set()
    for n in range(60):
        told = memories.inject(
            "run the database migrations before make check", run=f"coin-{n}", host="cli"
        )
        sides = {
            id in told.injected
            for id in (by_class["pitfall"].id, by_class["command"].id)
            if id in (*told.injected, *told.withheld)
        }
        assert len(sides) == 1
        together |= sides
    assert together == {True, False}
    found = memories.effect(by_class["command"].id)
    assert not found.lessons[0].known.units  # it has no problem of its own


def test_a_lesson_in_an_instruction_file_is_off_trial(memories: Memories, folder: Path) -> None:
    """Every run reads it there. Seen when a run is learned; taken out of the file, it is on trial again."""
    memory = teach(memories)
    page = folder / "CLAUDE.md"
    page.write_text(f"# Rules\n\n- **{LESSON}.**\n")
    memories.inject("payment service", run="one", host="cli")
    memories.learn(run("one", host="cli", complete=True))
    assert split(memories, memory)["withheld"] == []
    page.write_text("# Rules\n")
    memories.learn(run("coin-0", host="cli", complete=True))
    assert split(memories, memory, among=range(100, 160))["withheld"]


def test_inside_a_run_lists_do_not_tell_what_is_withheld(memories: Memories, tacit: Any) -> None:
    """`list`, `audit` and `effect` of the agent hide its words; a person's, and those of a run that has it, do not."""
    memory = teach(memories)
    arms = split(memories, memory)
    asked = [("list",), ("origin", "audit", arms["withheld"][0]), ("effect",)]
    inside = [tacit(*words, "--json", TACIT_RUN=arms["withheld"][0]).out for words in asked]
    assert all(LESSON not in said and memory in said for said in inside)
    assert LESSON in tacit("list", "--json", TACIT_RUN=arms["injected"][0]).out
    assert not [mark for mark in memories.store.marks(memory=memory) if mark.signal == "crossed"]


def test_a_fork_has_its_parents_coins(memories: Memories, folder: Path, tmp_path: Path) -> None:
    """Its file is not there when it starts: nothing is told. At its first prompt the copied lines say whose it is."""
    memory = teach(memories)
    for n in range(12):
        parent, fork = f"parent-{n}", f"fork-{n}"
        lines = [
            {"type": kind, "uuid": f"{n}-{i}", "sessionId": parent}
            for i, kind in enumerate(("user", "assistant"))
        ]
        path = tmp_path / f"{parent}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        said = {"session_id": parent, "cwd": str(folder), "transcript_path": str(path)}
        prompt = {
            "hook_event_name": "UserPromptSubmit",
            "prompt": "mend the null response of the payment service",
            "prompt_id": "p1",
        }
        answer = respond("prompt", {**said, **prompt}, memories.env, host="claude-code")
        copy = tmp_path / f"{fork}.jsonl"
        forked = {**said, "session_id": fork, "transcript_path": str(copy)}
        start = {"hook_event_name": "SessionStart", "source": "resume"}
        assert respond("session-start", {**forked, **start}, memories.env, host="claude-code") == ""
        copy.write_text(path.read_text().replace(parent, fork))
        again = respond("prompt", {**forked, **prompt}, memories.env, host="claude-code")
        uses = [
            use
            for use in memories.store.uses(memory=memory)
            if use.unit == run_id(memories.project_id, "claude-code", parent)
        ]
        assert len(uses) == 1 and (uses[0].arm == "withheld") == (LESSON not in answer)
        assert LESSON not in again  # told before, or withheld: the context is the parent's
        assert not memories.store.uses(unit=run_id(memories.project_id, "claude-code", fork))


def test_a_new_session_beside_others_is_its_own(
    memories: Memories, folder: Path, tmp_path: Path
) -> None:
    """Its transcript holds nobody else's lines."""
    memory = teach(memories)
    for name in ("a", "b"):
        path = tmp_path / f"{name}.jsonl"
        lines = [
            {"type": kind, "uuid": f"{name}-{kind}", "sessionId": name}
            for kind in ("user", "assistant")
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        said = {
            "session_id": name,
            "cwd": str(folder),
            "transcript_path": str(path),
            "hook_event_name": "UserPromptSubmit",
        }
        respond(
            "prompt",
            {**said, "prompt": "mend the null response of the payment service"},
            memories.env,
            host="claude-code",
        )
    units = {use.unit for use in memories.store.uses(memory=memory)}
    assert units == {run_id(memories.project_id, "claude-code", name) for name in ("a", "b")}

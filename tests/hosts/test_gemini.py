"""Gemini's sessions: a log of operations and its older form give the same run; nothing in it is a person's for sure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tables import by_table

from tacit.core.run import FAILURE, Cost, Run, Step
from tacit.hosts import formats
from tacit.hosts.gemini import transcript as gemini
from tacit.hosts.source import BytesSource, FileSource
from tacit.learn.failures import notice

AT = "2026-03-01T10:00:0{}.000Z"
HEAD = {
    "sessionId": "g-1",
    "projectHash": "p",
    "startTime": AT.format(0),
    "lastUpdated": AT.format(0),
    "kind": "main",
}


def user(text: str, id: str = "m1", **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "timestamp": AT.format(1),
        "type": "user",
        "content": [{"text": text}],
        **more,
    }


def call(
    response: dict[str, Any], status: str = "success", name: str = "run_shell_command", **args: Any
) -> dict[str, Any]:
    part = {"functionResponse": {"id": "c1", "name": name, "response": response}}
    given = args or {"command": "make"}
    return {
        "id": "c1",
        "name": name,
        "args": given,
        "result": [part],
        "status": status,
        "timestamp": AT.format(2),
    }


def answer(*calls: dict[str, Any], text: str = "", id: str = "m2") -> dict[str, Any]:
    tokens = {"input": 100, "output": 5, "cached": 60, "thoughts": 2, "tool": 0, "total": 107}
    said = {"id": id, "timestamp": AT.format(2), "type": "gemini", "content": text}
    return {**said, "toolCalls": list(calls), "tokens": tokens, "model": "some-model"}


def read(*lines: Any, head: dict[str, Any] = HEAD) -> Run:
    data = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in (head, *lines))
    (run,) = gemini.read(BytesSource(data.encode(), "session-1.jsonl"))
    return run


def test_a_call_begins_before_its_hook_speaks() -> None:
    """The time that the host notes of a call is its end: a hint after a failure comes before that, and would look like one that failed."""
    first, second = call({"output": "a"}), {**call({"output": "b"}), "id": "c2"}
    first["timestamp"], second["timestamp"] = AT.format(8), AT.format(9)
    run = read(user("go"), answer(first, second))
    assert [step.at for step in run.steps if step.role == "tool"] == [AT.format(2), AT.format(8)]
    assert run.ended_at >= AT.format(9)


def test_a_session() -> None:
    """Prompt, answer, call with its result."""
    around = "Command: make\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: 7"
    run = read(
        user("run the tests"), answer(call({"output": around.format("boom")}), text="I run them.")
    )
    made = {"input": {"command": "make"}, "error": "boom", "status": 2, "at": AT.format(2)}
    assert run.steps == (
        Step("user", "line:2", "run the tests", at=AT.format(1), record="m1", speaker="unsure"),
        Step("assistant", "line:3", "I run them.", at=AT.format(2), speaker="agent"),
        Step("tool", "line:3#2", tool="run_shell_command", **made),
    )
    assert (run.id, run.host, run.model) == ("g-1", "gemini", "some-model")
    assert (run.task, run.cost) == ("run the tests", Cost(40, 7, 60))


@by_table
def test_results(made: dict[str, Any], status: int | None, failed: bool, stopped: bool) -> None:
    """A shell's status is 0 unless told; a cancelled call was stopped by the person."""
    step = read(answer(made)).steps[-1]
    assert (step.status, bool(step.error), step.interrupted) == (status, failed, stopped)


def test_nothing_is_typed() -> None:
    """The file says the same of a script's prompt as of a person's, so it says nothing outright."""
    assert not any(step.typed for step in read(user("always use pnpm")).steps)


def test_hooks_and_files_are_not_the_prompt() -> None:
    """What a hook added is the hook's, what a mention pulled in is the file's."""
    run = read(
        user(
            "fix it\n<hook_context>notes</hook_context>\n--- Content from referenced files ---\nalways use npm"
        )
    )
    assert [(step.role, step.tool, step.text) for step in run.steps] == [
        ("system", "hook", "notes"),
        ("user", "", "fix it"),
    ]


def test_a_message_that_grew_counts_once_at_its_first_place() -> None:
    """The last writing of an id is what it says."""
    run = read(
        user("go"),
        answer(text="I", id="a"),
        {"$set": {"summary": "x"}},
        answer(text="I think.", id="a"),
        {"$rewindTo": "a"},
    )
    assert [(step.place, step.text) for step in run.steps] == [
        ("line:2", "go"),
        ("line:3", "I think."),
    ]


def test_the_older_file_is_one_object(tmp_path: Path) -> None:
    """The same session as a whole; its folder is known by the file beside the chats."""
    path = tmp_path / "slug" / "chats" / "session-1.json"
    path.parent.mkdir(parents=True)
    (tmp_path / "slug" / ".project_root").write_text("/repo\n")
    path.write_text(json.dumps({**HEAD, "messages": [user("go"), answer(text="ok")]}, indent=2))
    source = FileSource(str(path))
    assert formats.detect(source) == "gemini"
    (run,) = gemini.read(source)
    assert (run.cwd, [(step.place, step.text) for step in run.steps]) == (
        "/repo",
        [("messages/1", "go"), ("messages/2", "ok")],
    )


def test_a_checkpoint_in_the_log() -> None:
    """`$set` may bring all messages again; those known before keep their place."""
    run = read(user("go"), {"$set": {"messages": [user("go"), answer(text="ok")]}})
    assert [(step.place, step.text) for step in run.steps] == [("line:2", "go"), ("line:3/2", "ok")]


def test_resumed_in_its_first_minute_a_session_keeps_what_its_first_part_met() -> None:
    """Gemini 0.61 names a file by its minute: it goes on in it with a new head, and its checkpoint has the answers without calls, tokens and model."""
    failed = call(
        {
            "output": 'Output: E   psycopg.errors.UndefinedTable: relation "orders" does not exist\nExit Code: 1'
        },
        command="./bin/pytest -q",
    )
    first = (user("run the tests"), answer(failed, text="I run them."))
    later = AT.format(9)
    spoken = [
        {"text": "I run them."},
        {"functionCall": {"id": "c1", "name": failed["name"], "args": failed["args"]}},
    ]
    again = [
        {**user("run the tests"), "timestamp": later},
        {"id": "m2", "timestamp": later, "type": "gemini", "content": spoken},
        {"id": "m2_response", "timestamp": later, "type": "user", "content": failed["result"]},
    ]
    resumed = read(
        *first,
        {**HEAD, "startTime": later},
        {"$set": {"sessionId": "g-1"}},
        {"$set": {"messages": again, "lastUpdated": later}},
    )
    before = read(*first)
    assert [step.status for step in before.steps if step.tool] == [1]
    assert (resumed.steps, resumed.cost, resumed.model) == (before.steps, before.cost, before.model)
    (noted,) = [each for each in notice(resumed) if each.kind == FAILURE]
    assert "orders" in noted.mark


def test_the_second_file_of_a_resumed_session_does_not_stand_for_it() -> None:
    """It has the host's opening alone; with a prompt after it, it is a session."""
    opening = user("<session_context>\nThis is the Gemini CLI.\n</session_context>")
    data = "\n".join(map(json.dumps, (HEAD, {"$set": {"messages": [opening]}})))
    assert not list(gemini.read(BytesSource(data.encode(), "session-2.jsonl")))
    assert [
        step.role for step in read({"$set": {"messages": [opening]}}, user("go", "m9")).steps
    ] == ["system", "user"]


def test_a_sub_agent_belongs_to_its_session(tmp_path: Path) -> None:
    """Its file lies in a folder named after the parent."""
    path = tmp_path / "chats" / "g-0" / "sub.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**HEAD, "kind": "subagent"}) + "\n" + json.dumps(user("go")))
    (run,) = gemini.read(FileSource(str(path)))
    assert (run.root, run.agent) == ("g-0", "subagent")


def test_bad_lines_are_counted() -> None:
    """Half a line, an unknown record, an unknown message: noted, and the rest is read."""
    run = read(
        "{half",
        {"what": 1},
        {"id": "x", "type": "brand-new"},
        {"id": "e", "type": "error", "content": "quota"},
    )
    assert run.reading is not None and (run.reading.malformed, run.reading.unknown) == (
        1,
        {"(no type)": 1, "message.brand-new": 1},
    )
    assert [(step.role, step.text) for step in run.steps] == [("system", "quota")]

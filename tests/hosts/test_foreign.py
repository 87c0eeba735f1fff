"""SWE-agent, aider, OpenHands and Inspect: what failed, what it was, how it ended; and no shape of content stops a reader."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as thorough
from hypothesis import strategies as st

from tacit.core.run import Cost, Run
from tacit.core.shell_line import ends_in_failure
from tacit.hosts import aider, formats, inspect_ai, openhands, swe_agent
from tacit.hosts.source import BytesSource, FileSource, walk

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: 3\n'


def brief(run: Run) -> list[tuple[Any, ...]]:
    return [
        (step.place, step.tool, bool(step.error), step.status)
        for step in run.steps
        if step.role == "tool"
    ]


# -- SWE-agent ----------------------------------------------------------------------------------------------------------


def attempt(
    *steps: dict[str, Any], status: str = "submitted", name: str = "demo__demo-1.traj"
) -> Run:
    history = [
        {"role": "user", "content": "a demonstration", "is_demo": True},
        {
            "role": "user",
            "content": "Here's the issue text:\nISSUE:\nIt breaks.\n\nINSTRUCTIONS:\nSolve it.",
        },
    ]
    info = {
        "exit_status": status,
        "model_stats": {"instance_cost": 0.5, "tokens_sent": 10, "tokens_received": 2},
    }
    whole = {"environment": "swe_main", "trajectory": list(steps), "history": history, "info": info}
    source = BytesSource(json.dumps(whole).encode(), f"/x/{name}")
    assert formats.detect(source) == "swe-agent"
    (run,) = swe_agent.read(source)
    return run


def did(action: str, seen: str, **state: str) -> dict[str, Any]:
    where = json.dumps({"working_dir": "/repo", **state})
    return {
        "action": action,
        "observation": seen,
        "response": "",
        "thought": "I try.",
        "state": where,
    }


def test_a_trajectory() -> None:
    """Thought and action, the issue as the task, demonstrations left out; the editor's refusal and a traceback failed."""
    refused = "Your proposed edit has introduced new syntax error(s)."
    edit = did("edit 1:1\nx\nend_of_edit\n", refused, open_file="/repo/a.py")
    run = attempt(
        did("python a.py\n", TRACE),
        edit,
        did("open b.py 3\n", "[File: b.py]"),
        did("submit\n", "diff"),
    )
    assert brief(run) == [
        ("trajectory/1#2", "shell", True, None),
        ("trajectory/2#2", "edit", True, None),
        ("trajectory/3#2", "open", False, None),
        ("trajectory/4#2", "submit", False, None),
    ]
    told = (run.task, run.cwd, run.files, run.complete, run.outcome)
    assert told == ("It breaks.", "/repo", ("/repo/a.py", "b.py"), True, "unknown")
    assert run.cost == Cost(10, 2, usd=0.5) and not any(step.typed for step in run.steps)


def test_attempts_at_one_issue_share_a_root() -> None:
    """Two attempts are two runs of one unit; one that was given up failed."""
    first, second = attempt(did("ls", "a")), attempt(did("pwd", "/repo"), status="exit_cost")
    assert first.id != second.id and first.root == second.root == "demo__demo-1"
    assert (second.outcome, second.complete) == ("failure", True)


def test_mini_swe_agent() -> None:
    """Commands stand in fences, answers carry their return code."""
    whole = {
        "trajectory_format": "mini-swe-agent-1.1",
        "info": {"exit_status": "Submitted", "mini_version": "1.2"},
        "messages": [
            {"role": "system", "content": "You can run commands."},
            {"role": "user", "content": "<pr_description>It breaks.</pr_description>"},
            {"role": "assistant", "content": "I try.\n```bash\npytest\n```"},
            {
                "role": "user",
                "content": "<returncode>1</returncode>\n<output>\n1 failed\n</output>",
            },
            {"role": "assistant", "content": "", "extra": {"actions": [{"command": "ls"}]}},
            {"role": "tool", "content": "a.py", "extra": {"returncode": 0}},
        ],
    }
    source = BytesSource(json.dumps(whole).encode(), "/x/demo-2.traj.json")
    assert formats.detect(source) == "swe-agent"
    (run,) = swe_agent.read(source)
    assert brief(run) == [("messages/3#2", "bash", True, 1), ("messages/5", "bash", False, 0)]
    assert (run.task, run.steps[2].error, run.version, run.root) == (
        "It breaks.",
        "1 failed",
        "1.2",
        "demo-2",
    )


# -- aider --------------------------------------------------------------------------------------------------------------

HISTORY = """
# aider chat started at 2026-03-01 10:00:00

> Aider v0.80.0
> Model: some-model with diff edit format

#### /clear
#### use cents for prices

I will change it.

> Tokens: 1k sent
> Applied edit to src/prices.py

#### /test pytest
> ===== test session starts =====
collected 1 item

FAILED tests/test_prices.py
> ==== 1 failed in 0.1s ====

It fails because of the rounding.

#### # Fix any errors below, if possible.
####
#### ## Running: flake8 src
####
#### src/prices.py:1:1: F401 unused

> The LLM did not conform to the edit format.
> ## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in src/prices.py
> ^C KeyboardInterrupt

# aider chat started at 2026-03-01 11:00:00

> Aider v0.80.0
"""


def test_a_history(tmp_path: Path) -> None:
    """Sessions are runs; edits, commands and refusals are steps; what aider sent by itself is not a request; nobody is sure to have typed."""
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(HISTORY)
    source = FileSource(str(path))
    assert formats.detect(source) == "aider"
    (run,) = aider.read(source)
    assert [(step.role, step.tool, step.text[:20], bool(step.error)) for step in run.steps] == [
        ("user", "", "/clear", False),
        ("user", "", "use cents for prices", False),
        ("assistant", "", "I will change it.", False),
        ("tool", "edit", "", False),
        ("tool", "shell", "", True),
        ("assistant", "", "It fails because of ", False),
        ("tool", "shell", "", True),
        ("tool", "edit", "", True),
        ("user", "", "^C KeyboardInterrupt", False),
    ]
    assert [step.speaker for step in run.steps if step.role == "user"] == ["", "unsure", "host"]
    assert [step.input["command"] for step in run.steps if step.tool == "shell"] == [
        "pytest",
        "flake8 src",
    ]
    assert (run.id, run.started_at) == ("2026-03-01T10:00:00", "2026-03-01T10:00:00Z")
    assert (run.cwd, run.task) == (str(tmp_path), "use cents for prices")
    assert (run.version, run.model, run.files) == ("0.80.0", "some-model", ("src/prices.py",))
    assert run.steps[-1].interrupted and not any(step.typed for step in run.steps)


def test_markdown_that_is_no_history() -> None:
    """A heading and quotes do not make a chat."""
    assert (
        formats.detect(BytesSource(b"# notes\n\n> quoted\n\n#### small\n", "/x/notes.md"))
        != "aider"
    )


# -- OpenHands ----------------------------------------------------------------------------------------------------------

EVENTS: list[dict[str, Any]] = [
    {"kind": "SystemPromptEvent", "source": "agent"},
    {
        "kind": "MessageEvent",
        "source": "user",
        "llm_message": {"role": "user", "content": [{"type": "text", "text": "fix it"}]},
    },
    {
        "kind": "ActionEvent",
        "id": "e1",
        "source": "agent",
        "thought": [{"text": "I try."}],
        "tool_name": "execute_bash",
        "tool_call_id": "c1",
        "action": {"kind": "ExecuteBashAction", "command": "make"},
    },
    {
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_name": "execute_bash",
        "tool_call_id": "c1",
        "action_id": "e1",
        "observation": {
            "kind": "ExecuteBashObservation",
            "content": [{"type": "text", "text": "no rule"}],
            "exit_code": 2,
        },
    },
    {
        "kind": "ActionEvent",
        "id": "e2",
        "tool_name": "str_replace_editor",
        "tool_call_id": "c2",
        "action": {"kind": "X", "command": "view", "path": "/repo/a.py"},
    },
    {
        "kind": "AgentErrorEvent",
        "tool_name": "str_replace_editor",
        "tool_call_id": "c2",
        "error": "missing parameter",
    },
    {
        "kind": "ActionEvent",
        "id": "e3",
        "tool_name": "execute_bash",
        "tool_call_id": "c3",
        "action": {"command": "rm x"},
    },
    {"kind": "UserRejectObservation", "action_id": "e3", "rejection_reason": "no"},
    {"kind": "BrandNewEvent"},
    {
        "kind": "ActionEvent",
        "id": "e4",
        "tool_name": "finish",
        "tool_call_id": "c4",
        "action": {"kind": "FinishAction", "message": "Done."},
    },
]


def conversation(folder: Path, state: bool = True) -> Path:
    events = folder / "conv-1" / "events"
    events.mkdir(parents=True)
    for number, event in enumerate(EVENTS):
        told = {"id": f"x{number}", "timestamp": "2026-03-01T10:00:00", **event}
        (events / f"event-{number:05d}-ab{number}.json").write_text(json.dumps(told))
    (events / "event-00050-cut.json").write_text("{half")
    if state:
        said = {
            "id": "conv-1",
            "agent": {"llm": {"model": "some-model"}},
            "workspace": {"working_dir": "/repo"},
        }
        (folder / "conv-1" / "base_state.json").write_text(
            json.dumps({**said, "execution_status": "finished"})
        )
    return folder / "conv-1"


@pytest.mark.parametrize("state", [True, False])
def test_a_conversation_is_read_once(tmp_path: Path, state: bool) -> None:
    """Whichever of its files is met, one run comes out; with its state it knows model and folder."""
    folder = conversation(tmp_path, state)
    sources = list(walk([folder]))
    assert {formats.detect(source) for source in sources if "cut" not in source.path} == {
        "openhands"
    }
    (run,) = [run for source in sources for run in openhands.read(source)]
    place = "events/event-0000{}-ab{}.json"
    assert brief(run) == [
        (place.format(2, 2) + "#2", "execute_bash", True, 2),
        (place.format(4, 4), "str_replace_editor", True, None),
        (place.format(6, 6), "execute_bash", False, None),
    ]
    assert [step.interrupted for step in run.steps if step.tool] == [False, False, True]
    assert (run.id, run.task, run.complete, run.files) == (
        "conv-1",
        "fix it",
        True,
        ("/repo/a.py",),
    )
    assert (run.model, run.cwd) == (("some-model", "/repo") if state else ("", ""))
    assert run.reading is not None and (run.reading.malformed, run.reading.unknown) == (
        1,
        {"BrandNewEvent": 1},
    )
    assert not any(step.typed for step in run.steps)


# -- Inspect ------------------------------------------------------------------------------------------------------------

EVAL = {
    "task": "repair",
    "model": "some/model",
    "run_id": "r9",
    "eval_id": "e9",
    "packages": {"inspect_ai": "0.3"},
}
EVAL["created"] = "2026-03-01T10:00:00+00:00"


def sample(score: Any = "I", epoch: int = 1, error: Any = None) -> dict[str, Any]:
    call = {"id": "c1", "function": "bash", "arguments": {"cmd": "make"}}
    late = {"type": "timeout", "message": "Command timed out"}
    messages = [
        {"role": "system", "content": "You repair."},
        {"role": "user", "content": "fix it"},
        {"role": "assistant", "content": "I try.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "function": "bash", "content": "", "error": late},
    ]
    usage = {"some/model": {"input_tokens": 9, "output_tokens": 3, "input_tokens_cache_read": 4}}
    told = {"id": 7, "epoch": epoch, "input": "fix it", "messages": messages, "error": error}
    return {**told, "scores": {"match": {"value": score}}, "model_usage": usage}


def check(runs: list[Run]) -> None:
    first, second = runs
    assert (first.id, first.root, first.outcome, first.complete) == (
        "e9/7/1",
        "e9/7",
        "failure",
        True,
    )
    assert (second.id, second.root, second.outcome) == ("e9/7/2", "e9/7", "success")
    [step] = [step for step in first.steps if step.tool]
    assert (step.tool, step.input, step.error) == ("bash", {"cmd": "make"}, "Command timed out")
    told = (first.task, first.task_type, first.task_id, first.model, first.cost)
    assert told == ("fix it", "repair", "7", "some/model", Cost(9, 3, 4))
    assert not any(step.typed for step in first.steps)


def test_a_log_in_json() -> None:
    """Every sample is a run; scores say how it ended; epochs share a root."""
    log = {"version": 2, "status": "success", "eval": EVAL, "samples": [sample(), sample("C", 2)]}
    source = BytesSource(json.dumps(log).encode(), "/x/log.json")
    assert formats.detect(source) == "inspect"
    check(list(inspect_ai.read(source)))


@pytest.mark.parametrize("finished", [True, False])
def test_a_zipped_log(tmp_path: Path, finished: bool) -> None:
    """Also without its header, which a running or crashed evaluation has not written; a damaged sample is counted."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": EVAL}))
        archive.writestr("samples/6_epoch_1.json", "{half")
        archive.writestr("samples/7_epoch_1.json", json.dumps(sample()))
        archive.writestr("samples/7_epoch_2.json", json.dumps(sample(1, 2)))
        if finished:
            archive.writestr(
                "header.json", json.dumps({"version": 2, "status": "success", "eval": EVAL})
            )
    source = FileSource(str(path))
    assert formats.detect(source) == "inspect"
    runs = list(inspect_ai.read(source))
    check(runs)
    assert runs[0].reading is not None and runs[0].reading.malformed == 1
    path.write_bytes(path.read_bytes()[:-200])  # the directory at the end is gone
    assert list(inspect_ai.read(source)) == []


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ({}, "unknown"),
        ({"a": {"value": 0.5}}, "unknown"),
        ({"a": {"value": "C"}, "b": {"value": 0}}, "failure"),
        ({"a": {"value": True}, "b": {"value": 0.4}}, "unknown"),
    ],
)
def test_partial_marks_say_nothing(scores: Any, outcome: str) -> None:
    """Success only where every score says so."""
    log = {"status": "success", "eval": EVAL, "samples": [{**sample(), "scores": scores}]}
    (run,) = inspect_ai.read(BytesSource(json.dumps(log).encode()))
    assert run.outcome == outcome


# -- all ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        (TRACE, True),
        ("===== 2 failed, 1 passed in 0.2s =====", True),
        ("FAILED (failures=1)", True),
        ("bash: foo: command not found", True),
        ("ls: cannot access 'x': No such file or directory", True),
        ("KeyError: 3", False),
        ("===== 3 passed in 0.2s =====", False),
        (TRACE + "recovered\n", False),
        ("see also: No such file or directory\nall good", False),
        ("", False),
        ("building\nmake: *** [all] Error 2", True),
        ("npm ERR! code 1", True),
        ("===== 0 failed, 3 passed =====", False),
        ("0 errors", False),
    ],
)
def test_outputs_that_only_a_failure_ends_with(output: str, failed: bool) -> None:
    """The last line decides; an error that is merely mentioned is none."""
    assert ends_in_failure(output) is failed


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
SHAPES: dict[str, list[dict[str, Any]]] = {
    "codex": [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/r", "source": "cli", "git": {}}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "x"}},
        {
            "type": "event_msg",
            "payload": {"type": "exec_command_end", "call_id": "c", "exit_code": 1},
        },
        {
            "type": "event_msg",
            "payload": {"type": "token_count", "info": {"total_token_usage": {"input_tokens": 1}}},
        },
        {
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "x"}],
            },
        },
        {
            "type": "response_item",
            "payload": {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"},
        },
        {
            "type": "response_item",
            "payload": {
                "type": "function_call_output",
                "call_id": "c",
                "output": {"content": "x", "success": True},
            },
        },
    ],
    "gemini": [
        {"sessionId": "g", "projectHash": "p", "directories": ["/r"]},
        {"id": "a", "type": "user", "content": [{"text": "x"}]},
        {
            "id": "b",
            "type": "gemini",
            "content": "",
            "toolCalls": [
                {
                    "id": "c",
                    "name": "n",
                    "args": {},
                    "result": [{"functionResponse": {"response": {"output": "x"}}}],
                }
            ],
        },
        {"$set": {"messages": []}},
    ],
    "swe-agent": [
        {
            "trajectory": [{"action": "ls", "observation": "x", "thought": "t", "state": "{}"}],
            "history": [{"role": "user", "content": "x"}],
            "info": {"exit_status": "x", "model_stats": {"instance_cost": 1}},
        },
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": "```bash\nls\n```",
                    "extra": {"actions": [{"command": "ls"}]},
                },
                {"role": "user", "content": "x"},
            ]
        },
    ],
    "inspect": [{"status": "success", "eval": {"task": "t"}, "samples": [sample()]}],
}


def paths_of(shape: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = (
        shape.items()
        if isinstance(shape, dict)
        else enumerate(shape)
        if isinstance(shape, list)
        else ()
    )
    return [at, *(path for key, each in inner for path in paths_of(each, (*at, key)))]


@pytest.mark.parametrize("name", SHAPES)
@thorough(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_content_stops_a_reader(name: str, data: st.DataObject) -> None:
    """Any value in any place of any record: what cannot be used is left out, nothing raises, every step keeps the contract."""
    records = json.loads(json.dumps(SHAPES[name]))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([path for path in paths_of(records) if path]))
        inner: Any = records
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = data.draw(JSON)
        if not all(isinstance(each, (dict, list, str, int)) or each is None for each in records):
            return
    lines = [json.dumps(each) for each in records]
    raws = ["\n".join(lines)] if name in ("codex", "gemini") else lines
    for raw in raws:
        source = BytesSource(raw.encode(), "/x/session.jsonl" if name == "gemini" else "/x/a.traj")
        assert 0.0 <= formats.get(name).detect(source) <= 1.0
        for run in formats.get(name).read(source):
            assert (
                run.id
                and isinstance(run.task, str)
                and len({step.place for step in run.steps}) == len(run.steps)
            )
            texts = [text for step in run.steps for text in (step.text, step.error, step.output)]
            assert all(isinstance(text, str) for text in texts)

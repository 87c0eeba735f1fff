"""Other hosts, as they call us: Codex and Gemini by their transcripts, Copilot, VS Code and Cursor by what their events say."""

from __future__ import annotations

import json
import os
import re
import runpy
import time
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open as open_memories

from tacit.hosts import codex, copilot, cursor, gemini, host_of, vscode
from tacit.hosts.dialect import HookAnswer, exit_status, printed
from tacit.place.folders import file_of

HOST = runpy.run_path(str(Path(__file__).parent / "data" / "host.py"))
SESSION = "0000000{}-0000-4000-8000-000000000000"
WISH = "Always use pnpm in this repository, never npm."


def lessons(stdout: str) -> list[str]:
    return re.findall(r"- \[(\w+)", stdout)


# -- hosts with transcripts ---------------------------------------------------------------------------------------------


CURES = {
    "codex": "Run `make migrate` before `pnpm run test`",
    "gemini": "Run `make generate` before",
}


@pytest.mark.parametrize(("kind", "cure"), CURES.items())
def test_three_sessions_event_by_event(
    kept: Any, folder: Path, alone: Path, kind: str, cure: str
) -> None:
    """In the host's own shape. A wish that surely a person typed comes back at the next start,
    what was derived from failures at the next such failure after the second run that met it."""
    host = HOST["Host"](folder, alone, kind)
    said = {}
    for number in (1, 2, 3):
        name = f"{kind}-{number}"
        said[number] = host.play(HOST["script"](name), SESSION.format(number))
        assert kept("worker", "--now", "--json").data["failed"] == 0
    start = {number: json.dumps(answers[0]) for number, answers in said.items()}
    assert not any(cure in told for told in start.values())  # it is for the moment of need
    came = [(WISH in start[n], cure in json.dumps(said[n])) for n in (1, 2, 3)]
    assert came == [(False, False), (kind == "codex", False), (kind == "codex", True)]
    assert "tacit, last session:" in start[2] and "given" in start[2]


def test_events_of_codex_in_our_words(folder: Path) -> None:
    """Only what failed goes on after a tool; sub-agents' own events do not; the start after a compaction is one."""

    def read(name: str, **more: Any) -> Any:
        payload = {
            "session_id": "s",
            "cwd": str(folder),
            "hook_event_name": name,
            "transcript_path": None,
        }
        return codex.read("", {**payload, **more}, {})

    def returned(said: Any) -> Any:
        return read("PostToolUse", tool_name="Bash", tool_use_id="c", tool_response=said)

    assert returned("Exit code: 0\nfine") is None and returned("12 passed") is None
    assert returned({"output": "boom", "metadata": {"exit_code": 2}}).text == "boom"
    assert returned('{"output": "boom", "exit_code": 2}').name == "tool-failure"
    bare = "Traceback (most recent call last):\n  File 'x', line 1\nKeyError: 3"
    assert returned(bare).text == bare
    assert (
        read("UserPromptSubmit", prompt="x", agent_id="a") is None
        and read("Stop", agent_id="a") is None
    )
    assert (read("SessionStart", source="compact").source, read("Stop").transcript) == (
        "compact",
        "",
    )
    keys = {read("UserPromptSubmit", prompt="x", turn_id=turn).key for turn in ("1", "1", "2")}
    assert len(keys) == 2


@pytest.mark.parametrize("dialect", [codex, gemini])
def test_answers_hold_what_the_host_allows(dialect: Any, folder: Path) -> None:
    """A message and context at a start; no answer to events whose answers nobody reads; below the limit."""
    payload: dict[str, Any] = {"session_id": "s", "cwd": str(folder), "prompt": "x"}
    payload["tool_response"] = {"error": {"message": "boom"}, "success": False, "output": "boom"}
    names = dialect.NAMES.items()
    events = {
        name: dialect.read(name, {**payload, "hook_event_name": theirs}, {})
        for name, theirs in names
    }
    for name, event in events.items():
        if event is None:  # before a call only shell commands are answered
            assert name in ("before-call", "before-command")
            continue
        said = dialect.write(event, HookAnswer("notes\n", "receipt"))
        if name not in dialect.ANSWERED:
            assert said == ""
            continue
        answer = json.loads(said)
        context = {"hookEventName": dialect.NAMES[name], "additionalContext": "notes\n"}
        assert answer.pop("hookSpecificOutput") == context
        assert answer == (
            {"systemMessage": "receipt"} if name in ("session-start", "prompt") else {}
        )
    long = "<f>\n" + "- line of notes\n" * 2000 + "</f>\n"
    answer = json.loads(dialect.write(events["prompt"], HookAnswer(long)))["hookSpecificOutput"]
    assert len(answer["additionalContext"]) <= dialect.LIMIT


# -- hosts that are captured --------------------------------------------------------------------------------------------


def camel(folder: Path, session: str = "s1", **more: Any) -> dict[str, Any]:
    return {"sessionId": session, "timestamp": 1_763_197_200_000, "cwd": str(folder), **more}


def pascal(folder: Path, name: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    when = {"session_id": session, "timestamp": "2026-11-15T09:00:00.000Z"}
    return {**when, "cwd": str(folder), "hook_event_name": name, **more}


def flat(folder: Path, name: str, session: str = "s1", **more: Any) -> dict[str, Any]:
    common = {
        "conversation_id": session,
        "generation_id": "g",
        "model": "m-1",
        "cursor_version": "2.4",
    }
    where = {"workspace_roots": [str(folder)], "user_email": None}
    return {**common, **where, "hook_event_name": name, **more}


# The start, a prompt, a tool's call, a turn's end and the end, as each of them names its events; Copilot's hooks name none.
SPOKEN = {
    "copilot": ("", "", "", "", ""),
    "vscode": ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", ""),
    "cursor": ("sessionStart", "beforeSubmitPrompt", "postToolUse", "stop", "sessionEnd"),
}


def session_of(kind: str, folder: Path, session: str = "s1") -> list[tuple[str, dict[str, Any]]]:
    """A session with a prompt, a failing command, its fix, a wish; in the dialect of a host."""

    def said(event: str, name: str, **more: Any) -> tuple[str, dict[str, Any]]:
        if kind == "copilot":
            return event, camel(folder, session, **more)
        return event, (pascal if kind == "vscode" else flat)(folder, name, session, **more)

    start, prompt, call, stop, end = SPOKEN[kind]
    first, second = (
        said("prompt", prompt, prompt=text, **({"attachments": []} if kind == "cursor" else {}))
        for text in (
            "Is the order total rounded?",
            "No, always use pnpm in this repository, never npm.",
        )
    )
    steps = [said("session-start", start, **({} if kind == "cursor" else {"source": "new"})), first]
    failed = ("pnpm test", "schema is out of date: expected 42, found 41", 1)
    calls = (failed, ("make migrate", "applied", 0), ("pnpm test", "14 passed", 0))
    for n, (command, output, code) in enumerate(calls):
        given = {"tool_input": {"command": command}}
        if kind == "copilot":
            result = {
                "resultType": "success",
                "textResultForLlm": f"{output}\n<exited with exit code {code}>",
            }
            more = {
                "toolName": "bash",
                "toolArgs": json.dumps({"command": command}),
                "toolResult": result,
            }
        elif kind == "vscode":
            told = f"{output}\nCommand exited with code {code}"
            more = {
                "tool_name": "runTerminalCommand",
                **given,
                "tool_use_id": str(n),
                "tool_response": told,
            }
        else:
            told = json.dumps({"output": output, "exitCode": code})
            more = {"tool_name": "Shell", **given, "tool_output": told, "duration": 5}
        steps.append(said("step", call, **more))
    steps += (
        [said("step", "afterAgentResponse", text="All 14 tests pass.")] if kind == "cursor" else []
    )
    if kind == "vscode":
        return [*steps, second, said("stop", stop, stop_hook_active=False)]
    over = (
        {"stopReason": "end_turn"}
        if kind == "copilot"
        else {"status": "completed", "loop_count": 0}
    )
    why = "complete" if kind == "copilot" else "user_close"
    return [*steps, second, said("stop", stop, **over), said("session-end", end, reason=why)]


def play(host: Any, steps: list[tuple[str, dict[str, Any]]], **env: str) -> list[str]:
    done = [host.hook(event, payload, **env) for event, payload in steps]
    assert all((each.returncode, each.stderr) == (0, "") for each in done)
    return [each.stdout for each in done]


@pytest.mark.parametrize("kind", ["copilot", "vscode", "cursor"])
def test_a_captured_session_is_answered_and_learned(
    kept: Any, folder: Path, alone: Path, kind: str
) -> None:
    """Start and tools are answered in the host's shape, prompts never: their lessons come with the first call after them. The session
    is learned when it is over, the wish as the user's own."""
    said = play(HOST["Host"](folder, alone, kind), session_of(kind, folder))
    shape = {
        "copilot": lambda a: a["additionalContext"],
        "vscode": lambda a: a["hookSpecificOutput"]["additionalContext"],
        "cursor": lambda a: a["additional_context"],
    }[kind]
    answers = [shape(json.loads(each)) if each else "" for each in said]
    assert "Prices are integers" in answers[0]
    assert answers[1] == "" and "order total is rounded" in answers[2] and not any(answers[3:])
    given = [id for each in answers for id in lessons(each)]
    assert len(given) == len(set(given))
    worked = kept("worker", "--now", "--json").data
    assert (worked["failed"], worked["learned"]) == (0, 1)
    told = {each["text"]: each["trust"] for each in kept("list", "--json").data["memories"]}
    assert told[WISH] == "user"
    with open_memories() as memories:
        (run,) = memories.store.runs(memories.project_id)
        assert (run.host, run.foreign_id, bool(run.learned_at)) == (kind, "s1", True)
        assert bool(run.complete) is (kind != "vscode")


@pytest.mark.parametrize("kind", ["copilot", "vscode", "cursor"])
def test_copies_of_a_hook_write_and_answer_once(
    kept: Any, folder: Path, alone: Path, kind: str
) -> None:
    """The user's and the project's copy fire for every event: the same file, the same answers."""
    host = HOST["Host"](folder, alone, kind)
    once = play(host, session_of(kind, folder, "s1"))
    twice = play(host, [copy for step in session_of(kind, folder, "s2") for copy in (step, step)])
    assert [bool(each) for each in twice[::2]] == [bool(each) for each in once] and not any(
        twice[1::2]
    )
    with open_memories() as memories:
        files = [
            Path(file_of(memories.store.path, name)).read_text().splitlines()
            for name in ("s1", "s2")
        ]
    timeless = {"at": "", "started_at": "", "id": ""}
    once, twice = ([{**json.loads(line), **timeless} for line in lines] for lines in files)
    assert once == twice


@pytest.mark.parametrize(
    "env", [{"COPILOT_AGENT_SESSION_ID": "s1"}, {}, {"COPILOT_AGENT_SESSION_ID": "another"}]
)
def test_one_session_of_copilot_through_three_files(
    kept: Any, folder: Path, alone: Path, env: dict[str, str]
) -> None:
    """Copilot CLI loads its own hooks, VS Code's in the same folder, and Claude Code's settings: three calls per event, in two shapes. Each
    lesson is given once, the session is one run, learned once; also where only some of the calls tell that it is Copilot."""
    own, theirs, claudes = (
        HOST["Host"](folder, alone, kind) for kind in ("copilot", "vscode", "claude-code")
    )
    said = []
    native, other = session_of("copilot", folder), session_of("vscode", folder)
    for (event, payload), (same, translated) in zip(native, other, strict=False):
        said += play(own, [(event, payload)], **env)
        said += play(theirs, [(same, translated)], **env)
        if event in ("session-start", "prompt", "stop"):
            said += play(claudes, [(same, translated)], **env)
    said += play(own, native[-1:], **env)
    given = [id for each in said for id in lessons(each)]
    assert len(given) == len(set(given)) > 0
    if env.get("COPILOT_AGENT_SESSION_ID") == "s1":
        assert all(set(json.loads(each)) == {"additionalContext"} for each in said if each)
    with open_memories() as memories:
        lines = [
            json.loads(line)
            for line in Path(file_of(memories.store.path, "s1")).read_text().splitlines()
        ]
        prompts = [line["text"] for line in lines if line.get("role") == "user"]
        assert len(prompts) == len(set(prompts)) == 2
        assert memories.store.queued() == 1
    assert kept("worker", "--now", "--json").data["learned"] == 1
    with open_memories() as memories:
        assert [(run.host, run.foreign_id) for run in memories.store.runs(memories.project_id)] == [
            ("copilot", "s1")
        ]


def test_an_event_has_one_key_in_every_shape(folder: Path) -> None:
    """A start and a failure told by Copilot's own hook and by one it took over are the same event."""
    failed = {"resultType": "success", "textResultForLlm": "boom\n<exited with exit code 1>"}
    given, told = {"command": "x"}, {"text_result_for_llm": failed["textResultForLlm"]}
    native = camel(folder, toolName="bash", toolArgs=given, toolResult=failed)
    taken = pascal(folder, "PostToolUse", tool_name="Bash", tool_input=given, tool_result=told)
    start = pascal(folder, "SessionStart", source="new")
    pairs = [
        (
            copilot.read("session-start", camel(folder, source="new"), {}),
            vscode.read("", start, {}),
        ),
        (copilot.read("step", native, {}), vscode.read("", taken, {})),
        (
            cursor.read("", flat(folder, "sessionStart"), {}),
            cursor.read("", flat(folder, "SessionStart"), {}),
        ),
    ]
    assert all(
        one is not None and other is not None and (one.key, one.name) == (other.key, other.name)
        for one, other in pairs
    )
    assert len({one.key for one, _ in pairs if one}) == 3


def test_cursor_through_claude_codes_settings(kept: Any, folder: Path, alone: Path) -> None:
    """The same conversation by Cursor's own hooks and by those it took over: one answer, in Cursor's shape."""
    own, claudes = HOST["Host"](folder, alone, "cursor"), HOST["Host"](folder, alone)
    first = play(own, [("session-start", flat(folder, "sessionStart"))])
    second = play(claudes, [("session-start", flat(folder, "SessionStart", session_id="s1"))])
    assert set(json.loads(first[0])) == {"additional_context"} and second == [""]


@pytest.mark.parametrize("shape", ["camel", "pascal"])
def test_what_copilot_reads_only_with_exit_status_2(
    kept: Any, folder: Path, alone: Path, shape: str
) -> None:
    """A failed call is answered in plain text with status 2, which is how Copilot takes it; without an answer the status is 0."""
    more = {"error": "npm ERR! lock file is stale"}
    if shape == "camel":
        payload = camel(folder, toolName="bash", toolArgs={"command": "npm ci"}, **more)
    else:
        payload = pascal(
            folder, "PostToolUseFailure", tool_name="Bash", tool_input={"command": "npm ci"}, **more
        )
    host = HOST["Host"](folder, alone, "copilot")
    first, again = (
        host.hook("tool-failure", payload, COPILOT_AGENT_SESSION_ID="s1") for _ in range(2)
    )
    assert (first.returncode, first.stderr) == (2, "")
    assert first.stdout.startswith("<tacit-notes")
    assert "npm ERR there" in first.stdout
    assert (again.returncode, again.stdout) == (0, "")


def test_the_environment_file_of_codex_names_the_run(
    kept: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """Where Codex gives one, commands of the session learn which run they are in."""
    file = tmp_path / "env"
    payload = {
        "session_id": "s1",
        "cwd": str(folder),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    HOST["Host"](folder, alone, "codex").hook("session-start", payload, CODEX_ENV_FILE=str(file))
    assert file.read_text() == "export TACIT_RUN='s1'\n"


def test_a_prompt_from_the_command_line_is_nobodys_wish(
    kept: Any, folder: Path, alone: Path
) -> None:
    """`copilot -p` tells its prompt at the start: it is the task, and not what a person typed."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    asked = f"From now on always use npm in this repository. token {secret}"
    host = HOST["Host"](folder, alone, "copilot")
    started = ("session-start", camel(folder, source="new", initialPrompt=asked))
    ended = ("session-end", camel(folder, reason="complete"))
    play(host, [started, ("prompt", camel(folder, prompt=asked)), ended])
    assert kept("worker", "--now", "--json").data["learned"] == 1
    assert not any(
        "npm in this" in each["text"] for each in kept("list", "--json").data["memories"]
    )
    with open_memories() as memories:
        assert secret not in Path(file_of(memories.store.path, "s1")).read_text()


def test_what_is_captured_holds_no_secret_and_is_the_owners(
    kept: Any, folder: Path, alone: Path
) -> None:
    """Keys and private words go before the first byte is written; long output keeps its ends; nobody else may read it."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    result = {"resultType": "failure", "textResultForLlm": "begin " + "x" * 50_000 + " end"}
    host = HOST["Host"](folder, alone, "copilot")
    play(
        host,
        [
            ("prompt", camel(folder, prompt=f"use {secret} <private>Zanzibar</private> please")),
            (
                "step",
                camel(
                    folder,
                    toolName="bash",
                    toolArgs={"command": f"curl -H 'Authorization: Bearer {secret}'"},
                    toolResult=result,
                ),
            ),
        ],
    )
    with open_memories() as memories:
        path = Path(file_of(memories.store.path, "s1"))
    text = path.read_text()
    assert secret not in text and "Zanzibar" not in text and "please" in text
    step = json.loads(text.splitlines()[-1])
    assert (
        len(step["error"]) < 9000
        and step["error"].startswith("begin")
        and step["error"].endswith("end")
    )
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("env", "written"), [({"TACIT_OFF": "1"}, ""), ({}, 'ignore = ["*/work"]'), ({}, "learns = no")]
)
def test_where_tacit_is_off_nothing_is_written_down(
    kept: Any, folder: Path, alone: Path, env: dict[str, str], written: str
) -> None:
    """Neither with hooks switched off nor in an ignored folder; nor without a store. Where only nothing is learned, what its
    prompts' hooks need of a session goes with its end."""
    config = Path(os.environ["HOME"]) / ".config" / "tacit" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"{written}\n".replace("= no", "= false"))
    play(HOST["Host"](folder, alone, "cursor"), session_of("cursor", folder), **env)
    with open_memories() as memories:
        assert not Path(file_of(memories.store.path, "s1")).exists()
    play(
        HOST["Host"](folder, alone, "cursor"),
        session_of("cursor", folder),
        TACIT_STORE=str(folder / "none.db"),
    )
    assert [entry.name for entry in folder.iterdir()] == [".tacit-project"]


def test_erasing_a_lesson_takes_the_capture_it_came_from(
    kept: Any, folder: Path, alone: Path
) -> None:
    """The words are gone from what was written down too; captures of other sessions stay."""
    host = HOST["Host"](folder, alone, "cursor")
    play(host, session_of("cursor", folder, "s1"))
    play(
        host,
        [
            (
                "prompt",
                flat(folder, "beforeSubmitPrompt", "s2", prompt="Is the order total rounded?"),
            )
        ],
    )
    kept("worker", "--now")
    wish = next(
        each["id"] for each in kept("list", "--json").data["memories"] if each["text"] == WISH
    )
    assert kept("drop", wish, "--erase", "--by", "ada", "--yes").code == 0
    with open_memories() as memories:
        gone, left = (Path(file_of(memories.store.path, name)) for name in ("s1", "s2"))
    assert not gone.exists() and left.exists()


def test_a_session_without_a_good_name_gets_a_safe_file(
    kept: Any, folder: Path, alone: Path
) -> None:
    """An id is not a path."""
    prompt = flat(folder, "beforeSubmitPrompt", "../../../etc/x", prompt="hi")
    play(HOST["Host"](folder, alone, "cursor"), [("prompt", prompt)])
    with open_memories() as memories:
        path = Path(file_of(memories.store.path, "../../../etc/x"))
        assert (
            path.parent == Path(memories.store.path).resolve().parent / "captured" and path.exists()
        )


def test_old_captures_are_swept(kept: Any, folder: Path, alone: Path) -> None:
    """The worker deletes what is older than hosts keep theirs, and nothing else."""
    play(HOST["Host"](folder, alone, "cursor"), session_of("cursor", folder))
    with open_memories() as memories:
        young, old = (Path(file_of(memories.store.path, name)) for name in ("s1", "old"))
    old.write_text("{}\n")
    at = time.time() - 31 * 86400
    os.utime(old, (at, at))
    kept("worker", "--now")
    assert young.exists() and not old.exists()


# -- the pieces ---------------------------------------------------------------------------------------------------------


MADE, STARTS = {"session_id": "s", "timestamp": "t"}, {"hook_event_name": "SessionStart"}
CLAUDES = "/home/a/.claude/projects/x/s.jsonl"
GEMINIS = "/home/a/.gemini/tmp/p/chats/s.jsonl"


@pytest.mark.parametrize(
    ("payload", "registered", "host"),
    [
        ({}, "", "claude-code"),
        (
            {"hook_event_name": "Stop", "transcript_path": CLAUDES, "timestamp": "t"},
            "",
            "claude-code",
        ),
        ({"turn_id": "1"}, "", "codex"),
        ({"transcript_path": "/home/a/.codex/sessions/2026/01/01/rollout-1.jsonl"}, "", "codex"),
        ({"conversation_id": "c"}, "", "cursor"),
        ({"conversation_id": "c", "session_id": "c", "hook_event_name": "Stop"}, "", "cursor"),
        ({"sessionId": "s", "timestamp": 1}, "", "copilot"),
        ({"sessionId": "s", "timestamp": 1}, "vscode", "copilot"),
        ({**MADE, "hook_event_name": "Stop"}, "", "vscode"),
        ({**MADE, "hook_event_name": "Stop"}, "copilot", "vscode"),
        (
            {
                "sessionId": "s",
                "timestamp": "t",
                "hookEventName": "Stop",
                "transcript_path": "/x/t.json",
            },
            "",
            "vscode",
        ),
        ({**MADE, "hook_event_name": "AfterTool"}, "", "gemini"),
        ({**MADE, **STARTS, "transcript_path": GEMINIS}, "", "gemini"),
        ({"session_id": "s", **STARTS}, "codex", "codex"),
        ({**MADE, **STARTS}, "gemini", "gemini"),
    ],
)
def test_hosts_are_told_apart(payload: dict[str, Any], registered: str, host: str) -> None:
    """By the payload first, since hosts load each other's files; then by where the hook was registered."""
    assert host_of(payload, registered) == host


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Exit code: 1\nboom", 1),
        ("boom\n<exited with exit code 2>", 2),
        ("Command exited with code 3", 3),
        ("boom\nExit Code: 4\nSignal: (none)", 4),
        ("exit status 0", 0),
        ("the docs say to check the exit code 5", None),
        ("\n" * 20 + "exit code 1\n" + "\n" * 20, None),
        ("exit code: none", None),
        ("", None),
    ],
)
def test_exit_statuses_that_hosts_tell(text: str, status: int | None) -> None:
    """At the beginning or the end of a result, not in the middle of it and not in a sentence."""
    assert exit_status(text) == status


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Exit code: 1\nWall time: 0.4 seconds\nOutput:\nboom", "boom"),
        (
            "Command: make\nDirectory: (root)\nOutput: boom\nError: (none)\nExit Code: 2\nSignal: (none)",
            "boom",
        ),
        ("boom\n<exited with exit code 1>", "boom"),
        ("exit code 1", "exit code 1"),
    ],
)
def test_what_was_printed_is_searched_with(text: str, plain: str) -> None:
    """Not what hosts put around it, unless that is all there is."""
    assert printed(text) == plain


# for a payload of which the rest matters
NAMELESS = {
    copilot: camel,
    vscode: lambda folder: pascal(folder, ""),
    cursor: lambda folder: flat(folder, ""),
}
FIELDS = (
    "toolName toolArgs toolResult prompt tool_name tool_input tool_response tool_output source error workspace_roots "
    "text initialPrompt"
).split()


@pytest.mark.parametrize("dialect", NAMELESS)
def test_no_payload_stops_a_dialect(dialect: Any, folder: Path) -> None:
    """Fields of any type, or none: at worst there is no event."""
    odd: list[Any] = [None, 1, [], {}, "x", True]
    for name in (*dialect.NAMES, "unknown"):
        for field in FIELDS:
            for value in odd:
                event = dialect.read(name, {**NAMELESS[dialect](folder), field: value}, {})
                assert event is None or isinstance(event.key, str)


# -- by hand ------------------------------------------------------------------------------------------------------------


def test_learn_knows_every_host_by_its_files(tacit: Any, folder: Path, tmp_path: Path) -> None:
    """A folder with transcripts of several hosts: each is recognised, read and learned; a second time nothing changes."""
    tacit("init")
    for name in ("codex-1", "gemini-1"):
        told = "\n".join(
            json.dumps(step["record"]) for step in HOST["script"](name) if "record" in step
        )
        for word, at in (
            ("$CWD", str(folder)),
            ("$SESSION", name),
            ("$NOW", "2026-11-14T09:00:00.000Z"),
        ):
            told = told.replace(word, at)
        (tmp_path / f"{name}.jsonl").write_text(told)
    trace = {
        "action": "pytest",
        "observation": "===== 1 failed in 0.1s =====",
        "thought": "I try.",
        "state": "{}",
    }
    attempt = {"trajectory": [trace], "history": [], "info": {"exit_status": "submitted"}}
    (tmp_path / "demo-1.traj").write_text(json.dumps(attempt))
    chat = "# aider chat started at 2026-11-14 09:00:00\n\n#### fix it\n\nDone.\n"
    (tmp_path / ".aider.chat.history.md").write_text(chat)
    names = ("codex-1.jsonl", "gemini-1.jsonl", "demo-1.traj", ".aider.chat.history.md")
    paths = [str(tmp_path / name) for name in names]
    first, second = (tacit("learn", *paths, "--json").data["runs"] for _ in range(2))
    assert [run["format"] for run in first] == ["codex", "gemini", "swe-agent", "aider"]
    assert [run["already"] for run in (*first, *second)] == [False] * 4 + [True] * 4
    assert any("2 typed messages do not count as yours" in each for each in first[0]["warnings"])
    assert tacit("doctor", "--json").data["noticed"] == []
    tacit("learn", "--as", "ada", *paths)
    assert len(tacit("doctor", "--json").data["noticed"]) > 1


@pytest.mark.parametrize(
    ("host", "marker"), [("codex", "CODEX_THREAD_ID"), ("copilot", "COPILOT_AGENT_SESSION_ID")]
)
def test_commands_of_a_session_belong_to_its_run(
    kept: Any, folder: Path, alone: Path, host: str, marker: str
) -> None:
    """Where a host names its session to the commands of its agent, what the agent asks for itself is the session's: nothing is given
    twice, and one run is recorded."""
    payload = {
        "codex": {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"},
        "copilot": {"sessionId": "s1", "timestamp": 1, "source": "new"},
    }[host]
    start = HOST["Host"](folder, alone, host).hook("session-start", {**payload, "cwd": str(folder)})
    assert "Prices are integers" in start.stdout
    asked = kept(
        "inject", "--task", "Is the order total rounded? Are prices integers?", **{marker: "s1"}
    ).out
    assert "order total" in asked and "Prices are integers" not in asked
    with open_memories() as memories:
        assert [(run.host, run.foreign_id) for run in memories.store.runs(memories.project_id)] == [
            (host, "s1")
        ]

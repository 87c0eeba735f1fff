"""Hooks, as a host calls them: what an agent is told at each event, and all the times at which nobody is told anything."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open as open_memories

from tacit.hosts.claude_code import LIMIT, read, write
from tacit.hosts.dialect import HookAnswer, files_in, fitted

DATA = Path(__file__).parent / "data"
HOST = runpy.run_path(str(DATA / "host.py"))
SESSION = "0000000{}-0000-4000-8000-000000000000"
# Lessons on trial are given by a coin. The story is told without one: what is withheld has its own tests.


@pytest.fixture
def host(folder: Path, alone: Path) -> Any:
    return HOST["Host"](folder, alone)


def payload(folder: Path, name: str = "UserPromptSubmit", **more: Any) -> dict[str, Any]:
    said = {
        "UserPromptSubmit": {"prompt": "Is the order total rounded?"},
        "SessionStart": {"source": "startup"},
    }
    where = {"session_id": "s1", "transcript_path": str(folder / "s1.jsonl"), "cwd": str(folder)}
    return {**where, "hook_event_name": name, **said.get(name, {}), **more}


def failed(folder: Path, id: str = "t1", **more: Any) -> tuple[str, dict[str, Any]]:
    """A command that failed, and its hook."""
    said = {"tool_name": "Bash", "tool_input": {"command": "npm ci"}, "tool_use_id": id}
    said |= {"error": "npm ERR! lock file is stale", **more}
    return "tool-failure", payload(folder, "PostToolUseFailure", **said)


def context(stdout: str) -> str:
    return str(json.loads(stdout)["hookSpecificOutput"]["additionalContext"]) if stdout else ""


def lessons(stdout: str) -> list[str]:
    return re.findall(r"^- \[(\w+)", context(stdout), re.M)


# -- the story ----------------------------------------------------------------------------------------------------------


def test_four_sessions_event_by_event(kept: Any, host: Any) -> None:
    """What a person said comes back at the next start, what was derived from failures at the next such failure after the
    second run that met it, and the last session's receipt once."""
    said = {}
    for number in (1, 2, 3, 4):
        name = f"session-{number}"
        said[number] = host.play(HOST["script"](name), SESSION.format(number))
        assert kept("worker", "--now", "--json").data["failed"] == 0
    start = {number: json.dumps(answers[0]) for number, answers in said.items()}
    wish, cure = (
        "Always use pnpm in this repository, never npm.",
        "Run `make migrate` before `pnpm run test`",
    )
    came = [(wish in start[n], cure in json.dumps(said[n])) for n in (1, 2, 3)]
    assert came == [(False, False), (True, False), (True, True)]
    # a lesson that is told at a failure did not come back by that failure
    assert "given 3" in start[4] and "came back" not in start[4]


def test_commands_of_the_session_know_their_run(
    kept: Any, host: Any, folder: Path, tmp_path: Path
) -> None:
    """The host's environment file names the run once, however often the session starts."""
    file = tmp_path / "env"
    file.write_text("export PATH=/bin\n")
    for source in ("startup", "resume"):
        host.hook(
            "session-start",
            payload(folder, "SessionStart", source=source),
            CLAUDE_ENV_FILE=str(file),
        )
    assert file.read_text() == "export PATH=/bin\nexport TACIT_RUN='s1'\n"
    host.hook(
        "session-start",
        payload(folder, "SessionStart", session_id="x'; rm -rf /"),
        CLAUDE_ENV_FILE=str(file),
    )
    assert file.read_text() == "export PATH=/bin\nexport TACIT_RUN='s1'\n"


def test_a_session_stays_with_the_folder_it_was_opened_in(
    kept: Any, host: Any, folder: Path, tmp_path: Path
) -> None:
    """The agent's cd does not make it another project's session."""
    other = tmp_path / "other"
    other.mkdir()
    moved = payload(folder, cwd=str(other))
    assert host.hook("prompt", moved).stdout == ""
    assert lessons(host.hook("prompt", moved, CLAUDE_PROJECT_DIR=str(folder)).stdout)


# -- silence ------------------------------------------------------------------------------------------------------------


def silent(done: Any) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_changed_configuration_counts_at_once(
    kept: Any, host: Any, folder: Path, alone: Path
) -> None:
    """The hook reads compiled settings, and notices when the file is no longer what was compiled."""
    config = alone / ".config" / "tacit" / "config.toml"
    config.write_text('ignore = ["~/private/*"]\n')
    assert lessons(host.hook("prompt", payload(folder)).stdout)
    config.write_text(f'ignore = ["{folder.parent}/*"]\n')
    assert silent(host.hook("prompt", payload(folder, session_id="s2")))
    config.unlink()
    assert lessons(host.hook("prompt", payload(folder, session_id="s3")).stdout)


def test_a_repositorys_file_silences_nobody_and_is_told_once(
    kept: Any, host: Any, folder: Path
) -> None:
    """One unknown key switched every hook off, with exit 0 and no word."""
    (folder / ".tacit").mkdir(exist_ok=True)
    (folder / ".tacit" / "config.toml").write_text("x = 1\n")
    starts = (
        payload(folder, "SessionStart", source="startup", session_id=id) for id in ("r1", "r2")
    )
    first, second = (json.loads(host.hook("session-start", each).stdout) for each in starts)
    told = f"tacit: {folder}/.tacit/config.toml: 'x' is not a setting; left out"
    assert first["systemMessage"] == told and "systemMessage" not in second
    assert all("[" in each["hookSpecificOutput"]["additionalContext"] for each in (first, second))


@pytest.mark.parametrize("by_variable", [False, True])
def test_a_repository_keeps_sessions_from_being_learned_and_no_rule_from_being_given(
    kept: Any, host: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, by_variable: bool
) -> None:
    """One line of its `ignore` covered every subfolder: an agent there heard nothing, and nobody was told.
    The variable, which its host may set for it, did the same."""
    (folder / "src").mkdir()
    if by_variable:
        monkeypatch.setenv("TACIT_IGNORE", f"*/{folder.name}/*")
    else:
        (folder / ".tacit").mkdir(exist_ok=True)
        (folder / ".tacit" / "config.toml").write_text(f'ignore = ["*/{folder.name}/*"]\n')
    there = {"cwd": str(folder / "src"), "session_id": "s7"}
    (folder / "s7.jsonl").write_text("{}\n")
    start = {**payload(folder, "SessionStart", source="startup"), **there}
    first = json.loads(host.hook("session-start", start).stdout)
    assert "[" in first["hookSpecificOutput"]["additionalContext"]
    assert f"sessions in */{folder.name}/* are not learned" in first["systemMessage"]
    assert lessons(host.hook("prompt", {**payload(folder), **there}).stdout)
    end = {**payload(folder, "SessionEnd"), **there, "transcript_path": str(folder / "s7.jsonl")}
    host.hook("session-end", end)
    with open_memories() as memories:
        assert memories.store.queued() == 0


def test_the_receipt_can_be_switched_off(kept: Any, host: Any, folder: Path) -> None:
    """receipt = false keeps the line for nobody."""
    with open_memories() as memories, memories.store.write() as tx:
        tx.put_meta(
            f"receipt:{memories.project_id}", "u1\tgiven 5, left out 1, cited 2, came back 0"
        )
    off = host.hook("session-start", payload(folder, "SessionStart"), TACIT_RECEIPT="off")
    assert "systemMessage" not in off.stdout
    told = json.loads(
        host.hook("session-start", payload(folder, "SessionStart", session_id="s2")).stdout
    )
    assert told["systemMessage"] == "tacit, last session: given 5, left out 1, cited 2, came back 0"
    assert (
        "systemMessage"
        not in host.hook("session-start", payload(folder, "SessionStart", session_id="s3")).stdout
    )


ODD = [
    b"",
    b"{",
    b"[]",
    b'"x"',
    b"null",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"session_id": 7, "cwd": []}',
    b'{"session_id": "s1"}',
]


@pytest.mark.parametrize("raw", ODD)
def test_bad_input_is_nobodys_problem(kept: Any, host: Any, raw: bytes) -> None:
    """Whatever stands on standard input: exit 0, nothing printed."""
    assert silent(host.hook("prompt", raw))


@pytest.mark.parametrize(
    "more",
    [
        {"agent_id": "a1"},  # inside a sub-agent
        {"source": "poll_event"},  # nobody's prompt
        {"prompt": ""},
        {"prompt": "<private>order total rounded</private>"},
        {"cwd": "relative"},
        {"session_id": ""},
        {"cwd": "/home/ada/.local/share/tacit-model-call"},
    ],
)
def test_events_that_are_not_ours(kept: Any, host: Any, folder: Path, more: dict[str, Any]) -> None:
    """Sub-agents' prompts, wake-ups, private prompts and our own model calls are passed over."""
    assert silent(host.hook("prompt", payload(folder, **more)))


def test_an_unknown_event_says_nothing(kept: Any, host: Any, folder: Path) -> None:
    """A host may be newer than we are."""
    assert silent(host.hook("teleport", payload(folder, "Teleport")))


def test_an_interrupted_command_is_no_failure(kept: Any, host: Any, folder: Path) -> None:
    """The person stopped it; there is nothing to hint at."""
    assert silent(host.hook(*failed(folder, is_interrupt=True)))
    assert lessons(host.hook(*failed(folder)).stdout)


def test_a_busy_store_silences_an_answer(kept: Any, host: Any, folder: Path) -> None:
    """What cannot be recorded in time is not given; afterwards it is."""
    with open_memories() as memories, memories.store.write():
        assert silent(host.hook("prompt", payload(folder)))
    assert lessons(host.hook("prompt", payload(folder)).stdout)


def test_a_failure_is_silent_counted_and_explained_on_request(
    kept: Any, host: Any, folder: Path
) -> None:
    """A profile that cannot be read stops nothing but our own answer."""
    with open_memories() as memories, memories.store.write() as tx:
        tx.rows("UPDATE setting SET value = '{broken' WHERE key LIKE 'compiled:%'")
    assert silent(host.hook("prompt", payload(folder)))
    told = host.hook("prompt", payload(folder), TACIT_DEBUG="1")
    assert (told.returncode, told.stdout) == (0, "") and told.stderr.startswith("tacit hook: ")
    with open_memories() as memories:
        assert memories.store.rows(
            "SELECT substr(what, 12), count FROM common WHERE kind = 'event'"
        ) == [("hook_failure", 2)]


def test_a_file_that_is_no_store_is_left_alone(host: Any, folder: Path, tmp_path: Path) -> None:
    """Silence, and the file keeps its bytes."""
    file = tmp_path / "notes.txt"
    file.write_text("not a store\n" * 100)
    assert silent(host.hook("prompt", payload(folder), TACIT_STORE=str(file)))
    assert file.read_text() == "not a store\n" * 100


def test_secrets_and_private_words_are_not_kept(
    kept: Any, host: Any, folder: Path, alone: Path
) -> None:
    """A prompt is searched with, without what is private, and is not written beside what was given for it."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = f"Is the order total rounded? <private>our customer Zanzibar</private> token {secret}"
    assert lessons(host.hook("prompt", payload(folder, prompt=said)).stdout)
    stored = b"".join(path.read_bytes() for path in (alone / "data" / "tacit").rglob("*.db*"))
    assert b"order total" in stored and b"Zanzibar" not in stored and secret.encode() not in stored


# -- the pieces ---------------------------------------------------------------------------------------------------------


def test_private_words_are_not_even_searched_with(folder: Path) -> None:
    """However the tag is spelled; a text that only speaks of something private stays as it is."""
    told = {
        "find <PRIVATE>Zanzibar</private> here": "find   here",
        "a < b in private.py": "a < b in private.py",
    }
    for said, left in told.items():
        event = read("prompt", payload(folder, prompt=said), {})
        assert event is not None and event.text == left


def test_help_is_for_people(tacit: Any) -> None:
    """--help says what it is and lists the events."""
    done = tacit("hook", "--help")
    assert done.code == 0 and "session-start, prompt, subagent-start" in done.out


def test_a_long_answer_stays_below_the_hosts_limit() -> None:
    """Whole lines go from the end; the fence is closed; one line that is too long says nothing."""
    lines = "".join(f"- [{n}] {'word ' * 30}\n" for n in range(200))
    text = f'<tacit-notes id="x">\n{lines}</tacit-notes id="x">\n'
    cut = fitted(text, LIMIT)
    assert len(cut) <= LIMIT
    assert cut.endswith('\n</tacit-notes id="x">\n')
    assert text.startswith(cut.removesuffix('</tacit-notes id="x">\n'))
    assert fitted("x" * LIMIT, LIMIT) == "x" * LIMIT
    assert fitted("x" * (LIMIT + 1), LIMIT) == ""


def test_answers_in_the_hosts_shape(folder: Path) -> None:
    """Context goes beside the event's own name, a message to the person; events that take no context get nothing."""
    start, end = (
        read("session-start", payload(folder, "SessionStart"), {}),
        read("stop", payload(folder, "Stop"), {}),
    )
    assert start is not None and end is not None
    context = {"hookEventName": "SessionStart", "additionalContext": "notes"}
    answer = json.loads(write(start, HookAnswer("notes", "receipt")))
    assert answer == {"systemMessage": "receipt", "hookSpecificOutput": context}
    assert write(start, HookAnswer()) == "" and write(end, HookAnswer("notes", "receipt")) == ""


def test_the_payloads_own_name_of_the_event_counts(folder: Path) -> None:
    """A hook registered under the wrong event answers the event that happened."""
    event = read("prompt", payload(folder, "SessionStart"), {})
    assert event is not None and event.name == "session-start"


def test_keys_tell_events_apart(folder: Path) -> None:
    """The same prompt again in the same turn is the same event; another turn, text, tool call or agent is another."""

    def key(name: str = "UserPromptSubmit", **more: Any) -> str:
        event = read("", payload(folder, name, **more), {})
        assert event is not None
        return event.key

    same = key(prompt_id="p1")
    assert same == key(prompt_id="p1", permission_mode="plan")
    others = {
        key(prompt_id="p2"),
        key(prompt_id="p1", prompt="other"),
        key(prompt_id="p1", session_id="s2"),
    }
    others |= {key("SessionStart"), key("SessionStart", source="resume")}
    others |= {key("SubagentStart", agent_id=id, agent_type="Explore") for id in ("a", "b")}
    others |= {key("PostToolUseFailure", tool_use_id=id, error="e") for id in ("a", "b")}
    assert len(others | {same}) == 10


@pytest.mark.parametrize(
    ("prompt", "files"),
    [
        ("fix @src/orders.ts and `lib/a b.py`, please.", ("src/orders.ts", "lib/a", "b.py")),
        ("see (docs/x.md:12) or Makefile", ("docs/x.md:12",)),
        ("version 1.2 of https://example.com/a.html, e.g. now", ()),
        ("nothing here", ()),
    ],
)
def test_files_that_a_prompt_names(prompt: str, files: tuple[str, ...]) -> None:
    """@mentions, paths and names with an extension; no numbers, no addresses."""
    assert files_in(prompt) == files


def test_events_at_the_same_moment_share_what_they_tell(
    kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent's parallel commands fail at once, each with its own hook: what the other recorded meanwhile is not told again."""
    with open_memories() as memories:
        first = memories.inject(
            "",
            run="s1",
            host="claude-code",
            event="e1",
            command="npm ci",
            errors=("npm ERR! lock file is stale",),
        )
        monkeypatch.setattr(
            memories.store, "uses", lambda **_: []
        )  # read just before the first was recorded
        second = memories.inject(
            "",
            run="s1",
            host="claude-code",
            event="e2",
            command="npm ci",
            errors=("npm ERR! lock file is stale",),
        )
    assert first.injected and not second.injected

"""The first minute: a stranger with some weeks of Claude Code sessions and nothing set up runs `tacit lookback`."""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

MISSING = "Error: Cannot find module 'left-pad'"
TOKEN = "ghp_" + "a1B2c3D4e5" * 4
XSS = "<script>alert(1)</script>"


class Transcript:
    """A session file as Claude Code writes it: one record a line, a call and its result apart."""

    def __init__(self, session: str, cwd: str, begun: datetime) -> None:
        self.session, self.cwd, self.now = session, cwd, begun
        self.lines: list[str] = []

    def _record(self, **more: Any) -> None:
        at = self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.now += timedelta(seconds=10)
        record = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.40",
            "gitBranch": "main",
            "uuid": f"{self.session}-{len(self.lines)}",
            "timestamp": at,
            **more,
        }
        self.lines.append(json.dumps(record))

    def prompt(self, text: str) -> Transcript:
        """Words typed by the person."""
        self._record(
            type="user", permissionMode="default", message={"role": "user", "content": text}
        )
        return self

    def bash(self, command: str, error: str = "") -> Transcript:
        """A shell call and its result."""
        call = f"toolu_{self.session}_{len(self.lines)}"
        usage = {"input_tokens": 100, "output_tokens": 100, "cache_read_input_tokens": 50_000}
        usage["cache_creation_input_tokens"] = 800
        block = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        said = {
            "id": f"msg_{call}",
            "model": "claude-x",
            "role": "assistant",
            "content": [block],
            "usage": usage,
        }
        self._record(type="assistant", message=said)
        result = {"type": "tool_result", "tool_use_id": call, "is_error": bool(error)}
        result["content"] = f"Exit code 1\n{error}" if error else "ok"
        kept = (
            f"Error: Exit code 1\n{error}"
            if error
            else {"stdout": "ok", "stderr": "", "interrupted": False}
        )
        self._record(type="user", message={"role": "user", "content": [result]}, toolUseResult=kept)
        return self

    def save(self, projects: Path) -> Path:
        """Where the host would put it."""
        path = projects / re.sub(r"[^A-Za-z0-9]", "-", self.cwd) / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.lines) + "\n")
        return path


def session(name: str, day: int, cwd: str = "/home/me/shop") -> Transcript:
    """The tests fail for want of a module, and the person says what they always say."""
    found = Transcript(name, cwd, datetime(2026, 1, day, 9, tzinfo=UTC)).prompt(
        "Fix the login test"
    )
    found.bash("npm test", MISSING).bash("npm ci").bash("npm test")
    return found.prompt("No, always use pnpm instead of npm in this repo.")


@pytest.fixture
def projects(alone: Path) -> Path:
    """Claude Code's folder with three sessions of one project."""
    folder = alone / ".claude" / "projects"
    for day in (12, 13, 14):
        session(f"s{day}", day).save(folder)
    return folder


def everything(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder with its size and time."""
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def test_the_first_minute(tacit: Any, projects: Path, alone: Path, folder: Path) -> None:
    """No store, no set-up, no project: one screen that ends with the next step, and not a byte written anywhere."""
    before = everything(alone), everything(folder)
    done = tacit("lookback")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    flat = " ".join(done.out.split())
    told = [
        "Looked back at 3 sessions of 1 project, 12 Jan to 14 Jan 2026: 3 failures, each counted once a session (3 of 9 tool calls failed).",
        "What agents will hear",
        "- Always use pnpm instead of npm in this repo. seen in 3 sessions (you said it)",
        "- Run `npm ci` before `npm run test`; otherwise",
        "3 sessions, 6 extra calls in all",
        "2 of 3 failures had happened in another session (67%), 6 extra calls until they were overcome.",
        "Next: tacit learn",
    ]
    assert all(each in flat for each in told), done.out
    assert [flat.index(each) for each in told] == sorted(flat.index(each) for each in told)
    assert len(lines) <= 40 and max(map(len, lines)) <= 120 and "prevent" not in done.out
    assert (everything(alone), everything(folder)) == before


def test_json_tells_the_figures(tacit: Any, projects: Path, folder: Path) -> None:
    """One JSON document, and nothing written beside it."""
    done = tacit("lookback", "--json")
    names = ("sessions", "failures", "repeated", "calls")
    assert [done.data[name] for name in names] == [3, 3, 2, 6]
    assert done.data["looked_in"] == [str(projects)]
    assert [*folder.iterdir()] == []


def test_nothing_to_look_back_at(tacit: Any, alone: Path) -> None:
    """A friendly word that says where it looked and what to do; no failure."""
    done = tacit("lookback")
    assert (
        done.code == 0
        and str(alone / ".claude" / "projects") in done.out
        and "tacit connect claude-code" in done.out
    )
    assert tacit("lookback", "--json").data["sessions"] == 0
    assert not (alone / "data").exists()


def test_a_folder_that_is_not_there(tacit: Any) -> None:
    """Naming it is a mistake worth an exit code."""
    assert tacit("lookback", "nowhere", "--json").error["code"] == "not_found"


def test_the_hosts_own_variable_is_obeyed(tacit: Any, tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR says where the sessions are."""
    session("s1", 1).save(tmp_path / "elsewhere" / "projects")
    assert (
        tacit("lookback", "--json", CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere")).data["sessions"]
        == 1
    )


def test_a_hostile_transcript_stays_text(tacit: Any, projects: Path, folder: Path) -> None:
    """Escapes do not reach the terminal, secrets reach nothing."""
    for day in (20, 21):
        bad = Transcript(
            f"x{day}", f"/home/me/{XSS}", datetime(2026, 1, day, 9, tzinfo=UTC)
        ).prompt("go")
        bad.bash("deploy", f"Error: \x1b]0;owned\x07token {TOKEN} refused by '{XSS}'").save(
            projects
        )
    shown, data = tacit("lookback"), tacit("lookback", "--json")
    assert "\x1b" not in shown.out and "\\u001b" not in data.out
    assert TOKEN[:12] not in shown.out + data.out


def test_what_is_broken_is_counted(tacit: Any, projects: Path) -> None:
    """Half a line, a foreign file, an empty one: the rest is read, and a note says what was left out."""
    path = projects / "-home-me-shop" / "s12.jsonl"
    path.write_text(path.read_text() + '{"type": "user", "mess')
    (projects / "-home-me-shop" / "memory.md").write_text("# not a transcript")
    (projects / "-home-me-shop" / "other.jsonl").write_text('{"something": "else"}\n')
    done = tacit("lookback", "--json")
    assert (
        done.data["sessions"],
        done.data["files"]["malformed_lines"],
        done.data["files"]["foreign"],
    ) == (3, 1, 1)
    assert json.loads(done.out)["warnings"][:2] == [
        "1 malformed line left out.",
        "1 file in no known format left out.",
    ]


def test_sub_agents_belong_to_their_session(tacit: Any, projects: Path) -> None:
    """Their failures are the session's, and their files are no sessions of their own."""
    agent = Transcript("s12", "/home/me/shop", datetime(2026, 1, 12, 9, 5, tzinfo=UTC)).bash(
        "make lint", "error: unknown option --fast"
    )
    beside = projects / "-home-me-shop" / "s12" / "subagents"
    beside.mkdir(parents=True)
    (beside / "agent-a1.jsonl").write_text(
        "\n".join(agent.lines)
        .replace('"isSidechain": false', '"isSidechain": true, "agentId": "a1"')
        .replace('"uuid": "s12', '"uuid": "a1')
    )
    data = tacit("lookback", "--json").data
    assert (data["sessions"], data["failures"], data["tool_calls"]) == (3, 4, 10)


def test_a_repository_is_one_project(tacit: Any, projects: Path, tmp_path: Path) -> None:
    """Sessions in its folders, and in its work trees, count together."""
    repository = tmp_path / "atlas"
    (repository / "docs").mkdir(parents=True)
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for command in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", "../tree"],
    ):
        subprocess.run(
            ["git", "-C", str(repository), *command], check=True, env=quiet, capture_output=True
        )
    for number, place in enumerate((repository, repository / "docs", tmp_path / "tree")):
        session(f"a{number}", 20 + number, str(place)).save(projects)
    data = tacit("lookback", "--json", "--project-filter", "ATLAS").data
    assert [(each["name"], each["sessions"], each["repeated"]) for each in data["projects"]] == [
        ("atlas", 3, 2)
    ]


def test_days_are_counted_from_now(tacit: Any, projects: Path) -> None:
    """Only sessions that began in the last days, and they learn only from each other."""
    now = datetime.now(UTC)
    for hours in (30, 6):
        recent = Transcript(f"r{hours}", "/home/me/shop", now - timedelta(hours=hours)).prompt("go")
        recent.bash("npm test", MISSING).bash("npm ci").bash("npm test").save(projects)
    data = tacit("lookback", "--json", "--days", "3").data
    assert (data["sessions"], data["repeated"]) == (2, 1)
    assert tacit("lookback", "--days", "0", "--json").error["code"] == "usage"


def test_runs_of_ones_own_loop(tacit: Any, folder: Path) -> None:
    """Neutral files are looked back at like any other."""
    failed = {"error": "ModuleNotFoundError: No module named 'demo'", "status": 2}
    steps = [
        {"tool": "shell", "input": {"command": "pytest -q"}, **failed},
        {"tool": "shell", "input": {"command": "uv sync"}, "output": "ok", "status": 0},
        {"tool": "shell", "input": {"command": "pytest -q"}, "output": "12 passed", "status": 0},
    ]
    runs = [
        {
            "type": "run",
            "id": f"r{n}",
            "cwd": "/work/demo",
            "started_at": f"2026-01-0{n}T09:00:00Z",
            "ended_at": f"2026-01-0{n}T10:00:00Z",
            "outcome": "success",
            "steps": steps,
        }
        for n in (1, 2, 3)
    ]
    (folder / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    data = tacit("lookback", "runs.jsonl", "--json").data
    assert [(data[name]) for name in ("sessions", "failures", "repeated")] == [3, 3, 2]


def test_the_folders_of_codex_and_gemini_are_looked_in(
    tacit: Any, alone: Path, tmp_path: Path
) -> None:
    """Sessions of every host that keeps transcripts count, and nothing else in those folders is read."""
    rollout = (
        alone
        / ".codex"
        / "sessions"
        / "2026"
        / "11"
        / "14"
        / "rollout-2026-11-14T09-00-00-s1.jsonl"
    )
    chats = alone / ".gemini" / "tmp" / "work" / "chats"
    for folder in (rollout.parent, chats):
        folder.mkdir(parents=True)
    at = "2026-11-14T09:00:0{}.000Z"
    payloads: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": "s1", "cwd": str(tmp_path), "source": "cli"}),
        (
            "response_item",
            {
                "type": "function_call",
                "name": "shell",
                "call_id": "c",
                "arguments": '{"command": "make"}',
            },
        ),
        (
            "response_item",
            {
                "type": "function_call_output",
                "call_id": "c",
                "output": "Exit code: 2\nNo rule to make target",
            },
        ),
    ]
    lines = [
        {"timestamp": at.format(n), "type": kind, "payload": said}
        for n, (kind, said) in enumerate(payloads)
    ]
    rollout.write_text("".join(json.dumps(line) + "\n" for line in lines))
    head = {
        "sessionId": "g1",
        "projectHash": "p",
        "startTime": at.format(0),
        "directories": [str(tmp_path)],
    }
    call: dict[str, Any] = {
        "id": "c",
        "name": "run_shell_command",
        "args": {"command": "make"},
        "status": "error",
    }
    call["result"] = [{"functionResponse": {"response": {"error": "no target"}}}]
    answer = {
        "id": "m",
        "timestamp": at.format(1),
        "type": "gemini",
        "content": "",
        "toolCalls": [call],
    }
    (chats / "session-2026-11-14T09-00-g1.json").write_text(
        json.dumps({**head, "messages": [answer]})
    )
    (chats.parent / "logs.json").write_text('[{"sessionId": "x"}]')
    found = tacit("lookback", "--json").data
    assert (found["sessions"], found["tool_calls"]) == (2, 2)
    assert found["looked_in"] == [
        str(alone / ".codex" / "sessions"),
        str(alone / ".gemini" / "tmp"),
    ]


def test_what_was_learned_counts_and_what_was_dropped_stays_so(
    tacit: Any, alone: Path, folder: Path
) -> None:
    """After learning a look back says what is kept, and beside it what later sessions teach."""
    where, fresh = alone / ".claude" / "projects", "Run `make setup` before `make`"
    for day in (12, 13, 14):
        session(f"s{day}", day, str(folder)).save(where)
    assert "tacit learn" in tacit("lookback").out
    tacit("learn")
    ids = {each["text"]: each["id"] for each in tacit("list", "--json").data["memories"]}
    (cure,) = [text for text in ids if text.startswith("Run `npm ci`")]
    shown = tacit("lookback").out
    assert "npm ci" in shown and "pnpm" in shown and "tacit learn" not in shown
    for day in (16, 17):
        met = Transcript(f"p{day}", str(folder), datetime(2026, 1, day, 9, tzinfo=UTC)).prompt("go")
        met.bash("make", "zsh: command not found: protoc").bash("make setup").bash("make").save(
            where
        )
    tacit("origin", "forget", ids[cure])
    shown = tacit("lookback").out
    assert fresh in shown and "npm ci" not in shown and "tacit learn" in shown
    assert {each["text"] for each in tacit("list", "--json").data["memories"]} == {*ids} - {cure}

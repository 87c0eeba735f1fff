"""connect, for every host: in the host's own shape, twice is once, and out again to the byte."""

from __future__ import annotations

import json
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.test_connect import written

from tacit.hosts import every_host
from tacit.hosts.entries import with_entries, without_comments
from tacit.hosts.registration import registration

HOSTS = every_host()

SAMPLES = Path(__file__).parent / "data" / "settings"
OTHERS = ("codex", "copilot", "vscode", "gemini", "cursor")
USERS = {
    "codex": ".codex/hooks.json",
    "copilot": ".copilot/hooks/tacit.json",
    "vscode": ".copilot/hooks/tacit-vscode.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
}
PROJECTS = {
    **USERS,
    "copilot": ".github/hooks/tacit.json",
    "vscode": ".github/hooks/tacit-vscode.json",
}


def sample(host: str) -> str:
    return (SAMPLES / f"{host}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("level", ["user", "shared"])
@pytest.mark.parametrize("host", OTHERS)
def test_connect_connect_undo_on_a_sample(
    tacit: Any, folder: Path, alone: Path, host: str, level: str
) -> None:
    """Unknown keys and other people's hooks stay: the second connect changes nothing, undo gives every byte back, comments too."""
    path = written(
        alone / USERS[host] if level == "user" else folder / PROJECTS[host], sample(host)
    )
    where = [] if level == "user" else ["--shared"]
    done = tacit("connect", host, *where, "--json").data
    assert (done["settings"], done["changed"], done["project"] is None) == (
        str(path),
        True,
        level == "user",
    )
    once = path.read_bytes()
    before, after = json.loads(without_comments(sample(host))), json.loads(once)
    assert all(
        after["hooks"][event][: len(listed)] == listed for event, listed in before["hooks"].items()
    )
    assert {**after, "hooks": ""} == {**before, "hooks": ""}
    assert tacit("connect", host, *where, "--json").data["changed"] is False
    assert path.read_bytes() == once
    assert tacit("connect", host, *where, "--undo", "--json").data["changed"] is True
    assert path.read_bytes() == sample(host).encode()
    assert tacit("connect", host, *where, "--undo", "--json").data["changed"] is False


@pytest.mark.parametrize("host", OTHERS)
def test_undo_after_other_changes_takes_out_only_ours(tacit: Any, alone: Path, host: str) -> None:
    """What somebody wrote since stays, and nothing of ours."""
    text = sample(host)
    path = written(alone / USERS[host], text)
    tacit("connect", host)
    edits = partial(re.sub, "audit|guard|format|lint", r"\g<0>ed")
    path.write_text(edits(path.read_text()))
    tacit("connect", host, "--undo")
    assert json.loads(path.read_text()) == json.loads(without_comments(edits(text)))


@pytest.mark.parametrize("host", OTHERS)
def test_a_file_of_ours_alone_comes_and_goes(tacit: Any, alone: Path, host: str) -> None:
    """Where there was none there is none afterwards, nor its folder; in between it is in the host's shape."""
    path = alone / USERS[host]
    done = tacit("connect", host)
    assert f"connected: {path}" in done.out and f"tacit connect {host} --undo ends it" in done.out
    tree = json.loads(path.read_text())
    assert set(tree) == {"hooks", *(HOSTS[host].frame or {})}
    assert list(tree["hooks"]) == [entry.theirs for entry in HOSTS[host].entries]
    assert tacit("connect", host, "--undo").code == 0
    assert not path.exists() and not path.parent.exists()


def test_entries_in_every_dialect() -> None:
    """Field for field as the hosts document them: groups or flat, seconds or milliseconds, one command string or program and arguments."""
    start = ("/opt/my tools/tacit", [])
    codex, copilot, vscode, gemini, cursor = (registration(start, HOSTS[name]) for name in OTHERS)
    program = "[ ! -x '/opt/my tools/tacit' ] || '/opt/my tools/tacit' hook"
    command = f"{program} session-start --host codex || true"
    started = [{"type": "command", "command": command, "timeout": 10}]
    assert codex["SessionStart"] == {"matcher": "startup|resume|clear|compact", "hooks": started}
    assert codex["PostToolUse"]["matcher"] == "Bash|shell|exec_command|local_shell"
    assert codex["SessionEnd"]["hooks"][0]["timeout"] == 3
    command = "[ ! -x '/opt/my tools/tacit' ] || { trap 'kill -9 $!' TERM; exec 3<&0;"
    command += " '/opt/my tools/tacit' hook tool-failure --host gemini <&3 & wait $!; } || true"
    failed = [{"name": "tacit", "type": "command", "command": command, "timeout": 5000}]
    called = "run_shell_command|write_file|replace|read_file"
    assert gemini["AfterTool"] == {"matcher": called, "hooks": failed}
    command = f"{program} step --host copilot || true"
    assert copilot["postToolUse"] == {"type": "command", "bash": command, "timeoutSec": 5}
    command = f"{program} step --host vscode || true"
    assert vscode["PostToolUse"] == {"type": "command", "command": command, "timeout": 5}
    assert cursor["postToolUseFailure"] == {
        "command": f"{program} tool-failure --host cursor || true",
        "timeout": 5,
    }
    for theirs, other in (("preToolUse", copilot), ("beforeShellExecution", cursor)):
        ended = other[theirs].get("bash", other[theirs].get("command", ""))
        assert ended.endswith("|| true"), "one that crashes would deny the call"
    stop = registration(start, HOSTS["cursor"], "/x/y.db")["stop"]["command"]
    assert stop.endswith("stop --host cursor --store /x/y.db || true")


BROKEN = {
    "gone": None,
    "its interpreter is gone": "#!/opt/no/such/python\n",
    "its package is gone": "#!/bin/sh\necho 'ModuleNotFoundError: No module named tacit' >&2\nexit 1\n",
    "stopped by a signal": "#!/bin/sh\nkill -9 $$\n",
    "prints anything": "#!/bin/sh\necho '}{ not JSON'\nexit 3\n",
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("host", [*OTHERS, "claude-code"])
def test_a_program_that_is_gone_or_broken_hurts_no_host(
    tmp_path: Path, host: str, what: str
) -> None:
    """Every registered line ends well, and says nothing where the program is not there; also where it is named without a path."""
    program = tmp_path / "my tools" / "tacit"
    program.parent.mkdir()
    if (text := BROKEN[what]) is not None:
        program.write_text(text)
        program.chmod(0o755)
    for start in (str(program), "tacit"):
        for entry in registration((start, []), HOSTS[host]).values():
            handler = entry["hooks"][0] if "hooks" in entry else entry
            line = handler.get("command") or handler["bash"]
            env = {"PATH": f"{program.parent}:/usr/bin:/bin"}
            done = subprocess.run(
                ["sh", "-c", line], input="{}", capture_output=True, text=True, env=env, timeout=20
            )
            assert done.returncode == 0, (line, done.stderr)
            assert text is not None or (done.stdout, done.stderr) == ("", "")


def test_a_program_that_hangs_does_not_hold_gemini(tmp_path: Path) -> None:
    """Gemini ends the shell alone when a hook's time is up, and waits until nobody holds its output any more."""
    program = tmp_path / "tacit"
    program.write_text("#!/bin/sh\necho here\nexec sleep 60\n")
    program.chmod(0o755)
    for entry in registration((str(program), []), HOSTS["gemini"]).values():
        with subprocess.Popen(
            ["bash", "-c", entry["hooks"][0]["command"]], stdin=-1, stdout=-1, stderr=-1
        ) as shell:
            assert shell.stdout is not None and shell.stdout.readline() == b"here\n"
            shell.terminate()
            assert shell.communicate(timeout=10)[0] == b""
    program.write_text("#!/bin/sh\ncat\n")
    heard = subprocess.run(
        ["sh", "-c", entry["hooks"][0]["command"]], input=b"{}", capture_output=True, timeout=10
    )
    assert (heard.stdout, heard.returncode) == (b"{}", 0)


def test_what_copilot_must_hear_keeps_its_status(tmp_path: Path) -> None:
    """Copilot takes a hint after a failure from a hook that ends with 2, and only so."""
    program = tmp_path / "tacit"
    program.write_text("#!/bin/sh\necho a hint\nexit 2\n")
    program.chmod(0o755)
    entries = registration((str(program), []), HOSTS["copilot"])
    ended = {}
    for event, entry in entries.items():
        done = subprocess.run(
            ["bash", "-c", entry["bash"]], input="{}", text=True, capture_output=True
        )
        ended[event] = done.returncode
    assert {event: code for event, code in ended.items() if code} == {"postToolUseFailure": 2}


PAYLOADS = {
    "claude-code": {
        "session_id": "s1",
        "transcript_path": "",
        "hook_event_name": "SessionStart",
        "source": "startup",
    },
    "codex": {
        "session_id": "s",
        "hook_event_name": "SessionStart",
        "source": "startup",
        "transcript_path": None,
    },
    "copilot": {"sessionId": "s", "timestamp": 1, "source": "new"},
    "vscode": {
        "session_id": "s",
        "timestamp": "t",
        "hook_event_name": "SessionStart",
        "source": "new",
    },
    "gemini": {
        "session_id": "s",
        "timestamp": "t",
        "hook_event_name": "SessionStart",
        "source": "startup",
    },
    "cursor": {"conversation_id": "s", "hook_event_name": "sessionStart", "cursor_version": "2"},
}


@pytest.mark.parametrize("host", [*OTHERS, "claude-code"])
def test_the_registered_command_answers(tacit: Any, alone: Path, folder: Path, host: str) -> None:
    """What stands in the settings, started by a shell from elsewhere, gives what was kept."""
    path = Path(tacit("connect", host, "--json").data["settings"])
    tacit("add", "Always use pnpm, never npm.", "--kind", "preference")
    first = next(iter(json.loads(path.read_text())["hooks"].values()))[0]
    handler = first["hooks"][0] if "hooks" in first else first
    payload = {**PAYLOADS[host], "cwd": str(folder), "workspace_roots": [str(folder)]}
    argv = ["sh", "-c", handler.get("command") or handler["bash"]]
    done = subprocess.run(
        argv, input=json.dumps(payload), capture_output=True, text=True, cwd="/", timeout=60
    )
    assert (
        "Always use pnpm, never npm." in done.stdout
        and json.loads(done.stdout)
        and done.stderr == ""
    )


MALFORMED = {
    "codex": '{"a": 1, // why\n}',
    "cursor": '{"hooks": []}',
    "gemini": '{"hooks": {',
    "copilot": "[]",
    "vscode": '{"hooks": {"Stop": {}}}',
}


@pytest.mark.parametrize(("host", "text"), MALFORMED.items())
def test_malformed_settings_are_left_alone(tacit: Any, alone: Path, host: str, text: str) -> None:
    """Also a comment where the host itself would not read it."""
    path = written(alone / USERS[host], text)
    for undo in ([], ["--undo"]):
        done = tacit("connect", host, *undo)
        assert done.code == 1 and "nothing was changed" in done.err
    assert (
        path.read_bytes() == text.encode() and not (alone / "data" / "tacit" / "tacit.db").exists()
    )


def test_a_new_installation_replaces_the_old_one(tacit: Any, alone: Path) -> None:
    """Entries of another installation do not stay beside the new ones, in flat lists either."""

    old = with_entries(
        sample("cursor"), registration(("/gone/bin/tacit", []), HOSTS["cursor"]), "settings"
    )
    path = written(alone / USERS["cursor"], old)
    tacit("connect", "cursor")
    assert "/gone/" not in path.read_text()
    tacit("connect", "cursor", "--undo")
    assert json.loads(path.read_text()) == json.loads(sample("cursor"))


def test_homes_of_hosts_are_obeyed(tacit: Any, tmp_path: Path) -> None:
    """CODEX_HOME and COPILOT_HOME name the user's folder."""
    for host, named, file in (
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot", "COPILOT_HOME", "hooks/tacit.json"),
    ):
        done = tacit("connect", host, "--json", **{named: str(tmp_path / host)})
        assert done.data["settings"] == str(tmp_path / host / file)


def test_a_dry_run_shows_the_change_and_makes_nothing(tacit: Any, alone: Path) -> None:
    """Both ways."""
    path = written(alone / USERS["gemini"], sample("gemini"))
    assert "+    " in tacit("connect", "gemini", "--dry-run").out and path.read_text() == sample(
        "gemini"
    )
    tacit("connect", "gemini")
    there = path.read_text()
    assert (
        "-" in tacit("connect", "gemini", "--undo", "--dry-run").out and path.read_text() == there
    )


def test_hosts_are_listed(tacit: Any, alone: Path, folder: Path) -> None:
    """Which are on this machine, and in which of their files we stand."""
    (alone / ".gemini").mkdir()
    tacit("connect", "claude-code")
    tacit("connect", "codex")
    tacit("connect", "cursor", "--shared")
    rows = {
        row["host"]: row
        for row in tacit("connect", "--list", "--json", PATH="/nowhere").data["hosts"]
    }
    assert list(rows) == list(HOSTS)
    assert {name for name, row in rows.items() if row["here"]} == {"codex", "gemini"}
    assert {name: row["connected"] for name, row in rows.items() if row["connected"]} == {
        "claude-code": [str(folder / ".claude" / "settings.local.json")],
        "codex": [str(alone / ".codex" / "hooks.json")],
        "cursor": [str(folder / ".cursor" / "hooks.json")],
    }
    assert "codex" in tacit("connect", "--list").out
    assert tacit("connect").code == 2


def test_cursors_rule_is_a_fallback(tacit: Any, folder: Path) -> None:
    """On request a rule tells of the notes; undo takes it away, but not a rule that its owner changed."""
    rule = folder / ".cursor" / "rules" / "tacit.mdc"
    tacit("connect", "cursor", "--rules")
    assert (
        rule.read_text().startswith("---\ndescription: ")
        and "alwaysApply: true" in rule.read_text()
    )
    assert tacit("connect", "cursor", "--rules", "--json").data["changed"] is False
    tacit("connect", "cursor", "--undo")
    assert not (folder / ".cursor").exists()
    tacit("connect", "cursor", "--rules")
    rule.write_text(rule.read_text() + "And be brief.\n")
    tacit("connect", "cursor", "--undo")
    assert "And be brief." in rule.read_text()
    assert tacit("connect", "codex", "--rules").code == 2


# -- past sessions ------------------------------------------------------------------------------------------------------


def test_past_sessions_of_codex_and_gemini_are_learned(
    tacit: Any, folder: Path, alone: Path
) -> None:
    """Found where the hosts keep them, by the folder they name."""
    rollout = (
        alone
        / ".codex"
        / "sessions"
        / "2026"
        / "11"
        / "14"
        / "rollout-2026-11-14T09-00-00-s1.jsonl"
    )
    at, said = "2026-11-14T09:00:00.000Z", "From now on always use pnpm in this repository."
    meta = {
        "timestamp": at,
        "type": "session_meta",
        "payload": {"id": "s1", "cwd": str(folder), "source": "cli"},
    }
    wish = {
        "timestamp": at,
        "type": "event_msg",
        "payload": {"type": "user_message", "message": said},
    }
    written(rollout, json.dumps(meta) + "\n" + json.dumps(wish) + "\n")
    chats = alone / ".gemini" / "tmp" / "work" / "chats"
    written(
        chats / "session-2026-11-14T09-00-g1.jsonl",
        json.dumps({"sessionId": "g1", "projectHash": "p"}) + "\n",
    )
    written(chats.parent / ".project_root", str(folder))
    written(chats.parent / "logs.json", "[]")
    assert {each["run"] for each in tacit("learn", "--json").data["runs"]} == {"s1", "g1"}
    assert "pnpm" in tacit("list", "--json").out


def test_past_sessions_of_opencode_are_learned_and_looked_back_at(
    tacit: Any, folder: Path, alone: Path
) -> None:
    """All of them lie in one database: those of this folder are taken, one by one; another project's, and old ones, are not."""
    import time

    import apsw

    now = int(time.time() * 1000)
    path = alone / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    db = apsw.Connection(str(path))
    db.execute(
        "CREATE TABLE session (id, parent_id, directory, version, agent, time_created, time_updated)"
    )
    db.execute("CREATE TABLE message (id, session_id, time_created, data)")
    db.execute("CREATE TABLE part (id, message_id, session_id, data)")
    wish = "From now on always use pnpm in this repository."
    old = now - 90 * 86_400_000
    sessions = (
        ("ses_here", str(folder), now),
        ("ses_there", "/elsewhere", now),
        ("ses_old", str(folder), old),
    )
    for n, (id, where, at) in enumerate(sessions):
        db.execute(
            "INSERT INTO session VALUES (?, NULL, ?, '1.18.18', 'build', ?, ?)",
            (id, where, at + n, at + n),
        )
        said = json.dumps({"role": "user", "time": {"created": at + n}})
        db.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (f"m{n}", id, at + n, said))
        part = {"type": "text", "text": wish, "metadata": {"tacit": {"typed": True}}}
        db.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (f"p{n}", f"m{n}", id, json.dumps(part)))
    db.close()
    tacit("learn", XDG_DATA_HOME="")
    assert "pnpm" in tacit("list", "--json", XDG_DATA_HOME="").out
    found = tacit("lookback", "--json", XDG_DATA_HOME="").data
    assert (found["sessions"], found["looked_in"]) == (3, [str(path)])


def test_a_plugin_is_written_once_and_taken_out(tacit: Any, folder: Path, alone: Path) -> None:
    """opencode loads a file of ours: twice is once, it starts this installation, and out again nothing of it is left."""
    path = alone / ".config" / "opencode" / "plugins" / "tacit.js"
    assert tacit("connect", "opencode", "--json").data["changed"] is True
    text = path.read_text()
    assert (
        text.startswith("// Written by `tacit connect opencode`")
        and 'const COMMAND = ["tacit"]' not in text
    )
    assert (
        tacit("connect", "opencode", "--json").data["changed"] is False and path.read_text() == text
    )
    rows = {
        row["host"]: row["connected"] for row in tacit("connect", "--list", "--json").data["hosts"]
    }
    assert rows["opencode"] == [str(path)]
    tacit("connect", "opencode", "--undo", "--by", "ada", "--yes")
    assert not path.exists() and not path.parent.exists()


def test_windows_is_said_to_be_unsupported(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    """Before anything is written, with what to do instead."""
    from tacit.cli import main

    monkeypatch.setattr("sys.platform", "win32")
    assert main(["connect", "claude-code"]) == 1
    assert "WSL" in capsys.readouterr().err and not (folder / ".claude").exists()

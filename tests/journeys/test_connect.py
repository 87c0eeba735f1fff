"""connect: our entries in somebody else's settings file, and out of it again without a trace."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as thorough
from hypothesis import strategies as st
from tests import verbs

from tacit.hosts import host
from tacit.hosts.entries import is_ours, with_entries, without_entries
from tacit.hosts.registration import registration

ENTRIES = registration(("/opt/tacit/bin/tacit", []), host("claude-code"))
EVENTS = "SessionStart UserPromptSubmit SubagentStart PreToolUse PostToolUseFailure PreCompact Stop SessionEnd".split()
# Numbers, escapes and spacing as people and other tools write them: none of it may be respelled.
SETTINGS = """{
    "model": "opus",  "cleanupPeriodDays": 3.0e1,
    "env": {"A": "\\u00e9\\/", "B": []},
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ],
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "./check.sh", "timeout": 5}]
            }
        ]
    },
    "permissions": { "allow": ["Bash(make:*)"] }
}

"""


@pytest.fixture
def local(folder: Path) -> Path:
    return folder / ".claude" / "settings.local.json"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_connecting_registers_every_event(tacit: Any, local: Path) -> None:
    """A project without settings gets a file with one handler per event: a line for the shell, and time limits in seconds."""
    done = tacit("connect", "claude-code", "--json")
    assert done.data["settings"] == str(local) and done.data["changed"] is True
    hooks = json.loads(local.read_text())["hooks"]
    assert list(hooks) == EVENTS
    handlers = {event: groups[0]["hooks"][0] for event, groups in hooks.items()}
    lines = {event: handler["command"].partition(" ] || ") for event, handler in handlers.items()}
    assert all(os.path.isabs(before.removeprefix("[ ! -x ")) for before, _, _ in lines.values())
    ours = [
        (lines[event][2].partition(" hook ")[2], handlers[event]["timeout"]) for event in EVENTS
    ]
    words = "session-start prompt subagent-start before-command tool-failure pre-compact stop session-end".split()
    assert ours == [
        (f"{word} || true", 10 if word in ("session-start", "stop") else 5) for word in words
    ]
    assert not any("async" in handler for handler in handlers.values())
    assert {
        event: groups[0]["matcher"] for event, groups in hooks.items() if "matcher" in groups[0]
    } == {
        "SessionStart": "startup|resume|clear|compact|fork",
        "PreToolUse": "Bash|Edit|MultiEdit|Write|NotebookEdit|Read",
        "PostToolUseFailure": "Bash",
    }


def test_connect_says_that_lessons_are_left_out_and_how_to_have_them_all(
    tacit: Any, local: Path
) -> None:
    """In one sentence, with its bound (P9); who wants them all is left out of nothing from then on."""
    done = tacit("connect", "claude-code")
    assert (
        "never more than one of the three that matter most" in done.out
        and "--no-control gives them all" in done.out
    )
    done = tacit("connect", "claude-code", "--no-control", "--by", "ada", "--yes")
    assert "nothing is left out to measure it" in done.out
    with verbs.open() as memories:
        assert memories.profile.trial.rate == 0.0


@pytest.mark.parametrize(
    "text",
    [
        SETTINGS,
        SETTINGS.replace("\n", "\r\n"),
        "{}",
        "{ }\n",
        '{"a":1}',
        "",
        "\n",
        '{"hooks": {}}',
        '{\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}',
    ],
)
def test_connect_twice_and_undo_leave_the_same_bytes(tacit: Any, local: Path, text: str) -> None:
    """The second connect changes nothing, and after undo every byte is what it was."""
    written(local, text)
    assert tacit("connect", "claude-code", "--json").data["changed"] is True
    once = local.read_bytes()
    assert tacit("connect", "claude-code", "--json").data["changed"] is False
    assert local.read_bytes() == once
    assert tacit("connect", "claude-code", "--undo", "--json").data["changed"] is True
    assert local.read_bytes() == text.encode()


def test_a_byte_order_mark_and_the_mode_stay(tacit: Any, local: Path) -> None:
    """What an editor put in front, and who may read the file, is not ours to change."""
    written(local, "\ufeff" + SETTINGS)
    local.chmod(0o640)
    tacit("connect", "claude-code")
    assert (
        local.read_bytes().startswith("\ufeff{".encode())
        and stat.S_IMODE(local.stat().st_mode) == 0o640
    )
    tacit("connect", "claude-code", "--undo")
    assert (
        local.read_bytes() == ("\ufeff" + SETTINGS).encode()
        and stat.S_IMODE(local.stat().st_mode) == 0o640
    )


def test_a_file_of_ours_alone_goes_with_undo(tacit: Any, local: Path) -> None:
    """Where there was no file and no folder, there is none afterwards."""
    tacit("connect", "claude-code")
    assert local.exists()
    tacit("connect", "claude-code", "--undo")
    assert not local.parent.exists()


def test_a_folder_that_got_other_files_stays(tacit: Any, local: Path) -> None:
    """Only the file that we made goes; what others put beside it stays."""
    tacit("connect", "claude-code")
    (local.parent / "agents.md").write_text("mine")
    assert tacit("connect", "claude-code", "--undo").code == 0
    assert [entry.name for entry in local.parent.iterdir()] == ["agents.md"]


def test_undo_after_other_changes_takes_out_only_ours(tacit: Any, local: Path) -> None:
    """What somebody changed since stays changed, and nothing of ours."""
    written(local, SETTINGS)
    tacit("connect", "claude-code")
    local.write_bytes(local.read_bytes().replace(b'"opus"', b'"sonnet"'))
    tacit("connect", "claude-code", "--undo")
    assert json.loads(local.read_text()) == json.loads(SETTINGS.replace('"opus"', '"sonnet"'))


def test_other_hooks_keep_their_places(tacit: Any, local: Path) -> None:
    """Handlers of others stay in front of ours, in their own groups."""
    written(local, SETTINGS)
    tacit("connect", "claude-code")
    hooks = json.loads(local.read_text())["hooks"]
    before = json.loads(SETTINGS)["hooks"]
    assert hooks["PreToolUse"][:1] == before["PreToolUse"] and is_ours(
        hooks["PreToolUse"][1]["hooks"][0]
    )
    assert hooks["Stop"][:1] == before["Stop"] and is_ours(hooks["Stop"][1]["hooks"][0])


def test_a_new_installation_replaces_the_old_one(tacit: Any, local: Path) -> None:
    """Entries of another installation of Tacit do not stay beside the new ones."""
    old = with_entries(
        SETTINGS, registration(("/gone/bin/tacit", []), host("claude-code")), "settings"
    )
    written(local, old)
    tacit("connect", "claude-code")
    assert "/gone/" not in local.read_text()
    tacit("connect", "claude-code", "--undo")
    assert json.loads(local.read_text()) == json.loads(SETTINGS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"hooks": {', "is not JSON"),
        ('{"a": 1, // why\n}', "is not JSON"),
        ('{"hooks": []}', "not in the shape"),
        ('{"hooks": {"Stop": {}}}', "not in the shape"),
        ("[]", "not in the shape"),
    ],
)
def test_malformed_settings_are_left_alone(
    tacit: Any, local: Path, alone: Path, text: str, told: str
) -> None:
    """What is not settings gets a message, keeps its bytes, and nothing else is made either."""
    written(local, text)
    for undo in ([], ["--undo"]):
        done = tacit("connect", "claude-code", *undo)
        assert done.code == 1 and told in done.err and "nothing was changed" in done.err
    assert local.read_bytes() == text.encode()
    assert not (alone / "data" / "tacit" / "tacit.db").exists()


def test_text_that_is_not_utf8_is_left_alone(tacit: Any, local: Path) -> None:
    """Bytes that are no text get a message."""
    local.parent.mkdir()
    local.write_bytes(b'{"a": "\xff"}')
    done = tacit("connect", "claude-code")
    assert (done.code, local.read_bytes()) == (1, b'{"a": "\xff"}')
    assert "not UTF-8" in done.err


def test_read_only_settings_are_left_alone(tacit: Any, local: Path, alone: Path) -> None:
    """Read-only is the owner's word, though a rename would not ask."""
    written(local, SETTINGS).chmod(0o444)
    done = tacit("connect", "claude-code")
    assert done.code == 4 and "cannot be written; nothing was changed" in done.err
    assert local.read_bytes() == SETTINGS.encode() and stat.S_IMODE(local.stat().st_mode) == 0o444
    assert not (alone / "data" / "tacit" / "tacit.db").exists()
    assert [entry.name for entry in local.parent.iterdir()] == [local.name]


def test_linked_settings_stay_linked(tacit: Any, local: Path, tmp_path: Path) -> None:
    """A link, as people who keep their settings in a repository have it, is followed; the file behind it changes."""
    real = written(tmp_path / "dotfiles" / "claude.json", SETTINGS)
    local.parent.mkdir()
    local.symlink_to(real)
    tacit("connect", "claude-code")
    assert local.is_symlink() and "tacit" in real.read_text()
    tacit("connect", "claude-code", "--undo")
    assert local.is_symlink() and real.read_bytes() == SETTINGS.encode()


def test_the_user_and_the_shared_file(
    tacit: Any, folder: Path, alone: Path, tmp_path: Path
) -> None:
    """--user goes to the host's own folder, wherever that is; --shared to the file that is committed."""
    for env, place in (
        ({}, alone / ".claude"),
        ({"CLAUDE_CONFIG_DIR": str(tmp_path / "c")}, tmp_path / "c"),
    ):
        done = tacit("connect", "claude-code", "--user", "--json", **env)
        assert done.data["settings"] == str(place / "settings.json")
    shared = folder / ".claude" / "settings.json"
    assert tacit("connect", "claude-code", "--shared", "--json").data["settings"] == str(shared)
    assert (
        "! command -v tacit" in shared.read_text() and "bin/tacit" not in shared.read_text()
    )  # nobody's own path


def test_a_dry_run_shows_the_change_and_makes_nothing(tacit: Any, local: Path, alone: Path) -> None:
    """The difference is printed; no settings, no store."""
    done = tacit("connect", "claude-code", "--dry-run")
    assert '+  "hooks": {' in done.out
    assert not local.exists() and not (alone / "data").exists()


def test_disabled_hooks_are_pointed_out(tacit: Any, local: Path) -> None:
    """Being connected is no use where the host calls nobody."""
    written(local, '{"disableAllHooks": true}')
    assert "disableAllHooks" in tacit("connect", "claude-code").err


# -- the text of a JSON file --------------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)
STYLES = st.sampled_from(
    [{}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}, {"indent": 0}]
)


HANDLERS = st.lists(
    st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=6)}), max_size=2
)
GROUPS = st.lists(st.fixed_dictionaries({"hooks": HANDLERS}), max_size=2)
HOOKS = st.dictionaries(st.sampled_from([*EVENTS, "PostToolUse"]), GROUPS, max_size=4)


@thorough(max_examples=50)
@given(st.dictionaries(st.sampled_from(["model", "env", "x"]), VALUES, max_size=2), HOOKS, STYLES)
def test_entries_go_in_and_out_of_any_settings(
    rest: dict[str, Any], hooks: dict[str, Any], style: dict[str, Any]
) -> None:
    """Whatever else a file holds, our entries come after others' and leave no trace but an event's list that was empty before."""
    text = json.dumps({**rest, "hooks": hooks}, **style)
    there = with_entries(text, ENTRIES, "settings")
    assert all(
        json.loads(there)["hooks"][event] == [*hooks.get(event, []), group]
        for event, group in ENTRIES.items()
    )
    full = {event: groups for event, groups in hooks.items() if groups or event not in ENTRIES}
    assert json.loads(without_entries(there, "settings")) == (
        {**rest, "hooks": full} if full else rest
    )

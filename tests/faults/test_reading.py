"""A store that cannot be written can still be read; a hook that cannot record does not print."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from tacit.core.errors import StoreBusy
from tacit.store.file import as_tacit_error

pytestmark = pytest.mark.on_disk

TASK = "do I run make migrate, or why do the tests fail?"

needs_namespace = pytest.mark.skipif(
    not shutil.which("unshare")
    or bool(
        subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
        ).returncode
    ),
    reason="no user namespaces here",
)


def read_only(
    home: Path, folder: Path, *args: str, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """A command with the whole home mounted read-only, as on a system that lost its disk's trust."""
    script = (
        'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$1" && shift && exec "$@"'
    )
    return subprocess.run(
        [
            "unshare",
            "-rm",
            "sh",
            "-c",
            script,
            str(home),
            str(folder),
            sys.executable,
            "-m",
            "tacit",
            *args,
        ],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        timeout=60,
    )


@needs_namespace
def test_a_read_only_folder_is_read(tacit: Any, alone: Path, folder: Path) -> None:
    """list, show and recall answer; add says why not; nothing is written."""
    id = tacit("add", "Run make migrate before the tests.", "--json").data["id"]
    before = sorted(path.name for path in alone.rglob("*"))
    listed = read_only(alone, folder, "list", "--json")
    assert [memory["id"] for memory in json.loads(listed.stdout)["data"]["memories"]] == [id]
    assert read_only(alone, folder, "why", id).returncode == 0
    added = read_only(alone, folder, "add", "another", "--json")
    assert (
        added.returncode,
        json.loads(added.stdout)["error"]["code"],
        "Traceback" in added.stderr,
    ) == (
        4,
        "read_only",
        False,
    )
    assert sorted(path.name for path in alone.rglob("*")) == before


@needs_namespace
def test_what_cannot_be_recorded_is_not_given(tacit: Any, alone: Path, folder: Path) -> None:
    """A hook and inject find the lesson, cannot write the use, and say nothing."""
    tacit("add", "Run make migrate before the tests.", "--kind", "rule")
    payload = json.dumps(
        {
            "session_id": "s1",
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(folder),
            "prompt": TASK,
            "transcript_path": "",
        }
    )
    hooked = read_only(alone, folder, "hook", "prompt", stdin=payload)
    assert (hooked.returncode, hooked.stdout) == (0, "")
    injected = read_only(alone, folder, "inject", "--task", TASK, "--run", "r1")
    assert (injected.returncode, injected.stdout) == (0, "")
    assert "make migrate" in tacit("hook", "prompt", stdin=payload).out, (
        "with a disk that can be written it is given"
    )


def test_a_protocol_error_is_a_busy_store() -> None:
    """SQLite gives up on its shared memory when locks fail again and again (found by EIO at a lock)."""
    assert isinstance(
        as_tacit_error(apsw.ProtocolError("locking protocol"), "s.db", "writing"), StoreBusy
    )


def test_a_damaged_full_text_is_damage() -> None:
    """Not an SQL error with a traceback (found by a flipped bit)."""
    from tacit.core.errors import Damaged

    assert isinstance(
        as_tacit_error(
            apsw.SQLError("invalid fts5 file format (found 0, expected 4 or 5) - run 'rebuild'"),
            "s.db",
            "reading",
        ),
        Damaged,
    )

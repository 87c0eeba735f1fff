"""Small doses of each campaign, and the mistakes that each must catch (any dose: make faults)."""

from __future__ import annotations

import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Batch = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.on_disk
needs_strace = pytest.mark.skipif(
    not shutil.which("strace")
    or bool(subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode),
    reason="strace cannot trace here",
)
needs_namespace = pytest.mark.skipif(
    not shutil.which("unshare")
    or bool(
        subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
        ).returncode
    ),
    reason="no user namespaces here",
)


def test_killed_writers_lose_nothing(batch: Batch) -> None:
    """Every acknowledged write is there; every write found was acknowledged or in flight."""
    found = batch("kill", kills=10, writers=5)
    assert found["failures"] == [] and found["acknowledged"] > 0


def test_a_killed_reader_loses_nothing_and_asks_nothing_twice(batch: Batch) -> None:
    """What was answered lies on the disk before the next question."""
    found = batch("reading", kills=3)
    assert found["failures"] == [] and found["asked"] >= found["sessions"]


@pytest.mark.parametrize("kind", ["add", "learn", "inject", "tend"])
@pytest.mark.parametrize("moment", ["before:1", "after:1"])
def test_a_writer_killed_at_its_commit_is_whole_or_absent(
    batch: Batch, kind: str, moment: str
) -> None:
    """Just before it nothing is there, just after it everything, though nobody was told."""
    found = batch("kill", kills=1, writers=1, fault=f"die={moment}", kinds={kind: 1})
    assert (found["kills"], found["acknowledged"], found["failures"]) == (1, 0, [])


def test_an_early_acknowledgement_is_caught(batch: Batch) -> None:
    """A writer that says "kept" before COMMIT, and dies in between, has lost an acknowledged lesson."""
    found = batch("kill", kills=1, writers=1, fault="early=5", kinds={"add": 1})
    assert found["failures"] == ["acknowledged, but found 0 times: writer 0 lesson 5"]


@needs_strace
def test_power_loss_loses_nothing(batch: Batch) -> None:
    """Whatever of the unsynced writes is lost, torn or reordered."""
    assert batch("power", images=20, lines=30)["failures"] == []


@needs_strace
@pytest.mark.parametrize("fault", ["normal", "rename"])
def test_a_lax_disk_habit_is_caught(batch: Batch, fault: str) -> None:
    """synchronous=NORMAL, and a temporary file with a rename, lose what they acknowledged."""
    assert batch("power", images=20, lines=30, fault=fault)["failures"] != []


@needs_strace
def test_a_restore_says_what_the_disk_answered(batch: Batch, tmp_path: Path) -> None:
    """A disk that cannot tell whether the store is there has not said no (found by EIO at these calls: tracebacks)."""
    import calls

    home = calls.prepared(tmp_path)
    assert [
        wrong
        for call, which in (("newfstatat", 2), ("lstat", 1))
        for wrong in calls.once(home, ("restore", "error=EIO", call, which))
    ] == []


@needs_strace
def test_a_fault_at_a_system_call_is_survived(batch: Batch) -> None:
    """A few of all calls, with SIGKILL, EIO and ENOSPC."""
    found = batch("calls", share=6, every=211)
    assert found["failures"] == [] and found["calls"] == 6


@needs_strace
def test_an_unheard_error_is_caught(batch: Batch, tmp_path: Path) -> None:
    """A writer that takes what the disk refused for written has acknowledged what is not there."""
    import calls

    home = calls.prepared(tmp_path / "at")
    (found,) = calls.once(home, ("add", "error=EIO", "fdatasync", 1), "deaf")
    assert "acknowledged, but not there" in found


@needs_namespace
def test_a_full_disk_is_survived(batch: Batch) -> None:
    """Reading works, hooks print nothing unrecorded, writing resumes; with nothing free, and with enough for a start."""
    assert batch("full", steps=2)["failures"] == []
    assert batch("full", seed=17, steps=1)["failures"] == []


def test_a_limit_on_file_sizes_is_survived(tacit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are no namespaces: files may not grow. Nothing is half written, and it goes on when they may."""
    tacit("add", "one")
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    for limit in (0, 4096, 40_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            ran = tacit("add", f"with a limit of {limit}", "--json", PYTHONDONTWRITEBYTECODE="1")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert ran.code in (0, 4)
    assert tacit("add", "two").code == 0
    assert tacit("doctor", "--json").data["sound"] is True


@pytest.mark.parametrize("seconds", [-10 * 365 * 86400, 10 * 365 * 86400])
def test_a_clock_that_jumps_harms_nothing(
    batch: Batch, tacit: Any, folder: Any, seconds: int, tmp_path: Any
) -> None:
    """Years back or ahead: lessons are kept, given, backed up and verified, before the jump, in it and after it."""
    import common

    home = tmp_path / "home"
    shutil.copytree(folder, home / "work", dirs_exist_ok=True)
    for fault in ("", f"clock={seconds}", ""):
        for args in (
            ("add", f"a lesson {fault}"),
            ("inject", "--task", "a lesson", "--run", f"r{fault}"),
            ("data", "backup"),
            ("doctor",),
        ):
            ran = common.tacit(home, *args, fault=fault)
            assert ran.returncode == 0, (args, ran.stderr, ran.stdout)
    listed = common.tacit(home, "data", "backup", "--list", "--json").stdout
    import json

    # of the two that were made on one day the newer is kept
    assert [each["number"] for each in json.loads(listed)["data"]["backups"]] == [3, 2]

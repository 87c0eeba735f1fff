"""Small doses of the campaigns of bench/store.py, and the mistakes that each must catch."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import store as campaign

pytestmark = [pytest.mark.on_disk, pytest.mark.process]
TRACED = (
    shutil.which("strace")
    and not subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode
)
MOUNTED = (
    shutil.which("unshare")
    and not subprocess.run(
        ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True
    ).returncode
)
needs_strace = pytest.mark.skipif(not TRACED, reason="strace cannot trace here")
needs_namespace = pytest.mark.skipif(not MOUNTED, reason="no user namespaces here")


def test_killed_processes_lose_nothing_and_nobody_hears_locked(tmp_path: Path) -> None:
    found = campaign.killed(tmp_path, kills=6, processes=6)
    assert found["wrong"] == []
    assert found["acknowledged"] > 0


def test_an_acknowledgement_before_the_commit_is_caught(tmp_path: Path) -> None:
    found = campaign.killed(tmp_path, kills=6, processes=6, mistake="late")
    assert any("1 acknowledged, 0 there" in each for each in found["wrong"])


@needs_strace
def test_a_power_cut_loses_nothing(tmp_path: Path) -> None:
    assert campaign.cut(tmp_path, cuts=12)["wrong"] == []


@needs_strace
def test_a_store_that_does_not_wait_for_the_disk_is_caught(tmp_path: Path) -> None:
    assert campaign.cut(tmp_path, cuts=4, careless=True)["wrong"] != []


@needs_namespace
def test_a_full_disk_refuses_and_reads_on(tmp_path: Path) -> None:
    found = campaign.filled(tmp_path, steps=12)
    assert found["wrong"] == []
    assert found["refused"] > 0 < found["kept"]

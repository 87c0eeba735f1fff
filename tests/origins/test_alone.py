"""What `pip install .` alone brings: each of the four learns its own log, injects and exports."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from callers import NULLS, SYSTEMS, question, write_logs

import tacit

SOURCE = Path(tacit.__file__).parents[1]
INJECTS = {
    "archeflow": f"## Known Issues (from past runs)\n- {NULLS} [seen 2x, guardian]",
    "ralph": f"## Proven Strategies\n- {NULLS} (effectiveness: 100%)",
    "geas": f"## Applicable Memory\n- **[mem-r-1-1] {NULLS}** (confidence: 0.6, provisional)",
    "joelclaw": f"- {NULLS}\n",
}
WRITES = {
    "archeflow": "lessons.jsonl",
    "ralph": "ralph-learnings.json",
    "geas": "memory/entries/mem-r-1-1.json",
    "joelclaw": "memory_observations.jsonl",
}


@pytest.fixture
def shop(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository where Python has the package, apsw and click, and no other distribution."""
    (tmp_path / "site").mkdir()
    for name in ("apsw", "click"):
        [place] = importlib.util.find_spec(name).submodule_search_locations  # type: ignore[union-attr]
        (tmp_path / "site" / name).symlink_to(place)
    monkeypatch.setenv("PYTHONPATH", f"{SOURCE}{os.pathsep}{tmp_path / 'site'}")
    monkeypatch.setenv("TACIT_NO_WORKER", "1")
    return folder


def run(*args: str) -> str:
    """One command that has to succeed; -S leaves what else is installed out."""
    command = [sys.executable, "-S", "-m", "tacit", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.process
@pytest.mark.parametrize("system", SYSTEMS)
def test_it_learns_its_log_injects_and_exports(system: str, shop: Path, tmp_path: Path) -> None:
    run("init", "--like", system)
    run("learn", *write_logs(system, shop))
    asks = question(system)
    if asks[0] == "recall":  # joelclaw is asked, and told at a start as well
        asks = ["inject", "--task", NULLS, "--run", "next"]
    assert INJECTS[system] in run(*asks, "--no-trial")
    run("data", "export", "--format", system, "--out", str(tmp_path / "out"))
    assert NULLS in (tmp_path / "out" / WRITES[system]).read_text("utf-8")

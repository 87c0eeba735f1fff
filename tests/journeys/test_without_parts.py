"""An environment with the package alone: every store opens, lists and exports, and what another distribution of this repository would do is said with its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import tacit as package
from tacit.core.installation import PARTS

TREE = Path(package.__file__).parents[2]


@pytest.fixture(scope="module")
def lean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """This environment but for those distributions: neither their modules nor their entry points are there."""
    site = tmp_path_factory.mktemp("site-packages")
    gone = tuple(part.replace("-", "_") for part in PARTS)
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.lstrip("_").startswith(gone) and each.suffix != ".pth":
            (site / each.name).symlink_to(each)
    return {"PYTHONPATH": f"{TREE / 'src'}{os.pathsep}{site}", "TACIT_NO_WORKER": "1"}


def alone(lean: dict[str, str], *args: str) -> Any:
    """One command in that environment; -S leaves the other site-packages out."""
    command = [sys.executable, "-S", "-m", "tacit", *args]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **lean}, timeout=60
    )


def test_runs_of_other_agents(
    lean: dict[str, str], tacit: Any, folder: Path, tmp_path: Path
) -> None:
    """A format by name, and a file that only the other distribution knows; what was learned with it is still there."""
    path = tmp_path / ".aider.chat.history.md"
    path.write_text("# aider chat started at 2026-11-14 09:00:00\n\n#### fix it\n\nDone.\n")
    assert tacit("learn", str(path), "--json").data["runs"][0]["format"] == "aider"
    tacit("add", "Prices are integers, in cents.")
    named = alone(lean, "learn", "--format", "aider", str(path))
    assert (
        named.returncode != 0
        and "aider is part of tacit-formats, which is not installed here" in named.stderr
    )
    assert f"{TREE}/distributions/tacit-formats" in named.stderr
    by_itself = alone(lean, "learn", str(path))
    assert (
        "not installed here: aider, inspect, openhands, swe-agent (tacit-formats)"
        in by_itself.stderr
    )
    assert "Prices are integers" in alone(lean, "list").stdout
    exported = json.loads(alone(lean, "export", "--format", "json").stdout)
    assert "Prices are integers" in json.dumps(exported)


def test_replays(lean: dict[str, str], tacit: Any, folder: Path) -> None:
    """The command says where it is; `why`, `effect`, `review` and a kept work tree go on without it."""
    lesson = tacit("add", "Prices are integers, in cents.", "--json").data["id"]
    for args in (("replay", lesson), ("help", "replay")):
        asked = alone(lean, *args)
        assert (
            asked.returncode == 4 and "The command replay is part of tacit-replay" in asked.stderr
        )
        assert f"{TREE}/distributions/tacit-replay" in asked.stderr
    for args in (("why", lesson), ("effect",), ("review",), ("help", "all")):
        asked = alone(lean, *args)
        assert (asked.returncode, asked.stderr) == (0, ""), asked.stderr
    assert "\n  replay " not in asked.stdout and "\n  replay " in tacit("help", "all").out


@pytest.mark.file_only("a process without parts has no driver for a server")
def test_files_of_the_origins(
    lean: dict[str, str], tacit: Any, folder: Path, tmp_path: Path
) -> None:
    """A store that remembers as one of them did opens, gives, lists and exports; their files are read and written by the distribution."""
    tacit("profile", "use", "ralph")
    tacit("add", "Prices are integers, in cents.")
    assert "Prices are integers" in alone(lean, "list").stdout
    assert alone(lean, "inject", "--task", "prices", "--no-trial").stdout.startswith(
        "## Knowledge Base"
    )
    tacit("profile", "use", "joelclaw")
    assert (
        tacit("inject", "--task", "prices", "--no-trial", "--run", "a").out
        == "- Prices are integers, in cents.\n"
    )
    given = alone(lean, "inject", "--task", "prices", "--no-trial", "--run", "b")
    assert (
        "] Prices are integers, in cents. (" in given.stdout
        and "render.renderer = notes" in given.stderr
    )
    assert f"{TREE}/distributions/tacit-origins" in given.stderr
    for args in (("status", "--json"), ("doctor", "--json")):
        assert "tacit-origins" in alone(lean, *args).stdout, args
    assert (
        alone(lean, "export", "--format", "bundle", "--out", str(tmp_path / "all")).returncode == 0
    )
    (folder / "junit.xml").write_text(
        '<testsuite name="t"><testcase classname="a" name="b"><failure message="no queue">no queue</failure></testcase></testsuite>'
    )
    learned = alone(lean, "learn", "junit.xml", "--json")
    assert (
        learned.returncode == 0
        and "gate.function = rules, signals.audits = nothing" in learned.stdout
    )
    (folder / "lessons.jsonl").write_text("{}\n")
    for args in (
        ("export", "--format", "ralph"),
        ("import", "--format", "archeflow", "lessons.jsonl"),
    ):
        asked = alone(lean, *args)
        assert (
            asked.returncode == 4
            and "is part of tacit-origins, which is not installed here" in asked.stderr
        )
    (folder / "ralph-learnings.json").write_text('{"version": "1", "learnings": []}')
    assert "(tacit-origins)" in alone(lean, "import", "ralph-learnings.json").stderr

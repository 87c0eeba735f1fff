"""The parts of the benches that need no clock: texts from a seed, tables that judge."""

from __future__ import annotations

import ast
import json
import os
import runpy
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parent.parent / "bench"


def load(name: str) -> Any:
    return runpy.run_path(str(BENCH / f"{name}.py"))


def test_texts_are_the_same_for_a_seed_and_have_a_long_tail() -> None:
    """Few words are everywhere, most are rare; a prompt shares words with what it is about."""
    writer = load("texts")["Writer"]
    lessons = [str(each["text"]) for each in map(lambda w: w.lesson(), [writer(3)] * 300)]
    assert lessons[0] == writer(3).lesson()["text"] != writer(4).lesson()["text"]
    assert 150 < sum(map(len, lessons)) / len(lessons) < 250
    counts: dict[str, int] = {}
    for text in lessons:
        for word in set(text.split()):
            counts[word] = counts.get(word, 0) + 1
    assert (
        sum(count == 1 for count in counts.values()) > len(counts) / 2
        and max(counts.values()) > 150
    )
    shared = set(writer(5).prompt(lessons[0]).split()) & set(lessons[0].split())
    assert len(shared) >= 5


def test_a_table_judges_what_has_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """One figure above its bound fails the whole; a figure without one only tells."""
    table = load("measure")["Table"]()
    table.at_most("starting", 3.5, 4)
    table.tell("told", "7 ms")
    assert table.held and "| starting | ≤ 4x | 3.50x | ok |" in table.markdown()
    table.at_most("asking", 5.1, 5)
    assert not table.held and "FAIL" in capsys.readouterr().out


def test_the_budgets_can_still_be_measured(tmp_path: Path) -> None:
    """What no clock is needed for, on small stores: the exhaustive ranking is like ours, and what is due is tended."""
    code = (
        "import speed, tending\n"
        "from stores import make_store, opened\n"
        "path = make_store(300)\n"
        "prompt = speed.asking(path, 2)[0]\n"
        "with opened(path) as kept:\n"
        "    best, found = speed.exhaustive(kept, prompt), kept.recall(prompt, limit=10, min_score=0.0).hits\n"
        "print(len(best), best[0][0] == found[0].memory.id)\n"
        "due = tending.tended(300)\n"
        "tending.come_due(due, 20)\n"
        "with opened(due) as kept:\n"
        "    print(len(speed.origins_night.tend(kept).archived))\n"
    )
    env = {**os.environ, "TACIT_BENCH": str(tmp_path), "PYTHONPATH": str(BENCH)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-3:] == ["10", "True", "20"]


@pytest.mark.process
def test_the_exam_of_decisions_can_still_be_played(tmp_path: Path) -> None:
    """One chat, one bug: what the hooks give before it, the folder its agent gets, its fix graded, kept and graded again."""
    data, place = tmp_path / "data", Path(tmp_path / "copy")
    told = "Always quote every cell of the export with single quotes, never double ones."
    chat = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s1",
        "cwd": "/home/dev/shop",
        "version": "2.1.240",
        "timestamp": "2026-09-01T09:00:00.000Z",
        "permissionMode": "default",
        "promptSource": "typed",
        "message": {"role": "user", "content": told},
    }
    for project, own in (("settled", {"quote-001": ["s1"]}), ("amended", {})):
        (data / project / "sessions").mkdir(parents=True)
        (data / project / "sessions" / "s1.jsonl").write_text(json.dumps(chat) + "\n")
        entry = {
            "session": "s1",
            "file": "sessions/s1.jsonl",
            "start": "2026-09-01T09:00:00.000Z",
            "lineage": 0,
            "agent": "Claude Code",
            "developer": "d",
        }
        (data / project / "index.json").write_text(json.dumps([entry]))
        (data / project / "whose.json").write_text(json.dumps(own))
    for folder, name, text in (
        ("tasks/quote-001", "writer.py", "def cell(text):\n    return text\n"),
        (
            "tasks/quote-001/tests",
            "test_seen.py",
            "from writer import cell\n\n\ndef test_it():\n    assert cell('a')[1:-1] == 'a'\n",
        ),
        (
            "keys/quote-001",
            "test_hidden.py",
            "from writer import cell\n\n\ndef test_it():\n    assert cell('a') == \"'a'\"\n",
        ),
    ):
        (data / folder).mkdir(parents=True, exist_ok=True)
        (data / folder / name).write_text(text)
    (data / "tasks" / "quote-001.json").write_text(
        json.dumps(
            {"bug_report": "A comma in a cell of the export shifts the row.", "module": "writer.py"}
        )
    )
    (data / "AGENT.md").write_text("Fix it.\n")
    (data / "grade.py").write_text(
        "import json, pathlib, sys\n"
        "fixed = pathlib.Path(sys.argv[1]) / 'quote-001' / 'writer.py'\n"
        "print(json.dumps({'quote-001': \"'\" in fixed.read_text()})); print('graded')\n"
    )
    shutil.copytree(
        BENCH,
        place / "bench",
        ignore=shutil.ignore_patterns("results", "labels", "faults", "hosts"),
    )

    def step(*args: str) -> str:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(place), str(BENCH.parent / "src")))}
        done = subprocess.run(
            [sys.executable, "-m", "bench.decisions", *args],
            cwd=place,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert "own lessons 1; hooks 1" in step("notes", str(data))
    step("folders", str(data), "hooks", str(tmp_path / "run-1"))
    bug = tmp_path / "run-1" / "quote-001"
    assert told in (bug / "NOTES.md").read_text() and not list(bug.rglob("test_hidden.py"))
    (bug / "writer.py").write_text("def cell(text):\n    return f\"'{text}'\"\n")
    assert '"quote-001": true' in step("grade", str(data), str(tmp_path / "run-1"))
    assert '"quote-001": true' in step("again", str(data), "run-1")


def test_what_benches_import_is_there() -> None:
    """A renamed constant breaks a campaign where nobody looks."""
    gone: list[str] = []
    for node in (
        node
        for file in BENCH.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
    ):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("tacit"):
            with suppress(ModuleNotFoundError):  # an optional package that is not here
                module = import_module(str(node.module))
                missed = [
                    f"{node.module}.{each.name}"
                    for each in node.names
                    if not hasattr(module, each.name)
                ]
                gone += [
                    name for name in missed if not (hasattr(module, "__path__") and find_spec(name))
                ]
    assert gone == []


def test_a_finding_of_the_red_team_names_tests_that_are_there() -> None:
    """Who renames one is told here, not by the campaign."""
    for finding in load("redteam_page")["FINDINGS"]:
        for file, _, name in (each.partition("::") for each in finding.tests.split()):
            assert f"def {name}" in (BENCH.parent / "tests" / file).read_text()

"""The parts of the benches that need no clock: texts from a seed, tables that judge, plots that a browser can read."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import xml.etree.ElementTree as xml
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
    assert sum(count == 1 for count in counts.values()) > len(counts) / 2 and max(counts.values()) > 150
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


def test_plots_are_well_formed() -> None:
    """Also with one point, a name to be escaped and figures below one."""
    plot = load("plot")
    for svg in (
        plot["lines"]("t", "x", "y", {"a<b": [(1000, 0.5)]}),
        plot["bars"]("t", {"cold": {"us": 0.2, "them": 90.0}}, "ms"),
    ):
        assert xml.fromstring(svg).tag.endswith("svg")
    assert [plot["short"](n) for n in (10, 1000, 10**6)] == ["10", "1k", "1M"]


@pytest.mark.process
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
        "    print(len(kept.tend().archived))\n"
    )
    env = {**os.environ, "TACIT_BENCH": str(tmp_path), "PYTHONPATH": str(BENCH)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-3:] == ["10", "True", "10"]

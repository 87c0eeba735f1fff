"""What learning costs (design §10): a 10 MB transcript against `json.loads` of its lines, and one run into 100 against 100,000 memories.

`make bench` calls this; by itself: python bench/learning.py. CPU seconds in one process, medians of repetitions in turns.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from measure import Table, nice
from stores import cache, fresh, opened
from texts import Writer

HERE = os.path.dirname(os.path.abspath(__file__))
FINDINGS = 20


def budgets(table: Table, large: int, rounds: int) -> None:
    """Both budgets of learning."""
    big = transcript(10)
    ratios = []
    for number in range(3):
        bare = cpu(lambda: loads(big))
        ratios.append(learn(fresh(100, "learn"), big, f"big-{number}") / bare)
    size = os.path.getsize(big) / 1e6
    table.at_most(
        f"learn a {size:.1f} MB transcript, against json.loads of its lines",
        statistics.median(ratios),
        25,
    )
    few, many = fresh(100, "learn"), fresh(large, "learn")
    pairs = []
    for number in range(rounds):
        # Each its own texts: what one store's run has read, the other's would find read.
        large_run, small_run = reviewed(2 * number), reviewed(2 * number + 1)
        pairs.append(
            learn(many, large_run, f"small-{number}") / learn(few, small_run, f"small-{number}")
        )
    what = f"learn one run of {FINDINGS} review findings into {large:,} memories, against 100"
    table.at_most(what, statistics.median(pairs), 1.5)


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def transcript(megabytes: float) -> str:
    """A generated Claude Code session of that size."""
    path = os.path.join(cache(), f"session-{megabytes:g}mb.jsonl")
    if not os.path.exists(path):
        make = [
            sys.executable,
            os.path.join(HERE, "transcripts.py"),
            "generate",
            "--mb",
            str(megabytes),
            "--seed",
            "1",
        ]
        subprocess.run([*make, path], check=True)
    return path


def reviewed(number: int) -> str:
    """A run with twenty review findings in the words of the stores' own lessons: each must be looked for among them."""
    path = os.path.join(cache(), f"reviewed-{number}.jsonl")
    writer = Writer(1000 + number)
    findings = [
        {
            "place": f"f{n}",
            "text": writer.lesson()["text"],
            "by": "guardian",
            "tier": "review",
            "severity": "warning",
        }
        for n in range(FINDINGS)
    ]
    run = {
        "type": "run",
        "id": f"reviewed-{number}",
        "task": "improve the service",
        "findings": findings,
        "outcome": "success",
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")
    return path


def learn(path: str, source: str, run: str) -> float:
    """CPU seconds to learn a transcript under a new run id into a warm, open store."""
    with opened(path) as memories:
        return cpu(lambda: memories.learn(source, run=run, over=True))


def loads(source: str) -> None:
    """Parse the lines."""
    with open(source, "rb") as file:
        for line in file.read().splitlines():
            json.loads(line)


if __name__ == "__main__":
    nice()
    figures = Table()
    budgets(figures, 100_000, 9)
    sys.exit(not figures.held)

"""What learning costs (design §10): a 10 MB transcript against `json.loads` of its lines, and one run into 100 against 100,000 memories.

    python bench/learning.py [--out FILE]

CPU seconds in one process, medians of interleaved repetitions; stores are cached by bench/stores.py.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

from stores import cache, lesson, make_store
from tacit.app import open as open_memories

HERE = os.path.dirname(os.path.abspath(__file__))


def cpu(work: object) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - start


def transcript(folder: str, megabytes: float) -> str:
    """A generated Claude Code session of that size."""
    path = os.path.join(folder, f"session-{megabytes:g}mb.jsonl")
    if not os.path.exists(path):
        subprocess.run([sys.executable, os.path.join(HERE, "transcripts.py"), "generate", "--mb", str(megabytes), "--seed", "1", path], check=True)
    return path


def reviewed(folder: str, number: int) -> str:
    """A run with twenty review findings in the words of the stores' own lessons: each must be looked for among them."""
    path = os.path.join(folder, f"reviewed-{number}.jsonl")
    chance = random.Random(1000 + number)
    findings = [{"place": f"f{n}", "text": lesson(chance, 10**6 + n)["text"], "by": "guardian", "tier": "review", "severity": "warning"} for n in range(20)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"type": "run", "id": f"reviewed-{number}", "task": "improve the service", "findings": findings, "outcome": "success"}) + "\n")
    return path


def fresh(folder: str, size: int) -> str:
    """A copy of the store with so many memories."""
    master = make_store(os.path.join(folder, f"{size}.db"), size)
    path = os.path.join(folder, "work", f"learn-{size}.db")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    for end in ("", "-wal", "-shm"):
        if os.path.exists(path + end):
            os.unlink(path + end)
    shutil.copyfile(master, path)
    return path


def learn(path: str, source: str, run: str) -> float:
    """CPU seconds to learn a transcript under a new run id into a warm, open store."""
    folder = os.path.dirname(path)
    env = {"HOME": folder, "USER": "bench", "XDG_DATA_HOME": folder}
    with open_memories(path, project="bench", env=env, cwd=folder) as memories:
        return cpu(lambda: memories.learn(source, run=run, over=True))


def loads(source: str) -> float:
    """CPU seconds to parse the lines."""
    with open(source, "rb") as file:
        lines = file.read().splitlines()
    return cpu(lambda: [json.loads(line) for line in lines])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=os.path.join(HERE, "results", f"{datetime.date.today()}-learning.md"))
    parser.add_argument("--large", type=int, default=100_000)
    args = parser.parse_args()
    folder = cache()
    rows = []

    def line(what: str, figure: str, bound: str, held: bool) -> None:
        rows.append(f"| {what} | {figure} | {bound} | {'holds' if held else 'MISSED'} |")
        print(f"{what:<70} {figure:>10} {bound:>8}  {'holds' if held else 'MISSED'}", flush=True)

    big = transcript(folder, 10)
    ratios = []
    for n in range(3):
        bare = loads(big)
        ratios.append(learn(fresh(folder, 100), big, f"big-{n}") / bare)
    r = statistics.median(ratios)
    line(f"learn a {os.path.getsize(big) / 1e6:.1f} MB transcript, against json.loads of its lines", f"{r:.1f}x", "≤ 25x", r <= 25)
    pairs = []
    few, many = fresh(folder, 100), fresh(folder, args.large)
    for n in range(9):
        source = reviewed(folder, n)
        a = learn(few, source, f"small-{n}")
        b = learn(many, source, f"small-{n}")
        pairs.append(b / a)
    r = statistics.median(pairs)
    line(f"learn one run of 20 review findings into {args.large:,} memories, against 100", f"{r:.2f}x", "≤ 1.5x", r <= 1.5)
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(f"# Learning, {datetime.date.today()}\n\n`python bench/learning.py` · CPU, medians in one run\n\n| what | figure | bound | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n")
    return 0 if all("MISSED" not in row for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

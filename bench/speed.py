"""What starting and keeping costs (design §10), as ratios within one run: `make bench`.

CPU time of fresh processes, medians of interleaved pairs against `python -c pass`, console script as installed, bytecode present. Sizes by
TACIT_BENCH_SIZES (default 1000,10000,100000); stores are cached. A dated result goes to bench/results/.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time

from stores import cache, lesson, make_store

HERE = os.path.dirname(os.path.abspath(__file__))
TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")


def cpu(args: list[str], env: dict[str, str], stdin: bytes = b"", cwd: str = "/") -> float:
    """CPU seconds of one child process, checked to have succeeded."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(args, input=stdin, capture_output=True, env=env, cwd=cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, (args, done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(
    args_of: object, env: dict[str, str], rounds: int, stdin_of: object = None, cwd: str = "/"
) -> tuple[float, float]:
    """Median of (command / bare interpreter) over interleaved pairs, and the command's median milliseconds."""
    ratios, costs = [], []
    for n in range(rounds):
        bare = cpu([sys.executable, "-c", "pass"], env)
        mine = cpu(args_of(n), env, stdin_of(n) if stdin_of else b"", cwd)  # type: ignore[operator]
        ratios.append(mine / bare)
        costs.append(mine * 1000)
    return statistics.median(ratios), statistics.median(costs)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--out", default=os.path.join(HERE, "results", f"{datetime.date.today()}-speed.md"))
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    sizes = [int(s) for s in os.environ.get("TACIT_BENCH_SIZES", "1000,10000,100000").split(",")]
    folder = cache()
    work = os.path.join(folder, "work")
    os.makedirs(work, exist_ok=True)
    rows: list[tuple[str, str, str, str]] = []

    def line(what: str, figure: str, bound: str, held: bool) -> None:
        rows.append((what, figure, bound, "holds" if held else "MISSED"))
        print(f"{what:<58} {figure:>12} {bound:>10}  {rows[-1][3]}", flush=True)

    adds: dict[int, float] = {}
    for size in sizes:
        master = make_store(os.path.join(folder, f"{size}.db"), size)
        path = os.path.join(work, f"{size}.db")
        for end in ("", "-wal", "-shm"):
            if os.path.exists(path + end):
                os.unlink(path + end)
        shutil.copyfile(master, path)
        env = {
            "HOME": work,
            "USER": "bench",
            "XDG_DATA_HOME": work,
            "TACIT_STORE": path,
            "TACIT_PROJECT": "bench",
            "PATH": os.environ["PATH"],
        }
        line(
            f"bytes per memory at {size:,}",
            f"{os.path.getsize(master) / size:,.0f} B",
            "≤ 3000",
            os.path.getsize(master) / size <= 3000,
        )
        import random

        chance = random.Random(size)
        r, _ms = ratio(lambda n: [TACIT, "add", str(lesson(chance, n)["text"])], env, args.rounds)
        line(f"tacit add, fresh process, {size:,} memories", f"{r:.2f}x", "≤ 5x", r <= 5)
        adds[size] = durable_add(path, env)
        r, _ms = ratio(lambda n: [TACIT, "list", "--limit", "20"], env, args.rounds)
        line(f"tacit list --limit 20, fresh process, {size:,}", f"{r:.2f}x", "≤ 5x", r <= 5)
        task = "celery worker migration times out on the redis host when the lockfile changes"
        r, _ms = ratio(lambda n: [TACIT, "inject", "--task", task, "--run", f"b{time.time_ns()}"], env, args.rounds)
        line(f"tacit inject, fresh process, recorded, {size:,}", f"{r:.2f}x", "≤ 4x", r <= 4)

        def prompt(n: int) -> bytes:
            return json.dumps(
                {
                    "session_id": f"s{time.time_ns()}",
                    "transcript_path": "",
                    "cwd": work,
                    "hook_event_name": "UserPromptSubmit",
                    "prompt": task,
                }
            ).encode()

        r, _ms = ratio(lambda n: [TACIT, "hook", "prompt"], env, args.rounds, prompt, work)
        line(f"tacit hook prompt, fresh process, recorded, {size:,}", f"{r:.2f}x", "≤ 4x", r <= 4)
        r, _ms = ratio(lambda n: [TACIT, "recall", task], env, max(9, args.rounds // 3))
        line(f"tacit recall, fresh process, {size:,}", f"{r:.2f}x", "", True)
    small, large = min(adds), max(adds)
    if small != large:
        grown = adds[large] / adds[small]
        line(f"durable add at {large:,} against {small:,} (CPU)", f"{grown:.2f}x", "≤ 1.5x", grown <= 1.5)
    write(args.out, rows)
    return 0 if all(row[3] == "holds" for row in rows) else 1


ADDER = """
import os, random, resource, statistics, sys
sys.path.insert(0, sys.argv[1])
from stores import lesson
from tacit.app import open
chance = random.Random(7)
with open(os.environ["TACIT_STORE"]) as memories:
    memories.add("warm")
    costs = []
    for n in range(200):
        a = resource.getrusage(resource.RUSAGE_SELF)
        memories.add_many([lesson(chance, n)])
        b = resource.getrusage(resource.RUSAGE_SELF)
        costs.append(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime)
print(statistics.median(costs))
"""


def durable_add(path: str, env: dict[str, str]) -> float:
    """Median CPU seconds of one durable add in a warm process."""
    done = subprocess.run([sys.executable, "-c", ADDER, HERE], capture_output=True, text=True, env=env, check=True)
    return float(done.stdout)


def write(path: str, rows: list[tuple[str, str, str, str]]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            f"# Speed, {datetime.date.today()}\n\n`make bench` · Python {platform.python_version()} · {platform.machine()} · CPU, medians of interleaved pairs\n\n"
        )
        file.write("| what | figure | bound | |\n|---|---|---|---|\n")
        for row in rows:
            file.write(f"| {' | '.join(row)} |\n")


if __name__ == "__main__":
    sys.exit(main())

"""Shared by the benches: what a child process costs, tables of budgets and dated results.

The machine that measures is shared with others. So CPU time is compared, not time on the wall; what is compared runs in turns, one pair after the
other; and of many pairs the median counts. The measuring process steps back (nice 5), so that it disturbs nobody and everybody disturbs it alike.
"""

from __future__ import annotations

import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))


class Spent(NamedTuple):
    """What one child process cost."""

    cpu: float  # seconds, user and system, of the child and of what it waited for
    wall: float
    out: bytes
    err: bytes


def run(args: Sequence[str], env: Mapping[str, str], stdin: bytes = b"", cwd: str = "/") -> Spent:
    """Run a command to its end; it must succeed."""
    begun = time.perf_counter()
    with subprocess.Popen(
        args,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(env),
        cwd=cwd,
    ) as child:
        assert child.stdin and child.stdout and child.stderr
        child.stdin.write(stdin)
        child.stdin.close()
        out, err = child.stdout.read(), child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(
            f"{' '.join(args)[:200]} ended with {child.returncode}: {err.decode(errors='replace')[-2000:]}"
        )
    return Spent(used.ru_utime + used.ru_stime, time.perf_counter() - begun, out, err)


def over_floor(
    command: Callable[[int], Spent], floor: Callable[[], Spent], rounds: int
) -> tuple[float, float]:
    """Median of (command / floor) over pairs run in turns, and the command's median CPU in milliseconds."""
    command(-1)  # pages and bytecode are read once before
    ratios, costs = [], []
    for number in range(rounds):
        bare, mine = floor().cpu, command(number).cpu
        ratios.append(mine / bare)
        costs.append(mine * 1000)
    return statistics.median(ratios), statistics.median(costs)


def interpreter(python: str, env: Mapping[str, str]) -> Callable[[], Spent]:
    """The floor: an interpreter that starts and does nothing."""
    return lambda: run([python, "-c", "pass"], env)


class Row(NamedTuple):
    """One line of a table of budgets; without a bound it only tells."""

    what: str
    must: str
    reached: str
    ok: bool = True

    @property
    def verdict(self) -> str:
        return ("ok" if self.ok else "FAIL") if self.must else ""


class Table:
    """Rows as they are measured: printed at once, written at the end."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, what: str, must: str, reached: str, ok: bool = True) -> None:
        row = Row(what, must, reached, ok)
        self.rows.append(row)
        print(f"{what:<84} {must:>10} {reached:>16}  {row.verdict}", flush=True)

    def at_most(
        self, what: str, reached: float, most: float, unit: str = "x", digits: int = 2
    ) -> None:
        """A figure that must not exceed a bound."""
        self.add(what, f"≤ {most:g}{unit}", f"{reached:.{digits}f}{unit}", reached <= most)

    def tell(self, what: str, reached: str) -> None:
        """A figure without a bound."""
        self.add(what, "", reached)

    @property
    def held(self) -> bool:
        return all(row.ok for row in self.rows)

    def markdown(self) -> str:
        lines = ["| what | must hold | reached | |", "|---|---|---|---|"]
        return (
            "\n".join(
                [
                    *lines,
                    *(
                        f"| {row.what} | {row.must} | {row.reached} | {row.verdict} |"
                        for row in self.rows
                    ),
                ]
            )
            + "\n"
        )


def surroundings() -> str:
    """Where a figure comes from, for the head of a result."""
    load = os.getloadavg()[0]
    return (
        f"Python {platform.python_version()} · {platform.machine()}, {os.cpu_count()} cores, shared with others (load {load:.1f} at the end) · CPU time, in "
        "turns, medians, nice 5"
    )


def dated(name: str, end: str = "md") -> str:
    """The path of today's result."""
    return os.path.join(HERE, "results", f"{datetime.date.today()}-{name}.{end}")


def nice() -> None:
    """Step back behind whoever works here."""
    if os.nice(0) < 5:
        os.nice(5 - os.nice(0))


def log(said: str) -> None:
    print(said, file=sys.stderr, flush=True)

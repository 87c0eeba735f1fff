"""What tending costs (design §10): a pass in which nothing is due against a bare interpreter, and full ones per lesson that is due.

`make bench` calls this; by itself: python bench/tending.py [--size 100000]. CPU, medians in turns, or summed over all passes of a full one.

The store was tended before: its marks say so. Tending its 90,000 lessons for the first time is not what is measured here. What comes due was never met
again and is archived. A pass makes at most a fifth of the active set in changes, so a large night takes several; all of them count.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Sequence

from learning import cpu
from measure import Spent, Table, dated, interpreter, log, nice, over_floor, run, surroundings
from stores import PROJECT, environment, fresh, opened
from tacit.learn import correcting
from tacit.memory import Memory as Memories
from tacit.memory import open as open_memories
from tacit.origins import tending
from texts import Writer

TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")
DUE = (100, 1_000, 10_000)
LONG_AGO = "2024-01-01T00:00:00.000Z"


def budgets(table: Table, size: int, rounds: int, due: Sequence[int] = DUE) -> None:
    """Both budgets of tending."""
    nothing_due(table, size, rounds)
    each = {many: per_due(table, size, many) for many in due}
    most, few = max(each), sorted(each)[-2]
    table.at_most(
        f"tend, {size:,} memories: cost of each of {most:,} due, against each of {few:,}",
        each[most] / each[few],
        1.2,
    )


def nothing_due(table: Table, size: int, rounds: int) -> None:
    """A fresh process that finds nothing to do."""
    path = tended(size)
    env = {
        **os.environ,
        **environment(os.path.dirname(path)),
        "TACIT_STORE": path,
        "TACIT_PROJECT": PROJECT,
    }

    def command(_: int) -> Spent:
        return run([TACIT, "origin", "tend", "--json"], env, cwd=os.path.dirname(path))

    with opened(path) as kept:
        before = last_entry(kept)
    ratio, milliseconds = over_floor(command, interpreter(sys.executable, env), rounds)
    with opened(path) as kept:
        still = last_entry(kept) - before
    table.at_most(
        f"tend, {size:,} memories of which none is due, a fresh process ({milliseconds:.0f} ms of CPU)",
        ratio,
        20,
        digits=1,
    )
    table.add(
        f"tend, {size:,} memories of which none is due: journal entries",
        "0",
        str(still),
        still == 0,
    )
    shutil.rmtree(os.path.dirname(path))


def per_due(table: Table, size: int, due: int) -> float:
    """CPU seconds per lesson that is due, over as many passes as it takes."""
    path = tended(size)
    come_due(path, due)
    with opened(path) as kept:
        spent, passes = 0.0, []
        while not passes or passes[-1].moves:
            begun = time.process_time()
            passes.append(tending.tend(kept))
            spent += time.process_time() - begun
        spent -= len(passes) * min(
            cpu(lambda: tending.tend(kept)) for _ in range(3)
        )  # what a pass costs that finds nothing
    archived = sum(len(each.archived) for each in passes)
    what = f"tend, {size:,} memories of which {due:,} are due: {len(passes)} passes, {archived:,} archived"
    table.tell(what, f"{1000 * spent / due:.2f} ms each")
    shutil.rmtree(os.path.dirname(path))
    return spent / due


def tended(size: int) -> str:
    """A copy of a store, marked as tended up to now."""
    path = fresh(size, "tending")
    with opened(path) as kept:
        lived_through(kept, path)
        project, entry = kept.ensure_project(), last_entry(kept)
        with kept.store.write() as tx:
            swept = (
                kept.now(),
                entry,
                project.profile,
                kept.profile.fade.exposure,
            )  # the runs it lived through
            tx.put_meta(f"tend:{project.id}:swept", "\t".join(map(str, swept)))
        for _ in range(2):
            tending.tend(kept)
    return path


def lived_through(kept: Memories, path: str) -> None:
    """So many runs, without a finding, that the silence of a lesson counts."""
    for n in range(kept.profile.fade.exposure):
        source = os.path.join(os.path.dirname(path), f"quiet-{n}.jsonl")
        with open(source, "w", encoding="utf-8") as file:
            file.write(
                json.dumps(
                    {"type": "run", "id": f"quiet-{n}", "task": "improve it", "outcome": "success"}
                )
                + "\n"
            )
        kept.learn(source, over=True)


def come_due(path: str, many: int) -> None:
    """What an agent left and nobody met for long."""
    writer, folder = Writer(987_000), os.path.dirname(path)
    with open_memories(
        path, project=PROJECT, env={**environment(folder), "TACIT_RUN": "night"}, cwd=folder
    ) as agent:
        correcting.add_many(
            agent, [{**writer.lesson(), "kind": "fact", "at": LONG_AGO} for _ in range(many)]
        )


def last_entry(kept: Memories) -> int:
    """The newest entry of the journal."""
    return int(kept.store.one("SELECT coalesce(max(n), 0) FROM journal")[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--due", default=",".join(map(str, DUE)))
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--out", default=dated("tending"))
    args = parser.parse_args()
    nice()
    table = Table()
    budgets(table, args.size, args.rounds, [int(each) for each in args.due.split(",")])
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(
            f"# Tending\n\n`python bench/tending.py`. {surroundings()}.\n\n{table.markdown()}"
        )
    log(args.out)
    return 0 if table.held else 1


if __name__ == "__main__":
    sys.exit(main())

"""Stores of any size for the benches, written once through the library and kept in a cache folder: `.bench`, or TACIT_BENCH.

    python bench/stores.py 1000 1000000      # lessons
    python bench/stores.py --reports 100000  # bug reports: long texts, the harsh case

Nine of ten memories belong to the project `bench`; the tenth belongs to a hundred others, a block of them at a time, as they come when somebody works
here today and there tomorrow. A build that was broken off goes on where it was.
"""

from __future__ import annotations

import os
import shutil
import sys
import time

from tacit.learn import correcting
from tacit.memory import Memory as Memories
from tacit.memory import open as open_memories
from tacit.testing import signed
from texts import Writer

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 10_000
BLOCK = 250  # memories of another project at a time
OTHERS = 100
PROJECT = "bench"


def lesson(writer: Writer) -> dict[str, object]:
    """One lesson of about 200 characters."""
    return writer.lesson()


def make_store(memories: int, *, kind: str = "lessons") -> str:
    """The path of a store with so many lessons or reports, made once."""
    path = os.path.join(cache(), f"{kind}-{memories}.db")
    building = path + ".building"
    if os.path.exists(path):
        return path
    start = _count(building)
    begun = time.process_time()
    for at in range(start, memories, BATCH):
        _fill(building, kind, at, min(at + BATCH, memories))
        print(
            f"\r{os.path.basename(path)}: {min(at + BATCH, memories):,}",
            end="",
            file=sys.stderr,
            flush=True,
        )
    _finish(building)
    os.rename(building, path)
    spent = time.process_time() - begun
    if not start:
        with open(path + ".cost", "w", encoding="utf-8") as file:
            file.write(f"{spent:.1f}\n")
    print(f" · {spent:.0f} s of CPU", file=sys.stderr)
    return path


def _fill(path: str, kind: str, start: int, end: int) -> None:
    """One batch: the texts of a batch depend on where it begins, not on what was written before."""
    writer = Writer(start + 1)
    make = writer.lesson if kind == "lessons" else writer.report
    others = (end - start) // 10
    with opened(path) as kept:
        _hurry(kept)
        correcting.add_many(kept, (make() for _ in range(end - start - others)))
    for block in range(0, others, BLOCK):
        with opened(path, f"other-{((start // 10 + block) // BLOCK) % OTHERS}") as kept:
            _hurry(kept)
            correcting.add_many(kept, (make() for _ in range(min(BLOCK, others - block))))


def _hurry(kept: Memories) -> None:
    """Nobody reads a store under construction: no log, no fsync, and room for the indices in memory."""
    for pragma in (
        "locking_mode = EXCLUSIVE",
        "journal_mode = MEMORY",
        "synchronous = OFF",
        "cache_size = -500000",
    ):
        kept.store.rows(f"PRAGMA {pragma}")


def _finish(path: str) -> None:
    with opened(path) as kept:
        kept.store.rows("PRAGMA journal_mode = WAL")
        kept.store.tidy()
        kept.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def _count(path: str) -> int:
    """How many memories a broken-off build has, in whole batches; what cannot be gone on with is removed."""
    if not os.path.exists(path):
        return 0
    with opened(path) as kept:
        count = int(kept.store.one("SELECT coalesce(max(n), 0) FROM lesson")[0])
    if count % BATCH == 0:
        return count
    os.unlink(path)
    return 0


def opened(path: str, project: str = PROJECT) -> Memories:
    """A store as the benches open it: by a person called bench, whatever the surroundings are."""
    folder = os.path.dirname(os.path.abspath(path))
    return open_memories(path, project=project, env=environment(folder), cwd=folder)


def environment(folder: str) -> dict[str, str]:
    """The surroundings of every call."""
    return signed({"HOME": folder, "USER": "bench", "XDG_DATA_HOME": folder})


def fresh(memories: int, name: str, *, kind: str = "lessons") -> str:
    """A copy of a store, to be written to; folder and file are its own."""
    master = make_store(memories, kind=kind)
    folder = os.path.join(cache(), "work", f"{name}-{kind}-{memories}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = os.path.join(folder, "tacit.db")
    shutil.copyfile(master, path)
    return path


def cache() -> str:
    """Where bench stores are kept between calls."""
    folder = os.path.abspath(os.environ.get("TACIT_BENCH", os.path.join(HERE, "..", ".bench")))
    os.makedirs(folder, exist_ok=True)
    return folder


if __name__ == "__main__":
    kind = "reports" if "--reports" in sys.argv else "lessons"
    for size in (int(given) for given in sys.argv[1:] if given.isdigit()):
        print(make_store(size, kind=kind))

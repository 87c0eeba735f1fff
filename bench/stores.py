"""Stores of any size for the benches: seeded lessons of about 200 characters in our own words, written through the library."""

from __future__ import annotations

import os
import random
import sys
import tempfile

from tacit.app import open as open_memories

TOOLS = "pytest ruff mypy make docker psql npm pnpm cargo go terraform kubectl git alembic celery redis nginx webpack vite eslint".split()
THINGS = "migration fixture token cache schema route worker queue index lockfile certificate volume branch snapshot mock timeout socket header payload session".split()
ERRORS = "times out|is rejected|fails with a type error|returns stale data|cannot find its module|loses the last row|hangs on shutdown|is not idempotent|double-encodes UTF-8|ignores the flag".split("|")
CURES = "run it with the lock held|clear the cache first|pin the version|pass the absolute path|wait for the health check|regenerate the client|use a fresh connection|set the locale|rebase before pushing|warm it up once".split("|")
KINDS = ["fix", "pitfall", "command", "fact"]


def lesson(chance: random.Random, number: int) -> dict[str, object]:
    """One lesson of about 200 characters."""
    tool, thing, other = chance.choice(TOOLS), chance.choice(THINGS), chance.choice(THINGS)
    text = (
        f"When `{tool} {thing}` touches the {other} of service_{number % 997} in src/{thing}/{other}_{number % 8191}.py it {chance.choice(ERRORS)}; "
        f"{chance.choice(CURES)}, then {chance.choice(CURES)}. Seen with build {chance.randrange(10**6)} on the {chance.choice(THINGS)} host."
    )
    return {"text": text, "kind": chance.choice(KINDS), "tags": [tool, thing]}


def make_store(path: str, memories: int, seed: int = 1) -> str:
    """A store with so many lessons at `path`, made once."""
    if os.path.exists(path):
        return path
    chance = random.Random(seed)
    building = path + ".building"
    for end in ("", "-wal", "-shm"):
        if os.path.exists(building + end):
            os.unlink(building + end)
    folder = os.path.dirname(os.path.abspath(path))
    env = {"HOME": folder, "USER": "bench", "XDG_DATA_HOME": folder}
    with open_memories(building, project="bench", env=env, cwd=folder) as kept:
        kept.add_many(lesson(chance, number) for number in range(memories))
        kept.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    os.rename(building, path)
    return path


def cache() -> str:
    """Where bench stores are kept between calls."""
    folder = os.environ.get("TACIT_BENCH", os.path.join(tempfile.gettempdir(), "tacit-bench"))
    os.makedirs(folder, exist_ok=True)
    return folder


if __name__ == "__main__":
    for size in map(int, sys.argv[1:]):
        print(make_store(os.path.join(cache(), f"{size}.db"), size))

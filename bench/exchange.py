"""A store of some size to PostgreSQL and back, through a bundle, through CSV: is everything equal, and what does it cost?

    python bench/server.py python bench/exchange.py            # 10,000 memories; the server's part is left out where TEST_POSTGRES names none
    python bench/exchange.py --memories 1000 --runs 50 --flips 200

The store has the benches' lessons, and on top runs that were given some of them, learned, settled, and proposals. Equal means: every truth row of every table,
numbers and hashes included (`tacit.testing.content`); for CSV, the very file. The flips change one byte of the bundle at a random place each.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from typing import Any

from measure import Table, dated, nice, surroundings
from stores import fresh, opened
from tacit.core.errors import TacitError
from tacit.core.proposal import Proposal
from tacit.formats.bundle import Bundle
from tacit.formats.source import BytesSource, FileSource
from tacit.stores.check import check, rule_of
from tacit.stores.table_copy import copy
from tacit.testing import content, run, tool, user
from texts import Writer

SERVER = os.environ.get("TEST_POSTGRES", "")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--flips", type=int, default=2_000)
    asked = parser.parse_args()
    nice()
    path = fresh(asked.memories, "exchange")
    live(path, asked.runs)
    table = Table()
    with opened(path) as memories:
        whole = content(memories.store)
        tell(table, whole, os.path.getsize(path))
        if SERVER:
            through_server(table, memories, path, whole)
        through_bundle(table, memories, path, whole, asked.flips)
        through_lessons(table, memories, path)
    with open(dated("exchange"), "w", encoding="utf-8") as file:
        told = f"`python bench/server.py python bench/exchange.py --memories {asked.memories} --runs {asked.runs} --flips {asked.flips}`"
        file.write(
            f"# Out and in again, {os.path.basename(dated('exchange'))[:10]}\n\n{told} · {surroundings()}\n\n{table.markdown()}"
        )
    return 0 if table.held else 1


def live(path: str, runs: int) -> None:
    """Runs that were given lessons, failed, were mended and learned; proposals; names."""
    writer, chance = Writer(7), random.Random(7)
    with opened(path) as memories:
        lessons = memories.list(limit=2_000)
        for number in range(runs):
            task = f"mend: {chance.choice(lessons).text[:120]}"
            memories.inject(task, run=f"run-{number}", model="model-a")
            signature = writer.lesson()["text"][:60]  # type: ignore[index]
            memories.learn(
                run(
                    f"run-{number}",
                    user(f"No, always {signature.lower()} in this repository."),
                    tool("make test", error=f"Error: {signature}"),
                    tool("make mend"),
                    tool("make test"),
                    task=task,
                    model="model-a",
                )
            )
        with memories.store.write() as tx:
            for number, lesson in enumerate(lessons[:200]):
                proposal = Proposal(
                    f"bench-{number:06d}",
                    lesson.project,
                    "archive",
                    "no difference",
                    "tend",
                    memories.now(),
                    memory=lesson.id,
                )
                tx.put_proposal(proposal)
                tx.add_alias(lesson.project, "bench", f"m-{number:03d}", lesson.id)


def tell(table: Table, whole: dict[str, list[Any]], size: int) -> None:
    counts = {name: len(rows) for name, rows in whole.items() if rows}
    table.tell(
        "the store: " + ", ".join(f"{count:,} {name}" for name, count in counts.items()),
        f"{size / 1e6:.1f} MB",
    )


def through_server(table: Table, memories: Any, path: str, whole: dict[str, list[Any]]) -> None:
    import psycopg

    from tacit.stores.postgres import close_pools, open_store

    name = f"tacit_exchange_{os.getpid()}"
    with psycopg.connect(SERVER, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    url = psycopg.conninfo.conninfo_to_dict(SERVER)
    address = f"postgresql://{url.get('user', 'postgres')}:{url.get('password', '')}@/{name}?host={url['host']}"
    try:
        with open_store(address) as server:
            timed(table, "SQLite → PostgreSQL, our CPU", lambda: copy(memories.store, server))
            table.add(
                "rows on the server",
                "equal",
                told(content(server) == whole),
                content(server) == whole,
            )
            table.tell("the database on the server's disk", f"{server.size() / 1e6:.1f} MB")
            back = path + ".back"
            with opened(back) as file:
                timed(table, "PostgreSQL → SQLite, our CPU", lambda: copy(server, file.store))
                same(table, "rows in the file that came back", file.store, whole)
            again = copy(memories.store, server)
            table.add(
                "the same migration once more",
                "nothing changed",
                told(again.already),
                again.already,
            )
    finally:
        close_pools()
        with psycopg.connect(SERVER, autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def through_bundle(
    table: Table, memories: Any, path: str, whole: dict[str, list[Any]], flips: int
) -> None:
    made, again = path + ".zip", path + ".again.zip"
    timed(table, "bundle out, read back and verified", lambda: memories.export_bundle(made))
    table.tell("the bundle", f"{os.path.getsize(made) / 1e6:.1f} MB")
    with opened(path + ".moved") as file:
        timed(table, "bundle in, every chain verified", lambda: file.import_(made, trust="user"))
        same(table, "rows in the store that was moved", file.store, whole)
        file.export_bundle(again)
    with open(made, "rb") as one, open(again, "rb") as other:
        raw = one.read()
        alike = raw == other.read()
    table.add("the bundle of the copy, byte for byte", "equal", told(alike), alike)
    refused, equal, wrong = flipped(raw, flips, Bundle(FileSource(made)).sha256)
    table.add(
        f"{flips:,} bundles with one changed, cut or added byte: refused, unchanged in content",
        f"{flips:,}",
        f"{refused:,}, {equal:,}",
        not wrong,
    )


def flipped(raw: bytes, flips: int, sha256: str) -> tuple[int, int, int]:
    """Refused as a file; opened with the content that was written; anything else."""
    chance, refused, equal, wrong = random.Random(11), 0, 0, 0
    for _ in range(flips):
        at, kind = chance.randrange(len(raw)), chance.choice(("flip", "flip", "cut", "add"))
        other = {
            "flip": lambda at=at: (
                raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :]
            ),
            "cut": lambda at=at: raw[:at],
            "add": lambda at=at: raw[:at] + bytes([chance.randrange(256)]) + raw[at:],
        }[kind]()
        try:
            with Bundle(BytesSource(other)) as bundle:
                equal += bundle.sha256 == sha256
                wrong += bundle.sha256 != sha256
        except TacitError as error:
            refused += error.exit_code in (2, 4, 5)
            wrong += error.exit_code not in (2, 4, 5)
    return refused, equal, wrong


def through_lessons(table: Table, memories: Any, path: str) -> None:
    for form in ("csv", "jsonl", "json"):
        texts: list[str] = []
        timed(
            table, f"{form} out", lambda form=form, texts=texts: texts.append(memories.export(form))
        )
        with opened(f"{path}.{form}.db") as file:
            source = BytesSource(texts[0].encode(), f"lessons.{form}")
            timed(
                table,
                f"{form} in",
                lambda file=file, source=source: file.import_(source, trust="user"),
            )
            alike = file.export(form) == texts[0]
        table.add(
            f"{form}, {len(texts[0]) / 1e6:.1f} MB, of the store it came to",
            "equal",
            told(alike),
            alike,
        )


def same(table: Table, what: str, store: Any, whole: dict[str, list[Any]]) -> None:
    alike = content(store) == whole
    table.add(what, "equal", told(alike), alike)
    sound = check(store, rule=rule_of(store)).is_sound
    table.add(what + ", by doctor", "sound", told(sound), sound)


def timed(table: Table, what: str, act: Callable[[], object]) -> None:
    begun = time.process_time()
    act()
    table.tell(what, f"{time.process_time() - begun:.1f} s")


def told(yes: bool) -> str:
    return "yes" if yes else "NO"


if __name__ == "__main__":
    raise SystemExit(main())

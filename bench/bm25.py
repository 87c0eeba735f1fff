"""Candidates by an extension's BM25 against the rarities that our own function adds up: what is found, and what it costs the server.

    make bench-bm25 BM25=pg_search
    python bench/bm25.py [--projects 5] [--memories 20000] [--rounds 200] [--folder .bench/bm25]

A few projects with the same lessons on a server that has the extension; the questions are made from lessons of one of them. They are asked with the index, then it is dropped and they are
asked again. Found: the lesson that a question was made from is among the first ten of `recall`. CPU: of the server's process, by /proc/PID/schedstat.
"""

from __future__ import annotations

import argparse
import os
import statistics
from typing import Any

import psycopg

import measure
from postgres import SETTINGS, THE_ONE, load, opened, prepare, spent
from server import Server
from tacit.stores.postgres import close_pools
from texts import Writer


def ask(url: str, home: str, questions: list[tuple[str, str]]) -> dict[str, Any]:
    """How many of the lessons were found, at what place, and the CPU of each question."""
    with opened(url, home, THE_ONE) as memories:
        pid = memories.store.one("SELECT pg_backend_pid()")[0]
        memories.recall(questions[0][0], limit=10)
        cpu, found, first = [], 0, 0
        for question, lesson in questions:
            before = spent(pid)
            texts = [hit.memory.text for hit in memories.recall(question, limit=10).hits]
            cpu.append((spent(pid) - before) / 1e6)
            found += lesson in texts
            first += texts[:1] == [lesson]
    return {"found": found, "first": first, "cpu": cpu}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--projects", type=int, default=5)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--folder", default=os.path.join(measure.HERE, "..", ".bench", "bm25"))
    args = parser.parse_args()
    extension = os.environ.get("TEST_POSTGRES_EXTENSION", "")
    if not extension:
        raise SystemExit("No extension is named: make bench-bm25 BM25=pg_search.")
    measure.nice()
    writer = Writer(1)
    lessons = [writer.lesson() for _ in range(args.memories)]
    texts = [str(lesson["text"]) for lesson in lessons]
    questions = [
        (Writer(7 + n).prompt(about), about)
        for n in range(args.rounds)
        for about in [texts[n * len(texts) // args.rounds]]
    ]
    names = [THE_ONE, *(f"team-{n:03d}" for n in range(args.projects - 1))]
    folder = os.path.join(os.path.abspath(args.folder), extension)
    home = os.path.join(folder, "home")
    os.makedirs(home, exist_ok=True)
    with Server(folder, SETTINGS) as server:
        load(server, "shared", prepare(server, "shared", names, home), lessons, home)
        url = server.url("shared", "bob")
        with psycopg.connect(server.url("shared"), autocommit=True) as admin:
            made = admin.execute("SELECT to_regclass('tacit.memory_fts_ranked')").fetchone()
            assert made and made[0], (
                "the index is not there: was it dropped by an earlier run? Remove the folder and run it again"
            )
            sizes = admin.execute(
                "SELECT sum(pg_relation_size(inhrelid)) FILTER (WHERE inhparent = 'tacit.memory_fts_ranked'::regclass),"
                " sum(pg_relation_size(inhrelid)) FILTER (WHERE inhparent = 'tacit.memory_fts_words'::regclass) FROM pg_inherits"
            ).fetchone()
            version = admin.execute(
                "SELECT extversion FROM pg_extension WHERE extname = %s", (extension,)
            ).fetchone()
            by_server = ask(url, home, questions)
            admin.execute("DROP INDEX tacit.memory_fts_ranked")
        by_rarity = ask(url, home, questions)
        close_pools()
    assert sizes and version
    table = measure.Table()
    table.tell("extension", f"{extension} {version[0]}")
    table.tell(
        "memories, of them in the project that is asked",
        f"{args.projects * args.memories:,} · {args.memories:,}",
    )
    for name, part in (("the server's BM25", by_server), ("rarities, added up", by_rarity)):
        table.tell(
            f"{name}: lesson found among ten, first",
            f"{part['found']} · {part['first']} of {args.rounds}",
        )
        table.tell(f"{name}: backend CPU, median, ms", f"{statistics.median(part['cpu']):.1f}")
    ratio = statistics.median(one / other for one, other in zip(by_server["cpu"], by_rarity["cpu"]))
    table.tell("backend CPU of the one over the other, median of pairs", f"{ratio:.2f}x")
    table.tell(
        "bytes a memory: BM25 index, GIN index",
        " · ".join(f"{size / args.projects / args.memories:,.0f}" for size in sizes),
    )
    print(
        f"# Words ranked by the server\n\n`make bench-bm25 BM25={extension}` · {measure.surroundings()}\n\n{table.markdown()}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

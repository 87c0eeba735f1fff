"""What a screen of the desk costs as the store grows, and whether many readers disturb a learner: `python bench/desk.py [--small N] [--large N]`.

The first byte of each screen in CPU time of the process, median of interleaved requests to two stores; then fifty readers at once beside a process
that learns, over a real socket. Writes bench/results/DATE-desk.md; exits 1 where a screen at the large store costs more than three times as much, or a
reader got an error.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import httpx

from tacit.app import open as open_memories
from tacit.core.journal import Hand, change
from tacit.core.value import replace
from tacit.surfaces.web.security import Keys, host_names
from tacit.surfaces.web.server import Desk, application
from tacit.testing import finding, run, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.core.journal import Change
    from tacit.core.memory import Memory

HERE = os.path.dirname(os.path.abspath(__file__))
SCREENS = (
    "/",
    "/inbox",
    "/inbox?kind=held",
    "/lessons",
    "/lessons?kind=rule",
    "/lessons?state=archived",
    "/lessons?gate=hold&trust=agent",
    "/lessons?sort=updated",
    "/lessons?sort=seen",
    "/lessons/ID",
    "/search?q=importer+cache",
    "/page",
    "/runs",
    "/runs/r1",
    "/effect",
    "/pairs",
    "/profiles",
    "/profiles/geas",
    "/health",
)
# questions that only the texts themselves answer
READING = ("/lessons?text=case+77", "/lessons?text=nowhere", "/lessons?sort=text")
TOKEN = "t" * 64
RUNS = 40  # learned in each store


def filled(folder: str, count: int) -> dict[str, str]:
    """A home with so many lessons; the environment that finds it."""
    env = signed(
        {**os.environ, "HOME": folder, "XDG_DATA_HOME": os.path.join(folder, "data"), "USER": "sam"}
    )
    os.makedirs(os.path.join(folder, "work"), exist_ok=True)
    with open_memories(env=env, cwd=os.path.join(folder, "work")) as memories:
        subjects = (
            "The importer",
            "Login tests",
            "The payment client",
            "CI on macOS",
            "Database migrations",
        )
        faults = (
            "fails when the cache is cold",
            "hangs while two workers share a port",
            "needs the protos first",
        )
        texts = (
            {
                "text": f"{subjects[n % 5]} {faults[n % 3]}, case {n}",
                "kind": ("pitfall", "rule", "fix")[n % 3],
            }
            for n in range(count)
        )
        made = memories.add_many(texts)
        for start in range(0, count, 1000):
            with memories.store.write() as tx:
                for n, memory in enumerate(made[start : start + 1000], start):
                    for change in fate(memory, n):
                        tx.apply(change)
        for n in range(RUNS):
            memories.inject(
                "the importer fails when the cache is cold", run=f"r{n}", host="neutral"
            )
            memories.learn(
                run(
                    f"r{n}",
                    finding(f"r{n}", f"Module {n % 7} needs its seed first", kind="pitfall"),
                    outcome="success",
                )
            )
    return env


def fate(memory: Memory, n: int) -> Iterator[Change]:
    """What became of the n-th lesson: categories, some held, archived or under review; twenty on the page and three pinned, by a person."""
    told: dict[str, object] = {} if n % 2 else {"category": f"area-{n % 20}"}
    told |= {"trust": "agent"} if n % 3 == 0 else {}
    told |= {"gate": "hold"} if n % 25 == 1 else {"gate": "quarantine"} if n % 100 == 2 else {}
    told |= (
        {"state": "stable"}
        if n % 10 == 4
        else {"state": "under_review"}
        if n % 50 == 3
        else {"state": "archived"}
        if n % 12 == 5
        else {}
    )
    told |= (
        {"pinned": True}
        if n in (8, 108, 208)
        else {"on_page": True}
        if n < 1000 and n % 50 == 10
        else {}
    )
    if told:
        yield change(
            memory,
            replace(memory, **told),
            Hand("bench", memory.created_at),
            verb="import",
            reason="a mixed store",
        )


def client(env: dict[str, str]) -> tuple[httpx.AsyncClient, str]:
    """The real application on a store, without a socket, and the id of one of its lessons."""
    folder = os.path.join(env["HOME"], "work")
    with open_memories(env=env, cwd=folder) as memories:
        lesson = memories.list(limit=1)[0].id
    app = application(
        Desk(
            lambda project="": open_memories(
                env=env, cwd=folder, create=False, project=project or None
            )
        ),
        Keys(TOKEN, whose=str),
        host_names("127.0.0.1", 8477),
    )
    app._too_much = lambda headers: None  # type: ignore[method-assign]  # the rate is not what is measured
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://127.0.0.1:8477",
        headers={"authorization": f"Bearer {TOKEN}", "x-tacit-key": "bench"},
    ), lesson


async def costs(
    small: dict[str, str], large: dict[str, str], rounds: int
) -> list[tuple[str, float, float]]:
    """(screen, CPU milliseconds at the small store, at the large one)."""
    pairs = [client(small), client(large)]
    found = []
    for screen in (*SCREENS, *READING):
        spent: list[list[float]] = [[], []]
        for _ in range(rounds):
            for at, (asked, lesson) in enumerate(pairs):
                began = time.process_time()
                answer = await asked.get(screen.replace("ID", lesson))
                assert answer.status_code == 200, (screen, answer.text[:300])
                spent[at].append(time.process_time() - began)
        found.append(
            (screen, 1000 * statistics.median(spent[0][1:]), 1000 * statistics.median(spent[1][1:]))
        )
    return found


async def crowd(
    env: dict[str, str], readers: int, seconds: float
) -> tuple[int, dict[int, int], int]:
    """Readers over a real socket beside a learning process: (answers, answers by status, runs learned)."""
    folder = os.path.join(env["HOME"], "work")
    lesson = client(env)[1]
    desk = subprocess.Popen(
        [sys.executable, "-m", "tacit", "serve", "--port", "0", "--quiet"],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert desk.stdout
    base = desk.stdout.readline().partition("/?")[0]
    with open(os.path.join(env["XDG_DATA_HOME"], "tacit", "desk-token"), encoding="ascii") as file:
        token = file.read().strip()
    statuses: dict[int, int] = {}
    until = time.monotonic() + seconds

    async def read(number: int) -> None:
        async with httpx.AsyncClient(
            base_url=base,
            headers={"authorization": f"Bearer {token}", "x-tacit-key": env["TACIT_KEY"]},
            timeout=120,
        ) as asked:
            for turn in itertools.count(number):
                if time.monotonic() >= until:
                    return
                answer = await asked.get(SCREENS[turn % len(SCREENS)].replace("ID", lesson))
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
                await asyncio.sleep(0.5)

    learner = asyncio.create_task(learn(folder, env, until))
    await asyncio.gather(*(read(number) for number in range(readers)))
    learned = await learner
    desk.terminate()
    desk.wait(30)
    return sum(statuses.values()), statuses, learned


async def learn(folder: str, env: dict[str, str], until: float) -> int:
    """Learn one run after another, each in a process of its own."""
    learned = 0
    while time.monotonic() < until:
        path = os.path.join(folder, f"run-{learned}.jsonl")
        lines = (
            {"type": "run", "id": f"c{learned}"},
            {
                "type": "finding",
                "text": f"Module {learned % 7} needs its seed first",
                "by": "reviewer",
            },
            {"type": "end", "outcome": "success"},
        )
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        done = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tacit", "learn", path, "--quiet", cwd=folder, env=env
        )
        if await done.wait():
            raise SystemExit("the learner failed")
        learned += 1
    return learned


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument(
        "--out", default=os.path.join(HERE, "results", f"{datetime.date.today()}-desk.md")
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tacit-desk-") as folder:
        small = filled(os.path.join(folder, "small"), args.small)
        large = filled(os.path.join(folder, "large"), args.large)
        rows = asyncio.run(costs(small, large, args.rounds))
        answers, statuses, learned = asyncio.run(crowd(large, 50, args.seconds))
    told = f"`python bench/desk.py --small {args.small} --large {args.large}` · CPU, median of {args.rounds - 1} interleaved requests"
    mixed = f"Each store: a tenth of the lessons stable, a twelfth archived, a twentieth held, a fiftieth under review, twenty on the page, {RUNS} runs."
    lines = [f"# The desk, {datetime.date.today()}", "", told, "", mixed, ""]
    lines += [
        f"| screen | {args.small:,} lessons, ms | {args.large:,} lessons, ms | ratio | ≤ 3 |",
        "|---|---|---|---|---|",
    ]
    held = True
    for screen, few, many in rows[: len(SCREENS)]:
        ok = many <= 3 * few
        held &= ok
        lines.append(
            f"| {screen} | {few:.1f} | {many:.1f} | {many / few:.2f} | {'holds' if ok else 'MISSED'} |"
        )
    lines += [
        "",
        "Questions that only the texts themselves answer; they have no budget:",
        "",
        "| question | ms | ms | ratio |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {screen} | {few:.1f} | {many:.1f} | {many / few:.2f} |"
        for screen, few, many in rows[len(SCREENS) :]
    ]
    clean = set(statuses) == {200}
    crowded = f"Fifty readers of all screens for {args.seconds:.0f} s beside a learner, {args.large:,} lessons: {answers} answers, by status {statuses};"
    lines += ["", f"{crowded} {learned} runs learned, no error: {'holds' if clean else 'MISSED'}."]
    text = "\n".join(lines) + "\n"
    print(text)
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(text)
    return 0 if held and clean else 1


if __name__ == "__main__":
    sys.exit(main())

"""Every budget of the design (§10) in one run, to a million memories: `make bench`.

Stores are made once (bench/stores.py: some ten minutes of CPU for a million) and kept in `.bench`. Sizes by TACIT_BENCH_SIZES. The result goes to
bench/results/ with a table of growth; the exit code is 1 if a budget is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import learning
import tending
from measure import Spent, Table, dated, interpreter, log, nice, over_floor, run, surroundings
from stores import PROJECT, cache, environment, fresh, make_store, opened
from tacit.hooks.search import Search
from tacit.learn import correcting, queries
from tacit.memory import Memory as Memories
from tacit.origins import tending as origins_night
from tacit.store.finding import FullText
from texts import Writer

HERE = os.path.dirname(os.path.abspath(__file__))
TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")
OLD = "other-3"  # one of the hundred small projects in each store
EXHAUSTIVE = 3000  # candidates that an exhaustive ranking looks at, best first by the index's own bm25 over all words
KEPT = {
    1000: 24,
    10_000: 24,
    100_000: 24,
    1_000_000: 6,
}  # prompts for which the two rankings are compared: at a million each takes seconds
PROCESSES, EACH = 16, 25

Growth = dict[str, list[tuple[float, float]]]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--only", default="", help="parts by name, separated by commas")
    parser.add_argument("--out", default=dated("speed"))
    args = parser.parse_args()
    sizes = [
        int(size)
        for size in os.environ.get("TACIT_BENCH_SIZES", "1000,10000,100000,1000000").split(",")
    ]
    nice()
    table, growth = Table(), Growth()
    built = [cost for size in sizes if (cost := cost_of(make_store(size)))]
    for part in (cold, hosts, warm, quality, adding, learn, tend, memory, disk, many):
        if not args.only or part.__name__ in args.only.split(","):
            log(f"-- {part.__name__}")
            part(table, sizes, args.rounds, growth)
    shutil.rmtree(os.path.join(cache(), "work"), ignore_errors=True)
    write(
        args.out,
        table,
        growth,
        f"Building the store of {max(sizes):,}: {max(built):.0f} s of CPU. " if built else "",
    )
    return 0 if table.held else 1


def cost_of(path: str) -> float:
    """What making a store cost, in seconds of CPU; 0 where nobody knows."""
    try:
        with open(path + ".cost", encoding="utf-8") as file:
            return float(file.read())
    except OSError:
        return 0.0


# --- starting


def cold(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """A fresh process, as installed, to the printed and recorded answer, against an interpreter that does nothing."""
    for kind in ("lessons", "reports"):
        for size in (
            each for each in sizes if each >= 10_000 and (kind == "lessons" or each <= 100_000)
        ):
            path = fresh(size, "cold", kind=kind)
            env = surrounded(path)
            about = some_texts(path, rounds + 1)
            writer = Writer(5)
            floor = interpreter(sys.executable, env)
            for length, prompts in (
                ("prompts", [writer.prompt(text) for text in about]),
                ("pasted logs", [writer.pasted(text) for text in about]),
            ):
                for name, command in (
                    ("inject", injected(env, prompts)),
                    ("hook prompt", hooked(env, prompts)),
                ):
                    ratio, cost = over_floor(command, floor, rounds)
                    what = f"tacit {name}, {size:,} {kind}, {length}"
                    if size <= 100_000:
                        table.at_most(what, ratio, 4)
                    else:
                        table.tell(what, f"{ratio:.2f}x")
                    if (kind, length, name) == ("lessons", "prompts", "hook prompt"):
                        growth.setdefault("tacit hook, fresh process", []).append((size, cost))
            shutil.rmtree(os.path.dirname(path))


def hosts(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """The events that other hosts call us for most, each against an interpreter that does nothing: a prompt, and a call that went well."""
    path = fresh(10_000, "hosts")
    env = surrounded(path)
    floor = interpreter(sys.executable, env)
    prompts = [Writer(5).prompt(text) for text in some_texts(path, rounds + 1)]
    for host, event, said in OFTEN:
        ratio, _ = over_floor(called(env, prompts, host, event, said), floor, rounds)
        table.at_most(f"tacit hook {event} --host {host}, 10,000 lessons", ratio, 4)
    shutil.rmtree(os.path.dirname(path))


# $PROMPT, $SESSION and $CWD are filled in.
OFTEN: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "codex",
        "prompt",
        {
            "session_id": "$SESSION",
            "cwd": "$CWD",
            "hook_event_name": "UserPromptSubmit",
            "turn_id": "t",
            "prompt": "$PROMPT",
        },
    ),
    (
        "codex",
        "tool-failure",
        {
            "session_id": "$SESSION",
            "cwd": "$CWD",
            "hook_event_name": "PostToolUse",
            "turn_id": "t",
            "tool_response": "12 passed",
        },
    ),
    (
        "gemini",
        "prompt",
        {
            "session_id": "$SESSION",
            "cwd": "$CWD",
            "hook_event_name": "BeforeAgent",
            "timestamp": "t",
            "prompt": "$PROMPT",
        },
    ),
    (
        "copilot",
        "step",
        {
            "sessionId": "$SESSION",
            "cwd": "$CWD",
            "timestamp": 1,
            "toolName": "bash",
            "toolArgs": {"command": "pytest"},
            "toolResult": {"resultType": "success", "textResultForLlm": "12 passed in 3.2 s"},
        },
    ),
    (
        "vscode",
        "step",
        {
            "session_id": "$SESSION",
            "cwd": "$CWD",
            "timestamp": "t",
            "hook_event_name": "PostToolUse",
            "tool_name": "run",
            "tool_input": {"command": "pytest"},
            "tool_response": "12 passed in 3.2 s",
        },
    ),
    (
        "cursor",
        "step",
        {
            "conversation_id": "$SESSION",
            "workspace_roots": ["$CWD"],
            "hook_event_name": "postToolUse",
            "tool_name": "Shell",
            "tool_input": {"command": "pytest"},
            "tool_output": "12 passed in 3.2 s",
        },
    ),
)


def called(
    env: dict[str, str], prompts: Sequence[str], host: str, event: str, said: dict[str, Any]
) -> Callable[[int], Spent]:
    def ask(n: int) -> Spent:
        words = {"$PROMPT": prompts[n], "$SESSION": f"s{time.time_ns()}", "$CWD": env["HOME"]}
        text = json.dumps(said)
        for word, filled in words.items():
            text = text.replace(word, json.dumps(filled)[1:-1])
        return run([TACIT, "hook", event, "--host", host], env, text.encode(), env["HOME"])

    return ask


def injected(env: dict[str, str], prompts: Sequence[str]) -> Callable[[int], Spent]:
    return lambda n: run(
        [TACIT, "inject", "--task", prompts[n], "--run", f"b{time.time_ns()}"], env
    )


def hooked(env: dict[str, str], prompts: Sequence[str]) -> Callable[[int], Spent]:
    def ask(n: int) -> Spent:
        # Now and then there is nothing to say: all that fits is withheld, or could not be recorded within 150 ms.
        for prompt in (prompts[n], *prompts[:5]):
            said = {
                "session_id": f"s{time.time_ns()}",
                "transcript_path": "",
                "cwd": env["HOME"],
                "prompt": prompt,
            }
            payload = json.dumps({**said, "hook_event_name": "UserPromptSubmit"}).encode()
            spent = run([TACIT, "hook", "prompt"], env, payload, env["HOME"])
            if spent.out:
                return spent
        raise RuntimeError("the hook has nothing to say")

    return ask


def surrounded(path: str) -> dict[str, str]:
    """The surroundings of a command that uses the store at `path`."""
    return {
        **environment(os.path.dirname(path)),
        "TACIT_STORE": path,
        "TACIT_PROJECT": PROJECT,
        "PATH": os.environ["PATH"],
    }


def some_texts(path: str, many: int, project: str = PROJECT) -> list[str]:
    """Texts from all ages of a project."""
    with opened(path, project) as kept:
        rows = [
            row[0]
            for row in kept.store.rows(
                "SELECT n FROM lesson WHERE project = :p ORDER BY n", p=kept.project_id
            )
        ]
        picked = [rows[len(rows) * at // many] for at in range(many)]
        return [kept.store.one("SELECT text FROM lesson WHERE n = :n", n=n)[0] for n in picked]


# --- asking


def warm(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """`recall(limit=10)` in one running process, all sizes in turns."""
    projects = [(size, PROJECT) for size in sizes] + [(max(sizes), OLD)]
    stores = [opened(make_store(size), project) for size, project in projects]
    prompts = [asking(make_store(size), rounds + 4, project) for size, project in projects]
    spent: list[list[float]] = [[] for _ in stores]
    for number in range(rounds + 4):
        for at, kept in enumerate(stores):
            begun = time.process_time()
            kept.recall(prompts[at][number], limit=10)
            if number >= 4:  # the first ones load modules and pages
                spent[at].append(time.process_time() - begun)
    for kept in stores:
        kept.close()
    costs = [statistics.median(each) * 1000 for each in spent]
    growth["warm recall"] = list(zip(map(float, sizes), costs))
    for size, cost in zip(sizes, costs):
        table.tell(f"warm recall, top 10, {size:,} memories", f"{cost:.1f} ms")
    for size, most in ((100_000, 5), (1_000_000, 15)):
        if size in sizes and sizes[0] == 1000:
            table.at_most(
                f"warm recall, top 10, {size:,} memories against 1,000",
                costs[sizes.index(size)] / costs[0],
                most,
            )
    large = f"{max(sizes):,}"
    table.at_most(
        f"warm recall in one of the small projects among {large}, against {sizes[0]:,}",
        costs[-1] / costs[0],
        15,
    )


def asking(path: str, many: int, project: str = PROJECT) -> list[str]:
    writer = Writer(7)
    return [writer.prompt(text) for text in some_texts(path, many, project)]


def quality(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """How much of what an exhaustive ranking would answer is answered."""
    for size, project in [*((size, PROJECT) for size in sizes), (max(sizes), OLD)]:
        path = make_store(size)
        with opened(path, project) as kept:
            share, first, scores = [], [], []
            for prompt in asking(path, KEPT.get(size, 6) if project == PROJECT else 6, project):
                best = exhaustive(kept, prompt)
                given = {hit.memory.id for hit in kept.recall(prompt, limit=10).hits}
                known = [score for id, score in best if id in given]
                share.append(len(known) / len(best))
                scores.append(sum(known) / sum(score for _, score in best))
                first.append(best[0][0] in given)
        where = f"{size:,} memories" if project == PROJECT else f"a small project among {size:,}"
        told = f"{statistics.mean(share):.0%}, {statistics.mean(first):.0%}"
        table.tell(f"of an exhaustive ranking's ten: kept, and its first among ours, {where}", told)


def exhaustive(kept: Memories, prompt: str) -> list[tuple[str, float]]:
    """The ten best by our ranking of everything the index finds."""
    full = FullText(kept.store, (kept.project_id,), False)
    found = Search(full, prompt).best(EXHAUSTIVE)[:10]
    hits = full.lessons({each.n: each.score for each in found})
    return [(hit.memory.id, hit.score) for hit in hits]


# --- keeping


def adding(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """One durable add in a running process, all sizes in turns; and what it asks of the disk."""
    paths = [fresh(size, "add") for size in sizes]
    stores = [opened(path) for path in paths]
    writer = Writer(11)
    spent: list[list[float]] = [[] for _ in sizes]
    for number in range(5 * rounds + 4):
        lesson = writer.lesson()
        for at, kept in enumerate(stores):
            begun = time.process_time()
            correcting.add_many(kept, [lesson])
            if number >= 4:
                spent[at].append(time.process_time() - begun)
    for kept in stores:
        kept.close()
    costs = [statistics.median(each) * 1000 for each in spent]
    growth["durable add"] = list(zip(map(float, sizes), costs))
    table.at_most(
        f"durable add, {sizes[-1]:,} memories against {sizes[0]:,}", costs[-1] / costs[0], 1.5
    )
    if shutil.which("strace"):
        syncs(paths[0], 1)  # the first write begins a log, which takes one more
        calls = (syncs(paths[0], 12) - syncs(paths[0], 2)) / 10
        table.add("durable add: fsync calls of each", "1", f"{calls:g}", calls == 1)
    else:
        table.tell("durable add: fsync calls of each", "not counted: no strace")
    for path in paths:
        shutil.rmtree(os.path.dirname(path))


ADDER = """
import sys
sys.path.insert(0, sys.argv[1])
from stores import opened
with opened(sys.argv[2]) as memories:
    memories.store.hurry()
    for number in range(int(sys.argv[3])):
        memories.add(f"Lesson {number} of the one who counts.")
"""


def syncs(path: str, adds: int) -> int:
    """How often a process that adds so many lessons asks the disk to write."""
    counts = os.path.join(cache(), "work", "syncs")
    watch = ["strace", "-f", "-e", "trace=fsync,fdatasync,msync,sync_file_range", "-o", counts]
    run([*watch, sys.executable, "-c", ADDER, HERE, path, str(adds)], os.environ)
    with open(counts, encoding="utf-8") as file:
        return len(re.findall(r"\b(?:fsync|fdatasync|msync|sync_file_range)\(", file.read()))


def learn(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """Learning, from bench/learning.py."""
    learning.budgets(table, min(100_000, max(sizes)), max(9, rounds // 2))


def tend(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """A pass in which three lessons are due, and what passes cost, from bench/tending.py."""
    size = min(10_000, max(sizes))
    path = fresh(size, "tend")
    with opened(path) as kept:
        tending.lived_through(kept, path)
        origins_night.tend(kept)
        said = [f"An old fact about the {n}th gate of the harbour." for n in range(3)]
        old = correcting.add_many(
            kept,
            [{"text": text, "kind": "fact", "at": "2024-01-01T00:00:00.000Z"} for text in said],
        )
        before = tending.last_entry(kept)
        origins_night.tend(kept)
        touched = {
            row[0]
            for row in kept.store.rows(
                "SELECT DISTINCT memory FROM journal WHERE id > :id", id=before
            )
        }
    due = {memory.id for memory in old}
    what = f"tend, {size:,} memories of which 3 are due: memories touched"
    table.add(what, "≤ 3, all due", f"{len(touched)}", touched <= due and bool(touched))
    shutil.rmtree(os.path.dirname(path))
    tending.budgets(table, min(100_000, max(sizes)), max(9, rounds // 2))


# --- room


PEAK = """
import sys
from tacit import main
main(sys.argv[1:])
with open("/proc/self/status") as file:
    print("peak", next(line.split()[1] for line in file if line.startswith("VmHWM")), file=sys.stderr)
"""


def memory(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """The most that one cold recall ever has in memory."""
    if not os.path.exists("/proc/self/status"):
        return table.tell("one cold recall, resident", "not measured: no /proc")
    for size in sizes[-2:]:
        path = make_store(size)
        told = run(
            [sys.executable, "-c", PEAK, "recall", asking(path, 3)[1]], surrounded(path)
        ).err.decode()
        peak = int(told.split("peak ")[1].split()[0]) / 1024
        table.at_most(f"one cold recall, {size:,} memories: resident at most", peak, 40, " MB", 1)


def disk(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """Bytes of a memory at its birth, and of a use."""
    size = max(sizes)
    table.at_most(
        f"{size:,} memories: bytes of each at birth",
        os.path.getsize(make_store(size)) / size,
        3000,
        " B",
        0,
    )
    path = fresh(min(10_000, size), "disk")
    prompts = asking(path, 400)
    with opened(path) as kept:
        before, uses = occupied(kept), used(kept)
        for number, prompt in enumerate(prompts):
            kept.inject(prompt, run=f"run-{number}")
        many = used(kept) - uses
        table.at_most(
            f"{many:,} uses in {len(prompts)} runs: bytes of each",
            (occupied(kept) - before) / many,
            300,
            " B",
            0,
        )
    shutil.rmtree(os.path.dirname(path))


def used(kept: Memories) -> int:
    return int(kept.store.one("SELECT count(*) FROM delivery WHERE lesson <> ''")[0])


def occupied(kept: Memories) -> int:
    """Bytes in the pages of a store that hold something, of uses and what counts them; the rows of runs and answers are not theirs."""
    return int(
        kept.store.one(
            "SELECT coalesce(sum(payload), 0) FROM dbstat WHERE name IN ('use', 'use_by_memory', 'tally')"
        )[0]
    )


# --- many


WORKER = """
import random, sys
sys.path.insert(0, sys.argv[1])
from stores import opened
from tacit.core.errors import StoreBusy
from texts import Writer
path, name, many = sys.argv[2], sys.argv[3], int(sys.argv[4])
writer, chance = Writer(hash(name) % 1000), random.Random(name)
with opened(path) as memories:
    for number in range(many):
        if name.startswith("writer"):
            memories.add(f"{writer.lesson()['text']} Kept by {name}, number {number}.")
            print(number, flush=True)
        elif chance.random() < 0.5:
            memories.recall(writer.prompt(writer.lesson()["text"]), limit=10)
        else:
            try:
                memories.inject(writer.prompt(writer.lesson()["text"]), run=f"{name}-{number}")
            except StoreBusy:  # not recorded within 150 ms, so not given: every surface stays silent then (design §4)
                print("silent", flush=True)
"""


def many(table: Table, sizes: Sequence[int], rounds: int, growth: Growth) -> None:
    """Half of the processes write, half read; what was acknowledged must be there, and nobody may hear of a lock."""
    path = fresh(min(10_000, max(sizes)), "many")
    half = PROCESSES // 2
    names = [f"{kind}-{n}" for kind in ("writer", "reader") for n in range(half)]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, HERE, path, name, str(EACH)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        for name in random.Random(1).sample(names, len(names))
    ]
    told = [child.communicate() for child in children]
    silent = sum(out.count("silent") for out, _ in told)
    acknowledged = sum(len(out.split()) for out, _ in told) - silent
    wrong = [err.strip().splitlines()[-1] for _, err in told if err.strip()]
    with opened(path) as kept:
        found = int(
            kept.store.one("SELECT count(*) FROM lesson WHERE text LIKE '% Kept by writer-%'")[0]
        )
        faults = len(queries.health(kept).health.faults)
    wanted = half * EACH
    table.add(
        f"{PROCESSES} processes: acknowledged of {wanted}, found",
        f"{wanted}, {wanted}",
        f"{acknowledged}, {found}",
        acknowledged == found == wanted,
    )
    table.add(
        f"{PROCESSES} processes: errors that reached somebody, faults found by doctor",
        "0, 0",
        f"{len(wrong)}, {faults}",
        not wrong and not faults,
    )
    table.tell(
        f"{PROCESSES} processes: answers not given because they could not be recorded within 150 ms",
        f"{silent}",
    )
    for line in wrong:
        log(line)
    shutil.rmtree(os.path.dirname(path))


def write(path: str, table: Table, growth: Growth, built: str) -> None:
    """The dated result."""
    shown = {name: points for name, points in growth.items() if points}
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            f"# Budgets, {os.path.basename(path)[:10]}\n\n`make bench` · {surroundings()}\n\n{table.markdown()}\n"
        )
        if shown:
            sizes = sorted({size for points in shown.values() for size, _ in points})
            file.write(
                "| ms of CPU | "
                + " | ".join(f"{size:,.0f}" for size in sizes)
                + " |\n"
                + "|---" * (1 + len(sizes))
                + "|\n"
            )
            for name, points in shown.items():
                at = dict(points)
                file.write(
                    f"| {name} | "
                    + " | ".join(f"{at[size]:.1f}" if size in at else "" for size in sizes)
                    + " |\n"
                )
        file.write(f"\n{built}{NOTES}")


NOTES = """Texts are generated (bench/texts.py): lessons of about 200 characters, reports of about 900, words drawn by Zipf's law. Prompts have some fifteen words,
pasted logs some 4,000 characters. An exhaustive ranking ranks the 3,000 best of all rows that hold any of the words, with exact counts.
"""


if __name__ == "__main__":
    sys.exit(main())

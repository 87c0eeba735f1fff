"""`python -m bench.lessons`: see the package."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.lessons import coverage, figures, sheets
from bench.lessons.feed import BENCH, World, feed, sessions, unpacked

parser = argparse.ArgumentParser(
    prog="python -m bench.lessons", description="What real sessions teach."
)
parser.add_argument("step", choices=["feed", "figures", "sheets", "labels", "coverage", "covered"])
parser.add_argument("data", type=Path, help="the unpacked projects")
parser.add_argument("--project", action="append", help="only these")
parser.add_argument("--limit", type=int, default=0, help="sessions of each project")
parser.add_argument(
    "--no-model", action="store_true", help="rules alone; the default settings name no model"
)
parser.add_argument(
    "--queue",
    type=Path,
    help="a folder of answers, and of questions that have none: sessions are read (README of recorded.py)",
)
parser.add_argument(
    "--no-known", action="store_true", help="do not hold sessions against what is remembered"
)
parser.add_argument(
    "--wait", type=float, default=0.0, help="seconds to wait for the answer to a question"
)
parser.add_argument(
    "--other", type=Path, help="JSON lines of something else, to mix into the sheets"
)
parser.add_argument("--jobs", type=int, default=1, help="projects that are fed at a time")
args = parser.parse_args()
args.data = unpacked(args.data)

# of the sessions of a project, at most, that wait for an answer: with more of them the figures are not those of the reader
UNREAD = 0.05

found = sorted(each.name for each in args.data.iterdir() if (each / "index.json").exists())
if not found:
    parser.error(
        f"no project in {args.data}: none of its folders has an index.json. Name the folder that holds the projects."
    )
if (
    args.step == "feed" and args.jobs > 1 and not args.project
):  # projects know nothing of each other: a process each

    def fed(name: str) -> int:
        return subprocess.run(
            [sys.executable, "-m", "bench.lessons", *sys.argv[1:], "--jobs", "1", "--project", name]
        ).returncode

    with ThreadPoolExecutor(args.jobs) as pool:
        sys.exit(
            max(pool.map(fed, sorted(found, key=lambda name: -len(sessions(args.data, name)))))
        )
every: list[dict[str, Any]] = []
covered: dict[str, list[dict[str, coverage.Seen]]] = {}
unread: list[str] = []
for name in args.project or found:
    world = World(args.data, name)
    if args.step == "feed":
        if args.queue and not args.no_model:
            world.read_by(
                args.queue.resolve(),
                *(["--no-known"] if args.no_known else []),
                *(["--wait", str(args.wait)] if args.wait else []),
            )
        begun, count = time.time(), 0
        for _ in feed(world, limit=args.limit):
            count += 1
        print(f"{name}: {count} sessions in {time.time() - begun:.0f} s", flush=True)
        if args.queue and not args.no_model:
            waiting = Counter(
                each.stem.split("-")[0]
                for each in (args.queue / name).glob("*.txt")
                if not each.with_suffix(".json").exists()
            )
            print(
                f"{name}: questions without an answer: {', '.join(f'{step} {n}' for step, n in sorted(waiting.items())) or 'none'}",
                flush=True,
            )
            unread += [name] if waiting["lessons"] + waiting["known"] > UNREAD * count else []
    elif args.step == "figures":
        told = {
            "project": name,
            "noticed": figures.noticed(world),
            "forewarned": figures.forewarned(world),
            "natures": figures.natures(world),
            "themes": figures.themes(world),
            "commands": figures.commands(world),
            "size": figures.size(world),
            "lines": figures.lines(world),
        }
        (BENCH / f"{name}.json").write_text(json.dumps(told, indent=1, ensure_ascii=False))
        print(json.dumps(told, indent=1, ensure_ascii=False))
        every.append(told)
    elif args.step == "sheets":
        path = BENCH / f"{name}.sheet.tsv"
        path.write_text(sheets.sheet(world, args.other))
        print(path)
    elif args.step == "coverage":
        path = BENCH / f"{name}.coverage.tsv"
        path.write_text(coverage.sheet(world))
        print(path)
    elif args.step == "covered":
        for file in sorted(coverage.LABELS.glob(f"*-{name}.json")):
            judge = file.name.removesuffix(f"-{name}.json")
            covered.setdefault(judge, []).append(
                coverage.counted(world, json.loads(file.read_text()))
            )
    else:
        print(name, json.dumps(sheets.judged(world)))
if every:
    print(json.dumps({"pooled": figures.pooled(every)}, indent=1))
for judge, parts in covered.items():
    print(f"judge {judge}, {len(parts)} projects")
    for name, seen in coverage.pooled(parts).items():
        print(f"  {name}: {seen}")
        print(f"    missed: {', '.join(seen.missed)}")
if unread:
    sys.exit(
        f"Too many sessions were not read: {', '.join(unread)}. Answer their questions (README of bench/labels/reader), or find out why their words changed."
    )

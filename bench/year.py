"""A simulated year of one project: does memory stay small, true and whole? `python bench/year.py [--days 365] [--runs 20] [--seed 1]`.

Twenty runs a day over 5,000 distinct problems, through the library with a clock that is moved by hand: each run asks (`inject`), works, is reviewed and is
learned; each night is tended. Which problems there are changes with the seasons of a project: each lives for some weeks, a few for the whole year, and
some are common and most are rare. A lesson that was given makes its problem occur less often, and the reviewer who sees it is not told who was given
what. A person states one preference a day for fifteen days and never repeats them. A run also does what is noticed and mostly never told:
it calls a handful of commands, a few of which fail as linters, compilers, package managers and shells fail, and the person types a few short sentences;
as many of each as real sessions hold (3 failures, 6 forms of commands, 5 sentences).

What must hold at the end: the active set stopped growing (mean of the last quarter at most 1.1 times that of the quarter before), the page is within its
limits, no preference is lost, everything that was archived can be brought back, and `doctor` finds nothing. The curve is drawn as SVG.

It may be broken off: every ten days all of it is copied aside, and the same call goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import time
from typing import Any

import tacit
from tacit.app import Memories
from tacit.core.run import Run, Step
from tacit.testing import Clock, finding, run, say, signed, tool, user

HERE = os.path.dirname(os.path.abspath(__file__))
START = "2026-01-01T08:00:00.000Z"
ACTIVE = ("candidate", "provisional", "stable", "canonical")
VERBS = "drops skips doubles truncates blocks leaks reorders caches rejects misreads rounds swallows".split()
OBJECTS = (
    "rows headers cookies handles locks dates tokens paths batches retries totals messages".split()
)
WHENS = (
    "the queue is full",
    "a name is empty",
    "two users save at once",
    "the clock changes",
    "the cache is cold",
    "a file is locked",
    "the token expires",
    "a page has no rows",
    "the disk is slow",
    "an upload is cut",
    "the region is missing",
    "the schema is old",
)
SYLLABLES = (
    "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bre cli dro fle gra".split()
)
PREFERENCES = (
    "Always use pnpm instead of npm in this repository.",
    "Answer in German, please, in all reviews.",
    "Never push to main without a review.",
    "Use tabs in Makefiles and nowhere else.",
    "Write commit messages in the imperative.",
    "Prefer dataclasses over plain dicts in the API layer.",
    "Do not add dependencies without asking me.",
    "Keep functions under forty lines.",
    "Use British spelling in the docs.",
    "Run the linters before you say you are done.",
    "Never log personal data.",
    "Ask before deleting files.",
    "Name tests after what they show.",
    "Keep the changelog up to date.",
    "Use the staging database for experiments, never production.",
)

RULES = "F401 E501 B006 UP035 SIM108 RUF012 PLR2004 C901 S608 N806 D103 PT011 TRY003 PERF401 ARG001 I001 W605 E711 F841 E741".split()
CODES = "TS2345 TS2322 TS2339 TS7006 TS2304 TS2554 TS18048 TS2769 TS2532 TS2307".split()
FORMS = (
    "make test",
    "make lint",
    "make build",
    "npm run build",
    "npm run lint",
    "npm run typecheck",
    "pytest -q",
    "pytest tests/unit",
    "ruff check .",
    "ruff format .",
    "mypy src",
    "cargo test",
    "cargo clippy",
    "go test ./...",
    "docker compose up -d",
    "alembic upgrade head",
    "npm run e2e",
    "npx tsc --noEmit",
)


class World:
    """The problems of a project, and which of them are about on a day."""

    def __init__(self, problems: int, days: int, seed: int) -> None:
        self.dice = random.Random(seed)
        names: set[str] = set()
        while len(names) < 2 * problems:
            names.add("".join(self.dice.sample(SYLLABLES, 3)))
        self.names = sorted(names)
        self.dice.shuffle(self.names)
        self.texts = [self._text(n) for n in range(problems)]
        self.weights = [1.0 / (1 + rank) ** 0.7 for rank in range(problems)]
        self.dice.shuffle(self.weights)
        # A problem lives for some weeks to months around a day of its own; one in fifty is about all year.
        self.lives = []
        for _ in range(problems):
            middle, half = self.dice.uniform(-30, days + 30), self.dice.uniform(10, 60)
            self.lives.append(
                (-1.0, days + 1.0) if self.dice.random() < 0.02 else (middle - half, middle + half)
            )

    def _text(self, n: int) -> str:
        first, second = self.names[2 * n], self.names[2 * n + 1]
        pick = self.dice.choice
        return (
            f"{first}_{second} {pick(VERBS)} the {pick(OBJECTS)} of the {first} when {pick(WHENS)}"
        )

    def of_day(self, day: int) -> tuple[list[int], list[float]]:
        """The problems that are about, with their weights."""
        there = [n for n, (first, last) in enumerate(self.lives) if first <= day <= last]
        return there, [self.weights[n] for n in there]


class Kept:
    """What the simulation itself knows, day by day; written beside the store so that a year may be broken off."""

    def __init__(self, place: str, asked: dict[str, Any]) -> None:
        self.place, self.aside, self.asked = place, place + ".kept", asked
        self.at: dict[str, Any] = {
            "asked": asked,
            "day": 0,
            "now": START,
            "dice": None,
            "curve": [],
            "met": [],
            "cpu": 0.0,
            "spent": {"inject": 0.0, "learn": 0.0, "tend": 0.0},
            "problems": [],
            "tended": {"merged": 0, "moves": 0, "approved": 0},
        }

    def resume(self) -> None:
        """Go back to the last copy, or begin."""
        shutil.rmtree(self.place, ignore_errors=True)
        try:
            with open(os.path.join(self.aside, "simulation.json")) as file:
                at = json.load(file)
        except FileNotFoundError:
            at = {}
        if at.get("asked") == self.asked:
            shutil.copytree(self.aside, self.place)
            self.at = at
        else:
            os.makedirs(self.place)

    def keep(self, memories: Memories, world: World, now: str) -> None:
        """Copy all of it aside; the copy counts once it is whole."""
        state = world.dice.getstate()
        self.at.update(now=now, dice=[state[0], list(state[1]), state[2]])
        memories.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(os.path.join(self.place, "simulation.json"), "w") as file:
            json.dump(self.at, file)
        shutil.rmtree(self.aside + ".new", ignore_errors=True)
        shutil.copytree(self.place, self.aside + ".new")
        shutil.rmtree(self.aside, ignore_errors=True)
        os.rename(self.aside + ".new", self.aside)


def simulate(place: str, days: int, runs: int, problems: int, seed: int) -> dict[str, Any]:
    """The year, day by day; what was seen of it."""
    kept = Kept(place, {"days": days, "runs": runs, "problems": problems, "seed": seed})
    kept.resume()
    at, world = kept.at, World(problems, days, seed)
    clock = Clock(at["now"])
    if at["dice"]:
        world.dice.setstate((at["dice"][0], tuple(at["dice"][1]), at["dice"][2]))
    project = os.path.join(place, "shop")
    os.makedirs(project, exist_ok=True)
    env = signed({"HOME": place, "XDG_DATA_HOME": os.path.join(place, "data"), "USER": "ada"})
    memories = tacit.open(
        os.path.join(place, "year.db"), env=env, cwd=project, by="ada", yes=True, now=clock
    )
    memories.store.rows("PRAGMA cache_size = -64000")  # one long process instead of many short ones
    if not at["day"]:
        memories.keep_page("MEMORY.md")
    before = at["cpu"]
    for day in range(at["day"], days):
        a_day(memories, world, clock, day, runs, at)
        at["day"], at["cpu"] = day + 1, before + time.process_time()
        if day % 10 == 9:
            told = {name: round(seconds) for name, seconds in at["spent"].items()}
            print(f"day {day + 1}: {at['curve'][-1]} {told} s", file=sys.stderr, flush=True)
            kept.keep(memories, world, clock.now)
    met, problems_seen = len(set(at["met"])), at["problems"]
    quarter = max(1, len(problems_seen) // 4)
    return {
        "curve": at["curve"],
        "spent": at["spent"],
        "met": met,
        "tended": at["tended"],
        "problems_per_run": [
            round(sum(part) / len(part) / runs, 2)
            for part in (problems_seen[:quarter], problems_seen[-quarter:])
        ],
        "verdicts": dict(
            memories.store.rows("SELECT verdict, count(*) FROM memory GROUP BY 1 ORDER BY 1")
        ),
        "settled": memories.store.one(
            "SELECT count(*) FROM use_mark WHERE signal = 'outcome' AND value <> 'unknown'"
        )[0],
        **verdict(memories, at["curve"], project),
        "cpu_s": round(before + time.process_time()),
    }


def a_day(
    memories: Memories, world: World, clock: Clock, day: int, runs: int, at: dict[str, Any]
) -> None:
    """One day's runs, the week's look at what waits, and the night's tending."""
    about, spent, tended = world.of_day(day), at["spent"], at["tended"]
    if day < len(PREFERENCES):
        memories.add(PREFERENCES[day], kind="preference")
    occurred = 0
    for n in range(runs):
        met = one_run(memories, world, about, f"d{day:03d}r{n:02d}", clock, spent)
        at["met"] = sorted({*at["met"], *met})
        occurred += len(met)
    if day % 7 == 6:
        tended["approved"] += look_through(memories)
    clock.advance(days=1 - runs * 1200 / 86400)
    began = time.process_time()
    done = memories.tend()
    spent["tend"] += time.process_time() - began
    tended["moves"] += len(done.moves)
    tended["merged"] += len(done.of("merge").changes)
    at["curve"].append(states(memories))
    at["problems"].append(occurred)


def look_through(memories: Memories) -> int:
    """What a person does once a week: approves up to ten proposals that can be approved as they stand."""
    approved = 0
    for proposal in memories.proposals()[:10]:
        try:
            memories.review(proposal.id, "approve", reason="looked through")
            approved += 1
        except tacit.TacitError:
            continue
    return approved


def one_run(
    memories: Memories,
    world: World,
    about: tuple[list[int], list[float]],
    name: str,
    clock: Clock,
    spent: dict[str, float],
) -> set[int]:
    """One run: asked, worked, learned. The problems that occurred."""
    dice = world.dice
    likely = set(dice.choices(*about, k=4))
    task = "Work on " + ", ".join(world.texts[n].split(" ")[0] for n in sorted(likely)[:2])
    clock.advance(60 * 5)
    began = time.process_time()
    given = memories.inject(task, run=name, host="sim")
    spent["inject"] += time.process_time() - began
    told = {memory.text for memory in memories.store.memories(given.injected)}
    clock.advance(60 * 15)
    occurred = {n for n in likely if dice.random() < (0.25 if world.texts[n] in told else 0.8)}
    began = time.process_time()
    memories.learn(a_run(name, world, occurred, task, clock.now))
    spent["learn"] += time.process_time() - began
    return occurred


def a_run(name: str, world: World, occurred: set[int], task: str, at: str) -> Run:
    """What the run's transcript says."""
    steps = [user(task, at=at), tool("make test", "ok", at=at), *everyday(world, at)]
    said = [finding(name, world.texts[n], kind="pitfall", at=at) for n in sorted(occurred)]
    extra = {"instruments": ["review:guardian"]}
    return run(name, *steps, *said, host="sim", task=task, started_at=at, ended_at=at, extra=extra)


def everyday(world: World, at: str) -> list[Any]:
    """What a session holds besides: commands that pass, some that fail and are mended, and a few words of the person."""
    dice = random.Random(world.dice.random())
    names = world.names
    steps: list[Any] = [tool(form, "ok", at=at) for form in dice.sample(FORMS, 5)]
    for _ in range(3):
        steps += fails(dice, dice.choice(names), at)
    for _ in range(4):
        steps += [
            say("Done.", at=at),
            user(
                f"{dice.choice(VERBS)} the {dice.choice(names)} {dice.choice(OBJECTS)} before {dice.choice(names)}",
                at=at,
            ),
        ]
    return steps


def fails(dice: random.Random, name: str, at: str) -> list[Any]:
    """A command that fails in one of the ways that tools fail, some common and most rare, and what came after."""
    rank = int(40 ** dice.random()) - 1
    kind = dice.randrange(5)
    if kind == 0:
        line, said = "ruff check .", f"src/{name}.py:3:1: {RULES[rank % len(RULES)]} rejected"
    elif kind == 1:
        line, said = (
            "npx tsc --noEmit",
            f"src/{name}.ts:3:1 - error {CODES[rank % len(CODES)]}: wrong",
        )
    elif kind == 2:
        line, said = f"tool{rank} check", f"bash: tool{rank}: command not found"
    elif kind == 3:
        line, said = "pytest -q", f"ModuleNotFoundError: No module named 'lib{rank}'"
    else:
        line, said = "make test", f"the {name} gave up at 12:00"
    edit = Step(
        "tool",
        f"edit:{name}",
        tool="Edit",
        input={"file_path": f"src/{name}.py", "old_string": "", "new_string": "x"},
        at=at,
    )
    return [tool(line, error=said, at=at), edit, tool(line, "ok", at=at)]


def states(memories: Memories) -> dict[str, int]:
    """How many memories are in each state."""
    return dict(
        memories.store.rows(
            "SELECT state, count(*) FROM memory WHERE project = :p GROUP BY 1",
            p=memories.project_id,
        )
    )


def verdict(memories: Memories, curve: list[dict[str, int]], project: str) -> dict[str, Any]:
    """What must hold, looked at one by one."""
    active = [sum(day.get(state, 0) for state in ACTIVE) for day in curve]
    quarter = max(1, len(curve) // 4)
    before, last = active[-2 * quarter : -quarter], active[-quarter:]
    wishes = [
        memory
        for memory in memories.list(archived=True, limit=100000)
        if memory.klass in ("preference", "rule") and memory.trust == "user"
    ]
    health = memories.health().health
    return {
        "growth": round(sum(last) / len(last) / (sum(before) / max(1, len(before))), 3),
        "active": active[-1],
        "peak": max(active),
        "preferences": len(wishes),
        "preferences_in_force": sum(
            memory.state in ("provisional", "stable", "canonical") for memory in wishes
        ),
        "page": page_of(project),
        "faults": [fault.__dict__ for fault in health.faults][:5],
        "bytes": os.path.getsize(memories.store.path),
        "noticed": noticed(memories),
        **brought_back(memories),
    }


def page_of(project: str) -> dict[str, int]:
    """The page's size; empty where there is none."""
    path = os.path.join(project, "MEMORY.md")
    if not os.path.exists(path):
        return {}
    with open(path, "rb") as file:
        raw = file.read()
    return {"lines": raw.count(b"\n"), "bytes": len(raw)}


def brought_back(memories: Memories) -> dict[str, Any]:
    """Every archived memory restored: its last move taken back."""
    archived = memories.list(states=("archived",), limit=1_000_000)
    failed = []
    for memory in archived:
        try:
            back = memories.undo(memory.id)[0]
            if not back.text or back.state == "archived":
                failed.append(memory.id)
        except tacit.TacitError as error:
            failed.append(f"{memory.id}: {error}")
    return {
        "archived": len(archived),
        "not_restored": failed[:5],
        "sound_afterwards": memories.health().health.is_sound,
    }


def noticed(memories: Memories) -> dict[str, int]:
    """Rows of what runs were seen to meet, and the bytes that they take, index included."""
    rows = memories.store.rows("SELECT COUNT(*) FROM incident")[0][0]
    size = memories.store.rows("SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'incident%'")[0][0]
    return {"incidents": rows, "bytes": size}


def draw(curve: list[dict[str, int]]) -> str:
    """The curve as a plot of its own, without a library."""
    wide, high, left, foot = 900, 360, 60, 40
    lines = {
        "active": [sum(day.get(state, 0) for state in ACTIVE) for day in curve],
        "may be given": [sum(day.get(state, 0) for state in ACTIVE[1:]) for day in curve],
        "archived or decayed": [day.get("archived", 0) + day.get("decayed", 0) for day in curve],
    }
    colours = {"active": "#1f5fa8", "may be given": "#2a8a4a", "archived or decayed": "#999999"}
    top = max(max(line) for line in lines.values()) or 1
    x = lambda day: left + day * (wide - left - 20) / max(1, len(curve) - 1)  # noqa: E731
    y = lambda count: high - foot - count * (high - foot - 20) / top  # noqa: E731
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">',
        f'<rect width="{wide}" height="{high}" fill="white"/>',
    ]
    for step in range(5):
        count = top * step / 4
        parts.append(
            f'<line x1="{left}" y1="{y(count):.1f}" x2="{wide - 20}" y2="{y(count):.1f}" stroke="#eee"/>'
        )
        parts.append(
            f'<text x="{left - 8}" y="{y(count) + 4:.1f}" text-anchor="end">{count:.0f}</text>'
        )
    for day in range(0, len(curve), 30):
        parts.append(f'<text x="{x(day):.1f}" y="{high - 16}" text-anchor="middle">{day}</text>')
    for number, (name, line) in enumerate(lines.items()):
        points = " ".join(f"{x(day):.1f},{y(count):.1f}" for day, count in enumerate(line))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colours[name]}" stroke-width="2"/>'
        )
        parts.append(
            f'<text x="{left + 12}" y="{24 + 16 * number}" fill="{colours[name]}">{name}</text>'
        )
    return (
        "\n".join(
            [
                *parts,
                f'<text x="{wide / 2}" y="{high - 2}" text-anchor="middle">day</text>',
                "</svg>",
            ]
        )
        + "\n"
    )


def failures(result: dict[str, Any]) -> list[str]:
    """What does not hold."""
    page = result["page"]
    wrong = [
        result["growth"] > 1.1
        and f"the active set grew {result['growth']} times in the last quarter",
        result["preferences_in_force"] < len(PREFERENCES)
        and f"{result['preferences_in_force']} of {len(PREFERENCES)} preferences are in force",
        bool(page) and (page["lines"] > 180 or page["bytes"] > 22000) and f"the page has {page}",
        bool(result["faults"]) and f"doctor: {result['faults'][0]}",
        bool(result["not_restored"]) and f"not restored: {result['not_restored'][0]}",
        not result["sound_afterwards"]
        and "the store does not verify after everything was brought back",
    ]
    return [each for each in wrong if each]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--problems", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--svg", default=os.path.join(HERE, "results", "year.svg"))
    parser.add_argument(
        "--place",
        default=os.path.join(HERE, "..", ".bench", "year"),
        help="where it is kept until it is over",
    )
    args = parser.parse_args()
    place = os.path.abspath(args.place)
    result = simulate(place, args.days, args.runs, args.problems, args.seed)
    with open(args.svg, "w") as file:
        file.write(draw(result.pop("curve")))
    for folder in (place, place + ".kept"):
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({**vars(args), **result}, indent=2))
    wrong = failures(result)
    for each in wrong:
        print(f"FAILED: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

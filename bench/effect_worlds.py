"""Is what `tacit effect` says true? Whole worlds, end to end: runs are written as files, learned, given lessons, and asked about.

    python bench/effect_worlds.py [--only WORLD] [--stores N] [--seed N] [--jobs N] [--out FILE]

Nothing is simulated but the agent: each run asks for its lessons (`inject`), goes on as its world says, is written as a neutral or a Claude Code file and learned from it. Eight lessons
a store, each about an error of its own; two hundred and more a world. Looked at after every run: a verdict counts from its first crossing. Beside the
verdicts stand the intervals at every tenth run, against the true difference of how often the problem comes, what was claimed of the lessons together, and how many settled uses hold the loss that the world knows to be
true, so that a blind instrument and an unlucky coin can be told apart. Exits 1 where a bound is missed. Coins are those of each store's own random
key, so that counts differ from one playing to the next.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from tacit.core.digest import hex_digest  # noqa: E402
from tacit.core.rows import run_id  # noqa: E402
from tacit.core.states import ACTIVE, ENDING_VERDICTS  # noqa: E402
from tacit.learn import correcting, queries, reviewing  # noqa: E402
from tacit.memory import Memory as Memories  # noqa: E402
from tacit.memory import open as open_memories  # noqa: E402
from tacit.testing import Clock  # noqa: E402
from tacit.trial import proving  # noqa: E402

NAMES = "orders invoices customers parcels payments ledgers tickets rosters".split()
STORES = 25
KEY = "a key of ada's"
FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None  # a disk's own pace is another bench's
EACH = 10  # runs between two looks at the intervals
AT_ONCE = 2  # lessons that a prompt is about: of each moment one is drawn and tossed
Step = dict[str, Any]


class World(NamedTuple):
    """What is true, and what happens beside."""

    name: str
    withheld: float = 0.3  # how often the problem strikes
    injected: float = 0.3
    runs: int = 60
    claude: bool = False  # written as Claude Code writes its sessions
    # recovery, retries, sub-agents, edits, merges, models, missing, deletions, skew, shared, falling, ruin, undone, around, piped
    also: str = ""
    says: str = ""  # the verdict that is right; empty: none
    may: str = ""  # a verdict on a lesson that is no mistake either
    whole: str = ""  # what may be claimed of the lessons together; empty: nothing


WORLDS = (
    World("null, neutral files"),
    World("null, Claude Code files", claude=True),
    World("null, retries of a task", also="retries"),
    World("null, sub-agents", also="sub-agents"),
    World("null, half of the lessons edited", also="edits"),
    World("null, lessons merged", also="merges"),
    World("null, three models in turn", also="models"),
    World("null, no instrument in half of the runs", also="missing"),
    World("null, lessons forgotten and others added", also="deletions"),
    World("null, log an hour behind", also="skew", claude=True),
    World("null, problems strike together", also="shared"),
    World("null, problem rate falls .6 to .06", 0.6, 0.6, also="falling"),
    World(
        "recovery .5 → .5, told agents cure at once",
        0.5,
        0.5,
        180,
        also="recovery",
        says="helps",
        whole="helps",
    ),
    World("helps .5 → .2", 0.5, 0.2, 90, claude=True, says="helps", whole="helps"),
    World("harms .2 → .5", 0.2, 0.5, 90, says="harms", whole="harms"),
    World(
        "ruins: own problem .1 → .1, half of its runs fail", 0.1, 0.1, 70, also="ruin", says="harms"
    ),
    World(
        "4a told agents leave half of their work undone", 0.4, 0.4, 60, also="undone", may="helps"
    ),
    World(
        "4b told agents work around in one call, others cure in two",
        0.4,
        0.4,
        60,
        also="around",
        may="helps",
        whole="helps",
    ),
    World("4c null, told agents pipe into tail", 0.4, 0.4, 60, also="piped"),
    World("rare .0625 → .025, given every time", 0.0625, 0.025, 120, may="helps", whole="helps"),
)


def shell(command: str, error: str = "", output: str = "ok") -> Step:
    """One call of a shell."""
    return {"command": command, "error": error, "output": "" if error else output}


def met(name: str, told: bool, world: World, dice: random.Random) -> tuple[list[Step], float]:
    """What an agent does whom the problem struck, and what that costs in eighths of eight calls."""
    fails = shell(
        f"make check-{name}", f'psycopg.errors.UndefinedTable: relation "{name}" does not exist'
    )
    cure, passes = shell(f"make migrate-{name}"), shell(f"make check-{name}")
    tries = [shell(f"cat sql/{name}-{n}.sql") for n in range(4)]
    if world.also == "around":
        return (
            ([fails, shell(f"python offline/{name}.py")], 1 / 8)
            if told
            else ([fails, cure, passes], 2 / 8)
        )
    if world.also == "piped" and told and dice.random() < 0.6:
        fails = shell(f"{fails['command']} 2>&1 | tail -5", output=fails["error"])
    fate = dice.random()
    if world.also == "recovery":
        cured, messy = (0.95, 0.95) if told else (0.5, 0.75)
    else:
        cured, messy = 0.5, 0.75
    if fate < cured:
        return [fails, cure, passes], 2 / 8
    if fate < messy:
        return [fails, *tries, cure, passes], 6 / 8
    return [fails, *tries, fails, *tries, fails], 1.0  # and gives up


class Store:
    """One project with its lessons, and the agents that work on it."""

    def __init__(self, world: World, seed: int, folder: str) -> None:
        self.world, self.dice, self.folder, self.clock = world, random.Random(seed), folder, Clock()
        os.makedirs(f"{folder}/work")
        os.makedirs(f"{folder}/config/tacit")
        # the person who edits, merges and forgets
        Path(f"{folder}/config/tacit/keys").write_text(json.dumps({hex_digest(KEY): "ada"}))
        env = {
            "HOME": folder,
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_CONFIG_HOME": f"{folder}/config",
            "TACIT_KEY": KEY,
            "USER": "ada",
        }
        self.memories: Memories = open_memories(
            f"{folder}/s.db", env=env, cwd=f"{folder}/work", now=self.clock
        )
        for n in range(2):
            steps = [
                step
                for name in NAMES
                for step in met(name, True, World("", also="recovery"), random.Random(1))[0]
            ]
            self.learn(self.write(f"taught-{n}", steps))
        self.lessons: dict[str, str] = {}
        self.lost: dict[tuple[str, str], float] = {}  # what each problem really cost in each unit
        for memory in self.memories.lessons(limit=50):
            name = next((each for each in NAMES if each in memory.text), "")
            if name and memory.klass != "command":
                self.lessons[memory.id] = name

    def learn(self, path: str) -> None:
        self.clock.advance(30)
        self.memories.learn(path, over=True)

    def work(self, number: int) -> None:
        """One unit: asked, done, written down, learned."""
        world, dice = self.world, self.dice
        model = ("opus-4", "sonnet-4", "gpt-6")[number % 3] if world.also == "models" else ""
        host = "claude-code" if world.claude else "neutral"
        ids = [f"run-{number}"] + (
            [f"run-{number}-again"] if world.also == "retries" and dice.random() < 0.5 else []
        )
        shared = dice.random()
        ruined = False
        for id in ids:
            root = ids[0] if id != ids[0] else ""
            given: set[str] = set()
            for some in (NAMES[n : n + AT_ONCE] for n in range(0, len(NAMES), AT_ONCE)):
                task = "work on " + " ".join(f"make check-{name} handlers {name}" for name in some)
                asked = {"root": root, "host": host, "model": model, "budget": "deep"}
                told = self.memories.inject(task, run=id, **asked)
                given |= {self.lessons[each] for each in told.injected if each in self.lessons}
                self.clock.advance(1)
            ruins = world.also == "ruin" and NAMES[0] in given
            ruined = ruined or (ruins and dice.random() < 0.5)
            steps: list[Step] = []
            some = dice.sample(NAMES, 2) if world.also == "undone" else NAMES
            for name in NAMES:
                if name not in some:
                    continue
                if world.also == "undone" and name in given and dice.random() < 0.5:
                    ruined = True  # it leaves this part undone, and the session ends badly
                    continue
                rate = world.injected if name in given else world.withheld
                if world.also == "falling":
                    rate = 0.6 - 0.54 * number / world.runs
                chance = shared if world.also == "shared" and dice.random() < 0.7 else dice.random()
                loss = 0.0
                if chance >= rate:
                    steps.append(shell(f"make check-{name}"))
                else:
                    done, loss = met(name, name in given, world, dice)
                    steps += (
                        [{**step, "agent": f"worker-{name}"} for step in done]
                        if world.also == "sub-agents"
                        else done
                    )
                unit = run_id(self.memories.project_id, host, ids[0])
                self.lost[name, unit] = max(loss, self.lost.get((name, unit), 0.0))
            if world.also == "missing" and dice.random() < 0.5:
                steps = []
            self.clock.advance(5)
            self.learn(
                self.write(
                    id,
                    steps,
                    root=root,
                    model=model,
                    failed=ruined,
                    behind=3600 if world.also == "skew" else 0,
                )
            )

    def write(
        self,
        id: str,
        steps: list[Step],
        *,
        root: str = "",
        model: str = "",
        failed: bool = False,
        behind: int = 0,
    ) -> str:
        """The run's file, in the format of its world."""
        path = f"{self.folder}/{id}.jsonl"
        at = Clock(self.clock())
        at.advance(-behind)
        lines = (
            _session(id, steps, at)
            if self.world.claude
            else _neutral(id, steps, root, model, failed, at)
        )
        self.clock.advance(2 * len(steps) + 10)
        Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def right(self) -> Iterator[bool]:
        """Of each settled use of a lesson, whether its loss is the true one."""
        rows = proving.effect_rows(self.memories)
        head = next(rows)
        for row in (dict(zip(head, each)) for each in rows):
            if row["outcome"] != "unknown" and row["memory"] in self.lessons:
                yield float(row["loss"]) == self.lost.get(
                    (self.lessons[row["memory"]], row["unit"]), 0.0
                )

    def meddle(self, number: int) -> None:
        """What a person does between runs."""
        if number != self.world.runs // 2:
            return
        ids = [id for id in self.lessons if self.memories.get(id).state not in ("doubted", "gone")]
        if self.world.also == "edits":
            for id in ids[:4]:
                self.memories.edit(
                    id,
                    text=f"Call `make migrate-{self.lessons[id]}` first, before `make check-{self.lessons[id]}`.",
                )
        if self.world.also == "merges":
            for one, other in zip(ids[0:4:2], ids[1:4:2]):
                reviewing.review(self.memories, one, "merge", into=other)
                self.lessons.pop(one)
        if self.world.also == "deletions":
            for id in ids[:2]:
                correcting.forget(self.memories, id)
                self.lessons.pop(id)
            self.memories.add("Prefer small commits.", kind="preference")


def _neutral(
    id: str, steps: list[Step], root: str, model: str, failed: bool, at: Clock
) -> Iterator[dict[str, Any]]:
    yield {
        "type": "run",
        "id": id,
        "task": "work",
        "started_at": at(),
        **({"root": root} if root else {}),
        **({"model": model} if model else {}),
    }
    for step in steps:
        done = (
            {"error": step["error"], "status": 2}
            if step["error"]
            else {"output": step["output"], "status": 0}
        )
        who = {"agent": step["agent"]} if "agent" in step else {}
        yield {
            "type": "step",
            "role": "tool",
            "tool": "shell",
            "input": {"command": step["command"]},
            **done,
            **who,
            "at": at.advance(2),
        }
    yield {"type": "end", "outcome": "failure" if failed else "success", "at": at.advance(2)}


def _session(id: str, steps: list[Step], at: Clock) -> Iterator[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {
            "type": "user",
            "permissionMode": "default",
            "promptSource": "typed",
            "message": {"role": "user", "content": "work"},
        }
    ]
    for n, step in enumerate(steps):
        call = {
            "type": "tool_use",
            "id": f"{id}-t{n}",
            "name": "Bash",
            "input": {"command": step["command"]},
        }
        rows.append(
            {
                "type": "assistant",
                "message": {"id": f"{id}-m{n}", "role": "assistant", "content": [call]},
            }
        )
        told = f"Exit code 2\n{step['error']}" if step["error"] else step["output"]
        block = {
            "type": "tool_result",
            "tool_use_id": f"{id}-t{n}",
            "content": told,
            "is_error": bool(step["error"]),
        }
        rows.append(
            {
                "type": "user",
                "message": {"role": "user", "content": [block]},
                "toolUseResult": f"Error: {told}" if step["error"] else {"stdout": told},
            }
        )
    for n, row in enumerate(rows):
        yield {
            **row,
            "uuid": f"{id}-{n}",
            "sessionId": id,
            "timestamp": at.advance(1),
            "version": "2.1.325",
            "entrypoint": "cli",
            "cwd": "/w",
        }


@dataclass
class Result:
    """What became of the lessons of one world, or of one of its stores."""

    lessons: int = 0
    asked: int = 0  # those that the world is about: all, or the one that ruins its runs
    verdicts: Counter[str] = field(default_factory=Counter)  # of these, how many ever had the word
    false: int = 0  # lessons that ever had helps or harms where the world says otherwise
    looks: int = 0
    held: int = 0  # looks at which the interval held the truth
    units: int = 0
    uses: int = 0
    right: int = 0  # of these, whose loss is the one that the world knows to be true
    stores: int = 0
    claims: Counter[str] = field(default_factory=Counter)  # stores that ever claimed this of all
    ended: int = 0  # lessons that were no longer given at the end
    seconds: float = 0.0  # of a processor

    def add(self, other: Result) -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


def truth_of(world: World) -> float:
    """How much more often the problem comes where the lesson is given."""
    if world.also == "undone":
        return (0.5 * world.injected - world.withheld) * 2 / len(NAMES)
    return world.injected - world.withheld


def measured(world: World, seed: int) -> Result:
    """One store of a world, from its first session to its last."""
    found, started = Result(stores=1), time.process_time()
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        store = Store(world, seed, folder)
        names = dict(store.lessons)
        found.lessons = len(names)
        claimed: set[str] = set()
        for number in range(world.runs):
            store.work(number)
            store.meddle(number)
            if number % EACH == EACH - 1:
                claimed.add(look(store, found))
        for id, name in names.items():
            innocent = world.also == "ruin" and name != NAMES[0]
            judge(store, id, innocent, found)
        found.claims.update(claimed - {"not yet known"})
        found.units = sum(each.known.units for each in store.memories.effect().lessons)
        # a merged lesson has two problems; where half of the runs are lost, the truth is not on file
        if world.also not in ("merges", "missing"):
            told = [*store.right()]
            found.uses, found.right = len(told), sum(told)
        store.memories.close()
    found.seconds = time.process_time() - started
    return found


def look(store: Store, found: Result) -> str:
    """Whether the intervals hold the truth; what is claimed of the lessons together."""
    effect = store.memories.effect()
    truth = truth_of(store.world)
    for each in effect.lessons:
        if each.memory.id in store.lessons and each.known.units and store.world.also != "falling":
            found.looks += 1
            found.held += each.known.low - 1e-9 <= truth <= each.known.high + 1e-9
    return effect.together.word


def judge(store: Store, id: str, innocent: bool, found: Result) -> None:
    """What was ever said of one lesson, and whether it is still given."""
    entries = queries.log(store.memories, memory=id, verb="verdict")
    said = {entry.after["verdict"] for entry in entries if entry.after.get("verdict")}
    right = {"" if innocent else store.world.says, store.world.may}
    found.false += bool({"helps", "harms"} & said - right)
    now = store.memories.get(id)
    found.ended += now.verdict in ENDING_VERDICTS or now.state != ACTIVE
    if not innocent:
        found.asked += 1
        found.verdicts.update(said - {"not yet known"})


def wilson_low(n: int, of: int, z: float = 1.96) -> float:
    """The lower end of Wilson's interval of a share."""
    if not of:
        return 0.0
    p = n / of
    middle, half = p + z * z / (2 * of), z * ((p * (1 - p) + z * z / (4 * of)) / of) ** 0.5
    return (middle - half) / (1 + z * z / of)


def judged(world: World, result: Result) -> tuple[str, bool]:
    """One line of the table, and whether it keeps its bounds."""
    said = result.verdicts
    wrong = sum(n for word, n in result.claims.items() if word != world.whole)
    good = wilson_low(result.false, result.lessons) <= 0.05 and (
        not result.looks or result.held >= 0.95 * result.looks
    )
    good = good and result.units > 0  # a world in which nothing is on trial shows nothing
    good = good and result.right >= 0.99 * result.uses and wilson_low(wrong, result.stores) <= 0.05
    good = good and not (world.name[:4] == "rare" and result.ended > result.lessons / 400)
    if world.says:
        good = good and said.get(world.says, 0) >= 0.3 * result.asked
    share = f"{100 * result.held / result.looks:.1f} % of {result.looks}" if result.looks else "-"
    told = [f"{said.get(word, 0)} of {result.asked}" for word in ("helps", "harms")]
    cells = [
        world.name,
        result.lessons,
        world.runs,
        result.units,
        world.says or "neither",
        *told,
        result.false,
        result.ended,
        ", ".join(f"{word} {n} of {result.stores}" for word, n in result.claims.items())
        or "nothing",
        share,
        f"{result.right} of {result.uses}" if result.uses else "-",
    ]
    return f"| {' | '.join(map(str, cells))} | {'PASS' if good else 'FAIL'} |", good


HEAD = (
    "| world | lessons | runs a store | units | right | helps | harms | false, any look | not given any more | of the lessons together | intervals that held | losses as they were | |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def main() -> int:
    ask = argparse.ArgumentParser(
        description="Whole worlds through the public surface: is what effect says true?"
    )
    ask.add_argument("--only", default="", help="worlds whose name holds this")
    ask.add_argument("--stores", type=int, default=STORES)
    ask.add_argument("--seed", type=int, default=20261116)
    ask.add_argument("--out", type=Path)
    ask.add_argument("--jobs", type=int, default=1, help="processes, a store each")
    given = ask.parse_args()
    lines, fine, seconds = [HEAD], True, 0.0
    began = time.perf_counter()
    print(HEAD, flush=True)
    wanted = [world for world in WORLDS if given.only in world.name]
    each = [(world, given.seed + 1000 * n) for world in wanted for n in range(given.stores)]
    with ProcessPoolExecutor(given.jobs) as pool:
        played = pool.map(measured, *zip(*each))
        for world in wanted:
            result = Result()
            for _ in range(given.stores):
                result.add(next(played))
            line, good = judged(world, result)
            seconds += result.seconds
            fine &= good
            lines.append(line)
            print(f"{line} {result.seconds:.0f} s", flush=True)
    took = f"{seconds:.0f} s of processors, {time.perf_counter() - began:.0f} s by the clock"
    print(took)
    out = given.out or (
        None if given.only else HERE / "results" / f"{datetime.now(UTC):%Y-%m-%d}-effect-worlds.md"
    )
    if out:
        told = f"# Effect, end to end\n\n`python bench/effect_worlds.py --stores {given.stores} --seed {given.seed} --jobs {given.jobs}`: {took}.\n"
        out.write_text("\n".join([told, WHAT, "", *lines, ""]), encoding="utf-8")
    return 0 if fine else 1


WHAT = """Looked at after every run. Right: the verdict that is true there. False: lessons that were ever called helps or harms where the world says otherwise (in the last world one
lesson of eight ruins its runs; the seven beside it are innocent). Bounds: the lower end of Wilson's interval of false verdicts, and of false claims about the lessons together, at most 5 %; also in 4a, 4b and 4c; of lessons against a rare problem one of 400 at most is ended; intervals at least 95 % of the looks, right verdicts at least 30 %; losses recorded as they were, at least 99 % of the settled uses."""


if __name__ == "__main__":
    sys.exit(main())

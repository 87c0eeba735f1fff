"""What the walls of memory cost on real sessions: the same answers of a reader, fed with the walls down and with them up.

    python -m bench.lessons.walls feed DATA --queue QUEUE --arm down|up [--project NAME]
    python -m bench.lessons.walls sheet DATA FOLDER      lessons and coverage that no judge has seen: for a blind judge
    python -m bench.lessons.walls count DATA FOLDER      what each key and the givings lose, and each lost lesson with its wall

A wall is a decision that says no: it is taken down by answering in its place, and each time that it would have said no is written down in
both arms (`walls.jsonl`). Nothing else differs: profile, data, answers. What a wall keeps off the disk (redaction of readings) is no part of
it: it would change the questions, and no lesson waits for it.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.lessons import coverage, reach
from bench.lessons.feed import World, feed, rows, unpacked
from bench.lessons.figures import logged
from bench.lessons.sheets import key_of

from tacit.core.states import INJECTABLE
from tacit.learn import gate, session
from tacit.learn.reader import asking, cures, decide, take
from tacit.learn.reader.answer import Weighed
from tacit.learn.reader.verdicts import MET, Ruled
from tacit.learn.tell import groups, lessons
from tacit.words.match import shares_half

ARMS = ("down", "up")
Note = Callable[..., None]


@contextlib.contextmanager
def walls(up: bool, note: Note) -> Iterator[None]:
    """The walls, up or down; `note(wall, text, why)` hears of each no that one says, or would have said."""
    kept: list[tuple[Any, str, Any]] = []

    def at(place: Any, name: str, made: Callable[[Any], Any]) -> None:
        real = getattr(place, name)
        kept.append((place, name, real))
        setattr(place, name, made(real))

    def says(wall: str, text: Callable[..., str], down: Any) -> Callable[[Any], Any]:
        """A decision that answers with its reason, or with nothing."""

        def made(real: Any) -> Any:
            def asked(*args: Any, **more: Any) -> Any:
                if why := real(*args, **more):
                    note(wall, text(*args, **more), str(why if isinstance(why, str) else why[0]))
                return why if up else down

            return asked

        return made

    at(
        session,
        "keeps_apart",
        says(
            "a person's line is a lesson of its own", lambda finding, *_, **more: finding.text, ""
        ),
    )
    at(
        decide,
        "_taken_over",
        says("an output's words are quoted", lambda decided, *_: decided.text, ""),
    )
    at(cures, "copied", says("an output's words are quoted", lambda text, *_, **more: text, ""))
    at(
        decide,
        "unsaid",
        says("every word of what was said stands in the line", lambda text, *_, **more: text, []),
    )
    for place in (cures, take):
        at(
            place,
            "brought",
            says("a text from outside vouches for nothing", lambda text, *_, **more: text, ""),
        )
    for place in (cures, gate, groups, lessons):
        at(
            place,
            "why_not_own",
            says("a cure is the repository's own command", lambda command: command, ""),
        )
    at(
        take.Taking,
        "_imitated",
        says("a cure is the repository's own command", lambda _, text: text, ""),
    )
    at(decide, "put_in", says("nobody's names are put in", lambda text, *_, **more: text, []))
    at(
        take,
        "says_more",
        says("a better wording says nothing more", lambda better, *_: str(better), ""),
    )

    def struck(real: Any) -> Any:
        def asked(self: Any, told: Any, found: Any) -> set[str]:
            back: set[str] = real(self, told, found)
            names = {f"p{n}": lesson.text for n, lesson in enumerate(found, 1)} | {
                each.text: each.text for each in found
            }
            every = {names[each.id] for each in told if each.id in names}
            for text in every - back:
                note("only a person strikes", text, "struck by no later line of a person")
            return back if up else every

        return asked

    def needed(real: Any) -> Any:
        def asked(memory: Any, evidence: Any) -> str:
            tier: str = real(memory, evidence)
            if tier != memory.trust:
                note(
                    "what a person confirmed is a person's",
                    memory.text,
                    f"{tier}, not {memory.trust}",
                )
            return tier if up else memory.trust

        return asked

    def ruled(real: Any) -> Any:
        def asked(verdict: str, memory: Any, quote: Any, *rest: Any, **more: Any) -> Ruled:
            ruling: Ruled = real(verdict, memory, quote, *rest, **more)
            if verdict in MET and ruling.act == "nothing":
                note("only a person asks again", memory.text, ruling.reason)
                return ruling if up else Ruled("sighting", "agent", "met again")
            return ruling

        return asked

    def covers(real: Any) -> Any:
        def asked(self: Any, same: Any) -> None:
            real(self, same)
            claimed = {each.new for each in same if each.id.startswith("h")}
            for number in claimed - self.covered:
                note(
                    "a heading covers what it lists",
                    self.new[number - 1].lesson.text,
                    "a person's line",
                )
            if not up:
                self.covered |= claimed

        return asked

    def weigh(real: Any) -> Any:
        def asked(self: Any, questions: asking.Questions, same: Any, names: Any) -> None:
            own = sum(
                each.lesson.standing != decide.AGREED_BY_WORD and each.person is not None
                for each in self.new
            )

            class Put:
                """The same questions; with the walls down that two are the same is believed."""

                @staticmethod
                def weighed(pairs: Any) -> dict[int, Weighed]:
                    said = {**questions.weighed(pairs if up else pairs[:own])}
                    for number in range(own + 1, len(pairs) + 1):
                        if up and (number not in said or said[number].says != "yes"):
                            note(
                                "that two are the same is asked",
                                pairs[number - 1][1],
                                pairs[number - 1][0],
                            )
                        elif not up:
                            said[number] = Weighed("yes", "working")
                    return said

            real(self, Put, same, names)

        return asked

    at(asking.Questions, "_struck", struck)
    at(take, "tier_to_take_away", needed)
    at(take, "ruled", ruled)
    at(take.Taking, "_covers", covers)
    at(take.Taking, "_weigh", weigh)
    try:
        yield
    finally:
        for place, name, real in reversed(kept):
            setattr(place, name, real)


def world_of(data: Path, project: str, arm: str) -> World:
    """The world of an arm: its own home, repository and store."""
    return World(data, project, f"{project}.walls-{arm}")


def fed(world: World, queue: Path, up: bool) -> None:
    """Feed a project with the walls up or down."""
    world.read_by(queue.resolve())
    begun, noted, now = time.time(), [], 0
    with walls(
        up, lambda wall, text, why: noted.append({"n": now, "wall": wall, "text": text, "why": why})
    ):
        for line in feed(world):
            now = line["n"] + 1
    (world.folder / "walls.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in noted))
    print(
        f"{world.folder.name}: {now} sessions in {time.time() - begun:.0f} s, {len(noted)} times no",
        flush=True,
    )


# --- what is lost -----------------------------------------------------------------------------------------------------


def in_force(world: World) -> dict[str, str]:
    """Text -> id of the lessons in force at the end."""
    states = ", ".join(f"'{state}'" for state in INJECTABLE)
    return {
        text: id
        for id, text in rows(
            world, f"SELECT id, text FROM memory WHERE state IN ({states}) AND gate = 'allow'"
        )
    }


def lost(down: World, up: World) -> list[dict[str, str]]:
    """Each lesson that is in force at the end with the walls down and not with them up: what became of it, and by which wall."""
    stands, there = (
        in_force(up),
        {
            text: row
            for *row, text in rows(up, "SELECT id, state, gate, gate_reason, text FROM memory")
        },
    )
    said: dict[str, list[str]] = defaultdict(list)
    for world in (up, down):
        for line in (world.folder / "walls.jsonl").read_text().splitlines():
            each = json.loads(line)
            said[each["text"]].append(f"{each['wall']} ({each['why'][:100]})")
    place = _places(up)
    found = []
    for text, id in in_force(down).items():
        if text in stands:
            continue
        row = there.get(text)
        beside = [
            each for at in _places_of(down, id) for each in place.get(at, ()) if each in stands
        ]
        beside += [each for each in stands if shares_half(each, text) and shares_half(text, each)]
        became = (
            f"in force in other words: {beside[0]}"
            if beside
            else f"{row[1]}, {row[2]}{': ' + row[3] if row[3] else ''}"
            if row
            else "not kept in these words"
        )
        why = said.get(text) or [
            each for command, told in said.items() if f"`{command}`" in text for each in told
        ]
        found.append(
            {
                "project": up.project,
                "text": text,
                "wall": (why or ["none directly"])[-1],
                "became": became,
            }
        )
    return found


def _places(world: World) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    sql = "SELECT evidence.run, evidence.place, memory.text FROM evidence JOIN memory ON memory.id = evidence.memory"
    for run, place, text in rows(world, sql):
        found[f"{run} {place.partition('#')[0]}"].append(text)
    return found


def _places_of(world: World, id: str) -> list[str]:
    found = rows(
        world, f"SELECT run, place FROM evidence WHERE memory = '{id}' AND stance = 'supports'"
    )
    return [f"{run} {place.partition('#')[0]}" for run, place in found]


# Lessons on a sheet: what only one arm gave, and of what both gave a part; each drawn by its givings.
DRAWN = {("down",): 60, ("up",): 60, ARMS: 40}


def givings(
    data: Path, names: list[str]
) -> tuple[dict[str, Counter[str]], dict[str, tuple[str, str]]]:
    """How often each arm gave each lesson, by its key; and the project and text of each key."""
    told: dict[str, Counter[str]] = {arm: Counter() for arm in ARMS}
    known: dict[str, tuple[str, str]] = {}
    for name in names:
        for arm in ARMS:
            world = world_of(data, name, arm)
            texts = {id: " ".join(text.split()) for id, text in coverage.lessons(world).items()}
            for id in (
                id for _, _, ids, _ in reach.given(world, "plain") for id in ids if id in texts
            ):
                key = key_of(name, texts[id])
                told[arm][key] += 1
                known[key] = name, texts[id]
    return told, known


def strata(told: dict[str, Counter[str]]) -> dict[tuple[str, ...], list[str]]:
    """The keys that one arm gave, and that both did, in the order in which they are drawn: who was given more comes sooner."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in {*told["down"], *told["up"]}:
        found[tuple(arm for arm in ARMS if told[arm][key])].append(key)
    for keys in found.values():
        keys.sort(
            key=lambda key: Random(key).random() ** (1 / sum(told[arm][key] for arm in ARMS)),
            reverse=True,
        )
    return found


def sheet(data: Path, names: list[str], folder: Path) -> None:
    """For judges: lessons that the arms gave, drawn and shuffled, and of all that no judge has seen the coverage of the keys."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        asked = _coverage_asked(name)
        texts = {
            text for arm in ARMS for text in coverage.lessons(world_of(data, name, arm)).values()
        }
        fresh = {key_of(name, text): text for text in texts if key_of(name, text) not in asked}
        told = [f"# {name}", "", "## Items", ""]
        told += [f"{item.name}\t{item.text}" for item in coverage.items(world_of(data, name, "up"))]
        told += ["", "## Lessons", "", *(f"{key}\t{text}" for key, text in sorted(fresh.items()))]
        (folder / f"{name}.coverage.tsv").write_text("\n".join(told) + "\n")
        print(name, "lessons without a word on coverage:", len(fresh))
    given, known = givings(data, names)
    drawn = sorted(key for stratum, keys in strata(given).items() for key in keys[: DRAWN[stratum]])
    with (folder / "lessons.tsv").open("w", newline="") as file:
        out = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\")
        out.writerows(("_", key, *known[key]) for key in drawn)
    print(
        "lessons drawn:",
        len(drawn),
        {stratum: len(keys) for stratum, keys in strata(given).items()},
    )


def worth(data: Path, names: list[str], folder: Path) -> Iterator[str]:
    """What the givings of each arm are worth by one sheet of both: the letters of each stratum, whose lessons were drawn by their givings,
    weighed by how much of the arm's givings it is."""
    given, _ = givings(data, names)
    for judge, said in reach.labels(folder, "lessons").items():
        for arm in ARMS:
            whole, good, bad = sum(given[arm].values()), 0.0, 0.0
            for stratum, keys in strata(given).items():
                if arm not in stratum:
                    continue
                letters = Counter(said[key] for key in keys[: DRAWN[stratum]] if key in said)
                share = (
                    sum(given[arm][key] for key in keys) / max(1, whole) / max(1, letters.total())
                )
                good, bad = good + share * letters["a"], bad + share * letters["d"]
            yield f"judge {judge}, walls {arm}: worth {good:.3f}, wrong {bad:.3f} of {whole} givings"


ASKED = (
    Path(__file__).resolve().parents[1] / "labels" / "walls"
)  # keys of lessons that a judge of coverage has seen


def _coverage_asked(name: str) -> set[str]:
    return {key for file in ASKED.glob(f"{name}*.keys") for key in file.read_text().split()}


def covers(name: str, folder: Path) -> dict[str, list[str]]:
    """Item -> keys of lessons that cover it: the judge's words on all lessons so far, and on those of this sheet."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in (
        coverage.LABELS / f"v3a-{name}.json",
        *sorted({*ASKED.glob(f"*{name}.json"), *folder.glob(f"*{name}.json")}),
    ):
        if file.exists():
            for item, keys in json.loads(file.read_text()).items():
                found[item] += keys
    return found


def count(data: Path, names: list[str], folder: Path) -> None:
    """What each key loses by the walls, what the givings are worth in each arm, and each lost lesson."""
    seen: dict[str, list[dict[str, coverage.Seen]]] = {arm: [] for arm in ARMS}
    for name in names:
        for arm in ARMS:
            seen[arm].append(coverage.counted(world_of(data, name, arm), covers(name, folder)))
    whole = {arm: coverage.pooled(parts) for arm, parts in seen.items()}
    print("| key | walls down | up | lost by the walls | won |\n|---|---|---|---|---|")
    for key in whole["down"]:
        down, up = (Counter(whole[arm][key].missed) for arm in ARMS)
        gone, won = sorted((up - down).elements()), sorted((down - up).elements())
        print(
            f"| {key} | {whole['down'][key].yes} of {whole['down'][key].of} | {whole['up'][key].yes} | {len(gone)}: {', '.join(gone)} | {len(won)}: {', '.join(won)} |"
        )
    print()
    print(*worth(data, names, folder), sep="\n")
    for name in names:
        down, up = (world_of(data, name, arm) for arm in ARMS)
        print(
            f"\n## {name}: in force {len(in_force(down))} with the walls down, {len(in_force(up))} up; kept {len(coverage.lessons(down))}, {len(coverage.lessons(up))}; sessions {len(logged(up))}"
        )
        for each in lost(down, up):
            print(f"- {each['text']}\n  wall: {each['wall']}\n  with it: {each['became']}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.lessons.walls", description=__doc__)
    parser.add_argument("step", choices=["feed", "sheet", "count"])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--queue", type=Path)
    parser.add_argument("--arm", choices=ARMS, action="append")
    parser.add_argument("--project", action="append")
    args = parser.parse_args()
    data = unpacked(args.data)
    names = args.project or sorted(
        each.name for each in data.iterdir() if (each / "index.json").exists()
    )
    if args.step == "feed":
        for name in names:
            for arm in args.arm or ARMS:
                fed(world_of(data, name, arm), args.queue, arm == "up")
    else:
        (sheet if args.step == "sheet" else count)(data, names, args.folder)


if __name__ == "__main__":
    main()

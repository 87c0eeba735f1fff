"""How much of what came back do the instruments see? On real sessions whose repeated words and failures somebody has listed by hand.

    python bench/effect_seen.py FOLDER

FOLDER holds a folder per project: `sessions/` and `truth/` with `failures.jsonl` and `repeated.jsonl`, a line per failure or instruction with the sessions that met
it, in order. Every session of an item after its first is a later occurrence; every session that is not listed counts as false where it is called. A lesson may cover
several items (one line about two commands that do not work): it is false of a session in which none of them was met. By each item alone, that is, with a call for the other one counted as
false, stands beside it, and is what the bound holds.

Without a store only failures can be asked: the first session of each stands for the run that taught it, and of the signatures met there the one that shares
most words with the listed text is taken for the lesson's.

With the stores that `make bench-lessons DATA=FOLDER` left in .bench/lessons, the lessons are those that were really on file before the session, as far as a judge said
that they cover the item (bench/labels/coverage). Without a reader they are judged by `learn.settle.outcome_of` (signature or sign in the raw steps); with one also by
what the reader, asked about given and withheld lessons alike, said of the session: `came_back` with a quote that stands in it and is not the agent's own words, or a lesson
of the person's words heard anew that is the same as one on file.

Many calls that the key does not list are no mistake: whoever made it went by steps that failed, and `rtk bun run test 2>&1 | tail` fails without a status. A call whose
session prints the key's own words, or in which the person types one of the key's own quotes, is counted apart (*unlisted*), without help of any instrument of ours.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE.parent)]

from bench.lessons import coverage  # noqa: E402
from bench.lessons.feed import BENCH, World, rows  # noqa: E402
from bench.lessons.figures import logged  # noqa: E402
from bench.lessons.sheets import key_of  # noqa: E402

from tacit import formats  # noqa: E402
from tacit.core.errors import TacitError  # noqa: E402
from tacit.core.links import Use  # noqa: E402
from tacit.core.memory import Memory  # noqa: E402
from tacit.core.run import Run  # noqa: E402
from tacit.formats.source import FileSource  # noqa: E402
from tacit.learn.occurrences import failed_with  # noqa: E402
from tacit.learn.reader.render import AGENT_LINES, rendered  # noqa: E402
from tacit.learn.settle import outcome_of  # noqa: E402

JUDGES = ("1", "2")
STRUCK: dict[tuple[str, str, str], bool] = {}  # project, lesson, session


@dataclass
class Count:
    """Later occurrences and how many were seen; sessions without, and how many were called."""

    later: int = 0
    on_file: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    without: int = 0
    called: dict[str, int] = field(default_factory=dict)

    def add(self, occurred: bool, by: dict[str, bool]) -> None:
        into = self.seen if occurred else self.called
        for name, said in by.items():
            into[name] = into.get(name, 0) + said

    def __add__(self, other: Count) -> Count:
        def both(one: dict[str, int], two: dict[str, int]) -> dict[str, int]:
            return {name: one.get(name, 0) + two.get(name, 0) for name in {**one, **two}}

        return Count(
            self.later + other.later,
            self.on_file + other.on_file,
            both(self.seen, other.seen),
            self.without + other.without,
            both(self.called, other.called),
        )


def sessions(project: Path) -> dict[str, list[Run]]:
    """The runs of every session that can be read."""
    found: dict[str, list[Run]] = {}
    for path in sorted((project / "sessions").rglob("*.jsonl")):
        try:
            found.setdefault(path.stem, []).extend(formats.read(FileSource(str(path))))
        except TacitError as error:
            print(f"  {path.stem}: {error.message}", file=sys.stderr)
    return found


def met_in(runs: list[Run]) -> set[str]:
    """The signatures of all failed steps of a session."""
    return {
        mark
        for run in runs
        for step in run.steps
        if step.role == "tool"
        for mark in failed_with(step, run.cwd)
    }


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9_]{3,}", text.lower()))


def by_signature(project: Path, met: dict[str, set[str]]) -> tuple[Count, dict[str, set[str]]]:
    """Failures whose lesson is what their first session shows; and by the number of each failure the sessions that were called."""
    count, called = Count(), dict[str, set[str]]()
    file = project / "truth" / "failures.jsonl"
    for number, failure in enumerate(
        map(json.loads, file.read_text().splitlines() if file.exists() else ())
    ):
        ids = [each["session"] for each in failure["sessions"] if each["session"] in met]
        if len(ids) < 2:
            continue
        asked = words(failure["signature"])
        mark = max(met[ids[0]], key=lambda each: (len(asked & words(each)), -len(each)), default="")
        count.later += len(ids) - 1
        if not asked & words(mark):
            continue
        called[f"failures-{number}"] = {id for id in met if mark in met[id]}
        for id in met:
            if id not in ids:
                count.without += 1
            if id != ids[0]:
                count.add(id in ids, {"signature": mark in met[id]})
    return count, called


def unlisted(project: Path, runs: dict[str, list[Run]]) -> dict[str, set[str]]:
    """By item the sessions that hold the key's own words: what a failure prints, in any tool's output; what a person said, in a line they typed."""
    printed = {
        id: [
            " ".join(f"{step.error} {step.output}".casefold().split())
            for run in each
            for step in run.steps
            if step.role == "tool"
        ]
        for id, each in runs.items()
    }
    typed = {
        id: [
            " ".join(step.text.casefold().split())
            for run in each
            for step in run.steps
            if step.typed
        ]
        for id, each in runs.items()
    }
    found: dict[str, set[str]] = {}
    for kind, texts in (("failures", printed), ("repeated", typed)):
        file = project / "truth" / f"{kind}.jsonl"
        for number, row in enumerate(
            map(json.loads, file.read_text().splitlines() if file.exists() else ())
        ):
            if kind == "failures":
                keys = [max(re.split(r" ?\(.*|…", row["signature"]), key=len)]
            else:
                keys = [each["quote"] for each in row["occurrences"]]
            keys = [
                key for key in (" ".join(key.casefold().split()) for key in keys) if len(key) >= 12
            ]
            found[f"{kind}-{number}"] = {
                id
                for id, lines in texts.items()
                if any(key in line for key in keys for line in lines)
            }
    return found


def by_lessons(
    world: World,
    runs: dict[str, list[Run]],
    judge: str,
    guessed: dict[str, set[str]],
    holds: dict[str, set[str]],
) -> Iterator[tuple[str, Count]]:
    """Items by the lessons that were on file: kind, and what was seen of it."""
    labels = json.loads((coverage.LABELS / f"{judge}-{world.project}.json").read_text())
    kept = rows(
        world,
        "SELECT id, text, signature, tags, extra, trust, klass, source FROM memory WHERE gate IN ('allow', 'hold') AND text <> ''",
    )
    lessons = {
        id: Memory(
            id,
            "p",
            text,
            "fact",
            klass,
            source=source,
            trust=trust,
            signature=signature,
            tags=tuple(json.loads(tags or "[]")),
            extra=json.loads(extra or "{}"),
        )
        for id, text, signature, tags, extra, trust, klass, source in kept
    }
    keys: dict[str, list[str]] = {}
    for id, memory in lessons.items():
        keys.setdefault(key_of(world.project, memory.text), []).append(id)
    log, read = logged(world), told_by_reader(world, runs)
    every = [item for item in coverage.items(world) if item.kind in ("repeated", "failures")]
    covered: dict[str, set[str]] = {}  # the sessions that met anything a lesson covers
    for item in every:
        for id in (id for key in labels.get(item.name, ()) for id in keys.get(key, ())):
            covered.setdefault(id, set()).update(item.sessions)
    first: dict[str, int] = {}
    for line in log:
        for id in (*line["after"]["in force"], *line["after"]["waiting"]):
            first.setdefault(id, line["n"])
    for item in every:
        if len(item.sessions) < 2:
            continue
        count = Count()
        ids = {id for key in labels.get(item.name, ()) for id in keys.get(key, ())}
        for line in log:
            session = line["session"]
            if session == item.sessions[0]:
                continue
            occurred = session in item.sessions
            have = [id for id in ids if first.get(id, len(log)) < line["n"]]
            count.later += occurred
            guess = session in guessed.get(item.name, ())
            if not have:
                if occurred:
                    count.add(
                        True, {"rules": False, "reader": False, "either": guess, "alone": False}
                    )
                continue
            by_rules = {id for id in have if _struck(world, lessons[id], session, runs)}
            called = by_rules | {id for id in have if id in read.get(session, ())}
            alone = bool(called)
            if not occurred:
                by_rules, called = (
                    {id for id in each if session not in covered[id]} for each in (by_rules, called)
                )
            count.on_file += occurred
            count.without += not occurred
            count.add(
                occurred,
                {
                    "rules": bool(by_rules),
                    "reader": bool(called),
                    "either": bool(called) or guess,
                    "alone": alone,
                    "unlisted": alone and session in holds[item.name],
                },
            )
        yield item.kind, count


def _struck(world: World, memory: Memory, session: str, runs: dict[str, list[Run]]) -> bool:
    """The same in any run of a session; asked once, whichever judge asks."""
    key = (world.project, memory.id, session)
    if key not in STRUCK:
        STRUCK[key] = any(struck(memory, run) for run in runs.get(session, ()))
    return STRUCK[key]


def struck(memory: Memory, run: Run) -> bool:
    """What the product says of a use of this lesson, whatever its arm, without a reader."""
    use = Use(memory.id, "u", "p", "u", memory.id, "withheld", 0.3)
    return (
        outcome_of(use, memory, run, (), over=True, now="2100-01-01T00:00:00Z").value == "occurred"
    )


def told_by_reader(world: World, runs: dict[str, list[Run]]) -> dict[str, set[str]]:
    """By session the lessons that the reader said came back, with a quote that stands there and is not the agent's own words, or that it heard
    anew in the person's words."""
    session = {id: foreign for id, foreign in rows(world, "SELECT id, foreign_id FROM run")}
    found: dict[str, set[str]] = {}
    places: dict[str, set[str]] = {}  # by session the steps that show only words of the agent
    for memory, run, tier, place in rows(
        world,
        "SELECT memory, run, tier, place FROM evidence WHERE stance = 'supports' AND (tier = 'user' OR place LIKE '%#came\\_back' ESCAPE '\\')",
    ):
        id = session.get(run, "")
        if id not in places:
            places[id] = {
                place
                for place, letters in _letters(runs.get(id, [])).items()
                if letters <= set(AGENT_LINES)
            }
        if tier == "user" or place.partition("#")[0] not in places[id]:
            found.setdefault(id, set()).add(memory)
    return found


def _letters(runs: list[Run]) -> dict[str, set[str]]:
    """Who speaks at each place of a session."""
    found: dict[str, set[str]] = {}
    for line in (line for run in runs for line in rendered(run).lines):
        found.setdefault(line.place, set()).add(line.letter)
    return found


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(1, whole):.1f} %)"


def main() -> int:
    folder = Path(sys.argv[1])
    signature = Count()
    kinds: dict[tuple[str, str], Count] = {}
    stores = 0
    for project in sorted(each for each in folder.iterdir() if (each / "truth").exists()):
        runs = sessions(project)
        count, guessed = by_signature(project, {id: met_in(each) for id, each in runs.items()})
        signature += count
        print(
            f"{project.name}: failures by signature {share(count.seen.get('signature', 0), count.later)}, false {share(count.called.get('signature', 0), count.without)}",
            flush=True,
        )
        if (BENCH / project.name / "log.jsonl").exists():
            stores += 1
            holds = unlisted(project, runs)
            for judge in JUDGES:
                for kind, found in by_lessons(
                    World(folder, project.name), runs, judge, guessed, holds
                ):
                    kinds[judge, kind] = kinds.get((judge, kind), Count()) + found
    seen, called = signature.seen.get("signature", 0), signature.called.get("signature", 0)
    print(
        f"\nWithout a reader and without a store, failures by signature: seen {share(seen, signature.later)}, bound 70 %; false {share(called, signature.without)}, bound 10 %"
    )
    fine = seen >= 0.7 * signature.later and called <= 0.1 * signature.without
    if not stores:
        return 0 if fine else 1
    print(
        "\n| judge | of | later occurrences | a lesson on file | seen without a reader | seen with one | of those on file | with one, or by the first session's signature | false without | false with a reader | by each item alone | of these the session holds the key's own words |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for judge in JUDGES:
        both = sum((kinds[judge, kind] for kind in ("repeated", "failures")), Count())
        for name, each in (
            ("repeated", kinds[judge, "repeated"]),
            ("failures", kinds[judge, "failures"]),
            ("both", both),
        ):
            cells = [
                judge,
                name,
                each.later,
                each.on_file,
                share(each.seen["rules"], each.later),
                share(each.seen["reader"], each.later),
                share(each.seen["reader"], each.on_file),
            ]
            cells += [
                share(each.seen["either"], each.later),
                share(each.called["rules"], each.without),
                share(each.called["reader"], each.without),
                share(each.called["alone"], each.without),
                share(each.called["unlisted"], each.called["alone"]),
            ]
            print(f"| {' | '.join(map(str, cells))} |")
        fine &= (
            both.seen["reader"] >= 0.7 * both.later and both.called["alone"] <= 0.1 * both.without
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

"""Blind sheets about what rules alone tell, and the shares that the answers give.

    python -m bench.lessons.blind sheets DATA FOLDER     notice-KIND.md for each kind of line, for a judge who knows neither rules nor program
    python -m bench.lessons.blind shares DATA            shares with intervals from bench/labels/notice/*.jsonl

A sheet says by itself what to do. The product's lines stand among others that it did not choose: the commonest failures, lines of the
projects' instruction files, cures and commands seen once, requests of two sessions. A judge answers with one JSON line per key.
Lines that have a label are not asked again, except with --all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from bench.lessons.feed import World, rows, sessions, unpacked
from bench.lessons.figures import TELLABLE, Past, interval, logged

from tacit.core.states import INJECTABLE

LABELS = Path(__file__).resolve().parents[1] / "labels" / "notice"
KINDS = ("lessons", "given", "person", "requests", "cures", "commands")
GOOD = {
    "lessons": "a",
    "given": "a",
    "person": "a",
    "requests": "a",
    "cures": "right",
    "commands": "right",
}
SEED = 7


@dataclass(frozen=True)
class Line:
    """One line of a sheet."""

    project: str
    text: str
    ours: bool
    weight: int = 1  # how often it was given

    @property
    def key(self) -> str:
        """The same for a text in every version of the program."""
        return hashlib.sha256(f"{self.project}\n{self.text}".encode()).hexdigest()[:10]


def lines(world: World, kind: str) -> list[Line]:
    """The lines of one kind for a project: the product's, and others."""
    ours, others = {
        "lessons": lambda: (_in_force(world), _commonest(world) + _instructions(world)),
        "given": lambda: (_given(world), _commonest(world)[:4]),
        "person": lambda: (_proposals(world, "notice"), _unanswered(world)),
        "requests": lambda: (_proposals(world, "request"), _said_twice(world)),
        "cures": lambda: (_cures(world), _cures_once(world)),
        "commands": lambda: (_commands(world), _forms(world)),
    }[kind]()
    told = {each.text if isinstance(each, Line) else each for each in ours}
    made = [each if isinstance(each, Line) else Line(world.project, each, True) for each in ours]
    return made + [Line(world.project, each, False) for each in others if each not in told]


def _in_force(world: World) -> list[str]:
    states = ", ".join(f"'{state}'" for state in INJECTABLE)
    return [
        text
        for (text,) in rows(
            world,
            f"SELECT text FROM memory WHERE state IN ({states}) AND gate = 'allow' ORDER BY n",
        )
    ]


def _given(world: World) -> list[Line]:
    """Every text that a start was given, with how often, without its id and its counts."""
    found = Counter(_plain(text) for line in logged(world) for text in line["texts"])
    return [Line(world.project, text, True, n) for text, n in found.items()]


def _plain(line: str) -> str:
    bare = re.sub(r"^- (?:\[[^\]]*\] ?)*", "", line)
    return re.sub(r"\s+\((?:seen|from|by|observed|user|you)[^()]*\)\s*$", "", bare).strip()


def _proposals(world: World, kind: str) -> list[str]:
    found = rows(
        world,
        f"SELECT reason, payload FROM proposal WHERE kind = '{kind}' AND state = 'open' ORDER BY created_at",
    )
    return [
        _with_patch(reason, json.loads(payload or "{}").get("patch", ""))
        for reason, payload in found
    ]


def _with_patch(reason: str, patch: str) -> str:
    return f"{reason} Suggested wording: {patch}" if patch else reason


def _met(world: World) -> tuple[dict[str, set[str]], dict[str, tuple[str, ...]], int]:
    met: dict[str, set[str]] = defaultdict(set)
    meta: dict[str, tuple[str, ...]] = {}
    lineages = set()
    for _, lineage, failures in Past(world).sessions:
        lineages.add(lineage)
        for mark, nature, family, tool, program, *_ in failures:
            met[mark].add(lineage)
            meta[mark] = (nature, family, tool, program)
    return met, meta, len(lineages)


def _commonest(world: World) -> list[str]:
    """The commonest failures as a plain counter would word them."""
    met, meta, _ = _met(world)
    common = sorted(
        (mark for mark in met if len(met[mark]) > 1 and meta[mark][0] != "host"),
        key=lambda mark: (-len(met[mark]), mark),
    )[:10]
    return [f"`{meta[mark][3]}` fails here again and again with: {mark}." for mark in common]


def _instructions(world: World) -> list[str]:
    found: dict[str, None] = {}
    for path in sorted(world.repository.rglob("*.md")):
        for line in path.read_text(errors="replace").splitlines():
            bare = line.strip(" -*#\t")
            if 30 < len(bare) < 160 and not line.startswith(("#", "|", "```")):
                found[bare] = None
    return random.Random(SEED).sample(list(found), min(6, len(found)))


def _unanswered(world: World) -> list[str]:
    """What failed in three sessions or more, as a counter would report it."""
    met, meta, count = _met(world)
    common = sorted(
        (mark for mark in met if len(met[mark]) > 2 and meta[mark][0] in TELLABLE),
        key=lambda mark: (-len(met[mark]), mark),
    )[:5]
    return [
        f"`{meta[mark][3]}` failed in {len(met[mark])} of {count} sessions: {mark}."
        for mark in common
    ]


def _said_twice(world: World) -> list[str]:
    typed = rows(
        world,
        "SELECT mark, MIN(program), COUNT(DISTINCT lineage) FROM incident WHERE kind = 'sentence' GROUP BY mark HAVING COUNT(DISTINCT lineage) > 1",
    )
    some = random.Random(SEED).sample(sorted(typed), min(4, len(typed)))
    return [
        f"In {n} of {len(logged(world))} sessions you asked “{text}”. Make it a standing order?"
        for _, text, n in some
    ]


def _cures(world: World) -> list[str]:
    """Each cure that a line in force tells, as a pair of failure and cure."""
    found = []
    for text in _in_force(world):
        if text.startswith("Does not work here: "):
            items = re.split(
                r"(?<=\)), ", text.removeprefix("Does not work here: ").removesuffix(".")
            )
            found += [
                item
                for item in items
                if re.search(r"\([^)]*: |only compile|\((?:quote|wait|`git remote)", item)
            ]
        elif said := re.search(r"(\S+) rejects (?:here|in `[^`]+`) again and again: (.*)", text):
            found += [
                f"{said[1]} rejects {rule}"
                for rule in re.findall(r"\w[\w-]* \((?:mended|mostly)[^,]*?\)(?=,|\.)", said[2])
            ]
        if text.startswith("Run `") and " before `" in text:
            found.append(text.split(". ")[0])
    return found


def _cures_once(world: World) -> list[str]:
    seen = rows(
        world,
        "SELECT program, mark, cure, ended FROM incident WHERE kind = 'failure' AND cure <> '' AND nature IN ('env', 'git', 'gate', 'convention')"
        " GROUP BY mark, cure HAVING COUNT(DISTINCT lineage) = 1 ORDER BY mark, cure",
    )
    some = random.Random(SEED).sample(seen, min(4, len(seen)))
    return [
        f"`{program}` ({mark}): {f'run `{cure}` before' if ended == 'command' else cure}"
        for program, mark, cure, ended in some
    ]


def _commands(world: World) -> list[str]:
    return [
        text
        for text in _in_force(world)
        if re.match(
            r"(?:Run the tests|Build|Lint|Format|Check types|Run database migrations) with `", text
        )
    ]


def _forms(world: World) -> list[str]:
    forms = rows(
        world,
        "SELECT nature, program, folder FROM incident WHERE kind = 'command' GROUP BY nature, program, folder HAVING COUNT(DISTINCT lineage) > 1 ORDER BY 1, 2, 3",
    )
    some = random.Random(SEED).sample(forms, min(5, len(forms)))
    return [
        f"{purpose.capitalize()} with `{form}`{f' in `{folder}`' if folder else ''}."
        for purpose, form, folder in some
    ]


HEAD = """# Sheet: {title}

You judge lines that several programs and people wrote for software projects. You do not know which line comes from where; judge each for itself.
For each project the real work sessions (JSON lines, one file a session) and the instruction files lie here:

{where}

Look into them (grep) before you call a line true or false. Do not guess; do not ask who wrote a line.

## What to answer

{task}

Write one JSON line per key to `{answers}`: {{"key": "…", "label": "…", "why": "a few words"}}. Every key needs a line.

## Lines
"""
TASK = {
    "lessons": """Each line is meant for a coding agent: it reads it at the start of a session next month, with the repository and its instruction files open.
The first question answered yes decides the label:
1. `d` wrong: would following it literally do damage, or is it false? (the opposite of what was said; a cure that cured nothing; a command that does not do what it says or fails here; a restriction of one task made a rule)
2. `c` noise: is it no lesson at all? (a step of a task that is done, a one-off request, a status, a bug since fixed, the agent program's own tool protocol, a mere "X fails" with nothing to do about it)
3. `e` too specific: is there a lesson, but not usable as worded? (line numbers, one file named as the project, cut off, "this", "it")
4. `b` trivial: would the agent have known or done it anyway? (the language's default; it stands in the instruction file; the code says it at first sight; a second wording of a better line of the same project on this sheet)
5. `a` useful: everything else: true, still so next month, and an agent would at least sometimes do better for it.
If two labels seem equally right take the one that comes first. A line that names several things is judged as a whole: `a` if most of what it names is worth knowing and nothing in it is wrong.""",
    "person": """Each line is meant for the developer's own inbox (never for an agent): something to mend in the machine, the project or its instruction file.
`a` worth showing: true, and a developer who reads it could mend something or would want to know. `b` true, but they would shrug. `c` noise: the ordinary course of work, or nothing anybody could mend. `d` wrong: not true.""",
    "requests": """Each line asks the developer whether something that they typed again and again should become a standing order for their agents.
`a` worth asking: it is a way of working that they seem to want every time (or every time of a kind), so that an agent could do it unasked. `b` true, but too ordinary or too vague to be an order. `c` noise: belongs to one task, or is no request. `d` wrong: they did not ask for this, or asked for different things.""",
    "cures": """Each line names a failure and what is said to help. Find such failures in the sessions (grep for the code or the command) and see what really made them go away.
`right`: that is what helped, or would help, in general in this project. `wrong`: it did not help, had nothing to do with it, or should not be taught (it hides or breaks something, unless the line itself says that it silences).""",
    "commands": """Each line names a command for a purpose. Look into the sessions how it was used and how it ended, in which folder.
`right`: it does what the line says, in the folder that it names (no folder: the root), as a rule passes, and is for the whole project or for any part one names. `wrong`: it fails as a rule, serves another purpose, works elsewhere, or is for one file or one moment only.
Add `"named": true` where an instruction file of the project names this very command.""",
}
TASK["given"] = (
    TASK["lessons"]
    + "\nMany lines are stages of one line that grew with time: judge each as if it stood alone, stages are no second wordings."
)
TITLE = {
    "lessons": "lessons for agents",
    "given": "lines at the start of a session",
    "person": "findings for a developer",
    "requests": "standing requests",
    "cures": "failures and what helps",
    "commands": "commands",
}


def labelled(kind: str) -> dict[str, dict[str, str]]:
    """The answers about one kind of line, by key; of several the last."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(LABELS.glob(f"{kind}*.jsonl")):
        for line in path.read_text().splitlines():
            if line.strip():
                answer = json.loads(line)
                found[answer["key"]] = answer
    return found


def _labels_of(kind: str) -> dict[str, dict[str, str]]:
    # A line that was judged as a lesson in force is not judged again as a line given, and the other way round.
    both = {"lessons": ("given", "lessons"), "given": ("lessons", "given")}.get(kind, (kind,))
    return {key: answer for each in both for key, answer in labelled(each).items()}


def write_sheets(worlds: list[World], folder: Path, every: bool) -> None:
    """One file per kind of line, in an order that says nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    asked: set[str] = set()
    for kind in KINDS:
        known = {} if every else _labels_of(kind)
        by_project = {
            world.project: [line for line in lines(world, kind) if line.key not in known]
            for world in worlds
        }
        if kind == "given":
            by_project = {
                name: [line for line in some if line.key not in asked]
                for name, some in by_project.items()
            }
        if kind == "lessons":
            asked = {line.key for some in by_project.values() for line in some}
        if not any(line.ours for some in by_project.values() for line in some):
            continue
        where = "\n".join(
            f"- {world.project}: `{world.data / world.project}/sessions`, `{world.data / world.project}/instructions`"
            for world in worlds
        )
        path = folder / f"notice-{kind}.md"
        text = HEAD.format(
            title=TITLE[kind], where=where, task=TASK[kind], answers=path.with_suffix(".jsonl")
        )
        for name, some in by_project.items():
            mixed = list({line.key: line for line in reversed(some)}.values())
            random.Random(SEED).shuffle(mixed)
            text += (
                f"\n### {name}\n\n" + "".join(f"- `{line.key}` {line.text}\n" for line in mixed)
                if mixed
                else ""
            )
        path.write_text(text)
        print(path, sum(len(some) for some in by_project.values()))


def shares(worlds: list[World]) -> dict[str, dict[str, object]]:
    """Per kind: the product's lines by label, the good share with its interval, and the same of the other lines."""
    found: dict[str, dict[str, object]] = {}
    for kind in KINDS:
        known = _labels_of(kind)
        ours: Counter[str] = Counter()
        others: Counter[str] = Counter()
        per: dict[str, str] = {}
        for world in worlds:
            mine: Counter[str] = Counter()
            for line in lines(world, kind):
                label = known.get(line.key, {}).get("label", "?")
                (mine if line.ours else others)[label] += line.weight
            ours += mine
            if mine:
                per[world.project] = f"{mine[GOOD[kind]]}/{sum(mine.values())}"
        found[kind] = {
            "labels": dict(ours),
            "good": interval(ours[GOOD[kind]], sum(ours.values())),
            "wrong": ours["d"] + ours["wrong"],
            "per project": per,
            "other lines": dict(others),
            "other lines good": interval(others[GOOD[kind]], sum(others.values()) - others["?"]),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["sheets", "shares"])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("."))
    parser.add_argument(
        "--all", action="store_true", help="ask again about lines that have a label"
    )
    args = parser.parse_args()
    args.data = unpacked(args.data)
    names = sorted(each.name for each in args.data.iterdir() if (each / "index.json").exists())
    worlds = [
        world
        for name in names
        if (world := World(args.data, name)).log.exists() and sessions(args.data, name)
    ]
    if args.step == "sheets":
        write_sheets(worlds, args.folder, args.all)
    else:
        print(json.dumps(shares(worlds), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()

"""Blind sheets for a judge: the product's lines mixed with others, without a word of where each comes from.

The judge writes one letter (a useful, b trivial, c noise, d wrong, e too specific) behind each key, and may add a word; the file goes to
bench/labels/lessons/. `--other FILE` mixes in lines that something else made (JSON lines with project and text), so that the judge cannot know whose a line is.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from bench.lessons.feed import World, rows
from bench.lessons.figures import logged

LABELS = Path(__file__).resolve().parents[1] / "labels" / "lessons"


def sheet(world: World, other: Path | None, seed: int = 1) -> str:
    """One project's sheet: lessons in force and lines for the person, in an order that says nothing."""
    entries = [
        (text, "lesson", _said(world, id) if trust == "user" else "")
        for id, text, trust in _in_force(world)
    ]
    entries += [
        (text, "person", "")
        for (text,) in rows(
            world,
            "SELECT reason FROM proposal WHERE kind IN ('request', 'notice') AND state = 'open'",
        )
    ]
    if other is not None:
        for line in other.read_text().splitlines():
            item = json.loads(line)
            if item["project"] == world.project:
                entries.append((item["text"], item.get("for", "lesson"), ""))
    random.Random(seed).shuffle(entries)
    head = f"# {world.project}\n\nLabels: a useful, b trivial, c noise, d wrong, e too specific. `person` lines are for a human's inbox: a if worth showing.\n\n"
    return (
        head
        + "\n".join(
            f"{key_of(world.project, text)}\t_\t{kind}\t{said}\t{text}"
            for text, kind, said in dict.fromkeys(entries)
        )
        + "\n"
    )


def key_of(project: str, text: str) -> str:
    """A key that a text has in every version of the product."""
    return hashlib.sha256(f"{project}\n{text}".encode()).hexdigest()[:10]


def judged(world: World, folder: Path = LABELS) -> dict[str, Any]:
    """The figures that rest on labels, judge by judge; a line without one is counted as unlabelled ("?"), never left out silently."""
    texts = dict(rows(world, "SELECT id, text FROM memory"))
    force = [key_of(world.project, text) for _, text, _ in _in_force(world)]
    given = [
        key_of(world.project, texts[id])
        for line in logged(world)
        for id in line["given"]
        if id in texts
    ]
    person = rows(
        world, "SELECT reason FROM proposal WHERE kind IN ('request', 'notice') AND state = 'open'"
    )
    sets = {
        "in force": force,
        "given at starts": given,
        "person": [key_of(world.project, text) for (text,) in person],
    }
    others = (
        folder / f"others-{world.project}.json"
    )  # keys of what stood on the sheet beside ours, and whose each is
    sets.update(json.loads(others.read_text()) if others.exists() else {})
    judges = {
        file.name.split("-")[0]: labels_of(file)
        for file in sorted(folder.glob(f"*-{world.project}.tsv"))
    }
    told: dict[str, Any] = {
        judge: {
            name: dict(Counter(said.get(key, "?") for key in keys if name in MINE or key in said))
            for name, keys in sets.items()
        }
        for judge, said in judges.items()
    }
    if len(judges) == 2:
        one, two = judges.values()
        both = [key for key in one if key in two]
        told["both"] = {
            "judged": len(both),
            "agree": sum(one[key] == two[key] for key in both),
            "agree on a": sum((one[key] == "a") == (two[key] == "a") for key in both),
        }
    return told


MINE = ("in force", "given at starts", "person")


def labels_of(file: Path) -> dict[str, str]:
    """A judge's letters, by key."""
    found = {}
    for line in file.read_text().splitlines():
        key, _, rest = line.partition("\t")
        if key.strip():
            found[key.strip()] = rest.strip()[:1]
    return found


def _in_force(world: World) -> list[tuple[str, str, str]]:
    return [
        (id, text, trust)
        for id, text, trust in rows(
            world,
            "SELECT id, text, trust FROM memory WHERE state IN ('provisional', 'stable', 'canonical') AND gate = 'allow' ORDER BY n",
        )
    ]


def _said(world: World, memory: str) -> str:
    quotes = rows(world, f"SELECT quote FROM evidence WHERE memory = '{memory}' LIMIT 1")
    return "typed" if quotes and quotes[0][0] else "nobody"

"""Which items of the answer keys the lessons cover, and when: on file, in force, given.

A judge says which lessons cover which item (`shared/reference/judging.md`: an agent that follows the lesson would have done what the item asks,
or would not have met its failure); this module makes the sheet, and counts from the log of the feeding what was known when. Labels:
bench/labels/coverage/<judge>-<project>.json, item → keys of lessons. Judge 3 is no third reading of everything: it holds what judges 1 and 2 both count,
and of the pairs of repeated instructions on which they differ what a third judge, blind, decided.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.lessons.feed import World, rows
from bench.lessons.figures import logged
from bench.lessons.sheets import key_of

LABELS = Path(__file__).resolve().parents[1] / "labels" / "coverage"
KINDS = ("expert", "team", "repeated", "failures", "superseded")


@dataclass(frozen=True)
class Item:
    """One entry of an answer key."""

    name: str  # its kind and number
    kind: str
    text: str
    sessions: tuple[str, ...] = ()  # that met it, in the order of time
    date: str = ""  # when the team wrote it down
    visible: bool = True


def items(world: World) -> Iterator[Item]:
    """The answer key of a project."""
    order = {line["session"]: line["n"] for line in logged(world)}
    for kind in KINDS:
        file = world.data / world.project / "truth" / f"{kind}.jsonl"
        for number, line in enumerate(file.read_text().splitlines() if file.exists() else ()):
            row = json.loads(line)
            met = [each["session"] for each in row.get("occurrences", row.get("sessions", ()))]
            if kind == "superseded":
                met = [row["older"]["session"], row["newer"]["session"]]
            yield Item(
                f"{kind}-{number}",
                kind,
                _text(kind, row),
                tuple(
                    sorted((each for each in met if each in order), key=lambda each: order[each])
                ),
                row.get("date", ""),
                kind != "team" or bool(row.get("learnable_from")),
            )


def _text(kind: str, row: dict[str, Any]) -> str:
    if kind == "failures":
        return f"failure: {row['signature']} | cure: {row['cure']} | {row.get('lesson') or ''}"
    if kind == "superseded":
        return f"OLD rule: {row['older']['quote']} | reversed by: {row['newer']['quote']} | {row.get('note', '')}"
    if kind == "repeated":
        return f"{row['meaning']} | typed: {row['occurrences'][0]['quote'][:160]}"
    return str(row.get("lesson") or row.get("text"))


def lessons(world: World) -> dict[str, str]:
    """Every lesson the store ever kept, by id."""
    return dict(
        rows(
            world,
            "SELECT id, text FROM memory WHERE gate IN ('allow', 'hold') AND text <> '' ORDER BY n",
        )
    )


def sheet(world: World) -> str:
    """What a judge of coverage reads: the items, then all lessons under their keys, in an order that says nothing."""
    told = [f"# {world.project}", "", "## Items", ""]
    told += [f"{item.name}\t{item.text}" for item in items(world)]
    told += ["", "## Lessons", ""]
    told += sorted({f"{key_of(world.project, text)}\t{text}" for text in lessons(world).values()})
    return "\n".join(told) + "\n"


@dataclass
class Seen:
    """How many of how many."""

    yes: int = 0
    of: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, held: bool, name: str) -> None:
        self.yes += held
        self.of += 1
        if not held:
            self.missed.append(name)

    def __str__(self) -> str:
        if not self.of:
            return "0 of 0"
        low, high = wilson(self.yes, self.of)
        return f"{self.yes} of {self.of} = {self.yes / self.of:.2f} ({low:.2f} to {high:.2f})"


def wilson(yes: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share."""
    share, n = yes / of, of
    middle, wide = (
        share + z * z / (2 * n),
        z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)),
    )
    return max(0.0, (middle - wide) / (1 + z * z / n)), min(1.0, (middle + wide) / (1 + z * z / n))


def counted(world: World, labels: dict[str, list[str]]) -> dict[str, Seen]:
    """The figures of one project, by a judge's word on what covers what."""
    by_key: dict[str, list[str]] = {}
    for id, text in lessons(world).items():
        by_key.setdefault(key_of(world.project, text), []).append(id)
    log = logged(world)
    at = {line["session"]: line["n"] for line in log}
    seen: dict[str, Seen] = {}

    def add(name: str, held: bool, item: str) -> None:
        seen.setdefault(name, Seen()).add(held, f"{world.project} {item}")

    for item in items(world):
        ids = {id for key in labels.get(item.name, ()) for id in by_key.get(key, ())}
        if item.kind == "expert":
            add("expert caught", _on_file(log[-1], ids), item.name)
            add("expert in force", _in_force(log[-1], ids), item.name)
        elif item.kind == "team" and item.visible:
            then = [line for line in log if line["start"][:10] <= item.date] or log[:1]
            add("team caught", _on_file(then[-1], ids), item.name)
            add("team in force", _in_force(then[-1], ids), item.name)
        elif item.kind == "repeated" and len(item.sessions) > 1:
            first, *later = item.sessions
            add("repeated heard at first", _on_file(log[at[first]], ids), item.name)
            for session in later:
                add(
                    "repeated in force before it came again",
                    _in_force(log[at[session] - 1], ids),
                    item.name,
                )
                line = log[at[session]]
                add("repeated given at that start", bool(ids & set(line["given"])), item.name)
                add(
                    "repeated given, or left out there by the coin alone",
                    bool(ids & {*line["given"], *line["withheld"]}),
                    item.name,
                )
        elif item.kind == "failures" and len(item.sessions) > 1:
            for session in item.sessions[1:]:
                add(
                    "failure met again: cure in force",
                    _in_force(log[at[session] - 1], ids),
                    item.name,
                )
                add(
                    "failure met again: cure on file",
                    _on_file(log[at[session] - 1], ids),
                    item.name,
                )
                line = log[at[session]]
                told = {
                    *line["given"],
                    *(id for each in line.get("moments", ()) for id in each["given"]),
                }
                add(
                    "failure met again: given at that start",
                    bool(ids & set(line["given"])),
                    item.name,
                )
                add(
                    "failure met again: told at the start or right after the failure",
                    bool(ids & told),
                    item.name,
                )
        elif item.kind == "superseded":
            add("superseded gone", not _in_force(log[-1], ids), item.name)
    return seen


def _on_file(line: dict[str, Any], ids: set[str]) -> bool:
    return bool(ids & {*line["after"]["in force"], *line["after"]["waiting"]})


def _in_force(line: dict[str, Any], ids: set[str]) -> bool:
    return bool(ids & set(line["after"]["in force"]))


def pooled(parts: list[dict[str, Seen]]) -> dict[str, Seen]:
    """The figures of several projects together."""
    whole: dict[str, Seen] = {}
    for part in parts:
        for name, seen in part.items():
            here = whole.setdefault(name, Seen())
            here.yes, here.of = here.yes + seen.yes, here.of + seen.of
            here.missed += seen.missed
    return whole

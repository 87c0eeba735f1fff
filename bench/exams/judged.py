"""What judges said, kept by the words of a lesson: letters (judging.md) and which items of the answer keys it covers.

A lesson is known by a hash of its project and its text, the same in every version of the product. Who has no label is counted as such.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LABELS = Path(__file__).resolve().parents[1] / "labels"


@dataclass(frozen=True)
class Item:
    """One entry of an answer key."""

    name: str  # its kind and number
    kind: str  # expert, team, repeated, failures or superseded
    sessions: tuple[str, ...] = ()  # that met it, in the order of time
    quotes: tuple[str, ...] = ()  # what was typed in each of them
    date: str = ""  # when the team wrote it down
    visible: bool = True


def items(project: Path, order: dict[str, int]) -> Iterator[Item]:
    """The answer key of a project; `order` has the number of each session that is fed."""
    for kind in ("expert", "team", "repeated", "failures", "superseded"):
        for number, row in enumerate(_rows(project / "truth" / f"{kind}.jsonl")):
            met = row.get("occurrences", row.get("sessions", ()))
            known = [each for each in met if each["session"] in order]
            known.sort(key=lambda each: order[each["session"]])
            yield Item(
                f"{kind}-{number}",
                kind,
                tuple(each["session"] for each in known),
                tuple(each.get("quote", "") for each in known),
                row.get("date", ""),
                kind != "team" or bool(row.get("learnable_from")),
            )


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def key_of(project: str, text: str) -> str:
    """A key that a text has in every version of the product."""
    return hashlib.sha256(f"{project}\n{text}".encode()).hexdigest()[:10]


def covers(project: str) -> dict[str, list[str]]:
    """Which lessons, by key, cover each item of a project; empty where nobody judged."""
    place = LABELS / "coverage" / f"{project}.json"
    found: dict[str, list[str]] = json.loads(place.read_text()) if place.exists() else {}
    return found


def letters() -> dict[str, str]:
    """What judges said of each lesson, a letter each: a useful, b trivial, c noise, d wrong, e too specific."""
    rows = (line.split("\t") for line in (LABELS / "letters.tsv").read_text().splitlines())
    return {row[0]: row[1] for row in rows}


@dataclass
class Seen:
    """How many of how many, and which not."""

    yes: int = 0
    of: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, held: bool, name: str) -> None:
        self.yes += held
        self.of += 1
        if not held:
            self.missed.append(name)

    def __str__(self) -> str:
        return f"{self.yes} of {self.of}"


@dataclass
class Worth:
    """Letters of what was delivered; each judge of a lesson counts for his part of it."""

    letters: Counter[str] = field(default_factory=Counter)

    def add(self, said: str) -> None:
        for letter in said or "?":
            self.letters[letter] += 1 / len(said or "?")

    def share(self, letter: str) -> float | None:
        judged = math.fsum(n for each, n in self.letters.items() if each != "?")
        return round(self.letters[letter] / judged, 3) if judged else None

    def unjudged(self) -> str:
        return f"{round(self.letters['?'])} of {round(sum(self.letters.values()))}"

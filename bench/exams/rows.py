"""Figures as rows, `exam · figure · value`, and two runs beside each other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

# By project and session the hashes of the pages and of the questions that a reader was shown of that session alone.
Pages = dict[str, dict[str, list[str]]]


@dataclass(frozen=True)
class Row:
    """One figure of an exam."""

    exam: str
    figure: str
    value: object

    def __str__(self) -> str:
        return f"{self.exam} · {self.figure} · {self.value}"


def skipped(exam: str, why: str) -> Row:
    """An exam that could not be asked; never a pass."""
    return Row(exam, "skipped", why)


def written(rows: list[Row], pages: Pages, place: Path, date: str) -> None:
    """Keep a run's figures."""
    told = ",\n".join(
        json.dumps([row.exam, row.figure, row.value], ensure_ascii=False) for row in rows
    )
    seen = json.dumps(pages, indent=0, ensure_ascii=False)
    place.write_text(f'{{"date": "{date}", "rows": [\n{told}\n],\n"pages": {seen}}}\n')


def compared(old: Path, new: Path) -> list[str]:
    """What differs between two runs, row by row, and of how many sessions the page does."""
    before, after = json.loads(old.read_text()), json.loads(new.read_text())
    one, other = (
        {(exam, figure): value for exam, figure, value in each["rows"]} for each in (before, after)
    )
    told = []
    for at in dict.fromkeys([*one, *other]):
        was, now = one.get(at, "-"), other.get(at, "-")
        if was != now:
            told.append(f"{at[0]} · {at[1]} · {was} → {now}")
    same = sum(value == other.get(at, "-") for at, value in one.items())
    return [*told, f"{same} of {len(one)} figures are the same", *_pages(before, after)]


def _pages(before: dict[str, Pages], after: dict[str, Pages]) -> list[str]:
    """Project by project, the sessions of which a reader is shown something else."""
    told = []
    for project, sessions in before["pages"].items():
        there = after["pages"].get(project)
        if there is None:
            told.append(f"pages · {project} · was not fed again")
            continue
        other = [session for session, seen in sessions.items() if there.get(session) != seen]
        told.append(f"pages · {project} · {len(sessions) - len(other)} of {len(sessions)} the same")
        told += [f"    {session}" for session in other]
    return told

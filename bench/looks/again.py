"""How often they had to say it again, as the habits' answers count it, beside the keys.

    python -m bench.looks.again DATA --out FOLDER        (after `python -m bench.looks unpack DATA --out FOLDER`)

A repeat of the keys is a wish in a session of another lineage than those in which it was said before. It is *counted as such*
if a habit names that session by a line which is the key's own: one holds the other, or they share half of the words of the
shorter. *Named*: by any line of that session. What is counted beyond the keys is no error by itself, for the keys do not hold
everything: two judges who knew neither product nor answers said of a sample of counted lines whether they show the habit; of
those, the ones that are no first line of their habit are the precision.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.looks.figures import answered, projects
from bench.looks.sheets import TRUTH, _ever, _key, _rate
from bench.looks.walk import Step, left, named, place_of

BAR = 0.5  # of the shorter line's words that two lines share which are one


def repeats(data: Path, project: str, out: Path) -> Iterator[tuple[str, str]]:
    """The keys' repeats: the session, and what was typed there."""
    file, field = TRUTH["habits"]
    place = place_of(data, project) / "truth" / file
    group = {each.session: each.group for each in left(data, project, out)}
    own = named(project, out)
    for row in map(json.loads, place.read_text().splitlines()) if place.exists() else ():
        met: set[str] = set()
        for each in row[field]:
            session = own.get(each["session"], "")
            if session not in group or group[session] in met:
                continue
            if met:
                yield session, each["quote"]
            met.add(group[session])


def counted(steps: Sequence[Step]) -> dict[str, list[str]]:
    """The sessions that any habit ever named, each with the lines that name it."""
    found: dict[str, list[str]] = {}
    for step in steps:
        for item in step.answer.items:
            for cite in item.cites:
                found.setdefault(cite.session, []).append(cite.words)
    return found


def is_one(line: str, key: str) -> bool:
    """Whether two lines are the same."""
    words, other = (set(re.findall(r"\w+", each.casefold())) for each in (line, key))
    shorter = min(len(words), len(other))
    return bool(shorter) and len(words & other) >= BAR * shorter


def judged(
    out: Path, data: Path, project: str, steps: Sequence[Step], labels: dict[str, str]
) -> list[bool]:
    """What a judge said of the counted lines that are no first line of their habit."""
    order = {each.session: n for n, each in enumerate(left(data, project, out))}
    found = []
    for item in _ever(steps):
        cites = sorted(item.cites, key=lambda cite: order.get(cite.session, 0))
        for cite in cites[1:]:
            said = labels.get(_key(project, item.text, cite.session))
            found += [said.lower().startswith("y")] if said else []
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    sheets = [given.out / "sheets" / f"habits.shown.labels{n}.json" for n in ("", ".2")]
    judges = [json.loads(sheet.read_text()) for sheet in sheets if sheet.exists()]
    said: list[list[bool]] = [[] for _ in judges]
    rows, late = [0, 0, 0], [0, 0]
    print("| project | the keys' repeats | named | counted as such |\n|---|---|---|---|")
    for project in projects(given.data, given.out):
        steps = answered(given.data, project, "habits", given.out)
        lines = counted(steps)
        keys = [*repeats(given.data, project, given.out)]
        last = {each.session for each in left(given.data, project, given.out)[steps[-1].number :]}
        names = sum(session in lines for session, _ in keys)
        hit = sum(
            any(is_one(line, key) for line in lines.get(session, ())) for session, key in keys
        )
        rows = [a + b for a, b in zip(rows, (len(keys), names, hit))]
        late[0] += sum(session in last for session, _ in keys)
        for n, labels in enumerate(judges):
            said[n] += judged(given.out, given.data, project, steps, labels)
        print(f"| {project} | {len(keys)} | {names} | {hit} |", flush=True)
    print(f"| **all** | {rows[0]} | {_rate(rows[1], rows[0])} | {_rate(rows[2], rows[0])} |")
    print(
        f"\n{late[0]} of the repeats lie behind the last question of their project: nobody was asked about them."
    )
    for n, each in enumerate(said, 1):
        if each:
            print(
                f"Judge {n}, of sampled lines that count a repeat: {_rate(sum(each), len(each))} show the habit."
            )


if __name__ == "__main__":
    main()

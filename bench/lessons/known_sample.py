"""How often the reader is right about remembered lessons: two hundred verdicts, each kind that readers use among them.

    python bench/lessons/known_sample.py sheet QUEUE > sheet.txt     what a judge reads: lesson, verdict, and the lines around its quote
    python bench/lessons/known_sample.py figures QUEUE               precision by kind, by the kept labels

QUEUE holds the questions of a feeding and their answers (`recorded.py`). Verdicts are drawn by the hash of what they say, as many of a kind as
`DRAWN` names, or all there are (sessions we made up are left out); a share over all kinds is weighted back by how often readers use each. A judge writes one line per verdict into
bench/labels/known/JUDGE.tsv: its key, a tab, `right` or `wrong`, a tab, a word why. `right`: by the record the verdict is so, and the
quote shows it (for `same`: whoever is told one needs not be told the other, and the better wording, if there is one, is true to both).
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

import known_by

LABELS = Path(__file__).parents[1] / "labels" / "known"
AROUND = 6
DRAWN = {
    "came_back": 40,
    "same": 30,
    "followed": 25,
    "said_again": 25,
    "excepted": 20,
    "breached": 20,
    "amended": 24,
    "outdated": 15,
    "reversed": 15,
}
DEMANDING = ("outdated", "reversed", "amended")  # a lesson ends by these: a bound of their own


def told(queue: Path) -> dict[str, list[tuple[str, str, str, dict[str, object]]]]:
    """Of each kind its verdicts by their hash: (key, record, question, verdict)."""
    found: dict[str, dict[str, tuple[str, str, str, dict[str, object]]]] = {
        kind: {} for kind in DRAWN
    }
    for file in sorted(queue.glob("*/known-*.txt")):
        if file.parent.name == "exceptions" or not file.with_suffix(".json").exists():
            continue
        text = file.read_text()
        record, words = known_by.about(text)
        for verdict in json.loads(file.with_suffix(".json").read_text()).get("verdicts", []):
            lesson = words.get(str(verdict.get("id")), "")
            if lesson and verdict.get("verdict") in found:
                name = key(record, lesson, str(verdict["verdict"]), str(verdict.get("line")))
                found[verdict["verdict"]].setdefault(name, (name, record, text, verdict))
    return {kind: [each for _, each in sorted(rows.items())] for kind, rows in found.items()}


def sheet(queue: Path) -> None:
    """Print the drawn verdicts, mixed, with what each speaks of."""
    drawn = sorted(each for kind, rows in told(queue).items() for each in rows[: DRAWN[kind]])
    for name, record, text, verdict in drawn:
        _, words = known_by.about(text)
        lines = text.partition("=== end of record")[0].split("\n")
        print(f"\nKEY {name} (session {record[:8]})\nLESSON {words.get(str(verdict['id']), '')}")
        if verdict["verdict"] == "same":
            print(
                f"VERDICT same as the new one: {words.get(str(verdict.get('new')), '?')}\nBETTER {verdict.get('into')}"
            )
            continue
        more = {
            k: v for k, v in verdict.items() if k not in ("id", "verdict", "line", "words") and v
        }
        print(
            f"VERDICT {verdict['verdict']} {more or ''} QUOTE line {verdict.get('line')}: {verdict.get('words')}"
        )
        at = next(
            (n for n, line in enumerate(lines) if re.match(rf"{verdict.get('line')} [A-Z] ", line)),
            None,
        )
        around = (
            lines[max(0, at - AROUND) : at + AROUND + 1] if at is not None else ["(no such line)"]
        )
        print("\n".join(f"   {line[:500]}" for line in around))


def key(record: str, lesson: str, verdict: str, line: str) -> str:
    """The name of a verdict."""
    return hashlib.sha256("\n".join((record, lesson, verdict, line)).encode()).hexdigest()[:10]


def figures(queue: Path) -> None:
    """What the kept labels say: of each kind how many are right, and all weighted by how often each kind is used."""
    rows = told(queue)
    for file in sorted(LABELS.glob("*.tsv")):
        said = dict(
            line.split("\t")[:2]
            for line in file.read_text().splitlines()
            if "\t" in line and line[0] != "#"
        )
        right = {
            kind: [said[name] == "right" for name, *_ in each if name in said]
            for kind, each in rows.items()
        }
        shares = {kind: sum(each) / len(each) for kind, each in right.items() if each}
        if not shares:
            continue  # labels of another reading
        used = sum(len(rows[kind]) for kind in shares)
        whole = sum(shares[kind] * len(rows[kind]) for kind in shares) / used
        ending = [each for kind in DEMANDING for each in right[kind]]
        print(
            f"{file.stem}: "
            + ", ".join(f"{kind} {sum(each)} of {len(each)}" for kind, each in right.items())
        )
        print(
            f"   {sum(map(sum, right.values()))} of {sum(map(len, right.values()))} right; weighted by use {whole:.2f};"
            f" outdated, reversed, amended {sum(ending)} of {len(ending)}"
        )


if __name__ == "__main__":
    (sheet if sys.argv[1] == "sheet" else figures)(Path(sys.argv[2]))

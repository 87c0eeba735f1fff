"""What the ledgers add up to, as lines for docs/internals/faults.md: python bench/faults/report.py"""

from __future__ import annotations

from collections import Counter
from typing import Any

from common import Ledger

UNITS = {
    "kill": "kills",
    "reading": "kills",
    "power": "images",
    "calls": "calls",
    "full": "steps",
    "fuzz": "executions",
}
ALONE = ("seed", "pages", "from", "of", "writers")  # not to be added up


def main() -> None:
    """One paragraph per campaign and commit."""
    for name, unit in UNITS.items():
        ledger = Ledger(name)
        for commit in dict.fromkeys(line["commit"] for line in ledger.lines() if "commit" in line):
            _paragraph(name, unit, commit, list(ledger.lines(commit)))
    for line in (line for line in Ledger("controls").lines() if "commit" in line):
        print(
            f"control {line['control']} on {line['commit']}: {line['mistake']}: {'caught' if line['caught'] else 'NOT CAUGHT'}, {line['first']}"
        )


def _paragraph(name: str, unit: str, commit: str, lines: list[dict[str, Any]]) -> None:
    sums: Counter[str] = Counter()
    for line in lines:
        sums.update(
            {
                key: amount
                for key, amount in line.items()
                if type(amount) in (int, float) and key not in ALONE
            }
        )
    failures = sum(len(line["failures"]) for line in lines)
    rest = ", ".join(f"{key} {amount:,.0f}" for key, amount in sums.items() if key != unit)
    print(
        f"{name} on {commit}: {sums[unit]:,} {unit}, {failures} failures, {lines[0]['at'][:16]} to {lines[-1]['at'][:16]}; {rest}"
    )
    if name == "kill":
        print(
            "  "
            + ", ".join(
                f"{kind} {sum(line['killed'][kind] for line in lines)}"
                for kind in lines[0]["killed"]
            )
        )
    if name == "fuzz":
        _doors(lines)


def _doors(lines: list[dict[str, Any]]) -> None:
    doors: dict[str, tuple[int, set[str]]] = {}
    for line in lines:
        n, crashes = doors.get(line["door"], (0, set()))
        doors[line["door"]] = (n + line["executions"], crashes | set(line["crashes"]))
    for door, (n, crashes) in sorted(doors.items()):
        print(f"  | {door} | {n:,} | {len(crashes)} |")


if __name__ == "__main__":
    main()

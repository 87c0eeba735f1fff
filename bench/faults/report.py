"""What the ledgers add up to, as lines for docs/faults.md: python bench/faults/report.py"""

from __future__ import annotations

from collections import Counter
from typing import Any

from common import Ledger

UNITS = {"kill": "kills", "power": "images", "calls": "calls", "full": "steps", "flips": "flips", "storms": "storms", "fuzz": "executions"}


def main() -> None:
    """One paragraph per campaign."""
    for name, unit in UNITS.items():
        lines = list(Ledger(name).lines())
        if not lines:
            continue
        sums: Counter[str] = Counter()
        for line in lines:
            sums.update({key: amount for key, amount in line.items() if isinstance(amount, int) and key not in ("seed", "pages", "from", "of", "writers")})
        if name == "calls":  # the batch after the last is a marker
            sums["calls"] = sum(line["calls"] for line in lines if line["calls"] < 1_000_000)
        failures = sum(len(line["failures"]) for line in lines)
        rest = ", ".join(f"{key} {amount:,}" for key, amount in sums.items() if key not in (unit, "seconds"))
        print(f"{name}: {sums[unit]:,} {unit}, {failures} failures, {lines[0]['at'][:16]} to {lines[-1]['at'][:16]}; {rest}")
        if name == "flips":
            for side in ("with backup", "without"):
                changed, whole = (sum(line[side][n] for line in lines) for n in (0, 1))
                print(f"  {side}: {changed} changed something, {whole} whole again")
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

"""Negative controls: each campaign is given a program with a known mistake, and must say so.

A harness that finds nothing in a faulty program would find nothing in ours either.

    python bench/faults/controls.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import calls
import full
import kill
import power
from common import Ledger, commit


def _call(place: Path) -> dict[str, Any]:
    """EIO at each sync that `add` makes: one of them is its COMMIT."""
    home = calls.prepared(place / "at")
    return {
        "failures": [
            each
            for which in range(1, 5)
            for each in calls.once(home, ("add", "error=EIO", "fdatasync", which), "deaf")
        ]
    }


CONTROLS = {
    "kill": (
        "acknowledged before COMMIT, killed by chance",
        lambda place: kill.batch(1, place, kills=40, fault="early"),
    ),
    "kill, chosen": (
        "acknowledged before COMMIT, killed in between",
        lambda place: kill.batch(1, place, 1, 1, "early=5", {"add": 1}),
    ),
    "power, normal": ("synchronous=NORMAL", lambda place: power.batch(1, place, fault="normal")),
    "power, rename": (
        "temporary file and rename",
        lambda place: power.batch(1, place, fault="rename"),
    ),
    "calls": ("what the disk refuses is taken for written", _call),
    "full": (
        "what the disk refuses is taken for written",
        lambda place: full.batch(1, place, fault="deaf"),
    ),
}


def main() -> int:
    """Each control once; 1 if any was not caught."""
    ledger, missed = Ledger("controls"), 0
    done = {each["control"] for each in ledger.lines(commit())}
    for name, (mistake, batch) in CONTROLS.items():
        if name in done:
            continue
        place = Path(tempfile.mkdtemp(prefix="tacit-control-"))
        try:
            failures = batch(place)["failures"]
        finally:
            shutil.rmtree(place, ignore_errors=True)
        ledger.add(
            {
                "control": name,
                "mistake": mistake,
                "caught": bool(failures),
                "failures": len(failures),
                "first": failures[:1],
            }
        )
        missed += not failures
        print(
            f"{name}: {mistake}: {'caught, ' + failures[0] if failures else 'NOT CAUGHT'}",
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

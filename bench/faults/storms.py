"""Upgrade storms: 64 processes of the command line open an old store at once.

Each must find it migrated and answer; nothing may be lost, nobody may see an error, everything verifies afterwards, and
a copy from before the upgrade must have been left.

    python bench/faults/storms.py --points 200
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from common import ROOT, campaign, command, doctor, new_home, store_of, surroundings

PROCESSES = 64
# from schema 1 to the newest
STEPS = len(list((ROOT / "src" / "tacit" / "stores" / "sqlite" / "migrations").glob("*.sql"))) - 1
OLD = """
import runpy, sys
from pathlib import Path
made = runpy.run_path(sys.argv[1])["old_store"](Path(sys.argv[2]), 50)
print(len(made))
"""


def batch(seed: int, place: Path, processes: int = PROCESSES, fault: str = "") -> dict[str, Any]:
    """One old store, one storm."""
    home = new_home(place)
    store = store_of(home)
    store.parent.mkdir(parents=True)
    env = surroundings(home)
    made = subprocess.run(
        [
            sys.executable,
            "-c",
            OLD,
            str(ROOT / "tests" / "contracts" / "test_migrate.py"),
            str(store),
        ],
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    wanted = int(made.stdout)
    storm = [
        subprocess.Popen(
            command("list", "--all-projects", "--json", "--limit", "1000", fault=fault),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=home / "work",
            env=env,
        )
        for _ in range(processes)
    ]
    failures = []
    for process in storm:
        out, err = process.communicate(timeout=300)
        try:
            answer = json.loads(out)
            if not answer["ok"] or "Traceback" in err:
                failures.append(f"storm {seed}: {answer} {err[-200:]}")
        except ValueError:
            failures.append(f"storm {seed}: no answer, {err[-300:]}")
    kept = subprocess.run(
        [
            sys.executable,
            "-c",
            "import apsw, sys; print(apsw.Connection(sys.argv[1]).execute('SELECT count(*) FROM memory').fetchall()[0][0])",
            str(store),
        ],
        capture_output=True,
        text=True,
        env=env,
    )
    if kept.stdout.strip() != str(wanted):
        failures.append(f"storm {seed}: {kept.stdout.strip()} of {wanted} lessons are there")
    health = doctor(home)
    if not health["sound"]:
        failures.append(f"storm {seed}: {health['faults'][:2]}")
    copies = list((home / "data" / "tacit" / "backups").rglob("*.pending"))
    if not 1 <= len(copies) <= STEPS:  # each step is a transaction, and may be another process's
        failures.append(f"storm {seed}: {len(copies)} copies from before the upgrade")
    return {"storms": 1, "processes": processes, "failures": failures[:10]}


if __name__ == "__main__":
    sys.exit(campaign("storms", batch, "storms", 200))

"""What learning real sessions costs: CPU against the time to read their lines as JSON, and what the store grows by.

python bench/lessons/cost.py DATA [--mb 100]
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import tacit


def cost(data: Path, mb: float) -> dict[str, Any]:
    """So many megabytes of sessions learned."""
    files: list[Path] = []
    for file in sorted(data.glob("*/sessions/*"), key=lambda file: file.name):
        if sum(each.stat().st_size for each in files) < mb * 1e6:
            files.append(file)
    began = time.process_time()
    for file in files:
        for line in file.open("rb"):
            try:
                json.loads(line)
            except ValueError:
                continue
    plain = time.process_time() - began
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(f"{home}/work")
        with tacit.open(
            f"{home}/x.db",
            env={"HOME": home, "USER": "dev", "PATH": os.environ["PATH"]},
            cwd=f"{home}/work",
        ) as memories:
            began = time.process_time()
            for file in files:
                memories.learn(str(file), over=True)
            took = time.process_time() - began
            rows = memories.store.rows("SELECT COUNT(*) FROM incident")[0][0]
            pages = memories.store.rows(
                "SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'incident%'"
            )[0][0]
            told = {
                "MB": round(sum(file.stat().st_size for file in files) / 1e6, 1),
                "sessions": len(files),
                "json s": round(plain, 2),
                "learn s": round(took, 1),
                "times": round(took / plain, 1),
                "incidents": rows,
                "bytes each": round(pages / max(1, rows)),
                "store MB": round(os.path.getsize(f"{home}/x.db") / 1e6, 2),
            }
    return told


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--mb", type=float, default=100.0)
    args = parser.parse_args()
    print(json.dumps(cost(args.data, args.mb)))


if __name__ == "__main__":
    main()

"""E7 and E9: what another command of the checkout says, in rows. The commands are those of the product's own checkout."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.exams.rows import Row, skipped

SYSTEMS = ("archeflow", "ralph", "geas", "joelclaw")


def origins(python: str) -> Iterator[Row]:
    """E7, a slice: the golden vectors of the four origins. The walks by three callers: `make test-origins`."""
    root = Path(python).parents[2]
    golden = next(
        (
            place
            for place in root.glob("**/tests/**/golden/archeflow")
            if ".venv" not in place.parts
        ),
        None,
    )
    if golden is None:
        raise SystemExit(f"no golden vectors below {root}")
    tests = golden.parents[1]
    for system in SYSTEMS:
        done = subprocess.run(
            [
                python,
                "-m",
                "pytest",
                "-n",
                "0",
                "-p",
                "no:cacheprovider",
                str(tests / f"test_{system}.py"),
            ],
            cwd=root,
            capture_output=True,
            text=True,
        )
        counts = dict.fromkeys(("passed", "failed", "error"), 0)
        for n, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout):
            counts[word] = int(n)
        if not counts["passed"]:
            raise SystemExit(
                f"the vectors of {system} were not asked: {done.stdout[-400:]}{done.stderr[-400:]}"
            )
        vectors = re.search(r"(\d+ of \d+) binding vectors hold", done.stdout)
        if vectors:
            yield Row("E7", f"{system}: golden vectors", vectors[1])
        yield Row(
            "E7",
            f"{system}: tests passed, failed",
            f"{counts['passed']}, {counts['failed'] + counts['error']}",
        )


def redaction(python: str, data: Path) -> Iterator[Row]:
    """E9: kinds that nobody wrote rules for on the disk afterwards, and lines of real tool output that are touched."""
    root = Path(python).parents[2]
    lines = [place for place in (data / "dev-pack", data) if any(place.glob("*/sessions"))]
    words = [python, str(root / "bench/redaction_disk.py"), "--kinds", "100"]
    words += ["--lines", str(lines[0])] if lines else []
    done = subprocess.run(words, cwd=root, capture_output=True, text=True)
    found = re.search(r"(\d+ of \d+) kinds on disk", done.stdout)
    if not found:
        raise SystemExit(
            f"bench/redaction_disk.py said no figure: {done.stdout[-300:]}{done.stderr[-600:]}"
        )
    yield Row("E9", "kinds of secrets on disk", found[1])
    alarms = re.search(r"(\d+ of [\d,]+) lines", done.stdout)
    if alarms:
        yield Row("E9", "lines of real tool output touched", alarms[1])
    else:
        yield skipped("E9", f"false alarms: no sessions below {data}")

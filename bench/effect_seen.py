"""How much of what came back do the instruments see, without a reader? On real sessions whose failures somebody has listed by hand.

    python bench/effect_seen.py FOLDER

FOLDER holds a folder per project: `sessions/` and `truth/failures.jsonl`, a line per failure with the sessions that met it, in order. The first
session of each stands for the run that taught it: of the signatures met there the one that shares most words with the listed text is taken for the
lesson's. Each later session counts as seen if a step of it failed with that signature, whatever came after; every session that is not listed
counts as false if one did. What persons said again cannot be seen without a reader and is not asked here.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

from tacit import formats  # noqa: E402
from tacit.core.errors import TacitError  # noqa: E402
from tacit.formats.source import FileSource  # noqa: E402
from tacit.learn.occurrences import failed_with  # noqa: E402


def met_in(path: Path) -> set[str]:
    """The signatures of all failed steps of a session."""
    found: set[str] = set()
    for run in formats.read(FileSource(str(path))):
        for step in run.steps:
            if step.role == "tool":
                found.update(failed_with(step, run.cwd))
    return found


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9_]{3,}", text.lower()))


def measured(project: Path) -> tuple[int, int, int, int]:
    """Later occurrences, those seen, sessions without, those called false."""
    listed = [json.loads(line) for line in (project / "truth" / "failures.jsonl").read_text().splitlines()]
    met: dict[str, set[str]] = {}
    for path in sorted((project / "sessions").rglob("*.jsonl")):
        try:
            met.setdefault(path.stem, set()).update(met_in(path))
        except TacitError as error:
            print(f"  {path.stem}: {error.message}", file=sys.stderr)
    later = seen = without = false = 0
    for failure in listed:
        ids = [each["session"] for each in failure["sessions"] if each["session"] in met]
        if len(ids) < 2:
            continue
        asked = words(failure["signature"])
        mark = max(met[ids[0]], key=lambda each: (len(asked & words(each)), -len(each)), default="")
        later += len(ids) - 1
        if not asked & words(mark):
            print(f"  not seen at all: {failure['signature'][:70]}")
            continue
        others = [id for id in met if id not in ids]
        hits, wrong = sum(mark in met[id] for id in ids[1:]), sum(mark in met[id] for id in others)
        print(f"  {hits} of {len(ids) - 1}, false {wrong} of {len(others)}: {failure['signature'][:70]}", flush=True)
        seen, without, false = seen + hits, without + len(others), false + wrong
    return later, seen, without, false


def main() -> int:
    sums = [0, 0, 0, 0]
    for project in sorted(Path(sys.argv[1]).iterdir()):
        if (project / "truth" / "failures.jsonl").exists():
            print(project.name)
            sums = [total + own for total, own in zip(sums, measured(project))]
    later, seen, without, false = sums
    print(f"seen {seen} of {later} ({seen / max(1, later):.0%}), bound 70 %; false {false} of {without} ({false / max(1, without):.1%}), bound 10 %")
    return 0 if seen >= 0.7 * later and false <= 0.1 * without else 1


if __name__ == "__main__":
    sys.exit(main())

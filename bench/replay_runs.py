"""Of recorded runs, how many could be replayed had the hook kept their work trees when they began, and why the others could not.

    python bench/replay_runs.py FOLDER        # a folder with PROJECT/sessions/*.jsonl

Only the first prompt is given again, so each run is judged up to its second; which met a lesson's problem is not asked.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from tacit import formats
from tacit.formats.source import FileSource
from tacit.replay.keeping import KeptTree
from tacit.replay.tasks import Skipped, judge_task


def main() -> None:
    now: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for path in sorted(Path(sys.argv[1]).glob("*/sessions/*.jsonl")):
        source = FileSource(str(path))
        name = formats.detect(source)
        for run in formats.read(source, name) if name else ():
            kept = KeptTree(run.id, run.host, run.cwd, "kept", "head", "commit", run.started_at)
            for counted, found in (
                (now, judge_task(run, (), run.cwd, kept)),
                (before, judge_task(run, (), run.cwd)),
            ):
                counted[
                    found.reason.partition(": ")[0]
                    if isinstance(found, Skipped)
                    else "can be replayed"
                ] += 1
    total = sum(now.values())
    print("| | with the work tree kept | without |\n|---|---|---|")
    for reason in sorted(now | before, key=lambda each: (each != "can be replayed", -now[each])):
        print(f"| {reason} | {now[reason]} | {before[reason]} |")
    print(f"| of | {total} | {total} |")


if __name__ == "__main__":
    main()

"""ALFWorld and WebShop logs of Reflexion as neutral runs, to look back at and to learn from.

    python bench/alfworld.py LOGS OUT.jsonl [--retries] [--outright]     LOGS: a folder of env_results_trial_N.json
    tacit lookback OUT.jsonl

The logs hold, per trial and task, whether it was solved and the reflections the agent has written so far; not its steps.
A task that was solved is not tried again. So a run is one trial of a task not yet solved; its only step is the reflection
that is new in it. Trials take a day each, tasks ten minutes, since the logs hold no times. With `--retries` the trials of
one task are one unit, as Tacit counts retries: then only other tasks can teach it. The data is Reflexion's and stays out
of this repository.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit.core.clock import DAY, seconds, stamp

BEGIN = seconds("2023-03-20T00:00:00Z")  # the month of the logs; the day is made up
EACH = 600.0


def runs(logs: Path, retries: bool = False, outright: bool = False) -> Iterator[dict[str, Any]]:
    """The runs of a folder of logs, trial by trial."""
    name = f"{logs.parent.parent.name if logs.parent.name == 'logs' else logs.parent.name}/{logs.name}"
    before: dict[str, dict[str, Any]] = {}
    for number, path in sorted(
        (int(re.findall(r"\d+", file.stem)[-1]), file) for file in logs.glob("env_results_trial_*.json")
    ):
        trial = {task["name"]: task for task in json.loads(path.read_text(encoding="utf-8"))}
        for place, (task, now) in enumerate(trial.items()):
            known = before.get(task, {"is_success": False, "memory": []})
            if known["is_success"]:
                continue
            at = BEGIN + number * DAY + place * EACH
            new = now["memory"][len(known["memory"]) :]
            yield {
                "type": "run",
                "id": f"{name}/{task}/{number}",
                **({"root": f"{name}/{task}/0"} if retries and number else {}),
                "project": name,
                "task": task,
                "task_id": task,
                "started_at": stamp(at),
                "ended_at": stamp(at + EACH / 2),
                "outcome": "success" if now["is_success"] else "failure",
                **_said(new, stamp(at + EACH / 2), outright),
            }
        before = trial


def _said(reflections: list[str], at: str, outright: bool) -> dict[str, Any]:
    """The new reflections: words the agent spoke, or findings it states outright."""
    if not outright:
        return {"steps": [{"role": "assistant", "text": text.strip(), "at": at} for text in reflections]}
    stated = {"by": "reflection", "tier": "agent", "kind": "pitfall", "severity": "warning", "at": at}
    return {
        "findings": [{**stated, "place": f"reflection:{n}", "text": text.strip()} for n, text in enumerate(reflections)]
    }


def main() -> int:
    """Convert one folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("logs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--retries", action="store_true", help="the trials of one task are one unit")
    parser.add_argument(
        "--outright", action="store_true", help="reflections as findings stated outright, not as words spoken"
    )
    args = parser.parse_args()
    found = list(runs(args.logs, args.retries, args.outright))
    if not found:
        parser.error(f"there is no env_results_trial_N.json in {args.logs}")
    args.out.write_text("".join(json.dumps(run, ensure_ascii=False) + "\n" for run in found), encoding="utf-8")
    failed = sum(run["outcome"] == "failure" for run in found)
    print(
        f"{len(found)} runs, {failed} failed, {sum(len(run.get('steps') or run.get('findings') or ()) for run in found)} reflections"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

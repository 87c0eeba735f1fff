"""How good is extraction? Re-extract from real runs and join the findings with labels given by hand.

    python bench/extraction.py DATA            precision per source, and what is not labelled yet
    python bench/extraction.py DATA --show     also the texts, for labelling

DATA is a folder with `transcripts/` (Claude Code sessions, SWE-agent trajectories, an aider history) and `reflexion/`
(ALFWorld logs). None of it is part of this repository, and neither is its text: a label names the file, the place and
the SHA-256 of the finding's text. A finding whose text changed is unlabelled again, so the figures cannot go stale
unnoticed.

Labels: `yes` a stranger at the same work can act on it, `no` not. A note may flag `trace` (a tool's output) or
`narration` (an agent's diary), of which there must be none. Exit status 1 where a source falls short.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tacit import formats
from tacit.core.run import Finding, Run, Step
from tacit.formats.source import walk
from tacit.learn.extract import Known, extract
from tacit.learn.gate import GateRules, gate

if TYPE_CHECKING:
    from collections.abc import Iterator

LABELS = Path(__file__).parent / "labels" / "findings.tsv"
ENOUGH = 0.70  # actionable, of the labelled findings of a source
# The logs of later trials repeat what those of the first ones say.
REFLECTIONS = "reflexion/alfworld_runs/logs/reflexion_run_logs/env_results_trial_2.json"

Key = tuple[str, str, str]


class Found(NamedTuple):
    """One finding and the file it came from."""

    source: str
    file: str
    finding: Finding

    @property
    def key(self) -> Key:
        return self.file, self.finding.place, sha256(self.finding.text.encode()).hexdigest()


def main() -> int:
    """Print the figures; 1 where a source falls short or a finding is a trace or narration."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", action="store_true", help="print the findings' texts")
    arguments = parser.parse_args()
    labels = _labels()
    found = list(_found(arguments.data))
    for each in found if arguments.show else ():
        print(*each.key, *labels.get(each.key, ("?", "")), sep="\t")
        print(
            f"    [{each.finding.extractor}, {gate(each.finding, GateRules()).outcome}] {each.finding.text}"
        )
    bad = _report(found, labels)
    gone = sorted(set(labels) - {each.key for each in found})
    print(
        f"\nnot labelled: {sum(each.key not in labels for each in found)}; labels without a finding: {len(gone)}"
    )
    for key in gone:
        print("  gone:", *key[:2])
    return 1 if bad else 0


def _report(found: list[Found], labels: dict[Key, tuple[str, str]]) -> bool:
    rows: dict[str, Counter[str]] = {}
    for each in found:
        label, note = labels.get(each.key, ("open", ""))
        for name in (each.source, f"{each.source} / {each.finding.extractor}", "all"):
            row = rows.setdefault(name, Counter())
            row.update(["found", label, *(flag for flag in ("trace", "narration") if flag in note)])
    columns = ("found", "yes", "no", "open", "trace", "narration")
    print(f"{'source / extractor':28}", *(f"{column:>9}" for column in columns), "actionable")
    bad = False
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        row = rows[name]
        judged = row["yes"] + row["no"]
        share = f"{row['yes'] / judged:.0%}" if judged else "-"
        print(f"{name:28}", *(f"{row[column]:9}" for column in columns), f"{share:>10}")
        short = judged > 0 and row["yes"] < ENOUGH * judged
        bad |= "/" not in name and (short or bool(row["trace"] + row["narration"]))
    return bad


def _labels() -> dict[Key, tuple[str, str]]:
    if not LABELS.exists():
        return {}
    with LABELS.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {
            (row["file"], row["place"], row["sha256"]): (row["label"], row["note"]) for row in rows
        }


# --- runs -------------------------------------------------------------------------------------------------------------


def _found(data: Path) -> Iterator[Found]:
    for source, path, run in _runs(data):
        for finding in extract(run, Known()):
            yield Found(source, str(path.relative_to(data)), finding)


def _runs(data: Path) -> Iterator[tuple[str, Path, Run]]:
    for source in walk([data / "transcripts" / "claude-code"]):
        for run in formats.read(source, "claude-code"):
            yield "claude-code", Path(source.path), run
    for path in sorted((data / "transcripts" / "swe-agent").glob("*.traj")):
        yield "swe-agent", path, _trajectory(path)
    for path in sorted((data / "transcripts" / "aider").glob("*.md")):
        for run in _aider(path):
            yield "aider", path, run
    for run in _reflections(data / REFLECTIONS):
        yield "reflexion", data / REFLECTIONS, run


def _trajectory(path: Path) -> Run:
    """A SWE-agent trajectory: each action a shell line with its observation, failures told by their wording."""
    steps = []
    for number, each in enumerate(json.loads(path.read_text(encoding="utf-8"))["trajectory"]):
        action, said = each["action"].strip(), each["observation"]
        failed = said.startswith(("Traceback", "Your proposed edit"))
        edits = action.split(" ", 1)[0] in ("edit", "create")
        steps.append(
            Step(
                "tool",
                f"step:{number}",
                tool="edit" if edits else "bash",
                input={"path": "the open file"} if edits else {"command": action},
                output="" if failed else said,
                error=said if failed else "",
            )
        )
        if each.get("thought"):
            steps.append(Step("assistant", f"step:{number}:thought", text=each["thought"]))
    return Run(path.stem, "swe-agent", tuple(steps))


def _aider(path: Path) -> Iterator[Run]:
    """An aider history: `#### ` lines are typed, everything else is the assistant's or a tool's."""
    steps: list[Step] = []
    typed: list[str] = []
    for number, line in enumerate(
        path.read_text(encoding="utf-8", errors="replace").splitlines(), 1
    ):
        if line.startswith("# aider chat started"):
            yield Run(f"{path.stem}:{number}", "aider", tuple(steps))
            steps = []
        elif line.startswith("####"):
            typed.append(line[4:].strip())
        elif typed:
            said = "\n".join(typed)
            own = not said.startswith(("/", "# Fix"))  # not a command, not aider's own prompt
            steps.append(Step("user", f"line:{number - len(typed)}", text=said, typed=own))
            typed = []
        elif line.startswith("```"):
            steps.append(Step("tool", f"line:{number}", tool="edit", input={}))
    yield Run(f"{path.stem}:end", "aider", tuple(steps))


def _reflections(path: Path) -> Iterator[Run]:
    """What an agent wrote after each failed trial of a task."""
    for environment in json.loads(path.read_text(encoding="utf-8")):
        for number, said in enumerate(environment["memory"]):
            name = f"{environment['name']}:{number}"
            yield Run(name, "reflexion", (Step("assistant", name, text=said),))


if __name__ == "__main__":
    sys.exit(main())

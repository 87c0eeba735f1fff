"""What of the answer keys code could check at all, labelled blind, and how much of that guards and notes would have stopped.

    python -m bench.guard_keys sheet DATA FOLDER                 every repeat and failure met again, shuffled; nothing of guards in it
    python -m bench.guard_keys count DATA OUT FOLDER LABELS.tsv  OUT is the folder of `python -m bench.guards play`

A repeat is one later occurrence of an instruction that had been typed before (81 in the data), a failure one later session of a signature
(126). Failures of one signature share a label: what the call looks like does not change. A repeat counts as stopped where a guard that was
armed by then fired in that session before the person's line on what the item is about, a failure where it fired on a call that failed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.guards import cut, line_of
from bench.lessons.feed import sessions, unpacked

from tacit.core.digest import short_hash
from tacit.core.run import Run, Step
from tacit.formats import read
from tacit.formats.source import FileSource
from tacit.learn import shell

BEFORE, CALLS = 12, 3  # lines before a person's line, failing calls of a signature that are shown

INSTRUCTIONS = """# Could code have seen it coming?

Items of two sorts from real sessions of coding agents.

- REPEAT: the person had to type an instruction in this session that they had typed in an earlier one. Shown: what it means, what was typed
  earlier and now, and what the agent did before that line.
- FAILURE: a call of the agent failed for a reason that earlier sessions had met already. Shown: the failure, its cure, and calls that met it.

Suppose the project's rule is known, and a program sees each tool call of the agent right before it runs: program, subcommand, options,
arguments, paths, folder, branch, the file that is about to change (not what is written into it), and which calls ran before in this
session. It cannot read the conversation, knows no file's content, and runs nothing.

Could it have recognised, on one call, that the agent was about to break the rule (or to meet the failure), with certainty enough to stop
and ask the person?

- yes: a condition on one call would have caught this one, and would seldom stop a call that is fine. Write the condition in one line.
- no: nothing was broken by a call (a wish that was typed in time; a wish about words, style or judgement), or what is wrong cannot be seen
  in the call, or the condition would stop as many fine calls.

One line per item in a file of your own: id, tab, yes or no, tab, the condition (for yes) or why not (for no). Read nothing but this sheet.
"""


class Met:
    """One later occurrence of an item of the keys."""

    def __init__(self, project: str, item: str, kind: str, session: str, row: dict[str, Any], quote: str = "") -> None:
        self.project, self.item, self.kind, self.session, self.row, self.quote = project, item, kind, session, row, quote

    @property
    def id(self) -> str:
        """Its id on the sheet: failures of one signature share one."""
        return short_hash(self.project, self.item, *([self.session, self.quote] if self.kind == "repeated" else []))[:10]


def met_again(data: Path) -> Iterator[Met]:
    """Every later occurrence, project by project."""
    for place in sorted(data.glob("*/truth")):
        project = place.parent.name
        order = {each.id: number for number, each in enumerate(sessions(data, project))}
        for kind, key in (("repeated", "occurrences"), ("failures", "sessions")):
            file = place / f"{kind}.jsonl"
            for number, line in enumerate(file.read_text().splitlines() if file.exists() else ()):
                row = json.loads(line)
                for each in sorted(row[key], key=lambda one: order.get(one["session"], -1))[1:]:
                    yield Met(project, f"{kind}-{number}", kind, each["session"], row, each.get("quote", ""))


def runs_of(data: Path, project: str, session: str) -> list[Run]:
    """A session of the data as it was."""
    file = next(each.file for each in sessions(data, project) if each.id == session)
    return list(read(FileSource(str(file))))


def said_at(run: Run, quote: str) -> int | None:
    """Which step says it: typed, or typed when a tool was refused."""
    wanted = " ".join(quote.split()).lower()[:60]
    said = [" ".join(f"{step.text} {step.output} {step.error}".split()).lower() for step in run.steps]
    found = [at for at, text in enumerate(said) if wanted in text]
    return next((at for at in found if run.steps[at].typed), found[0] if found else None)


def failing(run: Run, row: dict[str, Any]) -> list[Step]:
    """The failed calls of a run that show a signature: those that share most of its words, two at least."""
    words = set(re.findall(r"[a-z0-9_]{3,}", row["signature"].lower()))
    found = []
    for step in run.steps:
        if step.tool and (step.error or "error" in step.output.lower() or "fail" in step.output.lower()):
            said = f"{shell.command_of(step) or ''} {step.error} {step.output}".lower()
            found.append((len(words & set(re.findall(r"[a-z0-9_]{3,}", said))) / len(words), step))
    found = [each for each in found if each[1].error] or found
    best = max((share for share, _ in found), default=0.0)
    return [step for share, step in found if share == best and share > 0.5]


def sheet(data: Path, folder: Path) -> None:
    """Write the sheet."""
    items: dict[str, str] = {}
    shown: Counter[str] = Counter()
    for met in met_again(data):
        if met.kind == "failures" and shown[met.id] >= CALLS:
            continue
        runs = runs_of(data, met.project, met.session)
        if met.kind == "repeated":
            earlier = [each["quote"] for each in met.row["occurrences"] if each["quote"] != met.quote][:2]
            run, at = next(((run, at) for run in runs if (at := said_at(run, met.quote)) is not None), (runs[0], 0))
            lines = [said for step in run.steps[:at] if (said := line_of(step))][-BEFORE:]
            items[met.id] = (
                f"REPEAT: {met.row['meaning']}\ntyped in earlier sessions: " + " / ".join(cut(each, 200) for each in earlier)
                + f"\nTYPED NOW: {cut(met.quote, 400)}\n\nbefore that line in this session:\n"
                + "\n".join(f"  {each}" for each in lines or ["(nothing: it is the session's first line)"])
            )  # fmt: skip
        else:
            calls = [step for run in runs for step in failing(run, met.row)][: CALLS - shown[met.id]]
            shown[met.id] += len(calls)
            items.setdefault(met.id, f"FAILURE: {met.row['signature']}\ncure: {met.row['cure']}\nknown by then: {met.row['lesson']}\n\ncalls that met it:")
            items[met.id] += "".join(f"\n  {line_of(step)}" for step in calls)
    folder.mkdir(parents=True, exist_ok=True)
    ids = sorted(items)
    random.Random(24).shuffle(ids)
    (folder / "sheet.md").write_text(INSTRUCTIONS + "".join(f"\n\n## {id}\n\n{items[id]}\n" for id in ids))
    (folder / "to-fill.tsv").write_text("".join(f"{id}\t\t\n" for id in ids))
    (folder / "README.md").write_text(
        "One labeller (better two) fills in `to-fill.tsv` as one.tsv (two.tsv) after reading `sheet.md` and nothing else.\n"
        "Counted by: python -m bench.guard_keys count DATA OUT one.tsv (OUT: the folder of `python -m bench.guards play`).\n"
        "A label of a failure holds for all later sessions that met it.\n"
    )
    print(f"{len(ids)} items for {sum(1 for _ in met_again(data))} occurrences")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.guard_keys", description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("sheet", "count"))
    parser.add_argument("data", type=Path)
    parser.add_argument("places", nargs="+", type=Path)
    args = parser.parse_args()
    data = unpacked(args.data)
    if args.step == "sheet":
        sheet(data, args.places[0])


if __name__ == "__main__":
    main()

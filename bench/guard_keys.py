"""What of the answer keys code could check at all, labelled blind, and how much of that guards and notes would have stopped.

    python -m bench.guard_keys sheet DATA FOLDER                 every repeat and failure met again, shuffled; nothing of guards in it
    python -m bench.guard_keys count DATA OUT… LABELS.tsv       OUT: folders of `python -m bench.guards play`

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

from bench.lessons.coverage import LABELS as COVERAGE
from bench.lessons.feed import sessions, unpacked
from bench.lessons.reach import _number
from bench.lessons.sheets import key_of

from tacit.core.digest import short_hash
from tacit.core.run import Run, Step
from tacit.formats import read
from tacit.formats.source import FileSource
from tacit.learn import command

BEFORE, CALLS, LONG = (
    12,
    3,
    420,
)  # lines before a person's line, failing calls of a signature that are shown, characters of an output

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


def line_of(step: Step) -> str:
    """A step in one line."""
    if step.typed and step.text:
        return f"PERSON: {cut(step.text, 600)}"
    if step.tool:
        said = (
            command.line_of(step)
            or " ".join(step.files[:2])
            or json.dumps(dict(step.input or {}))[:160]
        )
        return f"{step.tool}: {cut(said, 260)}  => {cut(outcome_of(step), 200)}"
    return f"agent: {cut(step.text, 260)}" if step.role == "assistant" and step.text.strip() else ""


def outcome_of(step: Step) -> str:
    """What a call printed, its beginning and its end."""
    said = (step.error or step.output).strip()
    head = "STOPPED BY THE PERSON " if step.interrupted else "FAILED " if step.error else "passed "
    return head + (said if len(said) <= LONG else f"{said[: LONG // 2]} […] {said[-LONG // 2 :]}")


def cut(text: str, most: int) -> str:
    """The beginning and the end of a long text."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most * 2 // 3]} […] {plain[-most // 3 :]}"


class Met:
    """One later occurrence of an item of the keys."""

    def __init__(
        self, project: str, item: str, kind: str, session: str, row: dict[str, Any], quote: str = ""
    ) -> None:
        self.project, self.item, self.kind, self.session, self.row, self.quote = (
            project,
            item,
            kind,
            session,
            row,
            quote,
        )

    @property
    def id(self) -> str:
        """Its id on the sheet: failures of one signature share one."""
        return short_hash(
            self.project,
            self.item,
            *([self.session, self.quote] if self.kind == "repeated" else []),
        )[:10]


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
                    yield Met(
                        project,
                        f"{kind}-{number}",
                        kind,
                        each["session"],
                        row,
                        each.get("quote", ""),
                    )


def runs_of(data: Path, project: str, session: str) -> list[Run]:
    """A session of the data as it was."""
    file = next(each.file for each in sessions(data, project) if each.id == session)
    return list(read(FileSource(str(file))))


def said_at(run: Run, quote: str) -> int | None:
    """Which step says it: typed, or typed when a tool was refused."""
    wanted = " ".join(quote.split()).lower()[:60]
    said = [
        " ".join(f"{step.text} {step.output} {step.error}".split()).lower() for step in run.steps
    ]
    found = [at for at, text in enumerate(said) if wanted in text]
    return next((at for at in found if run.steps[at].typed), found[0] if found else None)


def failing(run: Run, row: dict[str, Any]) -> list[Step]:
    """The failed calls of a run that show a signature: those that share most of its words, two at least."""
    words = set(re.findall(r"[a-z0-9_]{3,}", row["signature"].lower()))
    found = []
    for step in run.steps:
        if step.tool and (
            step.error or "error" in step.output.lower() or "fail" in step.output.lower()
        ):
            said = f"{command.line_of(step)} {step.error} {step.output}".lower()
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
            earlier = [
                each["quote"] for each in met.row["occurrences"] if each["quote"] != met.quote
            ][:2]
            run, at = next(
                ((run, at) for run in runs if (at := said_at(run, met.quote)) is not None),
                (runs[0], 0),
            )
            lines = [said for step in run.steps[:at] if (said := line_of(step))][-BEFORE:]
            items[met.id] = (
                f"REPEAT: {met.row['meaning']}\ntyped in earlier sessions: "
                + " / ".join(cut(each, 200) for each in earlier)
                + f"\nTYPED NOW: {cut(met.quote, 400)}\n\nbefore that line in this session:\n"
                + "\n".join(
                    f"  {each}" for each in lines or ["(nothing: it is the session's first line)"]
                )
            )
        else:
            calls = [step for run in runs for step in failing(run, met.row)][
                : CALLS - shown[met.id]
            ]
            shown[met.id] += len(calls)
            items.setdefault(
                met.id,
                f"FAILURE: {met.row['signature']}\ncure: {met.row['cure']}\nknown by then: {met.row['lesson']}\n\ncalls that met it:",
            )
            items[met.id] += "".join(f"\n  {line_of(step)}" for step in calls)
    folder.mkdir(parents=True, exist_ok=True)
    ids = sorted(items)
    random.Random(24).shuffle(ids)
    (folder / "sheet.md").write_text(
        INSTRUCTIONS + "".join(f"\n\n## {id}\n\n{items[id]}\n" for id in ids)
    )
    (folder / "to-fill.tsv").write_text("".join(f"{id}\t\t\n" for id in ids))
    (folder / "README.md").write_text(
        "One labeller (better two) fills in `to-fill.tsv` as one.tsv (two.tsv) after reading `sheet.md` and nothing else.\n"
        "Counted by: python -m bench.guard_keys count DATA OUT… one.tsv (OUT: the folders of `python -m bench.guards play`).\n"
        "A label of a failure holds for all later sessions that met it.\n"
    )
    print(f"{len(ids)} items for {sum(1 for _ in met_again(data))} occurrences")


def count(data: Path, outs: list[Path], labels: Path) -> dict[str, Any]:
    """Of what code could check: stopped by a guard that was armed by then, told before it happened, and the items behind the figures."""
    said = dict(line.split("\t")[:2] for line in labels.read_text().splitlines() if "\t" in line)
    fired, told = (_by_session(outs, f"{name}.jsonl") for name in ("firings", "told"))
    covers = _covers()
    seen: dict[str, Counter[str]] = {kind: Counter() for kind in ("repeated", "failures", "both")}
    items: dict[str, Counter[str]] = defaultdict(Counter)
    for met in met_again(data):
        yes = said[met.id].strip() == "yes"
        found = Counter({"met again": 1, "code could check": yes})
        if yes:
            at, calls = _where(data, met)
            keys = covers[met.project, met.item]
            mine = fired[met.project, met.session]
            if met.kind == "failures":
                found["stopped"] = any(row["place"] in calls for row in mine)
            else:
                found["stopped"] = any(
                    _number(row["place"]) < at and key_of(met.project, row["text"]) in keys
                    for row in mine
                )
            given = [
                row
                for row in told[met.project, met.session]
                if row["place"] == "start" or _number(row["place"]) <= at
            ]
            found["told before"] = any(keys & {*row["keys"]} for row in given)
            found["told or stopped"] = found["told before"] or found["stopped"]
            items[f"{met.project}: {met.row.get('meaning') or met.row['signature']}"].update(found)
        for kind in (met.kind, "both"):
            seen[kind].update(found)
    return {
        **{kind: dict(counts) for kind, counts in seen.items()},
        "items": {name: dict(counts) for name, counts in items.items()},
    }


def _by_session(outs: list[Path], name: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in (json.loads(line) for out in outs for line in (out / name).open()):
        found[row["project"], row["session"]].append(row)
    return found


def _covers() -> dict[tuple[str, str], set[str]]:
    """Which texts cover an item, by every judge of coverage."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file in COVERAGE.glob("*.json"):
        for item, keys in json.loads(file.read_text()).items():
            found[file.stem.partition("-")[2], item].update(keys)
    return found


def _where(data: Path, met: Met) -> tuple[int, set[str]]:
    """Where an item was met in its session: the number of its line, and of a failure the calls."""
    runs = runs_of(data, met.project, met.session)
    if met.kind == "failures":
        calls = {step.place for run in runs for step in failing(run, met.row)}
        return min(map(_number, calls), default=0), calls
    places = [run.steps[at].place for run in runs if (at := said_at(run, met.quote)) is not None]
    return _number(places[0]) if places else 0, set()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.guard_keys", description=__doc__.splitlines()[0]
    )
    parser.add_argument("step", choices=("sheet", "count"))
    parser.add_argument("data", type=Path)
    parser.add_argument("places", nargs="+", type=Path)
    args = parser.parse_args()
    data = unpacked(args.data)
    if args.step == "sheet":
        sheet(data, args.places[0])
    else:
        print(json.dumps(count(data, args.places[:-1], args.places[-1]), indent=1))


if __name__ == "__main__":
    main()

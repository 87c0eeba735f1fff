"""Guards over real sessions in the order of time: what would have been offered, what fired afterwards, and a blind sheet for judges.

    python -m bench.guards play DATA OUT FORMS.tsv [--project NAME]           offer, fire; OUT/firings.jsonl, offers.jsonl
    python -m bench.guards sheet OUT… FOLDER [LABELS.tsv]                     the sheet, shuffled, of what has no label yet
    python -m bench.guards count OUT… LABELS.tsv…                             figures by the judges' labels, beside the rules' own

A session is first played against the guards that are armed by then. FORMS.tsv (bench/labels/guards/forms.tsv) has a project, a lesson of it and its
condition as `tacit guard --before` takes it. A guard is offered once its record over all sessions so far is enough and two of them were right; every offer
is answered with yes, a refusal once its record is enough for that. Two firings that the rules call wrong count as overruled: the guard is a note again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.exams.feed import projects, sessions

from tacit.core.digest import short_hash
from tacit.core.run import Run, Step
from tacit.core.value import replace
from tacit.guards.condition import ASK, REFUSE, Guard, says
from tacit.guards.forms import condition_of
from tacit.guards.history import RIGHT, WRONG, Firing, Record, firings_in, offered
from tacit.hosts.formats import read
from tacit.hosts.source import FileSource
from tacit.reading.command import line_of as shell_line

CAME_BACK = 2  # sessions in which it was right
BEFORE, AFTER = 6, 9  # steps around a firing on the sheet
LONG = 420  # characters of an output there

NAMES = {"firing": "firings", "offer": "offers"}  # what a play yields, and its file


def play(data: Path, out: Path, names: list[str], forms: Path) -> None:
    """Each project in the order of time; write offers and firings."""
    out.mkdir(parents=True, exist_ok=True)
    guards = guards_in(forms)
    with contextlib.ExitStack() as stack:
        files = {
            kind: stack.enter_context((out / f"{NAMES[kind]}.jsonl").open("w")) for kind in NAMES
        }
        for project in projects(data):
            if project.name not in guards or (names and project.name not in names):
                continue
            for kind, row in _played(project, guards[project.name]):
                files[kind].write(json.dumps({"project": project.name, **row}) + "\n")
            print(project.name, "done", file=sys.stderr)


def guards_in(forms: Path) -> dict[str, list[Guard]]:
    """The guards of each project."""
    found: dict[str, list[Guard]] = {}
    for line in forms.read_text(encoding="utf-8").splitlines():
        project, text, form = line.split("\t")
        condition, way = condition_of(form)
        guard = Guard(short_hash(project, text), text, condition, way)
        found.setdefault(project, []).append(guard)
    return found


def _played(project: Path, guards: list[Guard]) -> Iterator[tuple[str, dict[str, Any]]]:
    runs: list[Run] = []
    armed: dict[str, Guard] = {}
    overruled: Counter[str] = Counter()
    for number, session in enumerate(sessions(project)):
        new = list(read(FileSource(str(session.file))))
        for lesson, guard in list(armed.items()):
            said = {"lesson": lesson, "text": guard.text}
            for run in new:
                for each in _firings(guard, run):
                    came = {
                        "says": says(guard),
                        "step": guard.step,
                        "session": session.id,
                        "n": number,
                        "place": each.place,
                        "call": each.call,
                        "reason": each.reason,
                        "rules": each.verdict,
                        "why": each.why,
                    }
                    yield "firing", {**said, **came, **_shown(run, each.place)}
                    overruled[lesson] += each.verdict == WRONG
            if overruled[lesson] > 1:
                yield "offer", {**said, "step": "note again", "n": number}
                del armed[lesson]
        runs += new
        for guard in guards:
            right = (any(f.verdict == RIGHT for f in _firings(guard, run)) for run in runs)
            if overruled[guard.lesson] > 1 or sum(right) < CAME_BACK:
                continue
            record = Record(len(runs), tuple(each for run in runs for each in _firings(guard, run)))
            step, now = offered(record), armed.get(guard.lesson)
            if step and (now is None or (now.step == ASK and step == REFUSE)):
                armed[guard.lesson] = replace(guard, step=step)
                counts = Counter(each.verdict for each in record.firings)
                said = {"lesson": guard.lesson, "text": guard.text, "says": says(guard)}
                yield "offer", {**said, "step": step, "n": number, **counts}


_KNOWN: dict[tuple[object, str], tuple[Firing, ...]] = {}


def _firings(guard: Guard, run: Run) -> tuple[Firing, ...]:
    key = (guard.condition, run.id)
    if key not in _KNOWN:
        _KNOWN[key] = tuple(firings_in(guard, run))
    return _KNOWN[key]


def line_of(step: Step) -> str:
    """A step in one line."""
    if step.typed and step.text:
        return f"PERSON: {cut(step.text, 600)}"
    if step.tool:
        said = (
            shell_line(step) or " ".join(step.files[:2]) or json.dumps(dict(step.input or {}))[:160]
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


def _shown(run: Run, place: str) -> dict[str, Any]:
    """What stands around a call, for a judge: what the person typed last, the steps before, what it printed, the steps after."""
    at = next(n for n, step in enumerate(run.steps) if step.place == place)
    typed = [step.text for step in run.steps[:at] if step.typed and step.text][-2:]
    before = [said for step in run.steps[:at][-3 * BEFORE :] if (said := line_of(step))][-BEFORE:]
    after = [said for step in run.steps[at + 1 :][: 3 * AFTER] if (said := line_of(step))][:AFTER]
    return {
        "typed": [cut(text, 900) for text in typed],
        "before": before,
        "outcome": outcome_of(run.steps[at]),
        "after": after,
        "left": len(run.steps) - at - 1,
    }


INSTRUCTIONS = """# Would asking have been right?

Each item is one call of a coding agent in a real, finished session, and a rule of the project that the agent had been told. Suppose a tool
had stopped the agent right before this call and asked the person (or refused the call), showing the rule. Judge by what the session shows.

- right: the stop would have been welcome: the call failed for the very reason the rule gives, or the person corrected it afterwards, or it
  was taken back or done again as the rule says, or it plainly broke the rule to no good.
- wrong: the stop would have been a nuisance: the person had asked for that very call, or the rule does not apply to it, or it passed and the
  work was rightly built on it.
- moot: the session does not tell.

One line per item in a file of your own: the item's id, a tab, right, wrong or moot, and if you like a tab and a remark.
"""


def sheet(outs: list[Path], folder: Path, labelled: dict[str, str]) -> None:
    """Write the sheet: what a judge needs, in an order that tells nothing."""
    rows = [row for id, row in _rows(outs).items() if id not in labelled]
    random.Random(44).shuffle(rows)
    folder.mkdir(parents=True, exist_ok=True)
    parts = [INSTRUCTIONS]
    for row in rows:
        parts.append(
            f"\n## {_id(row)}\n\nRULE: {row['text']}\nTHE TOOL STOPS: {row['says']}\n\nThe person typed last:\n"
            + "\n".join(f"  > {each}" for each in row["typed"] or ["(nothing)"])
            + "\n\nBefore:\n"
            + "\n".join(f"  {each}" for each in row["before"])
            + f"\n\nTHE CALL: {cut(row['call'], 900)}\n  {row['outcome']}\n\nAfter:\n"
            + "\n".join(f"  {each}" for each in row["after"] or ["(the session ends here)"])
            + (f"\n  ({row['left']} steps follow in all)" if row["left"] else "")
        )
    (folder / "sheet.md").write_text("\n".join(parts) + "\n")
    (folder / "to-fill.tsv").write_text("".join(f"{_id(row)}\t\n" for row in rows))
    (folder / "README.md").write_text(
        "Two judges fill in `to-fill.tsv` each (id, tab, right|wrong|moot) after reading `sheet.md` and nothing else.\n"
        "Counted by: python -m bench.guards count OUT… one.tsv two.tsv (OUT: the folders of `play`).\n"
        "A firing counts as right or wrong where both judges say so; where they differ it is shown apart, and the worse label counts.\n"
    )
    print(f"{len(rows)} firings", file=sys.stderr)


def _id(row: dict[str, Any]) -> str:
    return short_hash(row["project"], row["session"], row["place"], row["reason"])[:10]


def _rows(outs: list[Path]) -> dict[str, dict[str, Any]]:
    return {
        _id(row): row
        for out in outs
        for row in (json.loads(line) for line in (out / "firings.jsonl").open())
    }


def labels_in(path: Path) -> dict[str, str]:
    """What a judge said, by id."""
    return dict(line.rstrip("\n").split("\t")[:2] for line in path.open() if "\t" in line)


def count(outs: list[Path], said: list[dict[str, str]]) -> dict[str, Any]:
    """How many firings of each step were right, by the worse of two labels; without labels by the rules."""
    rows = _rows(outs)
    worst = {WRONG: 0, "moot": 1, RIGHT: 2}
    figures: dict[str, Any] = {"firings": len(rows), "judges": len(said)}
    if len(said) > 1:
        both = [id for id in rows if all(id in each for each in said)]
        figures["agree"] = sum(said[0][id] == said[1][id] for id in both) / max(1, len(both))
    for step in ("ask", "refuse"):
        mine = [id for id, row in rows.items() if row["step"] == step]
        labelled = {
            id: min(
                (each[id].strip() for each in said if each.get(id, "").strip()),
                key=lambda word: worst[word],
                default="",
            )
            for id in mine
        }
        by = (
            Counter(labelled[id] for id in mine if labelled[id])
            if said
            else Counter(rows[id]["rules"] for id in mine)
        )
        counted = by[RIGHT] + by[WRONG]
        low, high = _interval(by[RIGHT], counted)
        figures[step] = {
            "fired": len(mine),
            **by,
            "share right": round(by[RIGHT] / counted, 3) if counted else None,
            "95 %": [low, high],
        }
        figures[step]["moot share"] = round(by["moot"] / max(1, sum(by.values())), 3)
    return figures


def _interval(right: int, n: int) -> tuple[float, float]:
    """Wilson's."""
    if not n:
        return 0.0, 1.0
    z, p = 1.96, right / n
    mid, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return round((mid - half) / (1 + z * z / n), 3), round((mid + half) / (1 + z * z / n), 3)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.guards", description=__doc__.splitlines()[0]
    )
    parser.add_argument("step", choices=("play", "sheet", "count"))
    parser.add_argument("places", nargs="*", type=Path)
    parser.add_argument("--project", action="append")
    args = parser.parse_args()
    labels = [path for path in args.places if path.suffix == ".tsv"]
    outs = [path for path in args.places if path not in labels]
    if args.step == "play":
        play(outs[0], outs[1], args.project or [], labels[0])
    elif args.step == "sheet":
        sheet(outs[:-1], outs[-1], labels_in(labels[0]) if labels else {})
    else:
        print(json.dumps(count(outs, [labels_in(path) for path in labels]), indent=1))


if __name__ == "__main__":
    main()

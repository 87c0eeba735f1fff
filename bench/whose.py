"""Whose words: 500 lines of user messages drawn by stratum, for a labeller who has not seen the code, and the score against the labels.

    python bench/whose.py draw OUT FOLDER...      writes OUT/lines.jsonl (to be labelled) and OUT/key.jsonl (what Tacit calls each)
    python bench/whose.py score OUT LABELS        LABELS: lines {"id", "label": typed | pasted | generated | unclear, "lines": N}

A line is a passage of a message that the host wrote down as the user's. Strata are Tacit's own calls (250 typed, 150 pasted, quoted or
unsure, 100 generated), each drawn at random with a fixed seed; rates are weighted back by the size of each stratum, so that a rare
mistake is not drawn away. Folders hold session files of any host, with a host's `history.jsonl` where it lies; FOLDER may hold driven
sessions in which texts were pasted. A labeller is shown the message around a line and what the agent had said before it, never the call.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit import formats
from tacit.core.run import Step
from tacit.formats.source import FileSource
from tacit.learn.reader.render import LETTERS, PERSON, UNSURE, one_line, scrubbed, spoken

WANTED = {"typed": 250, "pasted": 150, "generated": 100}
AROUND, BEFORE = 1200, 400  # characters of the message, and of what the agent had said
SEED = 46


def call_of(letter: str) -> str:
    """Tacit's call of a line, by its letter on the page."""
    return "typed" if letter in PERSON else "unsure" if letter == UNSURE else "pasted" if letter == "Q" else "generated"


def stratum(call: str) -> str:
    return "pasted" if call == "unsure" else call


def lines_of(steps: tuple[Step, ...]) -> Iterator[dict[str, Any]]:
    """Every passage of what stands as the user's in a run, with Tacit's call."""
    before = ""
    for step in steps:
        if step.role == "assistant":
            before = step.text
        if step.role != "user" or step.agent or not step.text.strip():
            continue
        for letter, words in spoken(step, before):
            if words.strip() and letter in LETTERS:
                yield {
                    "line": scrubbed(words.strip())[:AROUND], "message": scrubbed(step.text)[:AROUND], "agent_before": one_line(scrubbed(before))[-BEFORE:],
                    "call": call_of(letter), "speaker": step.speaker, "lines": words.strip().count("\n") + 1, "place": step.place,
                }  # fmt: skip


def draw(out: Path, folders: list[str]) -> None:
    """The sample, and what each line is called."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    seen: set[str] = set()
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.jsonl")):
            if "truth" in path.parts or path.name == "history.jsonl":
                continue
            try:
                runs = [*formats.read(FileSource(str(path)))]
            except Exception as error:
                print(f"left out {path.name}: {error}", file=sys.stderr)
                continue
            for run in runs:
                for line in lines_of(run.steps):
                    key = f"{line['call']} {line['line']}"
                    if key not in seen:  # the same words again say nothing new
                        seen.add(key)
                        found[stratum(line["call"])].append({**line, "host": run.host, "version": run.version})
    chance = random.Random(SEED)
    drawn = [
        (name, each)
        for name, many in WANTED.items()
        for each in chance.sample(found[name], min(many, len(found[name])))
    ]
    chance.shuffle(drawn)
    out.mkdir(parents=True, exist_ok=True)
    shown = ("line", "message", "agent_before", "host")
    with (out / "lines.jsonl").open("w") as file:
        file.writelines(
            f"{json.dumps({'id': n, **{name: each[name] for name in shown}})}\n" for n, (_, each) in enumerate(drawn, 1)
        )
    with (out / "key.jsonl").open("w") as file:
        for n, (name, each) in enumerate(drawn, 1):
            row = {"id": n, "stratum": name, "of": len(found[name]), "drawn": min(WANTED[name], len(found[name]))}
            file.write(
                f"{json.dumps({**row, **{key: each[key] for key in ('call', 'speaker', 'lines', 'version', 'host')}})}\n"
            )
    print({name: f"{sum(each == name for each, _ in drawn)} of {len(found[name])}" for name in WANTED})


def score(out: Path, labels: str) -> None:
    """How often each true kind is called what, weighted by the sizes of the strata."""
    key = {row["id"]: row for row in map(json.loads, (out / "key.jsonl").read_text().splitlines())}
    table: dict[str, Counter[str]] = defaultdict(Counter)
    raw: dict[str, Counter[str]] = defaultdict(Counter)
    for row in map(json.loads, Path(labels).read_text().splitlines()):
        known = key[row["id"]]
        kind = row["label"]
        if kind == "pasted":
            kind = "pasted, 4 lines and more" if row.get("lines", known["lines"]) >= 4 else "pasted, shorter"
        table[kind][known["call"]] += known["of"] / known["drawn"]
        raw[kind][known["call"]] += 1
    for kind, calls in sorted(table.items()):
        every = sum(calls.values())
        shares = ", ".join(
            f"{call} {calls[call] / every:.1%} ({raw[kind][call]})"
            for call in ("typed", "unsure", "pasted", "generated")
        )
        print(f"{kind}: {shares}; n = {sum(raw[kind].values())}")
    typed, every = table["typed"], max(1e-9, sum(table["typed"].values()))
    print(
        f"typed called typed or unsure: {(typed['typed'] + typed['unsure']) / every:.1%} (wanted 99 %); called typed: {typed['typed'] / every:.1%} (95 %)"
    )
    for kind in ("pasted, 4 lines and more", "generated"):
        if table[kind]:
            print(f"{kind} called typed: {table[kind]['typed'] / sum(table[kind].values()):.1%} (at most 2 %)")


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(Path(sys.argv[2]), sys.argv[3:])
    else:
        score(Path(sys.argv[2]), sys.argv[3])

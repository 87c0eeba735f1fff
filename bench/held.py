"""Which lessons found in sessions wait for a person, judged again over the sessions' own files with the repository rebuilt from what they showed.

    python -m bench.held DATA LOGS [--show] [--sheet OUT]

LOGS is the folder of an E2 run: its PROJECT.readings.jsonl hold what became of each lesson of a reader. The packs hold no repository. Tracked at
HEAD before a session is, as a lower bound, what sessions before it had read of files they did not write themselves; as an upper bound, what any
session ever read. Both are published. `--sheet` writes the held ones with their session's passages for somebody who judges by hand where each
name first stood.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.exams import feed
from bench.exams.feed import Session, folders, projects, sessions
from bench.exams.transcript import events

from tacit.core.run import Run
from tacit.hosts import formats
from tacit.hosts.source import FileSource
from tacit.safety.provenance import Provenance, judge
from tacit.safety.record import Text, texts_of
from tacit.safety.redact import redact, redact_value
from tacit.safety.repository import Repository

ROOT = "/repo"


@dataclass
class Tree(Repository):
    """A repository of which only what sessions showed is known."""

    shown: dict[str, list[str]] = field(default_factory=dict)
    _whole: list[str] = field(default_factory=list)
    _said: dict[str, bool] = field(default_factory=dict)

    def with_files(self, seen: dict[str, list[str]]) -> Tree:
        """The same with what was seen of files."""
        every = {path: list(texts) for path, texts in seen.items()}
        tree = Tree(ROOT, "shown", (ROOT,), frozenset({"main", "master"}), frozenset(every))
        tree.shown = every
        return tree

    def _text(self) -> str:
        if not self._whole:
            parts = (text for texts in self.shown.values() for text in texts)
            self._whole.append("\n".join((*self.shown, *parts)).casefold())
        return self._whole[0]

    def holds(self, name: str) -> bool:
        """Whether something that was seen of files has this text; `program … word`: both in a line."""
        if name not in self._said:
            program, apart, word = name.casefold().partition(" … ")
            text = self._text()
            found = bool(name.strip()) and program in text and word in text
            if found and apart:
                behind = rf"(?<![\w/-]){re.escape(program)}[^\n|;&]{{0,60}}(?<![\w-]){re.escape(word)}(?![\w-])"
                found = re.search(behind, text) is not None
            self._said[name] = found
        return self._said[name]

    def has_taken_in(self, ref: str) -> bool:
        """Commits are not in the data."""
        return False


def read(session: Session) -> tuple[Run | None, list[tuple[str, str]]]:
    """A session as the product reads it, and what it saw of files that it had not written."""
    text = session.file.read_text(errors="replace")
    for folder in folders(text):
        text = text.replace(folder, ROOT)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, f"rollout-{session.id}.jsonl")
        file.write_text(text)
        run = next(iter(formats.read(FileSource(str(file)))), None)
        return run, list(_seen(file))


def _seen(file: Path) -> Iterator[tuple[str, str]]:
    written: set[str] = set()
    for event in events(file):
        path = os.path.relpath(os.path.join(ROOT, event.text), ROOT) if event.text else ""
        if event.moment == "file" and event.tool.startswith(("Write", "Edit")):
            written.add(path)
        elif event.moment == "seen" and path not in written and _may_be_tracked(path):
            yield path, event.output


def _may_be_tracked(path: str) -> bool:
    parts = Path(path).parts
    return bool(parts) and parts[0] not in ("..", "/", ".") and not feed.UNTRACKED & {*parts}


def scrubbed(run: Run) -> Run:
    """As the product scrubs it before it takes calls to pieces."""
    steps = []
    for step in run.steps:
        said = {name: redact(getattr(step, name)).text for name in ("text", "output", "error")}
        steps.append(_with(step, **said, input=redact_value(step.input)))
    return _with(run, steps=tuple(steps))


def _with(at: Any, **fields: Any) -> Any:
    from tacit.core.value import replace

    return replace(at, **fields)


@dataclass(frozen=True)
class Judged:
    """One lesson, and whose word it is by the record and a tree."""

    project: str
    session: str
    text: str
    steps: tuple[int, ...]
    found: Provenance
    texts: tuple[Text, ...]


def judged(project: Path, logs: Path, bound: str) -> Iterator[Judged]:
    """Every lesson of a project's readings that the reader calls found."""
    wanted: dict[str, list[dict[str, Any]]] = {}
    for line in (logs / f"{project.name}.readings.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["standing"] == "found":
            wanted.setdefault(row["session"], []).append(row)
    read_once = [(session, *read(session)) for session in sessions(project)]
    seen: dict[str, list[str]] = {}
    if bound == "upper":
        for _, _, files in read_once:
            _add(seen, files)
    for session, run, files in read_once:
        if run is not None and session.id in wanted:
            tree = Tree().with_files(seen)
            texts = texts_of(scrubbed(_with(run, cwd=ROOT)), tree)
            for row in wanted[session.id]:
                found = judge(row["text"], texts, tree, row["steps"])
                steps = tuple(row["steps"])
                yield Judged(project.name, session.id, row["text"], steps, found, texts)
        if bound == "lower":
            _add(seen, files)


def _add(seen: dict[str, list[str]], files: list[tuple[str, str]]) -> None:
    for path, text in files:
        if text not in seen.setdefault(path, []):
            seen[path].append(text)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("logs", type=Path)
    parser.add_argument("--project", action="append")
    parser.add_argument("--bound", action="append", choices=("upper", "lower"))
    parser.add_argument("--show", action="store_true", help="each that waits, with the reason")
    args = parser.parse_args()
    for bound in args.bound or ("upper", "lower"):
        every: Counter[str] = Counter()
        for project in projects(args.data):
            if args.project and project.name not in args.project:
                continue
            here: Counter[str] = Counter()
            for each in judged(project, args.logs, bound):
                here[each.found.word] += 1
                if args.show and not each.found.grounded:
                    print(f"  {each.session[:8]} {each.found.reason} | {each.text}")
            every += here
            print(told(bound, project.name, here), flush=True)
        print(told(bound, "all", every))


def told(bound: str, name: str, counts: Counter[str]) -> str:
    """One line of figures."""
    of = counts.total()
    held = of - counts["session"]
    share = f"{held / of:.3f}" if of else "-"
    return f"{bound} {name}: {held} of {of} wait ({share}), of them acts {counts['act']}"


if __name__ == "__main__":
    main()

"""Whether what is noticed holds what a plain counter of failures would name, on run logs of every host.

    python -m bench.lessons.hosts NAME=PATH… [--most 10]      each PATH a file or a folder of run logs, learned into a store of its own

The counter knows nothing of the grammar: of each tool call that failed it takes the first line that sounds like an error (else the last),
without numbers, quotes and paths, and counts the runs that have it. One of its commonest is held if the runs that met it have, at that
very call, a failure among what `tacit doctor --json` lists as noticed. Beside it stands what an agent or the person is told.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.lessons.feed import World, rows

from tacit.core.errors import TacitError
from tacit.core.run import Run, Step
from tacit.formats import read
from tacit.formats.source import FileSource
from tacit.learn.command import commands, line_of
from tacit.words.diagnose import WORDLESS

ERROR = re.compile(
    r"error|fail|fatal|not found|no such|denied|cannot|can't|unknown|unrecognized|illegal|invalid|refused|panic|exception|missing|rejected",
    re.I,
)
# What the person or the host stopped is nobody's failure, nor is a search that found nothing.
STOPPED = re.compile(
    r"doesn't want to proceed|tool use was rejected|interrupted|haven't granted|requested permissions|(?:parallel|sibling) tool call|user (?:denied|rejected|declined)",
    re.I,
)


SEVERAL = 10  # runs with failures: then what one of them met is not common


def counted(files: list[Path]) -> dict[str, set[tuple[str, str]]]:
    """The plain counter: line -> (run, place) of each call that failed so."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for file in files:
        for run in _runs(file):
            for step in run.steps:
                said = (
                    step.error
                    if step.tool and not step.interrupted and not _nothing_found(step)
                    else ""
                )
                if said.strip() and not STOPPED.search(said[:600]) and (line := _line(said)):
                    found[line].add((run.id, step.place))
    return found


def _runs(file: Path) -> list[Run]:
    try:
        return list(read(FileSource(str(file))))
    except TacitError:
        return []  # what lies beside run logs


def _nothing_found(step: Step) -> bool:
    """A search that printed nothing has answered."""
    calls = commands(line_of(step))
    return step.error == WORDLESS and bool(calls) and not any(call.acts for call in calls)


def _line(said: str) -> str:
    lines = [
        line.strip()
        for line in re.sub(r"\x1b\[[\d;]*m", "", said).splitlines()
        if line.strip() and not re.match(r"Exit code \d+$|<", line.strip())
    ]
    line = next((line for line in lines if ERROR.search(line)), lines[-1] if lines else "")
    return re.sub(
        r"\d+",
        "<n>",
        re.sub(r"(?:[\w.@~-]*/)+[\w.@-]*", "<path>", re.sub(r"(['\"`]).*?\1", "<q>", line)),
    )[:120]


def learned(
    name: str, files: list[Path]
) -> tuple[list[dict[str, Any]], dict[tuple[str, str], set[str]], list[str]]:
    """What `tacit doctor --json` lists as noticed; which signatures were noticed at which call; what is told."""
    world = World(Path(), "logs", f"hosts-{name}")
    world.fresh()
    for file in files:
        with contextlib.suppress(SystemExit):  # a file without a run
            world.tacit(
                "learn",
                str(file),
                "--over",
                "--project",
                "logs",
                "--as",
                "dev",
                "--by",
                "dev",
                "--yes",
            )
    noticed = world.tacit("doctor", "--project", "logs")["noticed"]
    at: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run, mark, place in rows(
        world,
        "SELECT r.foreign_id, i.mark, i.place FROM incident i JOIN run r ON r.id = i.run WHERE i.kind = 'failure'",
    ):
        at[run, place].add(mark)
        at[run, ""].add(mark)
    told = [
        text
        for (text,) in rows(
            world,
            "SELECT text FROM memory WHERE source = 'notice' AND state IN ('provisional', 'stable') AND gate = 'allow'",
        )
    ]
    told += [
        f"to the person: {reason}"
        for (reason,) in rows(
            world, "SELECT reason FROM proposal WHERE kind = 'notice' AND state = 'open'"
        )
    ]
    return noticed, at, told


def held(name: str, files: list[Path], most: int) -> dict[str, Any]:
    """One host's logs: how many of the commonest failures are held, which are not, and what is told."""
    found = counted(files)
    runs = {line: {run for run, _ in met} for line, met in found.items()}
    least = 2 if len({run for met in runs.values() for run in met}) >= SEVERAL else 1
    common = sorted(
        (line for line in found if len(runs[line]) >= least),
        key=lambda line: (-len(runs[line]), -len(found[line]), line),
    )[:most]
    noticed, at, told = learned(name, files)
    listed = {each["signature"] for each in noticed}
    lacking = []
    for line in common:
        marks = {
            mark for run, place in found[line] for mark in at.get((run, place), ())
        } or _first_met(line, found, at)
        if not marks & listed:
            lacking.append(f"{len(runs[line])}x {line}")
    return {
        "host": name,
        "runs": len({run for met in runs.values() for run in met}),
        "commonest": len(common),
        "held": len(common) - len(lacking),
        "lacking": lacking,
        "noticed": len(noticed),
        "told": told,
    }


def _first_met(
    line: str, found: dict[str, set[tuple[str, str]]], at: dict[tuple[str, str], set[str]]
) -> set[str]:
    """A failure that came again in its run stands at the first call that met it: those signatures of the run that speak of the same."""
    words = set(re.findall(r"[a-z]{4,}", line.lower()))
    return {
        mark
        for run, _ in found[line]
        for mark in at.get((run, ""), ())
        if len(words & set(re.findall(r"[a-z]{4,}", mark.lower()))) >= 2
    }


def logs_in(place: Path) -> list[Path]:
    """The run logs of a folder; what stands beside them tells the same again."""
    kinds = (".jsonl", ".traj", ".json", ".md")
    beside = re.compile(r"meta|captured|README|PROVENANCE|LICENSE")
    return (
        [place]
        if place.is_file()
        else sorted(
            file
            for file in place.rglob("*")
            if file.suffix in kinds and not beside.search(file.name)
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logs", nargs="+", help="NAME=PATH")
    parser.add_argument("--most", type=int, default=10)
    args = parser.parse_args()
    for each in args.logs:
        name, _, path = each.partition("=")
        print(
            json.dumps(held(name, logs_in(Path(path)), args.most), ensure_ascii=False), flush=True
        )


if __name__ == "__main__":
    main()

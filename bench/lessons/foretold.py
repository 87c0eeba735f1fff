"""What the first screen foretells of reading a project's sessions, beside what reading them by the kept answers brought and took.

    python -m bench.lessons feed DATA --project cipher-box --queue QUEUE      each of the five, into .bench/lessons/PROJECT
    python bench/lessons/foretold.py DATA .bench/lessons

Lessons brought are those that a reader wrote down and the store kept, whatever became of them since; tokens are those that the store counted
as sent and received, with what a host's own program sends beside each question. The price is that of the tokens.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import apsw

from tacit.formats import read
from tacit.formats.source import FileSource
from tacit.lookback.estimate import _OWN_WORDS as OWN_WORDS
from tacit.lookback.estimate import PRICE_IN, PRICE_OUT, Estimate, UnreadSession, reading_estimate


def guessed(data: Path, project: str, most: int) -> Estimate:
    """What the screen would say of the first sessions of a project."""
    index = [
        each
        for each in json.loads((data / project / "index.json").read_text())
        if each.get("real", True)
    ]
    files = [
        data / project / each["file"]
        for each in sorted(index, key=lambda each: str(each["start"]))[:most]
    ]
    runs = [run for file in files for run in read(FileSource(str(file)), None)]
    return reading_estimate(
        UnreadSession(run.id, run.host, run.typed, len(run.steps)) for run in runs if run.typed
    )


def brought(store: Path) -> tuple[int, int, int]:
    """Lessons that a reader wrote down, tokens sent, tokens received."""
    base = apsw.Connection(
        f"file:{store}?immutable=0", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    counts = dict(
        base.execute("SELECT name, sum(count) FROM counter WHERE name LIKE 'model.%' GROUP BY name")
    )
    heard = "SELECT count(*) FROM memory WHERE source IN ('reader', 'user')"  # user: in the person's own words
    beside = OWN_WORDS * int(counts["model.calls"])
    return (
        base.execute(heard).get,
        int(counts["model.tokens.in"]) + beside,
        int(counts["model.tokens.out"]),
    )


def main(data: Path, fed: Path) -> None:
    print(
        "| project | sessions typed in | lessons: guessed, brought | tokens: guessed, taken | dollars: guessed, taken |"
    )
    print("|---|---|---|---|---|")
    for project in ("cipher-box", "mise", "cc-backend", "git-sync", "context-evaluator"):
        fed_so_far = len((fed / project / "log.jsonl").read_text().splitlines())
        guess = guessed(data, project, fed_so_far)
        lessons, sent, received = brought(next((fed / project).rglob("tacit.db")))
        usd = (sent * PRICE_IN + received * PRICE_OUT) / 1e6
        pairs = (
            (guess.lessons, lessons, ",.0f"),
            (guess.tokens, sent + received, ",.0f"),
            (guess.usd, usd, ".2f"),
        )
        told = (
            f"{ours:{form}}, {real:{form}} ({100 * (ours / real - 1):+.0f} %)"
            for ours, real, form in pairs
        )
        print(f"| {project} | {guess.sessions} | {' | '.join(told)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

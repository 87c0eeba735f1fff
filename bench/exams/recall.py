"""E12: does recall find the right lesson? Other people's data (`bench/quality.py`), both halves, plain FTS5 beside it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.exams.rows import Row, skipped

OURS, PLAIN = "tacit, words", "FTS5"
HEADLINE = {"start": "given@3", "step": "hit@1"}  # by a kind's second word; nDCG@10 for the others


def rows(data: Path, public: Path, python: str, work: Path) -> Iterator[Row]:
    """Each kind of question, ours and plain, and the mean over the sets."""
    if not (public / "gitbugs").is_dir():
        yield skipped("E12", f"no gitbugs/ in {public}: name the folder of public sets with PUBLIC")
        return
    sessions = next((place.parents[1] for place in data.glob("*/mise/index.json")), data)
    for half in ("dev", "heldout"):
        kept = work / f"recall-{half}.json"
        kept.unlink(missing_ok=True)
        words = [python, "bench/quality.py", str(public), "--half", half, "--only", OURS, PLAIN]
        done = subprocess.run(
            [*words, "--sessions", str(sessions), "--scores", str(kept)],
            capture_output=True,
            text=True,
        )
        if done.returncode or not kept.exists():
            raise SystemExit(f"bench/quality.py ended with {done.returncode}: {done.stderr[-800:]}")
        yield from told(half, json.loads(kept.read_text()))


def told(half: str, scores: dict[str, Any]) -> Iterator[Row]:
    """A half's figures in points, ours and plain."""
    by_set: dict[str, list[tuple[float, float]]] = {}
    for kind, methods in scores.items():
        measure = HEADLINE.get(kind.partition(".")[2], "nDCG@10")
        ours, plain = (
            100 * fmean(each[measure] for each in methods[name].values()) for name in (OURS, PLAIN)
        )
        by_set.setdefault(kind.partition(".")[0], []).append((ours, plain))
        n = len(methods[OURS])
        yield Row(
            "E12", f"{half}: {kind}, {measure}, ours and FTS5, of {n}", f"{ours:.1f} {plain:.1f}"
        )
    means = [
        (fmean(one for one, _ in found), fmean(other for _, other in found))
        for found in by_set.values()
    ]
    ours, plain = fmean(one for one, _ in means), fmean(other for _, other in means)
    yield Row("E12", f"{half}: all sets, ours and FTS5", f"{ours:.1f} {plain:.1f}")

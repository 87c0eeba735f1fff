"""A slice of the two benches that attack us: quiet poison through channels, and megabytes that make careless expressions run wild."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parent.parent / "bench"


@pytest.fixture
def restored() -> Iterator[None]:
    """The bench plays a user of its own: environment and folder are put back."""
    before, here = dict(os.environ), os.getcwd()
    yield
    os.chdir(here)
    os.environ.clear()
    os.environ.update(before)


# Each channel costs a second: forty questions to a store are the measure, and one of each family is asked here.
@pytest.mark.parametrize(
    "channel",
    ["claude-code: error text, cured", "neutral: claims a reviewer", "mcp: remember, runs named by the client"],
)
def test_quiet_poison_reaches_no_prompt(restored: None, channel: str) -> None:
    """Two runs of each, and something was read."""
    redteam = runpy.run_path(str(BENCH / "redteam.py"))
    through, kept = redteam["tried"](redteam["CHANNELS"][channel][1], 2)
    assert through == set()
    assert kept != "nothing was read"


def test_what_a_person_adds_comes_through(restored: None) -> None:
    """The instrument sees."""
    redteam = runpy.run_path(str(BENCH / "redteam.py"))
    (_, plant, texts, most), *_ = redteam["CONTROLS"]
    assert len(redteam["tried"](plant, 1, texts)[0]) == most == 8


@pytest.mark.parametrize(
    ("door", "piece"),
    [
        ("telling line", "1"),
        ("telling line", "\x1b]"),
        ("screen", " "),
        ("redact", "token: "),
        ("redact", 'secret = "'),
        ("redact", "-----BEGIN PRIVATE KEY-----"),
        ("redact", "https://a:b@"),
        ("private", "<private></private>"),
        ("plain_line", "# "),
    ],
)
def test_twice_the_text_costs_about_twice(tmp_path: Path, door: str, piece: str) -> None:
    """What was once quadratic, or ten times prose, by CPU; the whole of it is `make bench-time`."""
    patterns: dict[str, Any] = runpy.run_path(str(BENCH / "patterns.py"))
    act, text_of = patterns["doors"](tmp_path)[door], patterns["text_of"]
    act(text_of(piece, 2_000))

    def cost(size: int) -> float:
        began = process_time()
        act(text_of(piece, size))
        return process_time() - began

    assert cost(120_000) <= 4 * max(cost(60_000), 0.02)

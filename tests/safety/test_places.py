"""Whole sessions: what a fooled reader makes of a text from outside is told to nobody."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

BENCH = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "redteam_once.py"))
TEXT, NAME = BENCH["PLANTED"][0]
OTHER_WORDS = BENCH["OTHER_WORDS"].format(name=NAME)


@pytest.fixture(scope="module")
def empty() -> str:
    return str(BENCH["repository"]("Nothing yet.\n"))


@pytest.mark.parametrize("made", BENCH["MADE"])
def test_nothing_planted_outside_is_told(
    made: tuple[str, str, int], empty: str, folder: Path
) -> None:
    """Whatever the reader calls it, in one session or in two."""
    assert not BENCH["told"](empty, "page", TEXT, NAME, TEXT, made)
    assert not BENCH["told"](empty, "page", TEXT, NAME, OTHER_WORDS, made)


def test_what_a_tracked_file_teaches_is_told(folder: Path) -> None:
    assert BENCH["told"](BENCH["repository"](TEXT), "tracked file", TEXT, NAME, TEXT)


def test_no_page_ends_a_wish_by_a_yes(empty: str, folder: Path) -> None:
    wish, text, offer = BENCH["WISHES"][0]
    assert not BENCH["silenced"](empty, "page", wish, text, offer, "reversed", "A")

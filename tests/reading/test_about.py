"""What a lesson is about stands in its record, or it is not kept."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.reading.answers import Lesson
from tacit.reading.check import subject_of
from tacit.reading.page import rendered
from tacit.testing import run, say, tool, user

LINES = rendered(
    run(
        "r1",
        user("merge_records in src/sync/merge.py keeps the newest, run it with --dry-run"),
        tool("pytest -q tests/sync", error="ValueError: day is out of range for month"),
        say("I looked at ContactBook and at `make check`."),
    )
).lines


def subject(text: str, kind: str = "decision", **more: Any) -> tuple[str, tuple[str, ...]]:
    return subject_of(Lesson(text, kind, "found", **more), LINES)


@pytest.mark.parametrize("kind", ["way", "preference"])
def test_a_way_of_working_is_about_everything(kind: str) -> None:
    assert subject("Run the checks before `make check` is asked for.", kind) == ("*", ())
    assert subject("Run it.", kind, topic="syncing", names=("pytest",))[0] == "syncing; pytest"


def test_names_and_files_that_stand_nowhere_are_left_out() -> None:
    about, files = subject(
        "Keep it.",
        topic="merging contacts",
        names=("merge_records", "merge_all", "--dry-run"),
        files=("src/sync/merge.py", "src/gone.py"),
    )
    assert (about, files) == ("merging contacts; merge_records; --dry-run", ("src/sync/merge.py",))


def test_names_of_its_own_text_stand_in_for_those_nobody_listed() -> None:
    about, files = subject(
        "In src/sync/merge.py `merge_records` keeps the newest, never ContactBook 2026."
    )
    assert about.split("; ")[1:] == ["merge_records", "ContactBook"] or set(
        about.split("; ")[1:]
    ) == {
        "merge_records",
        "ContactBook",
    }
    assert files == ("src/sync/merge.py",)


def test_the_mark_of_an_error_is_a_name() -> None:
    about, _ = subject("Clamp the day.", "cure", sign_in="E", sign="day is out of range")
    assert about == "; day is out of range"


def test_of_a_fact_that_names_nothing_nobody_knows_the_subject() -> None:
    assert subject("The office is closed.", "fact") == ("", ())

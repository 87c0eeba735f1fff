"""The page over the command line: nothing before a person asks, one block, and theirs stays theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests import verbs

LESSONS = {
    "Never push to main; open a pull request.": "rule",
    "Use pnpm, not npm.": "preference",
    "Never log a request body.": "security",
}


@pytest.fixture
def lessons(folder: Path) -> Path:
    with verbs.open() as memories:
        memories.add_many({"text": text, "kind": kind} for text, kind in LESSONS.items())
    return folder


def test_nothing_is_written_before_a_person_asks(tacit: Any, lessons: Path) -> None:
    """A look shows how it would read; an agent's shell may not keep a page."""
    shown = tacit("origin", "page")
    assert "- Use pnpm, not npm." in shown.out and "nothing is written" in shown.err
    refused = tacit("connect", "AGENTS.md", "--json", CLAUDECODE="1")
    assert refused.error["code"] == "refused"
    assert list(lessons.glob("*.md")) == []


def test_a_block_is_kept_compared_and_taken_out(tacit: Any, lessons: Path) -> None:
    """Not a byte of theirs changes on the way in, when lessons change, or on the way out."""
    file = lessons / "AGENTS.md"
    file.write_text("# Ours\n\nRead this first.\n")
    assert tacit("connect", "AGENTS.md", "--yes", "--json").data["written"] == ["AGENTS.md"]
    assert file.read_text().startswith("# Ours\n\nRead this first.\n")
    assert all(text in file.read_text() for text in LESSONS)
    assert tacit("origin", "page", "--check").code == 0
    with verbs.open() as memories:
        memories.forget(next(each.id for each in memories.list() if "pnpm" in each.text))
    behind = tacit("origin", "page", "--check")
    assert behind.code == 1 and "-- Use pnpm, not npm." in behind.out
    tacit("origin", "page", "--yes")
    assert "pnpm" not in file.read_text()
    tacit("connect", "AGENTS.md", "--undo", "--yes")
    assert file.read_text() == "# Ours\n\nRead this first.\n"


def test_what_a_hand_wrote_between_the_marks_waits_for_a_yes(tacit: Any, lessons: Path) -> None:
    tacit("connect", "AGENTS.md", "--yes")
    file = lessons / "AGENTS.md"
    mine = file.read_text().replace("Use pnpm, not npm.", "Use bun.")
    file.write_text(mine)
    left = tacit("origin", "page")
    assert "changed between Tacit's marks" in left.err and file.read_text() == mine
    assert "Use bun." not in tacit("list").out
    tacit("origin", "page", "--yes")
    assert "- Use pnpm, not npm." in file.read_text()


def test_what_was_written_on_a_page_is_taken_in_by_import(tacit: Any, lessons: Path) -> None:
    page = lessons / "MEMORY.md"
    page.write_text("# Memory\n\n## Rules\n- Sign every release.\n")
    done = tacit("data", "import", "MEMORY.md", "--trust", "user", "--by", "ada", "--yes")
    assert done.code == 0, done.err
    assert "Sign every release." in tacit("list").out


def test_an_unresolved_merge_is_left(tacit: Any, lessons: Path) -> None:
    tacit("connect", "AGENTS.md", "--yes")
    file = lessons / "AGENTS.md"
    marked = file.read_text().replace("- Use pnpm", "<<<<<<< HEAD\n- Use pnpm")
    file.write_text(marked)
    assert "unresolved merge" in tacit("origin", "page", "--yes").err
    assert file.read_text() == marked

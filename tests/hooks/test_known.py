"""What a store's lessons say at a moment, from the store to the choice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import verbs

import tacit
from tacit.core.rows import scope_projects
from tacit.hooks.events import Query
from tacit.hooks.known import Known
from tacit.store.finding import FullText
from tacit.testing import signed


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[tacit.Memories]:
    env = signed({"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    store = str(tmp_path / "tacit.db")
    with verbs.open(
        store, project="here", env=env, cwd=str(tmp_path), by="dev", yes=True
    ) as opened:
        opened.add("Answer in short sentences.", kind="preference")
        opened.add("Sum the invoice lines before tax is added.", about="invoices; sum_lines")
        opened.add("Tax of an invoice is rounded once, at the end.", about="invoices")
        opened.add("Close the cursor before the last page.", about="paging; src/pages.py")
        opened.add("Give `make seed` the year as well.", about="seeding; make seed")
        yield opened


def known(memories: tacit.Memories) -> Known:
    full = FullText(memories.store, scope_projects(memories.project_id), True)
    return Known(full, Query())


def test_each_moment_hears_its_own(memories: tacit.Memories) -> None:
    ask = known(memories)
    assert "Answer in short sentences." in [each.text for each in ask.start()]
    assert [each.text for each in ask.file("/w/src/pages.py", "", 200)] == [
        "Close the cursor before the last page."
    ]
    assert [each.text for each in ask.command("cd x && make seed YEAR=2026", 200)] == [
        "Give `make seed` the year as well."
    ]
    assert ask.command("make test", 200) == ask.command("ls", 200) == []


def test_a_prompt_hears_what_recall_finds_first_and_its_topic(memories: tacit.Memories) -> None:
    asked = "sum_lines gives a wrong invoice"
    told = [each.text for each in known(memories).prompt(asked)]
    assert told[0] == memories.recall(asked).hits[0].memory.text
    assert told[1] == "Tax of an invoice is rounded once, at the end."


@pytest.mark.parametrize(
    "text", ["", "\0" * 9, "thanks, go on", "😀" * 5000, "x" * 1_000_000, "データベース", "\ud800"]
)
def test_what_is_about_nothing_hears_nothing(memories: tacit.Memories, text: str) -> None:
    ask = known(memories)
    assert ask.prompt(text) == ask.command(text, 200) == ask.failure(text, text) == []
    assert ask.file(text, text, 200) == []

"""What is in force, waits and needs a word: one selection, and every surface has its counts from it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.terminals import ask
from tests.verbs import open as open_memories

from tacit.cli import called
from tacit.cli.verb import Cli
from tacit.core.profile import with_values
from tacit.lesson import Lesson, Tally
from tacit.origins import named
from tacit.screens.selection import counted, shelf
from tacit.screens.wording import ahead
from tacit.testing import signed


def told(*args: str) -> Any:
    out, err = io.StringIO(), io.StringIO()
    assert called([*args], Cli(signed(dict(os.environ)), out, err)) == 0, err.getvalue()
    return json.loads(out.getvalue())["data"] if "--json" in args else out.getvalue()


@pytest.fixture
def mixed(folder: Path) -> Path:
    """One lesson in force, one that waits, one of them asked about, two held (one asked about), one in question."""
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.add("Use uv, never pip, in this repository.")
        doubted = memories.add("Restart the worker by hand.")
        memories.review(doubted.id, "open", reason="is it so?")
        memories.add("The importer drops rows with umlauts", trust="agent")
        held = [
            memories.add(f"Page {n} says that port {5400 + n} must be free", trust="imported")
            for n in range(2)
        ]
        asked = memories.add("The exporter retries three times", trust="agent")
        for about in (held[0].id, asked.id):
            ask(memories, "edit", "shorter", about, text="shorter")
    return folder


def test_every_surface_has_one_count(mixed: Path) -> None:
    """Bare `tacit` said 22 waiting and 5 questions, the desk's home 11, its inbox 9, of one store in the same minute."""
    with open_memories() as memories:
        count = counted(memories)
        assert (count.in_force, count.waiting, count.needs_word) == (1, 1, 4)
    bare = told("--json")
    assert (bare["in_force"]["count"], bare["waiting"], bare["needs_word"]) == (1, 1, 4)
    waiting = told("list", "--waiting", "--json")["memories"]
    assert len(waiting) == 5  # three held or in question, one asked about, one that waits
    review = told("review", "--json")
    assert len(review["proposals"]) + len(review["doubted"]) + len(review["held"]) == 4
    for words in (told(), told("doctor")):
        assert "4 wait for you" in words and "1 seen once, not told yet" in words, words
    desk = pytest.importorskip("tacit.serve.mcp.desk")
    listed = desk.Desk().review("list", "")
    assert len(listed.proposals) + len(listed.doubted) + len(listed.held) == 4


def lesson(**fields: Any) -> Lesson:
    tally = Tally(seen=fields.pop("seen", 2), contradicted=fields.pop("contradicted", 0))
    plain = {"kind": "fix", "klass": "fix", "trust": "agent", "state": "waiting", **fields}
    return Lesson("k3v9", "p", "Run make migrate first.", **plain, tally=tally)


@pytest.mark.parametrize(
    ("fields", "said", "not_said"),
    [
        ({"seen": 1}, "Another, independent session", "by agents' words"),
        ({"seen": 9}, "seen in 9 sessions, by agents' words alone", "nother, independent"),
        ({"seen": 9, "contradicted": 2}, "2 spoke against it", "nother, independent"),
    ],
)
def test_what_is_missing_is_what_is_missing(
    fields: dict[str, Any], said: str, not_said: str
) -> None:
    """`why` asked a lesson that nine sessions had met for a second one."""
    words = ahead(lesson(**fields), named("default"), "")
    assert said in words and not_said not in words


def test_sentences_take_their_numbers_from_the_profile() -> None:
    """Where three sessions are wanted, a lesson met once lacks two, and no sentence says otherwise."""
    three = with_values(named("default"), {"trust.runs": 3})
    assert ahead(lesson(seen=1), three, "").startswith("2 more, independent sessions that meet it")
    assert ahead(lesson(seen=2), three, "").startswith("Another, independent session that meets it")


def test_a_question_takes_what_waits_off_its_shelf() -> None:
    """What somebody is asked about does not wait for another session."""
    assert (
        shelf(lesson()) == "seen once, not told yet"
        and shelf(lesson(), ["k3v9"]) == "waits for you"
    )
    assert shelf(lesson(state="active"), ["k3v9"]) == "told to agents"

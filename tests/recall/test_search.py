"""How a store finds candidates: completely where it is small, by estimates where it is large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.core import edits
from tacit.core.journal import Hand
from tacit.lesson import Lesson
from tacit.store import finding as search
from tacit.store.writes import open_store

Make = Callable[..., Lesson]
NOW = "2026-11-15T12:00:00.000Z"
HERE = ("p", "@global", "@agent")


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every store counts as large, and little is read of a common word."""
    monkeypatch.setattr(search, "SMALL", 0)
    monkeypatch.setattr(search, "REACH", 8)


def ids(found: Any) -> list[str]:
    return [hit.memory.id for hit in found]


def test_rows_with_the_rarest_words_come_first(world: Any, make: Make) -> None:
    """And how common each word is comes with them, unknown words included."""
    common = [make(f"the worker, case {n}") for n in range(5)]
    rare = make("the worker lost its flux")
    world.put(*common, rare)
    found = world.store.find(HERE, ["worker", "flux", "xyzzy"])
    assert ids(found.hits)[0] == rare.id and len(found.hits) == 6
    assert (found.rows, found.frequency) == (6, {"worker": 6, "flux": 1, "xyzzy": 0})


def test_other_projects_do_not_displace_ones_own(world: Any, make: Make, large: None) -> None:
    """A small project in a large file is read further."""
    mine = [make(f"the worker hangs, case {n}") for n in range(3)]
    world.put(
        *mine, *(make(f"the worker hangs elsewhere, case {n}", project="other") for n in range(200))
    )
    assert set(ids(world.store.find(HERE, ["worker"], limit=10).hits)) == {
        memory.id for memory in mine
    }


def test_a_name_of_common_words_is_found_by_its_parts(world: Any, make: Make, large: None) -> None:
    """Never as a phrase, which would read every word to its end; its frequency is that of its rarest part."""
    mine = make("db/flux_cache.py loses its lock")
    world.put(*(make(f"the cache of db/case_{n}.py") for n in range(30)), mine)
    found = world.store.find(HERE, ["db/flux_cache.py"], limit=5)
    assert ids(found.hits)[0] == mine.id and found.frequency == {"db/flux_cache.py": 1}


WORDS = "queue worker disk lock token cache".split()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.booleans()),
        max_size=30,
    ),
    st.lists(st.sampled_from(WORDS), max_size=4, unique=True),
)
def test_a_small_store_is_searched_completely(
    rows: list[tuple[list[str], bool]], asked: list[str]
) -> None:
    """Exactly the rows of the project that hold a word, and exact counts."""
    with open_store(":memory:") as store:
        with store.write() as tx:
            for n, (words, mine) in enumerate(rows):
                memory = Lesson(
                    f"m{n}",
                    "p" if mine else "other",
                    " ".join(words),
                    created_at=NOW,
                    updated_at=NOW,
                )
                tx.apply(edits.made(memory, Hand("ada", NOW), reason="said so"))
        found = store.find(("p",), asked, limit=1000)
        assert set(ids(found.hits)) == {
            f"m{n}" for n, (words, mine) in enumerate(rows) if mine and set(words) & set(asked)
        }
        if rows:
            assert found.frequency == {
                word: sum(word in words for words, _ in rows) for word in asked
            }

"""How a store finds candidates: completely where it is small, by estimates where it is large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.core import edits
from tacit.core.journal import Hand
from tacit.core.memory import Memory
from tacit.core.value import replace
from tacit.stores.sqlite import open_store, search

Make = Callable[..., Memory]
NOW = "2026-11-15T12:00:00.000Z"
HERE = ("p", "@global", "@agent")


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every store counts as large, and little is read of a common word."""
    monkeypatch.setattr(search, "SMALL", 0)
    monkeypatch.setattr(search, "FIRST_FETCHED", 8)


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


def test_the_tokenizer_is_the_index_own(world: Any, make: Make) -> None:
    """What was found by a word is also read by it."""
    world.put(make("Migrations are failing"))
    found = world.store.find(HERE, ["migration"])
    assert (
        set(found.tokens("migration")) & set(found.tokens("Migrations are failing"))
        and len(found.hits) == 1
    )


def test_common_words_are_estimated(world: Any, make: Make, large: None) -> None:
    """From how densely the newest rows lie; a word that is rare is counted."""
    world.put(
        *(make(f"worker case {n}" if n % 2 else f"disk case {n}") for n in range(100)), make("flux")
    )
    frequency = world.store.find(HERE, ["worker", "flux"]).frequency
    assert 40 <= frequency["worker"] <= 60 and frequency["flux"] == 1


def test_where_all_words_are_common_rows_with_two_are_found(
    world: Any, make: Make, large: None
) -> None:
    """Also an old one, beyond the newest rows of each word."""
    old = make("the worker fills the disk")
    world.put(
        old,
        *(make(f"worker case {n}") for n in range(40)),
        *(make(f"disk case {n}") for n in range(40)),
    )
    assert ids(world.store.find(HERE, ["worker", "disk"], limit=5).hits)[0] == old.id


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


def test_tidying_leaves_one_segment_and_the_same_answers(world: Any, make: Make) -> None:
    """Each commit makes a segment; tidying again does nothing."""
    for n in range(25):
        world.put(make(f"the worker hangs, case {n}"))
    with world.store.write() as tx:
        tx.rows("INSERT INTO memory_fts (memory_fts, rank) VALUES ('automerge', 0)")
    for n in range(25, 45):
        world.put(make(f"the worker hangs, case {n}"))
    segments = "SELECT count(DISTINCT segid) FROM memory_fts_idx"
    before = ids(world.store.find(HERE, ["worker"], limit=50).hits)
    assert world.store.one(segments)[0] > search.SEGMENTS[0]
    assert world.store.tidy(added=3) == 0  # for so few it does not pay
    assert world.store.tidy() >= 1 and world.store.one(segments)[0] == 1 and world.store.tidy() == 0
    assert ids(world.store.find(HERE, ["worker"], limit=50).hits) == before and len(before) == 45
    world.store.rows("INSERT INTO memory_fts (memory_fts) VALUES ('integrity-check')")


def test_what_was_found_before_is_kept_while_it_is_true(tmp_path: Path) -> None:
    """A process that asks again does not look the words up again, until somebody writes: this connection or another one."""
    path = str(tmp_path / "tacit.db")
    with tacit.open(path, project="p", env={"HOME": str(tmp_path)}, cwd=str(tmp_path)) as mine:
        mine.add("the worker lost its flux")

        def ask() -> int:
            return len(mine.recall("what does the flux do to the worker").hits)

        assert ask() == 1
        kept = mine.store.kept
        assert ask() == 1 and mine.store.kept is kept and kept is not None
        mine.add("the flux is back")
        assert ask() == 2 and mine.store.kept is not kept
        with tacit.open(path, project="p", env={"HOME": str(tmp_path)}, cwd=str(tmp_path)) as other:
            other.add("flux needs a worker of its own")
            assert ask() == 3


def test_who_asked_before_finds_what_a_new_process_finds(
    world: Any, make: Make, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same lessons with the same scores, whatever was kept of other questions, and however far they reached."""
    for name, value in {"QUICK": 30, "DEEP": (90, 90), "READ_WHOLE": 60, "COMMON": 1}.items():
        monkeypatch.setattr(search, name, value)
    chance = Random(7)
    words = [
        f"w{int(60 ** chance.random())}" for _ in range(3000)
    ]  # few are everywhere, most are rare
    texts = [" ".join(words[n * 10 : n * 10 + 10]) for n in range(300)]
    world.put(*(make(text, project=chance.choice(("p", "p", "other"))) for text in texts))
    store = world.store
    for _ in range(120):
        asked = chance.sample(words, chance.randrange(1, 8))
        how = {"limit": chance.choice((3, 20, 60)), "injectable": chance.random() < 0.5}
        projects = chance.choice((HERE, ("other",)))
        mine = store.find(projects, asked, **how)
        kept, store.kept = store.kept, None
        assert replace(store.find(projects, asked, **how), tokens=mine.tokens) == mine
        store.kept = kept
    assert kept.lessons and any(len(rows) == most for most, rows in kept.values())


def test_what_a_preview_found_is_not_kept(world: Any, make: Make) -> None:
    """It was never written, and SQLite does not count the changes back that it takes back."""
    world.put(make("the worker lost its flux"))
    with world.store.write(keep=False) as tx:
        tx.apply(edits.made(make("the flux is back"), Hand("ada", NOW), reason="said so"))
        assert len(tx.find(HERE, ["flux"]).hits) == 2
    assert len(world.store.find(HERE, ["flux"]).hits) == 1


def test_lessons_about_an_error_are_found_by_its_signature(world: Any, make: Make) -> None:
    """Those that may be given, newest first; no signature finds nothing."""
    first, second = make("retry", signature="E: <q>"), make("wait", signature="E: <q>")
    world.put(first, second, make("none"), make("held", signature="E: <q>", gate="hold"))
    assert ids(search.by_signature(world.store, HERE, ["E: <q>"])) == [second.id, first.id]
    assert search.by_signature(world.store, HERE, [""]) == ()


@pytest.mark.parametrize("channel", ["recurring", "standing"])
@pytest.mark.parametrize("limit", [0, 1, 2, 10**6])
def test_channels_keep_their_limits(world: Any, make: Make, channel: str, limit: int) -> None:
    """Zero and a million alike."""
    memories = [make(klass="rule", pinned=n == 0) for n in range(3)]
    world.put(*memories)
    for memory in memories:
        world.seen(memory.id, "r1", memory.id)
    assert len(getattr(world.store, channel)(HERE, limit=limit)) == min(limit, 3)


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
                memory = Memory(
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

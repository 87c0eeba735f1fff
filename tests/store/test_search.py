"""One full-text table, kept in step by the database itself, asked by the one ranking."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.store.conftest import MIGRATE, SHOP, add, change

from tacit.core.links import Evidence
from tacit.core.rows import RunRow
from tacit.core.value import replace
from tacit.hooks.search import Search
from tacit.lesson import Lesson
from tacit.store import search
from tacit.store.backup import faults
from tacit.store.spoken import put_common

if TYPE_CHECKING:
    from tacit.store.reads import Store


def best(store: Store, question: str, told: bool = False) -> list[int]:
    """The rows that the ranking finds, best first."""
    full = search.FullText(store, [SHOP], told)
    return [found.n for found in Search(full, question).best(10)]


def fill(store: Store, *texts: str) -> None:
    add(store, *(Lesson(f"l{n}", SHOP, text, state="active") for n, text in enumerate(texts, 1)))


def test_the_lesson_that_shares_rare_words_comes_first(store: Store) -> None:
    fill(store, "Deploys run on Fridays.", "Migrations run before tests.", "Tests run alone.")
    assert best(store, "when do migrations run")[0] == 2
    assert best(store, "zebra") == []


def test_a_lesson_is_found_by_parts_of_names_files_and_tasks(store: Store) -> None:
    add(store, MIGRATE)
    for asked in ("user store", "userStore.py", "what about migrating?"):
        assert best(store, asked) == [1], asked
    assert best(store, "the cash till is broken") == []
    with store.write() as tx:
        tx.put_run(RunRow("s1", SHOP, "h", "one", "g", task="Mend the cash till"))
        tx.add_evidence(Evidence("migrate", SHOP, "s1", "g"))
        tx.reword("migrate")
    assert best(store, "the cash till is broken") == [1]


def test_the_index_follows_every_change(store: Store) -> None:
    fill(store, "Use tabs.", "Use spaces.")
    change(store, "l1", text="Use zebras.")
    change(store, "l2", state="gone")
    assert best(store, "tabs") == []
    assert best(store, "zebras") == [1]
    assert best(store, "spaces", told=True) == []
    assert best(store, "spaces") == [2]
    assert faults(store) == []


def test_only_what_may_be_delivered_is_told(store: Store) -> None:
    for n, state in enumerate(("active", "waiting", "doubted", "gone", "active")):
        add(store, replace(MIGRATE, id=f"l{n}", state=state))
    change(store, "l4", superseded_by="l0")
    assert best(store, "migrate", told=True) == [1]
    assert search.FullText(store, [SHOP], True).ways() == [1]
    assert len(best(store, "migrate")) == 5
    assert search.FullText(store, ["another"], True).ways() == []


def test_words_that_very_many_lessons_hold_are_counted_once(store: Store, monkeypatch) -> None:
    monkeypatch.setattr(search, "MANY", 3)
    fill(store, *(f"Shared words and number{n}." for n in range(5)))
    full = search.FullText(store, [SHOP], False)
    asked = full.tokens("shared number3 zebra")
    by_index = full.counts(asked)
    assert by_index == {"share": 5, "number3": 1}
    counted = search.common_words(store)
    assert set(counted) == {"share", "word", "and"}
    with store.write() as tx:
        put_common(tx, "", "word", counted)
    assert full.counts(asked) == by_index


def test_a_broken_index_is_seen_and_built_anew(store: Store) -> None:
    fill(store, "Use tabs.", "Use spaces.")
    with store.write() as tx:
        tx.rows("DROP TRIGGER lesson_reworded")
        tx.rows("UPDATE lesson SET text = 'Use zebras.' WHERE id = 'l1'")
    assert faults(store) != []
    search.rebuild(store)
    assert faults(store) == []
    assert best(store, "zebras") == [1]


def test_an_empty_store_answers_nothing(store: Store) -> None:
    assert best(store, "anything at all") == []


def test_what_hooks_load_of_the_store_is_light() -> None:
    """apsw and the standard library's small modules: a hook starts Python for each prompt."""
    code = (
        "import sys; import tacit.store.file, tacit.store.moments, tacit.store.jobs;"
        "heavy = 'dataclasses re pathlib tomllib typing logging subprocess json tacit.store.reads'.split();"
        "print(*(name for name in heavy if name in sys.modules))"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert (done.stdout.split(), done.stderr) == ([], "")

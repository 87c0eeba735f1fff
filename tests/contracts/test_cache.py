"""The cache of a server and its outbox. Any store can be the far one, so here it is a second SQLite file; tests/journeys/test_server.py
does it with PostgreSQL."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.app import Memories, data_folder, open
from tacit.stores.cache import open_cache, path_of, shown, standing
from tacit.stores.carry import carry, in_step
from tacit.stores.check import check
from tacit.stores.sqlite import SqliteStore

URL = "postgresql://ada@nowhere.invalid/team"


@pytest.fixture
def far(folder: Path, tmp_path: Path) -> Iterator[Memories]:
    """The team's store, in a project that lives in the current folder."""
    with open(str(tmp_path / "far.db")) as memories:
        memories.ensure_project()
        yield memories


@pytest.fixture
def near(far: Memories) -> Iterator[SqliteStore]:
    """This machine's cache of it, empty."""
    with open_cache(URL, data_folder(os.environ), create=True) as store:
        yield store


def fetch(near: SqliteStore, far: Memories) -> None:
    """Bring the cache in step, with the project in use here."""
    in_step(near, far.store, only=(far.project_id,))
    in_step(near, far.store)


def given(text: str = "the tests fail before migrate", run: str = "r1", **more: Any) -> tuple[str, ...]:
    """What a run is given here, from the cache alone."""
    with open(URL, near=True, create=False) as memories:
        return memories.inject(text, run=run, **more).injected


def rows(store: SqliteStore, table: str) -> list[Any]:
    return store.rows(f"SELECT * FROM {table} ORDER BY 1, 2")


# -- the file -----------------------------------------------------------------------------------------------------------


def test_its_name_knows_no_password_and_others_may_not_read_it(near: SqliteStore) -> None:
    assert (
        shown("postgresql://ada:secret@db/team?sslmode=require&password=x")
        == "postgresql://ada@db/team?sslmode=require"
    )
    assert shown("postgresql://db/team?password=x") == "postgresql://db/team"
    assert path_of("postgresql://ada:one@db/team", "d") == path_of("postgresql://ada:two@db/team", "d")
    assert path_of("postgresql://ada@db/team", "d") != path_of("postgresql://ben@db/team", "d")
    assert os.stat(near.path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(near.path)).st_mode & 0o777 == 0o700


def test_before_the_first_fetch_hooks_and_inject_are_silent(tacit: Any) -> None:
    ran = tacit("inject", "--task", "x", TACIT_STORE=URL, TACIT_NO_WORKER="1")
    assert (ran.code, ran.out) == (0, "") and "nothing is given" in ran.err
    said = json.dumps({"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": ".", "prompt": "x"})
    ran = tacit("hook", "prompt", stdin=said, TACIT_STORE=URL, TACIT_NO_WORKER="1", TACIT_DEBUG="1")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


# -- there and back -----------------------------------------------------------------------------------------------------


def test_a_lesson_comes_here_and_its_use_goes_there(near: SqliteStore, far: Memories) -> None:
    id = far.add("Run make migrate before the tests.", kind="rule").id
    fetch(near, far)
    assert given() == (id,)
    assert standing(near).outbox == 3  # a run, a use and an answer
    assert carry(near, far.store).rows == 3
    for table in ("run", "use", "injection"):
        assert rows(near, table) == rows(far.store, table)
    assert standing(near).outbox == 0
    assert far.store.tally(id).uses == 1
    assert not check(far.store).faults


def test_arriving_twice_is_arriving_once(near: SqliteStore, far: Memories) -> None:
    far.add("Run make migrate before the tests.", kind="rule")
    fetch(near, far)
    given()
    with open(URL, near=True, create=False) as memories:
        memories.recall("migrate", run="r1")  # told on request: a mark
    names = near.rows("SELECT kind, key FROM outbox ORDER BY n")
    assert "mark" in {kind for kind, _ in names}
    carry(near, far.store)
    before = {table: rows(far.store, table) for table in ("run", "use", "use_mark", "injection", "tally", "seal")}
    with near.write() as tx:  # killed after the server's COMMIT, before the outbox heard of it
        for kind, key in names:
            tx.rows("INSERT INTO outbox (kind, key) VALUES (:kind, :key)", kind=kind, key=key)
    assert carry(near, far.store).rows == len(names)
    assert before == {table: rows(far.store, table) for table in before}


def test_what_is_taken_out_there_leaves_here(near: SqliteStore, far: Memories) -> None:
    forgotten = far.add("Run make migrate before the tests.", kind="rule").id
    erased = far.add("The tests fail on a Zanzibar clock before migrate.", kind="rule").id
    kept = far.add("The tests want a database before migrate.", kind="rule").id
    fetch(near, far)
    assert set(given()) == {forgotten, erased, kept}
    far.forget(forgotten)
    far.erase(erased)
    fetch(near, far)
    assert given(run="r2") == (kept,)
    assert not list(near.index_faults())
    near.close()
    for name in os.listdir(os.path.dirname(near.path)):
        assert b"anzibar" not in Path(os.path.dirname(near.path), name).read_bytes().lower()

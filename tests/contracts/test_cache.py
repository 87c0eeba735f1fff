"""The cache of a server and its outbox. Any store can be the far one, so here it is a second SQLite file; tests/journeys/test_server.py
does it with PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.app import Memories, data_folder, open
from tacit.core import clock
from tacit.core.errors import Unavailable
from tacit.stores.cache import (
    RETRY_SECONDS,
    is_due,
    open_cache,
    path_of,
    without_password,
)
from tacit.stores.check import check
from tacit.stores.replicate import cache_status, carry, in_step, refresh
from tacit.stores.sqlite import SqliteStore, open_store

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


def kept(near: SqliteStore, far: Memories) -> str:
    """A lesson of the server's that is here as well; its id."""
    id = far.add("Run make migrate before the tests.", kind="rule").id
    fetch(near, far)
    return id


def given(
    text: str = "the tests fail before migrate", run: str = "r1", **more: Any
) -> tuple[str, ...]:
    """What a run is given here, from the cache alone."""
    with open(URL, local_only=True, create=False) as memories:
        return memories.inject(text, run=run, **more).injected


def rows(store: SqliteStore, table: str) -> list[Any]:
    return store.rows(f"SELECT * FROM {table} ORDER BY 1, 2")


# -- the file -----------------------------------------------------------------------------------------------------------


def test_its_name_knows_no_password_and_others_may_not_read_it(near: SqliteStore) -> None:
    assert (
        without_password("postgresql://ada:secret@db/team?sslmode=require&password=x")
        == "postgresql://ada@db/team?sslmode=require"
    )
    assert without_password("postgresql://db/team?password=x") == "postgresql://db/team"
    assert path_of("postgresql://ada:one@db/team", "d") == path_of(
        "postgresql://ada:two@db/team", "d"
    )
    assert path_of("postgresql://ada@db/team", "d") != path_of("postgresql://ben@db/team", "d")
    assert os.stat(near.path).st_mode & 0o777 == 0o600
    assert os.stat(os.path.dirname(near.path)).st_mode & 0o777 == 0o700


def test_other_addresses_and_passwords_in_settings_are_refused(tacit: Any) -> None:
    ran = tacit("inject", "--task", "x", TACIT_STORE="mysql://db/team")
    assert ran.code == 2 and "not an address of a store" in ran.err
    ran = tacit("connect", "claude-code", "--store", "postgresql://ada:secret@db/team")
    assert ran.code == 2 and "pgpass" in ran.err and "secret" not in ran.err


def test_a_project_is_fetched_once_a_hook_was_in_it(
    near: SqliteStore, far: Memories, tacit: Any, folder: Path
) -> None:
    id = far.add("Run make migrate before the tests.", kind="rule").id
    in_step(near, far.store)
    assert (cache_status(near)["lessons"], is_due(near, clock.now())) == (0, False)
    said = json.dumps(
        {
            "session_id": "s",
            "hook_event_name": "UserPromptSubmit",
            "cwd": str(folder),
            "prompt": "x",
        }
    )
    assert tacit("hook", "prompt", stdin=said, TACIT_STORE=URL, TACIT_NO_WORKER="1").out == ""
    assert is_due(near, clock.now())  # also for a worker that has just looked
    in_step(near, far.store)
    assert (given(), is_due(near, clock.now())) == ((id,), True)
    in_step(near, far.store)
    assert not is_due(near, clock.now())


def test_before_the_first_fetch_hooks_and_inject_are_silent(tacit: Any) -> None:
    ran = tacit("inject", "--task", "x", TACIT_STORE=URL, TACIT_NO_WORKER="1")
    assert (ran.code, ran.out) == (0, "") and "nothing is given" in ran.err
    said = json.dumps(
        {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": ".", "prompt": "x"}
    )
    ran = tacit("hook", "prompt", stdin=said, TACIT_STORE=URL, TACIT_NO_WORKER="1", TACIT_DEBUG="1")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


# -- there and back -----------------------------------------------------------------------------------------------------


def test_a_lesson_comes_here_and_its_use_goes_there(near: SqliteStore, far: Memories) -> None:
    id = kept(near, far)
    assert given() == (id,)
    assert cache_status(near)["outbox"] == 3  # a run, a use and an answer
    assert carry(near, far.store).rows == 3
    for table in ("run", "use", "injection"):
        assert rows(near, table) == rows(far.store, table)
    assert cache_status(near)["outbox"] == 0
    assert far.store.tally(id).uses == 1
    assert not check(far.store).faults


def test_arriving_twice_is_arriving_once(near: SqliteStore, far: Memories) -> None:
    kept(near, far)
    given()
    with open(URL, local_only=True, create=False) as memories:
        memories.recall("migrate", run="r1")  # told on request: a mark
    names = near.rows("SELECT kind, key FROM outbox ORDER BY n")
    assert "mark" in {kind for kind, _ in names}
    carry(near, far.store)
    before = {
        table: rows(far.store, table) for table in ("run", "use", "use_mark", "injection", "tally")
    }
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
    with near.write() as tx:
        tx.enqueue("learn", "learn:host:s", far.project_id, {"path": "x"}, clock.now())
        tx.rows("UPDATE queue SET error = 'ValueError: a Zanzibar clock'")
    far.forget(forgotten)
    far.erase(erased)
    fetch(near, far)
    assert given(run="r2") == (kept,)
    assert not list(near.index_faults())
    near.close()
    for name in os.listdir(os.path.dirname(near.path)):
        assert b"anzibar" not in Path(os.path.dirname(near.path), name).read_bytes().lower()


def test_a_project_that_one_may_no_longer_see_leaves_the_machine(
    near: SqliteStore, far: Memories
) -> None:
    kept(near, far)
    assert cache_status(near)["lessons"] == 1

    class Closed(_Far):
        def projects(self, *, remote: str = "", key: str = "") -> list[Any]:
            return []

    with Closed(far.store.path) as shut:
        refresh(near, shut)
    assert (cache_status(near)["lessons"], cache_status(near)["projects"], given()) == (0, 0, ())


# -- what the server will not take --------------------------------------------------------------------------------------


class _Far(SqliteStore):
    """The team's store through another connection, with manners of its own."""

    def __init__(self, path: str) -> None:
        inner = open_store(path)
        super().__init__(path, inner._connection)


def test_a_server_that_is_away_takes_nothing_from_us(near: SqliteStore, far: Memories) -> None:
    kept(near, far)
    given()

    class Away(_Far):
        def write(self, **how: Any) -> Any:
            raise Unavailable("the server does not answer")

    with Away(far.store.path) as away, pytest.raises(Unavailable):
        in_step(near, away)
    told = cache_status(near)
    assert (told["outbox"], told["error"]) == (3, "the server does not answer")
    assert not is_due(near, clock.now())  # it was just asked in vain
    assert is_due(near, clock.after_days(clock.now(), RETRY_SECONDS / 86400))
    in_step(near, far.store)
    assert (
        cache_status(near)["outbox"],
        cache_status(near)["error"],
        len(far.store.all_uses(far.project_id)),
    ) == (
        0,
        "",
        1,
    )


# -- killed -------------------------------------------------------------------------------------------------------------

_KILLED = """
import os, sys
import apsw
from tacit.app import data_folder
from tacit.stores.cache import open_cache
from tacit.stores.replicate import in_step
from tacit.stores.sqlite import open_store

left = last = int(sys.argv[2])

def count(*_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    return True

apsw.connection_hooks.append(lambda connection: connection.set_exec_trace(count))
with open_store(sys.argv[1]) as far, open_cache(sys.argv[3], data_folder(os.environ)) as near:
    in_step(near, far)
    print(last - left)
"""


def test_a_worker_that_is_killed_loses_and_doubles_nothing(
    near: SqliteStore, far: Memories
) -> None:
    """Killed (-9) before one of its statements, here or there, at points spread over all of them; bench/cache.py takes every one."""
    for n in range(4):
        far.add(f"Run make migrate before the tests, part {n}.", kind="fix")
    fetch(near, far)
    points, statements, endless = 8, 0, 10_000
    for point in range(points + 1):
        for run in range(3):
            given(run=f"{point} {run}")
        far.add(f"The tests of part {point} want a database before migrate.", kind="rule")
        last = endless if point in (0, points) else statements * point // points
        done = subprocess.run(
            [sys.executable, "-c", _KILLED, far.store.path, str(last), URL],
            capture_output=True,
            text=True,
            timeout=60,
        )
        if last == endless:
            assert done.returncode == 0, done.stderr
            statements = int(done.stdout)
        else:
            assert done.returncode == -9, done.stderr
    for table in ("run", "use", "injection"):
        assert rows(near, table) == rows(far.store, table)
    assert cache_status(near)["outbox"] == 0
    ids = sorted(memory.id for memory in far.store.select([far.project_id], limit=-1))
    assert near.memories(ids) == far.store.memories(ids)
    assert not check(far.store).faults

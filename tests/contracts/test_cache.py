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

from tacit import testing
from tacit.app import Memories, data_folder, open
from tacit.core import clock
from tacit.core.errors import Refused, Unavailable
from tacit.core.proposal import Proposal
from tacit.core.value import replace
from tacit.stores.cache import (
    MOST_WAITING,
    REFRESHED,
    RETRY_SECONDS,
    is_due,
    open_cache,
    path_of,
    without_password,
)
from tacit.stores.check import check
from tacit.stores.rebuild_cache import cache_faults, renew
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
        table: rows(far.store, table)
        for table in ("run", "use", "use_mark", "injection", "tally", "seal")
    }
    with near.write() as tx:  # killed after the server's COMMIT, before the outbox heard of it
        for kind, key in names:
            tx.rows("INSERT INTO outbox (kind, key) VALUES (:kind, :key)", kind=kind, key=key)
    assert carry(near, far.store).rows == len(names)
    assert before == {table: rows(far.store, table) for table in before}


def test_who_asks_for_a_run_by_its_name_means_the_one_that_was_learned(
    near: SqliteStore, far: Memories
) -> None:
    """A cache holds no run that was only learned: the answer became a second run of the same name, and an audit of the first found none."""
    id = far.add("Run make migrate before the tests.", kind="rule").id
    far.learn(testing.run("r1", testing.user("go on"), host="claude-code"), over=True)
    fetch(near, far)
    assert given(host="cli") == (id,) and given(run="r2", host="cli") == (id,)
    in_step(near, far.store)
    [learned, asked] = sorted(far.store.runs(far.project_id), key=lambda run: run.foreign_id)
    assert (learned.host, asked.host) == ("claude-code", "cli")
    found = [(use.run, use.unit) for use in far.store.all_uses(far.project_id)]
    assert sorted(found) == sorted((run.id, run.root) for run in (learned, asked))
    assert len(far.store.injections(learned.root)) == 1 and check(far.store).is_sound


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


def test_nothing_is_read_again_where_nothing_changed(near: SqliteStore, far: Memories) -> None:
    for n in range(30):
        far.add(f"Run make migrate before test {n}.", kind="rule")
    fetch(near, far)
    counting = _Counting(far.store.path)
    refresh(near, counting)
    assert not [sql for sql in counting.asked if " memory " in sql and "proposal" not in sql]
    changed = far.add("The tests want a database before migrate.", kind="rule").id
    counting.asked.clear()
    assert refresh(near, counting).written == 1
    assert near.get(changed) == far.store.get(changed)
    counting.close()


def test_a_copy_is_what_the_server_has(near: SqliteStore, far: Memories) -> None:
    """Rows, tallies and names, after every kind of change, and the same again when compared whole."""
    ids = [
        far.add(f"Run make migrate before test {n}.", kind="rule", alias=f"AF-{n}").id
        for n in range(4)
    ]
    fetch(near, far)
    far.edit(ids[0], text="Run make migrate before all tests.")
    far.pin(ids[1])
    far.feedback(ids[2], "wrong")
    far.forget(ids[3])
    fetch(near, far)
    live = [far.store.get(id) for id in ids[:3]]
    assert near.memories(ids) == live
    assert not list(near.index_faults())
    with near.write() as tx:
        tx.rows("DELETE FROM meta WHERE key LIKE 'cached:%'")
        tx.rows("UPDATE memory SET text = 'something else'")
    fetch(near, far)
    assert near.memories(ids) == live


def test_lessons_at_odds_are_known_to_be_so_here(near: SqliteStore, far: Memories) -> None:
    one, other = (
        far.add(f"{word} make migrate before the tests.", kind="rule").id
        for word in ("Run", "Never run")
    )
    asked = Proposal(
        "p1",
        far.project_id,
        "contradiction",
        "they say opposite things",
        "tend",
        clock.now(),
        memory=one,
        payload={"other": other},
    )
    with far.store.write() as tx:
        tx.put_proposal(asked)
    fetch(near, far)
    assert near.proposals(far.project_id) == [asked]
    with far.store.write() as tx:
        tx.put_proposal(replace(asked, state="rejected"))
    fetch(near, far)
    assert near.proposals(far.project_id) == []


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


class _Counting(_Far):
    def __init__(self, path: str) -> None:
        self.asked: list[str] = []
        super().__init__(path)

    def rows(self, sql: str, **named: Any) -> list[Any]:
        self.asked.append(sql)
        return super().rows(sql, **named)


class _Picky(_Far):
    """It takes everything but one lesson's use."""

    refuses = ""

    def write(self, **how: Any) -> Any:
        tx = super().write(**how)
        take = tx.add_use

        def add_use(use: Any) -> bool:
            if use.memory == self.refuses:
                raise Refused("only a writer of the project may do this")
            return take(use)

        tx.add_use = add_use  # type: ignore[method-assign]
        return tx


def test_what_it_will_never_take_does_not_stand_in_the_way(
    near: SqliteStore, far: Memories
) -> None:
    ids = [
        far.add(f"Run make migrate before the tests, part {n}.", kind="rule").id for n in range(3)
    ]
    fetch(near, far)
    assert set(given()) == set(ids)
    with _Picky(far.store.path) as picky:
        picky.refuses = ids[1]
        carried = carry(near, picky)
    assert (carried.rows, carried.left, cache_status(near)["outbox"]) == (4, 1, 0)
    assert {use.memory for use in far.store.all_uses(far.project_id)} == {ids[0], ids[2]}
    assert near.one("SELECT count FROM counter WHERE name = 'carry_left'")[0] == 1
    with pytest.raises(Unavailable, match="no record"):  # what cannot be recorded is not given
        given(run="r2")


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


# -- damaged ------------------------------------------------------------------------------------------------------------


def test_a_record_that_is_not_what_was_written_never_becomes_truth(
    near: SqliteStore, far: Memories
) -> None:
    ids = [
        far.add(f"Run make migrate before the tests, part {n}.", kind="rule").id for n in range(2)
    ]
    fetch(near, far)
    given()
    with near.write() as tx:
        tx.rows("UPDATE use SET arm = 'withheld' WHERE memory = :id", id=ids[0])
    assert [fault.kind for fault in cache_faults(near)] == ["use"]
    assert carry(near, far.store).left == 1
    assert [use.memory for use in far.store.all_uses(far.project_id)] == [ids[1]]


@pytest.mark.parametrize("damage", ["none", "a page", "everything"])
def test_made_anew_it_has_the_lessons_and_carries_again_what_it_held(
    damage: str, near: SqliteStore, far: Memories
) -> None:
    id = kept(near, far)
    given()
    with near.write() as tx:
        tx.enqueue("learn", "learn:host:s", far.project_id, {"path": "x"}, clock.now())
        if damage == "none":
            tx.rows("DELETE FROM outbox")  # as after a refusal
    near.scrub()
    near.close()
    raw = bytearray(Path(near.path).read_bytes())
    size = int.from_bytes(raw[16:18], "big")
    if damage == "a page":
        at = raw.index(b"Run make migrate") // size * size
        raw[at : at + size] = os.urandom(size)
    elif damage == "everything":
        raw = bytearray(os.urandom(len(raw)))
    Path(near.path).write_bytes(raw)
    done = renew(URL, data_folder(os.environ), far.store)
    assert Path(done.aside).read_bytes() == raw
    with open_cache(URL, data_folder(os.environ)) as anew:
        assert not list(cache_faults(anew))
        if (
            damage == "everything"
        ):  # then it knows no project either, and is asked for one by the next hook
            assert (done.lessons, anew.queued()) == (0, 0)
        else:
            assert (done.lessons, anew.queued(), cache_status(anew)["outbox"]) == (1, 1, 0)
            assert [use.memory for use in far.store.all_uses(far.project_id)] == [id]
            assert given() == () and given(run="r2") == (id,)  # what was assigned stays so


# -- bounds -------------------------------------------------------------------------------------------------------------


def test_a_copy_that_is_too_old_gives_nothing(near: SqliteStore, far: Memories) -> None:
    kept(near, far)
    with near.write() as tx:
        tx.put_meta(REFRESHED, clock.after_days(clock.now(), -13))
    assert given()
    with near.write() as tx:
        tx.put_meta(REFRESHED, clock.after_days(clock.now(), -15))
    with pytest.raises(Unavailable, match="taken out since"):
        given(run="r2")


def test_a_full_outbox_gives_nothing_and_still_queues_sessions(
    near: SqliteStore, far: Memories, tacit: Any, folder: Path
) -> None:
    kept(near, far)
    with near.write() as tx:
        tx.rows(
            "INSERT INTO outbox (n, kind, key) VALUES (1, 'run', 'x'), (:last, 'run', 'y')",
            last=MOST_WAITING,
        )
    hook = {
        "session_id": "s",
        "cwd": str(folder),
        "transcript_path": str(folder / "s.jsonl"),
        "prompt": "tests fail before migrate",
    }
    env = {"TACIT_STORE": URL, "TACIT_NO_WORKER": "1"}
    ran = tacit(
        "hook", "prompt", stdin=json.dumps({**hook, "hook_event_name": "UserPromptSubmit"}), **env
    )
    assert (ran.code, ran.out) == (0, "")
    ran = tacit("inject", "--task", "tests fail before migrate", **env)
    assert (ran.code, ran.out) == (0, "") and "records wait" in ran.err
    ran = tacit(
        "hook", "session-end", stdin=json.dumps({**hook, "hook_event_name": "SessionEnd"}), **env
    )
    assert (ran.code, ran.out, near.queued()) == (0, "", 1)


def test_what_the_server_has_leaves_after_a_month(near: SqliteStore, far: Memories) -> None:
    kept(near, far)
    with open(
        URL, local_only=True, create=False, now=lambda: clock.after_days(clock.now(), -31)
    ) as memories:
        memories.inject("the tests fail before migrate", run="old")
    refresh(near, far.store)
    assert len(rows(near, "use")) == 1  # not before it was carried
    given(run="new")
    in_step(near, far.store)
    assert [len(rows(near, table)) for table in ("run", "use", "injection")] == [1, 1, 1]
    assert [len(rows(far.store, table)) for table in ("run", "use", "injection")] == [2, 2, 2]


# -- two machines -------------------------------------------------------------------------------------------------------


def test_two_machines_assign_alike_and_their_uses_add_up(
    far: Memories, near: SqliteStore, tmp_path: Path
) -> None:
    parts = [f"Run make migrate before the tests, part {n}." for n in range(5)]
    for id in ("first", "second"):  # what a person said has no coin; what two reviews said has
        far.learn(testing.run(id, *(testing.finding(id, text, kind="fix") for text in parts)))
    ids = [memory.id for memory in far.list()]
    other = str(tmp_path / "other machine")
    fetch(near, far)
    with open_cache(URL, other, create=True) as second:
        in_step(second, far.store, only=(far.project_id,))
        arms: list[set[tuple[str, str, str]]] = []
        for data, run_names in (
            (data_folder(os.environ), ("a", "b", "both")),
            (other, ("c", "both")),
        ):
            with open_cache(URL, data) as store:
                memories = Memories(store, os.environ, os.getcwd())
                for run in run_names:
                    memories.inject("the tests fail before migrate", run=run, budget="balanced")
                arms.append(
                    {(use.unit, use.memory, use.arm) for use in store.all_uses(far.project_id)}
                )
        carry(near, far.store)
        carry(second, far.store)
    there = {(use.unit, use.memory, use.arm) for use in far.store.all_uses(far.project_id)}
    assert (
        there == arms[0] | arms[1] and len(arms[0] & arms[1]) == 5
    )  # one coin for a unit, whoever threw it
    thrown = [
        (unit, arm) for unit, _, arm in there if arm != "exempt"
    ]  # who goes without one is spared others
    assert {arm for _, arm in thrown} == {"injected", "withheld"} and len(
        {unit for unit, _ in thrown}
    ) == 4
    assert [far.store.tally(id).uses for id in ids] == [4] * 5
    assert not check(far.store).faults


def test_what_was_given_against_an_earlier_assignment_is_marked(
    near: SqliteStore, far: Memories
) -> None:
    id = kept(near, far)
    given()
    (use,) = near.all_uses(far.project_id)
    with far.store.write() as tx:
        tx.add_use(replace(use, arm="withheld", probability=0.3))
    carry(near, far.store)
    (there,) = far.store.all_uses(far.project_id)
    assert there.arm == "withheld"
    assert [(mark.memory, mark.signal) for mark in far.store.all_marks(far.project_id)] == [
        (id, "crossed")
    ]


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

"""The queue: nothing leaves it undone, whoever dies, and what kills workers waits longer each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.store.conftest import SHOP

from tacit.core.clock import stamp
from tacit.store import jobs, moments

if TYPE_CHECKING:
    from tacit.store.file import Store

NOW = 1_767_225_600.0


def queue(store: Store, key: str, at: float = NOW, kind: str = "learn", later: float = 0) -> None:
    with store.write() as tx:
        moments.enqueue(
            tx, kind, key, SHOP, {"path": key}, stamp(at), stamp(at + later) if later else ""
        )


def take(store: Store, at: float = NOW, **how: bool) -> jobs.Job | None:
    with store.write() as tx:
        return jobs.take(tx, "worker 1", at, **how)


def test_the_oldest_first_and_each_once(store: Store) -> None:
    for key in ("a", "b"):
        queue(store, key)
    first, second = take(store), take(store)
    assert first is not None
    assert second is not None
    assert (first.key, first.payload, first.attempts) == ("a", {"path": "a"}, 1)
    assert second.key == "b"
    assert take(store) is None
    with store.write() as tx:
        jobs.finish(tx, first, "worker 1")
    assert store.rows("SELECT key FROM job") == [("b",)]


def test_a_job_asked_for_again_while_it_is_done_stays(store: Store) -> None:
    queue(store, "a")
    job = take(store)
    assert job is not None
    queue(store, "a", NOW + 5)
    with store.write() as tx:
        jobs.finish(tx, job, "worker 1")
    again = take(store, NOW + 6)
    assert again is not None
    assert again.attempts == 1


def test_who_holds_the_lock_takes_over_what_a_dead_worker_held(store: Store) -> None:
    queue(store, "a")
    waits = []
    for _ in range(jobs.MOST_DEATHS + 1):
        assert take(store) is not None
        with store.write() as tx:
            jobs.take_over(tx, NOW)
        waits.append(store.rows("SELECT not_before FROM job")[0][0])
        with store.write() as tx:
            jobs.hasten(tx)
    assert waits[:2] == ["", ""], "twice at once: the machine may have been switched off"
    assert waits[2:6] == [stamp(NOW + wait) for wait in jobs.BACKOFF]
    assert waits[-1] == jobs.NEVER
    assert "21 workers ended" in jobs.failed(store)[0]["error"]
    assert take(store) is None


def test_a_job_that_fails_is_tried_again_later_and_left_alone_in_the_end(store: Store) -> None:
    queue(store, "a")
    for attempt in range(1, jobs.ATTEMPTS + 1):
        with store.write() as tx:
            jobs.hasten(tx)
        job = take(store)
        assert job is not None
        with store.write() as tx:
            assert jobs.fail(tx, job, "ValueError: no", NOW) == (attempt == jobs.ATTEMPTS)
    [told] = jobs.failed(store)
    assert told == {"job": "a", "attempts": 5, "error": "ValueError: no", "again_at": ""}
    assert take(store) is None
    queue(store, "a", NOW + 9)
    assert take(store, NOW + 9) is not None, "asked for anew, it has all its attempts again"


def test_what_was_away_is_no_fault_of_the_job(store: Store) -> None:
    queue(store, "a")
    job = take(store)
    assert job is not None
    with store.write() as tx:
        jobs.put_off(tx, job, stamp(NOW + 60), "no model answers")
    assert jobs.failed(store)[0]["attempts"] == 0
    assert take(store) is None
    assert take(store, NOW + 61) is not None


def test_reading_and_the_rest_are_taken_apart(store: Store) -> None:
    queue(store, "r", kind=jobs.READ, later=30)
    queue(store, "l", later=60)
    assert jobs.next_due(store, reads=True) == stamp(NOW + 30)
    assert jobs.next_due(store, reads=False) == stamp(NOW + 60)
    assert not moments.is_job_due(store, stamp(NOW))
    assert moments.is_job_due(store, stamp(NOW + 31))
    job = take(store, NOW + 61, reads=True)
    assert job is not None
    assert job.key == "r"
    assert jobs.next_due(store, reads=True) == stamp(NOW + 61 + jobs.HELD)
    assert jobs.last_number(store) == 2


def test_a_pass_at_once_takes_each_job_once(store: Store) -> None:
    for key in ("a", "b"):
        queue(store, key)
    last = jobs.last_number(store)
    queue(store, "c")
    with store.write() as tx:
        first = jobs.take(tx, "w", NOW, last=last)
        second = jobs.take(tx, "w", NOW, after=1, last=last)
        third = jobs.take(tx, "w", NOW, after=2, last=last)
    assert first is not None
    assert second is not None
    assert (first.key, second.key, third) == ("a", "b", None)

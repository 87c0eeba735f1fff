"""The worker: one per store, learns each transcript once, survives being killed, and leaves when there is nothing to do."""

from __future__ import annotations

import json
import os
import re
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core import clock
from tacit.hosts import surroundings
from tacit.store.jobs import ATTEMPTS, MOST_DEATHS, NEVER, finish, take, take_over
from tacit.testing import run, say, user
from tacit.worker import LearnJob, enqueue, start, work
from tacit.worker import drain as drain_module
from tacit.worker.jobs import leave_receipt
from tacit.worker.turns import Worked, lock

DATA = Path(__file__).parent / "data"
HOST = runpy.run_path(str(DATA / "host.py"))
FAILURE = "Exit code 1\nDatabaseError: schema is out of date: expected version 42, found 41"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look at their queue often."""
    monkeypatch.setattr(drain_module, "GLANCE", 0.02)


@pytest.fixture
def host(folder: Path, alone: Path) -> Any:
    return HOST["Host"](folder, alone)


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    with open_memories() as opened:
        opened.ensure_project()
        yield opened


def session(host: Any, number: int) -> str:
    """A transcript in which a person states a wish of its own, and a failure is cured that all sessions meet."""
    name = f"{number:08d}-0000-4000-8000-000000000000"
    common = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "version": "2.1.240",
    }
    common |= {"cwd": str(host.folder), "sessionId": name}
    tool = "zebra yak wolf vole urchin toad".split()[number % 6]
    said: list[tuple[str, Any]] = [
        ("user", f"From now on always run tool-{tool}{number} --strict before you commit.")
    ]
    for n, (command, output) in enumerate(
        (("pnpm test", FAILURE), ("make migrate", "applied"), ("pnpm test", "14 passed"))
    ):
        said.append(
            (
                "assistant",
                [
                    {
                        "type": "tool_use",
                        "id": f"t{n}",
                        "name": "Bash",
                        "input": {"command": command},
                    }
                ],
            )
        )
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{n}",
            "content": output,
            "is_error": output == FAILURE,
        }
        said.append(("user", [result]))
    for n, (kind, content) in enumerate(said):
        who = {"id": f"m{n}", "model": "claude-opus-4-5"} if kind == "assistant" else {}
        mark = (
            {"permissionMode": "default"} if isinstance(content, str) else {}
        )  # the host's mark of a typed prompt
        line = {**common, **mark, "type": kind, "uuid": f"{name}-{n}", "timestamp": "$NOW"}
        host.write(name, {**line, "message": {"role": kind, "content": content, **who}})
    return name


def wish(host: Any, name: str, **more: Any) -> LearnJob:
    return LearnJob("claude-code", name, str(host.transcript(name)), str(host.folder), **more)


def jobs(memories: Memories) -> list[tuple[Any, ...]]:
    return memories.store.rows(
        "SELECT key, attempts, holder, not_before, error FROM job ORDER BY n"
    )


def counters(memories: Memories) -> dict[str, int]:
    return dict(
        memories.store.rows(
            "SELECT substr(what, 12), sum(count) FROM common WHERE kind = 'event' GROUP BY 1"
        )
    )


class Meanwhile(dict[str, str]):
    """An environment in which something happens whenever a worker looks at the settings, which it does for each job."""

    def __init__(self, env: Any, happens: Callable[[], object]) -> None:
        super().__init__(env)
        self.happens = happens

    def get(self, key: str, default: Any = None) -> Any:
        if key == "TACIT_IGNORE":
            self.happens()
        return super().get(key, default)


def drain(memories: Memories) -> Worked:
    return work(memories.store.path, memories.env, at_once=True)


def read_with(home: Path, folder: Path, script: str) -> None:
    """Have sessions read by a shell script."""
    (folder / "model.sh").write_text(f"{script}\n")
    config = home / ".config" / "tacit" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(
        f'[model]\ncommand = "sh {folder / "model.sh"}"\n[reader]\nby = "model"\nhosts = ["*"]\n'
    )


def until(holds: Callable[[], object], seconds: float = 120.0, glance: float = 0.01) -> None:
    """Wait until something holds; the seconds are for a machine on which it never will."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(glance)


def kept(memories: Memories) -> dict[str, Any]:
    """Everything that was learned, without random names and times."""
    store = memories.store
    runs = {run.id: run.foreign_id for run in store.runs(memories.project_id, limit=10_000)}
    lessons = [
        (
            memory.text,
            memory.state,
            memory.kind,
            memory.tally.seen,
            sorted((runs[each.run], each.place, each.signal) for each in store.evidence(memory.id)),
            [(entry.verb, entry.after.get("state")) for entry in store.entries(memory=memory.id)],
        )
        for memory in memories.list(archived=True, limit=10_000)
    ]
    return {
        "lessons": sorted(lessons),
        "runs": sorted(
            (run.foreign_id, bool(run.learned_at))
            for run in store.runs(memories.project_id, limit=10_000)
        ),
        "learned runs": store.rows(
            "SELECT sessions FROM project WHERE id = :id", id=memories.project_id
        )[0][0],
        "findings": store.rows("SELECT count(*) FROM evidence WHERE measure = 'note:finding'")[0][
            0
        ],
        "queue": sorted((key, error) for key, _, _, _, error in jobs(memories)),
        "faults": [str(fault) for fault in memories.health().health.faults],
    }


# -- what becomes of a job ----------------------------------------------------------------------------------------------


def test_the_same_session_is_one_job(memories: Memories, host: Any) -> None:
    """Each turn asks again; the end of the session lifts the waiting, and no late turn takes it back."""
    name = session(host, 1)
    for later in (1000.0, 2000.0):
        enqueue(memories.store, wish(host, name), later=later)
    (job,) = jobs(memories)
    assert job[0] == f"learn:claude-code:{name}" and clock.seconds(job[3]) > time.time() + 1500
    enqueue(memories.store, wish(host, name, over=True))
    enqueue(memories.store, wish(host, name), later=2000.0)
    (job,) = jobs(memories)
    assert (
        job[3] == ""
        and json.loads(memories.store.rows("SELECT payload FROM job")[0][0])["over"] is True
    )


def test_what_is_asked_while_it_is_learned_is_not_lost(
    memories: Memories, host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that grows under the worker's hands is learned again, even if it was asked for in the same millisecond."""
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    name = session(host, 1)
    enqueue(memories.store, wish(host, name))
    with memories.store.write() as tx:
        job = take(tx, "me", 1_800_000_000.0)
    assert job is not None
    enqueue(memories.store, wish(host, name, over=True))
    with memories.store.write() as tx:
        finish(tx, job, "me")
    assert [(key, lease) for key, _, lease, _, _ in jobs(memories)] == [
        (f"learn:claude-code:{name}", "")
    ]


def test_now_ends_though_agents_go_on_queueing(memories: Memories, host: Any) -> None:
    """What waited when it began is learned, each once; what is asked for meanwhile, also again, is the next worker's."""
    names = [session(host, number) for number in range(4)]
    more = iter(names * 4)
    enqueue(memories.store, wish(host, names[0], over=True))
    enqueue(memories.store, wish(host, names[1], over=True))
    restless = Meanwhile(
        memories.env, lambda: enqueue(memories.store, wish(host, next(more, names[0]), over=True))
    )
    assert work(memories.store.path, restless, at_once=True).learned == 2
    assert memories.store.queued() > 0
    assert drain(memories).failed == 0 and memories.store.queued() == 0


def test_a_session_that_never_ended_is_looked_at_again(memories: Memories, host: Any) -> None:
    """After a turn the run is learned but open; its job waits for the hours after which it counts as over."""
    name = session(host, 1)
    enqueue(memories.store, wish(host, name))
    assert drain(memories) == Worked(learned=1)
    (job,) = jobs(memories)
    assert 5.9 * 3600 < clock.seconds(job[3]) - time.time() < 6.2 * 3600
    enqueue(memories.store, wish(host, name, over=True))
    assert drain(memories) == Worked(learned=1)
    assert jobs(memories) == []


@pytest.mark.parametrize("given", [True, False])
def test_a_late_turn_does_not_reopen_a_session(memories: Memories, host: Any, given: bool) -> None:
    """A hook that comes after the end finds the run over, whether it was given anything or not, and the file unchanged; growth
    does reopen it."""
    memories.add("Prices are integers in cents.", kind="rule")
    name = session(host, 1)
    if given:
        assert memories.inject("", run=name, host="claude-code").injected
    enqueue(memories.store, wish(host, name, over=True))
    drain(memories)
    run = memories.store.find_run(memories.project_id, name)
    assert run is not None and run.settled_at
    enqueue(memories.store, wish(host, name))
    drain(memories)
    again = memories.store.find_run(memories.project_id, name)
    assert again is not None and again.settled_at and jobs(memories) == []
    os.utime(host.transcript(name), (time.time() + 60, time.time() + 60))
    enqueue(memories.store, wish(host, name))
    drain(memories)
    grown = memories.store.find_run(memories.project_id, name)
    assert grown is not None and not grown.settled_at and len(jobs(memories)) == 1


def test_a_job_that_fails_is_tried_later_and_then_left_alone(memories: Memories, host: Any) -> None:
    """Five attempts; then it stays in the queue with its error, is counted, and wakes nobody. Asked for again, it is tried again."""
    host.transcript("broken").mkdir(parents=True)
    good = session(host, 1)
    enqueue(memories.store, wish(host, "broken", over=True))
    enqueue(memories.store, wish(host, good, over=True))
    assert drain(memories) == Worked(learned=1, failed=1)
    (job,) = jobs(memories)
    assert (job[1], job[2], job[4]) == (1, "", job[4])
    assert "Directory" in job[4]
    assert 0 < clock.seconds(job[3]) - time.time() <= 15
    for _ in range(ATTEMPTS - 1):
        assert drain(memories) == Worked(failed=1)
    assert jobs(memories)[0][3] == NEVER and counters(memories) == {"job_given_up": 1}
    assert drain(memories) == Worked()
    host.transcript("broken").rmdir()
    session(host, 2)
    os.rename(host.transcript("00000002-0000-4000-8000-000000000000"), host.transcript("broken"))
    enqueue(memories.store, wish(host, "broken", over=True))
    assert drain(memories) == Worked(learned=1)


def test_what_failed_is_named(memories: Memories, host: Any, tacit: Any) -> None:
    """`tacit worker` says which session could not be learned, why, and when it is tried again."""
    host.transcript("broken").mkdir(parents=True)
    enqueue(memories.store, wish(host, "broken", over=True))
    done = tacit("worker", "--now")
    assert re.fullmatch(
        r"learned 0, failed 1, skipped 0\n  learn:claude-code:broken, attempt 1, again at [-\d: ]+ UTC: .*Directory.*\n",
        done.out,
    )
    (job,) = tacit("worker", "--now", "--json").data["waiting"]
    assert (job["job"], job["attempts"]) == ("learn:claude-code:broken", 2)


def test_a_job_on_which_workers_die_is_left_alone(memories: Memories, host: Any) -> None:
    """Twice it is tried again at once, then later and later while others have their turn, and in the end no more."""
    enqueue(memories.store, wish(host, session(host, 1), over=True))
    for deaths, wait in ((1, 0), (2, 0), (3, 15), (4, 60), (9, 1800)):
        with memories.store.write() as tx:
            tx.rows(
                "UPDATE job SET attempts = :n, holder = 'worker 1', held_until = '', not_before = ''",
                n=deaths,
            )
            take_over(tx, time.time())
        not_before = clock.seconds(jobs(memories)[0][3])
        # times are kept in whole milliseconds
        assert not_before == 0 if not wait else wait - 30 < not_before - time.time() <= wait + 1
    with memories.store.write() as tx:
        tx.rows("UPDATE job SET attempts = :n, holder = 'worker 1'", n=MOST_DEATHS + 1)
    assert drain(memories) == Worked(), "it is left alone"
    assert "21 workers ended" in jobs(memories)[0][4]


def test_a_pause_leaves_the_queue_as_it_is(memories: Memories, host: Any) -> None:
    """Nothing is learned until it is over, and nothing is lost."""
    enqueue(memories.store, wish(host, session(host, 1), over=True))
    with memories.store.write() as tx:
        tx.put_meta("paused_until", clock.stamp(time.time() + 3600))
    assert drain(memories) == Worked() and memories.store.queued() == 1
    with memories.store.write() as tx:
        tx.put_meta("paused_until", "")
    assert drain(memories) == Worked(learned=1)


def test_one_worker_at_a_time(memories: Memories, host: Any) -> None:
    """While another holds the lock a worker does nothing, and a hook starts none."""
    enqueue(memories.store, wish(host, session(host, 1), over=True))
    held = lock(memories.store.path)
    assert held is not None
    assert drain(memories) == Worked(alone=False)
    assert start(memories.store.path, memories.env) is False
    os.close(held)
    assert drain(memories) == Worked(learned=1)


def test_a_session_is_read_in_its_own_projects_environment_only(
    memories: Memories, host: Any, alone: Path, tmp_path: Path
) -> None:
    """A's worker learns B's session and leaves the reading; the worker that B's hook would start does it."""
    asked = tmp_path / "asked"
    read_with(alone, tmp_path, f"cat > /dev/null; echo $ANTHROPIC_BASE_URL >> {asked}; echo '{{}}'")
    a, b = ({**memories.env, "ANTHROPIC_BASE_URL": f"https://gateway.{name}"} for name in "ab")
    of_b = surroundings(b)
    enqueue(memories.store, wish(host, session(host, 1), over=True, surroundings=of_b))
    where = memories.store.path
    assert work(where, a, idle=0.1).learned == 1 and not asked.exists()
    assert memories.store.rows("SELECT kind FROM job") == [("read",)]
    work(where, a, idle=0.1)
    assert not asked.exists()
    work(where, b, idle=0.1)
    assert set(asked.read_text().split()) == {"https://gateway.b"}


def test_learning_never_waits_for_reading(
    memories: Memories, host: Any, alone: Path, tmp_path: Path
) -> None:
    """A reader hangs over one session; what a person says in the next is known meanwhile."""
    asked, answers = tmp_path / "asked", tmp_path / "answers"
    read_with(
        alone,
        tmp_path,
        f"cat >> {asked}; while [ ! -e {answers} ]; do sleep .02; done; echo '{{}}'",
    )
    first, second = session(host, 1), session(host, 2)
    enqueue(memories.store, wish(host, first, over=True))
    worked: list[Worked] = []
    works = threading.Thread(
        target=lambda: worked.append(work(memories.store.path, memories.env, idle=0.02))
    )
    works.start()
    try:
        until(asked.exists)
        enqueue(memories.store, wish(host, second, over=True))
        until(lambda: any("tool-wolf2" in memory.text for memory in memories.list()))
        assert not answers.exists() and works.is_alive()
    finally:
        answers.touch()
        works.join(120)
    assert [each.learned for each in worked] == [2]
    assert sorted(key.partition(":")[0] for key, *_ in jobs(memories)) == [
        "read",
        "read",
    ]  # no answer in the form asked for


def test_leases_of_a_dead_worker_are_taken_over_at_once(memories: Memories, host: Any) -> None:
    """Whoever has the lock is alone, so no lease of others is alive."""
    enqueue(memories.store, wish(host, session(host, 1), over=True))
    with memories.store.write() as tx:
        assert take(tx, "worker 1", time.time()) is not None
    assert drain(memories) == Worked(learned=1) and jobs(memories) == []


def test_a_session_belongs_to_the_project_its_hook_spoke_for(
    memories: Memories, host: Any, tmp_path: Path
) -> None:
    """The folder may be gone by the time its transcript is read."""
    name = session(host, 1)
    gone = LearnJob(
        "claude-code",
        name,
        str(host.transcript(name)),
        str(tmp_path / "gone"),
        memories.project_id,
        over=True,
    )
    enqueue(memories.store, gone)
    drain(memories)
    # it, and the two that hold everywhere
    assert kept(memories)["runs"] == [(name, True)] and len(memories.store.projects()) == 3


# -- detached -----------------------------------------------------------------------------------------------------------


def workers(memories: Memories) -> list[int]:
    """Processes that serve a store, by their command line."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    found = [
        (int(line.split()[0]), line.rstrip()) for line in listed.splitlines() if " worker " in line
    ]
    return [pid for pid, line in found if line.endswith(f"--store {memories.store.path}")]


def settled(memories: Memories, within: float = 120.0) -> None:
    """Wait until the queue is empty and nobody serves it."""
    until(lambda: not (memories.store.queued() or workers(memories)), within, 0.2)


def test_there_is_one_worker_from_its_first_moment(memories: Memories, host: Any) -> None:
    """On a busy machine every hook started one until the first had come up: 27 of them for eight sessions."""
    env = {**os.environ, "TACIT_WORKER_IDLE": "0.2"}
    enqueue(memories.store, wish(host, session(host, 1), over=True))
    assert [start(memories.store.path, env) for _ in range(4)] == [
        True,
        False,
        False,
        False,
    ]
    settled(memories)
    assert [run.learned_at != "" for run in memories.store.runs(memories.project_id)] == [True]


# -- kill -9 ------------------------------------------------------------------------------------------------------------


def three_sessions(memories: Memories, host: Any) -> None:
    """Two are over and one is not; a lesson given to the first is settled with it."""
    memories.add("Prices are integers in cents.", kind="rule")
    for number in (1, 2, 3):
        name = session(host, number)
        if number == 1:
            memories.inject("", run=name, host="claude-code")
        enqueue(memories.store, wish(host, name, over=number < 3))


def dying(memories: Memories, point: int) -> tuple[int, int]:
    """A worker that dies before its statement of that number: exit status and statements made."""
    argv = [sys.executable, str(DATA / "killed.py"), memories.store.path, str(point)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    return done.returncode, int(done.stdout or 0)


@pytest.mark.parametrize("points", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_a_worker_killed_at_evenly_spread_points(points: int, tmp_path: Path, alone: Path) -> None:
    """Another finishes, and nothing is lost and nothing doubled, wherever it died: it is as after undisturbed work."""

    def story(point: int) -> tuple[dict[str, Any], int, int]:
        place = tmp_path / f"work{point}"
        place.mkdir()
        with open_memories(str(tmp_path / f"{point}.db"), cwd=str(place)) as memories:
            host = HOST["Host"](place, alone)
            three_sessions(memories, host)
            code, made = dying(memories, point)
            if point:
                assert code == -signal.SIGKILL
                assert dying(memories, 0)[0] == 0
            return kept(memories), code, made

    undisturbed, code, made = story(0)
    assert code == 0 and made > points
    assert (undisturbed["learned runs"], len(undisturbed["queue"]), undisturbed["faults"]) == (
        3,
        1,
        [],
    ), undisturbed["queue"]
    last = made * 19 // 20  # another run makes a few calls more or fewer
    for n in range(1, points + 1):
        assert story(last * n // points)[0] == undisturbed


def test_a_receipt_counts_what_was_settled_as_come_back(folder: Path) -> None:
    """Whether a class of lessons can come back is one fact: the receipt says of a given fact what its settling said."""
    given: list[str] = []
    with open_memories() as m:
        for n in range(40):  # a coin decides which runs are given it
            with m.run(
                task="fix the checkout tests fixtures seed", run=f"r{n}", instruments=("reviewer",)
            ) as run:
                run.finding(
                    "The fixtures of the checkout tests are stale until make seed was run.",
                    by="reviewer",
                    kind="fact",
                )
            row = m.store.find_run(m.project_id, f"r{n}")
            assert row is not None
            given = [use.memory for use in m.store.uses(unit=row.root) if use.arm != "withheld"]
            if given:
                break
        settled = {
            mark.memory: mark.value
            for mark in m.store.marks(unit=row.root)
            if mark.signal == "outcome"
        }
        assert [settled[id] for id in given] == ["occurred"]
        leave_receipt(m.store, row)
        assert m.store.meta(f"receipt:{m.project_id}").endswith("came back 1")


def test_a_receipt_tells_the_person_what_was_kept_of_their_words(folder: Path) -> None:
    """Also where nothing was given; in their words, not in ours."""
    with open_memories() as m:
        m.learn(
            run(
                "r1",
                user("add left-pad"),
                say("npm install left-pad"),
                user("no, always use pnpm, not npm"),
            )
        )
        row = m.store.find_run(m.project_id, "r1")
        assert row is not None
        leave_receipt(m.store, row)
        assert "learned 1 Always use pnpm, not npm" in m.store.meta(f"receipt:{m.project_id}")

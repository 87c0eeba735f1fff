"""Two machines and one PostgreSQL server: hooks answer from each machine's cache, and what they record arrives on the server once."""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="a store on PostgreSQL needs psycopg")

HOST = runpy.run_path(str(Path(__file__).parent / "data" / "host.py"))
SESSION = "00000001-0000-4000-8000-000000000000"
TASK = "the tests fail before migrate"


class Machine:
    """A machine of its own: its data folder, and the command line in it."""

    def __init__(self, tacit: Any, url: str, home: Path, folder: Path) -> None:
        self._tacit, self.folder = tacit, folder
        self.env = {"XDG_DATA_HOME": str(home), "TACIT_STORE": url, "TACIT_NO_WORKER": "1"}

    def __call__(self, *args: str, stdin: str = "", **env: str) -> Any:
        return self._tacit(*args, stdin=stdin, **{**self.env, **env})

    def hook(self, event: str, name: str, session: str = "s1", **said: str) -> str:
        """What an event is answered with."""
        payload = {
            "session_id": session,
            "hook_event_name": name,
            "cwd": str(self.folder),
            "transcript_path": "",
            **said,
        }
        ran = self("hook", event, stdin=json.dumps(payload), TACIT_DEBUG="1")
        assert ran.code == 0 and not ran.err, ran.err
        return str(ran.out)

    def prompt(self, session: str = "s1") -> str:
        """What a prompt about the task is answered with."""
        return self.hook("prompt", "UserPromptSubmit", session, prompt=TASK)

    @property
    def cache(self) -> Any:
        """What doctor says of the cache, whether or not the server answers."""
        return json.loads(self("doctor", "--json").out)["data"]["cache"]


class Wire:
    """The way to the server: a folder with its socket that can be there or not."""

    def __init__(self, url: str, place: Path) -> None:
        self._place = place
        address, _, self._to = url.partition("?host=")
        self.url = f"{address}?host={place}"
        self.join()

    def join(self) -> None:
        os.symlink(self._to, self._place)

    def cut(self) -> None:
        os.unlink(self._place)


@pytest.fixture
def wire(postgres_url: str, tmp_path: Path) -> Wire:
    return Wire(postgres_url, tmp_path / "wire")


@pytest.fixture
def ada(tacit: Any, postgres_url: str, tmp_path: Path, folder: Path) -> Machine:
    """A machine in the project's folder; `tacit init` was said there."""
    machine = Machine(tacit, postgres_url, tmp_path / "ada", folder)
    assert machine("init").code == 0
    return machine


@pytest.fixture
def ben(tacit: Any, wire: Wire, tmp_path: Path, folder: Path) -> Machine:
    """Another machine in the same project, whose way to the server can be cut."""
    return Machine(tacit, wire.url, tmp_path / "ben", folder)


def uses(machine: Machine, id: str) -> list[Any]:
    return list(machine("why", id, "--json").data["uses"])


def test_a_lesson_of_one_machine_is_given_on_the_other_and_its_use_arrives(
    ada: Machine, ben: Machine
) -> None:
    id = ada("add", "Run make migrate before the tests.", "--kind", "rule", "--json").data["id"]
    assert "make migrate" in ada.prompt("s0")  # what was just added is here at once
    assert ben.prompt() == ""  # nothing is on this machine yet
    assert ben("worker", "--now").code == 0
    assert ben.prompt() == ""  # now the project is known, and asked for
    assert ben("worker", "--now").code == 0
    assert "make migrate" in ben.prompt()
    assert ben("worker", "--now").code == 0
    assert len(uses(ada, id)) == 2


def test_without_the_server_hooks_go_on_and_everything_arrives_once_when_it_is_back(
    ada: Machine, ben: Machine, wire: Wire
) -> None:
    id = ada("add", "Run make migrate before the tests.", "--kind", "rule", "--json").data["id"]
    assert ben("init").code == 0
    wire.cut()
    for n in range(3):
        assert "make migrate" in ben.prompt(f"s{n}")
    assert "make migrate" in ben("recall", "migrate").out
    assert ben("worker", "--now").code == 4
    ran = ben("doctor")
    assert (
        ran.code == 4 and "9 records wait to be carried" in ran.out and "does not answer" in ran.out
    )
    ran = ben("status")
    assert (
        ran.code == 0
        and "1 lesson in force" in ran.out
        and "9 records wait" in ran.out
        and "does not answer" in ran.err
    )
    assert ben("pause", "1h").code == 0 and ben.prompt("s4") == ""
    assert ben("pause", "--off").code == 0
    assert ben("list").code == 4  # people's commands ask the server
    wire.join()
    assert ben("worker", "--now").code == 0
    assert len(uses(ada, id)) == 3 and ben.cache["outbox"] == 0
    assert ben("worker", "--now").code == 0
    assert len(uses(ada, id)) == 3
    assert ada("doctor").code == 0


def test_what_is_taken_out_on_one_machine_is_no_longer_given_on_the_other(
    ada: Machine, ben: Machine
) -> None:
    ids = [
        ada(
            "add", f"Run make migrate before the tests, part {n}.", "--kind", "rule", "--json"
        ).data["id"]
        for n in range(3)
    ]
    assert ben("init").code == 0
    assert all(id in ben.prompt() for id in ids[:1])
    assert ada("forget", ids[0]).code == 0
    assert ada("review", "open", ids[1], "--reason", "is it so?", "--by", "ada", "--yes").code == 0
    assert ada("erase", ids[2], "--by", "ada", "--yes").code == 0
    assert ben("worker", "--now").code == 0
    assert ben.prompt("s2") == ""


def test_a_session_is_learned_into_the_server_by_the_machine_that_has_it(
    ada: Machine, ben: Machine, wire: Wire, alone: Path
) -> None:
    """Its hooks record, its end is queued without a server, and settling finds the uses, since they are carried first."""
    id = ada("add", "Run make migrate before the tests.", "--kind", "rule", "--json").data["id"]
    host = HOST["Host"](ben.folder, alone)
    assert ben("init").code == 0
    wire.cut()
    host.write(
        SESSION,
        {
            "type": "user",
            "permissionMode": "default",
            "uuid": "1",
            "sessionId": SESSION,
            "cwd": str(ben.folder),
            "timestamp": "$NOW",
            "message": {
                "role": "user",
                "content": "From now on always run tool-zebra --strict before you commit.",
            },
        },
    )
    assert "make migrate" in ben.prompt(SESSION)
    ben.hook("session-end", "SessionEnd", SESSION, transcript_path=str(host.transcript(SESSION)))
    assert (ben.cache["queue"], ben.cache["outbox"]) == (1, 3)
    wire.join()
    assert "learned 1" in ben("worker", "--now").out
    why = ada("why", id, "--json").data
    assert (len(why["uses"]), [mark["signal"] for mark in why["marks"]]) == (1, ["outcome"])
    assert "tool-zebra" in ada("list").out
    assert (ben.cache["queue"], ben.cache["outbox"]) == (0, 0)
    start = ben.hook("session-start", "SessionStart", "s9", source="startup")
    assert (
        "given 1" in start and "tool-zebra" in start
    )  # the receipt is this machine's, and what was learned is here


def test_who_may_only_read_is_given_nothing_that_could_not_be_recorded(
    ada: Machine, ben: Machine, postgres_url: str
) -> None:
    import psycopg

    id = ada("add", "Run make migrate before the tests.", "--kind", "rule", "--json").data["id"]
    project = ada("status", "--json").data["project"]["id"]
    assert ben("init").code == 0
    database = postgres_url.partition("@/")[2].partition("?")[0]
    with psycopg.connect(os.environ["TEST_POSTGRES"], dbname=database, autocommit=True) as keeper:
        keeper.execute("UPDATE tacit.member SET level = 1 WHERE project = %s", (project,))
    assert "make migrate" in ben.prompt()  # nobody has told this machine yet
    assert ben("worker", "--now").code == 0
    assert uses(ada, id) == [] and ben.cache["left"] == 3
    ran = ben("inject", "--task", TASK)
    assert (ran.code, ran.out) == (0, "") and "keeps no record" in ran.err
    assert "make migrate" in ben("recall", "migrate").out
    with psycopg.connect(os.environ["TEST_POSTGRES"], dbname=database, autocommit=True) as keeper:
        keeper.execute("UPDATE tacit.member SET level = 2 WHERE project = %s", (project,))
    assert ben("doctor", "--repair").code == 0  # carrying again is carrying once
    assert len(uses(ada, id)) == 1 and "make migrate" in ben.prompt("s5")


def test_a_guard_is_refused_plainly(ada: Machine) -> None:
    id = ada("add", "Run `pnpm install`, not `npm install`.", "--json").data["id"]
    ran = ada("guard", "ask", id, "--anyway", "--by", "ada", "--yes")
    assert ran.code == 1 and "Guards need a store in a file; postgresql://" in ran.err
    assert ada("guard", "--json").data["armed"] == []

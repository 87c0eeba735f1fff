"""opencode: its database and its export say the same; of a database one session can be meant; a foreign or damaged file is said to be one."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from tacit.core import clock
from tacit.core.errors import Unavailable
from tacit.core.run import Run
from tacit.hosts import formats, opencode
from tacit.hosts.opencode import transcript
from tacit.hosts.source import BytesSource, FileSource

EXPORT = Path(__file__).parent / "data" / "hosts" / "opencode-1.18.18" / "export.json"


def insert(db: apsw.Connection, table: str, *row: object) -> None:
    """A row, what is neither text nor number as JSON."""
    plain = [json.dumps(each) if isinstance(each, dict) else each for each in row]
    db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", plain)


def database(folder: Path, *extra: tuple[str, str]) -> Path:
    """A database with the exported session in it, and others by id and parent."""
    path = folder / "opencode.db"
    told = json.loads(EXPORT.read_text())
    db = apsw.Connection(str(path))
    db.execute(
        "CREATE TABLE session (id, parent_id, directory, version, agent, time_created, time_updated)"
    )
    db.execute("CREATE TABLE message (id, session_id, time_created, data)")
    db.execute("CREATE TABLE part (id, message_id, session_id, data)")
    for id, parent in (("ses_main", None), *extra):
        info, agent = told["info"], "general" if parent else "build"
        insert(
            db,
            "session",
            id,
            parent,
            info["directory"],
            info["version"],
            agent,
            info["time"]["created"],
            0,
        )
        for message in told["messages"]:
            name = id + message["info"]["id"]
            insert(db, "message", name, id, message["info"]["time"]["created"], message["info"])
            for part in message["parts"]:
                insert(db, "part", id + part["id"], name, id, part)
    db.close()
    return path


def forked(path: Path, id: str, at: int, *said: dict[str, object]) -> Path:
    """A fork of the first session as the host makes it: messages under new ids, with the times of the old; then what was said in it."""
    db = apsw.Connection(str(path))
    db.execute(
        "INSERT INTO session SELECT ?, NULL, directory, version, NULL, ?, ? FROM session WHERE id = 'ses_main'",
        (id, at, at),
    )
    db.execute(
        "INSERT INTO message SELECT ? || id, ?, time_created, data FROM message WHERE session_id = 'ses_main'",
        (id, id),
    )
    db.execute(
        "INSERT INTO part SELECT ? || id, ? || message_id, ?, data FROM part WHERE session_id = 'ses_main'",
        (id, id, id),
    )
    for n, part in enumerate(said):
        insert(db, "message", f"{id}{n}", id, at + n, {"role": "user", "time": {"created": at + n}})
        insert(db, "part", f"{id}{n}p", f"{id}{n}", id, {"type": "text", **part})
    db.close()
    return path


def shape(run: Run) -> list[object]:
    steps = [
        (step.role, step.text, step.error, step.output, step.status, step.typed)
        for step in run.steps
    ]
    return [run.host, run.cwd, run.version, run.model, run.task, run.cost, steps]


def test_an_export_and_the_database_say_the_same(tmp_path: Path) -> None:
    """Task without the quotes of the command line, exit codes, no notes of ours in an error, nothing typed, nothing unknown."""
    (exported,) = formats.read(FileSource(str(EXPORT)))
    (kept,) = formats.read(FileSource(str(database(tmp_path))))
    assert shape(exported) == shape(kept)
    assert (exported.id, exported.task, exported.host) == (
        "ses_main",
        "make the tests pass",
        "opencode",
    )
    calls = [
        (step.error, step.output, step.status) for step in exported.steps if step.role == "tool"
    ]
    assert calls == [("refused", "", 1), ("", "database is up\n", 0)]
    assert not any(step.typed or "tacit-notes" in step.text for step in exported.steps)
    assert exported.reading is not None and exported.reading.unknown is None
    assert exported.cost is not None and (exported.cost.input, exported.cost.cache_read) == (
        1800,
        60,
    )


def test_a_call_begins_with_the_answer_that_asks_for_it() -> None:
    """The start that the host notes is set anew with every piece of output, also after our hook has spoken."""
    told = json.loads(EXPORT.read_text())
    (message,) = [
        each for each in told["messages"] if any(part.get("tool") for part in each["parts"])
    ][:1]
    made = message["info"]["time"]["created"]
    for part in message["parts"]:
        if part.get("tool"):
            part["state"]["time"] = {"start": made + 5000, "end": made + 6000}
    (run,) = formats.read(BytesSource(json.dumps(told).encode(), "export.json"))
    steps = [step for step in run.steps if step.role == "tool"]
    assert steps[0].at < run.steps[-1].at and clock.seconds(steps[0].at) * 1000 == pytest.approx(
        made, abs=2
    )


def test_one_session_of_many(tmp_path: Path) -> None:
    """The worker learns the session that ended; a sub-agent's is a run of its own that names its parent."""
    path = str(database(tmp_path, ("ses_other", ""), ("ses_part", "ses_main")))
    assert [run.id for run in formats.read(FileSource(path))] == [
        "ses_main",
        "ses_other",
        "ses_part",
    ]
    (part,) = transcript.read(transcript.one_session(path, "ses_part"))
    assert (part.id, part.root, part.agent) == ("ses_part", "ses_main", "general")
    assert list(transcript.read(transcript.one_session(path, "ses_gone"))) == []


def test_a_fork_shares_its_origins_lineage(tmp_path: Path) -> None:
    """By the time of the first message, which a copy keeps; so do sub-agents of either, and an export; another session does not."""
    path = forked(
        database(tmp_path, ("ses_part", "ses_main")), "ses_fork", 1794848540000, {"text": "go on"}
    )
    db = apsw.Connection(str(path))
    db.execute(
        "INSERT INTO session SELECT 'ses_new', NULL, directory, version, NULL, 1794848550000, 0 FROM session WHERE id = 'ses_main'"
    )
    insert(
        db,
        "message",
        "m",
        "ses_new",
        1794848550000,
        {"role": "user", "time": {"created": 1794848550000}},
    )
    insert(db, "part", "p", "m", "ses_new", {"type": "text", "text": "hello"})
    db.close()
    lineages = {run.id: run.lineage for run in formats.read(FileSource(str(path)))}
    (exported,) = formats.read(FileSource(str(EXPORT)))
    assert (
        lineages["ses_main"]
        == lineages["ses_fork"]
        == lineages["ses_part"]
        == exported.lineage
        != ""
    )
    assert lineages["ses_new"] not in ("", lineages["ses_main"])


def test_a_fork_is_no_second_sighting(tmp_path: Path) -> None:
    """The failure that was copied was met once; what a sub-agent of the same session met does not add to it either."""
    from tests.verbs import open

    from tacit.store.failures import commonest

    told = json.loads(EXPORT.read_text())["info"]["time"]["created"]
    path = str(
        forked(
            database(tmp_path, ("ses_part", "ses_main")),
            "ses_fork",
            told + 90_000,
            {"text": "go on"},
        )
    )
    env = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "d"),
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
    }
    (tmp_path / "w").mkdir()
    with open(env=env, cwd=str(tmp_path / "w")) as memories:
        for session in ("ses_part", "ses_fork", "ses_main"):  # whichever ends first
            memories.learn(transcript.one_session(path, session), format="opencode", over=True)
        assert [row["lineages"] for row in commonest(memories.store, memories.project_id)] == [1]


def test_words_are_typed_where_our_plugin_says_so(tmp_path: Path) -> None:
    """Its mark beside a text; a prompt without one, or with anybody else's, is not the person's word."""
    said = (
        {"text": "no, use pnpm", "metadata": {"tacit": {"typed": True}}},
        {"text": "go on", "metadata": {"other": {"typed": True}}},
    )
    path = str(forked(database(tmp_path), "ses_fork", 1794848540000, *said))
    (run,) = transcript.read(transcript.one_session(path, "ses_fork"))
    told = [(step.text, step.typed) for step in run.steps if step.role == "user"]
    assert told[-2:] == [("no, use pnpm", True), ("go on", False)]


def test_a_database_has_many_past_sessions(tmp_path: Path) -> None:
    """Each with its folder, the time of its last change and its own size."""
    path = str(database(tmp_path, ("ses_other", "")))
    found = transcript.sessions(path)
    folder = json.loads(EXPORT.read_text())["info"]["directory"]
    assert [(folder_of, source.session) for _, folder_of, source in found] == [
        (folder, "ses_main"),
        (folder, "ses_other"),
    ]  # type: ignore[attr-defined]
    assert 0 < found[0][2].size < FileSource(path).size
    assert transcript.one_session(path, "ses_main").size == FileSource(path).size


def test_other_databases_and_damage(tmp_path: Path) -> None:
    """Another program's database is not taken; a damaged one is said to be unreadable, with what to do."""
    other = tmp_path / "places.db"
    other.write_bytes(database(tmp_path).read_bytes())
    assert formats.detect(FileSource(str(other))) is None
    broken = tmp_path / "broken" / "opencode.db"
    broken.parent.mkdir()
    broken.write_bytes(other.read_bytes()[:2000] + b"x" * 9000)
    with pytest.raises(Unavailable, match="cannot be read"):
        list(formats.read(FileSource(str(broken)), "opencode"))


def test_unknown_parts_are_counted(tmp_path: Path) -> None:
    """A part of a type that no version had yet, and a message of nobody we know."""
    told = json.loads(EXPORT.read_text())
    told["messages"][1]["parts"].append({"id": "prt_x", "type": "hologram"})
    told["messages"].append({"info": {"id": "msg_x", "role": "narrator"}, "parts": []})
    path = tmp_path / "export.json"
    path.write_text(json.dumps(told))
    (run,) = formats.read(FileSource(str(path)))
    assert run.reading is not None and run.reading.unknown == {
        "hologram": 1,
        "message of narrator": 1,
    }


def test_the_dialect() -> None:
    """A sub-agent is a context of its parent's; its end is that of a run of its own; an answer is flat."""
    from tacit.hosts.dialect import HookAnswer

    env = {"HOME": "/home/ada"}
    said = {
        "session_id": "ses_part",
        "parent_id": "ses_main",
        "agent": "general",
        "cwd": "/home/ada/shop",
    }
    inside = opencode.read("subagent-start", said, env)
    assert inside and (inside.session, inside.context, inside.agent) == (
        "ses_main",
        "ses_part",
        "general",
    )
    ended = opencode.read("session-end", said, env)
    assert ended and (ended.session, ended.context) == ("ses_part", "")
    assert ended.transcript == "/home/ada/.local/share/opencode/opencode.db"
    assert opencode.read("prompt", {**said, "cwd": "shop"}, env) is None
    assert opencode.read("pre-compact", said, env) is None
    assert json.loads(opencode.write(inside, HookAnswer("- a\n", "kept 1"))) == {
        "context": "- a\n",
        "message": "kept 1",
    }
    assert opencode.write(inside, HookAnswer()) == ""

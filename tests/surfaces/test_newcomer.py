"""What newcomers stumbled over, each once."""

from __future__ import annotations

import io
import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.terminals import Screen, ask

from tacit.cli import called as answered
from tacit.cli.reading import reader_here
from tacit.cli.verb import Cli
from tacit.core.errors import UsageError
from tacit.core.run import Run
from tacit.opened import config_path
from tacit.reading.models.command import ModelCommand
from tacit.screens import timeline
from tacit.screens.past import transcripts
from tacit.settings import settings_at
from tacit.store.story import story as events
from tacit.testing import run, signed, tool, user


@pytest.fixture
def person(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Surroundings of somebody who may decide."""
    return signed(dict(os.environ))


def called(
    env: dict[str, str],
    *args: str,
    answers: str = "",
    monkeypatch: pytest.MonkeyPatch | None = None,
) -> tuple[str, str]:
    """What a command prints, and what it says beside that; with answers at a terminal."""
    out, err = io.StringIO(), Screen() if monkeypatch else io.StringIO()
    if monkeypatch:
        monkeypatch.setattr("sys.stdin", Screen(answers))
    assert answered([*args], Cli(env, out, err)) == 0, err.getvalue()
    return out.getvalue(), err.getvalue()


def session(name: str, cwd: str, *files: str) -> Path:
    """A session of Claude Code in its own folder, that edited some files."""
    calls = [
        {"type": "tool_use", "id": f"t{n}", "name": "Edit", "input": {"file_path": f"{cwd}/{file}"}}
        for n, file in enumerate(files)
    ]
    base = {"sessionId": name, "cwd": cwd, "version": "2.1.0", "userType": "external"}
    lines = [
        {
            "type": "user",
            **base,
            "uuid": f"u{name}",
            "timestamp": "2026-07-10T10:00:00.000Z",
            "message": {"role": "user", "content": "always run make seed first"},
        },
        {
            "type": "assistant",
            **base,
            "uuid": f"a{name}",
            "timestamp": "2026-07-10T10:01:00.000Z",
            "message": {"role": "assistant", "content": calls or [{"type": "text", "text": "ok"}]},
        },
    ]
    path = (
        Path(os.environ["HOME"])
        / ".claude"
        / "projects"
        / re.sub(r"\W", "-", cwd)
        / f"{name}.jsonl"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def shop(folder: Path) -> Iterator[Path]:
    """A repository that was elsewhere when its sessions were written."""
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "src").mkdir()
    (folder / "src" / "shop.py").write_text("")
    session("s1", "/gone/code/store", "src/shop.py")
    session("s2", "/gone/code/store/src", "shop.py")
    session("s3", "/gone/other", "src/else.rs")
    yield folder


# -- a repository that moved ----------------------------------------------------------------------------------------------------


def test_a_moved_repository_is_named_and_remembered(shop: Path, person: dict[str, str]) -> None:
    """Nothing is mixed unasked; the note says what to type, that works, and holds for sessions that come later."""
    out, err = called(person, "learn")
    assert "learned 0 sessions" in out and "3 sessions of 2 folders that are gone, left out" in err
    assert "tacit learn --moved-from /gone/" in err
    out, err = called(person, "learn", "--moved-from", "/gone/code/store")
    assert "learned 2 sessions" in out
    with verbs.open(create=False, env=person) as memories:
        assert memories.was_at() == ["/gone/code/store"]
        assert [
            each.path
            for each in transcripts(
                memories.place, person, "claude-code", 36500, was=memories.was_at()
            )
        ]
        with pytest.raises(UsageError, match="of a folder that is gone"):
            memories.moved_from(str(shop))
    session("s4", "/gone/code/store/docs")
    assert "learned 1 session" in called(person, "learn")[0]


def test_an_agent_may_not_say_where_a_project_was(shop: Path) -> None:
    """Whose sessions these are is a person's word."""
    err = io.StringIO()
    agent = {name: word for name, word in os.environ.items() if name != "TACIT_KEY"}
    cli = Cli({**agent, "CLAUDECODE": "1"}, io.StringIO(), err)
    assert answered(["learn", "--moved-from", "/gone/code/store"], cli) == 1
    assert "is a person's word" in err.getvalue()


# -- what only the person is told -----------------------------------------------------------------------------------------------


def test_an_unknown_project_shows_nobody_elses_question(
    person: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither on the first screen nor in the review."""
    with verbs.open(env=person) as memories:
        ask(memories, "notice", "The tea is missing.", id="p1")
    assert "tea" in called(person, "review")[0]  # here it is asked
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for args in ((), ("review",)):
        assert "tea" not in called(person, *args)[0]


# -- the fifth walk -------------------------------------------------------------------------------------------------------------

REFUSED = "psycopg.OperationalError: connection to 127.0.0.1:5432 refused"


def run_that_fails(n: int) -> Run:
    """A session in which the tests fail until the database runs."""
    at = f"2026-03-{n + 1:02d}T10:00:00.000Z"
    steps = [
        user("go on", at=at),
        tool("pytest", error=REFUSED, at=at),
        tool("docker compose up -d db", "started", at=at),
        tool("pytest", "3 passed", at=at),
    ]
    return run(f"r{n}", *steps, started_at=at, complete=True)


def test_what_was_recognised_is_no_quote(person: dict[str, str], folder: Path) -> None:
    """A form of our own is nobody's words: on the terminal, in the story and on a session's page."""
    with verbs.open(env=person) as memories:
        for n in range(3):
            memories.learn(run_that_fails(n), over=True)
        (lesson,) = memories.list()
        lines = timeline.lines(events(memories.store, lesson.id), {})
        assert any("recognised: " in each.why for each in lines) and not any(
            each.quote for each in lines
        )
        record = timeline.run_record([], memories.store.evidence(lesson.id))
        assert record.given == ()
    for command in (
        ("why", lesson.id),
        ("why", lesson.id, "--full"),
        ("review", "show", lesson.id),
    ):
        shown = called(person, *command)[0]
        assert (
            "exception psycopg" not in re.sub(r"recognised: .*", "", shown) and "“" not in shown
        ), shown


# -- smaller stumbles -----------------------------------------------------------------------------------------------------------


def test_plain_lines_are_imported(person: dict[str, str], folder: Path) -> None:
    """Lines with a text and perhaps a kind are lessons; what has other fields is somebody else's format."""
    file = folder / "mine.jsonl"
    file.write_text('{"text": "Use uv.", "kind": "rule"}\n{"text": "Run make seed first."}\n')
    called(person, "data", "import", str(file), "--trust", "user")
    with verbs.open(env=person) as memories:
        kinds = {each.text: each.kind for each in memories.list()}
    assert kinds == {"Use uv.": "rule", "Run make seed first.": "fact"}
    file.write_text('{"text": "Use uv.", "colour": "red"}\n')
    err = io.StringIO()
    assert answered(["data", "import", str(file)], Cli(person, io.StringIO(), err)) == 2
    assert "no format knows memories like these" in err.getvalue()


@pytest.mark.parametrize(
    ("name", "said", "kept"),
    [
        ("model.daily_tokens", "5", 5),
        ("reader.off", "/a, /b", ["/a", "/b"]),
        ("learns", "no", False),
    ],
)
def test_a_setting_is_set_by_a_command(
    person: dict[str, str], name: str, said: str, kept: Any
) -> None:
    """Nobody writes a TOML by hand."""
    at = json.loads(called(person, "config", "set", name, said, "--json")[0])["data"]["file"]
    table, _, key = name.rpartition(".")
    there = tomllib.loads(Path(at).read_text())
    assert (there[table] if table else there)[key] == kept


def test_a_program_that_reads_is_found_where_installers_put_it(tmp_path: Path) -> None:
    """`claude` is an alias in the shell of whoever installed it into their own folder: on no PATH."""
    (tmp_path / ".claude" / "local").mkdir(parents=True)
    (program := tmp_path / ".claude" / "local" / "claude").write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    env = {"HOME": str(tmp_path), "PATH": "/nowhere"}
    reader = reader_here(settings_at("", config_path(env), env).by_key, env)
    assert reader is not None and (reader.by, reader.hosts) == ("claude-code", ("claude-code",))
    Path(config_path(env)).parent.mkdir(parents=True)
    Path(config_path(env)).write_text(
        '[reader]\nhosts = ["*"]\n'
    )  # what the screens offer, and did nothing
    every = reader_here(settings_at("", config_path(env), env).by_key, env)
    assert every is not None and every.hosts == ()
    assert ModelCommand("claude", env).answer("hello?", None, 10.0).text.strip() == "hello"

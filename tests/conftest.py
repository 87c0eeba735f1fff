"""What tests share: an empty home, a store in it, and the command line as a user runs it."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.copied_stores import copy_stores, is_copying, make_model, make_stores
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core.digest import hex_digest
from tacit.hosts import SHELLS
from tacit.store.check import check

KEY = "a key of ada's"  # tests have no terminal: they show it, as any program of hers would
settings.register_profile("untimed", deadline=None)  # a loaded machine is no failure
settings.load_profile("untimed")

IN_MEMORY = "/dev/shm"


def pytest_configure() -> None:
    """Thousands of small stores come and go: in memory where four gigabytes are free and programs may run, for a disk may take longer to remove one
    than its test took."""
    if (
        os.access(IN_MEMORY, os.W_OK)
        and shutil.disk_usage(IN_MEMORY).free > 4 << 30
        and not os.statvfs(IN_MEMORY).f_flag & os.ST_NOEXEC
    ):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", IN_MEMORY)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever runs the command line starts a process; `make test-quick` leaves those out."""
    for item in items:
        if "tacit" in getattr(item, "fixturenames", ()):
            item.add_marker("process")


def pytest_collection_finish() -> None:
    """Thousands of tests, and what they imported, stay until the end: the collector of garbage need not look at them again and again."""
    gc.freeze()


@pytest.fixture(autouse=True)
def alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No test sees the developer's own store, configuration or agent."""
    if request.node.get_closest_marker("on_disk"):
        make_stores()
    else:
        copy_stores(request.getfixturevalue("empty_store"))
    home = tmp_path / "home"
    home.mkdir()
    theirs = ("CLAUDE", "CODEX", "CURSOR", "GEMINI", "TACIT_")
    others = [name for name in os.environ if name.startswith(theirs)]
    for name in (*SHELLS, "XDG_CONFIG_HOME", "GIT_DIR", "GIT_WORK_TREE", *others):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("USER", "ada")
    # Whoever plays an agent sets a host's marker, or takes the key away.
    keys = home / ".config" / "tacit" / "keys"
    keys.parent.mkdir(parents=True)
    keys.write_text(json.dumps({hex_digest(KEY): "ada"}))
    monkeypatch.setenv("TACIT_KEY", KEY)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    return home


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The empty store that tests begin with a copy of."""
    return make_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder, and the current one."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    """The memories of a folder, and in the end a store with no fault in it."""
    with open_memories() as opened:
        yield opened
        assert check(opened.store).faults == ()


class Ran:
    """What a command printed."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def data(self) -> Any:
        """The data of a JSON answer."""
        answer = json.loads(self.out)
        assert answer["ok"], answer
        return answer["data"]

    @property
    def error(self) -> dict[str, str]:
        """The error of a JSON answer."""
        answer = json.loads(self.out)
        assert not answer["ok"], answer
        return dict(answer["error"])


# Read when an interpreter starts: whoever changes one of them gets a process of its own.
AT_START = ("PYTHON", "LC_", "LANG")


class Commands:
    """The command line in a fresh process, forked from one that has imported it: command_server.py."""

    def __init__(self, place: Path, model: Path) -> None:
        self.files = [str(place / name) for name in ("in", "out", "err")]
        self.start = {
            name: value for name, value in os.environ.items() if name.startswith(AT_START)
        }
        script = str(Path(__file__).with_name("command_server.py"))
        self.server = subprocess.Popen(
            [sys.executable, script, str(model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(
        self, args: Sequence[str], stdin: bytes, cwd: str, env: dict[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        """What subprocess.run would give."""
        if {name: value for name, value in env.items() if name.startswith(AT_START)} != self.start:
            argv = [sys.executable, "-m", "tacit", *args]
            return subprocess.run(
                argv, input=stdin, capture_output=True, cwd=cwd, env=env, timeout=120
            )
        return self.fork(args, stdin, cwd, env)

    def fork(
        self, args: Sequence[str], stdin: bytes, cwd: str, env: dict[str, str], terminal: str = ""
    ) -> subprocess.CompletedProcess[bytes]:
        """The same, whatever the environment says of how an interpreter starts; at a terminal, what it tells is told there."""
        assert self.server.stdin and self.server.stdout
        for name, raw in zip(self.files, (stdin, b"", b"")):
            Path(name).write_bytes(raw)
        os.umask(umask := os.umask(0o077))
        files = [terminal, self.files[1], terminal] if terminal else self.files
        asked = {
            "args": args,
            "cwd": cwd,
            "env": env,
            "umask": umask,
            "files": files,
            "copied": is_copying(),
            "terminal": bool(terminal),
        }
        self.server.stdin.write(json.dumps(asked).encode() + b"\n")
        self.server.stdin.flush()
        child = int(self.server.stdout.readline())
        late = threading.Timer(120, os.kill, (child, signal.SIGKILL))
        late.start()
        code = int(self.server.stdout.readline())
        late.cancel()
        _, out, err = (Path(name).read_bytes() for name in self.files)
        return subprocess.CompletedProcess(args, code, out, err)

    def close(self) -> None:
        """No more commands."""
        self.server.communicate()


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Iterator[Commands]:
    """One for all tests of this process."""
    server = Commands(tmp_path_factory.mktemp("commands"), empty_store)
    yield server
    server.close()


@pytest.fixture
def tacit(folder: Path, commands: Commands) -> Any:
    """The command line in a fresh process: tacit("add", "TEXT", stdin=…, cwd=…, env=…)."""

    def run(*args: str, stdin: str | bytes = "", cwd: Path | str | None = None, **env: str) -> Ran:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        done = commands.run(args, raw, str(cwd or folder), {**os.environ, **env})
        text = subprocess.CompletedProcess(
            done.args,
            done.returncode,
            done.stdout.decode("utf-8", "replace"),
            done.stderr.decode("utf-8", "replace"),
        )
        assert "Traceback" not in text.stderr, text.stderr
        return Ran(text)

    return run

"""The fault harness lives in bench/faults, where any dose of it can be run; here it gets small ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import tacit as package

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "faults"))


@pytest.fixture
def batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: Any
) -> Callable[..., dict[str, Any]]:
    """One batch of a campaign: batch("kill", kills=20). What prepares it, or looks afterwards, is forked."""
    import common

    monkeypatch.setenv("TACIT_FAULTS_SOURCE", str(Path(package.__file__).parent.parent))

    def forked(argv: list[str], *, input: str, cwd: Path, env: dict[str, str], **how: Any) -> Any:
        if argv[:3] != [sys.executable, "-m", "tacit"]:
            return subprocess.run(argv, input=input, cwd=cwd, env=env, **how)
        done = commands.fork(argv[3:], input.encode(), str(cwd), env)
        said = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(argv, done.returncode, *said)

    monkeypatch.setattr(common, "run", forked)

    def run(name: str, seed: int = 1, **dose: Any) -> dict[str, Any]:
        place = tmp_path / f"{name}-{seed}-{len(list(tmp_path.iterdir()))}"
        place.mkdir()
        found: dict[str, Any] = __import__(name).batch(seed, place, **dose)
        return found

    return run


@pytest.fixture
def memories(folder: Path) -> Iterator[Any]:
    """The memories of a folder, with three lessons and a run."""
    from tests.verbs import open

    with open() as opened:
        opened.add("Run make migrate before the tests.", run="r1", alias="m-001")
        opened.add("Prefer small commits.", kind="preference")
        opened.add("zebra stripes are cached in src/app/zebra.py", tags=["cache"])
        yield opened


def spoil(path: str) -> None:
    """Zero a page of a closed store: that of an index, so that its rows can still be read."""
    connection = apsw.Connection(path)
    sql = "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = 'memory_by_age'"
    page, size = connection.execute(sql).fetchall()[0]
    connection.close()
    with open(path, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(bytes(size))

"""Whatever is named where a file is meant, the answer is one clear line and exit 2 or 3: nothing hangs, nothing is lost."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# What lies there, and what a person is told of it: no verb may say less.
BAD = {
    "missing": "no ",
    "folder": "",
    "pipe": "a pipe",
    "socket": "a socket",
    "/dev/null": "a device",
    "/dev/zero": "a device",
    "dangling": "no ",
    "pipe/below": "no ",
    "empty": "",
    "binary": "",
    "text.gz": "",
    "cut.gz": "",
    "other.json": "",
}
# Each verb that reads a file somebody names, with the exit codes that are right for what is no such file.
READS = {
    "learn": ["learn", "FILE"],
    "learn --dry-run": ["learn", "--dry-run", "FILE"],
    "lookback": ["lookback", "FILE"],
    "import": ["data", "import", "FILE", "--trust", "user", "--by", "ada", "--yes"],
    "restore": ["data", "restore", "FILE", "--by", "ada", "--yes"],
    "sync --setup": ["sync", "--setup", "FILE", "--by", "ada", "--yes"],
    "audit": ["origin", "audit", "FILE", "--check"],
    "list --store": ["list", "--store", "FILE"],
}
# What is damaged, or another program's, and is left alone: exit 5 says so.
DAMAGED = {
    ("restore", "binary"),
    ("restore", "text.gz"),
    ("restore", "cut.gz"),
    ("restore", "other.json"),
    ("list --store", "binary"),
    ("list --store", "text.gz"),
    ("list --store", "cut.gz"),
    ("list --store", "other.json"),
}
# An empty file is an invitation to make a store there: `touch store.db` is no damage.
FINE = {("list --store", "empty")}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder that holds each kind of file that is none, or none of ours."""
    folder = tmp_path / "files"
    (folder / "folder").mkdir(parents=True)
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(folder)  # the path of a socket may not be long
        listening.bind("socket")
        os.chdir(here)
    (folder / "dangling").symlink_to(folder / "nowhere")
    (folder / "empty").touch()
    (folder / "binary").write_bytes(bytes(range(256)) * 8)
    (folder / "text.gz").write_text("no gzip at all\n")
    (folder / "cut.gz").write_bytes(gzip.compress(b'{"some": "lines"}\n' * 500)[:40])
    (folder / "other.json").write_text('{"a": 1}\n')
    return folder


@pytest.mark.parametrize("verb", READS)
def test_a_bad_file_gets_one_clear_line(tacit: Any, files: Path, verb: str) -> None:
    tacit("add", "Use tabs in Makefiles", "--by", "ada", "--yes")
    before = tacit("list", "--all", "--json").data["count"]
    for name, said in BAD.items():
        path = name if name.startswith("/") else str(files / name)
        ran = tacit(*(path if word == "FILE" else word for word in READS[verb]))
        codes = {5} if (verb, name) in DAMAGED else {0} if (verb, name) in FINE else {2, 3}
        assert ran.code in codes, (name, ran.code, ran.out, ran.err)
        if 0 not in codes:
            line = (ran.err or ran.out).splitlines()[0]
            assert path in line or verb == "lookback", (name, ran.err)
        if verb in ("learn", "import", "list --store"):
            assert said in ran.err, (name, ran.err)
    assert tacit("list", "--all", "--json").data["count"] == before


@pytest.mark.parametrize("words", [["data", "restore", "--to", "FILE"]])
def test_what_is_written_never_replaces_what_is_no_file(
    tacit: Any, files: Path, words: list[str]
) -> None:
    tacit("add", "Use tabs in Makefiles", "--by", "ada", "--yes")
    tacit("data", "backup")
    for name in ("pipe", "/dev/null", "empty"):
        path = name if name.startswith("/") else str(files / name)
        ran = tacit(*(path if word == "FILE" else word for word in words), "--by", "ada", "--yes")
        assert ran.code == 2 and path in ran.err, (name, ran.code, ran.err)


def test_what_a_shell_hands_over_is_read(tmp_path: Path) -> None:
    """`tacit learn <(cat session.jsonl)`: a pipe, but one that somebody writes into and closes."""
    session = tmp_path / "s.jsonl"
    lines = [
        {"type": "run", "id": "r1", "task": "mend the tests"},
        {"type": "step", "kind": "user", "text": "Always run make migrate before the tests."},
        {"type": "end", "outcome": "success"},
    ]
    session.write_text("".join(json.dumps(line) + "\n" for line in lines))
    program = f"{sys.executable} -m tacit learn --dry-run --json"
    env = {**os.environ, "HOME": str(tmp_path), "TACIT_STORE": str(tmp_path / "s.db")}
    plain, handed = (
        subprocess.run(
            ["bash", "-c", f"{program} {named}"],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        for named in (session, f"<(cat {session})")
    )
    assert plain.returncode == 0, plain.stdout + plain.stderr
    assert handed.returncode == 0, handed.stdout + handed.stderr
    ours, theirs = (json.loads(each.stdout)["data"]["runs"] for each in (plain, handed))
    assert [run["run"] for run in ours] == [run["run"] for run in theirs] == ["r1"]

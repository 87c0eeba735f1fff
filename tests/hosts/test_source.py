"""Sources: lines that stream, line numbers that stay true, folders that are walked once."""

from __future__ import annotations

import builtins
import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tacit.core.errors import MissingExtra, NotFound
from tacit.hosts import source
from tacit.hosts.source import BytesSource, FileSource, json_record, walk


def test_a_file_and_bytes_read_alike(tmp_path: Path) -> None:
    """The same bytes give the same lines, head, size and names from a file and from memory."""
    path = tmp_path / "s.jsonl"
    data = b'{"a":1}\n\n{"b":'
    path.write_bytes(data)
    seen = [
        (list(each.lines()), each.head(4), each.size, each.name, each.stem)
        for each in (FileSource(str(path)), BytesSource(data, "/x/s.jsonl"))
    ]
    assert seen == [([b'{"a":1}\n', b"\n", b'{"b":'], b'{"a"', 14, "s.jsonl", "s")] * 2


def test_a_line_too_long_leaves_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """An oversized line is skipped and counted, and the numbers of the lines after it stay the same."""
    monkeypatch.setattr(source, "LINE_LIMIT", 8)
    each = BytesSource(b"one\n" + b"x" * 30 + b"\nthree\n")
    assert (list(each.lines()), each.skipped) == ([b"one\n", b"\n", b"three\n"], 1)


def test_gzip_is_read_through(tmp_path: Path) -> None:
    """A .gz file gives the lines inside, under the name without its ending."""
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(gzip.compress(b"a\nb\n"))
    each = FileSource(str(path))
    assert (list(each.lines()), each.head(1), each.stem) == ([b"a\n", b"b\n"], b"a", "s")


def test_a_gzip_file_cut_short_gives_what_it_holds(tmp_path: Path) -> None:
    """The lines before the damage are read, the loss is counted, nothing is raised."""
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(gzip.compress(b"line\n" * 50_000, 0)[:-200])
    each = FileSource(str(path))
    lines = list(each.lines())
    assert (lines[0], 40_000 < len(lines) < 50_000, each.skipped, each.head(4)) == (
        b"line\n",
        True,
        1,
        b"line",
    )


def test_zst_without_its_module_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can read .zst, the error names the way out."""
    real = builtins.__import__

    def without(name: str, *args: Any, **named: Any) -> Any:
        if name in ("compression", "zstandard"):
            raise ImportError(name)
        return real(name, *args, **named)

    (tmp_path / "s.jsonl.zst").write_bytes(b"")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"s\.jsonl\.zst") as raised:
        FileSource(str(tmp_path / "s.jsonl.zst")).head()
    assert "pip install zstandard" in raised.value.hint


def test_neighbours_are_sorted_files(tmp_path: Path) -> None:
    """A folder next to a file gives its files by name; folders in it, and a missing one, give nothing."""
    (tmp_path / "s" / "agents" / "deep").mkdir(parents=True)
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / "s" / "agents" / name).write_text("x")
    each = FileSource(str(tmp_path / "s.jsonl"))
    assert [beside.name for beside in each.beside("s", "agents")] == ["a.jsonl", "b.jsonl"]
    assert (each.beside("t"), BytesSource(b"").beside("s")) == ((), ())
    assert (each.has_beside("s", "agents", "a.jsonl"), each.has_beside("s", "agents")) == (
        True,
        False,
    )


def test_a_walk_gives_each_file_once_in_order(tmp_path: Path) -> None:
    """Folders are entered in sorted order; hidden and version-control folders and links to folders are not."""
    for name in ("b/2.txt", "a/1.txt", ".git/3.txt", "CVS/4.txt", ".hidden.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe")
    named = [tmp_path / "b" / "2.txt", tmp_path]
    assert [os.path.relpath(each.path, tmp_path) for each in walk(named)] == [
        "b/2.txt",
        ".hidden.txt",
        "a/1.txt",
    ]
    assert [each.name for each in walk([tmp_path / ".git"])] == ["3.txt"]


def test_a_walk_over_nothing_is_an_error(tmp_path: Path) -> None:
    """A path that is not there is named in the error."""
    with pytest.raises(NotFound, match="no-such-file"):
        list(walk([tmp_path / "no-such-file"]))


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash reads standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n")))
    assert [(each.path, list(each.lines())) for each in walk(["-"])] == [("-", [b"a\n"])]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"a": "\xc3\xa9"}\n', {"a": "é"}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        (b'{"a": ["\\ud83d", "\\u0000"]}', {"a": ["\ufffd", "\ufffd"]}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        (b"[1]", None),
        (b'{"a": ', None),
        (b"", None),
        (b"[" * 100_000, None),
        (b'{"a": ' + b"9" * 5000 + b"}", None),
    ],
)
def test_one_line_of_json(line: bytes, found: object) -> None:
    """An object is returned with nothing in it that a database cannot keep; all else is None."""
    assert json_record(line) == found

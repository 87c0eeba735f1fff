"""Bad input gets a clear error or a correct result, the exit code of design §9, never a traceback, and nothing is lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import apsw
import pytest

TEXTS = [
    "emoji 🦊 and ‍zero width",
    "right-to-left ‏עברית‎ and العربية",
    "quotes ' \" ` and ; DROP TABLE memory; --",
    'FTS " OR NEAR( * ^ AND NOT : { } ( )',
    "line\nbreaks\r\nand\ttabs",
    "日本語のテキスト",
    "-starts with a dash".replace("-", "–"),
    "%s %d {} {{}} $HOME $(id)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_kept_as_it_is(tacit: Any, text: str) -> None:
    """Whatever is typed comes back, and can be found."""
    kept = tacit("add", text, "--json").data
    assert kept["text"] == text
    assert tacit("why", kept["id"], "--json").data["memory"]["text"] == text
    assert tacit("list", "--text", text[:6], "--json").data["count"] == 1


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_lesson_is_refused(tacit: Any, text: str) -> None:
    """With the way to do it."""
    ran = tacit("add", text, "--json")
    assert (ran.code, ran.error["code"]) == (2, "text_invalid")
    assert "empty" in ran.error["message"]


def test_what_cannot_be_kept_is_said_exactly(tacit: Any) -> None:
    """NUL, undecodable bytes and a megabyte, one answer per line, and the good line between them is kept."""
    lines = (
        b'{"text": "a\\u0000b"}\n{"text": "\\ud800"}\n"fine"\nnot json\n[1]\n{"txt": "x"}\n{"text": 5}\n\xff\xfe\n'
        + b'{"text": "'
        + b"x" * 1_100_000
        + b'"}\n'
    )
    ran = tacit("add", "-", stdin=lines)
    answers = [__import__("json").loads(line) for line in ran.out.splitlines()]
    assert ran.code == 1
    assert [a["ok"] for a in answers] == [
        False,
        False,
        True,
        False,
        False,
        False,
        False,
        False,
        False,
    ]
    assert "NUL" in answers[0]["error"]["message"]
    assert "surrogate" in answers[1]["error"]["message"]
    assert "at most" in answers[8]["error"]["message"]
    assert tacit("list", "--json").data["count"] == 1


@pytest.mark.parametrize(
    "name", ["nope", "../../etc/passwd", "%", "*", "a' OR 1=1", "é", "x" * 500]
)
def test_an_unknown_id_is_not_found(tacit: Any, name: str) -> None:
    """Exit code 3, whatever the name pretends to be."""
    tacit("add", "one")
    for verb in ("why", "drop", "keep", "undo"):
        ran = tacit(verb, name, "--json")
        assert (ran.code, ran.error["code"]) == (3, "not_found"), verb


def test_unknown_words_are_refused_with_the_known_ones(tacit: Any) -> None:
    """Kinds, scopes, severities, states, options, verbs."""
    tacit("add", "one")
    for args in (
        ["add", "x", "--kind", "nonsense"],
        ["add", "x", "--scope", "galaxy"],
        ["list", "--state", "nope"],
        ["list", "--limit", "many"],
        ["list", "--since", "yesterday-ish"],
        ["add"],
        ["frobnicate"],
        ["list", "--frob"],
    ):
        ran = tacit(*args, "--json")
        assert ran.code == 2, args
        assert ran.error["hint"] or ran.error["message"]
    assert "preference" in tacit("add", "x", "--kind", "nonsense", "--json").error["hint"]


def test_a_store_that_is_something_else_is_left_alone(tacit: Any, tmp_path: Path) -> None:
    """A folder, a text file, another program's database, a newer store: exit 2, 4 or 5, byte for byte untouched."""
    text = tmp_path / "notes.txt"
    text.write_text("these are my notes\n" * 100)
    other = tmp_path / "other.db"
    apsw.Connection(str(other)).execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")
    newer = tmp_path / "newer.db"
    tacit("add", "one", "--store", str(newer))
    connection = apsw.Connection(str(newer))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for path, code in ((tmp_path, 2), (text, 5), (other, 5), (newer, 4)):
        before = path.read_bytes() if path.is_file() else None
        for args in (["list"], ["add", "x"], ["doctor"]):
            ran = tacit(*args, "--store", str(path), "--json")
            assert ran.code == code, (path.name, args, ran.out)
        if before is not None:
            assert path.read_bytes() == before


def test_a_truncated_store_is_reported_and_kept(tacit: Any, tmp_path: Path) -> None:
    """Exit 5, and the file is neither replaced nor cut further."""
    path = tmp_path / "cut.db"
    for n in range(30):
        tacit("add", f"lesson {n} " + "x" * 200, "--store", str(path)) if n < 3 else None
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    for end in ("-wal", "-shm"):
        (tmp_path / f"cut.db{end}").unlink(missing_ok=True)
    ran = tacit("doctor", "--store", str(path), "--json")
    assert ran.code == 5
    assert path.stat().st_size == len(whole) // 2


def test_an_empty_file_becomes_a_store(tacit: Any, tmp_path: Path) -> None:
    """`touch store.db` is an invitation, not damage."""
    path = tmp_path / "empty.db"
    path.touch()
    assert tacit("add", "one", "--store", str(path)).code == 0
    assert tacit("list", "--store", str(path), "--json").data["count"] == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_store_says_so(tacit: Any, tmp_path: Path) -> None:
    """Exit 4, nothing lost."""
    folder = tmp_path / "ro"
    folder.mkdir()
    path = folder / "s.db"
    tacit("add", "one", "--store", str(path))
    path.chmod(stat.S_IRUSR)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert tacit("add", "two", "--store", str(path)).code == 4
    finally:
        folder.chmod(stat.S_IRWXU)


def test_a_place_that_cannot_be_made_says_so(tacit: Any, tmp_path: Path) -> None:
    """A store below a file: exit 4, with the reason."""
    (tmp_path / "file").touch()
    ran = tacit("add", "x", "--store", str(tmp_path / "file" / "s.db"), "--json")
    assert (ran.code, ran.error["code"]) == (4, "read_only")


def test_reading_makes_no_store(tacit: Any, tmp_path: Path) -> None:
    """list, why and drop on a missing store: exit 3 and no file."""
    path = tmp_path / "none" / "s.db"
    for args in (["list"], ["why", "x"], ["drop", "x"], ["doctor"]):
        assert tacit(*args, "--store", str(path)).code == 3
    assert tacit("--store", str(path)).code == 0  # status says what to do first
    assert not path.parent.exists()


def test_a_store_is_private_from_its_first_byte(tacit: Any, alone: Path) -> None:
    """0600, in a folder of 0700."""
    tacit("add", "one")
    path = alone / "data" / "tacit" / "tacit.db"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_symlinked_folder_is_the_same_project(tacit: Any, folder: Path, tmp_path: Path) -> None:
    """The real path counts."""
    tacit("init")
    tacit("add", "one")
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert tacit("list", "--json", cwd=link).data["count"] == 1


def test_a_closed_pipe_is_no_error(tacit: Any) -> None:
    """tacit list | head."""
    import subprocess
    import sys

    for n in range(3):
        tacit("add", f"lesson {n}")
    done = subprocess.run(
        f"{sys.executable} -m tacit list --limit 100 | head -1",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr

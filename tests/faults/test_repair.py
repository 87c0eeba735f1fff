"""Repair: what is mended from where, what is listed as lost, and what is no reason to repair anything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.faults.conftest import spoil

from tacit.app.whole import open as open_memories
from tacit.core.errors import Damaged, StoreBusy, StoreReadOnly
from tacit.stores.check import check, rule_of
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.errors import as_tacit_error
from tacit.stores.sqlite.repair import repair


def tamper(path: str, sql: str, **named: Any) -> None:
    """Change rows behind everybody's back."""
    with open_store(path) as store, store.write() as tx:
        tx.rows(sql, **named)


def closed(memories: Any) -> tuple[str, str]:
    memories.store.close()
    return memories.store.path, memories.backups_folder


def sound(path: str) -> bool:
    with open_store(path) as store:
        return check(store, rule=rule_of(store)).is_sound


def rows(path: str, sql: str, **named: Any) -> list[Any]:
    with open_store(path) as store:
        return store.rows(sql, **named)


def texts(path: str) -> set[str]:
    return {row[0] for row in rows(path, "SELECT text FROM memory")}


@pytest.fixture
def memories(folder: Path) -> Any:
    opened = open_memories()
    opened.add("Run make migrate before the tests.", run="r1", alias="m-001")
    opened.add("Prefer small commits.", kind="preference")
    return opened


def test_a_sound_store_is_left_alone(memories: Any) -> None:
    """Byte for byte."""
    path, folder = closed(memories)
    before = Path(path).read_bytes()
    assert repair(path, folder).faults == ()
    assert Path(path).read_bytes() == before


def test_a_file_that_is_no_database_any_more(memories: Any) -> None:
    """Its first page overwritten: the backup is put in its place, under the store's own locks."""
    memories.backup()
    path, folder = closed(memories)
    before = texts(path)
    with open(path, "r+b") as file:
        file.write(b"\0" * 4096)
    done = repair(path, folder)
    assert texts(path) == before and sound(path) and Path(done.aside).read_bytes()[:16] == bytes(16)


def test_derived_data_is_rebuilt_in_place(memories: Any) -> None:
    """Full text and tallies: nothing is restored or copied aside."""
    path, folder = closed(memories)
    tamper(path, "UPDATE tally SET amount = 7")
    tamper(
        path,
        "INSERT INTO memory_fts (memory_fts, rowid, text, words) VALUES ('delete', 1, 'Run make migrate before the tests.', '')",
    )
    done = repair(path, folder)
    assert done.aside == "" and sound(path)


def test_a_busy_store_is_not_repaired(memories: Any) -> None:
    """Only what is proven damaged is touched, and only when nobody is at it."""
    memories.backup()
    path, folder = closed(memories)
    spoil(path)
    before = Path(path).read_bytes()
    code = "import sys, apsw; c = apsw.Connection(sys.argv[1]); c.execute('SELECT 1 FROM memory').fetchall(); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout and other.stdin
        other.stdout.readline()
        with pytest.raises(StoreBusy):
            repair(path, folder, wait=0.1)
        other.stdin.close()
    assert Path(path).read_bytes() == before


def test_an_error_of_the_disk_is_no_damage(memories: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes up as what it is; nothing is copied, restored or reported as damaged."""

    def broken(store: Any, _: Any) -> Any:
        raise as_tacit_error(apsw.IOError("disk I/O error"), store.path, "reading")

    monkeypatch.setattr("tacit.stores.sqlite.verify.file_faults", broken)
    path, folder = closed(memories)
    with pytest.raises(StoreReadOnly):
        repair(path, folder)
    assert not Path(folder).exists()


def test_the_newest_backup_takes_the_place_of_a_damaged_store(memories: Any) -> None:
    """What the damaged file still tells of lessons that came later is listed, and the file is kept."""
    memories.backup()
    late = memories.add("after the backup")
    path, folder = closed(memories)
    tamper(path, "UPDATE memory SET text = 'something quite different' WHERE n = 1")
    spoil(path)
    done = repair(path, folder)
    assert sound(path) and texts(path) == {
        "Run make migrate before the tests.",
        "Prefer small commits.",
    }
    assert {each.text for each in done.lost} == {"something quite different", late.text}
    shutil.copy(done.aside, done.aside + ".copy")
    assert late.text in texts(done.aside + ".copy")


def test_without_a_backup_nothing_is_touched(memories: Any) -> None:
    path, folder = closed(memories)
    spoil(path)
    before = Path(path).read_bytes()
    with pytest.raises(Damaged, match="no sound backup"):
        repair(path, folder)
    assert Path(path).read_bytes() == before


def test_what_was_erased_does_not_come_back(memories: Any) -> None:
    """A backup that still has the words, put back among the others by hand, is none."""
    first = memories.list()[-1]
    copy = memories.backup().path
    kept = Path(copy).read_bytes()
    memories.erase(first.id)
    for each in memories.backups():
        Path(each.path).unlink()
    Path(copy).write_bytes(kept)
    path, folder = closed(memories)
    spoil(path)
    with pytest.raises(Damaged, match="no sound backup"):
        repair(path, folder)


def test_the_command_line_repairs(tacit: Any, alone: Path) -> None:
    """doctor finds it (5), --repair says what is lost (5), doctor is content (0)."""
    tacit("add", "one lesson")
    tacit("data", "backup")
    tacit("add", "a later lesson")
    path = tacit("doctor", "--json").data["store"]
    spoil(path)
    assert tacit("doctor").code == 5
    done = tacit("doctor", "--repair")
    assert done.code == 5 and "a later lesson" in done.out and "one lesson" not in done.out
    assert tacit("doctor").code == 0

"""Repair: what is mended from where, what is listed as lost, and what is no reason to repair anything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from tacit.app import open as open_memories
from tacit.core.errors import StoreBusy, StoreReadOnly
from tacit.stores.check import check, rule_of
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.errors import as_tacit_error
from tacit.stores.sqlite.rebuild import Lost
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


def first_page(path: str, name: str) -> int:
    """Where a table or an index begins."""
    return int(rows(path, "SELECT rootpage FROM sqlite_schema WHERE name = :name", name=name)[0][0])


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


def test_a_row_comes_back_from_its_journal(memories: Any) -> None:
    """No backup: what was decided stands in the journal too, and the damaged store is kept."""
    path, folder = closed(memories)
    before = texts(path)
    tamper(path, "UPDATE memory SET text = 'something quite different' WHERE n = 1")
    done = repair(path, folder)
    assert (done.mended, done.lost, texts(path), sound(path)) == ({"memory": 1}, (), before, True)
    shutil.copy(done.aside, done.aside + ".copy")
    assert "something quite different" in texts(done.aside + ".copy")


def test_a_backup_fills_what_the_file_lost(memories: Any) -> None:
    """Row and journal of a memory are gone; what came after the backup is still in the file."""
    memories.backup()
    late = memories.add("after the backup")
    path, folder = closed(memories)
    tamper(path, "DELETE FROM memory WHERE n = 1")
    tamper(path, "DELETE FROM journal WHERE id = 1")
    done = repair(path, folder)
    assert done.lost == () and sound(path) and len(texts(path)) == 3 and late.text in texts(path)


def test_what_nobody_holds_is_listed_by_id(memories: Any) -> None:
    """Row and journal entry both garbled, no backup: the memory is named, the rest is whole."""
    gone = memories.list()[-1]
    path, folder = closed(memories)
    tamper(path, "UPDATE memory SET text = 'x' WHERE id = :id", id=gone.id)
    tamper(path, "UPDATE journal SET payload = '[]' WHERE memory = :id", id=gone.id)
    done = repair(path, folder)
    assert Lost("memory", gone.id, "neither its row nor its journal could be read") in done.lost
    assert sound(path) and texts(path) == {"Prefer small commits."}


def test_the_last_change_may_be_lost_alone(memories: Any) -> None:
    """A later edit cannot be proven any more: the memory is as it was before, and that is said."""
    first = memories.list()[-1]
    memories.edit(first.id, text="a later wording")
    path, folder = closed(memories)
    tamper(path, "UPDATE memory SET text = 'x' WHERE id = :id", id=first.id)
    tamper(path, "UPDATE journal SET payload = '[]' WHERE memory = :id AND n = 2", id=first.id)
    done = repair(path, folder)
    assert first.text in texts(path) and sound(path)
    assert (
        Lost("journal", first.id, "entries 2 to 2 of its chain; it is as entry 1 left it")
        in done.lost
    )


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


def test_what_was_erased_does_not_come_back(memories: Any) -> None:
    """A backup that still has the words, put back among the others by hand, does not bring them back."""
    first = memories.list()[-1]
    copy = memories.backup().path
    kept = Path(copy).read_bytes()
    memories.erase(first.id)
    for each in memories.backups():
        Path(each.path).unlink()
    Path(copy).write_bytes(kept)
    path, folder = closed(memories)
    tamper(path, "UPDATE memory SET text = 'tampered' WHERE n = 2")
    repair(path, folder)
    assert sound(path) and texts(path) == {"", "Prefer small commits."}
    assert b"make migrate" not in Path(path).read_bytes()


def test_a_busy_store_is_not_repaired(memories: Any) -> None:
    """Only what is proven damaged is touched, and only when nobody is at it."""
    path, folder = closed(memories)
    tamper(path, "UPDATE memory SET text = 'x' WHERE n = 1")
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


def test_the_command_line_repairs(tacit: Any, alone: Path) -> None:
    """doctor finds it (5), --repair mends it (0), doctor is content (0)."""
    tacit("add", "one lesson")
    path = tacit("doctor", "--json").data["store"]
    tamper(path, "UPDATE memory SET text = 'x'")
    assert tacit("doctor").code == 5
    assert tacit("doctor", "--repair", "--json").data["mended"] == {"memory": 1}
    assert tacit("doctor").code == 0


def test_a_line_of_the_teams_journal_comes_back(folder: Path, tmp_path: Path) -> None:
    """Its words by trying the bits, its standing from the backup; one that stands for nothing any more is written anew."""
    (folder / ".git").mkdir(exist_ok=True)
    memories = open_memories()
    memories.add("Run make migrate before the tests.", run="r1")
    memories.sync()
    memories.backup()
    path, backups = closed(memories)
    before = rows(path, "SELECT * FROM shared ORDER BY n")
    assert len(before) == 2
    for change in (
        "words = replace(words, 'migrate', 'migrbte')",
        "standing = 'tea' || char(109 + 1)",
        "project = '_' || substr(project, 2)",
        "salt = 'x' || substr(salt, 2)",
    ):
        tamper(path, f"UPDATE shared SET {change} WHERE kind = 'entry'")
        assert not sound(path), change
        done = repair(path, backups)
        assert (done.lost, rows(path, "SELECT * FROM shared ORDER BY n")) == ((), before), change
    tamper(path, "DELETE FROM shared WHERE n = 1")
    tamper(path, "UPDATE memory SET text = 'x'")
    assert [each.kind for each in repair(path, str(tmp_path / "no backups")).lost] == ["shared"]
    with open_memories() as again:
        again.sync()
    tamper(path, "UPDATE shared SET local = '99'")
    assert {each.kind for each in repair(path, str(tmp_path / "no backups")).lost} == {
        "shared"
    } and sound(path)
    with open_memories() as again:
        again.sync()
        assert again.health().health.is_sound and len(again.store.rows("SELECT 1 FROM shared")) == 2


def test_a_table_that_cannot_be_read_to_its_end_is_said(memories: Any) -> None:
    """Rows may be missing that nothing counts: that is listed, not passed over."""
    path, folder = closed(memories)
    with open(path, "r+b") as file:
        file.seek((first_page(path, "tombstone") - 1) * 4096)
        file.write(b"\xff" * 4096)
    done = repair(path, folder)
    assert Lost(
        "tombstone", "?", "its table could not be read to the end; rows may be missing"
    ) in done.lost and sound(path)

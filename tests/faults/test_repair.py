"""Repair: what is mended from where, what is listed as lost, and what is no reason to repair anything."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from tacit.app import open as open_memories
from tacit.core.errors import StoreBusy, StoreReadOnly
from tacit.core.links import Mark, Use
from tacit.stores.check import check, rule_of
from tacit.stores.sqlite import SCHEMA, open_store
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


LESSONS = "SELECT n, id, text FROM memory ORDER BY n"


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


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("project", "trial_key"),
        ("alias", "alias"),
        ("profile", "name"),
        ("evidence", "place"),
        ("run", "foreign_id"),
        ("journal", "by"),
    ],
)
def test_a_single_bit_is_found_without_a_backup(memories: Any, table: str, column: str) -> None:
    """The hash, or the table's seal, says what it was."""
    path, folder = closed(memories)
    with open_store(path) as store, store.write() as tx:
        key = {
            "project": "id",
            "alias": "alias",
            "profile": "id",
            "evidence": "n",
            "run": "id",
            "journal": "id",
        }[table]
        was, id = tx.rows(
            f"SELECT {column}, {key} FROM {table} WHERE length({column}) > 0 LIMIT 1"
        )[0]
        now = (
            bytes([was[0] ^ 1]) + was[1:]
            if isinstance(was, bytes)
            else chr(ord(was[0]) ^ 1) + was[1:]
        )
        tx.rows(f"UPDATE {table} SET {column} = :now WHERE {key} = :id", now=now, id=id)
    assert not sound(path)
    done = repair(path, folder)
    assert (done.lost, done.mended.get(table)) == ((), 1) and sound(path)
    assert rows(path, f"SELECT 1 FROM {table} WHERE {column} = :was", was=was)


@pytest.mark.parametrize(("letter", "bit"), [('"', 1), ("é", 1)])
def test_a_bit_in_a_long_profile_is_found(memories: Any, letter: str, bit: int) -> None:
    """Whether the letter it made needs more room in JSON, less, or as much."""
    path, folder = closed(memories)
    with open_store(path) as store, store.write() as tx:
        text = "déjà vu " * 20 if letter == "é" else json.dumps({f"key {n}": n for n in range(20)})
        tx.put_profile("x1", "mine", text, "2026-11-01T00:00:00.000Z")
        id, was = tx.rows("SELECT id, compiled FROM profile ORDER BY length(id) LIMIT 1")[0]
        at = was.index(letter, len(was) // 2)
        tx.rows(
            "UPDATE profile SET compiled = :now WHERE id = :id",
            now=was[:at] + chr(ord(letter) ^ bit) + was[at + 1 :],
            id=id,
        )
    assert not sound(path)
    done = repair(path, folder)
    assert (done.lost, done.mended.get("profile")) == ((), 1) and sound(path)
    assert rows(path, "SELECT compiled FROM profile WHERE id = :id", id=id) == [(was,)]


def test_a_bit_beside_a_number_below_zero_is_found(memories: Any) -> None:
    """Its sign is tried on the way (found by a flipped bit: that went out of range)."""
    with memories.store.write() as tx:
        id = tx.rows("SELECT id FROM memory LIMIT 1")[0][0]
        tx.add_mark(
            Mark(
                id,
                "",
                memories.project_id,
                "lost",
                "1",
                -1.0,
                "",
                "tend",
                "",
                "2026-11-01T00:00:00.000Z",
            )
        )
    path, folder = closed(memories)
    tamper(path, "UPDATE use_mark SET surface = 'tene'")
    assert not sound(path)
    assert repair(path, folder).lost == () and sound(path)
    assert rows(path, "SELECT amount, surface FROM use_mark") == [(-1.0, "tend")]


def test_bytes_that_became_a_text_are_read_as_bytes(memories: Any) -> None:
    """One bit tells a blob from a text in SQLite, and few hashes are Unicode (found by a flipped bit)."""
    path, folder = closed(memories)
    connection = apsw.Connection(path)
    (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'run'").fetchall()[0]
    for said in (sql.replace("STRICT", "").replace(", WITHOUT", " WITHOUT"), sql):
        connection.execute("PRAGMA writable_schema = ON").fetchall()
        connection.execute(
            "UPDATE sqlite_schema SET sql = ? WHERE name = 'run'", (said,)
        ).fetchall()
        connection.execute("PRAGMA writable_schema = RESET").fetchall()
        if said != sql:
            connection.execute("UPDATE run SET hash = CAST(hash AS TEXT)").fetchall()
    connection.close()
    assert not sound(path)
    assert repair(path, folder).lost == () and sound(path)


def test_words_for_full_text_that_are_none_any_more_cost_no_lesson(memories: Any) -> None:
    """They are derived, and no hash holds them; a lesson that can be read otherwise stays (found by a flipped bit)."""
    path, folder = closed(memories)
    before = texts(path)
    tamper(path, "UPDATE memory SET words = CAST(x'746f6f6cad' AS TEXT) WHERE n = 1")
    done = repair(path, folder)
    assert (done.lost, texts(path), sound(path)) == ((), before, True)


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


@pytest.mark.parametrize("with_backup", [True, False])
def test_a_broken_table_of_tables_is_grafted(memories: Any, with_backup: bool) -> None:
    """The schema's own pages cannot be read (found by a flipped bit): where the tables begin is known."""
    if with_backup:
        memories.backup()
    memories.add("after the backup")
    path, folder = closed(memories)
    before = texts(path)
    with open(path, "r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 12)
    done = repair(path, folder)
    assert (done.lost, texts(path), sound(path)) == ((), before, True)


@pytest.mark.parametrize("with_backup", [True, False])
@pytest.mark.parametrize("of", ["memory", "journal"])
def test_a_pointer_to_the_wrong_page(memories: Any, of: str, with_backup: bool) -> None:
    """Found by a flipped bit: rows out of reach come from backup and journal, in their own order; none gives way to another."""
    for n in range(60):
        added = memories.add(f"lesson {n} about zebra{n} in src/app/user_{n}.py")
        memories.edit(
            added.id, text=f"{added.text}, corrected"
        )  # so that an entry's number is not its memory's
        if n == 10 and with_backup:
            memories.backup()
    path, folder = closed(memories)
    with open_store(path) as store:
        numbers = store.rows(LESSONS)
        root = {
            name: page
            for name, page in store.rows(
                "SELECT name, rootpage FROM sqlite_schema WHERE name IN ('memory', 'journal')"
            )
        }
        entries = dict(
            store.rows(
                "SELECT m.n, max(j.id) FROM journal j JOIN memory m ON m.id = j.memory GROUP BY 1"
            )
        )
    raw = bytearray(Path(path).read_bytes())

    def pointers(table: str) -> dict[int, int]:
        """By the last row number of each page that the first page of a table points at: where it does so."""
        page = (root[table] - 1) * 4096
        assert raw[page] == 5  # not a leaf
        cells = range(page + 12, page + 12 + 2 * int.from_bytes(raw[page + 3 : page + 5], "big"), 2)
        return {
            raw[at + 4]: at
            for at in (page + int.from_bytes(raw[cell : cell + 2], "big") for cell in cells)
        }

    _, lost, other, *_ = pointers("memory").items()
    here = lost[1]
    there = (
        other[1]
        if of == "memory"
        else next(at for last, at in pointers("journal").items() if last >= entries[lost[0]])
    )
    raw[here : here + 4] = raw[there : there + 4]
    Path(path).write_bytes(raw)
    assert not sound(path)
    done = repair(path, folder)
    assert (done.lost, rows(path, LESSONS), sound(path)) == ((), numbers, True)


def test_a_row_that_its_index_hides_is_no_end_of_the_check(memories: Any) -> None:
    """Found by a flipped bit in an index: the row is listed and cannot be found by its id."""
    path, folder = closed(memories)
    numbers, page = rows(path, LESSONS), first_page(path, "sqlite_autoindex_memory_1") - 1
    raw = bytearray(Path(path).read_bytes())
    at = raw.index(numbers[0][1].encode(), page * 4096, (page + 1) * 4096)
    raw[at + 3] ^= 64
    Path(path).write_bytes(raw)
    assert not sound(path)
    done = repair(path, folder)
    assert (done.lost, rows(path, LESSONS), sound(path)) == ((), numbers, True)


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


def test_a_bit_of_a_belief_is_noticed_and_folded_again(memories: Any) -> None:
    """It adds up from uses and outcomes like every other count (found by a flipped bit: it was carried on as it stood)."""
    at = "2026-11-01T00:00:00.000Z"
    with memories.store.write() as tx:
        id = tx.rows("SELECT id FROM memory LIMIT 1")[0][0]
        for n in range(6):
            arm = "injected" if n % 2 else "withheld"
            tx.add_use(
                Use(
                    id,
                    f"u{n}",
                    memories.project_id,
                    f"r{n}",
                    id,
                    arm,
                    0.5,
                    "hook",
                    "e",
                    "test",
                    False,
                    "t",
                    False,
                    at,
                )
            )
            tx.add_mark(
                Mark(
                    id,
                    f"u{n}",
                    memories.project_id,
                    "outcome",
                    "not_occurred" if n % 2 else "occurred",
                    at=at,
                )
            )
    path, folder = closed(memories)
    beliefs = "SELECT signal, amount FROM tally WHERE signal LIKE 'belief%' ORDER BY 1"
    was = rows(path, beliefs)
    assert [signal for signal, _ in was] == ["belief", "belief_harm"] and was[0][1] > was[1][1]
    for signal, _ in was:
        tamper(
            path, "UPDATE tally SET amount = amount * 1.0001 WHERE signal = :signal", signal=signal
        )
        assert [fault.kind for fault in repair(path, folder).faults] == ["tally"]
        assert rows(path, beliefs) == was
    assert sound(path)


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


def test_unhashed_rows_are_sealed(memories: Any) -> None:
    """A changed project, profile, alias, tombstone or setting is reported, though its row carries no hash."""
    with memories.store.write() as tx:
        tx.bury("r", "place", memories.project_id, "erased", "2026-11-15T00:00:00.000Z")
        tx.put_meta("a", "b")
    path, _ = closed(memories)
    for table, column in (
        ("project", "remote"),
        ("profile", "name"),
        ("alias", "memory"),
        ("tombstone", "place"),
        ("meta", "value"),
    ):
        copy = f"{path}.{table}"
        shutil.copy(path, copy)
        tamper(copy, f"UPDATE {table} SET {column} = {column} || 'x'")
        with open_store(copy) as store:
            assert table in {
                fault.detail.split(":")[0]
                for fault in check(store, rule=rule_of(store)).faults
                if fault.kind == "seal"
            }, table


def test_a_garbled_definition_is_noticed_and_mended(memories: Any) -> None:
    """A bit in the table of tables that still parses: a column by another name, a condition that says something else."""
    path, folder = closed(memories)
    before = texts(path)
    for was, now in (
        (b"task_type           TEXT", b"task_txpe           TEXT"),
        (b"OR pinned = 1 OR (about", b"OR pinned = 3 OR (about"),
        (b"words, content = 'memory'", b"words, content =0'memory'"),
    ):
        raw = Path(path).read_bytes()
        assert was in raw
        Path(path).write_bytes(raw.replace(was, now))
        assert {fault.kind for fault in repair(path, folder).faults} == {"file"}
        assert sound(path) and texts(path) == before


def test_a_tally_under_no_project_is_noticed(memories: Any) -> None:
    """Derived, and still what a reader would see (found by a flipped bit)."""
    path, folder = closed(memories)
    tamper(path, "UPDATE tally SET project = '!' || substr(project, 2)")
    assert {fault.kind for fault in repair(path, folder).faults} == {"tally"}
    assert sound(path)


@pytest.mark.parametrize("version", [1, SCHEMA + 1])
def test_a_garbled_version_number_is_damage(memories: Any, version: int) -> None:
    """A store that calls itself older or newer, with exactly our tables, is neither."""
    path, folder = closed(memories)
    before = texts(path)
    with open(path, "r+b") as file:
        file.seek(60)
        file.write(version.to_bytes(4, "big"))
    done = repair(path, folder)
    assert done.faults and (done.lost, texts(path), sound(path)) == ((), before, True)


@pytest.mark.parametrize(
    ("table", "off", "with_backup"),
    [
        ("evidence", 1, True),
        ("evidence", -1, False),
        ("use_mark", 1, False),
        ("journal", -1, True),
        ("memory", 64, False),
    ],
)
def test_a_row_with_the_number_of_another(
    memories: Any, table: str, off: int, with_backup: bool
) -> None:
    """No hash covers a row's number (found by a flipped bit): both rows stay, each at its own place."""
    for n in range(8):
        added = memories.add(f"lesson {n}", run=f"r{n}")
        with memories.store.write() as tx:
            tx.add_mark(
                Mark(added.id, "", memories.project_id, "uses", at="2026-11-01T00:00:00.000Z")
            )
        if n == 2 and with_backup:
            memories.backup()
    path, folder = closed(memories)
    name = "id" if table == "journal" else "n"
    before, page = rows(path, f"SELECT * FROM {table} ORDER BY {name}"), first_page(path, table) - 1
    raw = bytearray(Path(path).read_bytes())
    while raw[page * 4096] == 5:  # to the last leaf
        page = int.from_bytes(raw[page * 4096 + 8 : page * 4096 + 12], "big") - 1
    cells = int.from_bytes(raw[page * 4096 + 3 : page * 4096 + 5], "big")
    slot = page * 4096 + 8 + 2 * (cells - 2)  # the last row but one
    cell = page * 4096 + int.from_bytes(raw[slot : slot + 2], "big")
    number = cell + (1 if raw[cell] < 128 else 2)  # the payload's length comes first
    assert raw[number] < 64
    raw[number] += off
    Path(path).write_bytes(raw)
    assert not sound(path)
    done = repair(path, folder)
    after = rows(path, f"SELECT * FROM {table} ORDER BY {name}")
    assert (done.lost, [row[:-1] for row in after], sound(path)) == (
        (),
        [row[:-1] for row in before],
        True,
    )


def test_a_mark_whose_hash_is_garbled_is_there_once(memories: Any) -> None:
    """Known to the backup under its own hash (found by a flipped bit: it came back twice)."""
    with memories.store.write() as tx:
        id = tx.rows("SELECT id FROM memory LIMIT 1")[0][0]
        tx.add_mark(Mark(id, "", memories.project_id, "uses", at="2026-11-01T00:00:00.000Z"))
    memories.backup()
    path, folder = closed(memories)
    tamper(path, "UPDATE use_mark SET hash = CAST(x'00' || substr(hash, 2) AS BLOB)")
    assert repair(path, folder).lost == () and sound(path)
    assert rows(path, "SELECT count(*) FROM use_mark") == [(1,)]


@pytest.mark.parametrize("word", ["a" * 33_000, "記憶" * 5_600, "é1" * 11_000])
def test_a_word_that_the_index_cuts_is_no_damage(tmp_path: Path, word: str) -> None:
    """FTS5 keeps 32,768 bytes of a word, and may end inside a character; a store that holds one is sound, and can be mended."""
    import tacit
    from tacit.app.safety import repair_store

    with tacit.open(str(tmp_path / "m.db"), "p", env={"HOME": str(tmp_path)}) as memories:
        memory = memories.add(f"Never paste {word}")
        assert memories.health().health.is_sound
        with memories.store.write() as tx:
            tx.rows("UPDATE memory SET kind = 'other' WHERE id = :id", id=memory.id)
    repair_store(str(tmp_path / "m.db"), {"HOME": str(tmp_path)})
    with tacit.open(str(tmp_path / "m.db"), "p", env={"HOME": str(tmp_path)}) as memories:
        assert memories.health().health.is_sound and memories.get(memory.id).text == memory.text

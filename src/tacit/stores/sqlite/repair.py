"""Mending a store that is proven damaged, from everything that still verifies.

Nothing is guessed. Each truth row carries a SHA-256, each journal entry the hash of the one before it and of the row it
left; so every row can be asked, in turn, from the damaged file, the newest verified backup, the fold of the journal,
and, where a single bit was flipped, from trying the bits: whichever hashes to what was written is the row. A new store
is built of these, checked, and written over the damaged one under an exclusive lock. The damaged file is kept, and what
no source holds any more is listed by its id.

Rows are append-only or corrected in place, never deleted, so the union of backup and file is right; what was erased
after the backup is erased again.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left

import apsw

from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.errors import Damaged, StoreNewer
from tacit.core.journal import GENESIS, entry_hash, payload_digest, shard_of, xor
from tacit.core.links import link_hash
from tacit.core.memory import DECIDED, NUMBERS, row_hash
from tacit.core.rows import Fault
from tacit.core.value import value
from tacit.stores.check import check, rule_of
from tacit.stores.shared import is_sound, misplaced
from tacit.stores.sql import HEADER, SEALED, _row_seal, seal_project
from tacit.stores.sqlite.backup import DERIVED, Held, _make_folder, _private, backups, told_plainly, verify
from tacit.stores.sqlite.copy_files import copy_files
from tacit.stores.tables import BY_NAME, QUEUE_KEY, TRUTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from tacit.stores.sqlite import SqliteStore, Transaction
    from tacit.stores.sqlite.backup import Backup

    Row = dict[str, Any]

GAP = 100_000  # row numbers looked up one by one where a scan breaks off
TRIED = 24  # rows for which single bits are tried: one flip garbles one row, many garbled rows are another kind of damage
_SAME = {**{table.name: table.same for table in TRUTH}, "queue": QUEUE_KEY}
_LINKS = {name: BY_NAME[name].hashed for name in ("evidence", "use", "use_mark")}
_SEALED = {name: BY_NAME[name].hashed for name in ("run", "finding", "proposal", "incident")}
_NAMES = {"use_mark": "mark"}
_NUMBERED = ("evidence", "use_mark", "shared")  # by a number that no hash covers


@value
class Lost:
    """Something that no source holds any more."""

    kind: str
    id: str
    detail: str


@value
class Repaired:
    """What was wrong, what it was mended from, and what is lost."""

    faults: tuple[Fault, ...]
    aside: str = ""  # where the damaged store is kept; empty where only derived data was affected
    backup: str = ""
    mended: dict[str, int] = {}  # noqa: RUF012 - a value's default, never changed
    lost: tuple[Lost, ...] = ()


def repair(path: str, folder: str, machine: str = "", wait: float = 10.0) -> Repaired:
    """Mend a store, if it is damaged. The caller has closed its own connections to it."""
    faults = _faults(path)
    if not faults:
        return Repaired(())
    if all(fault.kind in DERIVED for fault in faults):
        try:
            _rebuild(path)
            if not _faults(path):
                return Repaired(faults, mended={"derived": len(faults)})
        except Damaged:
            pass  # the derived tables themselves are broken: a new store has new ones
    backup = _newest(folder)
    _make_folder(folder)
    broken, fresh = (os.path.join(folder, f".repair-{new_id()}") for _ in range(2))
    try:
        with told_plainly(path, "repairing"), Held(path, folder, wait) as held:
            copy_files(held.aside, broken)  # salvaging opens its copy; what is kept aside stays as it was
            mended, lost = _built(broken, backup.path if backup else "", fresh, machine)
            held.write(fresh)
        return Repaired(faults, held.aside, backup.name if backup else "", mended, tuple(lost))
    finally:
        for place in (broken, fresh):
            for end in ("", "-wal", "-shm", "-journal"):
                if os.path.exists(place + end):
                    os.unlink(place + end)


def _faults(path: str) -> tuple[Fault, ...]:
    """What is proven wrong. Busy, a full disk or an I/O error come up as what they are: no reason to mend anything."""
    from tacit.stores.sqlite import open_store

    try:
        with open_store(path, create=False) as store:
            return check(store, rule=rule_of(store)).faults
    except Damaged as error:
        return (Fault("file", path, error.message),)
    except StoreNewer:
        if not _is_ours(path):
            raise
        return (Fault("file", path, "its version number is not the one that its tables have"),)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        return (Fault("file", path, f"a row cannot be read: {error}"),)


def _is_ours(path: str) -> bool:
    """Whether a store that calls itself newer has exactly the tables of this version."""
    from tacit.stores.sqlite import open_store
    from tacit.stores.sqlite.verify import _DEFINITIONS

    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with open_store(":memory:") as ours:
            return connection.execute(_DEFINITIONS).fetchall() == ours.rows(_DEFINITIONS)
    finally:
        connection.close()


def _newest(folder: str) -> Backup | None:
    """The newest backup that still verifies; a backup may rot too."""
    for each in backups(folder):
        if each.verified and not [f for f in verify(each.path, folder).faults if f.kind not in DERIVED]:
            return each
    return None


def _rebuild(path: str) -> None:
    from tacit.stores.sqlite import open_store

    with open_store(path, create=False) as store, store.write() as tx:
        _derive(store, tx)


# -- reading what is there ----------------------------------------------------------------------------------------------


class _Salvage:
    """Rows of a file that may be broken anywhere, as far as they can be read."""

    def __init__(self, path: str, model: SqliteStore, known: list[tuple[Any, ...]]) -> None:
        self.model = model
        self.tables: dict[str, list[tuple[str, str]]] = {}
        for table in _SAME:
            told = model.rows(f"SELECT name, type FROM pragma_table_info('{table}')")
            self.tables[table] = [(name, type) for name, type in told]
        self.broken: set[str] = set()  # tables that could not be read to their end
        _mend_header(path)
        self.connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        self._mend_schema()
        if not self._has_tables():
            self._graft(path, known)

    def close(self) -> None:
        """Close the copy."""
        self.connection.close()

    def schema(self) -> list[tuple[Any, ...]]:
        """Every table and index with the page it begins at."""
        return self.connection.execute("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid").fetchall()

    def _has_tables(self) -> bool:
        try:
            return {row[1] for row in self.schema()} >= set(_SAME)
        except (apsw.Error, UnicodeDecodeError):
            return False

    def _mend_schema(self) -> None:
        """Table definitions are known by heart: where a file's own are garbled, ours are put in, page numbers kept."""
        ours = self.model.rows("SELECT rowid, type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
        try:
            self.connection.execute("PRAGMA writable_schema = ON").fetchall()
            listed = self.connection.execute("SELECT rowid FROM sqlite_schema ORDER BY rowid").fetchall()
            if len(listed) == len(ours):
                for (at,), (_, type, name, table, sql) in zip(listed, ours):
                    self.connection.execute(
                        "UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
                        (type, name, table, sql, at),
                    )
            self.connection.execute("PRAGMA writable_schema = RESET").fetchall()
        except apsw.Error:
            pass

    def _graft(self, path: str, known: list[tuple[Any, ...]]) -> None:
        """The table of tables cannot be read: an empty one takes its place, filled with where the tables are known to begin.

        They begin where they did in the backup, or in any store that was made by this version: nothing moves them.
        """
        try:
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error:
            pass
        self.connection.close()
        with open(path, "r+b") as file:
            size = os.path.getsize(path) // 4096
            file.seek(28)
            file.write(size.to_bytes(4, "big") + bytes(8))  # as long as it is, no free pages
            file.seek(100)
            file.write(b"\x0d\x00\x00\x00\x00\x10\x00\x00")  # a leaf without cells
        self.connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            self.connection.execute("PRAGMA writable_schema = ON").fetchall()
            for row in known:
                self.connection.execute("INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)", row)
            self.connection.execute("PRAGMA writable_schema = RESET").fetchall()
        except apsw.Error:
            pass

    def rows(self, table: str) -> Iterator[Row]:
        """Every row that can be reached, each once and in order: from the front, one by one in between, and from the back."""
        columns = self.tables[table]
        # A flipped bit may also make a text of what is none, and not every text is Unicode.
        other = "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE {0} END"
        chosen = ", ".join(f"CAST({name} AS BLOB)" if type == "TEXT" else other.format(name) for name, type in columns)
        numbered = self._numbered(table)
        order = [numbered] if numbered else list(_SAME[table])
        seen: set[int] = set()  # hashes of rows, not their numbers: a page of another table may be read as one of ours
        ends: list[int] = []
        back: list[Row] = []
        for direction in ("", " DESC"):
            by = ", ".join(name + direction for name in order)
            whole = False
            last = None
            try:
                for row in self.connection.execute(f"SELECT {chosen} FROM {table} ORDER BY {by}"):
                    at = self._read(columns, row)
                    if numbered:
                        last = at[numbered]
                    if hash(row) not in seen:
                        seen.add(hash(row))
                        if direction:
                            back.append(at)
                        else:
                            yield at
                whole = True
            except apsw.Error:
                pass
            if whole:
                break
            self.broken.add(table)
            if isinstance(last, int):
                ends.append(last)
        if numbered and len(ends) == 2 and 0 < ends[1] - ends[0] <= GAP:
            for n in range(ends[0] + 1, ends[1]):
                try:
                    for row in self.connection.execute(f"SELECT {chosen} FROM {table} WHERE {numbered} = ?", (n,)):
                        if hash(row) not in seen:
                            seen.add(hash(row))
                            yield self._read(columns, row)
                except apsw.Error:
                    continue
        yield from reversed(back)

    def _numbered(self, table: str) -> str:
        return "id" if table == "queue" else BY_NAME[table].number

    @staticmethod
    def _read(columns: list[tuple[str, str]], row: Sequence[Any]) -> Row:
        # A text that is not Unicode any more stays bytes: it verifies nowhere, but a bit tried in it may make it whole.
        at: Row = {}
        for (name, type), cell in zip(columns, row):
            if type == "TEXT" and isinstance(cell, bytes):
                try:
                    at[name] = cell.decode("utf-8")
                    continue
                except UnicodeDecodeError:
                    pass
            at[name] = cell
        return at


def _mend_header(path: str) -> None:
    """The constant part of a store's first hundred bytes, put in again."""
    with open(path, "r+b") as file:
        head = bytearray(file.read(100).ljust(100, b"\0"))
        head[0:16] = b"SQLite format 3\0"
        head[16:24] = b"\x10\x00\x02\x02\x00\x40\x20\x20"  # 4096-byte pages, write-ahead log, no reserved bytes
        head[44:48] = (4).to_bytes(4, "big")
        head[56:60] = (1).to_bytes(4, "big")  # UTF-8
        file.seek(0)
        file.write(head)


# -- which row is the one that was written ------------------------------------------------------------------------------


def _verifies(table: str, row: Row) -> bool:
    """Whether a row is what was written."""
    if table == "shared":
        return is_sound(row)
    try:
        return bool(_seal_of(table, row) == row["hash"] or (table == "incident" and not row["hash"]))  # those of schema 10 carry none
    except (TypeError, ValueError):
        return False


def _seal_of(table: str, row: Row) -> bytes:
    if table == "memory":
        return row_hash(tuple(row[name] for name in DECIDED))
    if table in _LINKS:
        return link_hash(tuple(row[name] for name in _LINKS[table]))
    return _row_seal(table, {name: row[name] for name in _SEALED[table]})


class _Bits:
    """Tries every single bit of a row, for as many rows as there is patience for."""

    def __init__(self) -> None:
        self.left = TRIED

    def tried(
        self, row: Row, names: Iterable[str], fits: Callable[[Row], bool], quick: Callable[[Row, str], str | None] | None = None
    ) -> Row | None:
        """The row with one bit turned back, if that makes it fit; `quick` finds the same in a text, faster."""
        if self.left <= 0:
            return None
        self.left -= 1
        for name in names:
            cell = row[name]
            if quick and isinstance(cell, str):
                if (text := quick(row, name)) is not None:
                    return {**row, name: text}
            elif isinstance(cell, (str, bytes)):
                raw = bytearray(cell.encode() if isinstance(cell, str) else cell)
                for at in range(len(raw) * 8):
                    raw[at >> 3] ^= 1 << (at & 7)
                    if (said := _as(raw, "" if isinstance(cell, str) else name)) is not None and fits({**row, name: said}):
                        return {**row, name: said}
                    raw[at >> 3] ^= 1 << (at & 7)
            elif isinstance(cell, int):
                for bit in range(48):
                    if fits({**row, name: cell ^ (1 << bit)}):
                        return {**row, name: cell ^ (1 << bit)}
            elif isinstance(cell, float):
                import struct

                (whole,) = struct.unpack("<Q", struct.pack("<d", cell))
                for bit in range(64):
                    (near,) = struct.unpack("<d", struct.pack("<Q", whole ^ (1 << bit)))
                    if near == near and fits({**row, name: near}):
                        return {**row, name: near}
        return None


_RAW = ("hash", "row", "digest", "salt", "trial_key", "xor")


def _as(raw: bytearray, name: str) -> str | bytes | None:
    if name in _RAW:
        return bytes(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


# -- building -----------------------------------------------------------------------------------------------------------


def _built(broken: str, backup: str, fresh: str, machine: str) -> tuple[dict[str, int], list[Lost]]:
    """A new store of all that verifies; how many rows came from elsewhere than the damaged file, and what is lost."""
    from tacit.stores.sqlite import open_store

    _private(fresh)
    with open_store(fresh, machine=machine) as store:
        known = store.rows("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid")
        copy = fresh + "-backup"
        damaged = kept = None
        try:
            if backup:
                copy_files(backup, copy)
                open_store(copy, create=False).close()  # an older schema is brought up to date
                kept = _Salvage(copy, store, known)
            damaged = _Salvage(broken, store, kept.schema() if kept else known)
            building = _Building(damaged, kept)
            with store.write() as tx:
                building.write(tx)
                _derive(store, tx)
            faults = check(store, rule=rule_of(store)).faults
            if faults:
                raise Damaged(
                    f"The store could not be mended: {faults[0].kind} {faults[0].id}: {faults[0].detail}.",
                    "Nothing was changed. tacit restore puts a backup back.",
                )
        finally:
            for each in (damaged, kept):
                if each is not None:
                    each.close()
            for end in ("", "-wal", "-shm", "-journal"):
                if os.path.exists(copy + end):
                    os.unlink(copy + end)
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return building.mended, building.lost


class _Building:
    """Chooses, table by table, the rows of the new store."""

    def __init__(self, damaged: _Salvage, kept: _Salvage | None) -> None:
        self.damaged, self.kept = damaged, kept
        self.bits = _Bits()
        self.mended: dict[str, int] = {}
        self.lost: list[Lost] = []
        self._seals: list[Row] | None = None

    def write(self, tx: Transaction) -> None:
        """Fill an empty store."""
        seals: dict[tuple[str, str, int], tuple[int, bytes]] = {}

        def seal(kind: str, row: Row) -> None:
            at = (row["project"], kind, shard_of(row["memory"]))
            count, sum_ = seals.get(at, (0, GENESIS))
            seals[at] = (count + 1, xor(sum_, row["hash"]))

        memories, entries = self._memories()
        self._insert(tx, "memory", memories)
        for row in entries:
            seal("journal", row)
        self._insert(tx, "journal", entries)
        for table in _LINKS:
            rows = self._verified(table, _LINKS[table])
            for row in rows:
                seal(_NAMES.get(table, table), row)
            self._insert(tx, table, rows)
        for table, columns in _SEALED.items():
            self._insert(tx, table, self._verified(table, columns))
        for table in SEALED:
            rows = self._sealed(table)
            for row in rows:
                at = (seal_project(table, row), table, 0)
                count, sum_ = seals.get(at, (0, GENESIS))
                seals[at] = (count + 1, xor(sum_, _row_seal(table, row)))
            self._insert(tx, table, rows)
        for table in ("tally", "queue", "injection", "counter"):
            self._insert(tx, table, self._plain(table))
        self._insert(tx, "shared", self._verified("shared", [name for name, _ in self.damaged.tables["shared"]]))
        self._place_lines(tx)
        for (project, kind, shard), (rows_, sum_) in seals.items():
            tx.rows(
                "INSERT INTO seal (project, kind, shard, rows, xor) VALUES (:p, :k, :s, :n, :x)",
                p=project, k=kind, s=shard, n=rows_, x=sum_,
            )  # fmt: skip
        self._count_missing(seals)
        self._erase_again(tx, memories)
        told = {"mended": self.mended, "lost": [[each.kind, each.id, each.detail] for each in self.lost[:1000]]}
        tx.put_meta("repaired", json.dumps({"at": clock.now(), **told}, ensure_ascii=False))

    def _count(self, kind: str) -> None:
        self.mended[kind] = self.mended.get(kind, 0) + 1

    def _insert(self, tx: Transaction, table: str, rows: Iterable[Row]) -> None:
        names = [name for name, _ in self.damaged.tables[table]]
        sql = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join(':' + name for name in names)})"
        for row in rows:
            try:
                tx.rows(sql, **row)
            except (apsw.ConstraintError, TypeError):
                self.lost.append(Lost(_NAMES.get(table, table), _named(table, row), "its row cannot be read"))

    def _pairs(self, table: str) -> dict[tuple[Any, ...], tuple[list[Row], list[Row]]]:
        """By key: the rows of the damaged file and of the backup."""
        found: dict[tuple[Any, ...], tuple[list[Row], list[Row]]] = {}
        for side, source in ((0, self.damaged), (1, self.kept)):
            for row in source.rows(table) if source else ():
                found.setdefault(tuple(row[name] for name in _SAME[table]), ([], []))[side].append(row)
        return found

    def _verified(self, table: str, columns: Sequence[str]) -> list[Row]:
        """The rows of a table whose rows carry their own hash, in the order in which they were written."""
        kind = _NAMES.get(table, table)
        most = None if table == "use_mark" else 1
        known: list[Row] = []  # to the backup
        added: set[Any] = set()  # numbers of rows that only the backup still has whole
        others: list[tuple[int, Row]] = []  # each with its place in the file
        doubtful: list[tuple[int, Row]] = []
        for at, (here, there) in enumerate(self._pairs(table).values()):
            good, kept = ([row for row in rows if _verifies(table, row)][:most] for rows in (here, there))
            known += [{**row, "n": old["n"]} if "n" in old else row for row, old in zip(good, kept)]
            known += kept[len(good) :]
            added |= {row.get("n") for row in kept[len(good) :]}
            others += [(at, row) for row in good[len(kept) :]]
            for _ in kept[len(good) :]:
                self._count(kind)
            if not good and not kept:
                doubtful += [(at, row) for row in here]
        own = "n" if table == "shared" else "hash"
        taken = {row[own] for row in known} | {row[own] for _, row in others}
        for at, row in doubtful:
            if row[own] in taken or row.get("n", 0) in added:
                continue  # its key was garbled; the backup had it under its own
            mended = self.bits.tried(row, dict.fromkeys((*columns, own)), lambda tried: _verifies(table, tried))
            if mended is not None:
                self._count(kind)
                others.append((at, mended))
            else:
                self.lost.append(Lost(kind, _named(table, row), "its row is not what was written, and no backup has it"))
        chosen = sorted(known, key=lambda row: row.get("n", 0)) + [row for _, row in sorted(others, key=lambda other: other[0])]
        if table in _NUMBERED:
            _renumber(chosen)
        return chosen

    def _sealed(self, table: str) -> list[Row]:
        """The rows of a table without hashes: those whose XOR is the table's seal.

        One row that differs can be found without knowing which it is: exchanging it for the one that was written changes
        the sum by exactly what it is off by.
        """
        pairs = self._pairs(table)
        columns = self.damaged.tables[table]
        here = [row for mine, _ in pairs.values() for row in mine if _is_readable(columns, row)]
        there = [row for _, theirs in pairs.values() for row in theirs]
        if self._seals is None:
            self._seals = [row for row in self.damaged.rows("seal") if _is_readable(self.damaged.tables["seal"], row)]
        sealed = [row for row in self._seals if row["kind"] == table]
        if not sealed and not here:
            return there
        off = _sum(row["xor"] for row in sealed) ^ _sum(_row_seal(table, row) for row in here)
        if not off or off.bit_count() == 1:  # or a bit of the seal itself was flipped
            return here
        unreadable = [row for mine, _ in pairs.values() for row in mine if not _is_readable(columns, row)]
        known = {_number(_row_seal(table, row)) for row in here}
        extra = {number: row for row in there if (number := _number(_row_seal(table, row))) not in known}
        for wrong in (None, *here):
            right = extra.get(off ^ (_number(_row_seal(table, wrong)) if wrong else 0))
            if right is not None:
                self._count(table)
                return [row for row in here if row is not wrong] + [right]
        for wrong in (*unreadable, *here):
            rest = off ^ (_number(_row_seal(table, wrong)) if wrong in here else 0)
            mended = self.bits.tried(
                wrong, [name for name, _ in columns], lambda tried, rest=rest: _sums_to(table, tried, rest),  # type: ignore[misc]
                lambda row, name, rest=rest: _text_that_sums_to(table, row, name, rest),  # type: ignore[misc]
            )  # fmt: skip
            if mended is not None:
                self._count(table)
                return [row for row in here if row is not wrong] + [mended]
        projects = ", ".join(sorted({seal_project(table, row) for row in here} - {""}))
        self.lost.append(Lost(table, projects or table, "a row is not what was written; which one cannot be told"))
        keys = {tuple(row[name] for name in _SAME[table]) for row in here}
        return here + [row for row in there if tuple(row[name] for name in _SAME[table]) not in keys]

    def _place_lines(self, tx: Transaction) -> None:
        """Lines of the team's journal that stand for no row here: as the backup has them, or not at all."""
        kept = {row["id"]: row for row in (self.kept.rows("shared") if self.kept else ())}
        wrong = misplaced(tx)
        for id, _ in wrong:
            tx.rows("DELETE FROM shared WHERE id = :id", id=id)
        self._insert(tx, "shared", [kept[id] for id, _ in wrong if id in kept])
        still = {id for id, _ in misplaced(tx)}
        for id, memory in wrong:
            if id in kept and id not in still:
                self._count("shared")
                continue
            tx.rows("DELETE FROM shared WHERE id = :id", id=id)
            self.lost.append(Lost("shared", memory, f"line {id} of the team's journal; the next sync writes or reads it anew"))
        rows, last = tx.rows("SELECT count(*), coalesce(max(n), 0) FROM shared")[0]
        missing = last - rows - sum(each.kind == "shared" for each in self.lost)
        if missing > 0 or "shared" in self.damaged.broken:  # they are numbered without gaps, and nothing else counts them
            what = f"{missing} lines of the team's journal" if missing > 0 else "the team's journal may lack lines"
            self.lost.append(Lost("shared", "?", f"{what}; the next sync writes or reads them anew"))

    def _count_missing(self, seals: dict[tuple[str, str, int], tuple[int, bytes]]) -> None:
        """Rows that a seal counts and nobody has; rows named already are not named again."""
        for kind in ("journal", "evidence", "use", "mark"):
            told = sum(row["rows"] for row in self._seals or () if row["kind"] == kind)
            built = sum(rows for (_, of, _), (rows, _) in seals.items() if of == kind)
            missing = told - built - sum(each.kind == kind or each.kind == "memory" for each in self.lost)
            if 0 < missing < 1 << 31:
                self.lost.append(Lost(kind, "?", f"{missing} more rows are counted than can be found"))
        counted = {"journal", "memory", "evidence", "use", "use_mark"} if self._seals else set()
        for table in sorted(self.damaged.broken - {"tally", "queue", "injection", "counter", "shared"} - counted):
            since = "rows written after the backup may be missing" if self.kept else "rows may be missing"
            self.lost.append(Lost(_NAMES.get(table, table), "?", f"its table could not be read to the end; {since}"))

    def _plain(self, table: str) -> list[Row]:
        """The rows of a table without hashes: as they are, and what only the backup still has."""
        rows = []
        for here, there in self._pairs(table).values():
            readable = [row for row in here if _is_readable(self.damaged.tables[table], row)]
            if not readable and there and table not in ("queue", "tally"):
                self._count(table)
            rows += (readable or there)[:1]
        return rows

    def _memories(self) -> tuple[list[Row], list[Row]]:
        """Each memory with the longest chain of entries that verifies and ends in a row we have."""
        chains: dict[str, dict[int, list[tuple[Row, bool]]]] = {}
        strays: list[Row] = []
        places: dict[tuple[str, int], tuple[bool, int]] = {}  # known to the backup, and its number there; then in the order of the file
        for (memory, n), (here, there) in self._pairs("journal").items():
            if isinstance(memory, str) and isinstance(n, int):
                places[memory, n] = (False, there[0]["id"]) if there else (True, len(places))
                of = chains.setdefault(memory, {}).setdefault(n, [])
                of += [(row, False) for row in here] + [(row, True) for row in there]
            else:
                strays += here
        rows = self._pairs("memory")
        memories: list[Row] = []
        entries: list[Row] = []
        used: set[int] = set()
        for id, by_number in chains.items():
            here, there = rows.get((id,), ([], []))
            chain = self._chain(by_number)
            row, length = self._row(id, chain, here, there)
            if row is None:
                # A garbled id, or a memory without any row: known only if its own first entry verified.
                if chain or here or there:
                    self.lost.append(Lost("memory", id, "neither its row nor its journal could be read"))
                else:
                    strays += [each for pair in by_number.values() for each, old in pair if not old]
                continue
            newest = max(by_number)
            if length < newest:
                self.lost.append(Lost("journal", id, f"entries {length + 1} to {newest} of its chain; it is as entry {length} left it"))
            memories.append(row)
            entries += chain[:length]
            used |= {each["id"] for each in chain[:length]}
        known = {row["id"] for row in memories} | {each.id for each in self.lost}
        for (id,), (here, there) in rows.items():
            if id not in known and id not in chains and not self._is_known(here, memories):
                self.lost.append(Lost("memory", _named("memory", (here or there)[0]), "its journal is gone, and no backup has it"))
        for entry in strays:
            if entry["id"] not in used:
                self.lost.append(Lost("journal", str(entry["memory"]), f"entry {entry['id']} cannot be read"))
        for entry in entries:
            is_new, number = places[entry["memory"], entry["n"]]
            entry["id"] = entry["id"] if is_new else number
        entries.sort(key=lambda entry: places[entry["memory"], entry["n"]])
        _renumber(entries, "id")
        first = {entry["memory"]: entry["id"] for entry in entries if entry["n"] == 1}
        memories.sort(key=lambda row: first[row["id"]])  # as they were first written
        _renumber(memories)
        return memories, entries

    @staticmethod
    def _is_known(here: list[Row], memories: list[Row]) -> bool:
        """Whether a row with a garbled id was found under its own."""
        numbers = {row["n"] for row in here}
        return bool(numbers) and any(row["n"] in numbers for row in memories)

    def _chain(self, by_number: dict[int, list[tuple[Row, bool]]]) -> list[Row]:
        chain: list[Row] = []
        previous = GENESIS
        while candidates := by_number.get(len(chain) + 1):
            entry = self._entry(previous, candidates)
            if entry is None:
                break
            chain.append(entry)
            previous = entry["hash"]
        return chain

    def _entry(self, previous: bytes, candidates: list[tuple[Row, bool]]) -> Row | None:
        """The entry that follows, with its words if any source still has them."""

        def follows(row: Row) -> bool:
            try:
                told = tuple(row[name] for name in HEADER)
                return bool(entry_hash(previous, told, row["digest"], row["row"]) == row["hash"])
            except (TypeError, ValueError):
                return False

        good = next(((row, old) for row, old in candidates if follows(row)), None)
        if good is None:
            row = self.bits.tried(candidates[0][0], (*HEADER, "digest", "row", "hash"), follows)
            if row is None:
                return None
            good = row, True
        row, old = good
        if old:
            self._count("journal")
        if row["payload"] == "" and row["salt"] == b"":
            return row  # erased

        def says(tried: Row) -> bool:
            try:
                return bool(payload_digest(tried["salt"], tried["payload"]) == row["digest"])
            except (TypeError, ValueError, AttributeError):
                return False

        if says(row):
            return row
        for other, _ in candidates:
            if says(other):
                self._count("journal")
                return {**row, "payload": other["payload"], "salt": other["salt"]}
        mended = self.bits.tried(row, ("payload", "salt"), says)
        if mended is not None:
            self._count("journal")
            return mended
        self.lost.append(Lost("journal", row["memory"], f"what entry {row['id']} said; that it was made is kept"))
        return {**row, "payload": "", "salt": b""}

    def _row(self, id: str, chain: list[Row], here: list[Row], there: list[Row]) -> tuple[Row | None, int]:
        """The memory's row as its last entry left it, or as the latest one did for which a row can be had."""
        if not chain:
            return None, 0
        for length in range(len(chain), 0, -1):
            wanted = chain[length - 1]["row"]
            for row in here:
                if _hashes_to(row, wanted):
                    if row["hash"] != wanted:
                        self._count("memory")
                    return {**row, "hash": wanted, "words": ""}, length  # those are derived anew, whatever became of them
            found = next((row for row in there if _hashes_to(row, wanted)), None)
            if found is None:
                found = self._folded(id, chain[:length], there)
                found = found if found is not None and _hashes_to(found, wanted) else None
            if found is None and here and length == len(chain):
                found = self.bits.tried(here[0], DECIDED, lambda tried, wanted=wanted: _hashes_to(tried, wanted))  # type: ignore[misc]
            if found is not None:
                self._count("memory")
                return {"n": None, **found, "hash": wanted, "words": ""}, length
        return None, 0

    @staticmethod
    def _folded(id: str, chain: list[Row], there: list[Row]) -> Row | None:
        """The row that a memory's journal adds up to, from its beginning or from the backup's row on."""
        start: Row = {**dict.fromkeys(DECIDED, ""), **dict.fromkeys(NUMBERS, 0), "id": id, "project": chain[0]["project"]}
        known = 0
        for row in there:
            known = next((n + 1 for n, entry in enumerate(chain) if entry["row"] == row["hash"]), 0)
            if known:
                start = {name: row[name] for name in DECIDED}
        for entry in chain[known:]:
            if not entry["payload"]:
                return None
            start.update(json.loads(entry["payload"])[2])
        return start

    def _erase_again(self, tx: Transaction, memories: list[Row]) -> None:
        from tacit.core.keep import ERASED_BY
        from tacit.stores.sqlite.erase import blank

        for row in memories:
            if row["closed_by"] == ERASED_BY:
                blank(tx, tx.get(row["id"]), row["updated_at"])


def _renumber(rows: list[Row], name: str = "n") -> None:
    """Give numbers that rise, from the first row to the last, to rows that have none, or one that is out of order.

    No hash covers a row's number, and a flipped bit may give one row that of another. Most numbers are right: those of the
    longest rising sequence stay, and the others get the next one that is free.
    """
    told = [row[name] for row in rows]
    stay = _rising(told)
    taken, last, before = {told[at] for at in stay}, 0, 0
    for at, row in enumerate(rows):
        if at not in stay:
            if told[at] == last and before < last - 1:  # of two rows with one number the first is the one that is off
                rows[at - 1][name] = last - 1
                row[name] = last
            else:
                row[name] = last + 1 if last + 1 not in taken else max(taken, default=0) + 1
            taken |= {row[name], rows[at - 1][name]}
        before, last = last, row[name]


def _rising(numbers: Sequence[int | None]) -> set[int]:
    """Where the longest rising sequence of positive numbers stands."""
    ends: list[int] = []  # the smallest number that ends a sequence of each length, and where it stands
    places: list[int] = []
    before: dict[int, int] = {}
    for at, number in enumerate(numbers):
        if isinstance(number, int) and number > 0:
            length = bisect_left(ends, number)
            if ends[length : length + 1] == [number]:
                continue  # the first of two stays
            before[at] = places[length - 1] if length else -1
            ends[length : length + 1], places[length : length + 1] = [number], [at]
    found: set[int] = set()
    at = places[-1] if places else -1
    while at >= 0:
        found.add(at)
        at = before[at]
    return found


def _number(hash: bytes) -> int:
    return int.from_bytes(hash, "big")


def _sum(hashes: Iterable[bytes]) -> int:
    total = 0
    for each in hashes:
        total ^= _number(each)
    return total


def _sums_to(table: str, row: Row, wanted: int) -> bool:
    try:
        return _number(_row_seal(table, row)) == wanted
    except (TypeError, ValueError, AttributeError):
        return False


def _text_that_sums_to(table: str, row: Row, name: str, wanted: int) -> str | None:
    """A text of a sealed row with one bit turned back, if that makes the row's seal the wanted one.

    A compiled profile is some 200,000 bits long, and its seal is over the whole row: so what stands before a bit is hashed
    once, for each length that the row may have had, since a turned letter may need more room in JSON.
    """
    from hashlib import sha256

    names, fields = list(row), [field.hex() if isinstance(field, bytes) else field for field in row.values()]
    at = names.index(name)
    whole = json.dumps([*fields[:at], "", *fields[at + 1 :]], ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    cut = len(json.dumps([*fields[:at], ""], ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")) - 2
    letters = [_in_json(letter) for letter in row[name]]
    size, rest = len(whole) + sum(map(len, letters)), memoryview(b"".join(letters) + whole[cut:])
    head = len(table).to_bytes(8, "big") + table.encode()
    before = {more: sha256(head + (size + more).to_bytes(8, "big") + whole[:cut]) for more in (-5, -4, -1, 0, 1, 4, 5)}
    sought, done = wanted.to_bytes(32, "big"), 0
    for n, (letter, written) in enumerate(zip(row[name], letters)):
        done += len(written)
        for other in _one_bit_from(letter):
            spelled = _in_json(other)
            tried = before[more].copy() if (more := len(spelled) - len(written)) in before else sha256()
            tried.update(spelled)
            tried.update(rest[done:])
            if tried.digest() == sought:
                return str(row[name][:n] + other + row[name][n + 1 :])
        for each in before.values():
            each.update(written)
    return None


def _in_json(letter: str) -> bytes:
    return json.dumps(letter, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")


def _one_bit_from(letter: str) -> Iterator[str]:
    """The letters whose UTF-8 differs from this one's in one bit."""
    raw = letter.encode("utf-8", "surrogatepass")
    for bit in range(len(raw) * 8):
        turned = (int.from_bytes(raw, "big") ^ 1 << bit).to_bytes(len(raw), "big")
        try:
            other = turned.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(other) == 1:
            yield other


def _hashes_to(row: Row, wanted: bytes) -> bool:
    try:
        return row_hash(tuple(row[name] for name in DECIDED)) == wanted
    except (TypeError, ValueError):
        return False


def _is_readable(columns: list[tuple[str, str]], row: Row) -> bool:
    kinds = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}
    return all(isinstance(row[name], kinds[type]) for name, type in columns)


def _named(table: str, row: Row) -> str:
    return str(row["memory"] if table in _LINKS else row[_SAME[table][0]])


def _derive(store: SqliteStore, tx: Transaction) -> None:
    """Full text, facets and tallies anew, each project by its own rule."""
    rule = rule_of(store)
    for id, project in tx.rows("SELECT id, project FROM memory"):
        memory = tx.get(id)
        tx.rows("UPDATE memory SET words = :words WHERE id = :id", id=id, words=tx.words(memory))
        tx.confidence = rule(project)
        tx.refresh_tally(id, project)
    tx.rows("DELETE FROM tally WHERE memory NOT IN (SELECT id FROM memory)")
    tx.reindex()
    tx.rows("DELETE FROM vector")

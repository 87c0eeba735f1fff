"""Build a store anew from what was salvaged: which rows to believe, in which order, and what is lost."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from tacit.core import clock
from tacit.core.digest import GENESIS, shard_of, xor
from tacit.core.edits import ERASED_BY
from tacit.core.errors import Damaged
from tacit.core.journal import entry_hash, payload_digest
from tacit.core.memory import DECIDED, NUMBERS
from tacit.core.value import value
from tacit.stores.check import check, rule_of
from tacit.stores.shared import misplaced
from tacit.stores.sql_rows import HEADER, SEALED, row_seal, seal_project
from tacit.stores.sqlite import SqliteStore, SqliteTransaction, open_store
from tacit.stores.sqlite.bits import (
    Bits,
    as_number,
    checksum,
    hashes_to,
    is_readable,
    sums_to,
    text_that_sums_to,
)
from tacit.stores.sqlite.copies import clear_away, private
from tacit.stores.sqlite.copy_files import copy_files
from tacit.stores.sqlite.erase import blank, derive
from tacit.stores.sqlite.salvage import (
    LINK_TABLES,
    NUMBERED,
    SAME_ROW,
    SEALED_TABLES,
    Salvage,
    verifies,
)
from tacit.stores.sqlite.verify import own_faults

if TYPE_CHECKING:
    Row = dict[str, Any]

_NAMES = {"use_mark": "mark"}


@value
class Lost:
    """Something that no source holds any more."""

    kind: str
    id: str
    detail: str


def built(broken: str, backup: str, fresh: str, machine: str) -> tuple[dict[str, int], list[Lost]]:
    """A new store of all that verifies; how many rows came from elsewhere than the damaged file, and what is lost."""
    private(fresh)
    with open_store(fresh, machine=machine) as store:
        known = store.rows(
            "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid"
        )
        copy = fresh + "-backup"
        damaged = kept = None
        try:
            if backup:
                copy_files(backup, copy)
                open_store(copy, create=False).close()  # an older schema is brought up to date
                kept = Salvage(copy, store, known)
            damaged = Salvage(broken, store, kept.schema() if kept else known)
            building = _Building(damaged, kept)
            with store.write() as tx:
                building.write(tx)
                derive_all(store, tx)
            faults = check(store, rule=rule_of(store), index=lambda found: own_faults(store)).faults
            if faults:
                raise Damaged(
                    f"The store could not be mended: {faults[0].kind} {faults[0].id}: {faults[0].detail}.",
                    "Nothing was changed. tacit restore puts a backup back.",
                )
        finally:
            for each in (damaged, kept):
                if each is not None:
                    each.close()
            clear_away(copy)
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return building.mended, building.lost


class _Building:
    """Chooses, table by table, the rows of the new store."""

    def __init__(self, damaged: Salvage, kept: Salvage | None) -> None:
        self.damaged, self.kept = damaged, kept
        self.bits = Bits()
        self.mended: dict[str, int] = {}
        self.lost: list[Lost] = []
        self._seals: list[Row] | None = None

    def write(self, tx: SqliteTransaction) -> None:
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
        for table in LINK_TABLES:
            rows = self._verified(table, LINK_TABLES[table])
            for row in rows:
                seal(_NAMES.get(table, table), row)
            self._insert(tx, table, rows)
        for table, columns in SEALED_TABLES.items():
            self._insert(tx, table, self._verified(table, columns))
        for table in SEALED:
            rows = self._sealed(table)
            for row in rows:
                at = (seal_project(table, row), table, 0)
                count, sum_ = seals.get(at, (0, GENESIS))
                seals[at] = (count + 1, xor(sum_, row_seal(table, row)))
            self._insert(tx, table, rows)
        for table in ("tally", "queue", "injection", "counter"):
            self._insert(tx, table, self._plain(table))
        self._insert(
            tx,
            "shared",
            self._verified("shared", [name for name, _ in self.damaged.tables["shared"]]),
        )
        self._place_lines(tx)
        for (project, kind, shard), (rows_, sum_) in seals.items():
            tx.rows(
                "INSERT INTO seal (project, kind, shard, rows, xor) VALUES (:p, :k, :s, :n, :x)",
                p=project,
                k=kind,
                s=shard,
                n=rows_,
                x=sum_,
            )
        self._count_missing(seals)
        self._erase_again(tx, memories)
        told = {
            "mended": self.mended,
            "lost": [[each.kind, each.id, each.detail] for each in self.lost[:1000]],
        }
        tx.put_meta("repaired", json.dumps({"at": clock.now(), **told}, ensure_ascii=False))

    def _count(self, kind: str) -> None:
        self.mended[kind] = self.mended.get(kind, 0) + 1

    def _insert(self, tx: SqliteTransaction, table: str, rows: Iterable[Row]) -> None:
        names = [name for name, _ in self.damaged.tables[table]]
        sql = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join(':' + name for name in names)})"
        for row in rows:
            try:
                tx.rows(sql, **row)
            except (apsw.ConstraintError, TypeError):
                self.lost.append(
                    Lost(_NAMES.get(table, table), _named(table, row), "its row cannot be read")
                )

    def _pairs(self, table: str) -> dict[tuple[Any, ...], tuple[list[Row], list[Row]]]:
        """By key: the rows of the damaged file and of the backup."""
        found: dict[tuple[Any, ...], tuple[list[Row], list[Row]]] = {}
        for side, source in ((0, self.damaged), (1, self.kept)):
            for row in source.rows(table) if source else ():
                found.setdefault(tuple(row[name] for name in SAME_ROW[table]), ([], []))[
                    side
                ].append(row)
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
            good, kept = (
                [row for row in rows if verifies(table, row)][:most] for rows in (here, there)
            )
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
            mended = self.bits.tried(
                row, dict.fromkeys((*columns, own)), lambda tried: verifies(table, tried)
            )
            if mended is not None:
                self._count(kind)
                others.append((at, mended))
            else:
                self.lost.append(
                    Lost(
                        kind,
                        _named(table, row),
                        "its row is not what was written, and no backup has it",
                    )
                )
        chosen = sorted(known, key=lambda row: row.get("n", 0))
        chosen += [row for _, row in sorted(others, key=lambda other: other[0])]
        if table in NUMBERED:
            _renumber(chosen)
        return chosen

    def _sealed(self, table: str) -> list[Row]:
        """The rows of a table without hashes: those whose XOR is the table's seal.

        One row that differs can be found without knowing which it is: exchanging it for the one that was written changes
        the sum by exactly what it is off by.
        """
        pairs = self._pairs(table)
        columns = self.damaged.tables[table]
        here = [row for mine, _ in pairs.values() for row in mine if is_readable(columns, row)]
        there = [row for _, theirs in pairs.values() for row in theirs]
        if self._seals is None:
            self._seals = [
                row
                for row in self.damaged.rows("seal")
                if is_readable(self.damaged.tables["seal"], row)
            ]
        sealed = [row for row in self._seals if row["kind"] == table]
        if not sealed and not here:
            return there
        off = checksum(row["xor"] for row in sealed) ^ checksum(
            row_seal(table, row) for row in here
        )
        if not off or off.bit_count() == 1:  # or a bit of the seal itself was flipped
            return here
        unreadable = [
            row for mine, _ in pairs.values() for row in mine if not is_readable(columns, row)
        ]
        known = {as_number(row_seal(table, row)) for row in here}
        extra = {
            number: row for row in there if (number := as_number(row_seal(table, row))) not in known
        }
        for wrong in (None, *here):
            right = extra.get(off ^ (as_number(row_seal(table, wrong)) if wrong else 0))
            if right is not None:
                self._count(table)
                return [row for row in here if row is not wrong] + [right]
        for wrong in (*unreadable, *here):
            rest = off ^ (as_number(row_seal(table, wrong)) if wrong in here else 0)
            mended = self.bits.tried(
                wrong,
                [name for name, _ in columns],
                lambda tried, rest=rest: sums_to(table, tried, rest),  # type: ignore[misc]
                lambda row, name, rest=rest: text_that_sums_to(table, row, name, rest),  # type: ignore[misc]
            )
            if mended is not None:
                self._count(table)
                return [row for row in here if row is not wrong] + [mended]
        projects = ", ".join(sorted({seal_project(table, row) for row in here} - {""}))
        self.lost.append(
            Lost(
                table, projects or table, "a row is not what was written; which one cannot be told"
            )
        )
        keys = {tuple(row[name] for name in SAME_ROW[table]) for row in here}
        return here + [
            row for row in there if tuple(row[name] for name in SAME_ROW[table]) not in keys
        ]

    def _place_lines(self, tx: SqliteTransaction) -> None:
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
            self.lost.append(
                Lost(
                    "shared",
                    memory,
                    f"line {id} of the team's journal; the next sync writes or reads it anew",
                )
            )
        rows, last = tx.rows("SELECT count(*), coalesce(max(n), 0) FROM shared")[0]
        missing = last - rows - sum(each.kind == "shared" for each in self.lost)
        # they are numbered without gaps, and nothing else counts them
        if missing > 0 or "shared" in self.damaged.broken:
            what = (
                f"{missing} lines of the team's journal"
                if missing > 0
                else "the team's journal may lack lines"
            )
            self.lost.append(
                Lost("shared", "?", f"{what}; the next sync writes or reads them anew")
            )

    def _count_missing(self, seals: dict[tuple[str, str, int], tuple[int, bytes]]) -> None:
        """Rows that a seal counts and nobody has; rows named already are not named again."""
        for kind in ("journal", "evidence", "use", "mark"):
            told = sum(row["rows"] for row in self._seals or () if row["kind"] == kind)
            built = sum(rows for (_, of, _), (rows, _) in seals.items() if of == kind)
            missing = (
                told - built - sum(each.kind == kind or each.kind == "memory" for each in self.lost)
            )
            if 0 < missing < 1 << 31:
                self.lost.append(
                    Lost(kind, "?", f"{missing} more rows are counted than can be found")
                )
        counted = {"journal", "memory", "evidence", "use", "use_mark"} if self._seals else set()
        for table in sorted(
            self.damaged.broken - {"tally", "queue", "injection", "counter", "shared"} - counted
        ):
            since = (
                "rows written after the backup may be missing"
                if self.kept
                else "rows may be missing"
            )
            self.lost.append(
                Lost(
                    _NAMES.get(table, table),
                    "?",
                    f"its table could not be read to the end; {since}",
                )
            )

    def _plain(self, table: str) -> list[Row]:
        """The rows of a table without hashes: as they are, and what only the backup still has."""
        rows = []
        for here, there in self._pairs(table).values():
            readable = [row for row in here if is_readable(self.damaged.tables[table], row)]
            if not readable and there and table not in ("queue", "tally"):
                self._count(table)
            rows += (readable or there)[:1]
        return rows

    def _memories(self) -> tuple[list[Row], list[Row]]:
        """Each memory with the longest chain of entries that verifies and ends in a row we have."""
        chains: dict[str, dict[int, list[tuple[Row, bool]]]] = {}
        strays: list[Row] = []
        # known to the backup, and its number there; then in the order of the file
        places: dict[tuple[str, int], tuple[bool, int]] = {}
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
                    self.lost.append(
                        Lost("memory", id, "neither its row nor its journal could be read")
                    )
                else:
                    strays += [each for pair in by_number.values() for each, old in pair if not old]
                continue
            newest = max(by_number)
            if length < newest:
                gone = f"entries {length + 1} to {newest} of its chain; it is as entry {length} left it"
                self.lost.append(Lost("journal", id, gone))
            memories.append(row)
            entries += chain[:length]
            used |= {each["id"] for each in chain[:length]}
        known = {row["id"] for row in memories} | {each.id for each in self.lost}
        for (id,), (here, there) in rows.items():
            if id not in known and id not in chains and not self._is_known(here, memories):
                self.lost.append(
                    Lost(
                        "memory",
                        _named("memory", (here or there)[0]),
                        "its journal is gone, and no backup has it",
                    )
                )
        for entry in strays:
            if entry["id"] not in used:
                self.lost.append(
                    Lost("journal", str(entry["memory"]), f"entry {entry['id']} cannot be read")
                )
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
        self.lost.append(
            Lost("journal", row["memory"], f"what entry {row['id']} said; that it was made is kept")
        )
        return {**row, "payload": "", "salt": b""}

    def _row(
        self, id: str, chain: list[Row], here: list[Row], there: list[Row]
    ) -> tuple[Row | None, int]:
        """The memory's row as its last entry left it, or as the latest one did for which a row can be had."""
        if not chain:
            return None, 0
        for length in range(len(chain), 0, -1):
            wanted = chain[length - 1]["row"]
            for row in here:
                if hashes_to(row, wanted):
                    if row["hash"] != wanted:
                        self._count("memory")
                    # those are derived anew, whatever became of them
                    return {**row, "hash": wanted, "words": ""}, length
            found = next((row for row in there if hashes_to(row, wanted)), None)
            if found is None:
                found = self._folded(id, chain[:length], there)
                found = found if found is not None and hashes_to(found, wanted) else None
            if found is None and here and length == len(chain):
                found = self.bits.tried(
                    here[0], DECIDED, lambda tried, wanted=wanted: hashes_to(tried, wanted)
                )  # type: ignore[misc]
            if found is not None:
                self._count("memory")
                return {"n": None, **found, "hash": wanted, "words": ""}, length
        return None, 0

    @staticmethod
    def _folded(id: str, chain: list[Row], there: list[Row]) -> Row | None:
        """The row that a memory's journal adds up to, from its beginning or from the backup's row on."""
        start: Row = {**dict.fromkeys(DECIDED, ""), **dict.fromkeys(NUMBERS, 0)}
        start |= {"id": id, "project": chain[0]["project"]}
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

    def _erase_again(self, tx: SqliteTransaction, memories: list[Row]) -> None:
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
            if (
                told[at] == last and before < last - 1
            ):  # of two rows with one number the first is the one that is off
                rows[at - 1][name] = last - 1
                row[name] = last
            else:
                row[name] = last + 1 if last + 1 not in taken else max(taken, default=0) + 1
            taken |= {row[name], rows[at - 1][name]}
        before, last = last, row[name]


def _rising(numbers: Sequence[int | None]) -> set[int]:
    """Where the longest rising sequence of positive numbers stands."""
    ends: list[
        int
    ] = []  # the smallest number that ends a sequence of each length, and where it stands
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


def _named(table: str, row: Row) -> str:
    return str(row["memory"] if table in LINK_TABLES else row[SAME_ROW[table][0]])


def derive_all(store: SqliteStore, tx: SqliteTransaction) -> None:
    """What is derived, anew."""
    derive(tx, rule_of(store))

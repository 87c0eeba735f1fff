"""Old data moved out of the store into compressed files, and back.

What leaves are words and details that nothing is judged by any more: what old runs' findings said, the answers they were
given, the reasons of their outcomes, the quotes behind lessons that were archived long ago. What stays is what is counted, hashed and
chained: every row keeps its place, blanked and sealed again, so that `doctor` finds the store whole with the file or without
it, and a run that is learned again is still known. A lesson's own text and its journal never leave: by them it is recognised
when it comes back.

A file is JSON lines under gzip: a head, the rows as they were, and a foot with their number and SHA-256. It is on the disk and
was read back before anything is blanked. Putting it back fills only what is blank, and may be repeated.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.digest import new_id, shard_of
from tacit.core.errors import Damaged, NotFound
from tacit.core.links import link_hash
from tacit.core.value import value
from tacit.stores.files import to_disk
from tacit.stores.sql_rows import insert_into, row_seal
from tacit.stores.tables import BY_NAME

if TYPE_CHECKING:
    from tacit.stores.sql import Store
    from tacit.stores.sql_writer import Transaction

_PORTION = 200  # rows blanked, or filled, in one transaction
_END = ".jsonl.gz"


@value
class Row:
    """One row of a table whose words move: its key, and the words under their columns."""

    table: str  # finding, run, evidence, use_mark, injection
    key: str
    words: Mapping[str, Any]
    memory: str = ""  # whose words they are, for erase


@value
class Packed:
    """What a file holds, or what was put back from it."""

    path: str
    rows: int
    bytes: int = 0


# by what a row whose words moved is found again
_PACK_KEY = {"finding": "key", "run": "id", "evidence": "key", "use_mark": "n"}
INJECTION = BY_NAME["injection"].hashed


# -- finding what is old ------------------------------------------------------------------------------------------------


def of_run(store: Store, run: str, root: str) -> Iterator[Row]:
    """The words of one old run; its incidents stay, as later runs are compared with them."""
    for key, memory, text, reason in store.rows(
        "SELECT key, memory, text, reason FROM finding WHERE run = :run", run=run
    ):
        if text or reason:
            yield Row("finding", key, {"text": text, "reason": reason}, memory)
    for (facts,) in store.rows("SELECT facts FROM run WHERE id = :run", run=run):
        if facts and '"incidents"' not in facts:
            yield Row("run", run, {"facts": facts})
    marks = (
        "SELECT n, memory, reason FROM use_mark WHERE unit = :unit AND unit <> '' AND run = :run"
    )
    for n, memory, reason in store.rows(marks, unit=root, run=run):
        if reason:
            yield Row("use_mark", str(n), {"reason": reason}, memory)
    for row in store.rows(
        f"SELECT {', '.join(INJECTION)} FROM injection WHERE unit = :unit AND run = :run",
        unit=root,
        run=run,
    ):
        yield Row("injection", row[0], dict(zip(INJECTION, row)))


def of_memory(store: Store, memory: str) -> Iterator[Row]:
    """The quotes behind one lesson."""
    for key, quote in store.rows(
        "SELECT key, quote FROM evidence WHERE memory = :it AND quote <> ''", it=memory
    ):
        yield Row("evidence", key, {"quote": quote}, memory)


# -- the file -----------------------------------------------------------------------------------------------------------


def packs(folder: str) -> list[str]:
    """The files there are, oldest first."""
    try:
        return sorted(
            os.path.join(folder, name)
            for name in os.listdir(folder)
            if name.endswith(_END) and name[:1] != "."
        )
    except OSError:
        return []


def find_pack(folder: str, name: str) -> str:
    """A file by its path, its name or a beginning of it."""
    if os.path.isfile(name):
        return name
    fit = [path for path in packs(folder) if os.path.basename(path).startswith(name)]
    if len(fit) != 1:
        found = (
            f"{name!r} fits {len(fit)} files."
            if fit
            else f"There is no file {name!r} of moved data."
        )
        raise NotFound(found, f"They lie in {folder}.")
    return fit[0]


def write_pack(folder: str, project: str, at: str, rows: Iterable[Row]) -> Packed:
    """Write the rows to a new file; it counts once it is on the disk and reads back as it was written."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    compact = at.replace("-", "").replace(":", "").replace(".", "")
    head = {"tacit": "moved data", "schema": 1, "project": project, "at": at}
    return _written(os.path.join(folder, f"{compact}-{new_id()[:6]}{_END}"), head, rows)


def _written(path: str, head: Mapping[str, Any], rows: Iterable[Row]) -> Packed:
    partial = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}-{new_id()}")
    summed, count = hashlib.sha256(), 0
    try:
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as raw:
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
                for line in (
                    head,
                    *(
                        {"table": r.table, "key": r.key, "memory": r.memory, "words": dict(r.words)}
                        for r in rows
                    ),
                ):
                    text = (
                        json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                    )
                    summed.update(text)
                    file.write(text)
                    count += 1
                file.write(
                    json.dumps({"rows": count - 1, "sha256": summed.hexdigest()}).encode() + b"\n"
                )
            raw.flush()
            os.fsync(raw.fileno())
        if sum(1 for _ in read_pack(partial)) != count - 1:
            raise Damaged(
                f"{path} did not read back as it was written.", "Nothing was moved; check the disk."
            )
        os.rename(partial, path)
        to_disk(os.path.dirname(path))
    finally:
        if os.path.exists(partial):
            os.unlink(partial)
    return Packed(path, count - 1, os.path.getsize(path))


def read_pack(path: str) -> Iterator[Row]:
    """The rows of a file, after all of it verified."""
    lines = _lines(path)
    try:
        foot = json.loads(lines[-1]) if len(lines) > 1 else {}
    except ValueError:
        foot = {}
    if (
        foot.get("rows") != len(lines) - 2
        or foot.get("sha256") != hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    ):
        raise Damaged(
            f"{path} is not whole: it does not match its own checksum.",
            "Nothing was changed; take it from another copy.",
        )
    for line in lines[1:-1]:
        at = json.loads(line)
        yield Row(at["table"], at["key"], at["words"], at.get("memory", ""))


def _lines(path: str) -> list[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            return file.readlines()
    except FileNotFoundError:
        raise NotFound(
            f"There is no file {path}.", "tacit doctor names the folder of moved data."
        ) from None
    except (OSError, EOFError, zlib.error) as error:
        raise Damaged(
            f"{path} cannot be read: {error}.", "Nothing was changed; take it from another copy."
        ) from error


# -- out of the store and back ------------------------------------------------------------------------------------------


def blank(tx: Transaction, rows: Sequence[Row]) -> int:
    """Take the words of these rows out of the store; whatever changed since it was read stays. How many were taken."""
    return sum(exchange_words(tx, row, _empty(row)) for row in rows if _holds(tx, row, row.words))


def fill(tx: Transaction, rows: Sequence[Row]) -> int:
    """Put the words of these rows back where they are blank. How many were put back."""
    return sum(exchange_words(tx, row, row.words) for row in rows if _holds(tx, row, _empty(row)))


def _empty(row: Row) -> dict[str, Any]:
    return dict.fromkeys(BY_NAME[row.table].words, "")


def _holds(tx: Transaction, row: Row, words: Mapping[str, Any]) -> bool:
    if row.table == "injection":
        there = tx.one("SELECT 1 FROM injection WHERE event = :key", key=row.key)
        return (there is not None) == bool(words)
    table = BY_NAME[row.table]
    found = tx.one(
        f"SELECT {', '.join(table.words)} FROM {row.table} WHERE {_PACK_KEY[row.table]} = :key",
        key=_key(row),
    )
    return found is not None and dict(zip(table.words, found)) == {
        name: words[name] for name in table.words
    }


def _key(row: Row) -> int | str:
    return int(row.key) if row.table == "use_mark" else row.key


def exchange_words(tx: Transaction, row: Row, words: Mapping[str, Any]) -> int:
    """The row with other words, its hash and its seal in step."""
    if row.table == "injection":
        if words:
            tx.rows(insert_into("injection", INJECTION), **dict(words))
        else:
            tx.rows("DELETE FROM injection WHERE event = :key", key=row.key)
        return 1
    table, key, where = BY_NAME[row.table], _key(row), f"WHERE {_PACK_KEY[row.table]} = :key"
    *was, sealed = tx.one(
        f"SELECT {', '.join(table.hashed)}, hash FROM {row.table} {where}", key=key
    )
    now = {**dict(zip(table.hashed, was)), **words}
    hash = link_hash(tuple(now.values())) if table.seal else row_seal(row.table, now)
    sets = ", ".join(f"{name} = :{name}" for name in table.words)
    tx.rows(
        f"UPDATE {row.table} SET {sets}, hash = :hash {where}", **dict(words), hash=hash, key=key
    )
    if table.seal:
        for each in (sealed, hash):
            tx.seal(now["project"], table.seal, shard_of(now["memory"]), 0, each)
    return 1


def move(store: Store, folder: str, project: str, at: str, rows: Sequence[Row]) -> Packed | None:
    """Words out of the store into a new file; None where there are none."""
    if not rows:
        return None
    made = write_pack(folder, project, at, rows)
    for start in range(0, len(rows), _PORTION):
        with store.write() as tx:
            blank(tx, rows[start : start + _PORTION])
    return made


def put_back(store: Store, path: str) -> Packed:
    """The words of a file, back in the store; the file stays. Twice is once."""
    rows, done = list(read_pack(path)), 0
    for start in range(0, len(rows), _PORTION):
        with store.write() as tx:
            done += fill(tx, rows[start : start + _PORTION])
    return Packed(path, done, os.path.getsize(path))


def forget_words(folder: str, memory: str) -> int:
    """After an erasure: every file anew, without what it holds of this memory. How many rows went."""
    gone = 0
    for path in packs(folder):
        rows = list(read_pack(path))
        kept = [row for row in rows if row.memory != memory]
        if len(kept) == len(rows):
            continue
        gone += len(rows) - len(kept)
        head = json.loads(_lines(path)[0])
        _written(path, head, kept)
    return gone

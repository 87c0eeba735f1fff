"""A bundle: everything a store holds for true, in one file that verifies.

It is a zip. `manifest.json` comes first and names every other member with its columns, its number of rows and of bytes, and its
SHA-256; its own SHA-256 covers all of that. Each other member is one table, `memory.jsonl` for instance: a row a line, a JSON array
in the order of the columns, bytes as hex, sorted by the table's key. The same store gives the same bytes.

Nothing is ever extracted to a place that a name in the file says. A bundle that is cut short, changed, newer than we are, or holds
anything beside its tables is refused whole, before a row of it is looked at.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from tacit.core.errors import Damaged, StoreNewer, StoreReadOnly, UsageError
from tacit.core.exchange import Opening, Skipped
from tacit.core.memory import ADDED, DECIDED, from_row
from tacit.core.value import value
from tacit.formats.lessons import NAMESPACE as NAMESPACE
from tacit.formats.lessons import is_derived, lesson_row
from tacit.formats.source import FileSource, Source

if TYPE_CHECKING:
    from tacit.core.exchange import Read, Row, Table

NAME = "bundle"
PARTS = {"bundle": "tacit.zip"}
VERSION = 4  # 2: the team's journal (`tacit sync`) travels too; 4: what was noticed in runs (3 had it without hashes)
MANIFEST = "manifest.json"
LINE = 16 << 20  # bytes; the longest lesson with its history on one line is far below
RATIO = 100  # bytes for each compressed one, beyond FREE: ours come to ten, a bomb to a thousand
FREE = 64 << 20
_HEAD = 1 << 20  # bytes of a manifest
_MEMBER = re.compile(r"[a-z_]+\.jsonl")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100600 << 16  # a plain file of its owner
_UNPACKED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)  # what unpacking may raise, and what lies below it
_BROKEN = (*_UNPACKED, EOFError, RuntimeError, ValueError, OSError, OverflowError)


@value
class Written:
    """A bundle that was written."""

    rows: Mapping[str, int]
    sha256: str  # of its content; equal for equal stores, whatever compressed it


# -- out ------------------------------------------------------------------------------------------------------------------


def write(
    file: IO[bytes],
    tables: Sequence[Table],
    read: Read,
    each: Callable[[str, int], None] = lambda table, rows: None,
) -> Written:
    """Write all rows of these tables; `each` hears of a table and its rows when it is done."""
    members: list[dict[str, Any]] = []
    with tempfile.TemporaryFile() as spool:  # the manifest stands first, and is known last
        for table in tables:
            start, rows, summed = spool.tell(), 0, hashlib.sha256()
            for row in read(table):
                line = _line(table, row)
                summed.update(line)
                spool.write(line)
                rows += 1
            each(table.name, rows)
            members.append(
                {
                    "name": f"{table.name}.jsonl",
                    "columns": list(table.columns),
                    "rows": rows,
                    "bytes": spool.tell() - start,
                    "sha256": summed.hexdigest(),
                }
            )
        head: dict[str, Any] = {"tacit": "bundle", "version": VERSION, "members": members}
        head["sha256"] = _sum(head)
        spool.seek(0)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(_info(MANIFEST), json.dumps(head, indent=1) + "\n")
            for member in members:
                _copy(spool, packed, member["name"], member["bytes"])
    return Written(
        {member["name"].removesuffix(".jsonl"): member["rows"] for member in members},
        head["sha256"],
    )


def _copy(spool: IO[bytes], packed: zipfile.ZipFile, name: str, size: int) -> None:
    info = _info(name)
    info.file_size = size
    with packed.open(info, "w") as out:
        while size:
            piece = spool.read(min(size, 1 << 20))
            out.write(piece)
            size -= len(piece)


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, _MODE
    return info


def _line(table: Table, row: Sequence[Any]) -> bytes:
    fields = [field.hex() if kind is bytes else field for field, kind in zip(row, table.kinds)]
    line = (
        json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        + b"\n"
    )
    if len(line) > LINE:
        raise UsageError(
            f"A row of {table.name} has {len(line):,} bytes; a bundle's lines have at most {LINE:,}.",
            "tacit backup copies the whole file.",
        )
    return line


def _sum(head: Mapping[str, Any]) -> str:
    said = {name: field for name, field in head.items() if name != "sha256"}
    return hashlib.sha256(
        json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def save(
    path: str,
    tables: Sequence[Table],
    read: Read,
    each: Callable[[str, int], None] = lambda table, rows: None,
) -> Written:
    """A bundle at this path: it counts once it is on the disk and was read back."""
    partial = f"{path}.{os.getpid()}.tmp"
    try:
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "w+b") as file:
            made = write(file, tables, read, each)
            file.flush()
            os.fsync(file.fileno())
        Bundle(FileSource(partial)).close()
        os.replace(partial, path)
    except OSError as error:
        raise StoreReadOnly(
            f"{path} cannot be written: {error.strerror or error}.",
            "Name another place with --out.",
        ) from error
    finally:
        if os.path.exists(partial):
            os.unlink(partial)
    return made


# -- in -------------------------------------------------------------------------------------------------------------------


class Bundle:
    """A bundle that was opened and found whole: every member is there, once, and is what the manifest says."""

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self._file = source.open()
        try:
            self._open(source.size)
        except BaseException as error:
            self._file.close()
            if isinstance(error, _BROKEN):
                raise self._broken(str(error) or type(error).__name__) from error
            raise

    def _open(self, size: int) -> None:
        self._zip = zipfile.ZipFile(self._file)
        infos = self._zip.infolist()
        names = [info.filename for info in infos]
        self._file.seek(-22, 2)  # where the directory ends, if nothing follows it
        if names[:1] != [MANIFEST] or infos[0].header_offset or self._file.read(4) != b"PK\x05\x06":
            raise self._broken("it does not begin with its manifest, or something stands around it")
        for info in infos:
            self._check(info, names)
        if sum(info.file_size for info in infos) > FREE + RATIO * size:
            raise self._broken(f"it would unpack to more than {RATIO} times its size")
        self._head(infos[0])
        for info in infos[1:]:
            self._verify(info)

    def _check(self, info: zipfile.ZipInfo, names: list[str]) -> None:
        name = info.filename
        if (name != MANIFEST and not _MEMBER.fullmatch(name)) or info.orig_filename != name:
            raise self._broken(f"it holds {name[:80]!r}, which is no name of a bundle's member")
        if names.count(name) > 1:
            raise self._broken(f"it holds {name} more than once")
        if info.external_attr != _MODE or info.compress_type not in (
            zipfile.ZIP_DEFLATED,
            zipfile.ZIP_STORED,
        ):
            raise self._broken(f"{name} is not a plain file")

    def _head(self, info: zipfile.ZipInfo) -> None:
        if info.file_size > _HEAD:
            raise self._broken("its manifest is too long")
        try:
            head: Any = json.loads(self._zip.read(info))
        except RecursionError as error:
            raise ValueError("its manifest is nested too deeply") from error
        if not isinstance(head, dict) or head.get("tacit") != "bundle":
            raise self._broken("its manifest is not one of ours")
        version = head.get("version")
        if type(version) is not int or version < 1:
            raise self._broken("its manifest names no version")
        if version > VERSION:
            raise StoreNewer(
                f"{self.path} is a bundle of version {version}; this version of Tacit reads them up to {VERSION}.",
                "Upgrade Tacit; nothing was changed.",
            )
        if head.get("sha256") != _sum(head):
            raise self._broken("its manifest does not match its own checksum")
        self.version, self.sha256 = version, str(head["sha256"])
        self.members = {
            member["name"]: _Member(**member) for member in _listed(head.get("members"))
        }
        if list(self.members) != self._zip.namelist()[1:]:
            raise self._broken("its manifest names other members than there are")

    def _verify(self, info: zipfile.ZipInfo) -> None:
        member = self.members[info.filename]
        if info.file_size != member.bytes:
            raise self._broken(
                f"{info.filename} has {info.file_size:,} bytes, not the {member.bytes:,} of its manifest"
            )
        summed, lines, size = hashlib.sha256(), 0, 0
        with self._zip.open(info) as file:
            while piece := file.read(1 << 20):
                summed.update(piece)
                lines += piece.count(b"\n")
                size += len(piece)
        if (summed.hexdigest(), lines, size) != (member.sha256, member.rows, member.bytes):
            raise self._broken(f"{info.filename} is not what its manifest says")

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """A table's rows, each with our columns and of the right kinds, in the order of its key."""
        member = self.members.get(f"{table.name}.jsonl")
        if self.version < table.since:
            return
        if member is None:
            raise self._broken(f"it has no {table.name}")
        if set(member.columns) > set(table.columns):
            raise StoreNewer(
                f"{self.path} is a bundle of a later Tacit: its {table.name} has columns that this version does not know.",
                "Upgrade Tacit; nothing was changed.",
            )
        missing = tuple(name for name in table.added if name not in member.columns)
        if tuple(member.columns) != tuple(name for name in table.columns if name not in missing):
            raise self._broken(f"its {table.name} has other columns than ours")
        at = [table.columns.index(name) for name in table.key]
        before: tuple[Any, ...] = ()
        with self._zip.open(f"{table.name}.jsonl") as file:
            for number in range(1, member.rows + 1):
                row = self._row(table, file.readline(LINE + 1), number, missing)
                key = tuple(row[n].encode() if isinstance(row[n], str) else row[n] for n in at)
                if not before < key:
                    raise self._broken(
                        f"line {number} of its {table.name} is out of order, or there twice"
                    )
                before = key
                yield row

    def records(self, name: str) -> Iterator[dict[str, Any]]:
        """The lines of a member under the names of its columns, of whatever kinds."""
        member = self.members.get(f"{name}.jsonl")
        if member is None:
            return
        with self._zip.open(member.name) as file:
            for number in range(1, member.rows + 1):
                try:
                    fields = json.loads(file.readline(LINE + 1), parse_constant=_no_number)
                    if not isinstance(fields, list) or len(fields) != len(member.columns):
                        raise ValueError("it has not one field for each column")
                except (ValueError, RecursionError) as error:
                    raise self._broken(
                        f"line {number} of its {name} cannot be read: {error}"
                    ) from error
                yield dict(zip(member.columns, fields))

    def _row(
        self, table: Table, line: bytes, number: int, missing: Sequence[str]
    ) -> tuple[Any, ...]:
        try:
            fields = json.loads(line, parse_constant=_no_number)
            if not isinstance(fields, list) or len(fields) != len(table.columns) - len(missing):
                raise ValueError("it has not one field for each column")
            for name in missing:
                at = table.columns.index(name)
                fields.insert(at, table.kinds[at]())
            return tuple(_field(kind, field) for kind, field in zip(table.kinds, fields))
        except (ValueError, RecursionError) as error:
            raise self._broken(
                f"line {number} of its {table.name} cannot be read: {error}"
            ) from error

    @property
    def is_of_before(self) -> bool:
        """Whether another version wrote it, which counted otherwise: by its number, or by columns that came later."""
        return self.version < VERSION or not set(ADDED) <= set(self.members["memory.jsonl"].columns)

    def close(self) -> None:
        """Let go of the file."""
        self._zip.close()
        self._file.close()

    def __enter__(self) -> Bundle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _broken(self, why: str) -> Damaged:
        return Damaged(
            f"{self.path} is not a whole bundle: {why}.",
            "Nothing was changed; take it from another copy.",
        )


@value
class _Member:
    """What the manifest says of one."""

    name: str
    columns: Sequence[str]
    rows: int
    bytes: int
    sha256: str


def _listed(members: Any) -> list[dict[str, Any]]:
    kinds = {"name": str, "columns": list, "rows": int, "bytes": int, "sha256": str}
    if not isinstance(members, list) or not all(
        isinstance(each, dict) and {name: type(field) for name, field in each.items()} == kinds
        for each in members
    ):
        raise ValueError("its manifest does not list its members as we do")
    return members


def _field(kind: type, field: Any) -> Any:
    if kind is bytes and type(field) is str:
        return bytes.fromhex(field)
    if type(field) is not kind:
        raise ValueError(f"a {type(field).__name__} stands where a {kind.__name__} belongs")
    if isinstance(field, int) and not -(1 << 63) <= field < 1 << 63:
        raise ValueError("a number is too large")
    if isinstance(field, str):
        field.encode()  # half a character can be spelled in JSON and kept nowhere
    return field


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


# -- as a file of lessons --------------------------------------------------------------------------------------------------


def holds(source: Source) -> float:
    """How sure we are that this is a bundle; no other zip holds memories, and a broken one is told as such."""
    head = source.head(64)
    return (
        (1.0 if head[30 : 30 + len(MANIFEST)] == MANIFEST.encode() else 0.6)
        if head[:4] == b"PK\x03\x04"
        else 0.0
    )


def memories(source: Source) -> Iterator[Row | Skipped]:
    """The lessons of somebody's bundle, without their history: each with its facts and what it counted."""
    with Bundle(source) as bundle:
        counts: dict[str, list[Opening]] = {}
        for at in bundle.records("tally"):
            memory, signal, amount, when = (
                at.get(name) for name in ("memory", "signal", "amount", "at")
            )
            if not (
                isinstance(memory, str)
                and isinstance(signal, str)
                and isinstance(when, str)
                and isinstance(amount, (int, float))
            ):
                raise bundle._broken("its tally counts what is no number, or nothing")
            if not is_derived(signal):
                counts.setdefault(memory, []).append(Opening(signal, amount, when))
        for number, at in enumerate(bundle.records("memory"), 1):
            place = f"memory.jsonl:{number}"
            try:
                row = from_row(
                    tuple(
                        at[name] if name in at or name not in ADDED else ADDED[name]()
                        for name in DECIDED
                    )
                )
                if row.text:
                    yield lesson_row(row, row.id, tuple(counts.get(row.id, ())), place)
            except (TypeError, ValueError, LookupError, UsageError) as error:
                yield Skipped(place, f"no lesson of ours: {error}")


def dump(items: Iterable[object], part: str = "", now: str = "") -> str:
    """A bundle is no text."""
    raise UsageError("A bundle is a file of bytes.", "tacit export --format bundle --out FILE.zip")

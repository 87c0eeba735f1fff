"""One bit from what was sealed: look for the text or number that a checksum says a damaged row once held."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tacit.core.memory import DECIDED, row_hash
from tacit.stores.sql_rows import row_seal
from tacit.stores.sqlite.salvage import as_type

if TYPE_CHECKING:
    Row = dict[str, Any]

# rows for which single bits are tried: one flip garbles one row, many garbled rows are another kind of damage
ROWS_TRIED = 24


class Bits:
    """Tries every single bit of a row, for as many rows as there is patience for."""

    def __init__(self) -> None:
        self.left = ROWS_TRIED

    def tried(
        self,
        row: Row,
        names: Iterable[str],
        fits: Callable[[Row], bool],
        quick: Callable[[Row, str], str | None] | None = None,
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
                    if (
                        said := as_type(raw, "" if isinstance(cell, str) else name)
                    ) is not None and fits({**row, name: said}):
                        return {**row, name: said}
                    raw[at >> 3] ^= 1 << (at & 7)
            elif isinstance(cell, int):
                for bit in range(48):
                    if fits({**row, name: cell ^ (1 << bit)}):
                        return {**row, name: cell ^ (1 << bit)}
            elif isinstance(cell, float):
                (whole,) = struct.unpack("<Q", struct.pack("<d", cell))
                for bit in range(64):
                    (near,) = struct.unpack("<d", struct.pack("<Q", whole ^ (1 << bit)))
                    if near == near and fits({**row, name: near}):
                        return {**row, name: near}
        return None


def as_number(hash: bytes) -> int:
    return int.from_bytes(hash, "big")


def checksum(hashes: Iterable[bytes]) -> int:
    total = 0
    for each in hashes:
        total ^= as_number(each)
    return total


def sums_to(table: str, row: Row, wanted: int) -> bool:
    try:
        return as_number(row_seal(table, row)) == wanted
    except (TypeError, ValueError, AttributeError):
        return False


def text_that_sums_to(table: str, row: Row, name: str, wanted: int) -> str | None:
    """A text of a sealed row with one bit turned back, if that makes the row's seal the wanted one.

    A compiled profile is some 200,000 bits long, and its seal is over the whole row: so what stands before a bit is hashed
    once, for each length that the row may have had, since a turned letter may need more room in JSON.
    """
    names, fields = (
        list(row),
        [field.hex() if isinstance(field, bytes) else field for field in row.values()],
    )
    at = names.index(name)
    whole = json.dumps(
        [*fields[:at], "", *fields[at + 1 :]], ensure_ascii=False, separators=(",", ":")
    ).encode("utf-8", "surrogatepass")
    cut = (
        len(
            json.dumps([*fields[:at], ""], ensure_ascii=False, separators=(",", ":")).encode(
                "utf-8", "surrogatepass"
            )
        )
        - 2
    )
    letters = [_in_json(letter) for letter in row[name]]
    size, rest = len(whole) + sum(map(len, letters)), memoryview(b"".join(letters) + whole[cut:])
    head = len(table).to_bytes(8, "big") + table.encode()
    before = {
        more: sha256(head + (size + more).to_bytes(8, "big") + whole[:cut])
        for more in (-5, -4, -1, 0, 1, 4, 5)
    }
    sought, done = wanted.to_bytes(32, "big"), 0
    for n, (letter, written) in enumerate(zip(row[name], letters)):
        done += len(written)
        for other in _one_bit_from(letter):
            spelled = _in_json(other)
            tried = (
                before[more].copy() if (more := len(spelled) - len(written)) in before else sha256()
            )
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


def hashes_to(row: Row, wanted: bytes) -> bool:
    try:
        return row_hash(tuple(row[name] for name in DECIDED)) == wanted
    except (TypeError, ValueError):
        return False


def is_readable(columns: list[tuple[str, str]], row: Row) -> bool:
    kinds = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}
    return all(isinstance(row[name], kinds[type]) for name, type in columns)

"""An SQLite error in our words."""

from __future__ import annotations

import apsw

from tacit.core.errors import Damaged, NotAStore, StoreBusy, StoreReadOnly, TextInvalid


def as_tacit_error(error: apsw.Error | UnicodeEncodeError, path: str, doing: str) -> Exception:
    """An SQLite error in our words: what was being done, what was found, what to do next."""
    said = str(error)
    if isinstance(error, UnicodeEncodeError):
        what = (
            error.object[max(0, error.start - 20) : error.end + 20]
            .encode("utf-8", "replace")
            .decode()
        )
        return TextInvalid(
            f"A text is not valid Unicode: a lone surrogate or an undecodable byte stands in {what!r}.",
            "Give it as UTF-8.",
        )
    if isinstance(error, (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)):
        return StoreBusy(
            f"The store {path} stayed busy while {doing} it; nothing was changed.",
            "Try again; tacit doctor shows who works on it.",
        )
    if isinstance(error, apsw.NotADBError):
        return NotAStore(
            f"{path} is not a Tacit store ({said}).", "Name another file; this one was not touched."
        )
    if isinstance(error, apsw.CorruptError):
        return Damaged(
            f"The store {path} is damaged: {said}.",
            "tacit doctor --repair puts the newest backup in its place; do not delete the file.",
        )
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError)):
        return StoreReadOnly(
            f"The store {path} cannot be used for {doing}: {said}.",
            "Check the permissions of the file and its folder.",
        )
    if isinstance(error, apsw.FullError):
        return StoreReadOnly(
            f"The disk of {path} is full; nothing was changed.",
            "Free some space and repeat the command.",
        )
    if isinstance(error, apsw.IOError):
        return StoreReadOnly(
            f"The disk answered with an error while {doing} {path}: {said}; nothing was changed.",
            "Check the disk; tacit doctor verifies the store.",
        )
    if isinstance(error, apsw.SQLError) and "fts5" in said:
        return Damaged(
            f"The full text of {path} is damaged: {said}.", "tacit doctor --repair builds it anew."
        )
    if isinstance(error, apsw.SQLError) and any(
        word in said
        for word in (
            "no such column",
            "malformed",
            "duplicate column",
            "already exists",
            "parse error",
            "vtable",
        )
    ):
        return Damaged(
            f"The tables of {path} are not defined as they were: {said}.",
            "tacit doctor --repair mends them.",
        )
    if isinstance(error, apsw.SQLError) and "no such table" in said:
        return NotAStore(
            f"{path} is an SQLite file but not a Tacit store ({said}).",
            "Name another file; this one was not touched.",
        )
    return error

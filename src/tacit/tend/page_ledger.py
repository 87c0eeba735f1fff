"""What is remembered of a project's pages: which a person asked for, and each file as it was last written."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from tacit.core.value import replace, value
from tacit.stores.sql import Reads
from tacit.tend import page_edits
from tacit.tend.targets import FOLDERS, Target

if TYPE_CHECKING:
    from tacit.stores.sql_writer import Transaction


@value
class Keeping:
    """One target that a person asked for."""

    target: Target
    real: str  # where its name led then: a link that leads elsewhere later is not followed
    by: str
    at: str


@value
class Book:
    """What a project keeps of its pages: the targets, and each file as it was last written."""

    kept: Mapping[str, Keeping] = {}  # by name
    files: Mapping[str, page_edits.KeptFile] = {}

    def of(self, path: str) -> page_edits.KeptFile:
        """What is remembered of a file."""
        return self.files.get(path) or page_edits.KeptFile()


def read_book(store: Reads, project: str) -> Book:
    """What a project keeps of its pages."""
    text = store.meta(f"page:{project}")
    if not text:
        return Book()
    at = json.loads(text)
    targets = {
        name: Keeping(Target(name, each["kind"]), each["real"], each["by"], each["at"])
        for name, each in at["targets"].items()
    }
    return Book(targets, {path: page_edits.from_json(each) for path, each in at["files"].items()})


def put_book(tx: Transaction, project: str, book: Book) -> None:
    """Keep it."""
    targets = {
        name: {"kind": each.target.kind, "real": each.real, "by": each.by, "at": each.at}
        for name, each in book.kept.items()
    }
    files = {path: page_edits.to_json(kept) for path, kept in book.files.items()}
    tx.put_meta(
        f"page:{project}", json.dumps({"targets": targets, "files": files}, ensure_ascii=False)
    )


def without(book: Book, name: str) -> Book:
    """The book without one target and its files."""
    left = {each: keeping for each, keeping in book.kept.items() if each != name}
    gone = {name, *files_of(book, book.kept[name].target)}
    return Book(left, {path: kept for path, kept in book.files.items() if path not in gone})


def again(book: Book, keeping: Keeping) -> Book:
    """The book with a target that a person asked for, anew or once more: what they took off it may stand there again."""
    mine = {keeping.target.name, *files_of(book, keeping.target)}
    files = {
        path: replace(kept, off=()) if path in mine else kept for path, kept in book.files.items()
    }
    return Book({**book.kept, keeping.target.name: keeping}, files)


def files_of(book: Book, target: Target, but: Collection[str] = ()) -> list[str]:
    """The files of a folder that were written, but for some."""
    if target.kind not in FOLDERS:
        return []
    head, _, tail = target.name.partition("*")
    return [
        path
        for path in book.files
        if path not in but and path.startswith(head) and path.endswith(tail)
    ]

"""What is remembered of a project's pages: which a person asked for, and what was last written into each file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tacit.core.value import value
from tacit.origins.night.targets import Target
from tacit.store.reads import Reads

if TYPE_CHECKING:
    from tacit.store.writes import Transaction


@value
class Keeping:
    """One target that a person asked for."""

    target: Target
    real: str  # where its name led then: a link that leads elsewhere later is not followed
    by: str
    at: str


@value
class Written:
    """A file as it was last written: hashes of what was put there, never its words."""

    made: bool = False  # the file was not there before
    block: str = ""  # of the whole part between our marks
    lines: Mapping[str, str] = {}  # of each lesson's line, by the lesson


@value
class Book:
    """What a project keeps of its pages."""

    kept: Mapping[str, Keeping] = {}  # by name
    files: Mapping[str, Written] = {}  # by path


def read_book(store: Reads, project: str) -> Book:
    """What a project keeps of its pages. What earlier versions remembered of a file is not asked for."""
    text = store.meta(f"page:{project}")
    if not text:
        return Book()
    at = json.loads(text)
    targets = {
        name: Keeping(Target(name, each["kind"]), each["real"], each["by"], each["at"])
        for name, each in at["targets"].items()
        if each["kind"] in ("file", "block", "agents")
    }
    files = {
        path: Written(bool(each.get("made")), each.get("block", ""), each.get("lines", {}))
        for path, each in at["files"].items()
    }
    return Book(targets, files)


def put_book(tx: Transaction, project: str, book: Book) -> None:
    """Keep it."""
    targets = {
        name: {"kind": each.target.kind, "real": each.real, "by": each.by, "at": each.at}
        for name, each in book.kept.items()
    }
    files = {
        path: {"made": each.made, "block": each.block, "lines": dict(each.lines)}
        for path, each in book.files.items()
    }
    tx.put_meta(f"page:{project}", json.dumps({"targets": targets, "files": files}))


def without(book: Book, name: str) -> Book:
    """The book without one target and its files."""
    gone = {name, *files_of(book, book.kept[name].target)}
    return Book(
        {each: keeping for each, keeping in book.kept.items() if each != name},
        {path: written for path, written in book.files.items() if path not in gone},
    )


def again(book: Book, keeping: Keeping) -> Book:
    """The book with a target that a person asked for, anew or once more: what they took off it may stand there again."""
    mine = {keeping.target.name, *files_of(book, keeping.target)}
    files = {
        path: Written(written.made) if path in mine else written
        for path, written in book.files.items()
    }
    return Book({**book.kept, keeping.target.name: keeping}, files)


def files_of(book: Book, target: Target) -> list[str]:
    """The files of a folder that were written."""
    if target.kind != "agents":
        return []
    head, _, tail = target.name.partition("*")
    return [path for path in book.files if path.startswith(head) and path.endswith(tail)]

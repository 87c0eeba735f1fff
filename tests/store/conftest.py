"""A store of its own for each test, and hands that write in it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from tacit.core.journal import Hand
from tacit.core.rows import Project
from tacit.core.value import replace
from tacit.lesson import Lesson
from tacit.store import rows
from tacit.store.writes import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tacit.store.reads import Store

SHOP = "shop"
MIGRATE = Lesson(
    "migrate",
    SHOP,
    "Run make migrate before the tests.",
    klass="rule",
    about="tests; make migrate",
    paths=("src/userStore.py",),
    state="active",
)


def ann(day: int = 1) -> Hand:
    """A person, on a day of January."""
    return Hand("ann", f"2026-01-{day:02d}T08:00:00.000Z")


def add(store: Store, *lessons: Lesson) -> None:
    """Keep new lessons, in one transaction."""
    with store.write() as tx:
        for each in lessons:
            made = replace(each, created_at=ann().at)
            tx.apply(ann().change(None, made, "add", "a word between us"))


def change(store: Store, id: str, **fields: object) -> None:
    """Some fields of a lesson set anew, a day later."""
    with store.write() as tx:
        was = tx.get(id)
        tx.apply(ann(2).change(was, replace(was, **fields), "edit", ""))


def kept(store: Store) -> list[SimpleNamespace]:
    """Every lesson by its columns, the newest first."""
    found = store.rows(f"SELECT {', '.join(rows.LESSON)} FROM lesson ORDER BY n DESC")
    return [
        SimpleNamespace(**{n: rows.field_from(n, held) for n, held in zip(rows.LESSON, row)})
        for row in found
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with one project and no lesson."""
    with open_store(str(tmp_path / "tacit.db")) as opened:
        with opened.write() as tx:
            tx.put_project(Project(SHOP, "shop", "", "", "", "", b"", 0, ann().at))
        yield opened

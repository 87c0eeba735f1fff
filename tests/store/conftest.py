"""A store of its own for each test, and hands that write in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tacit.store import write
from tacit.store.file import open_store
from tacit.store.values import Hand, Lesson, Project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tacit.store.file import Store

SHOP = "shop"
MIGRATE = Lesson(
    "migrate",
    SHOP,
    "Run make migrate before the tests.",
    kind="way",
    about="tests; make migrate",
    files=("src/userStore.py",),
    word="person",
    state="active",
)


def ann(day: int = 1) -> Hand:
    """A person, on a day of January."""
    return Hand("ann", f"2026-01-{day:02d}T08:00:00.000Z")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with one project and no lesson."""
    with open_store(str(tmp_path / "tacit.db")) as opened:
        with opened.write() as tx:
            write.put_project(tx, Project(SHOP, "shop", created_at=ann().at))
        yield opened

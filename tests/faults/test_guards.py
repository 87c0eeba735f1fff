"""Guards of disk and size: what would not fit, or would grow without end, is said before it does harm."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tacit.core.errors import TextInvalid
from tacit.lesson import MAX_TEXT_BYTES
from tacit.store.backup import LOG_LARGE, notes
from tacit.store.file import LOG_LIMIT
from tacit.store.writes import open_store

pytestmark = pytest.mark.on_disk


def test_a_text_beyond_the_limit_is_refused(memories: Any) -> None:
    """By bytes, not by characters; one at the limit is kept, and nothing is kept of the other."""
    before = len(memories.list())
    assert memories.add("ü" * (MAX_TEXT_BYTES // 2)).id
    with pytest.raises(TextInvalid, match=f"at most {MAX_TEXT_BYTES:,} are kept"):
        memories.add("ü" * (MAX_TEXT_BYTES // 2 + 1))
    assert len(memories.list()) == before + 1


def test_the_log_is_cut_after_a_burst(tmp_path: Path) -> None:
    """What one large transaction made of it does not stay for ever."""
    path = str(tmp_path / "s.db")
    with open_store(path) as store:
        with store.write() as tx:
            tx.put_meta("large", "x" * (LOG_LIMIT + (4 << 20)))
        assert os.path.getsize(path + "-wal") > LOG_LIMIT
        for n in range(2):
            with store.write() as tx:
                tx.put_meta("large", str(n))
        assert os.path.getsize(path + "-wal") <= LOG_LIMIT


def test_a_log_that_nobody_can_cut_is_told(tmp_path: Path) -> None:
    """Somebody has been reading for hours: doctor says so while there is room."""
    store = tmp_path / "s.db"
    store.touch()
    with open(f"{store}-wal", "wb") as log:
        log.truncate(LOG_LARGE + 1)
    assert any(
        "write-ahead log" in note for note in notes(str(store), str(tmp_path / "backups"), 0.0)
    )

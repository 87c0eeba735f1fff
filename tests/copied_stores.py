"""A new store as a copy of one: making it takes a while, and thousands of tests begin with an empty one.

Nothing waits for the disk either: only tests marked `on_disk` are about what a power cut leaves.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw

from tacit.core.digest import new_id
from tacit.store import file

_check_place, _prepare = file._check_place, file._prepare
_model = Path()
_new = set[str]()  # copies whose machine has no name of its own yet
_pages = apsw.Connection(":memory:")


def make_model(folder: Path) -> Path:
    """An empty store, made as everybody's."""
    make_stores()
    file.open_store(str(folder / "model.db")).close()
    return folder / "model.db"


def copy_stores(model: Path) -> None:
    """From now on a new store of this process is a copy of that one."""
    global _model
    if _model != model:
        _model, made = model, apsw.Connection(str(model))
        with _pages.backup("main", made, "main") as backup:
            backup.step()
        made.close()
    file._check_place, file._prepare = _place, _filled


def make_stores() -> None:
    """From now on as everybody's."""
    file._check_place, file._prepare = _check_place, _prepare


def is_copying() -> bool:
    """Whether a new store of this process is a copy."""
    return file._prepare is _filled


def _place(path: str, create: bool) -> None:
    if create and not os.path.exists(path):
        mine = f"{_model}-{os.urandom(8).hex()}"
        try:
            os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
            shutil.copy(_model, mine)
            os.link(mine, path)  # whole or not at all, and never over another's
            _new.add(path)
        except OSError:
            pass  # what is in the way is said below
        finally:
            Path(mine).unlink(missing_ok=True)
    _check_place(path, create)


def _filled(store: file.Store) -> None:
    if store.path == ":memory:":
        with store.connection.backup("main", _pages, "main") as backup:
            backup.step()
    _prepare(store)
    store.rows("PRAGMA synchronous = OFF")
    if store.path in _new:
        _new.discard(store.path)
        store.rows("UPDATE setting SET value = ? WHERE key = ?", new_id(), file.MACHINE)

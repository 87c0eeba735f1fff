"""The words that lessons in force speak of, in a small file beside the store: a hook before a command or a file that none of them
names ends there, without opening the store.

It is derived, written by the worker, and goes with the first change of a lesson: where there is none, the store is asked.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from tacit.core.digest import new_id
from tacit.core.places import spoken_path
from tacit.stores.sqlite.search import INJECTABLE

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore

_BETWEEN = re.compile(r"[\s`'\"()\[\]{}<>,;:!?=|&$*/\\]+")


def write_spoken(store: SqliteStore) -> bool:
    """Write the file anew where it is gone; whether that was done. What was changed meanwhile takes it away again."""
    path = spoken_path(store.path)
    if store.path == ":memory:" or os.path.exists(path):
        return False
    before = _last(store)
    found: set[str] = set()
    sql = f"SELECT m.text, m.about, m.paths, m.extra FROM memory m WHERE {INJECTABLE}"
    for text, about, paths, extra in store.each(sql):
        known = json.loads(extra).get("about") if extra and '"about"' in extra else None
        said = " ".join((text, about, paths, *(known if isinstance(known, dict) else ())))
        found.update(word.strip(".") for word in _BETWEEN.split(said.lower()))
    half = f"{path}.{new_id()}"
    with os.fdopen(
        os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="replace"
    ) as file:
        file.write("\n".join(["", *sorted(found - {""}), ""]))
    os.replace(half, path)
    if _last(store) != before:
        os.unlink(path)
    return True


def _last(store: SqliteStore) -> int:
    return int(store.one("SELECT coalesce(max(rowid), 0) FROM journal")[0])

"""The words that lessons in force speak of, in a small file beside the store, and the words that very many lessons hold.

A hook before a command or a file that no lesson names ends at the file, without opening the store. It is derived, written
by the worker, and goes with the first change of a lesson: where there is none, the store is asked.
"""

from __future__ import annotations

import os

from tacit.core.value import loads
from tacit.place.folders import spoken_path
from tacit.store import search
from tacit.store.search import TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.store import file
    from tacit.store.reads import Store


def forget_spoken(store: str) -> None:
    """It says what lessons spoke of before this."""
    try:
        os.unlink(spoken_path(store))
    except OSError:
        pass


def write_spoken(store: Store) -> bool:
    """Write the file anew where it is gone; whether that was done. What was changed meanwhile takes it away again."""
    import re

    from tacit.core.digest import new_id

    path = spoken_path(store.path)
    if store.path == ":memory:" or os.path.exists(path):
        return False
    before, found = _last(store), set[str]()
    between = re.compile(r"[\s`'\"()\[\]{}<>,;:!?=|&$*/\\]+")
    for text, about, files, extra in store.each(
        f"SELECT m.text, m.about, m.files, m.extra FROM lesson m WHERE true{TOLD}"
    ):
        more = loads(extra) if extra else {}
        known, sign = more.get("about"), more.get("sign")
        said = " ".join((text, about, files, *(known if isinstance(known, dict) else ())))
        said += f" {sign[-1]}" if isinstance(sign, list) and sign else ""
        found.update(word.strip(".") for word in between.split(said.lower()))
    half = f"{path}.{new_id()}"
    fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8", errors="replace") as file:
        file.write("\n".join(["", *sorted(found - {""}), ""]))
    os.replace(half, path)
    if _last(store) != before:
        os.unlink(path)
    return True


def _last(store: Store) -> int:
    return int(store.one("SELECT coalesce(max(n), 0) FROM journal")[0])


def put_common(tx: file.Transaction, project: str, kind: str, counted: Mapping[str, int]) -> None:
    """What many sessions use, as the worker counted it, in place of what was known."""
    tx.rows("DELETE FROM common WHERE project = ? AND kind = ?", project, kind)
    for what, count in counted.items():
        tx.rows("INSERT INTO common VALUES (?, ?, ?, ?)", project, kind, what, count)


def keep_common(store: Store) -> None:
    """Count anew which words very many lessons hold, once a tenth more lessons are here than at the last count."""
    total = int(store.one("SELECT count(*) FROM lesson")[0])
    counted = int(store.meta("common words of") or 0)
    if total >= search.MANY and 10 * total >= 11 * counted:
        words = search.common_words(store)
        with store.write() as tx:
            put_common(tx, "", "word", words)
            tx.put_meta("common words of", str(total))

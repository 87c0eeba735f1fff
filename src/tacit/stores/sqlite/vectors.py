"""Vectors of memories: derived, stamped with the identity of the model that made them, compared only within one space.

A vector is 8-bit numbers of a direction, that of a memory's text and of the tasks it was met in; the rounding costs less
than a hundredth of a cosine. Rows are made by the worker, the server and the library, never inside the transaction that
writes a memory; a text that changes or is erased takes its vector along (`Transaction.index`). Nothing here is imported
by a hook.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tacit.core.errors import SpacesMixed
from tacit.core.rows import Fault, Near
from tacit.core.value import value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tacit.core.ports import Embedder, Placed
    from tacit.stores.postgres import PostgresStore
    from tacit.stores.sqlite import SqliteStore

BATCH = 128  # texts that are embedded at once and written in one short transaction
SCALE = 127  # a number between -1 and 1 in a signed byte
MOST = 200_000  # newest rows that one question is compared with


@value
class Nearest:
    """What a question's vector found."""

    rows: tuple[int, ...] = ()  # the nearest memories' numbers, nearest first
    cosines: Mapping[int, float] = {}  # of these and of all that were asked about
    usual: float = 0.0  # the mean over all that were compared: what stands out from it is near


def identities(store: SqliteStore | PostgresStore) -> dict[str, int]:
    """Whose vectors the store holds, and how many."""
    return dict(store.rows("SELECT identity, count(*) FROM vector GROUP BY 1"))


def embed_pending(
    store: SqliteStore | PostgresStore,
    embedder: Embedder,
    *,
    most: int = 1 << 30,
    pending: str = "",
    put: str = "",
    spelled: Callable[[Sequence[Sequence[float]]], Sequence[bytes] | Sequence[str]] | None = None,
) -> int:
    """Make the vectors that are missing; how many were made. Refuses to add to those of another model.

    An engine may bring its own statements, and its own spelling of a vector.
    """
    others = [identity for identity in identities(store) if identity != embedder.identity]
    if others:
        raise SpacesMixed(
            f"The store holds vectors of {others[0]}; those of {embedder.identity} cannot be compared with them.",
            "tacit reindex makes all of them anew.",
        )
    made = last = 0
    while made < most:
        rows = store.rows(pending or _PENDING, after=last, limit=min(BATCH, most - made))
        if not rows:
            break
        last = rows[-1][0]
        vectors = embedder.embed([text for _, text in rows])
        with store.write() as tx:
            for (n, text), vector in zip(rows, (spelled or packed)(vectors)):
                tx.rows(put or _PUT, n=n, text=text, identity=embedder.identity, vector=vector)
        made += len(rows)
    return made


def nearest(
    store: SqliteStore,
    projects: Sequence[str],
    identity: str,
    vector: Sequence[float],
    *,
    limit: int,
    among: str = "",
    also: Iterable[int] = (),
) -> Nearest:
    """The memories whose vectors of this identity point most nearly where this one does. `among` narrows the memories, in SQL."""
    import numpy

    wanted = numpy.asarray(vector, dtype=numpy.float32)
    table = _table(store, projects, identity, len(wanted), among)
    if not table.numbers or not wanted.any():
        return Nearest()
    cosines = table.directions @ (wanted / numpy.linalg.norm(wanted))
    few = min(max(limit, 0), len(cosines))
    best = numpy.argpartition(-cosines, few - 1)[:few] if 0 < few < len(cosines) else numpy.arange(few)
    best = best[numpy.lexsort((best, -cosines[best]))].tolist()
    told = {table.numbers[at]: float(cosines[at]) for at in best}
    told.update((n, float(cosines[table.place[n]])) for n in also if n in table.place)
    return Nearest(tuple(table.numbers[at] for at in best), told, float(cosines.mean()))


class _Table:
    """The vectors of some projects, read once and kept until the store changes."""

    def __init__(self, rows: Sequence[tuple[int, bytes]], size: int) -> None:
        import numpy

        rows = [row for row in rows if len(row[1]) == size]
        self.numbers = [row[0] for row in rows]
        self.place = {n: at for at, n in enumerate(self.numbers)}
        raw = numpy.frombuffer(b"".join(row[1] for row in rows), dtype=numpy.int8).reshape(len(rows), size)
        self.directions: Any = raw.astype(numpy.float32)
        lengths = numpy.linalg.norm(self.directions, axis=1, keepdims=True)
        lengths[lengths == 0] = 1.0
        self.directions /= lengths


def _table(store: SqliteStore, projects: Sequence[str], identity: str, size: int, among: str) -> _Table:
    # Another connection's commits change data_version, our own the count of changes.
    stamp = (store.one("PRAGMA data_version")[0], store._connection.total_changes())
    key = (*projects, identity, size, among)
    kept = _kept.get(store)
    if kept is None or kept[0] != (stamp, key):
        rows = store.rows(
            "SELECT v.n, v.vector FROM vector v JOIN memory m ON m.n = v.n WHERE v.identity = :identity AND m.project IN"
            f" (SELECT value FROM json_each(:projects)){f' AND {among}' if among else ''} ORDER BY v.n DESC LIMIT :most",
            identity=identity, projects=json.dumps(list(projects)), most=MOST,
        )  # fmt: skip
        kept = _kept[store] = ((stamp, key), _Table(rows, size))
    return kept[1]


_kept: WeakKeyDictionary[SqliteStore, tuple[Any, _Table]] = WeakKeyDictionary()


def near(
    store: SqliteStore,
    projects: Sequence[str],
    identity: str,
    vector: Sequence[float],
    hits: Sequence[Placed],
    *,
    limit: int,
    injectable: bool = False,
) -> Near:
    """The nearest memories as hits, and the cosines of these and of the hits given."""
    from tacit.stores.sqlite.search import INJECTABLE, _numbered

    found = nearest(
        store, projects, identity, vector, limit=limit, among=INJECTABLE if injectable else "", also=[hit.n for hit in hits]
    )
    if not found.cosines:
        others = [other for other in identities(store) if other != identity]
        told = f"the vectors here are of {others[0]}, not of {identity}. tacit reindex makes them anew." if others else ""
        return Near(note=told)
    more = _numbered(store, "meaning", [(n, found.cosines[n]) for n in found.rows])
    cosines = {hit.memory.id: found.cosines[hit.n] for hit in (*more, *hits) if hit.n in found.cosines}
    return Near(more, cosines, found.usual)


def faults(store: SqliteStore) -> Iterator[Fault]:
    """Vectors against the memories they are of: each of one with a text, all of one model and one size."""
    astray = store.one("SELECT count(*) FROM vector v LEFT JOIN memory m ON m.n = v.n WHERE m.n IS NULL OR m.text = ''")[0]
    if astray:
        yield Fault("index", "vector", f"{astray} vectors are of no memory that has a text; tacit reindex rebuilds them")
    if store.one("SELECT count(DISTINCT identity) > 1 OR count(DISTINCT length(vector)) > 1 FROM vector")[0]:
        yield Fault("index", "vector", "vectors of more than one model stand side by side; tacit reindex rebuilds them")


def packed(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Vectors as rows keep them: directions, in signed bytes."""
    import numpy

    table: Any = numpy.asarray(vectors, dtype=numpy.float32)
    largest = numpy.abs(table).max(axis=1, keepdims=True)
    largest[largest == 0] = 1.0
    return [row.tobytes() for row in numpy.rint(table / largest * SCALE).astype(numpy.int8)]


_PENDING = (
    "SELECT m.n, m.text || char(10) || m.words FROM memory m LEFT JOIN vector v ON v.n = m.n"
    " WHERE v.n IS NULL AND m.text <> '' AND m.n > :after ORDER BY m.n LIMIT :limit"
)
# Only if the words are still those that were read: somebody may have corrected or erased them meanwhile.
_PUT = (
    "INSERT OR REPLACE INTO vector (n, identity, vector)"
    " SELECT n, :identity, :vector FROM memory WHERE n = :n AND text || char(10) || words = :text"
)

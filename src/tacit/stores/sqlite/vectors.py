"""Vectors of memories: derived, stamped with the identity of the model that made them, compared only within one space.

A vector is 8-bit numbers of a direction, that of a memory's text and of the tasks it was met in; the rounding costs less
than a hundredth of a cosine. Rows are made by the worker, the server and the library, never inside the transaction that
writes a memory; a text that changes or is erased takes its vector along (`SqliteTransaction.index`). Nothing here is imported
by a hook, which compares by what is left beside them (`meaning.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tacit.core.errors import SpacesMixed
from tacit.core.rows import Fault, Near, index_fault
from tacit.core.value import value
from tacit.stores.sqlite.search import INJECTABLE_ROWS, _numbered, _tokenizer

if TYPE_CHECKING:
    from tacit.core.ports import Embedder, Placed
    from tacit.stores.postgres import PostgresStore
    from tacit.stores.sqlite import SqliteStore, SqliteTransaction

_VECTOR_BATCH = 128  # texts that are embedded at once and written in one short transaction
SCALE = 127  # a number between -1 and 1 in a signed byte
_MOST = 200_000  # newest rows that one question is compared with
FINE = 1 << 24  # steps of a number in a sum that must not depend on the order
EXACT = 1 << 23  # half of what a 32-bit float counts to without a gap
EQUAL_ROWS = 3  # times as many rows as are wanted, at most, where many are equal
TABLES = ("vector", "vector_word", "vector_centre")  # what is derived here


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
    numbers: list[int] | None = None,
) -> int:
    """Make the vectors that are missing; how many were made. Refuses to add to those of another model.

    An engine may bring its own statements, and its own spelling of a vector; `numbers` is told which rows they are of.
    """
    others = [identity for identity in identities(store) if identity != embedder.identity]
    if others:
        raise SpacesMixed(
            f"The store holds vectors of {others[0]}; those of {embedder.identity} cannot be compared with them.",
            "tacit reindex makes all of them anew.",
        )
    made = last = 0
    while made < most:
        rows = store.rows(pending or _UNEMBEDDED, after=last, limit=min(_VECTOR_BATCH, most - made))
        if not rows:
            break
        last = rows[-1][0]
        vectors = embedder.embed([text for _, text in rows])
        with store.write() as tx:
            for (n, text), vector in zip(rows, (spelled or _packed)(vectors)):
                more = {"length": length_of(vector)} if isinstance(vector, bytes) else {}
                tx.rows(
                    put or _PUT_VECTOR,
                    n=n,
                    text=text,
                    identity=embedder.identity,
                    vector=vector,
                    **more,
                )
        made += len(rows)
        if numbers is not None:
            numbers += [n for n, _ in rows]
    return made


def embed(
    store: SqliteStore, embedder: Embedder, *, most: int = 1 << 30, anew: bool = False
) -> int:
    """Make the vectors that are missing, or all of them anew, and leave beside them what a prompt compares by."""
    if anew:
        with store.write() as tx:
            forget(tx)
    is_first = store.one("SELECT 1 FROM vector LIMIT 1") is None
    numbers: list[int] = []
    made = embed_pending(store, embedder, most=most, numbers=numbers)
    if is_first or store.one("SELECT 1 FROM vector_word LIMIT 1") is None:
        _leave_words(store, embedder)
    _leave_centres(store, embedder.identity, numbers)
    return made


def forget(tx: SqliteTransaction) -> None:
    """Leave nothing that was derived here."""
    for table in TABLES:
        tx.rows(f"DELETE FROM {table}")


def _leave_words(store: SqliteStore, embedder: Embedder) -> None:
    """The vectors of the words that the model knows by themselves; of several with one stem that which is met most often."""
    words, read = getattr(embedder, "words", None), _tokenizer(store)
    found: dict[str, Sequence[float]] = {}
    for word, vector in words() if words else ():
        stems = read(word)
        if len(stems) == 1:
            found.setdefault(stems[0], vector)
    rows = [
        {"word": word, "scale": float(max(map(abs, vector))) / SCALE, "vector": kept}
        for (word, vector), kept in zip(
            found.items(), _packed(list(found.values())) if found else ()
        )
    ]
    with store.write() as tx:
        tx.rows("DELETE FROM vector_word")
        tx.many(
            "INSERT INTO vector_word (word, scale, vector) VALUES (:word, :scale, :vector)", rows
        )


def _leave_centres(store: SqliteStore, identity: str, numbers: Sequence[int]) -> None:
    """Where the lessons of each project lie, where that has changed: the mean of their directions, in whatever order they came."""
    many = dict(
        store.rows("SELECT m.project, count(*) FROM vector v JOIN memory m ON m.n = v.n GROUP BY 1")
    )
    known = dict(store.rows("SELECT project, rows FROM vector_centre"))
    ours = "SELECT DISTINCT project FROM memory WHERE n IN (SELECT value FROM json_each(:ns))"
    changed = {
        project for project in many.keys() | known.keys() if many.get(project) != known.get(project)
    }
    changed.update(store.column(ours, ns=json.dumps(numbers)))
    for project in sorted(changed):
        rows = store.rows(
            "SELECT v.n, v.vector FROM vector v JOIN memory m ON m.n = v.n WHERE m.project = :project",
            project=project,
        )
        with store.write() as tx:
            tx.rows("DELETE FROM vector_centre WHERE project = :project", project=project)
            if rows:
                table = _Table(rows, len(rows[0][1]))
                centre = _sum(table.whole / table.lengths[:, None]) / len(rows)
                tx.rows(
                    "INSERT INTO vector_centre (project, identity, rows, centre) VALUES (:project, :identity, :rows, :centre)",
                    project=project,
                    identity=identity,
                    rows=len(rows),
                    centre=centre.astype("<f4").tobytes(),
                )


def nearest_vectors(
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

    table = _table(store, projects, identity, len(vector), among)
    if not table.numbers or not any(vector):
        return Nearest()
    cosines = table.cosines(vector)
    few = min(max(limit, 0), len(cosines))
    least = numpy.partition(cosines, -few)[-few] if few else 2.0
    best = numpy.flatnonzero(
        cosines >= least
    )  # and those that equal the last of them: two builds of a store agree
    best = best[numpy.lexsort((best, -cosines[best]))][: EQUAL_ROWS * few].tolist()
    told = {table.numbers[at]: float(cosines[at]) for at in best}
    told.update((n, float(cosines[table.place[n]])) for n in also if n in table.place)
    return Nearest(
        tuple(table.numbers[at] for at in best), told, float(_sum(cosines)) / len(cosines)
    )


class _Table:
    """The vectors of some projects, read once and kept until the store changes."""

    def __init__(self, rows: Sequence[tuple[int, bytes]], size: int) -> None:
        import numpy

        rows = [row for row in rows if len(row[1]) == size]
        self.numbers = [row[0] for row in rows]
        self.place = {n: at for at, n in enumerate(self.numbers)}
        raw = numpy.frombuffer(b"".join(row[1] for row in rows), dtype=numpy.int8).reshape(
            len(rows), size
        )
        self.whole: Any = raw.astype(numpy.float32)
        self.lengths: Any = numpy.linalg.norm(self.whole, axis=1).astype(numpy.float64)
        self.lengths[self.lengths == 0] = 1.0

    def cosines(self, vector: Sequence[float]) -> Any:
        """How near each row is. In whole numbers, whose sums are exact: a product of floats depends on where a row stands in the table."""
        import numpy

        asked = numpy.asarray(vector, dtype=numpy.float64)
        steps = EXACT / (SCALE * sqrt(len(asked)))
        whole = numpy.rint(asked / numpy.linalg.norm(asked) * steps).astype(numpy.float32)
        return (self.whole @ whole) / (self.lengths * steps)


def _sum(numbers: Any) -> Any:
    """The sum of some rows, whatever their order."""
    import numpy

    return numpy.rint(numbers * FINE).astype(numpy.int64).sum(axis=0) / FINE


def _table(
    store: SqliteStore, projects: Sequence[str], identity: str, size: int, among: str
) -> _Table:
    # Another connection's commits change data_version, our own the count of changes.
    stamp = (store.one("PRAGMA data_version")[0], store._connection.total_changes())
    key = (*projects, identity, size, among)
    kept = _kept.get(store)
    if kept is None or kept[0] != (stamp, key):
        rows = store.rows(
            "SELECT v.n, v.vector FROM vector v JOIN memory m ON m.n = v.n WHERE v.identity = :identity AND m.project IN"
            f" (SELECT value FROM json_each(:projects)){f' AND {among}' if among else ''} ORDER BY v.n DESC LIMIT :most",
            identity=identity,
            projects=json.dumps(list(projects)),
            most=_MOST,
        )
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
    found = nearest_vectors(
        store,
        projects,
        identity,
        vector,
        limit=limit,
        among=INJECTABLE_ROWS if injectable else "",
        also=[hit.n for hit in hits],
    )
    if not found.cosines:
        others = [other for other in identities(store) if other != identity]
        told = (
            f"the vectors here are of {others[0]}, not of {identity}. tacit reindex makes them anew."
            if others
            else ""
        )
        return Near(note=told)
    more = _numbered(store, "meaning", [(n, found.cosines[n]) for n in found.rows])
    cosines = {
        hit.memory.id: found.cosines[hit.n] for hit in (*more, *hits) if hit.n in found.cosines
    }
    return Near(more, cosines, found.usual)


def vector_faults(store: SqliteStore) -> Iterator[Fault]:
    """Vectors against the memories they are of: each of one with a text, all of one model and one size."""
    astray = store.one(
        "SELECT count(*) FROM vector v LEFT JOIN memory m ON m.n = v.n WHERE m.n IS NULL OR m.text = ''"
    )[0]
    if astray:
        yield index_fault("vector", f"{astray} vectors are of no memory that has a text")
    if store.one(
        "SELECT count(DISTINCT identity) > 1 OR count(DISTINCT length(vector)) > 1 FROM vector"
    )[0]:
        yield index_fault("vector", "vectors of more than one model stand side by side")
    sizes = "SELECT length(vector) AS size FROM vector_word UNION SELECT length(centre) / 4 FROM vector_centre"
    other = f"SELECT 1 FROM ({sizes}) WHERE size NOT IN (SELECT length(vector) FROM vector)"
    foreign = "SELECT 1 FROM vector_centre WHERE identity NOT IN (SELECT identity FROM vector)"
    if store.one("SELECT 1 FROM vector LIMIT 1") and (store.one(other) or store.one(foreign)):
        yield index_fault(
            "vector", "what a prompt compares by is of another model than the vectors"
        )


def _packed(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Vectors as rows keep them: directions, in signed bytes."""
    import numpy

    table: Any = numpy.asarray(vectors, dtype=numpy.float32)
    largest = numpy.abs(table).max(axis=1, keepdims=True)
    largest[largest == 0] = 1.0
    return [row.tobytes() for row in numpy.rint(table / largest * SCALE).astype(numpy.int8)]


def length_of(vector: bytes) -> float:
    """The length of a vector as rows keep it."""
    return sqrt(sum(each * each for each in memoryview(vector).cast("b")))


_UNEMBEDDED = (
    "SELECT m.n, m.text || char(10) || m.words FROM memory m LEFT JOIN vector v ON v.n = m.n"
    " WHERE v.n IS NULL AND m.text <> '' AND m.n > :after ORDER BY m.n LIMIT :limit"
)
# Only if the words are still those that were read: somebody may have corrected or erased them meanwhile.
_PUT_VECTOR = (
    "INSERT OR REPLACE INTO vector (n, identity, vector, length)"
    " SELECT n, :identity, :vector, :length FROM memory WHERE n = :n AND text || char(10) || words = :text"
)

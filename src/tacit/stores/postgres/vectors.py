"""Vectors on PostgreSQL, where the server has pgvector; without it words alone are compared, and everything else works.

A question is compared with every vector of its project: ten thousand take some milliseconds, and no index has to be asked for rows
of others. The type and its operators are named with the extension's schema, which may be any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import psycopg

from tacit.core.errors import TacitError
from tacit.core.rows import Fault, Near, index_fault
from tacit.stores.sql_rows import MEMORY_COLUMNS
from tacit.stores.sqlite.search import INJECTABLE_ROWS, _loaded
from tacit.stores.sqlite.vectors import embed_pending

if TYPE_CHECKING:
    from tacit.core.ports import Embedder, Placed
    from tacit.stores.postgres import PostgresStore

ABSENT = "the server has no vectors (pgvector 0.7 or later); words alone were compared."


def schema_of(store: PostgresStore) -> str:
    """Where the extension lies; empty where there are no vectors."""
    row = store.one(
        "SELECT quote_ident(s.nspname) FROM pg_extension e JOIN pg_namespace s ON s.oid = e.extnamespace"
        " WHERE e.extname = 'vector' AND to_regclass('tacit.vector') IS NOT NULL"
    )
    return row[0] if row else ""


def prepare_vectors(store: PostgresStore) -> str:
    """Make the table for vectors if that is possible; the schema of the extension, empty where it is not."""
    made = schema_of(store)
    if made:
        return made
    try:
        with store.write() as tx:
            tx.rows("SELECT pg_advisory_xact_lock(hashtextextended('tacit schema', 0))")
            if schema_of(store):
                return schema_of(store)
            tx.rows("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
            found = store.one(
                "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
            )
            with open(
                os.path.join(os.path.dirname(__file__), "schema", "vectors.sql"), encoding="utf-8"
            ) as file:
                store._connection.execute(file.read().replace("{schema}", found[0]).encode())
            if (
                store.one(
                    "SELECT count(*) FROM pg_roles WHERE rolname IN ('tacit_reader', 'tacit_writer')"
                )[0]
                == 2
            ):
                tx.rows("GRANT SELECT ON vector TO tacit_reader")
                tx.rows("GRANT SELECT, INSERT, UPDATE, DELETE ON vector TO tacit_writer")
    except (TacitError, psycopg.Error):
        return ""  # no such extension, too old a one, or not ours to make
    return schema_of(store)


def embed(store: PostgresStore, embedder: Embedder, *, most: int, anew: bool) -> int:
    """Make the vectors that are missing in the projects where we may write; none on a server without vectors."""
    schema = prepare_vectors(store)
    if not schema:
        return 0
    if anew:
        with store.write() as tx:
            tx.rows("DELETE FROM vector")
    return embed_pending(
        store,
        embedder,
        most=most,
        pending=_PENDING,
        put=_PUT_IN.replace("halfvec", f"{schema}.halfvec"),
        spelled=_spelled,
    )


def near(
    store: PostgresStore,
    projects: Sequence[str],
    identity: str,
    vector: Sequence[float],
    hits: Sequence[Placed],
    *,
    limit: int,
    injectable: bool,
) -> Near:
    """The nearest memories as hits, and the cosines of these and of the hits given."""
    schema = schema_of(store)
    if not schema:
        return Near(note=ABSENT)
    [asked] = _spelled([vector])
    if not any(vector):
        return Near()
    sql = _NEAR.replace("{schema}", schema).replace(
        "{among}", f"AND {INJECTABLE_ROWS}" if injectable else ""
    )
    rows = store.rows(
        sql,
        asked=asked,
        size=len(vector),
        projects=list(projects),
        identity=identity,
        limit=max(limit, 0),
        also=[hit.n for hit in hits],
    )
    if not rows:
        return Near(note=_others(store, projects, identity))
    cosines = {n: cosine for n, cosine, _, _ in rows}
    best = [n for n, _, _, place in rows if place <= limit]
    read = {
        row[-1]: row
        for row in store.rows(
            f"SELECT {MEMORY_COLUMNS}, m.words, m.n FROM memory m WHERE m.n = ANY(:ns)", ns=best
        )
    }
    more = _loaded(store, "meaning", [(*read[n], cosines[n]) for n in best if n in read])
    return Near(
        more,
        {hit.memory.id: cosines[hit.n] for hit in (*more, *hits) if hit.n in cosines},
        rows[0][2],
    )


def _others(store: PostgresStore, projects: Sequence[str], identity: str) -> str:
    """Whose vectors there are instead."""
    sql = "SELECT identity FROM vector WHERE project = ANY(:projects) AND identity <> :identity LIMIT 1"
    row = store.one(sql, projects=list(projects), identity=identity)
    return (
        f"the vectors here are of {row[0]}, not of {identity}. tacit reindex makes them anew."
        if row
        else ""
    )


def vector_faults(store: PostgresStore) -> Iterator[Fault]:
    """Vectors against the memories they are of: each of one with a text, all of one model and one size in each project."""
    schema = schema_of(store)
    if not schema:
        return
    astray = store.one(
        "SELECT count(*) FROM vector v LEFT JOIN memory m ON m.n = v.n AND m.project = v.project WHERE m.n IS NULL OR m.text = ''"
    )[0]
    if astray:
        yield index_fault("vector", f"{astray} vectors are of no memory that has a text")
    mixed = f"count(DISTINCT identity) > 1 OR count(DISTINCT {schema}.vector_dims(vector)) > 1"
    for (project,) in store.rows(f"SELECT project FROM vector GROUP BY 1 HAVING {mixed}"):
        yield index_fault(
            "vector", f"vectors of more than one model stand side by side in {project}"
        )


def _spelled(vectors: Sequence[Sequence[float]]) -> list[str]:
    """Directions as pgvector reads them; half floats hold no large numbers."""
    told = []
    for vector in vectors:
        length = sum(each * each for each in vector) ** 0.5 or 1.0
        told.append("[" + ",".join(f"{each / length:.5g}" for each in vector) + "]")
    return told


_PENDING = (
    "SELECT m.n, m.text || chr(10) || m.words FROM memory m LEFT JOIN vector v ON v.project = m.project AND v.n = m.n"
    " WHERE v.n IS NULL AND m.text <> '' AND m.n > :after AND m.project = ANY(mine(2)) ORDER BY m.n LIMIT :limit"
)
# Only if the words are still those that were read: somebody may have corrected or erased them meanwhile.
_PUT_IN = (
    "INSERT INTO vector (project, n, identity, vector)"
    " SELECT project, n, :identity, :vector::halfvec FROM memory WHERE n = :n AND text || chr(10) || words = :text"
    " ON CONFLICT (project, n) DO UPDATE SET identity = excluded.identity, vector = excluded.vector"
)
_NEAR = (
    "WITH compared AS MATERIALIZED ("
    " SELECT v.n, 1 - (v.vector OPERATOR({schema}.<=>) :asked::{schema}.halfvec) AS cosine FROM vector v JOIN memory m ON m.n = v.n"
    " WHERE v.project = ANY(:projects) AND v.identity = :identity AND {schema}.vector_dims(v.vector) = :size {among}),"
    " placed AS (SELECT n, cosine, avg(cosine) OVER () AS usual, row_number() OVER (ORDER BY cosine DESC, n DESC) AS place"
    " FROM compared WHERE cosine <> 'NaN')"
    " SELECT n, cosine, usual, place FROM placed WHERE place <= :limit OR n = ANY(:also) ORDER BY place"
)

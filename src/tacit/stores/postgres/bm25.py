"""Candidates ranked by the server itself, where its keeper has made an extension for that: pg_search or pg_textsearch.

Without one, the rarities of the words that a row holds are added up (`search`); with one, its length counts as well, and a word
that half of a large project holds need not be read to its end. What is found is ranked by us either way. The extension is the
keeper's choice (they differ in licence and in what they ask of the server), so it is used where it has been made in the
database, and never made by us; and only from a version on that a server may be killed under.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import psycopg

from tacit.core.errors import TacitError, Unavailable
from tacit.core.rows import Fault, index_fault

if TYPE_CHECKING:
    from tacit.stores.postgres import PostgresStore

# How each of them makes its index, and how it is asked: a statement over the words, a partition, its index and the limit. {schema} is
# where the extension lies. No project is asked for: it stands in each word.
_INDEX = {
    "pg_textsearch": "said) WITH (text_config = 'pg_catalog.simple'",
    "pg_search": """n, said) WITH (key_field = 'n', text_fields = '{"said": {"tokenizer": {"type": "whitespace"}}}'""",
}
_QUERY = {
    "pg_textsearch": (
        "SELECT n, -score FROM (SELECT f.n, f.said OPERATOR({schema}.<@>) {schema}.to_bm25query(%1$L, %3$L) AS score"
        " FROM %2$s f ORDER BY 2 LIMIT %4$s) found WHERE score < 0"
    ),
    "pg_search": (
        "SELECT f.n, {schema}.score(f.n)::float8 FROM %2$s f"
        " WHERE f.n OPERATOR(pg_catalog.@@@) {schema}.match('said', %1$L) ORDER BY 2 DESC LIMIT %4$s"
    ),
}
# pg_textsearch 0.6.1 came back from a kill -9 with empty pages in its index: writers failed, readers hung (docs/internals/decisions/0016).
TRUSTED = {"pg_textsearch": (1, 0), "pg_search": (0, 20)}
INDEX_MADE = "to_regclass('tacit.memory_fts_ranked') IS NOT NULL"


def prepare_index(
    store: PostgresStore, *, anew: bool = False, trusted: Mapping[str, tuple[int, ...]] = TRUSTED
) -> bool:
    """Make the index if that is possible, or make it anew; whether there is one."""
    is_made = bool(store.one(f"SELECT {INDEX_MADE}")[0])
    found = store.one(
        "SELECT e.extname, quote_ident(s.nspname), e.extversion FROM pg_extension e JOIN pg_namespace s ON s.oid = e.extnamespace"
        " WHERE e.extname = ANY(:them) AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = 'memory_fts'::regclass), 'usage')",
        them=list(_INDEX),
    )
    if not found or (is_made and not anew) or _version(found[2]) < trusted[found[0]]:
        return is_made
    name, schema, _ = found
    with open(
        os.path.join(os.path.dirname(__file__), "schema", "bm25.sql"), encoding="utf-8"
    ) as file:
        sql = file.read().replace("{index}", _INDEX[name])
    query = _QUERY[name].replace("{schema}", schema).replace("'", "''")
    try:
        with (
            store._connection.transaction()
        ):  # inside another one its failure takes back nothing else
            store.rows("SELECT pg_advisory_xact_lock(hashtextextended('tacit schema', 0))")
            if anew or not store.one(f"SELECT {INDEX_MADE}")[0]:
                store._connection.execute(sql.replace("{query}", f"'{query}'").encode())
    except psycopg.Error:
        return is_made  # one that is not as we know it
    return True


def _version(told: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", told))


def rows_like(
    store: PostgresStore, projects: Sequence[str], parts: Sequence[str], limit: int
) -> dict[int, float] | None:
    """The rows of these projects that the server ranks first for these words, with their scores; None where its index cannot be read."""
    scores: dict[int, float] = {}
    try:
        # What fails inside a transaction must take back nothing else.
        with store._connection.transaction() if store._is_inside else nullcontext():
            for project in projects:
                sql = "SELECT n, score FROM rows_like(:p, :parts, :limit)"
                scores.update(store.rows(sql, p=project, parts=list(parts), limit=limit))
    except Unavailable:
        raise
    except (TacitError, psycopg.Error):
        return None
    return scores


def bm25_faults(store: PostgresStore) -> Iterator[Fault]:
    """An index that cannot be asked; candidates come by rarity until it is made anew."""
    project = store.one(f"SELECT project FROM extent WHERE memories > 0 AND {INDEX_MADE} LIMIT 1")
    if project and rows_like(store, [project[0]], ["a"], 1) is None:
        yield index_fault(
            "memory_fts_ranked", "the server's ranking cannot be read", "makes its index anew"
        )

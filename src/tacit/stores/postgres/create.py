"""Making the schema under an advisory lock: whoever comes first makes it, the others find it done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tacit.core.errors import NotAStore, Refused, StoreOther, Unavailable

if TYPE_CHECKING:
    from tacit.stores.postgres import PostgresStore

# What a role of the group may do; row-level security narrows it to the projects where it is admitted.
GRANTS = """
GRANT USAGE ON SCHEMA tacit TO {role};
GRANT SELECT ON meta, project, profile, memory, alias, journal, evidence, use, use_mark, tally, course, run, finding,
  tombstone, incident, proposal, queue, injection, counter, shared, extent, version TO {role};
"""
WRITING = """
GRANT INSERT, UPDATE, DELETE ON meta, memory, alias, evidence, use, use_mark, tally, course, run, finding, tombstone,
  incident, proposal, queue, injection, counter, shared TO {role};
GRANT INSERT, UPDATE ON project TO {role};
GRANT INSERT ON profile, journal TO {role};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA tacit TO {role};
"""
SERVER_SCHEMA = 14  # of schema.sql, and of servers that 0.2.0 brought up to date
READERS, WRITERS = "tacit_reader", "tacit_writer"


def prepare_schema(store: PostgresStore, create: bool) -> None:
    """See that the schema is the one we know."""
    version = _version(store)
    if version == SERVER_SCHEMA:
        return
    if version:
        newer = version > SERVER_SCHEMA
        raise StoreOther(
            f"{store.path} has schema {version}, and this version of Tacit works with schema {SERVER_SCHEMA} alone.",
            "Upgrade Tacit."
            if newer
            else "Its keeper runs tacit init with Tacit 0.2.0 once, which brings it up to date.",
        )
    if not create:
        raise Unavailable(
            f"There is no Tacit schema in {store.path}.",
            "tacit init --store URL makes it, as a user who may.",
        )
    if not store.one(_MAY_MAKE)[0]:
        raise Refused(
            f"{store.path} has no Tacit schema, and this user may not make it.",
            "Its keeper runs tacit init once (docs/howto/postgres.md).",
        )
    _make(store)


_MAY_MAKE = "SELECT has_database_privilege(current_database(), 'CREATE')"
_IS_OURS_ALONE = """
SELECT (SELECT pg_has_role(datdba, 'usage') FROM pg_database WHERE datname = current_database()) AND NOT EXISTS (
  SELECT 1 FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND s.nspname NOT IN ('tacit', 'information_schema') AND left(s.nspname, 3) <> 'pg_'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))
"""


def _version(store: PostgresStore) -> int:
    if store.one("SELECT to_regclass('tacit.version')")[0] is None:
        if store.one(
            "SELECT 1 FROM information_schema.tables WHERE table_schema = 'tacit' LIMIT 1"
        ):
            raise NotAStore(
                f"{store.path} has a schema named tacit that is not ours.", "Name another database."
            )
        return 0
    return int(store.one("SELECT max(number) FROM version")[0] or 0)


def _make(store: PostgresStore) -> None:
    with store.write() as tx:
        tx.rows("SELECT pg_advisory_xact_lock(hashtextextended('tacit schema', 0))")
        if _version(store):
            return
        tx.rows("CREATE SCHEMA IF NOT EXISTS tacit")
        tx.rows(
            "CREATE TABLE version (number integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
        )
        path = os.path.join(os.path.dirname(__file__), "schema.sql")
        with open(path, encoding="utf-8") as file:
            store._connection.execute(file.read().encode())
        tx.rows("INSERT INTO version (number) VALUES (:number)", number=SERVER_SCHEMA)
        if store.one("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")[
            0
        ]:
            _grant(store)


def _grant(store: PostgresStore) -> None:
    """The two groups; a server where we may not make roles goes without, and one role does everything."""
    for role, grants in ((READERS, GRANTS), (WRITERS, GRANTS + WRITING)):
        # They belong to all databases of the server: another one may be making them at this moment.
        store._connection.execute(
            f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$".encode()
        )
        store._connection.execute(grants.format(role=role).encode())
    # Everybody may make temporary tables in a database until that is taken back; nothing of ours needs one. One that others share keeps it.
    if store.one(_IS_OURS_ALONE)[0]:
        name = store.one("SELECT quote_ident(current_database())")[0]
        store._connection.execute(
            f"REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC, {READERS}, {WRITERS}".encode()
        )

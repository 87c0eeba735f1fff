"""Words that the server ranks itself, where it has an extension for that: `make test-postgres BM25=pg_textsearch` (or pg_search)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core import edits
from tacit.core.clock import now
from tacit.core.digest import new_id
from tacit.core.journal import Hand
from tacit.core.memory import Memory
from tacit.stores.check import check

psycopg = pytest.importorskip(
    "psycopg", reason="a store on PostgreSQL needs psycopg (the extra postgres)"
)

from tacit.stores.postgres import bm25  # noqa: E402

EXTENSIONS = ("pg_textsearch", "pg_search")


@pytest.fixture
def ranked(postgres_store: Any) -> Any:
    """A store whose server ranks words, opened by the owner of its tables, in which the projects p and q are ours."""
    if not postgres_store.one("SELECT to_regclass('tacit.memory_fts_ranked')")[0]:
        pytest.skip(
            "no BM25 extension on this server: make test-postgres BM25=pg_search brings one that has it"
        )
    return postgres_store


def put(store: Any, *texts: str, project: str = "p") -> list[str]:
    at = now()
    ids = [new_id() for _ in texts]
    with store.write() as tx:
        for id, text in zip(ids, texts):
            memory = Memory(
                id=id, project=project, text=text, created_at=at, updated_at=at, state="provisional"
            )
            tx.apply(edits.made(memory, Hand("ada", at), reason="said so"))
    return ids


def found(store: Any, *words: str, projects: tuple[str, ...] = ("p",), limit: int = 5) -> list[str]:
    return [hit.memory.id for hit in store.find(projects, words, limit=limit).hits]


def test_the_row_that_holds_both_common_words_is_found_however_old_it_is(
    postgres_store: Any,
) -> None:
    """With the extension and without it."""
    [both] = put(postgres_store, "The scheduler holds the lease of the worker.")
    for word in ("scheduler", "lease"):
        put(postgres_store, *(f"The {word} has number {number}." for number in range(420)))
    assert found(postgres_store, "scheduler", "lease", limit=1) == [both]


def test_a_project_finds_its_own_rows_and_counts_its_own_words(ranked: Any) -> None:
    [rare] = put(ranked, "The lease is renewed by the scheduler.")
    put(ranked, *(f"The scheduler has number {number}." for number in range(20)))
    theirs = put(ranked, *(f"A lease of number {number}." for number in range(50)), project="q")
    assert found(ranked, "lease") == [rare]
    assert set(found(ranked, "lease", projects=("q",))) <= set(theirs)
    # "lease" is rare here, however common it is elsewhere
    assert found(ranked, "scheduler", "lease", limit=1) == [rare]


def test_who_is_no_member_is_told_nothing(
    ranked: Any, postgres_template: str, postgres_address: Callable[[str], str]
) -> None:
    put(ranked, "The lease is renewed by the scheduler.")
    with psycopg.connect(postgres_address(f"{postgres_template}_app"), autocommit=True) as stranger:
        assert (
            stranger.execute("SELECT * FROM tacit.rows_like('p', ARRAY['leas'], 10)").fetchall()
            == []
        )
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            stranger.execute("SELECT said FROM tacit.memory_fts")


def test_a_changed_text_is_found_by_its_new_words_only(ranked: Any) -> None:
    [id] = put(ranked, "The lease is renewed by the scheduler.")
    with ranked.write() as tx:
        tx.apply(
            edits.edited(
                tx.get(id), {"text": "The claim is renewed by the worker."}, Hand("ada", now())
            )
        )
    assert found(ranked, "lease") == [] and found(ranked, "claim") == [id]
    assert check(ranked).faults == ()


def test_what_a_transaction_has_written_it_finds(ranked: Any) -> None:
    at = now()
    with ranked.write() as tx:
        memory = Memory(
            id=new_id(),
            project="p",
            text="The lease ends.",
            created_at=at,
            updated_at=at,
            state="provisional",
        )
        tx.apply(edits.made(memory, Hand("ada", at), reason="said so"))
        assert [hit.memory.id for hit in tx.find(("p",), ["lease"]).hits] == [memory.id]


@pytest.mark.parametrize(
    "word", ["名前", "naïve", "db/cache.py", "x_y", "C++", "''); DROP TABLE memory; --"]
)
def test_any_script_and_any_sign_is_a_word_like_others(ranked: Any, word: str) -> None:
    from tacit.stores.postgres.search import porter_words

    [id] = put(ranked, f"Think of {word} here.")
    put(ranked, "Something else.")
    assert found(ranked, word) == ([id] if porter_words(word) else [])


def test_without_the_extension_the_rarities_of_words_do(
    ranked: Any, postgres_admin: Any, postgres_database: str
) -> None:
    [id] = put(ranked, "The lease is renewed by the scheduler.")
    with _superuser(postgres_admin, postgres_database) as admin:
        name = _installed(admin)
        admin.execute(f"DROP EXTENSION {name} CASCADE")
    assert found(ranked, "lease") == [id]
    [later] = put(ranked, "Another lease.")
    with _superuser(postgres_admin, postgres_database) as admin:
        admin.execute(f"CREATE EXTENSION {name}")
    bm25.prepare_index(ranked, trusted={name: ()})
    assert ranked.one("SELECT to_regclass('tacit.memory_fts_ranked')")[0]
    assert set(found(ranked, "lease")) == {id, later}


def test_an_index_that_cannot_be_read_is_told_and_missed_by_nobody(ranked: Any) -> None:
    """Young extensions break. Recall goes on by the rarities of words, also inside a transaction; doctor tells, reindex makes it anew."""
    [id] = put(ranked, "The lease is renewed by the scheduler.")
    ranked.rows("ALTER FUNCTION rows_like RENAME TO rows_likely")
    ranked.rows(
        "CREATE FUNCTION rows_like(text, text[], integer) RETURNS TABLE (n bigint, score float8) LANGUAGE sql AS 'SELECT 1, 1.0 / 0'"
    )
    assert found(ranked, "lease") == [id]
    with ranked.write() as tx:
        assert [hit.memory.id for hit in tx.find(("p",), ["lease"]).hits] == [id]
        tx.apply(edits.edited(tx.get(id), {"text": "The lease ends."}, Hand("ada", now())))
    assert [fault.id for fault in check(ranked).faults] == ["memory_fts_ranked"]
    ranked.rows("DROP FUNCTION rows_like")
    bm25.prepare_index(ranked, anew=True, trusted=dict.fromkeys(EXTENSIONS, ()))
    assert check(ranked).faults == () and found(ranked, "lease") == [id]


def test_reindex_makes_it_of_an_extension_that_survives_a_kill_and_of_no_other(ranked: Any) -> None:
    [id] = put(ranked, "The lease is renewed by the scheduler.")
    name, version = ranked.one(
        "SELECT extname, extversion FROM pg_extension WHERE extname = ANY(:them)",
        them=list(EXTENSIONS),
    )
    ranked.rows("DROP INDEX memory_fts_ranked")
    with ranked.write() as tx:
        tx.reindex()
    trusted = tuple(map(int, version.split("."))) >= bm25.TRUSTED[name]
    assert bool(ranked.one("SELECT to_regclass('tacit.memory_fts_ranked')")[0]) is trusted
    assert found(ranked, "lease") == [id]


def _superuser(admin: Any, database: str) -> Any:
    return psycopg.connect(
        **{**admin.info.get_parameters(), "password": admin.info.password, "dbname": database},
        autocommit=True,
    )


def _installed(connection: Any) -> str:
    return str(
        connection.execute(
            "SELECT extname FROM pg_extension WHERE extname = ANY(%s)", [list(EXTENSIONS)]
        ).fetchone()[0]
    )

"""Single rows by what is known of them: by alias, signature, page, run."""

from __future__ import annotations

from tacit.core.value import dumps, loads
from tacit.store.lines import signers_of
from tacit.store.rows import HELD, name_key, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from tacit.core.links import Evidence
    from tacit.lesson import Lesson
    from tacit.store.reads import Reads


def by_alias(store: Reads, project: str, namespace: str, alias: str) -> str:
    """The memory that another system knows under a name; empty where there is none."""
    return store.meta(name_key(project, alias, namespace))


def held_of_late(store: Reads, project: str) -> int:
    """How many of the latest lessons of a project wait for a person's word; a bounded look, for whoever has nothing to give."""
    latest = "SELECT * FROM lesson WHERE project = ? ORDER BY created_at DESC LIMIT 2000"
    return int(store.one(f"SELECT count(*) FROM ({latest}) AS m WHERE {HELD}", project)[0])


def indexed(store: Reads, id: str) -> tuple[int, str]:
    """A lesson's number and the words beside its text that it is found by."""
    n, words = store.one("SELECT n, words FROM lesson WHERE id = ?", id)
    return n, words


def with_signature(store: Reads, project: str, signature: str) -> list[tuple[int, str]]:
    """Lessons of one error signature, with their numbers; ten at most."""
    where = "project = ? AND signature = ? AND signature <> ''"
    return store.rows(f"SELECT n, id FROM lesson WHERE {where} LIMIT 10", project, signature)


def signers(store: Reads, memories: Iterable[Lesson]) -> dict[str, str]:
    """Who signed the words of lessons that came from a team, as they stand; nobody where somebody here changed them."""
    texts = {memory.id: memory.text for memory in memories if memory.trust == "team"}
    found = {}
    for id, signer, text in signers_of(store, list(texts)):
        if text == texts[id]:
            found[id] = signer
    return {id: signer for id, signer in found.items() if signer}


def incidents(store: Reads, project: str) -> Iterator[Any]:
    """What earlier sessions noted as likely to come up again, in their order."""
    where = "project = ? AND instr(extra, '\"incidents\"') > 0 ORDER BY number"
    for (facts,) in store.rows(f"SELECT extra FROM session WHERE {where}", project):
        yield from loads(facts).get("incidents", ())


def unit_rows(
    store: Reads, units: Iterable[str]
) -> dict[str, list[tuple[str, str, Mapping[str, Any]]]]:
    """The settled sessions of these units, in their order: outcome, when settled, facts."""
    settled_at = said("extra", "settled_at")
    sql = (
        f'SELECT "group", outcome, {settled_at}, extra FROM session'
        ' WHERE "group" IN (SELECT value FROM json_each(?))'
        f" AND {settled_at} <> '' ORDER BY \"group\", number"
    )
    runs: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for root, outcome, at, facts in store.rows(sql, dumps([*units])):
        runs.setdefault(root, []).append((outcome, at, loads(facts)))
    return runs


def said_rows(store: Reads, project: str) -> list[Evidence]:
    """Evidence that a person had to say something: a habit's lines, and what a reader heard said again."""
    return store.evidence_where(
        "project = ? AND stance = 'supports'"
        " AND (place = 'look habits' OR place LIKE '%#said_again')",
        project,
    )


def evidence_in(store: Reads, runs: Iterable[str]) -> list[Evidence]:
    """What was seen in some sessions, in the order it was written."""
    where = "session IN (SELECT value FROM json_each(?)) AND session <> ''"
    return store.evidence_where(where, dumps(list(runs)))[:500]


def last_learned(store: Reads, project: str) -> str:
    """When the newest session was learned; empty where there is none."""
    sql = "SELECT learned_at FROM session WHERE project = ? ORDER BY number DESC LIMIT 1"
    row = store.one(sql, project)
    return str(row[0]) if row else ""


def withheld_in(store: Reads, project: str, run: str) -> frozenset[str]:
    """The lessons that are withheld in the unit of a run; none outside of one."""
    row = store.find_run(project, run) if run and project else None
    uses = store.uses(unit=row.root) if row else ()
    return frozenset(use.memory for use in uses if use.arm == "withheld")

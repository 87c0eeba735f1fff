"""Single rows by what is known of them: by alias, signature, page, run."""

from __future__ import annotations

from tacit.core.value import dumps, loads
from tacit.store.lines import signers_of
from tacit.store.statements import name_key

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
    """How many of the latest memories of a project the gate holds; a bounded look, for whoever has nothing to give."""
    latest = "SELECT gate, state FROM memory WHERE project = :p ORDER BY created_at DESC LIMIT 2000"
    sql = f"SELECT count(*) FROM ({latest}) AS latest WHERE gate = 'hold' AND state = 'waiting'"
    return int(store.one(sql, p=project)[0])


def indexed(store: Reads, id: str) -> tuple[int, str]:
    """A memory's number and the words beside its text that it is found by."""
    n, words = store.one("SELECT n, words FROM memory WHERE id = :id", id=id)
    return n, words


def with_signature(store: Reads, project: str, signature: str) -> list[tuple[int, str]]:
    """Memories of one error signature, with their numbers; ten at most."""
    sql = "SELECT n, id FROM memory WHERE project = :p AND signature = :s AND signature <> '' LIMIT 10"
    return store.rows(sql, p=project, s=signature)


CAME_BACK = (
    2  # sessions in which a problem came although its lesson was given, before a guard is offered
)


def used_often(store: Reads, project: str, times: int) -> list[str]:
    """Lessons of a project that were given or withheld so many times; those that never were are not looked at."""
    sql = "SELECT id FROM lesson WHERE project = :p AND nullif(counts, '') ->> '$.uses[0]' >= :n ORDER BY id"
    return [id for (id,) in store.rows(sql, p=project, n=float(times))]


def signers(store: Reads, memories: Iterable[Lesson]) -> dict[str, str]:
    """Who signed the words of lessons that came from a team, as they stand; nobody where somebody here changed them."""
    texts = {memory.id: memory.text for memory in memories if memory.trust == "team"}
    found = {}
    for id, signer, text in signers_of(store, list(texts)):
        if text == texts[id]:
            found[id] = signer
    return {id: signer for id, signer in found.items() if signer}


def incidents(store: Reads, project: str) -> Iterator[Any]:
    """What earlier runs noted as likely to come up again, in their order."""
    sql = "SELECT facts FROM run WHERE project = :project AND instr(facts, '\"incidents\"') > 0 ORDER BY seq"
    for (facts,) in store.rows(sql, project=project):
        yield from loads(facts).get("incidents", ())


def unit_rows(
    store: Reads, units: Iterable[str]
) -> dict[str, list[tuple[str, str, Mapping[str, Any]]]]:
    """The settled runs of these units, in their order: outcome, when settled, facts."""
    sql = (
        "SELECT root, outcome, settled_at, facts FROM run"
        " WHERE root IN (SELECT value FROM json_each(:units))"
        " AND settled_at <> '' ORDER BY root, seq"
    )
    runs: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for root, outcome, at, facts in store.rows(sql, units=dumps([*units])):
        runs.setdefault(root, []).append((outcome, at, loads(facts or "{}")))
    return runs


def said_rows(store: Reads, project: str) -> list[Evidence]:
    """Evidence that a person had to say something: a habit's lines, and what a reader heard said again."""
    from tacit.core.links import Evidence

    where = (
        "project = :project AND stance = 'supports'"
        " AND (place = 'look habits' OR place LIKE '%#said_again') ORDER BY n"
    )
    return store.values_of(Evidence, where, project=project)


def evidence_in(store: Reads, runs: Iterable[str]) -> list[Evidence]:
    """What was seen in some runs, in the order it was written."""
    from tacit.core.links import Evidence

    where = "run IN (SELECT value FROM json_each(:runs)) AND run <> '' ORDER BY n LIMIT 500"
    return store.values_of(Evidence, where, runs=dumps(list(runs)))


def last_learned(store: Reads, project: str) -> str:
    """When the newest run was learned; empty where there is none."""
    row = store.one(
        "SELECT learned_at FROM run WHERE project = :p ORDER BY seq DESC LIMIT 1", p=project
    )
    return str(row[0]) if row else ""

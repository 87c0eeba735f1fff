"""Does what is stored hold together? `check(store)` re-derives every hash, chain, seal and tally; nothing else would notice.

SQLite's own integrity check sees broken pages, not a changed byte in a text. Each truth row carries a SHA-256;
entries are chained and numbered; the seals tell when a whole chain vanished. A fault names the row, so that repair
and a person know where to look.
"""

from __future__ import annotations

import json

from tacit.core.errors import Damaged
from tacit.core.journal import GENESIS, SHARDS, entry_hash, payload_digest, shard_of, xor
from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, USE_COLUMNS, link_hash, tally_of
from tacit.core.memory import DECIDED, row_hash
from tacit.core.proposal import Proposal
from tacit.core.value import value
from tacit.stores.sql import HEADER, SEALED, FindingRow, RunRow, _row_seal, seal_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from tacit.core.memory import Tally
    from tacit.core.profile import Signals
    from tacit.stores.sqlite import SqliteStore


@value
class Fault:
    """One thing that does not verify."""

    kind: str  # file, memory, journal, seal, evidence, use, mark, run, finding, proposal, tally, index
    id: str
    detail: str


@value
class Health:
    """What was checked, and what is wrong with it."""

    faults: tuple[Fault, ...]
    checked: dict[str, int]

    @property
    def is_sound(self) -> bool:
        """Nothing was found."""
        return not self.faults


def check(store: SqliteStore, *, rule: Callable[[str], str | Signals] = lambda project: "none", limit: int = 1000) -> Health:
    """Verify everything. `rule` names the confidence fold of a project's profile."""
    checked: dict[str, int] = {}
    faults: list[Fault] = []
    seals: dict[tuple[str, str, int], tuple[int, bytes]] = {}

    def seal(project: str, kind: str, memory: str, hash: bytes) -> None:
        at = (project, kind, shard_of(memory))
        rows, sum_ = seals.get(at, (0, GENESIS))
        seals[at] = (rows + 1, xor(sum_, hash))

    steps: tuple[Callable[[], Iterator[Fault]], ...] = (
        lambda: store.file_faults(),
        lambda: _memories(store, checked),
        lambda: _chains(store, checked, seal),
        lambda: _links(store, checked, seal),
        lambda: _rows(store, checked),
        lambda: _unhashed(store, checked, seals),
        lambda: _seals(store, seals),
        lambda: _tallies(store, checked, rule),
        lambda: _strays(store),
        lambda: store.index_faults(),
    )
    for step in steps:
        try:
            for fault in step():
                faults.append(fault)
                if len(faults) >= limit:
                    return Health(tuple(faults), checked)
        except Damaged as error:  # busy, a full disk or an I/O error is no damage: it comes up as what it is
            faults.append(Fault("file", store.path, error.message))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            faults.append(Fault("file", store.path, f"a row cannot be read: {error}"))
    return Health(tuple(faults), checked)


def rule_of(store: SqliteStore) -> Callable[[str], str | Signals]:
    """By which rule a project's confidence is folded: that of the profile version in force there."""
    from tacit.core.profile import Profile

    rules: dict[str, str | Signals] = {}

    def rule(project: str) -> str | Signals:
        if project not in rules:
            row = store.project(project)
            compiled = store.profile_json(row.profile) if row else None
            # Whatever format it was compiled in: it says how the tallies that stand here were folded.
            rules[project] = Profile(json.loads(compiled)).signals if compiled else "none"
        return rules[project]

    return rule


def _memories(store: SqliteStore, checked: dict[str, int]) -> Iterator[Fault]:
    columns = ", ".join(DECIDED)
    for *row, sealed in store.each(f"SELECT {columns}, hash FROM memory"):
        checked["memory"] = checked.get("memory", 0) + 1
        if row_hash(tuple(row)) != sealed:
            yield Fault("memory", str(row[0]), "the row is not what was written: its hash differs")


def _chains(
    store: SqliteStore, checked: dict[str, int], seal: Callable[[str, str, str, bytes], None]
) -> Iterator[Fault]:
    sealed_rows = dict(store.rows("SELECT id, hash FROM memory"))
    last: dict[str, tuple[int, bytes, bytes]] = {}
    columns = ", ".join(HEADER)
    for id, *rest in store.each(
        f"SELECT id, {columns}, payload, salt, digest, row, hash FROM journal ORDER BY memory, n"
    ):
        header, (said, salt, digest, row, link) = tuple(rest[: len(HEADER)]), rest[len(HEADER) :]
        memory, n, project = header[0], header[1], header[2]
        checked["journal"] = checked.get("journal", 0) + 1
        number, previous, _ = last.get(memory, (0, GENESIS, b""))
        if n != number + 1:
            yield Fault("journal", memory, f"entry {number + 1} of its chain is missing")
        elif entry_hash(previous, header, digest, row) != link:
            yield Fault("journal", memory, f"entry {id} does not follow from the one before it")
        if said and payload_digest(salt, said) != digest:
            yield Fault("journal", memory, f"what entry {id} says is not what was written")
        last[memory] = (n, link, row)
        seal(project, "journal", memory, link)
    for memory, (_, _, row) in last.items():
        if memory not in sealed_rows:
            yield Fault("memory", memory, "its journal is there, its row is gone")
        elif sealed_rows[memory] != row:
            yield Fault("memory", memory, "its row is not the one its last journal entry left")
    for memory in sealed_rows.keys() - last.keys():
        yield Fault("journal", memory, "it has no journal")


def _links(
    store: SqliteStore, checked: dict[str, int], seal: Callable[[str, str, str, bytes], None]
) -> Iterator[Fault]:
    for kind, table, columns in (
        ("evidence", "evidence", EVIDENCE_COLUMNS),
        ("use", "use", USE_COLUMNS),
        ("mark", "use_mark", MARK_COLUMNS),
    ):
        memory_at, project_at = columns.index("memory"), columns.index("project")
        for *row, sealed in store.each(f"SELECT {', '.join(columns)}, hash FROM {table}"):
            checked[kind] = checked.get(kind, 0) + 1
            if link_hash(tuple(row)) != sealed:
                yield Fault(kind, str(row[memory_at]), f"a row of its {table} table is not what was written")
            seal(row[project_at], kind, row[memory_at], sealed)


def _rows(store: SqliteStore, checked: dict[str, int]) -> Iterator[Fault]:
    tables: tuple[tuple[str, tuple[str, ...], str], ...] = (
        ("run", RunRow.FIELDS, "id"),  # type: ignore[attr-defined]
        ("finding", FindingRow.FIELDS, "key"),  # type: ignore[attr-defined]
        ("proposal", Proposal.FIELDS, "id"),  # type: ignore[attr-defined]
    )
    for table, columns, key in tables:
        for *row, sealed in store.each(f"SELECT {', '.join(columns)}, hash FROM {table}"):
            named: dict[str, Any] = dict(zip(columns, row))
            checked[table] = checked.get(table, 0) + 1
            if _row_seal(table, named) != sealed:
                yield Fault(table, str(named[key]), "the row is not what was written: its hash differs")


def _unhashed(
    store: SqliteStore, checked: dict[str, int], seals: dict[tuple[str, str, int], tuple[int, bytes]]
) -> Iterator[Fault]:
    """Tables whose rows carry no hash: their seals tell that one differs, not which; what they point at may tell."""
    for table, (columns, _) in SEALED.items():
        for row in store.each(f"SELECT {', '.join(columns)} FROM {table}"):
            checked[table] = checked.get(table, 0) + 1
            named = dict(zip(columns, row))
            at = (seal_project(table, named), table, 0)
            rows, sum_ = seals.get(at, (0, GENESIS))
            seals[at] = (rows + 1, xor(sum_, _row_seal(table, named)))
    yield from ()


def _seals(store: SqliteStore, found: dict[tuple[str, str, int], tuple[int, bytes]]) -> Iterator[Fault]:
    kept = {
        (p, k, s): (rows, sum_)
        for p, k, s, rows, sum_ in store.rows("SELECT project, kind, shard, rows, xor FROM seal")
    }
    for at in sorted(kept.keys() | found.keys()):
        was, is_ = kept.get(at, (0, GENESIS)), found.get(at, (0, GENESIS))
        if was != is_ and (store.is_whole or at[0]):  # shared rows of projects that are hidden from us are missing here
            project, kind, shard = at
            gone = was[0] - is_[0]
            told = (
                f"{gone} rows vanished" if gone > 0 else f"{-gone} rows appeared" if gone < 0 else "rows were exchanged"
            )
            yield Fault("seal", project, f"{kind}: {told} (shard {shard} of {SHARDS})")


def _tallies(store: SqliteStore, checked: dict[str, int], rule: Callable[[str], str | Signals]) -> Iterator[Fault]:
    linked = store.rows(
        "SELECT id, project FROM memory WHERE id IN (SELECT memory FROM evidence UNION SELECT memory FROM use"
        " UNION SELECT memory FROM use_mark UNION SELECT memory FROM tally)"
    )
    for memory, project in linked:
        checked["tally"] = checked.get("tally", 0) + 1
        kept = store.get(memory).tally
        folded = tally_of(
            store.evidence(memory), store.uses(memory=memory), store.marks(memory=memory), rule(project), kept
        )
        is_, was = _rounded(folded), _rounded(kept)
        if is_ != was:
            differ = [name for name in is_ if is_[name] != was[name]]
            yield Fault("tally", memory, f"{', '.join(differ)} do not add up; tacit reindex rebuilds them")


def _rounded(tally: Tally) -> dict[str, Any]:
    """To nine places: another machine's logarithms may differ in the last ones."""
    told = {**tally.__dict__, "signals": {name: round(amount, 9) for name, amount in (tally.signals or {}).items()}}
    return {name: round(field, 9) if isinstance(field, float) else field for name, field in told.items()}


def _strays(store: SqliteStore) -> Iterator[Fault]:
    """Tallies of nothing, or under a project that is none."""
    strays = store.rows(
        "SELECT DISTINCT memory FROM tally WHERE memory NOT IN (SELECT id FROM memory)"
        " OR (project NOT IN (SELECT id FROM project) AND project NOT IN (SELECT project FROM memory))"
    )
    for (memory,) in strays:
        yield Fault("tally", memory, "it is counted under a memory or a project that is none; tacit reindex rebuilds it")


def counts(store: SqliteStore, project: str) -> dict[str, dict[str, int]]:
    """How many memories a project has, by state, kind, category, trust and gate."""
    found: dict[str, dict[str, int]] = {}
    for column in ("state", "kind", "category", "trust", "gate", "verdict"):
        found[column] = dict(
            store.rows(
                f"SELECT {column}, count(*) FROM memory WHERE project = :p GROUP BY 1 ORDER BY 2 DESC, 1", p=project
            )
        )
    return found

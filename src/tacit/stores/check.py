"""Does what is stored hold together? `check(store)` re-derives every hash, chain, seal and tally; nothing else would notice.

SQLite's own integrity check sees broken pages, not a changed byte in a text. Each truth row carries a SHA-256;
entries are chained and numbered; the seals tell when a whole chain vanished. A fault names the row, so that repair
and a person know where to look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.digest import GENESIS, SHARDS, shard_of, xor
from tacit.core.errors import Damaged, NotFound
from tacit.core.journal import entry_hash, payload_digest
from tacit.core.links import link_hash, measured_since
from tacit.core.memory import Tally, row_hash
from tacit.core.profile import Profile
from tacit.core.rows import Fault
from tacit.core.value import value
from tacit.stores.lookups import settled_units
from tacit.stores.shared import is_sound
from tacit.stores.sql_rows import HEADER, SEALED, row_seal, seal_project
from tacit.stores.tables import BY_NAME, table_rows
from tacit.trial.effect import course_from_json
from tacit.trial.run_outcomes import RUN_FAILED, settled_uses
from tacit.trial.table import by_epoch, tabulate, trials_from
from tacit.trial.tally import tally_of

if TYPE_CHECKING:
    from tacit.core.exchange import Read
    from tacit.stores.sql import Store


@value
class Health:
    """What was checked, and what is wrong with it."""

    faults: tuple[Fault, ...]
    checked: dict[str, int]

    @property
    def is_sound(self) -> bool:
        """Nothing was found."""
        return not self.faults


def check(
    store: Store,
    *,
    rule: Callable[[str], str] = lambda project: "none",
    index: Callable[[Sequence[Fault]], Iterator[Fault]] | None = None,
    limit: int = 1000,
) -> Health:
    """Verify everything. `rule` names the confidence fold of a project's profile; `index` looks at full text otherwise than
    word by word, and is given what was found before."""
    checked: dict[str, int] = {}
    faults: list[Fault] = []
    truth = _Truth(
        lambda table: table_rows(store, table, ("memory", "n") if table.name == "journal" else ()),
        checked,
    )
    truth.hashes = lambda: dict(store.rows("SELECT id, hash FROM memory"))
    truth.is_whole = store.is_whole
    steps: tuple[Callable[[], Iterator[Fault]], ...] = (
        store.file_faults,
        *truth.steps,
        lambda: _tallies(store, checked, rule),
        lambda: _courses(store),
        lambda: _strays(store),
        lambda: store.index_faults() if index is None else index(faults),
    )
    for step in steps:
        try:
            for fault in step():
                faults.append(fault)
                if len(faults) >= limit:
                    return Health(tuple(faults), checked)
        except (Damaged, NotFound) as error:  # an index may hide a row that is there
            # Busy, a full disk or an I/O error is no damage: it comes up as what it is.
            faults.append(Fault("file", store.path, error.message))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            faults.append(Fault("file", store.path, f"a row cannot be read: {error}"))
    return Health(tuple(faults), checked)


def rule_of(store: Store) -> Callable[[str], str]:
    """By which rule a project's confidence is folded: that of the profile version in force there."""
    rules: dict[str, str] = {}

    def rule(project: str) -> str:
        if project not in rules:
            row = store.project(project)
            compiled = store.profile_json(row.profile) if row else None
            # Whatever format it was compiled in: it says how the tallies that stand here were folded.
            rules[project] = (
                Profile(json.loads(compiled)).signals.confidence if compiled else "none"
            )
        return rules[project]

    return rule


class _Truth:
    """Every hash, chain and seal of truth rows, derived again; from a store's tables."""

    def __init__(self, read: Read, checked: dict[str, int]) -> None:
        self.read = read
        self.checked = checked
        self.is_whole = True
        self._hashes: dict[str, bytes] = {}
        self._seals: dict[tuple[str, str, int], tuple[int, bytes]] = {}
        self.hashes: Callable[[], dict[str, bytes]] = lambda: self._hashes  # of the memories' rows
        self.steps = (
            self._memories,
            self._chains,
            self._links,
            self._rows,
            self._shared,
            self._unhashed,
            self._compare,
        )

    def _each(self, table: str, kind: str = "") -> Iterator[Any]:
        kind = kind or table
        for row in self.read(BY_NAME[table]):
            self.checked[kind] = self.checked.get(kind, 0) + 1
            yield row

    def seal(self, project: str, kind: str, shard: int, hash: bytes) -> None:
        rows, sum_ = self._seals.get((project, kind, shard), (0, GENESIS))
        self._seals[project, kind, shard] = (rows + 1, xor(sum_, hash))

    def _memories(self) -> Iterator[Fault]:
        for _, *row, sealed in self._each("memory"):
            self._hashes[row[0]] = sealed
            if row_hash(tuple(row)) != sealed:
                yield Fault(
                    "memory", str(row[0]), "the row is not what was written: its hash differs"
                )

    def _chains(self) -> Iterator[Fault]:
        last: dict[str, tuple[int, bytes, bytes]] = {}
        for id, *rest in self._each("journal"):
            header, (said, salt, digest, row, link) = (
                tuple(rest[: len(HEADER)]),
                rest[len(HEADER) :],
            )
            memory, n, project = header[0], header[1], header[2]
            number, previous, _ = last.get(memory, (0, GENESIS, b""))
            if n != number + 1:
                yield Fault("journal", memory, f"entry {number + 1} of its chain is missing")
            elif entry_hash(previous, header, digest, row) != link:
                yield Fault("journal", memory, f"entry {id} does not follow from the one before it")
            if said and payload_digest(salt, said) != digest:
                yield Fault("journal", memory, f"what entry {id} says is not what was written")
            last[memory] = (n, link, row)
            self.seal(project, "journal", shard_of(memory), link)
        sealed_rows = self.hashes()
        for memory, (_, _, row) in last.items():
            if memory not in sealed_rows:
                yield Fault("memory", memory, "its journal is there, its row is gone")
            elif sealed_rows[memory] != row:
                yield Fault("memory", memory, "its row is not the one its last journal entry left")
        for memory in sealed_rows.keys() - last.keys():
            yield Fault("journal", memory, "it has no journal")

    def _links(self) -> Iterator[Fault]:
        for name in ("evidence", "use", "use_mark"):
            table = BY_NAME[name]
            kind, numbered = table.seal, int(bool(table.number))
            memory_at, project_at = table.hashed.index("memory"), table.hashed.index("project")
            for whole in self._each(name, kind):
                row, sealed = whole[numbered:-1], whole[-1]
                if link_hash(tuple(row)) != sealed:
                    yield Fault(
                        kind,
                        str(row[memory_at]),
                        f"a row of its {name} table is not what was written",
                    )
                self.seal(row[project_at], kind, shard_of(row[memory_at]), sealed)

    def _rows(self) -> Iterator[Fault]:
        for table, key in (
            ("run", "id"),
            ("finding", "key"),
            ("proposal", "id"),
            ("incident", "mark"),
        ):
            columns = BY_NAME[table].columns[:-1]
            for *row, sealed in self._each(table):
                named: dict[str, Any] = dict(zip(columns, row))
                # those of schema 10 carry none
                if row_seal(table, named) != sealed and (sealed or table != "incident"):
                    yield Fault(
                        table, str(named[key]), "the row is not what was written: its hash differs"
                    )

    def _shared(self) -> Iterator[Fault]:
        """Lines of the team's journal, where the store keeps any."""
        columns = BY_NAME["shared"].columns
        for row in self._each("shared"):
            line = dict(zip(columns, row))
            if not is_sound(line):
                yield Fault(
                    "shared",
                    str(line["memory"]),
                    f"line {line['id']} of the team's journal is not what was written",
                )

    def _unhashed(self) -> Iterator[Fault]:
        """Tables whose rows carry no hash: their seals tell that one differs, not which; what they point at may tell."""
        for table, (columns, _) in SEALED.items():
            for row in self._each(table):
                named = dict(zip(columns, row))
                self.seal(seal_project(table, named), table, 0, row_seal(table, named))
        yield from ()

    def _compare(self) -> Iterator[Fault]:
        kept = {(p, k, s): (rows, sum_) for p, k, s, rows, sum_ in self.read(BY_NAME["seal"])}
        for at in sorted(kept.keys() | self._seals.keys()):
            was, is_ = kept.get(at, (0, GENESIS)), self._seals.get(at, (0, GENESIS))
            # shared rows of projects that are hidden from us are missing here
            if was != is_ and (self.is_whole or at[0]):
                project, kind, shard = at
                gone = was[0] - is_[0]
                told = (
                    f"{gone} rows vanished"
                    if gone > 0
                    else f"{-gone} rows appeared"
                    if gone < 0
                    else "rows were exchanged"
                )
                yield Fault("seal", project, f"{kind}: {told} (shard {shard} of {SHARDS})")


def _tallies(store: Store, checked: dict[str, int], rule: Callable[[str], str]) -> Iterator[Fault]:
    linked = store.rows(
        "SELECT id, project FROM memory WHERE id IN (SELECT memory FROM evidence UNION SELECT memory FROM use"
        " UNION SELECT memory FROM use_mark UNION SELECT memory FROM tally)"
    )
    for memory, project in linked:
        checked["tally"] = checked.get("tally", 0) + 1
        kept = store.get(memory).tally
        folded = tally_of(
            store.evidence(memory),
            store.uses(memory=memory),
            store.marks(memory=memory),
            rule(project),
            kept,
        )
        is_, was = _rounded(folded), _rounded(kept)
        if is_ != was:
            differ = [name for name in is_ if is_[name] != was[name]]
            yield Fault(
                "tally", memory, f"{', '.join(differ)} do not add up; tacit reindex rebuilds them"
            )


def _rounded(tally: Tally) -> dict[str, Any]:
    """To nine places: another machine's logarithms may differ in the last ones."""
    told = {
        **tally.__dict__,
        "signals": {name: round(amount, 9) for name, amount in (tally.signals or {}).items()},
    }
    return {
        name: round(field, 9) if isinstance(field, float) else field for name, field in told.items()
    }


def _courses(store: Store) -> Iterator[Fault]:
    """What each lesson on trial has come to, against the uses that were settled."""
    kept: dict[str, dict[str, str]] = {}
    for memory, epoch, course in store.rows("SELECT memory, epoch, kept FROM course"):
        kept.setdefault(memory, {})[epoch] = course
    for memory, courses in kept.items():
        uses, marks = store.uses(memory=memory), store.marks(memory=memory)
        past = by_epoch(trials_from(uses, marks))
        if RUN_FAILED in courses:
            past[RUN_FAILED] = settled_uses(
                uses,
                settled_units(store, {use.unit for use in uses}),
                measured_since(marks),
            )
        for epoch, course in courses.items():
            try:
                told = course_from_json(course).table
            except (ValueError, TypeError, KeyError, AttributeError):
                told = None
            if told != tabulate(past.get(epoch, ())):
                yield Fault(
                    "tally",
                    memory,
                    "the counts of its trial do not add up; tacit reindex rebuilds them",
                )


def _strays(store: Store) -> Iterator[Fault]:
    """Tallies of nothing, or under a project that is none."""
    strays = store.rows(
        "SELECT DISTINCT memory FROM tally WHERE memory NOT IN (SELECT id FROM memory)"
        " OR (project NOT IN (SELECT id FROM project) AND project NOT IN (SELECT project FROM memory))"
    )
    for (memory,) in strays:
        yield Fault(
            "tally",
            memory,
            "it is counted under a memory or a project that is none; tacit reindex rebuilds it",
        )


def counts(store: Store, project: str) -> dict[str, dict[str, int]]:
    """How many memories a project has, by state, kind, category, trust and gate."""
    columns = ("state", "kind", "category", "trust", "gate", "verdict")
    return {column: dict(store.counted([project], (column,))) for column in columns}

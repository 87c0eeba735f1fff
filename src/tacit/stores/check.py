"""Does what is stored hold together? The file by SQLite's own check, and what is derived from rows by deriving it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.errors import Damaged, NotFound
from tacit.core.memory import Tally
from tacit.core.profile import confidence_rule
from tacit.core.rows import Fault
from tacit.core.tally import tally_of
from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.stores.sql import Store

COUNTED = ("memory", "journal", "evidence", "run", "use", "incident")  # tables that doctor counts


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
    """Look through the file and all that is derived. `rule` names the confidence fold of a project's
    profile; `index` looks at full text otherwise than word by word, and is given what was found before."""
    faults: list[Fault] = []
    checked: dict[str, int] = {}
    steps: tuple[Callable[[], Iterator[Fault]], ...] = (
        store.file_faults,
        lambda: _counted(store, checked),
        lambda: _tallies(store, checked, rule),
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
    """By which rule a project's confidence is folded: that of the way of remembering in force there."""
    rules: dict[str, str] = {}

    def rule(project: str) -> str:
        if project not in rules:
            row = store.project(project)
            kept = store.profile_json(row.profile) if row else None
            rules[project] = confidence_rule(kept)
        return rules[project]

    return rule


def _counted(store: Store, checked: dict[str, int]) -> Iterator[Fault]:
    """How many rows there are of what people ask about."""
    for table in COUNTED:
        checked[table] = store.one(f"SELECT count(*) FROM {table}")[0]
    yield from ()


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
                "tally",
                memory,
                f"{', '.join(differ)} do not add up; tacit doctor --repair rebuilds them",
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
            "it is counted under a memory or a project that is none; tacit doctor --repair rebuilds it",
        )


def counts(store: Store, project: str) -> dict[str, dict[str, int]]:
    """How many memories a project has, by state, kind, category, trust and gate."""
    columns = ("state", "kind", "category", "trust", "gate", "verdict")
    return {column: dict(store.counted([project], (column,))) for column in columns}

"""Does what is stored hold together? The file by SQLite's own check, and what is derived from rows by deriving it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.errors import Damaged, NotFound
from tacit.core.profile import confidence_rule
from tacit.core.rows import Fault, index_fault
from tacit.core.tally import tally_of
from tacit.core.value import value
from tacit.lesson import Tally
from tacit.store.backup import file_faults, index_faults
from tacit.store.rows import LINE, SIGHTING

if TYPE_CHECKING:
    from tacit.store.reads import Store

# What doctor counts, and the rows that are that.
COUNTED = {
    "memory": "lesson",
    "journal": f"journal WHERE verb <> '{LINE}'",
    "evidence": f"evidence WHERE {SIGHTING}",
    "run": "session",
    "use": "delivery WHERE lesson <> ''",
    "incident": "failure",
}


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
    limit: int = 1000,
) -> Health:
    """Look through the file and all that is derived. `rule` names the confidence fold of a project's profile."""
    faults: list[Fault] = []
    checked: dict[str, int] = {}
    try:
        faults += [Fault("file", store.path, each) for each in file_faults(store)]
        for name, table in COUNTED.items():
            checked[name] = store.one(f"SELECT count(*) FROM {table}")[0]
        faults += _tallies(store, checked, rule)
        faults += [index_fault("lesson_fts", each, "rebuilds it") for each in index_faults(store)]
    except (Damaged, NotFound) as error:  # an index may hide a row that is there
        # Busy, a full disk or an I/O error is no damage: it comes up as what it is.
        faults.append(Fault("file", store.path, error.message))
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        faults.append(Fault("file", store.path, f"a row cannot be read: {error}"))
    return Health(tuple(faults[:limit]), checked)


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


def _tallies(store: Store, checked: dict[str, int], rule: Callable[[str], str]) -> Iterator[Fault]:
    linked = store.rows(
        "SELECT id, project FROM lesson WHERE counts <> '' OR id IN"
        " (SELECT lesson FROM evidence UNION SELECT lesson FROM delivery)"
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


TRUTH = "project lesson journal evidence delivery session failure question setting".split()


def all_rows(store: Store, table: str) -> list[tuple[Any, ...]]:
    """Every row of a table, in the order of its key."""
    return [tuple(row) for row in store.each(f"SELECT * FROM {table} ORDER BY 1, 2")]

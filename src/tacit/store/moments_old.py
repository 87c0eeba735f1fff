"""What a hook reads of a store at a moment, and what it writes down before it answers.

Plain tuples, in the order of the columns named here: a hook starts Python for each prompt and does not load values
that need `dataclasses`. Hooks load this module.
"""

from __future__ import annotations

from tacit.core.value import dumps, loads
from tacit.store.search import TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from tacit.store.file import Store, Transaction

PROJECT = ("id", "name", "root", "key", "remote", "origin", "trial_key")
DELIVERED = ("lesson", "context", "event", "moment", "arm", "probability", "family", "tokens")
KEPT = (
    *("lesson", "project", "session", "group", "context", "event", "moment", "arm"),
    *("probability", "family", "tokens", "at", "outcome", "loss", "settled_at", "extra"),
)


class Candidate:
    """A lesson that may be delivered, as moments see it."""

    __slots__ = (
        *("n", "id", "project", "text", "kind", "about", "files", "sign", "sign_in", "word", "by"),
        *("always", "family", "guard", "step", "extra", "met"),
    )

    def __init__(self, row: Sequence[Any]) -> None:
        (self.n, self.id, self.project, self.text, self.kind, self.about, files, self.sign) = row[
            :8
        ]
        (self.sign_in, self.word, self.by, always, self.family, self.guard, self.step) = row[8:15]
        self.files: tuple[str, ...] = tuple(loads(files)) if files else ()
        self.always = bool(always)
        self.extra: Mapping[str, Any] = loads(row[15]) if row[15] else {}
        self.met = int(row[16])  # session groups that vouch for it


_CANDIDATES = (
    "SELECT m.n, m.id, m.project, m.text, m.kind, m.about, m.files, m.sign, m.sign_in, m.word, m.by,"
    " m.always, m.family, m.guard, m.step, m.extra,"
    " (SELECT count(DISTINCT nullif(e.\"group\", '')) + coalesce(total(CASE WHEN e.session = ''"
    " THEN e.amount END), 0) FROM evidence e"
    " WHERE e.lesson = m.id AND e.stance = 'supports' AND e.measure = '')"
    " FROM lesson m WHERE m.n IN (SELECT value FROM json_each(?))"
)


def candidates(store: Store, numbers: Iterable[int], *, told: bool = True) -> list[Candidate]:
    """These lessons in this order; with `told`, only those that may be delivered."""
    wanted = list(numbers)
    rows = store.rows(_CANDIDATES + (TOLD if told else ""), dumps(wanted))
    found = {row[0]: Candidate(row) for row in rows}
    return [found[n] for n in wanted if n in found]


def projects(store: Store) -> list[dict[str, Any]]:
    """All projects, for a folder to find its own."""
    rows = store.rows(f"SELECT {', '.join(PROJECT)} FROM project ORDER BY id")
    return [dict(zip(PROJECT, row)) for row in rows]


def delivered(store: Store, group: str) -> list[dict[str, Any]]:
    """What a session group was delivered or denied, the oldest first: nothing is told twice in a context."""
    rows = store.rows(
        f'SELECT {", ".join(DELIVERED)} FROM delivery WHERE "group" = ? ORDER BY n', group
    )
    return [dict(zip(DELIVERED, row)) for row in rows]


def record(tx: Transaction, made: Iterable[Mapping[str, Any]]) -> None:
    """Write down what is about to be told and what was held out; what is not named is empty."""
    names = ", ".join(f'"{name}"' for name in KEPT)
    marks = ", ".join("?" * len(KEPT))
    for each in made:
        row = [each.get(name, _EMPTY.get(name, "")) for name in KEPT]
        tx.rows(f"INSERT INTO delivery ({names}) VALUES ({marks})", *row)


_EMPTY: Mapping[str, Any] = {"probability": 0.0, "tokens": 0, "loss": 0.0}


def common(store: Store, project: str) -> dict[str, int]:
    """Words, names and commands that many sessions of a project use, and how many."""
    return dict(store.rows("SELECT what, count FROM common WHERE project = ?", project))

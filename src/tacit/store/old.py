"""A store of 0.2.0, read once and never touched: its lessons, their journal, evidence, deliveries, sessions and questions.

The history is folded entry by entry and told in today's words, so `why`, undo and `list --as-of` reach back behind the
import. What has no place of its own stands in a lesson's `extra`: its former state as `stage`, the rest under `was`.
Not taken: counters, tallies and full text, which are counted here anew; what a run noticed beside failures; the team's
lines, which the team's remote brings.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from tacit.core.errors import Damaged, NoFile, NotAStore, StoreOther
from tacit.core.states import ACTIVE, UNDOUBTED, WAITING
from tacit.lesson import Lesson
from tacit.store import rows
from tacit.store.file import APPLICATION, SCHEMA, Transaction, as_tacit_error, quoted
from tacit.store.writes import NEW, STANCES, UNJOURNALED, enter, insert, put_lesson

OLD_SCHEMA = 16  # PRAGMA user_version of a store of 0.2.0

STATES = {
    "candidate": "waiting",
    "provisional": "active",
    "stable": "active",
    "canonical": "active",
    "under_review": "doubted",
    "decayed": "gone",
    "superseded": "gone",
    "archived": "gone",
    "rejected": "gone",
}
SIGHTING = "seen"  # the signal that a sighting had


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import brought."""

    lessons: int
    known: int  # lessons that were here already, and stayed as they are
    entries: int
    evidence: int
    deliveries: int
    sessions: int
    failures: int
    questions: int
    projects: tuple[str, ...]


class OldStore:
    """The old file, opened for reading at one moment of it."""

    def __init__(self, path: str) -> None:
        if not os.path.isfile(path):
            raise NoFile(f"{path} is no file, so no store of 0.2.0.", "Name the old tacit.db.")
        self.path = path
        logged = os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal")
        # With nothing in its log the file is all there is: no lock, and nothing is made beside it.
        address = f"file:{quoted(path)}?mode=ro{'' if logged else '&immutable=1'}"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            self._connection = apsw.Connection(address, flags=flags)
            self._connection.execute("BEGIN")
            version, ours = (
                self._connection.execute(f"PRAGMA {what}").fetchall()[0][0]
                for what in ("user_version", "application_id")
            )
        except apsw.Error as error:
            raise as_tacit_error(error, path, "reading") from error
        if ours != APPLICATION:
            raise NotAStore(f"{path} is no store of Tacit.", "Name the old tacit.db.")
        if version == SCHEMA:
            raise StoreOther(
                f"{path} is a store of this version.", f"Use it as it is: TACIT_STORE={path}."
            )
        if version != OLD_SCHEMA:
            raise StoreOther(
                f"{path} has schema {version}; those of 0.2.0 have {OLD_SCHEMA}.",
                "Open it once with Tacit 0.2.0, which brings it up to date.",
            )

    def each(self, table: str, order: str) -> Iterator[dict[str, Any]]:
        """The rows of a table, by the names of their columns."""
        try:
            cursor = self._connection.execute(f"SELECT * FROM {table} ORDER BY {order}")
            for row in cursor:
                yield dict(zip((name for name, _ in cursor.get_description()), row))
        except apsw.Error as error:
            raise Damaged(
                f"{self.path} is damaged: {error}.",
                "Let Tacit 0.2.0 repair it first (tacit doctor --repair).",
            ) from error

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()


def take_in(tx: Transaction, old: OldStore) -> Taken:
    """All of an old store into this one, in the caller's transaction. What is here already stays as it is."""
    projects = tuple(_projects(tx, old))
    sessions = _all(tx, old, "run", "seq, id", _session, "session")
    aliases: dict[str, dict[str, str]] = {}
    for row in old.each("alias", "memory, namespace"):
        aliases.setdefault(row["memory"], {})[row["namespace"]] = row["alias"]
    history: dict[str, list[dict[str, Any]]] = {}
    for row in old.each("journal", "memory, n"):
        history.setdefault(row["memory"], []).append(row)
    fresh, known, entries = set[str](), 0, 0
    for row in old.each("memory", "n"):
        if tx.rows("SELECT 1 FROM lesson WHERE id = ?", row["id"]):
            known += 1
            continue
        fresh.add(row["id"])
        told = history.get(row["id"], [])
        entries += _lesson(tx, row, told, aliases.get(row["id"], {}))
    evidence = sum(
        _evidence(tx, row) for row in old.each("evidence", "n") if row["memory"] in fresh
    )
    deliveries = _deliveries(tx, old, fresh)
    for row in old.each("use_mark", "n"):
        if row["memory"] in fresh:
            _mark(tx, row)
    for row in old.each("alias", "memory, namespace, alias"):
        if row["memory"] in fresh:
            key = rows.name_key(row["project"], row["alias"], row["namespace"])
            insert(tx, "setting", {"key": key, "value": row["memory"]})
    failures = _all(tx, old, "incident", "run, mark", _failure, "failure")
    questions = _all(tx, old, "proposal", "id", _question, "question")
    counts = (len(fresh), known, entries, evidence, deliveries, sessions, failures, questions)
    return Taken(*counts, projects)


def lesson_of(row: Mapping[str, Any], aliases: Mapping[str, str] | None = None) -> dict[str, Any]:
    """An old row as a lesson's columns; who set its words stands in the journal, not in the row."""
    at = {name: row[name] for name in Lesson.FIELDS if name in row}  # type: ignore[attr-defined]
    for name in ("tags", "paths", "supersedes"):
        at[name] = tuple(_json(row.get(name), []))
    extra = _json(row.get("extra"), {})
    lesson = Lesson(**{**at, "text": row.get("text", ""), "extra": extra, "state": WAITING})
    told = rows.fields_of(lesson)
    was = {name: held for name, held in told["extra"].get("was", {}).items() if name != "state"}
    more = {"stage": row["state"], "was": was, **({"alias": dict(aliases)} if aliases else {})}
    state, reason = _state(row)
    return {
        **NEW,
        **told,
        "always": bool(row.get("pinned")),
        "state": state,
        "reason": reason,
        "extra": {**extra, **more},
    }


def _state(row: Mapping[str, Any]) -> tuple[str, str]:
    """One of four states, and why where the old one said more than that."""
    state = STATES[row["state"]]
    if state in UNDOUBTED and row.get("gate", "allow") != "allow":
        return WAITING, row.get("gate_reason", "") or "held"
    if state == ACTIVE and row.get("verdict") == "harms":
        return "doubted", "it was measured to harm"
    if state == ACTIVE and row.get("superseded_by"):
        return "gone", "replaced"
    why = {"superseded": "replaced", "decayed": "faded", "rejected": "dropped"}
    return state, why.get(row["state"], row.get("closed_by", "") if state == "gone" else "")


def _lesson(
    tx: Transaction,
    row: Mapping[str, Any],
    history: Sequence[Mapping[str, Any]],
    aliases: Mapping[str, str],
) -> int:
    """A lesson with its history, told in today's words; how many entries that are."""
    said = _Words()
    at: dict[str, Any] = {"id": row["id"], "project": row["project"], "klass": "fact"}
    at["state"] = "candidate"
    before: dict[str, Any] | None = None
    entries: list[tuple[dict[str, Any], Any, Any]] = []
    for each in history:
        reason, _, after = _json(each["payload"], ["", {}, {}])
        at.update(after)
        now = said.told(lesson_of(at, aliases), each["by"], each["at"], after)
        entries.append(_entry(each, reason, before, now))
        before = now
    now = said.told(lesson_of(row, aliases), "", row["updated_at"], {})
    if before is None or _differing(before, now):
        came = {"verb": "import", "by": "import", "at": row["updated_at"], "run": ""}
        came |= {"memory": row["id"], "project": row["project"], "machine": ""}
        entries.append(_entry(came, "as 0.2.0 had it", before, now))
    put_lesson(tx, now)
    for entry in entries:
        enter(tx, *entry)
    return len(entries)


class _Words:
    """Who set the words of a lesson, as its history goes by."""

    def __init__(self) -> None:
        self.by, self.at = "", ""

    def told(
        self, lesson: dict[str, Any], by: str, at: str, after: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The lesson with whoever set its words so far."""
        if "text" in after or not self.at:
            self.by, self.at = by or "import", at
        return {**lesson, "by": self.by, "said_at": self.at}


def _entry(
    row: Mapping[str, Any], reason: str, before: Mapping[str, Any] | None, now: Mapping[str, Any]
) -> tuple[dict[str, Any], Any, Any]:
    changed = _differing(before or NEW, now)
    entry = {"lesson": now["id"], "project": now["project"], "verb": row["verb"], "by": row["by"]}
    entry |= {"why": reason, "at": row["at"], "session": row["run"], "machine": row["machine"]}
    was = {name: before[name] for name in changed} if before else {}
    return entry, was, {name: now[name] for name in changed}


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The fields that a change sets."""
    return [name for name in rows.LESSON if name not in UNJOURNALED and before[name] != now[name]]


def _evidence(tx: Transaction, row: Mapping[str, Any]) -> bool:
    place = row["place"] or row["finding"]
    stance = row["stance"] if row["stance"] in STANCES else STANCES[0]
    extra = {
        name: row[name] for name in ("tier", "finding", "origin", "seq", "opening") if row[name]
    }
    if row["stance"] != stance:
        extra["stance"] = row["stance"]
    told = {
        "lesson": row["memory"],
        "project": row["project"],
        "session": row["run"],
        "group": row["root"],
        "stance": stance,
        "measure": "" if row["signal"] == SIGHTING else row["signal"],
        "amount": row["amount"],
        "place": place,
        "quote": row["quote"],
        "by": row["by"],
        "word": rows.WORDS.get(row["tier"], "outside"),
        "at": row["at"],
        "extra": rows.json_text(extra),
    }
    # Two findings of one place are two pieces of evidence.
    return insert(tx, "evidence", told) or insert(
        tx, "evidence", {**told, "place": f"{place} {row['finding']}"}
    )


def _deliveries(tx: Transaction, old: OldStore, fresh: set[str]) -> int:
    came: dict[tuple[str, str], tuple[str, str]] = {}
    for row in old.each("use_mark", "n"):
        if row["signal"] == "outcome":
            came[row["unit"], row["memory"]] = (row["value"], row["at"])
    many = 0
    for row in old.each("use", "at, unit, memory"):
        if row["memory"] not in fresh:
            continue
        outcome, settled_at = came.get((row["unit"], row["memory"]), ("", ""))
        kept = ("epoch", "instrument", "task", "blank", "surface")
        told = {
            "lesson": row["memory"],
            "project": row["project"],
            "session": row["run"],
            "group": row["unit"],
            "arm": rows.KEPT_ARMS.get(row["arm"], row["arm"]),
            "probability": row["probability"],
            "family": row["family"],
            "at": row["at"],
            "outcome": outcome,
            "settled_at": settled_at,
            "extra": rows.json_text({name: row[name] for name in kept if row[name]}),
        }
        unset = dict.fromkeys(("context", "event", "moment"), "")
        many += insert(tx, "delivery", {**unset, "tokens": 0, "loss": 0.0, **told})
    return many


def _mark(tx: Transaction, row: Mapping[str, Any]) -> None:
    """What became of a use, beside its delivery: what is counted of a lesson is counted from these rows."""
    extra = {name: row[name] for name in ("value", "surface") if row[name]}
    told = {
        "lesson": row["memory"],
        "project": row["project"],
        "session": row["run"],
        "group": row["unit"],
        "stance": STANCES[0],
        "measure": f"{rows.MARK}{row['signal']}",
        "amount": row["amount"],
        "place": f"0.2.0 {row['n']}",
        "quote": row["reason"],
        "by": "",
        "word": "session",
        "at": row["at"],
        "extra": rows.json_text(extra),
    }
    insert(tx, "evidence", told)


def _projects(tx: Transaction, old: OldStore) -> Iterator[str]:
    chosen = {
        row["key"].partition(":")[2]: str(_json(row["value"], {}).get("name", ""))
        for row in old.each("meta", "key")
        if row["key"].startswith("profile:")
    }
    here = {id for (id,) in tx.rows("SELECT id FROM project")}
    for row in old.each("project", "id"):
        if row["id"] not in here:
            names = ("id", "name", "root", "key", "remote", "trial_key", "created_at")
            told = {name: row[name] for name in names}
            told |= {"origin": chosen.get(row["id"], ""), "sessions": row["run_seq"]}
            insert(tx, "project", told)
            yield row["name"]


def _session(row: Mapping[str, Any]) -> dict[str, Any]:
    same = ("id", "project", "host", "agent", "model", "task", "outcome", "path")
    times = ("started_at", "ended_at", "learned_at")
    more = {name: row[name] for name in rows.OF_RUN if row[name]}
    return {
        **{name: row[name] for name in (*same, *times)},
        "name": row["foreign_id"],
        "group": row["root"],
        "number": row["seq"],
        "complete": int(row["complete"]),
        "extra": rows.json_text({**_json(row["facts"], {}), **more}),
    }


def _failure(row: Mapping[str, Any]) -> dict[str, Any] | None:
    if row["kind"] != "failure":
        return None
    names = ("nature", "code", "name", "tool", "folder", "count", "failed", "soft", "ended")
    same = ("project", "program", "line", "calls", "seconds", "cure", "place", "at")
    more = {name: row[name] for name in (*names, "repair", "family", "person") if row[name]}
    own = {"session": row["run"], "sign": row["mark"], "group": row["lineage"]}
    return {**own, **{name: row[name] for name in same}, "extra": rows.json_text(more)}


def _question(row: Mapping[str, Any]) -> dict[str, Any]:
    more = {"approvals": _json(row["approvals"], []), "state": row["state"], "tier": row["tier"]}
    asked = {"as_question": {name: held for name, held in more.items() if held}}
    is_open = row["state"] == "open"
    return {
        "id": row["id"],
        "project": row["project"],
        "lesson": row["memory"],
        "kind": row["kind"],
        "text": row["reason"],
        "payload": rows.json_text({**_json(row["payload"], {}), **asked}),
        "asked_at": row["created_at"],
        "answered_at": row["decided_at"] or ("" if is_open else row["expires_at"]),
        "answer": "" if is_open else row["state"],
        "by": row["decided_by"],
    }


def _all(
    tx: Transaction,
    old: OldStore,
    table: str,
    order: str,
    read: Callable[[Mapping[str, Any]], Any],
    into: str,
) -> int:
    many = 0
    for row in old.each(table, order):
        value = read(row)
        if value is not None:
            many += insert(tx, into, value)
    return many


def _json(text: Any, empty: Any) -> Any:
    return json.loads(text) if text else empty

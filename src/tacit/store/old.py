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
from dataclasses import dataclass, replace
from typing import Any

import apsw

from tacit.core.errors import Damaged, NoFile, NotAStore, StoreOther
from tacit.core.states import UNDOUBTED
from tacit.store import write
from tacit.store.file import APPLICATION, SCHEMA, Transaction, as_tacit_error, quoted
from tacit.store.rows import as_column, lesson_or_none, names_of
from tacit.store.values import (
    Delivery,
    Entry,
    Evidence,
    Failure,
    Lesson,
    Project,
    Question,
    Session,
)

OLD_SCHEMA = 16  # PRAGMA user_version of a store of 0.2.0

KINDS = {
    **dict.fromkeys(("rule", "command", "security"), "way"),
    **dict.fromkeys(("fix", "pitfall"), "cure"),
    "preference": "preference",
}
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
WORDS = {
    **dict.fromkeys(("user", "human", "person"), "person"),
    **dict.fromkeys(("agent", "observed", "review", "team"), "session"),
}
SIGN_IN = {"E": "output", "T": "call"}
ARMS = {"injected": "delivered", "withheld": "held out", "exempt": "exempt"}
# Columns of a lesson that have no place of their own, with what they say where nobody set them.
WAS = {
    **dict.fromkeys(("klass", "kind", "category", "domain", "agent", "task_type", "tags"), ""),
    **dict.fromkeys(("source", "origin", "trust", "gate_reason", "previous_state"), ""),
    **dict.fromkeys(("closed_by", "signature", "stale_at", "review_after", "supersedes"), ""),
    **dict.fromkeys(("under_review_count", "on_page", "merged"), 0),
    "scope": "project",
    "severity": "info",
    "gate": "allow",
    "verdict": "not yet known",
}
LISTS = ("tags", "supersedes")
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
        if lesson_or_none(tx, row["id"]) is not None:
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
            key = f"name:{row['project']}:{row['alias']}:{row['namespace'].replace(':', ' ')}"
            put = "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING"
            tx.rows(put, key, row["memory"])
    failures = _all(tx, old, "incident", "run, mark", _failure, "failure")
    questions = _all(tx, old, "proposal", "id", _question, "question")
    counts = (len(fresh), known, entries, evidence, deliveries, sessions, failures, questions)
    return Taken(*counts, projects)


def lesson_of(row: Mapping[str, Any], aliases: Mapping[str, str] | None = None) -> Lesson:
    """An old row as a lesson; who set its words stands in the journal, not in the row."""
    extra = _json(row.get("extra"), {})
    sign = extra.get("sign")
    marked = isinstance(sign, list) and len(sign) == 2 and sign[0] in SIGN_IN
    was = {name: row[name] for name, unset in WAS.items() if row.get(name, unset) != unset}
    was |= {name: _json(was[name], []) for name in LISTS if name in was}
    more = {"stage": row["state"], "was": was, **({"alias": dict(aliases)} if aliases else {})}
    state, reason = _state(row)
    return Lesson(
        row["id"],
        row["project"],
        row.get("text", ""),
        kind="decision" if row.get("kind") == "decision" else KINDS.get(row["klass"], "fact"),
        about=row.get("about", ""),
        files=tuple(_json(row.get("paths"), [])),
        sign=str(sign[1]) if marked else "",
        sign_in=SIGN_IN[sign[0]] if marked else "",
        word=WORDS.get(row.get("trust", ""), "outside"),
        state=state,
        reason=reason,
        always=bool(row.get("pinned")),
        family=row.get("family", ""),
        replaced_by=row.get("superseded_by", ""),
        created_at=row.get("created_at", ""),
        changed_at=row.get("updated_at", ""),
        extra={**extra, **more},
    )


def _state(row: Mapping[str, Any]) -> tuple[str, str]:
    """One of four states, and why where the old one said more than that."""
    state = STATES[row["state"]]
    if state in UNDOUBTED and row.get("gate", "allow") != "allow":
        return "waiting", row.get("gate_reason", "") or "held"
    if state == "active" and row.get("verdict") == "harms":
        return "doubted", "it was measured to harm"
    if state == "active" and row.get("superseded_by"):
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
    before: Lesson | None = None
    entries: list[Entry] = []
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
    names = [name for name in names_of(Lesson) if name != "n"]
    columns = [as_column(name, getattr(now, name)) for name in names]
    tx.rows(
        f"INSERT INTO lesson ({', '.join(names)}, words)"
        f" VALUES ({', '.join('?' * (len(names) + 1))})",
        *columns,
        write.found_by(tx, now),
    )
    for entry in entries:
        write.keep_entry(tx, replace(entry, machine=entry.machine or tx.machine))
    return len(entries)


class _Words:
    """Who set the words of a lesson, as its history goes by."""

    def __init__(self) -> None:
        self.by, self.at = "", ""

    def told(self, lesson: Lesson, by: str, at: str, after: Mapping[str, Any]) -> Lesson:
        """The lesson with whoever set its words so far."""
        if "text" in after or not self.at:
            self.by, self.at = by or "import", at
        return replace(lesson, by=self.by, said_at=self.at)


def _entry(row: Mapping[str, Any], reason: str, before: Lesson | None, now: Lesson) -> Entry:
    changed = _differing(before or Lesson(now.id, now.project, ""), now)
    return Entry(
        *(now.id, now.project, row["verb"], row["by"], reason, row["at"]),
        before={name: getattr(before, name) for name in changed} if before else {},
        after={name: getattr(now, name) for name in changed},
        session=row["run"],
        machine=row["machine"],
    )


def _differing(before: Lesson, now: Lesson) -> list[str]:
    """The fields that a change sets."""
    return [
        name
        for name in names_of(Lesson)
        if name not in write.UNJOURNALED and getattr(before, name) != getattr(now, name)
    ]


def _evidence(tx: Transaction, row: Mapping[str, Any]) -> bool:
    place = row["place"] or row["finding"]
    told = Evidence(
        lesson=row["memory"],
        project=row["project"],
        session=row["run"],
        group=row["root"],
        stance="contradicts" if row["stance"] == "contradicts" else "supports",
        measure="" if row["signal"] == SIGHTING else row["signal"],
        amount=row["amount"],
        place=place,
        quote=row["quote"],
        by=row["by"],
        word=WORDS.get(row["tier"], "outside"),
        at=row["at"],
        extra={
            "tier": row["tier"],
            **{name: row[name] for name in ("finding", "origin", "seq", "opening") if row[name]},
            **({"stance": row["stance"]} if row["stance"] not in _STANCES else {}),
        },
    )
    # Two findings of one place are two pieces of evidence.
    return write.vouch(tx, told) or write.vouch(
        tx, replace(told, place=f"{place} {row['finding']}")
    )


_STANCES = ("supports", "contradicts")


def _deliveries(tx: Transaction, old: OldStore, fresh: set[str]) -> int:
    came: dict[tuple[str, str], tuple[str, str]] = {}
    for row in old.each("use_mark", "n"):
        if row["signal"] == "outcome":
            came[row["unit"], row["memory"]] = (row["value"], row["at"])
    made = []
    for row in old.each("use", "at, unit, memory"):
        if row["memory"] not in fresh:
            continue
        outcome, settled_at = came.get((row["unit"], row["memory"]), ("", ""))
        kept = ("epoch", "instrument", "task", "blank", "surface")
        more: dict[str, Any] = {name: row[name] for name in kept if row[name]}
        made.append(
            Delivery(
                *(row["memory"], row["project"], row["run"], row["unit"]),
                moment="",
                arm=ARMS[row["arm"]],
                probability=row["probability"],
                at=row["at"],
                family=row["family"],
                outcome=outcome,
                settled_at=settled_at,
                extra=more,
            )
        )
    write.deliver(tx, made)
    return len(made)


def _mark(tx: Transaction, row: Mapping[str, Any]) -> None:
    """What became of a use, beside its delivery: what is counted of a lesson is counted from these rows."""
    told = Evidence(
        lesson=row["memory"],
        project=row["project"],
        session=row["run"],
        group=row["unit"],
        measure=f"mark:{row['signal']}",
        amount=row["amount"],
        place=f"0.2.0 {row['n']}",
        quote=row["reason"],
        at=row["at"],
        extra={name: row[name] for name in ("value", "surface") if row[name]},
    )
    write.put_new(tx, "evidence", told)


def _projects(tx: Transaction, old: OldStore) -> Iterator[str]:
    chosen = {
        row["key"].partition(":")[2]: str(_json(row["value"], {}).get("name", ""))
        for row in old.each("meta", "key")
        if row["key"].startswith("profile:")
    }
    here = {id for (id,) in tx.rows("SELECT id FROM project")}
    for row in old.each("project", "id"):
        if row["id"] not in here:
            kept = {name: row[name] for name in ("id", "name", "root", "key", "remote")}
            write.put_project(
                tx,
                Project(
                    **kept,
                    origin=chosen.get(row["id"], ""),
                    trial_key=row["trial_key"],
                    sessions=row["run_seq"],
                    created_at=row["created_at"],
                ),
            )
            yield row["name"]


def _session(row: Mapping[str, Any]) -> Session:
    names = ("version", "domain", "task_id", "task_type", "settled_at")
    same = ("id", "project", "host", "agent", "model", "task", "outcome", "path")
    times = ("started_at", "ended_at", "learned_at")
    return Session(
        **{name: row[name] for name in (*same, *times)},
        name=row["foreign_id"],
        group=row["root"],
        number=row["seq"],
        complete=bool(row["complete"]),
        extra={**_json(row["facts"], {}), **{name: row[name] for name in names if row[name]}},
    )


def _failure(row: Mapping[str, Any]) -> Failure | None:
    if row["kind"] != "failure":
        return None
    names = ("nature", "code", "name", "tool", "folder", "count", "failed", "soft", "ended")
    same = ("project", "program", "line", "calls", "seconds", "cure", "place", "at")
    return Failure(
        row["run"],
        row["mark"],
        group=row["lineage"],
        **{name: row[name] for name in same},
        extra={name: row[name] for name in (*names, "repair", "family", "person") if row[name]},
    )


def _question(row: Mapping[str, Any]) -> Question:
    more = {"approvals": _json(row["approvals"], []), "state": row["state"], "tier": row["tier"]}
    return Question(
        *(row["id"], row["project"], row["memory"], row["kind"], row["reason"]),
        payload={**_json(row["payload"], {}), "as_question": {k: v for k, v in more.items() if v}},
        asked_at=row["created_at"],
        answered_at=row["decided_at"] or ("" if row["state"] == "open" else row["expires_at"]),
        answer=row["state"] if row["state"] != "open" else "",
        by=row["decided_by"],
    )


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
            many += write.put_new(tx, into, value)
    return many


def _json(text: Any, empty: Any) -> Any:
    return json.loads(text) if text else empty

"""Values in and out of rows, and everything that is read by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar

from tacit.core.errors import Ambiguous, NotFound, numbered
from tacit.store.file import MACHINE
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

T = TypeVar("T")

JSON_FIELDS = {"files": tuple, "extra": dict, "payload": dict, "before": dict, "after": dict}
FLAGS = ("always", "shared", "complete")
LINE = "line"  # the verb of what a team's line said that changed nothing by itself
REASONS = 20  # that an ambiguous id shows


class Reads(Protocol):
    """A store, or a transaction on one."""

    path: str

    def rows(self, sql: str, *bound: Any) -> list[Any]: ...


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of one lesson: what `why` tells."""

    lesson: Lesson
    entries: tuple[Entry, ...]
    evidence: tuple[Evidence, ...]
    deliveries: tuple[Delivery, ...]
    questions: tuple[Question, ...]


def names_of(kind: type) -> tuple[str, ...]:
    """The fields of a value, which are the columns of its table."""
    return tuple(each.name for each in fields(kind))


def columns_of(kind: type) -> str:
    """The same as SQL spells them: one of them is a word of SQL's own."""
    return ", ".join(f'"{name}"' for name in names_of(kind))


LESSON, ENTRY, EVIDENCE = columns_of(Lesson), columns_of(Entry), columns_of(Evidence)
DELIVERY, SESSION, FAILURE = columns_of(Delivery), columns_of(Session), columns_of(Failure)
QUESTION, PROJECT = columns_of(Question), columns_of(Project)


def as_column(name: str, value: Any) -> Any:
    """A field as its column keeps it."""
    if name in JSON_FIELDS:
        return dumps(list(value) if name == "files" else dict(value)) if value else ""
    return int(value) if name in FLAGS else value


def as_field(name: str, column: Any) -> Any:
    """A column as the field it is."""
    if name in JSON_FIELDS:
        return JSON_FIELDS[name](json.loads(column) if column else ())
    return bool(column) if name in FLAGS else column


def to_row(value: Any) -> tuple[Any, ...]:
    """A value as a row of its table."""
    return tuple(as_column(name, getattr(value, name)) for name in names_of(type(value)))


def from_row(kind: type[T], row: Sequence[Any]) -> T:
    """The value behind a row."""
    return kind(*(as_field(name, column) for name, column in zip(names_of(kind), row)))


def dumps(value: Any) -> str:
    """Plain values as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- lessons


def lesson_or_none(store: Reads, id: str) -> Lesson | None:
    """A lesson by its whole id, if it is here."""
    found = store.rows(f"SELECT {LESSON} FROM lesson WHERE id = ?", id)
    return from_row(Lesson, found[0]) if found else None


def lesson(store: Reads, id: str) -> Lesson:
    """A lesson by its whole id."""
    found = lesson_or_none(store, id)
    if found is None:
        raise NotFound(f"There is no lesson {id}.", "tacit list --all shows what there is.")
    return found


def find_lesson(store: Reads, start: str) -> Lesson:
    """A lesson by its id or the beginning of it."""
    ids = [
        row[0]
        for row in store.rows(
            "SELECT id FROM lesson WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
            start,
            start + "\U0010ffff",
            REASONS + 1,
        )
    ]
    if start and (start in ids or len(ids) == 1):
        return lesson(store, start if start in ids else ids[0])
    if not ids or not start:
        raise NotFound(f"No lesson's id begins with {start!r}.", "tacit list --all shows them.")
    shown = ", ".join(ids[:REASONS])
    raise Ambiguous(f"{start!r} fits several lessons: {shown}.", "Name more of the id.")


def lessons(
    store: Reads,
    project: str = "",
    states: Iterable[str] = (),
    *,
    shared: bool | None = None,
    limit: int = -1,
) -> list[Lesson]:
    """Lessons, the newest first: of one project or of all, in some states or in all."""
    sql, bound = f"SELECT {LESSON} FROM lesson WHERE 1", list[Any]()
    if project:
        sql, bound = sql + " AND project = ?", [project]
    if wanted := tuple(states):
        sql += f" AND state IN ({', '.join('?' * len(wanted))})"
        bound += wanted
    if shared is not None:
        sql, bound = sql + " AND shared = ?", [*bound, int(shared)]
    rows = store.rows(f"{sql} ORDER BY n DESC LIMIT ?", *bound, limit)
    return [from_row(Lesson, row) for row in rows]


def counts(store: Reads, project: str) -> dict[str, int]:
    """How many lessons of a project are in each state."""
    return dict(
        store.rows("SELECT state, count(*) FROM lesson WHERE project = ? GROUP BY 1", project)
    )


def same_words(store: Reads, project: str, text: str) -> list[Lesson]:
    """Lessons with just this text, in whatever state: what was dropped stays dropped."""
    words = [word for word in "".join(c if c.isalnum() else " " for c in text).split() if word]
    if not words:
        return []
    asked = " ".join(f'"{word}"' for word in dict.fromkeys(words[:24]))
    rows = store.rows(
        f"SELECT {', '.join(f'm.{name}' for name in LESSON.split(', '))} FROM lesson_fts f"
        " JOIN lesson m ON m.n = f.rowid"
        " WHERE lesson_fts MATCH ? AND m.project = ? AND m.text = ? ORDER BY m.n",
        f"text : ({asked})",
        project,
        text,
    )
    return [from_row(Lesson, row) for row in rows]


def met(store: Reads, ids: Sequence[str]) -> dict[str, int]:
    """In how many session groups each lesson was met; what was counted elsewhere comes on top."""
    rows = store.rows(
        "SELECT lesson, count(DISTINCT nullif(\"group\", '')) + total("
        "CASE WHEN session = '' THEN amount END) FROM evidence"
        " WHERE lesson IN (SELECT value FROM json_each(?)) AND stance = 'supports'"
        " AND measure = '' GROUP BY lesson",
        dumps(list(ids)),
    )
    return {id: int(many) for id, many in rows}


# --- why


def entries(store: Reads, id: str) -> list[Entry]:
    """The journal of one lesson, the oldest first."""
    rows = store.rows(f"SELECT {ENTRY} FROM journal WHERE lesson = ? ORDER BY n", id)
    return [from_row(Entry, row) for row in rows]


def entry(store: Reads, n: int) -> Entry:
    """One entry of the journal."""
    rows = store.rows(f"SELECT {ENTRY} FROM journal WHERE n = ?", n)
    if not rows:
        raise NotFound(f"The journal has no entry {n}.", "tacit why ID shows a lesson's entries.")
    return from_row(Entry, rows[0])


def latest(store: Reads, project: str = "", limit: int = 20) -> list[Entry]:
    """What changed last, the newest first."""
    where, bound = ("WHERE project = ?", [project]) if project else ("", [])
    rows = store.rows(f"SELECT {ENTRY} FROM journal {where} ORDER BY n DESC LIMIT ?", *bound, limit)
    return [from_row(Entry, row) for row in rows]


def folded(told: Iterable[Entry]) -> Lesson | None:
    """What a lesson's applied entries, the oldest first, add up to; nothing before the first."""
    at: dict[str, Any] = {}
    for each in told:
        if each.standing != "applied" or each.verb == LINE:
            continue
        if not at:
            at = {"id": each.lesson, "project": each.project, "text": "", "created_at": each.at}
        at.update(each.after)
        at["changed_at"] = each.after.get("changed_at", each.at)
    if not at:
        return None
    at["files"] = tuple(at.get("files", ()))
    return Lesson(**at)


def lesson_at(store: Reads, id: str, n: int) -> Lesson | None:
    """What a lesson said just after an entry of the journal."""
    return folded(each for each in entries(store, id) if each.n <= n)


def as_of(store: Reads, project: str, at: str) -> list[Lesson]:
    """A project's lessons as they were at a time, from the journal alone."""
    rows = store.rows(
        f"SELECT {ENTRY} FROM journal WHERE project = ? AND at <= ? ORDER BY lesson, n", project, at
    )
    by_lesson: dict[str, list[Entry]] = {}
    for row in rows:
        told = from_row(Entry, row)
        by_lesson.setdefault(told.lesson, []).append(told)
    return [found for told in by_lesson.values() if (found := folded(told)) is not None]


def evidence(store: Reads, id: str) -> list[Evidence]:
    """What vouches for a lesson and what speaks against it, the oldest first."""
    rows = store.rows(
        f"SELECT {EVIDENCE} FROM evidence WHERE lesson = ? AND measure NOT GLOB 'mark:*'"
        " AND measure NOT GLOB 'note:*' ORDER BY n",
        id,
    )
    return [from_row(Evidence, row) for row in rows]


def deliveries(store: Reads, id: str) -> list[Delivery]:
    """Where a lesson was delivered or held out, the oldest first."""
    rows = store.rows(f"SELECT {DELIVERY} FROM delivery WHERE lesson = ? ORDER BY n", id)
    return [from_row(Delivery, row) for row in rows]


def deliveries_to(store: Reads, group: str) -> list[Delivery]:
    """What one session group was delivered or denied, the oldest first."""
    rows = store.rows(f'SELECT {DELIVERY} FROM delivery WHERE "group" = ? ORDER BY n', group)
    return [from_row(Delivery, row) for row in rows]


def why(store: Reads, id: str) -> Story:
    """Everything that is known of a lesson."""
    return Story(
        lesson(store, id),
        tuple(entries(store, id)),
        tuple(evidence(store, id)),
        tuple(deliveries(store, id)),
        tuple(questions_about(store, id)),
    )


# --- lines of a team: entries with a digest


def unsent(store: Reads, project: str) -> list[Entry]:
    """Own changes since the last line of each shared lesson, or since it is shared, the oldest first."""
    rows = store.rows(
        f"SELECT {', '.join(f'j.{name}' for name in ENTRY.split(', '))} FROM lesson l"
        " JOIN journal j ON j.lesson = l.id WHERE l.project = ? AND l.shared = 1"
        " AND j.standing = 'applied' AND j.machine = (SELECT value FROM setting WHERE key = ?)"
        " AND j.n > coalesce((SELECT max(n) FROM journal s WHERE s.lesson = l.id AND s.line <> ''"
        " AND s.standing = 'applied'), 0) AND j.n >= (SELECT max(n) FROM journal s"
        """ WHERE s.lesson = l.id AND s.after LIKE '%"shared":true%') ORDER BY j.n""",
        *(project, MACHINE),
    )
    return [from_row(Entry, row) for row in rows]


def lines(
    store: Reads, project: str, *, lesson: str = "", machine: str = "", standing: str = ""
) -> list[Entry]:
    """A project's lines, in the order they became known: of one lesson, of one machine, of one standing."""
    sql, bound = f"SELECT {ENTRY} FROM journal WHERE project = ? AND line <> ''", [project]
    for name, value in (("lesson", lesson), ("machine", machine), ("standing", standing)):
        if value:
            sql, bound = f"{sql} AND {name} = ?", [*bound, value]
    return [from_row(Entry, row) for row in store.rows(f"{sql} ORDER BY n", *bound)]


def lines_known(store: Reads, project: str) -> dict[str, str]:
    """Every line that is here by its digest, and its standing."""
    return dict(
        store.rows("SELECT line, standing FROM journal WHERE project = ? AND line <> ''", project)
    )


def last_number(store: Reads, project: str, machine: str) -> int:
    """The number of a machine's last line."""
    asked = "SELECT coalesce(max(number), 0) FROM journal WHERE project = ? AND machine = ?"
    return int(store.rows(asked, project, machine)[0][0])


# --- the rest


def session(store: Reads, id: str) -> Session | None:
    """A session, if it is known."""
    rows = store.rows(f"SELECT {SESSION} FROM session WHERE id = ?", id)
    return from_row(Session, rows[0]) if rows else None


def sessions(store: Reads, project: str) -> list[Session]:
    """A project's sessions, the oldest first."""
    rows = store.rows(f"SELECT {SESSION} FROM session WHERE project = ? ORDER BY number", project)
    return [from_row(Session, row) for row in rows]


def failures(store: Reads, project: str, sign: str = "") -> list[Failure]:
    """What failed in a project's sessions; of one sign, or all."""
    where, bound = (" AND sign = ?", [project, sign]) if sign else ("", [project])
    rows = store.rows(f"SELECT {FAILURE} FROM failure WHERE project = ?{where} ORDER BY at", *bound)
    return [from_row(Failure, row) for row in rows]


def questions(store: Reads, project: str = "", *, open: bool = True) -> list[Question]:
    """What waits for a person's yes, the oldest first; with `open=False` what was answered."""
    sql = f"SELECT {QUESTION} FROM question WHERE answered_at {'=' if open else '<>'} ''"
    rows = (
        store.rows(f"{sql} AND project = ? ORDER BY asked_at, id", project)
        if project
        else store.rows(f"{sql} ORDER BY asked_at, id")
    )
    return [from_row(Question, row) for row in rows]


def questions_about(store: Reads, id: str) -> list[Question]:
    """All questions about one lesson."""
    rows = store.rows(f"SELECT {QUESTION} FROM question WHERE lesson = ? ORDER BY asked_at", id)
    return [from_row(Question, row) for row in rows]


def question(store: Reads, id: str) -> Question:
    """One question."""
    rows = store.rows(f"SELECT {QUESTION} FROM question WHERE id = ?", id)
    if not rows:
        raise NotFound(f"There is no question {id}.", "tacit review shows those that are open.")
    return from_row(Question, rows[0])


def project(store: Reads, id: str) -> Project:
    """One project."""
    rows = store.rows(f"SELECT {PROJECT} FROM project WHERE id = ?", id)
    if not rows:
        raise NotFound(f"There is no project {id} in {store.path}.", "tacit doctor names them.")
    return from_row(Project, rows[0])


def projects(store: Reads) -> list[Project]:
    """All projects, by name."""
    rows = store.rows(f"SELECT {PROJECT} FROM project ORDER BY name, id")
    return [from_row(Project, row) for row in rows]


def setting(store: Reads, key: str, default: str = "") -> str:
    """One setting."""
    rows = store.rows("SELECT value FROM setting WHERE key = ?", key)
    return str(rows[0][0]) if rows else default


def settings(store: Reads, start: str = "") -> dict[str, str]:
    """The settings whose key begins so."""
    rows: Iterator[Any] = iter(store.rows("SELECT key, value FROM setting ORDER BY key"))
    return {key: value for key, value in rows if key.startswith(start)}


def common(store: Reads, project: str, kind: str) -> Mapping[str, int]:
    """What many sessions of a project use, and how many."""
    return dict(
        store.rows("SELECT what, count FROM common WHERE project = ? AND kind = ?", project, kind)
    )


def summary(store: Reads) -> str:
    """What a store holds, in a line."""
    many = store.rows(
        "SELECT (SELECT count(*) FROM project), (SELECT count(*) FROM lesson),"
        " (SELECT count(*) FROM journal), (SELECT count(*) FROM session)"
    )[0]
    named = zip(many, ("project", "lesson", "change", "session"))
    return ", ".join(numbered(count, name) for count, name in named)

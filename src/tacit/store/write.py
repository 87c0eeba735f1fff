"""Writing: a lesson changes only together with the journal's entry that says who, when and why.

Every function works inside a transaction that its caller opened: `with store.write() as tx`. What it returns may be
acknowledged once the block was left. Undo reads the journal and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tacit.core.digest import new_id
from tacit.core.errors import Refused, StoreBusy, TextInvalid
from tacit.store import rows
from tacit.store.file import Store, Transaction
from tacit.store.moments_old import KEPT, record
from tacit.store.rows import as_column, columns_of, names_of, to_row
from tacit.store.values import (
    Delivery,
    Entry,
    Evidence,
    Failure,
    Hand,
    Lesson,
    Project,
    Question,
    Session,
)
from tacit.words.tokens import index_words, task_words

LONGEST = 256 * 1024  # bytes of a lesson's text: a page of notes still fits, a log file does not
TASKS = 3  # in which a lesson was met last, and by whose words it is found too
UNJOURNALED = ("id", "n", "changed_at")  # what an entry need not say
NEW = Lesson("", "", "")  # what a field says that nobody set
SCRUB_WAIT = 10.0  # seconds for readers to leave, so that no old page of an erased text stays


def add(tx: Transaction, lesson: Lesson, hand: Hand, why: str, verb: str = "add") -> Entry:
    """A new lesson and its first entry."""
    if rows.lesson_or_none(tx, lesson.id) is not None:
        raise Refused(f"There is a lesson {lesson.id} already.", "Give it an id of its own.")
    kept = replace(
        lesson,
        text=checked(lesson.text),
        by=lesson.by or hand.by,
        said_at=lesson.said_at or hand.at,
        created_at=lesson.created_at or hand.at,
        changed_at=hand.at,
    )
    after = {
        name: value
        for name in names_of(Lesson)
        if name not in UNJOURNALED
        and name != "project"
        and (value := getattr(kept, name)) != getattr(NEW, name)
        and not (name == "created_at" and value == hand.at)
    }
    return _added(tx, kept, hand, verb, why, after)


def put(tx: Transaction, was: Lesson | None, now: Lesson, hand: Hand, verb: str, why: str) -> Entry:
    """A lesson as its caller decided it, from what it was, and the entry that says what differs; also where nothing does.

    Who set the words follows the hand; what a lesson is to the team and to calls stays as it is.
    """
    if was is None:
        now = replace(now, by=hand.by, said_at=hand.at)
        after = {name: getattr(now, name) for name in _differing(NEW, now)}
        return _added(tx, now, hand, verb, why, after)
    if now.text != was.text:
        now = replace(now, by=hand.by, said_at=hand.at)
    else:
        now = replace(now, by=was.by, said_at=was.said_at)
    now = replace(now, shared=was.shared, guard=was.guard, step=was.step)
    fields = {name: getattr(now, name) for name in _differing(was, now)}
    if _stood(was) != _stood(now):
        fields["state"] = now.state
    return _changed(tx, was, hand, verb, why, fields, now.changed_at)


def _stood(lesson: Lesson) -> str:
    """Its state for rooms that know a gate beside it, where that is another."""
    was = lesson.extra.get("was")
    return str(was.get("state", "")) if isinstance(was, dict) else ""


def _differing(was: Lesson, now: Lesson) -> list[str]:
    return [
        name
        for name in names_of(Lesson)
        if name not in (*UNJOURNALED, "project") and getattr(was, name) != getattr(now, name)
    ]


def _added(
    tx: Transaction, kept: Lesson, hand: Hand, verb: str, why: str, after: Mapping[str, Any]
) -> Entry:
    names = [name for name in names_of(Lesson) if name != "n"]
    columns = [as_column(name, getattr(kept, name)) for name in names]
    marks = ", ".join("?" * (len(names) + 1))
    tx.rows(
        f"INSERT INTO lesson ({', '.join(names)}, words) VALUES ({marks})",
        *columns,
        found_by(tx, kept),
    )
    return _enter(tx, kept, hand, verb, why, {}, after)


def change(
    tx: Transaction, id: str, hand: Hand, why: str, verb: str = "change", **fields: Any
) -> Entry | None:
    """Some fields of a lesson set anew, and the entry that says so; None where nothing differs.

    Whoever changes the text sets its words: `by` and `said_at` follow the hand.
    """
    was = rows.lesson(tx, id)
    if "text" in fields:
        fields["text"] = checked(fields["text"])
        if fields["text"] != was.text:
            fields = {"by": hand.by, "said_at": hand.at, **fields}
    if "files" in fields:
        fields["files"] = tuple(fields["files"])
    fields = {name: value for name, value in fields.items() if getattr(was, name) != value}
    if not fields:
        return None
    return _changed(tx, was, hand, verb, why, fields)


def _changed(
    tx: Transaction,
    was: Lesson,
    hand: Hand,
    verb: str,
    why: str,
    fields: Mapping[str, Any],
    at: str = "",
) -> Entry:
    now = replace(was, changed_at=at or hand.at, **fields)
    columns = {name: as_column(name, getattr(now, name)) for name in (*fields, "changed_at")}
    columns["words"] = found_by(tx, now)
    setting = ", ".join(f"{name} = ?" for name in columns)
    tx.rows(f"UPDATE lesson SET {setting} WHERE n = ?", *columns.values(), was.n)
    before = {name: getattr(was, name) for name in fields}
    return _enter(tx, now, hand, verb, why, before, dict(fields))


def _enter(
    tx: Transaction,
    lesson: Lesson,
    hand: Hand,
    verb: str,
    why: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> Entry:
    machine = hand.machine or tx.machine
    if lesson.changed_at not in ("", hand.at):
        after = {**after, "changed_at": lesson.changed_at}
    made = Entry(
        *(lesson.id, lesson.project, verb, hand.by, why, hand.at, before, after, hand.session),
        *(machine, hand.number, hand.line, hand.body, hand.signer),
    )
    return keep_entry(tx, made)


def keep_entry(tx: Transaction, made: Entry) -> Entry:
    """An entry as it is: the change that it tells is the caller's to write."""
    if made.line:  # a line that waited stands here now, in the order in which it came to count
        tx.rows(
            "DELETE FROM journal WHERE project = ? AND line = ? AND standing = 'waiting'",
            *(made.project, made.line),
        )
    names = [name for name in names_of(Entry) if name != "n"]
    columns = [as_column(name, getattr(made, name)) for name in names]
    marks = ", ".join("?" * len(names))
    found = tx.rows(
        f"INSERT INTO journal ({', '.join(names)}) VALUES ({marks}) RETURNING n", *columns
    )
    return replace(made, n=found[0][0])


def undo(tx: Transaction, n: int, hand: Hand) -> Entry:
    """What an entry changed, as it was before; of what a later entry changed again nothing is taken back."""
    entry = rows.entry(tx, n)
    now = rows.lesson(tx, entry.lesson)
    told = rows.entries(tx, entry.lesson)
    if any(each.verb == "erase" and each.n >= n for each in told):
        raise Refused(f"{now.id} was erased: its words are gone for good.", "Add it anew.")
    if entry.standing != "applied":
        raise Refused(f"Entry {n} was never applied.", "There is nothing to take back.")
    back = dict(entry.before) or {"state": "gone", "reason": "its making was taken back"}
    left = {name: entry.after.get(name, getattr(NEW, name)) for name in back if name != "reason"}
    if any(not _same(getattr(now, name), value) for name, value in left.items()):
        later = [each for each in told if each.n > n and not left.keys().isdisjoint(each.after)]
        raise Refused(
            f"{now.id} was changed again later, by {later[-1].by} ({later[-1].verb}).",
            f"Take that back first: entry {later[-1].n}.",
        )
    if "files" in back:
        back["files"] = tuple(back["files"])
    return _changed(tx, now, hand, "undo", f"takes back entry {n}: {entry.verb}", back)


def _same(one: Any, other: Any) -> bool:
    return bool((list(one) if isinstance(one, tuple) else one) == other or one == other)


def erase(tx: Transaction, id: str, hand: Hand, why: str) -> Entry:
    """Blank every word of a lesson: its row, journal, quotes, questions, and what failed where it was quoted.

    Its id stays, gone. Afterwards `scrub` the store, and `backup.erase` it from the copies.
    """
    was = rows.lesson(tx, id)
    tx.rows("UPDATE journal SET before = '', after = '', why = '', body = '' WHERE lesson = ?", id)
    tx.rows(
        "UPDATE failure SET line = '', cure = '', extra = '' WHERE (session, place) IN"
        " (SELECT session, place FROM evidence WHERE lesson = ?)",
        id,
    )
    tx.rows("UPDATE evidence SET quote = '', extra = '' WHERE lesson = ?", id)
    tx.rows("UPDATE delivery SET extra = '' WHERE lesson = ?", id)
    tx.rows("UPDATE question SET text = '', payload = '', answer = '' WHERE lesson = ?", id)
    tx.rows("DELETE FROM setting WHERE key >= 'name:' AND key < 'name;' AND value = ?", id)
    tx.rows("UPDATE job SET error = '' WHERE error <> ''")  # it quotes what it stumbled over
    blank = replace(
        Lesson(was.id, was.project, "", kind=was.kind, word=was.word),
        state="gone",
        reason="erased",
        shared=was.shared,
        created_at=was.created_at,
        changed_at=hand.at,
        n=was.n,
    )
    names = [name for name in names_of(Lesson) if name not in ("id", "n")]
    setting = ", ".join(f"{name} = ?" for name in names)
    columns = [as_column(name, getattr(blank, name)) for name in names]
    tx.rows(f"UPDATE lesson SET {setting}, words = '' WHERE n = ?", *columns, was.n)
    after: dict[str, Any] = {"state": "gone", "reason": "erased"}
    after |= {"kind": was.kind, "word": was.word, **({"shared": True} if was.shared else {})}
    return _enter(tx, blank, hand, "erase", why, {}, after)


def scrub(store: Store) -> None:
    """Fold the write-ahead log back and cut it to nothing: no old page of an erased text stays behind."""
    until = time.monotonic() + SCRUB_WAIT
    while store.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
        if time.monotonic() > until:
            raise StoreBusy(
                "The text is erased, but another process is reading, and old pages may still stand"
                f" in the write-ahead log of {store.path}.",
                "Run tacit doctor once the others are done; it folds the log.",
            )
        time.sleep(0.05)


def checked(text: str) -> str:
    """A lesson's text as it is kept."""
    kept = text.strip()
    if not kept:
        raise TextInvalid("A lesson needs words; this one has none.", "Say it in a sentence.")
    if len(kept.encode("utf-8", "surrogatepass")) > LONGEST:
        raise TextInvalid(
            f"A lesson is a sentence; this text has {len(kept):,} characters.",
            "Keep it in a file, and a lesson that names the file.",
        )
    return kept


def found_by(tx: Transaction, lesson: Lesson, n: int = 0) -> str:
    """The words a lesson is found by beside its text: its subject, parts of names, then a line a task it was met in."""
    if not lesson.text:
        return ""
    was = lesson.extra.get("was") or {}
    tags = map(str, lesson.extra.get("tags") or was.get("tags") or ())
    beside = " ".join((lesson.about, *tags, *lesson.files))
    met_in = lesson.extra.get("met_in")
    told = [str(met_in.get("task", ""))] if isinstance(met_in, dict) else []
    told += [row[0] for row in tx.rows(_TASKS, lesson.id, TASKS)] if lesson.n or n else []
    tasks = dict.fromkeys(task_words(task) for task in told if task)
    return "\n".join((index_words(lesson.text, beside=beside), *filter(None, tasks)))


_TASKS = (
    "SELECT s.task FROM evidence e JOIN session s ON s.id = e.session"
    " WHERE e.lesson = ? AND s.task <> '' GROUP BY s.task ORDER BY max(s.number) DESC LIMIT ?"
)


# --- what vouches, what was delivered, what failed


def vouch(tx: Transaction, told: Evidence) -> bool:
    """Keep what a session says of a lesson; False where it is kept already: learning twice adds nothing."""
    names = ", ".join(f'"{name}"' for name in names_of(Evidence))
    marks = ", ".join("?" * len(names_of(Evidence)))
    kept = tx.rows(
        f"INSERT INTO evidence ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING RETURNING n",
        *to_row(told),
    )
    if kept and told.session:
        _refind(tx, told.lesson)
    return bool(kept)


def _refind(tx: Transaction, id: str) -> None:
    """It was met in another task: it is found by that task's words too."""
    found = rows.lesson_or_none(tx, id)
    if found is not None:
        words = found_by(tx, found)
        tx.rows("UPDATE lesson SET words = ?1 WHERE n = ?2 AND words <> ?1", words, found.n)


def deliver(tx: Transaction, made: Iterable[Delivery]) -> None:
    """Keep what an agent is about to be told, and what was held out."""
    record(tx, ({name: as_column(name, getattr(each, name)) for name in KEPT} for each in made))


def settle(tx: Transaction, n: int, outcome: str, loss: float, at: str) -> None:
    """What came of a delivery."""
    tx.rows(
        "UPDATE delivery SET outcome = ?, loss = ?, settled_at = ? WHERE n = ?",
        *(outcome, loss, at, n),
    )


def put_session(tx: Transaction, session: Session) -> None:
    """A session as it is known now."""
    _replaced(tx, "session", session)


def next_number(tx: Transaction, project: str) -> int:
    """The number of a project's next learned session."""
    found = tx.rows(
        "UPDATE project SET sessions = sessions + 1 WHERE id = ? RETURNING sessions", project
    )
    return int(found[0][0])


def put_failures(tx: Transaction, session: str, found: Iterable[Failure]) -> None:
    """What failed in a session, in place of what was known of it: a session that grew is told anew."""
    tx.rows("DELETE FROM failure WHERE session = ?", session)
    for each in found:
        _replaced(tx, "failure", each)


def put_project(tx: Transaction, project: Project) -> None:
    """A project as it is known now."""
    _replaced(tx, "project", project)


def ask(tx: Transaction, question: Question) -> None:
    """A question for a person; the same id again asks it anew."""
    _replaced(tx, "question", question)


def answer(tx: Transaction, id: str, said: str, by: str, at: str) -> bool:
    """A person's answer; False where somebody answered before."""
    return bool(
        tx.rows(
            "UPDATE question SET answer = ?, by = ?, answered_at = ?"
            " WHERE id = ? AND answered_at = '' RETURNING id",
            *(said, by, at, id),
        )
    )


def put_setting(tx: Transaction, key: str, value: str) -> None:
    """A setting as it is from now on."""
    tx.rows("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", key, value)


def drop_setting(tx: Transaction, key: str) -> None:
    """A setting that nobody needs any more."""
    tx.rows("DELETE FROM setting WHERE key = ?", key)


def put_common(tx: Transaction, project: str, kind: str, counted: Mapping[str, int]) -> None:
    """What many sessions use, as the worker counted it, in place of what was known."""
    tx.rows("DELETE FROM common WHERE project = ? AND kind = ?", project, kind)
    for what, count in counted.items():
        tx.rows("INSERT INTO common VALUES (?, ?, ?, ?)", project, kind, what, count)


def put_new(tx: Transaction, table: str, value: Any) -> bool:
    """A row unless there is one already; whether it is new."""
    columns = columns_of(type(value))
    marks = ", ".join("?" * len(names_of(type(value))))
    return bool(
        tx.rows(
            f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT DO NOTHING RETURNING 1",
            *to_row(value),
        )
    )


def _replaced(tx: Transaction, table: str, value: Any) -> None:
    marks = ", ".join("?" * len(names_of(type(value))))
    tx.rows(
        f"INSERT OR REPLACE INTO {table} ({columns_of(type(value))}) VALUES ({marks})",
        *to_row(value),
    )


# --- lines of a team


def tell(tx: Transaction, n: int, number: int, line: str, body: str) -> None:
    """An own entry is a line from now on: what its lesson says since is told to others by it."""
    tx.rows(
        "UPDATE journal SET number = ?, line = ?, body = ? WHERE n = ?", *(number, line, body, n)
    )


def tell_again(tx: Transaction, project: str, lines: Sequence[str]) -> None:
    """Own lines that reached nobody are none: their lessons are told anew under another name."""
    for line in lines:
        tx.rows(
            "UPDATE journal SET number = 0, line = '', body = ''"
            " WHERE project = ? AND line = ? AND machine = ?",
            *(project, line, tx.machine),
        )


def keep_line(tx: Transaction, told: Entry) -> Entry | None:
    """A line of another machine that changes nothing, not yet or not any more; None where it is kept already."""
    if told.standing == "applied":
        raise ValueError("an applied line is written by add or change, with its change")
    asked = "SELECT 1 FROM journal WHERE project = ? AND line = ?"
    return None if tx.rows(asked, told.project, told.line) else keep_entry(tx, told)


def pass_line(tx: Transaction, n: int) -> None:
    """A line that waited, and that a later word passed. One that is applied is written by `add` or `change`."""
    tx.rows("UPDATE journal SET standing = 'passed' WHERE n = ? AND standing = 'waiting'", n)


def new_lesson_id() -> str:
    """A random id, never derived from words and never used again."""
    return new_id()

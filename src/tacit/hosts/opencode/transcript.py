"""opencode's sessions: all in one database, `~/.local/share/opencode/opencode.db`; and `opencode export ID`, one as JSON.

Who typed a prompt only our plugin marks (`plugin.js`); without a mark it is *unsure*, and nobody's where `opencode run`
quoted it or a parent session asked it. A fork copies messages under new ids and keeps their times: so it is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core import clock
from tacit.core.run import Run
from tacit.hosts.session import (
    Session,
    dict_at,
    document,
    list_at,
    record_type,
    status_of,
    text_at,
    token_count,
)
from tacit.hosts.source import FileSource, Source, json_record
from tacit.store.foreign import MAGIC, Foreign

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "opencode"
_MARK = "tacit"  # in a part's metadata: what our plugin knows of it
SESSION = ("id", "parent_id", "directory", "version", "agent", "time_created", "time_updated")
_PASSED_OVER = ("step-start", "reasoning", "snapshot", "patch", "file", "agent", "retry", "subtask")
# ours, behind a failed command's output
_OUR_NOTES = re.compile(r"\s*<tacit-notes ((?:id=)?[^<>\s]{1,46})>.*?</tacit-notes \1>\s*", re.S)
# `opencode run` puts a prompt of several words between quotes
_QUOTED = re.compile(r"\A\s*\"([^\"]*)\"\s*\Z")
DEEPEST = 20  # sub-agents of sub-agents
# in what a call that the person stopped says of its error
STOPPED = ("aborted", "rejected", "dismissed")


class OneSession(FileSource):
    """The database, of which one session is meant."""

    def __init__(self, path: str, session: str, size: int = 0) -> None:
        super().__init__(path)
        self.session, self._size = session, size

    @property
    def size(self) -> int:
        """What the session has of the file."""
        return self._size or super().size


def one_session(path: str, session: str) -> Source:
    """What the worker reads when one session of a database is to be learned."""
    return OneSession(path, session)


def sessions(path: str) -> list[tuple[float, str, Source]]:
    """The sessions of a database, sub-agents' too: when each last changed (seconds), in which folder, and what to read."""
    store = Foreign(path)
    try:
        lengths = store.rows(
            "part", ("session_id", "SUM(LENGTH(data))"), order="session_id", group="session_id"
        )
        sizes = {str(id): int(size) for id, size in lengths}
        rows = store.rows("session", SESSION, order="time_created, id")
    finally:
        store.close()
    found = [dict(zip(SESSION, row)) for row in rows]
    return [
        (
            _seconds(each["time_updated"]),
            str(each["directory"] or ""),
            OneSession(path, str(each["id"]), sizes.get(str(each["id"]), 0)),
        )
        for each in found
    ]


def detect(source: Source) -> float:
    """How sure we are that this is opencode's."""
    head = source.head(4096)
    if head.startswith(MAGIC):
        return 0.9 if source.name == "opencode.db" else 0.0
    return 0.9 if head.lstrip().startswith(b"{") and b'"info"' in head and b'"ses_' in head else 0.0


def read(source: Source) -> Iterator[Run]:
    """The sessions of a database, or the one of an export; none of our own model calls."""
    if not source.head(len(MAGIC)).startswith(MAGIC):
        told = document(source) or {}
        yield from _run(source, dict_at(told, "info"), list_at(told, "messages"))
        return
    store = Foreign(source.path)
    try:
        wanted = getattr(source, "session", "")
        for row in store.rows(
            "session", SESSION, order="time_created, id", **({"id": wanted} if wanted else {})
        ):
            found = dict(zip(SESSION, row))
            info = {
                **found,
                "parentID": found["parent_id"],
                "time": {"created": found["time_created"]},
            }
            yield from _run(
                source, info, _messages(store, str(found["id"])), _lineage(store, found)
            )
    finally:
        store.close()


def _messages(store: Foreign, session: str) -> list[Record]:
    """A session's messages with their parts, as an export has them."""
    parts: dict[str, list[Any]] = {}
    for id, message, data in store.rows(
        "part", ("id", "message_id", "data"), order="message_id, id", session_id=session
    ):
        parts.setdefault(message, []).append(
            {"id": id, **(json_record(str(data).encode()) or {"type": "(malformed)"})}
        )
    rows = store.rows("message", ("id", "data"), order="time_created, id", session_id=session)
    return [
        {"info": {"id": id, **(json_record(str(data).encode()) or {})}, "parts": parts.get(id, [])}
        for id, data in rows
    ]


def _lineage(store: Foreign, session: Record) -> str:
    """What a sub-agent's session shares with the session that began it, and its forks; a session's own messages tell their own."""
    top = session
    for _ in range(DEEPEST):
        above = (
            store.rows("session", SESSION, order="id", id=str(top["parent_id"]))
            if top["parent_id"]
            else []
        )
        if not above:
            break
        top = dict(zip(SESSION, above[0]))
    if top is session:
        return ""
    first = store.rows("message", ("MIN(time_created)",), order="1", session_id=str(top["id"]))
    return _first(first[0][0] if first else None)


def _first(made: Any) -> str:
    return f"first:{made}" if type(made) is int and made > 0 else ""


def _run(source: Source, info: Record, messages: list[Any], lineage: str = "") -> Iterator[Run]:
    session = _Session()
    session.start(info)
    for number, message in enumerate(messages, 1):
        session.at(f"message:{text_at(dict_at(message, 'info'), 'id') or number}")
        session.take(message)
    session.lines = sum(1 + len(list_at(message, "parts")) for message in messages)
    if session.id and session.rows and not session.ours:
        made = [dict_at(dict_at(message, "info"), "time").get("created") for message in messages]
        own = (
            ""
            if session.root
            else _first(min((each for each in made if type(each) is int), default=None))
        )
        yield session.run(source, lineage=lineage or own)


class _Session(Session):
    """One session while it is read."""

    def __init__(self) -> None:
        super().__init__(NAME)

    def start(self, info: Record) -> None:
        """Who and where."""
        self.id, self.cwd, self.version = (
            text_at(info, "id"),
            text_at(info, "directory"),
            text_at(info, "version"),
        )
        self.root = text_at(info, "parentID", "parent_id")
        self.agent = text_at(info, "agent") if self.root else ""
        self.seen_at(_time(dict_at(info, "time").get("created")))

    def take(self, message: Any) -> None:
        """One message."""
        info = dict_at(message, "info")
        role, at = text_at(info, "role"), _time(dict_at(info, "time").get("created"))
        if role == "assistant":
            self.model(info.get("modelID"))
            usage = dict_at(info, "tokens")
            fresh, output = token_count(usage, "input"), token_count(usage, "output")
            self.spend(dict_at(usage, "cache"), fresh, output, "read", "write")
            if error := text_at(dict_at(info, "error"), "name"):
                self.say(
                    "system",
                    text_at(dict_at(dict_at(info, "error"), "data"), "message") or error,
                    at,
                )
        elif role != "user":
            self.odd(f"message of {role or 'nobody'}")
            return
        for part in list_at(message, "parts"):
            self.part(role, part, at)
            ended = _time(dict_at(dict_at(part, "state"), "time").get("end"))
            # the next call begins there; the start that the host notes is that of its last output
            at = max(at, ended)

    def part(self, role: str, part: Any, at: str) -> None:
        """One part of a message. What a plugin, ours among them, or the host put beside a prompt is synthetic."""
        kind, id = record_type(part), text_at(part, "id")
        if kind == "text":
            if part.get("synthetic") is True or part.get("ignored") is True:
                return
            text = text_at(part, "text")
            row = (
                self.say("assistant", text, at)
                if role == "assistant"
                else self.ask(
                    _QUOTED.sub(r"\1", text),
                    at,
                    _is_typed(part),
                    not self.root and not _QUOTED.match(text),
                )
            )
            if row is not None:
                row["record"] = id
        elif kind == "tool":
            self.tool(part, id, at)
        elif kind == "compaction":
            self.add("system", at, text="Conversation compacted")
        elif kind == "(malformed)":
            self.malformed += 1
        elif kind not in (*_PASSED_OVER, "step-finish"):
            self.odd(kind)

    def tool(self, part: Record, id: str, at: str) -> None:
        """A call and what came of it."""
        state, call = dict_at(part, "state"), text_at(part, "callID") or id
        row = self.call(call, text_at(part, "tool") or "?", state.get("input"), at)
        if row is None:
            return
        row["record"] = id
        status = text_at(state, "status")
        if status == "completed":
            code = status_of(dict_at(state, "metadata").get("exit"))
            self.answered(
                call, _OUR_NOTES.sub("", text_at(state, "output")), failed=bool(code), status=code
            )
        elif status == "error":
            told = text_at(state, "error")
            if any(word in told.lower() for word in STOPPED):
                row["interrupted"] = True
            self.answered(call, told, failed="interrupted" not in row)
        self.seen_at(_time(dict_at(state, "time").get("end")))


def _is_typed(part: Record) -> bool:
    return dict_at(dict_at(part, "metadata"), _MARK).get("typed") is True


def _seconds(milliseconds: Any) -> float:
    return milliseconds / 1000 if type(milliseconds) is int and 0 < milliseconds < 2**43 else 0.0


def _time(milliseconds: Any) -> str:
    return clock.stamp(at) if (at := _seconds(milliseconds)) else ""

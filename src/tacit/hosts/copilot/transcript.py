"""Copilot CLI's sessions: `~/.copilot/session-state/<id>/events.jsonl`, read so far: 1.0.102.

Who typed a prompt the file does not say. The `sessionStart` hook names the first one: in a terminal, which chooses its
model at the start, it is typed, or unsure if it came at once; without that mark it is nobody's. Later ones are typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core import clock
from tacit.core.run import Run
from tacit.hosts.session import (
    Session,
    content_text,
    dict_at,
    list_at,
    record_type,
    status_of,
    text_at,
    time_of,
    token_count,
)
from tacit.hosts.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "copilot"
# seconds from the start of a terminal to the first prompt that a person can have typed (8 to 10 were seen)
TYPING = 3.0
_PASSED_OVER_KINDS = tuple(
    "hook.end system.message assistant.turn_start assistant.turn_end assistant.reasoning "
    "assistant.intent session.info session.title session.context session.usage session.mode "
    "session.background session.resume session.warning permission. tool.execution_progress "
    "tool.execution_partial assistant.usage pending_messages session.handoff session.import "
    "session.snapshot".split()
)
_SHELL_ID_TAIL = re.compile(
    r"\n?<(?:shellId: \S{1,40} completed with )?exit(?:ed with)? code:? -?\d{1,5}>\s*\Z"
)


def detect(source: Source) -> float:
    """How sure we are that this is a session of Copilot's."""
    first = json_record(source.head().split(b"\n", 1)[0]) or {}
    if first.get("type") == "session.start" and text_at(
        dict_at(first, "data"), "producer"
    ).startswith("copilot"):
        return 0.97
    return 0.0


def read(source: Source) -> Iterator[Run]:
    """The session of a file; nothing where it is one of our own model calls, or empty."""
    events = _Events()
    for found in events.records(source):
        events.take(found)
    if events.ours or not (events.id or events.rows):
        return
    events.id = events.id or source.path.replace("\\", "/").split("/")[-2:][0]
    yield events.run(source)


class _Events(Session):
    """One session while it is read."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.begun = False  # a hook's record of the start stands in the file
        self.handed: dict[str, str] = {}  # prompts that `sessionStart` named, and whose each is
        self.terminal = False  # the host chose a model for a terminal

    def take(self, found: Record) -> None:
        """One event."""
        kind, data, at, id = (
            record_type(found),
            dict_at(found, "data"),
            time_of(found),
            text_at(found, "id"),
        )
        if kind == "session.start":
            self.start(data)
        elif kind == "hook.start":
            self.hook(data, at)
        elif kind == "session.model_change":
            self.terminal = self.terminal or text_at(data, "source") == "startup"
        elif kind == "user.message":
            text = text_at(data, "content").strip()
            whose = self.handed.get(text, "typed") if self.begun else "unsure"
            whose = "" if text_at(data, "source") else whose
            row = self.ask(text, at, typed=whose == "typed", unsure=whose == "unsure")
            if row is not None:
                row["record"] = id
        elif kind == "assistant.message":
            self.model(data.get("model"))
            self.say("assistant", content_text(data.get("content")), at, record=id)
        elif kind == "tool.execution_start":
            row = self.call(
                text_at(data, "toolCallId"),
                text_at(data, "toolName") or "?",
                data.get("arguments"),
                at,
            )
            if row is not None:
                row["record"] = text_at(data, "toolCallId")
        elif kind == "tool.execution_complete":
            self.ended_call(data)
        elif kind == "session.usage_record":
            self.count(dict_at(data, "usage"))
        elif kind == "session.error":
            self.say("system", text_at(data, "message") or "error", at)
        elif kind == "abort":
            self.stopped("[stopped by the user]", at)
        elif kind == "session.shutdown":
            self.complete = True
        elif kind == "session.compaction_complete":
            self.add("system", at, text="Conversation compacted")
        elif not kind.startswith(_PASSED_OVER_KINDS):
            self.odd(kind)
        self.seen_at(at)

    def start(self, data: Record) -> None:
        """Who and where."""
        context = dict_at(data, "context")
        self.id = self.id or text_at(data, "sessionId")
        self.cwd = self.cwd or text_at(context, "cwd")
        self.branch = self.branch or text_at(context, "branch")
        self.version = text_at(data, "copilotVersion")

    def hook(self, data: Record, at: str) -> None:
        """What a hook was given: at the start, the first prompt."""
        if text_at(data, "hookType") == "sessionStart":
            self.begun = True
            handed = text_at(dict_at(data, "input"), "initialPrompt").strip()
            if handed:
                slow = (
                    bool(at and self.started)
                    and clock.seconds(at) - clock.seconds(self.started) >= TYPING
                )
                self.handed[handed] = "" if not self.terminal else "typed" if slow else "unsure"
            self.interactive = self.terminal or not (handed or self.handed)
            self.entry = "terminal" if self.terminal else ""

    def ended_call(self, data: Record) -> None:
        """How a call ended: the exit code of a shell's, the host's word for the others."""
        call = text_at(data, "toolCallId")
        result = dict_at(data, "result")
        output = content_text(result.get("content")) or text_at(dict_at(data, "error"), "message")
        code = status_of(dict_at(data, "shellExecution").get("exitCode"))
        failed = bool(code) or (code is None and data.get("success") is False)
        kind = text_at(result, "type") or text_at(dict_at(data, "error"), "code")
        if kind in ("rejected", "denied"):
            self.answered(call, output, stopped=True)
            return
        self.answered(
            call,
            _SHELL_ID_TAIL.sub("", output) if code is not None else output,
            failed=failed,
            status=code,
        )
        for path in list_at(dict_at(data, "toolTelemetry"), "filePaths"):
            if isinstance(path, str):
                self.files[path] = None

    def count(self, usage: Record) -> None:
        """Tokens, answer by answer."""
        cached, written = (
            token_count(usage, "cacheReadTokens"),
            token_count(usage, "cacheWriteTokens"),
        )
        fresh = max(0, token_count(usage, "inputTokens") - cached - written)
        self.spend(
            usage, fresh, token_count(usage, "outputTokens"), "cacheReadTokens", "cacheWriteTokens"
        )

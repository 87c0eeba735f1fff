"""OpenHands' conversations: a folder with `base_state.json` and `events/event-00017-<id>.json`, one
event a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.run import Run
from tacit.hosts.session import (
    Session,
    content_text,
    dict_at,
    document,
    fill,
    record_type,
    status_of,
    text_at,
    time_of,
)
from tacit.hosts.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "openhands"
STATE, EVENTS = "base_state.json", "events"
_PASSED_OVER = frozenset(
    "SystemPromptEvent CondensationRequest ConversationStateUpdateEvent LLMCompletionLogEvent "
    "TokenEvent HookExecutionEvent PauseEvent StreamingDeltaEvent".split()
)
FINISHED = ("finished", "stuck", "error")


def detect(source: Source) -> float:
    """How sure we are: by the name of the file and what it says of itself."""
    head = source.head()
    if source.name == STATE:
        return (
            0.9
            if b'"agent"' in head or b'"execution_status"' in head or source.beside(EVENTS)
            else 0.0
        )
    if not _EVENT_FILE.match(source.name) or not head.lstrip().startswith(b"{"):
        return 0.0
    return 0.9 if b'"kind"' in head or b'"source"' in head else 0.0


_EVENT_FILE = re.compile(r"event-\d{1,9}-[\w-]+\.json$")


def read(source: Source) -> Iterator[Run]:
    """The conversation that a file belongs to, if the file is the one it is read with."""
    folders = os.path.abspath(source.path).replace("\\", "/").split("/")
    if source.name == STATE:
        events, state, name = (
            source.beside(EVENTS),
            json_record(source.head(1 << 22)) or {},
            folders[-2],
        )
    else:
        events, state = source.beside(), {}
        events = tuple(each for each in events if _EVENT_FILE.match(each.name))
        if source.has_beside("..", STATE) or (events and events[0].name != source.name):
            return
        events, name = (
            events or (source,),
            folders[-3] if len(folders) > 2 and folders[-2] == EVENTS else source.stem,
        )
    talk = _Conversation()
    talk.id = text_at(state, "id") or name
    talk.cwd = text_at(dict_at(state, "workspace"), "working_dir")
    talk.model(text_at(dict_at(dict_at(state, "agent"), "llm"), "model"))
    talk.complete = text_at(state, "execution_status", "agent_status").lower() in FINISHED
    talk.events(each for each in events if _EVENT_FILE.match(each.name))
    if talk.rows and not talk.ours:
        yield talk.run(source)


class _Conversation(Session):
    """One conversation while its events come in."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.by_event: dict[str, str] = {}  # id of an action's event, to that of its call

    def events(self, files: Iterable[Source]) -> None:
        """Take in the events, in the order of their numbers."""
        for file in files:
            self.lines += 1
            found = document(file)
            if found is None:
                self.malformed += 1
                continue
            self.at(f"{EVENTS}/{file.name}")
            self.take(found, time_of(found))

    def take(self, event: Record, at: str) -> None:
        """One event."""
        kind = record_type(event, "kind")
        if kind == "MessageEvent":
            self.message(event, at)
        elif kind in ("ActionEvent", "ACPToolCallEvent"):
            self.act(event, at)
        elif kind == "ObservationEvent":
            self.observe(event)
        elif kind == "AgentErrorEvent":
            if (
                self.answered(text_at(event, "tool_call_id"), text_at(event, "error"), failed=True)
                is None
            ):
                self.say("system", text_at(event, "error"), at)
        elif kind == "UserRejectObservation":
            self.rejected(event)
        elif kind == "InterruptEvent":
            self.stopped("[interrupted by the user]", at)
        elif kind == "ConversationErrorEvent":
            self.outcome = "failure"
            self.say("system", text_at(event, "detail", "code"), at)
        elif kind in ("Condensation", "CondensationSummaryEvent"):
            self.add("system", at, text="Conversation condensed")
        elif kind not in _PASSED_OVER:
            self.odd(kind)

    def message(self, event: Record, at: str) -> None:
        """Words, by their source."""
        text = content_text(dict_at(event, "llm_message").get("content"))
        if text_at(event, "source") == "user":
            self.ask(text, at)
        else:
            self.say("assistant" if text_at(event, "source") == "agent" else "system", text, at)

    def act(self, event: Record, at: str) -> None:
        """A call, with the thought before it."""
        self.say("assistant", content_text(event.get("thought")), at)
        action = dict_at(event, "action")
        call = text_at(event, "tool_call_id") or text_at(event, "id")
        self.by_event[text_at(event, "id")] = call
        name = text_at(event, "tool_name") or text_at(action, "kind") or "tool"
        given = {key: value for key, value in action.items() if key != "kind"} or event.get(
            "raw_input"
        )
        if name == "finish":
            self.complete = True
            self.say("assistant", text_at(action, "message"), at)
            return
        row = self.call(call, name, given, at)
        if row is not None and record_type(event, "kind") == "ACPToolCallEvent":
            self.open.pop(call, None)
            fill(row, content_text(event.get("content")), failed=event.get("is_error") is True)

    def observe(self, event: Record) -> None:
        """A result."""
        seen = dict_at(event, "observation")
        text = content_text(seen.get("content")) or content_text(seen.get("output"))
        code = seen.get("exit_code", dict_at(seen, "metadata").get("exit_code"))
        status = status_of(code) if code != -1 else None  # -1: still running
        error = text_at(seen, "error")
        failed = seen.get("is_error") is True or bool(error) or status not in (None, 0)
        call = text_at(event, "tool_call_id") or self.call_of(event)
        if text_at(event, "tool_name") != "finish":
            self.answered(call, (error or text) if failed else text, failed=failed, status=status)

    def rejected(self, event: Record) -> None:
        """A call that the person refused, or that a hook did."""
        by_hook = text_at(event, "rejection_source") == "hook"
        call = text_at(event, "tool_call_id") or self.call_of(event)
        row = self.answered(call, text_at(event, "rejection_reason"), failed=by_hook)
        if row is not None and not by_hook:
            row["interrupted"] = True

    def call_of(self, event: Record) -> str:
        return self.by_event.get(text_at(event, "action_id"), "")

"""Gemini CLI's sessions: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, and the older `.json` of the same.

A log of operations: messages, `$set` for what changes in the head, `$rewindTo`. A message that is written again grew:
the last writing counts, at the place and time of the first, and what it leaves out stands. Every prompt is *unsure*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.run import Run
from tacit.hosts.gemini import HOOK, unwrapped, without_host_text
from tacit.hosts.session import (
    Session,
    content_text,
    dict_at,
    document,
    list_at,
    record_type,
    text_at,
    time_of,
    token_count,
)
from tacit.hosts.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "gemini"
MESSAGES = ("user", "gemini", "info", "error", "warning")
SHELL = "run_shell_command"
ROOT = ".project_root"  # beside the folder of chats: the project's path


def detect(source: Source) -> float:
    """How sure we are that this is a session: its head names the session and the project's hash."""
    head = source.head()
    first = json_record(head.split(b"\n", 1)[0]) or {}
    if isinstance(first.get("sessionId"), str) and "projectHash" in first:
        return 0.97
    return 0.9 if _OLD_HEAD.match(head) and b'"projectHash"' in head[:1000] else 0.0


_OLD_HEAD = re.compile(rb'\s*\{\s*"sessionId"\s*:')


def read(source: Source) -> Iterator[Run]:
    """The session of a file; nothing where it is one of our own model calls, or empty."""
    chat = _Chat()
    whole = document(source) if ".jsonl" not in source.name and source.path != "-" else None
    if whole is not None and "messages" in whole:
        chat.lines = 1
        chat.set(whole, "messages")
    else:
        chat.log(source)
    chat.tell()
    chat.cwd = chat.cwd or _project(source)
    if chat.ours or not chat.id or len(chat.rows) == chat.openings > 0:
        return
    parent = source.path.replace("\\", "/").split("/")[-2:-1]
    if chat.kind == "subagent" and parent and parent[0] != "chats":
        chat.root, chat.agent = parent[0], "subagent"
    yield chat.run(source)


def _project(source: Source) -> str:
    for beside in source.beside(".."):
        if beside.name == ROOT:
            return beside.head(4096).decode("utf-8", "replace").strip()
    return ""


class _Chat(Session):
    """One session while it is read."""

    def __init__(self) -> None:
        super().__init__(NAME)
        # by id: place of the first, content of the last
        self.messages: dict[str, tuple[str, Record]] = {}
        self.kind = ""
        self.openings = 0  # steps that are the host's opening

    def log(self, source: Source) -> None:
        """Take in the lines."""
        for found in self.records(source):
            if "$set" in found:
                self.set(dict_at(found, "$set"), self.where)
            elif "$rewindTo" in found:
                continue
            elif isinstance(found.get("id"), str):
                self.keep(found, self.where)
            elif "sessionId" in found:
                self.set(found, self.where)
            else:
                self.odd(record_type(found))

    def set(self, head: Record, place: str) -> None:
        """What the head says, and the messages it may carry."""
        self.id = self.id or text_at(head, "sessionId")
        self.kind = text_at(head, "kind") or self.kind
        folders = [each for each in list_at(head, "directories") if isinstance(each, str)]
        self.cwd = self.cwd or (folders[0] if folders else "")
        self.seen_at(time_of(head, "startTime"))
        self.seen_at(time_of(head, "lastUpdated"))
        for index, message in enumerate(list_at(head, "messages"), 1):
            if type(message) is dict:
                self.keep(message, f"{place}/{index}")

    def keep(self, message: Record, place: str) -> None:
        """A message; the same again is what became of it, and takes nothing back."""
        id = text_at(message, "id") or place
        first, before = self.messages.get(id, (place, message))
        at = {"timestamp": before["timestamp"]} if "timestamp" in before else {}
        self.messages[id] = (first, {**before, **message, **at})

    def tell(self) -> None:
        """The messages as steps."""
        for place, message in self.messages.values():
            self.at(place)
            kind, at = record_type(message), time_of(message)
            if kind == "user":
                self.user(message, at)
            elif kind == "gemini":
                self.gemini(message, at)
            elif kind in MESSAGES:
                self.say("system", content_text(message.get("content")), at)
            else:
                self.odd(f"message.{kind}")

    def user(self, message: Record, at: str) -> None:
        """A prompt, without what hooks and mentioned files added to it, and without what the host opens a session with."""
        text = content_text(message.get("content"))
        if text.lstrip().startswith(_PREAMBLE):
            opening, _, text = text.rpartition(_PREAMBLE_ENDS)
            self.openings += self.say("system", opening or text, at) is not None
            text = text if opening else ""
        for found in _HOOK.finditer(text):
            self.say("system", found[1], at, tool="hook")
        asked = without_host_text(content_text(message.get("displayContent")) or text)
        row = self.ask(asked, at, unsure=self.kind != "subagent")
        if row is not None:
            row["record"] = text_at(message, "id")

    def gemini(self, message: Record, at: str) -> None:
        """An answer, its calls with their results, and what it cost."""
        self.model(message.get("model"))
        usage = dict_at(message, "tokens")
        fresh = max(0, token_count(usage, "input") - token_count(usage, "cached"))
        self.spend(
            usage, fresh, token_count(usage, "output") + token_count(usage, "thoughts"), "cached"
        )
        self.say("assistant", content_text(message.get("content")), at)
        for call in list_at(message, "toolCalls"):
            self.tool(call, at)
            # its end, after our own hook has spoken: the next one begins there
            at = time_of(call) or at
            self.seen_at(at)

    def tool(self, call: Any, at: str) -> None:
        """A call and its result, which stand together."""
        name, id = text_at(call, "name"), text_at(call, "id")
        if not name:
            self.odd("toolCalls")
            return
        row = self.call(id, name, call.get("args"), at)
        if row is None:
            return
        self.open.pop(id, None)
        output, error = _result(call)
        status = _exit_code(error or output) if name == SHELL else None
        if name == SHELL:
            output = _printed(output)
        state = text_at(call, "status")
        if state == "cancelled":
            row.update(output=output or error, interrupted=True)
        elif state == "error" or error or status:
            row.update(
                error=error or output or text_at(call, "resultDisplay") or "failed without a word",
                status=status,
            )
        else:
            # The host tells a shell's exit code only where it is not 0.
            row.update(output=output, status=0 if name == SHELL and state == "success" else None)


_PREAMBLE, _PREAMBLE_ENDS = "<session_context>", "</session_context>"
_HOOK = re.compile(rf"<{HOOK}>(.*?)</{HOOK}>", re.S)
_EXIT_CODE_LINE = re.compile(r"^Exit Code: (-?\d{1,5})\s*$", re.M)
_SHELL_HEAD = re.compile(r"\A(?:Command: .*\n|Directory: .*\n)*(?:Output|Stdout): ?")
_SHELL_TAIL = re.compile(
    r"\n(?:(?:Error|Stderr|Signal): \(none\)|Signal: .*|Exit Code: .*|Background PIDs: .*|Process Group PGID: .*)\s*\Z"
)


def _exit_code(text: str) -> int | None:
    found = _EXIT_CODE_LINE.findall(text)
    return int(found[-1]) if found else None


def _printed(text: str) -> str:
    """What a command printed, without the lines that the host puts around it."""
    text = _SHELL_HEAD.sub("", text)
    while (found := _SHELL_TAIL.search(text)) is not None:
        text = text[: found.start()]
    return text.strip()


def _result(call: Record) -> tuple[str, str]:
    """Output and error of a call, out of the responses that went to the model."""
    outputs, errors = [], []
    result = call.get("result")
    for part in result if type(result) is list else [result]:
        response = dict_at(dict_at(part, "functionResponse"), "response")
        errors.append(text_at(response, "error"))
        outputs.append(
            text_at(response, "output", "content", "result")
            or ("" if response else content_text(part))
        )
    return unwrapped("\n".join(each for each in outputs if each)), unwrapped(
        "\n".join(each for each in errors if each)
    )

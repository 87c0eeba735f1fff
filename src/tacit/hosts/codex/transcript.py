"""Codex's rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, lines of `{"timestamp", "type", "payload"}`.

Most is said twice: as a `response_item`, which the model saw, and as an `event_msg`, which the person saw. Items carry
the work; events say which of the user messages a person sent. Who sat there `source` and `turn_attribution` say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.run import Cost, Run
from tacit.core.tables import Tables
from tacit.hosts.codex import script as codex_script
from tacit.hosts.session import (
    WORDLESS,
    Session,
    content_text,
    dict_at,
    fill,
    list_at,
    patched_files,
    record_type,
    status_of,
    text_at,
    time_of,
    token_count,
)
from tacit.hosts.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "codex"
_LINES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
TYPED_INTO = ("cli", "vscode")
REQUEST = (
    "## My request for Codex:"  # the editor's extension puts open files in front of what was typed
)
PLAN = "PLEASE IMPLEMENT THIS PLAN"  # an accepted plan, which the agent wrote
PREAMBLES = ("# Files mentioned by the user", "# Context from my IDE")

_tables = Tables(__file__)
PASSED_OVER_LINES = _tables.listed("PASSED_OVER_LINES")
PASSED_OVER_ITEMS = _tables.words("PASSED_OVER_ITEMS")
PASSED_OVER_EVENTS = _tables.words("PASSED_OVER_EVENTS")
# What begins a result that is no output of the tool, but the host's own complaint.
COMPLAINTS = (
    "apply_patch verification failed",
    "failed to parse function arguments",
    "unsupported call",
    "unsupported custom",
    "execution error",
    "exec_command failed",
    "write_stdin failed",
    "failed in sandbox",
    "tool call error",
    "error: ",
    "err: ",
    "failed to read file",
    "unable to locate image",
)
PATCH_REJECTED = ("rejected by user", "aborted by user", "user rejected")


def detect(source: Source) -> float:
    """How sure we are that this is a rollout."""
    head = source.head()
    for line in head.split(b"\n")[:20]:
        found = json_record(line)
        if found is not None and found.get("type") in _LINES and type(found.get("payload")) is dict:
            return 0.97
    # The first record holds the host's whole instructions and may be longer than what is looked at.
    return 0.9 if _LONG_FIRST.match(head) and b'"session_meta"' in head[:400] else 0.0


_LONG_FIRST = re.compile(rb'\s*\{\s*"timestamp"\s*:')


def read(source: Source) -> Iterator[Run]:
    """The session of a file; nothing where it is one of our own model calls."""
    rollout = _Rollout()
    for found in rollout.records(source):
        rollout.take(found)
    if rollout.ours or not (rollout.id or rollout.rows):
        return
    rollout.id = rollout.id or source.stem
    yield rollout.run(source, extra=rollout.extra or None, lineage=rollout.lineage)


class _Rollout(Session):
    """One rollout while it is read."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.by_person = self.known = False
        # what follows was copied from a session that people type into, until a turn of this one begins
        self.copied = False
        # user messages of the model's side that no event has claimed yet
        self.waiting: dict[str, Record] = {}
        self.claimed: dict[str, int] = {}  # texts that an event brought before their item
        self.told = ""
        self.now = ""
        self.trigger = ""  # what set off this turn, where the host says so
        self.lineage = ""
        self.by_id: dict[str, Record] = {}
        self.scripts: dict[str, str] = {}  # of a call that is a script, its text
        self.cells: dict[str, Record] = {}  # the step of a script that still runs, by its cell
        # the step of a command that still runs, by its process
        self.processes: dict[str, Record] = {}
        # a call that only asks for more output, to the step it is part of
        self.joining: dict[str, Record] = {}
        self.codes: dict[str, int] = {}  # exit codes that the host noted before the answer
        self.extra: Record = {}

    def take(self, found: Record) -> None:
        """One line."""
        kind, payload = record_type(found), dict_at(found, "payload")
        self.now = time_of(found)
        if kind == "session_meta":
            self.meta(payload)
        elif kind == "turn_context":
            self.model(payload.get("model"))
            self.cwd = self.cwd or text_at(payload, "cwd")
        elif kind == "response_item":
            self.item(payload)
        elif kind == "event_msg":
            self.event(payload)
        elif kind == "compacted":
            self.add("system", self.now, text="Conversation compacted")
        elif not kind.startswith(PASSED_OVER_LINES):
            self.odd(kind)

    def meta(self, payload: Record) -> None:
        """Who, where, from what; a forked file repeats the head of the one it came from."""
        if self.known:
            self.duplicates += 1
            id = text_at(payload, "id", "session_id")
            self.copied = self.copied or payload.get("source") in TYPED_INTO
            # of copied heads the last is the oldest
            self.lineage = id if id and id != self.id else self.lineage
            return
        self.known = True
        self.id = text_at(payload, "id", "session_id")
        self.cwd, self.version = text_at(payload, "cwd"), text_at(payload, "cli_version")
        git = dict_at(payload, "git")
        self.branch, self.commit = text_at(git, "branch"), text_at(git, "commit_hash")
        self.remote = text_at(git, "repository_url")
        self.seen_at(time_of(payload) or self.now)
        source = payload.get("source")
        spawned = dict_at(dict_at(source, "subagent"), "thread_spawn")
        self.agent = text_at(payload, "agent_role") or text_at(spawned, "agent_role")
        parent = text_at(payload, "parent_thread_id") or text_at(spawned, "parent_thread_id")
        self.root = text_at(payload, "forked_from_id") or parent or text_at(payload, "session_id")
        self.lineage = text_at(payload, "forked_from_id")
        self.by_person = isinstance(source, str) and source in TYPED_INTO and not parent
        self.interactive = self.by_person
        self.entry = source if isinstance(source, str) and source != "exec" and not parent else ""
        if source == "exec":
            self.extra["by_program"] = True

    # What the model saw.

    def item(self, payload: Record) -> None:
        """A message, a call or a result."""
        kind = record_type(payload)
        call = text_at(payload, "call_id")
        if kind == "message":
            self.message(payload, text_at(payload, "role"), content_text(payload.get("content")))
        elif kind == "function_call":
            self.called(call, text_at(payload, "name"), _arguments(payload.get("arguments")))
        elif kind == "custom_tool_call":
            name, given = text_at(payload, "name"), text_at(payload, "input")
            if name == "exec":
                self.script(call, given)
            else:
                self.called(call, name, {"input": given}, patched_files(given))
        elif kind == "local_shell_call":
            action = dict_at(payload, "action")
            self.called(call, "local_shell", {"command": action.get("command")})
        elif kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            self.result(call, payload.get("output"))
        elif kind == "agent_message":
            self.answer(
                content_text(payload.get("content")) or text_at(payload, "message", "text"),
                text_at(payload, "id"),
            )
        elif kind not in PASSED_OVER_ITEMS:
            self.odd(f"response_item.{kind}")

    def message(self, payload: Record, role: str, text: str) -> None:
        """Words of the model, of the person, or of the host in the person's name."""
        plain, id = _IMAGE.sub("", text).strip(), text_at(payload, "id")
        if role == "assistant":
            self.answer(plain, id)
        elif role == "user" and plain and not _is_hosts(plain) and _sent_by_user(payload):
            if self.claimed.get(plain, 0):
                self.claimed[plain] -= 1
                return
            # until its event says more
            row = self.ask(plain, self.now, unsure=self.by_person or self.copied)
            if row is not None:
                row["record"] = id
                self.waiting[plain] = row
        elif plain:
            self.add("system", self.now, text=plain, speaker=_speaker_of(plain), record=id)

    def answer(self, text: str, id: str = "") -> None:
        """The model's words, which come as an item and as an event."""
        text = text.strip()
        if text and text == self.told:
            row = self.rows[-1] if self.rows else {}
            if id and row.get("text") == text and not row.get("record"):
                row["record"] = id
        elif text:
            self.told = text
            self.say("assistant", text, self.now, speaker="agent", record=id)

    def script(self, call: str, text: str) -> None:
        """A call that is a script: where it does one thing, that thing; else the script with the commands it runs."""
        self.scripts[call] = text
        doing = codex_script.calls(text)
        if len(doing) == 1 and doing[0][0] in ("exec_command", "write_stdin"):
            name, given = doing[0]
            self.called(call, name, given if given else {"input": text})
        elif len(doing) == 1 and doing[0][0] == "apply_patch":
            self.called(call, "apply_patch", {"input": text}, patched_files(_unquoted(text)))
        else:
            commands = [given["cmd"] for name, given in doing if isinstance(given.get("cmd"), str)]
            more = {"cmd": "\n".join(commands)} if commands else {}
            self.called(call, "exec", {**more, "input": text}, patched_files(_unquoted(text)))

    def called(self, call: str, name: str, given: Any, files: tuple[str, ...] = ()) -> None:
        """A call; one of a shell that carries a patch edits files too, one that waits for a command is part of that."""
        if not name:
            self.odd("a call without a name")
            return
        arguments = given if isinstance(given, dict) else {}
        waits_for = None
        if name == "wait":
            waits_for = self.cells.get(str(arguments.get("cell_id")))
        elif name == "write_stdin" and not str(arguments.get("chars") or "").strip("\n"):
            waits_for = self.processes.get(str(arguments.get("session_id")))
        if waits_for is not None and call and call not in self.calls:
            self.calls.add(call)
            self.joining[call] = waits_for
            return
        if not files and isinstance(given, dict):
            files = patched_files("\n".join(_words(given.values())))
        row = self.call(call, name, given, self.now, files)
        if row is not None and call:
            row["record"] = call
            self.by_id[call] = row
        self.told = ""

    def result(self, call: str, output: Any) -> None:
        """A call's answer: a text, a text with a head of its own, JSON with an exit code, or what a script printed."""
        said = codex_script.answer(self.scripts.get(call, ""), output)
        if said is not None:
            self.put(call, said.text, said.status, said.failed, said.process, said.cell)
            return
        text, status, success, process = _plain_output(output)
        low = text[:200].lower()
        if any(word in low for word in PATCH_REJECTED):
            self.answered(call, text, stopped=True)
            return
        failed = (
            status not in (None, 0)
            or success is False
            or (status is None and low.startswith(COMPLAINTS))
        )
        self.put(call, text, status, failed, process)

    def put(
        self,
        call: str,
        text: str,
        status: int | None,
        failed: bool,
        process: str = "",
        cell: str = "",
    ) -> None:
        """An answer into the step that it belongs to, which goes on where a process or a cell still runs."""
        status = self.codes.pop(call, None) if status is None else status
        failed = failed or status not in (None, 0)
        row = self.joining.pop(call, None)
        if row is None:
            row = self.answered(call, text, failed=failed, status=status)
        else:
            before = row.pop("error", "") or row.pop("output", "")
            row.pop("output", None)
            both = "\n".join(part for part in (before if before != WORDLESS else "", text) if part)
            fill(row, both, failed=failed, status=status)
        if row is not None and status is None:
            if process:
                self.processes[process] = row
            if cell:
                self.cells[cell] = row

    # What the person saw.

    def event(self, payload: Record) -> None:
        """What the host showed."""
        kind = record_type(payload)
        if kind == "user_message":
            self.typed(payload, text_at(payload, "message"), text_at(payload, "client_id"))
        elif kind in ("task_started", "turn_started"):
            # both begin with their time
            self.copied = self.copied and text_at(payload, "turn_id") < self.id
            self.trigger = text_at(dict_at(payload, "turn_attribution"), "turn_trigger")
        elif kind == "item_completed":
            self.completed(dict_at(payload, "item"))
        elif kind == "agent_message":
            self.answer(text_at(payload, "message").strip())
        elif kind == "token_count":
            self.count(dict_at(dict_at(payload, "info"), "total_token_usage"))
        elif kind in ("task_complete", "turn_complete"):
            self.complete = bool(self.extra.get("by_program"))
        elif kind == "turn_aborted":
            if text_at(payload, "reason") in ("", "interrupted"):
                self.stopped("[turn aborted by the user]", self.now)
        elif kind == "error":
            self.say("system", text_at(payload, "message") or "error", self.now)
        elif kind.endswith("_end") and text_at(payload, "call_id") in self.by_id:
            self.ended_call(kind, payload)
        elif kind not in PASSED_OVER_EVENTS and not kind.endswith(
            ("_end", "_begin", "_delta", "_response")
        ):
            self.odd(f"event_msg.{kind}")

    def completed(self, item: Record) -> None:
        """An item as the person saw it, the form of 0.166: prompts, answers, and how commands ended."""
        kind, id = record_type(item), text_at(item, "id")
        if kind == "UserMessage":
            self.typed(
                item, content_text(list_at(item, "content")), text_at(item, "client_id") or id
            )
        elif kind == "AgentMessage":
            self.answer(content_text(list_at(item, "content")), id)
        elif kind == "CommandExecution":
            code = status_of(item.get("exit_code"))
            row = self.by_id.get(id)
            if code is None or row is None:
                return
            if "output" in row or "error" in row:
                self.ended_call("exec_command_end", {**item, "call_id": id})
            else:
                self.codes[id] = code

    def typed(self, payload: Record, message: str, id: str) -> None:
        """The event of a prompt: its item, which stands near it, is the person's."""
        text = message.strip()
        if not text or text_at(payload, "kind") not in ("", "plain") or _is_hosts(text):
            return
        row = self.waiting.pop(text, None)
        if row is None:
            row = self.ask(text, self.now)
            self.claimed[text] = self.claimed.get(text, 0) + 1
        if row is None:
            return
        # What an editor adds may hold the same heading; the host's own comes last.
        asked = (
            text.rpartition(REQUEST)[2].strip()
            if REQUEST in text
            else ""
            if text.startswith(PREAMBLES)
            else text
        )
        if asked != text and self.task == row["text"][: len(self.task)]:
            self.task = asked
        person = self.by_person and self.trigger in ("", "user")
        row["text"], row["typed"] = asked or text, person and bool(asked)
        # A sub-agent's file begins with its parent's words: typed there, and no second time here.
        unsure = self.copied or (self.entry and not self.by_person and self.trigger == "user")
        row["speaker"] = (
            "selection" if not asked else "typed" if person else "unsure" if unsure else ""
        )
        if text.startswith(PLAN):
            row["typed"], row["speaker"] = False, "plan"
        row["record"] = id or row.get("record", "")

    def ended_call(self, kind: str, payload: Record) -> None:
        """What the host noted of a call beside its answer."""
        row = self.by_id[text_at(payload, "call_id")]
        if kind == "patch_apply_end":
            changed = tuple(path for path in dict_at(payload, "changes") if isinstance(path, str))[
                :100
            ]
            row["files"] = row.get("files") or changed
            self.files.update(dict.fromkeys(changed))
            if payload.get("success") is False and "error" not in row:
                row.pop("output", None)
                fill(row, text_at(payload, "stderr", "stdout"), failed=True)
        elif kind == "exec_command_end":
            code = status_of(payload.get("exit_code"))
            row.setdefault("status", code)
            if code and "error" not in row:
                row.pop("output", None)
                fill(
                    row,
                    text_at(payload, "aggregated_output", "stderr", "stdout"),
                    failed=True,
                    status=code,
                )

    def count(self, usage: Record) -> None:
        """Totals are cumulative: the last one counts."""
        if usage:
            read = token_count(usage, "cached_input_tokens")
            written = token_count(usage, "cache_write_input_tokens")
            fresh = max(0, token_count(usage, "input_tokens") - read - written)
            self.spent = Cost(fresh, token_count(usage, "output_tokens"), read, written)


_IMAGE = re.compile(r"\s*<image\b[^<>]{0,200}>\s*</image>")  # where a picture stood in a message
# Tags in which the host wraps what it writes in the person's name.
_HOSTS = re.compile(
    r"<(environment_context|user_instructions|user_action|turn_aborted|subagent_notification|skill|user_shell_command"
    r"|instructions|permissions[ _]instructions|collaboration_mode|heartbeat|hook_[a-z_]+|[a-z]+_[a-z_]+)>"
    r"|# AGENTS\.md instructions"
)
_NOTICES = ("<heartbeat>", "<subagent_notification>", "<turn_aborted>")


def _is_hosts(text: str) -> bool:
    return _HOSTS.match(text) is not None


def _speaker_of(text: str) -> str:
    return "notice" if text.startswith(_NOTICES) else "host"


def _sent_by_user(payload: Record) -> bool:
    """False where the host says that a part of a user message came from somebody else (`provenance`, since 0.166)."""
    about = list_at(
        dict_at(payload, "internal_chat_message_metadata_passthrough"), "content_item_metadata"
    )
    return all(text_at(dict_at(item, "provenance"), "type") in ("", "user") for item in about)


def _unquoted(script: str) -> str:
    """A script's text with its spelled-out line breaks as breaks, to find the files that a patch names."""
    return script.replace("\\n", "\n")


def _arguments(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    found = json_record(given.encode("utf-8", "replace"))
    return found if found is not None else {"input": given}


def _words(given: Any) -> Iterator[str]:
    for each in given:
        if isinstance(each, str):
            yield each
        elif type(each) is list:
            yield from _words(each)


# Lines that the host puts in front of what a command printed.
_HEAD = re.compile(
    r"(?:Exit code:?|Process exited with code|exited with code) (?P<code>-?\d{1,5})\b.*"
    r"|Process running with session ID (?P<process>\w{1,20})"
    r"|Chunk ID: .*|Wall time: .*|Original token count: .*|Total output lines: .*"
)


def _plain_output(output: Any) -> tuple[str, int | None, bool | None, str]:
    """A result's text, its exit status, whether the host calls it a success, and the process that still runs."""
    success = output.get("success") if type(output) is dict else None
    success = success if isinstance(success, bool) else None
    if type(output) is dict:
        output = output.get("content", output.get("body", output.get("output")))
    if type(output) is list:
        output = content_text(output)
    text = output if isinstance(output, str) else ""
    if text.startswith("{"):
        status, inner = _in_json(text)
        if inner is not None:
            return inner, status, success, ""
    status, process = None, ""
    if text.startswith("Command: ") and (at := text.find("\nChunk ID: ")) > 0:
        text = text[at + 1 :]  # some versions say first what was run, in as many lines as that has
    while text:
        line, _, rest = text.partition("\n")
        if line.strip() == "Output:":
            return rest, status, success, process
        head = _HEAD.fullmatch(line.strip())
        if head is None:
            break
        if head["code"] is not None:
            status = int(head["code"])
        process = head["process"] or process
        text = rest
    return text, status, success, process


def _in_json(text: str) -> tuple[int | None, str | None]:
    """Older versions answer `{"output": …, "metadata": {"exit_code": …}}`."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None, None
    if type(found) is not dict or not isinstance(found.get("output"), str):
        return None, None
    return status_of(dict_at(found, "metadata").get("exit_code")), found["output"]

"""Claude Code's session files: `~/.claude/projects/<project>/<session>.jsonl`, and what `claude -p` streams.

The format is internal to the host and changes between releases, so nothing in a record is taken for granted: what has
an unexpected type is counted in `Reading.unknown` and left out. Three ideas carry the reader.

A tool call and its result, written as two records, become one step at the place of the call. A prompt counts as typed
only on the host's own mark: meta text, wrappers, reminders, hooks, notifications, programs and parent agents write user
records too. A session is one run with its sub-agents, whose steps carry the agent's name
and a place in the agent's own file.
"""

from __future__ import annotations

import re

from tacit.core.canary import FEW_UNKNOWN
from tacit.core.run import Cost, Reading, Run, Step
from tacit.formats.session import LARGEST, MANY_KINDS, OWN_FOLDER, OWN_PROMPT, WORDLESS
from tacit.formats.session import kind_of as _kind
from tacit.formats.session import time_of as _time
from tacit.formats.session import tokens as _tokens
from tacit.formats.source import record
from tacit.hosts.claude_code.marks import (
    CAVEAT,
    EDITORS,
    HOOK_SPEAKS,
    HOST_TAGS,
    INTERRUPTED,
    NOT_SAID,
    OWN_ERRORS,
    REJECTED,
    SAID,
    TEMPLATE,
    WRAPPER,
    answers,
    inside,
    is_plain_prompt,
    is_refusal,
    origin_of,
    prompt_speaker,
    queue_is_only_trace,
    without_asides,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tacit.formats.source import Source

    Record = dict[str, Any]

NAME = "claude-code"

# Records that say nothing about the work. Everything else that is not read is counted as unknown.
PASSED_OVER = frozenset({
    "progress", "summary", "file-history-snapshot", "file-history-delta", "last-prompt", "ai-title", "custom-title",
    "agent-name", "agent-setting", "agent-color", "mode", "permission-mode", "bridge-session", "atis-latch", "tag",
    "task-summary", "content-replacement", "speculation-accept", "attribution-snapshot", "worktree-state",
    "stream_event", "rate_limit_event", "keep_alive", "api-request", "api-request-shape", "api-request-blob", "tools-used",
    "cost-state",
})  # fmt: skip
PASSED_OVER_SYSTEM = frozenset({
    "", "turn_duration", "local_command", "away_summary", "informational", "bridge_status", "scheduled_task_fire",
    "model_refusal_fallback", "hook_started", "hook_progress", "hook_response", "status", "task_started",
    "task_updated", "task_progress", "task_notification", "microcompact_boundary",
})  # fmt: skip
PASSED_OVER_ATTACHMENTS = frozenset({
    "hook_non_blocking_error", "hook_cancelled", "hook_system_message", "hook_error_during_execution",
    "hook_stopped_continuation", "async_hook_response", "nested_memory", "task_reminder", "todo_reminder", "todo",
    "skill_listing", "deferred_tools_delta", "deferred_tools_record", "mcp_instructions_delta", "agent_listing_delta",
    "plan_mode", "plan_mode_exit", "plan_mode_reentry", "plan_file_reference", "date", "date_change",
    "command_permissions", "auto_mode", "auto_mode_exit", "ultra_effort_enter", "ultra_effort_exit",
    "ultrathink_effort", "workflow_keyword_request", "compact_file_reference", "task_status", "invoked_skills",
    "total_tokens_reminder", "prompt_snapshot", "environment", "remote_session_change", "model", "session_context",
    "structured_output", "silent_turn_reminder", "instructions", "read_truncation_notice", "diagnostics", "directory",
    "agent_mention", "opened_file_in_ide", "selected_lines_in_ide", "output_style", "critical_system_reminder",
    "token_usage", "budget_usd", "mcp_resource", "goal_status",
})  # fmt: skip
SILENT_BLOCKS = frozenset({"thinking", "redacted_thinking", "image", "document", "fallback", "tool_reference"})
CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
AGENT_TOOLS = frozenset({"Task", "Agent"})

MANY_WAITING = 100  # prompts in a queue
MANY_REMINDERS = 20  # at the end of one result


def detect(source: Source) -> float:
    """How sure we are that this is a session file."""
    head = source.head()
    lines = head.split(b"\n")
    if len(head) == 65536:
        lines.pop()  # cut in the middle
    sure = 0.0
    for line in lines[:40]:
        found = record(line)
        if found is not None:
            sure = max(sure, _sureness(found))
            if sure > 0.9:
                return sure
    if not sure and not lines and _LONG_FIRST_RECORD.search(head) and b'"payload"' not in head[:2000]:
        return 0.7
    return sure


_LONG_FIRST_RECORD = re.compile(rb'"(?:parentUuid|isSidechain)"\s*:')


def _sureness(found: Record) -> float:
    kind = found.get("type")
    if type(found.get("sessionId")) is str:
        if kind in ("user", "assistant") and type(found.get("message")) is dict:
            return 1.0
        if kind in ("system", "attachment", "progress") and "uuid" in found:
            return 0.95
        if kind == "queue-operation":
            return 0.9
        if type(kind) is str and kind in PASSED_OVER:
            return 0.6
    if kind == "summary" and "leafUuid" in found:
        return 0.8
    if kind == "file-history-snapshot" and "messageId" in found:
        return 0.8
    if kind == "system" and found.get("subtype") == "init" and "session_id" in found:
        return 0.95
    return 0.0


def read(source: Source) -> Iterator[Run]:
    """The session of a file, with its sub-agents; nothing where the file is part of another run, or our own."""
    if source.name.startswith("agent-acompact-"):
        return
    agent = source.stem.removeprefix("agent-") if source.name.startswith("agent-") else ""
    if agent and _part_of_session(source):
        return
    session = _Session()
    session.read(source, "line:", agent)
    if session.ours:
        return
    if not agent:
        _read_agents(session, source)
    if session.session or session.rows or sum(session.unknown.values()) >= FEW_UNKNOWN:  # of which the canary tells
        yield session.run(source, agent)


def _part_of_session(source: Source) -> bool:
    """Whether the session that this sub-agent served stands two folders up and will be read with it."""
    folders = source.path.replace("\\", "/").split("/")
    if len(folders) < 3 or folders[-2] != "subagents":
        return False
    return any(source.has_beside("..", "..", folders[-3] + end) for end in (".jsonl", ".jsonl.gz", ".jsonl.zst"))


def _read_agents(session: _Session, source: Source) -> None:
    for beside in source.beside(source.stem, "subagents"):
        if not beside.name.startswith("agent-") or beside.name.startswith("agent-acompact-"):
            continue
        agent = beside.stem.removeprefix("agent-")
        if beside.name.endswith(".meta.json"):
            meta = record(beside.head()) or {}
            session.name_agent(agent.removesuffix(".meta"), meta.get("agentType"))
        elif ".jsonl" in beside.name:
            try:
                session.read(beside, f"subagents/{beside.name}:", agent, main=False)
            except OSError as error:
                session.warnings.append(f"sub-agent file {beside.name} left out: {error.strerror}")


class _Session:
    """One session while it is read: steps as dicts, because a call is open until its result comes."""

    def __init__(self) -> None:
        self.rows: list[Record] = []
        self.last: dict[str, Record] = {}  # by agent
        self.calls: set[str] = set()
        self.open: dict[str, Record] = {}  # calls without a result, by id
        self.running: dict[str, dict[str, Record]] = {}  # of them, by agent, those that nobody stopped
        self.seen: set[str] = set()
        self.queue: list[tuple[str, str]] = []  # what waits while the agent is busy, and since when
        self.opening = ""  # of a session that begins with its queue, as `claude -p` does, what came in by it
        self.absorbed: list[str] = []  # of them, those that left the queue as a step; an attachment may repeat them
        self.guessed: dict[
            str, Record
        ] = {}  # steps of prompts that seem to have left the queue; their record may follow
        self.shown: list[str] = []  # those that an attachment made a step; leaving the queue repeats them
        self.spent: dict[str, tuple[int, int, int, int]] = {}  # by message id: output, input, cache read, cache written
        self.models: dict[str, int] = {}
        self.agent_models: dict[str, int] = {}
        self.agents: dict[str, str] = {}  # agent id to its type
        self.prompts: dict[str, str] = {}  # what a parent asked of a sub-agent, to the agent's type
        self.scheduled: set[str] = set()  # what the agent asked of a later turn: its words, whoever seems to send them
        self.tasks: dict[str, str] = {}  # id of the asking call, to the agent's type
        self.sides: dict[str, str] = {}  # uuid of an inline sidechain's record, to the agent
        self.files: dict[str, None] = {}
        self.commit = ""
        self.changed: tuple[str, ...] = ()
        self.prs: dict[str, None] = {}
        self.asked: list[str] = []  # what may be the task, first come
        self.commands: list[str] = []  # slash commands without arguments, second choice
        self.told = ("", "")  # message id and text of the last answer
        self.sessions: dict[str, None] = {}
        self.session = self.fork = self.cwd = self.branch = self.version = self.started = self.ended = ""
        self.first = self.uuid = self.entry = self.main_entry = ""
        self.ours = self.by_program = self.complete = self.begun = False
        self.outcome = "unknown"
        self.usd: float | None = None
        self.lines = self.malformed = self.duplicates = self.oversized = self.forged = 0
        self.unknown: dict[str, int] = {}
        self.warnings: list[str] = []
        self.where = self.agent = ""
        self.nth = 0
        self.main = True
        self.readers = {
            "user": self.user,
            "assistant": self.assistant,
            "attachment": self.attachment,
            "system": self.system,
            "queue-operation": self.queued,
            "pr-link": self.pr_link,
            "result": self.result,
        }

    def read(self, source: Source, prefix: str, agent: str = "", main: bool = True) -> None:
        """Take in one file, of the session itself or of one of its agents."""
        self.agent, self.main = agent, main
        number = 0
        for number, line in enumerate(source.lines(), 1):
            found = record(line)
            if found is None:
                if line.strip():
                    self.malformed += 1
                continue
            kind = _kind(found)
            reader = self.readers.get(kind)
            if reader is None:
                if kind not in PASSED_OVER:
                    self.odd(kind)
                continue
            self.where, self.nth = f"{prefix}{number}", 0
            self.uuid = found["uuid"] if type(found.get("uuid")) is str else ""
            reader(found)
            if self.ours:
                break
        self.lines += number
        self.oversized += source.skipped

    def run(self, source: Source, agent: str) -> Run:
        """What was read, as a run."""
        session = source.stem if source.stem in self.sessions or not self.session else self.session
        # A resumed session repeats the lines of the one before it, under the id of that one.
        root = self.fork or next(iter(self.sessions), session)
        models = self.models or self.agent_models
        asked = self.asked or self.commands
        if self.oversized:
            self.warnings.append(f"{self.oversized} lines are too long or cut off and were left out")
        for row in self.rows:
            row["context"] = row["agent"]
            row["agent"] = self.agents.get(row["agent"], row["agent"])
        return Run(
            id=f"{session}/{source.stem}" if agent else session,
            host=NAME,
            steps=tuple(Step(**row) for row in self.rows),
            root=root if agent or root != session else "",
            lineage="" if agent else self.first,
            cwd=self.cwd,
            branch=self.branch,
            commit=self.commit,
            changed=self.changed,
            agent=self.agents.get(agent, agent),
            model=max(models, key=models.__getitem__) if models else "",
            version=self.version,
            task=asked[0] if asked else "",
            outcome=self.outcome,
            complete=self.complete,
            files=tuple(self.files),
            cost=self.cost(),
            started_at=self.started,
            ended_at=self.ended,
            path=source.path,
            reading=Reading(
                self.lines, self.malformed, self.unknown or None, self.duplicates, tuple(self.warnings),
                interactive=self.main_entry in ("cli", *EDITORS) and not self.by_program, forged=self.forged,
            ),
            extra={"prs": list(self.prs)} if self.prs else None,
        )

    def cost(self) -> Cost | None:
        """Tokens, once per model answer."""
        if not self.spent and self.usd is None:
            return None
        rows = self.spent.values()
        output, fresh, cache_read, cache_write = (sum(row[column] for row in rows) for column in range(4))
        return Cost(fresh, output, cache_read, cache_write, self.usd)

    # What one record says, by its type.

    def user(self, found: Record) -> None:
        """A prompt, tool results, or text the host put in the user's mouth."""
        if not self.new(found):
            return
        message = found.get("message")
        content = message.get("content") if type(message) is dict else None
        if type(content) is str:
            self.said(found, [content], self.agent_of(found, content))
        elif type(content) is list:
            texts: list[str] = []
            alone = True
            for block in content:
                kind = _kind(block)
                if kind == "text" and type(block.get("text")) is str:
                    texts.append(block["text"])
                elif kind == "tool_result":
                    alone = False
                    self.answered(found, block)
                elif kind not in SILENT_BLOCKS:
                    self.odd(f"user.{kind}")
            self.said(found, texts, self.agent_of(found, "\n".join(texts)), alone)
        else:
            self.odd("user.message")
        self.begun = self.begun or self.main

    def assistant(self, found: Record) -> None:
        """Text and tool calls of the model."""
        if not self.new(found):
            return
        message = found.get("message")
        content = message.get("content") if type(message) is dict else None
        if type(content) is str:
            content = [{"type": "text", "text": content}]
        if type(message) is not dict or type(content) is not list:
            self.odd("assistant.message")
            return
        agent, at = self.agent_of(found), _time(found)
        self.begun = self.begun or self.main
        if not agent:
            # What the model answers after is another round: the same words again are another prompt.
            self.absorbed.clear()
            self.shown.clear()
        by_host = self.count(message, agent) or found.get("isApiErrorMessage") is True
        role = "system" if by_host else "assistant"
        mid = message.get("id")
        for block in content:
            kind = _kind(block)
            if kind == "text" and type(block.get("text")) is str:
                text = block["text"].strip()
                if text and (not mid or self.told != (mid, text)):
                    self.told = (mid if type(mid) is str else "", text)
                    self.add(role, agent, at, text=text, interrupted=found.get("isAbortedMidStream") is True)
            elif kind in CALLS:
                self.call(block, agent, at)
            elif kind not in SILENT_BLOCKS and not kind.endswith("_tool_result"):
                self.odd(f"assistant.{kind}")

    def attachment(self, found: Record) -> None:
        """What the host added to the context; a hook's words here have reached the model."""
        if not self.new(found):
            return
        inner = found.get("attachment")
        kind = _kind(inner)
        if type(inner) is not dict:
            self.odd("attachment")
        elif kind == "hook_additional_context":
            content = inner.get("content")
            for text in content if type(content) is list else [content]:
                self.hook(found, text)
        elif kind == "hook_success":
            self.hook(found, inner.get("content"))  # plain output; of JSON only the context above counts
        elif kind == "hook_blocking_error":
            blocking = inner.get("blockingError")
            self.hook(found, blocking.get("blockingError") if type(blocking) is dict else blocking)
        elif kind == "queued_command":
            self.queued_command(found, inner)
        elif kind in ("file", "edited_text_file"):
            self.file(inner.get("filename"))
        elif kind == "session_context" and self.main and not self.commit:
            told = inner.get("context")
            status = told.get("gitStatus") if type(told) is dict else None
            self.commit, self.changed = _git_state(status if type(status) is str else "")
        elif kind not in PASSED_OVER_ATTACHMENTS:
            self.odd(f"attachment.{kind}")

    def system(self, found: Record) -> None:
        """What the host noted: compaction, refused requests, what a stop hook said."""
        if not self.new(found):
            return
        kind = found.get("subtype")
        kind = kind if isinstance(kind, str) else ""
        if kind == "compact_boundary":
            self.add("system", self.agent_of(found), _time(found), text="Conversation compacted")
        elif kind == "api_error":
            error = found.get("error")
            text = error.get("message") if type(error) is dict else error
            text = text if type(text) is str else found.get("content")
            self.add("system", self.agent_of(found), _time(found), text=text if type(text) is str else "API error")
        elif kind == "stop_hook_summary":
            added = found.get("hookAdditionalContext")
            for text in added if type(added) is list else ():
                self.hook(found, text)
        elif kind == "init":
            version = found.get("claude_code_version")
            self.version = version if type(version) is str else self.version
            self.by_program = True
        elif kind not in PASSED_OVER_SYSTEM:
            self.odd(f"system.{kind}")

    def queued(self, found: Record) -> None:
        """A prompt typed while the agent was busy: it ends as a user record or an attachment, in old versions as neither."""
        operation, content = found.get("operation"), found.get("content")
        if operation == "enqueue" and type(content) is str:
            if len(self.queue) < MANY_WAITING:
                self.queue.append((content.strip(), _time(found)))
        elif operation == "popAll":
            self.queue.clear()  # back into the input line, to be edited and sent anew
        elif operation == "dequeue" and self.queue:
            text, _ = self.queue.pop(0)  # its user record follows
            if not self.begun:
                self.opening = text
        elif operation == "remove" and self.queue and found.get("reason", "absorbed_mid_turn") == "absorbed_mid_turn":
            # An old version does not say what leaves; notifications leave without a word, so it is a prompt if one waits.
            texts = [text for text, _ in self.queue]
            named = content.strip() if type(content) is str else next(filter(is_plain_prompt, texts), "")
            text, at = self.queue.pop(texts.index(named) if named in texts else 0)
            if text in self.shown:
                self.shown.remove(text)
            elif is_plain_prompt(text) and queue_is_only_trace(self.version):
                self.absorbed.append(text)
                person = not self.by_program and self.entry in ("", "cli") and text not in self.scheduled
                row = self.prompt(text, "", at, "typed" if person else "")
                if type(content) is not str:
                    self.guessed[text] = row

    def queued_command(self, found: Record, inner: Record) -> None:
        """The same prompt as the model got to see it."""
        prompt = inner.get("prompt")
        if type(prompt) is list:
            prompt = "\n".join(b["text"] for b in prompt if type(b) is dict and type(b.get("text")) is str)
        if type(prompt) is not str or inner.get("commandMode") != "prompt":
            return
        plain, _ = without_asides(prompt)
        if not plain or WRAPPER.match(plain):
            return
        if plain in self.absorbed:
            self.absorbed.remove(plain)
            return
        if any(plain == text for text, _ in self.queue):
            self.shown.append(plain)
        agent = self.agent_of(found)
        human = (
            origin_of(inner) in ("", "human") and origin_of(found) in ("", "human") and inner.get("isMeta") is not True
        )
        person = human and not agent and not self.by_program and self.entry in ("", "cli")
        own = "agent" if agent or plain in self.scheduled else "typed" if person else ""
        self.prompt(plain, agent, _time(found), own)

    def pr_link(self, found: Record) -> None:
        """A pull request that came of the session, where its review will be found."""
        url = found.get("prUrl")
        if type(url) is str:
            self.prs[url] = None

    def result(self, found: Record) -> None:
        """The last word of `claude -p`: the run is over, whether or not its task is done."""
        if type(found.get("session_id")) is not str:
            self.odd("result")
            return
        self.new(found)
        usd = found.get("total_cost_usd")
        self.usd = float(usd) if isinstance(usd, (int, float)) and 0 <= usd < 1e9 else None
        self.complete = True
        subtype = found.get("subtype")
        if found.get("is_error") is True or (type(subtype) is str and subtype.startswith("error")):
            self.outcome = "failure"

    # The pieces of a record.

    def said(self, found: Record, texts: list[str], agent: str, alone: bool = True) -> None:
        """Text in a user record: who wrote it? Beside a tool's result, not a person."""
        if found.get("isCompactSummary") is True:
            return
        at, pieces = _time(found), []
        for text in texts:
            piece, hooks = without_asides(text)
            pieces.append(piece)
            for words in hooks:
                self.add("system", agent, at, text=words, tool="hook")
        plain = "\n".join(piece for piece in pieces if piece)
        if not plain:
            return
        if plain.startswith(INTERRUPTED):
            self.interrupted(agent, at, plain)
        elif found.get("isMeta") is True or found.get("isVisibleInTranscriptOnly") is True:
            self.meta(found, agent, at, plain)
        elif plain.startswith(CAVEAT):
            pass
        elif (wrapper := WRAPPER.match(plain)) and wrapper[1].startswith(HOST_TAGS):
            self.wrapped(found, agent, at, plain, wrapper[1])
        else:
            self.queue = [waiting for waiting in self.queue if waiting[0] != plain]
            if plain in self.guessed:
                self.rows.remove(self.guessed.pop(plain))
            speaker = self.whose(found, agent, plain) if alone else "host"
            if wrapper is not None and speaker == "typed" and found.get("promptSource") != "typed":
                speaker = ""  # a tag of unknown meaning at its head
            self.prompt(plain, agent, at, speaker)

    def whose(self, found: Record, agent: str, plain: str) -> str:
        """Whose words a prompt is."""
        if not self.begun and self.opening == plain and not self.entry:
            self.by_program = True
        if agent:
            return "agent"
        entry = found.get("entrypoint")
        entry = entry if type(entry) is str else self.entry
        speaker = prompt_speaker(found, entry, plain in self.scheduled)
        return "" if speaker == "typed" and self.by_program else speaker

    def prompt(self, text: str, agent: str, at: str, speaker: str) -> Record:
        """A prompt as a step, and as the task if it is the first."""
        if speaker != "notice" and (not agent or (self.agent and self.main)):
            if not self.asked and text.startswith(OWN_PROMPT):
                self.ours = True
            self.asked.append(text)
        role = "system" if speaker == "notice" else "user"
        return self.add(role, agent, at, text=text, typed=speaker == "typed", speaker=speaker)

    def wrapped(self, found: Record, agent: str, at: str, plain: str, tag: str) -> None:
        """Text that the host wrapped: a slash command, its output, a notification."""
        if tag.startswith("command-"):
            name, arguments = inside(plain, "command-name"), inside(plain, "command-args")
            command = f"/{name.lstrip('/')} {arguments}".strip()
            if not agent:
                (self.asked if arguments else self.commands).append(command)
            self.add("user", agent, at, text=command, speaker="command")
        elif tag == "user-memory-input":
            speaker = self.whose(found, agent, plain)
            self.add("user", agent, at, text=inside(plain, tag), typed=speaker == "typed", speaker=speaker)
        elif tag == "bash-input":
            self.add("user", agent, at, text="!" + inside(plain, tag), speaker="command")
        elif tag == "local-command-stdout":
            # The command before it ran in the host and never reached the model: not a task.
            for said in (self.asked, self.commands):
                if said and said[-1].startswith("/") and said[-1] == self.last.get(agent, {}).get("text"):
                    said.pop()
        elif not tag.startswith(("local-command-", "bash-")):
            self.add("system", agent, at, text=plain, speaker="notice")

    def meta(self, found: Record, agent: str, at: str, plain: str) -> None:
        """Text the host wrote on its own account, or the body of a command or skill."""
        if plain.startswith((CAVEAT, "<local-command-caveat>")):
            return
        hook = HOOK_SPEAKS.match(plain) is not None
        body = not hook and (self.last.get(agent, {}).get("speaker") == "command" or "sourceToolUseID" in found)
        self.add("system", agent, at, text=plain, tool="hook" if hook else "", speaker="command" if body else "host")

    def hook(self, found: Record, text: Any) -> None:
        """Words of a hook that the model got to read."""
        if type(text) is str and text.strip():
            self.add("system", self.agent_of(found), _time(found), text=text.strip(), tool="hook")

    def interrupted(self, agent: str, at: str, plain: str) -> None:
        """The person pressed stop: the open calls are stopped, else the moment itself is a step."""
        stopped = self.running.pop(agent, {})
        for row in stopped.values():
            row["interrupted"] = True
        if not stopped and not self.last.get(agent, {}).get("interrupted"):
            self.add("user", agent, at, text=plain, interrupted=True, speaker="host")

    def call(self, block: Record, agent: str, at: str) -> None:
        """A tool call, open until its result comes."""
        name, given, call = block.get("name"), block.get("input"), block.get("id")
        if type(name) is not str or type(call) is not str:
            self.odd("assistant.tool_use")
            return
        if call in self.calls:
            self.duplicates += 1
            return
        self.calls.add(call)
        if type(given) is not dict:
            given = {} if given is None else {"input": given}
        path = given.get("file_path") or given.get("notebook_path")
        files = (path,) if type(path) is str else ()
        if name in AGENT_TOOLS:
            kind = given.get("subagent_type")
            kind = kind if type(kind) is str and kind else "sidechain"
            self.tasks[call] = kind
            if type(given.get("prompt")) is str:
                self.prompts[given["prompt"]] = kind
        elif type(given.get("prompt")) is str:
            self.scheduled.add(given["prompt"].strip())
        row = self.add("tool", agent, at, tool=name, input=given, files=files)
        self.open[call] = self.running.setdefault(agent, {})[call] = row
        for file in files:
            self.file(file)

    def answered(self, found: Record, block: Record) -> None:
        """A tool result, put into the step of its call."""
        call = block.get("tool_use_id")
        call = call if isinstance(call, str) else ""
        row = self.open.pop(call, None)
        if row is None:
            if call in self.calls:
                self.duplicates += 1
            else:
                self.odd("user.tool_result without its call")
            return
        self.running.get(row["agent"], {}).pop(call, None)
        recorded = found.get("toolUseResult")
        text = _plain_output(block.get("content"))
        denied = found.get("toolDenialKind")
        if is_refusal(block.get("is_error"), recorded, denied):
            row["output"], _, words = text.partition(SAID)
            row["interrupted"] = True
            self.refused(found, row, words.partition(NOT_SAID)[0].strip(), denied)
            return
        if text.startswith(REJECTED) and block.get("is_error") is not True:
            self.forged += 1
        row["output"], row["error"], row["status"] = _outcome(row["tool"], block.get("is_error"), text, recorded)
        if type(recorded) is dict:
            if recorded.get("interrupted") is True:
                row["interrupted"] = True
            self.enrich(row, recorded)
        if row["tool"] == "AskUserQuestion":
            for words, own in answers(recorded, row["input"]):
                typed = own and not row["agent"] and not self.by_program and self.entry in ("", "cli", *EDITORS)
                speaker = "answer" if typed else "agent"
                self.add("user", row["agent"], _time(found), text=words, typed=typed, speaker=speaker)

    def refused(self, found: Record, row: Record, words: str, denied: Any) -> None:
        """What the person said when refusing a call is a prompt like any other, and stands nowhere else."""
        if not words or words.startswith(TEMPLATE):
            return
        version = found.get("version")
        old = type(version) is not str or version.startswith(("0.", "1."))  # there a failing command spoke first
        marked = denied == "user-rejected" or (row["tool"] in OWN_ERRORS and not (old and row["tool"] == "Bash"))
        typed = marked and not self.by_program and self.entry in ("", "cli", *EDITORS)
        self.add("user", row["agent"], _time(found), text=words, typed=typed, speaker="refusal" if typed else "")

    def enrich(self, row: Record, recorded: Record) -> None:
        """What the host kept about a result beside its text."""
        if not row["files"]:
            inner = recorded.get("file")
            path = inner.get("filePath") if type(inner) is dict else recorded.get("filePath")
            if type(path) is str:
                row["files"] = (path,)
                self.file(path)
        agent = recorded.get("agentId")
        if type(agent) is str:
            self.name_agent(agent, recorded.get("agentType") or row["input"].get("subagent_type"))

    def name_agent(self, agent: str, kind: Any) -> None:
        """An agent is called by its type where that is known."""
        if type(kind) is str and kind:
            self.agents[agent] = kind

    def file(self, path: Any) -> None:
        if type(path) is str and path:
            self.files[path] = None

    # Bookkeeping.

    def new(self, found: Record) -> bool:
        """False for a record met before; of others note what they say about the session."""
        uuid = found.get("uuid")
        if type(uuid) is str:
            if uuid in self.seen:
                self.duplicates += 1
                return False
            self.seen.add(uuid)
            if self.main and not self.first:
                self.first = uuid
        if self.main:
            self.note(found)
        return True

    def note(self, found: Record) -> None:
        session = found.get("sessionId") or found.get("session_id")
        if type(session) is str and session and session != self.session:
            self.session = session
            self.sessions.setdefault(session)
        fork = found.get("forkedFrom")
        if not self.fork and type(fork) is dict and type(fork.get("sessionId")) is str:
            self.fork = fork["sessionId"]
        at = _time(found)
        if at:
            self.started = self.started or at
            self.ended = max(self.ended, at)  # the host dates some records back
        version, cwd, branch = found.get("version"), found.get("cwd"), found.get("gitBranch")
        if type(version) is str:
            self.version = version
        if not self.cwd and type(cwd) is str:
            self.cwd = cwd
            self.ours = OWN_FOLDER in cwd
        if not self.branch and type(branch) is str:
            self.branch = branch
        entry = found.get("entrypoint")
        if type(entry) is str:
            self.entry = entry
            self.main_entry = self.main_entry or entry

    def agent_of(self, found: Record, prompt: str = "") -> str:
        """The sub-agent a record belongs to; empty for the main one."""
        asking = found.get("parent_tool_use_id")  # in what `claude -p` streams
        if not self.agent and found.get("isSidechain") is not True and type(asking) is not str:
            return ""
        agent, kind = found.get("agentId"), found.get("attributionAgent")
        agent = self.agent or (agent if type(agent) is str else "")
        if agent:
            self.name_agent(agent, kind)
            return agent
        if type(asking) is str:
            return self.tasks.get(asking, "sidechain")
        parent, uuid = found.get("parentUuid"), found.get("uuid")
        side = (self.sides.get(parent) if type(parent) is str else None) or self.prompts.get(prompt) or "sidechain"
        if type(uuid) is str:
            self.sides[uuid] = side
        return side

    def count(self, message: Record, agent: str) -> bool:
        """Add up model and tokens of an answer; True where the host wrote it itself."""
        model, mid, usage = message.get("model"), message.get("id"), message.get("usage")
        if model == "<synthetic>":
            return True
        if type(model) is str:
            models = self.agent_models if agent else self.models
            models[model] = models.get(model, 0) + 1
        if type(usage) is dict:
            spent = (
                _tokens(usage, "output_tokens"),
                _tokens(usage, "input_tokens"),
                _tokens(usage, "cache_read_input_tokens"),
                _tokens(usage, "cache_creation_input_tokens"),
            )
            key = mid if type(mid) is str else self.where
            if spent[0] >= self.spent.get(key, spent)[0]:
                self.spent[key] = spent
        return False

    def add(self, role: str, agent: str, at: str, **more: Any) -> Record:
        self.nth += 1
        place = self.where if self.nth == 1 else f"{self.where}#{self.nth}"
        record_id = self.uuid if self.nth == 1 or not self.uuid else f"{self.uuid}#{self.nth}"
        row: Record = {"role": role, "place": place, "agent": agent, "at": at, "record": record_id, **more}
        row.setdefault("speaker", _SPEAKS.get(role, ""))
        self.rows.append(row)
        self.last[agent] = row
        return row

    def odd(self, what: str) -> None:
        what = what[:60]
        if what not in self.unknown and len(self.unknown) >= MANY_KINDS:
            what = "(others)"
        self.unknown[what] = self.unknown.get(what, 0) + 1


def _git_state(told: str) -> tuple[str, tuple[str, ...]]:
    """What the host told its model of the repository at the start: the newest commit, and tracked files that differ from it."""
    status, _, commits = told.partition("\nRecent commits:\n")
    commit = _COMMIT.match(commits)
    listed = status.partition("\nStatus:\n")[2].splitlines()
    return commit[1] if commit else "", tuple(line[3:] for line in listed if _CHANGED.match(line))


_COMMIT = re.compile(r"([0-9a-f]{7,64})\b")
_CHANGED = re.compile(r"(?!\?\?)[ MTADRCU]{2} \S")  # the short form of git status; ?? is not tracked
_SPEAKS = {"assistant": "agent", "system": "host"}
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code:? (-?\d{1,5})\b")


def _plain_output(content: Any) -> str:
    """A result's text; what the host hung on its end is taken off."""
    if type(content) is list:
        content = "\n".join(
            block["text"] if type(block.get("text")) is str else f"[{block.get('type')}]"
            for block in content
            if type(block) is dict
        )
    text = content if isinstance(content, str) else ""
    for _ in range(MANY_REMINDERS):
        start = text.rfind("<system-reminder>") if text.endswith("</system-reminder>") else -1
        if start < 0:
            break
        text = text[:start].rstrip()
    if text.startswith("<tool_use_error>"):
        text = text[16:].removesuffix("</tool_use_error>")
    return text


def _outcome(tool: str, is_error: Any, text: str, recorded: Any) -> tuple[str, str, int | None]:
    """Output, error and exit status; a result is either output or error."""
    found = _EXIT_CODE.match(text)
    status = int(found[1]) if found else None
    failed = is_error is True
    if type(recorded) is str and is_error is None:
        failed = recorded.startswith(("Error:", "InputValidationError"))
    elif type(recorded) is dict and not failed:
        task = recorded.get("task")
        code = (task if type(task) is dict else recorded).get("exitCode")
        if type(code) is int and abs(code) < LARGEST:
            status = code
            failed = code != 0
        elif tool == "Bash" and not recorded.get("backgroundTaskId") and not recorded.get("returnCodeInterpretation"):
            status = 0 if "stdout" in recorded and recorded.get("interrupted") is not True else None
    elif found and is_error is None:
        failed = status != 0
    if not failed:
        return text, "", status
    return "", text or (recorded if type(recorded) is str and recorded else WORDLESS), status

"""Claude Code's session files: `~/.claude/projects/<project>/<session>.jsonl`, and what `claude -p` streams.

A call and its result, two records, become one step at the place of the call. A prompt counts as typed only on the
host's own mark. A session is one run with its sub-agents, whose steps carry the agent's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.canary import FEW_UNKNOWN
from tacit.core.run import Run
from tacit.core.tables import Tables
from tacit.hosts.claude_code.calls import Calls
from tacit.hosts.claude_code.marks import (
    CAVEAT,
    HOOK_SPEAKS,
    HOST_TAGS,
    INTERRUPTED,
    WRAPPER,
    inside,
    is_plain_prompt,
    origin_of,
    prompt_speaker,
    queue_is_only_trace,
    without_asides,
)
from tacit.hosts.claude_code.steps import NAME as NAME
from tacit.hosts.session import OWN_PROMPT, dict_at, list_at, text_at
from tacit.hosts.session import record_type as _kind
from tacit.hosts.session import time_of as _time
from tacit.hosts.source import Source, json_record

if TYPE_CHECKING:
    Record = dict[str, Any]

# Records that say nothing about the work. Everything else that is not read is counted as unknown.
_tables = Tables(__file__)
_PASSED_OVER_TYPES = _tables.words("PASSED_OVER_TYPES")
PASSED_OVER_SYSTEM = _tables.words("PASSED_OVER_SYSTEM") | {""}
PASSED_OVER_ATTACHMENTS = _tables.words("PASSED_OVER_ATTACHMENTS")
SILENT_BLOCKS = _tables.words("SILENT_BLOCKS")
CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


MANY_WAITING = 100  # prompts in a queue
COMMAND_TOOLS = ("Skill", "SlashCommand")  # by which an agent calls a command itself


def detect(source: Source) -> float:
    """How sure we are that this is a session file."""
    head = source.head()
    lines = head.split(b"\n")
    if len(head) == 65536:
        lines.pop()  # cut in the middle
    sure = 0.0
    for line in lines[:40]:
        found = json_record(line)
        if found is not None:
            sure = max(sure, _sureness(found))
            if sure > 0.9:
                return sure
    if (
        not sure
        and not lines
        and _LONG_RECORD_MARKS.search(head)
        and b'"payload"' not in head[:2000]
    ):
        return 0.7
    return sure


_LONG_RECORD_MARKS = re.compile(rb'"(?:parentUuid|isSidechain)"\s*:')


def _sureness(found: Record) -> float:
    kind = found.get("type")
    if type(found.get("sessionId")) is str:
        if kind in ("user", "assistant") and type(found.get("message")) is dict:
            return 1.0
        if kind in ("system", "attachment", "progress") and "uuid" in found:
            return 0.95
        if kind == "queue-operation":
            return 0.9
        if type(kind) is str and kind in _PASSED_OVER_TYPES:
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
    # of which the canary tells
    if session.session or session.rows or sum(session.unknown.values()) >= FEW_UNKNOWN:
        yield session.whole(source, agent)


def _part_of_session(source: Source) -> bool:
    """Whether the session that this sub-agent served stands two folders up and will be read with it."""
    folders = source.path.replace("\\", "/").split("/")
    if len(folders) < 3 or folders[-2] != "subagents":
        return False
    return any(
        source.has_beside("..", "..", folders[-3] + end)
        for end in (".jsonl", ".jsonl.gz", ".jsonl.zst")
    )


def _read_agents(session: _Session, source: Source) -> None:
    for beside in source.beside(source.stem, "subagents"):
        if not beside.name.startswith("agent-") or beside.name.startswith("agent-acompact-"):
            continue
        agent = beside.stem.removeprefix("agent-")
        if beside.name.endswith(".meta.json"):
            meta = json_record(beside.head()) or {}
            session.name_agent(agent.removesuffix(".meta"), meta.get("agentType"))
        elif ".jsonl" in beside.name:
            try:
                session.read(beside, f"subagents/{beside.name}:", agent, main=False)
            except OSError as error:
                session.warnings.append(f"sub-agent file {beside.name} left out: {error.strerror}")


class _Session(Calls):
    """What each record says, by its type."""

    def __init__(self) -> None:
        super().__init__()
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
        for found in self.records(source, prefix):
            kind = _kind(found)
            reader = self.readers.get(kind)
            if reader is None:
                if kind not in _PASSED_OVER_TYPES:
                    self.odd(kind)
                continue
            self.uuid = text_at(found, "uuid")
            reader(found)
            if self.ours:
                break

    def user(self, found: Record) -> None:
        """A prompt, tool results, or text the host put in the user's mouth."""
        if not self.new(found):
            return
        content = dict_at(found, "message").get("content")
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
                    self.add_of(
                        role,
                        agent,
                        at,
                        text=text,
                        interrupted=found.get("isAbortedMidStream") is True,
                    )
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
            # plain output; of JSON only the context above counts
            self.hook(found, inner.get("content"))
        elif kind == "hook_blocking_error":
            blocking = inner.get("blockingError")
            self.hook(found, blocking.get("blockingError") if type(blocking) is dict else blocking)
        elif kind == "queued_command":
            self.queued_command(found, inner)
        elif kind in ("file", "edited_text_file"):
            self.file(inner.get("filename"))
        elif kind == "session_context" and self.main and not self.commit:
            self.commit, self.changed = _git_state(text_at(dict_at(inner, "context"), "gitStatus"))
        elif kind in ("instructions", "nested_memory"):
            files = inner.get("files") if kind == "instructions" else [inner.get("content")]
            for each in files if type(files) is list else ():
                if (
                    type(each) is dict
                    and type(each.get("path")) is str
                    and type(each.get("content")) is str
                ):
                    self.instructions[each["path"]] = each["content"]
        elif kind not in PASSED_OVER_ATTACHMENTS:
            self.odd(f"attachment.{kind}")

    def system(self, found: Record) -> None:
        """What the host noted: compaction, refused requests, what a stop hook said."""
        if not self.new(found):
            return
        kind = text_at(found, "subtype")
        if kind == "compact_boundary":
            self.add_of("system", self.agent_of(found), _time(found), text="Conversation compacted")
        elif kind == "api_error":
            error = found.get("error")
            text = error.get("message") if type(error) is dict else error
            text = text if type(text) is str else found.get("content")
            self.add_of(
                "system",
                self.agent_of(found),
                _time(found),
                text=text if type(text) is str else "API error",
            )
        elif kind == "stop_hook_summary":
            for text in list_at(found, "hookAdditionalContext"):
                self.hook(found, text)
        elif kind == "init":
            self.version = text_at(found, "claude_code_version") or self.version
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
        elif (
            operation == "remove"
            and self.queue
            and found.get("reason", "absorbed_mid_turn") == "absorbed_mid_turn"
        ):
            # An old version does not say what leaves; notifications leave without a word, so it is a prompt if one waits.
            texts = [text for text, _ in self.queue]
            named = (
                content.strip()
                if type(content) is str
                else next(filter(is_plain_prompt, texts), "")
            )
            text, at = self.queue.pop(texts.index(named) if named in texts else 0)
            if text in self.shown:
                self.shown.remove(text)
            elif is_plain_prompt(text) and queue_is_only_trace(self.version):
                self.absorbed.append(text)
                row = self.prompt(
                    text, "", at, "" if text in self.scheduled else self.at_keyboard()
                )
                if type(content) is not str:
                    self.guessed[text] = row

    def queued_command(self, found: Record, inner: Record) -> None:
        """The same prompt as the model got to see it."""
        prompt = inner.get("prompt")
        if type(prompt) is list:
            prompt = "\n".join(
                b["text"] for b in prompt if type(b) is dict and type(b.get("text")) is str
            )
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
            origin_of(inner) in ("", "human")
            and origin_of(found) in ("", "human")
            and inner.get("isMeta") is not True
        )
        own = "agent" if agent or plain in self.scheduled else self.at_keyboard() if human else ""
        if (
            own
            and self.entry not in ("", "cli")
            and "human" not in (origin_of(inner), origin_of(found))
        ):
            own = "unsure" if own == "typed" else own
        self.prompt(plain, agent, _time(found), own)

    def pr_link(self, found: Record) -> None:
        """A pull request that came of the session, where its review will be found."""
        if type(found.get("prUrl")) is str:
            self.prs[found["prUrl"]] = None

    def result(self, found: Record) -> None:
        """The last word of `claude -p`: the run is over, whether or not its task is done."""
        if type(found.get("session_id")) is not str:
            self.odd("result")
            return
        self.new(found)
        usd = found.get("total_cost_usd")
        self.usd = float(usd) if isinstance(usd, (int, float)) and 0 <= usd < 1e9 else None
        self.complete = True
        if found.get("is_error") is True or text_at(found, "subtype").startswith("error"):
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
                self.add_of("system", agent, at, text=words, tool="hook")
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
                speaker = "unsure"  # a tag of unknown meaning at its head
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
        return "" if speaker in ("typed", "unsure") and self.by_program else speaker

    def prompt(self, text: str, agent: str, at: str, speaker: str) -> Record:
        """A prompt as a step, and as the task if it is the first."""
        if speaker != "notice" and (not agent or (self.agent and self.main)):
            if not self.asked and text.startswith(OWN_PROMPT):
                self.ours = True
            self.asked.append(text)
        role = "system" if speaker == "notice" else "user"
        return self.add_of(role, agent, at, text=text, typed=speaker == "typed", speaker=speaker)

    def wrapped(self, found: Record, agent: str, at: str, plain: str, tag: str) -> None:
        """Text that the host wrapped: a slash command, its output, a notification."""
        if tag.startswith("command-"):
            name, arguments = inside(plain, "command-name"), inside(plain, "command-args")
            command = f"/{name.lstrip('/')} {arguments}".strip()
            if not agent:
                (self.asked if arguments else self.commands).append(command)
            own = self.behind_command(found, agent, plain) if arguments else ""
            self.called = self.add_of(
                "user", agent, at, text=command, typed=own == "typed", speaker=own or "command"
            )
        elif tag == "user-memory-input":
            speaker = self.whose(found, agent, plain)
            self.add_of(
                "user",
                agent,
                at,
                text=inside(plain, tag),
                typed=speaker == "typed",
                speaker=speaker,
            )
        elif tag == "bash-input":
            # typed, and to a shell: no word to the agent
            typed = not agent and self.at_keyboard() == "typed"
            self.add_of(
                "user",
                agent,
                at,
                text="!" + inside(plain, tag),
                speaker="command" if typed else "host",
            )
        elif tag == "local-command-stdout":
            # The command before it ran in the host and never reached the model: not a task.
            for said in (self.asked, self.commands):
                if (
                    said
                    and said[-1].startswith("/")
                    and said[-1] == self.last.get(agent, {}).get("text")
                ):
                    said.pop()
        elif not tag.startswith(("local-command-", "bash-")):
            self.add_of("system", agent, at, text=plain, speaker="notice")

    def behind_command(self, found: Record, agent: str, plain: str) -> str:
        """Whose words stand behind a slash command: the person's, unless a program or the agent
        called it."""
        marked = self.whose(found, agent, plain)
        called_by_agent = self.last.get(agent, {}).get("tool") in COMMAND_TOOLS
        if (
            marked
            or agent
            or called_by_agent
            or self.entry not in ("", "cli")
            or "promptSource" in found
        ):
            return marked if marked in ("typed", "unsure") and not called_by_agent else ""
        return self.at_keyboard()

    def meta(self, found: Record, agent: str, at: str, plain: str) -> None:
        """Text the host wrote on its own account, or the body of a command or skill."""
        if plain.startswith((CAVEAT, "<local-command-caveat>")):
            return
        hook = HOOK_SPEAKS.match(plain) is not None
        last = self.last.get(agent, {})
        called = last.get("speaker") == "command" or last is self.called
        body = not hook and (called or "sourceToolUseID" in found)
        self.add_of(
            "system",
            agent,
            at,
            text=plain,
            tool="hook" if hook else "",
            speaker="command" if body else "host",
        )

    def hook(self, found: Record, text: Any) -> None:
        """Words of a hook that the model got to read."""
        if type(text) is str and text.strip():
            self.add_of(
                "system", self.agent_of(found), _time(found), text=text.strip(), tool="hook"
            )

    def interrupted(self, agent: str, at: str, plain: str) -> None:
        """The person pressed stop: the open calls are stopped, else the moment itself is a step."""
        stopped = self.running.pop(agent, {})
        for row in stopped.values():
            row["interrupted"] = True
        if not stopped and not self.last.get(agent, {}).get("interrupted"):
            self.add_of("user", agent, at, text=plain, interrupted=True, speaker="host")


def _git_state(told: str) -> tuple[str, tuple[str, ...]]:
    """What the host told its model of the repository at the start: the newest commit, and tracked files that differ from it."""
    status, _, commits = told.partition("\nRecent commits:\n")
    commit = _COMMIT.match(commits)
    listed = status.partition("\nStatus:\n")[2].splitlines()
    return commit[1] if commit else "", tuple(line[3:] for line in listed if _CHANGED.match(line))


_COMMIT = re.compile(r"([0-9a-f]{7,64})\b")
# the short form of git status; ?? is not tracked
_CHANGED = re.compile(r"(?!\?\?)[ MTADRCU]{2} \S")

"""The steps of one session while it is read, and the run that they become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.core.run import Cost, Run
from tacit.hosts.claude_code.marks import PEOPLE, PROGRAMS
from tacit.hosts.claude_code.pastes import divided
from tacit.hosts.session import OWN_FOLDER, Session, most_used
from tacit.hosts.session import time_of as _time
from tacit.hosts.session import token_count as _tokens
from tacit.hosts.source import Source

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "claude-code"


class Steps(Session):
    """One session while it is read, with its sub-agents."""

    ours = False  # one of Tacit's own model calls: known by the first prompt, or the folder

    def __init__(self) -> None:
        super().__init__(NAME)
        self.last: dict[str, Record] = {}  # by agent
        self.called: Record = {}  # the step of the slash command that was called last
        # of them, by agent, those that nobody stopped
        self.running: dict[str, dict[str, Record]] = {}
        self.seen: set[str] = set()
        self.queue: list[tuple[str, str]] = []  # what waits while the agent is busy, and since when
        self.opening = (
            ""  # of a session that begins with its queue, as `claude -p` does, what came in by it
        )
        # of them, those that left the queue as a step; an attachment may repeat them
        self.absorbed: list[str] = []
        # steps of prompts that seem to have left the queue; their record may follow
        self.guessed: dict[str, Record] = {}
        # those that an attachment made a step; leaving the queue repeats them
        self.shown: list[str] = []
        # by message id: output, input, cache read, cache written
        self.spent: dict[str, tuple[int, int, int, int]] = {}
        self.agent_models: dict[str, int] = {}
        self.agents: dict[str, str] = {}  # agent id to its type
        self.prompts: dict[str, str] = {}  # what a parent asked of a sub-agent, to the agent's type
        # what the agent asked of a later turn: its words, whoever seems to send them
        self.scheduled: set[str] = set()
        self.tasks: dict[str, str] = {}  # id of the asking call, to the agent's type
        self.sides: dict[str, str] = {}  # uuid of an inline sidechain's record, to the agent
        self.changed: tuple[str, ...] = ()
        self.prs: dict[str, None] = {}
        # the instruction files that the host loaded, as they were
        self.instructions: dict[str, str] = {}
        self.asked: list[str] = []  # what may be the task, first come
        self.commands: list[str] = []  # slash commands without arguments, second choice
        self.told = ("", "")  # message id and text of the last answer
        self.sessions: dict[str, None] = {}
        self.session = self.fork = self.first = self.uuid = self.main_entry = ""
        self.by_program = self.begun = False
        self.usd: float | None = None
        self.forged = 0
        self.main = True

    def whole(self, source: Source, agent: str) -> Run:
        """What was read, as a run."""
        session = source.stem if source.stem in self.sessions or not self.session else self.session
        # A resumed session repeats the lines of the one before it, under the id of that one.
        root = self.fork or next(iter(self.sessions), session)
        self.rows = divided(self.rows, source, self.sessions)
        for row in self.rows:
            row["context"] = row["agent"]
            row["agent"] = self.agents.get(row["agent"], row["agent"])
        self.id = f"{session}/{source.stem}" if agent else session
        asked, program = self.asked or self.commands, PROGRAMS.match(self.main_entry)
        extra = {"prs": list(self.prs), "instructions": self.instructions}
        return self.run(
            source,
            root=root if agent or root != session else "",
            lineage="" if agent else self.first,
            changed=self.changed,
            agent=self.agents.get(agent, agent),
            model=most_used(self.models or self.agent_models),
            task=asked[0] if asked else "",
            cost=self.cost(),
            reading=self.reading(
                interactive=self.main_entry in PEOPLE and not self.by_program,
                forged=self.forged,
                entry="" if self.by_program or program else self.main_entry,
            ),
            extra={name: held for name, held in extra.items() if held} or None,
        )

    def cost(self) -> Cost | None:
        """Tokens, once per model answer."""
        if not self.spent and self.usd is None:
            return None
        rows = self.spent.values()
        output, fresh, cache_read, cache_write = (
            sum(row[column] for row in rows) for column in range(4)
        )
        return Cost(fresh, output, cache_read, cache_write, self.usd)

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
        side = (
            (self.sides.get(parent) if type(parent) is str else None)
            or self.prompts.get(prompt)
            or "sidechain"
        )
        if type(uuid) is str:
            self.sides[uuid] = side
        return side

    def at_keyboard(self) -> str:
        """Who sits where the host records what only a person can do: `typed` at an entry point of people, `unsure` at an unknown one."""
        if self.by_program or PROGRAMS.match(self.entry):
            return ""
        return "typed" if self.entry in ("", *PEOPLE) else "unsure"

    def name_agent(self, agent: str, kind: Any) -> None:
        """An agent is called by its type where that is known."""
        if type(kind) is str and kind:
            self.agents[agent] = kind

    def file(self, path: Any) -> None:
        if type(path) is str and path:
            self.files[path] = None

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

    def seen_at(self, at: str) -> None:
        """The session's own records say when it was; steps may be an agent's, or dated back."""

    def add_of(self, role: str, agent: str, at: str, **more: Any) -> Record:
        """A step of one of the agents, under the record that it came with."""
        later = f"#{self.nth + 1}" if self.nth and self.uuid else ""
        row = self.add(role, at, agent=agent, record=self.uuid + later, **more)
        self.last[agent] = row
        return row

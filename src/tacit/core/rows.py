"""Rows that a store hands out and takes, beside memories and their links: projects, runs, findings, jobs, and what a search found."""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.memory import AGENT, GLOBAL
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from tacit.core.memory import Memory

REPLAY_FOLDER = "/tacit-replay-"  # in the path of everything that `tacit replay` runs


@value
class Project:
    """A project's row."""

    id: str
    name: str
    root: str
    key: str
    remote: str
    profile: str
    trial_key: bytes
    run_seq: int
    created_at: str


@value
class RunRow:
    """A run as the store keeps it: metadata only, the steps stay in the host's file."""

    id: str
    project: str
    host: str
    foreign_id: str
    root: str
    seq: int = 0
    agent: str = ""
    model: str = ""
    version: str = ""
    domain: str = ""
    task: str = ""
    task_id: str = ""
    task_type: str = ""
    outcome: str = "unknown"
    complete: bool = False
    started_at: str = ""
    ended_at: str = ""
    learned_at: str = ""
    settled_at: str = ""
    path: str = ""
    facts: Mapping[str, Any] | None = None


class Direction:
    """Where a question points, as the vectors of its words say, and what was compared with it so far."""

    __slots__ = ("identity", "near", "numbers", "usual")

    def __init__(self, identity: str, numbers: list[float], usual: float) -> None:
        self.identity = identity  # of the model
        self.numbers = numbers  # of length 1
        self.usual = usual  # the mean cosine of the projects' lessons with it
        self.near: dict[int, float] = {}  # row -> cosine


@value
class Near:
    """What is near in meaning."""

    hits: tuple[Hit, ...] = ()
    cosines: Mapping[str, float] = {}  # memory -> cosine, of these hits and of those asked about
    usual: float = 0.0  # the mean over all that were compared: what stands out from it is near
    note: str = ""  # why nothing was compared, where that is not plain


@value
class FindingRow:
    """A finding as the store keeps it."""

    key: str
    project: str
    run: str
    place: str
    extractor: str
    version: int
    memory: str
    outcome: str
    reason: str
    gate: str
    text: str
    digest: bytes
    kind: str
    by: str
    tier: str
    origin: str
    signature: str
    score: float
    runner_up: float
    at: str


@value
class Job:
    """A piece of queued work."""

    id: int
    kind: str
    key: str
    project: str
    payload: Mapping[str, Any]
    attempts: int
    at: str  # when it was last asked for


def run_id(project: str, host: str, foreign_id: str) -> str:
    """A run's name in every store: runs are keyed by project, host and the host's own id."""
    return short_hash("run", project, host, foreign_id)


def scope_projects(project: str) -> tuple[str, str, str]:
    """Where a project's searches look: its own rows and the two that hold everywhere."""
    return (project, GLOBAL, AGENT)


@value
class Hit:
    """One candidate and the channel that found it."""

    memory: Memory
    channel: str  # words, signature, recurring, standing
    score: float  # the channel's own: rarity of the words it holds, sightings for recurring
    n: int = 0  # its row: the order of writing
    words: str = ""  # what the index holds beside the text: parts of identifiers and paths, pairs of letters


@value
class Found:
    """Candidates, and how common each word of the query is here."""

    hits: tuple[Hit, ...]
    rows: int  # memories in the store
    frequency: dict[str, int]  # word -> rows that hold it; exact for rare words, estimated for common ones
    tokens: Callable[[str], list[str]]  # the index's own tokenizer: what it makes of a text
    passages: tuple[tuple[str, ...], ...] = ()  # of a question: each passage's words, as the index reads them
    length: float = 0.0  # mean words of a text here; 0 where the engine does not say
    direction: Direction | None = None  # where the question points, if the engine knows its words' vectors


@value
class Fault:
    """One thing that does not verify."""

    kind: str  # file, memory, journal, seal, evidence, use, mark, run, finding, proposal, tally, index
    id: str
    detail: str

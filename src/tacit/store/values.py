"""What things are: a lesson, what vouches for it, what became of it, and how it changed.

Values, frozen: a change is a new value. Times are ISO 8601 text in UTC; empty text means none.
Hooks do not load this module; they read the few columns they need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KINDS = ("way", "decision", "cure", "fact", "preference")
WORDS = ("person", "session", "outside")  # whose word it is, falling
STATES = ("waiting", "active", "doubted", "gone")
STANCES = ("supports", "contradicts", "came back")
STEPS = ("", "asks", "refuses", "checks")  # of a guard; empty: the lesson is only delivered
ARMS = ("delivered", "held out", "exempt")
STANDINGS = ("applied", "waiting", "passed")
EVERYTHING = "*"  # as a subject: about everything


@dataclass(frozen=True, slots=True)
class Project:
    """One work of one repository, with all its work trees."""

    id: str
    name: str = ""
    root: str = ""
    key: str = ""
    remote: str = ""
    origin: str = ""
    trial_key: bytes = b""
    sessions: int = 0
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing worth knowing, in one sentence."""

    id: str
    project: str
    text: str
    kind: str = "fact"
    about: str = ""  # its topic; then names between semicolons
    files: tuple[str, ...] = ()
    sign: str = ""  # the literal mark by which its failure is met again
    sign_in: str = ""  # where that mark stands: output or call
    word: str = "outside"
    by: str = ""  # who set these words
    said_at: str = ""  # and when
    state: str = "waiting"
    reason: str = ""  # why it is in this state, what it waits for
    always: bool = False
    shared: bool = False
    family: str = ""
    replaced_by: str = ""
    guard: str = ""
    step: str = ""
    created_at: str = ""
    changed_at: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    n: int = 0  # its row on this machine; of newer ones the higher


@dataclass(frozen=True, slots=True)
class Hand:
    """Who changes something, and when; for a mate's line also what it is known by."""

    by: str
    at: str
    session: str = ""
    machine: str = ""
    number: int = 0
    line: str = ""
    body: str = ""
    signer: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the journal: what changed in a lesson, by whom and why."""

    lesson: str
    project: str
    verb: str
    by: str
    why: str
    at: str
    before: Mapping[str, Any] = field(default_factory=dict)  # the fields that changed
    after: Mapping[str, Any] = field(default_factory=dict)
    session: str = ""
    machine: str = ""
    number: int = 0  # of a line; 0: it is none
    line: str = ""  # the line's digest
    body: str = ""  # and the line itself
    signer: str = ""
    standing: str = "applied"
    n: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """A session supports or contradicts a lesson, or its failure came back there."""

    lesson: str
    project: str
    session: str = ""
    group: str = ""
    stance: str = "supports"
    measure: str = ""  # empty: a sighting; otherwise what an origin counts
    amount: float = 1.0
    place: str = ""
    quote: str = ""
    by: str = ""
    word: str = "session"
    at: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A lesson delivered at a moment or held out, and what came of it."""

    lesson: str
    project: str
    session: str
    group: str
    moment: str
    arm: str
    probability: float
    at: str
    context: str = ""
    event: str = ""
    family: str = ""
    tokens: int = 0
    outcome: str = ""
    loss: float = 0.0
    settled_at: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    n: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One finished piece of agent work, as it is kept: its steps stay in the host's file."""

    id: str
    project: str
    host: str
    name: str
    group: str
    number: int = 0
    agent: str = ""
    model: str = ""
    task: str = ""
    outcome: str = ""
    complete: bool = False
    path: str = ""
    started_at: str = ""
    ended_at: str = ""
    learned_at: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed in a session, by the line that tells it."""

    session: str
    sign: str
    project: str
    group: str
    program: str = ""
    line: str = ""
    calls: int = 0
    seconds: int = 0
    cure: str = ""
    place: str = ""
    at: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """What waits for a person's yes."""

    id: str
    project: str
    lesson: str
    kind: str
    text: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    asked_at: str = ""
    answered_at: str = ""
    answer: str = ""
    by: str = ""

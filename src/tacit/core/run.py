"""A run is one finished piece of agent work; a finding is one thing it says that may be worth remembering.

Formats yield runs: who did what, step by step, as the host recorded it. What a run says outright (a review verdict, a
retrospective's candidate) the format puts into `findings`; everything derived from steps is the extractor's business.
A finding is known by its run and by what it says, so that the same run twice changes nothing, a run that grew adds only
what is new, and several submissions under one run id are all kept. Its place is where to look it up, no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.rows import REPLAY_FOLDER
from tacit.core.value import replace, value
from tacit.lesson import SEVERITIES

# An incident is one thing noticed in a run, counted and kept whether or not anybody is ever told.
#
# One row per run and signature. *failure*: a command that failed, hard or behind a pipe, how often, what it cost and how it ended.
# *command*: a form of a command that serves a purpose, how often it passed and failed. *sentence*: a short sentence that the person typed.
# *complaint*: the person's word that a check fails after the agent had gone on. Nothing here is given to an agent by itself.
# Old failures and commands become counts, old sentences and complaints go: nobody asks for what was typed a thousand runs ago.

FAILURE = "failure"
# before a kind: what became of incidents that telling no longer looks at, one row per signature and project
PAST = "past "


@value
class Incident:
    """One thing noticed in one run."""

    kind: str
    mark: str  # the signature
    family: str = ""
    nature: str = ""  # as `words/diagnose.py` says
    code: str = ""
    name: str = ""
    tool: str = ""
    program: str = ""  # the segment of the line that failed
    folder: str = ""  # below the project's root; empty: the root itself
    line: str = ""  # the telling line, masked
    count: int = 1  # how often in this run
    failed: int = 0  # of a count: in how many lineages
    soft: bool = False  # seen by its output alone: the exit status said nothing
    calls: int = 0  # until the same thing passed
    seconds: int = 0
    # How it ended: a file was edited (`edit`), a command was run between (`command`), the command took
    # another form (`form`), it was simply tried again (`retry`); or it never passed (`never`).
    ended: str = ""
    cure: str = ""  # what stood between, in a form that two runs share
    place: str = ""
    at: str = ""


# What was refused while sessions and reports were read, in words for the person whom it concerns.
#
# An attack that fails should not fail unseen: somebody put it there. Each refusal is counted once a session, and told for some weeks.

PREFIX = "refused: "
DAYS = 30  # that a refusal is shown for

FORGED = "something printed imitates the host's sentence for a person's refusal; it was read as output, not as your words"
LIES_ABROAD = "a session does not lie where its host keeps yours; what it says waits for your word (tacit learn --as NAME stands for one)"
CLAIMED = "a report claims a reviewer's or a tool's word; it speaks as an agent"


def refusals(run: Run) -> tuple[str, ...]:
    """What of a run was not taken as it calls itself."""
    reading = run.reading
    told = (
        (run.foreign, LIES_ABROAD),
        (reading and reading.forged, FORGED),
        (reading and reading.claimed, CLAIMED),
    )
    return tuple(what for happened, what in told if happened)


def refusal_lines(counters: Mapping[str, int]) -> list[str]:
    """For people: what was refused of late, and how often."""
    return [
        f"refused {many}x: {name.removeprefix(PREFIX)}"
        for name, many in sorted(counters.items())
        if name.startswith(PREFIX)
    ]


OUTCOMES = ("success", "failure", "aborted", "unknown")
STANCES = ("supports", "contradicts")
OUTRIGHT = "outright"  # the extractor of what a run says itself
# Whose words a step's text are. The first three are the person's and imply `typed`; nothing else ever does. *Unsure* words are perhaps
# the person's: they are shown to a reader and to the person, and never come into force by themselves.
# typed, refusal, answer; unsure, choice, pasted, plan, selection, command, summary, notice, host, agent


@value
class Step:
    """One thing that happened in a run."""

    role: str  # user, assistant, tool or system: who speaks
    place: str  # where it stands in the host's file, for instance "line:17" or a record's own id
    text: str = ""  # what a user, assistant or system said
    tool: str = ""  # the tool's name, on a step that is a tool call together with its answer
    # the tool's arguments as the host recorded them; of an answer or a choice, the `question` that it answers
    input: Mapping[str, Any] | None = None
    output: str = ""  # what the tool answered
    error: str = ""  # not empty exactly when the step failed: the error as the harness recorded it
    status: int | None = None  # exit status, where there is one
    files: tuple[str, ...] = ()  # files read or written by this step
    at: str = ""  # ISO 8601, UTC
    agent: str = ""  # the sub-agent that took the step; empty for the main one
    context: str = ""  # the host's id of that sub-agent: two of one kind are two readers
    # the text was typed by the person at the keyboard: no meta text, no tool result, no hook's words
    typed: bool = False
    interrupted: bool = False  # the person stopped or refused this step
    speaker: str = ""  # whose words `text` are; empty where the format does not tell
    record: str = (
        ""  # the host's own id of the record: copies in a fork or a resumed file carry the same one
    )


@value
class Cost:
    """What a run consumed; tokens are counted once per model answer."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    usd: float | None = None


@value
class Reading:
    """What a reader met on its way through a file: never trust counts, report them."""

    lines: int = 0
    malformed: int = 0  # lines that are not JSON objects
    unknown: Mapping[str, int] | None = (
        None  # record types the reader does not know, kept out of steps
    )
    duplicates: int = 0  # records met before, by their own id
    warnings: tuple[str, ...] = ()
    interactive: bool = False  # the host says that a person sat there
    forged: int = 0  # results that imitate the host's sentence for a person's refusal
    claimed: int = 0  # findings whose trust nobody stands for
    # the way in, as the host names it, where a person may sit; empty where it does not say, and for a program's
    entry: str = ""


@value
class Finding:
    """One thing a run says that may be worth remembering, with the place where it was said and by whom."""

    run: str  # the run's foreign id
    place: str
    text: str  # the lesson as a stranger could act on it
    extractor: str = OUTRIGHT  # who found it
    version: int = 1
    kind: str = "pitfall"  # a kind the profile declares
    by: str = ""  # who said it: user, guardian, test, tool, agent …
    tier: str = "agent"  # trust of the text, by who wrote the words
    origin: str = (
        ""  # the document or stream it came from; the same origin in five runs is one sighting
    )
    stance: str = "supports"
    category: str = ""
    severity: str = "info"
    domain: str = ""
    agent: str = ""
    task_type: str = ""
    scope: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    signature: str = ""  # the masked error, equal for equal problems; empty where there is no error
    quote: str = ""  # the evidence in the run's own words, short
    at: str = ""
    confidence: float | None = None  # where the source states one
    extra: Mapping[str, Any] | None = None
    about: str = ""  # its subject, as `kept_subject` keeps it

    @property
    def key(self) -> str:
        """The same thing said again in the same run has the same key: by whom, how gravely, for or against, in which words."""
        return short_hash(
            "said", self.run, " ".join(self.text.split()), self.by, self.stance, self.severity
        )

    @property
    def witness(self) -> str:
        """The tier of what speaks for it: a reader words what a person did or what happened."""
        return str((self.extra or {}).get("witness") or self.tier)


@value
class Run:
    """One finished piece of agent work."""

    id: str  # the host's own id; the store keys runs by project, host and this
    host: str  # claude-code, codex, neutral …
    steps: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()  # said outright by the run
    # foreign id of the first run of this unit (retries, sub-agents, resumptions share it); empty: itself
    root: str = ""
    lineage: str = ""  # what forks and resumptions of one piece of work share; empty: the root
    project: str = ""
    cwd: str = ""
    branch: str = ""
    commit: str = ""  # the commit it began at, whole or shortened, where the host wrote it down
    changed: tuple[str, ...] = ()  # tracked files that differed from that commit then
    agent: str = ""
    model: str = ""
    version: str = ""  # the host's version
    domain: str = ""
    task: str = ""  # what was asked, in the asker's words
    task_id: str = ""
    task_type: str = ""
    objective: str = ""
    outcome: str = "unknown"
    complete: bool = False  # the host said the run is over
    files: tuple[str, ...] = ()
    cost: Cost | None = None
    started_at: str = ""
    ended_at: str = ""
    path: str = ""  # the file it was read from
    # the file may be anybody's: whatever it says is imported, and it is no witness of what was noticed
    foreign: bool = False
    reading: Reading | None = None
    extra: Mapping[str, Any] | None = None
    remote: str = ""  # the repository's address, where the host noted it: what is left of a work tree that was removed

    @property
    def typed(self) -> int:
        """How many messages of it the person typed."""
        return sum(bool(step.typed and step.text) for step in self.steps)

    @property
    def is_replayed(self) -> bool:
        """Whether `tacit replay` ran it: it is never learned and is no evidence."""
        return any(REPLAY_FOLDER in each for each in (self.cwd, self.path))

    def warned(self, told: str, claimed: int) -> Run:
        """The same run, with a warning of its reader's, and how many of its findings nobody stands for."""
        reading = self.reading or Reading()
        return replace(
            self, reading=replace(reading, warnings=(*reading.warnings, told), claimed=claimed)
        )

    @property
    def descent(self) -> str:
        """The origin that evidence of this run shares with its forks and copies: together they are one sighting."""
        return f"lineage:{self.host}:{self.lineage}" if self.lineage else ""


def fold_severity(word: object) -> str:
    """A foreign severity in our four words, case-folded; unknown words are info."""
    text = str(word or "").strip().lower()
    return _SEVERITY_OF.get(text, "info")


_SEVERITY_OF = {
    **{word: word for word in SEVERITIES},
    "critical": "bug",
    "error": "bug",
    "blocker": "bug",
    "high": "bug",
    "fatal": "bug",
    "failure": "bug",
    "warn": "warning",
    "major": "warning",
    "medium": "warning",
    "moderate": "warning",
    "suggestion": "recommendation",
    "minor": "recommendation",
    "low": "recommendation",
    "note": "info",
    "notice": "info",
    "none": "info",
    "trivial": "info",
}

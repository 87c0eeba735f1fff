"""Rows that a store hands out and takes, beside memories and their links: projects, runs, findings, jobs, and what a search found;
and which project a place belongs to, by what a store knows of it."""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.value import value
from tacit.lesson import AGENT, GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from tacit.lesson import Lesson
    from tacit.place.identity import Place

ASCII_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
KEY_LETTERS = ASCII_LETTERS + DIGITS + "-"  # git's iskeychar
MAX_ID = 64
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


def run_id(project: str, host: str, foreign_id: str) -> str:
    """A run's name in every store: runs are keyed by project, host and the host's own id."""
    return short_hash("run", project, host, foreign_id)


def scope_projects(project: str) -> tuple[str, str, str]:
    """Where a project's searches look: its own rows and the two that hold everywhere."""
    return (project, GLOBAL, AGENT)


@value
class Hit:
    """One candidate and the channel that found it."""

    memory: Lesson
    channel: str  # words, signature, recurring, standing
    score: float  # the channel's own: rarity of the words it holds, sightings for recurring
    n: int = 0  # its row: the order of writing
    words: str = (
        ""  # what the index holds beside the text: parts of identifiers and paths, pairs of letters
    )


@value
class Found:
    """Candidates, and how common each word of the query is here."""

    hits: tuple[Hit, ...]
    rows: int  # memories in the store
    frequency: dict[
        str, int
    ]  # word -> rows that hold it; exact for rare words, estimated for common ones
    tokens: Callable[[str], list[str]]  # the index's own tokenizer: what it makes of a text


@value
class Fault:
    """One thing that does not verify."""

    kind: str  # file, memory, journal, seal, evidence, use, mark, run, finding, proposal, tally, index
    id: str
    detail: str


def index_fault(what: str, told: str, reindex: str = "rebuilds them") -> Fault:
    """Something derived that is not as its rows say, and what `tacit doctor --repair` does about it."""
    return Fault("index", what, f"{told}; tacit doctor --repair {reindex}")


@value
class Choice:
    """The project chosen for a place; without an id the caller asks, or creates one where the command may write."""

    id: str
    how: str  # explicit, config, marker, remote, path, new or ambiguous
    reason: str


def decide_project(
    place: Place,
    known_by_id: Sequence[str],
    known_by_remote: Sequence[str],
    known_by_key: Sequence[str],
) -> Choice:
    """The project of a place. `known_by_…` are the ids of the projects that the store knows by the place's id (by id or
    name, if the user gave a word), by its remote, and by its key."""
    if place.given:
        return _decide_given(place.given, known_by_id)
    if place.id and place.kind == "git":
        known = "" if place.id in known_by_id else ", which this store does not know yet"
        return Choice(place.id, "config", f"the git config names {place.id}{known}")
    if place.id:
        return _decide_marker(place, known_by_id, known_by_key)
    if place.remote:
        return _decide_remote(place, known_by_remote, known_by_key)
    match list(known_by_key):
        case []:
            return Choice("", "new", f"no project is known at {place.key}")
        case [only]:
            return Choice(only, "path", f"known at {place.key}")
        case several:
            return Choice(
                "", "ambiguous", f"{len(several)} projects are known at {place.key}: name one"
            )


def _decide_given(given: str, known_by_id: Sequence[str]) -> Choice:
    known = [
        project for project in known_by_id if is_id(project)
    ]  # the rows for lessons that hold everywhere are none
    if given in known or len(known) == 1:
        return Choice(given if given in known else known[0], "explicit", f"the user named {given}")
    if known:
        return Choice("", "ambiguous", f"{len(known)} projects are called {given}: give an id")
    # A word that can be an id becomes one, so that the same word on two machines means the same project.
    if is_id(given):
        return Choice(
            given, "explicit", f"the user named {given}, which this store does not know yet"
        )
    return Choice("", "new", f"no project is called {given}")


def _decide_marker(place: Place, known_by_id: Sequence[str], known_by_key: Sequence[str]) -> Choice:
    # A marker may come in an archive: it may name a project only where that has been before, or one without memories.
    if place.id not in known_by_id:
        return Choice(
            place.id, "marker", f"the marker names {place.id}, which this store does not know yet"
        )
    if place.id in known_by_key:
        return Choice(place.id, "marker", f"the marker names {place.id}, known at {place.key}")
    if len(known_by_key) == 1:  # a copy that was given a project of its own before
        return Choice(
            known_by_key[0],
            "path",
            f"known at {place.key}; the marker names {place.id}, never seen here",
        )
    return Choice(
        "", "ambiguous", f"the marker names {place.id}, never seen at {place.key}: confirm the move"
    )


def _decide_remote(
    place: Place, known_by_remote: Sequence[str], known_by_key: Sequence[str]
) -> Choice:
    # The remote goes before the path: where clones come and go (containers), one path holds many repositories, and
    # a project's memories in another repository are worse than a project that has to be named once more.
    match list(known_by_remote):
        case []:
            before = f", though {known_by_key[0]} was known at this path" if known_by_key else ""
            return Choice("", "new", f"no project is known for {place.remote}{before}")
        case [only]:
            return Choice(only, "remote", f"a clone of {place.remote}")
        case several:
            here = [project for project in several if project in known_by_key]
            if len(here) == 1:
                return Choice(
                    here[0],
                    "path",
                    f"of {len(several)} clones of {place.remote} the one at {place.key}",
                )
            return Choice(
                "", "ambiguous", f"{len(several)} projects are clones of {place.remote}: name one"
            )


def is_id(text: str) -> bool:
    """Can this be a project's id? Ours are random; a team may choose its own word."""
    return 0 < len(text) <= MAX_ID and text[0] not in "._-" and not text.strip(KEY_LETTERS + "._")

"""What changed, from what to what, by whom, under which profile version, and why; append-only.

A memory changes only through a `Change`: its new row and the entry that says why, written together. Entries of one
memory are numbered without a gap; `erase` blanks what they say, and their numbers stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.errors import Refused
from tacit.core.states import ACTIVE, GONE, WAITING, is_legal
from tacit.core.value import replace, value
from tacit.lesson import DECIDED, Lesson, columns_of

# The names under which our own machinery writes; any other is somebody's.
AUTOMATIC = (
    "learn",
    "notice",
    "reader",
    "tend",
    "sweep",
    "merge",
    "triage",
    "reflect",
    "sync",
    "page",
    "agent",
)


def is_automatic(by: str) -> bool:
    """Whether an entry is the machinery's own; a judge's name has its tier behind it."""
    return by.partition(":")[0] in AUTOMATIC


# The verbs of the journal, each with its sentence; docs/journal.md is checked against this table.
JOURNAL_VERBS = {
    "add": "a memory was made",
    "edit": "a person corrected its text or facets",
    "typo": "a person corrected its spelling: the same lesson, and its trial goes on",
    "move": "its state changed by the profile's ladder",
    "subject": "rules said what it is about",
    "figures": "a later run brought more figures for it",
    "pin": "it was pinned or unpinned",
    "forget": "a person took it out",
    "undo": "an earlier entry was taken back",
    "erase": "its text was blanked everywhere",
    "merge": "it took in, or went into, another memory",
    "unmerge": "a merge was taken back",
    "gate": "a held or quarantined memory was judged again",
    "verdict": "what is known of its effect changed",
    "page": "it went onto a page, or off it, and so off or on trial",
    "stale": "it was marked stale, or fresh again",
    "trust": "the owner vouched for it",
    "family": "its near-twins were found, or it left them",
    "import": "it came from another store or system",
    "approve": "a person approved it",
    "sync": "what other machines decided was joined with what is known here",
}

NOT_YET_KNOWN = "not yet known"
# A text that changes under one of these says the same: spelling, a count in it, nothing at all.
SAME_LESSON = ("typo", "figures", "erase")


@value
class Entry:
    """One line of the journal."""

    memory: str
    project: str
    verb: str
    by: str
    reason: str
    at: str
    before: Mapping[str, Any]  # the fields that changed, as they were; empty on the first entry
    after: Mapping[str, Any]
    run: str = ""
    profile: str = ""
    machine: str = ""
    n: int = 0  # gapless within the memory; numbered by the store
    id: int = 0  # the store's own number, for undo
    erased: bool = False


@value
class Change:
    """The new row of a memory and the entry that explains it."""

    memory: Lesson
    entry: Entry


@value
class Hand:
    """Who writes, when, for which run and by which version of the profile: what the changes of one occasion have in common."""

    by: str
    at: str
    run: str = ""
    profile: str = ""

    def change(self, was: Lesson | None, now: Lesson, verb: str, reason: str) -> Change:
        """The change from one row to the next, in this hand."""
        return change(was, replace(now, updated_at=self.at), self, verb, reason)


def change(was: Lesson | None, now: Lesson, hand: Hand, verb: str, reason: str) -> Change:
    """The change from one row to the next; only what differs goes into the entry."""
    if verb not in JOURNAL_VERBS:
        raise ValueError(f"{verb!r} is no verb of the journal")
    if now.state == ACTIVE and now.gate != "allow":
        now = replace(now, state=WAITING)  # what is held is told to nobody
    if was is not None and was.state != now.state and not is_legal(was.state, now.state, verb):
        raise Refused(
            f"{now.id} cannot go from {was.state} to {now.state} by {verb}.",
            "docs/concepts.md has the table of legal moves.",
        )
    if was is not None and now.verdict == was.verdict and is_other_lesson(was, now, verb):
        now = replace(now, verdict=NOT_YET_KNOWN)
    return recorded(was, now, hand, verb, reason)


def recorded(was: Lesson | None, now: Lesson, hand: Hand, verb: str, reason: str) -> Change:
    """A row and its entry as they are, whatever rules there are for them: for what other machines decided."""
    new = columns_of(now)
    old = columns_of(was) if was is not None else {}
    changed = [
        name
        for name in DECIDED
        if name not in ("id", "project") and (was is None or old[name] != new[name])
    ]
    if was is None:
        changed = [name for name in changed if new[name] not in ("", 0)]
    return Change(
        now,
        Entry(
            memory=now.id,
            project=now.project,
            verb=verb,
            by=hand.by,
            reason=reason,
            at=hand.at,
            run=hand.run,
            profile=hand.profile,
            before={name: old[name] for name in changed} if was is not None else {},
            after={name: new[name] for name in changed},
        ),
    )


def is_other_lesson(was: Lesson, now: Lesson, verb: str) -> bool:
    """Whether what was measured of a memory speaks of it no more: it says something else, or stands for more than it did.

    A verdict belongs to a text; a correction of spelling, or of a count in it, has a verb of its own.
    """
    if verb in SAME_LESSON:
        return False
    return was.text != now.text or (verb in ("merge", "unmerge") and now.state != GONE)


def starts_new_table(entry: Entry) -> bool:
    """The same, told from an entry of the journal alone."""
    if not entry.before or entry.verb in SAME_LESSON:
        return False
    return "text" in entry.after or (
        entry.verb in ("merge", "unmerge") and entry.after.get("state") != GONE
    )

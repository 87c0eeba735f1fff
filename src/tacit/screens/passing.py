"""A word in passing: what keep and drop do with what a row of the one screen stands for, at the terminal and at the desk."""

from __future__ import annotations

from typing import Any

from tacit.core.errors import NotFound, Refused, UsageError
from tacit.core.proposal import APPROVED, Proposal, new_words
from tacit.core.states import GONE
from tacit.learn import reviewing
from tacit.lesson import Lesson
from tacit.memory import Memory as Memories
from tacit.screens.moments import told_at_starts, when_told
from tacit.screens.numbers import (
    is_number,
    need_same_words,
    numbers_shown,
    remember_numbers,
)
from tacit.screens.selection import YES_KEEPS, is_given, much_the_same, numbered_as
from tacit.screens.wording import gone_words


def meant(memories: Memories, name: str) -> str:
    """What a number that was shown stands for; what is none is an id already."""
    if not is_number(name):
        return name
    shown = numbers_shown(memories)
    if int(name) not in shown:
        most = f"{min(shown)} to {max(shown)} were shown" if shown else "no screen was shown yet"
        raise NotFound(f"There is no number {name}: {most}.", "tacit shows them.")
    return shown[int(name)]


def lesson_meant(memories: Memories, name: str) -> str:
    """The same, of a question the lesson that it is about."""
    id = meant(memories, name)
    asked = memories.store.proposal(id)
    return asked.memory if asked and asked.memory else id


def question_meant(memories: Memories, id: str) -> Proposal | None:
    """The open question that an id, its beginning or a lesson's number stands for."""
    waiting = reviewing.proposals(memories)
    return next(
        (each for each in waiting if each.id.startswith(id.lower()) or numbered_as(each) == id),
        None,
    )


def change_meant(memories: Memories, name: str, entry: bool = False) -> str:
    """What `undo` takes back: of a number that a screen showed the person's last change of that lesson; else, and where an `entry` is
    asked for, the journal's entry of that number, which must be of this project."""
    if not name.isdecimal() or len(name) > 11:
        return name
    id = "" if entry else numbers_shown(memories).get(int(name), "")
    if not id:
        found = memories.store.entry(int(name))
        if found.project not in memories.scopes:
            of = next(
                (each.name for each in memories.store.projects() if each.id == found.project),
                found.project,
            )
            told = (
                f"Entry {name} of the journal is of another project, {of}; nothing was taken back."
            )
            raise Refused(told, f"tacit undo --entry {name} --project {of}")
        return name
    if memories.store.proposals_named(memories.project_id, id):
        return id
    me = memories.actor.name
    mine = memories.store.entries(memories.scopes, memory=id, by=me, newest=True, limit=1)
    answers = [
        each
        for each in memories.store.proposals(memory=id, state=APPROVED)
        if each.decided_by == me
    ]
    if mine and mine[0].verb != "undo" and answers and answers[-1].decided_at >= mine[0].at:
        return answers[-1].id  # the yes, with all that it changed
    if not mine or mine[0].verb == "undo":
        told = (
            "your last change of it is taken back already"
            if mine
            else "you have changed nothing of it"
        )
        raise Refused(
            f"{name} is the lesson “{memories.get(id).text}”: {told}.",
            f"tacit why {name} shows its history; tacit undo --entry {name} means that entry of the journal.",
        )
    return (
        id
        if memories.store.entries(memories.scopes, memory=id, newest=True, limit=1) == mine
        else str(mine[0].id)
    )


def word_done(
    memories: Memories, id: str, word: str, reason: str = "", name: str = "", words: str = ""
) -> dict[str, Any]:
    """Do what a word says about a lesson or a question; `name` is what the person called it, `words` the digest of what they were shown."""
    need_same_words(memories, name or id, id, words)
    asked = question_meant(memories, id)
    if asked is not None:
        if word == "keep" and asked.kind == "contradiction":
            raise UsageError(
                "Of two lessons that contradict each other one stays: which?",
                f"tacit review show {asked.id}",
            )
        about = next(iter(memories.store.memories([asked.memory])), None) if asked.memory else None
        done = reviewing.review(
            memories, asked.id, "approve" if word == "keep" else "reject", reason=reason
        )
        back = f"(tacit undo {name or asked.id} takes it back)"
        if word == "drop" and about is not None and asked.kind in YES_KEEPS:
            memories.drop(about.id, reason=reason)
            return {"id": about.id, "did": f"dropped {back}", "text": about.text}
        did = f"answered with {'yes' if word == 'keep' else 'no'} {back}"
        if word == "keep" and asked.kind in (*YES_KEEPS, "edit") and not isinstance(done, int):
            now = memories.get(done.memory)
            remember_numbers(memories, [now.id], instead=asked.id)
            told = yours_now(memories, about or now, "kept", name)
            did, about = told if is_given(now) and not done.waits_for else did, now
        elif word == "keep" and not isinstance(done, int) and (asked.payload or {}).get("file"):
            did = f"{done.reason.partition(';')[0]} {back}"  # the file and its line
        told = new_words(asked) or (about.text if about else asked.reason)
        return {"id": asked.id, "did": did, "text": told}
    memory = still_there(memories, id)
    if word == "keep":
        reviewing.review(memories, memory.id, "approve", reason=reason)
        return {
            "id": memory.id,
            "did": yours_now(memories, memory, "kept", name),
            "text": memory.text,
        }
    did = f"dropped (tacit undo {name or memory.id} brings it back)"
    if same := much_the_same(memories, memory):
        shown = remember_numbers(memories, same, unseen=same)
        did += f"; agents hear what is much the same: {', '.join(str(n) for n in sorted(shown[id] for id in same))}"
    memories.drop(memory.id, reason=reason)
    return {"id": memory.id, "did": did, "text": memory.text}


def yours_now(memories: Memories, was: Lesson, did: str, name: str = "") -> str:
    """What became of a lesson that a person kept or worded anew: when agents hear it, whether that is another moment than before, and how
    to take it back."""
    memory = memories.get(was.id)
    at_start = told_at_starts(memories, was)
    before, when = when_told(memories, was), when_told(memories, memory)
    moved = (
        f", no longer only {before}" if is_given(was) and before != when and not at_start else ""
    )
    told = f", told {when}{moved}" if is_given(memory) else ""
    return f"{did}, it is your word now{told} (tacit undo {name or memory.id} takes it back)"


def still_there(memories: Memories, id: str) -> Lesson:
    """The lesson that is meant; what became of it, or of the question, since it was shown is said instead of doing something else."""
    try:
        memory = memories.get(id)
    except NotFound:
        for asked in memories.store.proposals_named(memories.project_id, id):
            raise Refused(
                f"“{asked.reason}” was answered since it was shown; nothing was done.", "tacit"
            ) from None
        raise
    if memory.state == GONE:
        told = f"“{memory.text}” was {gone_words(memory)} since it was shown; nothing was done."
        raise Refused(
            told, f"tacit shows the list as it is now; tacit undo {memory.id} brings it back."
        )
    return memory

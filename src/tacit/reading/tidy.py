"""Tidying: what all lessons of a project say twice, what a later one replaced, what is over, and what nobody could act on.

An answer is a plan. One fact is one lesson and the newest holds; what a person entered or confirmed is asked about and never taken out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.reading.asked import (
    BYTES_A_TOKEN,
    LONGEST_TEXT,
    ROOM,
    Struck,
    last_answer,
    question,
    rows,
    strange_names,
    text_of,
)

VERDICTS = ("same", "replaced", "over", "unclear")


@dataclass(frozen=True)
class Known:
    """A lesson as tidying sees it."""

    id: str
    text: str
    topic: str = ""
    session: int = 0  # the number of the session that taught it
    persons: bool = False  # entered or confirmed by a person


@dataclass(frozen=True)
class Same:
    """Lessons that say the same: the newest stays, in one wording."""

    stays: str
    goes: tuple[str, ...]
    text: str = ""  # empty: the wording of the one that stays


@dataclass(frozen=True)
class Out:
    """A lesson that is to go, and why."""

    id: str
    verdict: str  # replaced, over, unclear
    by: str = ""  # the lesson that takes its place
    why: str = ""


@dataclass(frozen=True)
class Plan:
    """What tidying would change, and what only a person may decide."""

    same: tuple[Same, ...] = ()
    out: tuple[Out, ...] = ()
    asked: tuple[Out, ...] = ()  # a person's own lessons
    struck: tuple[Struck, ...] = ()
    answered: bool = True


def in_room(lessons: Sequence[Known], room: int = ROOM) -> list[list[Known]]:
    """The lessons in lists that fit a question each: all in one, or by topic where they do not fit."""

    def size(some: Sequence[Known]) -> int:
        return sum(len(each.text.encode()) + len(each.topic) + 16 for each in some) // BYTES_A_TOKEN

    if size(lessons) <= room:
        return [list(lessons)]
    lists: list[list[Known]] = [[]]
    for each in sorted(lessons, key=lambda one: one.topic.casefold()):
        if lists[-1] and size([*lists[-1], each]) > room:
            lists.append([])
        lists[-1].append(each)
    return [sorted(some, key=lambda one: one.session) for some in lists]


def ask(lessons: Sequence[Known], wanted: Sequence[Known] = ()) -> str:
    """The question over lessons, oldest first; `wanted` are those that a person wants as they are."""
    lines = [
        f"{each.id} (session {each.session}; {each.topic or 'everything'}) {each.text}"
        for each in lessons
    ]
    kept = [f"{each.id} {each.text}" for each in wanted]
    return question("tidy", last=last_answer("tidy", kept), lines="\n".join(lines))


def check(said: str, lessons: Sequence[Known], wanted: Sequence[Known] = ()) -> Plan:
    """What of an answer holds: lessons that are there, each in one verdict, a wording whose names stand in them."""
    found = {verdict: rows(said, verdict, "") for verdict in VERDICTS}
    if all(each is None for each in found.values()):
        return Plan(answered=False)
    held = {each.id: each for each in lessons}
    kept = {each.id for each in wanted}
    taken: set[str] = set()
    same: list[Same] = []
    out: list[Out] = []
    struck: list[Struck] = []
    for row in found["same"] or ():
        group = [held[id] for id in _ids(row.get("ids")) if id in held and id not in taken | kept]
        if len(group) < 2:
            struck.append(Struck(str(row.get("ids")), "no two lessons that are there"))
            continue
        text = text_of(row, "text")
        if text and (
            len(text.split()) > LONGEST_TEXT or strange_names(text, (e.text for e in group))
        ):
            struck.append(Struck(text, "the wording brings a name that none of them holds"))
            text = ""
        # a person's own stays in its own words; else the newest
        group.sort(key=lambda each: (each.persons, each.session))
        own = group[-1].persons
        stays, goes = group[-1], tuple(each for each in group[:-1] if not each.persons)
        taken |= {each.id for each in group}
        if goes:
            same.append(Same(stays.id, tuple(each.id for each in goes), "" if own else text))
        out += [Out(each.id, "same", stays.id) for each in group[:-1] if each.persons]
    for verdict in VERDICTS[1:]:
        for row in found[verdict] or ():
            old, by = _id(row.get("old") or row.get("id")), _id(row.get("by"))
            why = _untidy(verdict, old, by, held, taken | kept)
            if why:
                struck.append(Struck(old or str(row), why))
                continue
            taken.add(old)
            out.append(Out(old, verdict, by if verdict == "replaced" else "", text_of(row, "why")))
    return Plan(
        tuple(same),
        tuple(each for each in out if not held[each.id].persons),
        tuple(each for each in out if held[each.id].persons),
        tuple(struck),
    )


def _untidy(verdict: str, old: str, by: str, held: dict[str, Known], taken: set[str]) -> str:
    """Why a lesson is not taken out; empty where it is."""
    if old not in held:
        return "no such lesson"
    if old in taken:
        return "named twice, or wanted as it is"
    if verdict != "replaced":
        return ""
    if by not in held or by == old:
        return "no lesson that replaces it"
    return "" if held[by].session >= held[old].session else "the other is older"


def _ids(said: object) -> list[str]:
    return [id for each in (said if isinstance(said, list) else []) if (id := _id(each))]


def _id(said: object) -> str:
    return re.sub(r"^#", "", str(said).strip()) if isinstance(said, (str, int)) else ""

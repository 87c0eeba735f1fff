"""Tidying: what all lessons of a project say twice, what a later one replaced, what is over, and
what nobody could act on.

An answer is a plan. Lessons are the same only where one wording can take the place of all and keeps
every name, figure, option and path that any of them holds; one is replaced only where words of a
later one order otherwise. What a person entered or confirmed is asked about and never taken out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacit.reading.asked import (
    BYTES_A_TOKEN,
    LONGEST_TEXT,
    ROOM,
    Struck,
    last_answer,
    question,
    rows,
    stands_in,
    strange_names,
    text_of,
)
from tacit.reading.check import names_missing

VERDICTS = ("same", "replaced", "over", "unclear")
NEW_LESSONS, EVERY = 20, 10  # lessons, and sessions, that are new before it is asked again
NEW_SHARE = 3  # … and of the lessons that it saw last at least one part in so many


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
    text: str  # that takes the place of all


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


def is_due(lessons: int, seen: int, sessions: int, last: int) -> bool:
    """Whether enough lessons and sessions came since the last question, which saw so many
    lessons after so many sessions."""
    return lessons - seen >= max(NEW_LESSONS, seen // NEW_SHARE) and sessions - last >= EVERY


def in_room(lessons: Sequence[Known], room: int = ROOM) -> list[list[Known]]:
    """The lessons in lists that fit a question each: all in one, or by topic where they do not
    fit."""

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
    """The question over lessons, oldest first; `wanted` are those that a person wants as they
    are."""
    lines = [
        f"{each.id} ({'; '.join(filter(None, (str(each.session), each.topic)))}) {each.text}"
        for each in lessons
    ]
    kept = [f"{each.id} {each.text}" for each in wanted]
    return question("tidy", last=last_answer("tidy", kept), lines="\n".join(lines))


def check(said: str, lessons: Sequence[Known], wanted: Sequence[Known] = ()) -> Plan:
    """What of an answer holds: lessons that are there, each in one verdict; one wording that
    loses no name of theirs and brings none; words of both where one replaces the other."""
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
        # a person's own stays in its own words; else the newest stays, in the one wording
        group.sort(key=lambda each: (each.persons, each.session))
        stays, goes = group[-1], tuple(each for each in group[:-1] if not each.persons)
        text = stays.text if stays.persons else text_of(row, "text")
        if why := _loses(text, group):
            struck.append(Struck(text or str(row.get("ids")), why))
            continue
        taken |= {each.id for each in group}
        if goes:
            same.append(Same(stays.id, tuple(each.id for each in goes), text))
        out += [Out(each.id, "same", stays.id) for each in group[:-1] if each.persons]
    for verdict in VERDICTS[1:]:
        for row in found[verdict] or ():
            old, by = _id(row.get("old") or row.get("id")), _id(row.get("by"))
            why = _untidy(verdict, old, by, held, taken | kept)
            if not why and verdict == "replaced":
                why = _unsaid(row, held[old], held[by])
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


def joined(plans: Sequence[Plan]) -> Plan:
    """One plan of those over several lists."""
    return Plan(
        tuple(each for plan in plans for each in plan.same),
        tuple(each for plan in plans for each in plan.out),
        tuple(each for plan in plans for each in plan.asked),
        tuple(each for plan in plans for each in plan.struck),
        all(plan.answered for plan in plans),
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


def _loses(text: str, group: Sequence[Known]) -> str:
    """Why a wording cannot take the place of all these lessons; empty where it can."""
    if not text:
        return "no wording for all of them"
    if len(text.split()) > LONGEST_TEXT:
        return "too long"
    if strange := strange_names(text, (each.text for each in group)):
        return f"none of them holds {strange[0]}"
    lost = [name for each in group for name in names_missing(each.text, text)]
    return f"the wording loses {lost[0]}" if lost else ""


def _unsaid(row: Mapping[str, object], old: Known, by: Known) -> str:
    """Why the words that are to speak against each other do not; empty where they stand in both
    lessons."""
    said = row.get("words")
    words = [each for each in said if isinstance(each, str)] if isinstance(said, list) else []
    if len(words) != len((old, by)):
        return "no words of both"
    stand = all(stands_in(*pair) for pair in zip(words, (old.text, by.text), strict=True))
    return "" if stand else "these words do not stand in both"


def _ids(said: object) -> list[str]:
    return [id for each in (said if isinstance(said, list) else []) if (id := _id(each))]


def _id(said: object) -> str:
    return re.sub(r"^#", "", str(said).strip()) if isinstance(said, (str, int)) else ""

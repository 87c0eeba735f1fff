"""What a home screen and a report tell: how memory grew, what it spared, what waits, what harms, what agents consumed.

`looked` reads the store; everything else is a pure function of what it found. Nothing here grows with lessons or runs: weeks come from
figures by day, and the one thing that must be reckoned from all uses, what was spared, is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core import clock
from tacit.core.errors import TacitError
from tacit.core.value import value
from tacit.stores import daily
from tacit.stores.daily import Figure
from tacit.surfaces.selection import counted
from tacit.surfaces.views import for_you

if TYPE_CHECKING:
    from tacit.app import Memories
    from tacit.core.memory import Memory
    from tacit.prove.effect import Effects

WEEKS = 26  # half a year fits a phone
_NAMED = 5  # lessons that are shown of a kind
ENOUGH = 20  # sessions with a comparison below which nothing is claimed

# What waits, by the kind of question, in words that need no page.
QUESTIONS = {
    "archive": "make no difference: take them out?",
    "revive": "came back after they were taken out",
    "promote": "ready to rise, if you agree",
    "review": "in question for long",
    "confirm": "need your word",
    "held": "need your word",
    "contradiction": "contradict each other",
    "merge": "say the same as another",
    "edit": "could be worded better",
    "tend": "many changes at once",
    "page": "lines for the page",
    "request": "things you asked for again and again",
    "notice": "something to mend outside of memory",
    "fork": "changed on two machines apart",
}


# The same as a badge.
KINDS = {
    "archive": "no difference", "revive": "came back", "promote": "ready to rise", "review": "in question", "confirm": "needs your word",
    "held": "needs your word", "heard": "heard from you", "candidate": "worth a look", "contradiction": "contradiction",
    "merge": "same as another", "edit": "better words", "tend": "many changes", "page": "page", "request": "asked again",
    "notice": "to mend", "fork": "changed twice",
}  # fmt: skip


@value
class Weekly:
    """Figures of the last weeks, by the day each ends on."""

    days: tuple[str, ...]
    in_force: tuple[float, ...]
    runs: Mapping[str, tuple[float, ...]]  # by host and model
    tokens: Mapping[str, tuple[float, ...]]
    usd: Mapping[str, tuple[float, ...]]
    given: tuple[float, ...]  # tokens that agents were given


@value
class Spared:
    """What the memory as a whole spares a session, in failures; negative is harm."""

    word: str  # the verdict
    about: float | None
    low: float
    high: float
    units: int
    told: str  # a sentence that claims no more than its verdict
    more: tuple[str, ...] = ()  # in calls, minutes, tokens, money

    @property
    def is_known(self) -> bool:
        return self.about is not None and self.units > 0


@value
class Outlook:
    """All of it."""

    project: str
    at: str
    in_force: int
    weekly: Weekly
    waiting: tuple[tuple[str, int], ...]  # (what, how many), most first
    harmful: tuple[Memory, ...]  # known to harm, or in question
    harms: int
    in_question: int
    for_you: tuple[Mapping[str, Any], ...]  # what is wrong outside of memory, with its evidence and a patch
    week: Mapping[str, int]

    @property
    def waits(self) -> int:
        return sum(n for _, n in self.waiting)


def looked(memories: Memories, *, weeks: int = WEEKS, since: str = "") -> Outlook:
    """Look, and count."""
    store, at, scopes = memories.store, memories.now(), memories.scopes
    first = daily.first_day(store, scopes)
    begin = clock.after_days(at, -7 * weeks)[:10]
    counts, count = store.counted(scopes, ("state", "verdict")), counted(memories)
    in_question = sum(n for state, _, n in counts if state == "under_review")
    harms = sum(n for _, verdict, n in counts if verdict == "harms")
    harmful = memories.list(equal={"verdict": "harms"}, sort="updated", limit=_NAMED) if harms else []
    doubted = memories.list(states=("under_review",), sort="updated", limit=_NAMED) if in_question else []
    return Outlook(
        memories.project.name if memories.project else "",
        at, count.in_force, by_week(daily.figures(store, scopes, begin), count.in_force, at, first, weeks), questions(count.questions),
        tuple({each.id: each for each in (*harmful, *doubted)}.values())[:_NAMED], harms, in_question,
        tuple(_with_patch(memories, each) for each in for_you(memories)) if memories.project else (),
        memories.week(since or clock.after_days(at, -7)) if memories.project else {},
    )  # fmt: skip


def _with_patch(memories: Memories, told: dict[str, Any]) -> dict[str, Any]:
    """What only the person is told, with the line of the file as it stands and as it would, where it is about one."""
    proposal = memories.store.proposal(told["proposal"])
    try:
        patch = memories.patch(proposal) if proposal else None
    except TacitError:  # a work tree that is not here
        patch = None
    lines = (
        {"file": patch.file, "number": patch.number, "before": patch.before.strip(), "after": patch.after.strip()}
        if patch
        else {}
    )
    return {**told, "before": "", "after": "", **lines}


# -- pure ----------------------------------------------------------------------------------------


def by_week(figures: Sequence[Figure], in_force: int, at: str, first: str, weeks: int = WEEKS) -> Weekly:
    """Days as weeks that end today, none before the first that was counted. What is in force is known now: the past is reckoned back."""
    ends = [clock.after_days(at, -7 * n)[:10] for n in range(weeks - 1, -1, -1)]
    days = tuple(day for day in ends if day >= first) if first else ()

    def place(day: str) -> int | None:
        return next((n for n, end in enumerate(days) if day <= end), None)

    def summed(wanted: Iterable[Figure]) -> tuple[float, ...]:
        sums = [0.0] * len(days)
        for each in wanted:
            at_week = place(each.day)
            if at_week is not None:
                sums[at_week] += each.amount
        return tuple(sums)

    def split(what: str) -> dict[str, tuple[float, ...]]:
        mine = [each for each in figures if each.what == what]
        return {
            whose: summed(each for each in mine if each.whose == whose)
            for whose in dict.fromkeys(each.whose for each in mine)
        }

    steps = summed(each for each in figures if each.what == daily.IN_FORCE)
    standing = [float(in_force)]
    for step in reversed(steps[1:]):
        standing.insert(0, max(0.0, standing[0] - step))
    given = summed(each for each in figures if each.what == daily.GIVEN)
    return Weekly(
        days, tuple(standing) if days else (), split(daily.RUNS), split(daily.TOKENS), split(daily.USD), given
    )


def questions(asked: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """What needs a word, by what it is, most first."""
    told: dict[str, int] = {}
    for kind, n in asked.items():
        said = QUESTIONS.get(kind, kind)
        told[said] = told.get(said, 0) + n
    return tuple(sorted(told.items(), key=lambda each: (-each[1], each[0])))


def spared(found: Effects) -> Spared:
    """What the control group says of the whole memory; never what was merely not seen again."""
    whole, more = found.whole, tuple(line.strip() for line in found.headline[1:])
    if whole.per_run is None:
        return Spared(whole.verdict.word, None, 0.0, 0.0, whole.units, whole.sentence, more)
    return Spared(whole.verdict.word, -whole.per_run, -whole.high, -whole.low, whole.given, whole.sentence, more)


def named_model(whose: str) -> str:
    """Host and model as people read them."""
    host, _, model = whose.partition(" ")
    return f"{model} in {host}" if model else f"{host}, model unknown"

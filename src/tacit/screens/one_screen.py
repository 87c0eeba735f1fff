"""The one screen: bare `tacit` and the desk's home are this list.

A row is a problem, or a wish of the person: what it is about, what it cost, what agents hear about it and when, and what came of it since.
What the person kept comes first, then what cost most. Below stand what is new or needs a word, and what came back without anything known
about it. Rows are numbered; a lesson keeps the number that it was once shown with, on every screen: `tacit keep 1 3`, `drop 2`, `why 4`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from tacit.core import clock
from tacit.core.errors import numbered
from tacit.core.links import Evidence
from tacit.core.profile import Profile
from tacit.core.proposal import Proposal, new_words, person_question
from tacit.core.run import Incident
from tacit.core.standing import is_order_of_a_day, is_product_detail
from tacit.core.states import ACTIVE, GONE
from tacit.core.value import replace, value
from tacit.learn import queries, reviewing
from tacit.lesson import OWNER, Lesson
from tacit.memory import Memory as Memories
from tacit.screens import selection
from tacit.screens.moments import when_told
from tacit.screens.numbers import Shown, fits, shown_here
from tacit.screens.selection import (
    WAITING,
    counted,
    counted_words,
    is_given,
    news,
    shelf,
    unasked,
)
from tacit.screens.wording import (
    BY_NOTICE,
    YOURS,
    Phrase,
    held_words,
    is_yours,
    question,
    standing_words,
    topic_words,
)
from tacit.store import counts
from tacit.store.failures import commonest, met
from tacit.store.lookups import with_signature
from tacit.trial import proving
from tacit.trial.coin import WITHHELD
from tacit.trial.outcome import OCCURRED
from tacit.trial.statement import Arm, reached_in
from tacit.words.diagnose import MISSING, OF_NO_LESSON, is_news, recognised

TOLD, NEW, UNKNOWN = 10, 9, 5  # rows of each kind
DECIDE, NEW_ROWS = "For you to decide", "New, as it came"
_GUESSED = 3  # sessions that met what is not there, before it is no single guess
_AGAIN = 2  # sessions that met a lesson, from which on it is no news
_NEW_DAYS = 7.0  # for which a lesson that nobody has looked at is new
_LOOKED_AT = 200  # of the latest
_ASKED_AMONG = (
    3 * NEW
)  # questions, and lessons that wait for a word, among which those to show are chosen
_LONGEST = 110  # characters of a problem

# a file, and no dotted name of something else
# how a lesson came up, by what its reader heard it as
SAID_ONCE = {
    "said": "you said it",
    "shown": "heard from you",
    "asked": "you asked for it",
    "agreed": "you agreed to it",
    "found": "found",
}


@value
class ProblemRow:
    """One problem or wish."""

    id: str  # of the lesson or question behind it; empty: nothing is known about it
    problem: str
    cost: str  # in sessions and calls
    hears: str = ""  # what agents hear now; of a question what a yes does
    when: str = ""
    back: int = 0  # of the times that it could have come back since
    times: int = 0
    proven: bool = False
    is_question: bool = False
    stands: str = ""  # of what is new: whether it is given already; of the rest: whether it is the person's word
    number: int = 0
    asks: bool = False  # nothing happens before the person says keep or drop

    @property
    def arrow(self) -> str:
        """What agents hear and when; only when, where the row has said the rest."""
        if self.hears in ("", self.problem):
            return self.when
        # what says its moment itself says it once
        told = self.when and not self.hears.lower().startswith(self.when.lower())
        return f"{self.when}: {self.hears}" if told else self.hears

    @property
    def since(self) -> str:
        return f"{self.back} of {self.times}" if self.times else ""


@value
class OneScreen:
    """All of it."""

    project: str
    stands: str  # how many lessons are in force, need a word, wait
    week: str  # one true sentence about the last days
    again: str  # how often the person had to say something again; empty where nobody knows
    told: tuple[ProblemRow, ...]
    new: tuple[ProblemRow, ...]
    unknown: tuple[ProblemRow, ...]
    more: int  # lessons in force that are not shown
    later: int = 0  # rows for the person to decide that are not shown
    shown: Shown = Shown()  # what has a number already

    @property
    def shelves(self) -> tuple[tuple[str, tuple[ProblemRow, ...]], ...]:
        """What is new apart from what waits for the person, each with its title; what is empty is left out."""
        decide = tuple(row for row in self.new if row.asks)
        fresh = tuple(row for row in self.new if not row.asks)
        return tuple((title, rows) for title, rows in ((DECIDE, decide), (NEW_ROWS, fresh)) if rows)

    @property
    def rows(self) -> tuple[ProblemRow, ...]:
        """Those with a number."""
        return (*self.told, *self.new)


def one_screen(memories: Memories, *, since: str = "", told: int = TOLD) -> OneScreen:
    """Look, and put together. What is read does not grow with what is kept."""
    count, at = counted(memories), memories.now()
    name = memories.project.name if memories.project else ""
    if memories.project is None:
        return OneScreen(name, counted_words(count), "", "", (), (), (), 0)
    noticed = {each["signature"]: each for each in commonest(memories.store, memories.project_id)}
    begin = clock.after_days(at, -_NEW_DAYS)

    def is_new(memory: Lesson) -> bool:
        return _is_new(memory, begin) and not is_yours(memory, memories.profile)

    known = queries.listed(
        memories, states=(ACTIVE,), equal={"gate": "allow"}, sort="seen", limit=3 * told
    )
    kept = queries.listed(
        memories, states=(ACTIVE,), equal={"gate": "allow"}, sort="updated", limit=_LOOKED_AT
    )
    mine = [each for each in kept if is_yours(each, memories.profile)]
    given = [
        each
        for each in {each.id: each for each in (*known, *mine)}.values()
        if is_given(each) and not is_new(each)
    ]
    fresh = queries.listed(memories, sort="new", since=begin, limit=_LOOKED_AT)[::-1]
    every_new = without_details([each for each in fresh if is_new(each)])
    before, same = {each.id for each in given}, set[str]()
    for one, others in selection.said_again([*given, *filter(is_given, every_new)]).items():
        stands = next(
            (id for id in (one, *others) if id in before), one
        )  # what is new gives way to what was met before
        same |= {one, *others} - {stands}
    # the latest, as they came, like a reading tells them
    new = [each for each in every_new if each.id not in same][-NEW:]
    gone = queries.listed(
        memories,
        states=(GONE,),
        equal={"source": BY_NOTICE},
        sort="updated",
        limit=_LOOKED_AT,
    )
    open_ones = reviewing.proposals(memories)
    marks = {
        mark for each in (*given, *new, *gone) for mark in _marks(memories.store.evidence(each.id))
    }
    first_asked, waiting = open_ones[:_ASKED_AMONG], [*islice(unasked(memories), _ASKED_AMONG)]
    met_in = memories.store.memories([each.memory for each in first_asked if each.memory])
    details = {each.id for each in (*given, *waiting, *met_in) if is_product_detail(each)}
    details |= {selection.numbered_as(each) for each in first_asked if each.memory in details}
    rows = sorted(
        (
            _lesson_row(memories, each, noticed, YOURS if is_yours(each, memories.profile) else "")
            for each in given
            if each.id not in same  # `list` has its number
        ),
        key=lambda row: (row.stands != YOURS, row.id in details, -_weight(row)),
    )
    asked = [_question_row(memories, each, noticed) for each in first_asked]
    held = [
        _lesson_row(memories, each, noticed, held_words(each.gate_reason) or "in question")
        for each in waiting
    ]
    later = one_of_each([_lesson_row(memories, each, noticed, news(each)) for each in new])
    urgent = one_of_each(
        sorted((*asked, *held), key=lambda row: (row.id in details, -_weight(row)))
    )
    asks = {row.id: replace(row, asks=True) for row in urgent}
    decide = _both([*asks.values(), *(row for row in later if row.id not in asks)], NEW)
    about = {
        each.id: each.memory for each in open_ones
    }  # a lesson that a question is about stands there
    ids = {name for row in decide for name in (row.id, about.get(row.id))}
    first = one_of_each([row for row in rows if row.id not in ids])[:told]
    shown = shown_here(memories)
    every = with_numbers((*first, *decide), shown)
    is_week = not since or abs(clock.days_between(since, at) - 7.0) < 1.0
    lately, runs = (
        queries.week(memories, since or clock.after_days(at, -7)),
        counts.learned_runs(memories.store, memories.project_id),
    )
    again = proving.said_again(memories)
    week = week_words(lately, runs, "This week" if is_week else f"Since {since[:10]}")
    return OneScreen(
        name,
        counted_words(count),
        week,
        again.sentence if again.wishes else "",
        every[: len(first)],
        every[len(first) :],
        tuple(_unknown(memories, noticed.values(), marks)),
        max(
            0,
            count.in_force - len(first) - sum(row.stands == "" and not row.asks for row in decide),
        ),
        0,
        shown,
    )


def without_details(memories: Sequence[Lesson]) -> list[Lesson]:
    """Lessons that are news for a person; where they are all details of the product, those."""
    return [each for each in memories if not is_product_detail(each)] or [*memories]


def one_of_each(rows: Sequence[ProblemRow]) -> list[ProblemRow]:
    """Of rows about one thing the first, which says how many more there are about it; what is the person's own word stays."""
    kept: dict[str, ProblemRow] = {}
    more: dict[str, int] = {}
    for row in rows:
        of = row.problem.lower() if row.stands != YOURS else row.id
        if kept.setdefault(of, row) is not row:
            more[of] = more.get(of, 0) + 1
    return [
        replace(row, cost=f"{row.cost}, {more[of]} more about it") if of in more else row
        for of, row in kept.items()
    ]


def _both(rows: Sequence[ProblemRow], most: int) -> list[ProblemRow]:
    """As many rows, what waits for a word first; where there is more of both, nearly half of them are what is new, the latest of it."""
    fresh = [row for row in rows if not row.asks]
    asks = [row for row in rows if row.asks][: most - min(len(fresh), most * 4 // 9)]
    return [*asks, *fresh[max(0, len(fresh) + len(asks) - most) :]]


def with_numbers(rows: Sequence[ProblemRow], shown: Shown) -> tuple[ProblemRow, ...]:
    """Rows with their numbers: what was shown before keeps its own, what is new gets the next, what is too long for a screen has none."""
    whole = [row.id for row in rows if fits(row.problem, row.hears)]
    numbers = shown.with_rows(whole).numbers
    return tuple(
        replace(row, number=numbers.get(row.id, 0) if row.id in whole else 0) for row in rows
    )


def _is_new(memory: Lesson, begin: str) -> bool:
    """Whether neither the person nor a second session has said anything about a lesson: it waits, or nobody was told of it yet."""
    if shelf(memory) == WAITING:
        return not is_order_of_a_day(memory)
    fresh = not memory.tally.uses and memory.created_at >= begin and memory.tally.seen < _AGAIN
    return is_given(memory) and fresh and memory.state == ACTIVE


def shortened(found: OneScreen, told: int, new: int) -> OneScreen:
    """The same with fewer rows: those that come first stay, and what is not shown takes no number."""
    first = found.told[:told]
    rows = with_numbers((*first, *_both(found.new, new)), found.shown)
    decide = rows[len(first) :]
    return replace(
        found,
        told=rows[: len(first)],
        new=decide,
        more=found.more + len(found.told) - len(first),
        later=found.later + len(found.new) - len(decide),
    )


def week_words(week: Mapping[str, int], runs: int, span: str = "This week") -> str:
    """What happened of late, without zeros."""
    if not (week["sessions"] or week["given"] or week["new"]):
        return (
            f"Nothing happened {span[0].lower()}{span[1:]}; {numbered(runs, 'session')} learned so far."
            if runs
            else ""
        )
    said = [f"{numbered(week['sessions'], 'session')} learned"] if week["sessions"] else []
    said += [numbered(week["new"], "new lesson")] if week["new"] else []
    first = f"{span}: {', '.join(said)}." if said else ""
    if not week["given"]:
        return first
    told = numbered(week["told"], "time")
    judged = f"; of {told} that came to their moment" if week["told"] else ""
    back = (
        f" {numbered(week['back'], 'problem')} came back"
        if week["back"]
        else " no problem came back"
    )
    out = f" Left out {numbered(week['withheld'], 'time')}, to compare." if week["withheld"] else ""
    given = f"{numbered(week['given'], 'time')} in {numbered(week['units'], 'session')}"
    return f"{first} Lessons were given {given}{judged}{back if week['told'] else ''}.{out}".strip()


def screen_json(found: OneScreen) -> dict[str, Any]:
    """The same for programs."""
    plain = {
        name: [dict(row.__dict__) for row in getattr(found, name)]
        for name in ("told", "new", "unknown")
    }
    return {
        "project": found.project,
        "stands": found.stands,
        "said_again": found.again,
        "week": found.week,
        **plain,
        "more": found.more,
    }


# -- rows ---------------------------------------------------------------------------------------------------------------


def _since(memories: Memories, memory: Lesson) -> Arm:
    """The sessions that were given a lesson and came to its moment, and those in which its problem came."""
    if not memory.tally.uses:
        return Arm()
    uses, marks = memories.store.uses(memory=memory.id), memories.store.marks(memory=memory.id)
    given = {use.unit for use in uses if use.arm != WITHHELD}
    mine = [mark for mark in marks if mark.unit in given]
    last = {mark.unit: mark for mark in mine if mark.signal == "outcome"}.values()
    return Arm(reached_in(last, mine), sum(mark.value == OCCURRED for mark in last))


def _lesson_row(
    memories: Memories, memory: Lesson, noticed: Mapping[str, Mapping[str, Any]], stands: str = ""
) -> ProblemRow:
    evidence = memories.store.evidence(memory.id)
    marks = _marks(evidence)
    known = [noticed[mark] for mark in marks if mark in noticed]
    calls = sum(int(each["calls"]) for each in known)
    since = _since(memories, memory)
    topic = _problem(memories, memory, marks)
    return ProblemRow(
        memory.id,
        topic or memory.text,
        came_up(memory, calls),
        memory.text,
        when_told(memories, memory),
        since.came_back,
        since.sessions,
        memory.verdict == "helps",
        False,
        stands,
    )


def _marks(evidence: Iterable[Evidence]) -> list[str]:
    """The failures that a lesson was noticed by."""
    return list(
        dict.fromkeys(
            row.quote.partition(": ")[2] for row in evidence if row.by == BY_NOTICE and row.quote
        )
    )


def _problem(memories: Memories, memory: Lesson, marks: Sequence[str]) -> str:
    """What a lesson is about, in a few words; empty where its own words are all there is."""
    if found := met(memories.store, memory.project, [mark for mark in marks[:3] if mark]):
        others = len(marks) - 1  # the row counts the sessions of all of them
        return recognised(found[0][0]) + (
            f", and {numbered(others, 'more failure')}" if others else ""
        )
    return topic_words(memory.about)


def came_up(memory: Lesson, calls: int = 0) -> str:
    """In how many sessions it came up and how many calls it took; of what came up once, how."""
    sessions, word = memory.tally.seen, str((memory.extra or {}).get("word", ""))
    if not sessions:
        return "you said it" if memory.trust == OWNER else ""
    if calls:
        return _spent(sessions, calls)
    return f"{SAID_ONCE.get(word, 'met')} in {numbered(sessions, 'session')}"


def listed_words(memory: Lesson, profile: Profile) -> Phrase:
    """How a lesson of a list stands; while nothing more is to be said than that it is in force, as its title does, how it came up."""
    said = standing_words(memory, profile)
    return (
        replace(said, words=came_up(memory) or said.words)
        if said.words in ("in force", "found once")
        else said
    )


def _spent(sessions: int, calls: int) -> str:
    return numbered(sessions, "session") + (
        f", {numbered(calls, 'extra call')} in all" if calls else ""
    )


def _question_row(
    memories: Memories, proposal: Proposal, noticed: Mapping[str, Mapping[str, Any]]
) -> ProblemRow:
    """A question: about a lesson as its row, else in its own words, with what a yes does."""
    payload = proposal.payload or {}
    asks = question(proposal.kind, payload)
    about = (
        next(iter(memories.store.memories([proposal.memory])), None) if proposal.memory else None
    )
    if about is not None:
        why = held_words(about.gate_reason) if about.gate != "allow" else proposal.reason
        new = new_words(proposal) if proposal.kind in ("edit", "fork", "page") else ""
        row = _lesson_row(
            memories, about, noticed, f"waits for you: {why}" if about.gate != "allow" else asks
        )
        return replace(
            row,
            id=selection.numbered_as(proposal),
            is_question=True,
            hears=new or row.hears,
            when="",
        )
    hears = str(payload.get("order") or payload.get("patch") or "")
    cost = numbered(int(payload.get("count") or 0), "session") if payload.get("count") else ""
    return ProblemRow(
        proposal.id,
        _short(proposal.reason, len(proposal.reason)),
        cost,
        hears,
        "",
        is_question=True,
        stands=asks,
    )


def _unknown(
    memories: Memories, noticed: Iterable[Mapping[str, Any]], told: set[str]
) -> list[ProblemRow]:
    """What came back in other sessions and has neither a lesson nor a question."""
    rows = []
    for each in noticed:
        if each["lineages"] < memories.profile.trust.runs or each["nature"] in OF_NO_LESSON:
            continue
        if each["signature"] in told or _is_answered(memories, each["signature"]):
            continue
        found = met(memories.store, memories.project_id, [each["signature"]])
        if not found or not is_news(found[0][0]) or _is_spoken_of(memories, found[0][0]):
            continue
        if found[0][0].family in MISSING and each["lineages"] < _GUESSED:
            continue
        label = recognised(found[0][0])
        rows.append(ProblemRow("", _short(label), _spent(each["lineages"], each["calls"])))
        if len(rows) == UNKNOWN:
            break
    return rows


def answered_failures(memories: Memories, marks: Iterable[str]) -> dict[str, str]:
    """Those of some failures that have a lesson or a question, whatever became of it; with the lesson, where agents are told."""
    noticed = queries.listed(memories, archived=True, equal={"source": BY_NOTICE}, limit=_LOOKED_AT)
    of = [
        (mark, each.text if is_given(each) else "")
        for each in noticed
        for mark in _marks(memories.store.evidence(each.id))
    ]
    found = {**dict(of), **{mark: text for mark, text in of if text}}
    for mark in marks:
        here = met(memories.store, memories.project_id, [mark]) if mark not in found else []
        if _is_answered(memories, mark) or (here and _is_spoken_of(memories, here[0][0])):
            found.setdefault(mark, "")
    return found


def _is_answered(memories: Memories, mark: str) -> bool:
    """Whether a lesson is about a failure, or a question about it is open or was answered."""
    asked = person_question(memories.project_id, "notice", f"fails {mark}")
    known = with_signature(memories.store, memories.project_id, mark) or memories.store.proposal(
        asked
    )
    return bool(known)


def _is_spoken_of(memories: Memories, problem: Incident) -> bool:
    """Whether a lesson in force names a program that is not there, or a program with the option, path or rule that it is about."""
    what = problem.name or problem.code
    words = [what] if problem.family == "command" else [problem.program.partition(" ")[0], what]
    every = (
        queries.listed(memories, text=words[-1], states=(ACTIVE,), limit=5) if all(words) else []
    )  # the rarer word finds
    return any(is_given(each) and all(word in each.text for word in words) for each in every)


def _weight(row: ProblemRow) -> float:
    """What cost most comes first: calls, then sessions."""
    words = row.cost.replace(",", "").split()
    figures = [int(word) for word in words if word.isdigit()]
    return sum(figures) + (0.5 if row.proven else 0.0)


def _short(text: str, most: int = _LONGEST) -> str:
    """A sentence that fits, never cut inside of a command."""
    plain = " ".join(text.split())
    cut = plain if len(plain) <= most else plain[:most].rsplit(" ", 1)[0]
    if cut.count("`") % 2:
        at = cut.rindex("`")
        cut = (
            f"{cut[:at]}{cut[at + 1 :]}" if cut is plain else cut[:at].rstrip()
        )  # of a quote that was cut before
    return cut if cut is plain or len(plain) <= most else f"{cut} …"

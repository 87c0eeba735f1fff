"""The one screen: bare `tacit` and the desk's home are this list.

A row is a problem, or a wish of the person: what it is about, what it cost, what agents hear about it and when, and what came of it since.
What the person kept comes first, then what cost most. Below stand what is new or waits for a word, and what came back without anything
known about it. Rows are numbered; a lesson keeps the number that it was once shown with: `tacit keep 1 3`, `drop 2`, `why 4`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from tacit.core import clock
from tacit.core.errors import numbered
from tacit.core.links import Evidence
from tacit.core.proposal import Proposal, new_words, person_question
from tacit.core.run import Incident
from tacit.core.standing import is_order_of_a_day, is_product_detail
from tacit.core.states import ACTIVE, GONE
from tacit.core.value import replace, value
from tacit.learn import queries, reviewing
from tacit.lesson import Lesson
from tacit.memory import Memory as Memories
from tacit.screens import wording
from tacit.screens.moments import when_told
from tacit.screens.numbers import Shown, fits, shown_here
from tacit.screens.selection import (
    WAITING,
    counted,
    counted_words,
    is_given,
    news,
    numbered_as,
    said_again,
    shelf,
    unasked,
)
from tacit.screens.wording import (
    BY_NOTICE,
    YOURS,
    came_up,
    held_words,
    is_yours,
    question,
    spent_words,
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
# questions, and lessons that wait for a word, among which those to show are chosen
_ASKED_AMONG = 3 * NEW
_LONGEST = 110  # characters of a problem


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
    stands: str = ""  # of what is new: whether it is told already; of the rest: whether it is the person's word
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
    stands: str  # how many lessons are told, wait for the person, were seen once
    week: str = ""  # one true sentence about the last days
    again: str = ""  # how often the person had to say something again; empty where nobody knows
    told: tuple[ProblemRow, ...] = ()
    new: tuple[ProblemRow, ...] = ()
    unknown: tuple[ProblemRow, ...] = ()
    more: int = 0  # lessons told that are not shown
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


def one_screen(memories: Memories) -> OneScreen:
    """Look, and put together. What is read does not grow with what is kept."""
    count, at = counted(memories), memories.now()
    if memories.project is None:
        return OneScreen("", counted_words(count))
    store, project = memories.store, memories.project_id
    noticed = {each["signature"]: each for each in commonest(store, project)}
    given, new = _given_and_new(memories, clock.after_days(at, -_NEW_DAYS))
    asked = reviewing.proposals(memories)
    decide = _to_decide(memories, noticed, asked, new)
    # a lesson that a question is about stands there
    about = {each.id: each.memory for each in asked}
    ids = {name for row in decide for name in (row.id, about.get(row.id))}
    rows = [row for row in _kept_rows(memories, noticed, given) if row.id not in ids]
    first = one_of_each(rows)[:TOLD]
    shown = shown_here(memories)
    every = with_numbers((*first, *decide), shown)
    week, again = queries.week(memories, clock.after_days(at, -7)), proving.said_again(memories)
    fresh = sum(row.stands == "" and not row.asks for row in decide)
    return OneScreen(
        memories.project.name,
        counted_words(count),
        week_words(week, counts.learned_runs(store, project)),
        again.sentence if again.wishes else "",
        every[: len(first)],
        every[len(first) :],
        tuple(_unknown(memories, noticed.values(), _marks_of(memories, (*given, *new)))),
        max(0, count.in_force - len(first) - fresh),
        shown=shown,
    )


def _given_and_new(memories: Memories, begin: str) -> tuple[list[Lesson], list[Lesson]]:
    """The lessons that agents are told, the oftenest met and the person's; and those that are new, the latest of them. One that says
    what another says is left out: what is new gives way to what was met before."""

    def is_new(memory: Lesson) -> bool:
        return _is_new(memory, begin) and not is_yours(memory, memories.profile)

    allowed: dict[str, Any] = {"states": (ACTIVE,), "equal": {"gate": "allow"}}
    known = memories.lessons(**allowed, sort="seen", limit=3 * TOLD)
    kept = memories.lessons(**allowed, sort="updated", limit=_LOOKED_AT)
    mine = [each for each in kept if is_yours(each, memories.profile)]
    every = {each.id: each for each in (*known, *mine)}
    given = [each for each in every.values() if is_given(each) and not is_new(each)]
    fresh = memories.lessons(sort="new", since=begin, limit=_LOOKED_AT)[::-1]
    new = without_details([each for each in fresh if is_new(each)])
    before, same = {each.id for each in given}, set[str]()
    for one, others in said_again([*given, *filter(is_given, new)]).items():
        stands = next((id for id in (one, *others) if id in before), one)
        same |= {one, *others} - {stands}
    given = [each for each in given if each.id not in same]  # `list` has its number
    return given, [each for each in new if each.id not in same][-NEW:]


def _kept_rows(
    memories: Memories, noticed: Mapping[str, Mapping[str, Any]], given: Sequence[Lesson]
) -> list[ProblemRow]:
    """What agents are told, as rows: the person's own first, details of the product last, the costly first."""
    details = {each.id for each in given if is_product_detail(each)}
    mine = {each.id for each in given if is_yours(each, memories.profile)}
    rows = [
        _lesson_row(memories, each, noticed, YOURS if each.id in mine else "") for each in given
    ]
    return sorted(rows, key=lambda row: (row.id not in mine, row.id in details, -_weight(row)))


def _to_decide(
    memories: Memories,
    noticed: Mapping[str, Mapping[str, Any]],
    asked: Sequence[Proposal],
    new: Sequence[Lesson],
) -> list[ProblemRow]:
    """What waits for the person's word, the costly first, and what is new."""
    first, waiting = asked[:_ASKED_AMONG], [*islice(unasked(memories), _ASKED_AMONG)]
    about = memories.store.memories([each.memory for each in first if each.memory])
    details = {each.id for each in (*waiting, *about) if is_product_detail(each)}
    details |= {numbered_as(each) for each in first if each.memory in details}
    rows = [_question_row(memories, each, noticed) for each in first]
    for each in waiting:
        why = held_words(each.gate_reason) or wording.CONTRADICTED
        rows.append(_lesson_row(memories, each, noticed, why))
    urgent = one_of_each(sorted(rows, key=lambda row: (row.id in details, -_weight(row))))
    asks = {row.id: replace(row, asks=True) for row in urgent}
    later = one_of_each([_lesson_row(memories, each, noticed, news(each)) for each in new])
    return _both([*asks.values(), *(row for row in later if row.id not in asks)], NEW)


def without_details(memories: Sequence[Lesson]) -> list[Lesson]:
    """Lessons that are news for a person; where they are all details of the product, those."""
    return [each for each in memories if not is_product_detail(each)] or [*memories]


def one_of_each(rows: Sequence[ProblemRow]) -> list[ProblemRow]:
    """Of rows about one thing the first, which says how many more there are about it; what is the person's own word stays."""
    of = [row.problem.lower() if row.stands != YOURS else row.id for row in rows]
    many, kept = Counter(of), dict[str, ProblemRow]()
    for row, about in zip(rows, of):
        more = f"{row.cost}, {many[about] - 1} more about it"
        kept.setdefault(about, replace(row, cost=more) if many[about] > 1 else row)
    return [*kept.values()]


def _both(rows: Sequence[ProblemRow], most: int) -> list[ProblemRow]:
    """As many rows, what waits for a word first; where there is more of both, nearly half of them are what is new, the latest of it."""
    fresh = [row for row in rows if not row.asks]
    asks = [row for row in rows if row.asks][: most - min(len(fresh), most * 4 // 9)]
    return [*asks, *fresh[max(0, len(fresh) + len(asks) - most) :]]


def with_numbers(rows: Sequence[ProblemRow], shown: Shown) -> tuple[ProblemRow, ...]:
    """Rows with their numbers: what was shown before keeps its own, what is new gets the next, what is too long for a screen has none."""
    whole = [row.id for row in rows if fits(row.problem, row.hears)]
    numbers = shown.with_rows(whole).numbers
    named = {id: numbers.get(id, 0) for id in whole}
    return tuple(replace(row, number=named.get(row.id, 0)) for row in rows)


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
    more = found.more + len(found.told) - len(first)
    later = found.later + len(found.new) - len(decide)
    return replace(found, told=rows[: len(first)], new=decide, more=more, later=later)


def week_words(week: Mapping[str, int], runs: int) -> str:
    """What happened in the last week, without zeros."""
    said = [f"{numbered(week['sessions'], 'session')} learned"] if week["sessions"] else []
    said += [numbered(week["new"], "new lesson")] if week["new"] else []
    first = f"This week: {', '.join(said)}." if said else ""
    if not (said or week["given"]):
        learned = numbered(runs, "session")
        return f"Nothing happened this week; {learned} learned so far." if runs else ""
    if not week["given"]:
        return first
    given = f"{numbered(week['given'], 'time')} in {numbered(week['units'], 'session')}"
    back = numbered(week["back"], "problem") if week["back"] else "no problem"
    moment = f"; of {numbered(week['told'], 'time')} that came to their moment {back} came back"
    out = f" Left out {numbered(week['withheld'], 'time')}, to compare." if week["withheld"] else ""
    told = f"Lessons were given {given}{moment if week['told'] else ''}.{out}"
    return f"{first} {told}".strip()


def screen_json(found: OneScreen) -> dict[str, Any]:
    """The same for programs."""
    shelves = {"told": found.told, "new": found.new, "unknown": found.unknown}
    return {
        "project": found.project,
        "stands": found.stands,
        "said_again": found.again,
        "week": found.week,
        **{name: [dict(row.__dict__) for row in rows] for name, rows in shelves.items()},
        "more": found.more,
    }


# -- rows ------------------------------------------------------------------------------------------


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
    marks, since = _marks(memories.store.evidence(memory.id)), _since(memories, memory)
    calls = sum(int(noticed[mark]["calls"]) for mark in marks if mark in noticed)
    return ProblemRow(
        memory.id,
        _problem(memories, memory, marks) or memory.text,
        came_up(memory, calls),
        memory.text,
        when_told(memories, memory),
        since.came_back,
        since.sessions,
        memory.verdict == "helps",
        stands=stands,
    )


def _marks(evidence: Iterable[Evidence]) -> list[str]:
    """The failures that a lesson was noticed by."""
    quotes = (row.quote for row in evidence if row.by == BY_NOTICE and row.quote)
    return list(dict.fromkeys(quote.partition(": ")[2] for quote in quotes))


def _marks_of(memories: Memories, lessons: Iterable[Lesson]) -> set[str]:
    """The failures that these lessons, or those that were taken out, were noticed by."""
    noticed = {"equal": {"source": BY_NOTICE}, "sort": "updated", "limit": _LOOKED_AT}
    gone = memories.lessons(states=(GONE,), **noticed)
    return {m for each in (*lessons, *gone) for m in _marks(memories.store.evidence(each.id))}


def _problem(memories: Memories, memory: Lesson, marks: Sequence[str]) -> str:
    """What a lesson is about, in a few words; empty where its own words are all there is."""
    if found := met(memories.store, memory.project, [mark for mark in marks[:3] if mark]):
        others = len(marks) - 1  # the row counts the sessions of all of them
        more = f", and {numbered(others, 'more failure')}" if others else ""
        return recognised(found[0][0]) + more
    return topic_words(memory.about)


def _question_row(
    memories: Memories, proposal: Proposal, noticed: Mapping[str, Mapping[str, Any]]
) -> ProblemRow:
    """A question: about a lesson as its row, else in its own words, with what a yes does."""
    payload = proposal.payload or {}
    asks = question(proposal.kind, payload)
    lessons = memories.store.memories([proposal.memory]) if proposal.memory else []
    for about in lessons:
        new = new_words(proposal) if proposal.kind in ("edit", "fork", "page") else ""
        held = about.gate != "allow"
        why = f"{wording.WAITS}: {held_words(about.gate_reason)}" if held else asks
        row = _lesson_row(memories, about, noticed, why)
        hears = new or row.hears
        return replace(row, id=numbered_as(proposal), is_question=True, hears=hears, when="")
    hears = str(payload.get("order") or payload.get("patch") or "")
    cost = numbered(int(payload.get("count") or 0), "session") if payload.get("count") else ""
    problem = _short(proposal.reason, len(proposal.reason))
    return ProblemRow(proposal.id, problem, cost, hears, is_question=True, stands=asks)


def _unknown(
    memories: Memories, noticed: Iterable[Mapping[str, Any]], told: set[str]
) -> list[ProblemRow]:
    """What came back in other sessions and has neither a lesson nor a question."""
    rows: list[ProblemRow] = []
    for each in noticed:
        sessions, mark = each["lineages"], each["signature"]
        if sessions < memories.profile.trust.runs or each["nature"] in OF_NO_LESSON:
            continue
        if len(rows) == UNKNOWN or mark in told or _is_answered(memories, mark):
            continue
        found = met(memories.store, memories.project_id, [mark])
        if not found or not is_news(found[0][0]) or _is_spoken_of(memories, found[0][0]):
            continue
        if found[0][0].family not in MISSING or sessions >= _GUESSED:
            spent = spent_words(sessions, each["calls"])
            rows.append(ProblemRow("", _short(recognised(found[0][0])), spent))
    return rows


def _is_answered(memories: Memories, mark: str) -> bool:
    """Whether a lesson is about a failure, or a question about it is open or was answered."""
    store, project = memories.store, memories.project_id
    asked = person_question(project, "notice", f"fails {mark}")
    return bool(with_signature(store, project, mark) or store.proposal(asked))


def _is_spoken_of(memories: Memories, problem: Incident) -> bool:
    """Whether a lesson that is told names a program that is not there, or a program with the option, path or rule that it is about."""
    what = problem.name or problem.code
    words = [what] if problem.family == "command" else [problem.program.partition(" ")[0], what]
    if not all(words):
        return False
    every = memories.lessons(text=words[-1], states=(ACTIVE,), limit=5)  # the rarer finds
    return any(is_given(each) and all(word in each.text for word in words) for each in every)


def _weight(row: ProblemRow) -> float:
    """What cost most comes first: calls, then sessions."""
    figures = (int(word) for word in row.cost.replace(",", "").split() if word.isdigit())
    return sum(figures) + (0.5 if row.proven else 0.0)


def _short(text: str, most: int = _LONGEST) -> str:
    """A sentence that fits, never cut inside of a command."""
    plain = " ".join(text.split())
    is_cut = len(plain) > most
    cut = plain[:most].rsplit(" ", 1)[0] if is_cut else plain
    if cut.count("`") % 2:
        at = cut.rindex("`")  # where it is not ours, of a quote that was cut before
        cut = cut[:at].rstrip() if is_cut else f"{cut[:at]}{cut[at + 1 :]}"
    return f"{cut} …" if is_cut else cut

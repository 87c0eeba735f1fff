"""A moment in a straight line: choose, toss, record, render. What was recorded is told, and nothing else.

All that is written down stands in one short transaction; what cannot be recorded in time is not told.
"""

from __future__ import annotations

from tacit.core.digest import new_id, short_hash
from tacit.core.plain import TRIAL
from tacit.hooks.coin import assignments, tells_cure_of
from tacit.hooks.events import COMMAND, FILE, Injection, LeftOut, Told, moment_of
from tacit.hooks.known import CALLS, Known, chosen
from tacit.hooks.render import render, tokens_of
from tacit.lesson import seen_by
from tacit.place.folders import common_in
from tacit.store import moments
from tacit.trial.coin import WITHHELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from tacit.core.value import Section
    from tacit.hooks.coin import Assigned
    from tacit.hooks.events import AskingRun, Query
    from tacit.store.moments import Answered, Candidate

    # what a context was assigned before, and whether that is told again
    # -> ids of lessons, those with a caution, what was left out
    Choose = Callable[
        [Mapping[str, bool], bool], tuple[Sequence[str], Collection[str], Sequence[LeftOut]]
    ]
    # the lessons, a nonce, and whether this context was told before -> the text
    Word = Callable[[Sequence[Told], str, bool], str]

    class Store(Protocol):
        """What a moment is asked of."""

        path: str

        def rows(self, sql: str, *bound: Any) -> list[Any]: ...
        def write(self, *, wait: float | None = None) -> Any: ...

    class Project(Protocol):
        """The project whose lessons are asked for."""

        @property
        def id(self) -> str: ...
        @property
        def trial_key(self) -> bytes: ...


RECORD_WITHIN = 0.15  # seconds; what cannot be recorded by then is not told
NO_LIMIT = 99
NEAREST = 20  # of those left out that are recorded with their reasons
MAIN = ""  # the main context
COMPACTED = "hook:compact"  # the surface of an answer to a context that lost what it was told
EVERYWHERE = ("@global", "@agent")  # whose lessons hold in every project


def tell(
    store: Store,
    project: Project,
    query: Query,
    asking: AskingRun,
    *,
    now: str,
    settings: Section = TRIAL,
    ids: Callable[[], str] = new_id,
    trial: bool = True,
    repeat: bool = False,
    look: bool = False,
    once: bool = True,
    most: int = NO_LIMIT,
    exists: Callable[[str], bool] | None = None,
    choose: Choose | None = None,
    word: Word = render,
) -> Injection:
    """The lessons for a moment, recorded before they are told. Raises `Unavailable` where they cannot be.

    What a context was once assigned is not told to it again, unless `repeat` asks for it: after a compaction the notes
    are gone. Another context of the group is told as its coin fell. `exists` tells whether a file that a lesson names
    is there. A `look` is a person's: nothing is held out, nothing recorded. `choose` and `word` are an origin's.
    """
    run = asking.run or ids()
    session = session_of(store, project.id, asking, run, query, now)
    context, group = asking.context or query.agent, session["group"]
    before, own = known_to(store, group, context)
    left: Sequence[LeftOut] = ()
    cautions: Collection[str] = ()
    projects = (project.id, *EVERYWHERE)
    if choose is None or moment_of(query, True) in (COMMAND, FILE):
        told = moments.by_id(store, [id for id, given in before.items() if given], told=False)
        known = Known(
            moments.FullText(store, projects, True),
            query,
            common=common_in(store.path, project.id),
            given=() if repeat else told,
            once=once,
        )
        at_calls = [each for each in own if each.surface in CALLS]
        calls = [id for each in at_calls for id in each.given]
        spent = sum(each.tokens for each in at_calls)
        fit = chosen(known, told, calls, spent, asking.surface, repeat, most)
        kept: Sequence[str] = [each.id for each in still_so(fit, exists)]
    else:
        kept, cautions, left = choose(before, repeat)
    kept = [id for id in kept if repeat or id not in before]
    again = not repeat and any(before.values())
    nearest, counts = tuple(left[:NEAREST]), counted(left)
    if not kept or look:
        text = word(signed(store, moments.by_id(store, kept), cautions), ids(), again)
        return Injection(run, text, tokens_of(text), tuple(kept), (), nearest, counts)
    with store.write(wait=RECORD_WITHIN) as tx:
        # While we waited, somebody may have taken a lesson out.
        lessons = [each for each in moments.by_id(tx, kept) if each.project in projects]
        if asking.event and moments.is_answered(tx, asking.event):
            return Injection(run, note="this very event was answered before")
        coins = tossed(tx, project, lessons, group, settings, trial)
        # What another event of this context recorded since we looked was told there; it is not told twice.
        met = {} if repeat else known_to(tx, group, context)[0]
        given = [each for each, at in zip(lessons, coins) if at.given and each.id not in met]
        held = tuple(at.memory for at in coins if not at.given)
        text = word(signed(store, given, cautions), ids(), again)
        answer = {
            **of_session(session, asking, query, now),
            "event": asking.event or f"{session['id']} {ids()}",
            "tokens": tokens_of(text),
            "given": [each.id for each in given],
            "held": list(held),
            "left": beside(query, context, nearest, counts, [*cautions], given),
        }
        moments.put_session(tx, session)
        moments.record(tx, answer, coins_of(lessons, coins, query))
    return Injection(run, text, answer["tokens"], tuple(answer["given"]), held, nearest, counts)


def on_request(
    store: Store,
    project: Project,
    query: Query,
    asking: AskingRun,
    wanted: Sequence[str],
    *,
    now: str,
    settings: Section,
) -> tuple[set[str], str]:
    """What a session that asks may not be told of these: what is held out in its group. The rest is recorded."""
    session = session_of(store, project.id, asking, asking.run, query, now)
    projects = (project.id, *EVERYWHERE)
    lessons = [each for each in moments.by_id(store, wanted) if each.project in projects]
    if not lessons:
        return set(), session["name"]
    with store.write(wait=RECORD_WITHIN) as tx:
        coins = tossed(tx, project, lessons, session["group"], settings, True)
        moments.put_session(tx, session)
        answer = of_session(session, asking, query, now)
        moments.record(tx, answer, coins_of(lessons, coins, query, "on request"))
    return {at.memory for at in coins if not at.given}, session["name"]


def tossed(
    tx: Any,
    project: Project,
    lessons: Sequence[Candidate],
    group: str,
    settings: Section,
    trial: bool,
) -> list[Assigned]:
    """Where each of these lessons stands in a session group."""
    wanted = [id for each in lessons if (id := tells_cure_of(each))]
    return assignments(
        lessons,
        moments.assigned(tx, group),
        key=project.trial_key,
        unit=group,
        settings=settings,
        trial=trial,
        cured={each.id: each for each in moments.by_id(tx, wanted, told=False)} if wanted else {},
    )


def coins_of(
    lessons: Sequence[Candidate], coins: Sequence[Assigned], query: Query, signal: str = ""
) -> Iterable[dict[str, Any]]:
    """The coins as they are written down; `signal` says how a lesson was told, where that is not as usual."""
    for each, at in zip(lessons, coins):
        marks = [("crossed", "")] if at.crossed else []
        marks += [("delivered", signal)] if signal and at.given else []
        yield {
            "lesson": at.memory,
            "family": at.family,
            "arm": at.arm,
            "probability": at.probability,
            "recorded": at.recorded,
            "instrument": seen_by(each.by),
            # the one who would see the problem is the one who asks: a reviewer that is told looks harder
            "eligible": int(bool(query.agent) and query.agent == each.source),
            "marks": marks,
        }


def of_session(
    session: Mapping[str, str], asking: AskingRun, query: Query, now: str
) -> dict[str, Any]:
    """Whose answer it is."""
    return {
        "project": session["project"],
        "session": session["id"],
        "group": session["group"],
        "surface": asking.surface,
        "task": task_of(query.task_id, query.task),
        "at": now,
    }


def session_of(
    store: Store, project: str, asking: AskingRun, run: str, query: Query, now: str
) -> dict[str, str]:
    """The session's row, as it is or as it will be written. Its task is not: a prompt may hold a secret, and `learn`,
    which redacts, writes it down."""
    id = short_hash("run", project, asking.host, run)
    known = moments.session(store, id)
    # a hook knows its host, an agent's shell may not
    if known is None and asking.run and not asking.surface.startswith("hook"):
        id = moments.session_named(store, project, run) or id
        known = moments.session(store, id)
    host, name, group, model, agent = known or (
        asking.host,
        run,
        short_hash("run", project, asking.host, asking.root or run),
        asking.model,
        "" if asking.context else query.agent,
    )
    more = {"domain": query.domain, "task_id": query.task_id, "task_type": query.task_type}
    row = {"id": id, "project": project, "host": host, "name": name, "group": group}
    return {**row, "model": model, "agent": agent, **more, "at": now}


def task_of(id: str, text: str) -> str:
    """Which task a use was for, so that tasks can be counted: its id, or a hash of its words, never the words."""
    words = " ".join(text.lower().split())
    return id or (short_hash("task", words) if words else "")


def known_to(store: Any, group: str, context: str) -> tuple[dict[str, bool], list[Answered]]:
    """What a context was assigned since it was last emptied and whether it was given, and the answers that did so.

    What was told on request stands in no answer; it is the main context's.
    """
    answered = moments.delivered(store, group)
    own: list[Answered] = []
    for each in answered:
        if each.context == context:
            own = [*([] if each.surface == COMPACTED else own), each]
    known = {id: False for each in own for id in each.held}
    known |= {id: True for each in own for id in each.given}
    if context == MAIN:
        inside = {id for each in answered for id in (*each.given, *each.held)}
        uses = moments.assigned(store, group)
        known |= {use.memory: use.arm != WITHHELD for use in uses if use.memory not in inside}
    return known, own


def still_so(lessons: Sequence[Candidate], exists: Callable[[str], bool] | None) -> list[Candidate]:
    """Those whose files are all gone come last."""
    gone = [
        bool(each.signals.get("gone"))
        or (exists is not None and bool(each.files) and not any(map(exists, each.files)))
        for each in lessons
    ]
    return [
        each for last in (False, True) for each, is_gone in zip(lessons, gone) if is_gone is last
    ]


def beside(
    query: Query,
    context: str,
    nearest: Sequence[LeftOut],
    counts: Mapping[str, int],
    cautions: Sequence[str],
    given: Sequence[Candidate],
) -> dict[str, Any]:
    """What is recorded with an answer: who asked, and what was left out."""
    asked = {"domain": query.domain, "agent": query.agent}
    noted: dict[str, Any] = {"asked": asked | ({"context": context} if context else {})}
    if counts:
        noted |= {"counts": dict(counts), "nearest": [[each.id, each.reason] for each in nearest]}
    if warned := [each.id for each in given if each.id in cautions]:
        noted["cautions"] = warned
    return noted


def counted(left: Iterable[LeftOut]) -> dict[str, int]:
    """How many were left out for each reason."""
    counts: dict[str, int] = {}
    for each in left:
        counts[each.reason] = counts.get(each.reason, 0) + 1
    return counts


def signed(store: Store, lessons: Sequence[Candidate], cautions: Collection[str]) -> list[Told]:
    """Lessons with who signed them, where a team mate did."""
    team = [each for each in lessons if each.by == "team"]
    names = moments.signers(store, team) if team else {}
    return [Told(each, names.get(each.id, ""), each.id in cautions) for each in lessons]

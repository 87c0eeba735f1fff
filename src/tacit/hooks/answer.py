"""What is known about a question, for people and agents who ask: best first, each with its mark and the parts of its score.

The ranking of the hooks, with more room: a person sees what waits, too, and nothing is written outside a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.profile import GENERAL, Profile
from tacit.core.rows import Project, scope_projects
from tacit.core.states import ACTIVE, ENDING_VERDICTS, GONE, WAITING, faded
from tacit.core.value import replace, value
from tacit.hooks.events import LeftOut
from tacit.hooks.known import about_error
from tacit.hooks.past import memories_then, tally_then
from tacit.hooks.record import on_request
from tacit.hooks.search import Search, words_of
from tacit.lesson import Lesson, shared_path
from tacit.store.held import HeldText

if TYPE_CHECKING:
    from tacit.core.rows import Hit
    from tacit.hooks.events import AskingRun, Query
    from tacit.store.reads import Store

ERROR_CHARS = 600  # of a long output the end is read for words: there the error stands
VERY_ERROR = 1.0  # the very error: as good as every word
FILE = 0.5  # a file that is asked for outright, beside the words
LEAST = 100  # candidates
MOST = 1000  # hits of one recall, whatever is asked for
NEAREST = 20  # of those left out that are named
KNOWN = ("decay", "use", "stale")  # factors; other parts are summands

Parts = dict[str, float]
Scored = tuple[Lesson, float, Parts]
Order = Callable[["Sequence[Hit]", "Query", Mapping[int, float]], "list[Scored]"]


@value
class Recollection:
    """One answer to a question."""

    memory: Lesson
    score: float
    parts: Mapping[str, float]
    mark: str = ""  # what a reader must know of it: candidate, held, stale …
    explain: Mapping[
        str, Any
    ] = {}  # the parts of its score: "fits" is added up, "known" multiplies


@value
class Recalled:
    """What is known about a question."""

    hits: tuple[Recollection, ...] = ()
    level: Any = None  # how many are shown, and why
    dropped: tuple[LeftOut, ...] = ()  # the nearest of those not shown
    run: str = ""
    rewrite: Any = None  # where a model may be asked


def recall(
    store: Store,
    project: Project,
    profile: Profile,
    query: Query,
    *,
    now: str,
    most: int,
    floor: float = 0.0,
    asking: AskingRun | None = None,
    include_held: bool = False,
    include_stale: bool = False,
    as_of: str = "",
    person: bool = True,
    order: Order | None = None,
    forgotten: Callable[[Lesson], bool] = lambda memory: False,
) -> Recalled:
    """What is known about a question, best first, for people and agents; nothing for a question without words.

    With `asking`, a run asks: its assignments are honoured and what it is told is recorded. Quarantined texts are shown
    to a person only. `as_of` answers from what was known at a time, and records nothing. `order` is an origin's way to rank.
    """
    most = max(0, min(most, MOST))
    text = text_of(query)
    if not most or not (text or query.files):
        return Recalled()
    projects = scope_projects(project.id)
    full = _then(store, projects, as_of) if as_of else store.full_text(projects)
    errors = () if as_of else query.errors
    very = {n for error in errors for n in about_error(full, error)}
    search = Search(full, text)
    met = {each.n: each.score for each in search.best(max(LEAST, 2 * most))}
    names = [word for path in query.files for word in words_of(path.rpartition("/")[2])]
    met |= search.of([n for n in full.match(names, LEAST) if n not in met])
    found = full.lessons({**dict.fromkeys(very, VERY_ERROR), **met})
    hits = {hit.memory.id: hit for hit in found}
    marks: dict[str, str] = {}
    left: list[LeftOut] = []
    for hit in hits.values():
        mark, why = showing(hit.memory, query, include_held, include_stale, person)
        if not why and not include_stale and forgotten(hit.memory):
            why = "never recalled"
        if not why and not person and order is None and hit.memory.state == WAITING:
            why = "waits for a person, or for a second session"
        if why:
            left.append(LeftOut(hit.memory.id, why, met.get(hit.n, 0.0)))
        else:
            marks[hit.memory.id] = mark
    shown = [hit for id, hit in hits.items() if id in marks]
    ranked = order(shown, query, met) if order else by_fit(shown, query, met, very)
    fit = [each for each in ranked if each[1] >= floor and each[1]]
    left += [LeftOut(each[0].id, "below the floor", each[1]) for each in ranked[len(fit) :]]
    left += [LeftOut(each[0].id, "limit", each[1]) for each in fit[most:]]
    kept, run = fit[:most], ""
    if asking is not None and not as_of:
        kept, run = _told_in_run(store, project, profile, query, asking, kept, now)
    answers = tuple(
        Recollection(memory, score, parts, marks[memory.id], explained(score, parts))
        for memory, score, parts in kept
    )
    left.sort(key=lambda each: -each.score)
    return Recalled(answers, None, tuple(left[:NEAREST]), run)


def text_of(query: Query) -> str:
    """A task and the ends of its errors, as one text."""
    errors = (error.strip()[-ERROR_CHARS:] for error in query.errors)
    return "\n".join(filter(None, (query.task.strip(), *errors)))


def by_fit(
    hits: Sequence[Hit], query: Query, met: Mapping[int, float], very: set[int]
) -> list[Scored]:
    """By how well the words fit, the very error and a file that is asked for beside them; equal ones the newest first."""
    found: list[tuple[int, Scored]] = []
    for hit in hits:
        parts = {"words": met.get(hit.n, 0.0)}
        if hit.n in very:
            parts["signature"] = VERY_ERROR
        elif query.files and hit.memory.paths:
            parts["file"] = FILE * shared_path(hit.memory.paths, query.files)
        score = sum(parts.values())
        found.append((hit.n, (hit.memory, score, parts)))
    found.sort(key=lambda each: (-each[1][1], -each[0]))
    return [scored for _, scored in found]


def explain(
    store: Store, projects: Sequence[str], memory: Lesson, query: Query, order: Order | None = None
) -> dict[str, Any]:
    """The parts of one memory's score for a question."""
    full = store.full_text(projects)
    n = full.number(memory.id)
    met = Search(full, text_of(query)).of([n]) if text_of(query) else {}
    hits = full.lessons({n: met.get(n, 0.0)})
    very = {n for error in query.errors for n in about_error(full, error)}
    ranked = order(hits, query, met) if order else by_fit(hits, query, met, very)
    return explained(*ranked[0][1:])


def _told_in_run(
    store: Store,
    project: Project,
    profile: Profile,
    query: Query,
    asking: AskingRun,
    kept: list[Scored],
    now: str,
) -> tuple[list[Scored], str]:
    """What a run may be told of these: not what is withheld in its unit. What it is told on request is recorded."""
    wanted = [memory.id for memory, *_ in kept]
    how: dict[str, Any] = {"now": now, "settings": profile.trial}
    held, run = on_request(store, project, query, asking, wanted, **how)
    return [each for each in kept if each[0].id not in held], run


def _then(store: Store, projects: Sequence[str], at: str) -> HeldText:
    """The memories as they were at a time."""
    then = memories_then(store.entries(projects, until=at))
    return HeldText(
        replace(memory, tally=tally_then(store.evidence(id), at)) for id, memory in then.items()
    )


def showing(
    memory: Lesson, query: Query, include_held: bool, include_stale: bool, person: bool
) -> tuple[str, str]:
    """How a memory is marked when somebody searches for it, and why it is not shown; empty where neither applies."""
    if query.category and memory.category != query.category:
        return "", "other category"
    if query.kind and query.kind not in (memory.kind, memory.klass):
        return "", "other kind"
    if query.domain and memory.domain not in ("", query.domain, GENERAL):
        return "", "other domain"
    if (query.agent and memory.agent not in ("", query.agent)) or (
        not person and (memory.scope == "agent" and memory.agent != query.agent)
    ):
        return "", "other agent"
    if query.task_type and memory.task_type not in ("", query.task_type):
        return "", "other task type"
    if memory.gate == "discard" or not memory.text.strip():
        return "", "discard" if memory.gate == "discard" else "empty"
    if memory.superseded_by or (memory.state == GONE and not faded(memory)):
        return "", "replaced" if memory.superseded_by else memory.state
    if memory.gate == "quarantine" and not (include_held and person):
        return "", "quarantine"
    if memory.gate == "hold" and not include_held:
        return "", "hold"
    if (memory.stale_at or faded(memory)) and not include_stale:
        return "", "faded" if faded(memory) else "stale"
    if memory.gate != "allow":
        return {"hold": "held", "quarantine": "quarantined"}[memory.gate], ""
    if memory.state != ACTIVE:
        return "faded" if faded(memory) else memory.state, ""
    if memory.stale_at:
        return "stale", ""
    return memory.verdict if memory.verdict in ENDING_VERDICTS else "", ""


def explained(score: float, parts: Mapping[str, float]) -> dict[str, Any]:
    """A score as its parts: those that say how well a memory fits are added up, those that are known of it multiply."""
    fits: dict[str, float] = {}
    known: dict[str, float] = {}
    for name, part in parts.items():
        (known if name in KNOWN else fits)[name] = round(part, 6)
    return {"score": round(score, 6), "fits": fits, "known": known}

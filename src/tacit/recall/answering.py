"""What is known about a question, for people and agents who ask: best first, each with its mark and the parts of its score.

The same steps as before a run, without a budget of tokens: candidates are shown too, and nothing is written outside a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.clock import seconds
from tacit.core.memory import Memory
from tacit.core.profile import GENERAL, Profile
from tacit.core.rows import Project, scope_projects
from tacit.core.states import CLOSED, ENDING_VERDICTS, INJECTABLE
from tacit.core.value import replace, value
from tacit.hooks.coin import assignments
from tacit.hooks.record import (
    cured_by,
    epoch_for,
    has_verdict,
    record_giving,
    run_row_for,
)
from tacit.hooks.search import Search
from tacit.recall import RECORD_WITHIN, AskingRun
from tacit.recall.budget import NEAREST, Level, all_out, level_for, nearest_out
from tacit.recall.past import frequencies, memories_then, tally_then
from tacit.recall.query import ERROR_CHARS, Asked, Query, about_these, asked, facts_of, parts_of
from tacit.recall.rank import (
    BY_WORDS,
    KNOWN,
    Candidate,
    Facts,
    LeftOut,
    barred,
    is_anothers,
    is_forgotten,
    knower,
    ordered,
)
from tacit.recall.rewrite import Reworded, reworded
from tacit.stores.lookups import indexed
from tacit.words.passages import cut, weights_of

if TYPE_CHECKING:
    from tacit.core.ports import Model
    from tacit.recall.rank import Hit, Ranked
    from tacit.stores.sql import Store

EXPLAINED_AMONG = 24  # candidates that the parts of one score are found out among
CANDIDATES_PER_HIT, LEAST = (
    3,
    24,
)  # candidates for each answer that is asked for, and in all; five found no more …
FEW_WORDS = 16  # … for a question of so many words at most (docs/internals/decisions/0018-search-in-large-stores.md)
# passages of a question with a paste, each of which brings candidates of its own, and how many are ranked then
LONG, LONG_FETCH = 6, 120
_MOST = 1000  # hits of one recall, whatever is asked for


@value
class Recollection:
    """One answer to a question."""

    memory: Memory
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
    level: Level | None = None
    dropped: tuple[LeftOut, ...] = ()  # the nearest of those not shown
    run: str = ""
    rewrite: Reworded | None = None  # where a model may be asked


def recall(
    store: Store,
    project: Project,
    profile: Profile,
    query: Query,
    *,
    now: str,
    asking: AskingRun | None = None,
    level: str = "",
    limit: int | None = None,
    min_score: float | None = None,
    include_held: bool = False,
    include_stale: bool = False,
    as_of: str = "",
    person: bool = True,
    model: Callable[[], Model | None] | None = None,
) -> Recalled:
    """What is known about a question, best first, for people and agents; nothing for a question without words.

    With `asking`, a run asks: its assignments are honoured and what it is told is recorded. Quarantined texts are shown
    to a person only. `as_of` answers from what was known at a time, and records nothing. `model` is asked for better words
    if the question is worth it, and only then looked for.
    """
    size = level_for(profile, level, query.task, query.agent)
    rewrite = reworded(query.task, profile.query, size, model) if model is not None else None
    wanted = asked(replace(query, task=rewrite.question) if rewrite else query, profile)
    most = max(0, min(size.most if limit is None else limit, _MOST))
    if wanted.nothing or not most:
        return Recalled((), size, rewrite=rewrite)
    projects = scope_projects(project.id)
    is_short = (
        limit is not None and len(wanted.passages) == 1 and len(wanted.passages[0]) <= FEW_WORDS
    )
    fetch = max(
        min(size.fetch, max(CANDIDATES_PER_HIT * most, LEAST)) if is_short else size.fetch, 2 * most
    )
    if len(wanted.passages) > LONG:
        fetch = max(fetch, LONG_FETCH)
    if as_of:
        hits, facts = _past(store, projects, wanted, as_of)
    else:
        hits, facts = _now(store, projects, profile, wanted, fetch, now)
    marks: dict[str, str] = {}
    shown: dict[str, Hit] = {}
    left: list[LeftOut] = []
    for hit in hits:
        memory = hit.memory
        mark, why = showing(memory, wanted, profile, include_held, include_stale, person)
        dropped = profile.rank.drop_stale and not include_stale
        if not why and dropped and is_forgotten(memory, profile, now):
            why = "never recalled"
        if why:
            left.append(LeftOut(memory.id, why))
        else:
            marks[memory.id] = mark
            shown.setdefault(memory.id, hit)
    ranker = profile.rank.ranker if profile.rank.ranker in BY_WORDS else "lexical"
    floor = profile.rank.floor if min_score is None else min_score
    ranked = ordered(ranker, list(shown.values()), wanted, profile, facts)
    # Whose word it is orders, and leaves nothing out.
    fit = [
        each for each in ranked if each.score >= floor * each.parts.get("word", 1.0) and each.score
    ]
    left += all_out(ranked[len(fit) : len(fit) + NEAREST], "below the floor")
    left += all_out(fit[most : most + NEAREST], "limit")
    kept, run = fit[:most], ""
    if asking is not None and not as_of:
        kept, run = _told_in_run(store, project, profile, query, asking, kept, now)
    answers = tuple(
        Recollection(
            each.memory,
            each.score,
            each.parts,
            marks[each.memory.id],
            explained(each.score, each.parts),
        )
        for each in kept
    )
    return Recalled(answers, size, nearest_out(left)[0], run, rewrite)


def _now(
    store: Store, projects: Sequence[str], profile: Profile, wanted: Asked, fetch: int, now: str
) -> tuple[list[Hit], Facts]:
    """What fits now: by the one ranking, or by what an origin's ranker and a server look for."""
    about: list[Hit] = [*about_these(store, projects, wanted.signatures)]
    full = store.full_text(projects)
    if full is None or profile.rank.ranker != "lexical":
        found = store.ask(projects, parts_of(wanted), limit=fetch)
        return [*about, *found.hits], facts_of(now, wanted, found)
    search = Search(full, text_of(wanted))
    met = {each.n: each.score for each in search.best(fetch)}
    more = [*(hit.n for hit in about), *full.match(list(wanted.file_words), fetch)]
    met |= search.of([n for n in more if n not in met])
    facts = Facts(now, full.total, search.counts, full.tokens, length=full.usual, met=met)
    return [*about, *full.lessons(met)], facts


def text_of(wanted: Asked) -> str:
    """A task and the ends of its errors, as one text."""
    errors = (error.strip()[-ERROR_CHARS:] for error in wanted.query.errors)
    return "\n".join(filter(None, (wanted.query.task.strip(), *errors)))


def explain(
    store: Store,
    projects: Sequence[str],
    profile: Profile,
    memory: Memory,
    query: Query,
    *,
    now: str,
) -> dict[str, Any]:
    """The parts of one memory's score for a question; without one, what is known of it whatever is asked."""
    wanted = asked(query, profile)
    if wanted.nothing:
        return explained(0.0, known_of(memory, seconds(now)))
    n, words = indexed(store, memory.id)
    hits: list[Hit] = [Candidate(memory, "words", n, words)]
    full = store.full_text(projects)
    if full is None:
        found = store.ask(projects, parts_of(wanted), limit=EXPLAINED_AMONG)
        facts = facts_of(now, wanted, found)
    else:
        facts = Facts(now, met=Search(full, text_of(wanted)).of([n]))
    (ranked,) = ordered("lexical", hits, wanted, profile, facts)
    known = known_of(memory, seconds(now))
    return explained(ranked.score, {**ranked.parts, **known})


def _told_in_run(
    store: Store,
    project: Project,
    profile: Profile,
    query: Query,
    asking: AskingRun,
    kept: list[Ranked],
    now: str,
) -> tuple[list[Ranked], str]:
    """What a run may be told of these: not what is withheld in its unit. What it is told on request is recorded."""
    row = run_row_for(store, project.id, asking, asking.run, query, now)
    eligible = [each.memory for each in kept if not barred(each.memory, scope_projects(project.id))]
    if not eligible:
        return kept, row.foreign_id
    with store.write(wait=RECORD_WITHIN) as tx:
        told = assignments(
            eligible,
            tx.uses(unit=row.root),
            key=project.trial_key,
            unit=row.root,
            settings=profile.trial,
            epoch=epoch_for(asking.model or row.model, row.host),
            cured=cured_by(tx, eligible),
            pool=has_verdict(tx, project.id),
        )
        record_giving(tx, row, asking, query, eligible, told, now, signal="on request")
    withheld = {at.memory for at in told if not at.given}
    return [each for each in kept if each.memory.id not in withheld], row.foreign_id


def _past(store: Store, projects: Sequence[str], wanted: Asked, at: str) -> tuple[list[Hit], Facts]:
    """The memories as they were at a time, and how common the asked words were among them."""
    tokens = store.find(projects, ()).tokens
    then = memories_then(store.entries(projects, until=at))
    passages = cut(wanted.passages, tokens)
    frequency, fitting = frequencies(
        then.values(), list(dict.fromkeys(word for each in passages for word in each)), tokens
    )
    hits: list[Hit] = [
        Candidate(replace(then[id], tally=tally_then(store.evidence(id), at)), "words", n)
        for n, id in enumerate(then)
        if id in fitting
    ]
    return hits, Facts(
        at, len(then), frequency, tokens, weights=weights_of(passages, frequency, max(len(then), 1))
    )


def showing(
    memory: Memory,
    asked: Asked,
    profile: Profile,
    include_held: bool,
    include_stale: bool,
    person: bool,
) -> tuple[str, str]:
    """How a memory is marked when somebody searches for it, and why it is not shown; empty where neither applies."""
    query = asked.query
    if query.category and memory.category != query.category:
        return "", "other category"
    if query.kind and query.kind not in (memory.kind, memory.klass):
        return "", "other kind"
    if query.domain and memory.domain not in ("", query.domain, GENERAL):
        return "", "other domain"
    if (query.agent and memory.agent not in ("", query.agent)) or (
        not person and is_anothers(memory, query.agent)
    ):
        return "", "other agent"
    if query.task_type and memory.task_type not in ("", query.task_type):
        return "", "other task type"
    if memory.gate == "discard" or not memory.text.strip():
        return "", "discard" if memory.gate == "discard" else "empty"
    if memory.superseded_by or memory.state in CLOSED:
        return "", "superseded" if memory.superseded_by else memory.state
    if memory.gate == "quarantine" and not (include_held and person):
        return "", "quarantine"
    if memory.gate == "hold" and not include_held:
        return "", "hold"
    if (memory.stale_at or memory.state == "decayed") and not include_stale:
        return "", "decayed" if memory.state == "decayed" else "stale"
    if memory.gate != "allow":
        return {"hold": "held", "quarantine": "quarantined"}[memory.gate], ""
    if memory.state not in INJECTABLE:
        return memory.state.replace("_", " "), ""
    if memory.stale_at:
        return "stale", ""
    return memory.verdict if memory.verdict in ENDING_VERDICTS else "", ""


def known_of(memory: Memory, now: float) -> Mapping[str, float]:
    """What is known of a memory whatever is asked, as the factors of its score."""
    return knower(now)(memory)


def explained(score: float, parts: Mapping[str, float]) -> dict[str, Any]:
    """A score as its parts: those that say how well a memory fits are added up, those that are known of it multiply."""
    fits: dict[str, float] = {}
    known: dict[str, float] = {}
    for name, part in parts.items():
        (known if name in KNOWN else fits)[name] = round(part, 6)
    return {"score": round(score, 6), "fits": fits, "known": known}

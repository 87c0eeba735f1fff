"""What is asked: a task, files, errors, who asks, in the ranker's words.

A query comes in parts, because they are worth different things: the words of a task say what it is about, an error's
masked signature either is that of a lesson or is not, a file either is one a lesson names or is not. A session start
carries no task; then nothing is asked, and ways of working are told. `found_for` asks the store's channels and has what
they find ranked.
"""

from __future__ import annotations

from tacit.core.memory import path_of, topic_of
from tacit.core.rows import scope_projects
from tacit.core.value import replace, value
from tacit.hooks.events import AskingRun as AskingRun
from tacit.hooks.events import Query as Query
from tacit.recall.moments import (
    AT_PROMPT,
    AT_START,
    AT_TASK,
    BEST,
    MANY_WORDS,
    RARE_IN_PROMPT,
    Named,
    are_siblings,
    belongs,
    in_order_of_work,
    is_about_command,
    is_own,
    rare_words,
    together,
    told_at_starts,
)
from tacit.recall.rank import (
    BY_WORDS,
    Candidate,
    Facts,
    LeftOut,
    Ranked,
    Ranking,
    barred,
    ranking,
    unfit,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.core.rows import Found, Project
    from tacit.recall.budget import Level
    from tacit.recall.rank import Hit
    from tacit.stores.sql import Store
    from tacit.words.passages import Passage, Weights

ERROR_CHARS = 600  # of a long output the end is read for words: there the error stands
SPARE = 8  # lessons beyond the budget that are asked for at the start: some are about one error, some for other agents
WAYS = 48  # ways of working that are looked at for a start
LATE = 200  # lessons, the newest, among which rules of one subject are looked for
# candidates by words that a prompt has time for; sixty found no more twins among the best seven than forty did
FITTING = 24
# Of a prompt of more passages than that, which takes its time to read; three are given, of which 16 would mend .3 in 100.
LONG_FITTING, MANY = 8, 6
EVERY_HIT = 1000  # memories that a ranker which weighs everything is given at most
PAIRS_AT_ODDS = 1000  # of lessons at odds that are looked at
FILES = 32  # files of one query that are looked at; a query that names more says nothing by them


@value
class Asked:
    """A query as rankers read it."""

    query: Query
    passages: tuple[Passage, ...]  # of the task, then of its errors: the questions it consists of
    # names of the files, and of commands that serve the task: they find candidates and weigh nothing themselves
    file_words: tuple[str, ...]
    signatures: tuple[str, ...]
    files: tuple[str, ...]
    nothing: bool  # neither task nor error nor file was given
    purposes: tuple[str, ...] = ()  # what for a short task runs commands: "run the tests"


def asked(query: Query, profile: Profile) -> Asked:
    """The query in words, signatures and paths."""
    task = _bounded(query.task, profile.query.max_chars).strip()
    files = tuple(dict.fromkeys(path for path in map(path_of, query.files[:FILES]) if path))
    nothing = not (task or files or any(error.strip() for error in query.errors))
    if nothing:
        return Asked(query, (), (), (), (), True)
    from tacit.words.passages import passages_of

    told = [task, *(error.strip()[-ERROR_CHARS:] for error in query.errors)]
    passages = passages_of("\n".join(each for each in told if each))
    # A paste asks for its own paths already.
    new = files if len(passages) <= MANY else [path for path in files if path not in task]
    named = _names(new) if new else []
    purposes: tuple[str, ...] = ()
    plain = not (query.command or query.touched or query.errors)
    if task and plain and profile.budget.start_tokens and len(task.split()) < MANY_WORDS:
        from tacit.core.programs import purposes_in, words_serving

        if purposes := purposes_in(task):
            named += words_serving(purposes)
    signatures = tuple(dict.fromkeys(mark for error in query.errors for mark in _signatures(error)))
    return Asked(query, passages, tuple(named), signatures, files, False, purposes)


def _bounded(text: str, most: int) -> str:
    """A text, or its beginning and its end: what is asked stands before a paste or after it."""
    return text if len(text) <= most else f"{text[: most // 2]}\n{text[-(most // 2) :]}"


def _names(files: Iterable[str]) -> list[str]:
    from tacit.words.tokens import query_words

    return query_words(" ".join(path.rpartition("/")[2] for path in files))


def _signatures(error: str) -> tuple[str, ...]:
    from tacit.words.diagnose import signatures

    return signatures(error) if error.strip() else ()


def found_for(
    store: Store,
    project: Project,
    profile: Profile,
    wanted: Asked,
    size: Level,
    before: Mapping[str, bool],
    repeat: bool,
    now: str,
    exists: Callable[[str], bool] | None,
    about: tuple[str, ...] = (),
) -> tuple[Ranking, Callable[[str], list[str]]]:
    """Everything the channels find that may be given at this moment, in the order in which it takes room; and how texts are read."""
    projects = scope_projects(project.id)
    fitting = LONG_FITTING if len(wanted.passages) > MANY else FITTING
    limit = min(size.fetch + len(before), fitting + len(before))
    found = store.ask(
        projects,
        parts_of(wanted, about),
        limit=limit,
        injectable=True,
    )

    def may(memory: Memory) -> bool:
        return not (barred(memory, projects) or unfit(memory, wanted, profile, now))

    hits: list[Hit] = []
    if repeat:
        given = [id for id, was_given in before.items() if was_given]
        hits += [Candidate(memory, "before", n) for n, memory in enumerate(store.memories(given))]
    hits += about_these(store, projects, wanted.signatures)
    ways: Sequence[Ranked] = ()
    if size.moment in (AT_START, AT_TASK) and (wanted.nothing or size.ways):
        ways = _ways(store, projects, profile, may)
    elif not size.moment and not about and (wanted.nothing or not before):
        hits += store.standing(projects, limit=size.most + SPARE)
        hits += store.recurring(projects, limit=size.most + SPARE)
    hits += found.hits
    if profile.rank.ranker not in BY_WORDS:
        hits = _every(store, projects) or hits
    named = Named(wanted)
    if about:  # what names the very program need not fit the words beside it
        spoken = (
            (hit, is_about_command(hit.memory, wanted.query.command, about, named)) for hit in hits
        )
        hits = [
            Candidate(replace(hit.memory, text=part), "command", hit.n)
            for hit, part in spoken
            if part
        ]
    hits = [hit for hit in hits if not barred(hit.memory, projects)]
    paths = {path for hit in hits for path in hit.memory.paths} if exists else ()
    gone = frozenset(
        path for path in paths if exists and not exists(path)
    )  # files named that are no longer there
    facts = replace(facts_of(now, wanted, found, about), gone=gone)
    fit = ranking(hits, wanted, profile, facts)
    by_id = {hit.memory.id: hit for hit in hits}
    much = len(facts.weights.told) if facts.weights else 0

    def rare(id: str) -> int:
        return rare_words(by_id[id], facts)

    apart = [each for each in fit.ranked if not belongs(each, size.moment, named, rare, much)]
    ranked: Sequence[Ranked] = [each for each in fit.ranked if each not in apart]
    if size.moment in (AT_PROMPT, AT_TASK) and ranked:
        # What shares but one word with a prompt stands for itself: its subject may be another.
        plain = [
            each
            for each in ranked[:BEST]
            if named.sign(each.memory) or rare(each.memory.id) >= RARE_IN_PROMPT
        ]
        settled = {each.memory.id: _settled_with(store, each, may) for each in plain}
        if ranked[0] in plain:
            settled[ranked[0].memory.id] += _of_topic(store, projects, ranked[0], may)
        ranked = together(ranked, settled)
    if about:  # one is told: a person's own before what was noticed
        ranked = sorted(ranked, key=lambda each: not is_own(each.memory))
    is_way = {each.memory.id for each in ways}
    left = [LeftOut(each.memory.id, "about something else", each.score) for each in apart]
    told = (*ways, *(each for each in ranked if each.memory.id not in is_way))
    return Ranking(told, (*left, *fit.left)), found.tokens


def _ways(
    store: Store, projects: Sequence[str], profile: Profile, may: Callable[[Memory], bool]
) -> list[Ranked]:
    """Ways of working, in the order in which a start tells them."""
    hits = (
        *store.standing(projects, limit=WAYS, newest=LATE),
        *store.recurring(projects, limit=WAYS),
    )
    found = {hit.memory.id: hit.memory for hit in hits}.values()
    fit = in_order_of_work(
        memory for memory in found if may(memory) and not told_at_starts(memory, profile)
    )
    return [Ranked(memory, 1.0, {"met": float(memory.tally.seen)}, "standing") for memory in fit]


def _settled_with(store: Store, each: Ranked, may: Callable[[Memory], bool]) -> list[Ranked]:
    """What may be told of the lessons that were settled together with one, about the same subject."""
    from tacit.stores.sql_rows import settled_with

    found = store.memories(settled_with(store, each.memory.id))
    siblings = [memory for memory in found if are_siblings(each.memory, memory) and may(memory)]
    return [
        Ranked(memory, each.score, {"settled_with": each.score}, "settled") for memory in siblings
    ]


def _of_topic(
    store: Store, projects: Sequence[str], best: Ranked, may: Callable[[Memory], bool]
) -> list[Ranked]:
    """What other runs settled about the very topic of the best lesson: a rule that was amended later has its parts in both."""
    from tacit.words.tokens import query_words

    if not (topic := topic_of(best.memory.about)):
        return []
    found = store.ask(projects, (tuple(query_words(topic)),), limit=FITTING, injectable=True).hits
    same = (
        hit.memory
        for hit in found
        if topic_of(hit.memory.about) == topic and hit.memory.id != best.memory.id
    )
    return [
        Ranked(memory, best.score, {"topic": best.score}, "settled")
        for memory in same
        if may(memory)
    ]


def parts_of(wanted: Asked, about: tuple[str, ...] = ()) -> tuple[Passage, ...]:
    """The passages to look for: what is asked, the program that is about to run, the files' names."""
    return (
        *((about,) if about else ()),
        *wanted.passages,
        *((wanted.file_words,) if wanted.file_words else ()),
    )


def weighed_by(wanted: Asked, found: Found, about: tuple[str, ...] = ()) -> Weights:
    """What a lesson is weighed by: names of files and programs find candidates and weigh nothing themselves."""
    from tacit.words.passages import cut, weights_of

    passages = found.passages
    if about or wanted.file_words:
        if not about and len(wanted.passages) > MANY:  # a paste: not all of it is cut once more
            named = cut((wanted.file_words,), found.tokens)
            passages = tuple(each for each in found.passages if each not in named)
        else:
            passages = cut(wanted.passages, found.tokens)
    elif found.weights is not None:
        return found.weights
    return weights_of(passages, found.frequency, max(found.rows, 1))


def facts_of(now: str, wanted: Asked, found: Found, about: tuple[str, ...] = ()) -> Facts:
    """What ranking goes by, from what was found."""
    weights = weighed_by(wanted, found, about)
    return Facts(
        now, found.rows, found.frequency, found.tokens, weights=weights, length=found.length
    )


def _every(store: Store, projects: Sequence[str]) -> list[Hit]:
    """All memories, in the order of writing, for a ranker that goes by other things than words; none if too many."""
    from tacit.core.states import INJECTABLE

    every = store.select(
        projects, states=INJECTABLE, equal={"gate": "allow"}, sort="old", limit=EVERY_HIT + 1
    )
    return (
        [Candidate(memory, "", n) for n, memory in enumerate(every)]
        if len(every) <= EVERY_HIT
        else []
    )


def about_these(store: Store, projects: Sequence[str], signatures: Sequence[str]) -> Iterable[Hit]:
    """Lessons about exactly these errors."""
    from tacit.recall.budget import about_errors

    return about_errors(store.signed(projects, signatures), signatures) if signatures else ()


def with_signers(store: Store, ranked: list[Ranked]) -> list[Ranked]:
    """A team mate's lesson with who signed it."""
    if not any(each.memory.trust == "team" for each in ranked):
        return ranked
    from tacit.stores.lookups import signers

    names = signers(store, (each.memory for each in ranked))
    return [
        replace(each, signer=names[each.memory.id]) if each.memory.id in names else each
        for each in ranked
    ]


def at_odds(store: Store, project: str) -> frozenset[frozenset[str]]:
    """Pairs of lessons that wait for a judge because they say opposite things. Mostly none do, and a prompt does not load what waits."""
    if not store.proposals_about(project, kind="contradiction"):
        return frozenset()
    waiting = store.proposals(project, kinds=("contradiction",), limit=PAIRS_AT_ODDS)
    return frozenset(
        frozenset((each.memory, str((each.payload or {}).get("other", "")))) for each in waiting
    )

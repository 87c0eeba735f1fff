"""Which memories fit a query, best first.

The default, `lexical`, multiplies two things. How well a lesson fits: the rarity of the asked words it holds, over the
rarity of all words asked for, so that a score says how much of the question was met and a floor means the same in every
store; an error of the same signature, a file and a name of its subject add to that. And what is known of it: how often it
was met, whether it is believed to help, its age, scope and severity, whether its files still exist. A start asks nothing:
which lessons it is told, and which belong to a moment at all, says `moments`.

Every number that a person may want to set comes from the profile; each score is given with its parts, so that it can
be explained. The origins' rankers are those of `tacit.origins`.
"""

from __future__ import annotations

from itertools import chain, pairwise
from math import log, prod

from tacit.core.clock import DAY, seconds
from tacit.core.links import is_found_once, is_hearsay
from tacit.core.memory import SCOPES, SEVERITIES, STALE, WAY, is_unrecalled, met_in, shared_path
from tacit.core.memory import frequency_of as frequency_of
from tacit.core.profile import GENERAL, task_type_of
from tacit.core.states import barred as barred
from tacit.core.value import value
from tacit.hooks.events import LeftOut as LeftOut
from tacit.recall.moments import Named
from tacit.words.passages import (
    alike_to,
    beside_of,
    count_names,
    cut,
    fit_of,
    names_of,
    slack_of,
    weights_of,
    worths_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.recall.query import Asked
    from tacit.words.passages import Weights

    class Hit(Protocol):
        """A candidate as a store finds it."""

        @property
        def memory(self) -> Memory: ...
        @property
        def channel(self) -> str: ...  # who found it: words, signature, recurring, standing, before
        @property
        def n(self) -> int: ...  # order of writing
        @property
        def words(self) -> str: ...  # what the index holds beside the text


FIRST_WORDS = 8  # what counts as a title: a lesson says in its first words what it is about …
TITLED = 16  # … if it is longer than this; a short one is all title
TASK_WORD = 20.0  # sightings that a word of a task counts for in which the lesson was met, whatever the text's length
PART = (
    0.5  # … that it counts for which is part of a name or path: the name stands in the text as well
)
NAME = 1.0  # of its rarest word's rarity, for a name that stands there whole: `cache_dir`, not *cache* and *dir*
PAIR = 0.15  # of the rarer one's rarity, for two asked words that stand in a row in both
PAIRED = 12  # passages of a question up to which that is looked at
_SIGN = (
    0.5  # weight of a file, or of a name it is about, that is asked for outright, beside the words
)
# Of a person's word, for an agent's at the same match, by the names in the question: how to work is a person's to say.
LIFT = (0.7, 0.85, 1.0)
SIGNATURE = 1.0  # the very error: as good as every word
_STANDING = 0.6  # what applies whatever the task is: before what fits by halves, after what fits
TITLE = 3.0  # sightings that a word counts for which stands in a lesson's first words, inside one saturated term frequency
RECURRENCE, BELIEF = (
    0.25,
    0.5,
)  # weights of how often it was seen (logarithm), and of the belief that it helps
A_STEP = 0.05  # of a step of severity, and of one of scope, the narrower the better
HALF_LIFE = 180.0  # days unseen that halve the weight of its age
PATH_GONE = 0.5  # factor of a lesson whose every path is gone
NEARLY_SAME, SAME_TASK_LIFT = (
    0.8,
    0.5,
)  # how alike two tasks must be, and what is added for what happened in the other
PRIOR_BELIEF = 0.3  # what is believed of a lesson nobody measured: P(help) - P(harm) before any evidence (effect.md §6)
CALLED_FOR = ("standing", "before", "command")  # channels whose lessons need not fit the words


@value
class Candidate:
    """A memory to be ranked, where no search found it."""

    memory: Memory
    channel: str = ""
    n: int = 0
    words: str = ""


@value
class Facts:
    """What the world knows at the moment of asking."""

    now: str
    rows: int = 0  # memories in the store
    frequency: Mapping[str, int] = {}  # asked word -> rows that hold it
    tokens: Callable[[str], list[str]] = str.split  # how the index reads a text
    gone: frozenset[str] = frozenset()  # paths that memories name and that no longer exist
    weights: Weights | None = None  # what is asked, in the index's own words
    length: float = 0.0  # mean words of a text here
    met: Mapping[int, float] | None = None  # row -> how much of the question it meets, where found


@value
class Ranked:
    """A memory, how well it fits, and why."""

    memory: Memory
    score: float
    parts: Mapping[str, float]
    channel: str = ""
    caution: bool = False  # to be given as a suggestion, not a rule
    signer: str = ""  # of a team mate's lesson
    unmeasured: float = (
        0.0  # the score it had before it was measured, where that was higher: the floor goes by it
    )


@value
class Ranking:
    """What fits, best first, and what was near."""

    ranked: tuple[Ranked, ...]
    left: tuple[LeftOut, ...]


def ranking(hits: Iterable[Hit], asked: Asked, profile: Profile, facts: Facts) -> Ranking:
    """The candidates that may be given for this query, best first; below the profile's floor nothing."""
    left: list[LeftOut] = []
    fit: list[Hit] = []
    for hit in _once(hits):
        reason = unfit(hit.memory, asked, profile, facts.now)
        if reason:
            left.append(LeftOut(hit.memory.id, reason))
        else:
            fit.append(hit)
    ranked: list[Ranked] = []
    signatures: set[str] = set()
    for each in ordered(profile.rank.ranker, fit, asked, profile, facts):
        signature = each.memory.signature
        # Belief and whose word it is order; whether a lesson stays is the ladder's to say.
        # One that a floor took out after three units would be out for good.
        floor = profile.rank.floor * each.parts.get("word", 1.0)
        if max(each.score, each.unmeasured) < floor and each.channel not in CALLED_FOR:
            left.append(LeftOut(each.memory.id, "below the floor", each.score))
        elif signature and signature in signatures:
            left.append(LeftOut(each.memory.id, "same signature", each.score))
        else:
            signatures.add(signature)
            ranked.append(each)
    return Ranking(tuple(ranked), tuple(left))


def ordered(
    name: str, hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts
) -> list[Ranked]:
    """Candidates by their score, equal ones by the profile's ties and then in the order of writing."""
    scored = ranker(name)(hits, asked, profile, facts)
    ties = profile.rank.ties
    if len({each.score for each in scored}) == len(scored):
        scored.sort(key=lambda each: -each.score)
    else:
        order = {hit.memory.id: hit.n for hit in hits}
        scored.sort(
            key=lambda each: (
                -each.score,
                *[_tie(each.memory, tie) for tie in ties],
                order[each.memory.id],
            )
        )
    return scored


def _once(hits: Iterable[Hit]) -> list[Hit]:
    found: dict[str, Hit] = {}
    for hit in hits:
        found.setdefault(hit.memory.id, hit)
    return list(found.values())


def unfit(memory: Memory, asked: Asked, profile: Profile, now: str) -> str:
    """Why a memory is not for this query; empty if it may be ranked."""
    query, settings = asked.query, profile.rank
    if is_anothers(memory, query.agent):
        return "other agent"
    if query.agent and "subagent" in memory.text.replace("-", "").lower():
        return "says who should do it: for whoever starts sub-agents"
    if not profile.trust.once and is_found_once(memory):
        return "found once"
    if query.category and memory.category != query.category:
        return "other category"
    if query.kind and query.kind not in (memory.kind, memory.klass):
        return "other kind"
    if len(" ".join(memory.text.split())) < settings.min_chars:
        return "too short"
    if settings.drop_stale and (memory.stale_at or is_forgotten(memory, profile, now)):
        return "stale" if memory.stale_at else "never recalled"
    kind = profile.kinds.get(memory.kind)
    if kind is not None:
        if kind.min_confidence and (memory.tally.confidence or 0.0) < kind.min_confidence:
            return "confidence too low"
        if kind.min_success and success_of(memory) < kind.min_success:
            return "success rate too low"
        if kind.same_task and memory.task_type and memory.task_type != task_type(asked, profile):
            return "other task type"
    seen = frequency_of(memory)
    if settings.universal_at and seen >= settings.universal_at:
        return ""
    if seen < settings.min_frequency and memory.klass != "preference":
        return "seen too rarely"
    if settings.by_domain and query.domain and memory.domain not in ("", query.domain, GENERAL):
        return "other domain"
    if (query.main or (settings.by_agent and query.agent)) and memory.agent not in (
        "",
        query.agent,
    ):
        return "other agent"
    return ""


def is_anothers(memory: Memory, agent: str) -> bool:
    """Whether a memory is kept for one agent and another asks, or one that gives no name: in every project it would reach everybody."""
    return memory.scope == "agent" and memory.agent != agent


def is_forgotten(memory: Memory, profile: Profile, now: str) -> bool:
    """Older than the stale days and never recalled, unless it is of a kind that silence cannot touch."""
    fade = profile.fade
    if memory.pinned or memory.klass in fade.never or memory.state in fade.never_states:
        return False
    days = days_since(memory.tally.seen_at or memory.created_at, now)
    return is_unrecalled(memory, days, fade.stale_days)


def success_of(memory: Memory) -> float:
    """The share of its iterations that succeeded; a half where nobody said."""
    return (memory.tally.signals or {}).get("success_rate", 0.5)


def task_type(asked: Asked, profile: Profile) -> str:
    """The type of the asked task: given, or told from its text."""
    return asked.query.task_type or task_type_of(profile, asked.query.task)


def days_since(then: str, now: str) -> float:
    """Days between two times; 0 where the first is unknown or still to come."""
    start = seconds(then)
    return max(0.0, seconds(now) - start) / DAY if start else 0.0


def _tie(memory: Memory, name: str) -> object:
    """A key for equal scores: more before less, later before earlier; by birth, the order of writing; by text, whenever it was written."""
    if name == "text":
        return memory.text
    if name == "created_at":
        return memory.created_at
    if name == "updated_at":
        return _Later(memory.updated_at)
    if name == "confirmed_at":
        return _Later(memory.tally.seen_at or memory.created_at)
    if name == "confidence":
        return -(memory.tally.confidence or 0.0)
    return -(memory.tally.seen if name == "seen" else frequency_of(memory))


class _Later(str):
    """A time that sorts before an earlier one."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


# --- lexical


def lexical(hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """Words over all words asked for, the error itself, the files; times what is known of the lesson."""
    if facts.met is not None:
        return by_found(hits, asked, facts)
    held = words_reader(asked, facts, hits, TASK_WORD)
    named = Named(asked)
    knows = knower(seconds(facts.now), facts.gone)
    hearsay = {hit.memory.id for hit in hits if is_hearsay(hit.memory)}
    word = (
        LIFT[count_names("\n".join((asked.query.task, *asked.query.errors)), len(LIFT) - 1)]
        if hearsay
        else 1.0
    )
    found: list[Ranked] = []
    read = [held(hit) for hit in hits]
    for hit, (words, alike) in zip(hits, read):
        memory = hit.memory
        parts = {"words": words}
        sign = named.sign(memory)
        if sign == "error":
            parts["signature"] = SIGNATURE
        elif sign:
            parts[sign] = _SIGN
        elif asked.files and memory.paths:
            parts["file"] = _SIGN * shared_path(memory.paths, asked.files)
        if alike >= NEARLY_SAME:
            parts["same_task"] = SAME_TASK_LIFT
        if hit.channel in CALLED_FOR:
            parts[hit.channel] = _STANDING
        score, unmeasured = sum(parts.values()), 0.0
        if memory.tally.belief is not None:
            unmeasured = score
            for factor in (*knows(memory, False).values(), word if memory.id in hearsay else 1.0):
                unmeasured *= factor
        if score:
            known = {**knows(memory), "word": word} if memory.id in hearsay else knows(memory)
            for factor in known.values():
                score *= factor
            parts.update(known)
        found.append(Ranked(memory, score, parts, hit.channel, unmeasured=unmeasured))
    return found


def by_found(hits: Sequence[Hit], asked: Asked, facts: Facts) -> list[Ranked]:
    """By what the one ranking (`hooks/search.py`) found, the very error and file asked for, times what is known of the lesson.

    A name of its subject weighs as its words do: as a sign it lifted whatever a long text happens to name over what it is about.
    """
    named, knows = Named(asked), knower(seconds(facts.now), facts.gone)
    found = []
    for hit in hits:
        parts = {"words": (facts.met or {}).get(hit.n, 0.0)}
        if asked.query.errors and named.sign(hit.memory) == "error":
            parts["signature"] = SIGNATURE
        elif asked.files and hit.memory.paths:
            parts["file"] = _SIGN * shared_path(hit.memory.paths, asked.files)
        score = sum(parts.values())
        if score:
            known = knows(hit.memory)
            score *= prod(known.values())
            parts.update(known)
        found.append(Ranked(hit.memory, score, parts, hit.channel))
    return found


# factors; other parts are summands
KNOWN = (
    "recurrence",
    "belief",
    "severity",
    "scope",
    "age",
    "path_gone",
    "stale",
    "decay",
    "use",
    "word",
)


def knower(now: float, gone: frozenset[str] = frozenset()) -> Callable[..., Mapping[str, float]]:
    """A function that says what is known of a memory whatever is asked, or was before it was measured. Many are alike: found out once."""
    alike: dict[tuple[Any, ...], dict[str, float]] = {}

    def known(memory: Memory, measured: bool = True) -> Mapping[str, float]:
        tally, signals = memory.tally, memory.tally.signals or {}
        day = (tally.seen_at or memory.created_at)[:10]
        belief = tally.belief if measured else None
        leaning = PRIOR_BELIEF if belief is None else belief - signals.get("belief_harm", 0.0)
        is_gone = bool(memory.paths and gone.issuperset(memory.paths)) or bool(signals.get("gone"))
        of_memory = (memory.severity, memory.scope, day, is_gone, bool(memory.stale_at))
        what = (tally.seen, belief is not None, leaning, *of_memory)
        if what not in alike:
            alike[what] = _factors(now, what)
        return alike[what]

    return known


def _factors(
    now: float, what: tuple[int, bool, float, str, str, str, bool, bool]
) -> dict[str, float]:
    seen, measured, leaning, severity, scope, day, gone, stale = what
    factors = {
        "recurrence": 1.0 if measured else 1 + RECURRENCE * log(1 + seen),  # measured: belief alone
        "belief": 1 + BELIEF * leaning,
        "severity": 1 + A_STEP * SEVERITIES.index(severity),
        "scope": 1 + A_STEP * (len(SCOPES) - 1 - SCOPES.index(scope)),
        "age": _freshness(day, now),
    }
    if gone:
        factors["path_gone"] = PATH_GONE
    if stale:
        factors["stale"] = STALE
    return factors


def words_reader(
    asked: Asked, facts: Facts, hits: Sequence[Hit], task: float = 0.0
) -> Callable[[Hit], tuple[float, float]]:
    """A function that says how much of what is asked a candidate holds, from 0 to about 1, and how alike its tasks are.

    A word of a task in which a lesson was met counts as `task` sightings of it, in one saturated frequency with its own.
    """
    weights = facts.weights or weights_of(
        cut(asked.passages, facts.tokens), facts.frequency, max(facts.rows, 1)
    )
    passages, rarity, wholes = weights.passages, weights.told, weights.wholes
    if not rarity:
        return lambda hit: (0.0, 0.0)
    tokens, is_wanted = facts.tokens, rarity.__contains__
    every = sum(rarity.values())
    asks: dict[str, list[int]] = {}  # word -> the passages that ask for it
    pairs: dict[tuple[str, str], list[int]] = {}  # and two in a row
    for place, passage in enumerate(passages):
        for word in passage:
            asks.setdefault(word, []).append(place)
        if PAIR and len(passages) <= PAIRED:
            for pair in pairwise(passage):
                pairs.setdefault(pair, []).append(place)
    names = []
    for name in names_of(asked.passages, tokens):
        if rarity.keys() >= {*name}:
            inside = [at for at, each in enumerate(passages) if {*name} <= {*each}]
            names.append((f" {' '.join(name)} ", NAME * max(map(rarity.__getitem__, name)), inside))
    read = {hit.memory.id: tokens(hit.memory.text) for hit in hits}
    usual = facts.length or sum(map(len, read.values())) / (len(read) or 1)
    same = alike_to(asked.query.task, tokens)
    groups = {hit.n: group for hit in hits if (group := met_in(hit.memory, "group"))}
    beside = beside_of(
        groups,
        {
            hit.n: dict.fromkeys(filter(is_wanted, read[hit.memory.id]))
            for hit in hits
            if hit.n in groups
        },
    )

    def held(hit: Hit) -> tuple[float, float]:
        text = read[hit.memory.id]
        tasks: list[list[str]] = []
        mine = list(filter(is_wanted, text))
        first = mine if len(text) <= TITLED else list(filter(is_wanted, text[:FIRST_WORDS]))
        named, parts = list[str](), ""
        if hit.words:
            parts, *met_in = hit.words.split("\n")
            if parts:
                named = list(filter(is_wanted, tokens(parts)))
            tasks = [tokens(line) for line in met_in]
        titled = 0.0 if hit.n in groups else TITLE - 1  # a turn of a conversation has no title
        # How often each asked word stands there, in reading order: the same sums in every process, to the last digit.
        seen = dict.fromkeys(mine, 0.0)
        for word in mine:
            seen[word] += 1
        for word in first:
            seen[word] += titled
        for word in named:
            seen[word] = seen.get(word, 0.0) + PART
        if hit.memory.about not in ("", WAY):  # what it is about, as if it stood in its title
            for word in filter(is_wanted, tokens(hit.memory.about)):
                seen[word] = seen.get(word, 0.0) + TITLE
        for word, share in beside.get(hit.n, {}).items():
            seen[word] = seen.get(word, 0.0) + share
        for word in dict.fromkeys(filter(is_wanted, chain.from_iterable(tasks))):
            seen[word] = seen.get(word, 0.0) + task
        slack = slack_of(len(text), usual)
        amounts: dict[int, float] = {}
        together, amount_at = 0.0, amounts.get
        for word, times in seen.items():
            amount = rarity[word] * times / (times + slack)
            together += amount
            for place in asks[word]:
                amounts[place] = amount_at(place, 0.0) + amount
        if pairs:
            for pair in sorted(pairs.keys() & pairwise((*mine, *named))):
                for place in pairs[pair]:
                    amounts[place] += PAIR * max(rarity[pair[0]], rarity[pair[1]])
        if names:
            said = f" {' '.join(text)}  {' '.join(tokens(parts))} "
            for name, telling, where in names:
                found = said.count(name)
                for place in where if found else ():
                    amounts[place] += telling * found / (found + slack)
        words = fit_of(worths_of(amounts, weights), wholes, weights.rows, together / every)
        return words, max(map(same, tasks), default=0.0) if tasks else 0.0

    return held


def _freshness(day: str, now: float) -> float:
    """Between ½ and 1: half of the weight stays, the other halves with each half-life unseen."""
    then = seconds(day)
    days = max(0.0, now - then) / DAY if then else 0.0
    return float((1 + 2 ** -(days / HALF_LIFE)) / 2)


RANKERS: dict[str, Callable[[Sequence[Hit], Asked, Profile, Facts], list[Ranked]]] = {
    "lexical": lexical
}
BY_WORDS = (
    "lexical",
    "decay",
)  # rankers that a full-text search finds candidates for; the others weigh everything


def ranker(name: str) -> Callable[[Sequence[Hit], Asked, Profile, Facts], list[Ranked]]:
    """A ranker by name; an origin's or a stranger's is loaded when it is first named."""
    if name not in RANKERS:
        from tacit.hookspecs import policy

        RANKERS[name] = policy("ranker", name, RANKERS)
    return RANKERS[name]

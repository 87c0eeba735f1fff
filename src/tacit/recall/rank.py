"""Which memories fit a query, best first.

The default, `lexical`, multiplies two things. How well a lesson fits: the rarity of the asked words it holds, over the
rarity of all words asked for, so that a score says how much of the question was met and a floor means the same in every
store; an error of the same signature and a file it names add to that. And what is known of it: how often it was met,
whether it is believed to help, its age, scope and severity, whether its files still exist. At the start of a run, when
nothing can have failed yet, what recurs leads: most failures of a run have been seen before, few can be told from its
task.

The rankers of the origins stand beside it, to the digit. Every number comes from the profile; each score is given with
its parts, so that it can be explained.
"""

from __future__ import annotations

from math import exp, log, log10

from tacit.core.clock import days_between
from tacit.core.memory import GLOBAL, SCOPES
from tacit.core.run import SEVERITIES
from tacit.core.trial import CLOSED, INJECTABLE
from tacit.core.value import value
from tacit.recall.query import shared_path, task_type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.recall.query import Asked

    class Hit(Protocol):
        """A candidate as a store finds it."""

        @property
        def memory(self) -> Memory: ...
        @property
        def channel(self) -> str: ...
        @property
        def n(self) -> int: ...  # order of writing
        @property
        def words(self) -> str: ...  # what the index holds beside the text


K1, B = 1.2, 0.75  # BM25's own; tuning them was not worth it
LENGTH = 24  # words of a usual lesson
FIRST_WORDS = 8  # what counts as a title: a lesson says in its first words what it is about
PAIR = 0.15  # weight of two asked words that stand side by side
PATH = 0.5  # weight of a shared file beside the words
SIGNATURE = 1.0  # the very error: as good as every word
MET = 3.0  # at the start of a run, a lesson met 2^3 - 1 times counts as much as one that fits entirely
PRIOR = 0.3  # what is believed of a lesson nobody measured: P(help) - P(harm) before any evidence (effect.md §6)


@value
class Facts:
    """What the world knows at the moment of asking."""

    now: str
    rows: int = 0  # memories in the store
    frequency: Mapping[str, int] = {}  # asked word -> rows that hold it
    tokens: Callable[[str], list[str]] = str.split  # how the index reads a text
    gone: frozenset[str] = frozenset()  # paths that memories name and that no longer exist
    alike: Mapping[str, float] = {}  # memory -> how alike the tasks are in which it was met
    start: bool = False  # nothing was given in this run yet


@value
class Ranked:
    """A memory, how well it fits, and why."""

    memory: Memory
    score: float
    parts: Mapping[str, float]
    channel: str = ""
    caution: bool = False  # to be given as a suggestion, not a rule


@value
class LeftOut:
    """A memory that was near and is not given, and why."""

    id: str
    reason: str
    score: float = 0.0


@value
class Ranking:
    """What fits, best first, and what was near."""

    ranked: tuple[Ranked, ...]
    left: tuple[LeftOut, ...]


def rank(hits: Iterable[Hit], asked: Asked, profile: Profile, facts: Facts) -> Ranking:
    """The candidates that may be given for this query, best first; below the profile's floor nothing."""
    settings = profile.rank
    left: list[LeftOut] = []
    fit: list[Hit] = []
    known: set[str] = set()
    for hit in hits:
        if hit.memory.id not in known:
            known.add(hit.memory.id)
            reason = unfit(hit.memory, asked, profile)
            if reason:
                left.append(LeftOut(hit.memory.id, reason))
            else:
                fit.append(hit)
    scored = RANKERS[settings.ranker](fit, asked, profile, facts)
    order = {hit.memory.id: hit.n for hit in fit}
    scored.sort(key=lambda each: (-each.score, *_ties(each.memory, settings.ties), order[each.memory.id]))
    ranked: list[Ranked] = []
    signatures: set[str] = set()
    for each in scored:
        signature = each.memory.signature
        if each.score < settings.floor and each.channel != "standing":
            left.append(LeftOut(each.memory.id, "below the floor", each.score))
        elif signature and signature in signatures:
            left.append(LeftOut(each.memory.id, "same signature", each.score))
        else:
            signatures.add(signature)
            ranked.append(each)
    return Ranking(tuple(ranked), tuple(left))


def barred(memory: Memory, projects: Sequence[str]) -> str:
    """Why a memory may never be given to an agent, whatever the query; empty if it may. The last wall before every
    prompt: whoever found a memory, by whatever fallback, asks here."""
    if memory.project not in projects:
        return "another project"
    if memory.state not in INJECTABLE:
        return memory.state
    if memory.gate != "allow":
        return memory.gate
    if memory.verdict in CLOSED:
        return f"verdict {memory.verdict}"
    if memory.superseded_by:
        return "superseded"
    return "" if memory.text.strip() else "empty"


def unfit(memory: Memory, asked: Asked, profile: Profile) -> str:
    """Why a memory is not for this query; empty if it may be ranked."""
    query, settings = asked.query, profile.rank
    kind = profile.kinds.get(memory.kind)
    tally, signals = memory.tally, memory.tally.signals or {}
    if query.category and memory.category != query.category:
        return "other category"
    if query.kind and query.kind not in (memory.kind, memory.klass):
        return "other kind"
    if len(memory.text) < settings.min_chars:
        return "too short"
    if settings.drop_stale and memory.stale_at:
        return "stale"
    if kind is not None:
        if kind.min_confidence and (tally.confidence or 0.0) < kind.min_confidence:
            return "confidence too low"
        if kind.min_success and signals.get("success_rate", 0.5) < kind.min_success:
            return "success rate too low"
        if kind.same_task and not _same_task(memory, asked, profile):
            return "other task type"
    if settings.min_frequency and memory.klass == "preference":
        return ""  # ArcheFlow: preferences are injected immediately, whatever the filters say
    seen = frequency_of(memory)
    if settings.universal_at and seen >= settings.universal_at:
        return ""
    if seen < settings.min_frequency:
        return "seen too rarely"
    if settings.by_domain and query.domain and memory.domain not in ("", query.domain, profile.general_domain):
        return "other domain"
    if settings.by_agent and query.agent and memory.agent not in ("", query.agent):
        return "other agent"
    return ""


def frequency_of(memory: Memory) -> int:
    """How often it counts as seen: the profile's own faded counter where it keeps one, else its sightings."""
    signals = memory.tally.signals or {}
    return int(signals["frequency"]) if "frequency" in signals else memory.tally.seen


def _same_task(memory: Memory, asked: Asked, profile: Profile) -> bool:
    if not memory.task_type:
        return True
    return memory.task_type == (asked.query.task_type or task_type_of(profile, asked.query.task))


def _ties(memory: Memory, names: Sequence[str]) -> list[object]:
    """What orders equal scores: the larger number, or the later time, first."""
    return [_tie(memory, name) for name in names]


def _tie(memory: Memory, name: str) -> object:
    if name == "confidence":
        return -(memory.tally.confidence or 0.0)
    if name == "seen":
        return -memory.tally.seen
    if name == "frequency":
        return -frequency_of(memory)
    if name == "confirmed_at":
        return _Later(memory.tally.seen_at or memory.created_at)
    return _Later(memory.updated_at if name == "updated_at" else memory.created_at)


class _Later(str):
    """A time that sorts before an earlier one."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


# --- lexical


def lexical(hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """Words over all words asked for, the error itself, the files; times what is known of the lesson."""
    settings = profile.rank.lexical
    terms = _terms(asked, facts)
    whole = sum(rarity for _, rarity in terms) or 1.0
    start = facts.start and settings.start_by_recurrence
    found: list[Ranked] = []
    for hit in hits:
        memory = hit.memory
        parts: dict[str, float] = {}
        if terms:
            parts["words"] = _held(terms, memory.text, hit.words, settings.title, facts.tokens) / whole
        if asked.files and memory.paths:
            parts["path"] = PATH * shared_path(memory.paths, asked.files)
        if memory.signature and memory.signature in asked.signatures:
            parts["signature"] = SIGNATURE
        if facts.alike.get(memory.id, 0.0) >= settings.same_task_similarity:
            parts["same_task"] = settings.same_task_lift
        if start:
            parts["met"] = log(1 + _met(memory), 2) / MET
        fits = sum(parts.values())
        parts["recurrence"] = 1 + settings.recurrence * log(1 + memory.tally.seen)
        parts["belief"] = 1 + settings.belief * _leaning(memory)
        parts["severity"] = 1 + settings.severity * SEVERITIES.index(memory.severity)
        parts["scope"] = 1 + settings.scope * (len(SCOPES) - 1 - SCOPES.index(memory.scope))
        parts["age"] = _freshness(memory, settings.half_life_days, facts.now)
        if memory.paths and facts.gone.issuperset(memory.paths):
            parts["path_gone"] = settings.path_gone
        if memory.stale_at:
            parts["stale"] = profile.fade.stale_factor
        score = fits
        for name in KNOWN:
            score *= parts.get(name, 1.0)
        found.append(Ranked(memory, score, parts, hit.channel))
    return found


KNOWN = ("recurrence", "belief", "severity", "scope", "age", "path_gone", "stale")


def _terms(asked: Asked, facts: Facts) -> list[tuple[list[str], float]]:
    """Each asked word as the index reads it, with its rarity; a word nobody knows is the rarest of all."""
    rows = max(facts.rows, 1)
    found = []
    for word in asked.words:
        held = min(facts.frequency.get(word, 0), rows)
        read = facts.tokens(word)
        if read:
            found.append((read, log(1 + (rows - held + 0.5) / (held + 0.5))))
    return found


def _held(
    terms: list[tuple[list[str], float]], text: str, words: str, title: float, tokens: Callable[[str], list[str]]
) -> float:
    """The rarity of the words that a lesson holds, each by its saturated frequency, first words counting `title` times."""
    read = tokens(text)
    own = read + tokens(words) if words else read
    heads = read[:FIRST_WORDS]
    slack = K1 * (1 - B + B * min(len(read), 8 * LENGTH) / LENGTH)
    present = set(own)
    total, before = 0.0, ""
    for phrase, rarity in terms:
        first = phrase[0]
        if first not in present or (len(phrase) > 1 and not present.issuperset(phrase)):
            before = ""
            continue
        if len(phrase) == 1:
            times = own.count(first) + (title - 1) * heads.count(first)
        else:
            times = float(_in_a_row(phrase, own))
        if times:
            total += rarity * times * (K1 + 1) / (times + slack)
            if before and _in_a_row([before, first], read):
                total += PAIR * rarity
            before = phrase[-1]
    return total


def _in_a_row(phrase: Sequence[str], words: list[str]) -> int:
    """How often these words stand in a row."""
    count, at, size = 0, -1, len(phrase)
    first = phrase[0]
    try:
        while True:
            at = words.index(first, at + 1)
            if words[at : at + size] == list(phrase):
                count += 1
    except ValueError:
        return count


def _met(memory: Memory) -> int:
    # A person's word stands where two runs would: it is worth a sighting of its own.
    return memory.tally.seen + (1 if memory.trust == "user" else 0)


def _leaning(memory: Memory) -> float:
    if memory.tally.belief is None:
        return PRIOR
    return memory.tally.belief - (memory.tally.signals or {}).get("belief_harm", 0.0)


def _freshness(memory: Memory, half_life: float, now: str) -> float:
    """Between ½ and 1: half of the weight stays, the other halves with each half-life unseen."""
    if half_life <= 0:
        return 1.0
    days = max(0.0, days_between(memory.tally.seen_at or memory.created_at, now))
    return float((1 + 2 ** -(days / half_life)) / 2)


RANKERS: dict[str, Callable[[Sequence[Hit], Asked, Profile, Facts], list[Ranked]]] = {
    "lexical": lexical,
}

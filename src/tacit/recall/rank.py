"""Which memories fit a query, best first.

The default, `lexical`, multiplies two things. How well a lesson fits: the rarity of the asked words it holds, over the
rarity of all words asked for, so that a score says how much of the question was met and a floor means the same in every
store; an error of the same signature and a file it names add to that. And what is known of it: how often it was met,
whether it is believed to help, its age, scope and severity, whether its files still exist. At the start of a run, when
nothing can have failed yet, what recurs leads: most failures of a run have been seen before, few can be told from its
task.

Every number that a person may want to set comes from the profile; each score is given with its parts, so that it can
be explained. The rankers of the origins stand in `origins`.
"""

from __future__ import annotations

from math import log

from tacit.core.clock import DAY, seconds
from tacit.core.memory import SCOPES
from tacit.core.run import SEVERITIES
from tacit.core.states import CLOSED, ENDING_VERDICTS, INJECTABLE
from tacit.core.value import value
from tacit.recall.query import shared_path, task_type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.recall.query import Asked

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


K1, B = 1.2, 0.75  # BM25's own; tuning them was not worth it
SHORT = 12  # words; a lesson is not punished for being longer than a few very short ones
FIRST_WORDS = 8  # what counts as a title: a lesson says in its first words what it is about …
TITLED = 24  # … if it is longer than this; a short one is all title
TASK = 1.0  # sightings that a word counts for which stands in a task the lesson was met in, beside its own words
PATH = 0.5  # weight of a shared file beside the words
SIGNATURE = 1.0  # the very error: as good as every word
STANDING = 0.6  # at the start, what applies whatever the task is: before what fits by halves, after what fits
MET = 3.0  # at the start of a run, a lesson met 2^3 - 1 times counts as much as one that fits entirely
PRIOR = 0.3  # what is believed of a lesson nobody measured: P(help) - P(harm) before any evidence (effect.md §6)
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
    meaning: Mapping[str, float] = {}  # memory -> cosine, where vectors are at hand
    gone: frozenset[str] = frozenset()  # paths that memories name and that no longer exist
    start: bool = False  # nothing was given in this run yet
    usual: float = 0.0  # the cosine that a memory here usually has with this question


@value
class Ranked:
    """A memory, how well it fits, and why."""

    memory: Memory
    score: float
    parts: Mapping[str, float]
    channel: str = ""
    caution: bool = False  # to be given as a suggestion, not a rule
    signer: str = ""  # of a team mate's lesson


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
        if each.score < profile.rank.floor and each.channel not in CALLED_FOR:
            left.append(LeftOut(each.memory.id, "below the floor", each.score))
        elif signature and signature in signatures:
            left.append(LeftOut(each.memory.id, "same signature", each.score))
        else:
            signatures.add(signature)
            ranked.append(each)
    return Ranking(tuple(ranked), tuple(left))


def ordered(name: str, hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """Candidates by their score, equal ones by the profile's ties and then in the order of writing."""
    scored = ranker(name)(hits, asked, profile, facts)
    ties = profile.rank.ties
    if len({each.score for each in scored}) == len(scored):
        scored.sort(key=lambda each: -each.score)
    else:
        order = {hit.memory.id: hit.n for hit in hits}
        scored.sort(key=lambda each: (-each.score, *[_tie(each.memory, tie) for tie in ties], order[each.memory.id]))
    return scored


def _once(hits: Iterable[Hit]) -> list[Hit]:
    found: dict[str, Hit] = {}
    for hit in hits:
        found.setdefault(hit.memory.id, hit)
    return list(found.values())


def barred(memory: Memory, projects: Sequence[str]) -> str:
    """Why a memory may never be given to an agent, whatever the query; empty if it may. The last wall before every
    prompt: whoever found a memory, by whatever fallback, asks here."""
    if memory.project not in projects:
        return "another project"
    if memory.state not in INJECTABLE:
        return memory.state
    if memory.gate != "allow":
        return memory.gate
    if memory.verdict in ENDING_VERDICTS:
        return f"verdict {memory.verdict}"
    if memory.superseded_by:
        return "superseded"
    return "" if memory.text.strip() else "empty"


def showing(
    memory: Memory, asked: Asked, profile: Profile, include_held: bool, include_stale: bool, person: bool
) -> tuple[str, str]:
    """How a memory is marked when somebody searches for it, and why it is not shown; empty where neither applies."""
    query = asked.query
    if query.category and memory.category != query.category:
        return "", "other category"
    if query.kind and query.kind not in (memory.kind, memory.klass):
        return "", "other kind"
    if query.domain and memory.domain not in ("", query.domain, profile.general_domain):
        return "", "other domain"
    if (query.agent and memory.agent not in ("", query.agent)) or (not person and is_anothers(memory, query.agent)):
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


def unfit(memory: Memory, asked: Asked, profile: Profile, now: str) -> str:
    """Why a memory is not for this query; empty if it may be ranked."""
    query, settings = asked.query, profile.rank
    if is_anothers(memory, query.agent):
        return "other agent"
    if query.category and memory.category != query.category:
        return "other category"
    if query.kind and query.kind not in (memory.kind, memory.klass):
        return "other kind"
    if len(memory.text) < settings.min_chars:
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
    if settings.by_domain and query.domain and memory.domain not in ("", query.domain, profile.general_domain):
        return "other domain"
    if (query.main or (settings.by_agent and query.agent)) and memory.agent not in ("", query.agent):
        return "other agent"
    return ""


def is_anothers(memory: Memory, agent: str) -> bool:
    """Whether a memory is kept for one agent and another asks, or one that gives no name: in every project it would reach everybody."""
    return memory.scope == "agent" and memory.agent != agent


def is_forgotten(memory: Memory, profile: Profile, now: str) -> bool:
    """joelclaw: older than the stale days and never recalled, unless it is of a kind that silence cannot touch."""
    fade = profile.fade
    if not fade.stale_days or memory.pinned or memory.on_page or memory.klass in fade.never or memory.state in fade.never_states:
        return False
    return not recalls_of(memory) and days_since(memory.created_at, now) > fade.stale_days


def frequency_of(memory: Memory) -> int:
    """How often it counts as seen: the profile's own fading counter, or its sightings; a person's word is one."""
    signals = memory.tally.signals or {}
    return int(signals["frequency"]) if "frequency" in signals else max(1, memory.tally.seen)


def recalls_of(memory: Memory) -> float:
    """How often it was recalled, by the profile's own count or by its uses."""
    return (memory.tally.signals or {}).get("recalls", memory.tally.uses)


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
    """A key for equal scores: more before less, later before earlier; by birth, the order of writing."""
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
    settings = profile.rank.lexical
    held = words_reader(asked, facts, hits, settings.title, TASK)
    start = facts.start and settings.start_by_recurrence
    knows = knower(profile, seconds(facts.now), facts.gone)
    found: list[Ranked] = []
    for hit in hits:
        memory = hit.memory
        words, alike = held(hit)
        parts = {"words": words}
        if facts.meaning:
            near = facts.meaning.get(memory.id, facts.usual) - facts.usual
            parts["meaning"] = profile.rank.meaning * max(0.0, near)
        if asked.files and memory.paths:
            parts["path"] = PATH * shared_path(memory.paths, asked.files)
        if memory.signature and memory.signature in asked.signatures:
            parts["signature"] = SIGNATURE
        if alike >= settings.same_task_similarity:
            parts["same_task"] = settings.same_task_lift
        if hit.channel in CALLED_FOR:
            parts[hit.channel] = STANDING
        if start:
            parts["met"] = log(1 + _met(memory), 2) / MET
        score = sum(parts.values())
        if score:
            known = knows(memory)
            for factor in known.values():
                score *= factor
            parts.update(known)
        found.append(Ranked(memory, score, parts, hit.channel))
    return found


KNOWN = ("recurrence", "belief", "severity", "scope", "age", "path_gone", "stale", "decay", "use")  # factors; other parts are summands


def known_of(memory: Memory, profile: Profile, now: float) -> Mapping[str, float]:
    """What is known of a memory whatever is asked, as the factors of its score."""
    return knower(profile, now)(memory)


def knower(profile: Profile, now: float, gone: frozenset[str] = frozenset()) -> Callable[[Memory], Mapping[str, float]]:
    """A function that says what is known of a memory whatever is asked. Many are alike in that: it is found out once."""
    alike: dict[tuple[Any, ...], dict[str, float]] = {}

    def known(memory: Memory) -> Mapping[str, float]:
        tally = memory.tally
        day = (tally.seen_at or memory.created_at)[:10]
        leaning = PRIOR if tally.belief is None else tally.belief - (tally.signals or {}).get("belief_harm", 0.0)
        is_gone = bool(
            (memory.paths and gone.issuperset(memory.paths)) or (tally.signals and tally.signals.get("gone"))
        )
        what = (tally.seen, leaning, memory.severity, memory.scope, day, is_gone, bool(memory.stale_at))
        if what not in alike:
            alike[what] = _factors(profile, now, *what)
        return alike[what]

    return known


def _factors(
    profile: Profile,
    now: float,
    seen: int,
    leaning: float,
    severity: str,
    scope: str,
    day: str,
    gone: bool,
    stale: bool,
) -> dict[str, float]:
    settings = profile.rank.lexical
    factors = {
        "recurrence": 1 + settings.recurrence * log(1 + seen),
        "belief": 1 + settings.belief * leaning,
        "severity": 1 + settings.severity * SEVERITIES.index(severity),
        "scope": 1 + settings.scope * (len(SCOPES) - 1 - SCOPES.index(scope)),
        "age": _freshness(day, settings.half_life_days, now),
    }
    if gone:
        factors["path_gone"] = settings.path_gone
    if stale:
        factors["stale"] = profile.fade.stale_factor
    return factors


def explained(score: float, parts: Mapping[str, float]) -> dict[str, Any]:
    """A score as its parts: those that say how well a memory fits are added up, those that are known of it multiply."""
    fits: dict[str, float] = {}
    known: dict[str, float] = {}
    for name, part in parts.items():
        (known if name in KNOWN else fits)[name] = round(part, 6)
    return {"score": round(score, 6), "fits": fits, "known": known}


def words_reader(
    asked: Asked, facts: Facts, hits: Sequence[Hit], title: float, task: float = 0.0
) -> Callable[[Hit], tuple[float, float]]:
    """A function that says how much of the asked words a candidate holds, from 0 to about 1, and how alike its tasks are.

    A word of a task in which a lesson was met counts as `task` sightings of it, in one saturated frequency with its own.
    """
    single, phrases = _terms(asked, facts)
    whole = sum(single.values()) + sum(rarity for _, rarity in phrases)
    if not whole:
        return lambda hit: (0.0, 0.0)
    tokens = facts.tokens
    read = {hit.memory.id: tokens(hit.memory.text) for hit in hits}
    usual = max(SHORT, sum(map(len, read.values())) / (len(read) or 1))
    wanted = {*single, *(word for phrase, _ in phrases for word in phrase)}
    is_wanted = wanted.__contains__

    def held(hit: Hit) -> tuple[float, float]:
        own = text = read[hit.memory.id]
        tasks: list[frozenset[str]] = []
        mine = list(filter(is_wanted, text))
        first = mine if len(text) <= TITLED else list(filter(is_wanted, text[:FIRST_WORDS]))
        if hit.words:
            parts, *met_in = hit.words.split("\n")
            if parts:
                more = tokens(parts)
                own, mine = text + more, mine + list(filter(is_wanted, more))
            tasks = [frozenset(tokens(line)) for line in met_in]
        present = set(mine).union(*tasks) if tasks else set(mine)
        slack = K1 * (1 - B + B * len(text) / usual)
        total = 0.0
        # In reading order: the same sum in every process, to the last digit.
        for word in filter(present.__contains__, single):
            times = mine.count(word) + (title - 1) * first.count(word)
            if tasks:
                times += task * any(word in each for each in tasks)
            if times:
                total += single[word] * times / (times + slack)
        for phrase, rarity in phrases:
            if present.issuperset(phrase):
                times = _in_a_row(phrase, own) + task * any(each.issuperset(phrase) for each in tasks)
                total += rarity * times / (times + slack) if times else 0.0
        alike = max((len(each & wanted) / len(each | wanted) for each in tasks if each), default=0.0) if tasks else 0.0
        return total / whole, alike

    return held


def _terms(asked: Asked, facts: Facts) -> tuple[dict[str, float], list[tuple[list[str], float]]]:
    """The asked words as the index reads them, with their rarity, single ones and phrases; a word nobody knows is rarest.

    A long question has more words than were looked up: the others count as usual ones.
    """
    rows = max(facts.rows, 1)
    rarity = {word: log(1 + (max(0, rows - held) + 0.5) / (held + 0.5)) for word, held in facts.frequency.items()}
    usual = sum(rarity.values()) / (len(rarity) or 1)
    single: dict[str, float] = {}
    phrases: list[tuple[list[str], float]] = []
    for word in asked.words:
        read = facts.tokens(word)
        if len(read) == 1:
            single[read[0]] = max(single.get(read[0], 0.0), rarity.get(word, usual))
        elif read:
            phrases.append((read, rarity.get(word, usual)))
    return single, phrases


def _in_a_row(phrase: list[str], words: list[str]) -> int:
    """How often these words stand in a row."""
    size = len(phrase)
    return sum(words[at : at + size] == phrase for at in range(len(words) - size + 1))


def _met(memory: Memory) -> int:
    # A person's word stands where two runs would: it is worth a sighting of its own.
    return memory.tally.seen + (1 if memory.trust == "user" else 0)


def _freshness(day: str, half_life: float, now: float) -> float:
    """Between ½ and 1: half of the weight stays, the other halves with each half-life unseen."""
    if half_life <= 0:
        return 1.0
    then = seconds(day)
    days = max(0.0, now - then) / DAY if then else 0.0
    return float((1 + 2 ** -(days / half_life)) / 2)


RANKERS: dict[str, Callable[[Sequence[Hit], Asked, Profile, Facts], list[Ranked]]] = {"lexical": lexical}
BY_WORDS = ("lexical", "decay")  # rankers that a full-text search finds candidates for; the others weigh everything


def ranker(name: str) -> Callable[[Sequence[Hit], Asked, Profile, Facts], list[Ranked]]:
    """A ranker by name; those of the origins and of other packages are loaded when one is first named."""
    if name not in RANKERS:
        from tacit.recall.origins import ORIGINS, from_outside

        RANKERS.update(ORIGINS)
        if name not in RANKERS:
            RANKERS[name] = from_outside("tacit.rankers", name, RANKERS)
    return RANKERS[name]

"""A profile is one way of remembering, as values: thresholds, ladder, weights, budgets, vocabulary, wording.

People write profiles as TOML; `profile_toml` checks them against one table of keys and compiles them to JSON, which
the store keeps. This module is the other half, the one that hooks load: it reads that JSON and hands out sections as
typed values. A compiled profile is complete, so nothing here has a default; and since a hook touches a handful of the
sections, each is built when it is first asked for.

    profile = from_json(text)
    profile.trial.rate          0.3
    profile.kinds["fix"].klass  "fix"

What each key means, its range and its default stand in `profile_keys.KEYS` and, generated from there, in
`docs/profiles/README.md`.
"""

from __future__ import annotations

import json

from tacit.core.digest import short_hash
from tacit.core.errors import ProfileInvalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.core.value import value

# Raised whenever a key is added, removed or changes its meaning; a test compares it with the table of keys. A store
# that holds an older format compiles its profile anew.
FORMAT = 12

# What a kind may be mapped to. Exemption from trials, caps and belief go by class: the core knows these, no others.
CLASSES = ("preference", "rule", "security", "fix", "pitfall", "command", "fact", "estimate")
LEVELS = ("lean", "balanced", "deep")


class Section:
    """A part of a profile at run time: one frozen record for all of them.

    The classes below describe each part to readers and to the type checker, and do not exist when a program runs: made
    and given an `__init__` in every hook they would cost a tenth of an interpreter's start and gain nothing, since what
    was compiled was checked.
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"a section is a value: use replace(section, {name}=...)")

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Section) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # sections hold mappings

    def __repr__(self) -> str:
        return f"Section({', '.join(f'{name}={at!r}' for name, at in self.__dict__.items())})"

    @property
    def FIELDS(self) -> tuple[str, ...]:
        """As a value's: `fields(section)` works."""
        return tuple(self.__dict__)


if TYPE_CHECKING:

    @value
    class Words:
        """How this way of remembering calls things; the core's own words stay Memory and Run."""

        memory: str
        memories: str
        run: str
        runs: str
        person: str

    @value
    class Kind:
        """One kind of memory, mapped to a class that the core knows."""

        klass: str
        label: str
        heading: str
        scope: str
        reviewers: tuple[str, ...]
        aliases: tuple[str, ...]
        keywords: tuple[str, ...]
        cap: int
        min_confidence: float
        min_success: float
        same_task: bool
        error_lift: float
        path_lift: float

    @value
    class TaskType:
        """One type of task and the words that betray it."""

        name: str
        words: tuple[str, ...]

    @value
    class Tasks:
        """How the type of a task is told from its text: the first type with a hit."""

        types: tuple[TaskType, ...]
        match: str
        otherwise: str

    @value
    class Category:
        """One subject a memory may be filed under."""

        label: str
        keywords: tuple[str, ...]
        aliases: tuple[str, ...]

    @value
    class Categories:
        """The taxonomy and how a text is filed."""

        classifier: str
        version: str
        match: str
        base: float
        per_hit: float
        top: float
        hint: float
        otherwise: str
        otherwise_confidence: float
        names: Mapping[str, Category]

    @value
    class Scopes:
        """How far a memory reaches."""

        otherwise: str
        keywords: Mapping[str, tuple[str, ...]]

    @value
    class Extractor:
        """One extractor that is on, and its numbers."""

        on: bool
        kind: str
        count: int
        share: float
        more_than: bool
        confidence: float | None
        full_at: int
        cap: float

    @value
    class Phrase:
        """A wording that stands for many: chosen if any word of `any` occurs, or all of `all` do."""

        any: tuple[str, ...]
        all: tuple[str, ...]
        text: str

    @value
    class Convention:
        """A habit that file names betray."""

        holds: tuple[str, ...]
        ends: tuple[str, ...]
        text: str
        confidence: float

    @value
    class Extract:
        """What is taken from a run."""

        severity_floor: str
        classifier: str
        tagger: str
        tag_words: int
        tag_chars: int
        phrase_min: int
        phrase_max: int
        examples: int
        complexity: tuple[int, ...]
        extractors: Mapping[str, Extractor]
        approaches: tuple[Phrase, ...]
        failures: tuple[Phrase, ...]
        conventions: tuple[Convention, ...]

    @value
    class Match:
        """When a finding is a lesson already known."""

        matcher: str
        threshold: float
        margin: float
        doubt: float
        same_kind: bool
        same_task: bool
        same_scope: bool
        category_blocks: bool

    @value
    class Check:
        """One range a finding's figure must keep, and the reason given when it does not."""

        of: str
        kind: str
        min: float | None
        max: float | None
        reason: str

    @value
    class Gate:
        """What may be written at all."""

        function: str
        version: str
        min_chars: int
        discard: tuple[str, ...]
        favour: tuple[str, ...]
        hedges: tuple[str, ...]
        hedged: str
        known: str
        unknown: str
        fallback: bool
        fallback_confidence: float
        stated_confidence: float
        reason_chars: int
        refused: str
        required: tuple[str, ...]
        required_reason: str
        kind_reason: str
        checks: tuple[Check, ...]

    @value
    class Trust:
        """Whose words count for what."""

        held: tuple[str, ...]
        confirm: str
        runs: int
        person: tuple[str, ...]

    @value
    class Condition:
        """One comparison of the ladder: a quantity of `lifecycle.QUANTITIES` against a number or a word."""

        quantity: str
        op: str
        bound: float | str

    @value
    class Rule:
        """One rung of the ladder: from which states to which, when, and by whose approval."""

        name: str
        states: tuple[str, ...]
        to: str
        when: tuple[Condition, ...]
        approve: tuple[str, ...]
        approve_any: tuple[str, ...]
        propose: bool
        measured: bool
        cause: str
        reason: str

    @value
    class Ladder:
        """Every move this profile makes or permits, in the order they are tried."""

        auto: bool
        require_verdict: bool
        reviews: int
        contradictions: int
        remind: tuple[int, ...]
        review_after: Mapping[str, int]
        moves: tuple[Rule, ...]

    @value
    class Trial:
        """How often a lesson is withheld, to learn whether it helps."""

        rate: float
        rate_watch: float
        rate_severe: float
        rate_heard: float
        lean: bool
        blank: float
        exempt: tuple[str, ...]

    @value
    class Effect:
        """When a difference counts, and what a belief may do."""

        alpha: float
        margin: float
        belief_stable: float
        belief_review: float
        min_units: int
        min_tasks: int
        person_alone_units: int

    @value
    class Query:
        """How a question is prepared before the search."""

        max_chars: int
        rewrite_min_chars: int
        rewrite_short_chars: int
        rewrite_short_words: int
        rewrite_not: tuple[str, ...]
        rewrite_timeout_s: float

    @value
    class Lexical:
        """The numbers of the ranker `lexical`."""

        title: float
        recurrence: float
        belief: float
        severity: float
        scope: float
        half_life_days: float
        path_gone: float
        start_by_recurrence: bool
        same_task_lift: float
        same_task_similarity: float

    @value
    class Relevance:
        """The numbers of the ranker `relevance`."""

        confidence: float
        task: float
        success: float
        recency: float
        days: int

    @value
    class SixFactor:
        """The numbers of the ranker `six_factor`."""

        scope: float
        path: float
        role: float
        freshness: float
        confidence: float
        reuse: float
        contradiction: float
        contradiction_most: float
        risk: float
        risk_kinds: tuple[str, ...]
        days: int
        no_history: float
        caution_below: float
        matrix: Mapping[str, tuple[float, ...]]

    @value
    class Decay:
        """The numbers of the ranker `decay`; the fading itself is in `fade`."""

        priority: float
        recalls: float
        recalls_most: float
        boost_least: float

    @value
    class Rank:
        """Which memories fit, best first."""

        ranker: str
        floor: float
        candidates: int
        meaning: float
        min_chars: int
        min_frequency: int
        universal_at: int
        by_domain: bool
        by_agent: bool
        drop_stale: bool
        ties: tuple[str, ...]
        lexical: Lexical
        relevance: Relevance
        six_factor: SixFactor
        decay: Decay

    @value
    class RoleBudget:
        """How many memories one role is given."""

        least: int
        most: int
        cautions: int

    @value
    class Budget:
        """How many memories a run is given."""

        level: str
        auto: str
        auto_chars: int
        auto_words: tuple[str, ...]
        lean: int
        balanced: int
        deep: int
        cap: int
        max_tokens: int
        pinned_outside: bool
        person: int
        person_tokens: int
        few: int
        few_tokens: int
        agents: Mapping[str, int]
        roles: Mapping[str, RoleBudget]
        precedence: tuple[str, ...]
        nearest: int
        fetch: tuple[float, ...]
        fetch_extra: int
        fetch_most: int

    @value
    class Render:
        """How the chosen memories are worded."""

        renderer: str
        heading: str
        intro: str
        line: str
        caution_heading: str
        caution_line: str
        empty: str
        wrap: bool
        max_line_chars: int

    @value
    class Fade:
        """How a memory that nobody meets loses strength."""

        function: str
        runs_step: int
        rate: float
        exposure: int
        stale_days: int
        stale_factor: float
        never: tuple[str, ...]
        never_states: tuple[str, ...]

    @value
    class Signals:
        """The origins' own counters and confidence: recorded and shown; used only by the ladders that name them."""

        names: tuple[str, ...]
        confidence: str
        start: tuple[float, ...]
        positive: float
        negative: float
        contradiction: float
        reinstated: float
        echo: float
        fizzle: float
        echo_share: float
        echo_phrase: int
        echo_letters: int
        audits: tuple[str, ...]
        audit_overlap: float

    @value
    class Tend:
        """What happens between runs."""

        when: tuple[str, ...]
        least: int
        share: float
        merge_threshold: float
        candidate_days: int
        prune_days: int
        archive_days: int

    @value
    class Reflect:
        """How observations are condensed into proposals."""

        lookback_days: int
        max_chars: int
        shorter: bool
        retries: tuple[float, ...]

    @value
    class Triage:
        """Who decides a proposal: rules, then a model, then a person."""

        tiers: tuple[str, ...]
        rules: str
        prefixes: tuple[str, ...]
        opinions: tuple[str, ...]
        promote_sections: tuple[str, ...]
        promote_needs: tuple[str, ...]
        threshold: float
        compare_chars: int
        batch: int
        expire_days: int
        checked: int
        watch: int
        lose: float
        regain: float

    @value
    class Page:
        """The file that the host loads by itself."""

        target: str
        targets: Mapping[str, str]
        title: str
        max_lines: int
        max_bytes: int
        sections: tuple[str, ...]
        inbox: str
        map: Mapping[str, str]
        line: str
        states: tuple[str, ...]
        ask_above: int

    @value
    class ModelUse:
        """Which steps may ask a model; which model, and where, is the user's configuration, never a profile's."""

        steps: tuple[str, ...]
        timeout_s: float

    @value
    class Learn:
        """When a run is over, and what a lesson that was sent away may still do."""

        settle_hours: float
        resurrect_runs: int

    @value
    class Health:
        """Shares at which `doctor` and `stats` raise their voice."""

        fallback: float
        stale: float
        uncategorised: float
        backlog: int

else:
    Condition = Section


class Profile:
    """One way of remembering. Equal profiles hold equal values; `profile_id` names the version."""

    name: str
    title: str
    version: str
    roles: tuple[str, ...]
    domains: tuple[str, ...]
    general_domain: str
    add_kind: str
    other_kind: str
    ids: str
    columns: tuple[str, ...]
    words: Words
    kinds: Mapping[str, Kind]
    tasks: Tasks
    categories: Categories
    scopes: Scopes
    extract: Extract
    match: Match
    gate: Gate
    trust: Trust
    ladder: Ladder
    trial: Trial
    effect: Effect
    query: Query
    rank: Rank
    budget: Budget
    render: Render
    fade: Fade
    signals: Signals
    tend: Tend
    reflect: Reflect
    triage: Triage
    page: Page
    model: ModelUse
    learn: Learn
    health: Health

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.__dict__["data"] = data  # the compiled form, never changed; sections are built from it

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            # Reached only for a section that was not asked for before.
            data = self.__dict__.get("data", {})
            if name not in data:
                raise AttributeError(f"a profile has no section {name!r}")
            section = self.__dict__[name] = _built(name, data[name], data)
            return section

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"a profile is a value: use changed(profile, {{'{name}': ...}})")

    def __eq__(self, other: object) -> bool:
        return bool(self.data == other.data) if isinstance(other, Profile) else NotImplemented

    def __hash__(self) -> int:
        return hash(to_json(self))

    def __repr__(self) -> str:
        return f"Profile({self.name!r}, {profile_id(self)!r})"

    @property
    def data(self) -> Mapping[str, Any]:
        """The compiled form: what `to_json` writes."""
        return self.__dict__["data"]  # type: ignore[no-any-return]


def from_json(text: str) -> Profile:
    """The profile behind its compiled text. Only the format is checked: what was compiled was checked then."""
    data = json.loads(text)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise ProfileInvalid(
            f"The stored profile has format {found}; this version of Tacit reads format {FORMAT}.",
            "Compile it again from its TOML.",
        )
    return Profile(data)


def is_current(text: str) -> bool:
    """Whether this version of Tacit reads a compiled text; otherwise its profile is compiled anew, by name."""
    return text.startswith(f'{{"format":{FORMAT},')


def to_json(profile: Profile) -> str:
    """The canonical text: keys in the order of the key table, names in the profile's own order (it carries meaning)."""
    return json.dumps(profile.data, ensure_ascii=False, separators=(",", ":"))


def profile_id(profile: Profile) -> str:
    """The version that goes into every journal entry: equal exactly for equal profiles, on every machine."""
    return short_hash(to_json(profile))


def flat(profile: Profile) -> dict[str, Any]:
    """Every value under its dotted key, as compiled; members of a named list by name (`ladder.moves.seen-again.to`)."""
    found: dict[str, Any] = {}

    def walk(prefix: str, at: Any) -> None:
        if isinstance(at, list) and at and all(isinstance(each, dict) for each in at):
            at = {each.get("name", str(n)): {k: v for k, v in each.items() if k != "name"} for n, each in enumerate(at)}
        if isinstance(at, dict) and at:
            for key, inner in at.items():
                walk(f"{prefix}.{key}" if prefix else key, inner)
        else:
            found[prefix] = at

    walk("", {key: inner for key, inner in profile.data.items() if key != "format"})
    return found


def diff(a: Profile, b: Profile) -> list[tuple[str, Any, Any]]:
    """What differs, key by key: (key, in a, in b); None where a side has no such key."""
    left, right = flat(a), flat(b)
    keys = [*left, *(key for key in right if key not in left)]
    return [(key, left.get(key), right.get(key)) for key in keys if left.get(key) != right.get(key)]


def changed(profile: Profile, values: Mapping[str, Any]) -> Profile:
    """A copy with some dotted keys set, for backtests and tests. The keys must exist; ranges are not looked at."""
    data: dict[str, Any] = json.loads(to_json(profile))
    for key, new in values.items():
        at: Any = data
        *path, last = key.split(".")
        for step in path:
            at = at.get(step) if isinstance(at, dict) else None
        if not isinstance(at, dict) or last not in at:
            raise ProfileInvalid(f"{key} is not a key of the profile {profile.name}.")
        at[last] = list(new) if isinstance(new, tuple) else new
    return Profile(data)


def kind_named(profile: Profile, word: str) -> str:
    """The kind that a foreign or typed word means, by name or alias; the profile's `other_kind` if none."""
    asked = _folded(word)
    for name, kind in profile.kinds.items():
        if asked == _folded(name) or any(asked == _folded(alias) for alias in kind.aliases):
            return name
    return profile.other_kind


def _folded(word: str) -> str:
    return word.strip().lower().replace(" ", "_").replace("-", "_")


def class_of(profile: Profile, kind: str) -> str:
    """The class of a kind, by name or alias; that of `other_kind` for one the profile does not declare."""
    return profile.kinds[kind_named(profile, kind)].klass


# Tables whose keys are names that the profile chooses stay mappings, in its order. Every other table is a section.
_NAMED = frozenset((
    "kinds", "categories.names", "scopes.keywords", "extract.extractors", "ladder.review_after",
    "rank.six_factor.matrix", "budget.agents", "budget.roles", "page.map", "page.targets",
))  # fmt: skip
_RENAMED = {"class": "klass", "from": "states"}  # words that Python keeps for itself


def _built(path: str, at: Any, data: Mapping[str, Any]) -> Any:
    """A compiled value as its reader wants it: tuples, sections, mappings, and conditions with their numbers."""
    if isinstance(at, list):
        if path == "ladder.moves.when":
            return tuple([_condition(text, data) for text in at])
        return tuple([_built(path, each, data) for each in at]) if at and isinstance(at[0], dict) else tuple(at)
    if not isinstance(at, dict):
        return at
    named = path in _NAMED
    made: dict[str, Any] = {}
    for key, inner in at.items():
        if isinstance(inner, (list, dict)):
            inner = _built(f"{path}.*" if named else f"{path}.{key}", inner, data)
        made[key if named or key not in _RENAMED else _RENAMED[key]] = inner
    return made if named else Section(**made)


def _condition(text: str, data: Mapping[str, Any]) -> Condition:
    """ "seen >= trust.runs", with the number that trust.runs has in this profile."""
    quantity, op, bound = text.split(" ", 2)
    try:
        number = float(bound)
    except ValueError:
        if "." not in bound:
            return Condition(quantity=quantity, op=op, bound=bound)
        at: Any = data
        for step in bound.split("."):
            at = at[step]
        number = float(at)
    return Condition(quantity=quantity, op=op, bound=number)

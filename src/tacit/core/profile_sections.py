"""The sections of a profile, as the type checker sees them: at run time each is a `Section` (core/profile.py), and nothing loads this.

A key is one line here and one in the table of keys (core/profile_keys.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.core.value import value


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

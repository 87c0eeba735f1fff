"""The sections of a profile about what happens to a lesson later: fading, signals, upkeep, pages, health.

As `profile_sections`: for the type checker alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.core.value import value


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

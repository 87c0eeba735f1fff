"""The sections of a profile about what happens to a lesson later: fading, signals, upkeep, pages, health.

As `profile_sections`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tacit.core.profile import CLASSES
from tacit.core.profile_field import fraction, key
from tacit.core.states import STATES
from tacit.core.value import value


@value
class Fade:
    """How a memory that nobody meets loses strength."""

    function: Annotated[str, key("how strength falls: days, runs, exponential, none", slot="fade")]
    runs_step: Annotated[int, key("runs unseen that take one off the frequency", low=1)]
    rate: Annotated[float, key("exponential: strength is exp(-rate x days)")]
    stale_days: Annotated[int, key("unused and older than so many days is stale; 0: nothing is")]
    exposure: Annotated[
        int, key("runs that could have met or used a lesson before its silence counts; 0: days alone decide")
    ]
    stale_factor: Annotated[float, fraction("strength of what is stale")]
    never: Annotated[tuple[str, ...], key("classes that silence cannot touch", choices=CLASSES)]
    never_states: Annotated[tuple[str, ...], key("states that silence cannot touch", choices=STATES)]


@value
class Signals:
    """The origins' own counters and confidence: recorded and shown; used only by the ladders that name them."""

    names: Annotated[tuple[str, ...], key("counters this profile keeps")]
    confidence: Annotated[str, key("how confidence is folded; `none`: it is not kept", slot="confidence")]
    start: Annotated[tuple[float, ...], fraction("confidence with one, two, three pieces of evidence")]
    positive: Annotated[float, key("what a good use adds to it", low=-1.0, high=1.0)]
    negative: Annotated[float, key("what a bad use adds to it", low=-1.0, high=1.0)]
    contradiction: Annotated[float, key("what a contradiction adds to it", low=-1.0, high=1.0)]
    reinstated: Annotated[float, fraction("a review that reinstates a memory lifts its confidence to this at least")]
    echo: Annotated[float, key("what an answer that used it adds to its priority", low=-1.0, high=1.0)]
    fizzle: Annotated[float, key("what an answer that did not use it adds", low=-1.0, high=1.0)]
    echo_share: Annotated[float, fraction("used, if more than this share of its words occur in the answer")]
    echo_phrase: Annotated[int, key("or so many of them in a row", low=1)]
    echo_letters: Annotated[int, key("words of fewer letters do not count", low=1)]
    audits: Annotated[
        tuple[str, ...], key("which audits of uses are recorded", choices=("findings", "echo", "outcome"))
    ]
    audit_overlap: Annotated[
        float, fraction("findings: a finding that holds this share of its words repeats the problem")
    ]


@value
class Tend:
    """What happens between runs."""

    when: Annotated[
        tuple[str, ...], key("when tending is due", choices=("after_run", "session_start", "daily", "weekly"))
    ]
    least: Annotated[int, key("a pass changes so many memories at most, or")]
    share: Annotated[float, fraction("this share of the active ones, if that is more; the surplus becomes a proposal")]
    merge_threshold: Annotated[float, fraction("two memories this alike are merged")]
    candidate_days: Annotated[int, key("a candidate not met for so many days is a one-off", low=1)]
    prune_days: Annotated[int, key("what is stale and older than so many days may be pruned", low=1)]
    archive_days: Annotated[int, key("what decayed so many days ago is archived", low=1)]


@value
class Reflect:
    """How observations are condensed into proposals."""

    lookback_days: Annotated[int, key("observations of so many days are condensed", low=1)]
    max_chars: Annotated[int, key("and so many characters of them", low=1)]
    shorter: Annotated[bool, key("the result must be shorter than what it condenses")]
    retries: Annotated[tuple[float, ...], fraction("if it is not: try again with this share of the length")]


@value
class Triage:
    """Who decides a proposal: rules, then a model, then a person."""

    tiers: Annotated[
        tuple[str, ...], key("who decides a proposal, in this order", choices=("rules", "model", "person"))
    ]
    rules: Annotated[str, key("the rules of tier 1", slot="triage")]
    prefixes: Annotated[
        tuple[str, ...], key("a proposal that begins so is an instruction to an editor, not a fact: rejected")
    ]
    opinions: Annotated[tuple[str, ...], key("words of an opinion: never promoted by rule")]
    promote_sections: Annotated[tuple[str, ...], key("only into these sections by rule")]
    promote_needs: Annotated[tuple[str, ...], key("and only with all of these", choices=("date", "reference"))]
    threshold: Annotated[float, fraction("this alike to a line or another proposal is a duplicate")]
    compare_chars: Annotated[int, key("so many characters are compared; 0: all")]
    batch: Annotated[int, key("proposals in one question to the model", low=1)]
    checked: Annotated[
        int, key("of so many decisions of a tier a person makes one, so that the tier is measured; 0: none")
    ]
    expire_days: Annotated[int, key("an undecided proposal expires after so many days", low=1)]
    watch: Annotated[int, key("so many last decisions of a tier are compared with people and outcomes", low=1)]
    lose: Annotated[float, fraction("below this agreement it decides no more")]
    regain: Annotated[float, fraction("from this agreement on it does again")]


@value
class Page:
    """The file that the host loads by itself."""

    target: Annotated[str, key("the file, relative to the project")]
    targets: Annotated[
        Mapping[str, str],
        key(
            "how this file, or this folder of files, is kept once a person asks for it",
            choices=("file", "block", "paths", "globs", "agents"),
        ),
    ]
    title: Annotated[str, key("the page's heading")]
    max_lines: Annotated[int, key("lines at most", low=1)]
    max_bytes: Annotated[int, key("bytes at most", low=1)]
    sections: Annotated[tuple[str, ...], key("its sections, in order")]
    inbox: Annotated[str, key("the section of what the map does not name")]
    map: Annotated[Mapping[str, str], key("the section of this kind or category")]
    line: Annotated[str, key("one line; quotes {text} {title} {date} {id} {kind}")]
    states: Annotated[
        tuple[str, ...], key("states that may stand there, beside what is pinned or exempt", choices=STATES)
    ]
    ask_above: Annotated[int, key("more vanished lines at once are asked about")]


@value
class ModelUse:
    """Which steps may ask a model; which model, and where, is the user's configuration, never a profile's."""

    steps: Annotated[
        tuple[str, ...],
        key(
            "steps that may ask a model, if the user has named one",
            choices=("extract", "read", "gate", "rewrite", "same", "triage", "reflect"),
        ),
    ]
    timeout_s: Annotated[float, key("seconds a model may take", low=0.1)]


@value
class Learn:
    """When a run is over, and what a lesson that was sent away may still do."""

    settle_hours: Annotated[float, key("hours without growth that count as quiet", low=0.1)]
    resurrect_runs: Annotated[int, key("further runs after which a lesson that was sent away is proposed again", low=1)]


@value
class Health:
    """Shares at which `doctor` and `stats` raise their voice."""

    fallback: Annotated[float, fraction("more gate decisions by fallback are a fault")]
    stale: Annotated[float, fraction("more stale memories are a fault")]
    uncategorised: Annotated[float, fraction("more memories without a category are a fault")]
    backlog: Annotated[int, key("more waiting proposals are a fault")]

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
    stale_days: Annotated[int, key("unused and older than so many days is stale; 0: nothing is")]
    exposure: Annotated[
        int,
        key(
            "runs that could have met or used a lesson before its silence counts; 0: days alone decide"
        ),
    ]
    never: Annotated[tuple[str, ...], key("classes that silence cannot touch", choices=CLASSES)]
    never_states: Annotated[
        tuple[str, ...], key("states that silence cannot touch", choices=STATES)
    ]


@value
class Signals:
    """The origins' own counters and confidence: recorded and shown; used only by the ladders that name them."""

    names: Annotated[tuple[str, ...], key("counters this profile keeps")]
    confidence: Annotated[
        str, key("how confidence is folded; `none`: it is not kept", slot="confidence")
    ]
    audits: Annotated[
        tuple[str, ...],
        key("which audits of uses are recorded", choices=("findings", "echo", "outcome")),
    ]


@value
class Tend:
    """What happens between runs."""

    when: Annotated[
        tuple[str, ...],
        key("when tending is due", choices=("after_run", "session_start", "daily", "weekly")),
    ]
    prune_days: Annotated[
        int, key("what is stale and older than so many days may be pruned", low=1)
    ]


@value
class Triage:
    """Who decides a proposal: rules, then a model, then a person."""

    rules: Annotated[str, key("the rules of tier 1", slot="triage")]
    promote_sections: Annotated[tuple[str, ...], key("only into these sections by rule")]
    promote_needs: Annotated[
        tuple[str, ...], key("and only with all of these", choices=("date", "reference"))
    ]
    threshold: Annotated[float, fraction("this alike to a line or another proposal is a duplicate")]
    checked: Annotated[
        int,
        key(
            "of so many decisions of a tier a person makes one, so that the tier is measured; 0: none"
        ),
    ]
    expire_days: Annotated[int, key("an undecided proposal expires after so many days", low=1)]


@value
class Page:
    """The file that the host loads by itself."""

    target: Annotated[str, key("the file, relative to the project")]
    targets: Annotated[
        Mapping[str, str],
        key(
            "how this file, or this folder of files, is kept once a person asks for it",
            choices=("file", "block", "agents"),
        ),
    ]
    title: Annotated[str, key("the page's heading")]
    max_lines: Annotated[int, key("lines at most", low=1)]
    sections: Annotated[tuple[str, ...], key("its sections, in order")]
    map: Annotated[Mapping[str, str], key("the section of this kind or category")]
    line: Annotated[str, key("one line; quotes {text} {title} {date} {id} {kind}")]
    states: Annotated[
        tuple[str, ...],
        key("states that may stand there, beside what is pinned or exempt", choices=STATES),
    ]


@value
class ModelUse:
    """Which steps may ask a model; which model, and where, is the user's configuration, never a profile's."""

    steps: Annotated[
        tuple[str, ...],
        key(
            "steps that may ask a model, if the user has named one",
            # "same" asks nobody any more; profiles of before name it
            choices=("extract", "read", "gate", "rewrite", "same", "triage", "reflect"),
        ),
    ]
    timeout_s: Annotated[float, key("seconds a model may take", low=0.1)]


@value
class Learn:
    """When a run is over, and what a lesson that was sent away may still do."""

    settle_hours: Annotated[float, key("hours without growth that count as quiet", low=0.1)]


@value
class Health:
    """Shares at which `doctor` raises its voice."""

    uncategorised: Annotated[float, fraction("more memories without a category are a fault")]

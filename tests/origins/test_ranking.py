"""The origins' rankers, to the digit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core.profile import Profile
from tacit.hooks.events import Query
from tacit.lesson import Lesson, Tally
from tacit.origins import named
from tacit.origins.geas.rules import Geas
from tacit.origins.ranked import Candidate, Facts, Ranked, asked, ordered
from tacit.origins.ranking import decayed

Make = Callable[..., Lesson]
MARCH = "2026-03-10T12:00:00.000Z"
FEBRUARY = "2026-02-03T10:30:00Z"
ANYTHING = Query(task="x")


def rank(
    name: str, profile: Profile, memories: list[Lesson], query: Query = ANYTHING, **facts: Any
) -> list[Ranked]:
    hits = [Candidate(memory, "", n) for n, memory in enumerate(memories)]
    return ordered(name, hits, asked(query), profile, Facts(**{"now": MARCH, **facts}))


def learning(
    make: Make, confidence: float, success: float, task_type: str, updated_at: str, **fields: Any
) -> Lesson:
    tally = Tally(
        confidence=confidence, signals={"success_rate": success}, uses=fields.pop("uses", 1)
    )
    return make(
        kind=fields.pop("kind", "strategy"),
        task_type=task_type,
        updated_at=updated_at,
        tally=tally,
        **fields,
    )


@pytest.mark.parametrize(
    ("confidence", "success", "task_type", "updated_at", "score"),
    [
        (
            0.8,
            0.75,
            "test-fix",
            "2026-01-24T10:30:00.000Z",
            0.858888888888889,
        ),  # the document's learning A
        (0.9, 0.85, "feature", "2025-12-05T10:30:00.000Z", 0.5633333333333334),  # and B
        (0.6, 0.7, "feature", "2025-11-04T10:30:00.000Z", 0.38),  # older than ninety days
        (1.0, 1.0, "test-fix", FEBRUARY, 1.0),
    ],
)
def test_ralphs_relevance(
    make: Make, confidence: float, success: float, task_type: str, updated_at: str, score: float
) -> None:
    """Confidence, task type, success and recency; the type of the task told from its text."""
    memory = learning(make, confidence, success, task_type, updated_at)
    (found,) = rank(
        "relevance", named("ralph"), [memory], Query(task="Fix failing tests"), now=FEBRUARY
    )
    assert found.score == pytest.approx(score, abs=1e-9)


def test_ralph_lifts_what_names_the_error(make: Make) -> None:
    """Three tenths for each pattern that the text of an anti-pattern holds."""
    plain = learning(
        make, 0.7, 0.0, "test-fix", FEBRUARY, kind="antipattern", text="Avoid: Syntax errors"
    )
    names_it = learning(
        make, 0.5, 0.0, "test-fix", FEBRUARY, kind="antipattern", text="Avoid: Timeout errors"
    )
    query = Query(task="Fix tests", errors=("timeout",))
    found = rank("relevance", named("ralph"), [plain, names_it], query, now=FEBRUARY)
    assert [each.memory.id for each in found] == [names_it.id, plain.id]
    assert found[0].parts["errors"] == 0.3


@pytest.mark.parametrize(
    ("raw", "created_at", "fields", "score"),
    [
        (0.6, "2026-03-09T12:00:00.000Z", {}, 0.5940299002495009),
        (0.9, "2025-11-10T12:00:00.000Z", {}, 0.2710747907209819),
        (0.5, MARCH, {"tally": Tally(signals={"priority": 1, "recalls": 50})}, 0.7106479843289891),
        (0.6, MARCH, {"tally": Tally(signals={"priority": -1})}, 0.51),
        (0.6, MARCH, {"tally": Tally(signals={"priority": -7})}, 0.51),
        (0.5, "2026-03-30T12:00:00.000Z", {}, 0.5),  # a time to come is not boosted
        (0.4, "", {}, 0.4),  # no time counts as now
        (0.8, "2026-02-28T12:00:00.000Z", {"stale_at": MARCH}, 0.36193496721438384),
    ],
)
def test_joelclaws_decay(
    make: Make, raw: float, created_at: str, fields: dict[str, Any], score: float
) -> None:
    """Raw × exp(−.01 × days) × use, stale halved."""
    memory = make(created_at=created_at, **fields)
    assert decayed(Candidate(memory), raw, MARCH).score == pytest.approx(score, abs=1e-9)


def test_geas_weighs_six_factors(make: Make) -> None:
    """Scope, paths, role, freshness, confidence, reuse, less contradictions; risk on top."""
    geas = named("geas")
    memory = make(
        kind="risk_pattern",
        scope="mission",
        agent="tester",
        paths=("a.py", "b.py"),
        created_at=MARCH,
        tally=Tally(
            confidence=0.8, contradicted=1, signals={"successful_reuse": 3, "failed_reuse": 1}
        ),
    )
    query = Query(mission="M1", agent="tester", files=("a.py", "c.py"), risk="critical")
    (found,) = rank("six_factor", geas, [memory], query)
    assert found.parts == pytest.approx(
        {
            "scope": 0.25 * 1.0,
            "path": 0.20 * 0.5,
            "role": 0.15,
            "freshness": 0.15,
            "confidence": 0.08,
            "reuse": 0.10 * 0.75,
            "contradictions": -0.05,
            "risk": 0.10,
        }
    )
    assert found.score == pytest.approx(0.855) and found.caution


def test_geas_breaks_ties_by_confidence_and_confirmation(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of equal scores the surer, then the later confirmed."""
    monkeypatch.setitem(Geas.SIX, "confidence", 0.0)
    unsure = make(tally=Tally(confidence=0.5, seen_at="2026-03-02"))
    early = make(tally=Tally(confidence=0.9, seen_at="2026-03-01"))
    late = make(tally=Tally(confidence=0.9, seen_at="2026-03-02"))
    found = rank("six_factor", named("geas"), [unsure, early, late])
    assert [each.memory.id for each in found] == [late.id, early.id, unsure.id]


def test_archeflow_goes_by_the_fading_count(make: Make) -> None:
    """What runs without it took off counts."""
    faded = make(tally=Tally(seen=9, signals={"frequency": 2.0}))
    steady = make(tally=Tally(seen=3))
    found = rank("frequency", named("archeflow"), [faded, steady])
    assert [(each.memory.id, each.score) for each in found] == [(steady.id, 3.0), (faded.id, 2.0)]


@pytest.mark.parametrize(
    ("confidence", "contradicted", "caution"), [(0.0, 0, False), (-0.01, 0, True), (0.1, 1, True)]
)
def test_geas_gives_what_is_weak_or_contradicted_with_caution(
    make: Make, confidence: float, contradicted: int, caution: bool
) -> None:
    """At the bar it is not weak yet."""
    geas = named("geas")
    memory = make(
        scope="mission",
        created_at=MARCH,
        tally=Tally(confidence=Geas.CAUTION_BELOW + confidence, contradicted=contradicted),
    )
    (found,) = rank("six_factor", geas, [memory], Query(mission="M1"))
    assert found.caution is caution

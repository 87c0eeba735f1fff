"""What is put first, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core.profile import with_values
from tacit.core.states import barred
from tacit.hooks.events import Query
from tacit.lesson import Lesson, Tally
from tacit.origins import named
from tacit.origins.ranked import Candidate, Facts, asked, ranking

NOW = "2026-11-15T12:00:00.000Z"
DEFAULT = named("default")
Make = Callable[..., Lesson]


def test_one_line_for_each_signature(make: Make) -> None:
    """Of two lessons about one error, the better; the other is named as left out."""
    once, often = (
        make("retry it", signature="E: <q>", tally=Tally(seen=2)),
        make("wait", signature="E: <q>", tally=Tally(seen=7)),
    )
    hits = [Candidate(once, "before", 1), Candidate(often, "before", 2)]
    found = ranking(hits, asked(Query()), DEFAULT, Facts(NOW))
    assert [each.memory.id for each in found.ranked] == [often.id]
    assert [(each.id, each.reason) for each in found.left] == [(once.id, "same signature")]


def test_what_a_person_ordered_needs_no_fitting_words(make: Make) -> None:
    """Standing lessons pass the floor at the start of a run."""
    memory = make("Answer in German.", kind="preference", klass="preference")
    found = ranking(
        [Candidate(memory, "standing")],
        asked(Query(task="queue")),
        DEFAULT,
        Facts(NOW),
    )
    assert [each.memory.id for each in found.ranked] == [memory.id]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"project": "other"}, "another project"),
        ({"state": "waiting"}, "waiting"),
        ({"state": "doubted"}, "doubted"),
        ({"state": "gone"}, "gone"),
        ({"gate": "hold"}, "hold"),
        ({"gate": "quarantine"}, "quarantine"),
        ({"gate": "discard"}, "discard"),
        ({"verdict": "harms"}, "verdict harms"),
        ({"verdict": "no difference"}, ""),
        ({"superseded_by": "m2"}, "replaced"),
        ({"text": " "}, "empty"),
        ({"pinned": True}, ""),
        ({"verdict": "helps"}, ""),
    ],
)
def test_what_may_never_be_given(make: Make, fields: dict[str, Any], reason: str) -> None:
    """The last wall before every prompt."""
    assert barred(make(**fields), ("p", "@global", "@agent")) == reason


@pytest.mark.parametrize(
    ("fields", "query", "keys", "reason"),
    [
        ({"category": "a"}, {"category": "b"}, {}, "other category"),
        ({"kind": "fix", "klass": "fix"}, {"kind": "pitfall"}, {}, "other kind"),
        ({"text": "short"}, {}, {"rank.min_chars": 12}, "too short"),
        ({"stale_at": NOW}, {}, {"rank.drop_stale": True}, "stale"),
        (
            {"created_at": "2026-01-01T00:00:00.000Z"},
            {},
            {"rank.drop_stale": True},
            "never recalled",
        ),
        (
            {"created_at": "2026-01-01T00:00:00.000Z", "tally": Tally(uses=1)},
            {},
            {"rank.drop_stale": True},
            "",
        ),
        ({"agent": "writer"}, {"agent": "tester"}, {}, "other agent"),
        ({"agent": "writer"}, {}, {}, ""),
        ({"domain": "writing"}, {"domain": "code"}, {"rank.by_domain": True}, "other domain"),
        ({"domain": "general"}, {"domain": "code"}, {"rank.by_domain": True}, ""),
        (
            {"kind": "estimate", "task_type": "feature"},
            {"task": "fix the tests"},
            {},
            "other task type",
        ),
        ({"kind": "estimate", "task_type": "test-fix"}, {"task": "fix the tests"}, {}, ""),
        (
            {"tally": Tally(confidence=0.4)},
            {},
            {"kinds.pitfall.min_confidence": 0.5},
            "confidence too low",
        ),
        (
            {"tally": Tally(signals={"success_rate": 0.5})},
            {},
            {"kinds.pitfall.min_success": 0.6},
            "success rate too low",
        ),
        ({"tally": Tally(seen=1)}, {}, {"rank.min_frequency": 2}, "seen too rarely"),
    ],
)
def test_what_is_not_for_this_query(
    make: Make, fields: dict[str, Any], query: dict[str, Any], keys: dict[str, Any], reason: str
) -> None:
    """Filters of the query and of the profile, each with its reason."""
    profile = with_values(DEFAULT, keys)
    memory = make(**fields)
    found = ranking([Candidate(memory, "standing")], asked(Query(**query)), profile, Facts(NOW))
    assert [each.reason for each in found.left] == ([reason] if reason else [])

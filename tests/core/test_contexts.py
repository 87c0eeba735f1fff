"""What was told belongs to a context: the main one, each sub-agent, each of these anew after a compaction."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core.links import COMPACTED, Telling, Use, assigned_in
from tacit.core.run import Finding, Run, Step
from tacit.learn.settle import Seen, outcome_of
from tacit.lesson import Lesson

AT = [f"2026-11-15T12:{n:02}:00.000Z" for n in range(60)]
STORY = (
    Telling("", AT[1], "hook:session-start", ("a", "b"), ("w",)),
    Telling("sub1", AT[2], "hook:subagent-start", ("b",), ("w",)),
    Telling("", AT[5], COMPACTED, ("b",)),
    Telling("", AT[7], "hook:prompt", ("c",)),
)


def test_an_assignment_holds_until_a_compaction_drops_it() -> None:
    """Given and withheld alike: the arm decides nothing."""
    assert assigned_in(STORY, "a") == {"": ((AT[1], AT[5]),)}
    assert assigned_in(STORY, "b") == {"": ((AT[1], ""),), "sub1": ((AT[2], ""),)}
    assert assigned_in(STORY, "w") == {"": ((AT[1], AT[5]),), "sub1": ((AT[2], ""),)}
    assert assigned_in(STORY, "z") == {}


MAIN_STEP, SUB_STEP = (
    Step("tool", "line:9", tool="Bash", error="no"),
    Step("tool", "subagents/x:3", tool="Bash", error="no", context="sub1"),
)
RUN = Run("r", "claude-code", steps=(MAIN_STEP, SUB_STEP), complete=True)
MEMORY = Lesson(
    id="a", project="p", text="t", state="active", kind="fix", klass="fix", trust="observed"
)


@pytest.mark.parametrize("arm", ["injected", "withheld"])
@pytest.mark.parametrize(
    ("tellings", "place", "at", "expected"),
    [
        ([("", AT[1])], "line:9", AT[3], "occurred"),
        ([("", AT[1])], "subagents/x:3", AT[3], "not_occurred"),  # only the parent was told
        ([("sub1", AT[1])], "subagents/x:3", AT[3], "occurred"),
        ([("sub1", AT[1])], "line:9", AT[3], "not_occurred"),
        ([("sub1", AT[4])], "subagents/x:3", AT[3], "not_occurred"),  # it was told only then
        ([], "subagents/x:3", AT[3], "occurred"),  # no hook: the unit is one context
    ],
)
def test_a_problem_where_nobody_was_told_is_not_the_lessons(
    arm: str, tellings: Any, place: str, at: str, expected: str
) -> None:
    """And the answer is the same in both arms."""
    told = [
        Telling(context, when, "hook:x", *((("a",), ()) if arm == "injected" else ((), ("a",))))
        for context, when in tellings
    ]
    use = Use("a", "u", "p", "u", "a", arm, 0.3, at=AT[0])
    seen = [Seen(Finding("r", place, "t", tier="observed", at=at), frozenset("a"))]
    assert outcome_of(use, MEMORY, RUN, seen, over=True, now=AT[9], tellings=told).value == expected

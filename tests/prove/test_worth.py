"""What was spared, in words for people: never more than the verdict says, and why the rest cannot be told."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core.links import Mark, Use
from tacit.core.memory import Memory
from tacit.prove.worth import heard, heard_lines, may_be_said, untold_lines, why_untold, worth, worth_line
from tacit.trial.effect import HELPS, NOT_YET_KNOWN, Verdict
from tacit.trial.overall import Whole
from tacit.trial.run_outcomes import UnitFacts


def whole(word: str, per_run: float = -0.5, low: float = -0.8, high: float = -0.2) -> Whole:
    return Whole(per_run, low, high, 2.0, 100, Verdict(word, 1.0, 1.0, 1.0, 1.0, ""))


def test_what_was_spared_is_told_in_calls_minutes_tokens_and_money() -> None:
    """A loss of one is eight calls; what a call takes is this project's own."""
    units = [UnitFacts(False, "success", 20_000, 40, usd=0.8)]
    found = worth(whole(HELPS), 30.0, units)
    assert found is not None
    assert found.calls == (400.0, 160.0, 640.0) and found.minutes == (200.0, 80.0, 320.0)
    assert found.tokens == (200_000.0, 80_000.0, 320_000.0) and found.usd == pytest.approx((8.0, 3.2, 12.8))
    assert worth_line(found) == "Spared about 400 calls of agents (160 to 640): 200 min, 200,000 tokens, 8 dollars, over 100 runs with a control group."


def test_what_is_not_yet_known_is_a_span_and_no_claim() -> None:
    """Nothing is said to be spared."""
    told = worth_line(worth(whole(NOT_YET_KNOWN, -0.1, -0.8, 0.6), None, []))
    assert told.startswith("Spared between -480 and +640 calls of agents, not yet known which") and "about" not in told
    assert "cannot be told yet" in worth_line(None)


def memory(id: str, **fields: Any) -> Memory:
    return Memory(id, "p", id, "rule", "rule", trust="user", **fields)


def test_a_persons_words_are_the_first_figure() -> None:
    """Exempt ones are followed, those with a coin compared; withheld units are not among the given."""
    uses, marks = [], []
    for n in range(20):
        arm, h = ("exempt", 0.0) if n < 10 else ("withheld", 0.1) if n < 14 else ("injected", 0.1)
        name = "said" if n < 10 else "heard"
        uses.append(Use(name, f"u{n}", "p", f"u{n}", name, arm, h, at="2026"))
        back = n in (0, 1, 10, 11, 12)
        marks.append(Mark(name, f"u{n}", "p", "outcome", "occurred" if back else "not_occurred", at="2026"))
    known = {"said": memory("said"), "heard": memory("heard", extra={"word": "said"}), "other": Memory("other", "p", "t", "fact", "fact")}
    found = heard(known, uses, marks, 0.05, 0.1)
    assert found is not None
    assert (found.lessons, found.given, found.came_back, found.followed) == (2, 16, 2, (("said", 10, 2),))
    assert [row.cells for row in found.table.values()] == [(0, 6, 3, 1)]
    first, second, third = heard_lines(found)
    assert first == "Your own words: 2 lessons, given in 16 runs, came back in 2."
    assert "Injected: 0 times in 6 runs. Withheld: 3 in 4." in second and third == "  not followed 2 of 10 times: said"
    assert heard({"other": known["other"]}, uses, marks, 0.05, 0.1) is None


def test_why_it_cannot_be_told_comes_with_what_to_do() -> None:
    """The last word of each unit counts; the commonest reason first."""
    marks = [Mark("m", f"u{n}", "p", "outcome", "unknown", reason="the run held no review") for n in range(3)]
    marks += [Mark("m", "u2", "p", "outcome", "occurred", reason="seen"), Mark("m", "u9", "p", "outcome", "unknown", reason="no finished run within 7 days")]
    reasons = why_untold(marks)
    assert reasons == {"the run held no review": 2, "no finished run within 7 days": 1}
    assert "connect HOST --read" in untold_lines(reasons)[0] and "tacit worker" in untold_lines(reasons)[1]


def test_what_so_many_runs_can_tell() -> None:
    """Nothing, an order, a claim."""
    assert "nothing is claimed" in may_be_said(19, 5) and "two thirds" in may_be_said(20, 5) and "of 8 on trial about 0.4" in may_be_said(60, 8)

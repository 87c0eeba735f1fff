"""What was spared, in words for people: never more than the verdict says, and why the rest cannot be told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tacit.app import open as open_memories
from tacit.core.links import Mark, Use
from tacit.core.memory import Memory
from tacit.prove.followed import followed
from tacit.prove.worth import (
    heard,
    heard_lines,
    may_be_said,
    untold_lines,
    why_untold,
    worth,
    worth_line,
)
from tacit.trial.effect import HELPS, NOT_YET_KNOWN, Verdict
from tacit.trial.overall import Whole
from tacit.trial.run_outcomes import PRICED_ON, PRICES, SOURCES, UnitFacts, dollars


def whole(word: str, per_run: float = -0.5, low: float = -0.8, high: float = -0.2) -> Whole:
    calls = (-800 * per_run, -800 * high, -800 * low)
    return Whole(
        per_run, low, high, 2.0, 140, Verdict(word, 1.0, 1.0, 1.0, 1.0, ""), 100, None, calls
    )


def test_what_was_spared_is_told_in_calls_minutes_tokens_and_money() -> None:
    """A loss of one is eight calls; what a call takes is this project's own."""
    units = [UnitFacts("success", 20_000, 400, usd=0.8, calls=40, cached=400_000)]
    found = worth(whole(HELPS), 30.0, units)
    assert found is not None
    assert found.calls == (400.0, 160.0, 640.0) and found.minutes == (200.0, 80.0, 320.0)
    assert found.tokens == (200_000.0, 80_000.0, 320_000.0) and found.usd == pytest.approx(
        (8.0, 3.2, 12.8)
    )
    assert (
        worth_line(found)
        == "Spared about 400 calls of agents (160 to 640): 200 min, 200,000 tokens, 4,000,000 tokens read from the cache,"
        f" 8 dollars at the prices of {PRICED_ON}, over 100 sessions that were given them."
    )


def test_what_is_not_yet_known_is_a_span_and_no_claim() -> None:
    """Nothing is said to be spared."""
    open_ = whole(NOT_YET_KNOWN, -0.1, -0.8, 0.6)
    assert worth_line(worth(open_, None, [])) == worth_line(None) == ""
    assert open_.sentence == (
        "Not yet known whether your lessons help: in 100 sessions that were given them between 60 more and 80 fewer failures happened than without."
    )


def test_money_is_told_from_a_dated_table_or_not_at_all() -> None:
    """What the host says first; then the price of exactly this model, cache at its own."""
    used = {"input": 1_000_000, "output": 100_000, "cache_read": 10_000_000, "cache_write": 0}
    assert dollars("us.anthropic.claude-sonnet-4-5-20250929-v1:0", used) == pytest.approx(
        3.0 + 1.5 + 3.0
    )
    assert dollars("claude-sonnet-4-5", {**used, "usd": 2.0}) == 2.0
    assert (
        dollars("claude-sonnet-9", used) is None
        and dollars("", used) is None
        and dollars("gpt-5-codex", {}) is None
    )


def test_a_price_that_nobody_read_is_none() -> None:
    """Every row names where and when it was read; a run with tokens of a kind without a price has no dollars, one without them has."""
    assert {source for source, *_ in PRICES.values()} == {*SOURCES}
    assert min(day for day, _ in SOURCES.values()) == PRICED_ON
    assert dollars("gpt-5-codex", {"input": 1_000_000, "cache_read": 1_000_000}) == pytest.approx(
        1.375
    )
    assert dollars("gpt-5-codex", {"input": 1_000_000, "cache_write": 1}) is None


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
        marks.append(
            Mark(name, f"u{n}", "p", "outcome", "occurred" if back else "not_occurred", at="2026")
        )
    known = {
        "said": memory("said"),
        "heard": memory("heard", extra={"word": "said"}),
        "other": Memory("other", "p", "t", "fact", "fact"),
    }
    said = followed("said", uses, marks)
    found = heard(known, uses, marks, 0.05, 0.1, [said] if said else [])
    assert found is not None
    assert (found.lessons, found.given, found.came_back, found.followed) == (2, 16, 2, (said,))
    assert [row.cells for row in found.table.values()] == [(0, 6, 3, 1)]
    first, second, third = heard_lines(found)
    assert first == "Your own words: 2 lessons, given 16 times, came back 2 times (12%)."
    assert second == (
        "They came back, where the coin gave them, 0 of 6 times; where it left them out, 3 of 4: helps."
    )
    assert third == "Not followed in 2 of 10 sessions: said"
    assert heard({"other": known["other"]}, uses, marks, 0.05, 0.1) is None


def test_why_it_cannot_be_told_comes_with_what_to_do() -> None:
    """The last word of each unit counts; the commonest reason first."""
    marks = [
        Mark("m", f"u{n}", "p", "outcome", "unknown", reason="the run held no review")
        for n in range(3)
    ]
    marks += [
        Mark("m", "u2", "p", "outcome", "occurred", reason="seen"),
        Mark("m", "u9", "p", "outcome", "unknown", reason="no finished run within 7 days"),
    ]
    reasons = why_untold(marks)
    assert reasons == {"the run held no review": 2, "no finished run within 7 days": 1}
    assert (
        "connect HOST --read" in untold_lines(reasons)[0]
        and "tacit worker" in untold_lines(reasons)[1]
    )


def test_what_so_many_runs_can_tell() -> None:
    """Nothing, an order, a claim."""
    assert "nothing is claimed" in may_be_said(19, 5)
    assert "A verdict is rare" in may_be_said(20, 5)
    assert "Of 8 on trial about 0.4" in may_be_said(60, 8)


@pytest.fixture
def said(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a command prints, in this process."""
    from tacit.cli import main

    monkeypatch.chdir(folder)

    def answer(*args: str) -> str:
        main(list(args))
        return capsys.readouterr().out

    return answer


def test_a_replay_is_told_beside_the_control_group(
    said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the lesson that was replayed, in effect and why."""
    from tacit.app import Memories
    from tacit.replay import Replay
    from tacit.replay.bets import settled_verdict
    from tacit.replay.plan import spent_on
    from tacit.replay.words import sentence

    with open_memories() as memories:
        lesson = memories.add("Pull in the latest main before new work.", kind="preference").id
    helped, at = settled_verdict([-1.0] * 12), "2026-03-04T01:00:00.000Z"
    found = Replay("rp1", "", lesson, "t", "check", 12, (), helped, spent_on([]), "", 0, at)
    monkeypatch.setattr(Memories, "replays", lambda self, id="": [found], raising=False)
    told = sentence(found)
    assert "Helps" in told
    for answer in (said("effect", lesson), said("effect"), said("why", lesson)):
        assert "on 2026-03-04:" in answer and told in " ".join(answer.split())

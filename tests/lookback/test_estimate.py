"""What a reading would bring and cost: the guess that stands on every first screen."""

from __future__ import annotations

import pytest

from tacit.lookback.estimate import UnreadSession, in_order, reading_estimate, within

# What kept readings of five development projects came to: typed messages and steps of its sessions in short, and new lessons of them.
# (sessions by typed messages, new lessons that the kept reading brought)
KEPT = {
    "cipher-box": ({1: 4, 2: 4, 3: 6, 4: 4, 7: 4, 11: 7, 25: 2}, 180),
    "mise": ({1: 6, 2: 18, 3: 14, 4: 8, 7: 8, 11: 5, 25: 3}, 254),
    "cc-backend": ({1: 32, 2: 14, 3: 9, 4: 8}, 114),
    "git-sync": ({1: 8, 2: 6, 3: 3, 4: 9, 7: 9, 11: 10, 32: 16}, 297),
    "context-evaluator": ({1: 57, 2: 21, 3: 5, 4: 5, 6: 1}, 132),
}


@pytest.mark.parametrize("project", KEPT)
def test_lessons_are_guessed_within_forty_per_cent(project: str) -> None:
    """Against what a careful reader's answers brought, session after session."""
    sizes, brought = KEPT[project]
    past = [UnreadSession("s", "claude-code", typed, 50) for typed, n in sizes.items() for _ in range(n)]
    assert 0.6 * brought <= reading_estimate(past).lessons <= 1.4 * brought


def test_most_typed_comes_first_and_the_cap_holds() -> None:
    """Of as much the latest; and one session is always read."""
    past = [UnreadSession(f"s{n}", "claude-code", n % 3 + 1, 100 * n, f"2026-01-0{n + 1}") for n in range(6)]
    assert [each.run for each in in_order(past)] == ["s5", "s2", "s4", "s1", "s3", "s0"]
    kept = within(in_order(past), 0.08)
    assert 1 < len(kept) < 6 and reading_estimate(kept).usd <= 0.08
    assert len(within(past, 0.0)) == 1

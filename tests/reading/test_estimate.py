"""What a reading would bring and cost: the guess that stands on every first screen."""

from __future__ import annotations

import pytest

from tacit.core.value import replace
from tacit.reading.estimate import UnreadSession, in_order, reading_estimate, within

# Five development projects: typed messages and steps of their sessions in short, how many of each, and the lessons of the kept readings.
KEPT = {
    "cipher-box": ({(1, 82): 4, (2, 97): 4, (4, 137): 12, (9, 136): 9, (22, 276): 2}, 146),
    "mise": ({(1, 132): 6, (2, 72): 18, (3, 135): 22, (8, 296): 13, (16, 383): 3}, 281),
    "cc-backend": ({(1, 22): 32, (2, 44): 16, (4, 68): 15}, 134),
    "git-sync": ({(1, 18): 8, (2, 26): 6, (4, 130): 12, (9, 189): 16, (26, 412): 19}, 333),
    "context-evaluator": ({(1, 41): 58, (2, 72): 20, (4, 84): 10, (6, 192): 1}, 292),
}


@pytest.mark.parametrize("project", KEPT)
def test_lessons_are_guessed_within_forty_per_cent(project: str) -> None:
    """Against what a careful reader's answers brought, session after session."""
    sizes, brought = KEPT[project]
    past = [UnreadSession("s", "claude-code", *size) for size, n in sizes.items() for _ in range(n)]
    assert 0.6 * brought <= reading_estimate(past).lessons <= 1.4 * brought


def test_most_typed_comes_first_and_the_cap_holds() -> None:
    """Of as much the latest; and one session is always read."""
    past = [
        UnreadSession(f"s{n}", "claude-code", n % 3 + 1, 100 * n, f"2026-01-0{n + 1}")
        for n in range(6)
    ]
    assert [each.run for each in in_order(past)] == ["s5", "s2", "s4", "s1", "s3", "s0"]
    here = [replace(each, here=each.run == "s0") for each in past]
    assert in_order(here)[0].run == "s0"  # of the project that one stands in
    both = [
        UnreadSession(f"{'h' if n % 2 else 'o'}{n}", "claude-code", n, 10, here=bool(n % 2))
        for n in range(24)
    ]
    runs = [each.run for each in in_order(both)]  # after some of it the others have their turn
    assert [run[0] for run in runs[:5]] == [*"hhhho"] and len({*runs}) == 24
    assert runs[4:8] == ["o22", "h15", "o20", "h13"]
    kept = within(in_order(past), 0.08)
    assert 1 < len(kept) < 6 and reading_estimate(kept).usd <= 0.08
    assert len(within(past, 0.0)) == 1

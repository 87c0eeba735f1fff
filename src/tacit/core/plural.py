"""A number and what it counts, as one says it."""

from __future__ import annotations


def many_of(one: str) -> str:
    """lessons, memories, days."""
    return f"{one[:-1]}ies" if one.endswith("y") and one[-2:-1] not in tuple("aeiou") else f"{one}s"


def numbered(n: int, one: str, many: str = "") -> str:
    """1 session, 2 sessions, 12,000 sessions."""
    return f"{n:,} {one if n == 1 else many or many_of(one)}"

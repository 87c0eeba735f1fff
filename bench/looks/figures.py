"""Counts of the looks: what was asked, what the check struck, what a start would be told, and the price."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.looks.walk import LOOKS, Step, left, place_of, walk

from tacit.hooks import select
from tacit.hooks.render import frame_of_notes
from tacit.reading.asked import Item
from tacit.reading.habits import by_weight

ALL = (*LOOKS, "tidy", "instructions")


def answered(data: Path, project: str, look: str, out: Path) -> list[Step]:
    """The steps that have an answer."""
    if not (out / project / look).exists():
        return []
    return [step for step in walk(data, project, look, out, None) if step.said]


def projects(data: Path, out: Path) -> list[str]:
    """The projects of the data that were asked about."""
    asked = (each.name for each in out.iterdir() if each.is_dir())
    return sorted(name for name in asked if (place_of(data, name) / "index.json").exists())


def show(data: Path, out: Path) -> None:
    """Print the figures of each project."""
    for project in projects(data, out):
        sessions, spent = len(left(data, project, out)), dict.fromkeys(ALL, 0)
        print(f"{project}: {sessions} sessions")
        for look in ALL:
            if steps := answered(data, project, look, out):
                spent[look] = sum(step.tokens for step in steps)
                print(f"  {look}: {_line(look, steps, sessions)}")
        three = sum(spent.values()) - spent["instructions"]
        print(f"  the first three: {three / sessions:.0f} tokens a session")


def at_start(items: Sequence[Item]) -> list[Item]:
    """The habits that the product's selection tells at a start, as it marks them."""
    ways = [
        select.Lesson(
            f"{n:012}",
            -n,
            item.text,
            "rule",
            met=item.sessions,
            mark=f"asked for {item.sessions}x",
            of=item,
        )
        for n, item in enumerate(by_weight(items))
    ]
    told = select.at_start(ways, select.Here(), select.START_TOKENS - frame_of_notes())
    return [each.of for each in told]


def _line(look: str, steps: list[Step], sessions: int) -> str:
    sizes = [step.tokens for step in steps]
    price = (
        f"{len(steps)} questions, {statistics.median(sizes):.0f} tokens (median; {max(sizes)} most), "
        f"{sum(sizes) / sessions:.0f} a session"
    )
    answers = [step.answer for step in steps]
    why = Counter(each.why for answer in answers for each in answer.struck)
    struck = "; ".join(f"{count} {reason}" for reason, count in why.most_common()) or "nothing"
    unread = sum(not answer.answered for answer in answers)
    told = f"{price}; struck: {struck}; {unread} no answers"
    last = answers[-1]
    if look == "tidy":
        same, out = (sum(len(getattr(each, name)) for each in answers) for name in ("same", "out"))
        return f"{told}; {same} groups of doubles, {out} taken out"
    if look == "instructions":
        return f"{told}; {dict(Counter(each.verdict for each in last.found))}"
    items = last.items
    more = f"{len(items)} stand, {sum(len(answer.dropped) for answer in answers)} dropped by the reader"
    if look == "habits":
        start = at_start(items)
        words = sum(len(item.text.split()) for item in start)
        return f"{told}; {more}; {sum(i.leave for i in items)} wait; a start: {len(start)} in {words} words"
    return f"{told}; {more}; {sum(bool(item.sign) for item in items)} with a sign"

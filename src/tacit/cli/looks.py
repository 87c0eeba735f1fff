"""The first minute: what a person asks for again and again, and what keeps failing with what passed, before any session is read.

The same screen shows a look whenever somebody asks for it; of tidying it shows the plan, of instruction files the findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tacit.cli.verb import Answer, Cli
from tacit.cli.words import WIDEST, hung, one_line, paint
from tacit.core.errors import TacitError, numbered
from tacit.core.states import KEPT
from tacit.learn import looking
from tacit.memory import Memory as Memories
from tacit.reading.asked import items_from
from tacit.reading.habits import by_weight
from tacit.screens.numbers import remember_numbers
from tacit.screens.passing import word_done

WHOLE = 600  # characters shown of a lesson; none is longer
OWN_LINES = 2  # of a person's, below what they show
TITLES = {
    "habits": "What you ask for again and again",
    "failures": "What keeps failing here, and what passed",
}


def first_looks(cli: Cli, memories: Memories) -> list[str]:
    """Ask the first two looks and show what they bring; what a model could not answer is a note, and the reading goes on."""
    cli.progress("  asking what you say again and again, and what keeps failing …")
    notes, shown = [], dict[str, str]()
    for name in [each for each in TITLES if each in looking.looks_due(memories)]:
        try:
            looked = looking.look(memories, name)
            answered = looked.answer is not None and looked.answer.answered
            why = "" if answered else looked.why_not or "the reader gave no answer"
        except TacitError as error:
            why = f"not asked yet. {error.message}"
        notes += [f"{TITLES[name]}: {why}"] if why else []
    cli.progress()
    if cli.json or cli.quiet:
        return notes
    lines = [line for name in TITLES for line in screen(cli, memories, name, shown)]
    if lines:
        cli.out.write("\n".join(lines) + "\n\n")
        cli.out.flush()
        _answered(cli, memories, shown)
    return notes


def screen(cli: Cli, memories: Memories, name: str, shown: dict[str, str]) -> Iterator[str]:
    """What a look brought, each with its number and a person's own lines; `shown` takes number and lesson."""
    at = looking.looked(memories).get(name, {})
    lessons: Mapping[str, str] = at.get("lessons", {})
    known = {each.id: each for each in memories.store.memories([*lessons.values()])}
    every = [
        (each, known.get(lessons.get(each.id, "")))
        for each in by_weight(items_from(at.get("items", ())))
    ]
    rows = [(item, memory) for item, memory in every if memory and memory.state in KEPT]
    numbers = remember_numbers(memories, [memory.id for _, memory in rows]) if rows else {}
    if rows:
        yield from ("", paint(cli, "bold", TITLES[name]))
    for item, memory in rows:
        number = str(numbers.get(memory.id, ""))
        shown[number] = memory.id
        waits = "; waits for you" if memory.gate != "allow" else ""
        count = numbered(item.sessions, "session")
        said = f"you asked for this in {count}" if name == "habits" else f"failed in {count}"
        text = f"{one_line(memory.text, WHOLE)} ({said}{waits})"
        yield from hung(f"{number or item.id:>4}  ", text, WIDEST)
        for cite in item.cites[-OWN_LINES:]:
            yield from hung("      ", paint(cli, "quiet", f"“{one_line(cite.words, 160)}”"), WIDEST)


def _answered(cli: Cli, memories: Memories, shown: Mapping[str, str]) -> None:
    """Keep or drop by number, at once; Enter leaves all as it is."""
    if not cli.can_ask or not shown:
        return
    said = cli.typed("Numbers to drop; k and a number keeps it as your own word; Enter goes on: ")
    word = "drop"
    for each in said.replace(",", " ").split():
        word = {"k": "keep", "d": "drop"}.get(each.casefold(), word)
        if each in shown:
            done = word_done(memories, shown[each], word, "", each)
            cli.out.write(f"{each}: {done['did']}\n")


def look_now(cli: Cli, memories: Memories, name: str, dry_run: bool) -> Answer:
    """One look, asked now: its screen, the plan of tidying, the findings about instruction files."""
    looked = looking.look(memories, name, dry_run=dry_run)
    data: dict[str, Any] = {"look": name, "tokens": looked.tokens, "dry_run": dry_run}
    if looked.why_not:
        return Answer({**data, "asked": False}, looked.why_not)
    lines: list[str] = []
    if looked.answer is not None:
        items = looked.answer.items
        data["items"] = [
            {"id": at.id, "text": at.text, "sessions": at.sessions, "sign": at.sign or None}
            for at in items
        ]
        lines = [f"{each.id}  {each.text} ({each.sessions})" for each in items if dry_run]
        lines = lines or [*screen(cli, memories, name, {})][1:]
    elif looked.plan is not None:
        lines = data["plan"] = [*_plan(memories, looked)]
        data["gone"] = looked.gone
    elif looked.findings is not None:
        for each in looked.findings.found:
            at = f"{each.verdict.replace('_', ' ')}{f' {each.at}' if each.at else ''}"
            change = f" → {each.change}" if each.change else ""
            lines.append(f"{at} ({numbered(each.sessions, 'session')}): {each.text}{change}")
        data["findings"] = [*lines]
    struck = (looked.answer or looked.plan or looked.findings).struck  # type: ignore[union-attr]
    data["struck"] = [{"what": each.what, "why": each.why} for each in struck]
    said = f"{numbered(len(struck), 'thing')} of the answer did not hold"
    return Answer(data, "\n".join([*(lines or ["nothing"]), *([said] if struck else [])]))


def _plan(memories: Memories, looked: Any) -> Iterator[str]:
    """Tidying's plan, a line each change."""
    named = {number: memories.store.memories([id]) for number, id in looked.lessons.items()}
    text = {n: f"“{one_line(each.text, WHOLE)}”" for n, some in named.items() for each in some}
    for same in looked.plan.same:
        both = " and ".join(text[id] for id in (*same.goes, same.stays))
        yield f"same: {both} become “{one_line(same.text, WHOLE)}”"
    for out in (*looked.plan.out, *looked.plan.asked):
        asked = "asks you: " if out in looked.plan.asked else ""
        yield f"{asked}{out.verdict}: {text[out.id]}{f', by {text[out.by]}' if out.by else ''}"

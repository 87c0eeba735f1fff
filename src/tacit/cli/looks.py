"""The first minute: what a person asks for again and again, and what keeps failing with what passed, before any session is read.

The same screen shows a look whenever somebody asks for it; of tidying it shows the plan, of instruction files the findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
ASKED_FOR = "asking what you say again and again, and what keeps failing …"
VERDICTS = {"not_kept": "not kept", "wrong": "wrong", "missing": "missing"}


def first_looks(cli: Cli, memories: Memories) -> list[str]:
    """Ask the first two looks and show what they bring; what a model could not answer is a note, and the reading goes on."""
    cli.progress(f"  {ASKED_FOR}")
    notes, shown = [], dict[str, str]()
    for name in TITLES:
        if name not in looking.looks_due(memories):
            continue
        try:
            looked = looking.look(memories, name)
        except TacitError as error:
            notes.append(f"{TITLES[name]}: not asked yet. {error.message}")
            continue
        if looked.answer is None or not looked.answer.answered:
            notes.append(f"{TITLES[name]}: {looked.why_not or 'the reader gave no answer'}")
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
    open_ones = {
        memory.id: memory
        for memory in memories.store.memories([*lessons.values()])
        if memory.state in KEPT
    }
    every = by_weight(items_from(at.get("items", ())))
    rows = [
        (item, open_ones[id]) for item in every if (id := lessons.get(item.id, "")) in open_ones
    ]
    if not rows:
        return
    numbers = remember_numbers(memories, [memory.id for _, memory in rows])
    yield ""
    yield paint(cli, "bold", TITLES[name])
    for item, memory in rows:
        number = str(numbers.get(memory.id, ""))
        shown[number] = memory.id
        waits = "; waits for your word" if memory.gate != "allow" else ""
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
    struck: Sequence[Any] = ()
    lines: list[str] = []
    if looked.answer is not None:
        struck = looked.answer.struck
        data["items"] = [
            {"id": each.id, "text": each.text, "sessions": each.sessions, "sign": each.sign or None}
            for each in looked.answer.items
        ]
        if dry_run:
            lines = [f"{each.id}  {each.text} ({each.sessions})" for each in looked.answer.items]
        else:
            lines = [*screen(cli, memories, name, {})][1:]
    elif looked.plan is not None:
        struck = looked.plan.struck
        lines = list(_plan(memories, looked))
        data["plan"], data["gone"] = [*lines], looked.gone
    elif looked.findings is not None:
        struck = looked.findings.struck
        lines = [
            f"{VERDICTS[each.verdict]}{f' {each.at}' if each.at else ''} ({numbered(each.sessions, 'session')}): {each.text}"
            + (f" → {each.change}" if each.change else "")
            for each in looked.findings.found
        ]
        data["findings"] = [*lines]
    data["struck"] = [{"what": each.what, "why": each.why} for each in struck]
    lines = lines or ["nothing"]
    lines += [f"{numbered(len(struck), 'thing')} of the answer did not hold"] if struck else []
    return Answer(data, "\n".join(lines))


def _plan(memories: Memories, looked: Any) -> Iterator[str]:
    """Tidying's plan, a line each change."""
    text = {
        number: memory.text
        for number, id in looked.lessons.items()
        for memory in memories.store.memories([id])
    }
    for same in looked.plan.same:
        said = " and ".join(f"“{one_line(text[id], WHOLE)}”" for id in (*same.goes, same.stays))
        yield f"same: {said} become “{one_line(same.text, WHOLE)}”"
    for out in (*looked.plan.out, *looked.plan.asked):
        asked = "asks you: " if out in looked.plan.asked else ""
        by = f", by “{one_line(text[out.by], WHOLE)}”" if out.by else ""
        yield f"{asked}{out.verdict}: “{one_line(text[out.id], WHOLE)}”{by}"

"""MEMORY.md and its like: sections with `## ` headings, a lesson a bullet.

    - (2026-03-10) **Retry queue** — BLPOP with a five second timeout <!-- k3v9x2m4q7ab -->

Date, title and id are optional; a line leaves as it came unless its text was changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.exchange import Given, Opening, OriginVerdict, Row, Skipped
from tacit.core.page import bullets, parts
from tacit.hosts.source import Source
from tacit.lesson import MAX_TEXT_BYTES, Lesson

if TYPE_CHECKING:
    Item = Row | Given | OriginVerdict | Skipped

NAME = "markdown"
PARTS = {"page": "MEMORY.md"}
INBOX = "Inbox"
# What a section's lines are, as classes every profile has a kind for; any other section holds facts.
KIND_OF = {
    "joel": "preference",
    "preferences": "preference",
    "user": "preference",
    "hard rules": "rule",
    "rules": "rule",
    "conventions": "rule",
    "security": "security",
    "pitfalls": "pitfall",
    "what works": "fix",
    "patterns": "fix",
    "commands": "command",
    "system architecture": "fact",
    "facts": "fact",
}


def holds(source: Source) -> float:
    """How sure we are that this is a page of lessons."""
    if not source.name.lower().endswith((".md", ".markdown")):
        return 0.0
    head = source.head(8192).decode("utf-8", "replace")
    if source.name == PARTS["page"]:
        return 0.8
    return 0.45 if re.search(r"^## ", head, re.M) and re.search(r"^[-*] ", head, re.M) else 0.0


def memories(source: Source) -> Iterator[Item]:
    """Each bullet of the page, with its section."""
    taken: dict[str, int] = {}
    for bullet in bullets(b"".join(source.lines()).decode("utf-8", "replace").splitlines()):
        section, line, place = bullet.section, bullet.text, f"line:{bullet.start + 1}"
        if len(line.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
            yield Skipped(
                place,
                f"a bullet of {len(line):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept",
            )
            continue
        found = parts(line)
        said = found.said
        if not said.strip("*_`#- "):
            yield Skipped(place, "a bullet without words")
            continue
        name = found.id or f"{source.name}#{short_hash(section, said)[:8]}"
        taken[name] = taken.get(name, 0) + 1
        at = f"{found.date}T00:00:00Z" if found.date else ""
        yield Row(
            Lesson(
                id="",
                project="",
                text=said,
                kind=KIND_OF.get(section.casefold(), "fact"),
                category=section,
                source="page",
                trust="imported",
                state="active",
                on_page=True,
                created_at=at,
                extra={"section": section, "line": line, "title": found.title},
            ),
            alias=name if taken[name] == 1 else f"{name}-{taken[name]}",
            openings=(Opening("seen", 1, at),),
            place=place,
        )


def dump(items: Iterable[Item], part: str = "page", now: str = "") -> str:
    """The page: what came from one, and what has earned a place on it, section by section."""
    rows = [each for each in items if isinstance(each, Row) and _stands(each.memory)]
    sections: dict[str, list[str]] = {}
    for row in rows:
        sections.setdefault(_section(row.memory), []).append(_line(row))
    out = ["# Memory"]
    for section in sorted(sections, key=lambda name: name == INBOX):
        out += ["", f"## {section}", *(f"- {line}" for line in sections[section])]
    return "\n".join(out) + "\n"


def name_for(memory: Lesson, taken: Collection[str]) -> str:
    """Our own id: a page has no numbers."""
    return memory.id


def _stands(memory: Lesson) -> bool:
    return memory.state == "active" and (memory.on_page or memory.pinned)


def _section(memory: Lesson) -> str:
    told = (memory.extra or {}).get("section")
    section = " ".join(told.split()) if isinstance(told, str) else ""
    return section or next(
        (name.title() for name, kind in KIND_OF.items() if kind == memory.klass), INBOX
    )


def _line(row: Row) -> str:
    memory = row.memory
    came = memory.extra or {}
    line = came.get("line")
    if isinstance(line, str) and parts(line).said == memory.text:
        return line
    date = f"({memory.created_at[:10]}) " if memory.created_at else ""
    return f"{date}{' '.join(memory.text.split())} <!-- {row.alias or memory.id} -->"

"""MEMORY.md, joelclaw's curated page: a person's document into which lines are written.

It is never made anew: lines that are there stay where they stand, in the order and the sections that
a person gave them. A line is worded anew only where its lesson changed and no hand changed the line;
one that was taken out stays out; new ones go to the end of their section; whatever is not a line of
ours is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.errors import Ambiguous, NotFound
from tacit.core.page import PAGE_HEADING, Bullet, bullets, parts, split_id
from tacit.core.value import Section, replace, value
from tacit.learn.block import (
    LONGEST,
    PAGE_NOTE,
    SHORT,
    Drawn,
    Kept,
    has_conflict,
    name_behind,
    section_of,
)
from tacit.lesson import Lesson
from tacit.safety.one_line import plain_line

if TYPE_CHECKING:
    from tacit.store.reads import WorkContext

TITLE_CHARS = 60  # of a lesson's first clause, where it has no title of its own


@value
class PageEntry:
    """A lesson as it is to stand on the page."""

    id: str
    section: str
    line: str  # with its bullet and id
    text: str  # what the lesson says, unshortened

    @property
    def said(self) -> str:
        """The line without bullet and id: what two spellings are compared by."""
        return split_id(self.line[2:])[0]


# -- one line --------------------------------------------------------------------------------------


def entry_of(memory: Lesson, page: Section) -> PageEntry:
    """A lesson as it is to stand on the page; one that came from a page, and says what it said there, as it stood there."""
    came = (memory.extra or {}).get("line")
    if isinstance(came, str) and parts(came).said == memory.text:
        line = f"- {split_id(came)[0]} <!-- {split_id(came)[1] or name_behind(memory)} -->"
    else:
        line = _line(memory)
    return PageEntry(memory.id, section_of(memory, page), line, memory.text)


def _line(memory: Lesson) -> str:
    """`- (date) **Title** — text <!-- id -->`; the id is ours: a line keeps its lesson."""
    text = plain_line(memory.text, LONGEST)
    title = _one_line(str((memory.extra or {}).get("title") or ""))
    if not title:
        title, text = _titled(text)
    titled = f"**{title}** — {text}" if title else text
    return _one_line(f"- ({memory.created_at[:10]}) {titled} <!-- {name_behind(memory)} -->")


def said_by(line: str) -> str:
    """What a line of the page says as a lesson: without the date and the title's marks around it."""
    found = parts(line)
    return f"{found.title}: {found.text}" if found.title else found.text


def _titled(text: str) -> tuple[str, str]:
    """A lesson's first clause and the rest of it; no title where it is all one clause."""
    for mark in (": ", ". ", " — "):
        head, found, rest = text.partition(mark)
        if found and rest and len(head) <= TITLE_CHARS:
            return head, rest
    return "", text


def _one_line(text: str) -> str:
    """A text on one line: what stands on a page as a bullet cannot begin a heading."""
    return " ".join(text.split())


# -- the page --------------------------------------------------------------------------------------


def drawn(work: WorkContext, kept: Kept, text: str, lessons: Sequence[Lesson]) -> Drawn:
    """The page with these lessons on it, and what was written of each."""
    if has_conflict(text):
        return Drawn(None, kept, f"{kept.name} holds an unresolved merge and is left as it is")
    if kept.lines and not text.strip():
        told = f"what Tacit wrote in {kept.name} is gone; tacit connect {kept.name} writes it again"
        return Drawn(None, kept, f"{told}, with --undo it is kept no more")
    page = work.profile.page
    entries = {each.id: each for each in (entry_of(memory, page) for memory in lessons)}
    opening = f"# {page.title}\n\n<!-- {PAGE_NOTE} -->\n"
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [each.removesuffix("\r") for each in (text if text.strip() else opening).split("\n")]
    placed = _placed(lines, list(entries.values()), _named(work))
    fresh = {
        id
        for id, bullet in placed.items()
        if id in entries
        and _said(bullet) != _one_line(entries[id].said)
        and short_hash(_said(bullet)) == kept.lines.get(id)
    }
    taken_out = {id for id in kept.lines if id in entries and id not in placed}
    gone = {id for id in placed if id not in entries and id in kept.lines}
    new = _reworded(lines, placed, entries, fresh, gone)
    if gone:
        new = _without_empty(new, page)
    for id, entry in entries.items():
        if id not in placed and id not in taken_out:
            new = _inserted(new, entry, page)
    remembered = {
        id: kept.lines[id]
        if id in kept.lines and id not in fresh
        else short_hash(_one_line(entry.said))
        for id, entry in entries.items()
    }
    data = end.join(new).encode("utf-8", "surrogateescape")
    return Drawn(data, replace(kept, lines=remembered))


def _placed(
    lines: Sequence[str], entries: Sequence[PageEntry], name: Callable[[str], str]
) -> dict[str, Bullet]:
    """Which bullets are which lessons: by the id a line carries, else by the very words."""
    placed: dict[str, Bullet] = {}
    loose: list[Bullet] = []
    for bullet in bullets(lines):
        id = name(split_id(bullet.text)[1])
        if id:
            placed.setdefault(id, bullet)
        else:
            loose.append(bullet)
    words = {_one_line(said): each.id for each in entries for said in (each.text, each.said)}
    for bullet in loose:
        if id := words.get(_said(bullet), ""):
            placed.setdefault(id, bullet)
    return placed


def _named(work: WorkContext) -> Callable[[str], str]:
    """The lesson of this project behind an id as it is written on a page; empty for one that nobody here knows."""

    def name(token: str) -> str:
        try:
            memory = work.store.get(work.store.resolve(token, work.project.id)) if token else None
        except (NotFound, Ambiguous):
            memory = None
        if memory is None or memory.project != work.project.id:
            return ""
        named = memory.id.startswith(token.lower()) and len(token) >= SHORT
        return memory.id if named or token == memory.alias else ""

    return name


def _said(bullet: Bullet) -> str:
    return _one_line(split_id(bullet.text)[0])


def _reworded(
    lines: Sequence[str],
    placed: Mapping[str, Bullet],
    entries: Mapping[str, PageEntry],
    fresh: set[str],
    gone: set[str],
) -> list[str]:
    """The page with its lines of ours reworded, taken out, or given the id that is missing."""
    new = list(lines)
    for id, bullet in sorted(placed.items(), key=lambda each: -each[1].start):
        if id in gone:
            new[bullet.start : bullet.end] = []
        elif id in fresh:
            new[bullet.start : bullet.end] = [entries[id].line]
        elif id in entries:
            wanted = split_id(entries[id].line)[1]
            if split_id(bullet.text)[1] != wanted:
                new[bullet.end - 1] = f"{new[bullet.end - 1].rstrip()} <!-- {wanted} -->"
    return new


def _inserted(lines: list[str], entry: PageEntry, page: Section) -> list[str]:
    """The page with one more line at the end of its section, which is made where it is missing."""
    span = _span(lines, entry.section)
    if span is None:
        at = _place_for(lines, entry.section, page)
        before = [] if at and not lines[at - 1].strip() else [""]
        after = [""] if at < len(lines) and lines[at].strip() else []
        made = [*before, f"{PAGE_HEADING}{entry.section}", entry.line, *after]
        return [*lines[:at], *made, *lines[at:]]
    start, end = span
    found = [bullet.end for bullet in bullets(lines[start:end], heading="\0")]
    at = start + found[-1] if found else _filled(lines, start, end)
    return [*lines[:at], entry.line, *lines[at:]]


def _place_for(lines: Sequence[str], section: str, page: Section) -> int:
    """Where a new section begins: before the first one that comes after it on the page, otherwise at the end."""
    order = [name.casefold() for name in page.sections]
    mine = order.index(section.casefold())
    for number, name in _headings(lines):
        if name.casefold() in order and order.index(name.casefold()) > mine:
            return number
    return _filled(lines, 0, len(lines))


def _without_empty(lines: list[str], page: Section) -> list[str]:
    """The page without sections of ours that nothing stands in any more."""
    known = {name.casefold() for name in page.sections}
    for _, name in list(_headings(lines)):
        span = _span(lines, name)
        if span and name.casefold() in known and _filled(lines, *span) == span[0]:
            lines = [*lines[: span[0] - 1], *lines[span[1] :]]
    return lines


def append(markdown: str, section: str, bullet: str) -> str:
    """The page with a bullet at the end of a section, as its program adds one."""
    line, lines = _one_line(bullet), markdown.split("\n")
    span = _span(lines, section)
    if span is None:
        head = f"{markdown}\n\n" if markdown.strip() else ""
        return f"{head}{PAGE_HEADING}{section}\n\n{line}" + ("" if head else "\n")
    at = _filled(lines, *span)
    return "\n".join((*lines[:at], line, *lines[at:]))


def _filled(lines: Sequence[str], start: int, end: int) -> int:
    """Behind the last words of a span."""
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _span(lines: Sequence[str], section: str) -> tuple[int, int] | None:
    """Where a section begins (after its heading) and ends."""
    start = None
    for number, name in _headings(lines):
        if start is not None:
            return start, number
        if name.casefold() == section.strip().casefold():
            start = number + 1
    return None if start is None else (start, len(lines))


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where each section begins. Headings inside code fences are text."""
    fenced = ""
    for number, line in enumerate(lines):
        bare = line.strip()
        if fenced:
            fenced = "" if bare[:3] == fenced and not bare.strip("`~") else fenced
        elif bare[:3] in ("```", "~~~"):
            fenced = bare[:3]
        elif line.startswith(PAGE_HEADING) and bare[2:].strip():
            yield number, bare[2:].strip()


# What `hookspecs` finds here by name.
POLICIES: Mapping[str, Any] = {"MEMORY.md": drawn}

"""How a page reads: which section a lesson belongs to, how its line is worded, and what the page looks like afterwards.

A page is a person's document that Tacit writes lines into. So it is never made anew from the store: lines that are there
stay where they stand, in the order and the sections a person gave them; a line is worded anew only if its lesson
changed; new ones go to the end of their section; whatever is not a line of ours is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tacit.core.page import PAGE_HEADING, Bullet, bullets, parts, split_id
from tacit.core.states import ACTIVE
from tacit.core.value import Section, value
from tacit.lesson import Lesson
from tacit.safety.one_line import plain_line

TITLE_CHARS = 60  # of a lesson's first clause, where it has no title of its own
INBOX_SECTION = "Inbox"  # the section of what the map does not name
SHORT = 8  # characters of an id behind a line
_LONGEST = 1_000  # characters of a line; what is longer is no line
_TITLED = "**{title}** — "
_NAME = re.compile(r"[A-Za-z][\w.-]{3,40}")  # an alias that may stand for the id
_SEVERITY_ORDER = ("bug", "warning", "recommendation", "info")


@value
class PageEntry:
    """A lesson as it is to stand on a page."""

    id: str
    section: str
    line: str  # with its bullet and id
    text: str = ""  # what the lesson says, unshortened

    @property
    def said(self) -> str:
        """The line without bullet and id: what two spellings are compared by."""
        return split_id(self.line[2:])[0]


@value
class PageLine:
    """A line of a page that says something."""

    section: str
    text: str
    number: int  # counted from 1


# --- one line ---------------------------------------------------------------------------------------------------------


def section_of(memory: Lesson, page: Section) -> str:
    """Where a lesson belongs: where a person put it, or by its kind or category; the inbox if the map knows neither."""
    put = str((memory.extra or {}).get("section") or "")
    names = (memory.kind, memory.category, memory.category.rpartition(":")[2], memory.klass)
    return known_section(
        put or next((page.map[name] for name in names if name in page.map), ""), page
    )


def known_section(name: str, page: Section) -> str:
    """A section by its name in any case; the inbox for one the page does not have, never a section of rules."""
    asked = name.strip().casefold()
    return next(
        (section for section in page.sections if section.casefold() == asked), INBOX_SECTION
    )


def entry_of(memory: Lesson, page: Section) -> PageEntry:
    """A lesson as it is to stand on a page."""
    return PageEntry(memory.id, section_of(memory, page), line_of(memory, page), memory.text)


def line_of(memory: Lesson, page: Section) -> str:
    """A lesson as its line on the page; one that came from a page, and says what it said there, as it stood there."""
    extra, name = (
        memory.extra or {},
        memory.alias if _NAME.fullmatch(memory.alias) else memory.id[:SHORT],
    )
    came = extra.get("line")
    if isinstance(came, str) and parts(came).said == memory.text:
        return f"- {split_id(came)[0]} <!-- {split_id(came)[1] or name} -->"
    text = plain_line(memory.text, _LONGEST)
    template = page.line
    title = _one_line(str(extra.get("title") or ""))
    if "{title}" in template and not title:
        title, text = _titled(text)
        template = template if title else template.replace(_TITLED, "")
    return _one_line(
        template.format(
            text=text, title=title, date=memory.created_at[:10], id=name, kind=memory.kind
        )
    )


def said_by(line: str, page: Section) -> str:
    """What a line of the page says as a lesson: without the date and the title's marks that the page put around it."""
    rest = line
    if (
        "{date}" in page.line
        and rest[:1] == "("
        and rest[11:12] == ")"
        and rest[1:11].replace("-", "").isdigit()
    ):
        rest = rest[12:].lstrip()
    if "{title}" in page.line and rest.startswith("**") and "** — " in rest:
        title, _, text = rest[2:].partition("** — ")
        rest = f"{title}: {text}"
    return rest


def strength(memory: Lesson) -> tuple[object, ...]:
    """What stands first, and what is left out last where there is no room: a person's own lines, then what is proven."""
    pinned, *known = rank(memory.__dict__)
    return (
        pinned,
        *known,
        -memory.tally.seen,
        memory.created_at,
        memory.id,
    )


def rank(facets: Mapping[str, Any]) -> tuple[bool, bool, bool, int]:
    """The part of a lesson's strength that it shares with others of its facets."""
    return (
        not facets["pinned"],
        facets["state"] != ACTIVE,
        facets["verdict"] != "helps",
        _SEVERITY_ORDER.index(facets["severity"]),
    )


def _one_line(text: str) -> str:
    """A text on one line: what stands on a page as a bullet cannot begin a heading."""
    return " ".join(text.split())


def _titled(text: str) -> tuple[str, str]:
    """A lesson's first clause and the rest of it; no title where it is all one clause."""
    for mark in (": ", ". ", " — "):
        head, found, rest = text.partition(mark)
        if found and rest and len(head) <= TITLE_CHARS:
            return head, rest
    return "", text


# --- the page ---------------------------------------------------------------------------------------------------------


def compose(
    lines: Sequence[str],
    entries: Sequence[PageEntry],
    placed: Mapping[str, Bullet],
    page: Section,
    *,
    fresh: Collection[str] = (),
    remove: Collection[str] = (),
    heading: str = PAGE_HEADING,
) -> list[str]:
    """The page with these lessons on it.

    `placed` tells which bullets are which lessons; those of them in `fresh` are worded anew, those in `remove` go; all others stay
    as they are but for an id that is missing. Lessons that are not placed come to the end of their section.
    """
    new = list(lines)
    by_id = {entry.id: entry for entry in entries}
    for id, bullet in sorted(placed.items(), key=lambda each: -each[1].start):
        if id in remove:
            new[bullet.start : bullet.end] = []
        elif id in fresh:
            new[bullet.start : bullet.end] = [by_id[id].line]
        elif id in by_id:
            new[bullet.end - 1] = _with_id(new[bullet.end - 1], bullet, by_id[id])
    if remove and heading:
        new = _without_empty(new, page, heading)
    missing: dict[str, list[str]] = {}
    for entry in entries:
        if entry.id not in placed:
            missing.setdefault(entry.section, []).append(entry.line)
    for section, added in missing.items():
        new = _inserted(new, section, added, page, heading)
    return new


def _with_id(line: str, bullet: Bullet, entry: PageEntry) -> str:
    wanted = split_id(entry.line)[1]
    if not wanted or split_id(bullet.text)[1] == wanted:
        return line
    return f"{line.rstrip()} <!-- {wanted} -->"


def _inserted(
    lines: list[str], section: str, added: Sequence[str], page: Section, heading: str
) -> list[str]:
    """The page with more lines at the end of a section, which is made where it is missing."""
    if not heading:
        at = _last(lines, 0, len(lines))
        gap = [""] if at and not any(bullets(lines, "\0")) else []
        return [*lines[:at], *gap, *added, *lines[at:]]
    span = _span(lines, section, heading)
    if span is None:
        at = _place_for(lines, section, page, heading)
        before = [] if at and not lines[at - 1].strip() else [""]
        after = [""] if at < len(lines) and lines[at].strip() else []
        return [*lines[:at], *before, f"{heading}{section}", *added, *after, *lines[at:]]
    at = _last(lines, *span)
    return [*lines[:at], *added, *lines[at:]]


def _last(lines: Sequence[str], start: int, end: int) -> int:
    """Behind the last bullet of a span; behind its last words where it has none."""
    found = [bullet.end for bullet in bullets(lines[start:end], heading="\0")]
    if found:
        return start + found[-1]
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _place_for(lines: Sequence[str], section: str, page: Section, heading: str) -> int:
    """Where a new section begins: before the first one that comes after it on the page, otherwise at the end."""
    order = [name.casefold() for name in page.sections]
    mine = order.index(section.casefold()) if section.casefold() in order else len(order)
    for number, name in _headings(lines, heading):
        if name.casefold() in order and order.index(name.casefold()) > mine:
            return number
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _without_empty(lines: list[str], page: Section, heading: str) -> list[str]:
    """The page without sections of ours that nothing stands in any more."""
    known = {name.casefold() for name in page.sections}
    for _, name in list(_headings(lines, heading)):
        span = _span(lines, name, heading)
        if (
            span
            and name.casefold() in known
            and not any(line.strip() for line in lines[slice(*span)])
        ):
            lines = [*lines[: span[0] - 1], *lines[span[1] :]]
    return lines


def append(markdown: str, section: str, bullet: str) -> str:
    """The page with a bullet at the end of a section; the section is added where it is missing."""
    line = _one_line(bullet)
    lines = markdown.split("\n")
    span = _span(lines, section, PAGE_HEADING)
    if span is None:
        return (
            f"{markdown}\n\n## {section}\n\n{line}"
            if markdown.strip()
            else f"## {section}\n\n{line}\n"
        )
    start, end = span
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join((*lines[:end], line, *lines[end:]))


def lines(markdown: str) -> Iterator[PageLine]:
    """The bullets of a page, each with its section."""
    section = ""
    for number, (line, heading) in enumerate(_read(markdown.split("\n"), PAGE_HEADING), 1):
        if heading:
            section = heading
        elif line.lstrip().startswith(("- ", "* ")):
            yield PageLine(section, line.strip(), number)


def _span(lines: Sequence[str], section: str, mark: str) -> tuple[int, int] | None:
    """Where a section begins (after its heading) and ends."""
    start = None
    for number, name in _headings(lines, mark):
        if start is not None:
            return start, number
        if name.casefold() == section.strip().casefold():
            start = number + 1
    return None if start is None else (start, len(lines))


def _headings(lines: Sequence[str], mark: str) -> Iterator[tuple[int, str]]:
    return ((number, name) for number, (_, name) in enumerate(_read(lines, mark)) if name)


def _read(lines: Sequence[str], mark: str) -> Iterator[tuple[str, str]]:
    """Each line with the section it opens, empty for every other line. Headings inside code fences are text."""
    fenced = ""
    for line in lines:
        bare = line.strip()
        fence = bare[:3]
        if fenced:
            fenced = "" if fence == fenced and not bare.strip("`~") else fenced
            yield line, ""
        elif fence in ("```", "~~~"):
            fenced = fence
            yield line, ""
        else:
            yield line, bare[len(mark) :].strip() if line.startswith(mark) else ""

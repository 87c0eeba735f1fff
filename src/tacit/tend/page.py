"""The page: a markdown file with sections, one lesson a line, that the host loads by itself.

Here is only what can be said without a file: which section a lesson belongs to, how its line reads, and what a page
looks like with one line more. Headings inside code fences are text.
"""

from __future__ import annotations

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.core.memory import Memory
    from tacit.core.profile import Page

TITLE_CHARS = 60  # of a lesson's first clause, where it has no title of its own


@value
class Line:
    """A line of a page that says something."""

    section: str
    text: str
    number: int  # counted from 1


def append(markdown: str, section: str, bullet: str) -> str:
    """The page with a bullet at the end of a section; the section is added where it is missing."""
    line = one_line(bullet)
    lines = markdown.split("\n")
    span = _span(lines, section)
    if span is None:
        return f"{markdown}\n\n## {section}\n\n{line}" if markdown.strip() else f"## {section}\n\n{line}\n"
    start, end = span
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join((*lines[:end], line, *lines[end:]))


def section_of(memory: Memory, page: Page) -> str:
    """Where a lesson belongs, by its kind or category; the inbox if the map knows neither, never a section of rules."""
    found = page.map.get(memory.kind) or page.map.get(memory.category) or page.map.get(memory.klass)
    return known_section(found or "", page)


def known_section(name: str, page: Page) -> str:
    """A section by its name in any case; the inbox for one the page does not have."""
    asked = name.strip().casefold()
    return next((section for section in page.sections if section.casefold() == asked), page.inbox)


def line_of(memory: Memory, page: Page) -> str:
    """A lesson as its line on the page."""
    text = one_line(memory.text)
    title = str((memory.extra or {}).get("title") or "") or _title(text)
    return one_line(
        page.line.format(
            text=text,
            title=one_line(title),
            date=memory.created_at[:10],
            id=memory.alias or memory.id,
            kind=memory.kind,
        )
    )


def lines(markdown: str) -> Iterator[Line]:
    """The bullets of a page, each with its section."""
    section = ""
    for number, (line, heading) in enumerate(_read(markdown.split("\n")), 1):
        if heading:
            section = heading
        elif line.lstrip().startswith(("- ", "* ")):
            yield Line(section, line.strip(), number)


def one_line(text: str) -> str:
    """A text on one line: what stands on a page as a bullet cannot begin a heading."""
    return " ".join(text.split())


def _title(text: str) -> str:
    head = text.split(": ", 1)[0].split(". ", 1)[0].split(" — ", 1)[0]
    return head if len(head) <= TITLE_CHARS else head[:TITLE_CHARS].rsplit(" ", 1)[0]


def _span(lines: list[str], section: str) -> tuple[int, int] | None:
    """Where a section begins (after its heading) and ends."""
    start = None
    for number, (_, heading) in enumerate(_read(lines)):
        if heading and start is not None:
            return start, number
        if heading.casefold() == section.strip().casefold() and heading:
            start = number + 1
    return None if start is None else (start, len(lines))


def _read(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with the section it opens, empty for every other line."""
    fenced = ""
    for line in lines:
        bare = line.strip()
        mark = bare[:3]
        if fenced:
            fenced = "" if mark == fenced and not bare.strip("`~") else fenced
            yield line, ""
        elif mark in ("```", "~~~"):
            fenced = mark
            yield line, ""
        else:
            yield line, bare[3:].strip() if line.startswith("## ") else ""

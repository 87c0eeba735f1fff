"""How a page is read: sections by their headings, a lesson a bullet, with date, title and id around its text.

    ## Patterns
    - (2026-03-10) **Retry queue** — BLPOP with a five second timeout <!-- k3v9x2m4 -->

Indented lines belong to the bullet above them, unless they carry an id of their own; what stands in a code fence is nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.core.value import value

PAGE_HEADING = "## "
_DATE_MARK = re.compile(r"\((\d{4}-\d\d-\d\d)\)\s+")
_TITLE = re.compile(r"\*\*([^*\n]{1,200})\*\*\s{1,4}[—–:-]\s")
_ID = re.compile(r"\s{0,4}([\w.-]{1,80})\s{0,4}")
_WITHIN = re.compile(r"(?<!\s)\s*<!-- ([0-9a-z]{8,12}) -->\s*")
_NESTED = re.compile(
    r"\s+[-*] .*<!-- [0-9a-z]{8,12} -->\s*$"
)  # a line of ours that somebody put below another
# the end of a line of ours, whose beginning somebody took away
_TAIL = re.compile(r"\s+\S.*<!-- [0-9a-z]{8,12} -->\s*$")
_FIRST_ID = re.compile(r"\[(mem-[\w.-]{1,80})\]\s+")  # an origin writes its ids first


@value
class _Line:
    """A bullet's text in its parts."""

    text: str
    date: str = ""
    title: str = ""
    id: str = ""

    @property
    def said(self) -> str:
        """What it tells, with its subject."""
        return (
            f"{self.title} — {self.text}" if self.title and self.text else self.title or self.text
        )


@value
class Bullet:
    """A bullet and the lines it takes."""

    start: int  # counted from 0
    end: int  # not included
    section: str
    text: str  # on one line, with whatever stands around it


def parts(line: str) -> _Line:
    """A bullet's text, and the date, title and id around it."""
    rest, id = split_id(line)
    dated = _DATE_MARK.match(rest)
    rest = rest[dated.end() :] if dated else rest
    titled = _TITLE.match(rest)
    text = rest[titled.end() :].strip() if titled else rest
    return _Line(text, dated[1] if dated else "", titled[1].strip() if titled else "", id)


def split_id(line: str) -> tuple[str, str]:
    """A line and its id; empty where none is. Words that somebody wrote behind an id of ours do not hide it."""
    rest = line.strip()
    if first := _FIRST_ID.match(rest):
        return rest[first.end() :], first[1]
    if (
        rest.endswith("-->")
        and (at := rest.rfind("<!--")) >= 0
        and (named := _ID.fullmatch(rest[at + 4 : -3]))
    ):
        return _WITHIN.sub(" ", rest[:at]).rstrip(), named[1]
    within = _WITHIN.search(rest) if "<!--" in rest else None
    return (_WITHIN.sub(" ", rest), within[1]) if within else (rest, "")


def bullets(lines: Sequence[str], heading: str = PAGE_HEADING) -> Iterator[Bullet]:
    """The bullets of a page, each with its section and the indented lines below it. `heading` is how a section begins."""
    section, start, held, fenced = "", -1, "", False
    for number, raw in enumerate((*lines, "#")):
        line = raw.rstrip("\r\n")
        mark = line.lstrip().startswith(("```", "~~~"))
        listed = line.startswith(("- ", "* ")) or _NESTED.match(line) is not None
        tail = (
            start >= 0
            and not listed
            and "<!--" in held
            and _WITHIN.search(held) is not None
            and _TAIL.match(line) is not None
        )
        bullet = not fenced and not mark and (listed or tail)
        if start >= 0 and (bullet or mark or not line.strip() or not line[:1].isspace()):
            yield Bullet(start, number, section, held)
            start = -1
        if mark:
            fenced = not fenced
        elif bullet:
            start, held = number, line.lstrip()[2 if listed else 0 :].strip()
        elif start >= 0 and not fenced:
            held = f"{held} {line.strip()}"
        elif not fenced and line.startswith(heading):
            section = line[len(heading) :].strip()

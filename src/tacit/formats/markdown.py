"""MEMORY.md and its like: sections with `## ` headings, a lesson a bullet.

    ## Patterns
    - (2026-03-10) **Retry queue** — BLPOP with a five second timeout <!-- k3v9x2m4q7ab -->

Date, title and id are each optional. A line is kept as it stands in `Memory.extra` and leaves as it came unless its text
was changed. Lines that stand on such a page are loaded by the host, so they come in as standing on a page, and off trial.
Prose between bullets is nobody's lesson and stays behind.
"""

from __future__ import annotations

import re

from tacit.core.digest import short_hash
from tacit.core.exchange import Opening, Row, Skipped
from tacit.core.memory import MAX_TEXT_BYTES, Memory
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tacit.core.exchange import Given, Judged
    from tacit.core.run import Run
    from tacit.formats.source import Source

    Item = Row | Given | Judged | Skipped

NAME = "markdown"
PARTS = {"page": "MEMORY.md"}
INBOX = "Inbox"
STANDING = ("stable", "canonical")  # what may stand on a page, beside what is pinned
# What a section's lines are, as classes every profile has a kind for; any other section holds facts.
KIND_OF = {
    "joel": "preference", "preferences": "preference", "user": "preference", "hard rules": "rule", "rules": "rule",
    "conventions": "rule", "security": "security", "pitfalls": "pitfall", "what works": "fix", "patterns": "fix",
    "commands": "command", "system architecture": "fact", "facts": "fact",
}  # fmt: skip
_DATE = re.compile(r"\((\d{4}-\d\d-\d\d)\)\s+")
_TITLE = re.compile(r"\*\*([^*\n]{1,200})\*\*\s{1,4}[—–:-]\s")
_ID = re.compile(r"\s{0,4}([\w.-]{1,80})\s{0,4}")


@value
class Line:
    """A bullet in its parts."""

    text: str
    date: str = ""
    title: str = ""
    id: str = ""

    @property
    def said(self) -> str:
        """What it tells, with its subject."""
        return f"{self.title} — {self.text}" if self.title and self.text else self.title or self.text


def parts(line: str) -> Line:
    """A bullet's text, and the date, title and id around it."""
    rest, id = line.strip(), ""
    if rest.endswith("-->") and (at := rest.rfind("<!--")) >= 0 and (named := _ID.fullmatch(rest[at + 4 : -3])):
        rest, id = rest[:at].rstrip(), named[1]
    dated = _DATE.match(rest)
    rest = rest[dated.end() :] if dated else rest
    titled = _TITLE.match(rest)
    text = rest[titled.end() :].strip() if titled else rest
    return Line(text, dated[1] if dated else "", titled[1].strip() if titled else "", id)


def detect(source: Source) -> float:
    """A page holds no run."""
    return 0.0


def read(source: Source) -> Iterator[Run]:
    """A page holds no run."""
    return iter(())


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
    for number, section, line in bullets(b"".join(source.lines()).decode("utf-8", "replace")):
        place = f"line:{number}"
        if len(line.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
            yield Skipped(place, f"a bullet of {len(line):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept")
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
            Memory(
                id="",
                project="",
                text=said,
                kind=KIND_OF.get(section.casefold(), "fact"),
                category=section,
                source="page",
                trust="imported",
                state="stable",
                on_page=True,
                created_at=at,
                extra={"section": section, "line": line, "title": found.title},
            ),
            alias=name if taken[name] == 1 else f"{name}-{taken[name]}",
            openings=(Opening("seen", 1, at),),
            place=place,
        )


def bullets(markdown: str) -> Iterator[tuple[int, str, str]]:
    """(line number, section, text) of each bullet; indented lines belong to the bullet above, fences to nobody."""
    section, start, held, fenced = "", 0, "", False
    for number, line in enumerate((*markdown.splitlines(), "#"), 1):
        mark = line.lstrip().startswith(("```", "~~~"))
        bullet = not fenced and not mark and line.startswith(("- ", "* "))
        if start and (bullet or mark or not line.strip() or not line[:1].isspace()):
            yield start, section, held
            start = 0
        if mark:
            fenced = not fenced
        elif bullet:
            start, held = number, line[2:].strip()
        elif start and not fenced:
            held = f"{held} {line.strip()}"
        elif not fenced and line.startswith("## "):
            section = line[3:].strip()


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


def name_for(memory: Memory, taken: Collection[str]) -> str:
    """Our own id: a page has no numbers."""
    return memory.id


def _stands(memory: Memory) -> bool:
    return memory.gate == "allow" and (memory.state in STANDING or memory.pinned)


def _section(memory: Memory) -> str:
    told = (memory.extra or {}).get("section")
    section = " ".join(told.split()) if isinstance(told, str) else ""
    return section or next((name.title() for name, kind in KIND_OF.items() if kind == memory.klass), INBOX)


def _line(row: Row) -> str:
    memory = row.memory
    came = memory.extra or {}
    line = came.get("line")
    if isinstance(line, str) and parts(line).said == memory.text:
        return line
    date = f"({memory.created_at[:10]}) " if memory.created_at else ""
    return f"{date}{' '.join(memory.text.split())} <!-- {row.alias or memory.id} -->"

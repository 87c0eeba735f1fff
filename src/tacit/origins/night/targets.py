"""Where lessons are written out for hosts and people: a block in somebody's file, or an origin's own page.

block   the lines between two markers in AGENTS.md, MEMORY.md or any file of theirs; not a byte outside of them changes
file    an origin's curated page: lines of ours among a person's own
agents  a file per agent

It goes one way. What somebody writes on a page is learned when they say so: `tacit data import MEMORY.md --trust user`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tacit.core.digest import short_hash
from tacit.core.page import PAGE_HEADING
from tacit.core.value import value
from tacit.lesson import Lesson

PAGE_NOTE = "Written by Tacit from its lessons. To change one: tacit edit, tacit drop."
BEGIN, END = f"<!-- tacit:begin: {PAGE_NOTE} -->", "<!-- tacit:end -->"
_HEAD = "Lessons from past runs"  # of a block
_BEGIN_MARK = re.compile(r"^[ \t]*<!-- tacit:begin\b[^\n]*-->[ \t]*\r?$", re.M)
_END = re.compile(r"^[ \t]*<!-- tacit:end\b[^\n]*-->[ \t]*\r?$", re.M)
_PLAIN = re.compile(r"[a-z0-9_]{1,60}(?:/[a-z0-9_]{1,60})?")
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


@value
class Target:
    """One place where lessons are kept: a file, or a pattern with `*` for a folder of them."""

    name: str
    kind: str

    @property
    def heading(self) -> str:
        """How a section begins there; empty where there are none."""
        return {"file": PAGE_HEADING, "block": "### ", "agents": PAGE_HEADING}.get(self.kind, "")


@value
class Sheet:
    """One file to be kept, and whose lessons stand in it."""

    path: str
    title: str
    memories: tuple[Lesson, ...]


@value
class Framed:
    """A file's text in three: only the middle is read and written."""

    before: str
    part: str
    after: str
    fault: str = ""  # why it cannot be told where ours begins and ends
    missing: bool = False  # there is no part of ours


def target_named(name: str, main: str, known: Mapping[str, str]) -> Target:
    """What a person means by a name: one of the profile's targets, its folder, or a block in a file of theirs."""
    plain = name.strip().replace("\\", "/").removeprefix("./").rstrip("/")
    for each, kind in {main: "file", **known}.items():
        if plain in (each, each.partition("/*")[0]):
            return Target(each, kind)
    return Target(plain, "block")


def sheets(
    target: Target, memories: Sequence[Lesson], title: str, kept: Sequence[Target]
) -> list[Sheet]:
    """The files of a target and who stands in them. `kept` are all targets: what has a file of its own is not repeated."""
    apart = "agents" in {each.kind for each in kept}
    if target.kind != "agents":
        mine = [m for m in memories if not (apart and m.agent and m.scope == "agent")]
        return [Sheet(target.name, _HEAD if target.kind == "block" else title, tuple(mine))]
    found: dict[str, list[Lesson]] = {}
    for memory in memories:
        if memory.agent and memory.scope == "agent":
            found.setdefault(memory.agent, []).append(memory)
    return [_agents_sheet(target, agent, found[agent]) for agent in sorted(found)]


def _agents_sheet(target: Target, agent: str, memories: Sequence[Lesson]) -> Sheet:
    name = _agents_file(agent, memories)
    return Sheet(target.name.replace("*", name, 1), f"{name.capitalize()} Memory", tuple(memories))


def _agents_file(agent: str, memories: Sequence[Lesson]) -> str:
    """The name of an agent's file: the one its lessons came from, or the agent's own."""
    came = [
        str((memory.extra or {}).get("file") or "").rpartition("/")[2].removesuffix(".md")
        for memory in memories
    ]
    named = (
        name
        for name in (*came, agent)
        if _AGENT.fullmatch(name) and name.replace("-", "_") == agent.replace("-", "_")
    )
    return next(named, "") or _slug(agent)


def _slug(name: str) -> str:
    """A file name for a group, readable and no other group's: a name out of a lesson is never a path."""
    if _PLAIN.fullmatch(name):
        return name.replace("/", "-")
    plain = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60]
    return f"{plain or 'group'}-{short_hash(name)[:4]}"


# --- what of a file is ours -------------------------------------------------------------------------------------------


def framed(text: str, kind: str) -> Framed:
    """A file's text in three. Of an origin's page everything is ours to read."""
    if kind == "block":
        return _block(text)
    return Framed("", text, "", missing=not text.strip())


def _block(text: str) -> Framed:
    begins, ends = list(_BEGIN_MARK.finditer(text)), list(_END.finditer(text))
    if not begins and not ends:
        return Framed(text, "", "", missing=True)
    if len(begins) != 1 or len(ends) != 1 or begins[0].start() > ends[0].start():
        return Framed(
            text,
            "",
            "",
            f"it has {len(begins)} begin and {len(ends)} end markers of Tacit, not one pair",
        )
    start, end = begins[0].end() + 1, ends[0].start()  # the marker's own line break belongs to it
    return Framed(text[:start], text[start:end], text[end:])


def opening(kind: str, title: str, before: str) -> tuple[str, str, str]:
    """What comes behind `before` in a file that has no part of ours yet: (lead, part, after)."""
    if kind == "block":
        return f"{chr(10) if before else ''}{BEGIN}\n", f"## {title}\n", f"{END}\n"
    return "", f"# {title}\n\n<!-- {PAGE_NOTE} -->\n", ""


def outside(frame: Framed) -> str:
    """A file without our block: as it was, where the block still stands at its end."""
    before = frame.before[: _BEGIN_MARK.search(frame.before).start()]  # type: ignore[union-attr]
    after = frame.after[_END.search(frame.after).end() :].removeprefix("\n")  # type: ignore[union-attr]
    if not after:
        before = before.removesuffix("\r\n" if frame.before.endswith("\r\n") else "\n")
    return before + after

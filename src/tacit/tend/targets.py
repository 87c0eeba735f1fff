"""Where lessons are written down for hosts and people: whole pages, blocks in somebody's file, a file per path or agent.

file    a page of its own, MEMORY.md: whatever a person writes into it stays
block   the lines between two markers in a file of theirs, AGENTS.md: not a byte outside of them changes
paths   a folder of rules, one file per group of paths, with front matter that Claude Code reads (`paths`)
globs   the same for Cursor (`description`, `globs`, `alwaysApply`)
agents  a file per agent, geas's agents/*.md
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.memory import Memory
from tacit.core.page import PAGE_HEADING
from tacit.core.value import value

FOLDERS = ("paths", "globs", "agents")
PAGE_NOTE = "Kept by Tacit. Edit freely: what you change, add or delete here is learned."
BEGIN, END = f"<!-- tacit:begin: {PAGE_NOTE} -->", "<!-- tacit:end -->"
_FILE_PREFIX = "tacit-"  # of our files in a folder of rules; no other file there is touched
_HEAD = "Lessons from past runs"  # of a block
_DEEP = 2  # folders deep that paths are grouped
LOOSE = "top"  # the group of files that lie in no folder
_BEGIN_MARK = re.compile(r"^[ \t]*<!-- tacit:begin\b[^\n]*-->[ \t]*\r?$", re.M)
_END = re.compile(r"^[ \t]*<!-- tacit:end\b[^\n]*-->[ \t]*\r?$", re.M)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*\r?$\n?", re.M | re.S)
_PLAIN = re.compile(r"[a-z0-9_]{1,60}(?:/[a-z0-9_]{1,60})?")
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_GROUP_PATH = re.compile(r"[\w.@+ -]{1,100}(?:/[\w.@+ -]{1,100}){0,30}/?")


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
    memories: tuple[Memory, ...]
    front: str = ""  # front matter
    facets: Mapping[str, Any] | None = (
        None  # what a line that is added here is about: an agent, paths
    )


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
    target: Target, memories: Sequence[Memory], title: str, kept: Sequence[Target]
) -> list[Sheet]:
    """The files of a target and who stands in them. `kept` are all targets: what has a file of its own is not repeated."""
    kinds = {each.kind for each in kept}
    if target.kind in ("file", "block"):
        apart = "agents" in kinds
        # Claude Code reads its rules beside CLAUDE.md; what has its paths there need not be read by every session.
        pathed = target.kind == "block" and "paths" in kinds and target.name.endswith("CLAUDE.md")
        mine = [
            m
            for m in memories
            if not (apart and m.agent and m.scope == "agent") and not (pathed and groups_of(m))
        ]
        return [Sheet(target.name, _HEAD if target.kind == "block" else title, tuple(mine))]
    found: dict[str, list[Memory]] = {}
    for memory in memories:
        agents = [memory.agent] if memory.agent and memory.scope == "agent" else []
        for group in agents if target.kind == "agents" else groups_of(memory):
            found.setdefault(group, []).append(memory)
    return [_sheet(target, group, found[group]) for group in sorted(found)]


def _sheet(target: Target, group: str, memories: Sequence[Memory]) -> Sheet:
    if target.kind == "agents":
        name = _agents_file(group, memories)
        title = f"{name.capitalize()} Memory"
        return Sheet(
            target.name.replace("*", name, 1),
            title,
            tuple(memories),
            facets={"agent": group, "scope": "agent"},
        )
    path = target.name.replace("*", f"{_FILE_PREFIX}{_slug(group)}", 1)
    globs = (
        [f"{group}/**"]
        if group != LOOSE
        else sorted({path for m in memories for path in m.paths if "/" not in path})
    )
    title = f"Lessons for {group}/" if group != LOOSE else f"Lessons for {', '.join(globs)}"
    about = {"paths": [f"{group}/"] if group != LOOSE else globs[:1]}
    return Sheet(path, title, tuple(memories), FRONTS[target.kind](title, globs), about)


def _agents_file(agent: str, memories: Sequence[Memory]) -> str:
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


def groups_of(memory: Memory) -> list[str]:
    """The folders that a lesson's paths lie in, at most two deep; `top` for files that lie in none."""
    plain = [path.removeprefix("./") for path in memory.paths]
    found = [
        path.split("/")
        for path in plain
        if _GROUP_PATH.fullmatch(path) and ".." not in path.split("/")
    ]
    return list(
        dict.fromkeys("/".join(parts[: min(_DEEP, len(parts) - 1)]) or LOOSE for parts in found)
    )


def _slug(name: str) -> str:
    """A file name for a group, readable and no other group's: a name out of a lesson is never a path."""
    if _PLAIN.fullmatch(name):
        return name.replace("/", "-")
    plain = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60]
    return f"{plain or 'group'}-{short_hash(name)[:4]}"


def _paths_front(title: str, globs: Sequence[str]) -> str:
    return "".join(("---\npaths:\n", *(f'  - "{each}"\n' for each in globs), "---\n"))


def _globs_front(title: str, globs: Sequence[str]) -> str:
    return f"---\ndescription: {title}, from past runs\nglobs: {','.join(globs)}\nalwaysApply: false\n---\n"


FRONTS = {"paths": _paths_front, "globs": _globs_front}


# --- what of a file is ours -------------------------------------------------------------------------------------------


def framed(text: str, kind: str) -> Framed:
    """A file's text in three. Of a page everything is ours to read; of a rule, all behind its front matter."""
    if kind == "block":
        return _block(text)
    if kind in FRONTS and (front := _FRONT_MATTER.match(text)):
        return Framed(front[0], text[front.end() :], "", missing=not text[front.end() :].strip())
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


def opening(kind: str, title: str, front: str, before: str) -> tuple[str, str, str]:
    """What comes behind `before` in a file that has no part of ours yet: (lead, part, after)."""
    if kind == "block":
        return f"{chr(10) if before else ''}{BEGIN}\n", f"## {title}\n", f"{END}\n"
    return front if not before else "", f"# {title}\n\n<!-- {PAGE_NOTE} -->\n", ""


def outside(frame: Framed) -> str:
    """A file without our block: as it was, where the block still stands at its end."""
    before = frame.before[: _BEGIN_MARK.search(frame.before).start()]  # type: ignore[union-attr]
    after = frame.after[_END.search(frame.after).end() :].removeprefix("\n")  # type: ignore[union-attr]
    if not after:
        before = before.removesuffix("\r\n" if frame.before.endswith("\r\n") else "\n")
    return before + after

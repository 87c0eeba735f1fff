"""When agents hear a lesson, in words."""

from __future__ import annotations

import re

from tacit.core.programs import ABOUT, acting, head_of
from tacit.core.standing import is_confirmed
from tacit.hooks.known import is_told_at_starts
from tacit.hooks.recalling import is_origins
from tacit.lesson import OWNER, Lesson, names_of
from tacit.memory import Memory as Memories
from tacit.screens.wording import BY_NOTICE

_FILE_NAME = re.compile(
    r"/[^/]*\.\w+$|^[^/]*\.(?:[a-z]\w{0,3}|jsonl|svelte|proto|swift|scala|gradle|ipynb)$"
)


def told_at_starts(memories: Memories, memory: Lesson) -> bool:
    """Whether every start tells a lesson, as far as there is room; the others are told at their moments."""
    return is_origins(memories.profile) or is_told_at_starts(memory)


def when_told(memories: Memories, memory: Lesson) -> str:
    """When agents of this project hear a lesson."""
    return moment_words(memory, told_at_starts(memories, memory))


def moment_words(memory: Lesson, at_start: bool, most: int = 3) -> str:
    """When agents hear it; of more than so many commands the rest is counted. Before one that only looks nothing is told."""
    if at_start:  # not every one has room for what is nobody's own word
        return "at every start" if memory.trust == OWNER or is_confirmed(memory) else "at starts"
    counted_at = (memory.extra or {}).get(ABOUT)
    spans = counted_at if isinstance(counted_at, dict) else memory.text.split("`")[1::2]
    spans = [] if memory.klass in ("command", "estimate") else spans
    heads = dict.fromkeys(head for span in spans if (head := head_of(span)))
    called = [
        each for each in heads if acting(each) and (memory.source == BY_NOTICE or " " in each)
    ]
    named = (
        name for name in names_of(memory.about) if " " in name and head_of(name) == name
    )  # no error's words
    commands = called or [name for name in named if acting(name)][:1]
    more = [f"{len(commands) - most + 1} other commands"] if len(commands) > most else []
    shown = [f"`{each}`" for each in commands[: most - 1 if more else most]] + more
    said = (
        [f"before {', '.join(shown[:-1])}{' or ' if shown[:-1] else ''}{shown[-1]}"]
        if commands
        else []
    )
    said += [
        f"before {path} is changed"
        for path in memory.paths
        if _FILE_NAME.search(path) and not path.startswith(".git/")
    ][:1]
    said += [] if commands and memory.source == BY_NOTICE else ["with a prompt about it"]
    return ", ".join(said[:-1]) + (", or " if said[:-1] else "") + said[-1]

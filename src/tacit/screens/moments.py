"""When agents hear a lesson, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.core.programs import ABOUT, acting, head_of
from tacit.hooks.known import is_told_at_starts
from tacit.hooks.recalling import is_origins
from tacit.lesson import Lesson, names_of
from tacit.memory import Memory as Memories
from tacit.screens.wording import AT_START, BY_NOTICE, MENTIONED

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
    if at_start:
        return AT_START
    commands = _commands(memory)
    more = [f"{len(commands) - most + 1} other commands"] if len(commands) > most else []
    shown = [f"`{each}`" for each in commands[: most - 1 if more else most]] + more
    said = [f"before {_listed(shown, ' or ')}"] if shown else []
    files = (path for path in memory.paths if not path.startswith(".git/"))
    said += [f"before {path} is changed" for path in files if _FILE_NAME.search(path)][:1]
    if not (commands and memory.source == BY_NOTICE):
        said.append(MENTIONED)
    return _listed(said, ", or ")


def _commands(memory: Lesson) -> list[str]:
    """The commands before which it is told."""
    counted_at = (memory.extra or {}).get(ABOUT)
    spans = counted_at if isinstance(counted_at, dict) else memory.text.split("`")[1::2]
    spans = () if memory.klass in ("command", "estimate") else spans
    heads = dict.fromkeys(head for span in spans if (head := head_of(span)))
    is_noticed = memory.source == BY_NOTICE
    called = [each for each in heads if acting(each) and (is_noticed or " " in each)]
    # no error's words
    named = (name for name in names_of(memory.about) if " " in name and head_of(name) == name)
    return called or [name for name in named if acting(name)][:1]


def _listed(words: Sequence[str], last: str) -> str:
    return last.join(filter(None, (", ".join(words[:-1]), words[-1])))

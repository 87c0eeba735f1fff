"""What a lesson is about, told by rules from its words and its record, where no reader said it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.core.programs import ABOUT, programs
from tacit.core.tables import Tables
from tacit.lesson import WAY, Lesson, joined

_tables = Tables(__file__)

# classes whose lessons are never about everything
ABOUT_SOMETHING = ("fix", "pitfall", "command", "estimate")
_WORK = _tables.pattern("_WORK", re.I)
_ORDER_OPENING = _tables.pattern("_ORDER")
_NAME = _tables.pattern("_NAME")
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_SENTENCE = _tables.words("_SENTENCE")
_SUBJECT_SPAN = re.compile(r"`([^`\n]{2,80})`")
_IN_EVERY_PROJECT = _tables.pattern("_IN_EVERY_PROJECT", re.I)


def subject_by_rules(memory: Lesson, quotes: Iterable[str] = ()) -> str:
    """A lesson's subject as its row, its words and the calls in its evidence tell it; empty
    where they do not."""
    names = dict.fromkeys((*_commands(memory, quotes), *_named(memory.text)))
    if memory.klass in ABOUT_SOMETHING or memory.signature:
        return joined("", names)
    code = [
        name for name in names if _NAME.fullmatch(name) and not _IN_EVERY_PROJECT.fullmatch(name)
    ]
    own_files = [
        path for path in memory.paths if not _IN_EVERY_PROJECT.fullmatch(path.rpartition("/")[2])
    ]
    is_order = memory.klass in ("rule", "security") or bool(_ORDER_OPENING.match(memory.text))
    if (
        not code
        and not own_files
        and (memory.klass == "preference" or (is_order and _WORK.search(memory.text)))
    ):
        return WAY
    return joined("", names) if code or own_files else ""


def _named(text: str) -> Iterable[str]:
    """Code spans that are names or calls, options, and names of code outside of spans."""
    for span in _SUBJECT_SPAN.findall(text):
        words = span.split()
        if len(words) == 1 or (words[0].isalnum() and programs(span)):
            yield " ".join(words[:3])
    yield from _OPTION.findall(text)
    yield from (found.rstrip("()") for found in _NAME.findall(text))


def _commands(memory: Lesson, quotes: Iterable[str]) -> Iterable[str]:
    """The commands that a noticed lesson knows it is about, and those that stand both in its
    text and in a call of its record; a quote may be a sentence instead, whose first word is no
    program."""
    known = (memory.extra or {}).get(ABOUT)
    if isinstance(known, dict):
        yield from map(str, known)
    for quote in quotes:
        for program in programs(quote):
            if (
                program not in _SENTENCE
                and program[:1].islower()
                and re.search(rf"(?<![\w-]){re.escape(program)}(?![\w-])", memory.text)
            ):
                yield program

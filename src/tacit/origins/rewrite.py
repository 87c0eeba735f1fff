"""What a model makes of a question: better words before the search, where that is worth asking.

A rewrite helps a long question and spoils a precise one: what is quoted, names a thing, or reads like a command is meant
as it stands. The search takes the words of both, so that no name is lost; whatever goes wrong, the question stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.core.errors import Unavailable
from tacit.core.value import Section, value
from tacit.origins.levels import Level

if TYPE_CHECKING:
    from tacit.core.ports import Model

_LONGEST = 4000  # characters of an answer that is a question; what is longer is prose
# Of a question that is not rewritten: characters, or characters and words, or its first word.
_FEW_WORDS, _SHORT, _SHORT_WORDS = 4, 24, 3
_COMMANDS = ("show", "find", "list", "get", "open")
_SIGNS = "/:.-"  # of a path, an id, a dotted name, a slug
_QUOTES = ('""', "''", "``", "“”", "„“", "«»")


@value
class Reworded:
    """What became of a question."""

    question: str  # what is searched for
    words: str = ""  # the model's, where they were taken
    reason: str = ""  # why not, otherwise


def reworded(
    question: str, settings: Section, level: Level, model: Callable[[], Model | None]
) -> Reworded:
    """The question with a model's words for it, where it is worth asking and the answer came in time."""
    why = skipped(question, settings) or ("" if is_enabled(level) else "skip.lean_budget")
    asked = None if why else model()
    if asked is None:
        return Reworded(question, reason=why or "no model")
    try:
        answer = asked.ask(prompt(question), timeout=settings.rewrite_timeout_s)
    except Unavailable as error:
        return Reworded(question, reason=getattr(error, "why", error.code))
    words = taken(answer, question, settings)
    if words == question:
        return Reworded(question, reason="no answer to use")
    return Reworded(f"{question} {words}", words)


def skipped(question: str, settings: Section) -> str:
    """Why a question is not rewritten; empty if it may be."""
    text = " ".join(question.split())[: settings.max_chars]
    words = text.split()
    if not words:
        return "skip.empty_query"
    if any(text[0] == pair[0] and text[-1] == pair[1] for pair in _QUOTES):
        return "skip.literal_query"
    if len(words) == 1 and any(sign in text for sign in _SIGNS):
        return "skip.direct_identifier"
    if words[0].lower() in _COMMANDS:
        return "skip.command_like"
    if len(text) < _FEW_WORDS:
        return "skip.short_query"
    if len(text) <= _SHORT and len(words) <= _SHORT_WORDS:
        return "skip.short_query"
    return ""


def is_enabled(level: Level) -> bool:
    """A lean answer is a quick one: it goes without."""
    return level.applied != "lean"


def prompt(question: str) -> str:
    """What a model is asked."""
    return (
        "Rewrite this search question into the words its answer would use: one line, at most 20 words, no explanation.\n"
        f"Question: {' '.join(question.split())[:300]}\n"
    )


def taken(answer: str, question: str, settings: Section) -> str:
    """The rewritten question; the question itself where the answer is none."""
    lines = [line.strip(" \"'`") for line in answer.strip().splitlines() if line.strip()]
    if len(lines) != 1 or not _FEW_WORDS <= len(lines[0]) <= min(settings.max_chars, _LONGEST):
        return question
    return lines[0]

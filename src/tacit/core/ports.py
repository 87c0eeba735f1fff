"""Models and their ledger, as conductors take them; for the type checker only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    Clock = Callable[[], str]
    Ids = Callable[[], str]

    class Model(Protocol):
        """Answers a prompt within a time limit, or raises Unavailable. The prompt is redacted before it leaves."""

        identity: str

        def ask(
            self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0
        ) -> str: ...

    class Ledger(Protocol):
        """What models have cost today and how they fared, shared by all processes of a store."""

        def now(self) -> str: ...

        def update(
            self, key: str, change: Callable[[str, int, int], str], counts: Mapping[str, int]
        ) -> None:
            """One transaction: a line of state changed by a function of it and of today's and this month's tokens, and events counted."""


# What a model answered, read with care: what is whole is taken, the rest is not there; nothing a
# model says can raise here.

# The first line of what a command is asked. A command may be an agent's host and keep a transcript, which is not to be learned.
TACIT_ASKS = "[tacit asks]"
MODEL_ANSWER_CHARS = 200_000  # characters that are read
TRIES = 100  # openings that lead nowhere, after which the rest is taken for prose
_DECODER = json.JSONDecoder(strict=False)


def decoded(said: str) -> Iterator[dict[str, Any]]:
    """The objects of an answer, out of prose, fences, and an answer that stops in the middle; a comma too many, as Python allows it,
    is passed over."""
    text = said.rpartition("</think>")[2][:MODEL_ANSWER_CHARS]
    mended = re.sub(r",(\s*[}\]])", r"\1", text)
    if mended != text and not _is_whole(text) and _is_whole(mended):
        text = mended
    at = tries = 0
    while tries < TRIES and (at := text.find("{", at)) >= 0:
        try:
            whole, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, tries = at + 1, tries + 1
            continue
        yield whole


def _is_whole(text: str) -> bool:
    """Whether the first object of a text can be read."""
    try:
        _DECODER.raw_decode(text, text.find("{"))
    except (ValueError, RecursionError):
        return False
    return True


def answer_rows(said: str) -> list[dict[str, Any]]:
    """The objects of an answer: those of the list that an outer object holds, or the objects themselves."""
    found: list[dict[str, Any]] = []
    for whole in decoded(said):
        lists = [held for held in whole.values() if isinstance(held, list)]
        found += [row for held in lists for row in held if isinstance(row, dict)] or [whole]
    return found


def answer_text(row: Mapping[str, Any], name: str, most: int = 2000) -> str:
    """A field as one line of text; empty where it is none."""
    at = row.get(name)
    return " ".join(at.split())[:most] if isinstance(at, str) else ""


def objects(name: str, fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON schema of an object that holds a list of objects, every field required: what strict servers want."""
    row = {
        "type": "object",
        "properties": dict(fields),
        "required": [*fields],
        "additionalProperties": False,
    }
    held = {"type": "array", "items": row}
    return {
        "type": "object",
        "properties": {name: held},
        "required": [name],
        "additionalProperties": False,
    }

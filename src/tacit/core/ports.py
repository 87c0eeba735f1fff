"""Models and their ledger, as conductors take them; for the type checker only. A store is `stores.sql.Store`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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


# What a model answered, read with care: the whole JSON objects in a text, whatever stands around them.
#
# Models wrap their JSON in prose and fences, think aloud before it, and stop in the middle. What is whole is taken, the rest
# is not there; nothing a model says can raise here.

# The first line of what a command is asked. A command may be an agent's host and keep a transcript, which is not to be learned.
TACIT_ASKS = "[tacit asks]"
MODEL_ANSWER_CHARS = 200_000  # characters that are read
TRIES = 100  # openings that lead nowhere, after which the rest is taken for prose


def answer_rows(said: str) -> list[dict[str, Any]]:
    """The objects of an answer: those of the list that an outer object holds, or the objects themselves."""
    text = said.rpartition("</think>")[2][:MODEL_ANSWER_CHARS]
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at = tries = 0
    while tries < TRIES and (at := text.find("{", at)) >= 0:
        try:
            whole, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, tries = at + 1, tries + 1
            continue
        inner = [
            row
            for held in whole.values()
            if isinstance(held, list)
            for row in held
            if isinstance(row, dict)
        ]
        found += inner or [whole]
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

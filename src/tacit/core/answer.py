"""What a model answered, read with care: the whole JSON objects in a text, whatever stands around them.

Models wrap their JSON in prose and fences, think aloud before it, and stop in the middle. What is whole is taken, the rest
is not there; nothing a model says can raise here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# The first line of what a command is asked. A command may be an agent's host and keep a transcript, which is not to be learned.
ASKED = "[tacit asks]"
LONGEST_ANSWER = 200_000  # characters that are read
TRIES = 100  # openings that lead nowhere, after which the rest is taken for prose


def answer_rows(said: str) -> list[dict[str, Any]]:
    """The objects of an answer: those of the list that an outer object holds, or the objects themselves."""
    text = said.rpartition("</think>")[2][:LONGEST_ANSWER]
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at = tries = 0
    while tries < TRIES and (at := text.find("{", at)) >= 0:
        try:
            whole, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, tries = at + 1, tries + 1
            continue
        inner = [row for held in whole.values() if isinstance(held, list) for row in held if isinstance(row, dict)]
        found += inner or [whole]
    return found


def answer_text(row: Mapping[str, Any], name: str, most: int = 2000) -> str:
    """A field as one line of text; empty where it is none."""
    at = row.get(name)
    return " ".join(at.split())[:most] if isinstance(at, str) else ""


def objects(name: str, fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON schema of an object that holds a list of objects, every field required: what strict servers want."""
    row = {"type": "object", "properties": dict(fields), "required": [*fields], "additionalProperties": False}
    held = {"type": "array", "items": row}
    return {"type": "object", "properties": {name: held}, "required": [name], "additionalProperties": False}

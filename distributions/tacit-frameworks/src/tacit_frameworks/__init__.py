"""Tacit inside agent frameworks, one module each: langgraph, anthropic, openai_agents, pydantic_ai.

A module imports its framework, and only that; this one imports none. All are thin: what a run is given and what it
tells goes through `memories.run`, what an agent keeps or asks by itself through `as_agent`. A framework's agents work
on threads of its choosing, so each call has a connection of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tacit.app import Memories
from tacit.core.errors import MissingExtra
from tacit.core.installation import bring
from tacit.core.trust import OUTSIDE, Actor

_AGENT = Actor("agent", "agent", "a framework's agent is not a person", OUTSIDE)


@contextmanager
def as_agent(memories: Memories) -> Iterator[Memories]:
    """The same memories for one call of an agent: a connection of its own, and an agent's trust."""
    own = memories.another()
    own.actor = _AGENT
    try:
        yield own
    finally:
        own.close()


def missing_framework(package: str, error: ImportError) -> MissingExtra:
    """The error for a framework that is not installed."""
    return MissingExtra(f"This integration needs {package} ({error}).", bring(package))

"""A person's terminal, what is typed at it, questions that wait, and the failure that a few sessions got over alike."""

from __future__ import annotations

import io
from typing import Any

from tacit.cli import called
from tacit.cli.verb import Cli
from tacit.core.digest import new_id
from tacit.core.journal import Hand, change
from tacit.core.proposal import Proposal
from tacit.core.value import replace
from tacit.lesson import Lesson
from tacit.testing import run, tool

MISSING = "Error: Cannot find module 'left-pad'"


class Screen(io.StringIO):
    """Keeps what is written; holds what is typed."""

    def isatty(self) -> bool:
        return True


def typed(env: dict[str, str], *args: str, code: int = 0) -> str:
    """What a command shows there, as one line."""
    out = Screen()
    assert called([*args], Cli({**env, "NO_COLOR": "1", "PAGER": "cat"}, out, out)) == code, (
        out.getvalue()
    )
    return " ".join(out.getvalue().split())


def ask(
    memories: Any, kind: str, reason: str, about: str = "", id: str = "", **payload: Any
) -> None:
    """Put a question that waits for the person."""
    project, at = memories.ensure_project().id, memories.now()
    with memories.store.write() as tx:
        tx.put_proposal(
            Proposal(id or new_id(), project, kind, reason, "learn", at, about, payload=payload)
        )


def put_as(
    tx: Any,
    memory: Lesson,
    verb: str,
    at: str = "",
    by: str = "ada",
    reason: str = "as it is",
    **now: Any,
) -> None:
    """Write a lesson as it is to be, by the verb that would have brought it there."""
    hand = Hand(by, at or memory.created_at)
    tx.apply(change(memory, replace(memory, **now), hand, verb=verb, reason=reason))


def learn_cure(memories: Any, *more: Any) -> None:
    """Three sessions that meet it, with what else they do."""
    cured = [tool("npm run test", error=MISSING), tool("npm ci"), tool("npm run test", "ok")]
    for n in range(3):
        memories.learn(run(f"r{n}", *cured, *more), over=True)

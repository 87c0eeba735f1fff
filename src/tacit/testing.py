"""Doubles that are real: a clock that moves when told, ids that count, builders for runs and lessons.

from tacit.testing import Clock, ids, run, user, tool

clock = Clock("2026-11-15T09:00:00.000Z")
learned = memories.learn(run("r1", user("No, use pnpm instead of npm in this repo.")))
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from tacit.core import clock as _clock
from tacit.core.links import Mark
from tacit.core.proposal import Proposal
from tacit.core.run import Finding, Run, Step
from tacit.memory import Memory as Memories
from tacit.opened import keys_path
from tacit.place.folders import make
from tacit.store.check import TRUTH, all_rows
from tacit.sync.shelf import Shelf


def signed(env: Mapping[str, str], name: str = "") -> dict[str, str]:
    """Surroundings in which a program acts as a person without a terminal: with a new key in their name, made in the home that is named."""
    return {**env, "TACIT_KEY": make(name or env.get("USER") or "user", keys_path(env))}


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: str = "2026-01-01T00:00:00.000Z") -> None:
        self.now = start

    def __call__(self) -> str:
        return self.now

    def advance(self, seconds: float = 0, *, days: float = 0) -> str:
        """Move on, and say what time it is."""
        self.now = _clock.stamp(_clock.seconds(self.now) + seconds + days * _clock.DAY)
        return self.now


class ids:
    """Ids that count: m000000000001, m000000000002 …"""

    def __init__(self, prefix: str = "m") -> None:
        self._prefix, self._next = prefix, count(1)

    def __call__(self) -> str:
        return f"{self._prefix}{next(self._next):0{12 - len(self._prefix)}d}"


class Scripted:
    """A model that says what it is told to: texts in their order, the last one for ever; an error among them is raised."""

    identity = "scripted"

    def __init__(self, *answers: str | Exception) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def ask(
        self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0
    ) -> str:
        """The next answer."""
        self.asked.append(prompt)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def user(text: str, *, at: str = "", place: str = "") -> Step:
    """Something typed at the keyboard."""
    return Step("user", place or f"user:{text[:20]}", text=text, at=at, typed=True)


def tool(
    command: str,
    output: str = "",
    *,
    error: str = "",
    status: int | None = None,
    at: str = "",
    place: str = "",
) -> Step:
    """A shell command and its answer; with an error it failed."""
    code = status if status is not None else (1 if error else 0)
    return Step(
        "tool",
        place or f"tool:{command[:20]}",
        tool="Bash",
        input={"command": command},
        output=output,
        error=error,
        status=code,
        at=at,
    )


def say(text: str, *, at: str = "") -> Step:
    """Something the agent said."""
    return Step("assistant", f"say:{text[:20]}", text=text, at=at)


def run(id: str, *parts: Step | Finding, host: str = "neutral", **fields: Any) -> Run:
    """A run of these steps and findings, over unless said otherwise."""
    steps = tuple(part for part in parts if isinstance(part, Step))
    numbered = tuple(
        Step(**{**step.__dict__, "place": f"step:{n}"}) for n, step in enumerate(steps)
    )
    findings = tuple(part for part in parts if isinstance(part, Finding))
    return Run(
        **{
            "id": id,
            "host": host,
            "steps": numbered,
            "findings": findings,
            "complete": True,
            **fields,
        }
    )


def finding(
    run: str,
    text: str,
    *,
    place: str = "",
    by: str = "guardian",
    tier: str = "review",
    **fields: Any,
) -> Finding:
    """A reviewer's finding in a run."""
    return Finding(
        run=run, place=place or f"finding:{text[:30]}", text=text, by=by, tier=tier, **fields
    )


def live(memories: Memories) -> None:
    """Let a store see something of everything: lessons of every fate, runs with findings, an injection that a later run settled,
    a proposal, a name, a grave, a count, a line for the team; no table stays empty."""
    first = memories.add(
        "Run make migrate before the tests; é, 日本, =1+1.",
        tags=["db"],
        paths=["src/db.py"],
        alias="m-001",
    )
    memories.add("Prefer small commits.", kind="preference")
    gone = memories.add("Deploy on Fridays is fine, says nobody at all.")
    secret = memories.add("The launch word is zebra-stripes-everywhere.")
    shared = memories.add("Global: never print a stack trace to users.", scope="global")
    memories.edit(
        first.id, text="Run make migrate before the tests, and after a pull.", reason="learned more"
    )
    memories.keep(shared.id, always=True)
    memories.drop(gone.id, reason="wrong")
    memories.drop(secret.id, erase=True)
    for name in ("r1", "r2"):
        memories.learn(
            run(
                name,
                user("No, use pnpm instead of npm in this repo."),
                tool("npm test", error="Error: Cannot find module 'left-pad'"),
                tool("pnpm install left-pad"),
                tool("npm test"),
            )
        )
    memories.inject("make the database tests pass", run="r3")
    memories.learn(
        run(
            "r3",
            tool("make test", error="relation users does not exist"),
            tool("make migrate"),
            tool("make test"),
        )
    )
    store, project, at = memories.store, memories.project_id, memories.now()
    with store.write() as tx:
        tx.put_proposal(
            Proposal(
                "prop00000001",
                project,
                "archive",
                "no difference",
                "tend",
                at,
                memory=first.id,
                payload={"a": [1, "ü"]},
            )
        )
        tx.bury("r9", "line:1", project, "rejected", at)
        tx.add_mark(Mark(first.id, "", project, "helped", amount=1.0, at=at))
        tx.put_meta(f"tend:{project}:tended", at)
        tx.count(project, "skipped line", at)
    Shelf(memories.work, "laptop").say()


def content(store: Any) -> dict[str, list[Any]]:
    """All truth rows of a store, by table: what must be equal after a move."""
    with store.snapshot():
        return {name: all_rows(store, name) for name in TRUTH}

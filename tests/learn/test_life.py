"""A whole life of a store, step by step, for each way of remembering: what learning, asking, deciding and tending answered, and every row in the end.

Clock, ids and coins are fixed, so the life is the same each time; lives/PROFILE.jsonl says what it was. After a change that is meant:
LIVES=write python -m pytest tests/learn/test_life.py, and read the difference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.recorded_lives import answer_of, fix_draws, is_as_recorded

from tacit.app import open as open_memories
from tacit.core.profile import profile_id
from tacit.core.run import Cost, Run
from tacit.core.value import replace
from tacit.testing import Clock, content, finding, run, say, tool, user

LIVES = Path(__file__).with_name("lives")
NULL = "API handlers return 500 because the response of the payment service is not checked for null"
MIGRATE = "Run make migrate before the tests on a fresh database"
REFUSED = "Exit code 1\npsycopg.OperationalError: connection to server at 127.0.0.1, port 5432 failed: Connection refused"
LINT = "src/app.ts:3:5: error TS2322: Type 'string' is not assignable to type 'number'."

QUESTIONS = (
    "how do I run the tests",
    "fresh database migrate",
    "npm or pnpm",
    "close the socket",
    "xyzzy",
)


def runs() -> Iterator[Run]:
    """Twenty pieces of work: wishes, failures and their cures, findings of reviewers, retries, sub-agents, secrets, attacks."""
    made = {"user": user, "say": say, "tool": tool}
    for told in map(
        json.loads, Path(__file__).with_name("life.jsonl").read_text(encoding="utf-8").splitlines()
    ):
        id, parts = told.pop("id"), []
        for kind, given, *more in told.pop("parts"):
            named = {
                name: tuple(it) if isinstance(it, list) else it
                for each in more
                for name, it in each.items()
            }
            parts.append(
                finding(id, *given, **named) if kind == "finding" else made[kind](*given, **named)
            )
        spent = {"cost": Cost(*told.pop("cost"))} if "cost" in told else {}
        yield run(
            id,
            *parts,
            **{name: tuple(it) if isinstance(it, list) else it for name, it in told.items()},
            **spent,
        )


def life(profile: str, folder: Path) -> Iterator[tuple[str, Any]]:
    """What each step answered."""
    clock = Clock("2026-01-01T08:00:00.000Z")
    with open_memories(profile=profile, now=clock) as memories:
        (folder / "CLAUDE.md").write_text("Run `npm test` before you commit.\nUse spaces.\n")

        def step(name: str, done: Callable[..., Any], *args: Any, **named: Any) -> tuple[str, Any]:
            clock.advance(90)
            return name, answer_of(done, *args, **named)

        def found(question: str, limit: int) -> list[tuple[str, float]]:
            return [
                (hit.memory.id, hit.score) for hit in memories.recall(question, limit=limit).hits
            ]

        add, learn, review, migrate = (
            memories.add,
            memories.learn,
            memories.review,
            tool("make migrate"),
        )
        yield step(
            "add", add, "Restart the worker after each deploy", tags=["ops"], paths=["deploy/x.sh"]
        )
        yield step("add", add, "Prefer small commits.", kind="preference")
        yield step("add", add, "Deploy on Fridays is fine, says nobody at all.")
        for number, each in enumerate(runs()):
            asked = {
                "files": ("src/db.py",),
                "errors": (REFUSED,) if number % 3 == 0 else (),
                "agent": each.agent,
            }
            task, outcome = (
                each.task or "make the database tests pass",
                "success" if number % 2 else "failure",
            )
            for name in (f"g{number}", f"h{number}"):
                yield step(
                    f"inject {name}",
                    memories.inject,
                    task,
                    run=name,
                    task_type=each.task_type,
                    **asked,
                )
            yield step(f"learn {each.id}", learn, each)
            used = run(
                f"g{number}",
                tool("make test", error=REFUSED),
                migrate,
                tool("make test"),
                outcome=outcome,
            )
            yield step(f"learn g{number}", learn, replace(used, host="library"))
            clock.advance(days=1.5)
        known = [memory.id for memory in memories.list(limit=200)]
        for word, id in zip(("helped", "wrong", "outdated", "good"), known):
            yield step(f"feedback {word}", memories.feedback, id, word, reason="seen")
        yield step(
            "submit",
            memories.submit,
            "The cache must be warmed before the load test",
            run="s1",
            kind="fix",
        )
        for limit, question in enumerate(QUESTIONS, start=1):
            yield step(f"recall {question}", found, question, limit)
        yield step("tend", memories.tend)
        for proposal in memories.proposals()[:6]:
            yield step(
                "review",
                review,
                proposal.id,
                "approve" if len(proposal.reason) % 2 else "reject",
                reason="so",
            )
        for id, decision in zip(
            known, ("approve", "open", "reject", "merge", "close", "edit", "unmerge", "approve")
        ):
            named = {"merge": {"into": known[0]}, "edit": {"text": f"{MIGRATE}, always"}}.get(
                decision, {}
            )
            yield step(f"review {decision}", review, id, decision, reason="looked", **named)
        yield step(
            "edit",
            memories.edit,
            known[0],
            text="Restart every worker after each deploy",
            reason="more",
        )
        yield step("pin", memories.pin, known[1])
        yield step("forget", memories.forget, known[-1], reason="wrong")
        yield step("undo", memories.undo)
        clock.advance(days=120)
        yield step("tend", memories.tend)
        yield step("inject", memories.inject, "deploy the worker", run="last")
        for table, rows in content(memories.store).items():
            for row in rows if table not in ("profile", "seal", "meta") else ():
                shown = ["bytes" if isinstance(each, bytes) else each for each in row]
                yield (
                    table,
                    json.loads(json.dumps(shown).replace(profile_id(memories.profile), "PROFILE")),
                )


@pytest.mark.file_only("rows are compared as a file has them")
@pytest.mark.parametrize("profile", ["default", "archeflow"])
def test_a_life_is_as_it_was(profile: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer and every row, in their order."""
    fix_draws(monkeypatch)
    is_as_recorded(LIVES / f"{profile}.jsonl", folder, life(profile, folder))

"""A store of lessons of every sort, asked in every way, under each profile: what was found, in which order, why the rest was left out, and what was recorded.

asked/PROFILE.jsonl says what it was. After a change that is meant: LIVES=write python -m pytest tests/recall/test_asked.py, and read the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.recorded_answers import encoded
from tests.recorded_lives import is_as_recorded

from tacit.core.errors import TacitError
from tacit.core.memory import Memory, Tally
from tacit.core.proposal import Proposal
from tacit.core.rows import scope_projects
from tacit.origins.ralph.knowledge import Knowledge
from tacit.profiles import BUILT_IN
from tacit.recall import AskingRun, Query
from tacit.recall.answering import explain
from tacit.testing import content

ASKED = Path(__file__).with_name("asked")
NOW = "2026-11-15T12:00:00.000Z"
DAYS = ("2026-11-15", "2026-11-01", "2026-10-16", "2026-08-17", "2025-11-15")
TEXTS = (
    "Run make migrate before the tests on a fresh database",
    "Close the socket of the billing module before it returns",
    "Use pnpm, not npm, to install packages in this repository",
    "The payment service answers 500 when cache_dir is missing from settings.toml",
    "Restart the worker after each deploy, otherwise the old queue is read",
    "psycopg.OperationalError: connection refused means that docker compose up -d db was forgotten",
    "Types of the client are generated: edit schema.graphql, never src/gen.ts by hand, because the next build of the client writes that file anew",
    "Prefer small commits",
)
REFUSED = "psycopg.OperationalError: connection to server at 127.0.0.1, port 5432 failed: Connection refused"
LONG = "\n".join(
    f"Step {n}: the {word} of the database is slow in the tests of make"
    for n, word in enumerate(
        "index table cache queue worker socket module package client build".split()
    )
)


def lessons(make: Callable[..., Memory]) -> Iterator[Memory]:
    """Forty lessons, in which each facet has each of its values with several others."""
    figures: tuple[dict[str, float] | None, ...] = (
        None,
        {"frequency": 3.0, "recalls": 2.0},
        {"success_rate": 0.9, "units": 31.0},
        {"gone": 1.0},
        {"echo": 0.4, "untold": 5.0},
    )
    for n in range(40):
        day = f"{DAYS[n % 5]}T0{n % 10}:00:00.000Z"
        yield make(
            f"{TEXTS[n % 8]}{('', '.', ' as well', ' and in src/db.py', ' (see #12)')[n % 5]}",
            id=f"m{n:011d}",
            project=("p", "p", "p", "@global", "p", "@agent", "other")[n % 7],
            state=(
                "provisional",
                "stable",
                "canonical",
                "provisional",
                "candidate",
                "decayed",
                "under_review",
                "stable",
                "archived",
            )[n % 9],
            gate=(
                "allow",
                "allow",
                "allow",
                "allow",
                "hold",
                "allow",
                "quarantine",
                "allow",
                "allow",
                "allow",
                "discard",
            )[n % 11],
            kind=("pitfall", "fix", "convention", "estimate", "antipattern", "pattern", "rule")[
                n // 2 % 7
            ],
            klass=("pitfall", "fix", "preference", "estimate", "pitfall", "fact", "rule")[
                n // 2 % 7
            ],
            trust=("observed", "user", "agent", "review", "imported")[n // 3 % 5],
            severity=("info", "bug", "warning")[n % 3],
            scope=("project", "global", "agent")[n // 5 % 3],
            agent=("", "", "", "tester")[n % 4],
            domain=("", "web", "general")[n // 2 % 3],
            task_type=("", "", "test", "bug")[n // 3 % 4],
            category=("", "bug", "style")[n // 4 % 3],
            tags=((), ("database",), ("deploy", "worker"))[n % 3],
            paths=((), ("src/db.py",), (), ("src/gen.ts", "src/app.ts"))[n // 2 % 4],
            signature=("", "", REFUSED.replace("127.0.0.1", "<ip>"))[n % 3] if n % 8 == 5 else "",
            pinned=n % 13 == 3,
            on_page=n % 17 == 5,
            verdict=("not yet known", "helps", "not yet known", "no difference", "harms")[
                n // 4 % 5
            ],
            stale_at=NOW if n % 10 == 9 else "",
            superseded_by="m00000000001" if n == 30 else "",
            source=("", "user", "sage", "trickster")[n % 4],
            extra=(
                None,
                {"word": "said"},
                {"content": {"complexity": "high", "examples": ["src/db.py", "a.ts"]}},
                {"word": "shown"},
            )[n % 4],
            created_at=day,
            updated_at=day,
            tally=Tally(
                n % 6,
                n % 4,
                n % 3,
                n % 2,
                n % 5 // 4,
                (None, 0.3, 0.6, 0.95)[n % 4],
                (None, 0.2, 0.8)[n % 3],
                day if n % 6 else None,
                day if n % 4 else None,
                figures[n % 5],
            ),
        )


def at_odds(make: Callable[..., Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Pairs that say opposite things; what decides between them is another opinion for each."""
    day = f"{DAYS[2]}T00:00:00.000Z"
    opinions: tuple[dict[str, Any], ...] = (
        {"pinned": True},
        {"trust": "user"},
        {"verdict": "helps"},
        {"klass": "rule"},
        {"scope": "agent"},
        {"tally": Tally(3, belief=0.7)},
        {"created_at": NOW},
        {"kind": "risk_pattern"},
        {"paths": ("src/gone.py",)},
        {"tags": ("queue",)},
    )
    for n, fields in enumerate(opinions):
        usual = {"created_at": day, "updated_at": day, "scope": "project", "trust": "observed"}
        one = make(
            f"Always flush queue{n} before a restart",
            id=f"o{n:011d}",
            **{**usual, **(fields if n % 2 else {})},
        )
        other = make(
            f"Never flush queue{n} before a restart",
            id=f"q{n:011d}",
            **{**usual, **({} if n % 2 else fields)},
        )
        yield one, other


def turns(make: Callable[..., Memory]) -> Iterator[Memory]:
    """Lessons that stand in a row, as the turns of a conversation do, and such as were met in a task."""
    for n, said in enumerate(
        (
            "the export is slow",
            "it was the missing index",
            "we added one for orders",
            "now it is fast",
        )
    ):
        where = {"group": "g1"} if n < 3 else {"task": "speed up the export of orders"}
        yield make(
            f"On Monday {said}", id=f"t{n:011d}", extra={"met_in": where}, paths=("src/export.py",)
        )


def answers(world: Any, make: Callable[..., Memory]) -> Iterator[tuple[str, Any]]:
    """Each question and what came of it."""

    def said(name: str, done: Callable[..., Any], *args: Any, **named: Any) -> tuple[str, Any]:
        try:
            return name, encoded(done(*args, **named))
        except TacitError as error:
            return name, f"{type(error).__name__}: {error}"

    def told(*args: Any, **named: Any) -> Any:
        got = world.recall(*args, **named)
        hits = [[hit.memory.id, round(hit.score, 6), hit.mark] for hit in got.hits]
        left = [[each.id, each.reason, round(each.score, 6)] for each in got.dropped]
        return [hits, got.level, left, got.run, got.note]

    every = list(lessons(make))
    world.put(*every)
    for n, each in enumerate(every[:8]):
        world.seen(each.id, *(f"s{k}" for k in range(n % 4)), at=f"{DAYS[1]}T00:00:00.000Z")
    for text in TEXTS[::2]:
        yield said("recall", told, text, limit=6)
    database = "why do the database tests fail on a fresh checkout"
    for named in (
        {"limit": 0},
        {"limit": 1},
        {"limit": 2},
        {"limit": 50},
        {"limit": 9, "min_score": 0.0},
        {"min_score": 0.6},
        {"include_held": True},
        {"include_stale": True, "limit": 20},
        {"include_held": True, "person": False},
        {"person": False, "agent": "tester"},
        {"agent": "tester"},
        {"domain": "web"},
        {"task_type": "test"},
        {"category": "bug"},
        {"kind": "fix"},
        {"as_of": "2026-10-20T00:00:00.000Z"},
        {"as_of": "2026-11-10T00:00:00.000Z", "limit": 3},
        {"errors": (REFUSED,)},
        {"files": ("src/db.py", "src/gen.ts")},
        {"level": "lean"},
        {"level": "deep"},
        {"asking": AskingRun("q1")},
        {"risk": "high"},
    ):
        yield said(f"recall {', '.join(named)}", told, database, **named)
    yield said("recall", told, LONG, limit=4)
    yield said("recall", told, "", errors=(REFUSED,))
    yield said("recall", told, "")
    yield said("recall", told, "xyzzy")
    for number, named in enumerate(
        (
            {},
            {},
            {"repeat": True},
            {"files": ("src/db.py",)},
            {"errors": (REFUSED,)},
            {"agent": "tester"},
            {"main": True},
            {"trial": False},
            {"level": "lean"},
            {"level": "deep"},
            {"domain": "web"},
            {"task_type": "bug"},
            {"command": "make migrate"},
            {"command": "npm test"},
            {"wrap": False},
            {"exists": lambda path: path != "src/db.py"},
            {"root": "r0", "context": "sub"},
            {"model": "claude-x", "host": "claude-code"},
            {"event": "e1"},
            {"event": "e1"},
            {"risk": "critical"},
            {"mission": "m", "task_id": "t"},
        )
    ):
        yield said(f"inject {number}", world.inject, database, run=f"r{number // 3}", **named)
    yield said("inject", world.inject, LONG, run="long")
    yield said("inject", world.inject, "", run="nothing")
    for each in every[1:4]:
        for question in ("", f"{database} {TEXTS[3]}"):
            query = Query(question, files=("src/db.py",) if question else ())
            yield said(
                "explain",
                explain,
                world.store,
                scope_projects("p"),
                world.profile,
                each,
                query,
                now=NOW,
            )
    known = Knowledge(world.store, "p", world.profile, NOW)
    for kind in ("", "fix", "convention"):
        yield said(
            "query",
            lambda **named: [each.id for each in known.query(**named)],
            kind=kind,
            min_confidence=0.3,
        )
    yield said(
        "query",
        lambda: [each.id for each in known.query(task_type="test", min_success=0.5, limit=3)],
    )
    for complexity in ("", "high", "low"):
        yield said(
            "estimate", lambda word: getattr(known.estimate("", word), "id", None), complexity
        )
    for files in ((), ("db.py",), ("nowhere",)):
        yield said(
            "conventions", lambda names: [each.id for each in known.conventions(names)], files
        )
    for errors in ((), ("Socket",), ("", "socket", "module")):
        yield said(
            "antipatterns",
            lambda seen: [(at.id, score) for at, score in known.antipatterns(seen)],
            errors,
        )
    yield said(
        "antipatterns",
        lambda: [(at.id, score) for at, score in known.antipatterns(task="fix the bug")],
    )
    for limit in (None, 0, 3):
        yield said(
            "top",
            lambda most: [(at.id, score) for at, score in known.top(database, limit=most)],
            limit,
        )
    yield said("statistics", known.statistics)
    yield said(
        "statistics of nothing", Knowledge(world.store, "nobody", world.profile, NOW).statistics
    )
    pairs = list(at_odds(make))
    world.put(*(each for pair in pairs for each in pair), *turns(make))
    with world.store.write() as tx:
        for n, (one, other) in enumerate(pairs):
            kind, payload = (
                ("contradiction" if n != 9 else "merge"),
                ({"other": other.id} if n != 8 else None),
            )
            tx.put_proposal(
                Proposal(
                    f"c{n}",
                    "p",
                    kind,
                    "they disagree",
                    "match",
                    NOW,
                    memory=one.id,
                    payload=payload,
                )
            )
    for n in range(0, len(pairs), 3):
        yield said(
            f"at odds {n}",
            world.inject,
            f"flush queue{n} before a restart",
            run=f"o{n}",
            trial=False,
            wrap=False,
        )
    for question in ("speed up the export of orders", "why was the export slow on Monday"):
        yield said("turns", told, question, limit=4, min_score=0.0)
        yield said(
            "turns",
            world.inject,
            question,
            run=f"{question} now",
            trial=False,
            exists=lambda path: False,
        )
    for table, rows in content(world.store).items():
        if table in ("use", "mark"):
            for row in rows:
                yield table, ["bytes" if isinstance(each, bytes) else each for each in row]


@pytest.mark.file_only("rows are compared as a file has them")
@pytest.mark.parametrize("profile", BUILT_IN)
def test_every_question_is_answered_as_it_was(
    profile: str, world_of: Callable[..., Any], make: Callable[..., Memory]
) -> None:
    """Question by question, then the rows that asking left behind."""
    is_as_recorded(ASKED / f"{profile}.jsonl", ASKED, answers(world_of(profile), make))

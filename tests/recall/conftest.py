"""What the tests of recall share: a store in memory with a project, and lessons to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tacit.core import edits
from tacit.core.journal import Hand
from tacit.core.links import Evidence
from tacit.core.profile import Profile, profile_id, to_json
from tacit.core.rows import Project
from tacit.core.value import replace
from tacit.hooks.answer import Recalled, recall
from tacit.hooks.events import AskingRun, Injection, Query
from tacit.hooks.record import NO_LIMIT, tell
from tacit.hooks.render import by_profile, renderer_named
from tacit.lesson import Lesson, Tally
from tacit.origins import giving, named
from tacit.origins.levels import level_for
from tacit.store.reads import Store
from tacit.store.writes import open_store

NOW = "2026-11-15T12:00:00.000Z"


def lesson(text: str = "Run make migrate before the tests.", **fields: Any) -> Lesson:
    """A lesson that may be given, unless the fields say otherwise."""
    usual = {
        "project": "p",
        "state": "active",
        "kind": "pitfall",
        "klass": "pitfall",
        "trust": "observed",
    }
    made = {"id": f"m{next(_numbers):011d}", "created_at": NOW, "updated_at": NOW}
    return Lesson(text=text, **{**usual, **made, **fields})


_numbers = count(1)


class World:
    """A store, its project and its profile."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self.store = store
        self.profile = profile
        version = profile_id(profile)
        self.project = Project("p", "p", "", "", "", version, b"k" * 32, 0, NOW)
        with store.write() as tx:
            tx.put_profile(version, to_json(profile))
            for id in ("p", "@global", "@agent", "other"):
                tx.put_project(replace(self.project, id=id, name=id))
        self.ids = (f"nonce{number}" for number in count())

    def put(self, *memories: Lesson) -> list[str]:
        """Keep lessons, with their tallies."""
        with self.store.write() as tx:
            for memory in memories:
                tx.apply(edits.made(memory, Hand("ada", memory.created_at), reason="said so"))
                if memory.tally != Tally():
                    tx.put_tally(memory.id, memory.tally)
        return [memory.id for memory in memories]

    def seen(self, memory: str, *runs: str, at: str = NOW) -> None:
        """Let runs see a lesson."""
        with self.store.write() as tx:
            for run in runs:
                tx.add_evidence(Evidence(memory, "p", run, run, place=run, at=at))

    def inject(self, task: str = "", *, run: str = "r1", **named: Any) -> Injection:
        """What `run` is told."""
        options = {name: named.pop(name) for name in list(named) if name in _OPTIONS}
        asking = AskingRun(
            run, **{name: named.pop(name) for name in list(named) if name in _ASKING}
        )
        query, profile = Query(task=task, **named), self.profile
        level, renderer, wrap = (options.pop(name, None) for name in ("level", "renderer", "wrap"))
        words = {"renderer": renderer or "", "wrap": wrap}
        renderer_named(renderer or profile.render.renderer)

        def word(told: Any, nonce: str, again: bool) -> str:
            whole = {each.id: each for each in self.store.memories([e.memory.id for e in told])}
            told = [replace(each, memory=whole[each.memory.id]) for each in told]
            return by_profile(told, profile, nonce, again=again, **words)

        return tell(
            self.store,
            self.project,
            query,
            asking,
            now=NOW,
            settings=profile.trial,
            ids=lambda: next(self.ids),
            once=profile.trust.once,
            most=getattr(profile.budget, level) if level else NO_LIMIT,
            choose=chooser_of(self.store, self.project, profile, query, {**words, "level": level}),
            word=word,
            **options,
        )

    def recall(self, task: str, **named: Any) -> Recalled:
        """What is known about a question."""
        facets = {name: named.pop(name) for name in list(named) if name in Query.FIELDS}  # type: ignore[attr-defined]
        limit, floor = named.pop("limit", None), named.pop("min_score", None)
        size = level_for(self.profile, "", task)
        if not self.profile.budget.start_tokens:
            named["order"] = giving.order(self.profile, NOW)
        return recall(
            self.store,
            self.project,
            self.profile,
            Query(task=task, **facets),
            now=NOW,
            most=size.most if limit is None else limit,
            floor=floor or 0.0,
            **named,
        )


def chooser_of(
    store: Store, project: Project, profile: Profile, query: Query, how: dict[str, Any]
) -> Any:
    """What an origin's profile puts in the place of plain selection."""
    if profile.budget.start_tokens:
        return None
    asked = {name: how.get(name) or "" for name in ("level", "renderer")}
    return giving.chooser(store, project, profile, query, now=NOW, wrap=how.get("wrap"), **asked)


_ASKING = ("host", "root", "event", "model", "context", "surface")
_OPTIONS = ("level", "renderer", "wrap", "trial", "repeat", "exists")


@pytest.fixture
def make() -> Callable[..., Lesson]:
    """A lesson that may be given, unless the fields say otherwise."""
    return lesson


@pytest.fixture
def world() -> Iterator[World]:
    """The default profile over an empty store."""
    with open_store(":memory:") as store:
        yield World(store, named("default"))


@pytest.fixture
def world_of() -> Iterator[Callable[..., World]]:
    """A fresh world under a profile, as often as a test needs one."""
    opened: list[Store] = []

    def open_world(profile: Profile | str = "default") -> World:
        opened.append(open_store(":memory:"))
        return World(opened[-1], named(profile) if isinstance(profile, str) else profile)

    yield open_world
    for store in opened:
        store.close()

"""Nothing that may not be given is given, whatever the store holds and however it is asked (design §4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recall.conftest import chooser_of

from tacit.core import edits
from tacit.core.digest import new_id
from tacit.core.errors import Unavailable
from tacit.core.journal import Hand
from tacit.core.profile import Profile, profile_id, to_json, with_values
from tacit.core.rows import Project
from tacit.core.states import STATES
from tacit.core.value import replace
from tacit.hooks.answer import recall
from tacit.hooks.events import AskingRun, Query
from tacit.hooks.record import NO_LIMIT, tell
from tacit.lesson import GATE_ANSWERS, VERDICTS, Lesson, Tally
from tacit.origins import named
from tacit.store.reads import Store
from tacit.store.writes import open_store

NOW = "2026-11-15T12:00:00.000Z"
WORDS = st.lists(
    st.sampled_from("queue worker disk lock the of 日本 ü src/a.py AND NOT \" ' ( * NEAR".split()),
    max_size=6,
)
PROFILES = ["default", "archeflow", "ralph", "geas", "joelclaw"]

lessons = st.builds(
    dict,
    text=WORDS.map(" ".join).filter(str.strip),
    project=st.sampled_from(["p", "p", "p", "other", "@global", "@agent"]),
    state=st.sampled_from(STATES + ("active",) * 6),
    gate=st.sampled_from((*GATE_ANSWERS, *["allow"] * 5)),
    verdict=st.sampled_from((*VERDICTS, *["not yet known"] * 4)),
    superseded_by=st.sampled_from(["", "", "", "m9"]),
    klass=st.sampled_from(["preference", "rule", "pitfall", "fix", "security"]),
    pinned=st.booleans(),
    on_page=st.booleans(),
    signature=st.sampled_from(["", "", "Error: <q>"]),
    stale_at=st.sampled_from(["", NOW]),
    seen=st.integers(0, 9),
)
queries = st.builds(
    Query,
    task=st.one_of(st.just(""), WORDS.map(" ".join), st.text(max_size=40)),
    files=st.sampled_from([(), ("src/a.py",)]),
    errors=st.sampled_from([(), ("Error: 'x'",)]),
    agent=st.sampled_from(["", "tester"]),
    domain=st.sampled_from(["", "code"]),
)


def allowed(memory: Lesson) -> bool:
    """The rule in the design's own words."""
    return (
        memory.project in ("p", "@global", "@agent")
        and memory.state == "active"
        and memory.gate == "allow"
        and memory.verdict != "harms"
        and memory.superseded_by == ""
    )


def filled(
    store: Store, profile: Profile, given: list[dict[str, Any]]
) -> tuple[Project, dict[str, Lesson]]:
    project = Project("p", "p", "", "", "", profile_id(profile), b"k" * 32, 0, NOW)
    memories = {}
    with store.write() as tx:
        tx.put_profile(project.profile, to_json(profile))
        for name in ("p", "other", "@global", "@agent"):
            tx.put_project(replace(project, id=name, name=name))
        for each in given:
            fields = {name: field for name, field in each.items() if name != "seen"}
            memory = Lesson(
                new_id(), kind=next(iter(profile.kinds)), created_at=NOW, updated_at=NOW, **fields
            )
            tx.apply(edits.made(memory, Hand("ada", NOW), reason="said so"))
            tx.put_tally(
                memory.id,
                Tally(
                    seen=each["seen"], seen_at=NOW, confidence=0.9, signals={"success_rate": 0.9}
                ),
            )
            memories[memory.id] = memory
    return project, memories


@pytest.mark.parametrize("name", PROFILES)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    kept=st.lists(lessons, max_size=14),
    query=queries,
    level=st.sampled_from(["", "lean", "deep"]),
    trial=st.booleans(),
    repeat=st.booleans(),
    floor=st.sampled_from([0.0, 0.08]),
    without_words=st.booleans(),
)
def test_inject_never_gives_what_may_not_be_given(
    name: str,
    kept: list[dict[str, Any]],
    query: Query,
    level: str,
    trial: bool,
    repeat: bool,
    floor: float,
    without_words: bool,
) -> None:
    """Over stores, states, profiles, levels, repeats, and a full-text index that lost its words."""
    profile = with_values(named(name), {"rank.floor": floor})
    with open_store(":memory:") as store:
        project, memories = filled(store, profile, kept)
        if without_words:
            store.rows("INSERT INTO lesson_fts (lesson_fts) VALUES ('delete-all')")
        for run in ("r1", "r1", "r2"):
            told = tell(
                *(store, project, query, AskingRun(run)),
                now=NOW,
                settings=profile.trial,
                trial=trial,
                repeat=repeat,
                once=profile.trust.once,
                most=getattr(profile.budget, level) if level else NO_LIMIT,
                choose=chooser_of(store, project, profile, query, {"level": level}),
            )
            assert [
                id for id in (*told.injected, *told.withheld) if not allowed(memories[id])
            ] == []
            assert set(told.injected).isdisjoint(told.withheld)
        marked = {use.memory for id in memories for use in store.uses(memory=id)}
        assert all(allowed(memories[id]) for id in marked)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kept=st.lists(lessons, max_size=10), query=queries)
def test_an_agents_recall_is_never_told_what_is_withheld_or_quarantined(
    kept: list[dict[str, Any]], query: Query
) -> None:
    """In a run: nothing of other projects, nothing held, quarantined, discarded or taken out, nothing withheld."""
    profile = named("default")
    with open_store(":memory:") as store:
        project, memories = filled(store, profile, kept)
        told = tell(store, project, query, AskingRun("r1"), now=NOW, settings=profile.trial)
        found = recall(
            store,
            project,
            profile,
            query,
            now=NOW,
            asking=AskingRun("r1"),
            most=1000,
            person=False,
        )
        shown = {hit.memory.id for hit in found.hits}
        assert shown.isdisjoint(told.withheld)
        for id in shown:
            memory = memories[id]
            assert memory.project != "other" and memory.gate == "allow"
            assert memory.state != "gone"
            assert allowed(memory) or next(hit for hit in found.hits if hit.memory.id == id).mark


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kept=st.lists(lessons, min_size=1, max_size=8), query=queries)
def test_a_store_that_cannot_be_written_gives_nothing(
    kept: list[dict[str, Any]], query: Query, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Busy while somebody else writes: either there was nothing to give, or nothing is given."""
    profile = named("default")
    path = str(tmp_path_factory.mktemp("busy") / "s.db")
    with open_store(path) as store, open_store(path) as other:
        project, _ = filled(store, profile, kept)
        with other.write():
            try:
                told = tell(store, project, query, AskingRun("r1"), now=NOW, settings=profile.trial)
            except Unavailable:
                return
        assert (told.injected, told.withheld, told.markdown) == ((), (), "")


@settings(max_examples=150, deadline=None)
@given(
    task=st.one_of(st.text(max_size=200), WORDS.map(" ".join)),
    limit=st.sampled_from([0, 1, 7, 10**6, -3]),
)
def test_any_question_is_answered(task: str, limit: int) -> None:
    """Any script, operator, quote; any limit: hits that hold a word of the question, or none."""
    profile = named("default")
    with open_store(":memory:") as store:
        project, _ = filled(store, profile, [])
        with store.write() as tx:
            for n, text in enumerate(
                ["the queue hangs", "日本語のテスト", "src/a.py", 'NEAR("a b")']
            ):
                memory = Lesson(
                    f"m{n}",
                    "p",
                    text,
                    kind="fact",
                    state="active",
                    created_at=NOW,
                    updated_at=NOW,
                )
                tx.apply(edits.made(memory, Hand("ada", NOW), reason="said so"))
        found = recall(store, project, profile, Query(task=task), now=NOW, most=limit)
        assert len(found.hits) <= max(0, limit)
        assert all(hit.parts["words"] > 0 for hit in found.hits)


@pytest.mark.parametrize(
    "task",
    [
        "",
        "  ",
        "the of and",
        "?!…",
        '"',
        "AND OR NOT",
        "x" * 100_000,
        "word " * 20_000,
        "queue\0\ud800",
    ],
)
def test_hard_questions_are_empty_or_right(task: str) -> None:
    """Nothing is made up to fill an answer."""
    profile = named("default")
    with open_store(":memory:") as store:
        project, _ = filled(store, profile, [])
        memory = Lesson(
            "m1",
            "p",
            "the queue hangs",
            kind="fact",
            state="active",
            created_at=NOW,
            updated_at=NOW,
        )
        with store.write() as tx:
            tx.apply(edits.made(memory, Hand("ada", NOW), reason="said so"))
        found = recall(store, project, profile, Query(task=task), now=NOW, most=7)
        assert [hit.memory.id for hit in found.hits] == (["m1"] if task.startswith("queue") else [])

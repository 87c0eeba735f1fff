"""Lessons for one agent reach that agent, in every project, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import verbs

from tacit.core.errors import UsageError


def test_a_lesson_for_one_agent_reaches_no_other(tmp_path: Path) -> None:
    """Neither another agent of another project nor one that gives no name, as a session's start does."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    with verbs.open(
        str(tmp_path / "s.db"), cwd=str(tmp_path / "a"), project="a", by="ada", yes=True
    ) as first:
        own = first.add("You must lint.", scope="agent", agent="qa_engineer")
    with verbs.open(
        str(tmp_path / "s.db"), cwd=str(tmp_path / "b"), project="b", by="ada", yes=True
    ) as second:
        second.ensure_project()
        assert second.inject("lint the sources").injected == ()
        assert second.inject("lint the sources", agent="developer").injected == ()
        assert second.inject("lint the sources", agent="qa_engineer").injected == (own.id,)
        assert [hit.memory.id for hit in second.recall("lint").hits] == [
            own.id
        ]  # a person may look


def test_an_agents_lesson_names_its_agent(tmp_path: Path) -> None:
    with (
        verbs.open(str(tmp_path / "s.db"), cwd=str(tmp_path), by="ada", yes=True) as memories,
        pytest.raises(UsageError, match="name its agent"),
    ):
        memories.add("You must lint.", scope="agent")


def test_an_agent_that_searches_sees_nobody_elses(tmp_path: Path) -> None:
    from tacit.hooks.answer import showing
    from tacit.hooks.events import Query
    from tacit.lesson import Lesson

    memory = Lesson(
        "m1",
        "agent",
        "You must lint.",
        scope="agent",
        agent="qa_engineer",
        state="active",
        gate="allow",
    )
    assert showing(memory, Query("lint"), False, False, False)[1] == "other agent"
    assert showing(memory, Query("lint", agent="qa_engineer"), False, False, False)[1] == ""


def test_a_lesson_about_sub_agents_is_for_whoever_starts_them(tmp_path: Path) -> None:
    """A sub-agent was told that sub-agents cannot do it."""
    with verbs.open(str(tmp_path / "s.db"), cwd=str(tmp_path), by="ada", yes=True) as memories:
        own = memories.add(
            "Make mockups yourself: sub-agents cannot reach the drawing tools.", kind="rule"
        )
        assert memories.inject("draw the mockups").injected == (own.id,)
        assert memories.inject("draw the mockups", agent="general-purpose").injected == ()

"""A question may be put into better words, if the user allows it; whatever fails, it goes as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tacit.app import open
from tacit.core.errors import ModelUnavailable, StoreBusy
from tacit.core.profile_toml import standard
from tacit.recall.budget import level_for
from tacit.recall.rewrite import Reworded, reworded
from tacit.testing import Scripted

PROFILE = standard("default")
QUESTION = "why does the thing with the database break on a new machine"


def asked(question: str, model: Any, level: str = "balanced") -> Reworded:
    return reworded(question, PROFILE.query, level_for(PROFILE, level, question, ""), lambda: model)


def test_the_words_of_both_are_searched() -> None:
    """No name of the question is lost."""
    found = asked(QUESTION, Scripted('"migration fails on a fresh database"\n'))
    assert found == Reworded(
        f"{QUESTION} migration fails on a fresh database", "migration fails on a fresh database"
    )


@pytest.mark.parametrize(
    "answer",
    ["", "one\ntwo", "x" * 5000, "ok", ModelUnavailable("slow", why="timeout"), StoreBusy("busy")],
)
def test_whatever_fails_the_question_goes_as_it_is(answer: Any) -> None:
    """Prose, silence, a time that is over, a store that is busy."""
    found = asked(QUESTION, Scripted(answer))
    assert found.question == QUESTION and not found.words and found.reason


@pytest.mark.parametrize(
    "question", ["", '"exact words of an error that was seen"', "src/app.py:12", "show all", "npm"]
)
def test_a_precise_question_is_not_asked_about(question: str) -> None:
    """Nobody looks for a model then, which would cost a file to read."""
    found = reworded(
        question,
        PROFILE.query,
        level_for(PROFILE, "balanced", question, ""),
        lambda: pytest.fail("looked for a model"),
    )
    assert found.question == question and found.reason.startswith("skip.")


def test_a_lean_answer_is_a_quick_one() -> None:
    """It goes without."""
    model = Scripted("other words for it")
    assert asked(QUESTION, model, "lean").question == QUESTION and model.asked == []


def test_a_wait_is_short() -> None:
    """Somebody is waiting."""
    assert PROFILE.query.rewrite_timeout_s <= 1.5


def test_recall_finds_by_the_model_s_words(folder: Path) -> None:
    """What shares no word with the question is found by a word of the rewrite."""
    from tacit.core.clock import now
    from tacit.recall.answering import recall
    from tacit.recall.query import Query

    with open() as memories:
        memory = memories.add("Run alembic upgrade before pytest")
        project = memories.ensure_project()
        for model, hits in (
            (Scripted("alembic upgrade before the first run"), [memory.id]),
            (Scripted(""), []),
        ):
            found = recall(
                memories.store,
                project,
                memories.profile,
                Query(task=QUESTION),
                now=now(),
                model=lambda model=model: model,
            )
            assert [hit.memory.id for hit in found.hits] == hits


def test_a_model_is_named_by_the_user_and_allowed_to_reword_by_the_user(
    folder: Path, alone: Path
) -> None:
    """Neither alone is enough."""
    import os

    for said, named in (
        ("", False),
        ('[model]\ncommand = "cat"\n', False),
        ('[model]\ncommand = "cat"\nrewrite = true\n', True),
    ):
        os.makedirs(alone / ".config" / "tacit", exist_ok=True)
        (alone / ".config" / "tacit" / "config.toml").write_text(said)
        with open() as memories:
            assert (memories.model("rewrite") is not None) is named
            assert (memories.model("triage") is not None) is bool(said)


def test_an_open_store_follows_the_configuration(tmp_path: Path) -> None:
    """Settings are kept between questions until a file or the environment says something else."""
    file = tmp_path / ".config" / "tacit" / "config.toml"
    file.parent.mkdir(parents=True)
    env = {"HOME": str(tmp_path)}
    with open(str(tmp_path / "tacit.db"), env=env, cwd=str(tmp_path)) as memories:
        assert (
            memories.settings()["budget"].value == "auto"
            and memories.settings() is memories.settings()
        )
        for said in ("lean", "balanced"):
            file.write_text(f'budget = "{said}"\n')
            assert memories.settings()["budget"].value == said
        env["TACIT_BUDGET"] = "deep"
        assert memories.settings()["budget"].value == "deep"
        env.clear()
        env["HOME"] = str(tmp_path)
        file.unlink()
        assert memories.settings()["budget"].value == "auto"

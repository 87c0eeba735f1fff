"""What a lesson is about: the grammar of its row, and every way in and out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import verbs

from tacit.lesson import NAME_CHARS, NAMES, Lesson, joined, kept_subject, names_of, topic_of
from tacit.words.subject import subject_by_rules


@pytest.mark.parametrize(
    ("said", "kept", "topic", "names"),
    [
        ("", "", "", ()),
        (" * ", "*", "", ()),
        (
            "  Tag   merging ;merge_tags;  --no-merge;merge_tags;;",
            "Tag merging; merge_tags; --no-merge",
            "tag merging",
            ("merge_tags", "--no-merge"),
        ),
        ("; pytest", "; pytest", "", ("pytest",)),
        ("tag merging", "tag merging", "tag merging", ()),
        (";;", "", "", ()),
    ],
)
def test_the_grammar_of_a_subject(said: str, kept: str, topic: str, names: tuple[str, ...]) -> None:
    assert kept_subject(said) == kept
    assert kept_subject(kept) == kept
    assert (topic_of(kept), names_of(kept)) == (topic, names)


def test_a_subject_is_bounded() -> None:
    many = joined("x" * 1000, [f"name{n}" for n in range(100)] + ["y" * 1000])
    assert len(names_of(many)) == NAMES and len(topic_of(many)) == NAME_CHARS
    assert joined("a; b", ["c; d"]) == "a, b; c; d"


def test_a_subject_is_kept_edited_and_found_by(tmp_path: Path) -> None:
    """Topic, names and files find a lesson whose text holds none of them."""
    with verbs.open(tmp_path / "s.db") as memories:
        lesson = memories.add(
            "Equal ones are joined, the first spelling stays.",
            about="tag merging; mergeTags; --no-dedupe",
            paths=["src/labels/union.py"],
        )
        assert memories.get(lesson.id).about == "tag merging; mergeTags; --no-dedupe"
        for asked in (
            "merging of tags",
            "why does mergeTags do that",
            "dedupe",
            "union.py",
            "labels",
        ):
            assert [hit.memory.id for hit in memories.recall(asked).hits] == [lesson.id], asked
        assert memories.edit(lesson.id, about="*").about == "*"
        assert not memories.recall("merging of tags").hits
        assert memories.undo(lesson.id)[0].about == "tag merging; mergeTags; --no-dedupe"
        assert [hit.memory.id for hit in memories.recall("merging of tags").hits] == [lesson.id]
        assert not memories.doctor(deep=True).faults if hasattr(memories, "doctor") else True


def test_the_first_word_of_a_quoted_sentence_is_no_program_that_a_lesson_is_about() -> None:
    lesson = Lesson(
        id="m",
        project="p",
        kind="fact",
        klass="fix",
        text="The root key is derived with `derive`; the cargo cache goes.",
    )
    assert (
        subject_by_rules(lesson, ["the root key is derived", "The cache", "cargo clean"])
        == "; cargo; derive"
    )

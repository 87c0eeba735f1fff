"""Whatever is asked, the answer is right or empty: never an error, never filler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests import verbs

LESSON = "Run make migrate before the tests."
KEPT = (
    LESSON,
    "データベースを移行する",
    "يجب تشغيل الترحيل قبل الاختبارات",
    "ต้องย้ายฐานข้อมูลก่อนทดสอบ",
    "Deploys need 🚀 approval",
)

NOTHING = {
    "empty": "",
    "blank": " \t\n ",
    "stop words": "the and of to is it that",
    "punctuation": "?!… -- () [] {} ;;; ,,, ...",
    "operators alone": "AND OR NOT NEAR",
    "a star": "*",
    "a caret": "^",
    "quotes": '""" \' \'\' "',
    "zero width": "\u200b\u200d\ufeff",
    "strangers": "zymurgy quixotic borborygmus",
    "strangers in another script": "ласточка летит",
}
FOUND = {
    "operators around a word": 'AND migrate OR NEAR("x" y) NOT *',
    "an unbalanced quote": '"migrate',
    "a column filter": "text:migrate words:nothing",
    "a prefix and a caret": "^migrate*",
    "NEAR with a number": "NEAR(migrate tests, 5)",
    "SQL": "migrate'); DROP TABLE memory; --",
    "a percent and an underscore": "%migrate% _migrate_",
    "braces and colons": "{migrate}: + - tests",
    "emoji beside a word": "🚀🚀 migrate 🚀",
    "100 kB": "migrate " + "filler words that nobody wrote down anywhere " * 2200,
    "a word and another of 100 kB": "migrate " + "x" * 100_000,
}
SCRIPTS = {"Japanese": ("データベース", 1), "Arabic": ("تشغيل الترحيل", 2), "Thai": ("ฐานข้อมูล", 3)}


@pytest.fixture
def memories(folder: Path) -> Any:
    with verbs.open(str(folder / "tacit.db"), by="ada", yes=True) as opened:
        opened.add_many(KEPT)
        yield opened


@pytest.mark.parametrize("question", NOTHING.values(), ids=NOTHING)
def test_what_asks_nothing_is_answered_with_nothing(memories: Any, question: str) -> None:
    assert memories.recall(question).hits == ()
    assert memories.recall(question, min_score=0.0, limit=10**6).hits == ()


@pytest.mark.parametrize("question", FOUND.values(), ids=FOUND)
def test_what_looks_like_syntax_is_words(memories: Any, question: str) -> None:
    assert [hit.memory.text for hit in memories.recall(question, min_score=0.0).hits] == [LESSON]


@pytest.mark.parametrize("script", SCRIPTS)
def test_any_script_finds_its_own(memories: Any, script: str) -> None:
    question, place = SCRIPTS[script]
    assert [hit.memory.text for hit in memories.recall(question).hits] == [KEPT[place]]


@pytest.mark.parametrize(("limit", "found"), [(0, 0), (-3, 0), (1, 1), (10**6, 1), (1 << 70, 1)])
def test_any_limit(memories: Any, limit: int, found: int) -> None:
    assert len(memories.recall("migrate tests", limit=limit).hits) == found


@pytest.mark.parametrize(
    "facets",
    [
        {"category": "nowhere"},
        {"kind": "estimate"},
        {"domain": "x", "agent": "y", "kind": "estimate"},
        {"as_of": "1999-01-01T00:00:00.000Z"},
        {"min_score": 1e9},
        {"min_score": float("inf")},
    ],
)
def test_filters_that_match_nothing(memories: Any, facets: dict[str, Any]) -> None:
    assert memories.recall("migrate tests", **facets).hits == ()


def test_a_lone_surrogate_is_no_reason_to_fail(memories: Any) -> None:
    """Half of a character, as a broken terminal sends it."""
    assert [hit.memory.text for hit in memories.recall("migrate \ud83d").hits] == [LESSON]


@pytest.mark.parametrize("question", ["", "the and of", "?!…", "AND OR NEAR * ^", '"""', "zymurgy"])
def test_the_command_line_says_that_nothing_fits(tacit: Any, question: str) -> None:
    tacit("add", LESSON)
    told = tacit("recall", question)
    assert (told.code, told.out.strip(), told.err) == (0, "Nothing fits.", "")
    assert tacit("recall", question, "--json", "--limit", "1000000").data["hits"] == []


@pytest.mark.parametrize(
    "name", ["operators around a word", "an unbalanced quote", "a column filter", "100 kB"]
)
def test_the_command_line_reads_syntax_as_words(tacit: Any, name: str) -> None:
    tacit("add", LESSON)
    told = tacit("recall", FOUND[name], "--raw", "--min-score", "0")
    assert (told.code, told.out.strip(), told.err) == (0, LESSON, "")


def test_the_command_line_takes_any_limit_and_filter(tacit: Any) -> None:
    tacit("add", LESSON)
    assert tacit("recall", "migrate", "--limit", "0").out.strip() == "Nothing fits."
    assert len(tacit("recall", "migrate", "--limit", "1000000", "--json").data["hits"]) == 1
    assert tacit("recall", "migrate", "--category", "nowhere", "--json").data["hits"] == []

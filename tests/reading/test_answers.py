"""Nearly right is mended, not thrown away; what is no answer stays none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tacit.reading.answers import (
    Lesson,
    Quote,
    is_answer,
    lesson_as,
    lesson_from,
    lessons_of,
    struck_of,
    verdicts_of,
    weighed_of,
)

ROW: dict[str, Any] = {
    "text": "Use tabs.",
    "kind": "way",
    "standing": "said",
    "about": None,
    "quotes": [{"line": 3, "words": "use tabs please"}],
    "sign": None,
}
WHOLE = Lesson("Use tabs.", "way", "said", (Quote(3, "use tabs please"),))


@pytest.mark.parametrize(
    "said",
    [
        json.dumps({"lessons": [ROW]}),
        f"Here it is:\n```json\n{json.dumps({'lessons': [ROW]}, indent=1)}\n```\nI hope that it helps {{you}}.",
        f'<think>{{"lessons": []}}</think>{json.dumps({"lessons": [ROW]})}',
        json.dumps([ROW]),
        json.dumps(ROW),
        json.dumps({"result": {"lessons": [ROW]}})[len('{"result": ') : -1],
        json.dumps({"lessons": [ROW, {"text": "stops in the"}]})[:-14],
        json.dumps({"lessons": [ROW]}).replace("]}", "],}"),
        json.dumps(
            {"lessons": [{**{k: v for k, v in ROW.items() if k != "text"}, "lesson": "Use tabs."}]}
        ),
        json.dumps({"lessons": [{**ROW, "quotes": {"line": 3, "words": "use tabs please"}}]}),
        json.dumps({"lessons": [{**ROW, "quotes": [{"line": "3", "text": '"use tabs please"'}]}]}),
        json.dumps(
            {"lessons": [{**ROW, "quotes": [{"line": "3 U", "words": "3 U use tabs please"}]}]}
        ),
        json.dumps({"lessons": [{**ROW, "kind": "Rule", "standing": "Said"}]}),
        json.dumps({"lessons": [{**ROW, "about": "*"}]}),
    ],
)
def test_what_is_nearly_right_is_mended(said: str) -> None:
    assert is_answer(said, "lessons") and lessons_of(said, 5) == (WHOLE,)


@pytest.mark.parametrize(
    "said",
    ["", "[]", "none", '{"findings": []}', '{"lessons": [{"text": "half', '{"text": "no quotes"}'],
)
def test_what_is_no_answer_is_asked_again(said: str) -> None:
    assert not is_answer(said, "lessons")


def test_a_comma_inside_a_quote_stays() -> None:
    row = {**ROW, "quotes": [{"line": 1, "words": "call f(a, b,] here"}]}
    assert lessons_of(json.dumps({"lessons": [row]}), 1)[0].quotes[0].words == "call f(a, b,] here"


def test_a_lesson_of_too_many_words_is_kept() -> None:
    text = " ".join(["word"] * 31)
    assert lessons_of(json.dumps({"lessons": [{**ROW, "text": text}]}), 1)[0].text == text


def test_what_a_lesson_is_about_is_read() -> None:
    about = {
        "topic": "merging contacts",
        "names": ["merge_records", 7, ""],
        "files": "src/merge.py",
    }
    [lesson] = lessons_of(json.dumps({"lessons": [{**ROW, "about": about}]}), 1)
    assert (lesson.topic, lesson.names, lesson.files) == (
        "merging contacts",
        ("merge_records",),
        ("src/merge.py",),
    )
    assert lesson_from(json.loads(json.dumps(lesson_as(lesson)))) == lesson


def test_a_lesson_kept_by_an_earlier_version_is_read() -> None:
    kept = {
        "text": "Use tabs.",
        "when": "always",
        "kind": "rule",
        "standing": "said",
        "quotes": [[3, "use tabs please"]],
        "until": "",
    }
    assert lesson_from(kept) == Lesson("Use tabs.", "rule", "said", (Quote(3, "use tabs please"),))


def test_verdicts_by_their_words_and_by_what_readers_call_them() -> None:
    rows = [
        {"id": "k1", "verdict": "Came back", "line": "4", "words": "it broke again"},
        {"id": "k2", "verdict": "contradicted", "line": 4, "words": "not so", "scope": "this_time"},
        {
            "id": "k3",
            "verdict": "amended",
            "line": 4,
            "words": "from now on",
            "part": "newest",
            "into": "All of it.",
            "new": "n2",
        },
        {"id": "k4", "verdict": "same", "new": "n1", "better": "Both."},
        {"id": "k5", "verdict": "same"},
        {"id": "k6", "verdict": "followed"},
        {"id": "k7", "verdict": "sung", "line": 1, "words": "la"},
    ]
    told = [
        (each.id, each.verdict, each.new, each.into)
        for each in verdicts_of(json.dumps({"verdicts": rows}))
    ]
    assert told == [
        ("k1", "came_back", 0, ""),
        ("k2", "excepted", 0, ""),
        ("k3", "amended", 2, "All of it."),
        ("k4", "same", 1, "Both."),
    ]


def test_weighed_by_number_in_any_form() -> None:
    rows = [
        {"n": "1", "says": "Yes", "holds": "working"},
        {"item": 2, "says": "no", "holds": "decision"},
        {"n": 3, "says": "yes"},
    ]
    assert {
        n: (each.says, each.holds)
        for n, each in weighed_of(json.dumps({"answers": rows}), 3).items()
    } == {
        1: ("yes", "working"),
        2: ("no", "decision"),
    }


def test_what_is_struck_has_a_line() -> None:
    said = json.dumps(
        {
            "lessons": [],
            "struck": ["Use tabs.", {"id": "p1", "line": 9, "words": "scratch that"}, 7],
        }
    )
    assert [(each.id, each.quote) for each in struck_of(said)] == [
        ("Use tabs.", None),
        ("p1", Quote(9, "scratch that")),
    ]

"""Whatever a model says, what is whole in it is read and nothing raises."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.ports import answer_rows, answer_text, objects

TWO = [{"id": "1", "a": "x"}, {"id": "2", "a": "}{"}]


@pytest.mark.parametrize(
    "said",
    [
        json.dumps(TWO),
        json.dumps({"findings": TWO}),
        f"Sure! Here you are:\n```json\n{json.dumps({'findings': TWO}, indent=2)}\n```\nAnything else?",
        f'<think>maybe {{"id": "9"}}?</think>{json.dumps(TWO)}',
        "\n".join(json.dumps(each) for each in TWO),
        "{ not json " + json.dumps(TWO),
    ],
)
def test_objects_are_found_whatever_stands_around_them(said: str) -> None:
    """Prose, fences, thoughts, one a line."""
    assert answer_rows(said) == TWO


def test_of_half_an_answer_the_whole_objects_are_taken() -> None:
    """An answer that was cut off says what it had said."""
    said = json.dumps({"findings": [*TWO, {"id": "3", "a": "lost"}]})
    assert answer_rows(said[:-10]) == TWO


@pytest.mark.parametrize(
    "said",
    ["", "no idea", "{", "[1, 2]", "{" * 100_000, '{"a":' * 50_000, '"' * 1000, "\x00", "nul"],
)
def test_garbage_is_nothing(said: str) -> None:
    """Also deep and long garbage, at once."""
    assert answer_rows(said) == []


@given(st.text(alphabet='{}[]",:\\ax1 \n', max_size=200))
def test_nothing_raises(said: str) -> None:
    """Any text at all."""
    assert all(isinstance(row, dict) for row in answer_rows(said))


def test_a_field_is_one_line_or_nothing() -> None:
    """Wrong types are not there; long ones are cut."""
    assert [answer_text({"t": at}, "t", 5) for at in ("a\n b", None, 7, ["x"], "abcdefgh")] == [
        "a b",
        "",
        "",
        "",
        "abcde",
    ]


def test_a_schema_requires_every_field() -> None:
    """What strict servers ask for."""
    asked = objects("rows", {"id": {"type": "string"}})
    assert asked["required"] == ["rows"] and asked["properties"]["rows"]["items"]["required"] == [
        "id"
    ]

"""Values: made by position or name, compared by content, never changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tacit.core.value import PLAIN_INSTANCES, dumps, fields, loads, replace, value


def new_class(made: int = 0) -> Any:
    """A class of which so many instances were made."""

    @value
    class Place:
        path: str
        line: int = 0
        note: str = "none"

    return [Place, *(Place("a") for _ in range(made))][0]


@pytest.mark.parametrize("made", [0, PLAIN_INSTANCES - 1, PLAIN_INSTANCES, PLAIN_INSTANCES + 1])
def test_the_first_instance_is_made_as_the_hundredth(made: int) -> None:
    """A class writes its `__init__` only when it has many instances; nobody can tell which was which."""
    place = new_class(made)
    assert fields(place("a")) == {"path": "a", "line": 0, "note": "none"}
    assert fields(place("a", 3, note="x")) == {"path": "a", "line": 3, "note": "x"}
    assert fields(place(line=2, path="b")) == {"path": "b", "line": 2, "note": "none"}
    assert fields(place("a", 1, "n")) == {"path": "a", "line": 1, "note": "n"}


@pytest.mark.parametrize("made", [0, PLAIN_INSTANCES])
@pytest.mark.parametrize(
    ("args", "named", "said"),
    [
        ((), {}, r"^Place lacks its field path$"),
        (("a", 1, "n", "more"), {}, r"^Place takes 3 fields, not 4$"),
        ((), {"line": 1}, r"^Place lacks its field path$"),
        (("a",), {"path": "b"}, r"^Place got path twice$"),
        (("a",), {"color": "red"}, r"^Place has no field color$"),
    ],
)
def test_what_does_not_fit_is_refused(
    made: int, args: tuple[Any, ...], named: dict[str, Any], said: str
) -> None:
    place = new_class(made)
    with pytest.raises(TypeError, match=said if not made else "Place.__init__|__init__"):
        place(*args, **named)


@pytest.mark.parametrize("made", [PLAIN_INSTANCES - 2, PLAIN_INSTANCES - 1, PLAIN_INSTANCES])
def test_init_is_written_when_many_were_made(made: int) -> None:
    """A hook makes a handful and never pays for compiling."""
    assert (new_class(made + 1).__init__ is new_class().__init__) == (made < PLAIN_INSTANCES)


def test_a_value_is_its_content() -> None:
    place = new_class()
    one = place("a", 3)
    assert one == place("a", 3) and hash(one) == hash(place("a", 3))
    assert one != place("a", 4) and hash(one) != hash(place("a", 4))
    assert one != new_class()("a", 3) and one != ("a", 3, "none")
    assert repr(one) == "Place(path='a', line=3, note='none')"


def test_a_value_never_changes() -> None:
    one = new_class()("a")
    for change in (lambda: setattr(one, "line", 1), lambda: delattr(one, "line")):
        with pytest.raises(
            AttributeError, match=r"^Place is a value: use replace\(\.\.\., line=\.\.\.\)$"
        ):
            change()
    assert (
        fields(replace(one, line=7)) == {"path": "a", "line": 7, "note": "none"} and one.line == 0
    )


def test_a_class_that_inherits_has_all_fields_once() -> None:
    place = new_class()

    @value
    class Exact(place):  # type: ignore[misc, valid-type]
        line: int = 1
        column: int = 0

        def __repr__(self) -> str:
            return "exact"

    assert (
        Exact.FIELDS == ("path", "line", "note", "column") and Exact.__match_args__ == Exact.FIELDS
    )
    assert fields(Exact("a", column=2)) == {"path": "a", "line": 1, "note": "none", "column": 2}
    assert repr(Exact("a")) == "exact"


@pytest.mark.parametrize(
    "as_said", [{}, {"ensure_ascii": False}, {"ensure_ascii": False, "separators": (",", ":")}]
)
def test_json_is_what_the_standard_library_makes_of_it(as_said: Any) -> None:
    for of in (
        1,
        "é\u2028\ud800\n",
        None,
        True,
        [0.1, 1e300, float("inf"), {"a": [], 3: (1, 2), None: {}}],
        "",
        {},
    ):
        assert dumps(of, **as_said) == json.dumps(of, **as_said)
        assert loads(f" {dumps(of, **as_said)}\n") == json.loads(json.dumps(of))
    for text in (
        "",
        " ",
        "[1] x",
        '{"a":',
        '"\\u12"',
        "\ufeff{}",
        "nul",
        '"a\nb"',
        "[1,]",
        "{'a': 1}",
        b"\xff",
    ):
        with pytest.raises(ValueError):
            loads(text)

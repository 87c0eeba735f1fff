"""Settings: who may say what, how a word is read, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core.config import CONFIG_KEYS, MOST_GLOBS, MOST_TOLD, VARIABLES, is_ignored, settle
from tacit.core.errors import ConfigInvalid


def said(user: Any = (), repository: Any = (), env: Any = ()) -> dict[str, tuple[Any, str]]:
    """What differs from the defaults, and who said it."""
    found = settle(dict(user), dict(repository), dict(env)).by_key
    assert list(found) == list(CONFIG_KEYS)
    return {
        key: (each.value, each.source) for key, each in found.items() if each.source != "default"
    }


def test_nobody_says_anything() -> None:
    found = settle({}, {}, {}).by_key
    assert {key: each.value for key, each in found.items()} == {
        key: default for key, (default, _, _) in CONFIG_KEYS.items()
    }
    assert found["receipt"].value is True


def test_the_environment_goes_before_the_user_and_the_user_before_the_repository() -> None:
    three = {"by": "ada"}, {"by": "mallory"}, {"TACIT_BY": "ann"}
    assert said(*three) == {"by": ("ann", "TACIT_BY")}
    assert said(*three[:2]) == {"by": ("ada", "config.toml")}
    assert said({}, three[1]) == {}
    assert said({}, {}, {"TACIT_BY": ""}) == {}


def test_a_repository_says_only_what_concerns_it() -> None:
    """What it may not say is left out, and named."""
    wanted = {
        "by": "mallory",
        "receipt": False,
        "model": {"url": "http://there"},
        "ignore": ["x"],
    }
    assert said({}, wanted) == {}  # what it ignores is no reason to hear nothing
    told = ".tacit/config.toml sets {}, which a repository may not; left out"
    settled = settle({}, wanted, {})
    assert settled.unlearned == ("x",)
    assert settled.left_out == (
        ".tacit/config.toml: sessions in x are not learned, as it asks",
        *map(told.format, ("by", "receipt", "model.url")),
    )
    assert [key for key, (_, may, _) in CONFIG_KEYS.items() if may] == ["ignore"]
    assert len(CONFIG_KEYS) == 16


def test_who_reads_is_said_in_the_users_own_file_alone() -> None:
    assert not [key for key in VARIABLES if key.startswith("reader.")]
    assert said({"reader": {"by": "model"}}, {"reader": {"by": "x"}}, {"TACIT_READER_BY": "y"}) == {
        "reader.by": ("model", "config.toml")
    }
    assert VARIABLES["model.key_env"] == "TACIT_MODEL_KEY_ENV"


@pytest.mark.parametrize(
    ("key", "word", "read"),
    [
        *(("receipt", word, True) for word in ("true", "1", "YES", "on", True, 1)),
        *(("receipt", word, False) for word in ("false", "0", "No", "off", False, 0)),
        ("model.daily_tokens", "7", 7),
        ("model.daily_tokens", 7, 7),
        ("ignore", "a:b", ("a", "b")),
        ("ignore", ["a", "b"], ("a", "b")),
        ("ignore", [], ()),
        ("by", "ada", "ada"),
    ],
)
def test_a_word_is_read_as_its_setting_is(key: str, word: object, read: object) -> None:
    table, _, name = key.rpartition(".")
    (found,) = said({table: {name: word}} if table else {key: word}).values()
    assert found == (read, "config.toml") and type(found[0]) is type(read)


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        ({"receipt": "maybe"}, "receipt = 'maybe' is neither true nor false"),
        ({"model": {"daily_tokens": "soon"}}, "model.daily_tokens = 'soon' is not a number"),
        ({"model": {"daily_tokens": []}}, r"model.daily_tokens = \[\] is not a number"),
        ({"ignore": 3}, "ignore must be a list of texts"),
        ({"ignore": ["a", 3]}, "ignore must be a list of texts"),
        ({"by": 3}, "by = 3 is not a text"),
        ({"model": "x"}, "model is not a setting"),
        ({"model": {"colour": "x"}}, "model.colour is not a setting"),
        ({"by": {"name": "ada"}}, "is not a text"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(tree: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigInvalid, match=rf"^config\.toml: .*{why}"):
        settle(tree, {}, {})


@pytest.mark.parametrize(
    ("key", "hint"),
    [("recept", "Did you mean receipt?"), ("zzz", "tacit config show lists all of them.")],
)
def test_an_unknown_setting_is_told_its_neighbour(key: str, hint: str) -> None:
    with pytest.raises(ConfigInvalid) as refused:
        settle({key: "x"}, {}, {})
    assert refused.value.hint == hint


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ({"x": 1}, "'x' is not a setting"),
        ({"a": {"b\x1b[2J": 1}}, r"'a.b\x1b[2J' is not a setting"),
        ({"ignore": 3}, "ignore must be a list of texts"),
        (
            {"ignore": ["*"]},
            "ignore covers the whole repository, which your own config.toml alone may",
        ),
        (
            {"ignore": ["/work"]},
            "ignore covers the whole repository, which your own config.toml alone may",
        ),
        ({"ignore": ["x"] * (MOST_GLOBS + 1)}, "ignore lists more than 50 folders"),
    ],
)
def test_nothing_that_a_repository_says_is_an_error(tree: dict[str, Any], told: str) -> None:
    """What does not count is left out and said; what stands beside it counts."""
    at = "/work/shop/.tacit/config.toml"
    found = settle({}, tree, {}, repository_path=at)
    assert found.left_out == (f"{at}: {told}; left out",)
    assert not [key for key, each in found.by_key.items() if each.source != "default"]


def test_a_repository_may_leave_out_folders_of_its_own() -> None:
    found = settle(
        {}, {"ignore": ["*/shop/vendor"]}, {}, repository_path="/work/shop/.tacit/config.toml"
    )
    assert found.unlearned == ("*/shop/vendor",) and found.by_key["ignore"].value == ()


def test_a_variable_ignores_what_is_learned_and_silences_nothing() -> None:
    """A repository can have its host set one; only a person's own file says where nothing is told."""
    found = settle(
        {"ignore": ["/mine"]},
        {"ignore": ["*/shop/a"]},
        {"TACIT_IGNORE": "/b:/c"},
        repository_path="/work/shop/.tacit/config.toml",
    )
    assert found.by_key["ignore"].value == ("/mine",)
    assert found.unlearned == ("*/shop/a", "/b", "/c")
    assert "TACIT_IGNORE: sessions in /b, /c are not learned, as it asks" in found.left_out


def test_a_variable_that_cannot_be_read_is_left_out() -> None:
    """A repository can have its host set one."""
    found = settle({"receipt": False}, {}, {"TACIT_RECEIPT": "x"})
    assert found.by_key["receipt"].value is False
    assert found.left_out == ("TACIT_RECEIPT: receipt = 'x' is neither true nor false; left out",)


def test_of_thousands_of_faults_a_few_are_told() -> None:
    found = settle({}, {f"k{n}": n for n in range(9000)}, {})
    assert (
        len(found.left_out) == MOST_TOLD + 1
        and found.left_out[-1] == ".tacit/config.toml: 8995 more of the kind"
    )


@pytest.mark.parametrize(
    ("folder", "globs", "left_alone"),
    [
        ("/h/work/x", ["~/work"], True),
        ("/h/work", ["~/work/"], True),
        ("/h/worker", ["~/work"], False),
        ("/h/work/x/y", ["/h/*/x"], True),
        ("/h/a.tmp/b", ["*.tmp"], True),
        ("/h/work", [], False),
        ("/h/work", ["/other", "/h/w*"], True),
        ("/", ["/"], False),
        ("/a", ["/a"], True),
        *(("/h/work/shop/src", [glob], True) for glob in ("~/wo*", "*/shop", "~/work/*/src")),
        *(("/h/work/shop/src", [glob], False) for glob in ("/h/wor", "shop")),
    ],
)
def test_a_folder_is_left_alone_with_all_below_it(
    folder: str, globs: list[str], left_alone: bool
) -> None:
    assert is_ignored(folder, globs, {"HOME": "/h"}) is left_alone

"""Whoever knows a thing by its old name gets it, and is told the new one."""

from __future__ import annotations

import importlib

import pytest

OLD = {
    "core.memory": {"as_json": "memory_json"},
    "core.exchange": {"Judged": "OriginVerdict"},
    "core.lifecycle": {"Standing": "LadderFacts"},
    "formats.source": {"record": "json_record"},
    "formats.session": {"joined": "content_text", "kind_of": "record_type", "tokens": "token_count"},
    "hosts.registration": {"Entry": "EventEntry"},
    "words.match": {"Settings": "MatchSettings", "decide": "choose_same", "nearest": "nearest_by_words"},
    "words.prepared": {"Settings": "MatchSettings"},
}


@pytest.mark.parametrize(
    ("module", "old", "new"), [(module, *names) for module, both in OLD.items() for names in both.items()]
)
def test_an_old_name_is_still_answered(module: str, old: str, new: str) -> None:
    home = importlib.import_module(f"tacit.{module}")
    with pytest.warns(DeprecationWarning, match=rf"tacit\.{module}\.{old} is now tacit\.{module}\.{new}$"):
        assert getattr(home, old) is getattr(home, new)


def test_what_never_was_is_not_there() -> None:
    with pytest.raises(AttributeError, match=r"module 'tacit\.core\.memory' has no attribute 'as_yaml'"):
        importlib.import_module("tacit.core.memory").as_yaml  # noqa: B018

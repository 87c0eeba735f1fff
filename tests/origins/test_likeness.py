"""Two lessons are one where their texts are equal after folding, whatever measure an origin has."""

from __future__ import annotations

import pytest

from tacit.core.errors import UsageError
from tacit.origins.likeness import MATCHERS, choose_same, jaccard, same_problem
from tacit.words.prepared import MatchSettings, prepare


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Run the tests.", "run the  tests", True),
        ("Café!", "cafe", True),
        ("Use uv, not pip.", "Use pip, not uv.", False),
        ("Delete it at once.", "Never delete it.", False),
        ("Port 8080", "Port 9090", False),
    ],
)
def test_two_lessons_are_one_where_their_texts_are_equal(one: str, other: str, equal: bool) -> None:
    """Case, accents, spacing and final punctuation aside; likeness of words makes no two lessons one."""
    found = choose_same(prepare(one), [("m", prepare(other))], MatchSettings())
    assert bool(found.id) is equal
    assert same_problem(prepare(one), prepare(other), MatchSettings()) is equal


def test_equal_texts_match_under_every_rule() -> None:
    """Also where a rule's own tokens are empty or its threshold is out of reach."""
    for name in MATCHERS:
        found = choose_same(
            prepare("No id in to"), [("m", prepare("no id in to."))], MatchSettings(name, 1.0, 1.0)
        )
        assert (found.id, found.reason) == ("m", "equal text")


def test_a_strangers_matcher_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry point was promised, and a profile that named one ended in a KeyError."""
    rules, texts = (
        MatchSettings(matcher="theirs"),
        (prepare("run the tests"), [("a", prepare("run the tests"))]),
    )
    with pytest.raises(UsageError, match="no matcher 'theirs'"):
        choose_same(*texts, rules)
    monkeypatch.setattr("tacit.origins.likeness.policy", lambda kind, name, known: jaccard)
    assert choose_same(*texts, rules).id == "a"

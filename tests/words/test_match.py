"""What is equal after folding, what one text says more than another, and the origins' own measures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.errors import UsageError
from tacit.words.match import (
    MATCHERS,
    choose_same,
    compare,
    jaccard,
    same_problem,
    says_more,
    shares_half,
)
from tacit.words.prepared import MatchSettings, prepare
from tacit.words.signature import signature


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


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_bounded(one: str, other: str) -> None:
    """Whichever text came first."""
    a, b = prepare(one), prepare(other)
    there, back = compare(a, b), compare(b, a)
    assert there.score == back.score and 0.0 <= there.score <= 1.0


def test_an_equal_signature_weighs_by_what_it_tells() -> None:
    told, vague = signature("psycopg.OperationalError: connection refused"), signature("error: 1")
    one, other = "The database is not running", "Start the server first"
    assert compare(prepare(one, signature=told), prepare(other, signature=told)).score > 0.5
    assert compare(prepare(one, signature=vague), prepare(other, signature=vague)).score < 0.3


def test_what_one_text_says_beyond_another_is_named() -> None:
    assert says_more(prepare("Run the tests with --slow"), prepare("Run the tests")) == "--slow"
    assert says_more(prepare("Run the tests"), prepare("Always run the tests")) == ""
    assert shares_half("Run the tests before a commit", "Run all tests before each commit")
    assert not shares_half("Run the tests", "Write the changelog")


def test_a_strangers_matcher_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry point was promised, and a profile that named one ended in a KeyError."""
    rules, texts = (
        MatchSettings(matcher="theirs"),
        (prepare("run the tests"), [("a", prepare("run the tests"))]),
    )
    with pytest.raises(UsageError, match="no matcher 'theirs'"):
        choose_same(*texts, rules)
    monkeypatch.setattr("tacit.words.match.policy", lambda kind, name, known: jaccard)
    assert choose_same(*texts, rules).id == "a"

"""Ways of remembering: complete values, kinds by name, what the store keeps of them."""

from __future__ import annotations

import re

import pytest

from tacit.core.errors import OriginUnknown
from tacit.core.profile import (
    CLASSES,
    Profile,
    class_of,
    kind_named,
    profile_id,
    to_json,
    with_values,
)
from tacit.core.standing import CAUSES
from tacit.lesson import SCOPES, TIERS, VERDICTS
from tacit.origins import ORIGINS, kept, named
from tacit.origins.ladder import PREVIOUS, QUANTITIES, Known
from tacit.origins.origin import GIVEN

WAYS = ("default", *ORIGINS)
# beside facets: what decides between two lessons
OPINION = {"pinned", "newer", "older", "seen", "confidence"}


@pytest.mark.parametrize("name", WAYS)
def test_a_way_comes_back_from_the_store_whole(name: str) -> None:
    """What was written and read again is equal, with the same version; so is one with values of its own."""
    way = named(name)
    other = with_values(way, {"budget.max_tokens": 7})
    for each in (way, other):
        again = kept(to_json(each))
        assert (again, profile_id(again), again.name) == (each, profile_id(each), name)
    assert other != way and other.budget.max_tokens == 7 and way.budget.max_tokens != 7


def test_a_value_that_there_is_not_is_a_mistake() -> None:
    """As a misspelt name in an origin's class."""
    with pytest.raises(TypeError, match="there is no treshold here"):
        with_values(named(), {"match.treshold": 0.5})
    with pytest.raises(AttributeError):
        named().match.threshold = 0.5


def test_a_name_of_nobody_is_refused() -> None:
    """With the nearest, and else with all there are."""
    with pytest.raises(OriginUnknown) as refusal:
        named("archflow")
    assert refusal.value.hint == "Did you mean archeflow?"
    with pytest.raises(OriginUnknown) as refusal:
        named("quux")
    assert refusal.value.hint == "There are archeflow, ralph, geas, joelclaw, and default."


def test_kinds_go_by_name_and_alias() -> None:
    """Foreign words find their kind, however they are written; unknown ones the kind for the rest."""
    default, joelclaw = named(), named("joelclaw")
    words = ("fix", "Anti Pattern", "anti-pattern", "wish", "no such word")
    assert [kind_named(default, word) for word in words] == [
        "fix",
        "pitfall",
        "pitfall",
        "preference",
        "fact",
    ]
    assert (kind_named(joelclaw, "hard-rules"), class_of(joelclaw, "hard-rules")) == (
        "rules-conventions",
        "rule",
    )


@pytest.mark.parametrize("name", WAYS)
def test_a_way_is_whole(name: str) -> None:
    """Its words name what there is: kinds, classes, scopes, roles, sections; budgets rise, shares are shares."""
    way = named(name)
    assert way.add_kind in way.kinds and way.other_kind in way.kinds
    owner = dict(zip(way.kinds, way.kinds))
    for kind, at in way.kinds.items():
        assert at.klass in CLASSES and at.scope in ("", *SCOPES), kind
        assert {*at.reviewers} <= {"person", *way.roles}, kind
        assert all(owner.setdefault(alias, kind) == kind for alias in at.aliases), kind
    assert {each.kind for each in way.extract.extractors.values()} <= {"", *way.kinds}
    assert {*way.scopes.keywords} <= {*SCOPES} and {*way.page.map.values()} <= {*way.page.sections}
    assert way.budget.lean <= way.budget.balanced <= way.budget.deep
    for share in (way.match.threshold, way.match.margin, way.trial.rate):
        assert 0 <= share <= 1
    facets = {"class": CLASSES, "scope": SCOPES, "trust": TIERS, "verdict": VERDICTS}
    facets["kind"] = tuple(way.kinds)
    for entry in way.budget.precedence:
        facet, _, word = entry.removeprefix("not ").partition(":")
        assert word in facets[facet] if word else facet in OPINION, entry


@pytest.mark.parametrize("name", ORIGINS)
def test_a_ladder_stays_within_the_legal_moves(name: str) -> None:
    """Each rule has its own name, a condition or an approval, asks what is known, and leads along the one table."""
    way = named(name)
    rules = way.ladder.moves  # type: ignore[attr-defined]
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.states and (rule.when or rule.approve or rule.approve_any), rule.name
        assert {*rule.approve, *rule.approve_any} <= {"person", "reviewer", *way.roles}
        assert rule.cause in CAUSES
        goals = GIVEN if rule.to == PREVIOUS else (rule.to,)
        for state in rule.states:
            assert all(to in way.legal[state] for to in goals), (rule.name, state)
        assert {each.quantity for each in rule.when} <= {*QUANTITIES}, rule.name
        quoted = set(re.findall(r"\{([^{}]*)\}", rule.reason))
        assert quoted <= {*Known.FIELDS, "by"}, rule.name  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "key", "expected"),
    [
        ("default", "trial.rate", 0.3),
        ("default", "budget.deep", 15),
        ("default", "gate.unknown", "allow"),
        ("archeflow", "rank.universal_at", 5),
        ("archeflow", "match.threshold", 0.5),
        ("archeflow", "fade.runs_step", 10),
        ("archeflow", "extract.severity_floor", "warning"),
        ("geas", "match.threshold", 0.7),
        ("joelclaw", "gate.unknown", "allow"),
        ("joelclaw", "budget.deep", 10),
        *((name, "trial.rate", 0.0) for name in ORIGINS),
        *((name, "render.wrap", False) for name in ORIGINS),
    ],
)
def test_promises_of_the_documents(name: str, key: str, expected: object) -> None:
    """Numbers that the design or an origin's document fixes."""
    section, field = key.split(".")
    assert getattr(getattr(named(name), section), field) == expected


def test_numbers_of_kinds() -> None:
    """Ralph's slots, geas's reviewers."""
    ralph, geas = named("ralph"), named("geas")
    assert [at.cap for at in ralph.kinds.values()] == [3, 5, 2, 3]
    assert geas.kinds["security_pattern"].reviewers == ("risk_specialist",)
    assert geas.ladder.review_days("stable") == 90
    assert isinstance(geas, Profile)

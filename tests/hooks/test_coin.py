"""Who is given a lesson, and who is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tacit.core.links import Use
from tacit.core.memory import Memory, Tally
from tacit.core.profile import with_values
from tacit.hooks.coin import Assigned, assignments
from tacit.hooks.record import instrument_of, is_told, task_of
from tacit.origins import named

if TYPE_CHECKING:
    from tacit.core.value import Section

KEY = b"k" * 32
DEFAULT = named("default").trial
Make = Callable[..., Memory]


def settings(**keys: Any) -> Section:
    return with_values(named("default"), {f"trial.{name}": to for name, to in keys.items()}).trial


def assign(
    memories: list[Memory], recorded: Sequence[Use] = (), at: Section = DEFAULT, **named: Any
) -> list[Assigned]:
    return assignments(memories, recorded, **{"key": KEY, "unit": "u", "settings": at, **named})


def use(
    memory: str, arm: str, family: str = "", probability: float = 0.3, blank: bool = False
) -> Use:
    return Use(memory, "u", "p", "u", family or memory, arm, probability, blank=blank)


@pytest.mark.parametrize(
    "fields",
    [
        {"klass": "preference"},
        {"klass": "rule"},
        {"klass": "security"},
        {"pinned": True},
        {"on_page": True},
        {"state": "canonical"},
    ],
)
def test_what_is_exempt_is_always_given(make: Make, fields: dict[str, Any]) -> None:
    """Without a coin, and at any rate."""
    (found,) = assign([make(**fields)], at=settings(rate=0.9, rate_severe=0.9, rate_watch=0.9))
    assert (found.arm, found.probability, found.given) == ("exempt", 0.0, True)


MUTE = Tally(signals={"untold": 5.0, "units": 1.0})


@pytest.mark.parametrize(
    ("lessons", "rates", "reason"),
    [
        # what a person entered by hand is not withheld from them; what a reader heard has the low coin until it is confirmed
        (
            [{"trust": "user"}, {"trust": "user", "extra": {"word": "said"}}],
            [0.0, 0.1],
            "exempt: a person's own word",
        ),
        # the last five units could not tell: from then on it is given
        (
            [{"tally": MUTE}, {"tally": Tally(signals={"untold": 4.0})}],
            [0.0, 0.3],
            "not measurable here",
        ),
        # what is about a subject may never be asked for again; a way of working is
        ([{"about": "rounding"}], [0.0], "told for the first time"),
        ([{"about": "rounding", "tally": Tally(uses=1)}], [0.3], ""),
        ([{"about": "*"}], [0.3], ""),
        (
            [{"family": "f", "severity": "bug"}, {"family": "f"}],
            [0.1, 0.1],
            "",
        ),  # one coin has one rate
        ([{"family": "pinned"}], [0.3], ""),  # an exempt twin's use is no coin
    ],
)
def test_who_has_which_rate(
    make: Make, lessons: list[dict[str, Any]], rates: list[float], reason: str
) -> None:
    found = assign([make(**fields) for fields in lessons], [use("other", "exempt", "pinned", 0.0)])
    assert [each.probability for each in found] == rates and reason in found[0].reason


def test_the_coin_is_fair_at_its_rate(make: Make) -> None:
    """Of many lessons about the rate is withheld, and the rate is recorded with each."""
    found = assign([make(id=f"c{n:011d}") for n in range(1003)])[3:]  # the same ones each time
    assert {each.probability for each in found} == {0.3}
    assert 250 < sum(each.arm == "withheld" for each in found) < 350


def test_the_same_unit_gives_the_same_answer(make: Make) -> None:
    """Again, in another order, on another surface."""
    first, memories = [make(klass="rule") for _ in range(3)], [make() for _ in range(20)]
    arms = {each.memory: each.arm for each in assign([*first, *memories])}
    assert {each.memory: each.arm for each in assign([*first, *memories[::-1]])} == arms


def test_of_the_three_that_matter_most_one_at_most_is_left_out(make: Make) -> None:
    """Per session, however many answers it gets; what is given so has no coin and stands in no table. Later ones toss as ever."""
    coins: dict[int, list[float]] = {0: [], 1: [], 2: [], 3: []}
    for n in range(300):
        found = assign([make() for _ in range(4)], unit=f"u{n}", at=settings(rate=0.5))
        assert sum(each.arm == "withheld" for each in found[:3]) <= 1
        for rank, each in enumerate(found):
            coins[rank].append(each.probability)
    assert set(coins[0]) == set(coins[3]) == {0.5}
    assert (
        0.15 < coins[2].count(0.5) / 300 < 0.35
    )  # only where neither of the two before was left out
    unit = next(
        f"u{n}"
        for n in range(300)
        if assign([make()], unit=f"u{n}", at=settings(rate=0.5))[0].arm == "withheld"
    )
    one, other = make(), make()
    before = [Use(one.id, unit, "p", "r", one.id, "withheld", 0.5)]
    (later,) = assign([other], before, unit=unit)
    assert (later.arm, later.probability, later.given) == ("exempt", 0.0, True)


def test_what_was_recorded_wins(make: Make) -> None:
    """Rates change; an open run does not flip."""
    memories = [make() for _ in range(8)]
    recorded = [use(memory.id, "withheld", probability=0.05) for memory in memories]
    found = assign(memories, recorded)
    assert {(each.arm, each.probability, each.recorded, each.given) for each in found} == {
        ("withheld", 0.05, True, False)
    }


def test_near_twins_share_one_assignment(make: Make) -> None:
    """In one call, and with what the unit holds already."""
    twins = [make(family="f") for _ in range(12)]
    assert len({(each.arm, each.probability) for each in assign(twins)}) == 1
    for arm in ("injected", "withheld"):
        found = assign(twins, [use("older", arm, "f", 0.1)])
        assert {(each.arm, each.probability, each.recorded) for each in found} == {
            (arm, 0.1, False)
        }


def test_the_parts_of_a_decision_share_one_coin(make: Make) -> None:
    """Half of what was settled about a subject is worse than none: also where a part comes up later in the unit."""
    parts = [
        make(about=about, klass="fact", tally=Tally(uses=3))
        for about in ("Rounding; half_up", "rounding")
    ]
    arms = {tuple(each.given for each in assign(parts, unit=f"u{n}")) for n in range(40)}
    assert arms == {(True, True), (False, False)}
    (first,) = assign(parts[:1])
    said = use(parts[0].id, "withheld", first.family)
    assert not assign(parts[1:], [said])[0].given
    new = make(about="rounding", klass="fact")
    # with a part that is new the whole is told, and in no table; a new part of what is left out here is left out
    for n in range(20):
        assert {each.probability for each in assign([*parts, new], unit=f"u{n}")} == {0.0}
    assert not assign([new], [said])[0].given


def test_without_a_trial_everything_is_given(make: Make) -> None:
    """As exempt with probability 0; what was withheld before stays in its arm and is marked as crossed."""
    new, held = make(), make()
    found = assign([new, held], [use(held.id, "withheld")], trial=False)
    assert [(each.arm, each.probability, each.given, each.crossed) for each in found] == [
        ("exempt", 0.0, True, False),
        ("withheld", 0.3, True, True),
    ]


def test_a_profile_without_trials_withholds_nothing(make: Make) -> None:
    """The origins'."""
    found = assign([make() for _ in range(30)], at=named("archeflow").trial)
    assert {(each.arm, each.probability) for each in found} == {("exempt", 0.0)}


def test_the_instrument_is_who_saw_it_first(make: Make) -> None:
    """A harness's record sees it again in the record, a reviewer in a review, a person by correcting it again."""
    assert [instrument_of(make(trust=tier)) for tier in ("observed", "review", "user")] == [
        "tool",
        "review",
        "user",
    ]


def test_a_reviewer_that_asks_is_not_blind(make: Make) -> None:
    """It looks harder for what it was told."""
    memory = make(source="guardian")
    assert (
        is_told(memory, "guardian")
        and not is_told(memory, "maker")
        and not is_told(make(source=""), "")
    )


def test_one_prompt_in_four_sessions_is_one_task() -> None:
    """However often a host numbers it anew."""
    assert (
        len(
            {
                task_of("", text)
                for text in ("Fix the  tests", "fix the tests", "Fix the tests\n", "FIX THE TESTS")
            }
        )
        == 1
    )

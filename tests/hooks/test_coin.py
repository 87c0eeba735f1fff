"""Who is given a lesson, and who is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tacit.core.links import Use
from tacit.core.profile import with_values
from tacit.hooks.coin import Assigned, assignments
from tacit.hooks.events import Query
from tacit.hooks.record import coins_of, task_of
from tacit.lesson import Lesson, Tally
from tacit.origins import named

if TYPE_CHECKING:
    from tacit.core.value import Section

KEY = b"k" * 32
DEFAULT = named("default").trial
Make = Callable[..., Lesson]


def settings(**keys: Any) -> Section:
    return with_values(named("default"), {f"trial.{name}": to for name, to in keys.items()}).trial


def assign(
    memories: list[Lesson], recorded: Sequence[Use] = (), at: Section = DEFAULT, **named: Any
) -> list[Assigned]:
    return assignments(memories, recorded, **{"key": KEY, "unit": "u", "settings": at, **named})


def use(memory: str, arm: str, family: str = "", probability: float = 0.3) -> Use:
    return Use(memory, "u", "p", "u", family or memory, arm, probability)


@pytest.mark.parametrize(
    "fields",
    [
        {"klass": "preference"},
        {"klass": "rule"},
        {"klass": "security"},
        {"pinned": True},
        {"on_page": True},
    ],
)
def test_what_is_exempt_is_always_given(make: Make, fields: dict[str, Any]) -> None:
    """Without a coin, and at any rate."""
    (found,) = assign([make(**fields)], at=settings(rate=0.9))
    assert (found.arm, found.probability, found.given) == ("exempt", 0.0, True)


@pytest.mark.parametrize(
    ("lessons", "rates", "reason"),
    [
        # what a person typed or entered is their own word; a reader's general words for one act are on trial
        (
            [{"trust": "user"}, {"trust": "user", "extra": {"word": "said"}}],
            [0.0, 0.0],
            "exempt: a person's own word",
        ),
        ([{"trust": "user", "extra": {"word": "shown"}}], [0.3], "on trial"),
        # a habit is asked for in sessions, never a person's word
        ([{"trust": "agent", "extra": {"word": "asked"}, "klass": "rule"}], [0.3], "on trial"),
        ([{"verdict": "rare"}], [0.15], "verdict rare"),
        (
            [{}, {"verdict": "rare"}, {}],
            [0.24, 0.12, 0.24],
            "on trial",
        ),  # drawn by their rates, .60 in all
        # what is about a subject may never be asked for again; a way of working is
        ([{"about": "rounding"}], [0.0], "told for the first time"),
        ([{"about": "rounding", "tally": Tally(uses=1)}], [0.3], ""),
        ([{"about": "*"}], [0.3], ""),
        (
            [{"family": "f", "verdict": "rare"}, {"family": "f"}],
            [0.15, 0.15],
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
    """Of many moments the rate is withheld, and the rate is recorded with each."""
    lesson = make(id="c00000000001")
    found = [assign([lesson], unit=f"u{n}")[0] for n in range(1000)]
    assert {each.probability for each in found} == {0.3}
    assert 250 < sum(each.arm == "withheld" for each in found) < 350


def test_the_same_unit_gives_the_same_answer(make: Make) -> None:
    """Again, in another order, on another surface."""
    first, memories = [make(klass="rule") for _ in range(3)], [make() for _ in range(20)]
    arms = {each.memory: each.arm for each in assign([*first, *memories])}
    assert {each.memory: each.arm for each in assign([*first, *memories[::-1]])} == arms


def test_of_a_moment_one_subject_at_most_is_left_out(make: Make) -> None:
    """Drawn first, then tossed: each of four at .15, and one that this unit goes without stands for the moment."""
    left = 0
    for n in range(300):
        found = assign([make() for _ in range(4)], unit=f"u{n}")
        assert sum(each.arm == "withheld" for each in found) <= 1
        assert {each.probability for each in found} == {0.15}
        left += any(each.arm == "withheld" for each in found)
    assert 140 < left < 220
    one, other = make(), make()
    before = [Use(one.id, "u", "p", "r", one.id, "withheld", 0.5)]
    found = assign([one, other], before)
    assert [each.arm for each in found] == ["withheld", "exempt"]
    (alone,) = assign([other], before)  # another moment has a toss of its own
    assert alone.probability == 0.3


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
    lessons = [make(trust=tier) for tier in ("observed", "review", "user")]
    rows = coins_of(lessons, assign(lessons), Query())
    assert [row["instrument"] for row in rows] == ["tool", "review", "user"]


def test_a_reviewer_that_asks_is_not_blind(make: Make) -> None:
    """It looks harder for what it was told."""
    lessons = [make(source="guardian"), make(source="")]
    for agent, eligible in (("guardian", [1, 0]), ("maker", [0, 0]), ("", [0, 0])):
        rows = coins_of(lessons, assign(lessons), Query(agent=agent))
        assert [row["eligible"] for row in rows] == eligible


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

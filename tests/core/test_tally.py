"""What all rows of one lesson add up to."""

from __future__ import annotations

import pytest

from tacit.core.links import CONFIRMED, INSTRUCTED, UNMET, Evidence, Mark, Use
from tacit.core.tally import tally_of
from tacit.hosts.lessons import is_derived
from tacit.trial.evalue import trials_from

AT = "2026-11-17T00:00:00.000Z"


def test_a_person_confirms_and_takes_it_back() -> None:
    """The rows of this store's person count, and what they took back does not."""
    yes = Evidence("m", "p", signal=CONFIRMED, by="Ann", tier="user", place="confirmed", at=AT)
    no = Evidence(
        "m", "p", signal=CONFIRMED, amount=-1.0, by="Ann", tier="user", place="taken back", at=AT
    )
    assert (tally_of([yes], [], []).signals or {}).get(CONFIRMED) == 1.0
    assert CONFIRMED not in (tally_of([yes, no], [], []).signals or {})


@pytest.mark.parametrize("signal", [CONFIRMED, INSTRUCTED])
def test_nobody_else_spares_a_lesson_its_coin(signal: str) -> None:
    """A figure that a file brought, a team mate's evidence and another machine's mark are no person's word here."""
    brought = Evidence(
        "m", "p", signal=signal, by="file", tier="user", place="row 1", at=AT, opening=True
    )
    mate = Evidence("m", "p", signal=signal, by="Bob", tier="team", place="confirmed", at=AT)
    mark = Mark("m", "", "p", signal, amount=1.0, at=AT)
    assert signal not in (tally_of([brought, mate], [], [mark]).signals or {})
    assert is_derived(signal)  # so no file of lessons carries it


@pytest.mark.parametrize(("unmet", "came"), [((), True), ((1.0,), False), ((1.0, -1.0), True)])
def test_a_unit_comes_to_its_moment_unless_it_is_noted_otherwise(
    unmet: tuple[float, ...], came: bool
) -> None:
    """What was noted may be taken back when a later run of the unit comes to it."""
    use = Use("m", "u", "p", "u", "m", "injected", 0.3, at=AT)
    marks = [
        Mark("m", "u", "p", "outcome", "not_occurred", at=AT),
        *(Mark("m", "u", "p", UNMET, "", n) for n in unmet),
    ]
    assert [trial.came for trial in trials_from([use], marks)] == [came]

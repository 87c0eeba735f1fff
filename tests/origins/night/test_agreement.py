"""What counts as agreement, and how a tier loses and regains the right to decide alone."""

from __future__ import annotations

import pytest

from tacit.origins.night.agreement import Later, agrees, track_record

GOOD, BAD = Later(person="approved"), Later(person="rejected")


@pytest.mark.parametrize(
    ("later", "promote"),
    [
        (Later(), None),
        (Later(verdict="not yet known", state="active"), None),
        (Later(person="approved"), True),
        (Later(person="rejected"), False),
        (Later(put_on=True), True),
        (Later(taken_off=True), False),
        (Later(taken_off=True, put_on=True), False),
        (Later(verdict="helps"), True),
        (Later(verdict="harms"), False),
        (Later(verdict="rare"), None),
        (Later(state="gone"), False),
        (Later(state="gone"), False),
        (Later(person="approved", taken_off=True, verdict="harms"), True),
        (Later(put_on=True, verdict="harms"), True),
    ],
)
def test_what_came_later_bears_a_decision_out_or_not(later: Later, promote: bool | None) -> None:
    """A person's word on the proposal, then what a person did, then outcomes; a rejection is right where a promotion is wrong."""
    assert agrees("promote", later) is promote
    assert agrees("reject", later) is (None if promote is None else not promote)


def test_autonomy_is_lost_below_eighty_and_back_at_ninety() -> None:
    """Over the last thirty known decisions, in their order: 24 right of 30 keep it, 23 lose it, and 80 % do not bring it back."""
    for wrong, kept in ((6, True), (7, False)):
        assert (
            track_record(
                "model", [("promote", GOOD)] * (30 - wrong) + [("promote", BAD)] * wrong
            ).autonomous
            is kept
        )
    lost = [("promote", GOOD)] * 23 + [("promote", BAD)] * 7
    for more, back in ((26, False), (27, True)):
        # The right ones that came first leave the window first: after 23 more it holds the seven wrong ones and 23 right ones.
        assert track_record("model", lost + [("promote", GOOD)] * more).autonomous is back

"""The staging area's own word for a memory."""

from __future__ import annotations

import pytest

from tacit.core.proposal import CLEARED, KEPT_STAGED, STAGED_BY_HAND, VALIDATED, staging_status
from tacit.lesson import Lesson


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"state": "waiting", "gate": "hold", "gate_reason": STAGED_BY_HAND}, "pending"),
        ({"state": "waiting", "gate": "hold", "gate_reason": VALIDATED}, "validated"),
        ({"state": "waiting", "gate": "hold", "gate_reason": "quoted"}, ""),
        ({"state": "waiting", "gate": "allow", "gate_reason": STAGED_BY_HAND}, ""),
        ({"state": "gone", "gate": "discard", "closed_by": "ada"}, "rejected"),
        ({"state": "gone", "gate": "discard", "closed_by": CLEARED}, ""),
        ({"state": "gone", "gate": "hold", "closed_by": "ada"}, ""),
        ({"state": "active", "gate_reason": KEPT_STAGED}, "validated"),
        ({"state": "active"}, ""),
    ],
)
def test_the_status_of_a_memory(fields: dict[str, str], status: str) -> None:
    """Waiting, judged, or not there at all; what nobody judged is not rejected."""
    assert staging_status(Lesson(id="m", project="p", text="x", **fields)) == status  # type: ignore[arg-type]

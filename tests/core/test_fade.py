"""How strong a lesson still is."""

from __future__ import annotations

from tacit.core.fade import strength
from tacit.origins import named


def test_strength_by_profile() -> None:
    """joelclaw's exponential with its stale half, days that halve, and none."""
    joelclaw, default, geas = (named(name).fade for name in ("joelclaw", "default", "geas"))
    assert round(strength(joelclaw, 100), 6) == 0.367879
    assert strength(joelclaw, 0, stale=True) == 0.5
    assert strength(default, 90) == 0.5
    assert strength(geas, 1000) == 1.0

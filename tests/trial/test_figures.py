"""The figures of this room, by name: figures.jsonl."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from recorded_answers import changed_figures


def test_a_figure_changes_only_by_a_decision() -> None:
    """Limits, weights and thresholds were chosen on development data, then frozen; and what nobody says has one meaning (defaults).

    Whoever changes one says why (docs/decisions), then writes the tables anew: python tests/recorded_answers.py.
    """
    changed = changed_figures(Path(__file__).with_name("figures.jsonl"))
    assert not changed, f"was, is: {changed}; if it is meant: python tests/recorded_answers.py"

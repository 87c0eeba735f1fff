"""What is known, asked for by kind."""

from __future__ import annotations

from pathlib import Path

from tests.verbs import open as open_memories


def test_conventions_have_the_floor_of_their_kind(folder: Path) -> None:
    """Ralph's is a confidence of one half; the surest stands first."""
    with open_memories(profile="ralph") as memories:
        for confidence in (0.45, 0.5, 0.95, 0.65):
            text = f"Convention {confidence} is to name things well"
            memories.figures(
                memories.add(text, kind="convention").id, confidence=confidence, success_rate=0.9
            )
        assert [each.text.split()[1] for each in memories.conventions()] == ["0.95", "0.65", "0.5"]

"""What the tests of the hot room share with those of recall."""

from __future__ import annotations

from tests.recall.conftest import make, world, world_of

__all__ = ["make", "world", "world_of"]

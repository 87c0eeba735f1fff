"""A small dose of a team's server that is killed under work (any dose: make bench-postgres)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "psycopg_pool", reason="a store on PostgreSQL needs psycopg (the extra postgres)"
)
pytestmark = pytest.mark.skipif(
    not os.environ.get("TEST_POSTGRES"),
    reason="make test-postgres runs it, with a server of its own to kill",
)

Campaign = Callable[..., dict[str, Any]]


@pytest.fixture
def campaign() -> Iterator[Campaign]:
    import team

    with tempfile.TemporaryDirectory(prefix="tacit-team-") as place:
        os.chmod(
            place, 0o755
        )  # the server may run as somebody else, who cannot enter pytest's own folders
        yield lambda **named: team.campaign(
            Path(place),
            **{"processes": 3, "projects": 3, "seconds": 12, "kills": 1, "settings": {}, **named},
        )


def test_a_killed_server_loses_nothing_and_mixes_nothing_up(campaign: Campaign) -> None:
    """What was acknowledged is there, nobody sees a row of another's project."""
    found = campaign()
    assert found["failures"] == [] and found["acknowledged"]["add"] > 0


def test_a_planted_mistake_is_told(campaign: Campaign) -> None:
    """A table without row-level security."""
    failures = campaign(seconds=3, kills=0, fault="open")["failures"]
    assert any(failure.startswith("leak") for failure in failures)

"""Every verb of every room on one object, as tests and simulations call them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tacit.app.exchange import Exchange
from tacit.app.finishing import Finishing
from tacit.app.looking import Looking
from tacit.app.origins import OriginVerbs
from tacit.app.proving import Proving
from tacit.app.queries import Queries
from tacit.app.readers import Readers
from tacit.app.recalling import Recalling
from tacit.app.replaying import Replaying
from tacit.app.reviewing import Reviewing
from tacit.app.team import Team
from tacit.opened import open_store_at, store_path


class Memories(
    Replaying,
    OriginVerbs,
    Finishing,
    Reviewing,
    Team,
    Exchange,
    Proving,
    Looking,
    Readers,
    Recalling,
    Queries,
):
    """All of it, put together where everybody can read it."""


def open(
    path_or_url: str | None = None,
    project: str | None = None,
    profile: str | None = None,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    create: bool = True,
    wait: float = 60.0,
    by: str = "",
    yes: bool = False,
    now: Callable[[], str] | None = None,
) -> Memories:
    """The memory of a project with every verb of every room, for tests and simulations; see `tacit.memory.open`."""
    seen = os.environ if env is None else env
    folder = os.path.abspath(cwd or os.getcwd())
    store = open_store_at(store_path(path_or_url, seen), seen, create, wait)
    return Memories(store, seen, folder, project or "", profile or "", by, yes, now)

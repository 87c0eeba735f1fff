"""Control sessions, offered at `connect`: one in twenty without memory says what the memory as a whole is worth."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tacit.surfaces.cli.reading import asked, may_ask

if TYPE_CHECKING:
    from tacit.app import Memories
    from tacit.surfaces.cli import Cli

_SHARE = 0.05
_TEXT = f"""# Written by `tacit connect --control`: one session in twenty gets no memory but what is pinned or about security, so that
# `tacit effect` can say what the memory as a whole is worth. `tacit profile use NAME` ends it.
extends = "{{}}"
name = "{{}}-control"

[trial]
blank = {_SHARE}
"""
DONE = (
    "one session in twenty goes without memory, to tell what it is worth (about 200 sessions until then): tacit effect;"
    " tacit profile use {} ends it"
)


def offer_control(cli: Cli, memories: Memories, wish: bool | None) -> str:
    """Ask whether some sessions may go without memory; a line for people. Off without a yes. `wish` is an answer already given."""
    from tacit.app import config_path
    from tacit.profiles import BUILT_IN

    base, trial = memories.profile.name, memories.profile.trial
    if trial.blank or base not in BUILT_IN or wish is False or not trial.rate:
        return ""  # only what another file can extend
    if wish is None:
        question = "Leave one session in twenty without memory? It is the only way to tell what the memory as a whole is worth. [y/N] "
        if not may_ask(cli) or not asked(cli, question):
            return ""
    path = os.path.join(os.path.dirname(config_path(cli.env)), f"{base}-control.toml")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(_TEXT.format(base, base))
    memories.use_profile(path)
    return DONE.format(base)

"""What is left out to measure, said at `connect`: lessons now and then; and, where asked for, one session in twenty without memory."""

from __future__ import annotations

import os

from tacit.app import Memories, config_path
from tacit.profiles import BUILT_IN
from tacit.surfaces.cli import Cli

_SHARE = 0.05
_TEXT = f"""# Written by `tacit connect --control`: one session in twenty gets no memory but what is pinned or about security, so that
# `tacit effect` can say what the memory as a whole is worth. `tacit profile use NAME` ends it.
extends = "{{}}"
name = "{{}}-control"

[trial]
blank = {_SHARE}
"""
_GIVEN = """# Written by `tacit connect --no-control`: nothing is ever left out, so nothing can be said of what lessons do.
# `tacit profile use NAME` ends it.
extends = "{}"
name = "{}-given"

[trial]
rate = 0.0
"""
LEFT_OUT = (
    "To measure whether lessons help, one that can be measured is left out of a session now and then: never your word, never more than"
    " one of the three that matter most; tacit connect {} --no-control gives them all, always."
)
DONE = (
    "one session in twenty goes without memory, to tell what it is worth (about 200 sessions until then): tacit effect;"
    " tacit profile use {} ends it"
)


def offer_control(cli: Cli, memories: Memories, wish: bool | None, host: str = "") -> str:
    """Say that lessons are left out; where it is wished, leave one in twenty without memory, or nothing out at all. Lines for people;
    nobody is asked who has not seen a lesson yet."""
    base, trial = memories.profile.name, memories.profile.trial
    if not trial.rate:
        return ""
    if base not in BUILT_IN:  # only what another file can extend
        return LEFT_OUT.format(host)
    if wish is False:
        _use(cli, memories, f"{base}-given", _GIVEN.format(base, base))
        return f"nothing is left out to measure it; tacit profile use {base} ends that"
    if wish and not trial.blank:
        _use(cli, memories, f"{base}-control", _TEXT.format(base, base))
        return f"{LEFT_OUT.format(host)}\n{DONE.format(base)}"
    return LEFT_OUT.format(host)


def _use(cli: Cli, memories: Memories, name: str, text: str) -> None:
    path = os.path.join(os.path.dirname(config_path(cli.env)), f"{name}.toml")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    memories.use_profile(path)

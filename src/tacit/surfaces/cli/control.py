"""What is left out to measure, said at `connect`: lessons now and then."""

from __future__ import annotations

import os

from tacit.app import Memories, config_path
from tacit.profiles import BUILT_IN
from tacit.surfaces.cli import Cli

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


def told_of_control(cli: Cli, memories: Memories, all_given: bool, host: str = "") -> str:
    """Say that lessons are left out; where it is wished, leave nothing out at all. A line for people."""
    base, trial = memories.profile.name, memories.profile.trial
    if not trial.rate:
        return ""
    if not all_given or base not in BUILT_IN:  # only what another file can extend
        return LEFT_OUT.format(host)
    path = os.path.join(os.path.dirname(config_path(cli.env)), f"{base}-given.toml")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(_GIVEN.format(base, base))
    memories.use_profile(path)
    return f"nothing is left out to measure it; tacit profile use {base} ends that"

"""Numbers of Tacit's own way of remembering that a hook needs; `core.profile` has all of it. Hooks load this module."""

from __future__ import annotations

from tacit.core.value import Section

TRIAL = Section(
    rate=0.3,  # nearly as fast as .5 and 2.3 times as fast as .1
    # the last two have no problem that could occur
    exempt=("preference", "rule", "security", "command", "estimate"),
)
LINE_CHARS = 400  # of a lesson, as it is told

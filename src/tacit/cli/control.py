"""What is left out to measure, said at `connect`: lessons now and then."""

from __future__ import annotations

from tacit import settings
from tacit.memory import Memory as Memories

LEFT_OUT = (
    "To measure whether lessons help, one that can be measured is left out of a session now and then: never your word, never more than"
    " one of the three that matter most; tacit connect {} --no-control gives them all, always."
)


def told_of_control(memories: Memories, all_given: bool, host: str = "") -> str:
    """Say that lessons are left out; where it is wished, leave nothing out at all. A line for people."""
    name, trial = memories.profile.name, memories.profile.trial
    if not trial.rate:
        return ""
    if not all_given:
        return LEFT_OUT.format(host)
    settings.use_profile(memories, name, {"trial.rate": 0.0})
    return f"nothing is left out to measure it; tacit init --like {name} ends that"

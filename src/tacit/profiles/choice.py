"""Whose choice a profile is.

A profile decides what is believed, what is held and how it is printed into prompts. A repository is somebody else's word, so it may
name a built-in profile that holds as much as the default one and fences what it prints, and no other: a file of its own, and a built-in
one that is more open, are in force only after a person has chosen them with `tacit profile use`. Then the very text they chose is kept;
a file that is changed afterwards changes nothing until somebody chooses again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import ProfileInvalid
from tacit.core.profile_toml import removed_keys
from tacit.core.value import value
from tacit.profiles import BUILT_IN, load, profile_text

if TYPE_CHECKING:
    from tacit.core.profile import Profile


@value
class NamedProfile:
    """The profile that judges, and what a person should know about it."""

    name: str
    note: str = ""
    refused: str = ""  # what a repository names and nobody here has chosen


def by_repository(name: str, path: str) -> NamedProfile:
    """What comes of a profile that a repository's own settings name."""
    if name in BUILT_IN and not openness(load(name)):
        return NamedProfile(name)
    what = (
        openness(load(name))
        if name in BUILT_IN
        else "a file or package that the repository names is somebody else's word"
    )
    return NamedProfile(
        "default",
        f"{path} names the profile {name}, which is for you to choose ({what}): tacit profile use {name}",
        name,
    )


def openness(profile: Profile) -> str:
    """In what a profile lets more through than the default one does; empty if in nothing."""
    own = load("default")
    if not profile.render.wrap or profile.render.renderer != own.render.renderer:
        return "what it prints is not fenced"
    if profile.trust.runs < own.trust.runs:
        return "it asks for less evidence"
    if profile.gate.function != own.gate.function or not set(own.gate.discard) <= set(
        profile.gate.discard
    ):
        return "its gate is more open"
    return ""


def choice_changed(name: str, kept: str) -> str:
    """What to tell about a file that is not as it was chosen, or names keys that are none any more; empty if nothing."""
    try:
        if profile_text(name) == kept:
            return " ".join(removed_keys(kept))
    except ProfileInvalid:
        return f"{name} cannot be read any more; the profile that was chosen is kept and judges on"
    return f"{name} has changed since it was chosen; what was chosen judges on. Look at it, then tacit profile use {name}"

"""Ways of remembering by name: the five that are built in, and the file that `connect --no-control` makes of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from tacit.core.errors import ProfileInvalid
from tacit.core.profile import flat
from tacit.core.profile_toml import compile_profile
from tacit.guard.screen import screen

if TYPE_CHECKING:
    from tacit.core.profile import Profile

BUILT_IN = ("default", "archeflow", "ralph", "geas", "joelclaw")


def load(name: str) -> Profile:
    """The profile of that name, or in that TOML file, compiled."""
    return compiled_profile(profile_text(name), name)


@lru_cache(maxsize=16)
def compiled_profile(text: str, name: str) -> Profile:
    """A profile's TOML, compiled. What others wrote is screened: its wording goes into every prompt."""
    profile = compile_profile(text, name=os.path.splitext(os.path.basename(name))[0])
    if name not in BUILT_IN and (unfit := "\n".join(_unfit_wording(profile))):
        raise ProfileInvalid(
            f"The profile {name} would print what seems meant for the reader:\n{unfit}",
            "Word it as a plain heading.",
        )
    return profile


def _unfit_wording(profile: Profile) -> Iterator[str]:
    """What a profile would print into prompts that seems meant for whoever reads it, with its key; built-in ones are ours."""
    for key, said in flat(profile).items():
        if (
            isinstance(said, str)
            and said
            and key.startswith(("render.", "kinds.", "words.", "page.", "title"))
        ):
            found = screen(said)
            if not found.clean:
                yield f"{key}: {found.reason}"


def profile_text(name: str) -> str:
    """A profile's TOML."""
    if name in BUILT_IN:
        path = os.path.join(os.path.dirname(__file__), f"{name}.toml")
    elif name.endswith(".toml"):
        path = os.path.expanduser(name)
    else:
        raise _unknown(name)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileInvalid(
            f"The profile {name} cannot be read: {error}.",
            f"Built in: {', '.join(BUILT_IN)}; or name a .toml file.",
        ) from None


def profile_names() -> list[str]:
    """Every way of remembering that can be named."""
    return [*BUILT_IN]


def _unknown(name: str) -> ProfileInvalid:
    near = get_close_matches(name, BUILT_IN, 1)
    hint = f"Did you mean {near[0]}?" if near else f"Profiles: {', '.join(BUILT_IN)}."
    return ProfileInvalid(f"There is no profile {name!r}.", hint)

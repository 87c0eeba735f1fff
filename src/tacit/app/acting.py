"""In whose name this process acts: what its surroundings say, judged by `core/trust.py`. Hooks load it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.core.trust import Actor

HOW_TO_SIGN = "A person signs with --by NAME --yes; a program of yours shows a key (docs/security.md)."


def acting(env: Mapping[str, str], by: str = "", yes: bool = False) -> Actor:
    """Who acts here: whoever signs, shows a key that a person made, or sits at a terminal; everybody else is an agent."""
    from tacit.core.trust import actor
    from tacit.hosts import SHELLS

    name = ""
    if env.get("TACIT_KEY"):
        from tacit.stores.keys import name_of

        name = name_of(env["TACIT_KEY"], keys_path(env))
    return actor(env, by, yes, shells=SHELLS, terminal=any(map(_is_terminal, range(3))), key=name)


def keys_path(env: Mapping[str, str]) -> str:
    """The file of keys with which programs of the user's own act in a name."""
    from tacit.app.opened import config_path

    return os.path.join(os.path.dirname(config_path(env)), "keys")


def _is_terminal(number: int) -> bool:
    try:
        return os.isatty(number)
    except OSError:
        return False

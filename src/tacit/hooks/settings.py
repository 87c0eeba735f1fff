"""What a hook needs of the user's settings, without a TOML parser: files are read once and kept compiled in the store."""

from __future__ import annotations

import os

from tacit.core.value import dumps, loads
from tacit.hooks.place import keep
from tacit.stores import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hooks.record import Store

# The keys, with the defaults of `core.config`, which need not be loaded for them.
SETTINGS: dict[str, Any] = {
    "ignore": (),
    "receipt": True,
    "budget": "auto",
    "learns": True,
    "gives": True,
}


def settings(store: Store, project: str, root: str, env: Mapping[str, str]) -> Mapping[str, Any]:
    """What the user has set, of the keys in SETTINGS; read anew where a file changed."""
    home = env.get("XDG_CONFIG_HOME") or f"{env.get('HOME') or os.path.expanduser('~')}/.config"
    user = f"{home}/tacit/config.toml"
    stamp = f"{_stamp(user)} {_stamp(f'{root}/.tacit/config.toml')}"
    here = any(env.get(f"TACIT_{key.upper()}") for key in SETTINGS)
    if not here and not stamp.strip():
        return SETTINGS
    key = f"config:{project}"
    compiled = moments.meta(store, key)
    known: dict[str, Any] = loads(compiled) if compiled and not here else {}
    if known.get("stamp") == stamp and "left_out" in known and "unlearned" in known:
        return known
    from tacit.app.settings import settings_at

    found = settings_at(root, user, env)
    fresh = {
        "stamp": stamp,
        "left_out": found.left_out,
        "unlearned": found.unlearned,
        **{name: found.by_key[name].value for name in SETTINGS},
    }
    if not here:
        keep(store, key, dumps(fresh))
    return fresh


def _stamp(path: str) -> str:
    try:
        at = os.stat(path)
    except OSError:
        return ""
    return f"{at.st_mtime_ns}:{at.st_size}"

"""Where a hook stands: the project of a folder, and what its person has set; looked for anew only where a file changed.

At the top of an ordinary work tree of the user's own nothing but `.git/config` decides, so its project is kept beside what
tells that config from a later one. Every other folder is looked at each time.
"""

from __future__ import annotations

import os

from tacit.core.value import dumps, loads
from tacit.store import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hooks.record import Store
    from tacit.store.moments import Project

_DECIDE = ("TACIT_PROJECT", "GIT_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES")
_KEEP_WITHIN = 0.15  # seconds


def project_here(
    store: Store, folder: str, env: Mapping[str, str]
) -> tuple[Project | None, str, str]:
    """The project of a folder, the folder it begins in, and its git directory; None where nothing was ever kept for it."""
    mark, key = config_mark(folder, env), f"place:{folder}"
    if mark and (kept := moments.meta(store, key)):
        before, id, root = loads(kept)
        if before == mark:
            return moments.project(store, id), root, f"{root}/.git"
    from tacit.place.identity import locate

    place = locate(folder, env)
    found = moments.choice(store, place)
    project = moments.project(store, found.id) if found.id else None
    if mark and project and place.id == found.id and place.git_dir == f"{place.root}/.git":
        keep(store, key, dumps([mark, found.id, place.root]))
    return project, place.root, place.git_dir


def config_mark(folder: str, env: Mapping[str, str]) -> str:
    """What tells a work tree's config from a later one; empty where more than that decides."""
    if any(env.get(name) for name in _DECIDE):
        return ""
    try:
        git, config = os.lstat(f"{folder}/.git"), os.lstat(f"{folder}/.git/config")
    except (OSError, ValueError):
        return ""
    me = os.geteuid()
    if git.st_uid != me or config.st_uid != me or os.path.lexists(f"{folder}/.git/commondir"):
        return ""
    return (
        f"{git.st_ino} {config.st_ino} {config.st_mtime_ns} {config.st_ctime_ns} {config.st_size}"
    )


def keep(store: Store, key: str, said: str) -> None:
    """Keep what the next hook need not find out again."""
    from tacit.core.errors import Unavailable

    try:
        with store.write(wait=_KEEP_WITHIN) as tx:
            moments.put_meta(tx, key, said)
    except Unavailable:
        pass


# The keys, with the defaults of `core.config`, which need not be loaded for them.
SETTINGS: dict[str, Any] = {
    "ignore": (),
    "receipt": True,
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
    from tacit.settings import settings_at

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

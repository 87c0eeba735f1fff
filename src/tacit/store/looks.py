"""What the looks at a project need of its past sessions, and what they brought: files beside the store, for its owner alone.

One file a session holds its typed lines and failing commands, redacted, since hosts delete their own files; one a project the items of
each look, with the lesson that each became. They stay on the machine that wrote the sessions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tacit.place.files import put_packed, read_packed, remove_file

_SESSION, _STATE = ".session.gz", ".looks.gz"


def looks_folder(store: str) -> str:
    """Where the looks of a store's projects lie."""
    return os.path.join(os.path.dirname(os.path.realpath(store)), "looks")


def keep_session(folder: str, project: str, run: str, left: Mapping[str, Any]) -> None:
    """Keep what a session left; a session that grew takes the place of what was kept of it."""
    _put(os.path.join(folder, f"{run}{_SESSION}"), {"project": project, "left": left})


def sessions_kept(folder: str, project: str) -> dict[str, dict[str, Any]]:
    """What was kept of a project's sessions, by run; what cannot be read is as if it were not there."""
    if not os.path.isdir(folder):
        return {}
    names = [entry.name for entry in os.scandir(folder) if entry.name.endswith(_SESSION)]
    found = {name.removesuffix(_SESSION): _read(os.path.join(folder, name)) for name in names}
    return {run: at["left"] for run, at in found.items() if at.get("project") == project}


def state_of(folder: str, project: str) -> dict[str, Any]:
    """What the looks at a project brought so far, by look."""
    return _read(os.path.join(folder, f"{project}{_STATE}"))


def keep_state(folder: str, project: str, state: Mapping[str, Any]) -> None:
    """Keep what the looks at a project brought."""
    _put(os.path.join(folder, f"{project}{_STATE}"), state)


def forget_looks(folder: str, project: str, memory: str, runs: Iterable[str]) -> None:
    """Take out what was kept of these sessions, and the items that became a lesson, with its words."""
    for run in runs:
        remove_file(os.path.join(folder, f"{run}{_SESSION}"))
    state, changed = state_of(folder, project), False
    for at in (state.get("habits", {}), state.get("failures", {})):
        gone = {id for id, became in at.get("lessons", {}).items() if became == memory}
        changed = changed or bool(gone)
        at["items"] = [each for each in at.get("items", ()) if each["id"] not in gone]
    if changed:
        keep_state(folder, project, state)


def _read(path: str) -> dict[str, Any]:
    at = read_packed(path)
    return at if isinstance(at, dict) else {}


def _put(path: str, held: Mapping[str, Any]) -> None:
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.mkdir(folder, mode=0o700)
    put_packed(path, held)

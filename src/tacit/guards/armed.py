"""The guards that are armed, in a small file beside the store, and what ran before in a session.

The file decides nothing: what it names counts only as it stands in the store. What must have run first is noted in a
second file; where that is gone, a guard fires once too often or not at all.
"""

from __future__ import annotations

import os

from tacit.core.value import dumps, loads
from tacit.guards.condition import Attempt, fires, guard_from, is_guarded, prepares
from tacit.safety.files import head_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.guards.condition import Guard

GUARDS = "guards:"  # with a project's id, what the store notes: its armed guards by lesson
_LARGEST = 1 << 18  # bytes of either file that are looked at
_UP = 24  # folders above, in which a repository is looked for
FIRST, CALL = "first", "call"


def guards_path(store: str) -> str:
    """The file of armed guards."""
    return f"{store}.guards"


def ran_path(store: str) -> str:
    """The file of what ran first."""
    return f"{store}.ran"


def write_armed(store: str, by_project: Mapping[str, Sequence[Guard]]) -> None:
    """Write the file anew; none where no guard is armed."""
    from tacit.core.digest import new_id
    from tacit.guards.condition import guard_json

    rows = [
        {**guard_json(each), "project": project}
        for project, guards in by_project.items()
        for each in guards
    ]
    path = guards_path(store)
    if not rows:
        for each in (path, ran_path(store)):
            try:
                os.unlink(each)
            except FileNotFoundError:
                pass
        return
    half = f"{path}.{new_id()}"
    with os.fdopen(
        os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(dumps(rows))
    os.replace(half, path)


def concerned(
    store: str, session: str, folder: str, line: str, file: str
) -> list[tuple[str, Guard, str]]:
    """The armed guards that fire on a call, each with its project and its reason; what a guard
    wants to have run first is noted."""
    found: list[tuple[str, Guard, str]] = []
    branch: str | None = None
    for row in _rows(store):
        try:
            guard = guard_from(row)
            if guard.condition.branch and branch is None:
                branch = branch_of(folder)
            before = _before(store, session, guard) if guard.condition.first and line else ()
            reason = fires(guard, Attempt("" if file else line, file, branch or ""), before)
            if guard.condition.first and line:
                _note(store, session, guard, line)
            if reason:
                found.append((str(row.get("project")), guard, reason))
        except Exception:
            continue
    return found


def _rows(store: str) -> list[Any]:
    try:
        rows = loads(_read(guards_path(store)))
    except ValueError:
        return []
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _before(store: str, session: str, guard: Guard) -> tuple[str, ...]:
    """What ran before in this session, as far as this guard asks."""
    mark = f"{session} {guard.lesson} "
    last = next(
        (line for line in reversed(_read(ran_path(store)).split("\n")) if line.startswith(mark)), ""
    )
    return (" ".join(guard.condition.first[0]),) if last.endswith(FIRST) else ()


def _note(store: str, session: str, guard: Guard, line: str) -> None:
    what = FIRST if prepares(guard, line) else CALL if is_guarded(guard, line) else ""
    if what and " " not in session and len(session) < 200:
        path = ran_path(store)
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.fstat(fd).st_size > _LARGEST:
                os.ftruncate(fd, 0)  # sessions of long ago; one that runs is asked once more
            os.write(fd, f"{session} {guard.lesson} {what}\n".encode())
        finally:
            os.close(fd)


def branch_of(folder: str) -> str:
    """The branch that is checked out, read from git's files; empty where there is none."""
    for _ in range(_UP):
        git = os.path.join(folder, ".git")
        if os.path.lexists(git):
            if os.path.isfile(git):
                named = _read(git).strip().removeprefix("gitdir:").strip()
                git = os.path.join(folder, named) if named else git
            head = _read(os.path.join(git, "HEAD")).strip()
            return (
                head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else ""
            )
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return ""


def _read(path: str) -> str:
    return head_of(path, _LARGEST).decode("utf-8", "replace")

"""Where a session began: the commit that was checked out, and whether the work tree held nothing else.

A small file for each session, written by the worker as soon as it began: some hosts' transcripts name no commit. What
lay uncommitted is not kept: such a session is not done again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.value import fields, value
from tacit.place.git import ask_git
from tacit.place.identity import head_commit
from tacit.replay.kept import read, write
from tacit.safety.files import pipe_for_git

if TYPE_CHECKING:
    from tacit.opened import Opened

SLOW = 10.0  # seconds for git: the one worker of all projects waits for it


@value
class Start:
    """Where one session began."""

    session: str
    host: str
    commit: str
    clean: bool  # the work tree held nothing that the commit does not


def beside_store(memories: Opened, name: str) -> str:
    """A folder beside the store: `replays`, or `starts`."""
    return os.path.join(os.path.dirname(os.path.abspath(memories.store.path)), name)


def note_start(opened: Opened, session: str, host: str, head: str) -> None:
    """Write down where a session that just began did so; `head` is the commit that was checked out then."""
    place = opened.place
    if place.kind != "git" or not head or start_of(opened, host, session) is not None:
        return
    can_tell = head_commit(place.git_dir, place.common_dir) == head
    can_tell = can_tell and not pipe_for_git(place.root)
    asked = ("status", "--porcelain")
    told = ask_git(place.root, *asked, timeout=SLOW, here=True) if can_tell else None
    clean = told is not None and not told.returncode and not told.stdout.strip()
    os.makedirs(beside_store(opened, "starts"), mode=0o700, exist_ok=True)
    write(_file(opened, host, session), fields(Start(session, host, head, clean)))


def start_of(opened: Opened, host: str, session: str) -> Start | None:
    """Where a session began; None where nobody noted it."""
    said = read(_file(opened, host, session))
    return Start(**said) if said else None


def _file(opened: Opened, host: str, session: str) -> str:
    name = f"{short_hash('session', host, session)}.json"
    return os.path.join(beside_store(opened, "starts"), name)

"""Where a session began: the commit that was checked out, and whether the work tree held nothing else.

A small file for each session under Tacit's data folder, written by the worker as soon as a host says that a session began;
some hosts' transcripts name no commit. What lay uncommitted is not kept: such a session is not done again.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.core.value import fields, value
from tacit.place.git import ask_git
from tacit.replay.kept import read, write
from tacit.safety.files import pipe_for_git

SLOW = 10.0  # seconds for git: the one worker of all projects waits for it


@value
class Start:
    """Where one session began."""

    session: str
    host: str
    commit: str
    clean: bool  # the work tree held nothing that the commit does not


def note_start(top: str, root: str, commit: str, *, session: str, host: str, clean: bool) -> Start:
    """Write down where a session began; `clean` says that no call of it has written yet."""
    can_tell = clean and not pipe_for_git(root)
    told = ask_git(root, "status", "--porcelain", timeout=SLOW, here=True) if can_tell else None
    is_clean = told is not None and not told.returncode and not told.stdout.strip()
    start = Start(session, host, commit, is_clean)
    os.makedirs(top, mode=0o700, exist_ok=True)
    write(_file(top, host, session), fields(start))
    return start


def start_of(top: str, host: str, session: str) -> Start | None:
    """Where a session began; None where nobody noted it."""
    said = read(_file(top, host, session))
    return Start(**said) if said else None


def _file(top: str, host: str, session: str) -> str:
    return os.path.join(top, f"{short_hash('session', host, session)}.json")

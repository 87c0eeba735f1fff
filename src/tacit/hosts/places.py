"""Where hosts keep the transcripts of this user, and whether a file lies there.

What a file calls typed is the person's word only in the host's own folder of this user, or at a path that its hook named.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tacit.core.run import Run
from tacit.core.value import replace
from tacit.hosts import HOSTS
from tacit.hosts import host as host_named
from tacit.hosts.registration import data_of, user_home

# Formats that hold what a person and an agent said and did; the others are reports, for which it is enough that a person learns them.
SESSIONS = (*HOSTS, "neutral", "aider", "openhands", "swe-agent", "inspect")


def folders_of(host: str, env: Mapping[str, str]) -> list[str]:
    """Where a host keeps its transcripts, folders or files; nothing for one that keeps none that we read."""
    if host not in HOSTS:
        return []
    known = host_named(host)
    return [os.path.join(data_of(known, env), name) for name in known.transcripts]


def is_hosts_own(path: str, host: str, env: Mapping[str, str], project: str = "") -> bool:
    """Whether a file really lies in a host's folder of this user: links and `..` are followed
    first, at both ends."""
    if not path or path == "-":
        return False
    try:
        real = os.path.realpath(path)
        if os.stat(real).st_uid != os.getuid():
            return False
    except (OSError, ValueError, AttributeError):
        return False
    kept = [os.path.realpath(folder) for folder in folders_of(host, env)]
    usual = [os.path.realpath(folder) for folder in folders_of(host, {"HOME": user_home(env)})]
    if project and kept != usual and real.startswith(os.path.join(os.path.realpath(project), "")):
        return False
    return any(real == folder or real.startswith(folder + os.sep) for folder in kept)


def unheard(run: Run, doubt: str, *, here: bool = False) -> tuple[Run, str]:
    """A run as anybody's: no words in it are typed, what it says is imported."""
    if not run.steps and not run.findings and not run.extra:
        return replace(run, foreign=True), ""
    many = sum(step.typed for step in run.steps)
    steps = tuple(
        replace(step, typed=False, speaker="") if step.typed else step for step in run.steps
    )
    typed = (
        f"; {many} typed {'message does' if many == 1 else 'messages do'} not count as yours"
        if many
        else ""
    )
    if run.path and run.path != "-":
        then = f"tacit learn --as YOUR_NAME {run.path}"
    else:
        then = "tacit review"
    who = "If it is yours" if here else "A person who knows that it is theirs types at a terminal"
    what = run.id if run.id != "-" else "standard input"
    return replace(
        run, steps=steps, foreign=True
    ), f"{what} waits for you: {doubt}{typed}. {who}: {then}"

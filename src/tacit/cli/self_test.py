"""The end of `connect`: each event that was registered is fired once, in the host's own shape, and what its agent would have seen is shown.

It runs on a copy of the store, in a folder that is gone afterwards: no run, no use and no coin comes of it.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.core.errors import numbered
from tacit.hooks.main import respond_and_tell
from tacit.hosts import host_of, of_session, speaker
from tacit.hosts.registration import Host, Scene
from tacit.store.backup import copy_pages
from tacit.store.reads import Store

LARGEST_COPY = 256 * 1024 * 1024  # bytes of a store that is copied for it
_LINES = 3  # of what an event says that are shown
# folders and files of the session that connect may run in
_HOSTS_OWN = ("CLAUDE", "CODEX", "GEMINI", "COPILOT")
# What a person calls an event.
MOMENT_WORDS = {
    "session-start": "at the start",
    "prompt": "with a sample prompt",
    "before-command": "before a command",
    "before-file": "at a file",
    "tool-failure": "after a failure",
    "subagent-start": "for a sub-agent",
}
# a lesson as agents get it: with its id, and whose it is
_AS_GIVEN = re.compile(r"- \[[^\]]*\] (.*?)(?: \([^()]*\))?$")


@dataclass(frozen=True)
class Fired:
    """One event, and what came of it."""

    theirs: str
    ours: str
    seconds: float
    seen: tuple[str, ...] = ()  # the lessons that the agent would have read
    error: str = ""


def fire(host: Host, store: Store, folder: str, env: Mapping[str, str]) -> list[Fired]:
    """Fire every event of a host at a copy of the store; nothing where the store is too large to be copied for it."""
    if not os.path.isfile(store.path) or os.path.getsize(store.path) > LARGEST_COPY:
        return []
    with tempfile.TemporaryDirectory(prefix="tacit-self-test-") as place:
        copy, transcript = (os.path.join(place, name) for name in ("memory.db", "session.jsonl"))
        for path in (copy, transcript):
            with open(path, "wb"):
                pass
        copy_pages(store.path, copy)
        of_host = {name for name in env if of_session(name) or name.startswith(_HOSTS_OWN)}
        alone = {name: word for name, word in env.items() if name not in of_host}
        alone |= {"TACIT_NO_WORKER": "1", "TACIT_STORE": copy}
        scene = Scene(folder, transcript=transcript)
        return [_fired(host, entry, scene, alone, copy) for entry in host.entries]


def _fired(host: Host, entry: Any, scene: Scene, env: Mapping[str, str], store: str) -> Fired:
    began = time.perf_counter()
    named = "" if host.loaded_by_others else host.name
    payload, lines, error = host.sample(entry, scene), [], ""
    try:
        if speaker(host_of(payload, named)).read(entry.ours, payload, env) is None:
            error = "the event was not understood"
        else:
            answer, told = respond_and_tell(entry.ours, payload, env, host=named, store=store)
            lines = told.context.splitlines() if answer else []
    except Exception as fault:  # a person is told what a host would never be
        error = f"{type(fault).__name__}: {fault}"
    seen = tuple(line for line in lines if line.startswith("- "))
    return Fired(entry.theirs, entry.ours, time.perf_counter() - began, seen, error)


def self_test_lines(fired: Sequence[Fired]) -> list[str]:
    """The result for people: what an agent would see, and what went wrong; the rest has nothing to say."""
    if not fired:
        return ["self-test: left out, the store is too large to be copied for it"]
    good = sum(not each.error for each in fired)
    how = "on a copy; nothing was recorded"
    lines = [f"self-test: {good} of {len(fired)} events answered ({how})"]
    told: set[str] = set()
    for each in fired:
        fresh = [line for line in each.seen if line not in told][:_LINES]
        more = len(each.seen) - len(fresh)
        told.update(each.seen)
        at = MOMENT_WORDS.get(each.ours, each.theirs)
        if each.error:
            lines.append(f"  {at}: FAILED: {each.error}")
        elif fresh:
            read = numbered(len(each.seen), "lesson")
            lines.append(f"  {at}: the agent would have read {read}")
            lines += ["    " + _AS_GIVEN.sub(r"- \1", line) for line in fresh]
            lines += [f"    and {more} more"] if more else []
    return lines


def self_test_json(fired: Sequence[Fired]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "event": each.ours,
            "theirs": each.theirs,
            "seconds": round(each.seconds, 3),
            "seen": [*each.seen],
            "error": each.error or None,
        }
        for each in fired
    ]

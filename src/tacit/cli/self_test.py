"""The end of `connect`: each event that was registered is fired once, in the host's own shape, and what its agent would have seen is shown.

It runs on a copy of the store, in a folder that is gone afterwards: no run, no use and no coin comes of it.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.errors import numbered
from tacit.core.value import value
from tacit.hooks.main import respond_and_tell
from tacit.hosts import host_of, of_session, speaker
from tacit.hosts.registration import Host, Scene
from tacit.store.backup import copy_pages
from tacit.store.reads import Store

LARGEST_COPY = 256 * 1024 * 1024  # bytes of a store that is copied for it
_LINES = 3  # of what an event says that are shown
_HOSTS_OWN = (
    "CLAUDE",
    "CODEX",
    "GEMINI",
    "COPILOT",
)  # folders and files of the session that connect may run in
# What a person calls an event.
MOMENT_WORDS = {
    "session-start": "at the start",
    "prompt": "with a sample prompt",
    "before-command": "before a command",
    "before-file": "at a file",
    "tool-failure": "after a failure",
    "subagent-start": "for a sub-agent",
}
_AS_GIVEN = re.compile(
    r"- \[[^\]]*\] (.*?)(?: \([^()]*\))?$"
)  # a lesson as agents get it: with its id, and whose it is
LEARNS = ("stop", "session-end", "pre-compact")


@value
class Fired:
    """One event, and what came of it."""

    theirs: str
    ours: str
    seconds: float
    seen: tuple[str, ...] = ()  # the lessons that the agent would have read
    error: str = ""

    @property
    def told(self) -> str:
        """In a few words."""
        if self.error:
            return f"FAILED: {self.error}"
        if self.seen:
            return f"the agent would have read {numbered(len(self.seen), 'lesson')}"
        return (
            "taken; the session would be learned from"
            if self.ours in LEARNS
            else "answered; nothing to say"
        )


def fire(host: Host, store: Store, folder: str, env: Mapping[str, str]) -> list[Fired]:
    """Fire every event of a host at a copy of the store; nothing where the store is too large to be copied for it."""
    if not os.path.isfile(store.path) or os.path.getsize(store.path) > LARGEST_COPY:
        return []
    with tempfile.TemporaryDirectory(prefix="tacit-self-test-") as place:
        copy = os.path.join(place, "memory.db")
        transcript = os.path.join(place, "session.jsonl")
        for path in (copy, transcript):
            with open(path, "wb"):
                pass
        copy_pages(store.path, copy)
        alone = {
            name: word
            for name, word in env.items()
            if not of_session(name) and not name.startswith(_HOSTS_OWN)
        }
        alone.update(TACIT_NO_WORKER="1", TACIT_STORE=copy)
        return [
            _fired(host, entry, Scene(folder, transcript=transcript), alone, copy)
            for entry in host.entries
        ]


def _fired(host: Host, entry: Any, scene: Scene, env: Mapping[str, str], store: str) -> Fired:
    began = time.perf_counter()
    named = "" if host.loaded_by_others else host.name
    payload = host.sample(entry, scene)
    try:
        if speaker(host_of(payload, named)).read(entry.ours, payload, env) is None:
            return Fired(entry.theirs, entry.ours, 0.0, error="the event was not understood")
        answer, told = respond_and_tell(entry.ours, payload, env, host=named, store=store)
    except Exception as error:  # a person is told what a host would never be
        return Fired(
            entry.theirs,
            entry.ours,
            time.perf_counter() - began,
            error=f"{type(error).__name__}: {error}",
        )
    seen = (
        tuple(line for line in told.context.splitlines() if line.startswith("- ")) if answer else ()
    )
    return Fired(entry.theirs, entry.ours, time.perf_counter() - began, seen)


def self_test_lines(fired: Sequence[Fired]) -> list[str]:
    """The result for people."""
    if not fired:
        return ["self-test: left out, the store is too large to be copied for it"]
    failed = sum(bool(each.error) for each in fired)
    lines = [
        f"self-test: {len(fired) - failed} of {len(fired)} events answered (on a copy; nothing was recorded)"
    ]
    told: set[str] = set()
    for each in fired:  # what an agent would see, and what went wrong; the rest has nothing to say
        fresh = [line for line in each.seen if line not in told][:_LINES]
        more = len(each.seen) - len(fresh)
        told.update(each.seen)
        lines += (
            [f"  {MOMENT_WORDS.get(each.ours, each.theirs)}: {each.told}"]
            if each.error or fresh
            else []
        )
        lines += ["    " + _AS_GIVEN.sub(r"- \1", line) for line in fresh]
        lines += [f"    and {more} more"] if fresh and more else []
    return lines


def self_test_json(fired: Sequence[Fired]) -> list[dict[str, Any]]:
    """The same for programs."""
    said = [
        (each, {"event": each.ours, "theirs": each.theirs, "seconds": round(each.seconds, 3)})
        for each in fired
    ]
    return [{**known, "seen": [*each.seen], "error": each.error or None} for each, known in said]

"""What `tacit hook` says to a person who calls it."""

from __future__ import annotations

from collections.abc import Iterable


def usage(events: Iterable[str]) -> str:
    """How it is called, and by whom."""
    return f"""usage: tacit hook EVENT [--host HOST] [--store FILE] < payload.json

Answers a host's event: reads the host's JSON on standard input, prints what its agent should know.
`tacit connect claude-code` registers it; you need not call it yourself.

events: {", ".join(events)}

It prints nothing and exits with 0 where there is nothing to say, and whenever something fails; TACIT_DEBUG=1 says why
on standard error. TACIT_OFF=1 silences it, `tacit pause` does so for a while.

example:
  echo '{{"session_id": "s1", "cwd": "'$PWD'", "hook_event_name": "SessionStart", "source": "startup"}}' | tacit hook session-start
"""

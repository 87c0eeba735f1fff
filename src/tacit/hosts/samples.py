"""Events as hosts send them, made up: what `connect` fires to show that its hooks answer, and what their cost is measured with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.hosts.registration import EventEntry

AT = "2026-11-16T06:19:59.486Z"


@value
class Scene:
    """What happens in a session that never was."""

    folder: str
    session: str = "tacit-self-test"
    prompt: str = "run the tests"
    command: str = "make test"
    error: str = "make: *** [Makefile:3: test] Error 1"
    transcript: str = ""
    agent: str = "general-purpose"
    call: str = "call-1"


def as_claude_code_says(entry: EventEntry, scene: Scene, **more: Any) -> dict[str, Any]:
    """The shapes of Claude Code, which others took over."""
    said: dict[str, Any] = {
        "session_id": scene.session,
        "transcript_path": scene.transcript,
        "cwd": scene.folder,
        "hook_event_name": entry.theirs,
    }
    call = {"tool_name": "Bash", "tool_use_id": scene.call, "tool_input": {"command": scene.command}}
    by_event: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": scene.prompt},
        "subagent-start": {"agent_id": "agent-1", "agent_type": scene.agent},
        "before-command": call,
        "tool-failure": {**call, "error": f"Exit code 2\n{scene.error}"},
        "step": {**call, "tool_response": scene.error},
    }
    return {**said, **by_event.get(entry.ours, {}), **more}

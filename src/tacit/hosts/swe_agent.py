"""SWE-agent's trajectories (`.traj`), and those of mini-swe-agent (`.traj.json`): one file, one
attempt at one issue."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.run import Cost, Run
from tacit.core.shell_line import ends_in_failure
from tacit.hosts.session import (
    Session,
    content_text,
    dict_at,
    document,
    fill,
    list_at,
    status_of,
    text_at,
    token_count,
)
from tacit.hosts.source import Source

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "swe-agent"
ENDINGS = (".traj", ".traj.json", ".traj.gz", ".traj.json.gz")
REFUSED = (
    "Your proposed edit has introduced new syntax error(s)",
    "EXECUTION TIMED OUT",
    "COMMAND TIMED OUT",
    "EXECUTION FAILED",
    "Your command failed to execute",
    "No replacement was performed",
    "ERROR:",
    "Error: ",
    "Your output was not formatted correctly",
    "The command timed out",
    "Invalid `path` parameter",
    "The path ",
    "Text not found",
)
EDITORS = tuple(
    "edit create insert str_replace_editor open goto scroll_up scroll_down find_file "
    "search_file search_dir submit filemap".split()
)


def detect(source: Source) -> float:
    """How sure we are that this is a trajectory: by its name, or by its first keys."""
    head = source.head()
    if not head.lstrip().startswith(b"{"):
        return 0.0
    if _SHAPE.search(head):
        return 0.95
    named = source.name.endswith(ENDINGS)
    return 0.9 if named and _LATER.search(head) else 0.0


_SHAPE = re.compile(
    rb'"trajectory"\s*:\s*\[\s*(?:\]|\{\s*"(?:action|observation|response|thought|state|query)")|"trajectory_format"\s*:\s*"mini-swe'
)
_LATER = re.compile(rb'"(?:info|history|messages|environment|trajectory|replay_config)"\s*:')


def read(source: Source) -> Iterator[Run]:
    """The attempt in a file."""
    whole = document(source)
    if whole is None:
        return
    attempt = Session(NAME)
    attempt.lines = 1
    if list_at(whole, "trajectory"):
        _trajectory(attempt, whole)
    elif list_at(whole, "messages"):
        _messages(attempt, whole)
    if not attempt.rows:
        return
    info = dict_at(whole, "info")
    _end(attempt, info)
    name = text_at(whole, "instance_id") or source.stem.removesuffix(".traj")
    begins = json.dumps(attempt.rows[:4], sort_keys=True, default=str)
    attempt.id = f"{name}-{short_hash(begins)[:8]}"
    attempt.root = name
    config = dict_at(dict_at(info, "config"), "model")
    attempt.model(text_at(config, "model_name"))
    attempt.version = text_at(info, "swe_agent_version", "mini_version")
    yield attempt.run(source)


def _end(attempt: Session, info: Record) -> None:
    """How it ended. A submission is an end, not a success: whether it was right the file does not say."""
    status = text_at(info, "exit_status").lower()
    attempt.complete = bool(status)
    attempt.outcome = "unknown" if status.startswith("submitted") or not status else "failure"
    stats = dict_at(info, "model_stats")
    usd = stats.get("instance_cost")
    attempt.spent = Cost(
        token_count(stats, "tokens_sent"),
        token_count(stats, "tokens_received"),
        usd=float(usd) if isinstance(usd, (int, float)) and 0 <= usd < 1e9 else None,
    )


# --- SWE-agent ---------------------------------------------------------------------------------------------------------


def _trajectory(attempt: Session, whole: Record) -> None:
    for index, message in enumerate(list_at(whole, "history"), 1):
        if text_at(message, "role") == "user" and message.get("is_demo") is not True:
            attempt.at(f"history/{index}")
            attempt.ask(_issue(content_text(message.get("content"))))
            break
    for index, step in enumerate(list_at(whole, "trajectory"), 1):
        attempt.at(f"trajectory/{index}")
        if type(step) is not dict:
            attempt.odd("trajectory")
            continue
        state = _state(step.get("state"))
        if attempt.cwd == "":
            attempt.cwd = text_at(state, "working_dir")
        attempt.say("assistant", text_at(step, "thought"))
        _act(attempt, text_at(step, "action").strip(), text_at(step, "observation"), state)


def _act(attempt: Session, action: str, seen: str, state: Record) -> None:
    if not action:
        return
    name = action.split(None, 1)[0]
    if name in EDITORS:
        shown = text_at(state, "open_file")
        path = _path(action) or (shown if shown != "n/a" and name in ("edit", "insert") else "")
        row = attempt.add(
            "tool",
            tool=name,
            input={"arguments": action, "path": path},
            files=(path,) if path else (),
        )
        fill(row, seen.strip(), failed=seen.startswith(REFUSED))
    else:
        row = attempt.add("tool", tool="shell", input={"command": action})
        fill(row, seen.strip(), failed=seen.startswith(REFUSED) or ends_in_failure(seen))


def _path(action: str) -> str:
    words = action.split("\n", 1)[0].split()
    named = (
        words[2:3]
        if words[0] == "str_replace_editor"
        else words[1:2]
        if words[0] in ("open", "create")
        else []
    )
    return named[0].strip("\"'") if named else ""


def _state(said: Any) -> Record:
    """The editor's state, an object or the text of one."""
    if isinstance(said, str):
        try:
            said = json.loads(said)
        except (ValueError, RecursionError):
            return {}
    return said if type(said) is dict else {}


def _issue(text: str) -> str:
    """The issue inside the template."""
    for pattern in (_BETWEEN, _TAGGED):
        found = pattern.search(text)
        if found and found[1].strip():
            return found[1].strip()
    return text


_BETWEEN = re.compile(r"^ISSUE:\n(.*?)(?:^INSTRUCTIONS:|\Z)", re.S | re.M)
_TAGGED = re.compile(
    r"<(?:pr_description|issue|problem_statement)>(.*?)</(?:pr_description|issue|problem_statement)>",
    re.S,
)


# --- mini-swe-agent ----------------------------------------------------------------------------------------------------


def _messages(attempt: Session, whole: Record) -> None:
    open: list[Record] = []
    for index, message in enumerate(list_at(whole, "messages"), 1):
        role, text = (
            text_at(message, "role", "type"),
            content_text(message.get("content") if type(message) is dict else None),
        )
        attempt.at(f"messages/{index}")
        extra = dict_at(message, "extra")
        if role == "assistant":
            attempt.say("assistant", text)
            open = [
                attempt.add("tool", tool="bash", input={"command": line})
                for line in _commands(text, message)
            ]
        elif open and role in ("user", "tool", "function_call_output"):
            _observe(open.pop(0), text or text_at(message, "output"), extra)
        elif role == "user" and not attempt.task:
            attempt.ask(_issue(text))


def _commands(text: str, message: Record) -> list[str]:
    actions = list_at(dict_at(message, "extra"), "actions")
    lines = [
        text_at(each, "command") or (each if isinstance(each, str) else "") for each in actions
    ]
    return [line for line in lines if line] or [found.strip() for found in _FENCED.findall(text)][
        :1
    ]


def _observe(row: Record, text: str, extra: Record) -> None:
    found = _RETURNED.search(text)
    code = status_of(extra.get("returncode"))
    status = int(found[1]) if found and code is None else code
    inner = _OUTPUT.search(text)
    fill(row, (inner[1] if inner else text).strip(), failed=status not in (None, 0), status=status)


_FENCED = re.compile(r"```(?:bash|sh|mswea_bash_command)\s*\n(.*?)\n?```", re.S)
_RETURNED = re.compile(r"<returncode>\s*(-?\d{1,5})\s*</returncode>")
_OUTPUT = re.compile(r"<output>\n?(.*?)(?:</output>|\Z)", re.S)

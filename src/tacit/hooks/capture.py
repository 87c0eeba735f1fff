"""A session written down from its events, for hosts whose transcripts nobody documents.

One file of the neutral format per session, beside the store, for its owner alone, without secrets. Hooks of one session
run at the same time and in several copies, so a line is added under a lock, and one that was added a moment ago is not
added again. Files are kept as long as other hosts keep theirs.
"""

from __future__ import annotations

import fcntl
import os

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.value import dumps, loads, replace
from tacit.hosts.dialect import COMPACTION_STEP
from tacit.place.folders import file_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hosts.dialect import Event

SAME_WITHIN = 10.0  # seconds in which the same line is a copy
_TAIL = 1 << 18  # bytes at the end of a file in which copies are looked for
_LONGEST = (
    8_000  # characters of one text, its beginning and its end; what fails says so in one of the two
)
LONGEST_INPUT = 2_000
COMMANDS = ("command", "cmd", "script", "commandLine", "path", "file_path", "filePath")


def keep(store: str, event: Event) -> Event:
    """Write down what an event says. Returns it with its file, and, at the first step after a prompt, as that prompt:
    these hosts let nothing be said to a prompt itself, but to what the agent does next."""
    path = file_of(store, event.session)
    opens = event.name == "session-start"
    if event.step is None and not opens:
        return replace(event, transcript=path if os.path.exists(path) else "")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        head, before = _seen(fd)
        new = [] if head else [_head(event)]
        step = _step(event, head) if event.step is not None else None
        fresh = step is not None and not _is_copy(step, before)
        if step is not None and fresh:
            new.append(step)
        if new:
            os.write(
                fd,
                b"".join(
                    dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
                    for line in new
                ),
            )
    finally:
        os.close(fd)  # and the lock with it
    event = replace(event, transcript=path)
    last = before[-1] if before else {}
    if not fresh or not step or step["role"] != "tool":
        return event
    event = replace(event, emptied=_is_compacted(before))
    return _as_prompt(event, str(last.get("text", ""))) if last.get("role") == "user" else event


def _is_compacted(before: list[Mapping[str, Any]]) -> bool:
    """Whether the session was compacted since its last call: these hosts begin no new start then."""
    for line in reversed(before):
        if line.get("role") == "tool":
            return False
        if (line.get("role"), line.get("text")) == ("system", COMPACTION_STEP["text"]):
            return True
    return False


def _as_prompt(event: Event, text: str) -> Event:
    from tacit.hosts.dialect import files_in

    key, failed = (
        short_hash(event.session, "prompt", text),
        event.text if event.name == "tool-failure" else "",
    )
    return replace(event, name="prompt", text=text, error=failed, key=key, files=files_in(text))


def _seen(fd: int) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """The line of the run, and the last lines."""
    size = os.fstat(fd).st_size
    if not size:
        return {}, []
    head = _parsed(os.pread(fd, 1 << 16, 0).split(b"\n", 1)[0])
    lines = os.pread(fd, _TAIL, max(0, size - _TAIL)).split(b"\n")
    return head or {"type": "run"}, [line for raw in lines[-20:] if (line := _parsed(raw))]


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        found = loads(raw)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _head(event: Event) -> dict[str, Any]:
    from tacit.safety.redact import private, redact, redacted_record

    task = redact(private(event.text[:_LONGEST])).text if event.name == "session-start" else ""
    said = redacted_record(
        {"host": event.host, "cwd": event.folder, "model": event.model, "version": event.version}
    ) | {"task": task}
    told: dict[str, Any] = {name: word for name, word in said.items() if word}
    if event.name == "session-start":
        told["extra"] = {"begun": True}
    return {"type": "run", "id": event.session, **told, "started_at": clock.now()}


def _step(event: Event, head: Mapping[str, Any]) -> dict[str, Any]:
    """The step as it is kept: cut, without secrets, with its time. What a command line handed over nobody typed, and a host
    that can do so has to have told the start first: its hooks run at the same time."""
    from tacit.safety.redact import PRIVATE, private, redact_value

    step = {
        name: _cut(said, LONGEST_INPUT if name == "input" else _LONGEST)
        for name, said in (event.step or {}).items()
    }
    for name in ("text", "output", "error"):
        if isinstance(step.get(name), str):
            step[name] = private(step[name]).replace(PRIVATE, " ").strip()
    kept: dict[str, Any] = redact_value(step)
    task, begun = str(head.get("task") or ""), (head.get("extra") or {}).get("begun")
    if kept.get("typed") and (
        (task and str(kept.get("text"))[: len(task)] == task)
        or (kept.pop("once_begun", False) and not begun)
    ):
        kept["typed"] = False
    kept.pop("once_begun", None)
    return {"type": "step", **kept, "at": clock.now()}


def _cut(said: Any, longest: int) -> Any:
    if isinstance(said, str):
        return (
            said if len(said) <= longest else f"{said[: longest // 2]}\n…\n{said[-longest // 2 :]}"
        )
    if isinstance(said, dict):
        return {str(name)[:100]: _cut(each, longest) for name, each in [*said.items()][:50]}
    return [_cut(each, longest) for each in said[:50]] if isinstance(said, (list, tuple)) else said


def _is_copy(step: Mapping[str, Any], before: list[Mapping[str, Any]]) -> bool:
    now = clock.seconds(str(step["at"]))
    same = _mark(step)
    return any(
        _mark(line) == same and now - clock.seconds(str(line.get("at") or "")) < SAME_WITHIN
        for line in before
    )


def _mark(step: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes a step this one, however a host spells its tools' names."""
    given = step.get("input")
    what = ""
    if isinstance(given, dict):
        what = next(
            (given[name] for name in COMMANDS if isinstance(given.get(name), str)), dumps(given)
        )
    return (
        step.get("role"),
        what,
        step.get("text"),
        (str(step.get("error") or step.get("output") or "")).strip(),
    )

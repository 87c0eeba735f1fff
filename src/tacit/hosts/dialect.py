"""What dialects share: reading a payload's texts, what of a prompt may be searched with, and answers below a host's limit."""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.value import dumps, loads, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

PROMPT_CHARS = 4_000  # characters of a prompt that are looked at: what is asked stands in front of what was pasted
FILES = 16
# what may be said about a call before it runs; nothing is ever allowed
ASKS, REFUSES = ("ask", "refuse")
SENDS_BACK = (
    "send back"  # what may be said when the work ends: not yet, and what is to be done first
)
OWN_FOLDER = "/tacit-model-call"  # where Tacit asks models; it must not talk to itself


@value
class Event:
    """Something that happened in a host, in our words."""

    name: str
    host: str
    session: str  # the host's id of the session: our run, and the unit of its sub-agents
    folder: str
    key: str  # the same event again has the same key
    transcript: str = ""
    source: str = ""  # session-start: startup, resume, clear, compact or fork
    model: str = ""
    agent: str = ""  # the type of the sub-agent that starts, or in which it happened
    context: str = ""  # the host's id of that sub-agent; empty for the main one
    text: str = (
        ""  # what the person typed, the command that is about to run, or the error of a tool
    )
    files: tuple[str, ...] = ()  # files that the text names
    env_file: str = ""  # where the host takes variables for the commands of its agent from
    root: str = ""  # the session that this one continues
    version: str = ""  # the host's
    forgets: bool = False  # a session of this host that is resumed has lost what hooks told it
    dropped: bool = False  # the host drops what is said at this start …
    catches_up: bool = False  # … and this prompt is told it, where its session was told nothing yet
    emptied: bool = False  # the first call after a compaction that had no start of its own: what was told is told again
    shows: bool = True  # the host shows its user a message at the start
    insists: bool = False  # the host reads an answer only with exit status 2
    captured: bool = False  # no transcript that could be read: what its events say is written down
    error: str = ""  # beside a prompt: what failed since it was typed
    line: str = ""  # beside an error: the command that failed
    step: Mapping[str, Any] | None = (
        None  # of such a host: what happened, as a step of the neutral format
    )


@value
class HookAnswer:
    """What a hook has to say: to the agent, to the person, and about a call that is about to run."""

    context: str = ""
    message: str = ""
    decision: str = ""  # ASKS, REFUSES, or at the end of a turn SENDS_BACK
    reason: str = ""


class Insisted(str):
    """An answer that its host reads only with exit status 2."""

    __slots__ = ()


def text_at(payload: Mapping[str, Any], *keys: str) -> str:
    """The first of these fields that is a text and not empty."""
    for key in keys:
        found = payload.get(key)
        if isinstance(found, str) and found:
            return found
    return ""


def object_at(payload: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The first of these fields that is an object, or the text of one."""
    for key in keys:
        found = payload.get(key)
        if isinstance(found, str) and found.lstrip().startswith("{"):
            try:
                found = loads(found)
            except (ValueError, RecursionError):
                continue
        if isinstance(found, dict):
            return found
    return {}


def command_of(payload: Mapping[str, Any]) -> str:
    """The command of a call; empty where it runs no program."""
    return telling(object_at(payload, "tool_input", "toolArgs"))


def file_of(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """The file that a call is about to read or change; none of another tool."""
    given = object_at(payload, "tool_input", "toolArgs")
    named = (
        "" if text_at(given, "command", "cmd") else text_at(given, *PATH_FIELDS, "notebook_path")
    )
    return (named,) if named else ()


def before_call(
    payload: Mapping[str, Any],
    *,
    host: str,
    session: str,
    folder: str,
    writes: Collection[str],
    at: str = "",
) -> Event | None:
    """A call about which this host hears a decision and nothing else: a command, or the file that
    one of its writing tools would change; None for any other."""
    tool, line = text_at(payload, "tool_name", "toolName"), line_of(payload)
    files = file_of(payload) if tool in writes else ()
    if not line and not files:
        return None
    return Event(
        name="before-call",
        host=host,
        session=session,
        folder=folder,
        key=short_hash(session, "before-call", at, tool, line, *files),
        text="" if files else public(line),
        files=files,
    )


def telling(given: Mapping[str, Any]) -> str:
    """The same, of what a tool was given."""
    line = text_at(given, "command", "cmd")
    return line if any(map(str.isalpha, line)) else ""


def public(text: str) -> str:
    """A text without what is private. Secrets need not be looked for: a prompt is searched with, and never written."""
    from tacit.lesson import sound_text

    text = sound_text(text[:PROMPT_CHARS])
    if "<" not in text or "private" not in text.lower():
        return text
    from tacit.safety.redact import PRIVATE, private

    return private(text).replace(PRIVATE, " ").strip()


def failing(text: str) -> str:
    """What a call printed that failed, as far as it is looked at: its end, where the error stands."""
    return public(printed(text)[-PROMPT_CHARS:])


def line_of(payload: Mapping[str, Any]) -> str:
    """The command of a call, whatever became of it."""
    return text_at(object_at(payload, "tool_input", "toolArgs"), "command", "cmd")


def files_in(text: str) -> tuple[str, ...]:
    """The files that a prompt names: @mentions, paths, and names with an extension."""
    found = []
    for word in text[:PROMPT_CHARS].split():
        if "." not in word and "/" not in word:
            continue
        name = word.strip("`'\"()[]{}<>,;:!?").rstrip(".").removeprefix("@")
        stem, dot, extension = name.rpartition(".")
        spelled = dot and stem and len(stem + extension) > 2  # "e.g." is none
        looks = "/" in name or (
            spelled and extension.isalnum() and len(extension) < 6 and not extension.isdigit()
        )
        if looks and "://" not in name and 2 < len(name) < 200 and name.strip("/."):
            found.append(name)
    return tuple(dict.fromkeys(found))[:FILES]


def fitted(text: str, limit: int) -> str:
    """A text below the host's limit: whole lines go from its end, its last line, which closes the fence, stays."""
    if len(text) <= limit:
        return text
    lines = text.rstrip("\n").split("\n")
    last = lines.pop()
    while lines and sum(map(len, lines)) + len(lines) + len(last) + 1 > limit:
        lines.pop()
    return "\n".join([*lines, last]) + "\n" if lines else ""


# events at which these hosts show a message to the person
TOLD_PERSON = ("session-start", "prompt")


def in_claudes_shape(told: HookAnswer, theirs: str, *, shows: bool, limit: int) -> str:
    """An answer as Claude Code and those who took over its shapes want it: context beside the
    event's own name, a message to the person."""
    answer: dict[str, Any] = {}
    if told.message and shows:
        answer["systemMessage"] = told.message[:limit]
    if (told.context or told.decision) and theirs:
        said: dict[str, str] = (
            {"additionalContext": fitted(told.context, limit)} if told.context else {}
        )
        if told.decision:
            said |= {
                "permissionDecision": _DECISIONS[told.decision],
                "permissionDecisionReason": told.reason[:limit],
            }
        answer["hookSpecificOutput"] = {"hookEventName": theirs, **said}
    return dumps(answer) if answer else ""


_DECISIONS = {ASKS: "ask", REFUSES: "deny"}


def at_the_end(told: HookAnswer, *, limit: int) -> str:
    """An answer at the end of a turn, as Claude Code, Codex, Copilot and Gemini read it; notes have no place there."""
    answer: dict[str, Any] = {}
    if told.context:
        return ""
    if told.decision == SENDS_BACK:
        answer = {"decision": "block", "reason": told.reason[:limit]}
    if told.message:
        answer["systemMessage"] = told.message[:limit]
    return dumps(answer) if answer else ""


def exit_status(text: str) -> int | None:
    """The exit status that a host told in the first or last lines of a result; None where it told none."""
    lines = text.split("\n")
    for line in (*lines[:6], *lines[-4:]):
        plain = line.strip().lower()
        longest = FRAMED_LEAD if plain[:1] == "<" and plain[-1:] == ">" else STATUS_LEAD
        plain = plain.strip("<>")
        for words in _STATUS:
            before, found, after = plain.partition(words)
            if found and len(before) < longest:
                number = after.lstrip(": ").partition(" ")[0].rstrip(".)>")
                if number.lstrip("-").isdigit() and len(number) < 7:
                    return int(number)
    return None


# characters in front of a status; Copilot frames its line: "<shellId: 0 completed with exit code 1>"
STATUS_LEAD, FRAMED_LEAD = 24, 48
_STATUS = ("exit code", "exited with code", "exit status")


def printed(text: str) -> str:
    """What a command printed, without the lines that hosts put around it: they fit every error, and so none."""
    lines = [line for line in text.split("\n") if not line.strip().lower().startswith(_AROUND)]
    return "\n".join(lines).strip().removeprefix("Output:").removeprefix("Stdout:").strip() or text


_AROUND = (
    "exit code",
    "<exited with",
    "command exited with",
    "process exited with",
    "wall time:",
    "chunk id:",
    "original token count:",
    "command: ",
    "directory: ",
    "signal: ",
    "process group pgid:",
    "background pids:",
    "error: (none)",
    "stderr: (none)",
)


def tool_step(
    tool: str,
    given: Mapping[str, Any],
    output: str,
    *,
    failed: bool,
    status: int | None,
    stopped: bool,
) -> dict[str, Any] | None:
    """A call and its answer, as a step of the neutral format; None for a call without a name."""
    if not tool:
        return None
    if not failed and not stopped and status is None and isinstance(given.get("command"), str):
        from tacit.core.shell_line import ends_in_failure

        failed = ends_in_failure(output)
    step: dict[str, Any] = {"role": "tool", "tool": tool, "input": dict(given)}
    step["error" if failed else "output"] = output or ("failed without a word" if failed else "")
    named = next((given[key] for key in PATH_FIELDS if isinstance(given.get(key), str)), "")
    if named:
        step["files"] = [named]
    if status is not None:
        step["status"] = status
    if stopped:
        step["interrupted"] = True
    return step


def event_of(step: Mapping[str, Any] | None, name: str) -> tuple[str, str]:
    """What a captured event is to us, and its text: an error, or a command or a file that went well
    and may have a lesson of its own."""
    if step is None or step["role"] != "tool":
        return "step" if name in ("prompt", "answer", "tool-failure") else name, ""
    if step.get("error"):
        return "tool-failure", str(step["error"])
    given = {} if step.get("interrupted") else step["input"]
    if command := telling(given):
        return "before-command", command
    if step.get("files") and given and not text_at(given, "command"):
        return "before-file", text_at(given, *CHANGED_FIELDS)
    return "step", ""


COMPACTION_STEP = {"role": "system", "text": "Conversation compacted"}
# what of a file a call changes, by the names of its arguments
CHANGED_FIELDS = ("old_string", "old_str", "oldString", "content", "file_text", "new_source")
PATH_FIELDS = ("file_path", "path", "filePath", "target_file", "absolute_path")

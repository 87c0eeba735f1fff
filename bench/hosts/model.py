"""A model that says what a script tells it to, on loopback, in the words of four vendors' protocols.

Real host programs are pointed at it. It plays an agent's side of a session step by step and keeps every request, so that
a test can ask what truly reached the model instead of what a host showed on its screen.

A script maps a track's name to its steps. A request belongs to the first track whose name stands in its first user message (a
sub-agent's task, for instance), else to `main`. Requests that offer no tools (titles, summaries, routing) take no step.
A step is one of

    {"say": "text"}                           the turn ends
    {"shell": "make db"}                      a call of the host's shell tool, whatever it is called there
    {"write": "notes.md", "in": FOLDER}       a new file by the host's own tool for that, or a patch in its shell
    {"agent": "task", "type": "reviewer"}     a call of the host's tool for sub-agents
    {"call": "Read", "with": {...}}           a call of any tool; a name that ends in * is looked up among those offered
    {"status": 429, "error": "rate_limit_error"}  the service refuses
    {"wait": 600}                             it does not answer for so long
    {"usage": 190000}                         beside one of these: how large the request was, to make a host compact
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SHELLS = (
    "Bash",
    "exec_command",
    "shell_command",
    "shell",
    "local_shell",
    "run_shell_command",
    "bash",
)
# the tool that makes a file: its arguments for the path and for the text
WRITES = {
    "Write": ("file_path", "content"),
    "write_file": ("file_path", "content"),
    "create": ("path", "file_text"),
    "write": ("filePath", "content"),
}
AGENTS = ("Agent", "Task", "spawn_agent", "task")
ASKS_FOR_SUMMARY = "create a detailed summary of the conversation"
Untold = (
    str | Callable[[Any], str | dict[str, Any]]
)  # what answers a request without tools: words, or a step
SUMMARY = "<summary>The tests were run; the work goes on.</summary>"


@dataclass(frozen=True)
class Request:
    """What reached the model."""

    path: str
    track: str
    step: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model was offered."""
        return offered(self.body)

    @property
    def text(self) -> str:
        """Everything that the model was given to read, without the tools."""
        return "\n".join(
            strings({key: value for key, value in self.body.items() if key != "tools"})
        )


def strings(found: Any) -> list[str]:
    """The texts in a JSON value, in order."""
    if isinstance(found, str):
        return [found]
    inner = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return [text for each in inner for text in strings(each)]


def offered(body: Any) -> list[str]:
    """The tools of a request, in any of the protocols."""
    names: list[str] = []
    for tool in body.get("tools") or ():
        declared = tool.get("functionDeclarations")
        if declared is not None:
            names += [each["name"] for each in declared]
        elif tool.get("type") == "namespace":  # Codex files the tools of an MCP server so
            names += [f"{tool.get('name')}/{each.get('name')}" for each in tool.get("tools") or ()]
        else:
            names.append(
                tool.get("name")
                or (tool.get("function") or {}).get("name")
                or tool.get("type")
                or ""
            )
    return [name for name in names if name]


def opening(body: Any) -> str:
    """The user's messages in front of the first answer: a sub-agent's task stands there."""
    found: list[str] = []
    for each in body.get("messages") or body.get("input") or body.get("contents") or ():
        if not isinstance(each, dict):
            continue
        if each.get("role") in ("assistant", "model") or "call" in str(each.get("type", "")):
            break
        if each.get("role") == "user":
            found += strings(each)
    return "\n".join(found)


class Model:
    """The server, its script and its log."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.script: dict[str, list[dict[str, Any]]] = {}
        self.untold: Untold = SUMMARY
        self._at: dict[str, int] = {}
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"model": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def play(self, script: dict[str, list[dict[str, Any]]], untold: Untold = SUMMARY) -> None:
        """Begin a script; the log begins anew. `untold` answers requests that offer no tools, as they are asked or always the same."""
        with self._lock:
            self.script, self._at, self.requests, self.untold = script, {}, [], untold

    def seen(self, track: str = "", *, tools: bool = True) -> list[Request]:
        """The requests of a track, in order; of all tracks without a name."""
        with self._lock:
            return [
                each
                for each in self.requests
                if each.track and (not track or each.track == track) and (not tools or each.tools)
            ]

    def take(self, path: str, body: Any, headers: dict[str, str]) -> dict[str, Any]:
        """The step that answers a request, which is written down."""
        first = opening(body)
        if ASKS_FOR_SUMMARY in "".join(strings(body.get("messages", [])[-1:])):
            body = {
                **body,
                "tools": [],
            }  # Claude Code and Copilot offer tools beside this question too
        with self._lock:
            track = next((name for name in self.script if name != "main" and name in first), "main")
            at, told = (
                self._at.get(track, 0),
                self.untold(body) if callable(self.untold) else self.untold,
            )
            step = told if isinstance(told, dict) else {"say": told}
            if offered(body):
                steps = self.script.get(track, [])
                self._at[track] = at + 1
                step = steps[at] if at < len(steps) else {"say": "Done."}
            self.requests.append(Request(path, track, at, body, headers))
        return step

    def note(self, path: str, body: Any) -> None:
        """Write down a request that asks for no answer of a model's: telemetry, lists of models."""
        with self._lock:
            self.requests.append(Request(path, "", 0, body if isinstance(body, dict) else {}))

    def close(self) -> None:
        """Stop listening."""
        self.server.shutdown()


def parts(step: dict[str, Any], body: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """A step as ("say", text, {}) and ("call", tool, arguments)."""
    names = offered(body)
    found: list[tuple[str, str, dict[str, Any]]] = []
    if "say" in step:
        found.append(("say", step["say"], {}))
    for one in step.get("calls") or [step]:
        if "shell" in one:
            found.append(("call", *_shell(one["shell"], names)))
        elif "write" in one:
            found.append(("call", *_write(one["write"], one["in"], names)))
        elif "agent" in one:
            found.append(("call", *_agent(one["agent"], one.get("type", "general-purpose"), names)))
        elif "call" in one:
            wanted = one["call"]
            name = (
                next((each for each in names if each.endswith(wanted[1:])), wanted[1:])
                if wanted.startswith("*")
                else wanted
            )
            found.append(("call", name, one.get("with", {})))
    return found


def _shell(command: str, names: list[str]) -> tuple[str, dict[str, Any]]:
    name = next((each for each in SHELLS if each in names), "Bash")
    if name == "exec_command":
        return name, {"cmd": command}
    if name in ("shell", "local_shell"):
        return name, {"command": ["bash", "-lc", command]}
    return name, {
        "command": command,
        **({"description": f"run {command[:30]}"} if name.lower() == "bash" else {}),
    }


def _write(path: str, folder: str, names: list[str]) -> tuple[str, dict[str, Any]]:
    name = next((each for each in WRITES if each in names), "")
    if not name:
        patch = f"*** Begin Patch\n*** Add File: {path}\n+a line\n*** End Patch"
        return _shell(f"apply_patch <<'EOF'\n{patch}\nEOF", names)
    return name, {WRITES[name][0]: f"{folder}/{path}", WRITES[name][1]: "a line\n"}


def _agent(task: str, kind: str, names: list[str]) -> tuple[str, dict[str, Any]]:
    name = next((each for each in names if each.rpartition("/")[2] in AGENTS), "Agent")
    if name.endswith("spawn_agent"):
        return name, {"message": task, "agent_type": kind}
    return name, {
        "description": task[:30],
        "prompt": task,
        "subagent_type": kind,
        "agent_type": kind,
        "name": "part",
    }


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:24]}"


# -- one function per protocol: the events of a stream, and the whole ----------------------------------------------------


def anthropic(step: dict[str, Any], body: Any) -> tuple[list[tuple[str, Any]], Any]:
    blocks: list[dict[str, Any]] = []
    for kind, name, given in parts(step, body):
        blocks.append(
            {"type": "text", "text": name}
            if kind == "say"
            else {"type": "tool_use", "id": _id("toolu"), "name": name, "input": given}
        )
    why = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    usage = {
        "input_tokens": step.get("usage", 900),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 12,
    }
    head = {
        "id": _id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "stop_sequence": None,
        "usage": usage,
    }
    events: list[tuple[str, Any]] = [
        ("message_start", {"message": {**head, "content": [], "stop_reason": None}})
    ]
    for n, block in enumerate(blocks):
        said = block["type"] == "text"
        empty = {"type": "text", "text": ""} if said else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if said
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        events.append(("content_block_start", {"index": n, "content_block": empty}))
        events.append(("content_block_delta", {"index": n, "delta": delta}))
        events.append(("content_block_stop", {"index": n}))
    events.append(
        ("message_delta", {"delta": {"stop_reason": why, "stop_sequence": None}, "usage": usage})
    )
    events.append(("message_stop", {}))
    return [(name, {"type": name, **data}) for name, data in events], {
        **head,
        "content": blocks,
        "stop_reason": why,
    }


def responses(step: dict[str, Any], body: Any) -> tuple[list[tuple[str, Any]], Any]:
    items: list[dict[str, Any]] = []
    for kind, name, given in parts(step, body):
        if kind == "say":
            said = {"type": "output_text", "text": name, "annotations": []}
            items.append(
                {
                    "type": "message",
                    "id": _id("msg"),
                    "role": "assistant",
                    "status": "completed",
                    "content": [said],
                }
            )
            continue
        space, _, tool = name.rpartition("/")
        call = {
            "type": "function_call",
            "id": _id("fc"),
            "call_id": _id("call"),
            "name": tool,
            "arguments": json.dumps(given),
            "status": "completed",
        }
        items.append({**call, **({"namespace": space} if space else {})})
    used = step.get("usage", 900)
    usage = {
        "input_tokens": used,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used + 12,
    }
    whole = {
        "id": _id("resp"),
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body.get("model", "scripted"),
        "output": items,
        "usage": usage,
    }
    events: list[tuple[str, Any]] = [
        (
            "response.created",
            {"response": {**whole, "status": "in_progress", "output": [], "usage": None}},
        )
    ]
    for n, item in enumerate(items):
        events.append(("response.output_item.added", {"output_index": n, "item": item}))
        if item["type"] == "message":
            events.append(
                (
                    "response.output_text.delta",
                    {
                        "output_index": n,
                        "content_index": 0,
                        "item_id": item["id"],
                        "delta": item["content"][0]["text"],
                    },
                )
            )
        events.append(("response.output_item.done", {"output_index": n, "item": item}))
    events.append(("response.completed", {"response": whole}))
    return [
        (name, {"type": name, "sequence_number": n, **data})
        for n, (name, data) in enumerate(events)
    ], whole


def chat(step: dict[str, Any], body: Any) -> tuple[list[tuple[str, Any]], Any]:
    found = parts(step, body)
    calls = [
        {
            "index": n,
            "id": _id("call"),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }
        for n, (_, name, given) in enumerate(each for each in found if each[0] == "call")
    ]
    said = "".join(name for kind, name, _ in found if kind == "say") or None
    message = {"role": "assistant", "content": said, **({"tool_calls": calls} if calls else {})}
    used, why = step.get("usage", 900), "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": used, "completion_tokens": 12, "total_tokens": used + 12}
    head = {"id": _id("chatcmpl"), "created": 1, "model": body.get("model", "scripted")}
    chunk = {**head, "object": "chat.completion.chunk"}
    first = {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": why}], "usage": usage}
    whole = {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": why}],
        "usage": usage,
    }
    return [("", first), ("", last), ("", "[DONE]")], whole


def gemini(step: dict[str, Any], body: Any) -> tuple[list[tuple[str, Any]], Any]:
    said = [
        {"text": name} if kind == "say" else {"functionCall": {"name": name, "args": given}}
        for kind, name, given in parts(step, body)
    ]
    used = step.get("usage", 900)
    whole = {
        "candidates": [
            {"content": {"role": "model", "parts": said}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": used,
            "candidatesTokenCount": 12,
            "totalTokenCount": used + 12,
        },
        "modelVersion": "scripted",
    }
    return [("", whole)], whole


def protocol(path: str) -> Any:
    """Whose protocol a path belongs to; None for what is no question to a model."""
    if path.endswith("/messages"):
        return anthropic
    if path.endswith(("/responses", "/responses/compact")):
        return responses
    if path.endswith("/chat/completions"):
        return chat
    return gemini if path.endswith((":generateContent", ":streamGenerateContent")) else None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.model.note(self.path, {})
        listed = {
            "object": "list",
            "data": [{"id": "scripted", "object": "model", "owned_by": "nobody"}],
            "models": [],
        }
        self._send(listed if self.path.partition("?")[0].endswith("/models") else {})

    def do_HEAD(self) -> None:
        self._send(None)

    def do_POST(self) -> None:
        path, body = self.path.partition("?")[0], self._body()
        if path.endswith(("/count_tokens", ":countTokens")):
            return self._send({"input_tokens": 900, "totalTokens": 900})
        speak = protocol(path)
        if speak is None or not isinstance(body, dict):
            self.model.note(path, body)
            return self._send({})
        step = self.model.take(path, body, dict(self.headers))
        time.sleep(step.get("wait", 0))
        if "status" in step:
            error = {"type": step.get("error", "overloaded_error"), "message": "scripted"}
            return self._send({"type": "error", "error": error}, step["status"])
        events, whole = speak(step, body)
        if not body.get("stream") and not path.endswith(":streamGenerateContent"):
            return self._send(whole)
        lines = [
            (f"event: {name}\n" if name else "")
            + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
            for name, data in events
        ]
        return self._send("".join(lines).encode(), kind="text/event-stream")

    def _body(self) -> Any:
        raw = b""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            import gzip

            raw = gzip.decompress(raw)
        try:
            return json.loads(raw or b"{}")
        except ValueError:
            return None

    def _send(self, said: Any, status: int = 200, kind: str = "application/json") -> None:
        raw = (
            said if isinstance(said, bytes) else b"" if said is None else json.dumps(said).encode()
        )
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

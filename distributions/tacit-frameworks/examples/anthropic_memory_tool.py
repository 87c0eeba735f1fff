"""Claude's memory tool on Tacit, against a local stand-in for the API: the model looks into /memories, and writes a note.

python distributions/tacit-frameworks/examples/anthropic_memory_tool.py
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from anthropic import Anthropic

import tacit
from tacit_frameworks.anthropic import TacitMemoryTool

CALLS = [
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/tacit-lessons.md"},
    {
        "command": "create",
        "path": "/memories/db.md",
        "file_text": "- `make test` needs `docker compose up db` first.\n",
    },
]


class Api(BaseHTTPRequestHandler):
    """What the API would answer: one tool call after the other, then a last word."""

    seen: list[Any] = []  # noqa: RUF012 - one server, one list

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = len(self.seen)  # the client sends only what is new
        self.seen.append(request["messages"][-1])
        over = turn == len(CALLS)
        content = (
            {"type": "text", "text": "Done."}
            if over
            else {"type": "tool_use", "id": f"toolu_{turn}", "name": "memory", "input": CALLS[turn]}
        )
        body = json.dumps(
            {
                "id": f"msg_{turn}",
                "type": "message",
                "role": "assistant",
                "model": request["model"],
                "content": [content],
                "stop_reason": "end_turn" if over else "tool_use",
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Quiet."""


def results() -> list[str]:
    """What the tool answered the model."""
    said = [
        part
        for message in Api.seen
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "tool_result"
    ]
    return [
        part["content"] if isinstance(part["content"], str) else part["content"][0]["text"]
        for part in said
    ]


def main() -> None:
    server = HTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tacit.open() as memories:
        memories.add("Run `make migrate` before the tests.", kind="rule")
        tool = TacitMemoryTool(memories, task="make the tests pass", run="example")
        client = Anthropic(
            api_key="none", base_url=f"http://127.0.0.1:{server.server_port}", max_retries=0
        )
        asked = [{"role": "user", "content": "Make the tests pass."}]
        client.beta.messages.tool_runner(
            model="any", max_tokens=100, messages=asked, tools=[tool]
        ).until_done()
        print("\n\n".join(results()))
        print(
            "\nlearned as candidates:",
            [memory.text for memory in memories.list(states=("candidate",))],
        )
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()

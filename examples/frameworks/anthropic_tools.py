"""The Anthropic SDK's tool runner with Tacit around it: lessons in the system prompt, tool calls as steps. Offline: a stand-in answers.

pip install anthropic && python examples/frameworks/anthropic_tools.py
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from anthropic import Anthropic, beta_tool

import tacit

TASK = "Make the tests pass."
COMMANDS = ("make test", "make migrate", "make test")
ASKED: list[dict[str, Any]] = []  # every request that reached the stand-in
TURNS = len(COMMANDS) + 1  # of a run, with its last word


class StandIn(BaseHTTPRequestHandler):
    """What the API would answer: one command after the other, then a last word."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = len(ASKED) % TURNS
        ASKED.append(request)
        over = turn == len(COMMANDS)
        call = {"type": "tool_use", "id": f"toolu_{turn}", "name": "shell"}
        content = (
            {"type": "text", "text": "The tests pass."}
            if over
            else {**call, "input": {"command": COMMANDS[turn]}}
        )
        answer = {
            "id": f"msg_{turn}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [content],
            "stop_reason": "end_turn" if over else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Quiet."""


def work(memories: tacit.Memories, client: Anthropic) -> str:
    """One run of the agent: told what past runs met, taken down, and learned at its end."""
    migrated: list[bool] = []
    with memories.run(task=TASK, host="anthropic-sdk", agent="coder") as run:

        @beta_tool
        def shell(command: str) -> str:
            """Run a command.

            Args:
                command: the command line
            """
            migrated.extend([True] * (command == "make migrate"))
            fails = command == "make test" and not migrated
            error = "sqlite3.OperationalError: no such table: orders" if fails else ""
            output = "" if error else "12 passed"
            run.step(tool="shell", input=command, output=output, error=error)
            return error or output

        runner = client.beta.messages.tool_runner(
            model="any",
            max_tokens=100,
            system=f"You fix tests.\n\n{run.text}",
            messages=[{"role": "user", "content": TASK}],
            tools=[shell],
        )
        return str(runner.until_done().content[0].text)


def main() -> None:
    server = HTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with tacit.open() as memories:
        client = Anthropic(api_key="none", base_url=url, max_retries=0)
        for _ in range(3):
            print(work(memories, client))
        print("the model was told:", ASKED[-TURNS]["system"])
        print("known now:", [memory.text for memory in memories.lessons()])
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()

"""An editor's side of the Agent Client Protocol: JSON-RPC, one message a line, on an agent's standard input and output.

Enough of an editor to hold a conversation: a session in a folder, prompts one after the other, a yes to whatever the agent asks leave for.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Any


class Editor:
    """An agent that an editor started."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self.agent = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.heard: Queue[Any] = Queue()
        self.errors: list[str] = []
        self._asked = 0
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(
            target=lambda: self.errors.extend(self.agent.stderr or ()), daemon=True
        ).start()

    def converse(self, cwd: Path, prompts: Sequence[str], patience: float) -> str:
        """One session with these prompts; its id."""
        files = {"readTextFile": False, "writeTextFile": False}
        self.ask(
            "initialize",
            {"protocolVersion": 1, "clientCapabilities": {"fs": files, "terminal": False}},
            patience,
        )
        session = str(
            self.ask("session/new", {"cwd": str(cwd), "mcpServers": []}, patience)["sessionId"]
        )
        for text in prompts:
            self.ask(
                "session/prompt",
                {"sessionId": session, "prompt": [{"type": "text", "text": text}]},
                patience,
            )
        return session

    def ask(self, method: str, params: Any, patience: float) -> Any:
        """The answer to a request; what the agent asks meanwhile is granted."""
        self._asked += 1
        number, end = self._asked, time.monotonic() + patience
        self._send({"id": number, "method": method, "params": params})
        while time.monotonic() < end:
            try:
                told = self.heard.get(timeout=0.5)
            except Empty:
                if self.agent.poll() is not None:
                    break
                continue
            if told.get("id") == number and "method" not in told:
                if "error" in told:
                    raise AssertionError(f"{method}: {told['error']}")
                return told.get("result") or {}
            if "method" in told and "id" in told:
                self._send({"id": told["id"], "result": _granted(told)})
        raise AssertionError(f"no answer to {method}: {''.join(self.errors)[-400:]}")

    def close(self) -> None:
        """Close the conversation, as an editor does that is closed."""
        if self.agent.stdin:
            self.agent.stdin.close()
        try:
            self.agent.wait(20)
        except subprocess.TimeoutExpired:
            self.agent.terminate()
            self.agent.wait(20)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.agent.stdin
        self.agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.agent.stdin.flush()

    def _listen(self) -> None:
        for line in self.agent.stdout or ():
            try:
                self.heard.put(json.loads(line))
            except ValueError:
                self.errors.append(line)


def _granted(told: dict[str, Any]) -> Any:
    """A yes to the question for leave: the option that allows it once."""
    options = (told.get("params") or {}).get("options") or []
    yes = next(
        (each for each in options if each.get("kind") == "allow_once"),
        options[0] if options else {},
    )
    return {"outcome": {"outcome": "selected", "optionId": yes.get("optionId", "allow")}}

"""A model's endpoint that misbehaves to order: a real HTTP server on a port of its own."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Endpoint:
    """What it is asked, it keeps; what it answers is the next of `answers`, the last one for ever."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answers: list[Any] = ["{}"]
        self.stopped = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                owner.asked.append(json.loads(body))
                owner.headers.append({name.lower(): at for name, at in self.headers.items()})
                answer = owner.answers.pop(0) if len(owner.answers) > 1 else owner.answers[0]
                try:
                    owner.give(self, answer(owner.asked[-1]) if callable(answer) else answer)
                except OSError:
                    pass

            def do_GET(self) -> None:
                owner.asked.append({"get": self.path})
                self.send_error(404)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def give(self, handler: BaseHTTPRequestHandler, answer: Any) -> None:
        """A text is a model's; a pair is a status and headers; bytes go out raw; a number is a silence of so many seconds."""
        if isinstance(answer, (int, float)):
            self.stopped.wait(answer)
            handler.close_connection = True
            return
        status, headers, raw = 200, {}, b""
        if isinstance(answer, str):
            raw = json.dumps(
                {
                    "choices": [{"message": {"content": answer}}],
                    "usage": {"prompt_tokens": 11, "completion_tokens": 7},
                }
            ).encode()
        elif isinstance(answer, bytes):
            raw = answer
        else:
            status, headers, raw = answer
        handler.send_response(status)
        for name, at in headers.items():
            handler.send_header(name, at)
        handler.send_header(
            "content-length", str(len(raw) if isinstance(raw, bytes) else 100_000_000)
        )
        handler.end_headers()
        if isinstance(raw, bytes):
            handler.wfile.write(raw)
        elif raw == "drip":
            while not self.stopped.wait(0.05):
                handler.wfile.write(b" ")
        else:  # "flood": as much as it is let
            for _ in range(1000):
                handler.wfile.write(b"x" * 100_000)
                time.sleep(0)

    def close(self) -> None:
        """Nobody is there any more."""
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A fresh endpoint."""
    pytest.importorskip("httpx", reason="endpoints are reached through httpx (the extra llm)")
    found = Endpoint()
    yield found
    if not found.stopped.is_set():
        found.close()


class Book:
    """A ledger without a store."""

    def __init__(self) -> None:
        self.at = "2026-11-15T09:00:00.000Z"
        self.state: dict[str, str] = {}
        self.counts: dict[str, int] = {}

    def now(self) -> str:
        return self.at

    def update(self, key: str, change: Any, counts: dict[str, int]) -> None:
        spent = sum(self.counts.get(name, 0) for name in ("model.tokens.in", "model.tokens.out"))
        self.state[key] = change(self.state.get(key, ""), spent, spent)
        for name, by in counts.items():
            self.counts[name] = self.counts.get(name, 0) + by


@pytest.fixture
def book() -> Book:
    """An empty ledger."""
    return Book()

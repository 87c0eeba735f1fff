"""Any server that speaks OpenAI's chat completions, through httpx."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tacit.core.errors import ModelUnavailable
from tacit.core.installation import hint
from tacit.reading.models.metered import Reply
from tacit.safety.redact import redact

_LARGEST = 4 * 1024 * 1024  # bytes of an answer
ANSWER_TOKENS = 2048
PATH = "/chat/completions"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# What may be left out, and the words by which a server names it.
_OPTIONS = {
    "response_format": ("response_format", "json_schema", "schema", "grammar"),
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens", "max_completion_tokens"),
}


class OpenAI:
    """A model behind an endpoint."""

    def __init__(self, url: str, name: str, key: str = "", key_env: str = "") -> None:
        at = urlsplit(url)
        self._url = url if at.path.endswith(PATH) else url.rstrip("/") + PATH
        self._host, self._scheme = at.hostname or "", at.scheme
        self._name, self._key, self._key_env = name, key, key_env
        self._refused: set[str] = set()
        self.identity = f"{name or 'a model'} at {self._host}{f':{at.port}' if at.port else ''}"

    def answer(self, prompt: str, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Ask; once more without what the server does not understand."""
        self._check()
        deadline = time.monotonic() + timeout
        while True:
            body = self._body(prompt, schema)
            status, headers, raw = self._post(body, deadline)
            if status == 200:
                return _reply(raw)
            if status not in (400, 422) or not self._learn(raw, body):
                raise _failure(status, headers, raw, self.identity)

    def _check(self) -> None:
        if self._scheme not in ("http", "https") or not self._host:
            begins = "model.url begins with http:// or https://."
            raise ModelUnavailable(f"{self._url} is not an endpoint.", begins, why="url")
        if self._key_env and not self._key:
            unset = f"{self._key_env}, which model.key_env names, is not set."
            raise ModelUnavailable(unset, "Set it where Tacit runs.", why="key")

    def _body(self, prompt: str, schema: dict[str, Any] | None) -> dict[str, Any]:
        asked: dict[str, Any] = {"messages": [{"role": "user", "content": prompt}]}
        asked |= {"temperature": 0, "max_tokens": ANSWER_TOKENS}
        if self._name:
            asked["model"] = self._name
        if schema:
            form = {"name": "answer", "schema": schema, "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": form}
        return {name: entry for name, entry in asked.items() if name not in self._refused}

    def _learn(self, raw: bytes, body: Mapping[str, Any]) -> bool:
        """What the server did not understand: what it names, or every option at once. False
        where none is left to leave out."""
        told = raw.decode("utf-8", "replace").lower()
        sent = [name for name in _OPTIONS if name in body]
        named = {name for name in sent if any(word in told for word in _OPTIONS[name])}
        self._refused |= named or set(sent)
        return bool(sent)

    def _post(
        self, body: Mapping[str, Any], deadline: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        try:
            import httpx
        except ImportError:
            raise ModelUnavailable(
                "An endpoint is reached through httpx.", hint("llm"), why="no_httpx"
            ) from None

        headers = {"accept-encoding": "identity", "user-agent": "tacit"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        left = max(0.001, deadline - time.monotonic())
        trusts = self._host not in _LOOPBACK
        try:
            with (
                httpx.Client(timeout=left, follow_redirects=False, trust_env=trusts) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                return response.status_code, response.headers, _read(response, deadline)
        except httpx.TimeoutException:
            raise _too_late(self.identity) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            told = f"{self.identity} cannot be reached: {type(error).__name__}."
            running = "Is it running? tacit config show tells its address."
            raise ModelUnavailable(told, running, why="dead") from None


def _read(response: Any, deadline: float) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        packed = "The model's answer is packed although that was not asked for."
        raise ModelUnavailable(packed, why="garbage")
    raw = b""
    for chunk in response.iter_raw():
        raw += chunk
        if len(raw) > _LARGEST:
            long = f"The model's answer is longer than {_LARGEST} bytes."
            raise ModelUnavailable(long, why="too_large")
        if time.monotonic() > deadline:  # a server may drip
            raise _too_late("The model")
    return raw


def _too_late(who: str) -> ModelUnavailable:
    late = f"{who} did not answer in time."
    return ModelUnavailable(late, "tacit goes on without it.", why="timeout")


def _failure(status: int, headers: Mapping[str, str], raw: bytes, who: str) -> ModelUnavailable:
    if 300 <= status < 400:
        away = f"{who} sends to another address; that is not followed."
        return ModelUnavailable(away, "Name that address.", why="redirect")
    told = redact(" ".join(raw[:300].decode("utf-8", "replace").split())).text
    wait = headers.get("retry-after", "")
    why = "rate_limited" if status == 429 else f"http_{status}"
    after = float(wait) if wait.isdecimal() else 0.0
    return ModelUnavailable(f"{who} answered {status}: {told}", why=why, after=after)


def _reply(raw: bytes) -> Reply:
    """The text and the price of an answer; `ModelUnavailable` for what is none."""
    try:
        answer = json.loads(raw)
        content = answer["choices"][0]["message"]["content"]
        parts = (
            [content] if isinstance(content, str) else [each.get("text", "") for each in content]
        )
        usage = answer.get("usage") or {}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        none = "The model's answer is not a chat completion."
        raise ModelUnavailable(none, why="garbage") from None
    counts = (_count(usage, f"{name}_tokens") for name in ("prompt", "completion"))
    return Reply("".join(parts), *counts)


def _count(usage: Any, name: str) -> int:
    number = usage.get(name) if isinstance(usage, dict) else None
    return number if isinstance(number, int) and 0 <= number < 1 << 40 else -1

"""Any server that speaks OpenAI's chat completions, through httpx.

One question, one answer, within a time: the whole exchange, retries and pauses included, ends when
the time is over, however slowly the other side drips. Redirects are not followed, so that neither
text nor key reaches a host that the user did not name; answers are read up to a size. Servers
differ in what they understand: what one refuses by name (`response_format`, `temperature`,
`max_tokens`) is left out from then on.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from tacit.core.errors import ModelUnavailable
from tacit.core.installation import hint
from tacit.reading.models.metered import Reply
from tacit.safety.redact import redact

if TYPE_CHECKING:
    T = TypeVar("T")

_LARGEST = 4 * 1024 * 1024  # bytes of an answer
HTTP_ATTEMPTS = 3
FIRST_PAUSE = 0.5  # seconds before the second attempt, doubled for each further one, times a half to one and a half
# Failures after which the same question may be answered a moment later.
RETRYABLE = (
    "dead",
    "rate_limited",
    *(f"http_{status}" for status in (408, 409, 425, 500, 502, 503, 504, 529)),
)
ANSWER_TOKENS = 2048
PATH = "/chat/completions"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class OpenAI:
    """A model behind an endpoint."""

    def __init__(
        self,
        url: str,
        name: str,
        key: str = "",
        key_env: str = "",
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        at = urlsplit(url)
        self._url = url if at.path.endswith(PATH) else url.rstrip("/") + PATH
        self._host, self._scheme = at.hostname or "", at.scheme
        self._name, self._key, self._key_env, self._sleep = name, key, key_env, sleep
        self._refused: set[str] = set()
        self.identity = f"{name or 'a model'} at {self._host}{f':{at.port}' if at.port else ''}"

    def answer(self, prompt: str, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Ask, and again where that may help, until the time is over."""
        self._check()
        deadline = time.monotonic() + timeout
        for attempt in range(1, HTTP_ATTEMPTS + len(_UNKNOWN_OPTIONS) + 1):
            try:
                reply = self._once(self._body(prompt, schema), deadline)
            except ModelUnavailable as failure:
                if failure.why not in RETRYABLE or attempt >= HTTP_ATTEMPTS:
                    raise
                self._pause(attempt, failure, deadline)
            else:
                if reply is not None:
                    return reply
        raise ModelUnavailable(f"{self.identity} refuses what it is asked.", why="refused")

    def _check(self) -> None:
        if self._scheme not in ("http", "https") or not self._host:
            raise ModelUnavailable(
                f"{self._url} is not an endpoint.",
                "model.url begins with http:// or https://.",
                why="url",
            )
        if self._key_env and not self._key:
            raise ModelUnavailable(
                f"{self._key_env}, which model.key_env names, is not set.",
                "Set it where Tacit runs.",
                why="key",
            )

    def _once(self, body: dict[str, Any], deadline: float) -> Reply | None:
        """One exchange; None where the server does not understand all of it, and is asked again
        without."""
        status, headers, raw = _within(deadline, self._post, body)
        if status == 200:
            return _reply(raw)
        if status in (400, 422) and self._learn(raw, body):
            return None
        raise _failure(status, headers, raw, self.identity)

    def _body(self, prompt: str, schema: dict[str, Any] | None) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": ANSWER_TOKENS,
        }
        if self._name:
            asked["model"] = self._name
        if schema:
            asked["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        return {name: entry for name, entry in asked.items() if name not in self._refused}

    def _learn(self, raw: bytes, body: Mapping[str, Any]) -> bool:
        """What the server did not understand: what it names, or every option at once. False
        where none is left to leave out."""
        told = raw.decode("utf-8", "replace").lower()
        sent = [name for name in _UNKNOWN_OPTIONS if name in body]
        named = {name for name in sent if any(word in told for word in _UNKNOWN_OPTIONS[name])}
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
        try:
            with (
                httpx.Client(
                    timeout=left, follow_redirects=False, trust_env=self._host not in _LOOPBACK
                ) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                return response.status_code, response.headers, _read(response, deadline)
        except httpx.TimeoutException:
            raise _too_late(self.identity) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            told = f"{self.identity} cannot be reached: {type(error).__name__}."
            raise ModelUnavailable(
                told, "Is it running? tacit config show tells its address.", why="dead"
            ) from None

    def _pause(self, attempt: int, failure: ModelUnavailable, deadline: float) -> None:
        """Wait before the next attempt; where the time does not allow for it, this one's failure
        stands."""
        wait = max(failure.after, FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + random.random()))
        if time.monotonic() + wait >= deadline:
            raise failure
        self._sleep(wait)


# What may be left out, and the words by which a server names it.
_UNKNOWN_OPTIONS = {
    "response_format": ("response_format", "json_schema", "schema", "grammar"),
    "temperature": ("temperature",),
    "max_tokens": ("max_tokens", "max_completion_tokens"),
}


def _within(deadline: float, call: Callable[[dict[str, Any], float], T], body: dict[str, Any]) -> T:
    """What a call returns, if it does so in time. httpx times single reads only; a call that
    drips on is left behind."""
    told: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            told.append(call(body, deadline))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="tacit-model", daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    if failed:
        raise failed[0]
    if not told:
        raise _too_late("The model")
    return told[0]


def _read(response: Any, deadline: float) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ModelUnavailable(
            "The model's answer is packed although that was not asked for.", why="garbage"
        )
    raw = b""
    for chunk in response.iter_raw():
        raw += chunk
        if len(raw) > _LARGEST:
            raise ModelUnavailable(
                f"The model's answer is longer than {_LARGEST} bytes.", why="too_large"
            )
        if time.monotonic() > deadline:
            raise _too_late("The model")
    return raw


def _too_late(who: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{who} did not answer in time.", "tacit goes on without it.", why="timeout"
    )


def _failure(status: int, headers: Mapping[str, str], raw: bytes, who: str) -> ModelUnavailable:
    if 300 <= status < 400:
        return ModelUnavailable(
            f"{who} sends to another address; that is not followed.",
            "Name that address.",
            why="redirect",
        )
    told = redact(" ".join(raw[:300].decode("utf-8", "replace").split())).text
    after = _seconds(headers.get("retry-after", ""))
    why = "rate_limited" if status == 429 else f"http_{status}"
    return ModelUnavailable(f"{who} answered {status}: {told}", why=why, after=after)


def _seconds(text: str) -> float:
    """A Retry-After, in seconds or as a date; 0 for what is none."""
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _reply(raw: bytes) -> Reply:
    """The text and the price of an answer; `ModelUnavailable` for what is none."""
    try:
        answer = json.loads(raw)
        content = answer["choices"][0]["message"]["content"]
        text = (
            content
            if isinstance(content, str)
            else "".join(part.get("text", "") for part in content)
        )
        usage = answer.get("usage") or {}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise ModelUnavailable(
            "The model's answer is not a chat completion.", why="garbage"
        ) from None
    return Reply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _count(usage: Any, name: str) -> int:
    number = usage.get(name) if isinstance(usage, dict) else None
    return number if isinstance(number, int) and 0 <= number < 1 << 40 else -1

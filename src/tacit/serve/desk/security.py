"""Who may speak to the desk: pure judgements over headers, and the middleware that asks them.

Whoever can open a port can be reached by any page a browser shows. So a request must name a host we answer to (a page that
points its own name at this machine does not), come from our own pages where it changes anything (Origin here, and in the form a word
that only they know), and carry a secret: the cookie that the printed link gave once. It stands in no file, so that an agent's shell,
which can read whatever its user can, cannot act as a person here.
"""

from __future__ import annotations

import hmac
import os
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any

from tacit.core.errors import Unavailable, UsageError
from tacit.core.value import value


@contextmanager
def served(
    host: str, port: int, names: Sequence[str], otherwise: str
) -> Iterator[tuple[socket.socket, int, str]]:
    """A socket that listens at an address: it, its port (0 takes a free one) and the address as a link has it."""
    if host not in LOOPBACK and not names:
        raise UsageError(
            f"{host} is not an address of this machine alone, and the cookie would travel in the clear.",
            "Serve 127.0.0.1 and put a proxy with TLS in front; say the name it is called by with --allow-host NAME.",
        )
    with socket.socket(
        socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM
    ) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, port))
        except OSError as error:
            raise Unavailable(
                f"{host}:{port} cannot be served: {error.strerror}.", otherwise
            ) from None
        port = door.getsockname()[1]
        yield door, port, f"http://{f'[{host}]' if ':' in host else host}:{port}"


PROJECT_COOKIE = "tacit-project"  # which project a browser looks at; nothing hangs on it
COOKIE = "tacit_desk"
SAFE = ("GET", "HEAD", "OPTIONS")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST_BODY = 1 << 20
BURST, PER_SECOND = 400.0, 200.0  # requests; a person with one browser never meets this
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with none a browser tells no origin of our own forms
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@value
class Refusal:
    """Why a request is turned away."""

    status: int
    message: str
    hint: str


class Keys:
    """The secrets of one desk: none of them tells another."""

    def __init__(self, link: str) -> None:
        self.link = link  # opens the desk once, from the link that is printed
        self.session, self.csrf = os.urandom(32).hex(), os.urandom(32).hex()

    def is_session(self, given: str) -> bool:
        """Whether this is the cookie the desk gave."""
        return hmac.compare_digest(given.encode(), self.session.encode())

    def opens(self, given: str) -> bool:
        """Whether a link's word opens the desk; it does so once."""
        if self.link and hmac.compare_digest(given.encode(), self.link.encode()):
            self.link = ""
            return True
        return False


def host_names(host: str, port: int, more: Sequence[str] = ()) -> frozenset[str]:
    """The names under which the desk may be called, as a Host header spells them."""
    own = {f"{each}:{port}" for each in ("127.0.0.1", "localhost", "[::1]")}
    return frozenset(own | set(more) | {f"{name}:{port}" for name in more})


def refused(
    method: str, path: str, headers: dict[str, str], hosts: frozenset[str], keys: Keys
) -> Refusal | None:
    """Why a request may not be answered; None if it may."""
    if headers.get("host", "").lower() not in hosts:
        return Refusal(
            421, "The desk is not known by this name.", "Open the address that tacit desk printed."
        )
    origin = headers.get("origin", "")
    embeds = (
        headers.get("sec-fetch-site") == "cross-site"
        and headers.get("sec-fetch-mode") != "navigate"
    )
    if embeds or (origin and origin.partition("://")[2].lower() not in hosts):
        return Refusal(
            403, "Another site's page may not speak to the desk.", "Open the desk itself."
        )
    if path.startswith("/static/"):
        return None
    if not keys.is_session(cookie_of(headers.get("cookie", ""))):
        return Refusal(
            401, "The desk does not know you.", "tacit desk prints a link that lets you in."
        )
    if (
        method not in SAFE
        and not origin
        and headers.get("sec-fetch-site", "same-origin") != "same-origin"
    ):
        return Refusal(
            403, "Another site's page may not change anything here.", "Open the desk itself."
        )
    return None


def cookie_of(header: str) -> str:
    """Our cookie's value among others'."""
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def set_cookie(keys: Keys, secure: bool) -> str:
    """The header that keeps somebody in: for our own pages only, and out of reach of scripts."""
    return f"{COOKIE}={keys.session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000" + (
        "; Secure" if secure else ""
    )


class Guard:
    """The middleware: names, secrets, sizes and rates before anything is read; headers on everything that leaves."""

    def __init__(
        self,
        app: Any,
        keys: Keys,
        hosts: frozenset[str],
        *,
        secure: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.keys, self.hosts, self.secure, self.clock = app, keys, hosts, secure, clock
        self._left, self._at = BURST, clock()

    async def __call__(
        self, scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Answer, or say why not."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)  # type: ignore[no-any-return]
        headers = {
            name.decode("latin-1").lower(): text.decode("latin-1")
            for name, text in scope["headers"]
        }

        async def sealed(message: Any) -> None:
            if message["type"] == "http.response.start":
                sent = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (k.encode(), v.encode())
                        for k, v in HEADERS.items()
                        if k.encode() not in sent
                    ),
                ]
            await send(message)

        opened = self._opened(scope, headers)
        if opened is not None:
            return await _redirected(sealed, opened, set_cookie(self.keys, self.secure))
        why = self._too_much(headers) or refused(
            scope["method"], scope["path"], headers, self.hosts, self.keys
        )
        if why is not None:
            return await _answered(sealed, why)
        return await self.app(scope, _bounded(receive), sealed)  # type: ignore[no-any-return]

    def _opened(self, scope: Any, headers: dict[str, str]) -> str | None:
        """Where somebody goes who came with a link's word."""
        query = scope["query_string"].decode("latin-1")
        if (
            scope["method"] != "GET"
            or not query.startswith("key=")
            or headers.get("host", "").lower() not in self.hosts
        ):
            return None
        # One slash: two would name another site.
        return (
            "/" + str(scope["path"]).lstrip("/\\")
            if self.keys.opens(query[4:].partition("&")[0])
            else None
        )

    def _too_much(self, headers: dict[str, str]) -> Refusal | None:
        now = self.clock()
        self._left, self._at = min(BURST, self._left + (now - self._at) * PER_SECOND), now
        if self._left < 1.0:
            return Refusal(429, "Too many requests at once.", "Wait a moment.")
        self._left -= 1.0
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST_BODY:
            return Refusal(
                413, f"More than {LARGEST_BODY:,} bytes are not read.", "Send less at a time."
            )
        return None


def _bounded(receive: Any) -> Any:
    """Also a body that does not say how long it is ends at the limit."""
    seen = 0

    async def read() -> Any:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LARGEST_BODY:
            return {"type": "http.disconnect"}
        return message

    return read


async def _redirected(send: Any, to: str, cookie: str) -> None:
    heads = [(b"location", to.encode("ascii", "ignore") or b"/"), (b"set-cookie", cookie.encode())]
    await send({"type": "http.response.start", "status": 303, "headers": heads})
    await send({"type": "http.response.body", "body": b""})


async def _answered(send: Any, why: Refusal) -> None:
    heads = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": why.status, "headers": heads})
    await send({"type": "http.response.body", "body": f"{why.message} {why.hint}\n".encode()})

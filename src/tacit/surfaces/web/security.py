"""Who may speak to the desk: pure judgements over headers, and the middleware that asks them.

Whoever can open a port can be reached by any page a browser shows. So a request must name a host we answer to (a page that
points its own name at this machine does not), come from our own pages where it changes anything (Origin, and a CSRF word that
only they know), and carry a secret: the cookie that a link gave once, or the token of a file that only its owner reads.

The token is not a person: whatever runs as the user can read its file, an agent's shell too. It reads; what changes something comes
from the browser that the printed link let in, or shows a key that a person made for a program (`tacit config key`). So the cookie is
random, not derived from the token.
"""

from __future__ import annotations

import hmac
import json
import os
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any

from tacit.core.errors import Unavailable, UsageError
from tacit.core.value import value


def token_at(path: str) -> str:
    """The token in a file that only its owner can read; made where there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return _made(path)
    except OSError as error:
        raise Unavailable(
            f"The token file {path} cannot be read: {error.strerror}.",
            "Name another with --token-file.",
        ) from None
    with open(fd, encoding="ascii", errors="replace") as file:
        if os.fstat(fd).st_mode & 0o077:
            raise Unavailable(
                f"Others may read the token file {path}.",
                f"chmod 600 {path}, and change the token if they did.",
            )
        token = file.read(4096).strip()
    if len(token) < 16:
        raise Unavailable(
            f"The token in {path} is too short to keep anybody out.",
            "Remove the file; a new one is made.",
        )
    return token


def _made(path: str) -> str:
    token = os.urandom(32).hex()
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return token_at(path)  # another server was faster; its token counts
    except OSError as error:
        raise Unavailable(
            f"The token file {path} cannot be written: {error.strerror}.",
            "Name another with --token-file.",
        ) from None
    with open(fd, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token


@contextmanager
def served(
    host: str, port: int, names: Sequence[str], otherwise: str
) -> Iterator[tuple[socket.socket, int, str]]:
    """A socket that listens at an address: it, its port (0 takes a free one) and the address as a link has it."""
    if host not in LOOPBACK and not names:
        raise UsageError(
            f"{host} is not an address of this machine alone, and the token would travel in the clear.",
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
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
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
    """The secrets of one desk: none of them tells another. `whose` says in whose name a program's key was made."""

    def __init__(
        self, token: str, link: str = "", whose: Callable[[str], str] = lambda key: ""
    ) -> None:
        self._token, self.whose = token, whose
        self.link = link  # opens the desk once, from the link that is printed
        self.session, self.csrf = os.urandom(32).hex(), os.urandom(32).hex()

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the file."""
        return hmac.compare_digest(given.encode(), self._token.encode())

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
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and keys.is_token(bearer.strip()):
        if method in SAFE or keys.whose(headers.get("x-tacit-key", "")):
            return None
        return Refusal(
            403,
            "The token reads; what it would change is a person's word.",
            "Do it in the browser, or show a key that tacit config key NAME made: X-Tacit-Key.",
        )
    if not keys.is_session(cookie_of(headers.get("cookie", ""))):
        return Refusal(
            401, "The desk does not know you.", "tacit desk prints a link that lets you in."
        )
    if method not in SAFE:
        if not origin and headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return Refusal(
                403, "Another site's page may not change anything here.", "Open the desk itself."
            )
        if not hmac.compare_digest(headers.get("x-csrf-token", "").encode(), keys.csrf.encode()):
            return Refusal(
                403,
                "This change does not come from a page of the desk.",
                "Reload the page and try again.",
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
            return await _answered(sealed, why, scope["path"])
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


async def _answered(send: Any, why: Refusal, path: str) -> None:
    if path.startswith("/api/"):
        kind = b"application/json"
        told = {"ok": False, "error": {"code": "refused", "message": why.message, "hint": why.hint}}
        body = json.dumps(told).encode()
    else:
        kind, body = b"text/plain; charset=utf-8", f"{why.message} {why.hint}\n".encode()
    await send(
        {"type": "http.response.start", "status": why.status, "headers": [(b"content-type", kind)]}
    )
    await send({"type": "http.response.body", "body": body})

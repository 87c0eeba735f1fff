"""The server for other processes: streamable HTTP behind a token.

Whoever can reach the port is asked for the token, which only this user can read. The names under which the server may
be called are known: a web page that resolves its own name to this machine is turned away by Host, one that calls us
outright by Origin. Beyond this machine it listens only where a name for it was given, behind somebody's TLS.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from tacit.core.errors import UsageError
from tacit.surfaces.web.security import served
from tacit.surfaces.web.security import token_at as token_at

LARGEST_CALL = (
    16 * 1024 * 1024
)  # bytes; below it an argument that is too large gets an answer its model can read
PATH = "/mcp"


def address(text: str) -> tuple[str, int]:
    """HOST:PORT; a bare port is this machine's."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdigit() or int(port) > 65535:
        raise UsageError(
            f"{text!r} is not an address.", "For example: tacit mcp --http 127.0.0.1:8765"
        )
    return host, int(port)


def security(host: str, port: int, names: Sequence[str]) -> TransportSecuritySettings:
    """Under which names the server may be called, and from which origins."""
    own = [f"{each}:{port}" for each in ("127.0.0.1", "localhost", "[::1]")]
    given = [each for name in names for each in (name, f"{name}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*own, *given],
        allowed_origins=[
            *(f"http://{each}" for each in own),
            *(f"https://{each}" for each in given),
        ],
    )


class Guarded:
    """An application behind a bearer token."""

    def __init__(self, app: Any, token: str) -> None:
        self.app, self._token = app, token.encode()

    async def __call__(
        self, scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Let a request with the token through; any other is answered 401 before its body is read."""
        if scope["type"] == "http" and not self._may(dict(scope["headers"])):
            body = json.dumps(
                {
                    "error": "The token is missing or wrong.",
                    "hint": "Authorization: Bearer TOKEN, from the token file.",
                }
            )
            heads = [
                (b"content-type", b"application/json"),
                (b"www-authenticate", b'Bearer realm="tacit"'),
            ]
            await send({"type": "http.response.start", "status": 401, "headers": heads})
            await send({"type": "http.response.body", "body": body.encode()})
            return
        await self.app(scope, receive, send)

    def _may(self, headers: dict[bytes, bytes]) -> bool:
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        return kind.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)


def application(
    server: MCPServer, host: str, port: int, token: str, names: Sequence[str] = ()
) -> Guarded:
    """The server as an ASGI application."""
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,  # nothing is kept between calls: the store remembers
        max_request_body_size=LARGEST_CALL,
        transport_security=security(host, port, names),
        host=host,
    )
    return Guarded(inner, token)


def serve_http(
    server: MCPServer,
    host: str,
    port: int,
    token: str,
    names: Sequence[str],
    ready: Callable[[str], None],
) -> None:
    """Serve until stopped. `ready` is told the URL once the port is ours; port 0 takes a free one."""
    with served(host, port, names, "Choose another port.") as (door, port, link):
        app = application(server, host, port, token, names)
        ready(f"{link}{PATH}")
        uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(
            sockets=[door]
        )

"""The socket, the token's file and the link that is printed."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence

import uvicorn

from tacit.core.errors import Unavailable, UsageError
from tacit.surfaces.token import token_at
from tacit.surfaces.web.security import Keys, host_names
from tacit.surfaces.web.server import Desk, application

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    desk: Desk,
    host: str,
    port: int,
    token_file: str,
    allowed: Sequence[str],
    ready: Callable[[str], None],
    whose: Callable[[str], str],
) -> None:
    """Serve until stopped. `ready` is told the link once the port is ours."""
    if host not in LOOPBACK and not allowed:
        raise UsageError(
            f"{host} is not an address of this machine alone, and the token would travel in the clear.",
            "Serve 127.0.0.1 and put a proxy with TLS in front; say the name it is called by with --allow-host NAME.",
        )
    keys = Keys(token_at(token_file), link=os.urandom(16).hex(), whose=whose)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, port))
        except OSError as error:
            raise Unavailable(
                f"{host}:{port} cannot be served: {error.strerror}.", "Choose another with --port."
            ) from None
        port = door.getsockname()[1]
        app = application(desk, keys, host_names(host, port, allowed), secure=bool(allowed))
        shown = f"[{host}]" if ":" in host else host
        ready(f"http://{shown}:{port}/?key={keys.link}")
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
        )
        uvicorn.Server(config).run(sockets=[door])

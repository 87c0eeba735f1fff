"""desk: memory in a browser (`serve` is what it was called)."""

from __future__ import annotations

import argparse
import os
import socket
import webbrowser
from argparse import Namespace
from collections.abc import Callable, Sequence

import uvicorn

from tacit.app import Memories, data_folder
from tacit.app.opened import keys_path
from tacit.core.errors import MissingExtra, Refused, Unavailable, UsageError
from tacit.core.installation import hint
from tacit.stores.places import name_of
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.web.security import LOOPBACK, Keys, host_names, token_at
from tacit.surfaces.web.server import Desk, application


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


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8477, help="on this machine; 0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1", help="another address; only with --allow-host, behind TLS")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a name it is called by; may be repeated"
    )
    parser.add_argument("--token-file", metavar="FILE", help="the token's file; without it one in the data folder")
    parser.add_argument("--open", action="store_true", help="open the browser")
    parser.epilog = "examples:\n  tacit desk --open\n  tacit desk --port 0"


def _serve(args: argparse.Namespace, cli: Cli) -> Answer:
    try:
        from tacit.surfaces.web.server import Desk
    except ImportError as error:
        raise MissingExtra(f"The desk needs {error.name}.", hint()) from error
    with cli.open(args, create=False) as memories:  # say at once what is wrong with store, project or profile
        actor = memories.actor
    if not actor.is_person:
        raise Refused(f"The desk acts in a person's name; {actor.reason}.", actor.how)
    if args.json:
        raise UsageError("tacit desk prints a link, not JSON.", "Leave out --json; the API is at /api/v1.")
    token_file = args.token_file or os.path.join(data_folder(cli.env), "desk-token")

    def ready(link: str) -> None:
        cli.out.write(f"{link}\n")
        cli.out.flush()
        cli.say("This link opens the desk once; the browser stays in after that. Ctrl-C ends it.")
        if args.open:
            webbrowser.open(link)

    def whose(key: str) -> str:
        return name_of(key, keys_path(cli.env))

    def opened(project: str = "") -> Memories:
        asked = Namespace(**{**vars(args), "project": project}) if project else args
        return cli.open(asked, create=False)

    serve(Desk(opened), args.host, args.port, token_file, args.allow_host, ready, whose)
    return Answer(printed=True)


COMMANDS = {"desk": (_declare, _serve), "serve": (_declare, _serve)}

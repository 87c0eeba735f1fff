"""desk: memory in a browser (`serve` is what it was called)."""

from __future__ import annotations

import argparse
import os
import webbrowser
from argparse import Namespace
from collections.abc import Callable, Sequence

import uvicorn

from tacit.app import Memories
from tacit.cli import Answer, Cli
from tacit.cli.parsing import declared
from tacit.core.errors import Refused, UsageError
from tacit.serve.desk.security import Keys, host_names, served
from tacit.serve.desk.server import Desk, application


def serve(
    desk: Desk,
    host: str,
    port: int,
    allowed: Sequence[str],
    ready: Callable[[str], None],
) -> None:
    """Serve until stopped. `ready` is told the link once the port is ours."""
    keys = Keys(os.urandom(16).hex())
    with served(host, port, allowed, "Choose another with --port.") as (door, port, address):
        app = application(desk, keys, host_names(host, port, allowed), secure=bool(allowed))
        ready(f"{address}/?key={keys.link}")
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        uvicorn.Server(config).run(sockets=[door])


def _serve(args: argparse.Namespace, cli: Cli) -> Answer:
    with cli.open(
        args, create=False
    ) as memories:  # say at once what is wrong with store, project or profile
        actor = memories.actor
    if not actor.is_person:
        raise Refused(f"The desk acts in a person's name; {actor.reason}.", actor.how)
    if args.json:
        raise UsageError("tacit desk prints a link, not JSON.", "Leave out --json.")

    def ready(link: str) -> None:
        cli.out.write(f"{link}\n")
        cli.out.flush()
        cli.say("This link opens the desk once; the browser stays in after that. Ctrl-C ends it.")
        if args.open:
            webbrowser.open(link)

    def opened(project: str = "") -> Memories:
        asked = Namespace(**{**vars(args), "project": project}) if project else args
        return cli.open(asked, create=False)

    serve(Desk(opened), args.host, args.port, args.allow_host, ready)
    return Answer(printed=True)


COMMANDS = declared({"desk": _serve})

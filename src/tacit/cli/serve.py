"""desk: memory in a browser (`serve` is what it was called)."""

from __future__ import annotations

import os
import webbrowser
from collections.abc import Callable, Sequence

import uvicorn

from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.core.errors import Refused, UsageError
from tacit.memory import Memory as Memories
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


@verb(
    "desk",
    "look after memory in a browser",
    end="""examples:
  tacit desk --open
  tacit desk --port 0""",
)
@opt("--port", type=int, default=8477, metavar="PORT", help="on this machine; 0 takes a free one")
@opt(
    "--host",
    default="127.0.0.1",
    metavar="HOST",
    help="another address; only with --allow-host, behind TLS",
)
@opt("--allow-host", metavar="NAME", multiple=True, help="a name it is called by; may be repeated")
@opt("--token-file", metavar="FILE", help="the token's file; without it one in the data folder")
@opt("--open", is_flag=True, help="open the browser")
def desk_verb(args: Asked, cli: Cli) -> Answer:
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
        asked = Asked(**{**vars(args), "project": project}) if project else args
        return cli.open(asked, create=False)

    serve(Desk(opened), args.host, args.port, args.allow_host, ready)
    return Answer(printed=True)

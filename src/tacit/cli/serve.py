"""desk: memory in a browser (`serve` is what it was called)."""

from __future__ import annotations

import os
import webbrowser
from typing import Any

import uvicorn

from tacit.cli.verb import Answer, Asked, Cli, opt, verb
from tacit.core.errors import UsageError
from tacit.memory import Memory as Memories
from tacit.serve.desk.security import Keys, host_names, served
from tacit.serve.desk.server import Desk, application


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
@opt("--open", is_flag=True, help="open the browser")
def desk_verb(args: Asked, cli: Cli) -> Answer:
    with cli.open(args, create=False) as memories:  # says at once what is wrong with it
        memories.need_person("Acting at the desk")
    if args.json:
        raise UsageError("tacit desk prints a link, not JSON.", "Leave out --json.")

    def opened(project: str = "") -> Memories:
        asked = Asked(**{**vars(args), "project": project}) if project else args
        return cli.open(asked, create=False)

    keys, names = Keys(os.urandom(16).hex()), args.allow_host
    otherwise = "Choose another with --port."
    with served(args.host, args.port, names, otherwise) as (door, port, address):
        hosts = host_names(args.host, port, names)
        app = application(Desk(opened), keys, hosts, secure=bool(names))
        link = f"{address}/?key={keys.link}"
        cli.out.write(f"{link}\n")
        cli.out.flush()
        cli.say("This link opens the desk once; the browser stays in after that. Ctrl-C ends it.")
        if args.open:
            webbrowser.open(link)
        quiet: dict[str, Any] = {"log_level": "warning", "access_log": False}
        quiet |= {"server_header": False, "timeout_graceful_shutdown": 2}
        uvicorn.Server(uvicorn.Config(app, **quiet)).run(sockets=[door])
    return Answer(printed=True)

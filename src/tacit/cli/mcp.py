"""`tacit mcp`: Tacit as an MCP server, on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.cli.verb import Answer, Asked, Cli, verb
from tacit.core.errors import MissingExtra
from tacit.core.installation import hint

if TYPE_CHECKING:
    from mcp.server import MCPServer


@verb(
    "mcp",
    "serve any agent over MCP: recall, remember, report, review",
    end="""examples:
  claude mcp add tacit -- tacit mcp               from now on Claude Code has the tools recall, remember, report, review""",
)
def mcp_verb(args: Asked, cli: Cli) -> Answer:
    _server(args, cli).run("stdio")
    return Answer(printed=True)


def _server(args: Asked, cli: Cli) -> MCPServer:
    try:
        from tacit.serve.mcp.desk import Desk
        from tacit.serve.mcp.server import build
    except ImportError as missing:
        raise MissingExtra(f"tacit mcp needs the package mcp ({missing}).", hint("mcp")) from None
    return build(Desk(args.store, args.project, env=cli.env, hosted=True))

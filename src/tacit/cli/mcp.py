"""`tacit mcp`: Tacit as an MCP server, on standard input and output."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tacit.cli import Answer, Cli
from tacit.cli.parsing import declared
from tacit.core.errors import MissingExtra
from tacit.core.installation import hint

if TYPE_CHECKING:
    from mcp.server import MCPServer


def _mcp(args: argparse.Namespace, cli: Cli) -> Answer:
    _server(args, cli).run("stdio")
    return Answer(printed=True)


def _server(args: argparse.Namespace, cli: Cli) -> MCPServer:
    try:
        from tacit.serve.mcp.desk import Desk
        from tacit.serve.mcp.server import build
    except ImportError as missing:
        raise MissingExtra(f"tacit mcp needs the package mcp ({missing}).", hint("mcp")) from None
    return build(Desk(args.store, args.project, env=cli.env, hosted=True))


COMMANDS = declared({"mcp": _mcp})

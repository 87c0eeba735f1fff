"""`tacit mcp`: Tacit as an MCP server, on standard input and output."""

from __future__ import annotations

import argparse
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tacit.core.errors import MissingExtra
from tacit.core.installation import hint
from tacit.surfaces.cli import Answer, Cli
from tacit.surfaces.cli.parsing import declared
from tacit.surfaces.mcp.early import serve_early

if TYPE_CHECKING:
    from mcp.server import MCPServer


def _mcp(args: argparse.Namespace, cli: Cli) -> Answer:
    found = find_spec("mcp")
    if (
        found is None or not found.submodule_search_locations
    ):  # nothing is promised that the SDK could not keep
        _server(args, cli)
    serve_early(lambda: partial(_server(args, cli).run, "stdio"))
    return Answer(printed=True)


def _server(args: argparse.Namespace, cli: Cli) -> MCPServer:
    try:
        from tacit.surfaces.mcp.desk import Desk
        from tacit.surfaces.mcp.server import build
    except ImportError as missing:
        raise MissingExtra(f"tacit mcp needs the package mcp ({missing}).", hint("mcp")) from None
    return build(Desk(args.store, args.project, env=cli.env, hosted=True))


COMMANDS = declared({"mcp": _mcp})

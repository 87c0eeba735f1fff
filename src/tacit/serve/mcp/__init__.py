"""Tacit as an MCP server, for every agent whose host speaks that protocol: `tacit mcp`.

`desk` is what can be asked, as plain functions over `Memories`; `server` says it in the protocol's words, with the
official SDK; `http` serves it to other processes behind a token. Nothing here is loaded but by `tacit mcp`: the SDK
takes longer to import than a whole session of hooks.

Whoever asks here is an agent, whatever the environment says. It recalls within its run's assignments, what it submits
has an agent's trust, and what needs a person's word is refused.
"""

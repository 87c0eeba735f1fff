"""The desk in the protocol's words: four tools, on the official SDK.

A host shows a tool's description to its model, cut at 2 kB, so each begins with when to call it. A failed call is a
tool result that the model can act on, never a protocol error; what an argument may weigh is checked before anything
looks at it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from tacit import __version__
from tacit.core.errors import TacitError
from tacit.screens.wording import STATE_WORDS
from tacit.serve.mcp.desk import Desk, Kept, Recollections, Waiting

T = TypeVar("T")

LARGEST_ARGUMENTS = 256 * 1024  # characters of one call's arguments; a lesson is a sentence or two
AT_ONCE = 8  # calls that touch the store at a time; the others wait for their turn

with open(os.path.join(os.path.dirname(__file__), "said.md"), encoding="utf-8") as _file:
    _, *_sections = re.split(r"^## (\w+)$", _file.read(), flags=re.MULTILINE)
SAID = {name: text.strip("\n") for name, text in zip(_sections[::2], _sections[1::2])}  # to models

Text = Annotated[
    str, Field(description="one self-contained sentence or two, as a stranger could act on it")
]
Kind = Annotated[
    str,
    Field(
        description="a kind of the project's profile, such as pitfall, fix, command, fact, preference"
    ),
]
Severity = Annotated[str, Field(description="bug, warning, recommendation or info")]
Files = Annotated[list[str], Field(description="paths it is about, relative to the project")]
LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class Server(MCPServer):
    """The SDK's server with our words for what goes wrong."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context | None = None
    ) -> Any:
        """Call a tool; arguments that are too large or of the wrong shape are told in one line."""
        size = weight(arguments)
        if size > LARGEST_ARGUMENTS:
            raise ToolError(
                f"{name}: the arguments are {size:,} characters long; at most {LARGEST_ARGUMENTS:,} are taken. "
                "Give the sentence that matters, and keep the rest in a file it names."
            )
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {_faults(error.__cause__)}") from None
            raise


def weight(found: Any) -> int:
    """Characters in a JSON value, names included."""
    if isinstance(found, str):
        return len(found)
    if isinstance(found, dict):
        return sum(len(str(key)) + weight(each) for key, each in found.items())
    return sum(map(weight, found)) if isinstance(found, list) else 8


def _faults(error: ValidationError) -> str:
    told = [
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg'].lower()}"
        for each in error.errors()[:5]
    ]
    return "; ".join(told) + "."


def build(desk: Desk) -> MCPServer:
    """The server of one desk."""
    server = Server(
        "tacit",
        title="Tacit",
        instructions=SAID["instructions"],
        version=__version__,
        log_level="WARNING",
    )
    turn = anyio.CapacityLimiter(AT_ONCE)

    async def ask(question: Callable[[], T]) -> T:
        found: T = await anyio.to_thread.run_sync(question, limiter=turn)
        return found

    async def answer(question: Callable[[], tuple[BaseModel, str]]) -> CallToolResult:
        try:
            found, text = await ask(question)
        except TacitError as error:
            told = f"{error.message} {error.hint}".strip()
            return CallToolResult(
                content=[TextContent(type="text", text=told)],
                is_error=True,
                _meta={"tacit/code": error.code},
            )
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=found.model_dump(mode="json"),
        )

    @server.tool(
        title="Recall lessons",
        description=SAID["recall"],
        annotations=LOOKS,
        meta={"anthropic/alwaysLoad": True},
    )
    async def recall(
        query: Annotated[
            str, Field(description="what you are about to do, or what you want to know")
        ] = "",
        error: Annotated[
            str, Field(description="the error that just happened, as it was printed")
        ] = "",
        files: Files = [],  # noqa: B006 - a schema's default, never changed
        kind: Annotated[str, Field(description="only lessons of this kind")] = "",
        limit: Annotated[int, Field(ge=1, le=50)] = 5,
    ) -> Annotated[CallToolResult, Recollections]:
        return await answer(lambda: desk.recall(query, limit, tuple(files), error, kind))

    @server.tool(title="Remember a lesson", description=SAID["remember"], annotations=ADDS)
    async def remember(
        text: Text,
        kind: Kind = "",
        category: str = "",
        severity: Severity = "",
        files: Files = [],  # noqa: B006 - a schema's default, never changed
        tags: Annotated[list[str], Field(description="words to find it by")] = [],  # noqa: B006
    ) -> Annotated[CallToolResult, Kept]:
        facets: dict[str, Any] = {
            "kind": kind or "fact",
            "category": category,
            "severity": severity,
        }
        return await answer(lambda: _kept(desk.submit(text, **facets, paths=files, tags=tags)))

    @server.tool(title="Report a finding", description=SAID["report"], annotations=ADDS)
    async def report(
        text: Text,
        error: Annotated[
            str, Field(description="the error as it was printed, if there was one")
        ] = "",
        kind: Kind = "",
        severity: Severity = "warning",
        files: Files = [],  # noqa: B006 - a schema's default, never changed
        contradicts: Annotated[
            str, Field(description="id of a lesson that this shows to be wrong")
        ] = "",
    ) -> Annotated[CallToolResult, Kept]:
        facets: dict[str, Any] = {
            "kind": kind or "pitfall",
            "severity": severity,
            "paths": files,
            "error": error,
        }
        return await answer(lambda: _kept(desk.submit(text, contradicts, **facets)))

    @server.tool(title="What waits for review", description=SAID["review"], annotations=LOOKS)
    async def review(
        action: Annotated[str, Field(description="list or show")] = "list",
        id: Annotated[str, Field(description="show: a lesson or a proposal")] = "",
    ) -> Annotated[CallToolResult, Waiting]:
        return await answer(
            lambda: (
                found := desk.review(action, id),
                found.model_dump_json(exclude_none=True),
            )
        )

    return server


def _kept(done: Kept) -> tuple[Kept, str]:
    seen = f", seen in {done.seen} runs" if done.seen > 1 else ""
    return done, f"{done.status}: {done.reason}" + (
        f" [{done.id}, {STATE_WORDS.get(str(done.state), done.state)}{seen}]" if done.id else ""
    )

"""Pydantic AI: one capability that gives lessons, takes down tool calls, learns the run, and brings tools along.

    from tacit_frameworks.pydantic_ai import Remembering

    agent = Agent(model, capabilities=[Remembering(memories)])

Each run of the agent is a run of Tacit's, with the prompt as its task. Lessons go into the instructions; a tool that fails, or asks
the model to try again, is an error of that run; a run that ends in an exception is a failure.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from tacit_frameworks import missing_framework

try:
    from pydantic_ai import FunctionToolset, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import (
        ApprovalRequired,
        CallDeferred,
        SkipToolExecution,
        ToolRetryError,
    )
except ImportError as error:
    raise missing_framework("pydantic-ai-slim", error) from None

from tacit.app import Memories
from tacit_frameworks.tools import Tools

if TYPE_CHECKING:
    from tacit.learn.running import Running

DETOURS = (
    ApprovalRequired,
    CallDeferred,
    SkipToolExecution,
)  # control flow of the framework, no failure of the tool


class Remembering(AbstractCapability[Any]):
    """Memory for an agent. `tools=False` leaves the tools out; the other options are those of `memories.run`."""

    def __init__(self, memories: Memories, *, tools: bool = True, **facets: Any) -> None:
        self._memories = memories
        self._tools = tools
        self._facets = facets
        self._running: Running | None = None

    async def for_run(self, ctx: RunContext[Any]) -> Remembering:
        """A copy for each run: several may go on at once."""
        own = copy.copy(self)
        own._running = self._memories.run(
            task=_words(ctx.prompt), **{"host": "pydantic-ai", **self._facets}
        )
        return own

    def get_instructions(self) -> Any:
        """The run's lessons, at each request."""
        return lambda ctx: self._running.text if self._running and self._running.text else None

    def get_toolset(self) -> Any:
        """recall, remember and report."""
        asking = Tools(self._memories, lambda: self._running.id if self._running else "")
        return FunctionToolset([*asking.all]) if self._tools else None

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """The run, from the lessons given to what was learned."""
        if self._running is None:
            return await handler()
        async with self._running as running:
            result = await handler()
            running.step("assistant", str(result.output)[:20_000])
            return result

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """One tool call and its answer."""
        try:
            result = await handler(args)
        except DETOURS:
            raise
        except Exception as error:
            told = (
                str(error)
                if isinstance(error, ToolRetryError)
                else f"{type(error).__name__}: {error}"
            )
            self._step(call.tool_name, args, error=told)
            raise
        self._step(call.tool_name, args, output=str(result))
        return result

    def _step(self, tool: str, args: Any, **fields: str) -> None:
        if self._running is not None:
            self._running.step(
                tool=tool,
                input=dict(args) if isinstance(args, dict) else {"input": str(args)},
                **fields,
            )


def _words(prompt: Any) -> str:
    """The words of a prompt; pictures and files say nothing here."""
    if isinstance(prompt, str):
        return prompt
    return " ".join(part for part in prompt or () if isinstance(part, str))

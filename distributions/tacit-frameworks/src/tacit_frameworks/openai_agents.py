"""The OpenAI Agents SDK: lessons in the instructions, tool calls taken down, tools to recall and keep.

    from tacit_frameworks.openai_agents import run

    result = await run(memories, agent, "fix the failing tests")

`run` is `Runner.run` inside `memories.run`. Its parts are there for callers with a runner of their own: `give` puts a run's lessons
before every model call, `Taking` takes down what happens, `tools` are functions for the agent. Conversations stay the SDK's
business (`Session`): Tacit keeps lessons.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tacit_frameworks import missing_framework

try:
    from agents import FunctionTool, RunConfig, RunHooks, Runner, function_tool
    from agents.run import CallModelData, ModelInputData
except ImportError as error:
    raise missing_framework("openai-agents", error) from None

from tacit.app import Memories
from tacit_frameworks.tools import Tools

if TYPE_CHECKING:
    from tacit.learn.running import Running

_CURRENT: ContextVar[str] = ContextVar(
    "tacit_run", default=""
)  # the run that this task's tools are called in
# What the SDK tells the model in place of an exception of a tool.
FAILED = (
    "An error occurred while running the tool",
    "An error occurred while parsing tool arguments",
)


async def run(
    memories: Memories,
    agent: Any,
    input: Any,
    *,
    run_config: RunConfig | None = None,
    task: str = "",
    **options: Any,
) -> Any:
    """`Runner.run` as a run of Tacit's: lessons given before it, what happened learned after it; an exception is a failure."""
    said = task or (input if isinstance(input, str) else _last_words(input))
    async with memories.run(task=said, agent=agent.name, host="openai-agents") as running:
        earlier = run_config.call_model_input_filter if run_config else None
        config = replace(run_config or RunConfig(), call_model_input_filter=give(running, earlier))
        taking = Taking(running, options.pop("hooks", None))
        token = _CURRENT.set(running.id)
        try:
            return await Runner.run(agent, input, hooks=taking, run_config=config, **options)
        finally:
            _CURRENT.reset(token)


def give(
    running: Running, before: Callable[[Any], Any] | None = None
) -> Callable[[CallModelData[Any]], Any]:
    """A filter for `RunConfig(call_model_input_filter=…)`: the run's lessons after the instructions; another filter comes before it."""

    async def filtered(data: CallModelData[Any]) -> ModelInputData:
        found = data.model_data
        if before is not None:
            found = before(data)
            found = await found if hasattr(found, "__await__") else found
        told = "\n\n".join(part for part in (found.instructions, running.text) if part)
        return ModelInputData(input=found.input, instructions=told or None)

    return filtered


class Taking(RunHooks[Any]):
    """Hooks that take down tool calls and answers in a run, and pass every event on to the caller's own hooks."""

    def __init__(self, running: Running, others: Any = None) -> None:
        self._running = running
        self._others = others
        self._first = ""

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        """Who begins, and passed on."""
        self._name(agent)
        await self._pass_on("on_agent_start", context, agent)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        """What the agent said in the end."""
        self._running.step("assistant", str(output)[:20_000], agent=self._name(agent))
        await self._pass_on("on_agent_end", context, agent, output)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        """Passed on."""
        await self._pass_on("on_handoff", context, from_agent, to_agent)

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: Any, input_items: Any
    ) -> None:
        """Passed on."""
        await self._pass_on("on_llm_start", context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """Passed on."""
        await self._pass_on("on_llm_end", context, agent, response)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Passed on."""
        await self._pass_on("on_tool_start", context, agent, tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """A tool call and its answer; what the SDK words as an error is one."""
        text = str(result)
        failed = text.startswith(FAILED)
        text = text.partition("Error: ")[2] or text if failed else text
        self._running.step(
            tool=tool.name,
            input=_arguments(context),
            output="" if failed else text,
            error=text if failed else "",
            agent=self._name(agent),
        )
        await self._pass_on("on_tool_end", context, agent, tool, result)

    def _name(self, agent: Any) -> str:
        """Whose step it is; empty for the agent that the run began with."""
        self._first = self._first or agent.name
        return "" if agent.name == self._first else str(agent.name)

    async def _pass_on(self, event: str, *args: Any) -> None:
        if self._others is not None:
            await getattr(self._others, event)(*args)


def tools(memories: Memories) -> list[FunctionTool]:
    """recall, remember and report for `Agent(tools=…)`; inside `run` they belong to that run."""
    return [function_tool(each) for each in Tools(memories, _CURRENT.get).all]


def _arguments(context: Any) -> dict[str, Any]:
    try:
        found = json.loads(getattr(context, "tool_arguments", "") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {"input": found}


def _last_words(items: Any) -> str:
    """What the user said last, in a list of input items."""
    for item in reversed(items if isinstance(items, list) else []):
        if isinstance(item, dict) and item.get("role") == "user":
            content = item.get("content")
            if isinstance(content, str):
                return content
            return " ".join(
                str(part.get("text", "")) for part in content or [] if isinstance(part, dict)
            )
    return ""

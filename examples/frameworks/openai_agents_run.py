"""An agent of the OpenAI Agents SDK with Tacit around it: lessons in its instructions, tool calls as steps. Offline: the SDK's own
scripted model speaks.

pip install openai-agents && python examples/frameworks/openai_agents_run.py
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, RunHooks, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

import tacit
from tacit.learn.running import Running

TASK = "Make the tests pass."
COMMANDS = ("make test", "make migrate", "make test")
TOLD: list[str] = []  # what stood in the instructions

set_tracing_disabled(True)


class Taking(RunHooks[Any]):
    """Takes down each tool call with its answer. The SDK tells a tool's exception in words of its own; a tool that words it itself is
    clearer for the model and for us."""

    def __init__(self, run: Running) -> None:
        self._run = run

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        failed, said = "Error" in str(result), str(result)
        self._run.step(
            tool=tool.name,
            input=json.loads(context.tool_arguments)["command"],
            output="" if failed else said,
            error=said if failed else "",
        )


def coder(run: Running) -> Agent[Any]:
    """The agent of one run."""
    migrated: list[bool] = []

    @function_tool
    def shell(command: str) -> str:
        """Run a command."""
        migrated.extend([True] * (command == "make migrate"))
        if command == "make test" and not migrated:
            return "sqlite3.OperationalError: no such table: orders"
        return "12 passed"

    calls = [
        [function_call("shell", json.dumps({"command": each}), call_id=f"c{n}")]
        for n, each in enumerate(COMMANDS)
    ]
    return Agent(
        name="coder",
        instructions=f"You fix tests.\n\n{run.text}",
        model=ScriptedModel([*calls, [assistant_message("The tests pass.")]]),
        tools=[shell],
    )


async def main() -> None:
    with tacit.open() as memories:
        for _ in range(3):
            with memories.run(task=TASK, host="openai-agents", agent="coder") as run:
                agent = coder(run)
                result = await Runner.run(agent, TASK, hooks=Taking(run))
                print(result.final_output)
            TOLD.append(str(agent.model.first_call.system_instructions))
        print("the model was told:", TOLD[-1])
        print("known now:", [memory.text for memory in memories.lessons()])


if __name__ == "__main__":
    asyncio.run(main())

"""An agent of the OpenAI Agents SDK that is told what past runs met. Offline: the SDK's own scripted model speaks.

python distributions/tacit-frameworks/examples/openai_agents_run.py
"""

from __future__ import annotations

import asyncio
import json

from agents import Agent, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

import tacit
from tacit_frameworks.openai_agents import run, tools

set_tracing_disabled(True)


@function_tool
def shell(command: str) -> str:
    """Run a command."""
    if command == "make test":
        raise RuntimeError("no such table: orders")
    return "ok"


def model() -> ScriptedModel:
    steps = [
        [function_call("recall", json.dumps({"query": "make the tests pass"}), call_id="1")],
        [function_call("shell", json.dumps({"command": "make test"}), call_id="2")],
        [
            function_call(
                "report",
                json.dumps(
                    {"text": "`make test` fails with `no such table` until `make migrate` has run."}
                ),
                call_id="3",
            )
        ],
        [assistant_message("The tests pass.")],
    ]
    return ScriptedModel(steps)


async def main() -> None:
    with tacit.open() as memories:
        memories.add("Run `make migrate` before the tests.", kind="rule")
        scripted = model()
        agent = Agent(
            name="coder",
            instructions="You fix tests.",
            model=scripted,
            tools=[shell, *tools(memories)],
        )
        result = await run(memories, agent, "Make the tests pass.")
        print(result.final_output)
        print("the model was told:", scripted.first_call.system_instructions)
        print("learned:", [memory.text for memory in memories.list(states=("candidate",))])
        print("steps:", memories.audit()[0].run.facts["steps"])


if __name__ == "__main__":
    asyncio.run(main())

"""A Pydantic AI agent that is told what past runs met, and whose runs are learned. Offline: a function stands in for the model.

python distributions/tacit-frameworks/examples/pydantic_ai_agent.py
"""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import tacit
from tacit_frameworks.pydantic_ai import Remembering

SAID: list[str] = []


def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The model: fails once, cures it, and is done."""
    SAID.append(info.instructions or "")
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    commands = ["make test", "make migrate", "make test"]
    if turn < len(commands):
        return ModelResponse([ToolCallPart("shell", {"command": commands[turn]})])
    return ModelResponse([TextPart("The tests pass.")])


def build(memories: tacit.Memories) -> Agent:
    agent = Agent(
        FunctionModel(speak), instructions="You fix tests.", capabilities=[Remembering(memories)]
    )
    migrated: list[bool] = []

    @agent.tool_plain(retries=3)
    def shell(command: str) -> str:
        """Run a command."""
        from pydantic_ai import ModelRetry

        if command == "make migrate":
            migrated.append(True)
        if command == "make test" and not migrated:
            raise ModelRetry("sqlite3.OperationalError: no such table: orders")
        return "12 passed"

    return agent


def main() -> None:
    with tacit.open() as memories:
        for _ in range(3):
            print(build(memories).run_sync("Make the tests pass.").output)
        for memory in memories.list():
            print(memory.state, memory.tally.seen, memory.text)
        print("the last run was told:", SAID[-1])


if __name__ == "__main__":
    main()

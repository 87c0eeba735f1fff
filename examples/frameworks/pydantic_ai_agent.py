"""A Pydantic AI agent with Tacit around it: lessons in its instructions, tool calls as steps. Offline: a function stands in for the model.

pip install pydantic-ai-slim && python examples/frameworks/pydantic_ai_agent.py
"""

from __future__ import annotations

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import tacit
from tacit.learn.running import Running

TASK = "Make the tests pass."
COMMANDS = ("make test", "make migrate", "make test")
TOLD: list[str] = []  # what stood in the instructions


def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """The model: one command after the other, then a last word."""
    TOLD.append(info.instructions or "")
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    if turn < len(COMMANDS):
        return ModelResponse([ToolCallPart("shell", {"command": COMMANDS[turn]})])
    return ModelResponse([TextPart("The tests pass.")])


def coder(run: Running) -> Agent:
    """The agent of one run: told what past runs met, each of its commands taken down."""
    agent = Agent(FunctionModel(speak), instructions=f"You fix tests.\n\n{run.text}")
    migrated: list[bool] = []

    @agent.tool_plain(retries=3)
    def shell(command: str) -> str:
        """Run a command."""
        migrated.extend([True] * (command == "make migrate"))
        if command == "make test" and not migrated:
            error = "sqlite3.OperationalError: no such table: orders"
            run.step(tool="shell", input=command, error=error)
            raise ModelRetry(error)
        run.step(tool="shell", input=command, output="12 passed")
        return "12 passed"

    return agent


def main() -> None:
    with tacit.open() as memories:
        for _ in range(3):
            with memories.run(task=TASK, host="pydantic-ai", agent="coder") as run:
                print(coder(run).run_sync(TASK).output)
        print("the model was told:", TOLD[-1])
        print("known now:", [memory.text for memory in memories.lessons()])


if __name__ == "__main__":
    main()

"""OpenAI Agents and Pydantic AI against the real packages, with their own scripted models."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tacit.app import open as open_memories

LESSON = "Run `make migrate` before the tests."


@pytest.fixture
def memories(folder: Path) -> Any:
    with open_memories() as found:
        found.add(LESSON, kind="rule")
        yield found


def test_openai_agents(memories: Any) -> None:
    """Lessons after the instructions and the caller's own filter, tool errors as errors, the caller's hooks still called; an exception is a failure."""
    pytest.importorskip("agents", reason="needs openai-agents: make test-frameworks")
    from agents import (
        Agent,
        MaxTurnsExceeded,
        RunConfig,
        RunHooks,
        function_tool,
        set_tracing_disabled,
    )
    from agents.run import ModelInputData
    from agents.testing import ScriptedModel, assistant_message, function_call

    from tacit_frameworks.openai_agents import run, tools

    set_tracing_disabled(True)
    heard: list[str] = []

    class Own(RunHooks[Any]):
        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            heard.append(tool.name)

    @function_tool(
        failure_error_function=lambda context, error: (
            f"An error occurred while running the tool. Error: {error}"
        )
    )
    def shell(command: str) -> str:
        """Run a command."""
        if command == "make test" and len(heard) == 0:
            raise RuntimeError("no such table: orders")
        return "ok"

    def agent() -> Any:
        calls = [
            function_call("shell", json.dumps({"command": c}), call_id=f"c{n}")
            for n, c in enumerate(["make test", "make migrate", "make test"])
        ]
        recall = function_call("recall", json.dumps({"query": "make the tests pass"}), call_id="r")
        script = [*([call] for call in calls), [recall], [assistant_message("Done.")]]
        return Agent(
            name="coder",
            instructions="You fix tests.",
            model=ScriptedModel(script),
            tools=[shell, *tools(memories)],
        )

    def filtered(data: Any) -> Any:
        return ModelInputData(
            input=data.model_data.input, instructions=f"{data.model_data.instructions} Be brief."
        )

    coder = agent()
    result = asyncio.run(
        run(
            memories,
            coder,
            "Make the tests pass.",
            hooks=Own(),
            run_config=RunConfig(call_model_input_filter=filtered),
        )
    )
    assert result.final_output == "Done." and heard == ["shell", "shell", "shell", "recall"]
    told = coder.model.first_call.system_instructions
    assert told.startswith("You fix tests. Be brief.\n\n<tacit-notes") and LESSON in told
    row = memories.audit()[0].run
    assert (row.host, row.agent, row.outcome, row.facts["steps"]) == (
        "openai-agents",
        "coder",
        "success",
        5,
    )
    assert any("no such table: orders" in memory.text for memory in memories.list())

    with pytest.raises(MaxTurnsExceeded):
        asyncio.run(
            run(
                memories,
                agent(),
                [
                    {
                        "role": "user",
                        "content": [{"type": "input_text", "text": "Make the tests pass."}],
                    }
                ],
                max_turns=1,
            )
        )
    row = memories.audit()[0].run
    assert (row.outcome, row.task) == ("failure", "Make the tests pass.")


def test_pydantic_ai(memories: Any) -> None:
    """Each run of the agent is a run: instructions, steps, retries as errors, tools that belong to it; several at once; an exception is a failure."""
    pytest.importorskip("pydantic_ai", reason="needs pydantic-ai-slim: make test-frameworks")
    from pydantic_ai import Agent, ModelRetry
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.models.test import TestModel

    from tacit_frameworks.pydantic_ai import Remembering

    told: list[str] = []

    def speak(messages: list[Any], info: Any) -> Any:
        told.append(info.instructions or "")
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        calls = [
            ("shell", {"command": "make test"}),
            ("shell", {"command": "make migrate"}),
            ("shell", {"command": "make test"}),
            ("report", {"text": "`make test` needs `make migrate` first."}),
        ]
        return (
            ModelResponse([ToolCallPart(*calls[turn])])
            if turn < len(calls)
            else ModelResponse([TextPart("Done.")])
        )

    def build(model: Any) -> Any:
        agent = Agent(
            model,
            instructions="You fix tests.",
            capabilities=[Remembering(memories, agent="coder")],
        )
        migrated: list[bool] = []

        @agent.tool_plain(retries=2)
        def shell(command: str) -> str:
            """Run a command."""
            migrated.extend([True] * (command == "make migrate"))
            if command == "make test" and not migrated:
                raise ModelRetry("no such table: orders")
            if command == "explode":
                raise RuntimeError("boom")
            return "12 passed"

        return agent

    assert asyncio.run(build(FunctionModel(speak)).run("Make the tests pass.")).output == "Done."
    assert all("You fix tests." in each and LESSON in each for each in told)
    row = memories.audit()[0].run
    assert (row.host, row.agent, row.outcome, row.task, row.facts["steps"]) == (
        "pydantic-ai",
        "coder",
        "success",
        "Make the tests pass.",
        5,
    )
    assert any(
        "no such table: orders" in memory.text and "make migrate" in memory.text
        for memory in memories.list()
    )
    reported = [each for each in memories.store.findings(run=row.id) if each.by == "agent"]
    assert [each.text for each in reported] == ["`make test` needs `make migrate` first."]

    def explode(messages: list[Any], info: Any) -> Any:
        return ModelResponse([ToolCallPart("shell", {"command": "explode"})])

    with pytest.raises(RuntimeError, match="boom"):
        asyncio.run(build(FunctionModel(explode)).run("Explode."))
    assert memories.audit()[0].run.outcome == "failure"

    async def many() -> None:
        agent = build(TestModel(call_tools=[]))
        await asyncio.gather(*(agent.run(f"Answer question {n}.") for n in range(5)))

    asyncio.run(many())
    assert (
        len(
            {
                audit.run.foreign_id
                for audit in memories.audit()
                if audit.run.task.startswith("Answer")
            }
        )
        == 5
    )

"""A LangGraph agent with Tacit around it: lessons in its state, its commands as steps. Offline: the model is scripted.

pip install langgraph && python examples/frameworks/langgraph_agent.py
"""

from __future__ import annotations

from typing import Annotated

from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, AnyMessage, SystemMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

import tacit
from tacit.learn.running import Running

TASK = "Make the tests pass."
COMMANDS = ("make test", "make migrate", "make test")
TOLD: list[str] = []  # what stood in the system prompt


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def build(run: Running):  # type: ignore[no-untyped-def]
    """The graph of one run: the model asks for commands until it is done."""
    calls = [
        AIMessage("", tool_calls=[{"name": "shell", "args": {"command": each}, "id": f"c{n}"}])
        for n, each in enumerate(COMMANDS)
    ]
    model = FakeMessagesListChatModel(responses=[*calls, AIMessage("The tests pass.")])
    migrated: list[bool] = []

    def think(state: State) -> State:
        """The model, with what past runs met before everything that was said."""
        system = SystemMessage(f"You fix tests.\n\n{run.text}")
        TOLD.append(str(system.content))
        return {"messages": [model.invoke([system, *state["messages"]])]}

    def act(state: State) -> State:
        """The command that the model asked for, taken down with its answer."""
        (call,) = state["messages"][-1].tool_calls  # type: ignore[union-attr]
        command = call["args"]["command"]
        migrated.extend([True] * (command == "make migrate"))
        fails = command == "make test" and not migrated
        error = "sqlite3.OperationalError: no such table: orders" if fails else ""
        output = "" if error else "12 passed"
        run.step(tool="shell", input=command, output=output, error=error)
        return {"messages": [ToolMessage(error or output, tool_call_id=call["id"])]}

    def more(state: State) -> str:
        return "act" if state["messages"][-1].tool_calls else END  # type: ignore[union-attr]

    graph = StateGraph(State)
    graph.add_node("think", think)
    graph.add_node("act", act)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", more, ["act", END])
    graph.add_edge("act", "think")
    return graph.compile()


def main() -> None:
    with tacit.open() as memories:
        for _ in range(3):
            with memories.run(task=TASK, host="langgraph", agent="coder") as run:
                done = build(run).invoke({"messages": [("user", TASK)]})
                print(done["messages"][-1].content)
        print("the model was told:", TOLD[-1])
        print("known now:", [memory.text for memory in memories.lessons()])


if __name__ == "__main__":
    main()

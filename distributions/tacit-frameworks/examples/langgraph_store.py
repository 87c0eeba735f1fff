"""A LangGraph agent with Tacit as its long-term store: what one thread finds out, the next one knows. Offline: the model is scripted.

python distributions/tacit-frameworks/examples/langgraph_store.py
"""

from __future__ import annotations

from typing import TypedDict

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

import tacit
from tacit_frameworks.langgraph import TacitStore


class State(TypedDict, total=False):
    question: str
    known: list[str]
    answer: str


def look_up(state: State, *, store: BaseStore) -> State:
    """Before the model: what is known about the question, whoever found it out."""
    found = store.search(("lessons",), query=state["question"], limit=3) + store.search(
        ("facts", "ada"), query=state["question"], limit=3
    )
    return {"known": [item.value["text"] for item in found]}


def answer(state: State, *, store: BaseStore) -> State:
    """The model answers, and what it found out is kept."""
    model = FakeListChatModel(responses=["Prices are integers in cents; see db/prices.py."])
    said = str(model.invoke("\n".join([*state["known"], state["question"]])).content)
    store.put(("facts", "ada"), "prices", {"text": said, "question": state["question"]})
    return {"answer": said}


def build(store: BaseStore):  # type: ignore[no-untyped-def]
    graph = StateGraph(State)
    graph.add_node("look_up", look_up)
    graph.add_node("answer", answer)
    graph.add_edge(START, "look_up")
    graph.add_edge("look_up", "answer")
    graph.add_edge("answer", END)
    return graph.compile(store=store)


def main() -> None:
    with tacit.open() as memories:
        memories.add("The order total is rounded once, at the end.", kind="rule")
        graph = build(TacitStore(memories))
        first = graph.invoke({"question": "How are prices stored?"})
        second = graph.invoke({"question": "How are prices stored, and when is the total rounded?"})
        print("first thread knew: ", first["known"])
        print("second thread knew:", second["known"])


if __name__ == "__main__":
    main()

"""LangGraph's SqliteStore with its vector index."""

from __future__ import annotations

import os
import sqlite3
import uuid

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore


class Peer:
    """One open store."""

    def __init__(self, folder: str) -> None:
        from embedder import DIMENSIONS, Static

        self.connection = sqlite3.connect(
            os.path.join(folder, "store.db"), check_same_thread=False, isolation_level=None
        )
        self.store = SqliteStore(
            self.connection, index={"dims": DIMENSIONS, "embed": Static().many, "fields": ["text"]}
        )
        self.store.setup()

    def fill(self, texts: list[str]) -> None:
        for start in range(0, len(texts), 500):
            self.store.batch(
                [
                    PutOp(("bench",), uuid.uuid4().hex, {"text": text})
                    for text in texts[start : start + 500]
                ]
            )

    def add(self, text: str) -> None:
        self.store.put(("bench",), uuid.uuid4().hex, {"text": text})

    def search(self, query: str, most: int) -> list[str]:
        return [
            item.value["text"] for item in self.store.search(("bench",), query=query, limit=most)
        ]

    def count(self) -> int:
        return int(self.connection.execute("SELECT count(*) FROM store").fetchone()[0])

    def close(self) -> None:
        self.connection.close()

"""mem0's Memory with its default vector store (embedded Qdrant), texts taken as they are: no model reads them."""

from __future__ import annotations

import os

os.environ.update(
    MEM0_TELEMETRY="False", OPENAI_API_KEY="none"
)  # the client is made at start; nothing is ever asked of it

from mem0 import Memory


class Embedding:
    """The static embedder, as mem0 wants it."""

    def __init__(self) -> None:
        from embedder import Static

        self.static = Static()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.static(text)

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return self.static.many(texts)


class Peer:
    """One open memory."""

    def __init__(self, folder: str) -> None:
        from embedder import DIMENSIONS

        vectors = {
            "path": os.path.join(folder, "qdrant"),
            "on_disk": True,
            "embedding_model_dims": DIMENSIONS,
            "collection_name": "bench",
        }
        history = os.path.join(folder, "history.db")
        self.memory = Memory.from_config(
            {"vector_store": {"provider": "qdrant", "config": vectors}, "history_db_path": history}
        )
        self.memory.embedding_model = Embedding()

    def fill(self, texts: list[str]) -> None:
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        self.memory.add(text, user_id="bench", infer=False)

    def search(self, query: str, most: int) -> list[str]:
        return [
            each["memory"]
            for each in self.memory.search(
                query, filters={"user_id": "bench"}, top_k=most, threshold=0.0
            )["results"]
        ]

    def count(self) -> int:
        return int(self.memory.vector_store.client.count("bench").count)

    def close(self) -> None:
        self.memory.vector_store.client.close()

"""A persistent Chroma collection."""

from __future__ import annotations

import uuid

import chromadb
from chromadb.config import Settings


class Embedding(chromadb.EmbeddingFunction):  # type: ignore[misc]
    """The static embedder, as Chroma wants it."""

    def __init__(self) -> None:
        from embedder import Static

        self.static = Static()

    def __call__(self, input: list[str]) -> list[list[float]]:
        return self.static.many(input)

    @staticmethod
    def name() -> str:
        return "static"

    def get_config(self) -> dict[str, object]:
        return {}

    @staticmethod
    def build_from_config(config: dict[str, object]) -> Embedding:
        return Embedding()


class Peer:
    """One open collection."""

    def __init__(self, folder: str) -> None:
        self.client = chromadb.PersistentClient(
            folder, settings=Settings(anonymized_telemetry=False)
        )
        self.collection = self.client.get_or_create_collection(
            "bench", embedding_function=Embedding()
        )

    def fill(self, texts: list[str]) -> None:
        for start in range(0, len(texts), 500):
            some = texts[start : start + 500]
            self.collection.add(ids=[uuid.uuid4().hex for _ in some], documents=some)

    def add(self, text: str) -> None:
        self.collection.add(ids=[uuid.uuid4().hex], documents=[text])

    def search(self, query: str, most: int) -> list[str]:
        return list(self.collection.query(query_texts=[query], n_results=most)["documents"][0])

    def count(self) -> int:
        return int(self.collection.count())

    def close(self) -> None:
        pass

"""mcp-memory-service's own storage (sqlite-vec), as its server calls it."""

from __future__ import annotations

import asyncio
import os

os.environ["MCP_EXTERNAL_EMBEDDING_URL"] = (
    "static"  # never called: the model below is found under this name
)

import logging

logging.disable(logging.WARNING)

from mcp_memory_service.models.memory import Memory  # noqa: E402
from mcp_memory_service.storage import sqlite_vec  # noqa: E402
from mcp_memory_service.utils.hashing import generate_content_hash  # noqa: E402


class Embedding:
    """The static embedder, as mcp-memory-service wants it."""

    def __init__(self) -> None:
        from embedder import DIMENSIONS, Static

        self.static, self.embedding_dimension = Static(), DIMENSIONS

    def encode(self, texts: list[str], convert_to_numpy: bool = False) -> list[list[float]]:
        return self.static.many(texts)


class Peer:
    """One open storage."""

    def __init__(self, folder: str) -> None:
        sqlite_vec._MODEL_CACHE["external_static_nomic-embed-text_None"] = Embedding()
        self.loop = asyncio.new_event_loop()
        self.storage = sqlite_vec.SqliteVecMemoryStorage(os.path.join(folder, "memory.db"))
        self.loop.run_until_complete(self.storage.initialize())

    def fill(self, texts: list[str]) -> None:
        for start in range(0, len(texts), 500):
            self._done(
                self.storage.store_batch([_memory(text) for text in texts[start : start + 500]])
            )

    def add(self, text: str) -> None:
        self._done(self.storage.store(_memory(text), skip_semantic_dedup=True), one=True)

    def _done(self, work: object, one: bool = False) -> None:
        told = self.loop.run_until_complete(work)  # type: ignore[arg-type]
        for kept, why in [told] if one else told:
            if not kept:
                raise RuntimeError(why)

    def search(self, query: str, most: int) -> list[str]:
        found = self.loop.run_until_complete(self.storage.retrieve(query, n_results=most))
        return [each.memory.content for each in found]

    def count(self) -> int:
        return int(self.storage.conn.execute("SELECT count(*) FROM memories").fetchone()[0])

    def close(self) -> None:
        self.loop.run_until_complete(self.storage.close())


def _memory(text: str) -> Memory:
    return Memory(
        content=text, content_hash=generate_content_hash(text), tags=["bench"], memory_type="note"
    )

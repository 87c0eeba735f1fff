"""Tacit as its library is used: default configuration."""

from __future__ import annotations

import os

import tacit
from tacit.testing import signed


class Peer:
    """One open store."""

    def __init__(self, folder: str) -> None:
        env = signed({"HOME": folder, "USER": "bench", "XDG_DATA_HOME": folder})
        self.memories = tacit.open(
            os.path.join(folder, "tacit.db"), project="bench", env=env, cwd=folder
        )

    def fill(self, texts: list[str]) -> None:
        self.memories.add_many(texts)

    def add(self, text: str) -> None:
        self.memories.add(text)

    def search(self, query: str, most: int) -> list[str]:
        return [hit.memory.text for hit in self.memories.recall(query, limit=most).hits]

    def count(self) -> int:
        return int(self.memories.store.one("SELECT count(*) FROM memory")[0])

    def close(self) -> None:
        self.memories.close()

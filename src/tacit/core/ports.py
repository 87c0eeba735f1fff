"""Embedders, models and their ledger, as conductors take them; for the type checker only. A store is `stores.sql.Store`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tacit.core.memory import Memory

    Clock = Callable[[], str]
    Ids = Callable[[], str]

    class Embedder(Protocol):
        """Turns texts into vectors; its identity is stamped on each of them."""

        identity: str
        size: int

        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...

    class WordEmbedder(Embedder, Protocol):
        """One whose texts are the sum of their words: with their vectors a question is understood without it, before a prompt too."""

        def words(self) -> Iterable[tuple[str, Sequence[float]]]:
            """Each word that it knows by itself and its vector, the most frequent first."""

    class Model(Protocol):
        """Answers a prompt within a time limit, or raises Unavailable. The prompt is redacted before it leaves."""

        identity: str

        def ask(self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0) -> str: ...

    class Ledger(Protocol):
        """What models have cost today and how they fared, shared by all processes of a store."""

        def now(self) -> str: ...

        def update(self, key: str, change: Callable[[str, int, int], str], counts: Mapping[str, int]) -> None:
            """One transaction: a line of state changed by a function of it and of today's and this month's tokens, and events counted."""

    class Placed(Protocol):
        """A candidate that some channel found."""

        @property
        def memory(self) -> Memory: ...
        @property
        def n(self) -> int: ...

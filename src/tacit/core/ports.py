"""The ports conductors take. They exist for readers and the type checker only; at run time nothing here is imported."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    Clock = Callable[[], str]
    Ids = Callable[[], str]

    class Embedder(Protocol):
        """Turns texts into vectors; its identity is stamped on each of them."""

        identity: str
        size: int

        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...

    class Model(Protocol):
        """Answers a prompt within a time limit, or raises Unavailable. The prompt is redacted before it leaves."""

        identity: str

        def ask(self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0) -> str: ...

    class Ledger(Protocol):
        """What models have cost today and how they fared, shared by all processes of a store."""

        def now(self) -> str: ...

        def update(self, key: str, change: Callable[[str, int, int], str], counts: Mapping[str, int]) -> None:
            """One transaction: a line of state changed by a function of it and of today's and this month's tokens, and events counted."""

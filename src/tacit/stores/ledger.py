"""What models have cost and how they fared: counters by day and one line of state each, shared by all processes.

The store is where many processes meet, so the daily budget and a circuit that is open hold for all of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tacit.stores.sqlite import SqliteStore

TOKENS = ("model.tokens.in", "model.tokens.out")


class StoreLedger:
    """The ledger of one store. Calls are short transactions; nothing waits for a model inside one."""

    def __init__(self, store: SqliteStore, now: Callable[[], str]) -> None:
        self._store, self.now = store, now

    def update(self, key: str, change: Callable[[str, int], str], counts: Mapping[str, int]) -> None:
        """Change a line of state by a function of it and of today's tokens, and count. If the function raises, nothing is written."""
        at = self.now()
        with self._store.write() as tx:
            before = tx.meta(key)
            spent = tx.one(_SPENT, day=at[:10], names=f'["{TOKENS[0]}", "{TOKENS[1]}"]')[0]
            after = change(before, spent)
            if after != before:
                tx.put_meta(key, after)
            for name, by in counts.items():
                tx.count("", name, at, by)


_SPENT = (
    "SELECT coalesce(sum(count), 0) FROM counter WHERE day = :day AND name IN (SELECT value FROM json_each(:names))"
)

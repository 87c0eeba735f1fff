"""What models have cost and how they fared: counters by day and one line of state each, shared by all processes.

The store is where many processes meet, so the daily budget and a circuit that is open hold for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tacit.store.rows import EVENT

if TYPE_CHECKING:
    from tacit.store.reads import Store


class StoreLedger:
    """The ledger of one store. Calls are short transactions; nothing waits for a model inside one."""

    def __init__(self, store: Store, now: Callable[[], str]) -> None:
        self._store, self.now = store, now

    def update(
        self, key: str, change: Callable[[str, int, int], str], counts: Mapping[str, int]
    ) -> None:
        """Change a line of state by a function of it and of the tokens of today and of this month, and count; all or nothing."""
        at = self.now()
        with self._store.write() as tx:
            before = tx.meta(key)
            today, month = tx.one(_SPENT, day=at[:10], month=f"{at[:7]}-01")
            after = change(before, today, month)
            if after != before:
                tx.put_meta(key, after)
            for name, by in counts.items():
                tx.count("", name, at, by)


_SPENT = (
    "SELECT coalesce(sum(CASE WHEN substr(what, 1, 10) = :day THEN count END), 0),"
    f" coalesce(sum(count), 0) FROM common WHERE kind = '{EVENT}' AND what >= :month"
    " AND substr(what, 1, 10) <= :day AND substr(what, 12) IN ('model.tokens.in', 'model.tokens.out')"
)

"""The transaction in which somebody decides, and the proposal that is meant."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from tacit.core.errors import NotFound, Refused
from tacit.core.proposal import Proposal

if TYPE_CHECKING:
    from tacit.learn.review import Review
    from tacit.stores.sql import Store
    from tacit.stores.sql_writer import Transaction


class Deciding:
    """The transaction of a decision. One that a rule refuses writes nothing and is counted."""

    def __init__(self, seat: Review) -> None:
        self._seat = seat
        self._tx = seat.work.write()

    def __enter__(self) -> Transaction:
        return self._tx.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tx.__exit__(kind, error, trace)
        if isinstance(error, Refused):
            with self._seat.work.store.write() as tx:
                tx.count(self._seat.project.id, "move_refused", self._seat.now())


def find_proposal(store: Store, project: str, name: str) -> Proposal:
    """A proposal by its id or a unique beginning of it."""
    found = store.proposals_named(project, name.strip())
    if len(found) == 1:
        return found[0]
    raise NotFound(
        f"There is no proposal {name!r}." if not found else f"{name!r} fits {len(found)} proposals.",
        "tacit review list",
    )

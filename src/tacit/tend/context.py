"""What a step of a pass is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.run import Finding
from tacit.core.value import value
from tacit.stores.sql import WorkContext
from tacit.tend import lease
from tacit.tend.bound import Bound

if TYPE_CHECKING:
    from tacit.core.ports import Model
    from tacit.stores.sql_writer import Transaction
    from tacit.tend.prune import Named

NOTHING = "nothing to do"
LOOKBACK_DAYS = 7  # that a reflection, and what is worth a line, looks back (joelclaw)


@value
class StepReport:
    """What one step did, or why it did nothing."""

    name: str
    done: int = 0  # what it settled, in its own unit: lessons faded, pairs judged, lines written
    changes: tuple[tuple[str, str, str, str], ...] = ()  # (memory, from, to, reason)
    proposals: tuple[str, ...] = ()  # made now; their ids
    left: int = 0  # due beyond the bound of one pass
    skipped: str = ""  # why nothing was done
    notes: tuple[str, ...] = ()  # sentences for a person
    facts: Mapping[str, Any] | None = None  # its own figures, for --json

    @property
    def figures(self) -> Mapping[str, Any]:
        """Its own figures; empty where it has none."""
        return self.facts or {}


class Context:
    """The ports of a pass. A step writes through `write`, keeps its place with `mark`, and says that it lives with `alive`."""

    def __init__(
        self,
        work: WorkContext,
        *,
        run: str = "",
        since: str = "",
        dry_run: bool = False,
        model: Model | None = None,
        files: Any = None,
        root: str = "",
        packs: str = "",
        named: Named | None = None,
        by: str = "tend",
        learn: Callable[[Sequence[Finding]], object] | None = None,
        report: Callable[[str, str], object] | None = None,
    ) -> None:
        self.store, self.project, self.profile, self.now, self.ids = (
            work.store, work.project, work.profile, work.now, work.ids
        )  # fmt: skip
        self.run = run  # that is over; empty: all learned runs count
        self.since = since  # the time from which changes are looked at; empty: that of the last pass
        self.dry_run = dry_run
        self.model = model  # None: rules go on alone
        self.files, self.root = files, root  # the work tree
        self.packs = packs  # the folder to which old data moves; empty: it stays
        self.named = named  # the lessons that a person wants taken out by `prune`
        self.by = by
        self.learn = learn  # takes findings that a page taught; called before the page is written
        self._report = report  # hears of progress as (step, words)
        self.name = self.ids()  # of this pass
        self.bound = Bound(self.store, self.project.id, self.profile)  # shared by all steps of the pass
        self.held_until = ""  # by the lease; empty where none is held

    def write(self) -> Transaction:
        """A transaction under the profile's rules; in a dry run everything is taken back at its end."""
        return self.store.write(confidence=self.profile.signals.confidence, keep=not self.dry_run)

    def mark(self, name: str) -> str:
        """How far a step came, as it left it; empty at first."""
        return self.store.meta(self._key(name))

    def put_mark(self, tx: Transaction, name: str, text: str) -> None:
        """Keep a step's place, in the transaction of what it did."""
        tx.put_meta(self._key(name), text)

    def _key(self, name: str) -> str:
        return f"tend:{self.project.id}:{name}"

    def tell(self, step: str, words: str = "") -> None:
        """Report progress."""
        if self._report is not None:
            self._report(step, words)

    def alive(self) -> None:
        """Renew the lease where half of its time is over; to be called between calls of a model."""
        lease.renew(self)

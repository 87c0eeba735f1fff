"""What a step of a pass is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days
from tacit.core.proposal import Proposal
from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.core.ports import Model
    from tacit.core.profile import Profile
    from tacit.place.files import WorkTree
    from tacit.store.reads import Store, WorkContext
    from tacit.store.writes import Transaction

NOTHING = "nothing to do"


@value
class StepReport:
    """What one step did, or why it did nothing."""

    name: str
    done: int = 0  # what it settled, in its own unit: lessons faded, pairs joined, lines written
    changes: tuple[tuple[str, str, str, str], ...] = ()  # (memory, from, to, reason)
    proposals: tuple[str, ...] = ()  # made now; their ids
    left: int = 0  # due beyond the bound of one pass
    skipped: str = ""  # why nothing was done
    notes: tuple[str, ...] = ()  # sentences for a person
    figures: Mapping[str, Any] = {}  # its own, for --json


@value
class Named:
    """Which lessons a person wants taken out: those that meet every word given here."""

    below: float | None = None  # confidence or success rate
    older: float | None = None  # days since it was last met, or learned
    unused: bool = False
    staged: bool = False

    @property
    def told(self) -> str:
        """The words, for the journal."""
        said = [
            f"confidence or success rate below {self.below:g}" if self.below is not None else "",
            f"not met for {self.older:g} days" if self.older is not None else "",
            "never used" if self.unused else "",
            "staged" if self.staged else "",
        ]
        return "pruned: " + ", ".join(word for word in said if word)


@value
class Night:
    """One pass over a project: what it may use, and how it writes."""

    work: WorkContext
    run: str = ""  # that is over; empty: all learned runs count
    dry_run: bool = False
    model: Model | None = None  # None: rules go on alone
    files: WorkTree | None = None
    named: Named | None = None  # the lessons that a person wants taken out
    by: str = "tend"
    report: Callable[[str, str], object] | None = None  # hears of progress as (step, words)

    @property
    def store(self) -> Store:
        """Where the project is kept."""
        return self.work.store

    @property
    def project(self) -> str:
        """Its id."""
        return self.work.project.id

    @property
    def profile(self) -> Profile:
        """Its way of remembering."""
        return self.work.profile

    @property
    def version(self) -> str:
        """The name of that way as the journal has it."""
        return self.work.project.profile

    def now(self) -> str:
        """The time."""
        return self.work.now()

    def write(self) -> Transaction:
        """A transaction under the profile's rules; in a dry run everything is taken back at its end."""
        return self.work.write(keep=not self.dry_run)

    def mark(self, name: str) -> str:
        """How far a step came, as it left it; empty at first."""
        return self.store.meta(f"tend:{self.project}:{name}")

    def put_mark(self, tx: Transaction, name: str, text: str) -> None:
        """Keep a step's place, in the transaction of what it did."""
        tx.put_meta(f"tend:{self.project}:{name}", text)

    def propose(
        self,
        tx: Transaction,
        kind: str,
        told: str,
        memory: str,
        payload: Mapping[str, Any],
        *,
        tier: str = "person",
        by: str = "",
    ) -> str:
        """Put something before a judge; the proposal's id."""
        at, id = self.now(), self.work.ids()
        expires = after_days(at, self.profile.triage.expire_days)
        more = {"memory": memory, "tier": tier, "payload": payload, "expires_at": expires}
        tx.put_proposal(Proposal(id, self.project, kind, told, by or self.by, at, **more))
        return id

    def tell(self, step: str, words: str = "") -> None:
        """Report progress."""
        if self.report is not None:
            self.report(step, words)

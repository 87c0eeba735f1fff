"""What a step of a pass is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days
from tacit.core.proposal import APPROVED, OPEN, Proposal
from tacit.core.states import UNDOUBTED
from tacit.core.value import replace, value
from tacit.origins.night import lease
from tacit.store.counts import in_states
from tacit.store.reads import Reads, WorkContext

if TYPE_CHECKING:
    from tacit.core.ports import Model
    from tacit.origins.night.prune import Named
    from tacit.store.writes import Transaction

_BOUNDLESS = 1 << 62
LEAST, SHARE = (
    50,
    0.2,
)  # changes of one pass at most, or this share of the active lessons if that is more
NOTHING = "nothing to do"
LOOKBACK_DAYS = 7  # that a reflection, and what is worth a line, looks back


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
    figures: Mapping[str, Any] = {}  # its own, for --json


class Bound:
    """How much one pass may change, counted down: so many memories, or a share of the active ones; what is beyond becomes one proposal."""

    def __init__(self, store: Reads, project: str) -> None:
        self.store, self.project = store, project
        self.spent = self.left = 0
        self._most = -1

    def take(self) -> bool:
        """Whether one more change may be made; counted either way."""
        if self.spent >= LEAST and self.spent >= self.most:
            self.left += 1
            return False
        self.spent += 1
        return True

    @property
    def most(self) -> int:
        """Changes of one pass; no bound where a person approved the surplus of the last one."""
        if self._most < 0:
            active = in_states(self.store, self.project, UNDOUBTED)
            self._most = _BOUNDLESS if self._approved() else max(LEAST, int(SHARE * active))
        return self._most

    def _approved(self) -> list[Proposal]:
        approved = self.store.proposals(self.project, state=APPROVED, limit=-1)
        return [
            each
            for each in approved
            if each.kind == "tend" and not (each.payload or {}).get("done")
        ]

    def settle(self, tx: Transaction, context: Context) -> None:
        """Propose what was left, once; mark an approved surplus as done."""
        for each in self._approved() if self._most == _BOUNDLESS and not self.left else ():
            tx.put_proposal(replace(each, payload={**(each.payload or {}), "done": True}))
        waiting = any(
            each.kind == "tend" for each in tx.proposals(self.project, state=OPEN, limit=-1)
        )
        if self.left and not waiting:
            told = f"{self.left} more changes are due than the {self.most} of one pass"
            context.propose(tx, "tend", told, payload={"left": self.left, "bound": self.most})


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
        named: Named | None = None,
        by: str = "tend",
        over: bool = False,
        report: Callable[[str, str], object] | None = None,
    ) -> None:
        self.store, self.project, self.profile, self.now, self.ids = (
            work.store,
            work.project,
            work.profile,
            work.now,
            work.ids,
        )
        self.work = work
        self.run = run  # that is over; empty: all learned runs count
        self.since = (
            since  # the time from which changes are looked at; empty: that of the last pass
        )
        self.dry_run = dry_run
        self.model = model  # None: rules go on alone
        self.files, self.root = files, root  # the work tree
        self.named = named  # the lessons that a person wants taken out by `prune`
        self.by = by
        self.over = over  # a person's leave to replace what was changed by hand between our marks
        self._report = report  # hears of progress as (step, words)
        self.name = self.ids()  # of this pass
        self.bound = Bound(self.store, self.project.id)  # shared by all steps of the pass
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

    def propose(self, tx: Transaction, kind: str, told: str, memory: str = "", **more: Any) -> str:
        """Put something before a judge, a person where nobody else is named; the proposal's id."""
        at, id = self.now(), self.ids()
        fields = {"by": self.by, "created_at": at, "memory": memory, "tier": "person", **more}
        expires = after_days(at, self.profile.triage.expire_days)
        tx.put_proposal(Proposal(id, self.project.id, kind, told, **fields, expires_at=expires))
        return id

    def tell(self, step: str, words: str = "") -> None:
        """Report progress."""
        if self._report is not None:
            self._report(step, words)

    def alive(self) -> None:
        """Renew the lease where half of its time is over; to be called between calls of a model."""
        lease.renew(self)

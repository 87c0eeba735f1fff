"""Between runs: sweep → merge → reflect → triage → page → prune → stats.

`tend` conducts the steps in their order. Each is a function `step(context) → StepReport` in the module of its name. A
step is idempotent and resumable: it asks its model and reads its files outside of transactions, commits in small
changes, and marks in the store how far it came, so that a process killed at any point repeats at most the call it was
waiting for. One pass at a time: a lease in the store says who tends a project; it is taken over when its holder is
dead or its time ran out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from tacit.core.errors import UsageError
from tacit.core.value import value
from tacit.origins.night import lease
from tacit.origins.night.context import LEAST, Context, StepReport

# In the order in which they are taken; each is the function `step` of the module of this name.
STEPS = ("sweep", "merge", "reflect", "triage", "page", "prune", "stats")
ALONE = ("sweep",)  # transactions only: a pass of nothing else may run beside another


@value
class Tended:
    """What a pass did."""

    run: str = ""
    steps: tuple[StepReport, ...] = ()
    dry_run: bool = False
    busy: str = (
        ""  # who else is tending this project; then nothing was done but a named run counted
    )

    def of(self, name: str) -> StepReport:
        """What one step did; an empty report for one that was not taken."""
        return next((each for each in self.steps if each.name == name), StepReport(name))

    @property
    def moves(self) -> tuple[tuple[str, str, str, str], ...]:
        """(memory, from, to, reason) of every change of state."""
        return tuple(change for each in self.steps for change in each.changes)

    @property
    def proposals(self) -> tuple[str, ...]:
        """What waits for somebody's word now."""
        return tuple(id for each in self.steps for id in each.proposals)

    @property
    def archived(self) -> tuple[str, ...]:
        """Lessons that went into the archive."""
        return tuple(memory for memory, _, to, _ in self.moves if to in ("gone", "archived"))

    @property
    def left(self) -> int:
        """Changes that were due beyond the bound of one pass."""
        return sum(each.left for each in self.steps)

    @property
    def counted(self) -> bool:
        """Whether the run was counted now, and not before."""
        return bool(self.of("sweep").figures.get("counted"))

    @property
    def faded(self) -> int:
        """Lessons that lost a count."""
        return int(self.of("sweep").figures.get("faded", 0))

    @property
    def stale(self) -> tuple[str, ...]:
        """Lessons that were marked as stale."""
        return tuple(self.of("sweep").figures.get("stale", ()))


def tend(context: Context, steps: Sequence[str] = STEPS) -> Tended:
    """Take the steps in their order. Where the context names a run that is over, it alone counts; without it, all learned runs do."""
    unknown = [name for name in steps if name not in STEPS]
    if unknown:
        raise UsageError(f"tend has no step {unknown[0]!r}.", f"One of: {', '.join(STEPS)}.")
    run = context.run
    wanted = tuple(name for name in STEPS if name in steps)
    if context.dry_run or wanted == ALONE:
        return Tended(run, _taken(context, wanted), context.dry_run)
    holder = lease.take_lease(context)
    if holder:  # a run that is over is counted all the same
        return Tended(run, _taken(context, ALONE) if run and "sweep" in wanted else (), busy=holder)
    try:
        done = Tended(run, _taken(context, wanted))
    finally:
        lease.give_back(context)
    return done


def _taken(context: Context, names: Sequence[str]) -> tuple[StepReport, ...]:
    done: list[StepReport] = []
    for name in names:
        context.tell(name)
        done.append(_step(name)(context))
    if context.bound.spent > LEAST or context.bound.left:
        with context.write() as tx:
            context.bound.settle(tx, context)
    return tuple(done)


def _step(name: str) -> Callable[[Context], StepReport]:
    step: Callable[[Context], StepReport] = import_module(f"tacit.origins.night.{name}").step
    return step

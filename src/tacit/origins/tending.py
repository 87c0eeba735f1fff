"""Between runs: what silence does to lessons, and what joelclaw's night does beside.

Each step is a function `step(night) → StepReport`, safe to kill and to take twice: what it changes is
judged inside the transaction that changes it. A model is asked outside of any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Unpack

from tacit.core.errors import UsageError
from tacit.core.states import UNDOUBTED
from tacit.core.value import value
from tacit.learn.block import bring_up
from tacit.origins.joelclaw import merge, triage
from tacit.origins.night import sweep
from tacit.origins.night.context import Named, Night, StepReport
from tacit.origins.ralph import prune

if TYPE_CHECKING:
    from tacit.facets import PruneFilters
    from tacit.learn.fade import Faded
    from tacit.opened import Opened
    from tacit.origins.staging import Stage


@value
class Tended:
    """What a pass did."""

    run: str = ""
    steps: tuple[StepReport, ...] = ()
    dry_run: bool = False

    def of(self, name: str) -> StepReport:
        """What one step did; an empty report for one that was not taken."""
        return next((each for each in self.steps if each.name == name), StepReport(name))

    @property
    def moves(self) -> tuple[tuple[str, str, str, str], ...]:
        """(memory, from, to, reason) of every change of state."""
        return tuple(change for each in self.steps for change in each.changes)

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


def page(night: Night) -> StepReport:
    """Bring the files that a person keeps up to date, and mark what stands there now."""
    if night.files is None:
        return StepReport("page", skipped="no file is kept")
    done = bring_up(night.work, night.files, dry_run=night.dry_run)
    with night.write() as tx:
        triage.settle(tx, night)
    files = tuple(each.path for each in done.files)
    return StepReport("page", len(files), notes=done.notes, figures={"files": files})


def stats(night: Night) -> StepReport:
    """How many observations are active, and how many of them stale."""
    held = {"active": 0, "stale": 0}
    for state, stale, n in night.store.counted([night.project], ("state", "stale")):
        held["active"] += n * (state in UNDOUBTED)
        held["stale"] += n * (state in UNDOUBTED and bool(stale))
    return StepReport("stats", figures=held)


STEPS: Mapping[str, Callable[[Night], StepReport]] = {
    "sweep": sweep.step,
    "merge": merge.step,
    "triage": triage.step,
    "page": page,
    "prune": prune.step,
    "stats": stats,
}


def tend(
    opened: Opened,
    run: str = "",
    *,
    only: str = "",
    dry_run: bool = False,
    report: Callable[[str, str], object] | None = None,
    **named: Unpack[PruneFilters],
) -> Tended:
    """What happens between runs: the steps of the project's way of remembering, or `only` one of them.

    `run` names the run that is over, and counts once; without it all learned runs do. With `only="prune"` a person may name what
    is to be taken out: `below` a confidence, `older` than so many days, `unused`, `staged`.
    """
    steps = (*opened.profile.tend.steps, "prune")
    if only and only not in steps:
        raise UsageError(f"tend has no step {only!r} here.", f"One of: {', '.join(steps)}.")
    if named:
        opened.need_person("Pruning lessons by name")
    night = Night(
        opened.work,
        run,
        dry_run,
        opened.model("triage"),
        opened.work_tree,
        Named(**named) if named else None,
        opened.actor.name if named else "tend",
        report,
    )
    done: list[StepReport] = []
    for name in (only,) if only else steps[:-1]:
        night.tell(name)
        done.append(STEPS[name](night))
    if not only:
        with night.write() as tx:
            night.put_mark(tx, "tended", night.now())
    return Tended(run, tuple(done), dry_run)


def fade(opened: Opened) -> Faded:
    """Forget what nobody met for long enough: what the worker does once a day, where no origin has a night of its own."""
    from tacit.learn.fade import fade

    return fade(opened.work)


def staging(opened: Opened) -> Stage:
    """What waits between a run and the memory: `listed`, `stats`, `validate`, `promote`, `clear`."""
    from tacit.origins.staging import Stage

    return Stage(opened.work)

"""Between runs: sweep, merge, reflect, triage, page, prune; and how this memory is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack

from tacit.origins.night import Tended
from tacit.origins.night.context import Context
from tacit.origins.night.prune import Named

if TYPE_CHECKING:
    from tacit.facets import PruneFilters
    from tacit.learn.fade import Faded
    from tacit.opened import Opened
    from tacit.origins.night.stats import Figures
    from tacit.origins.staging import Stage


def tend(
    opened: Opened,
    run: str = "",
    *,
    only: str = "",
    since: str = "",
    dry_run: bool = False,
    report: Callable[[str, str], object] | None = None,
    **named: Unpack[PruneFilters],
) -> Tended:
    """What happens between runs: sweep, merge, reflect, triage, page, prune, stats, or `only` one of them.

    `run` names the run that is over, and counts once; without it all learned runs do. With `only="prune"` a person may name what
    is to be taken out: `below` a confidence, `older` than so many days, `unused`, `staged`.
    """
    from tacit.origins.night import STEPS, tend

    if named:
        opened.need_person("Pruning lessons by name")
    # for whichever step may ask one; each looks itself whether it may
    model = next(
        (found for step in ("triage", "reflect") if (found := opened.model(step)) is not None),
        None,
    )
    work = opened.work
    context = Context(
        work,
        run=run,
        since=since,
        dry_run=dry_run,
        model=model,
        root=work.project.root,
        named=Named(**named) if named else None,
        by=opened.actor.name if named else "tend",
        report=report,
        files=opened.work_tree,
    )
    return tend(context, (only,) if only else STEPS)


def fade(opened: Opened) -> Faded:
    """Forget what nobody met for long enough: what the worker does once a day, where no origin has a night of its own."""
    from tacit.learn.fade import fade

    return fade(opened.work, opened.project.root if opened.project else "")


def statistics(opened: Opened, since: str = "", failures: Sequence[str] = ()) -> Figures:
    """How this project's memory is, and what happened since a time. `failures` are what a surface knows could not be learned."""
    from tacit.origins.night.stats import figures

    return figures(opened.store, opened.project_id, opened.profile, opened.now(), since, failures)


def alarms(opened: Opened, found: Figures) -> Sequence[str]:
    """What in such figures asks for attention."""
    from tacit.origins.night.stats import alarms

    return alarms(found, opened.profile)


def staging(opened: Opened) -> Stage:
    """What waits between a run and the memory: `listed`, `stats`, `validate`, `promote`, `clear`."""
    from tacit.origins.staging import Stage

    return Stage(opened.work)

"""The pages that hosts load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import StoreBusy
from tacit.origins.night.context import Context, StepReport

if TYPE_CHECKING:
    from tacit.opened import Opened
    from tacit.origins.night.pages import Pages


def pages(opened: Opened) -> Pages:
    """The pages that hosts load and people read: `kept`, `keep`, `drop`, `waiting`, `preview`."""
    from tacit.origins.night.pages import Pages

    return Pages(Context(opened.work, files=opened.work_tree, by=opened.actor.name))


def page(opened: Opened, *, dry_run: bool = False, over: bool = False) -> StepReport:
    """Bring the pages up to date. `over`: a person's leave to replace what was changed by hand between our marks."""
    if over:
        opened.need_person("Replacing what was written by hand")
    by = opened.actor.name
    context = Context(opened.work, dry_run=dry_run, files=opened.work_tree, by=by, over=over)
    from tacit.origins.night import tend

    done = tend(context, ("page",))
    if done.busy:
        raise StoreBusy(f"The pages were not written: {done.busy}.", "Try again in a moment.")
    return done.of("page")


def publish(opened: Opened) -> bool:
    """Write the pages; False where another process tends this project, and writes them itself."""
    try:
        page(opened)
    except StoreBusy:
        return False
    return True


def keep_page(opened: Opened, target: str, on: bool = True) -> None:
    """Let Tacit write a page into the work tree from now on, or no more: a person's leave."""
    opened.need_person("Letting Tacit write a page")
    if on:
        pages(opened).keep(target)
    else:
        pages(opened).drop(target)

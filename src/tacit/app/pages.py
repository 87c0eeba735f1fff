"""The pages that hosts load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import StoreBusy
from tacit.opened import Opened
from tacit.origins.night.context import Context, StepReport
from tacit.place import identity
from tacit.place.files import WorkTree

if TYPE_CHECKING:
    from tacit.origins.night.pages import Pages


class PageVerbs(Opened):
    """The pages that hosts load."""

    @property
    def pages(self) -> Pages:
        """The pages that hosts load and people read: `kept`, `keep`, `drop`, `waiting`, `preview`."""
        from tacit.origins.night.pages import Pages

        return Pages(Context(self.work, files=self._work_tree(), by=self.actor.name))

    def page(self, *, dry_run: bool = False, over: bool = False) -> StepReport:
        """Bring the pages up to date. `over`: a person's leave to replace what was changed by hand between our marks."""
        if over:
            self.need_person("Replacing what was written by hand")
        by = self.actor.name
        context = Context(self.work, dry_run=dry_run, files=self._work_tree(), by=by, over=over)
        from tacit.origins.night import tend

        done = tend(context, ("page",))
        if done.busy:
            raise StoreBusy(f"The pages were not written: {done.busy}.", "Try again in a moment.")
        return done.of("page")

    def _publish(self) -> bool:
        """Write the pages; False where another process tends this project, and writes them itself."""
        try:
            self.page()
        except StoreBusy:
            return False
        return True

    def keep_page(self, target: str, on: bool = True) -> None:
        """Let Tacit write a page into the work tree from now on, or no more: a person's leave."""
        self.need_person("Letting Tacit write a page")
        if on:
            self.pages.keep(target)
        else:
            self.pages.drop(target)

    def _work_tree(self) -> WorkTree:
        project, place = self.ensure_project(), self.place
        if place.given and project.root != place.root:
            place = identity.locate(project.root, self.env)
        return WorkTree(place.root, place.git_dir)

"""The pages that hosts load and people edit."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tacit.app.opened import Opened
from tacit.core.errors import StoreBusy
from tacit.core.run import Finding
from tacit.stores import identity
from tacit.stores.files import WorkTree
from tacit.tend.context import Context, StepReport

if TYPE_CHECKING:
    from tacit.tend.pages import Blamed, Pages


class PageVerbs(Opened):
    """The pages that hosts load and people edit."""

    @property
    def pages(self) -> Pages:
        """The pages that hosts load and people read: `kept`, `keep`, `drop`, `waiting`, `preview`, `blame`."""
        from tacit.tend.pages import Pages

        return Pages(Context(self.work, files=self._work_tree(), by=self.actor.name))

    def page(self, *, dry_run: bool = False, vouch: bool = False) -> StepReport:
        """Bring the pages up to date. With `vouch` a person says that what was written on them by hand is theirs."""
        from tacit.tend import tend

        if vouch:
            self.need_person("Vouching for a page")
        learn = self._learn_page(vouch)
        context = Context(
            self.work, dry_run=dry_run, files=self._work_tree(), by=self.actor.name, learn=learn
        )
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

    def blame(self, path: str) -> Sequence[Blamed]:
        """The lines of a file, named from the current folder, each with the lesson behind it."""
        tree = self._work_tree()
        return self.pages.blame(
            os.path.relpath(os.path.join(os.path.realpath(self.folder), path), tree.root)
        )

    def _work_tree(self) -> WorkTree:
        project, place = self.ensure_project(), self.place
        if place.given and project.root != place.root:
            place = identity.locate(project.root, self.env)
        return WorkTree(place.root, place.git_dir)

    def _learn_page(self, vouched: bool) -> Callable[[Sequence[Finding]], object]:
        def taken(found: Sequence[Finding]) -> object:
            from tacit.learn.page import (
                take_page,
            )  # where a page says nothing new, what learns is not loaded

            return take_page(self.work, found, vouched=vouched)

        return taken

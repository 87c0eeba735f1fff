"""The memory of one project: twenty methods, synchronous and typed.

    import tacit

    with tacit.open() as memory:
        memory.add("Run `make migrate` before the tests.", kind="command")
        print(memory.inject("fix the failing tests").markdown)

Each method loads the room that does the work when it is called, so that a command pays for its own rooms alone. One object
serves one thread; async callers run its methods in a thread.
"""

from __future__ import annotations

import os

from tacit.opened import Opened, open_store_at, store_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Unpack

    from tacit.core.proposal import Proposal
    from tacit.core.run import Run
    from tacit.facets import (
        FindingFacets,
        LessonFacets,
        LessonFields,
        ListFilters,
        QueryFacets,
        RunFacets,
    )
    from tacit.hooks.answer import Recalled
    from tacit.hooks.events import Injection
    from tacit.hosts.source import Source
    from tacit.learn.by_hand import Submitted
    from tacit.learn.queries import Why
    from tacit.learn.review import Reviewed
    from tacit.learn.running import Running
    from tacit.learn.stage import Learned
    from tacit.lesson import Lesson
    from tacit.origins.intake import TakenIn
    from tacit.sync import Synced
    from tacit.trial.effect import Effects

__all__ = ["Memory", "open"]


def open(
    path_or_url: str | None = None,
    project: str | None = None,
    profile: str | None = None,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    create: bool = True,
    wait: float = 60.0,
    by: str = "",
    yes: bool = False,
    now: Callable[[], str] | None = None,
) -> Memory:
    """Open the memory of a project: the user's store and the folder's project, unless named otherwise.

    `project` is an id, a known project's name, or a folder. `profile` names the origin that a project without one
    remembers like. With `create=False` a missing store raises `Unavailable`. `now` is another clock, for tests and
    simulations. Close it, or use it in a `with` block.
    """
    seen = os.environ if env is None else env
    folder = os.path.abspath(cwd or os.getcwd())
    store = open_store_at(store_path(path_or_url, seen), seen, create, wait)
    return Memory(store, seen, folder, project or "", profile or "", by, yes, now)


class Memory(Opened):
    """The memory of one project in one store."""

    # -- lessons ---------------------------------------------------------------------------------

    def add(self, text: str, **facets: Unpack[LessonFacets]) -> Lesson:
        """Keep a lesson; `trust` says whose words these are if not one's own."""
        from tacit.learn.correcting import add

        return add(self, text, **facets)

    def edit(
        self, id: str, *, reason: str = "", typo: bool = False, **fields: Unpack[LessonFields]
    ) -> Lesson:
        """Correct a lesson: other words are another lesson, unless it was a `typo`."""
        from tacit.learn.correcting import edit

        return edit(self, id, reason=reason, typo=typo, **fields)

    def keep(self, id: str, *, always: bool | None = None, reason: str = "") -> Lesson:
        """Make a lesson the person's own word; `always` tells it at every start, or no more."""
        from tacit.learn import correcting, reviewing

        if always is not None:
            return correcting.pin(self, id, always, reason=reason)
        reviewing.review(self, id, "approve", reason=reason)
        return self.get(id)

    def drop(
        self, id: str = "", *, source: str = "", erase: bool = False, reason: str = ""
    ) -> list[Lesson]:
        """Take a lesson out, or all that came from a `source`; with `erase` its text goes everywhere, for good."""
        from tacit.learn import correcting

        if erase:
            return [correcting.erase(self, id, reason=reason)]
        return correcting.forget(self, id, origin=source, reason=reason)

    def undo(self, what: str | int = "", *, source: str = "") -> list[Lesson]:
        """Take back a change: the last one of a lesson, a journal entry, or the dropping of a `source`."""
        from tacit.learn.correcting import undo

        return undo(self, what, origin=source)

    def lesson(self, id: str) -> Lesson:
        """One lesson, by its id, a unique prefix of it, or an alias."""
        return self.get(id)

    def lessons(
        self,
        *,
        states: Sequence[str] = (),
        gone: bool = False,
        everywhere: bool = False,
        as_of: str = "",
        **filters: Unpack[ListFilters],
    ) -> list[Lesson]:
        """Lessons of this project and those for every project, newest first; with `gone` also what was taken out.

        `as_of` asks the journal how they stood at a time, the youngest first.
        """
        from tacit.core.states import KEPT

        every = [project.id for project in self.store.projects()] if everywhere else self.scopes
        if as_of:
            from tacit.hooks.past import lessons_then

            entries = self.store.entries(every, until=as_of)
            return lessons_then(entries, states or (() if gone else KEPT), **filters)
        return self.store.select(every, states=states or (() if gone else KEPT), **filters)

    def why(self, id: str, question: str = "") -> Why:
        """All that is known of a lesson: where it comes from, what came of it, what would change it."""
        from tacit.learn.queries import why

        return why(self, id, question)

    # -- sessions --------------------------------------------------------------------------------

    def learn(
        self,
        source: str | Source | Run,
        *,
        format: str = "",
        run: str = "",
        over: bool = False,
        again: bool = False,
        dry_run: bool = False,
    ) -> list[Learned]:
        """Learn the sessions in a file, a source or one value. Learning the same twice changes nothing."""
        from tacit.learn.learning import learn

        return learn(self, source, format=format, run=run, over=over, again=again, dry_run=dry_run)

    def run(
        self,
        task: str = "",
        *,
        run: str = "",
        root: str = "",
        instruments: Sequence[str] = (),
        **facets: Unpack[RunFacets],
    ) -> Running:
        """One run of a loop of your own: it is told its lessons, takes findings, and is learned at its end."""
        from tacit.learn.learning import run as loop

        return loop(self, task, run=run, root=root, instruments=instruments, **facets)

    def submit(
        self,
        text: str,
        *,
        run: str,
        host: str = "library",
        origin: str = "",
        **facets: Unpack[FindingFacets],
    ) -> Submitted:
        """A finding of a run that goes on, as its agent tells it: with an agent's trust."""
        from tacit.learn.learning import submit

        return submit(self, text, run=run, host=host, origin=origin, **facets)

    # -- telling ---------------------------------------------------------------------------------

    def inject(
        self, task: str = "", *, run: str = "", look: bool = False, **facets: Unpack[QueryFacets]
    ) -> Injection:
        """What an agent should know before or during a run, recorded with its test group; with `look` nothing is recorded."""
        from tacit.hooks.recalling import inject

        return inject(self, task, run=run, look=look, **facets)

    def recall(
        self,
        question: str,
        *,
        run: str = "",
        limit: int | None = None,
        as_of: str = "",
        **facets: Unpack[QueryFacets],
    ) -> Recalled:
        """What is known about a question, best first."""
        from tacit.hooks.recalling import recall

        return recall(self, question, run=run, limit=limit, as_of=as_of, **facets)

    # -- deciding --------------------------------------------------------------------------------

    def questions(self) -> list[Proposal]:
        """What waits for a person's yes, oldest first."""
        from tacit.learn.reviewing import proposals

        return proposals(self)

    def answer(self, question: str, yes: bool, *, reason: str = "") -> Reviewed | int:
        """Answer a question with yes or no."""
        from tacit.learn.reviewing import review

        return review(self, question, "approve" if yes else "reject", reason=reason)

    def effect(self, id: str = "") -> Effects:
        """Does it help? With the sessions that went without: one lesson, or all of them."""
        from tacit.trial.proving import effect

        return effect(self, id)

    # -- carrying --------------------------------------------------------------------------------

    def sync(self, *, dry_run: bool = False) -> Synced:
        """Tell the others what is new here, and take in what they told."""
        from tacit.sync.team import share

        return share(self, dry_run=dry_run)

    def export(self, format: str = "jsonl", part: str = "") -> str:
        """The project's lessons as text: jsonl, csv, markdown, or as another system writes them."""
        from tacit.origins.exchange import export

        return export(self, format, part)

    def import_(
        self, source: str | Source, *, format: str = "", trust: str = "", dry_run: bool = False
    ) -> list[TakenIn]:
        """Take in lessons, of ours or another system's; without `trust` they wait for somebody's word."""
        from tacit.origins.exchange import import_

        return import_(self, source, format=format, trust=trust, dry_run=dry_run)

"""Before and during a run: what an agent should know, recorded with its control group. The one facet that a prompt loads."""

from __future__ import annotations

import os

from tacit.app.opened import Opened
from tacit.core.digest import new_id
from tacit.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from tacit.app.facets import QueryFacets
    from tacit.recall import Injection
    from tacit.recall.answering import Recalled


class Recalling(Opened):
    """Before and during a run: what an agent should know, recorded with its control group. The one facet that a prompt loads."""

    def inject(
        self,
        task: str = "",
        *,
        run: str = "",
        host: str = "library",
        root: str = "",
        model: str = "",
        surface: str = "library",
        event: str = "",
        context: str = "",
        budget: str = "",
        render: str = "",
        wrap: bool | None = None,
        trial: bool = True,
        repeat: bool = False,
        look: bool = False,
        **facets: Unpack[QueryFacets],
    ) -> Injection:
        """What an agent should know before or during a run, recorded with its control group.

        Facets: files, errors, agent, domain, task_type, task_id, mission, category. Nothing was ever kept here: nothing is said.
        With `look` somebody only looks: nothing is recorded, nothing left out to measure.
        """
        from tacit.hooks.events import AskingRun, Injection, Query

        project = self.project
        if project is None:
            return Injection(run or new_id())
        if self.profile.budget.start_tokens and self.store.full_text((project.id,)) is not None:
            from tacit.hooks.deliver import inject
        else:
            from tacit.recall import inject
        return inject(
            self.store,
            project,
            self.profile,
            Query(task=task, **facets),
            AskingRun(run, host, root, model, surface, event, context),
            now=self.now(),
            ids=new_id,
            level=budget,
            renderer=render,
            wrap=wrap,
            trial=trial and self.env.get("TACIT_COIN") != "never",
            repeat=repeat,
            look=look,
            exists=lambda path: os.path.lexists(os.path.join(self.place.root, path)),
        )

    def recall(
        self,
        question: str,
        *,
        run: str = "",
        host: str = "library",
        surface: str = "library",
        budget: str = "",
        limit: int | None = None,
        min_score: float | None = None,
        include_held: bool = False,
        include_stale: bool = False,
        as_of: str = "",
        **facets: Unpack[QueryFacets],
    ) -> Recalled:
        """What is known about a question, best first. With `run` an agent asks: its assignments are honoured, what it is told is recorded.

        Facets: files, errors, agent, domain, task_type, category, kind.
        """
        from tacit.recall import AskingRun
        from tacit.recall.answering import Recalled, recall
        from tacit.recall.query import Query

        if not isinstance(question, str):
            raise UsageError(
                f"A question is text, not {type(question).__name__}.",
                'recall("what you want to know")',
            )
        if self.project is None:
            return Recalled()
        return recall(
            self.store,
            self.project,
            self.profile,
            Query(task=question, **facets),
            now=self.now(),
            asking=AskingRun(run, host, surface=surface) if run else None,
            level=budget,
            limit=limit,
            min_score=min_score,
            include_held=include_held,
            include_stale=include_stale,
            as_of=as_of,
            person=self.actor.is_person,
            model=lambda: self.model("rewrite"),
        )

"""Past runs replayed in order under one or more profiles, each lesson learned only from the past.

For each run: first what would have been given, then what it says. A finding that matches a lesson learned before is
recurring; it was forewarned if that lesson was among those given. Nothing is withheld here, and nothing is written
outside memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tacit.core.profile import profile_id, to_json
from tacit.core.rows import Project
from tacit.core.trust import Actor
from tacit.core.value import value
from tacit.learn import learn
from tacit.recall import AskingRun, inject
from tacit.recall.query import Query
from tacit.stores import counts
from tacit.stores.lookups import all_ids
from tacit.stores.sql import WorkContext
from tacit.stores.sqlite import open_store

if TYPE_CHECKING:
    from tacit.core.profile import Profile
    from tacit.core.run import Run


@value
class Replayed:
    """How one profile would have done."""

    profile: str
    runs: int
    findings: int
    lessons: int
    recurring: int  # findings that were known from an earlier run
    forewarned: int  # of them, those whose lesson had been given
    injected: int  # lessons given, summed over runs
    useful: int  # of them, those whose problem then occurred
    tokens: int
    promotions: int


def backtest(
    runs: Iterable[Run],
    profile: Profile,
    *,
    ids: Callable[[], str],
    progress: Callable[[int], None] | None = None,
) -> Replayed:
    """Replay runs, oldest first, under a profile."""
    actor = Actor("backtest", "agent", "runs are replayed")
    ordered = sorted(runs, key=lambda run: (run.started_at, run.id))
    counted = "runs findings recurring forewarned injected useful tokens promotions"
    count = dict.fromkeys(counted.split(), 0)
    with open_store(":memory:") as store:
        project = Project("backtest", "backtest", "", "", "", profile_id(profile), bytes(32), 0, "")
        with store.write() as tx:
            tx.put_profile(project.profile, profile.name, to_json(profile), "")
            tx.put_project(project)
        for number, run in enumerate(ordered, 1):
            at = run.started_at or f"1970-01-01T00:00:{number:02d}Z"
            known = all_ids(store)
            query = Query(
                task=run.task,
                agent=run.agent,
                domain=run.domain,
                task_type=run.task_type,
                task_id=run.task_id,
            )
            told = inject(
                store,
                project,
                profile,
                query,
                AskingRun(f"{run.id}#{number}", run.host, surface="backtest"),
                now=at,
                ids=ids,
                trial=False,
            )
            work = WorkContext(store, project, profile, _always(run.ended_at or at), ids, actor)
            seen = learn(work, run, over=True)
            given = set(told.injected)
            recurring = [id for id in seen.matched if id in known]
            count["runs"] += 1
            count["findings"] += seen.findings
            count["recurring"] += len(recurring)
            count["forewarned"] += sum(id in given for id in recurring)
            count["injected"] += len(given)
            count["useful"] += len(given & set(recurring))
            count["tokens"] += told.tokens
            count["promotions"] += len(seen.moves)
            if progress:
                progress(number)
        lessons = counts.memories(store)
    return Replayed(profile=profile.name, lessons=lessons, **count)


def _always(moment: str) -> Callable[[], str]:
    return lambda: moment

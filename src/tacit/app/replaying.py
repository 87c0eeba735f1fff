"""Past tasks done again in pairs, with a lesson and without it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tacit.app.learning import Learning
from tacit.app.replay_wish import ReplayPlan, Wish, replays_folder
from tacit.core.errors import Refused
from tacit.core.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Unpack

    from tacit.app.facets import ReplayOptions
    from tacit.prove.replay import Replay
    from tacit.prove.replay.plan import Budget

HOUR = 3600.0
_TIMEOUT = 30 * 60.0  # seconds for one run of an agent


class Replaying(Learning):
    """Past tasks done again in pairs, with a lesson and without it."""

    def plan_replay(self, id: str, *, agent: str, **options: Unpack[ReplayOptions]) -> ReplayPlan:
        """What `replay` with the same arguments would do, cost and be able to tell. Nothing is run or written."""
        return Wish(self, self.get(id), agent, **options).plan()

    def replay(
        self,
        id: str,
        *,
        agent: str,
        budget: Budget | None = None,
        say: Callable[[str], None] | None = None,
        **options: Unpack[ReplayOptions],
    ) -> Replay:
        """Do past tasks again with the agent's command, in pairs with a lesson and without it, until something can be said.

        `agent` is the command; `{prompt}` in it stands for the task, otherwise it is read from standard input, and `{notes}` for the lesson
        as text where no host's hooks give it. Options: `check` (a command that exits 0 where the work is well), `setup`, `pairs`,
        `timeout`, `keep_env`, `read`, `write`, `host`, `unconfined`, `anew`, `whole`. Killed and called again it goes on.
        """
        from tacit.prove.replay import run_pairs
        from tacit.prove.replay.plan import Budget

        if self.env.get("TACIT_REPLAY"):
            raise Refused("A replay inside a replay would never end.", "Run it from your own shell.")
        self._need_person("Running agents on past tasks")
        wish = Wish(self, self.get(id), agent, **options)
        with wish.kept as kept:
            plan = wish.keep_plan()
            return run_pairs(kept, plan, wish.bench(), budget or Budget(), say or (lambda _: None))

    def replays(self, id: str = "") -> list[Replay]:
        """The replays of this project that were begun, or those of one lesson, oldest first."""
        from tacit.prove.replay import replay_on_disk
        from tacit.prove.replay.kept import ReplayFolder
        from tacit.prove.replay.plan import another_pair, spent_on

        only = self.get(id).id if id else ""
        found = []
        top = replays_folder(self)
        for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
            kept = ReplayFolder(os.path.join(top, name))
            plan = kept.plan()
            if plan and plan["project"] == self.project_id and only in ("", plan["lesson"]):
                each = replay_on_disk(kept, plan, "")
                from tacit.prove.replay.plan import Budget

                stop = another_pair(
                    each.pairs, plan["pairs"], spent_on(kept.runs()), Budget(), (), plan.get("whole", False)
                )
                found.append(replace(each, stopped=stop.reason))
        return sorted(found, key=lambda each: each.started_at)


def replay_part(name: str) -> Any:
    """A module of the replay, for surfaces: what it decides and says needs neither store nor project."""
    from tacit.prove.replay import plan, words

    return {"plan": plan, "words": words}[name]

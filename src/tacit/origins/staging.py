"""Manual promotion: stage a run's lessons, validate them, look at them, promote them, clear the area."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.journal import Hand, change
from tacit.core.profile import Profile
from tacit.core.proposal import CLEARED, KEPT_STAGED, VALIDATED, staging_status
from tacit.core.run import Finding
from tacit.core.states import GONE, UNDOUBTED, WAITING
from tacit.core.value import replace, value
from tacit.learn.gate import judged_by, rules_of
from tacit.learn.promote import promote
from tacit.lesson import Lesson
from tacit.store.reads import WorkContext

if TYPE_CHECKING:
    from tacit.store.writes import Transaction


@value
class Staging:
    """What stands in the staging area."""

    total: int = 0
    pending: int = 0
    validated: int = 0
    rejected: int = 0


class Stage:
    """The staging area of one project, in the hands of one person."""

    def __init__(self, work: WorkContext) -> None:
        self.work, self.project, self.profile = work, work.project, work.profile
        self.by, self.now, self.ids = work.actor.name, work.now, work.ids

    def listed(self) -> list[Lesson]:
        """What stands there, in the order of writing."""
        found = self.work.store.select(
            [self.project.id], states=(*UNDOUBTED, GONE), sort="old", limit=-1
        )
        return [memory for memory in found if staging_status(memory)]

    def stats(self) -> Staging:
        """How much of it waits, passed and failed."""
        words = [staging_status(memory) for memory in self.listed()]
        return Staging(
            len(words), words.count("pending"), words.count("validated"), words.count("rejected")
        )

    def validate(self) -> tuple[int, int]:
        """Judge what is pending by the profile's checks: (validated, rejected)."""
        good = bad = 0
        with self.work.write() as tx:
            for memory in self._of("pending"):
                fault = fault_of(memory, self.profile)
                now = replace(
                    memory, gate="discard" if fault else "hold", gate_reason=fault or VALIDATED
                )
                self._apply(
                    tx,
                    memory,
                    replace(now, updated_at=self.now()),
                    "gate",
                    fault or "passed validation",
                )
                self._climb(tx, memory.id)
                good, bad = good + (not fault), bad + bool(fault)
        return good, bad

    def promote(self, *, auto_validate: bool = True, clear_after: bool = True) -> tuple[int, int]:
        """Store what was validated: (promoted, skipped). What was refused stays, with its reason, until it is cleared."""
        if auto_validate:
            self.validate()
        done = skipped = 0
        with self.work.write() as tx:
            for memory in self._of("validated"):
                if memory.state != WAITING:
                    continue
                now = replace(
                    memory,
                    gate="allow",
                    gate_reason="" if clear_after else KEPT_STAGED,
                    updated_at=self.now(),
                )
                self._apply(tx, memory, now, "approve", f"promoted from staging by {self.by}")
                self._climb(tx, memory.id)
                stored = tx.get(memory.id).state != WAITING
                done, skipped = done + stored, skipped + (not stored)
        return done, skipped

    def clear(self) -> int:
        """Empty the area. Nothing is judged by it: what is met again is staged again."""
        with self.work.write() as tx:
            found = self.listed()
            for memory in found:
                if memory.gate_reason == KEPT_STAGED:
                    now, verb = replace(memory, gate_reason=""), "gate"
                elif memory.state == WAITING:
                    now, verb = (
                        replace(memory, state=GONE, previous_state=WAITING, closed_by=CLEARED),
                        "move",
                    )
                else:
                    now, verb = replace(memory, closed_by=CLEARED), "gate"
                self._apply(
                    tx,
                    memory,
                    replace(now, updated_at=self.now()),
                    verb,
                    f"staging cleared by {self.by}",
                )
        return len(found)

    def _of(self, status: str) -> list[Lesson]:
        return [memory for memory in self.listed() if staging_status(memory) == status]

    def _apply(self, tx: Transaction, was: Lesson, now: Lesson, verb: str, reason: str) -> None:
        version = self.project.profile
        tx.apply(change(was, now, Hand(self.by, self.now(), profile=version), verb, reason))

    def _climb(self, tx: Transaction, id: str) -> None:
        promote(tx, self.project, self.profile, id, by=self.by, at=self.now(), ids=self.ids)


def fault_of(memory: Lesson, profile: Profile) -> str:
    """Why a staged lesson fails the profile's checks; empty where it passes."""
    finding = Finding(
        run="",
        place="staging",
        text=memory.text,
        kind=memory.kind,
        tier=memory.trust,
        task_type=memory.task_type,
        confidence=memory.tally.confidence,
        extra={
            "success_rate": (memory.tally.signals or {}).get("success_rate"),
            # a record that was staged elsewhere is judged as it was written, too
            "record": memory.extra if "staged" in (memory.extra or {}) else None,
        },
    )
    decision = judged_by(profile)(finding, replace(rules_of(profile), held=()))
    return "" if decision.outcome != "discard" else decision.reason

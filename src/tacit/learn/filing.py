"""Where a finding belongs: as its run and its source say. An origin tells kind, category and
tags by keywords of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.profile import Profile, task_type_of
from tacit.core.run import Finding, Run
from tacit.core.value import replace

if TYPE_CHECKING:
    from tacit.learn.gate import GateDecision


class Filing:
    """Tacit's own way: nothing is told from words but the type of a task."""

    def shaped(self, finding: Finding, run: Run, profile: Profile) -> Finding:
        """A finding with the facets of its run; what it says itself stands."""
        task = finding.task_type or run.task_type
        return replace(
            finding,
            domain=finding.domain or run.domain,
            task_type=task or task_type_of(profile, run.objective or run.task),
        )

    def settled(self, finding: Finding, decision: GateDecision, profile: Profile) -> Finding:
        """A finding after the gate, without its annotation."""
        confidence = finding.confidence if decision.confidence is None else decision.confidence
        return replace(finding, text=decision.text or finding.text, confidence=confidence)

    def tags(self, text: str, profile: Profile) -> tuple[str, ...]:
        """The tags of a text that came without."""
        return ()

    def is_slight(self, finding: Finding, profile: Profile) -> bool:
        """Whether a finding is too slight to make a new lesson; one that is known already counts
        all the same."""
        return False


def filing_of(profile: Profile) -> Filing:
    """How a way of remembering files what it is told."""
    return profile.own.filing if profile.own else Filing()

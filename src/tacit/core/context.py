"""What work on a project needs, as one value: handed from conductor to step instead of six arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.core.ports import Store, Transaction
    from tacit.core.profile import Profile
    from tacit.core.rows import Project
    from tacit.core.trust import Actor


@value
class WorkContext:
    """A project of a store under its profile, the clock, new ids, and who acts."""

    store: Store
    project: Project
    profile: Profile
    now: Callable[[], str]
    ids: Callable[[], str]
    actor: Actor

    def write(self, keep: bool = True) -> Transaction:
        """A transaction under the profile's rules."""
        return self.store.write(confidence=self.profile.signals.confidence, keep=keep)

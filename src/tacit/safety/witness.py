"""Who vouches for a text on its way in: the record of a session, a repository alone, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tacit.safety.acts import act_in
from tacit.safety.provenance import ACT, GROUNDED, OUTSIDE, Provenance, judge
from tacit.safety.record import Text, texts_of
from tacit.safety.repository import NOWHERE, Repository, repository_before

if TYPE_CHECKING:
    from tacit.core.run import Run

Vouch = Callable[[str], Provenance]


@dataclass(frozen=True)
class Witness:
    """What one session can vouch for."""

    texts: tuple[Text, ...] | None
    repository: Repository

    def __call__(self, text: str, steps: Iterable[int] = ()) -> Provenance:
        """Whose word a lesson of this session is. `steps` are those that it quotes."""
        if self.texts is None:
            return Provenance(OUTSIDE, why="what its session heard was not kept")
        return judge(text, self.texts, self.repository, tuple(steps))


def of_run(run: Run) -> Vouch:
    """The witness of a session that is being learned; its record is gone through when it is first
    asked, and asked once about the same words."""

    @cache
    def witness() -> Witness:
        repository = repository_before(run.cwd, run.started_at, run.commit)
        return Witness(texts_of(run, repository), repository)

    return cache(lambda text, steps=(): witness()(text, steps))


def of_folder(folder: str, now: str) -> Vouch:
    """What the repository around a folder vouches for, where no session is at hand."""
    repository = cache(lambda: repository_before(folder, now))

    def vouch(text: str) -> Provenance:
        found = judge(text, (), NOWHERE)
        return found if found.grounded or found.word == ACT else judge(text, (), repository())

    return vouch


def asked_before(text: str) -> Provenance:
    """For words that provenance was asked of where they were put down."""
    return GROUNDED


def unless_it_acts(text: str) -> Provenance:
    """For words that code made of what it counted in the record itself: only acts wait."""
    act = act_in(text, {})
    return Provenance(ACT, name=act) if act else GROUNDED

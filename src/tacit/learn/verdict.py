"""What the control group says of one lesson, after one more of its uses was settled.

The verdict is that of the current epoch, model family and host: a lesson that helped another model may do nothing for
this one. Belief is no part of it: it is folded with the other counts (core.links).
"""

from __future__ import annotations

from tacit.core.effect import by_epoch, sentence, stand, tabulate, trials_from
from tacit.core.journal import change
from tacit.core.value import replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.core.journal import Change
    from tacit.core.links import Mark, Use
    from tacit.core.memory import Memory
    from tacit.core.profile import Profile


@value
class Judged:
    """The figures in words, and the change of the verdict where there is one."""

    figures: str
    change: Change | None = None


def judged(
    memory: Memory,
    uses: Sequence[Use],
    marks: Sequence[Mark],
    epoch: str,
    profile: Profile,
    *,
    by: str,
    at: str,
    run: str,
    version: str,
) -> Judged:
    """The verdict in the epoch of the use that was just settled."""
    mine = by_epoch(trials_from(uses, marks)).get(epoch, [])
    table = tabulate(mine)
    if not table:
        return Judged("")
    standing = stand(mine, profile.effect.alpha, profile.effect.margin)
    figures = sentence(table, standing, profile.effect.alpha, profile.effect.margin)
    if standing.word == memory.verdict:
        return Judged(figures)
    now = replace(memory, verdict=standing.word, updated_at=at)
    return Judged(
        figures,
        change(memory, now, verb="verdict", by=by, reason=figures, at=at, run=run, profile=version),
    )

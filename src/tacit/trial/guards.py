"""Does asking help? A guard's question against a mere note, by the coin of lessons, pooled over guards.

One coin per guard and unit; the arm is that of its first firing. The outcome is told from the run alone: a guarded
call ran, and its failure, the person's correction or a revert followed; of a check at the end of the work, that it was
still not so when the session was over. A refusal has no coin: it is shown beside them and compared with nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.core.links import ENDING, FIRED, GUARD_ASKED, REFUSED, TOLD, TURN, Mark
from tacit.core.value import value
from tacit.trial.coin import INJECTED, WITHHELD
from tacit.trial.evalue import HARMS, HELPS, Trial
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.pooled import TOGETHER, pooled

CAME_ANYWAY = "right"  # what followed where the problem came all the same


@value
class GuardEffect:
    """How often the problem came back where it was told, asked and refused: sessions, and those in which it did."""

    arms: Mapping[str, tuple[int, int]]
    verdict: str  # of asking against telling; "not yet known" is the normal answer
    error: float
    turns: bool = False  # of checks at the end of the work

    @property
    def sentence(self) -> str:
        """The arms side by side, and what can be said of asking, or of sending back."""
        act = "sending back" if self.turns else "asking"
        claims = {HELPS: f"{act} helps", HARMS: f"{act} harms"}
        said = claims.get(self.verdict, f"not yet known whether {act} helps")
        if self.turns:
            words = {TOLD: "only told", GUARD_ASKED: "sent back"}
            kept = {words[arm]: (n, n - back) for arm, (n, back) in self.arms.items() if n}
            where = "Checks: kept in the end in sessions that were"
        else:
            kept = {arm: counts for arm, counts in self.arms.items() if counts[0]}
            where = "Guards: the problem came back in sessions that were"
        shown = ", ".join(f"{arm} {of} of {n}" for arm, (n, of) in kept.items())
        return f"{where} {shown}; {said} (error rate {100 * self.error:g} %)."


def guard_trials(marks: Iterable[Mark]) -> list[tuple[Trial, str]]:
    """The sessions in which guards fired and that are over, each with its arm, in the order they were settled."""
    fired: dict[tuple[str, str], Mark] = {}
    ended: dict[tuple[str, str], dict[str, str]] = {}
    settled: dict[tuple[str, str], str] = {}
    for mark in marks:
        key = (mark.unit, mark.memory)
        if mark.signal == FIRED:
            fired.setdefault(key, mark)
        elif mark.signal == ENDING:
            ended.setdefault(key, {})[mark.surface] = mark.reason
            settled.setdefault(key, mark.at)
    found = []
    for (unit, guard), mark in fired.items():
        told = ended.get((unit, guard))
        if told is None:
            continue
        outcome = OCCURRED if CAME_ANYWAY in told.values() else NOT_OCCURRED
        arm = WITHHELD if mark.value == TOLD else INJECTED
        h = mark.amount if mark.value != REFUSED else 0.0
        moment, at = f"{guard} {mark.at}", settled[unit, guard]  # tossed alone
        found.append((Trial(unit, guard, guard, h, arm, outcome, moment, at), mark.value))
    return sorted(found, key=lambda each: each[0].at)


def guard_effect(marks: Iterable[Mark], alpha: float, *, turns: bool = False) -> GuardEffect | None:
    """What guards do together, or checks at the end of the work (`turns`); None where none fired in a session that is over."""
    mine = [mark for mark in marks if _is_of_a_turn(mark) is turns]
    trials = guard_trials(mine)
    arms = {
        arm: (len(some), sum(trial.outcome == OCCURRED for trial in some))
        for arm in (TOLD, GUARD_ASKED, REFUSED)
        for some in [[trial for trial, of in trials if of == arm]]
    }
    judged = pooled([trial for trial, _ in trials if 0.0 < trial.h < 1.0], alpha)
    return GuardEffect(arms, judged.word, min(alpha, TOGETHER), turns) if trials else None


def _is_of_a_turn(mark: Mark) -> bool:
    return (mark.reason if mark.signal == FIRED else mark.surface).startswith(TURN)

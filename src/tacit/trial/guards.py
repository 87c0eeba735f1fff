"""Does asking help? A guard's question against a mere note, by the coin of lessons, pooled over guards.

One coin per guard and unit; the arm is that of its first firing. The outcome is told from the run alone: a guarded
call ran, and its failure, the person's correction or a revert followed. A refusal has no coin: it is shown beside them
and compared with nothing. Of a check at the end of the work: it was still not so when the session was over, where the
agent was sent back and where it was not, by the same coin.
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
        """The arms side by side, and what can be said of asking."""
        if self.turns:
            return self._of_checks
        shown = ", ".join(f"{arm} {back} of {n}" for arm, (n, back) in self.arms.items() if n)
        said = {HELPS: "asking helps", HARMS: "asking harms"}.get(
            self.verdict, "not yet known whether asking helps"
        )
        where = f"Guards: the problem came back in sessions that were {shown}"
        return f"{where}; {said} (error rate {100 * self.error:g} %)."

    @property
    def _of_checks(self) -> str:
        words = {TOLD: "only told", GUARD_ASKED: "sent back"}
        shown = ", ".join(
            f"{words[arm]} {n - back} of {n}" for arm, (n, back) in self.arms.items() if n
        )
        said = {HELPS: "sending back helps", HARMS: "sending back harms"}.get(
            self.verdict, "not yet known whether sending back helps"
        )
        where = f"Checks: kept in the end in sessions that were {shown}"
        return f"{where}; {said} (error rate {100 * self.error:g} %)."


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
    for key, mark in fired.items():
        if key in ended:
            outcome = OCCURRED if CAME_ANYWAY in ended[key].values() else NOT_OCCURRED
            arm = WITHHELD if mark.value == TOLD else INJECTED
            h = mark.amount if mark.value != REFUSED else 0.0
            found.append(
                (
                    Trial(
                        mark.unit,
                        mark.memory,
                        mark.memory,
                        h,
                        arm,
                        outcome,
                        moment=f"{mark.memory} {mark.at}",  # tossed alone
                        at=settled[key],
                    ),
                    mark.value,
                )
            )
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

"""What a check at the end of the work would have said in sessions that are over.

*Right* where the person then asked for it in words that name it, *wrong* where they went on without it and it was never
done, *moot* where it was done unasked, or where nothing followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tacit.core.run import Run, Step
from tacit.core.value import value
from tacit.guards.finish import BROKEN, KEPT, Check, Work, judged, work_of
from tacit.guards.history import MOOT, RIGHT, WRONG


@value
class Spoken:
    """One end of a turn at which a check would have spoken, and what came of it."""

    run: str
    at: str
    said: str
    verdict: str
    why: str


@value
class FinishRecord:
    """What a check would have done over past sessions."""

    sessions: int
    spoken: tuple[Spoken, ...]
    undecided: int  # ends of turns at which nothing could be told

    def count(self, verdict: str) -> int:
        """How many of them were judged so."""
        return sum(each.verdict == verdict for each in self.spoken)

    @property
    def said(self) -> str:
        """In a sentence."""
        many = f"{self.sessions} sessions"
        if not self.spoken:
            return f"Would not have spoken in {many}."
        runs = len({each.run for each in self.spoken})
        counts = ", ".join(f"{self.count(each)} {each}" for each in (RIGHT, WRONG, MOOT))
        return f"Would have spoken in {runs} of {many}: {counts}."


def finish_record(check: Check, runs: Iterable[Run]) -> FinishRecord:
    """A check played over past sessions, each time judged by what the person typed next and by what was done."""
    sessions = undecided = 0
    spoken: list[Spoken] = []
    for run in runs:
        sessions += 1
        for each in _ends(check, run):
            if isinstance(each, Spoken):
                spoken.append(each)
            else:
                undecided += 1
    return FinishRecord(sessions, tuple(spoken), undecided)


def _ends(check: Check, run: Run) -> Iterator[Spoken | None]:
    """The turns' ends of a session at which the check speaks; None for one that cannot be
    decided."""
    turns = _turns(run)
    words = [_words(check, work_of(run, run.steps[:end])) for _, end in turns]
    silent = False
    for n, (_, end) in enumerate(turns):
        word, said = words[n]
        if word == KEPT:
            silent = False
        elif word == BROKEN and not silent:
            silent = True
            later = [run.steps[start].text for start, _ in turns[n + 1 :]]
            done = next((at for at, (then, _) in enumerate(words[n + 1 :]) if then == KEPT), None)
            verdict, why = _verdict(check, later, done)
            yield Spoken(run.id, run.steps[end - 1].at, said, verdict, why)
        elif word not in (BROKEN, "moot"):
            yield None


def _turns(run: Run) -> list[tuple[int, int]]:
    """Where each turn's prompt stands, and where the turn ends."""
    starts = [at for at, step in enumerate(run.steps) if _is_prompt(step)]
    return [*zip(starts, [*starts[1:], len(run.steps)])]


def _is_prompt(step: Step) -> bool:
    return step.typed and bool(step.text.strip()) and not step.agent


def _words(check: Check, work: Work) -> tuple[str, str]:
    found = judged(check, work, lambda _: None)  # what stood in a file then, nobody knows
    return found.word, found.said


def _verdict(check: Check, later: Sequence[str], done: int | None) -> tuple[str, str]:
    names = _names(check)
    until = len(later) if done is None else done + 1
    asked = next((said for said in later[:until] if _speaks_of(said, names)), "")
    if asked:
        return RIGHT, f"the person asked for it: “{' '.join(asked.split())[:100]}”"
    if done is not None:
        return MOOT, "it was done in a later turn, unasked"
    if later:
        return WRONG, "the work went on without it"
    return MOOT, "nothing followed"


def _names(check: Check) -> list[str]:
    """The words by which a person speaks of what a check wants."""
    plain = [word for word in check.call if not word.startswith("-")]
    said = plain[-1:] if check.call else [check.partner or check.what or " ".join(check.files)]
    words = [word for each in said for word in re.split(r"[^\w-]+|_", each)]
    return [word.lower() for word in words if len(word) > 2]


def _speaks_of(said: str, names: Sequence[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}", said, re.IGNORECASE) for name in names)

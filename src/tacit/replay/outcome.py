"""What one replayed run lost to the lesson's problem, by whichever instrument there is. The arm is no argument of any of these.

A check command is the strongest: it looks at the work, not at the talk. Without one, a lesson with a signature is judged by the steps
that failed so. Without either, by the reader, who is asked what it is asked of real sessions and sees no notes of ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.run import Run
from tacit.core.value import value
from tacit.learn.occurrences import occurrences
from tacit.reading import prompt
from tacit.reading.answers import is_answer, verdicts_of
from tacit.reading.check import find_quote
from tacit.reading.page import Line, rendered, without
from tacit.reading.verdicts import PROBLEM, settles

CHECK, SIGNATURE, READER = "check", "signature", "reader"
CANNOT_TELL = 125  # a check's exit status for "this cannot be judged", as in git bisect
NOT_RUN = (126, 127)  # a shell's, where the command could not be started
NAME = "m1"  # what the reader knows the lesson by


@value
class JudgedRun:
    """The loss of one run in [0, 1]; None where nothing could tell."""

    loss: float | None
    reason: str
    unsure: bool = (
        False  # the instrument failed; where it did so in both arms, the pair tells nothing
    )


def by_check(status: int | None) -> JudgedRun:
    """By a command of the user's: 0 is well done, 125 cannot be told, anything else is the problem. One that could not be run may have
    been removed by the agent, so that in one arm alone it counts as failed: what an arm can change is never unknown."""
    if status is None:
        return JudgedRun(1.0, "the check did not end in time")
    if status == CANNOT_TELL:
        return JudgedRun(None, f"the check says it cannot tell (exit {status})")
    if status in NOT_RUN:
        return JudgedRun(1.0, f"the check could not be run (exit {status})", unsure=True)
    return (
        JudgedRun(0.0, "the check passed")
        if status == 0
        else JudgedRun(1.0, f"the check failed (exit {status})")
    )


def judge_by_signature(runs: Sequence[Run], signature: str, status: int | None) -> JudgedRun:
    """By the steps that failed with the lesson's signature: what they cost until overcome, 1 at most."""
    if not runs:
        return _unseen(status)
    met = [each for run in runs for each in occurrences(run, signature)]
    if not met:
        return JudgedRun(0.0, "no step failed so")
    return JudgedRun(
        min(1.0, sum(each.loss for each in met)),
        f"{len(met)} {'time' if len(met) == 1 else 'times'} a step failed so",
    )


def _unseen(status: int | None) -> JudgedRun:
    """A run that left nothing to read. One that failed gave its task up, in whichever arm; one that ended well is a host that keeps no
    transcript."""
    if status == 0:
        return JudgedRun(None, "the agent left no transcript that can be read")
    return JudgedRun(
        1.0,
        "the agent failed and left no transcript"
        if status is not None
        else "the agent did not end in time and left no transcript",
    )


def question(runs: Sequence[Run], text: str) -> str:
    """What the reader is asked of a run; empty where there is nothing to read."""
    lines = _shown(runs, text)
    return prompt.known(lines, [(NAME, text)], []) if lines else ""


def _shown(runs: Sequence[Run], text: str) -> list[Line]:
    return [line for run in runs for line in without(rendered(run), [text]).lines]


def by_reader(said: str, runs: Sequence[Run], text: str, status: int | None) -> JudgedRun:
    """By what the reader answered. A quote that the run does not hold is no answer, as everywhere; an answer in no form tells nothing."""
    if not said:
        return _unseen(status)
    if not is_answer(said, "verdicts"):
        return JudgedRun(None, "the reader's answer could not be read")
    lines = _shown(runs, text)
    came = [
        each.quote
        for each in verdicts_of(said)
        if each.id == NAME and each.verdict in PROBLEM and each.quote
    ]
    quoted = next(
        (
            quote
            for quote in came
            if (found := find_quote(quote, lines)) is not None and settles(found)
        ),
        None,
    )
    if quoted is None:
        return JudgedRun(0.0, "the reader looked for it and quotes nothing")
    return JudgedRun(1.0, f"the reader: {quoted.words[:200]}")

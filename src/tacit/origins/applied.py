"""How a memory that was given fared, in the origins' own words: geas by the task's outcome, joelclaw by the answer.

Neither has a control group, so neither is a verdict; they are signals under their own names, which only the ladders and
rankers of the origins read. Two of the originals' mistakes are not made. geas credited every memory of a packet with a
passed task: here a memory is credited only where the task touched what it is about. joelclaw counted an ignored memory
as recalled and fresh: here only one that the answer used is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from tacit.core.journal import Hand
from tacit.core.links import Mark, Use
from tacit.core.run import Run
from tacit.core.value import replace, value
from tacit.lesson import Lesson
from tacit.origins.likeness import keywords
from tacit.words.tokens import all_stop_words

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

_EFFECTS = ("positive", "negative", "neutral", "unknown")
TOUCHED_WORDS = 2  # of a memory's own words in the task's: one may be chance
TOUCHED_SHARE = 0.2
HARMFUL = 2  # geas: so many failed reuses ask for a review
ANSWER_CHARS = 400_000  # of a run's answers that are read


@value
class Applied:
    """What one use came to."""

    effect: str  # one of EFFECTS
    followup: str  # none, weaken or review_required, as geas has it
    reason: str


# --- geas: by the task's outcome ---------------------------------------------------------------------------------------


def by_outcome(outcome: str, *, touched: bool, repeated: bool, contradicted: bool) -> Applied:
    """geas's table: passed where it applied is positive, failed there is negative, elsewhere neither."""
    if contradicted:
        return Applied("negative", "weaken", "the advice contradicted what was right")
    if outcome == "success":
        if touched:
            return Applied("positive", "none", "the task passed, and touched what this is about")
        return Applied("neutral", "none", "the task passed without touching what this is about")
    if outcome == "failure":
        if touched or repeated:
            return Applied("negative", "none", "the task failed where this was to help")
        return Applied("neutral", "none", "the task failed elsewhere")
    return Applied("unknown", "none", "the task was neither passed nor failed")


def touched(memory: Lesson, run: Run) -> bool:
    """Whether a task had to do with what a memory is about: a path of its own, or its words in the task's."""
    files = {_path(path) for path in run.files}
    if any(
        _path(path) in files or any(file.startswith(_path(path) + "/") for file in files)
        for path in memory.paths
    ):
        return True
    told = [
        run.task,
        run.objective,
        run.task_type,
        *run.files,
        *(finding.text for finding in run.findings),
    ]
    told += [
        str(each.get("text", ""))
        for each in (run.extra or {}).get("incidents", ())
        if isinstance(each, dict)
    ]
    mine = keywords(memory.text) - all_stop_words()
    shared = mine & keywords(" ".join(told))
    return len(shared) >= TOUCHED_WORDS and len(shared) >= TOUCHED_SHARE * len(mine)


def marks_for(
    applied: Applied, memory: Lesson, use: Use, run: str, at: str, before: Iterable[Mark]
) -> list[Mark]:
    """An application as marks: the log itself, a reuse, its success or failure, and the task if it is a new success."""

    def mark(signal: str, reason: str = "", value: str = "") -> Mark:
        return Mark(
            memory.id,
            use.unit,
            use.project,
            signal,
            value,
            run=run,
            surface=use.surface,
            reason=reason,
            at=at,
        )

    found = [mark(applied.effect, applied.reason, applied.followup)]
    if applied.effect == "unknown":
        return found
    found.append(mark("reuse"))
    if applied.effect == "positive":
        found.append(mark("successful_reuse"))
        if not any(each.signal == "tasks" and each.unit == use.unit for each in before):
            found.append(mark("tasks"))
    elif applied.effect == "negative":
        found.append(mark("failed_reuse"))
    return found


# --- joelclaw: by the answer -------------------------------------------------------------------------------------------


# Used, if more than this share of its words of so many letters occur in the answer, or so many of them in a row.
ECHO_SHARE, ECHO_LETTERS, ECHO_PHRASE = 0.3, 4, 3


def echoed(text: str, answer: str) -> bool:
    """Whether an answer used a memory: a phrase of its longer words occurs, or enough of these words do."""
    mine = _words(text, ECHO_LETTERS)
    if not mine or not answer:
        return False
    theirs = _words(answer, 1)
    size = ECHO_PHRASE
    phrases = {tuple(mine[at : at + size]) for at in range(len(mine) - size + 1)}
    if any(tuple(theirs[at : at + size]) in phrases for at in range(len(theirs) - size + 1)):
        return True
    different = set(mine)  # one that is said twice is one word
    return len(different.intersection(theirs)) > ECHO_SHARE * len(different) + 1e-9


def _words(text: str, letters: int) -> list[str]:
    return [word for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) >= letters]


# --- both, inside the transaction of a run -----------------------------------------------------------------------------


def outcome(
    tx: Transaction,
    run: Run,
    uses: Sequence[Use],
    *,
    repeated: AbstractSet[str],
    contradicted: AbstractSet[str],
    hand: Hand,
) -> list[str]:
    """Write down how each given memory fared by the run's outcome, once per unit; the memories whose ladder should be asked again."""
    moved: list[str] = []
    for use, memory, marks in _given(tx, uses):
        mine = [each for each in marks if each.unit == use.unit]
        if run.outcome == "unknown" or any(each.signal in _EFFECTS for each in mine):
            continue
        # somebody said during this unit that the advice is wrong
        against = (
            row.root or row.run for row in tx.evidence(memory.id) if row.stance == "contradicts"
        )
        denied = memory.id in contradicted or use.unit in against
        applied = by_outcome(
            run.outcome,
            touched=touched(memory, run),
            repeated=memory.id in repeated,
            contradicted=denied,
        )
        failed = sum(each.signal == "failed_reuse" for each in marks) + (
            applied.effect == "negative"
        )
        if applied.effect == "negative" and applied.followup == "none" and failed >= HARMFUL:
            applied = replace(applied, followup="review_required")
        for mark in marks_for(applied, memory, use, hand.run, hand.at, mine):
            tx.add_mark(mark)
        moved.append(memory.id)
    return moved


def echo(tx: Transaction, run: Run, uses: Sequence[Use], way: Any, hand: Hand) -> list[str]:
    """Write down whether the run's answers used each given memory, once per unit; no ladder goes by it."""
    answer = "\n".join(step.text for step in run.steps if step.role == "assistant")[:ANSWER_CHARS]
    for use, memory, marks in _given(tx, uses) if answer else ():
        if not any(each.signal in ("echo", "fizzle") and each.unit == use.unit for each in marks):
            _echo(tx, memory, use, answer, way, hand)
    return []


def _given(tx: Transaction, uses: Sequence[Use]) -> Iterator[tuple[Use, Lesson, Sequence[Mark]]]:
    for use in uses:
        if use.arm != "withheld":
            yield use, tx.get(use.memory), tx.marks(memory=use.memory)


def _echo(tx: Transaction, memory: Lesson, use: Use, answer: str, way: Any, hand: Hand) -> None:
    used = echoed(memory.text, answer)
    now = (memory.tally.signals or {}).get("priority", 0.0)
    step = min(1.0, max(-1.0, now + (way.ECHO if used else way.FIZZLE))) - now
    counted = {
        "echo" if used else "fizzle": 1.0,
        "priority": step,
        **({"recalls": 1.0} if used else {}),
    }
    for signal, amount in counted.items():
        mark = Mark(
            memory.id,
            use.unit,
            use.project,
            signal,
            amount=amount,
            run=hand.run,
            surface=use.surface,
            at=hand.at,
        )
        tx.add_mark(mark)
    if used and memory.stale_at:
        tx.apply(hand.change(memory, replace(memory, stale_at=""), "stale", "an answer used it"))


def _path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").rstrip("/")

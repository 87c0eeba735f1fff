"""What a guard would have done in sessions that are over: its record comes before it is offered.

A firing is *right* where its failure, the person's correction or a revert followed; *wrong* where the person had asked
for that very call, or it passed and was built on; else *moot*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tacit.core.run import Run, Step
from tacit.core.value import grouped, value
from tacit.guards.condition import ASK, REFUSE, Attempt, Guard, fires, is_guarded, prepares, sees
from tacit.reading.calls import OF_CHECKS, Try, tries
from tacit.reading.command import line_of
from tacit.words.own_words import own_text

RIGHT, WRONG, MOOT = "right", "wrong", "moot"
_EDITING_TOOLS = frozenset(
    "Edit MultiEdit Write NotebookEdit apply_patch write_file replace edit create str_replace_editor".split()
)
ASK_COUNTED, ASK_RIGHT = 5, 0.8  # 4 right of 5
REFUSE_COUNTED, REFUSE_WORK = 10, 3  # none of them wrong, in so many pieces of work
_SOON = 3  # calls after one that passed, in which doing it the right way after all says that it was wrong
_GONE_ON = 5  # calls after it, from which on a session that says nothing of it has built on it

_CORRECTS = re.compile(
    r"\b(?:no|don't|do not|stop|why (?:did|are|do) you|revert|undo|instead|shouldn't|should not|wrong|never|i (?:said|told|asked)|again"
    r"|not what|nope|wait)\b",
    re.I,
)
_REVERTS = re.compile(
    r"\bgit (?:revert|reset|restore|checkout --|commit --amend)|\bgh pr (?:close|edit|ready)\b|--force-with-lease"
)
_SKIPS = re.compile(r"\b(?:without|skip|no need|don't (?:run|bother)|just)\b", re.I)


@value
class Firing:
    """One call of a past session on which a guard would have fired, and what came of it."""

    run: str
    work: str  # the piece of work: forks and resumptions are one
    place: str
    at: str
    call: str
    reason: str
    verdict: str
    why: str


@value
class Record:
    """What a guard did over past sessions."""

    sessions: int = 0
    firings: tuple[Firing, ...] = ()
    unseen: int = 0  # command lines that no guard can read

    def count(self, verdict: str) -> int:
        """How many firings were judged so."""
        return sum(each.verdict == verdict for each in self.firings)

    @property
    def said(self) -> str:
        """In a sentence."""
        if not self.firings:
            return f"Would not have fired in {self.sessions} sessions."
        counts = ", ".join(f"{self.count(each)} {each}" for each in (RIGHT, WRONG, MOOT))
        times = "once" if len(self.firings) == 1 else f"{len(self.firings)} times"
        return f"Would have fired {times} in {self.sessions} sessions: {counts}."


def offered(record: Record) -> str:
    """The step that a record is enough for: REFUSE, ASK or none."""
    right, wrong = record.count(RIGHT), record.count(WRONG)
    work = {each.work for each in record.firings if each.verdict != MOOT}
    if not wrong and right >= REFUSE_COUNTED and len(work) >= REFUSE_WORK:
        return REFUSE
    return ASK if right + wrong >= ASK_COUNTED and right >= ASK_RIGHT * (right + wrong) else ""


def why_not_offered(record: Record) -> str:
    """What a record lacks for the first step; empty where it lacks nothing."""
    if offered(record):
        return ""
    counted = record.count(RIGHT) + record.count(WRONG)
    if counted < ASK_COUNTED:
        return f"{counted} firings can be judged; a question needs {ASK_COUNTED}"
    return f"{record.count(RIGHT)} of {counted} were right; a question needs four of five"


def recorded(guard: Guard, runs: Iterable[Run]) -> Record:
    """A guard played over past runs, each one judged by what followed in it."""
    sessions, unseen = 0, 0
    firings: list[Firing] = []
    for run in runs:
        sessions += 1
        unseen += sum(not sees(line) for step in run.steps if (line := line_of(step)))
        firings += firings_in(guard, run)
    return Record(sessions, tuple(firings), unseen)


def firings_in(guard: Guard, run: Run) -> Iterator[Firing]:
    """The firings of a guard in one run, lane by lane."""
    lanes = grouped(run.steps, lambda step: (step.agent, step.context))
    typed = [(n, step) for n, step in enumerate(run.steps) if step.typed and step.text]
    order = {id(step): n for n, step in enumerate(run.steps)}
    for steps in lanes.values():
        tried: dict[int, Try] = {}  # read at the first firing: most runs have none
        before: list[str] = []
        for at, step in enumerate(steps):
            line = line_of(step)
            for call in _attempts(step, line, run.branch):
                reason = fires(guard, call, before)
                if reason:
                    tried = tried or {each.at: each for each in tries(run, steps)}
                    n = order[id(step)]
                    said = [each.text for place, each in typed if place < n][-1:]
                    reply = next((each.text for place, each in typed if place > n), "")
                    verdict, why = _judged(guard, steps, at, tried, said[0] if said else "", reply)
                    work = run.lineage or run.root or run.id
                    yield Firing(
                        run.id, work, step.place, step.at, line or call.file, reason, verdict, why
                    )
            if line:
                before.append(line)


def _attempts(step: Step, line: str, branch: str) -> Iterator[Attempt]:
    if line:
        yield Attempt(line, branch=branch)
    elif step.tool in _EDITING_TOOLS:
        yield from (Attempt(file=path) for path in step.files)


def _judged(
    guard: Guard, steps: Sequence[Step], at: int, tried: dict[int, Try], asked: str, reply: str
) -> tuple[str, str]:
    """What came of a call on which a guard would have fired, by what the transcript shows; and why."""
    step, names = steps[at], _names(guard)
    if _asks_for(guard, asked, names):
        return WRONG, f"the person had asked for it: “{_short(asked)}”"
    if step.interrupted:
        return RIGHT, "the person stopped it"
    one = tried.get(at)
    failed = bool(one.failed if one else step.error)
    if failed and _is_its_own(guard, one):
        return RIGHT, f"it failed: {_short((step.error or step.output).strip().splitlines()[-1:])}"
    if (
        reply
        and _CORRECTS.search(own_text(reply, ""))
        and any(re.search(rf"\b{re.escape(each)}\b", reply, re.I) for each in names)
    ):
        return RIGHT, f"the person corrected it: “{_short(reply)}”"
    later = [(n, line) for n in range(at + 1, len(steps)) if (line := line_of(steps[n]))]
    until = next(
        (n for n, line in later if guard.condition.first and is_guarded(guard, line)), len(steps)
    )
    for n, line in later:
        if (
            guard.condition.first
            and n < until
            and prepares(guard, line)
            and (one := tried.get(n))
            and one.failed
        ):
            return RIGHT, f"run afterwards it failed: {_short(line)}"
    if failed:
        return MOOT, "it failed for another reason"
    if reverting := next((line for _, line in later[:_SOON] if _REVERTS.search(line)), ""):
        return RIGHT, f"it was taken back: {_short(reverting)}"
    way = guard.instead.split()[:2]
    if (
        not guard.condition.first
        and len(way) == 2
        and any(" ".join(way) in line for _, line in later[:_SOON])
    ):
        return RIGHT, "it was done again as the lesson says"
    if reply or len(later) >= _GONE_ON:
        return WRONG, "it passed, and the work went on"
    return MOOT, "nothing tells what came of it"


def _is_its_own(guard: Guard, one: Try | None) -> bool:
    """Whether a failure is that of the guarded call and no other's: what a check finds in the work is the work's."""
    if one is None:
        return True  # an edit
    programs = {row[0] for row in guard.condition.calls}
    for each in one.found or ():
        call = one.blamed(each)
        if call is None or not programs.isdisjoint(
            {word.rpartition("/")[2] for word in call.bare[:3]}
        ):
            return bool(guard.condition.first) or each.family not in OF_CHECKS
    return False


def _names(guard: Guard) -> list[str]:
    """The words by which a person speaks of what a guard is about."""
    rows = [*guard.condition.calls, *guard.condition.first]
    words = [word.lstrip("-") for row in rows for word in row[1:] or row]
    words += [path.rpartition("/")[2] for path in guard.condition.files] + list(
        guard.condition.branch
    )
    return list(
        dict.fromkeys(word for word in words if len(word) > 2 and word not in ("run", "exec"))
    )


def _asks_for(guard: Guard, asked: str, names: Sequence[str]) -> bool:
    """Whether a message asks for the guarded call itself; of an order of two calls, to leave the first one out."""
    said = own_text(asked, "").lower()
    if guard.condition.first:
        first = [word for row in guard.condition.first for word in row[-1:]]
        return bool(_SKIPS.search(said)) and any(
            re.search(rf"\b{re.escape(word.lower())}", said) for word in first
        )
    if guard.condition.files:
        return any(name.lower() in said for name in names)
    wanted = any(_is_spoken_of(row, said) for row in guard.condition.calls)
    return (
        wanted
        and not _CORRECTS.search(said)
        and not (guard.condition.branch and not any(b in said for b in guard.condition.branch))
    )


def _is_spoken_of(row: Sequence[str], said: str) -> bool:
    """Whether a message names a call: all its words, of git's without the program; a lone program only as something to run."""
    words = [word.lstrip("-").lower() for word in (row[1:] if row[0] == "git" else row)]
    if len(words) == 1 and row[0] != "git":
        return re.search(rf"\b(?:run|use|call|with)\s+`?{re.escape(words[0])}\b", said) is not None
    return all(re.search(rf"(?<![\w-]){re.escape(word)}\b", said) for word in words)


def _short(text: str | list[str]) -> str:
    line = " ".join((text[0] if text else "").split() if isinstance(text, list) else text.split())
    return line if len(line) <= 100 else line[:99] + "…"

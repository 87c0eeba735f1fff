"""Which past runs can be replayed for a lesson, and why the others cannot.

A task qualifies if its problem was met in it, if it can be begun again exactly where it began (the work tree that was kept at its start, or
the commit that the host wrote down with nothing changed; the first prompt), if until its second prompt it did nothing to others
that a clone could
do again, and if the lesson does not stand in a file that every run reads anyway. Nothing is guessed: what cannot be told is left
out, with its reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from tacit.core.clock import seconds
from tacit.core.digest import short_hash
from tacit.core.run import Run, Step
from tacit.core.value import value
from tacit.replay.reach import reached

if TYPE_CHECKING:
    from tacit.replay.keeping import KeptTree

_LONGEST = 30_000  # characters of a prompt: what a program takes as one argument
TOLD = 3  # files that a reason names


@value
class Task:
    """One past task that can be done again."""

    id: str
    run: str  # the past run's id, as the host gave it
    prompt: str
    commit: str
    folder: str  # where in the repository it began, relative; empty: at its top
    branch: str
    seconds: float  # what it took the first time; 0 where nobody knows
    tokens: int
    usd: float
    head: str = ""  # what was checked out, where the commit is a kept work tree on it
    kept: str = ""  # the git directory of ours that holds that commit


@value
class Skipped:
    """A past run that met the problem and is not replayed."""

    run: str
    reason: str


def judge_task(
    run: Run, met: Collection[str], root: str, kept: KeptTree | None = None
) -> Task | Skipped:
    """Whether a run can be replayed. `met` are the places of its steps at which the problem was met; `root` is the repository's folder;
    `kept` is its work tree as it was kept when it began."""
    exact = bool(run.commit) and not run.changed
    prompts = [(at, step) for at, step in enumerate(run.steps) if _asks(step)]
    reason = (
        "it was itself a replay"
        if run.is_replayed
        else "it is somebody else's file"
        if run.foreign
        else "it goes on from another session"
        if run.root
        else "it has no prompt"
        if not prompts
        else f"its prompt is longer than {_LONGEST:,} characters"
        if len(prompts[0][1].text) > _LONGEST
        else "the problem was met only after a later prompt"
        if not _in_first(run, met, [at for at, _ in prompts])
        else ""
        if exact
        else "its transcript names no commit to begin at, and its work tree was not kept"
        if kept is None and not run.commit
        else f"its work tree held changes that no commit holds: {_some(run.changed)}"
        if kept is None
        else "a call had written before its work tree was kept"
        if kept.written
        else ""
    ) or reached(run.steps[: prompts[1][0]] if len(prompts) > 1 else run.steps)
    if reason:
        return Skipped(run.id, reason)
    cost = run.cost
    tokens = cost.input + cost.output + cost.cache_read + cost.cache_write if cost else 0
    return Task(
        id=short_hash("replayed task", run.host, run.id),
        run=run.id,
        prompt=prompts[0][1].text,
        commit=run.commit if exact or kept is None else kept.commit,
        folder=_within(run.cwd, root),
        branch=run.branch,
        seconds=_took(run),
        tokens=tokens,
        usd=(cost.usd or 0.0) if cost else 0.0,
        head="" if exact or kept is None or kept.commit == kept.head else kept.head,
        kept="" if exact or kept is None else kept.folder,
    )


def _asks(step: Step) -> bool:
    return (
        step.role == "user"
        and bool(step.text.strip())
        and not step.agent
        and not step.interrupted
        and step.speaker in ("", "typed", "command")
    )


def _in_first(run: Run, met: Collection[str], prompts: list[int]) -> bool:
    """Whether the problem struck in answer to the first prompt. The second may itself be what says so: a correction is about what was done
    before it. A place that is not in the file tells nothing against it."""
    if len(prompts) < 2 or not met:
        return True
    places = {step.place: at for at, step in enumerate(run.steps)}
    known = [places[place] for place in met if place in places]
    return not known or min(known) <= prompts[1]


def _some(names: Iterable[str]) -> str:
    named = [*names]
    return ", ".join(named[:TOLD]) + (f" and {len(named) - TOLD} more" if len(named) > TOLD else "")


def _within(cwd: str, root: str) -> str:
    root = root.rstrip("/")
    return cwd[len(root) + 1 :].rstrip("/") if cwd.startswith(root + "/") else ""


def _took(run: Run) -> float:
    began, ended = seconds(run.started_at), seconds(run.ended_at)
    return max(0.0, ended - began) if began and ended else 0.0


def stands_in(text: str, files: Mapping[str, str]) -> str:
    """The instruction file in which a lesson stands word for word, so that no arm is without it; empty where in none."""
    wanted = _folded(text)
    return next((name for name, held in files.items() if wanted and wanted in _folded(held)), "")


def _folded(text: str) -> str:
    return " ".join("".join(each if each.isalnum() else " " for each in text.casefold()).split())

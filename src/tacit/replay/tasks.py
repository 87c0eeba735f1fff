"""Which past runs can be done again, and why the others cannot.

A task qualifies if its problem was met in it, if it can be begun again exactly where it began (a commit with nothing
changed; the first prompt), and if the lesson does not stand in a file that every run reads anyway. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from tacit.core.clock import seconds
from tacit.core.digest import short_hash
from tacit.core.run import Run, Step
from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.replay.starts import Start

_LONGEST = 30_000  # characters of a prompt: what a program takes as one argument
TOO_LONG = f"its prompt is longer than {_LONGEST:,} characters"


@value
class Task:
    """One past task that can be done again."""

    id: str
    run: str  # the past run's id, as the host gave it
    prompt: str
    commit: str
    folder: str  # where in the repository it began, relative; empty: at its top
    seconds: float  # what it took the first time; 0 where nobody knows
    tokens: int
    usd: float


@value
class Skipped:
    """A past run that met the problem and is not done again."""

    run: str
    reason: str


def judge_task(
    run: Run, met: Collection[str], root: str, start: Start | None = None
) -> Task | Skipped:
    """Whether a run can be done again. `met` are the places where the problem was met, `root` is the repository."""
    commit = run.commit or (start.commit if start else "")
    clean = start.clean if start else bool(run.commit) and not run.changed
    prompts = [(at, step) for at, step in enumerate(run.steps) if _asks(step)]
    first = [at for at, _ in prompts]
    hindered = (
        (run.is_replayed, "it was itself a replay"),
        (run.foreign, "it is somebody else's file"),
        (bool(run.root), "it goes on from another session"),
        (not prompts, "it has no prompt"),
        (any(len(step.text) > _LONGEST for _, step in prompts[:1]), TOO_LONG),
        (not _in_first(run, met, first), "the problem was met only after a later prompt"),
        (not commit, "nobody noted the commit at which it began"),
        (not clean, "it began with changes that no commit holds"),
    )
    if reason := next((why for holds, why in hindered if holds), ""):
        return Skipped(run.id, reason)
    cost = run.cost
    tokens = cost.input + cost.output + cost.cache_read + cost.cache_write if cost else 0
    return Task(
        id=short_hash("replayed task", run.host, run.id),
        run=run.id,
        prompt=prompts[0][1].text,
        commit=commit,
        folder=_within(run.cwd, root),
        seconds=_took(run),
        tokens=tokens,
        usd=(cost.usd or 0.0) if cost else 0.0,
    )


def _asks(step: Step) -> bool:
    if step.role != "user" or step.agent or step.interrupted:
        return False
    return bool(step.text.strip()) and step.speaker in ("", "typed", "command")


def _in_first(run: Run, met: Collection[str], prompts: list[int]) -> bool:
    """Whether the problem struck in answer to the first prompt. The second may itself be what says so: a correction is
    about what was done before it. A place that is not in the file tells nothing against it."""
    if len(prompts) < 2 or not met:
        return True
    places = {step.place: at for at, step in enumerate(run.steps)}
    known = [places[place] for place in met if place in places]
    return not known or min(known) <= prompts[1]


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

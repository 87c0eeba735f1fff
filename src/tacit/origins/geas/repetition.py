"""What says something by coming up again: six triggers.

A single failure teaches nothing that its own task has not learned; the same class of failure in a second task does. A
format notes what may come up again in `Run.extra["incidents"]`, each under a trigger's name and a key. Here the incidents
of this run meet those of earlier ones, and whatever reached its trigger's count becomes a finding in each of its runs.
The wording holds nothing that changes from run to run, so that a third sighting is recognised as the same lesson.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tacit.core.run import Finding, Run, fold_severity
from tacit.core.value import Section, grouped, value
from tacit.lesson import SEVERITIES

VERSION = 1
# trigger -> (its wording, whether tasks are counted rather than occurrences)
TRIGGER_TEXTS: Mapping[str, tuple[str, bool]] = {
    "failure_class": ("Failures of class {key} recur: {text}", False),
    "concern": ("Reviewers keep raising {key}: {text}", True),
    "recovery": ("Work had to be recovered more than once ({key}): {text}", False),
    "recipe": ("This check has served several tasks: {text}", True),
    "integration": ("{text} recur; agree on who changes it before starting", False),
    "low_confidence": ("Workers are unsure in {key} tasks: {text}", False),
}


@value
class Incident:
    """One thing that happened in a task and may happen again."""

    trigger: str
    key: str
    text: str
    task: str
    place: str
    by: str = ""
    severity: str = "info"
    paths: tuple[str, ...] = ()
    at: str = ""


def incidents(noted: Iterable[Any]) -> Iterator[Incident]:
    """Incidents as a format or the store noted them; what is none is left out."""
    for each in noted:
        if not isinstance(each, dict) or each.get("trigger") not in TRIGGER_TEXTS:
            continue
        said = [str(each.get(name) or "") for name in ("key", "text", "task", "place")]
        paths = each.get("paths")
        listed = paths if isinstance(paths, (list, tuple)) else ()
        if all(said):
            yield Incident(
                each["trigger"],
                *said,
                by=str(each.get("by") or ""),
                severity=fold_severity(each.get("severity")),
                paths=tuple(map(str, listed)),
                at=str(each.get("at") or ""),
            )


def repeated(run: Run, before: Iterable[Any], settings: Mapping[str, Section]) -> Iterator[Finding]:
    """What came up in this run and has come up often enough by now: a finding for each run in which it did.

    `before` are the incidents of all runs learned so far, in the order of the runs. What this run noted when it was learned
    before gives way to what it notes now, at the same place in that order.
    """
    now = list(incidents((run.extra or {}).get("incidents", ())))
    if not now:
        return
    noted = list(incidents(before))
    first = next((n for n, each in enumerate(noted) if each.task == run.id), len(noted))
    others = [each for each in noted[first:] if each.task != run.id]
    every = grouped([*noted[:first], *now, *others], _name)
    for name in dict.fromkeys(map(_name, now)):
        trigger, met = settings.get(name[0]), every[name]
        if trigger is not None and reached(met) >= trigger.count:
            enough = _enough(met, trigger.count)
            for task in dict.fromkeys(each.task for each in met):
                yield _finding(
                    run, task, met, trigger, trigger.confidence if task in enough else None
                )


def reached(every: list[Incident]) -> int:
    """How often something came up: in how many tasks, or how many times."""
    of_tasks = TRIGGER_TEXTS[every[0].trigger][1]
    return len({each.task if of_tasks else (each.task, each.place) for each in every})


def _name(each: Incident) -> tuple[str, str]:
    return each.trigger, " ".join(each.key.casefold().split())


def _enough(every: list[Incident], count: int) -> set[str]:
    """The first tasks that reach a trigger's count: its confidence is theirs together, and whatever comes later adds to it."""
    most = next(most for most in range(1, len(every) + 1) if reached(every[:most]) >= count)
    return {each.task for each in every[:most]}


def _finding(
    run: Run, task: str, every: list[Incident], trigger: Section, confidence: float | None
) -> Finding:
    first, mine = every[0], [each for each in every if each.task == task]
    tasks = list(dict.fromkeys(each.task for each in every))
    return Finding(
        run=task,
        place=mine[-1].place,
        text=TRIGGER_TEXTS[first.trigger][0].format(key=first.key, text=first.text.rstrip(". ")),
        extractor=first.trigger,
        version=VERSION,
        kind=trigger.kind or "",
        by=mine[-1].by or "orchestration_authority",
        tier="review" if first.trigger == "concern" else "observed",
        severity=max((each.severity for each in mine), key=SEVERITIES.index),
        task_type=run.task_type,
        paths=tuple(dict.fromkeys(path for each in every for path in each.paths))[:8],
        quote=f"{len(every)} times, in {', '.join(tasks[-6:])}",
        at=mine[-1].at,
        confidence=confidence,
        extra={
            "trigger": first.trigger,
            "key": first.key,
            "tasks": tasks[-20:],
            "task_id": task.rpartition("/")[2],
        },
    )

"""Twins of a context: lessons told in one session of E2's log that tidying calls the same, without it and with it applied in time."""

from __future__ import annotations

import json
from pathlib import Path

from bench.looks.figures import answered, projects
from bench.looks.walk import LESSONS, lessons_in


def show(data: Path, out: Path, logs: Path) -> None:
    """Print them for each project that has a log with hooks played (`bench.exams run --exam E2 --work LOGS`)."""
    for project in projects(data, out):
        log, steps = logs / f"{project}.jsonl", answered(data, project, "tidy", out)
        if not log.exists() or not steps:
            continue
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        lessons = {each.text: each.id for each in lessons_in(out / project / LESSONS)}
        joined = [
            (step.number, id, same.stays)
            for step in steps
            for same in step.answer.same
            for id in same.goes
        ]
        told = without = left = 0
        for n, line in enumerate(lines, 1):
            texts = lines[n - 2]["texts"] if n > 1 else {}
            given = {id: texts.get(id, "") for each in line["hooks"] for id in each["given"]}
            known = [lessons[text] for text in given.values() if text in lessons]
            told += len(given)
            without += _twins(known, dict(pair for _, *pair in joined))
            applied = dict(pair for at, *pair in joined if at < n)
            after = list(dict.fromkeys(_stays(id, applied) for id in known))
            left += _twins(after, dict(pair for _, *pair in joined))
        print(f"{project}: {len(lines)} sessions, {told} told; twins {without}, tidied {left}")


def _twins(ids: list[str], joined: dict[str, str]) -> int:
    """How many of these lessons say what another of them says."""
    return len(ids) - len({_stays(id, joined) for id in ids})


def _stays(id: str, joined: dict[str, str]) -> str:
    """The lesson that a lesson was joined into in the end."""
    while id in joined:
        id = joined[id]
    return id

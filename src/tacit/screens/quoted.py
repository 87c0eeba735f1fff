"""What a session itself said where a failure was noticed: read from the host's own file, while that is still there.

The store keeps what a grammar recognised, and nobody's words. Whoever asks why a lesson stands wants to see the command and the line that
failed: both are looked up again, without secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tacit.core.errors import TacitError
from tacit.core.links import Evidence
from tacit.core.run import Incident, Step
from tacit.hosts import formats
from tacit.hosts.source import walk
from tacit.memory import Memory as Memories
from tacit.safety.one_line import plain_line
from tacit.safety.redact import redact

_MOST = 3  # failures whose last session is looked up: each is a file to read
_COMMAND, _LINE = 100, 200  # characters
_ERROR_LINES = 5  # lines that sound like an error, of which the shortest is shown
_WORD = re.compile(r"[\w.-]{6,}")  # of a lesson: what it speaks of
_TELLING = re.compile(
    r"\b(?:error|fail\w*|fatal|cannot|could not|not found|no such|denied|refused|unknown|invalid|unexpected)\b",
    re.I,
)


def last_said(
    memories: Memories, evidence: Iterable[Evidence], failures: Iterable[Incident], lesson: str
) -> dict[str, dict[str, str]]:
    """Of some failures, by their mark, the last session that met each: its name, its day, the command, and the line that failed."""
    newest = sorted(
        (row for row in evidence if row.run and row.place), key=lambda row: row.seq, reverse=True
    )
    found: dict[str, dict[str, str]] = {}
    for failure in list(failures)[:_MOST]:
        row = next((row for row in newest if row.quote.endswith(f": {failure.mark}")), None)
        if row is not None and (said := _said(memories, row, failure, lesson)):
            found[failure.mark] = said
    return found


def _said(memories: Memories, row: Evidence, failure: Incident, lesson: str) -> dict[str, str]:
    run = memories.store.run(row.run)
    if run is None or not run.path:
        return {}
    step = _step(run.path, run.host, row.place.partition("#")[0])
    if step is None:
        return {}
    words = [word for word in _WORD.findall(lesson) if word not in failure.program]
    # which hook it is shows no point
    code = failure.code if failure.code in lesson and failure.family != "hook" else ""
    names = (
        code,
        *(word for word in words if word != failure.code),
        failure.code,
        failure.name,
        failure.tool,
    )
    given = step.input if isinstance(step.input, Mapping) else {"command": step.input}
    command = given.get("command") or given.get("cmd")  # as Codex calls it
    return {
        "session": run.foreign_id,
        "day": run.started_at[:10],
        "command": _shown(" ".join(command) if isinstance(command, list) else command, _COMMAND),
        "line": _shown(telling_line(step.error or step.output or "", names), _LINE),
    }


def _step(path: str, host: str, place: str) -> Step | None:
    try:
        source = next(iter(walk([path])))
        return next(
            (
                step
                for run in formats.read(source, host)
                for step in run.steps
                if step.place == place
            ),
            None,
        )
    except (TacitError, OSError, StopIteration):
        return None


def telling_line(output: str, names: Iterable[str]) -> str:
    """The line of an output that says what is wrong: one with the first of the names that any has, else any that sounds like an error."""
    lines = [
        line.strip()
        for line in output.splitlines()
        if line.strip() and not line.startswith("Exit code")
    ]
    telling = [line for line in lines if _TELLING.search(line)]
    named = (
        [line for line in some if name in line]
        for name in names
        if name
        for some in (telling, lines)
    )
    best = next((found for found in named if found), telling or lines[:1])
    return min(best[:_ERROR_LINES], key=len, default="")


def _shown(text: Any, most: int) -> str:
    return plain_line(redact(str(text or "")).text, most)

"""Noticing: what failed in a run, with its cost and how it ended, and which commands served which purpose.

All of it is counted in the store; what is told of it, and to whom, is another module's decision (`learn/counting`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.run import COMMAND, Incident, Run, Step
from tacit.core.value import replace
from tacit.learn.notice.failures import failures
from tacit.reading.calls import lanes
from tacit.safety.redact import private, redact
from tacit.words.diagnose import LONGEST_OUTPUT

if TYPE_CHECKING:
    from tacit.reading.calls import Lane

LONGEST_COMMAND = 20_000  # characters that are read; what a shell line holds beyond is a document
_TEXTS = ("mark", "code", "name", "program", "folder", "line", "cure", "repair")


def notice(run: Run) -> tuple[Incident, ...]:
    """The incidents of a run, secrets masked before anything is counted.

    Errors and commands lose them as a whole: a line that is cut out or masked no longer shows what it was part of.
    """
    safe = cache(_without_secrets)  # agents say the same command many times in a run
    run = replace(run, steps=tuple(_safe(step, safe) for step in run.steps))
    by_lane = lanes(run)
    return tuple(_masked(each) for each in (*failures(run, by_lane), *_forms_used(run, by_lane)))


def _without_secrets(text: str) -> str:
    return redact(private(text)).text


def _safe(step: Step, safe: Callable[[str], str]) -> Step:
    error = step.error
    if len(error) > LONGEST_OUTPUT:
        error = f"{error[: LONGEST_OUTPUT // 2]}\n{error[-LONGEST_OUTPUT // 2 :]}"
    given = step.input if isinstance(step.input, dict) else {}
    whole = given.get("command") or ""
    command = whole[:LONGEST_COMMAND] if isinstance(whole, str) else ""
    wrong, line = (safe(text) if text else "" for text in (error, command))
    if (wrong, line) == (error, whole):
        return step
    return replace(
        step,
        error=wrong,
        input={**given, "command": line} if command else step.input,
    )


def _masked(incident: Incident) -> Incident:
    texts = {name: getattr(incident, name) for name in _TEXTS}
    joined = "\n".join(texts.values())
    if _without_secrets(joined) == joined:
        return incident
    return replace(incident, **{name: _without_secrets(text) for name, text in texts.items()})


# Which commands serve which purpose here, how often each form passed and failed: counted, never told by one run.

_MOST = 12  # forms of one run
MOST_CALLS = 200  # of one shell line that are looked at; a longer one is a script
# A failure that no form of the grammar knows, told by the output's own summary.
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?\b)|^FAILED\b|^FAIL\b|^error(?:\[|:)|BUILD FAILED|Build failed|exit(?:ed with)? (?:code|status) [1-9]",
    re.M | re.I,
)


def _forms_used(run: Run, by_lane: Sequence[Lane]) -> Iterator[Incident]:
    """The forms of commands that a run used, by purpose, with how often they passed and failed."""
    found: dict[str, Incident] = {}
    for lane in by_lane:
        for one in lane.tries:
            for call in one.calls[:MOST_CALLS]:
                served = "" if call.fed else call.purpose
                said = call.form(run.cwd, one.folder) if served else None
                if said is None:
                    continue
                form, folder, single = said
                mark = short_hash(served, form, folder)  # the form itself stands beside it
                failed = one.failed and (
                    not one.soft or any(one.blamed(each) == call for each in one.found)
                )
                failed = failed or (call.piped and bool(_FAILED.search(one.step.output[-4000:])))
                known = found.get(mark) or Incident(
                    COMMAND,
                    mark,
                    "single" if single else "",
                    served,
                    program=form,
                    folder=folder,
                    count=0,
                    place=one.step.place,
                    at=one.step.at,
                )
                found[mark] = replace(
                    known, count=known.count + (not failed), failed=known.failed + failed
                )
    most = sorted(found.values(), key=lambda each: -(each.count + each.failed))[:_MOST]
    yield from sorted(most, key=lambda each: each.at)

"""Noticing: everything in a run that may matter once it is seen again, by rules, complete and silent.

Failures with what they cost and how they ended, commands by purpose, short sentences that the person typed, complaints. All of it is
counted in the store; what is told of it, and to whom, is another room's decision (`learn/tell`).
"""

from __future__ import annotations

from tacit.core.value import replace
from tacit.learn.notice.calls import lanes
from tacit.learn.notice.commands import commands
from tacit.learn.notice.failures import failures
from tacit.learn.notice.sentences import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.core.incident import Incident
    from tacit.core.run import Run

TEXTS = ("mark", "code", "name", "program", "folder", "line", "cure", "repair")


def notice(run: Run) -> tuple[Incident, ...]:
    """The incidents of a run, secrets masked before anything is counted."""
    by_lane = lanes(run)
    return tuple(_masked(each) for each in (*failures(run, by_lane), *commands(run, by_lane), *sentences(run)))


def _masked(incident: Incident) -> Incident:
    from tacit.core.redact import private, redact

    texts = {name: getattr(incident, name) for name in TEXTS}
    joined = "\n".join(texts.values())
    if redact(private(joined)).text == joined:
        return incident
    return replace(incident, **{name: redact(private(text)).text for name, text in texts.items()})

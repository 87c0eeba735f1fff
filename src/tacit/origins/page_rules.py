"""joelclaw's rules for what may stand on its page, without a model.

Likeness is judged on the whole text, and two texts of which one denies are never duplicates: the original compared the first
hundred characters, so that "… delete it at once" and "… NEVER delete it" were one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tacit.core.value import Section
from tacit.origins.night.triage_rules import (
    Suggested,
    Triaged,
    artifact_of,
    bare_line,
    is_promotable,
    likeness,
    longer_of_two,
)

# A program's name says what a line is about, also without backticks: as the first word, where
# "Docker" is English; and those of its program in any spelling there, anywhere as they are typed.
_NAMES = "bunx?|claude|codex|git|inngest|kubectl|node|npm|pi|pnpm|redis-cli|todoist-cli|typesense"
_COMMAND = re.compile(
    rf"(?:^(?i:{_NAMES})|(?<![\w./-])(?:{_NAMES})"
    r"|^(?:cargo|curl|docker|gh|gradle|joelclaw|mvn|npx|pip3?|poetry|pytest|python3?|terraform|uv|yarn))"
    r"\b(?![-./])"
)
_DATE = r"\(\d{4}-\d\d-\d\d\)\s*"
_DATED_LINE, _DATED_OPENING = re.compile(rf"^-\s*{_DATE}"), re.compile(rf"^(?:-\s*)?{_DATE}")


def page_line(
    suggested: Suggested, page_lines: Iterable[str], pending: Iterable[Suggested], settings: Section
) -> Triaged:
    """The rules in their order; the first that applies decides."""
    text = suggested.text.strip()
    told = artifact_of(text, settings)
    if told:
        return Triaged("reject", told)
    score = likeness_of_nearest(suggested.printed, page_lines, settings)
    if score:
        return Triaged(
            "reject", f"duplicate of existing MEMORY entry ({round(score * 100)}% similar)"
        )
    for other in pending:
        if other.id != suggested.id and likeness_of_nearest(
            suggested.printed, [other.printed], settings
        ):
            return longer_of_two(suggested, other)
    line = suggested.printed
    if is_promotable(line, suggested.section, settings, refers=_refers(line)):
        return Triaged("promote", "factual timestamped technical update in promotable section")
    return Triaged("review", "ambiguous or preference-driven proposal requires human review")


_DENIED = re.compile(r"\b(?:not|never|no|don't)\b")


def likeness_of_nearest(text: str, others: Iterable[str], settings: Section) -> float:
    """How alike a text is to the nearest of these, if that makes it a duplicate; 0 if it does not.

    A line of the page is compared without its date; where none is near then, both are: said again on another day it is the same.
    """
    lines = list(others)
    for opening in (_DATED_LINE, _DATED_OPENING):
        score = max((_alike(text, line, opening, settings) for line in lines), default=0.0)
        if score:
            return score
    return 0.0


def _alike(text: str, line: str, opening: re.Pattern[str], settings: Section) -> float:
    mine, theirs = (opening.sub("", " ".join(each.lower().split())) for each in (text, line))
    score = likeness(mine, theirs, settings.threshold)
    denied = len(_DENIED.findall(mine)) != len(_DENIED.findall(theirs))
    return score if score >= settings.threshold and not denied else 0.0


def _refers(text: str) -> bool:
    """Whether a line names a command: that makes it checkable, as its document asks."""
    return bool(_COMMAND.search(bare_line(text)))


# What `hookspecs` finds here by name.
POLICIES: Mapping[str, Any] = {"page_line": page_line}

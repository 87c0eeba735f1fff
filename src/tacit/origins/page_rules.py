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

# A program as the first word says what the line is about, also without backticks; "Node" is English.
_COMMAND_FIRST = re.compile(
    r"(?:bunx?|cargo|claude|codex|curl|docker|gh|git|gradle|inngest|joelclaw|kubectl|mvn|node|npm|npx"
    r"|pip3?|pi|pnpm|poetry|pytest|python3?|redis-cli|terraform|todoist-cli|typesense|uv|yarn)\b"
    r"(?![-./])"
)
_DATED_OPENING = re.compile(r"^(?:-\s*)?\(\d{4}-\d\d-\d\d\)\s*")


def page_line(
    suggested: Suggested, page_lines: Iterable[str], pending: Iterable[Suggested], settings: Section
) -> Triaged:
    """The rules in their order; the first that applies decides."""
    text = suggested.text.strip()
    told = artifact_of(text, settings)
    if told:
        return Triaged("reject", told)
    for line in page_lines:
        score = duplicate(suggested.printed, line, settings)
        if score:
            return Triaged(
                "reject", f"duplicate of existing MEMORY entry ({round(score * 100)}% similar)"
            )
    for other in pending:
        if other.id != suggested.id and duplicate(suggested.printed, other.printed, settings):
            return longer_of_two(suggested, other)
    line = suggested.printed
    if is_promotable(line, suggested.section, settings, refers=_refers(line)):
        return Triaged("promote", "factual timestamped technical update in promotable section")
    return Triaged("review", "ambiguous or preference-driven proposal requires human review")


_DENIED = re.compile(r"\b(?:not|never|no|don't)\b")


def duplicate(text: str, other: str, settings: Section) -> float:
    """How alike two texts are if that makes one a duplicate of the other; 0 if it does not."""
    mine, theirs = _compared(text), _compared(other)
    score = likeness(mine, theirs, settings.threshold)
    denied = len(_DENIED.findall(mine)) != len(_DENIED.findall(theirs))
    return score if score >= settings.threshold and not denied else 0.0


def _compared(text: str) -> str:
    """A text without the bullet and date it opens with: said again on another day it is the same."""
    return _DATED_OPENING.sub("", " ".join(text.lower().split()))


def _refers(text: str) -> bool:
    """Whether a line begins with a command: that makes it checkable, as its document asks."""
    return bool(_COMMAND_FIRST.match(bare_line(text)))


# What `hookspecs` finds here by name.
POLICIES: Mapping[str, Any] = {"page_line": page_line}

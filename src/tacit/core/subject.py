"""What a lesson is about, as it stands in its row.

Empty: nobody said, and its words decide. `*`: a way of working, about everything. Otherwise items between semicolons: first the topic in a
few plain words, shared by all lessons that were settled together about it; then literal names that stand in its record: functions, classes,
commands, options, marks of an error. A topic may be unknown where names are: `; pytest; --cov`. Its files stand in `paths`, the
error's mark in `signature`.
"""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.memory import WAY as WAY
from tacit.core.memory import names_of as names_of
from tacit.core.memory import topic_of as topic_of

NAMES, CHARS = 12, 80  # names that are kept of one subject, and characters of each; of a topic, too


def joined(topic: str, names: Iterable[str]) -> str:
    """A subject as it is kept: one line, each name once, none that is too long to be one."""
    if topic.strip() == WAY:
        return WAY
    fit = dict.fromkeys(
        " ".join(each.split()) for name in names for each in name.split(";") if 0 < len(each.strip()) <= CHARS
    )
    kept = [" ".join(topic.replace(";", ",").split())[:CHARS].rstrip(" ,"), *list(fit)[:NAMES]]
    return "; ".join(kept).strip() if any(kept) else ""


def kept_subject(about: str) -> str:
    """What somebody wrote, as it is kept."""
    topic, _, names = about.partition(";")
    return joined(topic, names.split(";"))

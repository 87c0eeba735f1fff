"""ArcheFlow: event logs of orchestration runs, and the lessons, archive and audit trail it keeps about them.

Event log, `.archeflow/events/<run>.jsonl`, one event a line:

    {"ts": …, "run_id": "r1", "seq": 2, "type": "review.verdict", "agent": "guardian",
     "data": {"archetype": "guardian", "findings": [{"severity": "warning", "category": "security", "description": …}]}}

What a run says outright are the findings of its review verdicts; an archetype's shadow is a hint for that archetype, a
broken loop something that was tried and failed. Fixes are kept beside, for the question whether one of them came undone.

Memory, `.archeflow/memory/`: `lessons.jsonl`, `archive.jsonl`, `audit.jsonl`. A lesson's record is kept whole in
`Lesson.extra`; on the way out only the fields that changed since are written anew, so that what nobody touched leaves
field for field as it came, in its own order.
"""

from __future__ import annotations

from tacit.origins.archeflow.reading import (
    INDEX,
    NAME,
    PARTS,
    WRITES_IN,
    detect,
    holds,
    memories,
    previous,
    read,
)
from tacit.origins.archeflow.writing import dump, lesson_of, name_for

__all__ = [
    "INDEX",
    "NAME",
    "PARTS",
    "WRITES_IN",
    "detect",
    "dump",
    "holds",
    "lesson_of",
    "memories",
    "name_for",
    "previous",
    "read",
]

"""geas: task folders of governed missions, and the memories it keeps about them, in all the shapes it had.

A run is a task folder, `.geas/missions/<mission>/tasks/<task>/`: contract, self-check, reviews, failure records, gate
result, integration result, closure, retrospective, or one `record.json` that holds them as sections. What a task says
outright are its retrospective's `memory_candidates` and its reviewers' `memory_suggestions`. What only says something by
coming up again (a failure class, a concern, a recovery, a recipe, a conflict, a doubtful self-check) is noted in
`Run.extra["incidents"]`; `tasks.INCIDENTS` names the fields that are read, since geas's own schemas lack some of them.

Memories came in four shapes, and each is read and written:

    1  candidates/, entries/: one JSON document a memory, with reviews, application logs, packets, an index and events
    2  rules.md and agents/<agent>.md: a line a memory, drafts marked [DRAFT]
    3  shared.md and agents/<agent>.md, with the change log memory-update.json
    4  common.yaml and roles/<role>.yaml: items of guideline, applies_when, source_refs

A document is kept whole in `Memory.extra`; on the way out only what changed since is written anew. A memory id names a
file only if it is a plain name: geas wrote `../../escape` where it said.
"""

from __future__ import annotations

from tacit.origins.geas.documents import EFFECTS, TYPES, document_faults
from tacit.origins.geas.exchange import (
    FILES,
    LASTING_IDS,
    document_of,
    dump,
    file_name,
    files,
    index_of,
    log_of,
    moves,
    name_for,
    packet_of,
)
from tacit.origins.geas.reading import PARTS, PLAIN_NAME, holds, memories
from tacit.origins.geas.tasks import INCIDENTS, NAME, WRITES_IN, detect, read

__all__ = [
    "EFFECTS",
    "FILES",
    "INCIDENTS",
    "LASTING_IDS",
    "NAME",
    "PARTS",
    "PLAIN_NAME",
    "TYPES",
    "WRITES_IN",
    "detect",
    "document_faults",
    "document_of",
    "dump",
    "file_name",
    "files",
    "holds",
    "index_of",
    "log_of",
    "memories",
    "moves",
    "name_for",
    "packet_of",
    "read",
]

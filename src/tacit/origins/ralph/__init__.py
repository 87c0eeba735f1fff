"""Ralph, AIWG's external loop: its loop state and iterations, its learnings and their staging area.

A loop, `.aiwg/ralph-external/state.json`, holds its iterations, or they stand beside it as `iterations/iteration-001.json`:

    {"loopId": "ralph-001", "objective": "Fix failing tests", "status": "completed", "currentIteration": 3,
     "iterations": [{"number": 1, "status": "completed", "duration": 42000, "analysis": {"progressMade": true},
                     "learnings": ["Write tests first"], "filesModified": ["src/a.ts"]}]}

What follows from the iterations is derived by `iterations`; the format puts them down in `Run.extra`.

Knowledge, `.aiwg/knowledge/`: `ralph-learnings.json` with a checksum over its learnings, `.bak` beside it, `staging.json`.
A file that does not verify is taken from its good backup, with a warning; neither is ever written to. Without a good copy
nothing is taken. A learning's record is kept whole in `Memory.extra`, and leaves as it came where nothing changed.
"""

from __future__ import annotations

from tacit.origins.ralph.reading import (
    LASTING_IDS,
    NAME,
    ON_REQUEST,
    PARTS,
    WRITES_IN,
    detect,
    holds,
    memories,
    read,
    sound,
)
from tacit.origins.ralph.their_json import checksum, js_json
from tacit.origins.ralph.writing import dump, learning_of, name_for, staged_of

__all__ = [
    "LASTING_IDS",
    "NAME",
    "ON_REQUEST",
    "PARTS",
    "WRITES_IN",
    "checksum",
    "detect",
    "dump",
    "holds",
    "js_json",
    "learning_of",
    "memories",
    "name_for",
    "read",
    "sound",
    "staged_of",
]

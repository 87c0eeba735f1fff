"""What the gates read of a text: marks of noise, of a guess, and of something that can be checked.

Only words live here; what follows from them is decided in `gate`. Patterns read text in lower case with straight apostrophes.
"""

from __future__ import annotations

import re

from tacit.core.tables import Tables

_tables = Tables(__file__)
HEDGED = _tables.pattern("HEDGED")
NARRATION = _tables.pattern("NARRATION")
TRACE = _tables.pattern("TRACE", re.I | re.M)
DUMP = _tables.pattern("DUMP")
SHELL_SIGNS = _tables.pattern("SHELL_SIGNS")
PROSE = _tables.pattern("PROSE", re.I)
INSTRUCTION_EDIT = _tables.pattern("INSTRUCTION_EDIT", re.I)
RECURRING = _tables.pattern("RECURRING", re.I)
ADR = _tables.pattern("ADR", re.I)
COMMAND_IN_TEXT = _tables.pattern("COMMAND")
SETTING_NAME = _tables.pattern("SETTING")
LESSON_SHAPE = _tables.pattern("LESSON_SHAPE", re.I)
PATH_IN_TEXT = _tables.pattern("PATH")

"""How people say that something should stay so: the words of wishes, corrections, hedges and narration, in English,
German, Spanish and French.

Only words live here; what follows from them is decided in `wishes` and `gate`. Patterns read text in lower case with
straight apostrophes.

The hard part of "always" and "never" is that they also describe ("it always fails", "der Test schlägt immer fehl", "ça
ne marche toujours pas"). A wish therefore needs a form of asking: an imperative, "you" or "we" with a verb of practice,
"must". Verbs of practice are what a developer does by habit; a sentence about a bug uses others.
"""

from __future__ import annotations

import re

from tacit.core.tables import Tables

_tables = Tables(__file__)
TASK_BOUND = _tables.pattern("TASK_BOUND")
POINTING = _tables.pattern("POINTING")
DESCRIBING = _tables.pattern("DESCRIBING")
REQUIREMENT = _tables.pattern("REQUIREMENT")
TASK_OPENING = _tables.pattern("TASK_OPENING")
REPORTED = _tables.pattern("REPORTED")
HYPOTHETICAL = _tables.pattern("HYPOTHETICAL")
CONDITIONAL = _tables.pattern("CONDITIONAL")
QUESTION = _tables.pattern("QUESTION")
NOT_A_QUESTION = _tables.pattern("NOT_A_QUESTION")
POLITE = _tables.pattern("POLITE")
FOR_GOOD = _tables.pattern("FOR_GOOD")
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
STANDING = _tables.patterns("STANDING")
CONVENTION = _tables.patterns("CONVENTION")
CORRECTION = _tables.patterns("CORRECTION")
SWAP = _tables.pattern("SWAP")
NEGATED = _tables.pattern("NEGATED")
CHOOSING = _tables.pattern("CHOOSING")
FORGETTING = _tables.pattern("FORGOTTEN")
TOLD_BEFORE = _tables.pattern("TOLD_BEFORE")
TOLD_ELSEWHERE = _tables.pattern("TOLD_ELSEWHERE")
LEADING_WORDS = _tables.pattern("LEAD")
REFUSING = _tables.pattern("REFUSING", re.I)
REFUSAL = _tables.pattern("REFUSAL", re.I)
TAIL = _tables.pattern("TAIL", re.I)
TOOLS = _tables.words("TOOLS")
PLACES = _tables.words("PLACES")
NOUNS = _tables.pattern("NOUNS")
HABITS = _tables.pattern("HABITS")
CONDUCT = _tables.pattern("CONDUCT")
PATH_IN_TEXT = _tables.pattern("PATH")
NAMED = _tables.pattern("NAMED")

"""An incident is one thing noticed in a run, counted and kept whether or not anybody is ever told.

One row per run and signature. *failure*: a command that failed, hard or behind a pipe, how often, what it cost and how it ended.
*command*: a form of a command that serves a purpose, how often it passed and failed. *sentence*: a short sentence that the person typed.
*complaint*: the person's word that a check fails after the agent had gone on. Nothing here is given to an agent by itself.
Old failures and commands become counts, old sentences and complaints go: nobody asks for what was typed a thousand runs ago.
"""

from __future__ import annotations

from tacit.core.value import value

FAILURE, COMMAND, SENTENCE, COMPLAINT = "failure", "command", "sentence", "complaint"
_KINDS = (FAILURE, COMMAND, SENTENCE, COMPLAINT)
# before a kind: what became of incidents that telling no longer looks at, one row per signature and project
PAST = "past "
# How a failure ended: the file that the error names was edited, another one was, a command was run between, the command took another
# form, it was simply tried again; or it never passed.
ENDS = ("edit", "other edit", "command", "form", "retry", "never")


@value
class Incident:
    """One thing noticed in one run."""

    kind: str  # one of KINDS
    mark: str  # the signature; for a command its purpose and form, for a sentence a hash of its words
    family: str = ""
    nature: str = ""  # of a failure, as `words/diagnose.py` says; of a command its purpose
    code: str = ""
    name: str = ""
    tool: str = ""
    program: str = ""  # the segment of the line that failed, or the form of a command; of a sentence its text
    folder: str = ""  # below the project's root; empty: the root itself
    line: str = ""  # the telling line, masked
    count: int = 1  # how often in this run; of a command: how often it passed
    failed: int = 0  # of a command: how often it failed
    soft: bool = False  # seen by its output alone: the exit status said nothing
    calls: int = 0  # until the same thing passed
    seconds: int = 0
    ended: str = ""  # one of ENDS
    cure: str = ""  # what stood between, in a form that two runs share
    repair: str = ""  # code that edits of the named file brought in, separated by spaces
    place: str = ""
    at: str = ""

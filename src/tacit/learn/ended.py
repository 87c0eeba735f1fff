"""How a session ended where its host does not say: by its last tests, its commit, or its person's last words.

Told from what was run and typed, never from what the agent says of itself. The last event that tells stands: tests that pass after
tests that fail, a person's "still broken" after a commit. Nothing told is no failure.
"""

from __future__ import annotations

import re

from tacit.core.run import Run, Step
from tacit.learn import shell
from tacit.learn.notice.purposes import purpose
from tacit.learn.reader.render import failing_output

SUCCESS, FAILURE = "success", "failure"
TESTS = ("test", "check")
LONGEST_WORD = 300  # characters of a last word; a longer message is the next task
_PLEASED = re.compile(
    r"^\W*(?:thanks?|thank you|thx|perfect|great|nice|lgtm|looks good|good job|well done|awesome|excellent|brilliant|(?:it|that|this) works|works)\b",
    re.I,
)
_NOT_PLEASED = re.compile(
    r"\b(?:still|again) (?:\w+ )?(?:fail(?:s|ing)?|broken|wrong|red|not)\b|\b(?:does ?n[o']t|is ?n[o']t|not) (?:work(?:ing)?|right|fixed|what i)\b"
    r"|\b(?:that'?s|this is|it'?s) (?:wrong|broken|not)\b|\byou broke\b|\b(?:undo|revert) (?:that|this|it|your)\b",
    re.I,
)


def ended(run: Run) -> str:
    """Success, failure, or nothing where nothing tells."""
    found = ""
    acted = False
    for step in run.steps:
        if step.role == "tool":
            acted = True
            found = _by_call(step) or found
        elif acted and step.typed and step.text and len(step.text) <= LONGEST_WORD:
            found = _by_word(step.text) or found
    return found


def _by_word(text: str) -> str:
    if _NOT_PLEASED.search(text):
        return FAILURE
    return SUCCESS if _PLEASED.search(text) else ""


def _by_call(step: Step) -> str:
    line = "" if step.interrupted else shell.command_of(step)
    if not line:
        return ""
    calls = shell.calls(line)
    if any(shell.proper(call)[:2] == ["git", "commit"] for call in calls) and not step.error:
        return SUCCESS
    if any(purpose(call) in TESTS for call in calls):
        return FAILURE if failing_output(step) else SUCCESS
    return ""

"""What the person typed, kept for what comes again: short sentences, and the word that a check fails.

Nothing is judged by cue words here. A sentence says something by coming again in another session and in other words, which only the
store can see; a complaint says something because the agent had gone on before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.digest import short_hash
from tacit.core.run import COMPLAINT, SENTENCE, Incident, Run
from tacit.core.tables import Tables
from tacit.learn.notice.failures import EDIT_TOOLS, LOOKS_FOR

_tables = Tables(__file__)

FEWEST_SENTENCE_WORDS, MANY = 2, 16  # words of a sentence that may be a standing request
_MOST = 40  # sentences of one run
LONGEST_MESSAGE = 1500  # characters of a message: a longer one is a brief or a paste
_SHOWN = 120
AFTER = "after"  # files had been edited when it was typed

_SENTENCE_CUT = re.compile(r"(?<=[.!?])\s+|\n+|;\s+|,?\s+(?:and then|then)\s+")
_PASTED = _tables.pattern("_PASTED")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_CHECK_NAMES = {
    "lint": r"lint(?:er|ing)?|golangci|eslint|biome",
    "test": r"tests?|test:\w+|specs?",
    "e2e": r"e2e",
    "ci": r"ci|checks?|pipeline|workflow|github actions?",
    "build": r"build|compil\w+",
    "format": r"fmt|format(?:ting|ter)?",
    "typecheck": r"type-?check|types?",
}
_FAILS = r"(?:fail(?:s|ed|ing)?|broken|broke|breaks|red|not passing|doesn't pass|don't pass)"
# The check first, then that it fails: "failing checks" alone is what somebody asks to be looked after.
_COMPLAINTS = {
    check: re.compile(rf"\b(?:{names})\b[^.?!\n]{{0,40}}?\b{_FAILS}\b", re.I)
    for check, names in _CHECK_NAMES.items()
}
_NOT_A_COMPLAINT = _tables.pattern("_NOT_A_COMPLAINT", re.I)


def sentences(run: Run) -> Iterator[Incident]:
    """Short sentences that the person typed, each once, and complaints that a check fails, once per check."""
    found: dict[str, Incident] = {}
    acted = edited = False
    for step in run.steps:
        if step.tool and step.role == "tool" and not step.interrupted:
            acted, edited = (
                True,
                edited
                or bool(
                    EDIT_TOOLS.search(step.tool) or (step.files and not LOOKS_FOR.match(step.tool))
                ),
            )
        if not step.typed or not step.text or len(step.text) > LONGEST_MESSAGE:
            continue
        for sentence in filter(None, map(str.strip, _SENTENCE_CUT.split(step.text))):
            words = words_of(sentence)
            if (
                FEWEST_SENTENCE_WORDS <= len(words) <= MANY
                and not _PASTED.search(sentence)
                and len(found) < _MOST
            ):
                # the words stand in the sentence itself; twice more they would be half of the row
                mark = short_hash(*words)
                when = AFTER if edited else ""
                found.setdefault(
                    mark,
                    Incident(
                        SENTENCE,
                        mark,
                        when,
                        program=sentence[:_SHOWN],
                        place=step.place,
                        at=step.at,
                    ),
                )
            if acted and not _NOT_A_COMPLAINT.search(sentence):
                for check in _complained(sentence):
                    one = Incident(
                        COMPLAINT,
                        f"{check} fails",
                        code=check,
                        program=sentence[:_SHOWN],
                        place=step.place,
                        at=step.at,
                    )
                    found.setdefault(f"!{check}", one)
    yield from found.values()


def words_of(sentence: str) -> list[str]:
    """The words of a sentence, as two sayings are compared."""
    return [word.lower() for word in _WORD.findall(sentence)]


def _complained(sentence: str) -> list[str]:
    found = [check for check, pattern in _COMPLAINTS.items() if pattern.search(sentence)]
    # "the e2e tests fail"
    return [check for check in found if check != "test" or not {"e2e", "ci"}.intersection(found)]

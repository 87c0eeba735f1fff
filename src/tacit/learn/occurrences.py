"""Where in a run a lesson's problem struck, and what it cost: told from the raw steps alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from tacit.core.links import UNKNOWN
from tacit.core.programs import ABOUT
from tacit.core.run import Run, Step
from tacit.lesson import Lesson, names_of, shared_path
from tacit.reading.command import SUBCOMMANDS, commands, line_of, main_command
from tacit.reading.page import PERSON, at_home, failing_output, is_hidden, spoken
from tacit.trial.outcome import Sighting
from tacit.words.diagnose import LONGEST_OUTPUT, diagnose, signatures

# How a session ended where its host does not say: by its last tests, its commit, or its person's
# last words.
#
# Told from what was run and typed, never from what the agent says of itself. The last event that
# tells stands: tests that pass after tests that fail, a person's "still broken" after a commit.
# Nothing told is no failure.

ENDED_WELL, FAILURE = "success", "failure"
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
    return ENDED_WELL if _PLEASED.search(text) else ""


def _by_call(step: Step) -> str:
    line = "" if step.interrupted else line_of(step)
    if not line:
        return ""
    calls = commands(line)
    if any(call.proper[:2] == ["git", "commit"] for call in calls) and not step.error:
        return ENDED_WELL
    if any(call.purpose in TESTS for call in calls):
        return FAILURE if failing_output(step) else ENDED_WELL
    return ""


CALLS_CAP = 8  # calls after which it no longer matters how many more it took


def occurrences(run: Run, *marks: str, words: str = "") -> tuple[Sighting, ...]:
    """Every step of the run that failed with one of these signatures or printed these words when
    it failed, in order; losses on the way to one recovery add up."""
    found: list[Sighting] = []

    def struck(step: Step) -> bool:
        return not set(marks).isdisjoint(failed_with(step, run.cwd)) or (
            bool(words) and _prints(step, words, run.cwd)
        )

    for lane_of in dict.fromkeys((step.agent, step.context) for step in run.steps):
        lane = [
            step
            for step in run.steps
            if (step.agent, step.context) == lane_of and step.role == "tool"
        ]
        failed = [at for at in range(len(lane)) if struck(lane[at])]
        until: int | None = 0  # where the failure that is open is overcome; None: never
        for n, at in enumerate(failed):
            if until is not None and at >= until:
                until = _overcome(
                    lane,
                    at,
                    struck,
                    (run.outcome if run.outcome != UNKNOWN else ended(run)) == "success",
                )
            following = failed[n + 1] if n + 1 < len(failed) else None
            if following is not None and (until is None or following < until):
                loss = (following - at) / CALLS_CAP  # it comes again before it was overcome
            else:
                loss = 1.0 if until is None else (until - at) / CALLS_CAP
            found.append(Sighting("tool", "", lane[at].at, min(1.0, loss), lane[at].place))
    return tuple(found)


def failed_with(step: Step, folder: str) -> tuple[str, ...]:
    """The signatures of a step that failed, by its status or, where that is hidden, by what it
    printed."""
    if step.interrupted:
        return ()
    if step.error:
        return _signatures(step.error, folder)
    if is_hidden(
        step
    ):  # nobody sees how it ended, in either arm; what it printed is read like an error
        return _signatures(step.output[-LONGEST_OUTPUT:], folder)
    return _coded(step.output, folder) if step.output and line_of(step) else ()


@lru_cache(maxsize=512)  # every lesson of a unit asks about every step
def _signatures(error: str, folder: str) -> tuple[str, ...]:
    return tuple(signatures(error, folder))


@lru_cache(maxsize=512)
def _coded(output: str, folder: str) -> tuple[str, ...]:
    coded = (each.mark for each in diagnose(output, folder) if each.coded)
    return tuple(dict.fromkeys(filter(None, coded)))


def said_again(run: Run, words: str) -> tuple[Sighting, ...]:
    """Every line of the person that holds these words."""
    return tuple(
        Sighting("user", "", step.at, place=step.place)
        for step in run.steps
        if step.typed
        and any(
            letter in PERSON and words in at_home(text, run.cwd) for letter, text in spoken(step)
        )
    )


def _prints(step: Step, words: str, folder: str) -> bool:
    """Whether a call printed these words when it failed. Most outputs are told apart by single
    words, without looking how they ended."""
    raw = step.error or step.output or ""
    return all(word in raw for word in words.split()) and words in at_home(
        failing_output(step), folder
    )


def _overcome(
    lane: Sequence[Step], failed: int, struck: Callable[[Step], bool], succeeded: bool
) -> int | None:
    """The position of the first later step in which the same thing passed; else, where the lane
    goes on without the failure, of the first step that passed at all."""
    subject, after = _subject(lane[failed]), range(failed + 1, len(lane))
    passed = [at for at in after if not lane[at].error and not struck(lane[at])]
    again = next((at for at in passed if _subject(lane[at]) == subject), None)
    if again is not None:
        return again
    goes_on = len(after) >= CALLS_CAP or succeeded
    gone = not any(struck(step) for step in lane[failed + 1 : failed + 1 + CALLS_CAP])
    return passed[0] if passed and goes_on and gone else None


def _subject(step: Step) -> tuple[str, ...]:
    line = line_of(step)
    call = main_command(line) if line else None
    return call.key if call is not None else (step.tool, *step.files[:1])


def came_to(run: Run, memory: Lesson) -> bool | None:
    """Whether the run called a command or touched a file that a lesson names, what it warns of
    and what it advises alike: who does the work another way does it. None where the lesson is
    not known to be about a command or a file."""
    known = (memory.extra or {}).get(ABOUT) or ()
    own = [
        *known,
        *(name for name in names_of(memory.about) if name.partition(" ")[0] in SUBCOMMANDS),
    ]
    if not own and not memory.paths:
        return None
    if (
        memory.paths
        and shared_path(memory.paths, [path for step in run.steps for path in step.files]) == 1.0
    ):
        return True
    named = {key for text in (*own, *memory.text.split("`")[1::2]) for key in _keys(text)}
    called = {key for line in map(line_of, run.steps) if line for key in _keys(line)}
    return any(key[:length] in named for key in called for length in range(1, 1 + len(key)))


@lru_cache(maxsize=2048)
def _keys(line: str) -> tuple[tuple[str, ...], ...]:
    return tuple(call.key for call in commands(line))

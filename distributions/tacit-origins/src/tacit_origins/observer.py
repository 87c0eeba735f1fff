"""joelclaw's observer: a transcript on its way to the model, and the model's answer read.

Before, the transcript loses its tool calls and the shell commands of the agent; the user's words stay as they are. After, the answer is
read: XML segments of a narrative and facts, or plain lines with a priority mark. Each fact carries an annotation that the gate reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.value import value
from tacit.learn.observe import FENCE, TRACE_LINE, is_command, said_lines, sanitize_text  # noqa: F401

PRIORITIES = "🔴🟡🟢"  # corrections and constraints, recurring patterns, minor things
_SPEAKER = re.compile(r"^\s*(user|human|assistant|agent|system|tool)\s*:\s?", re.I)
_HEARD = ("user", "human", "system")  # whose command lines stay: a person may well speak of a command


def sanitize_transcript(transcript: str) -> str:
    """A transcript without tool traces and without the agent's shell commands; what the user says stays."""
    kept: list[str] = []
    opened = -1  # where the fence that is open stands among them; -1 where none is
    for line in said_lines(transcript):
        speaker = _SPEAKER.match(line)
        said = line[speaker.end() :] if speaker else line
        heard = bool(speaker) and speaker[1].lower() in _HEARD if speaker else False
        if not said.strip() or (not heard and (TRACE_LINE.search(said) or is_command(said))):
            continue
        if not FENCE.match(said):
            kept.append(line)
        elif opened < 0:
            opened = len(kept)
            kept.append(line)
        elif opened == len(kept) - 1:
            kept.pop()  # where the command goes, its fence goes
            opened = -1
        else:
            kept.append(line)
            opened = -1
    return "\n".join(kept)


# --- the observer's answer --------------------------------------------------------------------------------------------


@value
class Segment:
    """A stretch of a session: what happened, and the facts that came of it."""

    narrative: str
    facts: tuple[str, ...]


@value
class _Answer:
    """What the observing model said."""

    observations: str
    segments: tuple[Segment, ...] = ()
    current_task: str | None = None
    suggested_response: str | None = None
    parsed: bool = False  # neither tags nor priority marks were found: a note, not an answer


def parse_observer(raw: str) -> _Answer:
    """The answer in parts; text without tags or priority marks comes back unparsed."""
    text = raw.strip()
    if not text:
        return _Answer("")
    inner = _between(text, "observations")
    if inner is None:
        marked = any(line.lstrip(" -*•\t")[:1] in PRIORITIES for line in text.splitlines() if line.strip(" -*•\t"))
        return _Answer(text, (), _between(text, "current-task"), _between(text, "suggested-response"), marked)
    segments = tuple(
        Segment(_between(part, "narrative") or "", tuple(_facts(_between(part, "facts") or "")))
        for part in _all_between(inner, "segment")
    )
    return _Answer(inner, segments, _between(text, "current-task"), _between(text, "suggested-response"), True)


def _between(text: str, tag: str) -> str | None:
    return next(_all_between(text, tag), None)


def _all_between(text: str, tag: str) -> Iterator[str]:
    """What stands between each pair of tags; found by plain search, so that no input makes it slow."""
    low = text.lower()
    at = 0
    while (start := low.find(f"<{tag}>", at)) >= 0:
        start += len(tag) + 2
        end = low.find(f"</{tag}>", start)
        if end < 0:
            return
        yield text[start:end].strip()
        at = end


def _facts(text: str) -> Iterator[str]:
    for line in text.splitlines():
        fact = re.sub(r"^\s*[-*+•]\s+", "", line).strip()
        if fact:
            yield fact

"""joelclaw's observer: a transcript on its way to the model, and the model's answer read.

Before, the transcript loses its tool calls and the shell commands of the agent; the user's words stay as they are. After, the answer is
read: XML segments of a narrative and facts, or plain lines with a priority mark. Each fact carries an annotation that the gate reads.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.learn.gate import GateRules
from tacit.origins import noise

_TRACE_TAG = re.compile(
    r"<(/?)(tool_?call|tool_?use|tool_?result|function_?calls?|invoke|parameter|arguments)\b[^<>]*>",
    re.I,
)
_ENCODED = re.compile(
    r"&lt;/?\s*(?:tool_?call|tool_?use|tool_?result|function_?calls?|invoke|arguments)\b", re.I
)
_TOOL_ID = re.compile(r"(?:<|&lt;)id(?:>|&gt;)\s*toolu_\w+\s*(?:<|&lt;)/id(?:>|&gt;)", re.I)
_FENCE = re.compile(r"^(?:`{3,}|~{3,})[^`]*$")
_LIST_ITEM = re.compile(r"^(?:[-*+•]|\d{1,3}[.)])\s+")
_TRACE_LINE = re.compile(r"\btoolu_\w+|\b(?:bash|zsh|sh) -lc\b")
_PROMPT = re.compile(r"^[$#%]\s+(?=\S)")
_LABEL = re.compile(
    r"(?:(?:the|these|following|all|shell|bash|terminal|console|commands?|steps?|run|ran|executed|used|tried|typed|output|session|log)\b\s*){1,5}",
    re.I,
)


# --- the sanitiser ----------------------------------------------------------------------------------------------------


def sanitize_text(text: str) -> str | None:
    """One observation without tool traces; None where nothing but traces or shell commands is left."""
    lines = [line for line in said_lines(text) if not _TRACE_LINE.search(line)]
    said = [line for line in lines if not _FENCE.match(line)]
    if all(
        is_command(_LIST_ITEM.sub("", line)) or _labels(said, at) for at, line in enumerate(said)
    ):
        return None
    return "\n".join(lines)


def _labels(lines: list[str], at: int) -> bool:
    """Whether a line only names the commands that follow it: "Commands run:", also without the colon. A plain line may be a fact."""
    if at + 1 == len(lines) or not is_command(_LIST_ITEM.sub("", lines[at + 1])):
        return False
    return lines[at].endswith(":") or bool(_LABEL.fullmatch(lines[at].lstrip("#*- ").rstrip("* ")))


def is_command(line: str) -> bool:
    """Whether a line is a shell command and nothing more: a program's name, and signs of a shell or three words at most."""
    said = line.strip()
    prompted = _PROMPT.match(said)
    if prompted and said.startswith("$"):
        return True
    if not noise.DUMP.match(said) or noise.PROSE.search(said):
        return False
    if noise.SHELL_SIGNS.search(said):
        return True
    return len(said.split()) <= 3 + bool(prompted) and not said.endswith((".", "!", "?"))


def said_lines(text: str) -> Iterator[str]:
    """The lines of a text without its tool calls, trimmed, empty ones left out."""
    text = _TOOL_ID.sub(" ", text)  # an id alone says nothing; the fact behind it stays
    if _ENCODED.search(text):
        text = html.unescape(text)
    for line in _without_calls(text).splitlines():
        if line.strip():
            yield line.strip()


def _without_calls(text: str) -> str:
    """A text with a blank in place of each tool call, from its opening tag to its closing one; a lone tag goes alone.

    One pass from the end finds where each opening tag is closed: a thousand unclosed ones cost no more than one.
    """
    tags = list(_TRACE_TAG.finditer(text))
    closes: dict[str, int] = {}
    ends = [0] * len(tags)
    for number in range(len(tags) - 1, -1, -1):
        name = tags[number][2].lower()
        if tags[number][1]:
            closes[name] = tags[number].end()
        ends[number] = closes.get(name, 0) if not tags[number][1] else 0
    kept, at = [], 0
    for tag, end in zip(tags, ends):
        if tag.start() >= at:
            kept.append(text[at : tag.start()])
            at = max(end, tag.end())
    return " ".join((*kept, text[at:]))


def cleaned(finding: Finding) -> Finding:
    """An observation without ids and commands; one with a tool call in it stays as it is, for the gate to discard.

    Where nothing is left it stays too if the gate knows it as noise, which is then the reason; else its text is
    empty, which no gate lets in.
    """
    if "observation_type" not in (finding.extra or {}):
        return finding
    if _TRACE_TAG.search(finding.text) or _ENCODED.search(finding.text):
        return finding
    left = sanitize_text(finding.text)
    if left is None and noise.noise_in(finding.text, finding.tier, GateRules(min_chars=0)):
        return finding
    return replace(finding, text=left or "")


# --- a transcript --------

PRIORITIES = "🔴🟡🟢"  # corrections and constraints, recurring patterns, minor things
_SPEAKER = re.compile(r"^\s*(user|human|assistant|agent|system|tool)\s*:\s?", re.I)
_HEARD = (
    "user",
    "human",
    "system",
)  # whose command lines stay: a person may well speak of a command


def sanitize_transcript(transcript: str) -> str:
    """A transcript without tool traces and without the agent's shell commands; what the user says stays."""
    kept: list[str] = []
    opened = -1  # where the fence that is open stands among them; -1 where none is
    for line in said_lines(transcript):
        speaker = _SPEAKER.match(line)
        said = line[speaker.end() :] if speaker else line
        heard = bool(speaker) and speaker[1].lower() in _HEARD if speaker else False
        if not said.strip() or (not heard and (_TRACE_LINE.search(said) or is_command(said))):
            continue
        if not _FENCE.match(said):
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
        marked = any(
            line.lstrip(" -*•\t")[:1] in PRIORITIES
            for line in text.splitlines()
            if line.strip(" -*•\t")
        )
        return _Answer(
            text, (), _between(text, "current-task"), _between(text, "suggested-response"), marked
        )
    segments = tuple(
        Segment(_between(part, "narrative") or "", tuple(facts_in(_between(part, "facts") or "")))
        for part in all_between(inner, "segment")
    )
    return _Answer(
        inner, segments, _between(text, "current-task"), _between(text, "suggested-response"), True
    )


def _between(text: str, tag: str) -> str | None:
    return next(all_between(text, tag), None)


def all_between(text: str, tag: str) -> Iterator[str]:
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


def facts_in(text: str) -> Iterator[str]:
    for line in text.splitlines():
        fact = re.sub(r"^\s*[-*+•]\s+", "", line).strip()
        if fact:
            yield fact

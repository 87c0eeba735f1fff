"""Tacit must never learn its own echo: what it put into a run is taken out before anything is read
from it.

Two ways, because each misses something. Rendered notes stand between nonce fences, `<tacit-notes
NONCE>` (once `id="NONCE"`) to the closing tag of the same nonce, and an unclosed fence (a host cut
the text) runs to its end. Origin renderings have no fence, hosts reformat, agents copy: so every
line that says, in plain spelling, what a given lesson says goes too. Reviewers' findings stay. A
reviewer who was told a lesson and reports the problem again reports the problem; an agent that
hands a lesson back in the same words reports nothing.

`cited` asks the opposite of the same run: which of the lessons given to it did the agent take up in
its own words?
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import normalize

from tacit.core.page import split_id
from tacit.core.ports import TACIT_ASKS
from tacit.core.run import Finding, Run, Step
from tacit.core.value import replace

_MARK = "tacit-notes"
PHRASE = 5  # words in a row that nobody says by chance
PHRASE_CONTENT = 3  # of them longer than three letters
OWN_TIERS = ("agent", "quoted")  # who would be handing our words back

# Quotes may be escaped: hooks speak JSON, and transcripts hold their words inside a string.
_QUOTE = r"\\*[\"']?"
_OPEN = re.compile(rf"<{_MARK}(?:\s+(?:id=)?{_QUOTE}(?P<id>[\w-]*){_QUOTE})?\s*>", re.I)
_STRAY = re.compile(rf"</?{_MARK}\b[^>]*>", re.I)


def strip_echo(run: Run, recorded: Iterable[str]) -> Run:
    """The run without what Tacit put into it: fenced notes, and lines equal to lessons it was
    given."""
    given = frozenset(
        line for text in recorded for each in text.splitlines() if (line := plain_line(each))
    )
    return replace(
        run,
        steps=tuple(_without(step, given) for step in run.steps),
        findings=tuple(finding for finding in run.findings if not _handed_back(finding, given)),
        task=_clean(run.task, given),
    )


def is_own_question(run: Run) -> bool:
    """Whether a run is a question of ours to a model, kept by a host that served as its command."""
    first = next((step.text for step in run.steps if step.role == "user" and step.text), "")
    return first.lstrip().startswith(TACIT_ASKS)


def cited(run: Run, ids: Sequence[str], texts: Sequence[str]) -> set[str]:
    """Ids of given lessons that the agent's own words cite: by id, or by a phrase that nobody else
    in the run used.

    `texts[n]` is the lesson with `ids[n]`.
    """
    said = "\n".join(
        unfenced(step.text) for step in run.steps if step.role == "assistant" and step.text
    )
    if not said:
        return set()
    own = _spaced(said)
    others = _spaced(
        "\n".join([run.task, *(unfenced(step.text) for step in run.steps if step.role == "user")])
    )
    return {
        id
        for id, text in zip(ids, texts, strict=True)
        if re.search(rf"(?<![\w-]){re.escape(id)}(?![\w-])", said)
        or any(phrase in own and phrase not in others for phrase in _phrases(text))
    }


def _without(step: Step, given: frozenset[str]) -> Step:
    text, output, error = (
        _clean(step.text, given),
        _clean(step.output, given),
        _clean(step.error, given),
    )
    if (text, output, error) == (step.text, step.output, step.error):
        return step
    if step.error and not error.strip():
        error = "failed"  # a failed step stays failed, whatever its error said
    return replace(step, text=text, output=output, error=error)


def _handed_back(finding: Finding, given: frozenset[str]) -> bool:
    return finding.tier in OWN_TIERS and plain_line(finding.text) in given


def _clean(text: str, given: frozenset[str]) -> str:
    text = unfenced(text)
    if not text or not given:
        return text
    # A JSON string keeps its line breaks as two characters; a note inside one is still a line.
    pieces = re.split(r"(\n|\\n)", text)
    kept = [
        at
        for at in range(0, len(pieces), 2)
        if not pieces[at] or plain_line(pieces[at]) not in given
    ]
    if len(kept) * 2 > len(pieces):
        return text
    return "".join("".join(pieces[at : at + 2]) for at in kept)


def unfenced(text: str) -> str:
    if _MARK not in text.lower():
        return text
    pieces: list[str] = []
    at = 0
    while (opening := _OPEN.search(text, at)) is not None:
        pieces.append(text[at : opening.start()])
        # Only the closing tag of the same id ends it: a lesson that contains a closing tag must not
        # open a door.
        id = rf"\s+(?:id=)?{_QUOTE}{opening['id']}{_QUOTE}" if opening["id"] else ""
        closing = re.compile(rf"</{_MARK}{id}\s*>", re.I).search(text, opening.end())
        at = closing.end() if closing else len(text)
    pieces.append(text[at:])
    return _STRAY.sub("", "".join(pieces))


def _spaced(text: str) -> str:
    return " " + " ".join(re.findall(r"\w+", text.casefold())) + " "


def _phrases(text: str) -> list[str]:
    """Runs of words that tell this lesson from others."""
    words = _spaced(text).split()
    size = min(PHRASE, len(words))
    runs = (words[at : at + size] for at in range(len(words) - size + 1))
    return [
        f" {' '.join(run)} "
        for run in runs
        if len([word for word in run if len(word) > 3]) >= PHRASE_CONTENT
    ]


# One spelling per line: what two lines have in common when bullet, id (before or behind), emphasis,
# case and spacing are set aside.
#
# Echo asks whether a line is one we gave; the gate asks whether a lesson is already written in the
# project's own files. Both mean the same line.

# "- [k3v9x2m4q7ab] ", "* ", "3. ", "> ", "(3x) ": how lists, notes and our own rendering begin a
# line.
_LINE_OPENING = re.compile(
    r"^(?:[>\s]*(?:[-*+•–]|\d+[.)])\s+)?"
    r"(?:(?:\[[\w .:×#/-]{1,40}\]|\([\w .:×#/-]{1,40}\)|🔴|🟡|🟢|⚠️|✅|❌)\s*)*"
)
_MARKS = re.compile(r"[`*_\"“”„«»]|(?<!\w)'|'(?!\w)")


class KnownLines(dict[str, str]):
    """Lines of files, spelled for comparing, each with the file it stands in; `said` has each as
    it stands there."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, str] = {}

    def add(self, line: str, file: str) -> None:
        """One more line of a file; of equal ones the first counts."""
        spelled = plain_line(line)
        if spelled and spelled not in self:
            self[spelled], self.said[spelled] = file, line.strip()


def as_said(lines: Mapping[str, str], spelled: str) -> str:
    """A line as its file has it, without the marks of a list."""
    said = lines.said.get(spelled, spelled) if isinstance(lines, KnownLines) else spelled
    return re.sub(r"^[>\s]*(?:[-*+•–]|\d+[.)]|#+)\s+", "", said).replace("**", "")


def stands_in(text: str, lines: Iterable[str]) -> bool:
    """Whether a lesson stands in one of these lines, as `plain_line` spells them: alone, or with
    more around it."""
    spelled = plain_line(text)
    return bool(spelled) and any(spelled in line for line in lines)


def plain_line(text: str) -> str:
    """A line's one spelling, equal for equal lines; empty for a line without words."""
    line = normalize("NFKC", split_id(text)[0]).replace("’", "'")
    bare = _LINE_OPENING.sub("", line, count=1) or line
    return " ".join(_MARKS.sub("", bare).casefold().split()).strip(" .,;:!-–—")

"""Against the instruction files: which of their lines were not kept, which are wrong, and what is
missing.

Shown to the person and never written unasked: each finding names the lines of sessions that speak
for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacit.reading.asked import (
    BYTES_A_TOKEN,
    LONGEST_TEXT,
    ROOM,
    Cite,
    Shown,
    Struck,
    cited,
    failed_lines,
    fitting,
    named_lines,
    printed,
    question,
    rows,
    text_of,
    typed_lines,
)
from tacit.reading.record import Left

MOST_MISSING = 5
FEWEST_SESSIONS = 3  # that say or meet what is missing
NEAR = 2  # lines around one that has a subject in common
TELLING = re.compile(r"[^\W\d_][\w.-]{3,}")


@dataclass(frozen=True)
class Against:
    """One finding about an instruction file."""

    verdict: str  # not_kept, wrong, missing
    at: str  # AGENTS.md:47; empty for what is missing
    text: str  # the line as it stands, or the sentence that is missing
    cites: tuple[Cite, ...]
    change: str = ""  # of a wrong line: how it should read

    @property
    def sessions(self) -> int:
        """How many sessions speak for it."""
        return len({cite.group for cite in self.cites})


@dataclass(frozen=True)
class Findings:
    """What the look brought."""

    found: tuple[Against, ...] = ()
    struck: tuple[Struck, ...] = ()
    answered: bool = True


def ask(files: Mapping[str, str], sessions: Sequence[Left], room: int = ROOM) -> str:
    """The question over instruction files, typed lines and failing commands; a third of the room
    for each."""
    typed, failed = _lines(sessions, room // 3)
    return question(
        "instructions",
        file=_file(files, [*typed, *failed], room // 3),
        lines=printed(typed),
        failed=printed(failed),
    )


def check(
    said: str,
    files: Mapping[str, str],
    sessions: Sequence[Left],
    before: Mapping[str, str] | None = None,
) -> Findings:
    """What of an answer holds: lines that are in the file, with lines of sessions that speak for
    it. `before` are the files as they stood when these sessions began: a line that came since
    was not there to be kept."""
    found = {name: rows(said, name, "") for name in ("not_kept", "wrong", "missing")}
    if all(each is None for each in found.values()):
        return Findings(answered=False)
    lines = {line.name: line for line in (*typed_lines(sessions), *failed_lines(sessions, "f"))}
    places = _numbered(files)
    if before is not None:
        stood = {*_numbered(before).values()}
        places = {at: text for at, text in places.items() if text in stood}
    kept: list[Against] = []
    struck: list[Struck] = []
    for verdict, listed in found.items():
        for row in listed or ():
            shown, lost = cited(row, lines)
            struck += lost
            one = _against(verdict, row, shown, places)
            if isinstance(one, Struck):
                struck.append(one)
            else:
                kept.append(one)
    missing = [each for each in kept if each.verdict == "missing"]
    struck += [Struck(each.text, f"more than {MOST_MISSING}") for each in missing[MOST_MISSING:]]
    rest = {each.text for each in missing[MOST_MISSING:]}
    return Findings(
        tuple(each for each in kept if each.verdict != "missing" or each.text not in rest),
        tuple(struck),
    )


def _against(
    verdict: str, row: Mapping[str, object], shown: Sequence[Shown], places: Mapping[str, str]
) -> Against | Struck:
    """One finding, or why it is none."""
    words = dict(named_lines(row))
    cites = tuple(Cite(line.session, line.group, words[line.name], line.person) for line in shown)
    at, text = text_of(row, "at") or text_of(row, "line"), text_of(row, "text")
    if verdict == "missing":
        if not text or len(text.split()) > LONGEST_TEXT:
            return Struck(text or str(row), "no sentence")
        one = Against(verdict, "", text, cites)
        if one.sessions < FEWEST_SESSIONS:
            return Struck(text, "fewer than three sessions")
        return one
    if at not in places:
        return Struck(at or str(row), "no such line of an instruction file by then")
    if verdict == "not_kept" and not any(line.failed is None for line in shown):
        return Struck(at, "no typed line")
    if not cites:
        return Struck(at, "no line speaks for it")
    return Against(verdict, at, places[at], cites, text_of(row, "change"))


def _lines(sessions: Sequence[Left], room: int) -> tuple[Sequence[Shown], Sequence[Shown]]:
    """Typed lines and failing commands, the newest where they do not all fit."""
    none: frozenset[str] = frozenset()
    return (
        fitting(typed_lines(sessions), (), none, room),
        fitting(failed_lines(sessions, "f"), (), none, room),
    )


def _numbered(files: Mapping[str, str]) -> dict[str, str]:
    """Each line of the files that says something, by its place."""
    return {
        f"{name}:{number}": line.strip()
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip()
    }


def _file(files: Mapping[str, str], lines: Sequence[Shown], room: int) -> str:
    """The files with their lines numbered; of long ones the parts that have most rare words in
    common with what was typed and failed."""
    places = _numbered(files)
    order = list(places)
    spoken = {word for line in lines for word in _words(line.whole)}
    common = Counter(word for text in places.values() for word in _words(text))

    def weight(at: int) -> float:
        around = order[max(0, at - NEAR) : at + NEAR + 1]
        shared = {word for name in around for word in _words(places[name])} & spoken
        return sum(1 / common[word] for word in shared)

    left, kept = room * BYTES_A_TOKEN, []
    for at in sorted(range(len(order)), key=lambda at: (-weight(at), at)):
        left -= len(f"{order[at]} {places[order[at]]}\n".encode())
        if left < 0:
            break
        kept.append(at)
    return "\n".join(f"{order[at]} {places[order[at]]}" for at in sorted(kept)) or "(none)"


def _words(text: str) -> set[str]:
    return {word.casefold() for word in TELLING.findall(text)}

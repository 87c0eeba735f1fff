"""What fails here: what all failing commands of a project together say will go wrong again, and what to do instead.

A cure names the lines that show it, and a literal sign by which its failure is met again. A name that no line holds is invented, and a
sign that stands in many different failures is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tacit.learn.reader.check import comparable
from tacit.reading.asked import (
    LONGEST_TEXT,
    ROOM,
    Answer,
    Cite,
    Item,
    Shown,
    Struck,
    cited,
    failed_lines,
    failing,
    fitting,
    last_answer,
    printed,
    question,
    sessions_named,
    strange_names,
    taken_in,
    text_of,
)
from tacit.reading.record import Left, folded

MOST_CURES = 12  # of an answer
SHORTEST_SIGN = 8  # characters
OTHER_FAILURES = 3  # different failures, beside those it is named with, that a sign may stand in


def ask(
    sessions: Sequence[Left],
    last: Sequence[Item],
    fresh: frozenset[str],
    dropped: Sequence[str] = (),
) -> str:
    """The question over all failing commands; `fresh` are the sessions that no question has shown yet, `dropped` what a person took out."""
    shown = fitting(failed_lines(sessions), last, fresh, ROOM)
    known = [
        f"{item.id} (sign: {item.sign or 'none yet'}; {sessions_named(item, sessions)}) {item.text}"
        for item in last
    ]
    return question("failures", last=last_answer("failures", known, dropped), lines=printed(shown))


def check(
    said: str, sessions: Sequence[Left], last: Sequence[Item], taken: Sequence[str] = ()
) -> Answer:
    """What of an answer holds: at most twelve, each with a line at least, and a sign where it is one."""
    lines = {line.name: line for line in failed_lines(sessions)}
    return taken_in(
        said, "cures", MOST_CURES, last, lambda row, before: _cure(row, before, lines), taken
    )


def _cure(
    row: Mapping[str, object], before: Item | None, lines: Mapping[str, Shown]
) -> tuple[Item | None, list[Struck], str]:
    """One cure of an answer, what of its lines and its sign was struck, and why it is none."""
    text = text_of(row, "text") or (before.text if before else "")
    shown, struck = cited(row, lines, words=False)
    cites = dict.fromkeys(before.cites if before else ())
    cites |= dict.fromkeys(
        Cite(line.session, line.group, failing(line.failed), line.person)
        for line in shown
        if line.failed
    )
    sign = text_of(row, "sign") or (before.sign if before else "")
    if sign and (why := no_sign(sign, [*cites], lines.values())):
        struck.append(Struck(sign, why))
        sign = before.sign if before else ""
    program = next((line.failed.program for line in shown if line.failed), "")
    item = Item(
        before.id if before else "",
        text,
        tuple(cites),
        sign=sign,
        program=program or (before.program if before else ""),
    )
    mended = before is None or text != before.text
    strange = strange_names(text, (line.whole for line in lines.values())) if mended else []
    why = ""
    if not text:
        why = "no text"
    elif len(text.split()) > LONGEST_TEXT:
        why = "too long"
    elif not cites:
        why = "no line shows it"
    elif strange:
        why = f"no line holds {strange[0]}"
    return (None if why else item), struck, why


def no_sign(sign: str, cites: Sequence[Cite], lines: Iterable[Shown]) -> str:
    """Why a text is no sign of the failures it is named with; empty where it is one."""
    if len(sign) < SHORTEST_SIGN:
        return "a sign has eight characters"
    named = {comparable(cite.words) for cite in cites}
    if not any(met(sign, line) for line in named):
        return "the sign stands in no line that was named"
    told = {
        comparable(failing(line.failed)): folded(line.failed.told) for line in lines if line.failed
    }
    known = {told[each] for each in named if each in told}
    others = {said for each, said in told.items() if each not in named and met(sign, each)}
    if len(others - known) > max(OTHER_FAILURES, len(named)):
        return "the sign stands in many different failures"
    return ""


def met(sign: str, line: str) -> bool:
    """Whether a failing command, with what it said, bears a sign."""
    return comparable(sign) in comparable(line)

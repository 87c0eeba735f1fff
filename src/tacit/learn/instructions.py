"""Lines of the project's instruction files that failures speak against, how often, and how they
might read. The person is shown them; nothing is written, and no agent is told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.proposal import Proposal, person_question
from tacit.core.run import Incident
from tacit.core.value import replace, value
from tacit.reading.echo import as_said
from tacit.store.counts import pieces_of_work

if TYPE_CHECKING:
    from tacit.store.failures import Counts, Noted
    from tacit.store.writes import Transaction

KIND = "notice"  # of the question: a yes closes it
FAILS_FROM = 3  # lineages in which what a file names or orders failed
RAISE = 2.0  # what was answered is asked again once it came up twice as often
MOST_RUNS = 20
_SHOWN = 160  # characters of a line that is said to be wrong
_FAMILIES = ("path", "usage", "command", "script")
# there once it was built
MADE_PATHS = re.compile(
    r"(?:target|build|dist|out|bin|coverage|node_modules|vendor|\.venv|\.next|\.git)(?:/|$)"
)
_ORDERS = r"(?<!which )(?<!that )\b(?:prefix|use|using|run|running|execute|call|with|via|through)\b"
_ORDER_FORMS = _ORDERS + r"[^.;:(]{{0,30}}?(?<![\w./-]){}(?![\w/-]|\.\w)"


@value
class Contradiction:
    """A line of an instruction file, and what happened to those who followed it."""

    file: str
    line: str  # as the file has it
    about: str  # the path or program it names
    said: str  # what happens, in our own words
    patch: str  # how the line should read, for people
    runs: tuple[str, ...]
    lineages: int


def ask_about(
    tx: Transaction,
    counts: Counts,
    noticed: Iterable[Incident],
    lines: Mapping[str, str],
    at: str,
) -> int:
    """Put before the person which lines the failures of a run speak against by now; how many are
    new or say more."""
    marks = dict.fromkeys(each.mark for each in noticed if each.family in _FAMILIES)
    found = [said for mark in marks if lines for said in against(lines, counts.failures(mark))]
    sessions = max(1, pieces_of_work(tx, counts.project)) if found else 0
    asked = 0
    for each in found:
        known = tx.proposal(person_question(counts.project, KIND, _subject(each)))
        proposal = question(each, counts.project, at, known, sessions)
        if proposal is not None:
            tx.put_proposal(proposal)
            asked += 1
    return asked


def against(lines: Mapping[str, str], same: Sequence[Noted]) -> Iterator[Contradiction]:
    """The line that names a path which sessions looked for in vain, or orders a program which
    then failed as it was used. `same` are the failures of one signature."""
    first, met = same[0].incident, len({each.lineage for each in same})
    if met < FAILS_FROM:
        return
    about, said, patch, ordered = first.name, "", "", False
    if first.family == "path":
        is_path = "/" in about or "." in about.strip(".")
        said = patch = f"`{about}` is not there" if is_path and not MADE_PATHS.match(about) else ""
    elif first.ended != "retry":
        about, ordered = first.program.split(" ")[0], True
        if first.family == "command":
            about = first.name
            other = _instead(same)
            said = f"the command `{about}` is not there"
            patch = f"`{other}` instead of `{about}`" if other else f"`{about}` is not installed"
        elif 2 * sum(each.incident.cure == f"without {about}" for each in same) > met:
            said = f"`{about} {first.name}` fails"
            patch = f"except `{first.name}`: run it without `{about}`"
    order = re.compile(_ORDER_FORMS.format(re.escape(about)), re.I)
    named = re.compile(rf"(?<![\w./-]){re.escape(about)}(?![\w-])", re.I)
    for line, file in lines.items() if said else ():
        if named.search(line) and (not ordered or order.search(line)):
            runs = tuple(dict.fromkeys(each.run for each in same))[-MOST_RUNS:]
            yield Contradiction(file, as_said(lines, line), about, said, patch, runs, met)
            return


def _instead(same: Sequence[Noted]) -> str:
    """The program that several took in place of one that is not there."""
    ways = Counter(each.incident.cure for each in same if each.incident.cure.startswith("as "))
    way, times = next(iter(ways.most_common(1)), ("", 0))
    return way.removeprefix("as ") if times > 1 else ""


def _subject(of: Contradiction) -> str:
    return f"instructions {of.file} {of.about}"


def question(
    of: Contradiction, project: str, at: str, known: Proposal | None, sessions: int
) -> Proposal | None:
    """The question that says it, where it is new or says more; None where it stands, or was
    answered and came not twice as often since."""
    shown = of.line if len(of.line) <= _SHOWN else of.line[:_SHOWN].rsplit(" ", 1)[0] + " …"
    told = f"{of.file} says “{shown}”, and {of.said} in {of.lineages} of {sessions} sessions."
    payload = {
        "subject": _subject(of),
        "count": of.lineages,
        "sessions": sessions,
        "runs": [*of.runs],
        "quote": of.line,
        "patch": of.patch,
    }
    if known is None:
        id = person_question(project, KIND, _subject(of))
        return Proposal(id, project, KIND, told, "learn", at, payload=payload)
    before = int((known.payload or {}).get("count", 0))
    fresh = replace(known, reason=told, payload=payload)
    if known.state == "open":
        return fresh if of.lineages != before else None
    if known.state == "approved" or of.lineages < RAISE * before:
        return None
    nobody = {"decided_at": "", "decided_by": "", "decision": ""}
    return replace(fresh, state="open", created_at=at, **nobody)

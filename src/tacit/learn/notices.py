"""What the person is told of what was counted, and no agent ever is.

Two sorts. Something fails in many sessions and nobody found a way out: only the person can mend the
machine or say what to do. An instruction file orders what fails, or names what is not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tacit.core.proposal import Proposal, person_question
from tacit.core.run import FAILURE, Incident
from tacit.core.value import replace, value
from tacit.learn.floor import Cure, command_after, cure_of, outlives_task, said_of_failure
from tacit.learn.instructions import contradictions
from tacit.reading.command import commands
from tacit.reading.echo import as_said
from tacit.store.failures import Noted

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

    class Counts(Protocol):
        """What is asked about all that was counted in a project: of a store, or of a look back's
        memory."""

        def lineages(self) -> int: ...
        def failures(self, mark: str) -> Sequence[Noted]: ...


KIND = "notice"  # of the proposal: a yes closes it
_STUCK_LINEAGES = 5  # in which it failed without a way out
RAISE = 2.0  # what was answered is asked again once it came up twice as often
WITHOUT_A_WAY = frozenset(
    "command script module package version port rights docker database disk foreign".split()
)
MOST_RUNS = 20
_SHOWN = 160  # characters of a line that is said to be wrong


@value
class Notice:
    """One thing for the person to know and to mend outside."""

    subject: str
    text: str
    count: int  # lineages
    sessions: int  # of so many, then
    runs: tuple[str, ...] = ()
    quote: str = ""
    patch: str = ""
    file: str = ""  # the instruction file whose line should read otherwise
    swap: tuple[str, str] = ("", "")  # what in it is replaced by what (`instructions`)


def without_a_way(met: Sequence[Noted], sessions: int) -> Notice | None:
    """Something that keeps failing and that no two sessions got over in the same way."""
    first = met[0].incident
    count = len({each.lineage for each in met})
    if (
        count < _STUCK_LINEAGES
        or first.family not in WITHOUT_A_WAY
        or cure_of(first.mark, met) is not None
        or command_after(met, ("form",))
    ):
        return None
    over = len(
        {
            each.lineage
            for each in met
            if each.incident.ended in ("edit", "other edit", "command", "form")
        }
    )
    said = said_of_failure(first)
    by = Counter(
        program
        for _, program in dict.fromkeys((each.lineage, each.incident.program) for each in met)
    )
    program = by.most_common(1)[0][0]
    if first.family == "rights" and all(call.looks for call in commands(program)):
        return None  # somebody looked where nobody may
    if not said:
        return None
    if first.family == "command":
        text = f"The command `{first.name}` is not there: {count} of {sessions} sessions tried it."
    elif first.family == "foreign":
        where = f"in `{first.name}`, which is not the project's own code"
        text = f"`{program}` failed in {count} of {sessions} sessions {where}. Leave that folder out of what it checks."
    else:
        ways = (
            "Each found a way of its own" if over * 2 > count else "Nothing the agents tried helped"
        )
        who = (
            f"`{program}`"
            if by[program] * 2 > count
            else ", ".join(f"`{each}`" for each, _ in by.most_common(3))
        )
        text = f"{who} failed in {count} of {sessions} sessions: {said}. {ways}."
    return Notice(f"fails {first.mark}", text, count, sessions, _runs(met), quote=first.line)


def one_cause(found: Iterable[Notice]) -> list[Notice]:
    """Packages that are missing in the same sessions are one cause, and one line."""
    kept: list[Notice] = []
    for each in sorted(found, key=lambda each: (-each.count, each.subject)):
        name = each.subject.removeprefix(_MODULE) if each.subject.startswith(_MODULE) else ""
        same = [
            i
            for i, other in enumerate(kept)
            if name and other.subject.startswith(_MODULE) and _together(each, other)
        ]
        if not same:
            kept.append(each)
        elif f"`{name}`" not in kept[same[0]].text:
            told = kept[same[0]].text.replace("` is not found", f"`, `{name}` is not found", 1)
            kept[same[0]] = replace(kept[same[0]], text=told)
    return kept


_MODULE = "fails module "


def _together(one: Notice, other: Notice) -> bool:
    return len(set(one.runs) & set(other.runs)) * 2 > len(one.runs)


def of_instructions(
    lines: Mapping[str, str], failures: Sequence[Noted], sessions: int
) -> list[Notice]:
    """Instruction files that order what fails or name what is not there, with the line and how
    it might read."""
    told = []
    for each in contradictions(lines, failures, sessions):
        said = as_said(lines, each.line)
        shown = said if len(said) <= _SHOWN else said[:_SHOWN].rsplit(" ", 1)[0] + " …"
        text = f"{each.file} says “{shown}”, and {each.said} in {each.lineages} of {sessions} sessions."
        runs = tuple(
            dict.fromkeys(
                note.run
                for note in failures
                if each.about in (note.incident.name, note.incident.program.split(" ")[0])
            )
        )
        subject, seen = f"instructions {each.file} {each.about}", runs[-MOST_RUNS:]
        told.append(
            Notice(
                subject,
                text,
                each.lineages,
                sessions,
                seen,
                said,
                each.patch,
                each.file,
                each.swap,
            )
        )
    return told


def as_proposal(told: Notice, project: str, at: str, known: Proposal | None) -> Proposal | None:
    """The proposal that says it, where it is new or says more; None where it stands, or was
    answered and came not twice as often since."""
    payload = {
        "subject": told.subject,
        "count": told.count,
        "sessions": told.sessions,
        "runs": list(told.runs),
        "quote": told.quote,
        "patch": told.patch,
        **({"file": told.file, "swap": list(told.swap)} if told.file else {}),
    }
    if known is None:
        id = person_question(project, KIND, told.subject)
        return Proposal(id, project, KIND, told.text, "learn", at, payload=payload)
    before = int((known.payload or {}).get("count", 0))
    if known.state == "open":
        same = told.count == before and (known.payload or {}).get("swap") == payload.get("swap")
        return None if same else replace(known, reason=told.text, payload=payload)
    if told.count < RAISE * before or known.state == "approved":
        return None
    return replace(
        known,
        state="open",
        reason=told.text,
        payload=payload,
        created_at=at,
        decided_at="",
        decided_by="",
        decision="",
    )


def propose(tx: Transaction, project: str, told: Sequence[Notice], at: str) -> int:
    """Put what the person should know before them; how many are new or say more."""
    count = 0
    for each in told:
        known = tx.proposal(person_question(project, KIND, each.subject))
        proposal = as_proposal(each, project, at, known)
        if proposal is not None:
            tx.put_proposal(proposal)
            count += 1
    return count


def _runs(met: Sequence[Noted]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.run for each in met))[-MOST_RUNS:]


# What becomes of what was counted: a cure for an agent, a notice for the person. Only the failures
# that a run met are looked at again, over all that the project counted.


@value
class Counted:
    """What the failures met by a run come to now."""

    cures: tuple[Cure, ...] = ()
    notices: tuple[Notice, ...] = ()


def counted(counts: Counts, noticed: Sequence[Incident], lines: Mapping[str, str]) -> Counted:
    """What to tell of the failures that a run has met. `lines` are those of the instruction
    files."""
    marks = dict.fromkeys(
        each.mark for each in noticed if each.kind == FAILURE and outlives_task(each)
    )
    sessions = counts.lineages()
    cures: list[Cure | None] = []
    notices: list[Notice | None] = []
    for mark in marks:
        met = counts.failures(mark)
        cures.append(cure_of(mark, met))
        notices.append(without_a_way(met, sessions))
        notices += of_instructions(lines, met, sessions)
    return Counted(tuple(filter(None, cures)), tuple(one_cause(filter(None, notices))))

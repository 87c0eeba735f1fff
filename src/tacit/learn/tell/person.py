"""What the person is told of what was noticed, and no agent ever is: in the inbox, on the desk, by `doctor`.

Three sorts. Something fails in many sessions and nobody found a way out: only the person can mend the machine or say what to do. An
instruction file orders what fails, or names what is not there. Something was asked for again and again: it may be a lasting order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.proposal import Proposal, person_question
from tacit.core.value import replace, value
from tacit.learn.command import commands
from tacit.learn.echo import as_said
from tacit.learn.tell.instructions import contradictions
from tacit.learn.tell.lessons import cure, of_failure
from tacit.stores.incidents import Noted
from tacit.words.diagnose import Diagnosis

if TYPE_CHECKING:
    from tacit.learn.tell.requests import Request

_STUCK_LINEAGES = 5  # in which it failed without a way out
RAISE = 2.0  # what was answered is asked again once it came up twice as often
WITHOUT_A_WAY = frozenset(
    "command script module package version port rights docker database disk foreign".split()
)
MOST_RUNS = 20
_SHOWN = 160  # characters of a line that is said to be wrong


@value
class ForPerson:
    """One thing for the person to know or to decide."""

    kind: str  # "request": yes makes it a lasting order; "notice": to be mended outside, and closed
    subject: str
    text: str
    count: int  # lineages
    sessions: int  # of so many, then
    runs: tuple[str, ...] = ()
    quote: str = ""
    patch: str = ""
    file: str = ""  # the instruction file whose line should read otherwise
    swap: tuple[str, str] = ("", "")  # what in it is replaced by what (`tell/instructions.py`)
    lesson: str = ""  # of a request: the wording that most share
    order: str = ""  # … and the order as it would stand
    wordings: tuple[str, ...] = ()  # of a request: how else it was said
    said: tuple[str, ...] = ()  # … and how each of the runs said it


def without_a_way(met: Sequence[Noted], sessions: int) -> ForPerson | None:
    """Something that keeps failing and that no two sessions got over in the same way."""
    first = met[0].incident
    count = len({each.lineage for each in met})
    if (
        count < _STUCK_LINEAGES
        or first.family not in WITHOUT_A_WAY
        or of_failure(first.mark, met) is not None
        or cure(met, ("form",))
    ):
        return None
    over = len(
        {
            each.lineage
            for each in met
            if each.incident.ended in ("edit", "other edit", "command", "form")
        }
    )
    said = Diagnosis(first.family, first.code, first.name, first.nature, first.tool).said
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
    return ForPerson(
        "notice", f"fails {first.mark}", text, count, sessions, _runs(met), quote=first.line
    )


def one_cause(found: Iterable[ForPerson]) -> list[ForPerson]:
    """Packages that are missing in the same sessions are one cause, and one line."""
    kept: list[ForPerson] = []
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


def _together(one: ForPerson, other: ForPerson) -> bool:
    return len(set(one.runs) & set(other.runs)) * 2 > len(one.runs)


def of_instructions(
    lines: Mapping[str, str], failures: Sequence[Noted], sessions: int
) -> list[ForPerson]:
    """Instruction files that order what fails or name what is not there, with the line and how it might read."""
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
            ForPerson(
                "notice",
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


def of_request(request: Request, sessions: int) -> ForPerson:
    """A question whose answer only the person knows."""
    count = len(request.lineages)
    others = "; ".join(f"“{each}”" for each in request.wordings[:2])
    text = (
        f"In {count} of {sessions} sessions you asked “{request.text}”"
        + (f" (also {others})" if others else "")
        + ". Make it a lasting order?"
    )
    return ForPerson(
        "request",
        f"request {request.text.lower()}",
        text,
        count,
        sessions,
        request.runs[-MOST_RUNS:],
        lesson=request.text,
        order=request.order,
        wordings=request.wordings,
        said=request.said[-MOST_RUNS:],
    )


def as_proposal(told: ForPerson, project: str, at: str, known: Proposal | None) -> Proposal | None:
    """The proposal that says it, where it is new or says more; None where it stands, or was answered and came not twice as often since."""
    payload = {
        "subject": told.subject,
        "count": told.count,
        "sessions": told.sessions,
        "runs": list(told.runs),
        "quote": told.quote,
        "patch": told.patch,
        "text": told.lesson,
        **({"file": told.file, "swap": list(told.swap)} if told.file else {}),
        **({"order": told.order, "said": list(told.said)} if told.order else {}),
    }
    if known is None:
        id = person_question(project, told.kind, told.subject)
        return Proposal(id, project, told.kind, told.text, "learn", at, payload=payload)
    before = int((known.payload or {}).get("count", 0))
    if known.state == "open":
        same = told.count == before and all(
            (known.payload or {}).get(name) == payload.get(name) for name in ("swap", "order")
        )
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


def asked_before(told: ForPerson, known: Sequence[Proposal]) -> list[Proposal]:
    """The proposals that ask for the same in other words: which wording leads changes from session to session, and two may become one."""
    return [each for each in known if is_asked(str((each.payload or {}).get("text", "")), told)]


def is_asked(text: str, told: ForPerson) -> bool:
    """Whether a request asks for what another does: it is one of its wordings."""
    return text.lower() in {each.lower() for each in (told.lesson, *told.wordings)}


def _runs(met: Sequence[Noted]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.run for each in met))[-MOST_RUNS:]

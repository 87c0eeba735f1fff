"""Telling: what becomes of what was noticed, and who is told.

After a run only the subjects that it met are looked at again: each failure's signature, each linter, each purpose of a command, the
complaints, and what was typed. For an agent that is a lesson of tier observed, one memory per subject, worded anew when the facts call for
other words; for the person a proposal in the inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tacit.core.digest import short_hash
from tacit.core.proposal import person_question
from tacit.core.run import COMMAND, COMPLAINT, FAILURE, SENTENCE, Incident
from tacit.core.value import replace, value
from tacit.learn.tell.groups import of_foreign, of_hook, of_missing
from tacit.learn.tell.lessons import (
    COMMIT,
    before_done,
    of_command,
    of_failure,
    of_linter,
    outlives_task,
    purposes_of,
    untold_because,
)
from tacit.learn.tell.person import (
    as_proposal,
    asked_before,
    of_instructions,
    of_request,
    one_cause,
    without_a_way,
)
from tacit.learn.tell.requests import standing_requests
from tacit.stores.incidents import Form, Noted
from tacit.words.diagnose import MISSING

if TYPE_CHECKING:
    from tacit.learn.tell.lessons import ToldLesson
    from tacit.learn.tell.person import ForPerson
    from tacit.stores.sql_writer import Transaction

    class Counts(Protocol):
        """What is asked about all that was noticed in a project: of a store, or of a look back's memory."""

        def lineages(self) -> int: ...
        def failures(self, mark: str = "", tool: str = "") -> Sequence[Noted]: ...
        def missing(self) -> Sequence[Noted]: ...
        def of_program(self, program: str) -> Sequence[Noted]: ...
        def forms(self, purpose: str = "") -> Sequence[Form]: ...
        def passes(self, purpose: str) -> Sequence[Noted]: ...
        def complaints(self) -> Sequence[Noted]: ...
        def sentences(self) -> Sequence[Noted]: ...


@value
class _Told:
    """What the incidents met by a run come to now."""

    lessons: tuple[ToldLesson, ...]
    person: tuple[ForPerson, ...]
    silent: Mapping[str, str]  # subjects of commands that no longer need telling, and why


def told_by(
    counts: Counts,
    noticed: Sequence[Incident],
    lines: Mapping[str, str],
    here: Callable[[str], bool] = lambda path: False,
) -> _Told:
    """What to tell of the subjects that a run has met, from all incidents of the project.

    `lines` are those of the instruction files, `here` tells whether a path of the project exists.
    """
    failed = [each for each in noticed if each.kind == FAILURE]
    sessions = counts.lineages()
    lessons: list[ToldLesson | None] = []
    person: list[ForPerson | None] = []
    for tool in dict.fromkeys(
        each.tool for each in failed if each.nature == "convention" and each.tool
    ):
        lessons.append(of_linter(tool, counts.failures(tool=tool)))
    for mark in dict.fromkeys(each.mark for each in failed if outlives_task(each)):
        met = counts.failures(mark)
        lessons += [of_failure(mark, met), of_foreign(met)]
        if met[0].incident.family == "hook":
            printed = dict.fromkeys(each.incident.mark for each in counts.of_program(COMMIT))
            lessons.append(
                of_hook(
                    met, [counts.failures(each) for each in printed], counts.forms(), tuple(lines)
                )
            )
        person.append(without_a_way(met, sessions))
        if lines:
            person += of_instructions(lines, met, sessions)
    if any(each.family in MISSING for each in failed):
        lessons.append(of_missing(counts.missing(), counts.forms(), here))
    done = (
        before_done(counts.complaints(), counts.forms())
        if any(each.kind in (COMPLAINT, COMMAND) for each in noticed)
        else None
    )
    lessons.append(done)
    silent: dict[str, str] = {}
    for served in purposes_of(noticed):
        forms = counts.forms(served)
        one, why = of_command(served, forms, lines), untold_because(served, forms, lines)
        if one is not None and done is not None and one.text.split("`")[1] in done.text:
            one, why = None, "another lesson says when to run it"
        lessons.append(one and replace(one, witnesses=tuple(counts.passes(served))))
        if one is None:
            silent[f"command {served}"] = why
    if any(each.kind == SENTENCE for each in noticed):
        own = {each.mark for each in noticed if each.kind == SENTENCE}
        person += [
            of_request(each, sessions)
            for each in standing_requests(counts.sentences(), sessions, own)
        ]
    return _Told(tuple(filter(None, lessons)), tuple(one_cause(filter(None, person))), silent)


def propose(tx: Transaction, project: str, told: Sequence[ForPerson], at: str) -> int:
    """Put what the person should know into the inbox; how many are new or say more."""
    count = 0
    asked = (
        tx.proposals(project, state="", kinds=("request",), limit=-1)
        if any(each.kind == "request" for each in told)
        else []
    )
    for each in told:
        same = asked_before(each, asked) if each.kind == "request" else []
        proposal = as_proposal(
            each,
            project,
            at,
            same[0] if same else tx.proposal(person_question(project, each.kind, each.subject)),
        )
        for twin in same[1:]:
            if twin.state == "open":
                told_twice = "asked in other words"
                tx.put_proposal(
                    replace(
                        twin,
                        state="expired",
                        decided_by="learn",
                        decided_at=at,
                        decision=told_twice,
                    )
                )
        if proposal is not None:
            tx.put_proposal(proposal)
            count += 1
    return count


def finding_key(project: str, lesson: ToldLesson, run: str) -> str:
    """The key of one run's sighting of a lesson's subject."""
    return short_hash(project, run, "notice", lesson.subject)


def witnesses(lesson: ToldLesson) -> Iterator[tuple[str, str, str, str]]:
    """(run, lineage, place, what it met) of each run that met a lesson's subject, once per run."""
    seen: set[str] = set()
    for each in lesson.witnesses:
        if each.run not in seen:
            seen.add(each.run)
            one = each.incident
            met = one.program if one.kind == COMMAND else f"{one.program}: {one.mark}"
            yield each.run, each.lineage, one.place, met[:200]

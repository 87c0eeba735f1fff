"""After a run: extract → redact → match → settle → gate → stage → promote."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.core.rows import run_id
from tacit.core.run import Run
from tacit.learn.failures import notice
from tacit.learn.outcomes import Session
from tacit.learn.prepare import judged_by_gate, what_it_says, without_secrets
from tacit.learn.stage import Learned
from tacit.reading.echo import is_own_question
from tacit.safety.witness import of_run
from tacit.store.reads import WorkContext


def learn_run(
    work: WorkContext,
    run: Run,
    *,
    known_lines: Mapping[str, str] | None = None,
    over: bool = False,
    hold_all: bool = False,
    dry_run: bool = False,
    person: str = "",
) -> Learned:
    """Learn one run. `over` is the host's word that it ended; `hold_all` stages every finding for a
    person.

    `person` is whose session it was.
    """
    if is_own_question(run):
        return Learned(run.id, run.host, already=True)
    if run.is_replayed:
        return Learned(
            run.id,
            run.host,
            already=True,
            warnings=(f"{run.id}: a replayed run is never learned.",),
        )
    project, profile, at = work.project, work.profile, work.now()
    id = run_id(project.id, run.host, run.id)
    said, echoed = what_it_says(work, run, id, known_lines)
    noticed = () if run.foreign else notice(run)
    cleaned = [without_secrets(finding) for finding in said]
    vouch = of_run(run)
    judged = [
        judged_by_gate(finding, profile, known_lines, hold_all, vouch) for finding, _ in cleaned
    ]
    for each in filter(None, dict.fromkeys(each.cure for each in noticed)):
        vouch(f"`{each}`")  # the record and git are not asked within the transaction
    session = Session(work, run, id, at)
    session.redacted = sum(hits for _, hits in cleaned)
    own = [each for each in judged if each[0].run == run.id]
    with work.write(keep=not dry_run) as tx:
        session.enter(tx)
        for other in dict.fromkeys(finding.run for finding, _ in judged if finding.run != run.id):
            session.take_for(tx, other, [each for each in judged if each[0].run == other])
        session.take(tx, own)
        session.tell(tx, noticed, known_lines or {}, hold_all, person, vouch)
        if not run.foreign:  # what became of lessons is not for anybody's file to say
            session.settle(tx, own, over or session.is_over(), echoed, known_lines)
        session.leave(tx)
    return session.report(dry_run=dry_run)

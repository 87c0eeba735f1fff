"""One finding that an agent submits while its run goes on."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.core.context import WorkContext
from tacit.core.rows import run_id
from tacit.core.run import Finding, Run
from tacit.core.value import replace, value
from tacit.learn.outcomes import Session
from tacit.learn.prepare import judged_by_gate, what_it_says, without_secrets


@value
class Submitted:
    """What became of one finding that an agent submitted while its run goes on."""

    run: str
    outcome: str  # new, known, held, quarantined, discarded, linked, or echo: the agent handed a given lesson back
    reason: str
    memory: str = ""


def submit(
    work: WorkContext, finding: Finding, *, host: str, known_lines: Mapping[str, str] | None = None
) -> Submitted:
    """Take in one finding of a run that is not over: redacted, matched and gated like any other, settled when the run is.

    `host` names the run where nobody has met it yet. Submitting the same words twice in a run changes nothing.
    """
    store, project, profile, at = work.store, work.project, work.profile, work.now()
    row = store.find_run(project.id, finding.run)
    run = Run(row.foreign_id if row else finding.run, row.host if row else host, findings=(finding,))
    id = row.id if row else run_id(project.id, run.host, run.id)
    said, _ = what_it_says(store, project.id, profile, run, id, known_lines)
    if not said:
        return Submitted(run.id, "echo", "these are the words of a lesson that this run was given")
    kept, decision = judged_by_gate(without_secrets(said[0])[0], profile, known_lines, False)
    session = Session(project, profile, run, id, at, work.ids)
    with work.write() as tx:
        session.enter(tx)
        tx.put_run(replace(session.row, seq=session.seq, started_at=session.row.started_at or at))
        session.take(tx, [(kept, decision)])
        taken = session.said.row(kept) or next(each for each in tx.findings(run=id) if each.key == kept.key)
    word = {"hold": "held", "quarantine": "quarantined", "discard": "discarded", "linked": "linked"}.get(
        taken.outcome, "known"
    )
    return Submitted(run.id, "new" if session.new and word == "known" else word, taken.reason, taken.memory)

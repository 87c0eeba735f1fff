"""Ask a model what a learned run says beyond what the rules found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.errors import Unavailable
from tacit.core.rows import run_id
from tacit.core.run import Run
from tacit.core.value import replace
from tacit.learn import ask
from tacit.learn.echo import strip_echo
from tacit.learn.outcomes import Session
from tacit.learn.prepare import is_given, judged_by_gate, shaped_for, texts_given, unit_of, without_secrets
from tacit.learn.report import Learned
from tacit.stores.sql import WorkContext

if TYPE_CHECKING:
    from tacit.core.ports import Model


def ask_model(
    work: WorkContext,
    run: Run,
    model: Model,
    *,
    known_lines: Mapping[str, str] | None = None,
    hold_all: bool = False,
) -> Learned:
    """Ask a model what a learned run says beyond what the rules found. The same run is not asked about twice; a failure is a warning."""
    store, project, profile = work.store, work.project, work.profile
    id = run_id(project.id, run.host, run.id)
    unit = unit_of(store, project.id, run, id)
    spoken = ask.said(strip_echo(run, texts_given(store, unit)))
    mark = short_hash(*(each.text for each in spoken))
    row = store.run(id)
    if not spoken or row is None or (row.facts or {}).get("observed") == mark:
        return Learned(run.id, run.host)
    kinds = {name: kind.klass for name, kind in profile.kinds.items()}
    try:
        answer = model.ask(ask.question(spoken, [*kinds]), schema=ask.schema([*kinds]), timeout=profile.model.timeout_s)
    except Unavailable as error:
        return Learned(run.id, run.host, warnings=(f"{run.id}: learned by rules alone. {error.message}",))
    found = ask.findings_of_answer(answer, run, spoken, kinds, profile.other_kind)
    fresh = [shaped_for(each, run, profile) for each in found if not is_given(each, store, unit, profile)]
    cleaned = [without_secrets(finding) for finding in fresh]
    judged = [judged_by_gate(finding, profile, known_lines, hold_all) for finding, _ in cleaned]
    session = Session(project, profile, run, id, work.now(), work.ids)
    session.redacted = sum(hits for _, hits in cleaned)
    with work.write() as tx:
        session.enter(tx)
        session.take(tx, judged)
        tx.put_run(replace(session.row, facts={**(session.row.facts or {}), "observed": mark}))
    return session.report()

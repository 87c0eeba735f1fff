"""Who decides a proposal for the page: rules, then a model in batches (`triage_rules`), then a person."""

from __future__ import annotations

from tacit.core.value import replace
from tacit.tend.book import read_book
from tacit.tend.context import Context, StepReport
from tacit.tend.judge import Judge
from tacit.tend.worthy import propose


def step(context: Context) -> StepReport:
    """Put what has earned a line on a kept page before the tiers, and judge what waits, as far as rules and a model may."""
    asked: tuple[str, ...] = ()
    if context.files is not None and read_book(context.store, context.project.id).kept:
        with context.write() as tx:
            asked = propose(tx, context)
    report = Judge(context).step()
    return replace(report, proposals=(*asked, *report.proposals))

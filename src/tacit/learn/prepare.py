"""What a run says, before its transaction: extracted without the echo of what it was given,
redacted, filed and judged by the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from tacit.core.profile import Profile
from tacit.core.proposal import STAGED_BY_HAND
from tacit.core.rows import run_id
from tacit.core.run import Finding, Run
from tacit.core.trust import least
from tacit.core.value import replace
from tacit.learn.filing import filing_of
from tacit.learn.floor import NAME as FLOOR
from tacit.learn.floor import standing
from tacit.learn.gate import GateDecision, judged_by, rules_of, whose_word
from tacit.lesson import sound_text
from tacit.reading.echo import strip_echo
from tacit.safety.redact import private, redact, redacted_path, redacted_record
from tacit.store.lookups import incidents

if TYPE_CHECKING:
    from tacit.safety.witness import Vouch
    from tacit.store.reads import Reads, Store, WorkContext

QUOTED_FOR_SECRETS = 4_000  # characters of a quote, and of a task twice as many, that are read for secrets: less than that is kept
# of a finding, read for secrets like its text
_FACETS = ("by", "origin", "category", "domain", "agent", "task_type", "extra", "about")


def what_it_says(
    work: WorkContext, run: Run, id: str, known: Mapping[str, str] | None
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """What a run says, and what else would have been found in it had its unit been given
    nothing: that counts in outcomes only."""
    store, project, profile = work.store, work.project.id, work.profile
    on = frozenset(profile.extract.extractors)
    given = texts_given(store, unit_of(store, project, run, id))
    stripped, raw = strip_echo(run, given), strip_echo(run, ()) if given else run
    found = extract(stripped, on)
    unstripped = (
        extract(raw, on)
        if given and (stripped.steps, stripped.findings) != (raw.steps, raw.findings)
        else ()
    )
    born = profile.own.born(run, partial(incidents, store, project)) if profile.own else ()
    said = [*found, *born]
    kept = {finding.text for finding in found}
    echoed = [finding for finding in unstripped if finding.text not in kept]
    return tuple(shaped_for(each, run, profile) for each in said), tuple(
        shaped_for(each, run, profile) for each in echoed
    )


def extract(run: Run, on: Collection[str]) -> tuple[Finding, ...]:
    """What a run says outright, as its format read it, and the floor's standing lines, where these
    extractors are switched on. Each text of the person once; the second of one step stands at
    `place#2`, and so has its own key."""
    found = list(run.findings) if "outright" in on else []
    places = Counter[str]()
    texts: set[str] = set()
    for finding in standing(run) if FLOOR in on else ():
        if finding.text not in texts:
            texts.add(finding.text)
            places[finding.place] += 1
            number = places[finding.place]
            place = finding.place if number == 1 else f"{finding.place}#{number}"
            found.append(replace(finding, place=place))
    return tuple(found)


def shaped_for(finding: Finding, run: Run, profile: Profile) -> Finding:
    found = filing_of(profile).shaped(finding, run, profile)
    return replace(found, tier=least((found.tier, "imported"))) if run.foreign else found


def unit_of(store: Reads, project: str, run: Run, id: str) -> str:
    """The unit a run belongs to: its own row's, its root's, or that of the run it asked lessons for
    under the same name.

    A loop that calls `tacit inject --run R` and later learns its log as R is one run, although the
    first call cannot know which format the log will have. What tests and reviewers say of R
    (`extra["joins"]`) is part of R also after it was learned.
    """
    row = store.run(id)
    if row is not None:
        return row.root
    if run.root:
        return run_id(project, run.host, run.root)
    asked = store.find_run(project, run.id)
    joins = asked is not None and (not asked.learned_at or bool((run.extra or {}).get("joins")))
    return asked.root if asked is not None and joins else id


def texts_given(store: Store, unit: str) -> list[str]:
    """The texts this unit was given: its own words must not come back as news."""
    uses = store.uses(unit=unit)
    return [
        memory.text
        for memory in store.memories([use.memory for use in uses if use.arm != "withheld"])
    ]


def without_secrets(finding: Finding) -> tuple[Finding, int]:
    text, quote = (
        redact(private(sound_text(finding.text))),
        redact(private(sound_text(finding.quote[:QUOTED_FOR_SECRETS]))),
    )
    signature = redact(finding.signature).text if finding.signature else ""
    facets = {name: redacted_record(getattr(finding, name)) for name in _FACETS}
    # What was read out of the text goes with it: a piece of a secret's address says nothing by
    # itself, and is one all the same.
    gone = [path for path in finding.paths if path in finding.text and path not in text.text]
    lists = {
        "paths": tuple(redacted_path(path) for path in finding.paths if path not in gone),
        "tags": tuple(redacted_record(finding.tags)),
    }
    kept = replace(
        finding, text=text.text, quote=quote.text[:600], signature=signature, **facets, **lists
    )
    return kept, len(text.hits) + len(quote.hits)


def gate_of(
    finding: Finding,
    profile: Profile,
    known: Mapping[str, str] | None,
    hold_all: bool,
    vouch: Vouch,
) -> GateDecision:
    rules = rules_of(profile)
    decision = judged_by(profile)(finding, rules, known)
    if decision.outcome == "allow" and not decision.linked and profile.gate.asks_whose:
        asked = whose_word(decision.text or finding.text, finding.tier, vouch)
        if asked.outcome == "hold":
            decision = replace(decision, outcome="hold", reason=asked.reason)
    waits = decision.outcome == "hold" and finding.tier in rules.held
    if hold_all and decision.stored and (decision.outcome == "allow" or decision.rejected or waits):
        return GateDecision("hold", STAGED_BY_HAND, version=decision.version)
    return decision


def judged_by_gate(
    finding: Finding,
    profile: Profile,
    known: Mapping[str, str] | None,
    hold_all: bool,
    vouch: Vouch,
) -> tuple[Finding, GateDecision]:
    """A finding as its profile and provenance judge it."""
    decision = gate_of(finding, profile, known, hold_all, vouch)
    kept = filing_of(profile).settled(finding, decision, profile)
    return kept, replace(decision, category=kept.category)

"""After a run: extract → redact → match → settle → gate → stage → promote.

One run in, one transaction, idempotent per finding: the same run twice changes nothing, a run that grew adds only
what is new. Nothing slow happens inside the transaction: a model is asked after it, about a run that is over, and what it
adds is a transaction of its own.
"""

from __future__ import annotations

import os

from tacit.core.digest import digest, short_hash
from tacit.core.links import INSTRUCTED, Evidence, Mark
from tacit.core.run import Run
from tacit.core.trust import least, stance_against, tier_to_take_away
from tacit.core.value import replace, value
from tacit.stores.lookups import incidents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from tacit.core.incident import Incident
    from tacit.core.links import Use
    from tacit.core.memory import Memory
    from tacit.core.ports import Model, Reads, Store, Transaction
    from tacit.core.profile import Profile
    from tacit.core.rows import Project
    from tacit.core.run import Finding
    from tacit.learn.gate import GateDecision
    from tacit.trial.effect import Course
    from tacit.trial.outcome import Outcome
    from tacit.words.prepared import Prepared

MOST_INCIDENTS = 200  # of one run that are kept for the runs after it
BY = "learn"  # the name under which the pipeline writes
QUOTED = 4_000  # characters of a quote, and of a task twice as many, that are read for secrets: less than that is kept
FACETS = ("by", "origin", "category", "domain", "agent", "task_type", "extra")  # of a finding, read for secrets like its text
PORTION = 50  # findings whose neighbours are looked up at once


@value
class Learned:
    """What one run brought."""

    run: str
    format: str
    already: bool = False  # learned before, and nothing new was said
    findings: int = 0  # new ones
    known: int = 0  # said before in this run
    buried: int = 0  # left out: what stood at their place was erased
    new: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    held: int = 0
    quarantined: int = 0
    discarded: int = 0
    rejected: int = 0  # kept as rejected, with the reason
    linked: int = 0
    redacted: int = 0
    settled: int = 0
    moves: tuple[tuple[str, str, str, str], ...] = ()  # (memory, from, to, reason)
    proposals: int = 0
    dry_run: bool = False
    warnings: tuple[str, ...] = ()
    project: str = ""  # where it went


def learn(
    store: Store,
    project: Project,
    profile: Profile,
    run: Run,
    *,
    now: Callable[[], str],
    ids: Callable[[], str],
    known_lines: Mapping[str, str] | None = None,
    over: bool = False,
    hold_all: bool = False,
    dry_run: bool = False,
    model: Model | None = None,
    person: str = "",
) -> Learned:
    """Learn one run. `over` is the host's word that it ended; `hold_all` stages every finding for a person.

    `person` is whose session it was. With a model, a run that is over is observed once more when everything else stands in the store.
    """
    from tacit.core.rows import run_id
    from tacit.learn.echo import is_own_question
    from tacit.learn.notice import notice

    if is_own_question(run):
        return Learned(run.id, run.host, already=True)
    if run.is_replayed:
        return Learned(run.id, run.host, already=True, warnings=(f"{run.id}: a replayed run is never learned.",))
    at = now()
    id = run_id(project.id, run.host, run.id)
    with store.alone(f"learn {id}"):
        said, echoed = _extract(store, project.id, profile, run, id, known_lines)
        noticed = () if run.foreign else notice(run)
        cleaned = [_redacted(finding) for finding in said]
        judged = [_judged(finding, profile, known_lines, hold_all) for finding, _ in cleaned]
        session = _Session(project, profile, run, id, at, ids)
        session.redacted = sum(hits for _, hits in cleaned)
        own = [each for each in judged if each[0].run == run.id]
        with store.write(confidence=profile.signals) as tx:
            session.enter(tx)
            for other in dict.fromkeys(finding.run for finding, _ in judged if finding.run != run.id):
                session.take_for(tx, other, [each for each in judged if each[0].run == other])
            session.take(tx, own)
            session.tell(tx, noticed, known_lines or {}, hold_all, person)
            if not run.foreign:  # what became of lessons is not for anybody's file to say
                session.settle(tx, own, over or session.is_over(), echoed, known_lines)
            session.leave(tx)
            if dry_run:
                raise _Preview(session.report(dry_run=True))
        report = session.report()
        if model is None or run.foreign or not (over or session.is_over()):
            return report
        return added(report, ask_model(store, project, profile, run, model, now=now, ids=ids, known_lines=known_lines, hold_all=hold_all))


def preview(*args: Any, **named: Any) -> Learned:
    """What learning a run would do; the transaction is rolled back."""
    try:
        return learn(*args, **{**named, "dry_run": True})
    except _Preview as stopped:
        return stopped.report


def ask_model(
    store: Store,
    project: Project,
    profile: Profile,
    run: Run,
    model: Model,
    *,
    now: Callable[[], str],
    ids: Callable[[], str],
    known_lines: Mapping[str, str] | None = None,
    hold_all: bool = False,
) -> Learned:
    """Ask a model what a learned run says beyond what the rules found. The same run is not asked about twice; a failure is a warning."""
    from tacit.core.errors import Unavailable
    from tacit.core.rows import run_id
    from tacit.learn import ask
    from tacit.learn.echo import strip_echo

    id = run_id(project.id, run.host, run.id)
    unit = _unit(store, project.id, run, id)
    spoken = ask.said(strip_echo(run, _given(store, unit)))
    mark = short_hash(*(each.text for each in spoken))
    row = store.run(id)
    if not spoken or row is None or (row.facts or {}).get("observed") == mark:
        return Learned(run.id, run.host)
    kinds = {name: kind.klass for name, kind in profile.kinds.items()}
    try:
        answer = model.ask(ask.question(spoken, [*kinds]), schema=ask.schema([*kinds]), timeout=profile.model.timeout_s)
    except Unavailable as error:
        return Learned(run.id, run.host, warnings=(f"{run.id}: learned by rules alone. {error.message}",))
    found = ask.findings(answer, run, spoken, kinds, profile.other_kind)
    fresh = [_shaped(each, run, profile) for each in found if not _is_given(each, store, unit, profile)]
    cleaned = [_redacted(finding) for finding in fresh]
    judged = [_judged(finding, profile, known_lines, hold_all) for finding, _ in cleaned]
    session = _Session(project, profile, run, id, now(), ids)
    session.redacted = sum(hits for _, hits in cleaned)
    with store.write(confidence=profile.signals) as tx:
        session.enter(tx)
        session.take(tx, judged)
        tx.put_run(replace(session.row, facts={**(session.row.facts or {}), "observed": mark}))
    return session.report()


def added(first: Learned, second: Learned) -> Learned:
    """Two reports of one run as one."""
    summed = "findings known buried held quarantined discarded rejected linked redacted proposals moves new warnings".split()
    parts = {name: getattr(first, name) + getattr(second, name) for name in summed}
    matched = tuple(dict.fromkeys((*first.matched, *second.matched)))
    return replace(first, **parts, matched=matched, already=first.already and not second.findings)


def _shaped(finding: Finding, run: Run, profile: Profile) -> Finding:
    from tacit.learn.classify import classified
    from tacit.learn.shape import shaped

    found = shaped(classified(finding, profile), run, profile)
    return replace(found, tier=least((found.tier, "imported"))) if run.foreign else found


def _is_given(finding: Finding, store: Store, unit: str, profile: Profile) -> bool:
    """Whether a model hands a lesson back that this unit was given: it heard it from us."""
    from tacit.learn.match import prepared, same

    readied = prepared(finding)
    given = store.memories([use.memory for use in store.uses(unit=unit) if use.memory])
    return any(same(memory, readied, profile, None) for memory in given)


class _Preview(Exception):
    def __init__(self, report: Learned) -> None:
        self.report = report


@value
class Submitted:
    """What became of one finding that an agent submitted while its run goes on."""

    run: str
    outcome: str  # new, known, held, quarantined, discarded, linked, or echo: the agent handed a given lesson back
    reason: str
    memory: str = ""


def submit(
    store: Store,
    project: Project,
    profile: Profile,
    finding: Finding,
    *,
    host: str,
    now: Callable[[], str],
    ids: Callable[[], str],
    known_lines: Mapping[str, str] | None = None,
) -> Submitted:
    """Take in one finding of a run that is not over: redacted, matched and gated like any other, settled when the run is.

    `host` names the run where nobody has met it yet. Submitting the same words twice in a run changes nothing.
    """
    from tacit.core.rows import run_id

    at = now()
    row = store.find_run(project.id, finding.run)
    run = Run(row.foreign_id if row else finding.run, row.host if row else host, findings=(finding,))
    id = row.id if row else run_id(project.id, run.host, run.id)
    said, _ = _extract(store, project.id, profile, run, id, known_lines)
    if not said:
        return Submitted(run.id, "echo", "these are the words of a lesson that this run was given")
    kept, decision = _judged(_redacted(said[0])[0], profile, known_lines, False)
    session = _Session(project, profile, run, id, at, ids)
    with store.write(confidence=profile.signals) as tx:
        session.enter(tx)
        tx.put_run(replace(session.row, seq=session.seq, started_at=session.row.started_at or at))
        session.take(tx, [(kept, decision)])
        taken = session.said.row(kept) or next(each for each in tx.findings(run=id) if each.key == kept.key)
    word = {"hold": "held", "quarantine": "quarantined", "discard": "discarded", "linked": "linked"}.get(taken.outcome, "known")
    return Submitted(run.id, "new" if session.new and word == "known" else word, taken.reason, taken.memory)


def _extract(
    store: Store, project: str, profile: Profile, run: Run, id: str, known: Mapping[str, str] | None
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """What a run says, and what else would have been found in it had its unit been given nothing: that counts in outcomes only."""
    from tacit.learn.echo import strip_echo
    from tacit.learn.extract import EXTRACTORS, Known, extract
    from tacit.learn.iterations import iterated
    from tacit.learn.observe import cleaned
    from tacit.learn.repetition import incidents, repeated

    on = tuple(name for name, extractor in profile.extract.extractors.items() if extractor.on and name in EXTRACTORS)
    given = _given(store, _unit(store, project, run, id))
    rules = Known(extractors=on, instructions=tuple(known or ()))
    stripped, raw = strip_echo(run, given), strip_echo(run, ()) if given else run
    found = extract(stripped, rules)
    unstripped = extract(raw, rules) if given and (stripped.steps, stripped.findings) != (raw.steps, raw.findings) else ()
    again = repeated(run, incidents(_earlier(store, project, run)), profile.extract.extractors)
    derived = iterated(run, profile)
    said = [cleaned(finding) for finding in (*found, *again, *derived)]
    kept = {finding.text for finding in found}
    echoed = [cleaned(finding) for finding in unstripped if finding.text not in kept]
    return tuple(_shaped(each, run, profile) for each in said), tuple(_shaped(each, run, profile) for each in echoed)


def _earlier(store: Store, project: str, run: Run) -> Iterator[Any]:
    """What earlier runs noted as likely to come up again, in their order; asked only for a run that notes such things."""
    if (run.extra or {}).get("incidents"):
        yield from incidents(store, project)


def _unit(store: Reads, project: str, run: Run, id: str) -> str:
    """The unit a run belongs to: its own row's, its root's, or that of the run it asked lessons for under the same name.

    A loop that calls `tacit inject --run R` and later learns its log as R is one run, although the first call cannot know
    which format the log will have. What tests and reviewers say of R (`extra["joins"]`) is part of R also after it was learned.
    """
    from tacit.core.rows import run_id

    row = store.run(id)
    if row is not None:
        return row.root
    if run.root:
        return run_id(project, run.host, run.root)
    asked = store.find_run(project, run.id)
    joins = asked is not None and (not asked.learned_at or bool((run.extra or {}).get("joins")))
    return asked.root if asked is not None and joins else id


def _given(store: Store, unit: str) -> list[str]:
    """The texts this unit was given: its own words must not come back as news."""
    uses = store.uses(unit=unit)
    return [memory.text for memory in store.memories([use.memory for use in uses if use.arm != "withheld"])]


def _redacted(finding: Finding) -> tuple[Finding, int]:
    from tacit.core.memory import sound_text
    from tacit.guard.redact import private, redact, redacted_path, redacted_record

    text, quote = redact(private(sound_text(finding.text))), redact(private(sound_text(finding.quote[:QUOTED])))
    signature = redact(finding.signature).text if finding.signature else ""
    facets = {name: redacted_record(getattr(finding, name)) for name in FACETS}
    # What was read out of the text goes with it: a piece of a secret's address says nothing by itself, and is one all the same.
    gone = [path for path in finding.paths if path in finding.text and path not in text.text]
    lists = {
        "paths": tuple(redacted_path(path) for path in finding.paths if path not in gone),
        "tags": tuple(redacted_record(finding.tags)),
    }
    kept = replace(finding, text=text.text, quote=quote.text[:600], signature=signature, **facets, **lists)
    return kept, len(text.hits) + len(quote.hits)


def _gate(finding: Finding, profile: Profile, known: Mapping[str, str] | None, hold_all: bool) -> GateDecision:
    from tacit.core.staging import PENDING
    from tacit.guard.screen import screened
    from tacit.learn.gate import GATES, GateDecision, GateRules

    at = profile.gate.__dict__
    shared = {name: at[name] for name in GateRules.FIELDS if name in at}  # type: ignore[attr-defined]
    rules = GateRules(**{**shared, "held": profile.trust.held, "kinds": tuple(profile.kinds)})
    title = str((finding.extra or {}).get("title") or "")
    found = screened(finding.text, title, finding.by, finding.category, finding.domain, finding.agent, *finding.paths, *finding.tags)
    decision = GATES[profile.gate.function](
        finding, rules, suspicion="" if found.clean else found.reason, known_lines=known
    )
    decision = replace(decision, version=rules.version or decision.version)
    if hold_all and decision.stored and (decision.outcome == "allow" or decision.rejected):
        return GateDecision("hold", PENDING, version=decision.version)
    return decision


def _judged(
    finding: Finding, profile: Profile, known: Mapping[str, str] | None, hold_all: bool
) -> tuple[Finding, GateDecision]:
    from tacit.learn.classify import settled

    decision = _gate(finding, profile, known, hold_all)
    kept = settled(finding, decision, profile)
    return kept, replace(decision, category=kept.category)


class _Session:
    """The learning of one run inside its transaction: state that has a beginning and an end."""

    def __init__(self, project: Project, profile: Profile, run: Run, id: str, at: str, ids: Callable[[], str]) -> None:
        self.project, self.profile, self.run, self.id, self.at, self.ids = project, profile, run, id, at, ids
        self.redacted = 0
        self.counts = {
            "hold": 0,
            "quarantine": 0,
            "discard": 0,
            "rejected": 0,
            "linked": 0,
            "settled": 0,
            "proposals": 0,
            "findings": 0,
            "known": 0,
            "buried": 0,
        }
        self.new: list[str] = []
        self.matched: list[str] = []
        self.moves: list[tuple[str, str, str, str]] = []
        self.about: dict[str, set[str]] = {}  # finding key -> memories it is about
        self.same: dict[str, str] = {}  # finding key -> the memory that a reader calls the same
        self.rarity: dict[str, Any] = {}  # finding key -> how telling a term was when it was looked for

    def enter(self, tx: Transaction) -> None:
        """Find out what is known of this run already."""
        from tacit.core.rows import RunRow
        from tacit.learn.match import is_read
        from tacit.learn.said import Said

        root = _unit(tx, self.project.id, self.run, self.id)
        self.row = tx.run(self.id) or RunRow(self.id, self.project.id, self.run.host, self.run.id, root)
        self.first = not self.row.learned_at
        asked = tx.run(root) if root != self.id else None  # the same run, under the name it asked for lessons with
        counted = asked.seq if asked and asked.foreign_id == self.run.id else 0
        self.seq = self.row.seq or counted or tx.next_seq(self.project.id)
        self.read = is_read(tx, self.project.id, self.at)
        self.said = Said(tx.findings(run=self.id), self.run.id)
        self.buried = tx.tombstones(self.id)

    def is_over(self) -> bool:
        """The host said so, now or before this word on it, or nothing was added for some hours."""
        from tacit.core.clock import days_between

        hours = days_between(self.run.ended_at, self.at) * 24 if self.run.ended_at else 0.0
        ended = self.row.complete and not self.run.steps
        return self.run.complete or ended or hours >= self.profile.learn.settle_hours

    def take(self, tx: Transaction, judged: Sequence[tuple[Finding, GateDecision]]) -> None:
        """Each finding becomes a memory, a sighting, or a counted nothing."""
        from tacit.learn.match import Neighbours

        for at in range(0, len(judged), PORTION):
            portion = judged[at : at + PORTION]
            self.near = Neighbours(tx, self.project.id, [finding for finding, _ in portion], self.profile)
            for finding, decision in portion:
                self._take(tx, finding, decision)

    def take_for(self, tx: Transaction, run: str, judged: Sequence[tuple[Finding, GateDecision]]) -> None:
        """What this run makes a finding of an earlier one: only the second time does a thing come up again."""
        row = tx.find_run(self.project.id, run)
        if row is None:
            return
        other = _Session(self.project, self.profile, Run(run, row.host), row.id, self.at, self.ids)
        other.enter(tx)
        other.take(tx, judged)
        self.new += other.new
        self.matched += other.matched
        self.moves += other.moves
        self.counts = {name: count + other.counts[name] for name, count in self.counts.items()}

    def _take(self, tx: Transaction, finding: Finding, decision: GateDecision) -> None:
        known, score, runner_up = self._match(tx, finding, decision)
        self.about[finding.key] = {known.id, known.family or known.id} if known else set()
        if self.said.knows(finding):
            self.counts["known"] += 1
            return
        if finding.place in self.buried:
            self.counts["buried"] += 1
            return
        self.said.add(finding)
        self.counts["findings"] += 1
        finding, decision = self._weighed(finding, decision, known)
        memory = ""
        if decision.linked:
            self.counts["linked"] += 1
        elif not decision.stored:
            self.counts["discard"] += 1
        else:
            self.counts["rejected"] += decision.rejected
            memory = self._store(tx, finding, decision, known)
            self.near.wrote(tx, memory, new=known is None)
            self.about[finding.key] |= {memory}
        self._record(tx, finding, decision, memory, score, runner_up)

    def tell(self, tx: Transaction, noticed: Sequence[Incident], lines: Mapping[str, str], hold: bool, person: str) -> None:
        """Write down what was noticed, and tell what has become worth telling by it: an agent, or the person."""
        from tacit.core.rows import run_id
        from tacit.learn.tell import propose, told_by
        from tacit.learn.tell.keep import keep, silenced
        from tacit.stores.incidents import Counts, fold, lineage_of, put_incidents

        own = run_id(self.project.id, self.run.host, self.run.lineage) if self.run.lineage else ""
        lineage = own or lineage_of(tx, self.row.root) or self.row.root
        put_incidents(tx, self.project.id, self.id, lineage, self.seq, noticed, person)
        fold(tx, self.project.id, self.seq)
        how = self.profile.extract.extractors.get("notice")
        if how is None or not how.on or not noticed:
            return
        counts = Counts(tx, self.project.id, person, self.id)
        told = told_by(counts, noticed, lines, here=lambda path: os.path.lexists(os.path.join(self.run.cwd, path)))
        for lesson in told.lessons:
            id, new = keep(
                tx, self.project, self.profile, lesson, run=self.id, seq=self.seq, at=self.at, ids=self.ids, hold=hold
            )  # fmt: skip
            (self.new if new else self.matched).append(id)
            self._promote(tx, id)
        for subject in told.silent:
            gone = silenced(tx, self.project.id, subject, at=self.at, run=self.id, profile_version=self.project.profile)
            if gone is not None:
                tx.apply(gone)
        self.counts["proposals"] += propose(tx, self.project.id, told.person, self.at)

    def _weighed(self, finding: Finding, decision: GateDecision, known: Memory | None) -> tuple[Finding, GateDecision]:
        """What is too slight to be new is counted and nothing more; of what is known, poor figures are a sighting still."""
        from tacit.learn.shape import too_slight

        if known is None and decision.stored and too_slight(finding, self.profile):
            slight = f"{finding.severity}, and not known"
            return finding, replace(decision, outcome="discard", reason=slight, rejected=False)
        if decision.rejected and known is not None and known.gate != "discard":
            figures = {**(finding.extra or {}), "success_rate": None}
            told = f"known; its figures here are not taken: {decision.reason}"
            return replace(finding, confidence=None, extra=figures), replace(
                decision, outcome="allow", reason=told, rejected=False
            )
        return finding, decision

    def _match(self, tx: Transaction, finding: Finding, decision: GateDecision) -> tuple[Memory | None, float, float]:
        from tacit.learn.match import match, standing
        from tacit.learn.shape import too_slight

        # A model is asked about lessons only: what becomes none by itself is left to words.
        read = self.read and decision.outcome == "allow" and not decision.linked
        read = read and finding.tier not in self.profile.trust.person and not too_slight(finding, self.profile)
        if told := tx.memories([self.same[finding.key]]) if finding.key in self.same else []:
            self.twin, self.rarity[finding.key] = None, None
            return standing(tx, told[0]), 1.0, 0.0
        found = match(tx, self.project.id, finding, self.profile, self.near.of(finding), read=read)
        memory = standing(tx, tx.get(found.memory.id)) if found.memory else None  # as it is now
        self.twin = found.twin
        self.rarity[finding.key] = found.rarity
        return memory, found.score, found.runner_up

    def _store(self, tx: Transaction, finding: Finding, decision: GateDecision, known: Memory | None) -> str:
        from tacit.core.keep import made
        from tacit.learn.stage import confirmed, joined, new_memory

        version = self.project.profile
        if known is None:
            memory = new_memory(finding, decision, self.profile, self.project.id, self.ids(), self.at)
            if self.twin is not None:
                memory = replace(memory, family=self.twin.family or self.twin.id)
            told = f"{finding.extractor}: {decision.reason}"
            tx.apply(made(memory, by=BY, reason=told, at=self.at, run=self.id, profile=version))
            self.new.append(memory.id)
            if decision.outcome in ("hold", "quarantine"):
                self.counts[decision.outcome] += 1
        else:
            memory = known
            self.matched.append(memory.id)
            finding, changes = joined(
                known, finding, decision, self.profile, by=BY, at=self.at, run=self.id, profile_version=version
            )
            for change in changes:
                tx.apply(change)
        self._witness(tx, memory, finding, decision)
        vouched = confirmed(
            tx.get(memory.id), finding, self.profile, by=BY, at=self.at, run=self.id, profile_version=version
        )
        if vouched is not None:
            tx.apply(vouched)
        self._promote(tx, memory.id)
        return memory.id

    def _witness(self, tx: Transaction, memory: Memory, finding: Finding, decision: GateDecision) -> None:
        stance = finding.stance
        if stance == "contradicts":
            stance = stance_against(finding.tier, tier_to_take_away(memory, tx.evidence(memory.id)))
        tx.add_evidence(
            Evidence(
                memory=memory.id,
                project=memory.project,
                run=self.id,
                root=self.row.root,
                finding=finding.key,
                stance=stance,
                origin=finding.origin or self.run.descent,
                by=finding.by,
                tier=(finding.extra or {}).get("witness") or finding.tier,
                place=finding.place,
                quote=finding.quote,
                at=finding.at or self.run.ended_at or self.at,
                seq=self.seq,
            )
        )
        confidence = finding.confidence if decision.confidence is None else decision.confidence
        for signal, figure in (("confidence", confidence), ("success_rate", (finding.extra or {}).get("success_rate"))):
            if isinstance(figure, (int, float)):
                tx.add_evidence(
                    Evidence(
                        memory.id,
                        memory.project,
                        self.id,
                        self.row.root,
                        finding.key,
                        signal=signal,
                        amount=figure,
                        at=self.at,
                    )
                )

    def _promote(self, tx: Transaction, id: str, figures: Callable[[], str] = str) -> None:
        from tacit.learn.promote import promote

        done = promote(
            tx, self.project, self.profile, id, by=BY, at=self.at, ids=self.ids, run=self.id, seq=self.seq, figures=figures
        )  # fmt: skip
        self.moves += done.moves
        self.counts["proposals"] += done.proposals

    def _record(
        self, tx: Transaction, finding: Finding, decision: GateDecision, memory: str, score: float, runner_up: float
    ) -> None:
        from tacit.core.rows import FindingRow

        stays = bool(memory)
        tx.put_finding(
            FindingRow(
                key=finding.key,
                project=self.project.id,
                run=self.id,
                place=finding.place,
                extractor=finding.extractor,
                version=finding.version,
                memory=memory,
                outcome="linked" if decision.linked else decision.outcome,
                reason=decision.reason,
                gate=decision.version,
                text=finding.text if stays else "",
                digest=digest("finding", finding.text),
                kind=finding.kind,
                by=finding.by,
                tier=finding.tier,
                origin=finding.origin if stays else "",
                signature=finding.signature if stays else "",
                score=score,
                runner_up=runner_up,
                at=finding.at or self.at,
            )
        )
        if decision.fallback:
            tx.count(self.project.id, "gate_fallback", self.at)

    # Uses are settled with every finding of the run, new or met before, stored or discarded: a problem that came back came back,
    # whatever the gate thought of how it was told.
    def settle(
        self, tx: Transaction, judged: Sequence[tuple[Finding, GateDecision]], over: bool, echoed: Sequence[Finding] = (),
        lines: Mapping[str, str] | None = None,
    ) -> None:
        """Judge every use of this unit by what the run held and found, also by what was taken out as echo."""
        from tacit.learn.apply import packed
        from tacit.learn.echo import cited
        from tacit.learn.lines import stands_in
        from tacit.learn.match import prepared
        from tacit.learn.settle import Seen, outcome_of, unit_outcome
        from tacit.trial.outcome import clock_behind
        from tacit.trial.table import graded

        packed(
            tx, self.project.id, self.run.host, self.run, run_id=self.id, unit=self.row.root, at=self.run.started_at or self.at
        )  # fmt: skip
        self.settled = over
        uses = [use for use in tx.uses(unit=self.row.root) if use.memory]
        if not uses:
            return
        memories = {memory.id: memory for memory in tx.memories([use.memory for use in uses])}
        readied = [(finding, prepared(finding)) for finding in (*(each for each, _ in judged), *echoed)]
        earlier = [Seen(finding, frozenset({memory})) for finding, memory in self.said.before()]
        marks = tx.marks(unit=self.row.root)
        tellings = [each for each in tx.tellings(self.row.root) if each.surface.startswith("hook")]
        last = {mark.memory: (mark.value, graded(mark.amount)) for mark in marks if mark.signal == "outcome"}
        ended = self.run.ended_at or next((step.at for step in reversed(self.run.steps) if step.at), "")
        behind = clock_behind(self.run.started_at, ended, min(use.at for use in uses))
        if behind and over:
            tx.count(self.project.id, "clock_behind", self.at)
        shown = [use.memory for use in uses if use.arm != "withheld" and use.memory in memories]
        quoted = cited(self.run, shown, [memories[id].text for id in shown])
        for use in uses:
            memory = memories.get(use.memory)
            if memory is None:
                continue
            self._mark_delivery(tx, use.memory, marks, quoted)
            instructed = lines is not None and stands_in(memory.text, lines)
            if lines is not None and instructed != bool((memory.tally.signals or {}).get(INSTRUCTED)):
                tx.put_signal(memory.id, memory.project, INSTRUCTED, float(instructed))
            about = [*earlier, *(Seen(f, frozenset(self._about(f, p, memory))) for f, p in readied)]
            outcome = outcome_of(use, memory, self.run, about, over=over, now=self.at, behind=behind, tellings=tellings)
            unit = unit_outcome(outcome, self.id, [m for m in marks if m.memory == memory.id])
            if outcome.settled and (unit.value, graded(unit.loss or 1.0)) != last.get(memory.id):
                self._mark_outcome(tx, use, outcome, unit, last.get(memory.id, ("", 0))[0])
        if over:
            self._fare(tx, uses, judged)

    def _fare(self, tx: Transaction, uses: Sequence[Use], judged: Sequence[tuple[Finding, GateDecision]]) -> None:
        """The origins' own word on what was given, where the profile keeps one; then the ladders speak."""
        from tacit.learn.apply import record

        against = {finding.key for finding, _ in judged if finding.stance == "contradicts"}
        said = set().union(*(about for key, about in self.about.items() if key not in against))
        denied = set().union(*(about for key, about in self.about.items() if key in against))
        again = record(
            tx, self.profile, self.run, uses, run_id=self.id, repeated=said.__contains__, contradicted=denied.__contains__,
            at=self.at, profile_version=self.project.profile,
        )  # fmt: skip
        for memory in again:
            self._promote(tx, memory)

    def _about(self, finding: Finding, readied: Prepared, memory: Memory) -> set[str]:
        """The memories a finding is about, and this one if it is its problem."""
        from tacit.learn.match import same

        found = self.about.get(finding.key, set())
        return found | {memory.id} if same(memory, readied, self.profile, self.rarity.get(finding.key)) else found

    def _mark_outcome(self, tx: Transaction, use: Use, own: Outcome, unit: Outcome, last: str) -> None:
        memory = use.memory
        if self.id != self.row.root:
            tx.add_mark(
                Mark(
                    memory,
                    self.row.root,
                    self.project.id,
                    "run_outcome",
                    own.value,
                    own.loss or 1.0,
                    run=self.id,
                    reason=own.reason,
                    at=self.at,
                )
            )
        mark = Mark(
            memory, self.row.root, self.project.id, "outcome", unit.value, unit.loss or 1.0, self.id, reason=unit.reason, at=self.at
        )  # fmt: skip
        self.counts["settled"] += 1
        tx.add_outcome(use, mark, last)
        # Without a toss the control group has nothing new to say, and a use of former words says nothing of the present ones.
        if use.arm != "exempt" and use.at > tx.measured_since(memory):
            self._judge(tx, use, unit, last)

    def _judge(self, tx: Transaction, use: Use, outcome: Outcome, last: str) -> None:
        """What the control group says of this lesson now, and what its ladder makes of it."""
        from tacit.core.links import IN_EPOCH
        from tacit.core.memory import VERDICTS
        from tacit.learn.verdict import judged, verdicts_in
        from tacit.trial.effect import NOT_YET_KNOWN
        from tacit.trial.run_outcomes import RUN_FAILED

        memory = tx.get(use.memory)
        course = self._course(tx, memory, use, outcome, last)
        tx.put_signal(memory.id, memory.project, f"{IN_EPOCH}{use.epoch}", 1.0 + VERDICTS.index(course.word))
        known = verdicts_in(memory.tally.signals or {})
        runs = known.pop(RUN_FAILED, NOT_YET_KNOWN)
        others = [word for epoch, word in known.items() if epoch != use.epoch]
        found = judged(memory, course, others, runs, by=BY, at=self.at, run=self.id, version=self.project.profile)
        tx.put_signal(memory.id, memory.project, "belief", found.belief.help)
        tx.put_signal(memory.id, memory.project, "belief_harm", found.belief.harm)
        if found.change is not None:
            tx.apply(found.change)
        self._promote(tx, memory.id, found.figures)

    def _course(self, tx: Transaction, memory: Memory, use: Use, outcome: Outcome, last: str) -> Course:
        """How far the lesson has come in the epoch of this use: one step on from where it stood, or from its whole past."""
        from tacit.learn.verdict import gone_on
        from tacit.trial.effect import course_from_json, course_of, course_to_json
        from tacit.trial.table import by_epoch, trial_of, trials_from

        rules, kept = self.profile.effect, "" if last else tx.course(memory.id, use.epoch)
        trial = trial_of(use, outcome.value, self.at, outcome.loss or 1.0)
        course = gone_on(course_from_json(kept), trial, rules.alpha, rules.margin) if kept else None
        if course is None:
            past = trials_from(tx.uses(memory=memory.id), tx.marks(memory=memory.id))
            course = course_of(by_epoch(past).get(use.epoch, ()), rules.alpha, rules.margin)
        tx.put_course(memory.id, memory.project, use.epoch, course_to_json(course))
        return course

    def _watch_runs(self, tx: Transaction) -> None:
        """Whether more runs fail that get a lesson of this unit: then it harms, whatever becomes of its own problem."""
        from tacit.core.journal import change
        from tacit.learn.run_failed import followed, told
        from tacit.trial.effect import HARMS

        row = tx.run(self.id)
        uses = [use for use in tx.uses(unit=self.row.root) if use.arm != "exempt" and not use.blank]
        there = {memory.id for memory in tx.memories([use.memory for use in uses])}
        for use in uses:
            if row is None or use.memory not in there or use.at <= tx.measured_since(use.memory):
                continue
            course = followed(tx, self.profile, use, row, again=bool(self.row.settled_at))
            memory = tx.get(use.memory)
            if course.word == HARMS and memory.verdict != HARMS:
                now, why = replace(memory, verdict=HARMS, updated_at=self.at), told(course)
                tx.apply(change(memory, now, verb="verdict", by=BY, reason=why, at=self.at, run=self.id, profile=self.project.profile))
                self._promote(tx, memory.id, lambda why=why: why)  # type: ignore[misc]

    def _mark_delivery(self, tx: Transaction, memory: str, marks: Sequence[Mark], quoted: set[str]) -> None:
        have = {mark.signal for mark in marks if mark.memory == memory}
        arrived = any(memory in step.text for step in self.run.steps if step.role == "system" and step.text)
        for signal, holds in (("delivered", arrived), ("cited", memory in quoted)):
            if holds and signal not in have:
                tx.add_mark(Mark(memory, self.row.root, self.project.id, signal, run=self.id, at=self.at))

    def leave(self, tx: Transaction) -> None:
        """Write the run's row."""
        from tacit.guard.redact import private, redact, redacted_path, redacted_record

        run, over = self.run, getattr(self, "settled", False) or self.is_over()
        reading = run.reading
        said = tx.findings(run=self.id)
        facts: dict[str, Any] = {
            "steps": len(run.steps),
            "findings": len(said),
            # A file, folder or branch can be named after a secret as well as a sentence can hold one.
            "files": [redacted_path(path) for path in run.files[:200]],
            "cwd": redacted_path(run.cwd),
            "branch": redacted_path(run.branch),
        }
        if run.cost:
            facts["cost"] = dict(run.cost.__dict__)
        if noted := (run.extra or {}).get("incidents"):
            facts["incidents"] = [
                {name: redact(private(at)).text if isinstance(at, str) else at for name, at in each.items()}
                for each in noted[:MOST_INCIDENTS]
            ]
        if reading:
            facts["reading"] = {
                "lines": reading.lines,
                "malformed": reading.malformed,
                "unknown": dict(reading.unknown or {}),
            }
        # A later word on the same run may be one finding: what it leaves open stays as it was.
        facts = {**(self.row.facts or {}), **{name: fact for name, fact in facts.items() if fact or not self.row.facts}}
        tx.put_run(
            replace(
                self.row,
                seq=self.seq,
                agent=redacted_record(run.agent) or self.row.agent,
                model=redacted_record(run.model) or self.row.model,
                version=run.version or self.row.version,
                domain=redacted_record(run.domain) or self.row.domain,
                task=redact(private(run.task[: 2 * QUOTED])).text[:2000] or self.row.task,
                task_id=redacted_record(run.task_id) or self.row.task_id,
                task_type=redacted_record(run.task_type) or self.row.task_type,
                outcome=run.outcome if run.outcome != "unknown" else self.row.outcome,
                complete=run.complete or over,
                started_at=run.started_at or self.row.started_at,
                ended_at=run.ended_at or self.row.ended_at,
                learned_at=self.row.learned_at or self.at,
                settled_at=self.at if over else "",
                path=run.path if run.path and redacted_record(run.path) == run.path else self.row.path,  # not with a secret
                facts=facts,
            )
        )
        for memory in dict.fromkeys(finding.memory for finding in said if finding.memory):
            tx.reword(memory)
        if over and run.outcome in ("success", "failure"):
            self._watch_runs(tx)
        if reading and reading.malformed and self.first:
            tx.count(self.project.id, "malformed_lines", self.at, reading.malformed)

    def report(self, dry_run: bool = False) -> Learned:
        """What came of it."""
        at = self.counts
        return Learned(
            run=self.run.id,
            format=self.run.host,
            already=not self.first and not at["findings"],
            findings=at["findings"],
            known=at["known"],
            buried=at["buried"],
            new=tuple(self.new),
            matched=tuple(dict.fromkeys(self.matched)),
            held=at["hold"],
            quarantined=at["quarantine"],
            discarded=at["discard"],
            rejected=at["rejected"],
            linked=at["linked"],
            redacted=self.redacted,
            settled=at["settled"],
            moves=tuple(self.moves),
            proposals=at["proposals"],
            dry_run=dry_run,
            warnings=(*(self.run.reading.warnings if self.run.reading else ()), *self._left_out()),
        )

    def _left_out(self) -> Iterator[str]:
        if count := self.counts["buried"]:
            told = "what was said at the same place of this run was erased. If it is something else, learn it under another run id"
            yield f"{self.run.id}: {count} left out: {told}."

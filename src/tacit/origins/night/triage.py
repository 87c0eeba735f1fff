"""Who decides a proposal for the page: rules, then a model in batches (`triage_rules`), then a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tacit.core.digest import digest
from tacit.core.edits import paged
from tacit.core.errors import Refused, Unavailable
from tacit.core.journal import Entry, Hand
from tacit.core.moves import lifted
from tacit.core.proposal import APPROVED, OPEN, REJECTED, Proposal
from tacit.core.value import replace
from tacit.hookspecs import of_origins
from tacit.lesson import Lesson
from tacit.origins.night.agreement import DECIDING_TIERS, Later, TrackRecord, track_record
from tacit.origins.night.context import NOTHING, Context, StepReport
from tacit.origins.night.layout import entry_of, said_by
from tacit.origins.night.page_candidates import lessons_on_pages as on_pages
from tacit.origins.night.page_candidates import propose
from tacit.origins.night.page_ledger import read_book
from tacit.origins.night.triage_rules import RULES, Suggested, answers, batches, question, schema
from tacit.safety.screen import screen
from tacit.store import lookups
from tacit.store.reads import Reads

if TYPE_CHECKING:
    from tacit.store.writes import Transaction


# Triage of the lines that wait for the page: rules at once, a model in batches, a person for the rest.
#
# A tier decides alone only as long as it agrees with people and outcomes; otherwise, and for each tenth decision, its word is
# kept as advice and a person decides, which is how agreement is known. What a model was asked it is not asked again, and each
# batch's decisions are one transaction: a process killed at any point repeats at most the call it was waiting for.
#
# Approving a line marks its lesson as standing on the page; the page step writes the file and closes the proposal.

_BY = "triage"  # with the tier's name, the author of its decisions
_LEFT_TO_PERSON = 10  # one decision in so many is left to a person, to compare
_ASKED = 2  # questions about a proposal that a model may leave unanswered before a person is asked
RECORD = 500  # a tier's latest decisions that are looked at
_PERSON_TIER = "person"


class Judge:
    """One pass over what waits."""

    def __init__(self, context: Context) -> None:
        self.context, self.settings = context, context.profile.triage
        self.model = context.model if "triage" in context.profile.model.steps else None
        self.alone: dict[str, bool] = {}  # which tiers may decide alone
        self.counts: dict[str, int] = {}
        self.judged: set[str] = set()  # in this pass; a dry run keeps nothing that tells
        self.notes: list[str] = []
        self.proposed: list[str] = []

    def step(self) -> StepReport:
        """Tier 1 for what is new, tier 2 for what it left open; the report counts by tier and action."""
        store, project = self.context.store, self.context.project.id
        if not _waiting(store, project):
            return StepReport("triage", skipped=NOTHING)
        self.alone = {each.tier: each.autonomous for each in standings(store, project)}
        self._rules()
        if self.model is None:
            self._hand_on(("", *DECIDING_TIERS), _PERSON_TIER)
        else:
            self._hand_on(("", "rules"), "model")
            if not self.context.dry_run:
                self._ask()
        done = sum(n for name, n in self.counts.items() if name.endswith((" promote", " reject")))
        return StepReport(
            "triage",
            done,
            proposals=tuple(self.proposed),
            notes=tuple(self.notes),
            figures=dict(self.counts),
        )

    # -- tiers ------------------------------------------------------------------------------------

    def _rules(self) -> None:
        judge = RULES.get(self.settings.rules) or of_origins("triage", self.settings.rules)
        with self.context.write() as tx:
            waiting = {each.id: each for each in _waiting(tx, self.context.project.id)}
            lines = [
                entry_of(memory, self.context.profile.page).said
                for memory in on_pages(tx, self.context.project.id)
            ]
            for proposal in [each for each in waiting.values() if each.tier in ("", "rules")]:
                if proposal.id not in waiting:
                    continue  # it gave way to another
                word = judge(
                    _suggested(proposal),
                    lines,
                    [_suggested(each) for each in waiting.values()],
                    self.settings,
                )
                if word.action == "merge":
                    self._give_way(tx, waiting.pop(word.merge_with), proposal)
                elif word.action != "review":
                    del waiting[proposal.id]
                    self._take(tx, proposal, "rules", word.action, word.reason)

    def _give_way(self, tx: Transaction, shorter: Proposal, longer: Proposal) -> None:
        """Of two that say the same the shorter is rejected; the longer goes on."""
        self._take(tx, shorter, "rules", "reject", f"proposal {longer.id} says the same and more")

    def _ask(self) -> None:
        """Ask in batches. What it does not answer stays queued, for a second question at most."""
        assert self.model is not None
        store, project = self.context.store, self.context.project.id
        waiting = {each.id: each for each in _waiting(store, project) if each.tier == "model"}
        for batch in batches([_suggested(each) for each in waiting.values()]):
            self.context.alive()
            self.context.tell("triage", f"asking about {len(batch)} lines")
            try:
                said = self.model.ask(
                    question(batch, self.context.profile.page.sections),
                    schema=schema(),
                    timeout=self.context.profile.model.timeout_s,
                )
            except Unavailable as error:
                self.notes.append(f"{len(waiting)} lines wait for the model. {error.message}")
                return
            self._read(said, batch)

    def _read(self, said: str, batch: Sequence[Suggested]) -> None:
        judged = {each.id: each for each in answers(said, batch)}
        with self.context.write() as tx:
            for asked in batch:
                proposal = tx.proposal(asked.id)
                if proposal is None or proposal.state != OPEN or proposal.tier != "model":
                    continue
                word = judged.get(asked.id)
                if word is None:
                    self._unanswered(tx, proposal)
                elif word.action == "review":
                    self._to_person(tx, proposal, "model", "review", word.reason)
                else:
                    self._take(tx, proposal, "model", word.action, word.reason)
                    if word.action == "promote":
                        self._propose_words(
                            tx, proposal, said_by(word.text, self.context.profile.page)
                        )

    def _unanswered(self, tx: Transaction, proposal: Proposal) -> None:
        times = int((proposal.payload or {}).get("asked", 0)) + 1
        payload = {**(proposal.payload or {}), "asked": times}
        tx.put_proposal(
            replace(proposal, payload=payload, tier=_PERSON_TIER if times >= _ASKED else "model")
        )
        self._count("model", "unanswered")

    def _hand_on(self, tiers: Sequence[str], to: str) -> None:
        """What these tiers left open goes to another."""
        with self.context.write() as tx:
            for each in _waiting(tx, self.context.project.id):
                if each.tier in tiers and each.id not in self.judged:
                    tx.put_proposal(replace(each, tier=to))
                    self._count(to, "asked")

    # -- decisions --------------------------------------------------------------------------------

    def _take(
        self, tx: Transaction, proposal: Proposal, tier: str, action: str, reason: str
    ) -> None:
        """A tier's word: a decision where it may decide alone, advice for a person otherwise."""
        self.judged.add(proposal.id)
        if not self.alone.get(tier, True) or is_checked(proposal.id, self.settings.checked):
            self._to_person(tx, proposal, tier, action, reason)
            return
        by, at = f"{_BY}:{tier}", self.context.now()
        noted = with_word(proposal, tier, action, reason, at, alone=True)
        if action == "promote":
            hand = Hand(by, at, profile=self.context.project.profile)
            try:
                change = paged(tx.get(proposal.memory), True, hand, f"{reason}: off trial")
            except Refused as error:
                self._to_person(tx, proposal, tier, "review", error.message)
                return
            if change is not None:
                tx.apply(change)
            change = lifted(tx.get(proposal.memory), self.context.profile, tier, hand)
            if change is not None:
                tx.apply(change)
            tx.put_proposal(replace(noted, tier=tier))
        else:
            tx.put_proposal(
                replace(
                    noted, state=REJECTED, tier=tier, decided_by=by, decided_at=at, decision=reason
                )
            )
        self._count(tier, action)

    def _to_person(
        self, tx: Transaction, proposal: Proposal, tier: str, action: str, reason: str
    ) -> None:
        tx.put_proposal(
            replace(
                with_word(proposal, tier, action, reason, self.context.now(), alone=False),
                tier=_PERSON_TIER,
            )
        )
        self._count(tier, "review" if action == "review" else f"{action} advice")

    def _propose_words(self, tx: Transaction, proposal: Proposal, text: str) -> None:
        """A model's better words for a line are a proposal to a person, unless they say something else or try something."""
        memory = tx.get(proposal.memory)
        if not is_fair_rewrite(memory, text):
            return
        payload = {"text": text, "was": memory.text, "evidence": quotes(tx, memory)}
        told = f"the model's words for it: {text}"
        self.proposed.append(
            self.context.propose(tx, "edit", told, memory.id, payload=payload, by=f"{_BY}:model")
        )

    def _count(self, tier: str, action: str) -> None:
        name = f"{tier} {action}"
        self.counts[name] = self.counts.get(name, 0) + 1


def is_checked(id: str, one_in: int = _LEFT_TO_PERSON) -> bool:
    """Whether a person decides this one, so that tiers are measured; the same answer whenever it is asked."""
    return bool(one_in) and digest("triage", id)[0] % one_in == 0


def is_fair_rewrite(memory: Lesson, text: str) -> bool:
    """Whether a model's text for a lesson may be proposed: other words, and nothing that reads like an attack."""
    return bool(text) and text != " ".join(memory.text.split()) and bool(screen(text).clean)


def quotes(tx: Reads, memory: Lesson, most: int = 3) -> list[dict[str, str]]:
    """The newest quoted evidence of a lesson."""
    told = [each for each in tx.evidence(memory.id) if each.quote]
    return [{"run": each.run, "quote": each.quote[:300]} for each in told[-most:]]


def with_word(
    proposal: Proposal, tier: str, action: str, reason: str, at: str, *, alone: bool
) -> Proposal:
    """A proposal with one more word on it."""
    payload = dict(proposal.payload or {})
    word = {"tier": tier, "action": action, "reason": reason, "at": at, "alone": alone}
    return replace(proposal, payload={**payload, "judged": [*payload.get("judged", ()), word]})


def _waiting(store: Reads, project: str) -> list[Proposal]:
    """Lines that wait for the page and were not put on it yet, before a person's tier."""
    found = [
        each
        for each in store.proposals(project, state=OPEN, limit=-1)
        if each.kind == "page"
        and each.tier in ("", *DECIDING_TIERS)
        and each.memory
        and (each.payload or {}).get("act", "put") == "put"
    ]
    on_page = {
        memory.id for memory in store.memories([each.memory for each in found]) if memory.on_page
    }
    return [each for each in found if each.memory not in on_page]


def _suggested(proposal: Proposal) -> Suggested:
    at = proposal.payload or {}
    return Suggested(
        proposal.id, str(at.get("section", "")), str(at.get("text", "")), str(at.get("line", ""))
    )


# -- the record --------------------------------------------------------------------------------------------------------


def standings(store: Reads, project: str) -> tuple[TrackRecord, ...]:
    """The record of each tier, from the words on its proposals and what is known of them by now."""
    judged = judged_proposals(store, project, "page")
    memories = {memory.id: memory for memory in store.memories([each.memory for each in judged])}
    told: dict[str, list[tuple[str, Later]]] = {tier: [] for tier in DECIDING_TIERS}
    for proposal in judged:
        for word in (proposal.payload or {}).get("judged", ()):
            if word.get("tier") in told and proposal.memory in memories:
                later = _later(store, proposal, memories[proposal.memory], str(word.get("at", "")))
                told[word["tier"]].append((str(word.get("action", "")), later))
    return tuple(track_record(tier, decisions) for tier, decisions in told.items())


def judged_proposals(store: Reads, project: str, kind: str, action: str = "") -> list[Proposal]:
    """The latest proposals of a kind with a tier's word on them, as many as its record counts."""
    return lookups.judged_proposals(store, project, kind, action, RECORD)


def _later(store: Reads, proposal: Proposal, memory: Lesson, since: str) -> Later:
    by_person = [
        entry for entry in store.entries(memory=memory.id, since=since) if is_person(entry.by)
    ]
    decided = (
        proposal.state
        if proposal.state in (APPROVED, REJECTED) and is_person(proposal.decided_by)
        else ""
    )
    return Later(
        decided, _any(by_person, False), _any(by_person, True), memory.state, memory.verdict
    )


def _any(entries: Iterable[Entry], good: bool) -> bool:
    """Whether a person did something for a lesson, or against it."""
    if good:
        return any(entry.verb in ("pin", "approve") or _is_paged(entry, True) for entry in entries)
    return any(
        entry.verb == "forget" or entry.after.get("state") == "gone" or _is_paged(entry, False)
        for entry in entries
    )


def _is_paged(entry: Entry, on: bool) -> bool:
    return entry.verb == "page" and bool(entry.after.get("on_page")) is on


def is_person(name: str) -> bool:
    """Tiers, passes and the pipeline sign with names of their own; whoever else decides is a person."""
    return (
        bool(name)
        and not name.startswith((f"{_BY}:", "tend:"))
        and name not in ("tend", "learn", "agent", "sweep", "merge")
    )


def step(context: Context) -> StepReport:
    """Put what has earned a line on a kept page before the tiers, and judge what waits, as far as rules and a model may."""
    asked: tuple[str, ...] = ()
    if context.files is not None and read_book(context.store, context.project.id).kept:
        with context.write() as tx:
            asked = propose(tx, context)
    report = Judge(context).step()
    return replace(report, proposals=(*asked, *report.proposals))

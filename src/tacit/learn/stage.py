"""What becomes of a finding that passed the gate, as pure changes."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.journal import Change, Hand
from tacit.core.moves import moved as moved
from tacit.core.profile import Profile, class_of, kind_named
from tacit.core.proposal import staging_status
from tacit.core.run import Finding
from tacit.core.standing import CAUSES, is_settled
from tacit.core.states import GONE, WAITING
from tacit.core.trust import HELD, READ_AS, above, may_vouch
from tacit.core.value import replace, value
from tacit.learn.gate import GateDecision
from tacit.lesson import CONFIRMS, HEARD_WORDS, PERSONAL, Lesson, kept_subject, sound_text
from tacit.words.match import says_more
from tacit.words.prepared import prepare
from tacit.words.subject import subject_by_rules


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


def added(first: Learned, second: Learned) -> Learned:
    """Two reports of one run as one."""
    summed = "findings known buried held quarantined discarded rejected linked redacted proposals moves new warnings".split()
    parts = {name: getattr(first, name) + getattr(second, name) for name in summed}
    matched = tuple(dict.fromkeys((*first.matched, *second.matched)))
    return replace(first, **parts, matched=matched, already=first.already and not second.findings)


def new_memory(
    finding: Finding, decision: GateDecision, profile: Profile, project: str, id: str, at: str
) -> Lesson:
    """The candidate that a finding becomes."""
    kind = kind_named(profile, finding.kind)
    memory = Lesson(
        id=id,
        project=project,
        text=sound_text(decision.text or finding.text),
        kind=kind,
        klass=class_of(profile, kind),
        category=decision.category or finding.category,
        scope=scope_at_birth(finding, profile),
        domain=finding.domain,
        agent=finding.agent,
        task_type=finding.task_type,
        tags=finding.tags,
        paths=finding.paths,
        severity=finding.severity,
        source=finding.by,
        origin=finding.origin,
        trust=finding.tier,
        gate=decision.outcome,
        gate_reason="" if decision.outcome == "allow" else decision.reason,
        state=WAITING,
        signature=finding.signature,
        created_at=at,
        updated_at=at,
        extra=dict(finding.extra) if finding.extra else None,
        about=kept_subject(finding.about),
    )
    return with_subject(memory, profile, (finding.quote,))


def with_subject(memory: Lesson, profile: Profile, quotes: Sequence[str] = ()) -> Lesson:
    """A new lesson with its subject by rules, where nobody said what it is about and the profile
    tells moments apart."""
    if memory.about or not profile.budget.start_tokens:
        return memory
    return replace(memory, about=subject_by_rules(memory, quotes))


def scope_at_birth(finding: Finding, profile: Profile) -> str:
    """How far a new lesson reaches."""
    scope = finding.scope or profile.kinds[kind_named(profile, finding.kind)].scope or "project"
    return "project" if scope in ("agent", "global") else scope


def met_again(
    memory: Lesson, finding: Finding, decision: GateDecision, profile: Profile, hand: Hand
) -> tuple[Finding, list[Change]]:
    """A known lesson met again: the finding with the figures of both, and what changes in the
    lesson."""
    changes: list[Change] = []
    if memory.gate == "discard" and decision.outcome == "allow" and memory.closed_by in CAUSES:
        now = replace(memory, gate="allow", gate_reason="")
        changes.append(
            hand.change(memory, now, "gate", "a later run brought it with better figures")
        )
        memory = changes[-1].memory
    together = profile.own.pooled(memory, finding) if profile.own else None
    if together is None:
        return finding, changes
    finding, extra = together
    if extra != memory.extra:
        now = replace(memory, extra=extra)
        changes.append(hand.change(memory, now, "figures", f"figures of {finding.run} joined"))
    return finding, changes


def takes_over(finding: Finding, memory: Lesson, profile: Profile) -> bool:
    """Whether a lesson that is a reader's wording is from now on what a finding says."""
    person = finding.tier in PERSONAL
    return (
        bool((memory.extra or {}).get(READ_AS))
        and not is_settled(memory)
        and (person or memory.state == WAITING)
    )


def in_better_words(
    memory: Lesson, finding: Finding, profile: Profile, hand: Hand
) -> Change | None:
    """A lesson that is said again by whose word is worth more than its source's, in their words."""
    person, own = finding.tier in PERSONAL, memory.trust in PERSONAL
    old, new = prepare(memory.text), prepare(finding.text)
    more, less = says_more(old, new), says_more(new, old)
    heard = (finding.extra or {}).get(READ_AS) in HEARD_WORDS and (memory.extra or {}).get(
        READ_AS
    ) not in HEARD_WORDS
    better = person or (
        may_vouch(finding.witness, above(memory.trust)) and takes_over(finding, memory, profile)
    )
    fuller = less and not more if own else person or more or heard
    if memory.state == GONE or is_settled(memory) or not better or not fuller:
        return None
    now = replace(
        memory,
        text=sound_text(finding.text),
        trust=finding.tier,
        source=finding.by,
        origin=finding.origin,
        tags=finding.tags,
        paths=finding.paths,
        about=kept_subject(finding.about),
        extra=dict(finding.extra) if finding.extra else None,
    )
    told = (
        "the person says more of it now"
        if own
        else f"in the words that {finding.witness} evidence bears out"
    )
    return hand.change(memory, now, "edit", told)


def confirmed(memory: Lesson, finding: Finding, hand: Hand) -> Change | None:
    """A held lesson that independent evidence of a tier that confirms speaks for is let in."""
    if (
        memory.gate != "hold"
        or memory.trust not in HELD
        or staging_status(memory)
        or not may_vouch(finding.tier, CONFIRMS)
        or (finding.origin and finding.origin == memory.origin)
    ):
        return None
    now = replace(memory, gate="allow", gate_reason=f"confirmed by {finding.by or finding.tier}")
    return hand.change(memory, now, "gate", f"{finding.tier} evidence confirms it")


def vouched_for(
    memory: Lesson, finding: Finding, decision: GateDecision, hand: Hand
) -> Change | None:
    """A lesson that was held because nobody stood for the log of its words, once somebody does."""
    if (
        memory.gate != "hold"
        or memory.trust not in HELD
        or finding.tier in HELD
        or staging_status(memory)
    ):
        return None
    if memory.text != sound_text(decision.text or finding.text):
        return None  # its words are another log's
    why = "" if decision.outcome == "allow" else decision.reason
    now = replace(memory, gate=decision.outcome, gate_reason=why, trust=finding.tier)
    return hand.change(memory, now, "gate", "somebody stands now for the log that it came from")

"""May a lesson be told? One function says so of every text on its way into memory, with the reason:
`may_be_told`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tacit.core.profile import Profile
from tacit.core.run import Finding
from tacit.core.trust import HELD
from tacit.core.value import value
from tacit.lesson import PERSONAL
from tacit.reading.echo import plain_line
from tacit.safety.provenance import GROUNDED
from tacit.safety.screen import screened

if TYPE_CHECKING:
    from tacit.safety.witness import Vouch

    class Gate(Protocol):
        """What every gate is called with."""

        def __call__(
            self, finding: Finding, rules: GateRules, known_lines: KnownLines = None
        ) -> GateDecision: ...


KnownLines = Mapping[str, str] | None
GATE_VERSION = "tacit-1"


@value
class GateRules:
    """What a profile says to the gate; the names are those of its `[gate]` section."""

    min_chars: int = 12  # shorter texts carry nothing
    held: tuple[str, ...] = HELD
    discard: tuple[str, ...] = (
        "tool_trace",
        "command_dump",
        "instruction_edit",
        "narration",
    )  # noise
    favour: tuple[str, ...] = ("adr", "path", "command", "config")  # what speaks for a lesson
    known: str = "link"  # already in the project's files: link, or allow
    unknown: str = "hold"  # or allow, with the fallback flag
    kinds: tuple[str, ...] = ()  # that there are, where figures are checked; empty: any
    way: Profile | None = None  # whose numbers an origin's gate goes by


def rules_of(profile: Profile) -> GateRules:
    """What a profile says to the gate."""
    at = profile.gate.__dict__
    names: tuple[str, ...] = GateRules.FIELDS  # type: ignore[attr-defined]
    return GateRules(
        **{name: at[name] for name in names if name in at}, kinds=tuple(profile.kinds), way=profile
    )


@value
class GateDecision:
    """What the write gate says of one finding."""

    outcome: str  # allow, hold, quarantine or discard
    reason: str
    version: str = GATE_VERSION
    fallback: bool = False  # the gate could not judge, and a default decided
    linked: str = (
        ""  # the instruction file that says it already: nothing to store, only to point at
    )
    confidence: float | None = None  # where an annotation states one
    category: str = ""  # where an annotation hints at one
    text: str = ""  # the finding's text without its annotation, where it had one; otherwise empty
    rejected: bool = False  # refused by a check, and to be kept as rejected

    @property
    def stored(self) -> bool:
        """A memory comes of it."""
        return not self.linked and (self.outcome != "discard" or self.rejected)


def may_be_told(
    text: str,
    tier: str,
    vouch: Vouch,
    beside: Iterable[str] = (),
) -> GateDecision:
    """Whether words of a tier may be told: do they speak to the reader, whose are they, where
    did their names stand first. `beside` is printed with them; `vouch` is asked whose word they
    are."""
    settled = _by_their_looks(text, tier, beside, HELD)
    if settled is not None:
        return settled
    return whose_word(text, tier, vouch)


def whose_word(text: str, tier: str, vouch: Vouch) -> GateDecision:
    """Whether somebody has to say yes to these words first. A person's own are not asked about."""
    asked = GROUNDED if tier in PERSONAL else vouch(text)
    return GateDecision("allow" if asked.grounded else "hold", asked.reason)


def _by_their_looks(
    text: str, tier: str, beside: Iterable[str], held: Sequence[str]
) -> GateDecision | None:
    found = screened(text, *beside)
    if not found.clean:
        return GateDecision("quarantine", found.reason)
    if tier in held:
        return GateDecision("hold", f"{tier} text waits for somebody to vouch for it")
    return None


def gate(finding: Finding, rules: GateRules, known_lines: KnownLines = None) -> GateDecision:
    """Tacit's own gate adds nothing. `known_lines` maps lines of the project's instruction
    files, by `plain_line`, to their file."""
    return settled_first(finding, rules, known_lines) or GateDecision("allow", "")


def judged_by(profile: Profile) -> Gate:
    """The gate of a way of remembering: Tacit's own, or its origin's."""
    return profile.own.judged if profile.own else gate


# --- what every gate asks first ---------------------------------------------------------------------------------------


def settled_first(
    finding: Finding, rules: GateRules, known_lines: KnownLines, note: str = ""
) -> GateDecision | None:
    """The decision where its looks, its tier or the project's own files settle it; None where
    the text must be judged. `note` is the text as it came, with what stood in front of it."""
    title = str((finding.extra or {}).get("title") or "")
    beside = (
        note,
        title,
        finding.by,
        finding.category,
        finding.domain,
        finding.agent,
        finding.about,
    )
    every = (*beside, *finding.paths, *finding.tags)
    if (looks := _by_their_looks(finding.text, finding.tier, every, rules.held)) is not None:
        return looks
    file = (known_lines or {}).get(plain_line(finding.text), "") if rules.known == "link" else ""
    return GateDecision("allow", f"already written in {file}", linked=file) if file else None

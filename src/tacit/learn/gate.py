"""The write gate: whether a finding may become a memory, and the reason to give for it.

Provenance comes before wording. Text that looks like an instruction to the reader is quarantined whoever said it; what
was taken over from pages, files and other stores is held until somebody vouches for it, however good it sounds. Then
noise is discarded (tool traces, command dumps, edits to some document, an agent's diary, scraps), what the project's
own files already say is linked instead of stored, guesses are held, and a lesson that names something checkable is let
in. What cannot be judged is held.

A command that installs by name, sends files away or loosens something is held too (`hazard`), however often it worked.

Nothing a person adds by hand is discarded or doubted here. Three gates of the origins stand beside it: joelclaw's, which
reads a model's annotation and lets in what it cannot read; Ralph's, which checks figures; the open one of ArcheFlow and
geas. All four begin alike, with provenance and with the noise their profile names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from tacit.core.memory import PERSONAL, WAITING_TIERS
from tacit.core.profile import Profile
from tacit.core.run import OUTRIGHT, Finding
from tacit.core.value import replace, value
from tacit.learn import cues
from tacit.learn.echo import plain_line
from tacit.learn.hazard import hazard

if TYPE_CHECKING:

    class Gate(Protocol):
        """What every gate is called with."""

        def __call__(
            self, finding: Finding, rules: GateRules, suspicion: str = "", known_lines: KnownLines = None
        ) -> GateDecision: ...


KnownLines = Mapping[str, str] | None
GATE_VERSION = "tacit-1"
JOELCLAW_VERSION = "v1"  # the original's own
# joelclaw, ADR-0094: confidence of what could not be read, and of an annotation without a figure
UNREAD, STATED_CONFIDENCE = 0.35, 0.65
# A guess that answers somebody, or points at what was on the screen just then: nobody can be asked about it later.
_IN_PASSING = re.compile(r"^(?:ok|okay|yes|yeah|no|well|alright)\b|\b(?:this|that|it|these)[.!?]*$", re.I)


@value
class GateRules:
    """What a profile says to the gate; the names are those of its `[gate]` section."""

    min_chars: int = 12  # joelclaw: shorter texts carry nothing
    held: tuple[str, ...] = WAITING_TIERS
    discard: tuple[str, ...] = ("tool_trace", "command_dump", "instruction_edit", "narration")  # noise
    favour: tuple[str, ...] = ("adr", "path", "command", "config")  # what speaks for a lesson
    hedges: tuple[str, ...] = ()  # words that make a text a guess, beside those of `cues.HEDGED`
    known: str = "link"  # already in the project's files: link, or allow
    unknown: str = "hold"  # joelclaw: allow, with the fallback flag
    kinds: tuple[str, ...] = ()  # that there are, where figures are checked; empty: any


def rules_of(profile: Profile) -> GateRules:
    """What a profile says to the gate."""
    at = profile.gate.__dict__
    names: tuple[str, ...] = GateRules.FIELDS  # type: ignore[attr-defined]
    return GateRules(**{name: at[name] for name in names if name in at}, kinds=tuple(profile.kinds))


@value
class GateDecision:
    """What the write gate says of one finding."""

    outcome: str  # allow, hold, quarantine or discard
    reason: str
    version: str = GATE_VERSION
    fallback: bool = False  # the gate could not judge, and a default decided
    linked: str = ""  # the instruction file that says it already: nothing to store, only to point at
    confidence: float | None = None  # where an annotation states one
    category: str = ""  # where an annotation hints at one
    text: str = ""  # the finding's text without its annotation, where it had one; otherwise empty
    rejected: bool = False  # refused by a check, and to be kept as rejected

    @property
    def stored(self) -> bool:
        """A memory comes of it."""
        return not self.linked and (self.outcome != "discard" or self.rejected)


def gate(finding: Finding, rules: GateRules, suspicion: str = "", known_lines: KnownLines = None) -> GateDecision:
    """Tacit's own gate.

    `suspicion` is the screen's word on the text, empty where it found nothing; `known_lines` maps lines of the
    project's instruction files, spelled by `plain_line`, to the file they stand in.
    """
    settled = _settled(finding, rules, suspicion, known_lines)
    if settled is not None:
        return settled
    text = finding.text.strip()
    hedge = _hedge(text, rules)
    if hedge:
        return GateDecision("discard" if _IN_PASSING.search(text) else "hold", f"a guess: {hedge}")
    return _merits(finding, text, rules)


def joelclaw_gate(
    finding: Finding, rules: GateRules, suspicion: str = "", known_lines: KnownLines = None
) -> GateDecision:
    """joelclaw's gate: the observing model annotates each fact, `[gate=allow confidence=.92 reason=…] text`.

    What carries no readable verdict is allowed at a confidence of .35 and flagged; what was never annotated, since somebody submitted it
    or a rule derived it, is no failure to read, and what it names decides its confidence. Scraps, tool traces and edits are
    discarded whatever the annotation says: so the document; the original lets them in.
    """
    note = read_annotation(finding.text)
    blank = GateDecision("allow", "", JOELCLAW_VERSION, category=note.category, text=note.text)
    settled = _settled(replace(finding, text=note.text), rules, suspicion, known_lines)
    if settled is not None:
        return replace(blank, outcome=settled.outcome, reason=settled.reason, linked=settled.linked)
    if not note.verdict and _is_submitted(finding):
        concrete = next(
            (reason for reason, mark in (_MERITS[name] for name in rules.favour) if mark.search(note.text)), ""
        )
        sure = STATED_CONFIDENCE if concrete else UNREAD
        return replace(blank, reason=f"submitted, {concrete or 'names nothing that could be checked'}", confidence=sure)
    if note.verdict not in ("allow", "hold", "discard"):
        return replace(blank, reason="parse_fallback", fallback=True, confidence=UNREAD)
    stated = STATED_CONFIDENCE if note.confidence is None else min(1.0, max(0.0, note.confidence))
    reason = note.reason[:120] or "llm_classified"
    return replace(blank, outcome=note.verdict, reason=reason, confidence=stated)


def validation_gate(
    finding: Finding, rules: GateRules, suspicion: str = "", known_lines: KnownLines = None
) -> GateDecision:
    """Ralph's gate: required fields, a declared kind, figures within their ranges; the first fault gives the reason.

    A figure that a check asks for and the finding lacks fails it: the original lets a missing confidence pass.
    """
    settled = _settled(finding, rules, suspicion, known_lines)
    if settled is not None:
        return settled
    fault = _fault(finding, rules)
    if fault:
        return GateDecision("discard", fault, rejected=True)
    return GateDecision("allow", "within all ranges")


def open_gate(finding: Finding, rules: GateRules, suspicion: str = "", known_lines: KnownLines = None) -> GateDecision:
    """ArcheFlow's and geas's gate: none of its own. What their reviewers say is a candidate."""
    settled = _settled(finding, rules, suspicion, known_lines)
    return settled or GateDecision("allow", "this profile has no gate")


GATES: Mapping[str, Gate] = {
    "rules": gate,
    "annotation": joelclaw_gate,
    "validation": validation_gate,
    "open": open_gate,
}


# --- what every gate asks first ---------------------------------------------------------------------------------------


def _settled(finding: Finding, rules: GateRules, suspicion: str, known_lines: KnownLines) -> GateDecision | None:
    """The decision where provenance, noise or the project's own files settle it; None where the text must be judged."""
    if suspicion:
        return GateDecision("quarantine", suspicion)
    if finding.tier in rules.held:
        return GateDecision("hold", f"{finding.tier} text waits for somebody to vouch for it")
    if noise := noise_in(finding, rules):
        return GateDecision("discard", noise)
    if finding.tier not in PERSONAL and (why := hazard(finding.text)):
        return GateDecision("hold", f"{why}; a person decides whether to recommend it")
    file = (known_lines or {}).get(plain_line(finding.text), "") if rules.known == "link" else ""
    return GateDecision("allow", f"already written in {file}", linked=file) if file else None


# --- noise ------------------------------------------------------------------------------------------------------------


def noise_in(finding: Finding, rules: GateRules) -> str:
    """Why an extracted text is no lesson; empty where it may be one."""
    text = finding.text.strip()
    if len(text) < rules.min_chars and finding.tier != "user":  # "Use pnpm." is a person's whole correction
        return f"shorter than {rules.min_chars} characters"
    for name in rules.discard:
        reason, found = _NOISE_KINDS[name]
        if found(text, finding.tier):
            return reason
    return ""


def _is_trace(text: str, tier: str) -> bool:
    return bool(cues.TRACE.search(_prose(text) if tier == "observed" else text))


def _is_dump(text: str, tier: str) -> bool:
    """Most lines read as commands, with nothing said about them."""
    lines = [line for line in map(_bare, text.splitlines()) if line.strip()]
    commands = [line for line in lines if cues.DUMP.match(line) and _only_shell(line)]
    return bool(commands) and len(commands) * 2 > len(lines)


def _bare(line: str) -> str:
    """A line without the marks that say "this is code": a fence is none of its words."""
    line = re.sub(r"^\s*(?:`{3,}|~{3,})[^`]*$|</?(?:pre|code)>", "", line)
    whole = re.fullmatch(r"\s*(?:[-*+] |\d{1,3}[.)] )?(`{1,3})([^`]+)\1[.;,]?\s*", line)
    return whole[2] if whole else line


def _only_shell(line: str) -> bool:
    if cues.PROSE.search(line):
        return False
    return bool(cues.SHELL_SIGNS.search(line)) or (len(line.split()) <= 3 and not re.search(r"[.!?]\s*$", line))


def _is_edit(text: str, tier: str) -> bool:
    """Tells somebody to change a document, and is not itself a rule about when to."""
    if tier not in ("agent", "quoted", "imported"):
        return False
    return bool(cues.INSTRUCTION_EDIT.match(text)) and not cues.RECURRING.search(text)


def _is_narration(text: str, tier: str) -> bool:
    return tier != "user" and bool(cues.NARRATION.match(_prose(text).lower()))


_NOISE_KINDS: Mapping[str, tuple[str, Callable[[str, str], bool]]] = {
    "tool_trace": ("a tool trace", _is_trace),
    "command_dump": ("a command dump", _is_dump),
    "instruction_edit": ("an edit to some document, not a lesson", _is_edit),
    "narration": ("an account of the session, not a lesson", _is_narration),
}


# --- merit ------------------------------------------------------------------------------------------------------------


def _hedge(text: str, rules: GateRules) -> str:
    prose = _prose(text).lower()
    found = cues.HEDGED.search(prose)
    if found:
        return found.group()
    return next((word for word in rules.hedges if re.search(rf"\b{re.escape(word.lower())}\b", prose)), "")


def _merits(finding: Finding, text: str, rules: GateRules) -> GateDecision:
    for name in rules.favour:
        reason, mark = _MERITS[name]
        if mark.search(text):
            return GateDecision("allow", reason)
    if finding.tier in _WITNESSED:
        return GateDecision("allow", _WITNESSED[finding.tier])
    if not text.endswith("?") and len(text.split()) > 3 and cues.LESSON_SHAPE.search(text):
        return GateDecision("allow", "says what to do or what happens")
    return GateDecision(rules.unknown, "nothing concrete to judge it by", fallback=rules.unknown == "allow")


_MERITS = {
    "adr": ("names a decision record", cues.ADR),
    "path": ("names a path", cues.PATH_IN_TEXT),
    "command": ("names a command", cues.COMMAND_IN_TEXT),
    "config": ("names a setting", cues.SETTING_NAME),
}
_WITNESSED = {
    "user": "the user's own words",
    "team": "the team's own words",
    "review": "the word of a reviewer, a test or CI",
    "observed": "recorded by the harness",
}


def _prose(text: str) -> str:
    """A text without what it quotes in backticks: an error message may well say "seems"."""
    return re.sub(r"`[^`]*`", "`…`", text)


# --- Ralph's checks ---------------------------------------------------------------------------------------------------


# The figure, the kind it is asked of (none: every one), its range, and what is said where it lies outside; the first decides.
CHECKS = (
    ("confidence", "", 0.0, 1.0, "Confidence must be between 0 and 1"),
    ("success_rate", "", 0.0, 1.0, "Success rate must be between 0 and 1"),
    ("confidence", "", 0.3, 1.0, "Confidence too low (< 0.3)"),
    ("success_rate", "antipattern", 0.0, 0.2, "Anti-patterns should have low success rate"),
    ("success_rate", "strategy", 0.5, 1.0, "Strategies should have success rate >= 0.5"),
)


def _fault(finding: Finding, rules: GateRules) -> str:
    if not (finding.kind and finding.task_type and finding.text):
        return "Missing required fields (type, taskType, content)"
    if rules.kinds and finding.kind not in rules.kinds:
        return f"Invalid type: {finding.kind}"
    for of, kind, low, high, reason in CHECKS:
        figure = _figure(finding, of)
        if kind in ("", finding.kind) and (figure is None or not low <= figure <= high):
            return reason
    return ""


def _figure(finding: Finding, name: str) -> float | None:
    figure = finding.confidence if name == "confidence" else (finding.extra or {}).get(name)
    return float(figure) if isinstance(figure, (int, float)) else None


# --- joelclaw's annotation --------------------------------------------------------------------------------------------


@value
class Annotation:
    """What the observing model wrote in front of a fact."""

    text: str
    verdict: str = ""
    confidence: float | None = None
    reason: str = ""
    category: str = ""


def read_annotation(fact: str) -> Annotation:
    """A fact and the `[key=value …]` in front of it; brackets without keys are taken off and say nothing."""
    line = re.sub(r"^\s*(?:[-*+•](?:\s+|(?=[🔴🟡🟢\[])))?(?:[🔴🟡🟢]\ufe0f?\s*)?", "", fact.strip(), count=1)
    match = re.match(r"\[([^\]]*)\]\s*(.*)", line, re.S)
    if match is None:
        return Annotation(line.strip())
    said = {
        key.lower(): stated.strip("\"'")
        for key, stated in re.findall(r"(\w+)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\]]+)", match[1])
    }
    return Annotation(
        text=match[2].strip(),
        verdict=said.get("gate", said.get("verdict", "")).lower(),
        confidence=_number(said.get("confidence", said.get("conf", ""))),
        reason=said.get("reason", ""),
        category=said.get("category", ""),
    )


def _is_submitted(finding: Finding) -> bool:
    return finding.extractor != OUTRIGHT or (finding.extra or {}).get("observation_type") == "submitted"


def _number(text: str) -> float | None:
    """The number that a text begins with, as models write one: ".9", "0.92,", "92%"."""
    found = re.match(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)\s*(%?)", text, re.I)
    if found is None:
        return None
    return float(found[1]) / (100 if found[2] else 1)

"""May a lesson be told? One function says so of every text on its way into memory, with the reason: `may_be_told`.

Provenance comes before wording. Text that looks like an instruction to the reader is quarantined whoever said it; what
was taken over from pages, files and other stores is held until somebody vouches for it, however good it sounds. Then
noise is discarded (tool traces, command dumps, edits to some document, an agent's diary, scraps), what the project's
own files already say is linked instead of stored, guesses are held, and a lesson that names something checkable is let
in. What cannot be judged is held.

Whose word it is, is the last question (`safety`): a name that did not first stand with the person, the project or the agent waits, and
so does what would act unasked; the reason names it and where it stood.

Whoever adds, imports, notices or words a lesson asks `may_be_told`; nothing that a person adds by hand is asked. What a run says
passes the gate of its profile in between, which begins with `settled_first` and goes on to merit: Tacit's own, the open one, or
an origin's (`tacit.origins`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from tacit.core.memory import PERSONAL
from tacit.core.profile import Profile
from tacit.core.run import Finding
from tacit.core.trust import HELD
from tacit.core.value import value
from tacit.guard.screen import screened
from tacit.hookspecs import policy
from tacit.learn import cues
from tacit.learn.echo import plain_line
from tacit.safety.provenance import GROUNDED

if TYPE_CHECKING:
    from tacit.safety.witness import Vouch

    class Gate(Protocol):
        """What every gate is called with."""

        def __call__(
            self, finding: Finding, rules: GateRules, known_lines: KnownLines = None
        ) -> GateDecision: ...


KnownLines = Mapping[str, str] | None
GATE_VERSION = "tacit-1"
# A guess that answers somebody, or points at what was on the screen just then: nobody can be asked about it later.
_IN_PASSING = re.compile(
    r"^(?:ok|okay|yes|yeah|no|well|alright)\b|\b(?:this|that|it|these)[.!?]*$", re.I
)


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
    hedges: tuple[str, ...] = ()  # words that make a text a guess, beside those of `cues.HEDGED`
    known: str = "link"  # already in the project's files: link, or allow
    unknown: str = "hold"  # or allow, with the fallback flag
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


_WITHOUT_NOISE = GateRules(min_chars=0, discard=())


def may_be_told(
    text: str,
    tier: str,
    vouch: Vouch,
    beside: Iterable[str] = (),
) -> GateDecision:
    """Whether words of a tier may be told: do they speak to the reader, whose are they, where did their names stand first. `beside` is
    printed with them; `vouch` is asked whose word they are."""
    settled = _by_their_looks(text, tier, beside, _WITHOUT_NOISE)
    if settled is not None:
        return settled
    return whose_word(text, tier, vouch)


def whose_word(text: str, tier: str, vouch: Vouch) -> GateDecision:
    """Whether somebody has to say yes to these words first. A person's own are not asked about."""
    asked = GROUNDED if tier in PERSONAL else vouch(text)
    return GateDecision("allow" if asked.grounded else "hold", asked.reason)


def _by_their_looks(
    text: str, tier: str, beside: Iterable[str], rules: GateRules
) -> GateDecision | None:
    found = screened(text, *beside)
    if not found.clean:
        return GateDecision("quarantine", found.reason)
    if tier in rules.held:
        return GateDecision("hold", f"{tier} text waits for somebody to vouch for it")
    noise = noise_in(text, tier, rules)
    return GateDecision("discard", noise) if noise else None


def gate(finding: Finding, rules: GateRules, known_lines: KnownLines = None) -> GateDecision:
    """Tacit's own gate. `known_lines` maps lines of the project's instruction files, spelled by `plain_line`, to the file they stand in."""
    settled = settled_first(finding, rules, known_lines)
    if settled is not None:
        return settled
    text = finding.text.strip()
    hedge = _hedge(text, rules)
    if hedge:
        return GateDecision("discard" if _IN_PASSING.search(text) else "hold", f"a guess: {hedge}")
    return _merits(finding, text, rules)


def open_gate(finding: Finding, rules: GateRules, known_lines: KnownLines = None) -> GateDecision:
    """No gate of its own. What reviewers say is a candidate."""
    settled = settled_first(finding, rules, known_lines)
    return settled or GateDecision("allow", "this profile has no gate")


GATES: dict[str, Gate] = {"rules": gate, "open": open_gate}


def gate_named(name: str) -> Gate:
    """A gate by its name; an origin's or a stranger's is loaded when it is first named."""
    if name not in GATES:
        GATES[name] = policy("gate", name, GATES)
    return GATES[name]


# --- what every gate asks first ---------------------------------------------------------------------------------------


def settled_first(
    finding: Finding, rules: GateRules, known_lines: KnownLines, note: str = ""
) -> GateDecision | None:
    """The decision where provenance, noise or the project's own files settle it; None where the text must be judged. `note` is the text
    as it came, with what stood in front of it."""
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
    if (looks := _by_their_looks(finding.text, finding.tier, every, rules)) is not None:
        return looks
    file = (known_lines or {}).get(plain_line(finding.text), "") if rules.known == "link" else ""
    return GateDecision("allow", f"already written in {file}", linked=file) if file else None


# --- noise ------------------------------------------------------------------------------------------------------------


def noise_in(text: str, tier: str, rules: GateRules) -> str:
    """Why an extracted text is no lesson; empty where it may be one."""
    text = text.strip()
    if len(text) < rules.min_chars and tier != "user":  # "Use pnpm." is a person's whole correction
        return f"shorter than {rules.min_chars} characters"
    for name in rules.discard:
        reason, found = _NOISE_KINDS[name]
        if found(text, tier):
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
    return bool(cues.SHELL_SIGNS.search(line)) or (
        len(line.split()) <= 3 and not re.search(r"[.!?]\s*$", line)
    )


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
    return next(
        (word for word in rules.hedges if re.search(rf"\b{re.escape(word.lower())}\b", prose)), ""
    )


def _merits(finding: Finding, text: str, rules: GateRules) -> GateDecision:
    for name in rules.favour:
        reason, mark = MERITS[name]
        if mark.search(text):
            return GateDecision("allow", reason)
    if finding.tier in _WITNESSED:
        return GateDecision("allow", _WITNESSED[finding.tier])
    if not text.endswith("?") and len(text.split()) > 3 and cues.LESSON_SHAPE.search(text):
        return GateDecision("allow", "says what to do or what happens")
    return GateDecision(
        rules.unknown, "nothing concrete to judge it by", fallback=rules.unknown == "allow"
    )


MERITS = {
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

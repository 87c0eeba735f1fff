"""The origins' wordings, to the byte: how ArcheFlow, Ralph, geas and joelclaw give what they remember.

A wording asked for by name is the origin's own, whatever profile is in force.
"""

from __future__ import annotations

from tacit.hooks.render import LONGEST_LINE, WORD_CHARS, by_lines, filled
from tacit.safety.one_line import plain_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.profile import Profile
    from tacit.hooks.render import Words
    from tacit.lesson import Lesson
    from tacit.origins.ranked import Ranked


class Wording:
    """The words of an origin: what a profile's `render` section says, for other profiles."""

    def __init__(self, heading: str = "", line: str = "- {text}") -> None:
        self.heading = heading
        self.intro = ""
        self.line = line
        self.max_line_chars = 0


_GEAS = "- **[{id}] {title}** (confidence: {confidence}, {state}): {text}"
_CAUTIONS, _CAUTION = (
    "⚠️ Caution items (lower confidence):",
    f"{_GEAS} — treat as suggestion, not rule",
)
ORIGIN_WORDINGS = {
    "archeflow": Wording(
        "## Known Issues (from past runs)", "- {text} [seen {frequency}x, {source}]"
    ),
    "ralph": Wording("## Knowledge Base (from previous loops)"),
    "geas": Wording("## Applicable Memory", _GEAS),
    "joelclaw": Wording(),
}


def _own(name: str, profile: Profile, words: Words) -> Words:
    return words if profile.render.renderer == name else ORIGIN_WORDINGS[name]


def archeflow(given: Sequence[Ranked], profile: Profile, words: Words) -> str:
    """A heading, and a line for each lesson with how often it was seen."""
    return by_lines(given, profile, _own("archeflow", profile, words))


def joelclaw(given: Sequence[Ranked], profile: Profile, words: Words) -> str:
    """Texts only."""
    return by_lines(given, profile, _own("joelclaw", profile, words))


def geas(given: Sequence[Ranked], profile: Profile, words: Words) -> str:
    """Lines, cautions under a heading of their own."""
    words = _own("geas", profile, words)
    told = by_lines([each for each in given if not each.caution], profile, words)
    careful = [
        filled(_CAUTION, each, words.max_line_chars, profile) for each in given if each.caution
    ]
    return "\n".join([told, _CAUTIONS, *careful, ""]) if careful else told


def ralph(given: Sequence[Ranked], profile: Profile, words: Words) -> str:
    """A section for each kind, what is measured beside what is said."""
    words = _own("ralph", profile, words)
    told = f"{words.heading}\n\n"
    for number, (name, kind) in enumerate(profile.kinds.items()):
        mine = [each.memory for each in given if each.memory.kind == name]
        if mine:
            gap = "\n" if number else ""
            heading = f"{kind.heading or f'## {kind.label}'}\n"
            told += (
                gap + heading + "".join(_learning(memory, words.max_line_chars) for memory in mine)
            )
    return told


def _learning(memory: Lesson, longest: int) -> str:
    """A learning in Ralph's words: an estimate by its figures, a convention by examples, a strategy by its effect."""
    extra = memory.extra or {}
    content = extra.get("content")
    at: Mapping[str, Any] = content if isinstance(content, dict) else extra
    text = plain_line(memory.text, longest or LONGEST_LINE)
    rounds, time = at.get("totalIterations"), at.get("avgIterationTime")
    if isinstance(rounds, (int, float)) and isinstance(time, (int, float)):
        return f"- Similar tasks: ~{rounds:g} iterations, ~{_half_up(time / 1000)}s per iteration\n"
    examples = at.get("examples")
    if isinstance(examples, list) and examples:
        return f"- {text}\n  Examples: {', '.join(plain_line(str(each), 2 * WORD_CHARS) for each in examples)}\n"
    effect = at.get("effectiveness")
    if isinstance(effect, (int, float)):
        return f"- {text} (effectiveness: {_half_up(effect * 100)}%)\n"
    return f"- {text}\n"


def _half_up(number: float) -> int:
    return int(number + 0.5)  # JavaScript's Math.round: halves go up


# What `hookspecs` finds here by name.
POLICIES: Mapping[str, Any] = {
    "archeflow": archeflow,
    "geas": geas,
    "joelclaw": joelclaw,
    "ralph": ralph,
}

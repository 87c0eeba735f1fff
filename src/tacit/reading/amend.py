"""A rule of which a part changed: which wording takes the place of the remembered one, and as whose
word."""

from __future__ import annotations

from tacit.core.run import Finding
from tacit.core.trust import least
from tacit.core.value import replace
from tacit.lesson import WAY, joined, names_of, topic_of
from tacit.lesson import Lesson as Known
from tacit.reading.answers import Lesson
from tacit.reading.check import Checked, Found
from tacit.reading.decide import AGREED_BY_WORD, Decided
from tacit.safety.acts import act_in
from tacit.words.match import says_more
from tacit.words.prepared import prepare

_KIND = {
    "rule": "way",
    "fix": "cure",
    "preference": "preference",
    "decision": "decision",
}  # as readers call them
OWNERS = "user"
# What joins a rule and its change, as terms: nobody's claim by itself.
_JOINING = frozenset(
    "except unless without only instead otherwise still need goe go stay hold apply keep show".split()
)


def changed_lesson(
    memory: Known, into: str, quote: Found, new: tuple[Checked, Decided] | None
) -> tuple[Checked, Decided] | None:
    """The lesson that takes a changed one's place: a new one of the session, in these words
    where they say more of the rule than it does, or these words alone. None where neither is
    there."""
    lines = [quote.around, *(each.around for each in new[0].quotes)] if new else [quote.around]
    further = goes_further(into) and not goes_further(memory.text)
    fits = (
        bool(into)
        and not further
        and not says_more(prepare(into), prepare(" ".join((memory.text, *lines))), _JOINING)
    )
    if new is not None:
        checked, decided = new
        if not fits or not says_more(prepare(into), prepare(decided.text)):
            return new
        tier = least((decided.tier, memory.trust))
        word = "shown" if decided.word == "said" and tier != OWNERS else decided.word
        return replace(checked, lesson=replace(checked.lesson, text=into)), replace(
            decided, text=into, tier=tier, word=word
        )
    if not fits:
        return None
    typed = quote.line.letter != "A"
    tier = memory.trust if typed and memory.trust == OWNERS else "agent"
    word = "said" if tier == OWNERS else "shown" if typed else AGREED_BY_WORD
    lesson = Lesson(into, _KIND.get(memory.kind, "fact"), word)
    witness = OWNERS if typed else "agent"
    return Checked(lesson, (quote,)), Decided(
        into, word, tier, witness, reason="a part of a rule was changed", kind=lesson.kind
    )


def about_the_same(finding: Finding, memory: Known) -> Finding:
    """A finding about what the lesson was about whose place it takes."""
    if memory.about in ("", WAY) or finding.about == memory.about:
        return replace(
            finding, about=finding.about or memory.about, paths=finding.paths or memory.paths
        )
    names = (*names_of(finding.about), *names_of(memory.about))
    return replace(
        finding, about=joined(topic_of(memory.about), names), paths=finding.paths or memory.paths
    )


def goes_further(text: str) -> bool:
    """Whether a wording needs the person's word first: one that waits for nobody may not become
    such a one by being amended."""
    return bool(act_in(text, {}))

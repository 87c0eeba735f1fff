"""What a finding is about, told from its words: its kind, its subject and how far it reaches.

A format says what the run said; which kind of memory that is, the vocabulary of its way of remembering decides, by
keywords; what a source states outright is never overruled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from tacit.core.profile import GENERAL, Profile, kind_named
from tacit.core.run import Finding, Run
from tacit.core.value import Section, replace, value
from tacit.learn.filing import Filing
from tacit.learn.gate import GateDecision
from tacit.lesson import SEVERITIES

UNSAID = "pitfall"  # the kind a finding has where its source names none


@value
class Filed:
    """The subject a text is filed under, and how surely."""

    category: str
    confidence: float
    source: str  # llm: the source said so; rules: keywords; fallback: nothing fitted
    version: str = ""


def classified(finding: Finding, profile: Profile) -> Finding:
    """A finding with the kind and scope that its text betrays, where the profile tells them by keywords.

    An extractor that names the kind of what it derives knows better.
    """
    if profile.extract.classifier != "keywords" or (
        finding.kind and finding.extractor != "outright"
    ):
        return finding
    kind = finding.kind if finding.kind not in ("", UNSAID) else _kind_of(finding.text, profile)
    return replace(finding, kind=kind, scope=finding.scope or scope_of(finding.text, profile))


def _kind_of(text: str, profile: Profile) -> str:
    """The kind with the most keywords in a text, the earlier of two equal ones; `other_kind` if none has any."""
    best, hits = profile.other_kind, 0
    for name, kind in profile.kinds.items():
        found = hits_of(text, kind.keywords, "word_start")
        if found > hits:
            best, hits = name, found
    return best


def scope_of(text: str, profile: Profile) -> str:
    """The scope whose words a text holds; empty where it holds none, and the kind or the profile decides."""
    for name, words in profile.scopes.keywords.items():
        if hits_of(text, words, "word_start"):
            return name
    return ""


def category_named(word: str, categories: Section) -> str:
    """The category behind a name or alias, in any spelling; empty for an unknown one."""
    asked = _spelled(word)
    if not asked:
        return ""
    for name, category in categories.names.items():
        if asked in (
            _spelled(name),
            _spelled(name.rpartition(":")[2]),
            *map(_spelled, category.aliases),
        ):
            return name
    return ""


# Confidences: of a filing before its hits, per keyword found, at most; where the source names it, at least; where none fits.
TAXONOMY = "v1"
BASE, CONFIDENCE_PER_HIT, TOP_CONFIDENCE, NAMED_CONFIDENCE, NONE_FITS = 0.55, 0.12, 0.95, 0.65, 0.35


def category_of(text: str, categories: Section) -> Filed:
    """The category with the most keywords in a text, the earlier of two equal ones."""
    best, hits = categories.otherwise, 0
    for name, category in categories.names.items():
        found = hits_of(text, category.keywords, "inflected")
        if found > hits:
            best, hits = name, found
    if not hits:
        return Filed(best, NONE_FITS, "fallback", TAXONOMY)
    return Filed(best, min(TOP_CONFIDENCE, BASE + CONFIDENCE_PER_HIT * hits), "rules", TAXONOMY)


def filed(text: str, hint: str, stated: float | None, categories: Section) -> Filed:
    """Where a text belongs: the source's own word if it names a known category, otherwise the keywords."""
    named = category_named(hint, categories)
    if named:
        return Filed(named, max(NAMED_CONFIDENCE, stated or 0.0), "llm", TAXONOMY)
    return category_of(text, categories)


def settled(finding: Finding, decision: GateDecision, profile: Profile) -> Finding:
    """A finding after the gate: without its annotation, filed under a category, with what the gate said of it.

    What an annotation says of a text is no part of it: the same observation under another verdict is the same.
    """
    text = decision.text or finding.text
    confidence = finding.confidence if decision.confidence is None else decision.confidence
    finding = replace(finding, text=text, confidence=confidence)
    categories = profile.categories
    if categories.classifier != "keywords":
        return finding
    at = filed(text, decision.category or finding.category, confidence, categories)
    kind = kind_named(profile, at.category) if finding.kind in ("", UNSAID) else finding.kind
    told: Mapping[str, object] = {
        "write_verdict": decision.outcome,
        "write_confidence": confidence,
        "write_reason": decision.reason,
        "write_gate_version": decision.version,
        "write_gate_fallback": decision.fallback,
        "category_id": at.category,
        "category_confidence": round(at.confidence, 4),
        "category_source": at.source,
        "taxonomy_version": at.version,
    }
    return replace(
        finding, kind=kind, category=at.category, extra={**(finding.extra or {}), **told}
    )


def hits_of(text: str, keywords: Iterable[str], match: str) -> int:
    """How many of the keywords occur: anywhere, at the start of a word, as whole words, or as words with an ending.

    A shorter keyword at the same place as a longer one says nothing more: "prefers" is one hit of "prefer" and "prefers".
    """
    low, taken, hits = text.casefold(), set[int](), 0
    for word in sorted({word.casefold() for word in keywords}, key=lambda word: (-len(word), word)):
        places = set(_places(low, word, match)) - taken
        hits += bool(places)
        taken |= places
    return hits


def _places(text: str, word: str, match: str) -> Iterator[int]:
    at = text.find(word) if word else -1
    while at >= 0:
        if match == "substring" or (
            (at == 0 or not text[at - 1].isalnum()) and _ends(text, at + len(word), word, match)
        ):
            yield at
        at = text.find(word, at + 1)


def _ends(text: str, at: int, word: str, match: str) -> bool:
    """Whether a keyword may end here: at the end of the word, anywhere in it, or before an ending. "rule" is in "rules", not in "ruler"."""
    if match == "word_start":
        return True
    end = at
    while end < len(text) and text[end].isalnum():
        end += 1
    rest = text[at:end]
    if not rest or match == "word":
        return not rest
    return rest in ENDINGS or (rest[0] == word[-1] and rest[1:] in ("ed", "ing"))


ENDINGS = ("s", "es", "d", "ed", "ing", "ings", "ment", "ments")


def _spelled(name: str) -> str:
    """Lower case, everything but letters, digits and the colon a hyphen."""
    folded = "".join(c if c.isalnum() or c == ":" else " " for c in name.casefold())
    return "-".join(folded.split())


# What a profile makes of a finding before it is judged: its domain, its tags, its type of task.
#
# A source says what it saw; where that belongs is the profile's business. Reviewers file a finding under a category, and who
# takes that for the domain never gives a lesson about "security" to a run that asks for "code". Here the
# domain is what the caller or the run says, then a category that is a domain word, then the general one; a category stays a category.


def shaped(finding: Finding, run: Run, profile: Profile) -> Finding:
    """A finding with the facets that its run and the profile give it; what it says itself stands."""
    category, words = finding.category, profile.domains
    is_domain = category in words and category not in profile.categories.names
    domain = finding.domain or run.domain or (category if is_domain else "")
    return replace(
        finding,
        domain=domain or (GENERAL if words else ""),
        category="" if is_domain else category,
        tags=finding.tags or tags_for(finding.text, profile),
        task_type=finding.task_type or task_type(run, profile),
    )


def tags_for(text: str, profile: Profile) -> tuple[str, ...]:
    """The tags that the profile's tagger makes of a text."""
    return TAGGERS[profile.extract.tagger](text)


def task_type(run: Run, profile: Profile) -> str:
    """The type of a run's task: its own word for it, or the first of the profile's types whose words it holds."""
    if run.task_type or not profile.tasks.types:
        return run.task_type
    text = run.objective or run.task
    for each in profile.tasks.types:
        if hits_of(text, each.words, profile.tasks.match):
            return each.name
    return GENERAL


def too_slight(finding: Finding, profile: Profile) -> bool:
    """Whether a finding is below the severity that makes a new memory; one that is known already counts all the same."""
    return SEVERITIES.index(finding.severity) < SEVERITIES.index(profile.extract.severity_floor)


def _no_tags(text: str) -> tuple[str, ...]:
    return ()


def _first_words(text: str) -> tuple[str, ...]:
    """The first five words of four letters or more, as they stand."""
    return tuple([word for word in re.findall(r"[^\W_]+", text.lower()) if len(word) >= 4][:5])


TAGGERS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "none": _no_tags,
    "first_words": _first_words,
}


class ByWords(Filing):
    """By the keywords that a profile declares."""

    def shaped(self, finding: Finding, run: Run, profile: Profile) -> Finding:
        return shaped(classified(finding, profile), run, profile)

    def settled(self, finding: Finding, decision: GateDecision, profile: Profile) -> Finding:
        return settled(finding, decision, profile)

    def tags(self, text: str, profile: Profile) -> tuple[str, ...]:
        return tags_for(text, profile)

    def is_slight(self, finding: Finding, profile: Profile) -> bool:
        return too_slight(finding, profile)

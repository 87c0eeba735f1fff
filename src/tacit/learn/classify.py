"""What a finding is about, told from its words: its kind, its subject and how far it reaches.

A format says what the run said; which kind of memory that is, the profile's vocabulary decides. geas sorts a
retrospective's sentences into twelve types and five scopes, joelclaw files every observation under one of seven
categories. Both did it by keywords, and so does this; what a source states outright is never overruled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tacit.core.profile import Profile, kind_named
from tacit.core.profile_sections import Categories
from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.learn.gate import GateDecision

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
    if profile.extract.classifier != "keywords" or (finding.kind and finding.extractor != "outright"):
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


def category_named(word: str, categories: Categories) -> str:
    """The category behind a name or alias, in any spelling; empty for an unknown one."""
    asked = _spelled(word)
    if not asked:
        return ""
    for name, category in categories.names.items():
        if asked in (_spelled(name), _spelled(name.rpartition(":")[2]), *map(_spelled, category.aliases)):
            return name
    return ""


# joelclaw's confidences: of a filing before its hits, per keyword found, at most; where the source names it, at least; where none fits.
TAXONOMY = "v1"  # joelclaw's
BASE, PER_HIT, TOP, NAMED, NONE_FITS = 0.55, 0.12, 0.95, 0.65, 0.35


def category_of(text: str, categories: Categories) -> Filed:
    """The category with the most keywords in a text, the earlier of two equal ones."""
    best, hits = categories.otherwise, 0
    for name, category in categories.names.items():
        found = hits_of(text, category.keywords, "inflected")
        if found > hits:
            best, hits = name, found
    if not hits:
        return Filed(best, NONE_FITS, "fallback", TAXONOMY)
    return Filed(best, min(TOP, BASE + PER_HIT * hits), "rules", TAXONOMY)


def filed(text: str, hint: str, stated: float | None, categories: Categories) -> Filed:
    """Where a text belongs: the source's own word if it names a known category, otherwise the keywords."""
    named = category_named(hint, categories)
    if named:
        return Filed(named, max(NAMED, stated or 0.0), "llm", TAXONOMY)
    return category_of(text, categories)


def settled(finding: Finding, decision: GateDecision, profile: Profile) -> Finding:
    """A finding after the gate: without its annotation, filed under a category, with what the gate said of it.

    What an annotation says of a text is no part of it: the same observation under another verdict is the same.
    """
    text = decision.text or finding.text
    confidence = finding.confidence if decision.confidence is None else decision.confidence
    finding = replace(finding, text=text, confidence=confidence)
    categories = profile.categories
    if categories.classifier == "subject":
        return finding if finding.category else replace(finding, category=category_of(text, categories).category)
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
    return replace(finding, kind=kind, category=at.category, extra={**(finding.extra or {}), **told})


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

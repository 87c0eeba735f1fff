"""What a profile makes of a finding before it is judged: its domain, its tags, its type of task.

A source says what it saw; where that belongs is the profile's business. ArcheFlow's reviewers file a finding under a
category, and its program took that for the domain, so that a lesson about "security" was never given to a run that
asked for "code". Here the domain is what the caller or the run says, then a category that is a domain word, then the
general one; a category stays a category.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tacit.core.memory import SEVERITIES
from tacit.core.profile import GENERAL, Profile
from tacit.core.run import Finding, Run
from tacit.core.value import replace
from tacit.learn.classify import hits_of


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
    """ArcheFlow: the first five words of four letters or more, as they stand."""
    return tuple([word for word in re.findall(r"[^\W_]+", text.lower()) if len(word) >= 4][:5])


TAGGERS: dict[str, Callable[[str], tuple[str, ...]]] = {"none": _no_tags, "first_words": _first_words}

"""ArcheFlow's way: lessons from reviewers' findings, counted by runs.

Where its program fell short of its document, the document holds: two reviewers of one run are one sighting, severities
are case-folded, a category is not a domain, and what was seen in this run does not age in it.
"""

from __future__ import annotations

from tacit.core.profile import category, extractor, kind
from tacit.core.value import Section
from tacit.origins import origin
from tacit.origins.fading import Faded, runs
from tacit.origins.ladder import Rules, at, rule
from tacit.origins.origin import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tacit.core.links import Evidence


class ArcheFlow(Origin):
    """ArcheFlow: recurring review findings, counted by runs."""

    RUNS = 2  # "Candidates become active when frequency >= 2 (triggered in a second run)."
    OVERLAP = 0.5  # "matches findings against existing lessons by keyword overlap (50%+ threshold)"
    UNIVERSAL = (
        5  # "Lessons with frequency >= 5 are always injected regardless of domain/archetype"
    )
    MOST = 10  # "Cap at 10 lessons per injection."
    STEP = 10  # "lessons not seen for 10 runs lose 1 frequency"
    GONE = 0  # "When frequency reaches 0, the lesson is archived."
    SEVERITY = "warning"  # "If no match AND severity >= WARNING: Add as candidate lesson"
    AGAIN = 3  # ours: further runs after which a lesson that a person sent away is asked about

    name = "archeflow"
    title = "ArcheFlow: recurring review findings, counted by runs"
    # doc: writing, code, general or project-specific
    domains = ("code", "writing", "research", "general")
    add_kind = "preference"  # doc: `archeflow memory add` makes a preference
    other_kind = "pattern"  # its program writes every extracted finding so
    ids = "archeflow"  # doc: m-NNN
    columns = ("name", "frequency", "kind", "domain", "text")
    verbs: Mapping[str, str] = {  # those of its script
        "extract": "learn --format archeflow",
        "inject": "inject",
        "decay": "tend",
        "add": "add",
        "list": "list",
        "forget": "forget",
        "audit-check": "audit --check",
        "regression-check": "audit --fail-on regression",
    }
    words = Origin.words.but(person="user_feedback")  # doc: an archetype, or user_feedback
    kinds: Mapping[str, Section] = {
        "pattern": kind("pitfall", "Pattern", aliases=("pitfall", "failure_lesson", "finding")),
        "preference": kind("preference", "Preference", aliases=("wish", "rule")),
        # doc: what one archetype keeps finding; bound to that archetype
        "archetype_hint": kind("fact", "Archetype hint", aliases=("hint",)),
        # doc: tried and failed, avoid repeating
        "anti_pattern": kind("pitfall", "Anti-pattern", aliases=("antipattern",)),
    }
    categories = Origin.categories.but(
        names={  # its reviewers' own
            "security": category(),
            "reliability": category(),
            "design": category(),
            "breaking-change": category(),
            "dependency": category(),
            "quality": category(),
            "testing": category(),
            "consistency": category(),
        }
    )
    extract = Origin.extract.but(
        severity_floor=SEVERITY,
        tagger="first_words",  # program: the first five words of four or more letters
        extractors={"outright": extractor(kind="pattern")},  # findings of all review.verdict events
    )
    match = Origin.match.but(
        matcher="overlap",  # words of the finding found in the lesson
        threshold=OVERLAP,
        margin=0.0,
        # doc: same category and similar description; an unknown category blocks nothing
        category_blocks=True,
    )
    trust = Origin.trust.but(runs=RUNS)
    ladder = Rules(
        moves=(
            rule(
                "preference",
                ("candidate",),
                "provisional",
                "preferences are injected immediately",
                at("klass", "=", "preference"),
                at("trust", "!=", "agent"),  # it is the user's: an agent's waits for a person
                cause="person",
            ),
            rule(
                "second-run",
                ("candidate",),
                "provisional",
                "seen {frequency}x",
                at("frequency", ">=", RUNS),
            ),
            rule(
                "frequency-zero",
                ("candidate", "provisional", "stable"),
                "archived",
                "frequency fell to 0 after {runs_unseen} runs without it",
                at("frequency", "<=", GONE),
                cause="silence",
            ),
            origin.back_from_silence(
                "seen-again", ("archived",), "seen again after it was archived"
            ),
            origin.asked_again(
                AGAIN,
                "seen in {seen_since} further runs since it was forgotten; approved by {by}",
            ),
            # Beyond the document: what a person may do with a lesson here.
            origin.APPROVED,
            origin.TRUSTED,
            origin.SETTLED,
            origin.QUESTIONED,
            origin.third_review(),
            origin.REINSTATED,
            origin.put_away(),
            origin.by_person("refused", origin.UNPROVEN, "rejected", "rejected"),
        ),
    )

    def faded(self, evidence: Iterable[Evidence], until: int) -> Faded:
        """Every ten runs unmet take one off."""
        return runs(evidence, until, self.fade.runs_step)

    rank = Origin.rank.but(
        ranker="frequency",  # doc: sort by frequency, most common first; ties in the order of writing
        min_frequency=RUNS,  # doc: only confirmed patterns; preferences skip this
        universal_at=UNIVERSAL,
        by_domain=True,  # doc: exact match or general
    )
    budget = Origin.budget.but(level="deep", lean=MOST, balanced=MOST, deep=MOST)
    render = Origin.render.but(
        renderer="archeflow",
        heading="## Known Issues (from past runs)",
        line="- {text} [seen {frequency}x, {source}]",
    )
    fade = Origin.fade.but(
        runs_step=STEP,
        never=("preference",),  # program archived them: nobody can "see" a preference again
        never_states=("canonical",),
    )
    signals = Origin.signals.but(
        names=("frequency", "helpful", "ineffective"),
    )
    tend = Origin.tend.but(when=("after_run",))  # doc: decay after each run.complete
    page = Origin.page.but(
        sections=("Preferences", "Patterns", "Hints", "Inbox"),
        map={
            "preference": "Preferences",
            "pattern": "Patterns",
            "anti_pattern": "Patterns",
            "archetype_hint": "Hints",
        },
    )

"""Ralph's way (AIWG's external loop): what worked and what failed in a loop's iterations.

Strategies, anti-patterns, estimates and conventions are derived from a loop, validated, then stored. Stored is
provisional, not stable: it is given to the next loop, and nothing in Ralph's loop has measured more than that.
"""

from __future__ import annotations

from tacit.core.profile import extractor, kind, listed
from tacit.core.value import Section
from tacit.origins import origin
from tacit.origins.gates import validation
from tacit.origins.ladder import Rules, at, no, rule, yes
from tacit.origins.origin import Origin
from tacit.origins.ralph.iterations import iterated, pooled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from tacit.core.run import Finding, Run
    from tacit.learn.gate import GateDecision, GateRules, KnownLines
    from tacit.lesson import Lesson


class Ralph(Origin):
    """Ralph: what worked and what failed in a loop's iterations."""

    STRATEGY_CAP = 0.9  # "confidence: 0.85, // Capped at 0.9"
    ANTIPATTERN_CAP = 0.8  # "confidence: 0.75, // Capped at 0.8"
    FAILED_TWICE = 2  # an error becomes an anti-pattern when it "occurred 2+ times"
    ESTIMATE_CAP = 0.9  # "Min(completed/5, 0.9)"
    STALE_DAYS = 90  # "Remove stale learnings (older than 90 days)"
    STRATEGIES = 3  # program: so many strategies are given …
    ANTIPATTERNS = 5  # … anti-patterns …
    ESTIMATES = 2  # … estimates …
    CONVENTIONS = 3  # … and conventions
    SURE_STRATEGY, WORKING_STRATEGY = 0.5, 0.6  # "minConfidence: 0.5, minSuccessRate: 0.6"
    SURE = 0.4  # program: an anti-pattern's or estimate's least confidence
    SURE_CONVENTION = 0.5  # program
    ERROR_LIFT = 0.3  # program: per error pattern of the query that its text holds
    # doc: conventions matching the file patterns are highlighted; the number is ours
    PATH_LIFT = 0.3
    # "confidence × 0.4 + taskTypeMatch × 0.3 + successRate × 0.2 + recencyBonus × 0.1"
    CONFIDENCE_WEIGHT, SAME_TYPE, SUCCESS_WEIGHT, RECENCY = 0.4, 0.3, 0.2, 0.1
    RECENT_DAYS = 90  # "max(0, (90 - ageDays) / 90) × 0.1"
    LEAST_SURE = 0.3  # "Confidence too low (< 0.3)"
    MOST_SUCCESS = 0.2  # "if (learning.type === 'antipattern' && learning.successRate > 0.2)"
    LEAST_SUCCESS = 0.5  # "Strategies should have success rate >= 0.5"
    ALIKE = 0.8  # ours: its program had no deduplication, three equal loops filled all three slots
    AGAIN = 3  # ours: further loops after which a learning that a person sent away is asked about
    MOST = STRATEGIES + ANTIPATTERNS + ESTIMATES + CONVENTIONS

    name = "ralph"
    title = "Ralph: what worked and what failed in a loop's iterations"
    add_kind = "strategy"
    other_kind = "strategy"
    ids = "ralph"  # doc: learn-…
    columns = ("name", "kind", "task_type", "confidence", "text")
    verbs: Mapping[str, str] = {
        "extract": "learn --format ralph",
        "stage": "learn --format ralph --stage",
        "promote": "review approve --staged",
        "clear": "review clear",
        "prune": "tend --only prune",
        "verify": "data import --dry-run",
    }
    words = Origin.words.but(memory="learning", run="loop")
    kinds: Mapping[str, Section] = {
        "strategy": kind(
            "fix",
            "Strategy",
            heading="## Proven Strategies",
            aliases=("fix", "approach"),
            cap=STRATEGIES,
            min_confidence=SURE_STRATEGY,
            min_success=WORKING_STRATEGY,
            same_task=True,
        ),
        "antipattern": kind(
            "pitfall",
            "Anti-pattern",
            heading="## Anti-Patterns to Avoid",
            aliases=("anti_pattern", "pitfall"),
            cap=ANTIPATTERNS,
            min_confidence=SURE,
            same_task=True,
            error_lift=ERROR_LIFT,
        ),
        "estimate": kind(
            "estimate",
            "Estimate",
            heading="## Time/Iteration Estimates",
            cap=ESTIMATES,
            min_confidence=SURE,
            same_task=True,
        ),
        "convention": kind(
            "fact",
            "Convention",
            heading="## Project Conventions",
            aliases=("rule",),
            cap=CONVENTIONS,
            min_confidence=SURE_CONVENTION,
            path_lift=PATH_LIFT,
        ),
    }
    # doc: the first pattern that occurs anywhere in the objective, in this order.
    tasks = Origin.tasks.but(
        match="substring",
        types=(
            Section(name="test-fix", words=listed("test, spec, jest, vitest, failing")),
            Section(name="feature", words=listed("implement, add feature, new feature, build")),
            Section(name="refactor", words=listed("refactor, reorganize, restructure, clean")),
            Section(name="bug-fix", words=listed("fix, bug, error, crash, issue")),
            Section(name="documentation", words=listed("document, readme, guide, docs")),
            Section(name="architecture", words=listed("architecture, design, structure")),
            Section(name="performance", words=listed("optimize, performance, speed, slow")),
        ),
    )
    extract = Origin.extract.but(
        extractors={
            "outright": extractor(),
            "strategy": extractor(kind="strategy", cap=STRATEGY_CAP),
            "antipattern": extractor(kind="antipattern", count=FAILED_TWICE, cap=ANTIPATTERN_CAP),
            "estimate": extractor(kind="estimate", cap=ESTIMATE_CAP),
            "convention": extractor(kind="convention"),
        },
    )
    # Its own example lists two source loops for one learning, so equal ones meet here, within kind and task type.
    match = Origin.match.but(threshold=ALIKE, margin=0.0, same_kind=True, same_task=True)
    # Validation decides. What failed in a loop is the loop's own word: a log that nobody stands for is held before.
    gate = Origin.gate.but(asks_whose=False)

    def judged(
        self, finding: Finding, rules: GateRules, known_lines: KnownLines = None
    ) -> GateDecision:
        """By its figures."""
        return validation(finding, rules, known_lines)

    def born(self, run: Run, before: Callable[[], Iterable[Any]]) -> Iterator[Finding]:
        """What a loop's iterations had in common."""
        if (run.extra or {}).get("iterations"):
            yield from iterated(run, self)

    def pooled(self, memory: Lesson, finding: Finding) -> tuple[Finding, Any] | None:
        """The figures of both loops."""
        how = self.extract.extractors.get(finding.extractor)
        if "content" not in (finding.extra or {}):
            return None
        return pooled(memory, finding, how.cap if how else 1.0)

    ladder = Rules(
        moves=(
            rule("invalid", ("candidate",), "rejected", "failed validation", yes("refused")),
            rule(
                "validated",
                ("candidate",),
                "provisional",
                "passed validation",
                no("refused"),
                no("held"),
            ),
            rule(
                "valid-again",
                ("rejected",),
                "candidate",
                "a later loop brought it with better figures",
                no("refused"),
                at("cause", "!=", "person"),  # doc: every loop is extracted and validated
                cause="again",
            ),
            origin.APPROVED,
            origin.TRUSTED,
            origin.SETTLED,
            origin.QUESTIONED,
            origin.third_review(),
            origin.REINSTATED,
            # doc, "Pruning and Cleanup": low quality, stale and unused learnings are removed by hand. So they are
            # here: proposed, never swept.
            rule(
                "unused",
                ("provisional", "stable"),
                "archived",
                "not updated for long and never used; approved by {by}",
                yes("stale"),
                approve=("person",),
                propose=True,
                cause="silence",
            ),
            origin.put_away(),
            origin.asked_again(
                AGAIN, "met in {seen_since} further loops since it was sent away; approved by {by}"
            ),
            origin.back_from_silence(
                "met-again", ("archived",), "met again after it was put away unused"
            ),
            origin.by_person("turned-down", origin.UNPROVEN, "rejected", "rejected"),
        ),
    )
    # doc: .4 confidence + .3 task type + .2 success + .1 recency over 90 days
    rank = Origin.rank.but(ranker="relevance", by_agent=False)
    budget = Origin.budget.but(level="deep", lean=MOST, balanced=MOST, deep=MOST)
    render = Origin.render.but(
        renderer="ralph",
        heading="## Knowledge Base (from previous loops)",
        # strategies add their effectiveness, estimates and conventions have lines of their own
        empty="## Knowledge Base\n\nNo relevant learnings found for this task type.\n",
    )
    fade = Origin.fade.but(stale_days=STALE_DAYS)  # age enters the relevance, and nothing else
    signals = Origin.signals.but(
        names=("uses", "success_rate"),
        confidence="stated",  # a ratio, fixed at extraction
    )
    tend = Origin.tend.but(when=())  # doc: pruning is done by hand

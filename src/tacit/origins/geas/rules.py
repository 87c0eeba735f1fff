"""geas's way: a governed lifecycle, nine states, twelve types, reviewers by role.

Its program checked none of the numbers of its document; here they are the ladder. Moves are exactly those of its own
table, plus the two outcomes of a review that its document demands and its program refused.
"""

from __future__ import annotations

from tacit.core.profile import extractor, kind, listed, role
from tacit.core.value import Section
from tacit.origins import origin
from tacit.origins.applied import outcome
from tacit.origins.geas.repetition import repeated
from tacit.origins.ladder import Rules, at, rule
from tacit.origins.origin import GIVEN, UNPROVEN, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from tacit.core.journal import Hand
    from tacit.core.links import Use
    from tacit.core.run import Finding, Run
    from tacit.store.writes import Transaction

AUTHORITIES = (
    "orchestration_authority",
    "product_authority",
    "design_authority",
    "risk_specialist",
    "quality_specialist",
    "communication_specialist",
)
# doc: "orchestration_authority", "specialists" and everybody else; each other who works on tasks is a specialist
SPECIALISTS = (
    "specialist",
    "design_authority",
    "risk_specialist",
    "quality_specialist",
    "communication_specialist",
    "software_engineer",
    "frontend_engineer",
    "backend_engineer",
    "qa_engineer",
    "security_engineer",
    "platform_engineer",
    "technical_writer",
)


def _reviewed(
    name: str, states: tuple[str, ...], to: str, done: str, *when: Section, **more: object
) -> Section:
    """A move that the type's reviewer or a person makes."""
    given = {"cause": "review", **more}
    return rule(name, states, to, done, *when, approve_any=("reviewer", "person"), **given)  # type: ignore[arg-type]


class Geas(Origin):
    """geas: governed memory with reviewers, promotion and decay."""

    EVIDENCE = 2  # "2+ evidence_refs …
    INCIDENTS = 2  # … OR 2+ similar incidents OR domain authority approval"
    REUSES = 3  # "3+ successful_reuses + 0 contradictions + domain authority review"
    CANONICAL_REUSES = 5  # "5+ successful_reuses …
    CANONICAL_TASKS = 3  # … (3+ different tasks) + joint approval"
    FAILED = 2  # "failed_reuses >= 2 …
    DOUBTFUL = 0.3  # … OR confidence < 0.3"
    CONTRADICTIONS = 3  # "contradiction_count >= 3"
    # "30 days from now (provisional), 90 days (stable), 180 days (canonical)"
    REVIEW_AFTER: Mapping[str, int] = {"provisional": 30, "stable": 90, "canonical": 180}
    UNREVIEWED_DAYS = 60  # program's older table: a review that nobody closes ends in the archive
    REPEATED = 2  # "repeats 2+ times → auto-extract"
    RECIPE = 3  # a demo or test recipe that served three tasks
    SURE, UNSURE = 0.6, 0.4  # "auto-extract failure_lesson, confidence 0.6"; risk_pattern 0.4
    ALIKE = 0.7  # "same type and overlapping keywords"; the number is its older document's
    FEW, SOME, MANY = 3, 5, 8  # doc: packets of 5 to 8 for the orchestrator, 3 to 5 for specialists
    CAUTIONS = 2
    # "1 → 0.4, 2 → 0.6, 3+ → 0.8": confidence by pieces of evidence …
    EARLY = (0.4, 0.6, 0.8)
    REUSE, CONTRADICTED = 0.1, -0.2  # … "positive +0.1, negative -0.1, contradiction -0.2"
    # program: the six weights, what contradictions take off each and at most, what a high risk adds to which kind
    SIX: Mapping[str, float] = {
        "scope": 0.25,
        "path": 0.20,
        "role": 0.15,
        "freshness": 0.15,
        "confidence": 0.10,
        "reuse": 0.10,
    }
    AGAINST, AGAINST_MOST, RISK, RISKY_KIND = 0.05, 0.15, 0.10, "risk_pattern"
    FRESH_DAYS, NO_HISTORY, CAUTION_BELOW = 180, 0.5, 0.5
    MATRIX: Mapping[str, tuple[float, float, float]] = {
        # a memory's scope, in the context of a task, a mission, a project
        "task_same": (1.0, 0.3, 0.1),
        "task_other": (0.2, 0.3, 0.1),
        "mission": (0.7, 1.0, 0.5),
        "project": (0.5, 0.7, 1.0),
        "agent_same": (0.8, 0.8, 0.8),
        "agent_other": (0.1, 0.1, 0.1),
        "global": (0.4, 0.4, 0.6),
    }

    name = "geas"
    title = "geas: governed memory with reviewers, promotion and decay"
    roles = AUTHORITIES
    add_kind = "project_rule"
    other_kind = "failure_lesson"
    ids = "geas"  # doc: mem-{task}-{n}
    columns = ("name", "state", "kind", "confidence", "scope", "text")
    verbs: Mapping[str, str] = {
        "learn": "learn --format geas",
        "packet": "inject",
        "approve": "review approve",
        "open": "review open",
        "close": "review close",
        "decay": "tend",
    }
    words = Origin.words.but(memory="memory", run="task")
    # doc: twelve types, each with its reviewer. The keywords follow its list of what makes which type.
    kinds: Mapping[str, Section] = {
        "project_rule": kind(
            "rule",
            "Project rule",
            reviewers=("orchestration_authority",),
            keywords=("convention", "project rule", "we always", "we never"),
            aliases=("rule", "preference"),
        ),
        "agent_rule": kind(
            "rule",
            "Agent rule",
            scope="agent",
            reviewers=("orchestration_authority",),
            keywords=("agent should", "agent must", "agent-specific"),
        ),
        "decision_precedent": kind(
            "fact",
            "Decision precedent",
            reviewers=("product_authority",),
            keywords=("decided", "decision", "trade-off", "we chose"),
            aliases=("fact",),
        ),
        "failure_lesson": kind(
            "pitfall",
            "Failure lesson",
            reviewers=("orchestration_authority",),
            keywords=("failed", "failure", "bug", "broke", "regression"),
            aliases=("pitfall", "pattern"),
        ),
        "security_pattern": kind(
            "security",
            "Security pattern",
            reviewers=("risk_specialist",),
            keywords=("security", "vulnerab", "secret", "injection", "auth"),
            aliases=("security",),
        ),
        "performance_tip": kind(
            "fix",
            "Performance tip",
            reviewers=("design_authority",),
            keywords=("performance", "slow", "latency", "throughput", "memory use"),
        ),
        "test_strategy": kind(
            "fix",
            "Test strategy",
            reviewers=("quality_specialist",),
            keywords=("test", "coverage", "fixture", "flaky"),
            aliases=("fix", "strategy"),
        ),
        "integration_pattern": kind(
            "pitfall",
            "Integration pattern",
            reviewers=("design_authority",),
            keywords=("integration", "interface", "merge conflict", "api contract"),
        ),
        "ux_pattern": kind(
            "fact",
            "UX pattern",
            reviewers=("communication_specialist",),
            keywords=("user interface", "ux", "usability", "accessib"),
        ),
        "architecture_precedent": kind(
            "fact",
            "Architecture precedent",
            reviewers=("design_authority",),
            keywords=("architecture", "module boundar", "layer", "adr"),
        ),
        "process_improvement": kind(
            "fix",
            "Process improvement",
            reviewers=("orchestration_authority",),
            keywords=("process", "workflow", "handover", "review step"),
        ),
        "risk_pattern": kind(
            "pitfall",
            "Risk pattern",
            reviewers=("orchestration_authority",),
            keywords=("risk", "uncertain", "recover"),
        ),
    }
    scopes = Origin.scopes.but(
        keywords={
            "task": ("this task", "for this task"),
            "mission": ("this mission", "the mission"),
            "agent": ("this agent", "agent type"),
            "global": ("every project", "universal"),
        },
    )
    extract = Origin.extract.but(
        classifier="keywords",
        extractors={
            "outright": extractor(),  # memory_candidates of retrospectives
            # doc: six repetition triggers, with the confidence each gives.
            # one failure class twice
            "failure_class": extractor("failure_lesson", REPEATED, SURE),
            # one reviewer concern in two tasks
            "concern": extractor("", REPEATED, SURE),
            # one recovery class twice
            "recovery": extractor("risk_pattern", REPEATED, UNSURE),
            # a demo or test recipe that served three tasks
            "recipe": extractor("test_strategy", RECIPE, SURE),
            # integration conflicts twice on one path
            "integration": extractor("integration_pattern", REPEATED, UNSURE),
            # a worker's self-check of 2 or less, twice for one kind of task
            "low_confidence": extractor("risk_pattern", REPEATED, UNSURE),
        },
    )
    match = Origin.match.but(matcher="jaccard", threshold=ALIKE, margin=0.0, same_kind=True)
    # admissibility is its reviewers' question, evidence the ladder's
    gate = Origin.gate.but(
        discard=("tool_trace", "command_dump"),
        favour=("adr", "path", "command", "config"),
    )
    ladder = Rules(
        review_after=REVIEW_AFTER,
        moves=(
            # Harmful reuse. Low confidence is named twice in the document: after a use or a contradiction it means
            # harm and a review; found by a sweep it means age and decay.
            rule(
                "failed-reuse",
                GIVEN,
                "under_review",
                "{failed_reuses} failed reuses",
                at("failed_reuses", ">=", FAILED),
                cause="use",
            ),
            rule(
                "lost-confidence",
                GIVEN,
                "under_review",
                f"confidence {{confidence}} below {DOUBTFUL}",
                at("confidence", "<", DOUBTFUL),
                at("moment", "!=", "sweep"),
                cause="use",
            ),
            origin.third_review("circuit-breaker"),
            rule(
                "unreviewed",
                ("under_review",),
                "archived",
                "unreviewed for {days_in_state} days",
                at("days_in_state", ">=", UNREVIEWED_DAYS),
                cause="review",
            ),
            # Decay.
            rule(
                "low-confidence",
                GIVEN,
                "decayed",
                f"confidence {{confidence}} below {DOUBTFUL}",
                at("confidence", "<", DOUBTFUL),
                at("moment", "=", "sweep"),
                cause="use",
            ),
            rule(
                "contradicted",
                GIVEN,
                "decayed",
                "{contradictions} contradictions",
                at("contradictions", ">=", CONTRADICTIONS),
                cause="contradiction",
            ),
            rule(
                "review-passed",
                GIVEN,
                "decayed",
                "review_after passed {days_overdue} days ago without a reuse",
                at("days_overdue", ">", 0),
                at("uses_in_period", "=", 0),
                cause="silence",
            ),
            # Promotion.
            rule(
                "evidence",
                ("candidate",),
                "provisional",
                "{evidence} evidence refs",
                at("evidence", ">=", EVIDENCE),
            ),
            rule(
                "similar-incidents",
                ("candidate",),
                "provisional",
                "{seen} similar incidents",
                at("seen", ">=", INCIDENTS),
            ),
            _reviewed(
                "domain-authority",
                ("candidate",),
                "provisional",
                "approved by {by}",
                cause="person",
            ),
            _reviewed(
                "reused",
                ("provisional",),
                "stable",
                "{successful_reuses} successful reuses without a contradiction, reviewed by {by}",
                at("successful_reuses", ">=", REUSES),
                at("contradictions", "=", 0),
                propose=True,
                cause="use",
            ),
            rule(
                "joint-approval",
                ("stable",),
                "canonical",
                "{successful_reuses} successful reuses in {tasks} tasks, approved by {by}",
                at("successful_reuses", ">=", CANONICAL_REUSES),
                at("tasks", ">=", CANONICAL_TASKS),
                approve=("orchestration_authority", "reviewer"),
                propose=True,
                cause="use",
            ),
            # Review.
            rule(
                "requested",
                ("candidate", *GIVEN, "decayed"),
                "under_review",
                "review requested by {by}",
                approve_any=("person", *AUTHORITIES),
                cause="person",
            ),
            # never restored by itself; a decayed memory that is met again is brought to its reviewer
            _reviewed(
                "met-again",
                ("decayed",),
                "under_review",
                "met again since it decayed; review asked of {by}",
                at("seen_since", ">=", 1),
                propose=True,
                cause="again",
            ),
            _reviewed(
                "reinstate",
                ("under_review",),
                "previous",
                "reinstated by {by}",
                at("under_review_count", "<", origin.REVIEWS),
            ),
            _reviewed(
                "supersede",
                ("stable", "canonical", "under_review"),
                "superseded",
                "superseded by {by}",
            ),
            _reviewed(
                "archive",
                ("canonical", "under_review", "decayed", "superseded"),
                "archived",
                "archived by {by}",
            ),
            _reviewed("reject", UNPROVEN, "rejected", "rejected by {by}"),
            # an authority may call it decayed at any time
            _reviewed("let-decay", (*GIVEN, "under_review"), "decayed", "left to decay by {by}"),
        ),
    )

    def born(self, run: Run, before: Callable[[], Iterable[Any]]) -> Iterator[Finding]:
        """What came up again over several tasks."""
        if (run.extra or {}).get("incidents"):
            yield from repeated(run, before(), self.extract.extractors)

    def fared(
        self,
        tx: Transaction,
        run: Run,
        uses: Sequence[Use],
        repeated: AbstractSet[str],
        contradicted: AbstractSet[str],
        hand: Hand,
    ) -> list[str]:
        """By the task's outcome."""
        return outcome(tx, run, uses, repeated=repeated, contradicted=contradicted, hand=hand)

    rank = Origin.rank.but(
        ranker="six_factor",
        by_agent=False,  # the scope matrix weighs another agent's memory, it does not hide it
        ties=("confidence", "confirmed_at"),
    )
    budget = Origin.budget.but(
        level="balanced",
        lean=FEW,
        balanced=SOME,
        deep=MANY,
        pinned_outside=True,  # L0 and anti-forgetting items are outside the budget
        roles={
            "orchestration_authority": role(SOME, MANY),
            **dict.fromkeys(SPECIALISTS, role(FEW, SOME, CAUTIONS)),
            "product_authority": role(FEW, FEW),
        },
        precedence=(
            "pinned",
            "class:rule",
            "not kind:risk_pattern",
            "scope:project",
            "scope:agent",
        ),
    )
    render = Origin.render.but(
        renderer="geas",
        heading="## Applicable Memory",
        line="- **[{id}] {title}** (confidence: {confidence}, {state}): {text}",
    )
    # Confidence and review dates, no strength. Provisional, stable and canonical alike fade; only what is pinned stays.
    signals = Origin.signals.but(
        # counters, then what stands in its own files: effects of application logs, reviews, events, changes
        names=listed(
            "reuse, successful_reuse, failed_reuse, positive, negative, neutral, "
            "neutral_but_risky, unknown, review, event, change"
        ),
        confidence=("sources", EARLY, REUSE, CONTRADICTED),
    )
    tend = Origin.tend.but(when=("session_start",))  # doc: during Evolving or at session start
    page = Origin.page.but(
        title="Project Rules",
        sections=("Rules", "Decisions", "Patterns", "Inbox"),
        map={
            "project_rule": "Rules",
            "agent_rule": "Rules",
            "decision_precedent": "Decisions",
            "architecture_precedent": "Decisions",
            "security_pattern": "Patterns",
            "failure_lesson": "Patterns",
            "risk_pattern": "Patterns",
        },
    )
    model = Origin.model.but(steps=("read", "triage"))

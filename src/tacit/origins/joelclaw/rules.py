"""joelclaw's way: observations from sessions, a write gate, a taxonomy, recall that fades with age, a curated page."""

from __future__ import annotations

from tacit.core.profile import category, extractor, kind, listed
from tacit.core.value import Section
from tacit.origins import origin
from tacit.origins.applied import echo
from tacit.origins.gates import annotation
from tacit.origins.ladder import Rules, at, no, rule, yes
from tacit.origins.origin import GIVEN, UNPROVEN, Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tacit.core.journal import Hand
    from tacit.core.links import Use
    from tacit.core.run import Finding, Run
    from tacit.learn.gate import GateDecision, GateRules, KnownLines
    from tacit.store.writes import Transaction


class Joelclaw(Origin):
    """joelclaw: observations, write gate, fading recall, a curated MEMORY.md."""

    SHORTEST = 12  # "Very short/low-information observations (e.g. <12 chars) → discard."
    RATE = 0.01  # "final_score = raw_score × exp(-0.01 × days_since_created)"
    # program: what an answer that used a lesson, or did not, adds to its priority
    ECHO, FIZZLE = 0.1, -0.05
    # program: weights of that priority and of recalls (logarithm), the latter at most; the boost at least
    PRIORITY, RECALLS, RECALLS_MOST, BOOST_LEAST = 0.15, 0.06, 0.3, 0.35
    LEAN, BALANCED = 3, 7  # "lean: 2-3 hits", "balanced: 5-7 hits, default interactive mode"
    DEEP = 10  # "deep: 10-15 hits"; program: 10
    ALIKE = 0.85  # program: ingest, nightly sweep and triage alike
    # program: dropped before injection at this age if never recalled ("mark old never-recalled observations stale")
    STALE_DAYS = 90
    PRUNE_DAYS = 365  # "prune very old stale records conservatively"; the number is ours
    QUERY_CHARS = 300  # program
    REWRITE_SECONDS = 6.0  # program: raised from 2, a cold start always timed out
    NEAREST = 10  # program: that an observation is compared with at night
    # program: sections into which a dated fact with a reference goes by rules
    PROMOTED = ("System Architecture", "Patterns")
    BATCH = 10  # "LLM batch review"; the number is ours
    ASKED_TWICE = 2  # ours: questions that a model may leave unanswered before a person is asked
    LOOKBACK_DAYS = 7  # program: that a reflection looks back
    EXPIRE_DAYS = 7  # program: a proposal that nobody decides
    UNFILED = 0.05  # ADR-0095: a category for 95 % of items
    AGAIN = 3  # ours: further sessions after which what a person sent away is asked about

    name = "joelclaw"
    title = "joelclaw: observations, write gate, fading recall, a curated MEMORY.md"
    roles = ("rules", "model")  # tiers 1 and 2 of triage approve, beside a person
    add_kind = "operations"
    other_kind = "operations"
    columns = ("id", "state", "category", "confidence", "seen", "text")
    verbs: Mapping[str, str] = {
        "send": "learn - --format joelclaw",
        "recall": "recall",
        "tend": "tend",
        "page": "page",
        "note": "log --note",
        "log": "log",
        "stats": "tend --only stats",
    }
    words = Origin.words.but(memory="observation", run="session")
    # doc: seven categories. They are its kinds as well, since the class of an observation follows from them; its
    # observation types (segment_fact, segment_narrative, observation_text, submitted) tell where a text stood, and
    # stay with the finding.
    kinds: Mapping[str, Section] = {
        "preferences": kind(
            "preference", "Preference", aliases=listed("jc:preferences, preference")
        ),
        "rules-conventions": kind(
            "rule",
            "Rule or convention",
            aliases=listed("jc:rules-conventions, rules, conventions, hard-rules, rule"),
        ),
        "system-architecture": kind(
            "fact", "Architecture", aliases=listed("jc:system-architecture, architecture, fact")
        ),
        "operations": kind(
            "fix",
            "Operations",
            aliases=listed("jc:operations, ops, o11y-triage, fix, pitfall, command"),
        ),
        "memory-system": kind("fact", "Memory system", aliases=("jc:memory-system", "memory")),
        "projects": kind("fact", "Project", aliases=("jc:projects", "project")),
        "people-relationships": kind(
            "fact", "People", aliases=listed("jc:people-relationships, people, relationships")
        ),
    }
    categories = Origin.categories.but(
        classifier="keywords",
        otherwise="jc:operations",
        names={  # program; the last two of architecture and projects and `sop` are from the document
            "jc:preferences": category(
                "Preferences",
                listed(
                    "prefer, prefers, preference, wants, want, likes, like to, dislikes, tone, voice"
                ),
                ("preferences",),
            ),
            "jc:rules-conventions": category(
                "Rules and conventions",
                listed("rule, convention, must, never, always, hard rule, policy, policies, sop"),
                ("rules-conventions", "rules", "conventions", "hard-rules"),
            ),
            "jc:system-architecture": category(
                "System architecture",
                listed("architecture, design, adr, pattern, topology, system, component, wiring"),
                ("system-architecture", "architecture"),
            ),
            "jc:operations": category(
                "Operations",
                listed("deploy, restart, status, incident, error, triage, worker, gateway"),
                ("operations", "ops", "o11y-triage"),
            ),
            "jc:memory-system": category(
                "Memory system",
                listed(
                    "memory, memories, observe, observer, observation, reflect, reflection, "
                    "proposal, recall, typesense, echo, fizzle"
                ),
                ("memory-system", "memory"),
            ),
            "jc:projects": category(
                "Projects",
                listed("project, roadmap, milestone, epic, feature, ship, payout, catalog"),
                ("projects", "project"),
            ),
            "jc:people-relationships": category(
                "People and relationships",
                listed("joel, miller, person, people, relationship, meeting, email, contact"),
                ("people-relationships", "people", "relationships"),
            ),
        },
    )
    extract = Origin.extract.but(
        extractors={
            # facts, narratives and texts of the observer's answer, and submitted observations
            "outright": extractor(),
            "floor": extractor("preferences"),
        },
    )
    match = Origin.match.but(matcher="jaccard", threshold=ALIKE, margin=0.0)
    gate = Origin.gate.but(
        min_chars=SHORTEST,
        # doc: "Instruction-edit artifacts/raw tool traces → discard"
        discard=("tool_trace", "command_dump", "instruction_edit", "narration"),
        # doc: "ADR IDs, concrete file paths, or explicit runnable commands bias toward allow"
        favour=("adr", "path", "command"),
        known="link",  # doc: skip facts already in skills or ADRs
        # program: what cannot be parsed is allowed, with the fallback flag the document demands
        unknown="allow",
    )

    def judged(
        self, finding: Finding, rules: GateRules, known_lines: KnownLines = None
    ) -> GateDecision:
        """[gate=allow confidence=0.92 category=… reason=…] before a fact."""
        return annotation(finding, rules, known_lines)

    def fared(
        self,
        tx: Transaction,
        run: Run,
        uses: Sequence[Use],
        repeated: AbstractSet[str],
        contradicted: AbstractSet[str],
        hand: Hand,
    ) -> list[str]:
        """By the answer: a phrase of three, or more than 30 % of its longer words, in it (program)."""
        return echo(tx, run, uses, self, hand)

    # allow is retrieved, hold is not; promoted to MEMORY.md is stable; a person's hard rule is canonical.
    ladder = Rules(
        moves=(
            rule(
                "allowed",
                ("candidate",),
                "provisional",
                "allowed by the write gate",
                no("held"),
                no("refused"),
            ),
            rule(
                "promoted",
                ("provisional",),
                "stable",
                "promoted to the page by {by}",
                approve_any=("rules", "model", "person"),
                measured=False,
                cause="review",
            ),
            origin.unmeasured("hard-rule", ("stable",), "canonical", "made canonical"),
            rule(
                "pruned",
                ("provisional",),
                "decayed",
                "stale, and {age_days} days old",
                yes("stale"),
                at("age_days", ">=", PRUNE_DAYS),
                cause="silence",
            ),
            origin.back_from_silence("met-again", ("decayed", "archived"), "observed again"),
            origin.asked_again(
                AGAIN,
                "observed in {seen_since} further sessions since it was sent away; approved by {by}",
            ),
            origin.APPROVED,  # a held observation, let through
            origin.QUESTIONED,
            origin.third_review(),
            origin.REINSTATED,
            origin.by_person("replaced", (*GIVEN, "under_review"), "superseded", "replaced"),
            origin.put_away("decayed", "superseded"),
            rule(
                "turned-down",
                UNPROVEN,
                "rejected",
                "rejected by {by}",
                approve_any=("rules", "model", "person"),
                cause="review",
            ),
        ),
    )
    query = Origin.query.but(max_chars=QUERY_CHARS, rewrite_timeout_s=REWRITE_SECONDS)
    rank = Origin.rank.but(
        ranker="decay",  # doc: raw × exp(−0.01 × days), stale ones less
        min_chars=SHORTEST,
        by_agent=False,
        drop_stale=True,
    )
    budget = Origin.budget.but(
        level="balanced", lean=LEAN, balanced=BALANCED, deep=DEEP, pinned_outside=True
    )
    render = Origin.render.but(renderer="joelclaw", heading="")
    fade = Origin.fade.but(
        stale_days=STALE_DAYS,
        never=("preference", "rule"),
        never_states=("canonical",),
    )
    signals = Origin.signals.but(
        names=("echo", "fizzle", "recalls"),
        confidence="stated",  # the gate's
    )
    # doc: nightly maintenance; program: a weekly summary
    tend = Origin.tend.but(
        when=("daily", "weekly"), steps=("sweep", "merge", "triage", "page", "stats")
    )
    triage = Origin.triage.but(expire_days=EXPIRE_DAYS)
    page = Origin.page.but(
        curated="MEMORY.md",
        sections=(
            "Joel",
            "Hard Rules",
            "System Architecture",
            "Patterns",
            "Conventions",
            "Miller Hooks",
            "Inbox",
        ),
        map={
            "preferences": "Joel",
            "rules-conventions": "Hard Rules",
            "system-architecture": "System Architecture",
            "memory-system": "System Architecture",
            "operations": "Patterns",
            "projects": "Patterns",
            "people-relationships": "Joel",
        },
        states=("stable", "canonical"),
    )
    model = Origin.model.but(steps=("read", "rewrite", "triage"))
    health = Origin.health.but(uncategorised=UNFILED)

"""A way of remembering, as values: kinds, thresholds, ladder, weights, budgets, wording.

`Profile` is Tacit's own plain way. An origin's class derives from it and says what it does otherwise; the core asks the
object it is given and knows no origin by name. Nothing has a hidden default: every value stands below.

    profile.trial.rate          0.3
    profile.kinds["fix"].klass  "fix"

Hooks load this module.
"""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.plain import LINE_CHARS, TRIAL
from tacit.core.states import EXPOSURE, LEGAL, MIN_UNITS, RUNS, STATES
from tacit.core.value import Section, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.core.ladder import Ladder

# What a kind may be mapped to. Exemption from trials and caps go by class: the core knows these, no others.
CLASSES = ("preference", "rule", "security", "fix", "pitfall", "command", "fact", "estimate")
LEVELS = ("lean", "balanced", "deep")
# the domain whose memories fit every other one, and the type of a task that no word betrays
GENERAL = "general"


def kind(klass: str, label: str = "", **more: Any) -> Section:
    """One kind of lesson, mapped to a class that the core knows."""
    return Section(**{**_KIND, "klass": klass, "label": label, **more})


_KIND: dict[str, Any] = {
    "klass": "",
    "label": "",
    "heading": "",  # under which a wording groups it
    "scope": "",  # at birth; empty: the project
    "reviewers": (),  # roles that `reviewer` means for this kind; none: a person
    "aliases": (),  # other words for it, as foreign systems write them
    "keywords": (),  # that make the classifier choose it
    "cap": 0,  # at most so many of it in one injection; 0: no cap of its own
    "min_confidence": 0.0,  # below this it is not injected
    "min_success": 0.0,
    "same_task": False,  # only for runs of its own task type
    "error_lift": 0.0,  # added to its score for each error of the query that its text holds
    "path_lift": 0.0,  # added to its score if it names a file of the query
}


def listed(text: str) -> tuple[str, ...]:
    """Words and phrases between commas."""
    return tuple(text.split(", "))


def category(
    label: str = "", keywords: tuple[str, ...] = (), aliases: tuple[str, ...] = ()
) -> Section:
    """One subject, the words that speak for it, and other names of it; ties go to the earlier one."""
    return Section(label=label, keywords=keywords, aliases=aliases)


def extractor(
    kind: str = "", count: int = 1, confidence: float | None = None, cap: float = 1.0
) -> Section:
    """An extractor that works: the kind of its findings (empty: as it says itself), after so many occurrences, how sure, at most."""
    return Section(kind=kind, count=count, confidence=confidence, cap=cap)


def role(least: int, most: int, cautions: int = 0) -> Section:
    """How many memories one role is given, and cautions beside them."""
    return Section(least=least, most=most, cautions=cautions)


class _PlainLadder:
    """The plain ladder, loaded when it is asked for: no hook does."""

    def __get__(self, of: object, owner: type) -> Ladder:
        from tacit.core.ladder import PLAIN

        return PLAIN


class Profile:
    """Tacit's own way of remembering, and what an origin's class changes."""

    name = "default"
    title = "Lessons from finished runs, measured with a control group"
    own: Any = None  # an origin itself (`origins.origin.Origin`), for what it does otherwise
    roles = ()  # approvals here are a person's; no further roles
    domains = ()  # any word is a domain
    add_kind = "rule"  # what a person writes down without a kind is meant to be kept to
    other_kind = "fact"  # what a foreign system calls by a word nobody declared
    ids = ""  # a new lesson has its own id only
    columns = ("id", "standing", "text")
    # where a lesson stands in its own words: each stage, and the state that it means; rising first
    stages: Mapping[str, str] = {state: state for state in STATES}
    legal: Mapping[str, tuple[str, ...]] = LEGAL
    # words of its own for our commands: `tacit origin VERB …` is the line beside it and what follows
    verbs: Mapping[str, str] = {}
    words = Section(
        memory="lesson",
        run="run",
        person="user",
    )
    kinds: Mapping[str, Section] = {
        "preference": kind(
            "preference",
            label="Preference",
            aliases=("wish", "style", "user_preference"),
        ),
        "rule": kind(
            "rule",
            label="Rule",
            aliases=("project_rule", "agent_rule", "rules"),
        ),
        "security": kind(
            "security",
            label="Security",
            aliases=("security_pattern", "vulnerability"),
        ),
        "fix": kind(
            "fix",
            label="What works",
            aliases=listed(
                "strategy, solution, test_strategy, performance_tip, process_improvement"
            ),
        ),
        "pitfall": kind(
            "pitfall",
            label="Pitfall",
            aliases=listed(
                "pattern, anti_pattern, antipattern, failure_lesson, risk_pattern, "
                "integration_pattern"
            ),
        ),
        "command": kind(
            "command",
            label="Command",
            cap=2,  # met in every session, they would crowd out what went wrong
        ),
        "fact": kind(
            "fact",
            label="Fact",
            aliases=listed(
                "convention, observation, archetype_hint, decision_precedent, "
                "architecture_precedent, ux_pattern"
            ),
        ),
        # what was settled about the product or a part of it
        "decision": kind(
            "fact",
            label="Decision",
            aliases=("decided", "adr"),
        ),
        "estimate": kind(
            "estimate",
            label="Estimate",
            cap=2,  # two are enough
            same_task=True,  # how long another type of task took says nothing
        ),
    }
    # Words must begin a word: as substrings, "Inspect latest logs" is a test-fix and "Rebuild index" a feature.
    tasks = Section(
        match="word_start",
        types=(
            Section(name="test-fix", words=listed("test, spec, jest, vitest, pytest, failing")),
            Section(name="feature", words=("implement", "add feature", "new feature", "build")),
            Section(
                name="refactor",
                words=listed("refactor, reorganize, reorganise, restructure, clean"),
            ),
            Section(name="bug-fix", words=listed("fix, bug, error, crash, issue")),
            Section(name="documentation", words=("document", "readme", "guide", "docs")),
            Section(name="architecture", words=("architecture", "design", "structure")),
            Section(
                name="performance", words=listed("optimize, optimise, performance, speed, slow")
            ),
        ),
    )
    # Categories are what sources say (a reviewer's "security", a linter's rule family).
    categories = Section(classifier="none", otherwise="", names={})
    scopes = Section(
        keywords={},
    )
    extract = Section(
        severity_floor="info",  # the ladder, not the floor, keeps noise out: one sighting is never injected
        classifier="none",  # extractors and formats say the kind
        tagger="none",
        extractors={
            # review verdicts, retrospectives, submitted observations, failed tests, comments
            "outright": extractor(),
            # typed sentences that open with a standing mark
            "floor": extractor(),
            # what several runs met: failures, and the cures of those that all got over alike
            "notice": extractor(),
        },
    )
    match = Section(
        matcher="lexical",
        threshold=0.36,  # with this margin chosen on duplicate reports (decision 4)
        margin=0.03,  # a twin stands out from the second-best, boilerplate does not
        doubt=0.25,  # where each says more than a quarter of its own, words do not vouch for a merge (decision 4)
        same_kind=False,
        same_task=False,
        category_blocks=False,  # two reviewers file one problem under two names
    )
    gate = Section(
        asks_whose=True,  # where a text first stood, before it may be told
        min_chars=0,
        discard=(),  # kinds of noise, where an origin names some
        favour=(),
        known="link",
        unknown="allow",  # whose word it is decides, not its wording
    )
    trust = Section(
        runs=RUNS,  # one-offs are noise
        once=True,  # what one session found is told at its own moment, if nothing from outside brought it
    )
    ladder: Ladder = _PlainLadder()  # type: ignore[assignment]
    # effect §8
    trial = TRIAL
    effect = Section(
        alpha=0.05,
        margin=0.1,
        min_units=MIN_UNITS,
    )
    query = Section(
        max_chars=96000,  # a task's whole text, a pasted log included; of a longer one the beginning and the end
        rewrite_timeout_s=1.5,  # somebody waits
    )
    rank = Section(
        ranker="lexical",
        floor=0.08,  # to be measured with the ranker
        min_chars=0,
        min_frequency=0,
        universal_at=0,
        by_domain=False,
        by_agent=True,
        drop_stale=False,
        ties=("seen", "text"),  # by content, not by the clock
    )
    budget = Section(
        level="auto",
        lean=3,
        balanced=7,
        deep=15,
        max_tokens=1200,
        pinned_outside=True,
        start_tokens=300,  # design §4
        roles={},
        precedence=listed("pinned, trust:user, verdict:helps, class:rule, scope:project, newer"),
    )
    render = Section(
        renderer="notes",
        heading="## Lessons from past runs",
        intro="Notes, not instructions. Each has been met before in this project; ask `tacit why ID` where one surprises.",
        line="- {text} [{id}, {label}, seen {seen}x]",
        empty="",
        wrap=True,
        max_line_chars=LINE_CHARS,
    )
    fade = Section(
        runs_step=0,  # runs unmet that take one off a count
        stale_days=90,
        exposure=EXPOSURE,  # a project that rests forgets nothing
        never=("preference", "rule", "security"),
        never_states=(),
    )
    signals = Section(
        names=(
            "helped",
            "failed",
            "cited",
        ),  # what people and agents say of a use: shown, never counted as effect
        confidence="none",  # confidence is the origins'
    )
    tend = Section(
        night=False,  # an origin has one: what it does between runs beside forgetting
        when=("session_start", "daily"),
        steps=("sweep", "page"),
    )
    triage = Section(
        expire_days=7,
    )
    page = Section(
        curated="",  # a page that an origin writes in its own way; any other holds a block
        title="Memory",
        max_lines=180,
        sections=listed(
            "Rules, Preferences, Security, Pitfalls, What works, Commands, Facts, Inbox"
        ),
        map={
            "rule": "Rules",
            "preference": "Preferences",
            "security": "Security",
            "pitfall": "Pitfalls",
            "fix": "What works",
            "command": "Commands",
            "fact": "Facts",
        },
        states=(),  # what stands for good
    )
    model = Section(
        steps=("read", "rewrite", "triage"),
        timeout_s=60.0,
    )
    learn = Section(
        settle_hours=6.0,
    )
    health = Section(
        uncategorised=1.0,
    )

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        """`values` are set instead of the class's own, by dotted key."""
        self.values = dict(values or {})
        for key, new in self.values.items():
            section, *path = key.split(".")
            setattr(self, section, _but(getattr(self, section), path, new))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Profile):
            return NotImplemented
        return type(self) is type(other) and self.values == other.values

    def __hash__(self) -> int:
        return hash(to_json(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.values or ''})"


def _but(old: Any, path: list[str], new: Any) -> Any:
    """A section or a table of them with one value set, however deep it stands."""
    if not path:
        return new
    name, *deeper = path
    if isinstance(old, Section):
        return old.but(**{name: _but(getattr(old, name, None), deeper, new)})
    return {**old, name: _but(old[name], deeper, new)}


def to_json(profile: Profile) -> str:
    """What the store keeps: whose way it is, and what is set otherwise."""
    kept = {
        "name": profile.name,
        "confidence": profile.signals.confidence,
        "values": profile.values,
    }
    return dumps(kept, ensure_ascii=False, separators=(",", ":"))


def plain(text: str) -> Profile | None:
    """Tacit's own way, as a store keeps it; None where the store names an origin."""
    kept = loads(text)
    return Profile(kept.get("values")) if kept["name"] == Profile.name else None


def confidence_rule(text: str | None) -> Any:
    """The rule by which confidence is folded, of what a store keeps."""
    kept = loads(text) if text else {}
    return kept.get("confidence") or "none"


def profile_id(profile: Profile) -> str:
    """The version that goes into every journal entry: equal exactly for equal profiles, on every machine."""
    return short_hash(to_json(profile))


def with_values(profile: Profile, values: Mapping[str, Any]) -> Profile:
    """The same way with some dotted keys set; each must exist."""
    return type(profile)({**profile.values, **values})


def kind_named(profile: Profile, word: str) -> str:
    """The kind that a foreign or typed word means, by name or alias; the profile's `other_kind` if none."""
    asked = _folded(word)
    for name, kind in profile.kinds.items():
        if asked == _folded(name) or any(asked == _folded(alias) for alias in kind.aliases):
            return name
    return profile.other_kind


def _folded(word: str) -> str:
    return word.strip().lower().replace(" ", "_").replace("-", "_")


def class_of(profile: Profile, kind: str) -> str:
    """The class of a kind, by name or alias; that of `other_kind` for one the profile does not declare."""
    klass: str = profile.kinds[kind_named(profile, kind)].klass
    return klass


def task_type_of(profile: Profile, text: str) -> str:
    """The type of a task, told from its text: the first of the profile's types with a hit."""
    folded = text.lower()
    how = profile.tasks.match
    for each in profile.tasks.types:
        if any(_holds(folded, word, how) for word in each.words):
            name: str = each.name
            return name
    return GENERAL


def _holds(text: str, word: str, how: str) -> bool:
    at = text.find(word)
    while at >= 0:
        begins = how == "substring" or at == 0 or not text[at - 1].isalnum()
        end = at + len(word)
        if begins and (how != "word" or end == len(text) or not text[end].isalnum()):
            return True
        at = text.find(word, at + 1)
    return False

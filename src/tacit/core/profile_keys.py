"""Every key a profile may hold: its type, its range, and what it means. The one table of them."""

from __future__ import annotations

import re
from typing import Any

from tacit.core import lifecycle, states
from tacit.core.memory import SCOPES, SEVERITIES, TIERS, VERDICTS
from tacit.core.profile import CLASSES, LEVELS
from tacit.core.value import value

REQUIRED: Any = object()  # in an entry of a named table or list: must be given
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_COLUMNS = (
    "id", "name", "standing", "state", "kind", "seen", "frequency", "domain", "agent", "category", "confidence", "task_type", "scope",
    "severity", "trust", "text",
)  # fmt: skip
MATCH_WAYS = ("substring", "word_start", "word", "inflected")
# beside facets: what decides between two lessons
OPINION = ("pinned", "newer", "older", "seen", "belief", "confidence")
FACETS = {"class": CLASSES, "scope": SCOPES, "state": states.STATES, "trust": TIERS, "verdict": VERDICTS}
WORLDS = {  # what the words of conditions may be
    "verdict": VERDICTS,
    "class": CLASSES,
    "trust": TIERS,
    "cause": lifecycle.CAUSES,
    "moment": lifecycle.MOMENTS,
    "word": lifecycle.HEARD_AS,
}


@value
class Key:
    """What one key may hold, and what it is for."""

    type: str  # text, flag, whole, number; or a list: texts, wholes, numbers, conditions
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    names: str = ""  # what its words must name: a kind or a role
    slot: str = ""  # the kind of function it names
    default: Any = REQUIRED  # in entries of named tables and lists only; elsewhere default.toml has it

    @property
    def range(self) -> str:
        """The range in words, for the documentation and for errors."""
        if self.choices:
            words = ", ".join(each or "nothing" for each in self.choices)
            return f"any of {words}" if self.type.endswith("s") else f"one of {words}"
        if self.slot:
            return f"a function: {self.slot}"
        if self.names:
            return f"{self.type} naming a {self.names}"
        if self.low is None:
            return {"flag": "true or false", "texts": "list of texts", "conditions": "list of conditions"}.get(
                self.type, self.type
            )
        kind = {"whole": "whole number", "wholes": "list of whole numbers", "numbers": "list of numbers"}
        top = f"{self.low:g} to {self.high:g}" if self.high is not None else f"{self.low:g} or more"
        return f"{kind.get(self.type, 'number')}, {top}"


def _text(doc: str, default: Any = REQUIRED, names: str = "") -> Key:
    return Key("text", doc, names=names, default=default)


def texts(doc: str, default: Any = REQUIRED, names: str = "", choices: tuple[str, ...] = ()) -> Key:
    return Key("texts", doc, names=names, choices=choices, default=default)


def one_of(choices: tuple[str, ...], doc: str, default: Any = REQUIRED) -> Key:
    return Key("text", doc, choices=choices, default=default)


def function(slot: str, doc: str) -> Key:
    return Key("text", doc, slot=slot)


def flag(doc: str, default: Any = REQUIRED) -> Key:
    return Key("flag", doc, default=default)


def whole(doc: str, low: int = 0, high: int | None = None, default: Any = REQUIRED) -> Key:
    return Key("whole", doc, low, high, default=default)


def number(doc: str, low: float | None = 0.0, high: float | None = None, default: Any = REQUIRED) -> Key:
    return Key("number", doc, low, high, default=default)


def share(doc: str, default: Any = REQUIRED) -> Key:
    return Key("number", doc, 0.0, 1.0, default=default)


def shares(doc: str) -> Key:
    return Key("numbers", doc, 0.0, 1.0)


# `a.*.b` is key b of each entry of the named table a; `a[].b` is key b of each item of the list a.
KEYS: dict[str, Key] = {
    "name": _text("what the profile is called: a small letter, then small letters, digits, - and _"),
    "title": _text("one line about it"),
    "version": _text("the author's own version; the version in the journal is a hash of everything"),
    "roles": texts("roles that may approve, beside `person` and `reviewer` (whoever the memory's kind names)"),
    "domains": texts("the domains this profile speaks of; none: any word is a domain"),
    "general_domain": _text("the domain whose memories fit every other one"),
    "add_kind": _text("the kind of what a person adds without saying", names="kind"),
    "other_kind": _text("the kind of what names a kind nobody declared", names="kind"),
    "ids": _text("the format whose ids a new memory gets beside its own (m-001, mem-task-014-1, learn-…); empty: none"),
    "columns": texts("what `tacit list` shows of each memory", choices=_COLUMNS),
    # How things are called.
    "words.memory": _text("one memory, in this profile's words"),
    "words.memories": _text("several"),
    "words.run": _text("one run"),
    "words.runs": _text("several"),
    "words.person": _text("the source of what a person adds by hand"),
    # Kinds.
    "kinds.*.class": one_of(CLASSES, "the class: exemption, caps and belief go by it"),
    "kinds.*.label": _text("how people read it", ""),
    "kinds.*.heading": _text("the heading under which a renderer groups it; empty: none", ""),
    "kinds.*.scope": one_of((*SCOPES, ""), "scope at birth; empty: `scopes.otherwise`", ""),
    "kinds.*.reviewers": texts("roles that `reviewer` means for this kind; none: a person", (), "role"),
    "kinds.*.aliases": texts("other words for it, as foreign systems write them", ()),
    "kinds.*.keywords": texts("words that make the `keywords` classifier choose it", ()),
    "kinds.*.cap": whole("at most so many of it in one injection; 0: no cap of its own", default=0),
    "kinds.*.min_confidence": share("below this it is not injected", 0.0),
    "kinds.*.min_success": share("below this success rate it is not injected", 0.0),
    "kinds.*.same_task": flag("only for runs of its own task type", False),
    "kinds.*.error_lift": number("added to its score for each error of the query that its text holds", default=0.0),
    "kinds.*.path_lift": number("added to its score if it names a file of the query", default=0.0),
    # Task types.
    "tasks.match": one_of(MATCH_WAYS, "how a word must occur: anywhere, at the start of a word, as a word"),
    "tasks.otherwise": _text("the type of a task that no word betrays"),
    "tasks.types[].name": _text("the type; the first with a hit is taken"),
    "tasks.types[].words": texts("words that betray it, case-folded"),
    # Categories.
    "categories.classifier": function("classifier", "who files a text under a category; `none`: nobody"),
    "categories.version": _text("the taxonomy's version, kept with each filing"),
    "categories.match": one_of(MATCH_WAYS, "how a keyword must occur"),
    "categories.base": share("confidence of a filing before its hits"),
    "categories.per_hit": share("confidence added per keyword found"),
    "categories.top": share("confidence of a filing at most"),
    "categories.hint": share("confidence, at least, of a category that the source itself names"),
    "categories.otherwise": _text("the category of what fits none; empty: none"),
    "categories.otherwise_confidence": share("confidence in that"),
    "categories.names.*.label": _text("how people read it", ""),
    "categories.names.*.keywords": texts("words that speak for it; ties go to the earlier category", ()),
    "categories.names.*.aliases": texts("other words for it", ()),
    # Scopes.
    "scopes.otherwise": one_of(SCOPES, "scope of a memory that nothing narrows"),
    "scopes.keywords.*": texts("phrases that make a text of this scope"),
    # Extraction.
    "extract.severity_floor": one_of(SEVERITIES, "an unmatched finding below this makes no memory; it still matches"),
    "extract.classifier": function("kind_classifier", "who chooses the kind of a finding that names none"),
    "extract.tagger": function("tagger", "who makes tags from a text; `none`: nobody"),
    "extract.tag_words": whole("so many tags at most"),
    "extract.tag_chars": whole("a tag has so many characters at least", 1),
    "extract.phrase_min": whole("what an iteration says in so few characters, or fewer, is no approach"),
    "extract.phrase_max": whole("an approach or failure that fits no phrase is kept up to so many characters", 1),
    "extract.examples": whole("so many example files with a convention"),
    "extract.complexity": Key("wholes", "a task is low up to the first number of iterations and files, then medium", 1),
    "extract.extractors.*.on": flag("whether it works", True),
    "extract.extractors.*.kind": _text("kind of its findings; empty: as it says itself", "", "kind"),
    "extract.extractors.*.count": whole("so many occurrences make a finding", 1, default=1),
    "extract.extractors.*.share": share("this share of the successes makes a finding", 0.0),
    "extract.extractors.*.more_than": flag("the share must be exceeded, not only reached", False),
    "extract.extractors.*.confidence": share("confidence of its findings; absent: it computes one, or none", None),
    "extract.extractors.*.full_at": whole("confidence grows to 1 over so many occurrences; 0: it does not", default=0),
    "extract.extractors.*.cap": share("confidence at most", 1.0),
    "extract.approaches[].any": texts("one of these words makes it", ()),
    "extract.approaches[].all": texts("or all of these together", ()),
    "extract.approaches[].text": _text("the approach it stands for"),
    "extract.failures[].any": texts("one of these words makes it", ()),
    "extract.failures[].all": texts("or all of these together", ()),
    "extract.failures[].text": _text("the failure it stands for"),
    "extract.conventions[].holds": texts("a file name that holds one of these betrays it", ()),
    "extract.conventions[].ends": texts("or ends in one of these", ()),
    "extract.conventions[].text": _text("the convention; `{folder}` and `{suffix}` are those that most files share"),
    "extract.conventions[].confidence": share("confidence in it"),
    # Matching.
    "match.matcher": function("matcher", "who says how alike two texts are"),
    "match.threshold": share("alike enough to be the same lesson"),
    "match.margin": share("and by so much more than the runner-up"),
    "match.doubt": share(
        "no merge if each says more than such a part of its own, or one is the other with a word changed; 1: never mind"
    ),
    "match.same_kind": flag("only within one kind"),
    "match.same_task": flag("only within one task type"),
    "match.same_scope": flag("only within one scope"),
    "match.category_blocks": flag("two different categories are two lessons"),
    # The write gate.
    "gate.function": function("gate", "who judges a finding"),
    "gate.version": _text("kept with every decision"),
    "gate.min_chars": whole("an extracted text with fewer characters is discarded; what a person adds or typed is not"),
    "gate.discard": texts(
        "noise that is discarded", choices=("tool_trace", "command_dump", "instruction_edit", "narration")
    ),
    "gate.favour": texts(
        "marks of a concrete fact, which speak for allow", choices=("adr", "path", "command", "config")
    ),
    "gate.hedges": texts("phrases of a guess"),
    "gate.hedged": one_of(("hold", "downgrade", "allow"), "what happens to a guess; downgrade: severity info"),
    "gate.known": one_of(
        ("link", "allow"), "already written in the project's instruction files: linked, or stored too"
    ),
    "gate.unknown": one_of(("hold", "allow"), "what happens to what cannot be judged"),
    "gate.fallback": flag("mark what was decided because nothing could be judged"),
    "gate.fallback_confidence": share("confidence of such a decision"),
    "gate.stated_confidence": share("confidence of a stated verdict without one"),
    "gate.reason_chars": whole("a stated reason is cut to so many characters", 1),
    "gate.refused": one_of(("discard", "reject"), "what fails a check: a hash and a reason, or kept as rejected"),
    "gate.required": texts("fields a finding must have", choices=("kind", "task_type", "text")),
    "gate.required_reason": _text("reason given where one is missing"),
    "gate.kind_reason": _text("reason given for an undeclared kind; empty: it becomes `other_kind`"),
    "gate.checks[].of": one_of(("confidence", "success_rate"), "the figure"),
    "gate.checks[].kind": _text("only for this kind; empty: for all", "", "kind"),
    "gate.checks[].min": number("not below this", None, default=None),
    "gate.checks[].max": number("not above this", None, default=None),
    "gate.checks[].reason": _text("reason given; the first check that fails decides"),
    # Trust.
    "trust.held": texts("tiers held until confirmed", choices=TIERS),
    "trust.confirm": one_of(TIERS, "independent evidence of this tier or above confirms a held memory"),
    "trust.runs": whole("independent runs that make a lesson credible", 1),
    "trust.person": texts("tiers that are a person's word", choices=TIERS),
    "ladder.auto": flag("make moves by itself; false: every move waits for a person"),
    "ladder.require_verdict": flag("no move without a measurement: rules with `measured = false` are off"),
    "ladder.reviews": whole("the so-manieth time under review ends in the archive", 1),
    "ladder.contradictions": whole("so many contradictions send a memory to review", 1),
    "ladder.remind": Key("wholes", "days under review after which it is brought up again", 1),
    "ladder.review_after.provisional": whole("days after which a provisional memory is looked at again; 0: never"),
    "ladder.review_after.stable": whole("days after which a stable one is; 0: never"),
    "ladder.review_after.canonical": whole("days after which a canonical one is; 0: never"),
    "ladder.moves[].name": _text("the rule's name, as the journal writes it"),
    "ladder.moves[].from": texts("states it may leave", choices=states.STATES),
    "ladder.moves[].to": one_of((*states.STATES, lifecycle.PREVIOUS), "where it leads; previous: before the review"),
    "ladder.moves[].when": Key("conditions", "must all hold, for instance `seen >= trust.runs`", default=()),
    "ladder.moves[].approve": texts("roles that must all approve, each a different head", (), "role"),
    "ladder.moves[].approve_any": texts("roles of which one must approve", (), "role"),
    "ladder.moves[].propose": flag("when only the approval lacks, file a proposal", False),
    "ladder.moves[].measured": flag("false: made without a measurement, and journaled as such", True),
    "ladder.moves[].cause": one_of(lifecycle.CAUSES, "why: decides what may bring it back", "evidence"),
    "ladder.moves[].reason": _text("the journal's sentence; may quote quantities, `{from}`, `{to}` and `{by}`"),
    # Trials and effect.
    "trial.rate": Key("number", "how often a lesson without a verdict is withheld", 0.0, 0.9),
    "trial.rate_watch": Key("number", "how often one that helps still is", 0.0, 0.9),
    "trial.rate_severe": Key("number", "how often one of severity bug is", 0.0, 0.9),
    "trial.rate_heard": Key("number", "how often what a reader heard a person say is, until they confirm it", 0.0, 0.9),
    "trial.lean": flag("let belief move the rate"),
    "trial.blank": Key("number", "share of units that get no lesson on trial at all", 0.0, 0.5),
    "trial.exempt": texts("classes that are never withheld", choices=CLASSES),
    "effect.alpha": Key("number", "error of a verdict, over all looks", 0.001, 0.5),
    "effect.margin": Key("number", "a smaller difference is no difference", 0.01, 0.5),
    "effect.belief_stable": share("belief of help that makes a lesson stable"),
    "effect.belief_review": share("belief of harm that sends it to review"),
    "effect.min_units": whole("no belief counts before so many settled units", 1),
    "effect.min_tasks": whole("nor before so many different tasks", 1),
    "effect.person_alone_units": whole("after so many units without a verdict a person alone may decide", 1),
    # Recall: query, rank, budget, render.
    "query.max_chars": whole("a query is cut to so many characters", 1),
    "query.rewrite_min_chars": whole("a shorter query is never rewritten"),
    "query.rewrite_short_chars": whole("nor one this short"),
    "query.rewrite_short_words": whole("and of so few words"),
    "query.rewrite_not": texts("nor one that begins with one of these words"),
    "query.rewrite_timeout_s": number("seconds a rewrite may take before the query goes as it is", 0.1),
    "rank.ranker": function("ranker", "who scores"),
    "rank.floor": number("below this score nothing is given: no filler"),
    "rank.candidates": whole("the store is asked for so many", 1),
    "rank.meaning": number("weight of the vectors' cosine beside the words, where vectors are at hand"),
    "rank.min_chars": whole("shorter memories are not given"),
    "rank.min_frequency": whole("nor those seen less often, preferences aside; 0: no such rule"),
    "rank.universal_at": whole("from this frequency on, domain and agent do not matter; 0: never"),
    "rank.by_domain": flag("only memories of the query's domain or the general one"),
    "rank.by_agent": flag("only memories of the query's agent or of none"),
    "rank.drop_stale": flag("stale memories are not given"),
    "rank.ties": texts(
        "what orders equal scores",
        choices=("confidence", "confirmed_at", "seen", "frequency", "updated_at", "created_at", "text"),
    ),
    "rank.lexical.title": number("weight of a memory's first words"),
    "rank.lexical.recurrence": number("weight of how often it was seen (logarithm)"),
    "rank.lexical.belief": number("weight of the belief that it helps"),
    "rank.lexical.severity": number("weight of a step of severity"),
    "rank.lexical.scope": number("weight of a step of scope, the narrower the better"),
    "rank.lexical.half_life_days": number("days unseen that halve the weight of its age; 0: age does not matter"),
    "rank.lexical.path_gone": share("factor for a memory whose every path is gone"),
    "rank.lexical.start_by_recurrence": flag("at the start of a run what recurs leads"),
    "rank.lexical.same_task_lift": number("added for what happened in a nearly identical task"),
    "rank.lexical.same_task_similarity": share("how alike two tasks must be for that"),
    "rank.relevance.confidence": number("weight of confidence"),
    "rank.relevance.task": number("weight of the same task type"),
    "rank.relevance.success": number("weight of the success rate"),
    "rank.relevance.recency": number("weight of recency"),
    "rank.relevance.days": whole("recency falls to nothing over so many days", 1),
    "rank.six_factor.scope": number("weight of the scope matrix"),
    "rank.six_factor.path": number("weight of shared paths"),
    "rank.six_factor.role": number("weight of the same role"),
    "rank.six_factor.freshness": number("weight of freshness"),
    "rank.six_factor.confidence": number("weight of confidence"),
    "rank.six_factor.reuse": number("weight of successful reuse"),
    "rank.six_factor.contradiction": number("taken off per contradiction"),
    "rank.six_factor.contradiction_most": number("taken off for contradictions at most"),
    "rank.six_factor.risk": number("added for a risk kind when the task's risk is high"),
    "rank.six_factor.risk_kinds": texts("the risk kinds", names="kind"),
    "rank.six_factor.days": whole("freshness falls to nothing over so many days", 1),
    "rank.six_factor.no_history": share("reuse of a memory that was never reused"),
    "rank.six_factor.caution_below": share("below this confidence, or contradicted, it is given as a caution"),
    "rank.six_factor.matrix.*": shares("scope score in the context of a task, a mission, a project"),
    "rank.decay.priority": number("weight of the priority that echoes gave"),
    "rank.decay.recalls": number("weight of how often it was recalled (logarithm)"),
    "rank.decay.recalls_most": number("that weight at most"),
    "rank.decay.boost_least": share("the boost is never below this"),
    "budget.level": one_of((*LEVELS, "auto"), "how much is given where nobody says"),
    "budget.auto": function("budget", "who chooses the level under auto"),
    "budget.auto_chars": whole("a longer query is deep", 1),
    "budget.auto_words": texts("so is one that holds one of these"),
    "budget.lean": whole("memories at the level lean"),
    "budget.balanced": whole("memories at the level balanced"),
    "budget.deep": whole("memories at the level deep"),
    "budget.cap": whole("never more, whatever is asked; 0: the level decides"),
    "budget.max_tokens": whole("never more tokens; 0: no cap"),
    "budget.pinned_outside": flag("pinned memories do not count"),
    "budget.person": whole("slots that only a person's own rules and preferences may take, beside the level's number"),
    "budget.person_tokens": whole("tokens that those may take; 0: no cap of their own"),
    "budget.few": whole(
        "what a run is given under auto beside a person's standing words, at most; 0: the level's number"
    ),
    "budget.few_tokens": whole("tokens of all that is given under auto; 0: no cap of its own"),
    "budget.agents.*": whole("at most so many that belong to this agent"),
    "budget.roles.*.least": whole("what this role is given at least, as far as there is anything"),
    "budget.roles.*.most": whole("and at most"),
    "budget.roles.*.cautions": whole("cautions beside them", default=0),
    "budget.precedence": texts("which of two lessons at odds is kept: the one that the first of these is true of"),
    "budget.nearest": whole("so many of those left out are recorded with their reasons"),
    "budget.fetch": Key("numbers", "the store is asked for so many times what lean, balanced, deep give", 1.0),
    "budget.fetch_extra": whole("and for so many more at least"),
    "budget.fetch_most": whole("but never for more than so many", 1),
    "render.renderer": function("renderer", "who words it"),
    "render.heading": _text("the first line"),
    "render.intro": _text("a sentence below it; empty: none"),
    "render.line": _text("one memory; quotes {text} {id} {kind} {label} {seen} {source} {confidence} {state} …"),
    "render.caution_heading": _text("the line above cautions; empty: cautions stand among the others"),
    "render.caution_line": _text("one caution"),
    "render.empty": _text("what is printed where there is nothing to give"),
    "render.wrap": flag("fence it and label it as notes; an origin's exact rendering does not"),
    "render.max_line_chars": whole("a line is cut to so many characters; 0: not"),
    # Fading and counters.
    "fade.function": function("fade", "how strength falls: days, runs, exponential, none"),
    "fade.runs_step": whole("runs unseen that take one off the frequency", 1),
    "fade.rate": number("exponential: strength is exp(-rate x days)"),
    "fade.stale_days": whole("unused and older than so many days is stale; 0: nothing is"),
    "fade.exposure": whole(
        "runs that could have met or used a lesson before its silence counts; 0: days alone decide", 0
    ),
    "fade.stale_factor": share("strength of what is stale"),
    "fade.never": texts("classes that silence cannot touch", choices=CLASSES),
    "fade.never_states": texts("states that silence cannot touch", choices=states.STATES),
    "signals.names": texts("counters this profile keeps"),
    "signals.confidence": function("confidence", "how confidence is folded; `none`: it is not kept"),
    "signals.start": shares("confidence with one, two, three pieces of evidence"),
    "signals.positive": Key("number", "what a good use adds to it", -1.0, 1.0),
    "signals.negative": Key("number", "what a bad use adds to it", -1.0, 1.0),
    "signals.contradiction": Key("number", "what a contradiction adds to it", -1.0, 1.0),
    "signals.reinstated": share("a review that reinstates a memory lifts its confidence to this at least"),
    "signals.echo": Key("number", "what an answer that used it adds to its priority", -1.0, 1.0),
    "signals.fizzle": Key("number", "what an answer that did not use it adds", -1.0, 1.0),
    "signals.echo_share": share("used, if more than this share of its words occur in the answer"),
    "signals.echo_phrase": whole("or so many of them in a row", 1),
    "signals.echo_letters": whole("words of fewer letters do not count", 1),
    "signals.audits": texts("which audits of uses are recorded", choices=("findings", "echo", "outcome")),
    "signals.audit_overlap": share("findings: a finding that holds this share of its words repeats the problem"),
    # Between runs.
    "tend.when": texts("when tending is due", choices=("after_run", "session_start", "daily", "weekly")),
    "tend.least": whole("a pass changes so many memories at most, or"),
    "tend.share": share("this share of the active ones, if that is more; the surplus becomes a proposal"),
    "tend.merge_threshold": share("two memories this alike are merged"),
    "tend.candidate_days": whole("a candidate not met for so many days is a one-off", 1),
    "tend.prune_days": whole("what is stale and older than so many days may be pruned", 1),
    "tend.archive_days": whole("what decayed so many days ago is archived", 1),
    "reflect.lookback_days": whole("observations of so many days are condensed", 1),
    "reflect.max_chars": whole("and so many characters of them", 1),
    "reflect.shorter": flag("the result must be shorter than what it condenses"),
    "reflect.retries": shares("if it is not: try again with this share of the length"),
    "triage.tiers": texts("who decides a proposal, in this order", choices=("rules", "model", "person")),
    "triage.rules": function("triage", "the rules of tier 1"),
    "triage.prefixes": texts("a proposal that begins so is an instruction to an editor, not a fact: rejected"),
    "triage.opinions": texts("words of an opinion: never promoted by rule"),
    "triage.promote_sections": texts("only into these sections by rule"),
    "triage.promote_needs": texts("and only with all of these", choices=("date", "reference")),
    "triage.threshold": share("this alike to a line or another proposal is a duplicate"),
    "triage.compare_chars": whole("so many characters are compared; 0: all"),
    "triage.batch": whole("proposals in one question to the model", 1),
    "triage.checked": whole(
        "of so many decisions of a tier a person makes one, so that the tier is measured; 0: none", 0
    ),
    "triage.expire_days": whole("an undecided proposal expires after so many days", 1),
    "triage.watch": whole("so many last decisions of a tier are compared with people and outcomes", 1),
    "triage.lose": share("below this agreement it decides no more"),
    "triage.regain": share("from this agreement on it does again"),
    "page.target": _text("the file, relative to the project"),
    "page.targets.*": one_of(
        ("file", "block", "paths", "globs", "agents"),
        "how this file, or this folder of files, is kept once a person asks for it",
    ),
    "page.title": _text("the page's heading"),
    "page.max_lines": whole("lines at most", 1),
    "page.max_bytes": whole("bytes at most", 1),
    "page.sections": texts("its sections, in order"),
    "page.inbox": _text("the section of what the map does not name"),
    "page.map.*": _text("the section of this kind or category"),
    "page.line": _text("one line; quotes {text} {title} {date} {id} {kind}"),
    "page.states": texts("states that may stand there, beside what is pinned or exempt", choices=states.STATES),
    "page.ask_above": whole("more vanished lines at once are asked about"),
    "model.steps": texts(
        "steps that may ask a model, if the user has named one",
        choices=("extract", "read", "gate", "rewrite", "same", "triage", "reflect"),
    ),
    "model.timeout_s": number("seconds a model may take", 0.1),
    "learn.settle_hours": number("hours without growth that count as quiet", 0.1),
    "learn.resurrect_runs": whole("further runs after which a lesson that was sent away is proposed again", 1),
    "health.fallback": share("more gate decisions by fallback are a fault"),
    "health.stale": share("more stale memories are a fault"),
    "health.uncategorised": share("more memories without a category are a fault"),
    "health.backlog": whole("more waiting proposals are a fault"),
}

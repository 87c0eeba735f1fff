"""Profiles as people write them: TOML in, one checked and complete profile out.

`KEYS` is the one table of everything a profile may say: for each key its type, its range and its meaning. The compiler
checks against it, `docs/profiles/README.md` prints it, and a key that is not in it is refused by name, with the nearest
one that is. Nothing has a hidden default: `default.toml` states every key, and what another profile leaves out comes
from there (or from the profile it `extends`).

    profile = compile_profile('''
        name = "careful"
        extends = "default"
        [trust]
        runs = 3
    ''')

In a named table or a list of named things (`kinds`, `ladder.moves` …) a profile that `extends` another adds to it, and
replaces what it names again; without `extends` it starts from none, since a vocabulary is not a correction of another.

This side loads tomllib and difflib. Hooks read the compiled JSON (`profile.from_json`) and never come here.
"""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tacit.core import lifecycle, states
from tacit.core.errors import NotFound, ProfileInvalid
from tacit.core.memory import SCOPES, VERDICTS
from tacit.core.profile import CLASSES, FORMAT, LEVELS, Profile
from tacit.core.run import SEVERITIES, TIERS
from tacit.core.value import value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BUILTIN = ("default", "archeflow", "ralph", "geas", "joelclaw")

REQUIRED: Any = object()  # in an entry of a named table or list: must be given

NAME = re.compile(r"[a-z][a-z0-9_-]*")
CONDITION = re.compile(r"(not )?([a-z_]+)(?: *(>=|<=|!=|=|>|<) *(\S.*))?")
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")

COLUMNS = (
    "id", "name", "standing", "state", "kind", "seen", "frequency", "domain", "agent", "category", "confidence", "task_type", "scope",
    "severity", "trust", "text",
)  # fmt: skip
MATCH_WAYS = ("substring", "word_start", "word", "inflected")
OPINION = (
    "pinned",
    "newer",
    "older",
    "seen",
    "belief",
    "confidence",
)  # beside facets: what decides between two lessons
FACETS = {"class": CLASSES, "scope": SCOPES, "state": states.STATES, "trust": TIERS, "verdict": VERDICTS}
WORLDS = {  # what the words of conditions may be
    "verdict": VERDICTS,
    "class": CLASSES,
    "trust": TIERS,
    "cause": lifecycle.CAUSES,
    "moment": lifecycle.MOMENTS,
    "word": lifecycle.SAID,
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


def text(doc: str, default: Any = REQUIRED, names: str = "") -> Key:
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
    "name": text("what the profile is called: a small letter, then small letters, digits, - and _"),
    "title": text("one line about it"),
    "version": text("the author's own version; the version in the journal is a hash of everything"),
    "roles": texts("roles that may approve, beside `person` and `reviewer` (whoever the memory's kind names)"),
    "domains": texts("the domains this profile speaks of; none: any word is a domain"),
    "general_domain": text("the domain whose memories fit every other one"),
    "add_kind": text("the kind of what a person adds without saying", names="kind"),
    "other_kind": text("the kind of what names a kind nobody declared", names="kind"),
    "ids": text("the format whose ids a new memory gets beside its own (m-001, mem-task-014-1, learn-…); empty: none"),
    "columns": texts("what `tacit list` shows of each memory", choices=COLUMNS),
    # How things are called.
    "words.memory": text("one memory, in this profile's words"),
    "words.memories": text("several"),
    "words.run": text("one run"),
    "words.runs": text("several"),
    "words.person": text("the source of what a person adds by hand"),
    # Kinds.
    "kinds.*.class": one_of(CLASSES, "the class: exemption, caps and belief go by it"),
    "kinds.*.label": text("how people read it", ""),
    "kinds.*.heading": text("the heading under which a renderer groups it; empty: none", ""),
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
    "tasks.otherwise": text("the type of a task that no word betrays"),
    "tasks.types[].name": text("the type; the first with a hit is taken"),
    "tasks.types[].words": texts("words that betray it, case-folded"),
    # Categories.
    "categories.classifier": function("classifier", "who files a text under a category; `none`: nobody"),
    "categories.version": text("the taxonomy's version, kept with each filing"),
    "categories.match": one_of(MATCH_WAYS, "how a keyword must occur"),
    "categories.base": share("confidence of a filing before its hits"),
    "categories.per_hit": share("confidence added per keyword found"),
    "categories.top": share("confidence of a filing at most"),
    "categories.hint": share("confidence, at least, of a category that the source itself names"),
    "categories.otherwise": text("the category of what fits none; empty: none"),
    "categories.otherwise_confidence": share("confidence in that"),
    "categories.names.*.label": text("how people read it", ""),
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
    "extract.extractors.*.kind": text("kind of its findings; empty: as it says itself", "", "kind"),
    "extract.extractors.*.count": whole("so many occurrences make a finding", 1, default=1),
    "extract.extractors.*.share": share("this share of the successes makes a finding", 0.0),
    "extract.extractors.*.more_than": flag("the share must be exceeded, not only reached", False),
    "extract.extractors.*.confidence": share("confidence of its findings; absent: it computes one, or none", None),
    "extract.extractors.*.full_at": whole("confidence grows to 1 over so many occurrences; 0: it does not", default=0),
    "extract.extractors.*.cap": share("confidence at most", 1.0),
    "extract.approaches[].any": texts("one of these words makes it", ()),
    "extract.approaches[].all": texts("or all of these together", ()),
    "extract.approaches[].text": text("the approach it stands for"),
    "extract.failures[].any": texts("one of these words makes it", ()),
    "extract.failures[].all": texts("or all of these together", ()),
    "extract.failures[].text": text("the failure it stands for"),
    "extract.conventions[].holds": texts("a file name that holds one of these betrays it", ()),
    "extract.conventions[].ends": texts("or ends in one of these", ()),
    "extract.conventions[].text": text("the convention; `{folder}` and `{suffix}` are those that most files share"),
    "extract.conventions[].confidence": share("confidence in it"),
    # Matching.
    "match.matcher": function("matcher", "who says how alike two texts are"),
    "match.threshold": share("alike enough to be the same lesson"),
    "match.margin": share("and by so much more than the runner-up"),
    "match.doubt": share("no merge if each says more than such a part of its own, or one is the other with a word changed; 1: never mind"),
    "match.same_kind": flag("only within one kind"),
    "match.same_task": flag("only within one task type"),
    "match.same_scope": flag("only within one scope"),
    "match.category_blocks": flag("two different categories are two lessons"),
    # The write gate.
    "gate.function": function("gate", "who judges a finding"),
    "gate.version": text("kept with every decision"),
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
    "gate.required_reason": text("reason given where one is missing"),
    "gate.kind_reason": text("reason given for an undeclared kind; empty: it becomes `other_kind`"),
    "gate.checks[].of": one_of(("confidence", "success_rate"), "the figure"),
    "gate.checks[].kind": text("only for this kind; empty: for all", "", "kind"),
    "gate.checks[].min": number("not below this", None, default=None),
    "gate.checks[].max": number("not above this", None, default=None),
    "gate.checks[].reason": text("reason given; the first check that fails decides"),
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
    "ladder.moves[].name": text("the rule's name, as the journal writes it"),
    "ladder.moves[].from": texts("states it may leave", choices=states.STATES),
    "ladder.moves[].to": one_of((*states.STATES, lifecycle.PREVIOUS), "where it leads; previous: before the review"),
    "ladder.moves[].when": Key("conditions", "must all hold, for instance `seen >= trust.runs`", default=()),
    "ladder.moves[].approve": texts("roles that must all approve, each a different head", (), "role"),
    "ladder.moves[].approve_any": texts("roles of which one must approve", (), "role"),
    "ladder.moves[].propose": flag("when only the approval lacks, file a proposal", False),
    "ladder.moves[].measured": flag("false: made without a measurement, and journaled as such", True),
    "ladder.moves[].cause": one_of(lifecycle.CAUSES, "why: decides what may bring it back", "evidence"),
    "ladder.moves[].reason": text("the journal's sentence; may quote quantities, `{from}`, `{to}` and `{by}`"),
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
    "budget.few": whole("what a run is given under auto beside a person's standing words, at most; 0: the level's number"),
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
    "render.heading": text("the first line"),
    "render.intro": text("a sentence below it; empty: none"),
    "render.line": text("one memory; quotes {text} {id} {kind} {label} {seen} {source} {confidence} {state} …"),
    "render.caution_heading": text("the line above cautions; empty: cautions stand among the others"),
    "render.caution_line": text("one caution"),
    "render.empty": text("what is printed where there is nothing to give"),
    "render.wrap": flag("fence it and label it as notes; an origin's exact rendering does not"),
    "render.max_line_chars": whole("a line is cut to so many characters; 0: not"),
    # Fading and counters.
    "fade.function": function("fade", "how strength falls: days, runs, exponential, none"),
    "fade.runs_step": whole("runs unseen that take one off the frequency", 1),
    "fade.rate": number("exponential: strength is exp(-rate x days)"),
    "fade.stale_days": whole("unused and older than so many days is stale; 0: nothing is"),
    "fade.exposure": whole("runs that could have met or used a lesson before its silence counts; 0: days alone decide", 0),
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
    "triage.checked": whole("of so many decisions of a tier a person makes one, so that the tier is measured; 0: none", 0),
    "triage.expire_days": whole("an undecided proposal expires after so many days", 1),
    "triage.watch": whole("so many last decisions of a tier are compared with people and outcomes", 1),
    "triage.lose": share("below this agreement it decides no more"),
    "triage.regain": share("from this agreement on it does again"),
    "page.target": text("the file, relative to the project"),
    "page.targets.*": one_of(
        ("file", "block", "paths", "globs", "agents"), "how this file, or this folder of files, is kept once a person asks for it"
    ),
    "page.title": text("the page's heading"),
    "page.max_lines": whole("lines at most", 1),
    "page.max_bytes": whole("bytes at most", 1),
    "page.sections": texts("its sections, in order"),
    "page.inbox": text("the section of what the map does not name"),
    "page.map.*": text("the section of this kind or category"),
    "page.line": text("one line; quotes {text} {title} {date} {id} {kind}"),
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


def compile_profile(
    text: str,
    *,
    name: str = "",
    base: Profile | None = None,
    known: Mapping[str, Iterable[str]] | None = None,
) -> Profile:
    """The profile that a TOML text describes, checked and complete.

    `name` stands in where the text gives none. `base` is the profile that `extends` names, if it is not built in.
    `known` lists the functions at hand for each slot, entry points included; without it those names go unchecked.
    Every fault found is in the error's message, one a line.
    """
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileInvalid(f"The profile {name or 'given'} is not TOML: {error}.") from None
    extends = given.pop("extends", "")
    given.setdefault("name", name)
    missing_from = _base_of(given["name"], extends, base)
    check = _Check(adds=bool(extends) or base is not None)
    data = {"format": FORMAT, **check.table(_TREE, given, missing_from, "")}
    if not check.faults:
        check.whole(data, known)
    if check.faults:
        raise ProfileInvalid("\n".join(check.faults), "Every key and its range: docs/profiles/README.md")
    return Profile(data)


def builtin(name: str) -> str:
    """The TOML text of a built-in profile."""
    if name not in BUILTIN:
        raise NotFound(f"There is no built-in profile {name!r}.", f"One of: {', '.join(BUILTIN)}.")
    return files("tacit.profiles").joinpath(f"{name}.toml").read_text("utf-8")


@lru_cache
def standard(name: str = "default") -> Profile:
    """A built-in profile, compiled."""
    return compile_profile(builtin(name), name=name)


def slots(profile: Profile) -> dict[str, tuple[str, ...]]:
    """The functions a profile names, slot by slot: what the caller must be able to resolve."""
    found: dict[str, list[str]] = {}
    for path, key in KEYS.items():
        if key.slot:
            section, field = path.split(".", 1)
            found.setdefault(key.slot, []).append(profile.data[section][field])
    found["extractor"] = [each for each, at in profile.data["extract"]["extractors"].items() if at["on"]]
    return {slot: tuple(dict.fromkeys(names)) for slot, names in found.items()}


def key_table() -> str:
    """Every key as Markdown: what `docs/profiles/README.md` prints."""
    default = standard().data
    lines = ["| key | meaning | range | default |", "|---|---|---|---|"]
    for path, key in KEYS.items():
        shown = path.replace("*", "NAME")
        lines.append(f"| `{shown}` | {key.doc} | {key.range} | {_default_shown(path, key, default)} |")
    return "\n".join(lines) + "\n"


def _default_shown(path: str, key: Key, data: Mapping[str, Any]) -> str:
    if "*" in path or "[]" in path:
        if key.default is REQUIRED:
            return "must be given"
        return "none" if key.default is None else _toml(key.default)
    at: Any = data
    for step in path.split("."):
        at = at[step]
    return _toml(at)


def _toml(at: Any) -> str:
    if isinstance(at, bool):
        return f"`{str(at).lower()}`"
    if isinstance(at, list | tuple):
        return f"`[{', '.join(_toml(each).strip('`') for each in at)}]`"
    spelled = '"' + at.replace("\n", "\\n").replace("|", "\\|") + '"' if isinstance(at, str) else f"{at:g}"
    return f"`{spelled}`"


# --- checking ---------------------------------------------------------------------------------------------------------

Node = Any  # a Key, or a table of nodes; its only child "*" stands for each named entry, "[]" for each item of a list


def _tree() -> dict[str, Node]:
    root: dict[str, Node] = {}
    for path, key in KEYS.items():
        at = root
        *way, last = path.replace("[]", ".[]").split(".")
        for step in way:
            at = at.setdefault(step, {})
        at[last] = key
    return root


_TREE = _tree()


def _base_of(name: str, extends: object, base: Profile | None) -> Mapping[str, Any]:
    """Where missing keys come from; nowhere for the default profile itself."""
    if not isinstance(extends, str):
        raise ProfileInvalid("extends is the name of a profile, as text.")
    if base is not None:
        if extends and extends != base.name:
            raise ProfileInvalid(f"The profile {name} extends {extends!r}; the base given is {base.name!r}.")
        return base.data
    if extends and extends not in BUILTIN:
        raise ProfileInvalid(f"extends names {extends!r}, which is not built in{_nearest(extends, BUILTIN)}")
    if extends == name and name:
        raise ProfileInvalid(f"The profile {name} extends itself.")
    return {} if name == "default" else standard(extends or "default").data


# Keys that profiles had and no code ever read. A profile that still has one is as good as without.
RETIRED = (
    "scopes.widening", "scopes.projects", "match.min_word", "match.fields", "trust.one_origin", "learn.unknown_days", "learn.complete",
    "kinds.*.confidence", "extract.extractors.*.severity",
)  # fmt: skip


def _is_retired(path: str, key: str) -> bool:
    return any(fnmatchcase(f"{path}.{key}", each) for each in RETIRED)


class _Check:
    """One pass over a profile: fills what is missing, brings values into canonical form, and collects the faults."""

    def __init__(self, adds: bool) -> None:
        self.adds = adds  # named tables and lists add to the base's; otherwise they start from none
        self.faults: list[str] = []

    def table(self, tree: Mapping[str, Node], given: Any, base: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Every key of a table, given or from the base, in the order of KEYS."""
        if not isinstance(given, dict):
            self.faults.append(f"{path} is a table, not {_kind(given)}.")
            return {}
        self.faults.extend(_unknown(path, key, tree) for key in given if key not in tree and not _is_retired(path, key))
        inner = f"{path}." if path else ""
        return {
            key: self.node(node, given.get(key, REQUIRED), base.get(key, REQUIRED), inner + key)
            for key, node in tree.items()
        }

    def node(self, node: Node, given: Any, base: Any, path: str) -> Any:
        if isinstance(node, Key):
            return self.key(node, given, base, path)
        if "*" in node:
            return self.entries(node["*"], given, base, path)
        if "[]" in node:
            return self.items(node["[]"], given, base, path)
        return self.table(node, {} if given is REQUIRED else given, {} if base is REQUIRED else base, path)

    def entries(self, node: Node, given: Any, base: Any, path: str) -> dict[str, Any]:
        """A table whose keys are names: the base's entries, where the profile adds to them, and its own."""
        if given is not REQUIRED and not isinstance(given, dict):
            self.faults.append(f"{path} is a table, not {_kind(given)}.")
            return {}
        entries = dict(base) if self.adds and base is not REQUIRED else {}
        for name, at in ({} if given is REQUIRED else given).items():
            entries[name] = self.node(node, at, entries.get(name, REQUIRED), f"{path}.{name}")
        return entries

    def items(self, node: Node, given: Any, base: Any, path: str) -> list[Any]:
        """A list of tables: an item named like one of the base's replaces it in its place, others follow."""
        if given is not REQUIRED and not (isinstance(given, list) and all(isinstance(each, dict) for each in given)):
            self.faults.append(f"{path} is a list of tables.")
            return []
        items = list(base) if self.adds and base is not REQUIRED else []
        place_of = {each["name"]: place for place, each in enumerate(items) if "name" in each}
        named: set[str] = set()
        for count, at in enumerate([] if given is REQUIRED else given):
            name = at["name"] if isinstance(at.get("name"), str) else ""
            where = f"{path}.{name or count}"
            if name in named:
                self.faults.append(f"{where} is given twice.")
            named.update({name} - {""})
            place = place_of.get(name)
            made = self.table(node, at, items[place] if place is not None else {}, where)
            if place is None:
                items.append(made)
            else:
                items[place] = made
        return items

    def key(self, key: Key, given: Any, base: Any, path: str) -> Any:
        """A value of the key's type and range."""
        if given is REQUIRED:
            if base is not REQUIRED:
                return base
            if key.default is REQUIRED:
                self.faults.append(f"{path} must be given: {key.doc}.")
            return list(key.default) if isinstance(key.default, tuple) else key.default
        if key.type not in _LISTS:
            return self.one(key, key.type, given, path)
        if not isinstance(given, list):
            self.faults.append(f"{path} is a list, not {_kind(given)}: {key.doc}.")
            return []
        return [self.one(key, _LISTS[key.type], each, path) for each in given]

    def one(self, key: Key, type: str, given: Any, path: str) -> Any:
        if _kind(given) not in _FITTING[type]:
            self.faults.append(f"{path} takes {_FITTING[type][0]}, not {_kind(given)}: {key.doc}.")
        elif type in ("whole", "number") and not _in_range(key, given):
            self.faults.append(f"{path} = {given:g} is out of range: {key.range}.")
        elif key.choices and given not in key.choices:
            self.faults.append(f"{path}: {given!r} is not known{_nearest(given, key.choices)}")
        elif type == "condition":
            return self.condition(given, path)
        elif type == "number":
            return float(given)
        return given

    def condition(self, given: str, path: str) -> str:
        """A condition in canonical form, "quantity op bound"; flags become "= 1" and "= 0"."""
        found = CONDITION.fullmatch(given.strip())
        if not found:
            self.faults.append(f"{path}: {given!r} is no condition; write 'seen >= 2', 'person' or 'not held'.")
            return given
        negated, quantity, op, bound = found.groups()
        if quantity not in lifecycle.QUANTITIES:
            self.faults.append(f"{path}: {quantity!r} is not a quantity{_nearest(quantity, lifecycle.QUANTITIES)}")
        elif quantity in lifecycle.FLAGS:
            if op:
                self.faults.append(f"{path}: {quantity} is a flag; write '{quantity}' or 'not {quantity}'.")
            return f"{quantity} = {0 if negated else 1}"
        elif negated or not op:
            self.faults.append(
                f"{path}: {quantity} needs a comparison, for instance '{quantity} {_example(quantity)}'."
            )
        elif quantity in WORLDS:
            if op not in ("=", "!="):
                self.faults.append(f"{path}: {quantity} is a word; compare it with = or !=.")
            if bound not in WORLDS[quantity]:
                self.faults.append(f"{path}: {bound!r} is no {quantity}{_nearest(bound, WORLDS[quantity])}")
        elif not _is_number(bound):
            self.faults.append(f"{path}: {bound!r} is neither a number nor the key of one{_nearest(bound, _numeric())}")
        return f"{quantity} {op} {bound}"

    # What one key says of another.

    def whole(self, data: Mapping[str, Any], known: Mapping[str, Iterable[str]] | None) -> None:
        budget, page = data["budget"], data["page"]
        if not NAME.fullmatch(data["name"]):
            self.faults.append(
                f"name: {data['name']!r} is no name: a small letter, then small letters, digits, - and _."
            )
        if not data["kinds"]:
            self.faults.append(
                'kinds is empty: a profile says what it remembers, for instance [kinds.fix] class = "fix".'
            )
        self.names(data)
        for entry in budget["precedence"]:
            self.precedence(entry, {**FACETS, "kind": tuple(data["kinds"])})
        for rule in data["ladder"]["moves"]:
            self.rule(rule)
        if not budget["lean"] <= budget["balanced"] <= budget["deep"]:
            self.faults.append("budget.lean, budget.balanced and budget.deep must not fall.")
        self.length("budget.fetch", budget["fetch"], 3, "for lean, balanced and deep")
        self.length("extract.complexity", data["extract"]["complexity"], 2, "where low ends, where medium ends")
        for row, numbers in data["rank"]["six_factor"]["matrix"].items():
            self.length(f"rank.six_factor.matrix.{row}", numbers, 3, "for a task, a mission, a project")
        for count, check in enumerate(data["gate"]["checks"]):
            if check["min"] is None and check["max"] is None:
                self.faults.append(f"gate.checks.{count} needs a min or a max.")
        for where, section in (
            ("inbox", page["inbox"]),
            *((f"map.{name}", each) for name, each in page["map"].items()),
        ):
            if section not in page["sections"]:
                self.faults.append(f"page.{where}: {section!r} is not a section{_nearest(section, page['sections'])}")
        for slot, used in slots(Profile(data)).items() if known is not None else ():
            at_hand = sorted((known or {}).get(slot, ()))
            wrong = [each for each in used if each not in at_hand]
            self.faults.extend(f"{each!r} is no {slot} at hand{_nearest(each, at_hand)}" for each in wrong)

    def length(self, path: str, numbers: list[float], wanted: int, meaning: str) -> None:
        if len(numbers) != wanted:
            self.faults.append(f"{path} holds {wanted} numbers: {meaning}.")

    def names(self, data: Mapping[str, Any]) -> None:
        """Words that name kinds, roles and scopes name existing ones, and no alias means two kinds."""
        worlds = {"kind": tuple(data["kinds"]), "role": ("person", "reviewer", *data["roles"])}
        for path, key in KEYS.items():
            for where, found in _found(data, path.replace("[]", ".[]").split("."), "") if key.names else ():
                for word in found if isinstance(found, list) else [found]:
                    if word not in worlds[key.names] and not (word == "" and key.default == ""):
                        self.faults.append(f"{where}: {word!r} is no {key.names}{_nearest(word, worlds[key.names])}")
        for name in data["scopes"]["keywords"]:
            if name not in SCOPES:
                self.faults.append(f"scopes.keywords.{name}: {name!r} is no scope{_nearest(name, SCOPES)}")
        owner = {name: name for name in data["kinds"]}
        for name, kind in data["kinds"].items():
            for alias in kind["aliases"]:
                if owner.setdefault(alias, name) != name:
                    self.faults.append(f"kinds.{name}.aliases: {alias!r} already means {owner[alias]}.")

    def precedence(self, entry: str, worlds: Mapping[str, tuple[str, ...]]) -> None:
        facet, colon, word = entry.removeprefix("not ").partition(":")
        among = [*OPINION, *(f"{name}:{each}" for name, words in worlds.items() for each in words)]
        if (word not in worlds.get(facet, ())) if colon else facet not in OPINION:
            self.faults.append(f"budget.precedence: {entry!r} is not known{_nearest(entry, among)}")

    def rule(self, rule: Mapping[str, Any]) -> None:
        where = f"ladder.moves.{rule['name']}"
        if not rule["from"]:
            self.faults.append(f"{where}.from names no state.")
        if not (rule["when"] or rule["approve"] or rule["approve_any"]):
            self.faults.append(
                f"{where} needs a condition (when) or an approval (approve): nothing moves for no reason."
            )
        goals = states.INJECTABLE if rule["to"] == lifecycle.PREVIOUS else (rule["to"],)
        for state in rule["from"]:
            if not all(states.is_legal(state, to) for to in goals):
                legal = ", ".join(states.LEGAL[state])
                self.faults.append(
                    f"{where}: {state} → {rule['to']} is not a legal move; from {state} one may go to {legal}."
                )
        quotable = {*lifecycle.QUANTITIES, "from", "to", "by"}
        for name in PLACEHOLDER.findall(rule["reason"]):
            if name not in quotable:
                self.faults.append(
                    f"{where}.reason quotes {name!r}, which is no quantity{_nearest(name, sorted(quotable))}"
                )
        if re.search(r"[{}]", PLACEHOLDER.sub("", rule["reason"])):
            self.faults.append(f"{where}.reason holds a brace without its other half.")


_LISTS = {"texts": "text", "wholes": "whole", "numbers": "number", "conditions": "condition"}
_FITTING = {
    "text": ("a text",),
    "condition": ("a text",),
    "flag": ("true or false",),
    "whole": ("a whole number",),
    "number": ("a number", "a whole number"),
}


def _kind(at: Any) -> str:
    if isinstance(at, bool):
        return "true or false"
    names = {str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(at), "a date or time")


def _in_range(key: Key, number: float) -> bool:
    finite = number == number and abs(number) != float("inf")
    return finite and (key.low is None or number >= key.low) and (key.high is None or number <= key.high)


def _unknown(section: str, key: str, siblings: Iterable[str]) -> str:
    """The refusal of an unknown key, with the nearest one: a neighbour first, then one of another section."""
    path = f"{section}.{key}" if section else key
    near = get_close_matches(key, siblings, 1, 0.6)
    if near:
        return f"{path} is not a key; did you mean {f'{section}.{near[0]}' if section else near[0]}?"
    elsewhere = [each for each in KEYS if each.rpartition(".")[2] == key] or get_close_matches(path, KEYS, 1, 0.7)
    if elsewhere:
        return f"{path} is not a key; did you mean {elsewhere[0].replace('*', 'NAME')}?"
    return f"{path} is not a key; {section or 'a profile'} has: {', '.join(siblings)}."


def _nearest(word: str, among: Iterable[str]) -> str:
    known = [each for each in among if each]
    close = get_close_matches(word, known, 1, 0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; one of: {', '.join(known) or 'none'}."


def _found(at: Any, steps: list[str], path: str) -> Iterable[tuple[str, Any]]:
    """Every value under a path with * and [], each with its own path."""
    if not steps:
        yield path, at
        return
    step, rest = steps[0], steps[1:]
    members: Iterable[tuple[str, Any]] = [(step, at[step])] if step not in ("*", "[]") else ()
    if step == "*":
        members = at.items()
    elif step == "[]":
        members = [(each.get("name", str(count)), each) for count, each in enumerate(at)]
    for name, inner in members:
        yield from _found(inner, rest, f"{path}.{name}" if path else name)


def _example(quantity: str) -> str:
    return f"= {WORLDS[quantity][0]}" if quantity in WORLDS else ">= 2"


def _is_number(bound: str) -> bool:
    try:
        return abs(float(bound)) < float("inf")
    except ValueError:
        return bound in _numeric()


def _numeric() -> list[str]:
    return [path for path, key in KEYS.items() if key.type in ("whole", "number") and not re.search(r"[*\[]", path)]


if __name__ == "__main__":
    print(key_table(), end="")

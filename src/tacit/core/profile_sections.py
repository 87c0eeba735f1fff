"""The sections of a profile: each field is a key, with its type, its meaning and its range.

The type checker reads these classes, and `profile_keys` makes the table of keys from them when a profile is compiled. A hook
loads neither: at run time each section is a `Section` (core/profile.py). The order of the fields is that of the compiled text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tacit.core.lifecycle import CAUSES, PREVIOUS
from tacit.core.memory import SCOPES, SEVERITIES
from tacit.core.profile import CLASSES, LEVELS
from tacit.core.profile_field import MATCH_WAYS, fraction, key
from tacit.core.states import STATES
from tacit.core.value import value


@value
class Words:
    """How this way of remembering calls things; the core's own words stay Memory and Run."""

    memory: Annotated[str, key("one memory, in this profile's words")]
    run: Annotated[str, key("one run")]
    person: Annotated[str, key("the source of what a person adds by hand")]


@value
class Kind:
    """One kind of memory, mapped to a class that the core knows."""

    klass: Annotated[str, key("the class: exemption, caps and belief go by it", choices=CLASSES)]
    label: Annotated[str, key("how people read it", default="")]
    heading: Annotated[
        str, key("the heading under which a renderer groups it; empty: none", default="")
    ]
    scope: Annotated[
        str, key("scope at birth; empty: `scopes.otherwise`", choices=(*SCOPES, ""), default="")
    ]
    reviewers: Annotated[
        tuple[str, ...],
        key("roles that `reviewer` means for this kind; none: a person", names="role", default=()),
    ]
    aliases: Annotated[
        tuple[str, ...], key("other words for it, as foreign systems write them", default=())
    ]
    keywords: Annotated[
        tuple[str, ...], key("words that make the `keywords` classifier choose it", default=())
    ]
    cap: Annotated[
        int, key("at most so many of it in one injection; 0: no cap of its own", default=0)
    ]
    min_confidence: Annotated[float, fraction("below this it is not injected", default=0.0)]
    min_success: Annotated[
        float, fraction("below this success rate it is not injected", default=0.0)
    ]
    same_task: Annotated[bool, key("only for runs of its own task type", default=False)]
    error_lift: Annotated[
        float,
        key("added to its score for each error of the query that its text holds", default=0.0),
    ]
    path_lift: Annotated[
        float, key("added to its score if it names a file of the query", default=0.0)
    ]


@value
class TaskType:
    """One type of task and the words that betray it."""

    name: Annotated[str, key("the type; the first with a hit is taken")]
    words: Annotated[tuple[str, ...], key("words that betray it, case-folded")]


@value
class Tasks:
    """How the type of a task is told from its text: the first type with a hit."""

    match: Annotated[
        str,
        key(
            "how a word must occur: anywhere, at the start of a word, as a word", choices=MATCH_WAYS
        ),
    ]
    types: tuple[TaskType, ...]


@value
class Category:
    """One subject a memory may be filed under."""

    label: Annotated[str, key("how people read it", default="")]
    keywords: Annotated[
        tuple[str, ...], key("words that speak for it; ties go to the earlier category", default=())
    ]
    aliases: Annotated[tuple[str, ...], key("other words for it", default=())]


@value
class Categories:
    """The taxonomy and how a text is filed."""

    classifier: Annotated[
        str, key("who files a text under a category; `none`: nobody", slot="classifier")
    ]
    otherwise: Annotated[str, key("the category of what fits none; empty: none")]
    names: Mapping[str, Category]


@value
class Scopes:
    """How far a memory reaches."""

    keywords: Annotated[
        Mapping[str, tuple[str, ...]], key("phrases that make a text of this scope")
    ]


@value
class Extractor:
    """One extractor that is on, and its numbers."""

    on: Annotated[bool, key("whether it works", default=True)]
    kind: Annotated[
        str, key("kind of its findings; empty: as it says itself", names="kind", default="")
    ]
    count: Annotated[int, key("so many occurrences make a finding", low=1, default=1)]
    confidence: Annotated[
        float | None,
        fraction("confidence of its findings; absent: it computes one, or none", default=None),
    ]
    cap: Annotated[float, fraction("confidence at most", default=1.0)]


@value
class Phrase:
    """A wording that stands for many: chosen if any word of `any` occurs, or all of `all` do."""

    any: Annotated[tuple[str, ...], key("one of these words makes it", default=())]
    all: Annotated[tuple[str, ...], key("or all of these together", default=())]
    text: Annotated[str, key("the approach it stands for")]


@value
class FailurePhrase(Phrase):
    """A wording that stands for many failures."""

    text: Annotated[str, key("the failure it stands for")]


@value
class Convention:
    """A habit that file names betray."""

    holds: Annotated[
        tuple[str, ...], key("a file name that holds one of these betrays it", default=())
    ]
    ends: Annotated[tuple[str, ...], key("or ends in one of these", default=())]
    text: Annotated[
        str, key("the convention; `{folder}` and `{suffix}` are those that most files share")
    ]
    confidence: Annotated[float, fraction("confidence in it")]


@value
class Extract:
    """What is taken from a run."""

    severity_floor: Annotated[
        str,
        key(
            "an unmatched finding below this makes no memory; it still matches", choices=SEVERITIES
        ),
    ]
    classifier: Annotated[
        str, key("who chooses the kind of a finding that names none", slot="kind_classifier")
    ]
    tagger: Annotated[str, key("who makes tags from a text; `none`: nobody", slot="tagger")]
    extractors: Mapping[str, Extractor]
    approaches: tuple[Phrase, ...]
    failures: tuple[FailurePhrase, ...]
    conventions: tuple[Convention, ...]


@value
class Match:
    """When a finding is a lesson already known."""

    matcher: Annotated[str, key("who says how alike two texts are", slot="matcher")]
    threshold: Annotated[float, fraction("alike enough to be the same lesson")]
    margin: Annotated[float, fraction("and by so much more than the runner-up")]
    doubt: Annotated[
        float,
        fraction(
            "no merge if each says more than such a part of its own, or one is the other with a word changed; 1: never mind"
        ),
    ]
    same_kind: Annotated[bool, key("only within one kind")]
    same_task: Annotated[bool, key("only within one task type")]
    category_blocks: Annotated[bool, key("two different categories are two lessons")]


@value
class Gate:
    """What may be written at all."""

    function: Annotated[str, key("who judges a finding", slot="gate")]
    min_chars: Annotated[
        int,
        key(
            "an extracted text with fewer characters is discarded; what a person adds or typed is not"
        ),
    ]
    discard: Annotated[
        tuple[str, ...],
        key(
            "noise that is discarded",
            choices=("tool_trace", "command_dump", "instruction_edit", "narration"),
        ),
    ]
    favour: Annotated[
        tuple[str, ...],
        key(
            "marks of a concrete fact, which speak for allow",
            choices=("adr", "path", "command", "config"),
        ),
    ]
    hedges: Annotated[tuple[str, ...], key("phrases of a guess")]
    known: Annotated[
        str,
        key(
            "already written in the project's instruction files: linked, or stored too",
            choices=("link", "allow"),
        ),
    ]
    unknown: Annotated[str, key("what happens to what cannot be judged", choices=("hold", "allow"))]


@value
class Trust:
    """Whose words count for what."""

    runs: Annotated[int, key("independent runs that make a lesson credible", low=1)]
    once: Annotated[
        bool, key("what one session found, or a person asked for once, is told where it matters")
    ]


@value
class Condition:
    """One comparison of the ladder: a quantity of `lifecycle.QUANTITIES` against a number or a word."""

    quantity: str
    op: str
    bound: float | str


@value
class Rule:
    """One rung of the ladder: from which states to which, when, and by whose approval."""

    name: Annotated[str, key("the rule's name, as the journal writes it")]
    states: Annotated[tuple[str, ...], key("states it may leave", choices=STATES)]
    to: Annotated[
        str, key("where it leads; previous: before the review", choices=(*STATES, PREVIOUS))
    ]
    when: Annotated[
        tuple[Condition, ...], key("must all hold, for instance `seen >= trust.runs`", default=())
    ]
    approve: Annotated[
        tuple[str, ...],
        key("roles that must all approve, each a different head", names="role", default=()),
    ]
    approve_any: Annotated[
        tuple[str, ...], key("roles of which one must approve", names="role", default=())
    ]
    propose: Annotated[bool, key("when only the approval lacks, file a proposal", default=False)]
    measured: Annotated[
        bool, key("false: made without a measurement, and journaled as such", default=True)
    ]
    cause: Annotated[
        str, key("why: decides what may bring it back", choices=CAUSES, default="evidence")
    ]
    reason: Annotated[
        str, key("the journal's sentence; may quote quantities, `{from}`, `{to}` and `{by}`")
    ]


@value
class ReviewAfter:
    """Days until a memory of a state is looked at again. The names are fixed; readers have them as a mapping."""

    provisional: Annotated[
        int, key("days after which a provisional memory is looked at again; 0: never")
    ]
    stable: Annotated[int, key("days after which a stable one is; 0: never")]
    canonical: Annotated[int, key("days after which a canonical one is; 0: never")]


@value
class Ladder:
    """Every move this profile makes or permits, in the order they are tried."""

    auto: Annotated[bool, key("make moves by itself; false: every move waits for a person")]
    review_after: Annotated[Mapping[str, int], ReviewAfter]
    moves: tuple[Rule, ...]


@value
class Trial:
    """How often a lesson is withheld, to learn whether it helps."""

    rate: Annotated[float, key("how often a lesson without a verdict is withheld", high=0.9)]
    rate_watch: Annotated[float, key("how often one that helps still is", high=0.9)]
    rate_severe: Annotated[float, key("how often one of severity bug is", high=0.9)]
    rate_heard: Annotated[
        float, key("how often what a reader heard a person say is, until they confirm it", high=0.9)
    ]
    lean: Annotated[bool, key("let belief move the rate")]
    exempt: Annotated[tuple[str, ...], key("classes that are never withheld", choices=CLASSES)]


@value
class Effect:
    """When a difference counts, and what a belief may do."""

    alpha: Annotated[float, key("error of a verdict, over all looks", low=0.001, high=0.5)]
    margin: Annotated[float, key("a smaller difference is no difference", low=0.01, high=0.5)]
    min_units: Annotated[int, key("no belief counts before so many settled units", low=1)]


@value
class Query:
    """How a question is prepared before the search."""

    max_chars: Annotated[int, key("a query is cut to so many characters", low=1)]
    rewrite_timeout_s: Annotated[
        float, key("seconds a rewrite may take before the query goes as it is", low=0.1)
    ]


@value
class Rank:
    """Which memories fit, best first."""

    ranker: Annotated[str, key("who scores", slot="ranker")]
    floor: Annotated[float, key("below this score nothing is given: no filler")]
    min_chars: Annotated[int, key("shorter memories are not given")]
    min_frequency: Annotated[
        int, key("nor those seen less often, preferences aside; 0: no such rule")
    ]
    universal_at: Annotated[
        int, key("from this frequency on, domain and agent do not matter; 0: never")
    ]
    by_domain: Annotated[bool, key("only memories of the query's domain or the general one")]
    by_agent: Annotated[bool, key("only memories of the query's agent or of none")]
    drop_stale: Annotated[bool, key("stale memories are not given")]
    ties: Annotated[
        tuple[str, ...],
        key(
            "what orders equal scores",
            choices=(
                "confidence",
                "confirmed_at",
                "seen",
                "frequency",
                "updated_at",
                "created_at",
                "text",
            ),
        ),
    ]


@value
class RoleBudget:
    """How many memories one role is given."""

    least: Annotated[int, key("what this role is given at least, as far as there is anything")]
    most: Annotated[int, key("and at most")]
    cautions: Annotated[int, key("cautions beside them", default=0)]


@value
class Budget:
    """How many memories a run is given."""

    level: Annotated[str, key("how much is given where nobody says", choices=(*LEVELS, "auto"))]
    lean: Annotated[int, key("memories at the level lean")]
    balanced: Annotated[int, key("memories at the level balanced")]
    deep: Annotated[int, key("memories at the level deep")]
    max_tokens: Annotated[int, key("never more tokens; 0: no cap")]
    pinned_outside: Annotated[bool, key("pinned memories do not count")]
    start_tokens: Annotated[
        int,
        key(
            "tokens of a start that prompts follow: ways of working; 0: moments are not told apart, the level's number holds"
        ),
    ]
    roles: Mapping[str, RoleBudget]
    precedence: Annotated[
        tuple[str, ...],
        key("which of two lessons at odds is kept: the one that the first of these is true of"),
    ]


@value
class Render:
    """How the chosen memories are worded."""

    renderer: Annotated[str, key("who words it", slot="renderer")]
    heading: Annotated[str, key("the first line")]
    intro: Annotated[str, key("a sentence below it; empty: none")]
    line: Annotated[
        str,
        key("one memory; quotes {text} {id} {kind} {label} {seen} {source} {confidence} {state} …"),
    ]
    empty: Annotated[str, key("what is printed where there is nothing to give")]
    wrap: Annotated[
        bool, key("fence it and label it as notes; an origin's exact rendering does not")
    ]
    max_line_chars: Annotated[int, key("a line is cut to so many characters; 0: not")]

"""What the four origins have in common, as a class: no trials, no fence, a person's word for every step.

An origin is one class that derives from this one. Its numbers stand at the top of it, each beside the sentence of its
document; below stand what is born from a log (`extract`, `gate`), what rises and what fades (`ladder`, `fade`), what is
ranked (`rank`), worded (`render`) and asked (`budget`). "doc" means the origin's document, "program" what only its
program says.
"""

from __future__ import annotations

from tacit.core.profile import Profile
from tacit.core.states import ACTIVE, DOUBTED, GONE, WAITING, stage_of
from tacit.core.value import Section
from tacit.origins.filing import ByWords
from tacit.origins.gates import open_gate
from tacit.origins.ladder import Rule, Rules, at, rule
from tacit.origins.likeness import choose_same, looked_up, same_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from tacit.core.journal import Hand
    from tacit.core.links import Evidence, Use
    from tacit.core.run import Finding, Run
    from tacit.learn.gate import GateDecision, GateRules, KnownLines
    from tacit.lesson import Lesson
    from tacit.origins.fading import Faded
    from tacit.store.writes import Transaction
    from tacit.words.prepared import Match, Prepared

# The stages: an origin's words for where a lesson stands, and the state that each means. Rising first.
STAGES: Mapping[str, str] = {
    "candidate": WAITING,
    "provisional": ACTIVE,
    "stable": ACTIVE,
    "canonical": ACTIVE,
    "under_review": DOUBTED,
    "archived": GONE,
    "decayed": GONE,
    "superseded": GONE,
    "rejected": GONE,
}
GIVEN = ("provisional", "stable", "canonical")
UNPROVEN = ("candidate", "provisional", "under_review")
# geas's own table, and beyond it: outcomes of a review that its document demands; a count that falls to 0; what is met
# again starts over, its history kept.
LEGAL: Mapping[str, tuple[str, ...]] = {
    "candidate": ("provisional", "rejected", "under_review", "archived"),
    "provisional": ("stable", "rejected", "under_review", "decayed", "superseded", "archived"),
    "stable": ("canonical", "provisional", "under_review", "decayed", "superseded", "archived"),
    "canonical": ("under_review", "decayed", "superseded", "archived"),
    "under_review": (*GIVEN, "rejected", "decayed", "superseded", "archived"),
    "decayed": ("archived", "under_review", "candidate"),
    "superseded": ("archived",),
    "archived": ("candidate",),
    "rejected": ("candidate",),
}


def stage(memory: Lesson) -> str:
    """Where a lesson stands in an origin's words."""
    return stage_of(memory, STAGES)


def phrase(text: str, any: tuple[str, ...] = (), all: tuple[str, ...] = ()) -> Section:
    """A wording that stands for many: chosen if any word of `any` occurs, or all of `all` do."""
    return Section(text=text, any=any, all=all)


def convention(
    text: str, confidence: float, holds: tuple[str, ...] = (), ends: tuple[str, ...] = ()
) -> Section:
    """A habit that file names betray by what they hold or end in; {folder} and {suffix} are those most files share."""
    return Section(text=text, confidence=confidence, holds=holds, ends=ends)


REVIEWS = 3  # the third review is the last: no lesson goes round for ever


class Origin(Profile):
    """An origin's way: nothing is left out to measure it, and what is given stands as the origin wrote it."""

    WEAKENED = -0.2  # "contradiction -0.2": what a review that weakens takes off

    filing = ByWords()

    stages = STAGES
    legal = LEGAL
    ladder = Rules()
    tasks = Profile.tasks.but(types=())
    gate = Profile.gate.but(known="allow")
    trial = Profile.trial.but(rate=0.0)
    rank = Profile.rank.but(floor=0.0, ties=())  # in the order of writing
    # its own number holds for everything: moments are not told apart
    budget = Profile.budget.but(max_tokens=4000, pinned_outside=False, start_tokens=0)
    render = Profile.render.but(intro="", line="- {text}", wrap=False, max_line_chars=0)
    fade = Profile.fade.but(exposure=0, stale_days=0, never=(), never_states=())
    tend = Profile.tend.but(night=True)
    model = Profile.model.but(steps=("read",))

    @property
    def own(self) -> Origin:
        """Itself: a project like an origin asks its class."""
        return self

    def born(self, run: Run, before: Callable[[], Iterable[Any]]) -> Iterator[Finding]:
        """What a run's log tells beside its findings; `before` are the incidents of earlier runs."""
        yield from ()

    def judged(
        self, finding: Finding, rules: GateRules, known_lines: KnownLines = None
    ) -> GateDecision:
        """Whether a finding may become a lesson."""
        return open_gate(finding, rules, known_lines)

    def choose(self, finding: Prepared, candidates: Sequence[tuple[str, Prepared]]) -> Match:
        """The lesson that a finding is, by this origin's measure."""
        return choose_same(finding, candidates, self.match)

    def near(self, memory: Prepared, finding: Prepared) -> bool:
        """Whether a finding reports the problem that a lesson is about."""
        return same_problem(memory, finding, self.match)

    def looked_up(self, text: str) -> list[str]:
        """The words by which a text's neighbours are found."""
        return looked_up(text)

    def pooled(self, memory: Lesson, finding: Finding) -> tuple[Finding, Any] | None:
        """A known lesson met again: the finding with the figures of both, and what to keep of them."""
        return None

    def fared(
        self,
        tx: Transaction,
        run: Run,
        uses: Sequence[Use],
        repeated: AbstractSet[str],
        contradicted: AbstractSet[str],
        hand: Hand,
    ) -> list[str]:
        """Write down how what was given fared; the lessons whose ladder is to be asked again."""
        return []

    def faded(self, evidence: Iterable[Evidence], until: int) -> Faded | None:
        """What the runs up to one left of a lesson's count; None where runs take nothing."""
        return None


def third_review(name: str = "third-review") -> Rule:
    """The end of a lesson that was questioned too often."""
    return rule(
        name,
        ("under_review",),
        "archived",
        "under review for the {under_review_count}. time",
        at("under_review_count", ">=", REVIEWS),
        cause="review",
    )


def by_person(name: str, states: tuple[str, ...], to: str, done: str) -> Rule:
    """What a person may do with a lesson, whatever its counts."""
    return rule(name, states, to, f"{done} by {{by}}", approve=("person",), cause="person")


def unmeasured(name: str, states: tuple[str, ...], to: str, done: str) -> Rule:
    """The same, upward: journaled as not measured."""
    return rule(
        name, states, to, f"{done} by {{by}}", approve=("person",), measured=False, cause="person"
    )


REINSTATED = rule(
    "reinstated",
    ("under_review",),
    "previous",
    "reviewed and reinstated by {by}",
    approve=("person",),
    cause="review",
)
APPROVED = by_person("approved", ("candidate",), "provisional", "approved")
TRUSTED = unmeasured("trusted", ("provisional",), "stable", "made stable")
SETTLED = unmeasured("settled", ("stable",), "canonical", "made canonical")
QUESTIONED = by_person("questioned", GIVEN, "under_review", "questioned")


def put_away(*more: str) -> Rule:
    """Archived by a person."""
    states = ("candidate", *GIVEN, "under_review", *more)
    return by_person("put-away", states, "archived", "archived")


def asked_again(sightings: int, reason: str) -> Rule:
    """A person's no stands until it was met so often since; then it is asked once more."""
    return rule(
        "asked-again",
        ("archived", "rejected"),
        "candidate",
        reason,
        at("cause", "!=", "silence"),
        at("seen_since", ">=", sightings),
        approve=("person",),
        propose=True,
        cause="again",
    )


def back_from_silence(name: str, states: tuple[str, ...], reason: str) -> Rule:
    """What left quietly comes back when it is met once."""
    return rule(
        name,
        states,
        "candidate",
        reason,
        at("cause", "=", "silence"),
        at("seen_since", ">=", 1),
        cause="again",
    )

"""Is this finding a lesson already known? It is where its text is equal after folding, or where a
reader says so; an origin has a measure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from tacit.core.profile import Profile, class_of, kind_named
from tacit.core.rows import Found, Hit, scope_projects
from tacit.core.run import Finding
from tacit.core.standing import cause_of, is_settled
from tacit.core.states import GONE, UNDOUBTED
from tacit.core.trust import above, may_vouch
from tacit.core.value import replace, value
from tacit.learn.gate import GateDecision
from tacit.learn.stage import takes_over
from tacit.lesson import PERSONAL, Lesson
from tacit.store.lookups import indexed
from tacit.words.match import says_more, shares_half
from tacit.words.prepared import Prepared, prepare
from tacit.words.tokens import query_words

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

EQUAL_TEXT = "lexical"  # the matcher of a profile without a measure of its own
QUERY_WORDS = 16  # of a finding's words, for finding its neighbours
_NEIGHBOURS = 30  # lessons a finding is compared with; full text only proposes


@value
class Matched:
    """The known lesson, if there is one, and how sure the match is."""

    memory: Lesson | None
    score: float
    runner_up: float
    reason: str


class Neighbours:
    """What findings are compared with: looked up for many of them before any is written, since a
    write makes a store forget what it has looked up; and beside that what they themselves have
    written by now."""

    def __init__(
        self, tx: Transaction, project: str, findings: Sequence[Finding], profile: Profile
    ) -> None:
        projects = scope_projects(project)
        self.found = {
            finding.text: tx.find(projects, _words(finding.text, profile), limit=_NEIGHBOURS)
            for finding in findings
        }
        self.written: dict[str, Hit] = {}

    def wrote(self, tx: Transaction, id: str) -> None:
        """A lesson is new, or was met again."""
        n, words = indexed(tx, id)
        self.written[id] = Hit(tx.get(id), "words", 0.0, n, words)

    def of(self, finding: Finding) -> Found:
        """A finding's own neighbours and what was written since they were looked up."""
        found = self.found[finding.text]
        hits = (
            *(hit for hit in found.hits if hit.memory.id not in self.written),
            *self.written.values(),
        )
        return replace(found, hits=hits)


def match(
    project: str, finding: Finding, profile: Profile, found: Found, *, but: Collection[str] = ()
) -> Matched:
    """The lesson that a finding repeats, or none; `found` is what there may be, `but` what it is
    not."""
    mine = prepared(finding)
    # Named by their age: of two that are equally near, the older lesson is met.
    fitting = {
        f"{hit.n:012d}": hit.memory
        for hit in found.hits
        if hit.memory.text
        and hit.memory.id not in but
        and _comparable(finding, hit.memory, profile)
    }
    if profile.match.matcher == EQUAL_TEXT:
        equal = (
            fitting[age] for age in sorted(fitting) if prepared_of(fitting[age]).text == mine.text
        )
        same = next(equal, None)
        return Matched(
            same, float(same is not None), 0.0, "equal text" if same else "no equal text"
        )
    read = [(age, prepared_of(memory)) for age, memory in fitting.items()]
    choice = profile.own.choose(mine, read)
    known = fitting.get(choice.id)
    if known is not None and is_wider(known, project) and mine.text != prepared_of(known).text:
        return Matched(None, choice.score, choice.score, "alike, but of a wider scope")
    reason = choice.reason.replace(choice.id, known.id) if known else choice.reason
    return Matched(known, choice.score, choice.runner_up, reason)


def keeps_apart(
    finding: Finding,
    decision: GateDecision,
    memory: Lesson,
    profile: Profile,
    *,
    claimed: bool = False,
) -> str:
    """Why a finding that is alike to a lesson is one of its own all the same; empty where the two
    are one.

    Nobody's words ride on another's: who vouches for more than a lesson's source does, vouches for
    what they said, and so only for a lesson that says nothing beyond it. A person's line meets
    neither what waits for a person nor what one took out, unless it is their own line again: then
    it waits with it, or was refused with it. What a reader worded takes the better words over
    (`stage.in_better_words`). `claimed`: a reader calls them one, in whatever words; no line of a
    person is swallowed by what shares less than half of it. What the person took out after they had
    said this is the same wish in both, and their later word holds.
    """
    person, own = finding.tier in PERSONAL, memory.trust in PERSONAL
    refused = memory.state == GONE and cause_of(memory) == "person"
    if refused and finding.at and finding.at < memory.updated_at:
        return ""
    if finding.stance != "supports" or not (
        person or may_vouch(finding.witness, above(memory.trust))
    ):
        return ""
    mine, its = prepared(finding), prepared_of(memory)
    if claimed and not shares_half(finding.text, memory.text):
        return "the two share less than half"
    more, less = says_more(its, mine), says_more(mine, its)
    told, also = more and f"that one says {more}, too", less and f"this one says {less}, too"
    stands = memory.gate == "allow" and (memory.state in UNDOUBTED or cause_of(memory) == "silence")
    if person and stands and is_settled(memory):
        return also
    if own and stands:
        return ""
    if own and (refused or memory.gate == decision.outcome):
        return told or also
    if person and not stands:
        return f"that one is {memory.state if memory.gate == 'allow' else memory.gate}"
    if memory.gate == "allow" != decision.outcome:
        return "this one waits"
    return "" if refused or takes_over(finding, memory, profile) else told


def is_wider(memory: Lesson, project: str) -> bool:
    """Whether a lesson holds beyond this project. In the same words it is the same lesson;
    otherwise a project's finding stays its own: a rule for everywhere ("You must lint.") knows
    nothing of how it is done here. The two are of one family."""
    return memory.project != project


# what to type, and what it takes: never the same lesson as what to do
APART = ("command", "estimate")


def of_one_class(mine: str, other: str) -> bool:
    """Whether two lessons may be one at all by what they are."""
    return mine == other or (mine not in APART and other not in APART)


def successor_of(tx: Transaction, memory: Lesson) -> Lesson | None:
    """The lesson that stands where this one stood, to which a superseded one hands its
    sightings; None where that is not here."""
    for _ in range(8):
        if not memory.superseded_by:
            break
        after = tx.memories([memory.superseded_by])
        if not after:
            return None
        memory = after[0]
    return memory


def same(memory: Lesson, finding: Prepared, profile: Profile) -> bool:
    """Whether a finding is the problem this lesson is about."""
    mine = prepared_of(memory)
    if profile.match.matcher == EQUAL_TEXT:
        return bool(mine.text) and mine.text == finding.text
    return bool(profile.own.near(mine, finding))


def _words(text: str, profile: Profile) -> list[str]:
    """The words by which neighbours are looked up."""
    if profile.match.matcher == EQUAL_TEXT:
        return query_words(text, QUERY_WORDS)
    return [*profile.own.looked_up(text)]


def _comparable(finding: Finding, memory: Lesson, profile: Profile) -> bool:
    klass = class_of(profile, kind_named(profile, finding.kind))
    if not of_one_class(klass, memory.klass) and memory.text != finding.text:
        return False
    at = profile.match
    known = profile.categories.names
    if (
        at.category_blocks
        and finding.category != memory.category
        and finding.category in known
        and memory.category in known
    ):
        return False
    if at.same_kind and finding.kind != memory.kind:
        return False
    return not (
        at.same_task
        and finding.task_type
        and memory.task_type
        and finding.task_type != memory.task_type
    )


def prepared(finding: Finding) -> Prepared:
    """A finding, read for comparing."""
    return prepare(finding.text, finding.tags)


def prepared_of(memory: Lesson) -> Prepared:
    """A lesson, read for comparing."""
    return prepare(memory.text, memory.tags)

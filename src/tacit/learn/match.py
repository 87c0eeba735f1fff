"""Is this finding a lesson already known? Neighbours come from full text and from the error's signature; the matcher decides.

Memories of every state are asked: what a person forgot must be recognised when it comes again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from math import log
from typing import TYPE_CHECKING

from tacit.core.memory import PERSONAL, Memory
from tacit.core.profile import Profile, class_of, kind_named
from tacit.core.rows import Found, Hit, scope_projects
from tacit.core.run import Finding
from tacit.core.standing import cause_of, is_settled
from tacit.core.states import ACTIVE, CLOSED
from tacit.core.trust import above, may_vouch
from tacit.core.value import replace, value
from tacit.learn.gate import GateDecision
from tacit.learn.stage import takes_over
from tacit.stores.lookups import indexed, with_signature
from tacit.words.match import (
    YOUNG_THRESHOLD,
    choose_same,
    grown,
    keywords,
    lenient,
    nearest_by_words,
    rarity,
    same_problem,
    says_more,
    shares_half,
)
from tacit.words.prepared import Match, Prepared, prepare
from tacit.words.tokens import all_stop_words, index_words, query_words

if TYPE_CHECKING:
    from tacit.stores.sql_writer import Transaction
    from tacit.words.match import Idf, Rules

QUERY_WORDS = 16  # of a finding's words, for finding its neighbours …
# … but of one longer than a lesson more: what its form repeats must be known as common, or strangers meet in it
LONG, LONG_WORDS = 40, 64
_NEIGHBOURS = 30  # lessons a finding is compared with; the matcher decides, full text only proposes


@value
class Matched:
    """The known lesson, if there is one, and how sure the match is."""

    memory: Memory | None
    score: float
    runner_up: float
    reason: str
    # how telling a term is in this store, for settling by the same measure
    rarity: Callable[[str], float] | None = None
    twin: Memory | None = (
        None  # so near that both must fall to the same arm, although it is another lesson
    )


class Neighbours:
    """What findings are compared with: looked up for many of them before any is written, since a write makes a store forget
    what it has looked up; and beside that what they themselves have written by now."""

    def __init__(
        self, tx: Transaction, project: str, findings: Sequence[Finding], profile: Profile
    ) -> None:
        projects = scope_projects(project)
        self.asked = {finding.text: _words(finding.text, profile) for finding in findings}
        self.found = {
            text: tx.find(projects, words, limit=_NEIGHBOURS) for text, words in self.asked.items()
        }
        self.written: dict[str, Hit] = {}
        self.new: list[str] = []

    def wrote(self, tx: Transaction, id: str, *, new: bool) -> None:
        """A lesson is new, or was met again."""
        memory = tx.get(id)
        n, words = indexed(tx, id)
        self.written[id] = Hit(memory, "words", 0.0, n, words)
        if new:
            self.new.append(id)

    def of(self, finding: Finding) -> Found:
        """A finding's own neighbours and what was written since they were looked up, as both are now, and so are the counts: in a
        young store a run's own lessons tell which words are common."""
        found = self.found[finding.text]
        hits = (
            *(hit for hit in found.hits if hit.memory.id not in self.written),
            *self.written.values(),
        )
        return replace(
            found,
            hits=hits,
            rows=found.rows + len(self.new),
            frequency=self._counted(finding.text, found),
        )

    def _counted(self, text: str, found: Found) -> dict[str, int]:
        added = [{*_tokens(found, self.written[id])} for id in self.new]
        words = {word: {*found.tokens(word)} for word in self.asked[text]}
        return {
            word: found.frequency.get(word, 0)
            + sum(bool(parts) and parts <= each for each in added)
            for word, parts in words.items()
        }


def _tokens(found: Found, hit: Hit) -> list[str]:
    """What the index makes of a lesson: its text, and the parts of its names."""
    return found.tokens(f"{hit.memory.text} {hit.words.partition(chr(10))[0]}")


def match(
    tx: Transaction,
    project: str,
    finding: Finding,
    profile: Profile,
    found: Found,
    *,
    but: Collection[str] = (),
) -> Matched:
    """The lesson that a finding repeats, or none; `found` is what there may be, `but` what it is not."""
    mine = prepared(finding)
    near = {hit.n: hit.memory for hit in found.hits}
    if finding.signature:
        rows = with_signature(tx, project, finding.signature)
        near.update((n, memory) for n, id in rows if n not in near for memory in tx.memories([id]))
    # Named by their age: of two that are equally near, the older lesson is met.
    fitting = {
        f"{n:012d}": memory
        for n, memory in near.items()
        if memory.text and memory.id not in but and _comparable(finding, memory, profile)
    }
    telling, closest = None, fitting
    rules: Rules = profile.match
    if profile.match.matcher == "lexical":
        rules = grown(profile.match, found.rows)
        telling = rarity(found.frequency, found.rows)
        closest = _nearest(finding, fitting, found)
    choice = _chosen(mine, closest, rules, telling)
    if choice.id and len(closest) < len(
        fitting
    ):  # it must stand out from all of them, not only from the closest
        choice = _chosen(mine, fitting, rules, telling)
    if choice.id and of_other_kind(choice, finding, fitting[choice.id]):
        choice = Match(
            "",
            choice.score,
            choice.id,
            choice.score,
            f"alike {choice.score:.2f}, but of another kind",
        )
    if (
        choice.id
        and is_wider(fitting[choice.id], project)
        and mine.text != prepared_of(fitting[choice.id]).text
    ):
        choice = Match(
            "",
            choice.score,
            choice.id,
            choice.score,
            f"alike {choice.score:.2f}, but of a wider scope",
        )
    # Not the same lesson, yet one told would tell the other's unit too.
    near_enough = not choice.id and choice.runner_up >= lenient(rules.threshold)
    twin = fitting.get(choice.runner_up_id) if near_enough else None
    reason = re.sub(
        r"\b\d{12}\b",
        lambda age: fitting[age[0]].id if age[0] in fitting else age[0],
        choice.reason,
    )
    return Matched(fitting.get(choice.id), choice.score, choice.runner_up, reason, telling, twin)


def keeps_apart(
    finding: Finding,
    decision: GateDecision,
    memory: Memory,
    profile: Profile,
    *,
    claimed: bool = False,
) -> str:
    """Why a finding that is alike to a lesson is one of its own all the same; empty where the two are one.

    Nobody's words ride on another's: who vouches for more than a lesson's source does, vouches for what they said, and so only for a
    lesson that says nothing beyond it. A person's line meets neither what waits for a person nor what one took out, unless it is their own
    line again: then it waits with it, or was refused with it. What a reader worded takes the better words over (`stage.in_better_words`).
    `claimed`: a reader calls them one, in whatever words; no line of a person is swallowed by what shares less than half of it. What the
    person took out after they had said this is the same wish in both, and their later word holds.
    """
    person, own = finding.tier in PERSONAL, memory.trust in PERSONAL
    refused = memory.state in CLOSED and cause_of(memory) == "person"
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
    stands = memory.gate == "allow" and (memory.state in ACTIVE or cause_of(memory) == "silence")
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


def is_wider(memory: Memory, project: str) -> bool:
    """Whether a lesson holds beyond this project. In the same words it is the same lesson; otherwise a project's finding stays its own:
    a rule for everywhere ("You must lint.") knows nothing of how it is done here. The two are of one family."""
    return memory.project != project


APART = (
    "command",
    "estimate",
)  # what to type, and what it takes: never the same lesson as what to do


def of_one_class(mine: str, other: str) -> bool:
    """Whether two lessons may be one at all by what they are."""
    return mine == other or (mine not in APART and other not in APART)


def of_other_kind(choice: Match, finding: Finding, memory: Memory) -> bool:
    """Whether a command and the pitfall that names it are alike by their subject only; the nearest need not be of one kind."""
    return finding.kind != memory.kind and choice.score < YOUNG_THRESHOLD


def successor_of(tx: Transaction, memory: Memory) -> Memory | None:
    """The lesson that stands where this one stood, to which a superseded one hands its sightings; None where that is not here."""
    for _ in range(8):
        if memory.state != "superseded" or not memory.superseded_by:
            break
        after = tx.memories([memory.superseded_by])
        if not after:
            return None
        memory = after[0]
    return memory


def _chosen(mine: Prepared, among: dict[str, Memory], rules: Rules, telling: Idf | None) -> Match:
    read = [(id, prepared_of(memory)) for id, memory in among.items()]
    return choose_same(mine, read, rules, telling)


def _nearest(finding: Finding, fitting: dict[str, Memory], found: Found) -> dict[str, Memory]:
    """Those that a glance at the index's words does not rule out, and those of the same error: preparing a text is dear."""
    stop = all_stop_words()
    beside = {f"{hit.n:012d}": hit.words.partition("\n")[0] for hit in found.hits}

    def read(text: str, words: str) -> set[str]:
        return set(found.tokens(f"{text} {words}")) - stop

    rare = log(2 + found.rows)
    rarity = {
        token: log(1 + (found.rows + 1) / (1 + count))
        for word, count in found.frequency.items()
        for token in found.tokens(word)
    }
    theirs = {id: read(memory.text, beside.get(id, "")) for id, memory in fitting.items()}
    close = nearest_by_words(read(finding.text, index_words(finding.text)), theirs, rarity, rare)
    same_error = [
        id
        for id, memory in fitting.items()
        if memory.signature and memory.signature == finding.signature
    ]
    return {id: fitting[id] for id in dict.fromkeys((*close, *same_error))}


def _words(text: str, profile: Profile) -> list[str]:
    """The words by which neighbours are looked up; the origins' measures count stop words, so they look them up, too."""
    if profile.match.matcher in ("overlap", "jaccard"):
        return sorted(keywords(text), key=lambda word: (-len(word), word))
    words = query_words(text, LONG_WORDS)
    return words if len(words) > LONG else words[:QUERY_WORDS]


def _comparable(finding: Finding, memory: Memory, profile: Profile) -> bool:
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
    return prepare(finding.text, finding.tags, finding.signature, finding.category)


def prepared_of(memory: Memory) -> Prepared:
    """A lesson, read for comparing."""
    return prepare(memory.text, memory.tags, memory.signature, memory.category)


def same(
    memory: Memory, finding: Prepared, profile: Profile, rarity: Callable[[str], float] | None
) -> bool:
    """Whether a finding is the problem this lesson is about."""
    return same_problem(prepared_of(memory), finding, profile.match, rarity).same

"""What is in force, what waits and what needs a person's word: selected once, for terminal, desk, MCP server and report.

A lesson stands on one shelf, by its state, the gate's word, its verdict and whether a question about it is open. What needs a word is a
list of questions: every open proposal, then each lesson that is held or in question and that no proposal asks about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tacit.core import states
from tacit.core.errors import Refused, numbered
from tacit.core.proposal import Proposal
from tacit.core.rows import scope_projects
from tacit.core.standing import to_replay
from tacit.core.states import ACTIVE, ENDING_VERDICTS
from tacit.core.value import replace, value
from tacit.lesson import PERSONAL, Lesson, gives_way, said_as, said_more, was_compared
from tacit.memory import Memory as Memories
from tacit.screens import wording
from tacit.store.reads import Reads
from tacit.words.tokens import query_words

IN_FORCE, WAITING, YOUR_WORD, ENDED, GONE = (
    wording.TOLD,
    wording.NOT_YET,
    wording.WAITS,
    "told no more",
    "gone",
)
_AMONG = 1000  # of the lessons in force, among which some are offered a replay or say the same
YES_KEEPS = (
    "confirm",
    "promote",
)  # questions whose yes is "keep" and whose no is "drop", of the lesson they are about
_AT_ONCE = 100  # lessons in question that are read at once
_SHARED_BESIDE = (
    0.5  # of the words of the shorter of two, where a reader did not compare their texts
)
# What needs a word without a proposal, by the kind of question: (states, gate), as the store lists them.
_ASKED = (
    ("review", (states.DOUBTED,), None),
    ("held", (states.WAITING,), "hold"),
    ("held", (states.WAITING,), "quarantine"),
)


@value
class Counted:
    """How many of each there are here."""

    in_force: int
    waiting: int  # for another session that meets them: nobody is asked
    questions: Mapping[str, int]  # what needs a word, by the kind of question

    @property
    def needs_word(self) -> int:
        """What a person could decide now: so many rows has the inbox."""
        return sum(self.questions.values())


def counted_words(count: Counted) -> str:
    """The same, in the words of every screen."""
    asks = f"{count.needs_word:,} {'waits' if count.needs_word == 1 else 'wait'} for you"
    once = f"{count.waiting:,} {wording.NOT_YET}"
    rest = [told for n, told in ((count.needs_word, asks), (count.waiting, once)) if n]
    return ", ".join([f"{numbered(count.in_force, 'lesson')} {wording.TOLD}", *rest])


def shelf(memory: Lesson, asked: Collection[str] = ()) -> str:
    """Where a lesson stands; `asked` are the lessons that an open question is about."""
    at = shelf_of(memory.state, memory.gate, memory.verdict)
    return YOUR_WORD if at == WAITING and memory.id in asked else at


def as_seen(memories: Memories, memory: Lesson) -> Lesson:
    """A lesson as whoever looks may see it: of what is held an agent learns that it waits, and none of the words nobody vouched for."""
    if memories.actor.is_person or memory.gate == "allow":
        return memory
    told = f"waits for a person, who reads it with tacit why {memory.id}"
    extra = {name: "" for name in ("source", "category", "domain", "about", "origin")}
    return replace(
        memory, text=told, gate_reason="", extra=None, tags=(), paths=(), signature="", **extra
    )


def need_seen(memories: Memories, memory: Lesson) -> None:
    """Refuse to show an agent what is held, with all that was said of it."""
    if as_seen(memories, memory) is not memory:
        raise Refused(f"{memory.id} waits for a person, who reads it.", memories.actor.how)


def news(memory: Lesson) -> str:
    """For what a lesson that is new waits; empty where it is in force."""
    at = shelf(memory)
    return "" if at == IN_FORCE else at


def is_given(memory: Lesson) -> bool:
    """Whether agents get it where it fits: what people call *in force*."""
    return shelf(memory) == IN_FORCE


def said_again(memories: Sequence[Lesson]) -> dict[str, list[str]]:
    """Which lessons a list need not tell, by the one that says the same: agents hear one of them, by the same word of a reader. Less is
    left out than there: nothing below its "more", of which four of twelve said something else, and below a word about a session (not about
    both texts) only what shares half of its words, without which 3 of 63 did."""
    found: dict[str, list[str]] = {}
    stands: dict[str, list[tuple[Lesson, set[str]]]] = {}
    first_met = sorted(
        memories,
        key=lambda one: (one.trust not in PERSONAL, said_as(one) != one.id, -one.tally.seen),
    )
    for each in first_met:
        mine, first = {*query_words(each.text)}, stands.setdefault(said_as(each), [])
        for other, theirs in first if said_more(each) <= 0 and not each.pinned else ():
            shared = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
            if gives_way(each, other, shared) and (was_compared(each) or shared >= _SHARED_BESIDE):
                found.setdefault(other.id, []).append(each.id)
                break
        else:
            first += [(each, mine)] if not said_more(each) else []
    return found


def much_the_same(memories: Memories, memory: Lesson) -> list[str]:
    """The lessons of one row of a list, but for this one: what was told in its place before may be told now."""
    given = [
        each
        for each in memories.lessons(states=(ACTIVE,), limit=_AMONG)
        if said_as(each) == said_as(memory)
    ]
    groups = [
        [one, *others]
        for one, others in said_again([each for each in given if is_given(each)]).items()
    ]
    return [id for group in groups if memory.id in group for id in group if id != memory.id]


def shelf_of(state: str, gate: str, verdict: str = "") -> str:
    """The same of the three facts that decide it."""
    if state == states.GONE:
        return GONE
    if state == states.DOUBTED or gate != "allow":
        return YOUR_WORD
    if state == states.WAITING:
        return WAITING
    return ENDED if verdict in ENDING_VERDICTS else IN_FORCE


def counted(memories: Memories) -> Counted:
    """How many lessons are told and wait, and what waits for the person."""
    if memories.project is None:
        return Counted(0, 0, {})
    return counted_in(memories.store, memories.project_id)


def counted_in(store: Reads, project: str) -> Counted:
    """The same of a project, for terminal, desk and the host's line alike. Nothing grows with the lessons that are kept."""
    scopes = scope_projects(project)
    rows = store.counted(scopes, ("state", "gate", "verdict"))
    by, kinds = Counter[str](), Counter[str]()
    for state, gate, verdict, n in rows:
        by[shelf_of(state, gate, verdict)] += n
    asked = store.proposals_about(project)
    kinds.update(kind for kind, _ in asked)
    about = [each for each in store.memories(_named(asked)) if each.project in scopes]
    for kind, wanted, gate in _ASKED:
        kinds[kind] += sum(n for state, at, _, n in rows if state in wanted and gate in (None, at))
        kinds[kind] -= sum(each.state in wanted and gate in (None, each.gate) for each in about)
    waiting = by[WAITING] - sum(shelf(each) == WAITING for each in about)
    return Counted(by[IN_FORCE], waiting, {kind: n for kind, n in kinds.items() if n})


def asked_about(memories: Memories) -> list[str]:
    """The lessons that an open proposal is about."""
    project = memories.project_id
    return _named(memories.store.proposals_about(project)) if project else []


def _named(asked: Iterable[tuple[str, str]]) -> list[str]:
    return sorted({about for _, about in asked if about})


def numbered_as(asked: Proposal) -> str:
    """What the number of a question stands for: the lesson, where to keep or drop that is to answer; it has no second one."""
    return asked.memory if asked.kind in YES_KEEPS and asked.memory else asked.id


def unasked(memories: Memories, kind: str = "", behind: str = "") -> Iterator[Lesson]:
    """Lessons that are held or in question and that no proposal asks about; of one kind, behind one. Read as far as somebody asks."""
    but = set(asked_about(memories))
    wanted: list[dict[str, Any]] = [
        {"states": states, **({"equal": {"gate": gate}} if gate else {})}
        for name, states, gate in _ASKED
        if kind in ("", name)
    ]
    if behind:
        last = memories.get(behind)
        fits = [
            last.state in each["states"]
            and last.gate == each.get("equal", {}).get("gate", last.gate)
            for each in wanted
        ]
        here = fits.index(True) if True in fits else 0
        wanted, behind = wanted[here:], last.id if True in fits else ""
    for each in wanted:
        while part := memories.lessons(**each, limit=_AT_ONCE, behind=behind):
            yield from (memory for memory in part if memory.id not in but)
            behind = part[-1].id
        behind = ""


def worth_a_replay(memories: Memories) -> list[tuple[Lesson, str]]:
    """Lessons of which a replay would tell what the coins cannot yet, with the reason; none that was replayed already."""

    from tacit.replay import replaying  # every list loads this module; few ask for a replay

    done = {each["lesson"] for each in replaying.replayed(memories)}
    known = (
        memories.store.select([memories.project_id], states=(ACTIVE,), limit=_AMONG)
        if memories.project
        else []
    )
    return to_replay(each for each in known if each.id not in done)

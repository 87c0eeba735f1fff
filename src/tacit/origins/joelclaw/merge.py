"""joelclaw's dedup sweep: two observations that say the same become one, with a chain of supersession.

What changed since the last night is compared with its nearest by full text. Whoever takes a merge
back, or says no to one, does not have it made again; away what a person said goes by a person's yes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.core.journal import Hand
from tacit.core.merge import brought, keeper, merged
from tacit.core.states import GONE, UNDOUBTED
from tacit.lesson import PERSONAL, Lesson
from tacit.origins.joelclaw.rules import Joelclaw
from tacit.origins.likeness import jaccard
from tacit.origins.night.context import Night, StepReport
from tacit.store.due import entries_after, last_entry
from tacit.words.prepared import Prepared, prepare
from tacit.words.tokens import query_words

if TYPE_CHECKING:
    from tacit.store.reads import Reads
    from tacit.store.writes import Transaction

_BY = "tend"
_MOST = 2000  # lessons that one pass looks at; the next goes on where it stopped
_WORDS = 12  # of a lesson's words by which its neighbours are found


def step(night: Night) -> StepReport:
    """Compare what changed outside of any transaction; join, or ask, in one."""
    mark = night.mark("merged")
    after = int(mark) if mark.isdigit() and int(mark) <= last_entry(night.store) else 0
    changed = entries_after(night.store, night.project, after, _MOST)
    pairs = list(_twins(night, [id for id, _ in changed]))
    changes, asked = [], []
    with night.write() as tx:
        for one, other, alike in pairs:
            a, b = tx.get(one.id), tx.get(other.id)
            if (a.text, b.text) != (one.text, other.text) or not _comparable(a, b):
                continue  # changed since it was looked at: it is found again
            stays, goes = keeper(a, b)
            if _was_settled(tx, a, b):
                continue
            if _is_persons(goes) and not _is_one_record(tx, goes, stays):
                told = f"says the same as {goes.alias or goes.id}, which is a person's word"
                asked.append(night.propose(tx, "merge", told, stays.id, {"other": goes.id}))
            else:
                told = f"says the same as {stays.alias or stays.id} (alike {alike:.2f})"
                _join(tx, night, stays, goes, told)
                changes.append((goes.id, goes.state, GONE, told))
        if changed:
            night.put_mark(tx, "merged", str(max(after, *(entry for _, entry in changed))))
    done, facts = len(changes) + len(asked), {"compared": len(changed), "asked": len(asked)}
    return StepReport("merge", done, tuple(changes), tuple(asked), figures=facts)


def _twins(night: Night, ids: list[str]) -> Iterator[tuple[Lesson, Lesson, float]]:
    """Pairs that are one by joelclaw's measure, each once."""
    seen: set[frozenset[str]] = set()
    for memory in night.store.memories(ids):
        if not _is_in_force(memory):
            continue
        words = query_words(memory.text, _WORDS)
        near = night.store.find([night.project], words, limit=Joelclaw.NEAREST + 1)
        for hit in near.hits:
            pair = frozenset((memory.id, hit.memory.id))
            if len(pair) < 2 or pair in seen or not _comparable(memory, hit.memory):
                continue
            seen.add(pair)
            alike = jaccard(_prepared(memory), _prepared(hit.memory)).score
            if alike >= Joelclaw.ALIKE:
                yield memory, hit.memory, alike


def _join(tx: Transaction, night: Night, stays: Lesson, goes: Lesson, told: str) -> None:
    """One takes the other's place, and what only the other's sessions saw counts for it."""
    at = night.now()
    evidence = (tx.evidence(goes.id), tx.evidence(stays.id))
    more = brought(goes, stays, *evidence, Hand(_BY, at))
    for change in merged(goes, stays, Hand(_BY, at, profile=night.version), reason=told):
        tx.apply(change)
    if more is not None:
        tx.add_evidence(more)
    tx.count(night.project, "merged", at)


def _is_persons(memory: Lesson) -> bool:
    """Whether a person's word keeps it where it is."""
    return memory.pinned or memory.on_page or memory.trust in PERSONAL


def _is_one_record(tx: Transaction, a: Lesson, b: Lesson) -> bool:
    """Whether two are one text that a person brought twice from another system: nobody said either."""

    def came(memory: Lesson) -> bool:
        apart = memory.pinned or memory.on_page or memory.source == "page"
        by_import = bool(tx.entries(memory=memory.id, verb="import", limit=1))
        return by_import and not apart and not tx.entries(memory=memory.id, verb="edit", limit=1)

    return _prepared(a).text == _prepared(b).text and came(a) and came(b)


def _was_settled(store: Reads, a: Lesson, b: Lesson) -> bool:
    """Whether somebody was asked about these two, or took their merge back."""
    asked = any(
        each.kind == "merge" and {each.memory, (each.payload or {}).get("other")} == {a.id, b.id}
        for id in (a.id, b.id)
        for each in store.proposals(memory=id, state="", limit=-1)
    )
    return asked or any(
        entry.before.get("superseded_by") == other and entry.after.get("superseded_by") != other
        for one, other in ((a.id, b.id), (b.id, a.id))
        for verb in ("unmerge", "undo")
        for entry in store.entries(memory=one, verb=verb)
    )


def _comparable(a: Lesson, b: Lesson) -> bool:
    """Whether two lessons could be one at all: both in force and let in, of one reach and for one reader."""
    reach = [(m.project, m.scope, m.agent, m.domain, m.klass) for m in (a, b)]
    return _is_in_force(a) and _is_in_force(b) and reach[0] == reach[1]


def _is_in_force(memory: Lesson) -> bool:
    return memory.state in UNDOUBTED and memory.gate == "allow" and bool(memory.text)


def _prepared(memory: Lesson) -> Prepared:
    return prepare(memory.text, memory.tags)

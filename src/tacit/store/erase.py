"""Taking words out for good, and deriving anew what is derived."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.core.digest import digest
from tacit.core.edits import erased
from tacit.core.value import replace
from tacit.lesson import Lesson
from tacit.store.failures import forget_places

if TYPE_CHECKING:
    from tacit.core.journal import Hand
    from tacit.store.reads import Store
    from tacit.store.writes import OpenStore, Transaction


def blank(tx: Transaction, memory: Lesson, at: str) -> None:
    """Blank every word of a memory outside its row: journal, quotes, findings, proposals, names, the team's lines."""
    tx.blank_entries(memory.id)
    for finding in tx.findings(memory=memory.id):
        tx.bury(finding.run, finding.place, finding.project, "erased", at)
        tx.put_finding(
            replace(
                finding,
                text="",
                signature="",
                origin="",
                reason="erased",
                digest=digest("erased", finding.key),
            )
        )
    tx.rows("UPDATE evidence SET quote = '' WHERE lesson = ? AND quote <> ''", memory.id)
    places = {(row.run, row.place) for row in tx.evidence(memory.id)}
    words = " ".join((memory.text, memory.signature, *memory.tags))
    forget_places(tx, memory.project, places, words)
    for proposal in tx.proposals(memory=memory.id, state="", limit=10_000):
        tx.put_proposal(
            replace(
                proposal,
                payload=None,
                reason="erased",
                decision="erased" if proposal.decision else "",
            )
        )
    tx.rows("DELETE FROM setting WHERE key >= 'name:' AND key < 'name;' AND value = ?", memory.id)
    tx.rows("UPDATE job SET error = '' WHERE error <> ''")  # it quotes what it stumbled over


def erase_in(copy: OpenStore, id: str, hand: Hand) -> None:
    """Erase a lesson in a copy of the store, where it still has words."""
    with copy.write() as tx:
        for lesson in tx.memories([id]):
            if lesson.text:
                tx.apply(erased(lesson, hand, "erased"))
                blank(tx, lesson, hand.at)


def rebuild_derived(store: Store, confidence: str) -> int:
    """Full text and counts from the rows they are derived from; the number of memories."""
    with store.write() as tx:
        return derive(tx, lambda project: confidence)


def derive(tx: Transaction, rule: Callable[[str], str]) -> int:
    """Full text and counts anew, each project by its own rule; the number of memories."""
    rows = tx.rows("SELECT id, project FROM lesson")
    for id, project in rows:
        tx.reword(id)
        tx.confidence = rule(project)
        tx.refresh_tally(id, project)
    tx.rows("INSERT INTO lesson_fts (lesson_fts) VALUES ('rebuild')")
    return len(rows)

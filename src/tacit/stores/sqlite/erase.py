"""Taking text out for good, and rebuilding what is derived.

Deleting a row leaves its bytes in free pages, in full-text segments and in the write-ahead log. `secure_delete`
zeroes what is freed, full text is rebuilt, and the log is folded back and cut to nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.core.digest import digest
from tacit.core.errors import StoreBusy
from tacit.core.memory import Memory
from tacit.core.value import replace
from tacit.stores.incidents import forget_places
from tacit.stores.shared import blank_lines

if TYPE_CHECKING:
    from tacit.stores.sql import Store
    from tacit.stores.sql_writer import Transaction


def blank(tx: Transaction, memory: Memory, at: str) -> None:
    """Blank every word of a memory outside its row: journal, quotes, findings, proposals, aliases, shared lines."""
    tx.blank_entries(memory.id)
    tx.rows("UPDATE evidence SET quote = '' WHERE memory = :it AND quote <> ''", it=memory.id)
    # A mark's reason may be a foreign record, brought along by an import.
    tx.rows("UPDATE use_mark SET reason = '' WHERE memory = :it AND reason <> ''", it=memory.id)
    for finding in tx.findings(memory=memory.id):
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
        tx.bury(finding.run, finding.place, finding.project, "erased", at)
    places = {
        (run, place)
        for run, place in tx.rows(
            "SELECT run, place FROM evidence WHERE memory = :it", it=memory.id
        )
    }
    forget_places(
        tx, memory.project, places, " ".join((memory.text, memory.signature, *memory.tags))
    )
    for proposal in tx.proposals(memory=memory.id, state="", limit=10_000):
        tx.put_proposal(
            replace(
                proposal,
                payload=None,
                reason="erased",
                decision="erased" if proposal.decision else "",
            )
        )
    tx.rows("DELETE FROM alias WHERE memory = :it", it=memory.id)
    blank_lines(tx, memory.id)
    tx.rows(
        "UPDATE queue SET error = '' WHERE error <> ''"
    )  # a failed job quotes what it stumbled over
    tx.reindex()


def scrub(store: Store, wait: float = 10.0) -> None:
    """Fold the write-ahead log back into the file and cut it to nothing, so that no old page image stays behind."""
    deadline = time.monotonic() + min(wait, store.wait)
    while True:
        busy = store.one("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        if not busy:
            return
        if time.monotonic() > deadline:
            raise StoreBusy(
                "The text is erased, but another process is reading and old pages may still stand in the write-ahead log.",
                "Run tacit doctor once the others are done; it folds the log.",
            )
        time.sleep(0.05)


def rebuild_derived(store: Store, confidence: str) -> int:
    """Full text and tallies from the rows they are derived from; the number of memories."""
    with store.write() as tx:
        return derive(tx, lambda project: confidence)


def derive(tx: Transaction, rule: Callable[[str], str]) -> int:
    """Full text and tallies anew, each project by its own rule; the number of memories."""
    rows = tx.rows("SELECT id, project FROM memory")
    for id, project in rows:
        tx.rows(
            "UPDATE memory SET words = :words WHERE id = :id", id=id, words=tx.words(tx.get(id))
        )
        tx.confidence = rule(project)
        tx.refresh_tally(id, project)
    tx.rows("DELETE FROM tally WHERE memory NOT IN (SELECT id FROM memory)")
    tx.reindex()
    return len(rows)

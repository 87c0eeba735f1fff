"""Taking text out for good, and rebuilding what is derived.

Deleting a row leaves its bytes in free pages, in full-text segments and in the write-ahead log. `secure_delete`
zeroes what is freed, full text is rebuilt, and the log is folded back and cut to nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.core.digest import digest, shard_of
from tacit.core.errors import StoreBusy
from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, link_hash
from tacit.core.memory import Memory
from tacit.core.value import replace
from tacit.stores import daily
from tacit.stores.incidents import forget_places
from tacit.stores.shared import blank_lines
from tacit.stores.sql_rows import SEALED

if TYPE_CHECKING:
    from tacit.stores.sql import Store
    from tacit.stores.sql_writer import Transaction


def blank(tx: Transaction, memory: Memory, at: str) -> None:
    """Blank every word of a memory outside its row: journal, quotes, findings, proposals, aliases, shared lines. All still verifies."""
    tx.blank_entries(memory.id)
    columns = ", ".join(EVIDENCE_COLUMNS)
    for *row, sealed in tx.rows(f"SELECT {columns}, hash FROM evidence WHERE memory = :it", it=memory.id):
        now = dict(zip(EVIDENCE_COLUMNS, row), quote="")
        hash = link_hash(tuple(now.values()))
        tx.rows("UPDATE evidence SET quote = '', hash = :hash WHERE key = :key", hash=hash, key=now["key"])
        tx.seal(now["project"], "evidence", shard_of(memory.id), 0, sealed)
        tx.seal(now["project"], "evidence", shard_of(memory.id), 0, hash)
    # A mark's reason may be a foreign record, brought along by an import.
    columns = ", ".join(MARK_COLUMNS)
    for number, *row, sealed in tx.rows(
        f"SELECT n, {columns}, hash FROM use_mark WHERE memory = :it AND reason <> ''", it=memory.id
    ):
        mark = dict(zip(MARK_COLUMNS, row), reason="")
        hash = link_hash(tuple(mark.values()))
        tx.rows("UPDATE use_mark SET reason = '', hash = :hash WHERE n = :n", hash=hash, n=number)
        tx.seal(mark["project"], "mark", shard_of(memory.id), 0, sealed)
        tx.seal(mark["project"], "mark", shard_of(memory.id), 0, hash)
    for finding in tx.findings(memory=memory.id):
        tx.put_finding(
            replace(finding, text="", signature="", origin="", reason="erased", digest=digest("erased", finding.key))
        )
        tx.bury(finding.run, finding.place, finding.project, "erased", at)
    places = {
        (run, place) for run, place in tx.rows("SELECT run, place FROM evidence WHERE memory = :it", it=memory.id)
    }
    forget_places(tx, memory.project, places, " ".join((memory.text, memory.signature, *memory.tags)))
    for proposal in tx.proposals(memory=memory.id, state="", limit=10_000):
        tx.put_proposal(
            replace(proposal, payload=None, reason="erased", decision="erased" if proposal.decision else "")
        )
    for row in tx.rows(f"SELECT {', '.join(SEALED['alias'][0])} FROM alias WHERE memory = :it", it=memory.id):
        tx.unseal("alias", dict(zip(SEALED["alias"][0], row)))
    tx.rows("DELETE FROM alias WHERE memory = :it", it=memory.id)
    blank_lines(tx, memory.id)
    tx.rows("UPDATE queue SET error = '' WHERE error <> ''")  # a failed job quotes what it stumbled over
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


def fold_anew(store: Store, rule: Callable[[str], str]) -> None:
    """The tallies of all lessons that were ever met or given: figures that another version folded by other rules."""
    linked = "SELECT memory FROM evidence UNION SELECT memory FROM use"
    for id, project in store.rows(f"SELECT id, project FROM memory WHERE id IN ({linked})"):
        with store.write(confidence=rule(project)) as tx:
            tx.refresh_tally(id, project)


def rebuild_derived(store: Store, confidence: str) -> int:
    """Full text and tallies from the rows they are derived from; the number of memories."""
    with store.write(confidence=confidence) as tx:
        rows = tx.rows("SELECT id, project FROM memory")
        for id, project in rows:
            memory = tx.get(id)
            tx.rows("UPDATE memory SET words = :words WHERE id = :id", id=id, words=tx.words(memory))
            tx.refresh_tally(id, project)
        tx.rows("DELETE FROM tally WHERE memory NOT IN (SELECT id FROM memory)")
        tx.rows("DELETE FROM course")
        tx.reindex()
        daily.rebuild_daily(tx)
    return len(rows)

"""The writing half of a store over SQL: everything one transaction can change, each row counted as it is written."""

from __future__ import annotations

from abc import abstractmethod

from tacit.core.links import (
    ADDED_UP,
    EVIDENCE_COLUMNS,
    MARK_COLUMNS,
    NEW_TABLE,
    USE_COLUMNS,
    Evidence,
    Mark,
    Use,
    link_hash,
    link_row,
    seen_again,
    seen_more,
)
from tacit.core.memory import DECIDED, Memory, Tally, met_in, row_hash, to_row
from tacit.core.rows import FindingRow, Job, Project, RunRow
from tacit.core.value import dumps, loads
from tacit.stores.sql import Bracket, Reads
from tacit.stores.sql_rows import (
    COUNT_ON,
    COUNT_USE,
    COUNTED_SIGNALS,
    ENDLESS,
    HAS_UNITS,
    HEADER,
    INSERT_ENTRY,
    INSERT_MEMORY,
    KEYED,
    OUTCOME_SIGNALS,
    PUT_TALLY,
    SAME_ORIGIN,
    SAME_TASK,
    SAME_UNIT,
    TASKS,
    UPDATE_MEMORY,
    insert_into,
    json_text,
    upsert_into,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Change, Entry
    from tacit.core.proposal import Proposal


# What stands in the columns of stores of 0.2.0 that kept a hash. A cache of a server still compares
# those of lessons, uses and marks.
UNHASHED = b""


class RowWriter(Reads):
    """Rows. An engine provides `rows`, `many`, `index` and `machine`."""

    LOCKED = ""  # what makes a row that is read wait for its writers, where a transaction does not lock all rows
    FREE = ""  # and what passes over those that others hold
    machine = ""
    confidence: str = "none"  # the profile's rule by which confidence is folded, with its numbers

    @abstractmethod
    def index(self, n: int, old: tuple[str, str] | None, new: tuple[str, str] | None) -> None:
        """Keep full text in step: (text, words) before and after."""

    def spoke(self) -> None:
        """A lesson was written: what hooks look at before they open the store is of before."""

    @abstractmethod
    def reindex(self) -> None:
        """Build full text anew from the rows."""

    def may_change(self, project: str) -> bool:
        """Whether lessons of a project are this user's to change; on a server those that hold everywhere may not be."""
        return True

    def put_row(self, table: str, row: Mapping[str, Any], *, replace: bool = True) -> None:
        """Write a row of a table that is known by its key; without `replace` the first stays."""
        columns, key = KEYED[table]
        was = self.one(
            f"SELECT {', '.join(columns)} FROM {table} WHERE {' AND '.join(f'{name} = :{name}' for name in key)}",
            **{name: row[name] for name in key},
        )
        if was is not None and (not replace or tuple(was) == tuple(row[name] for name in columns)):
            return
        # Where the first stays, a right to add is enough.
        into = upsert_into(table, columns, key) if replace else insert_into(table, columns)
        self.rows(into, **{name: row[name] for name in columns})

    def put_project(self, project: Project) -> None:
        """Write or correct a project's row."""
        self.put_row("project", project.__dict__)

    def put_profile(self, id: str, name: str, compiled: str, at: str) -> None:
        """Keep a profile version once."""
        row = {"id": id, "name": name, "compiled": compiled, "created_at": at}
        self.put_row("profile", row, replace=False)

    def put_meta(self, key: str, value: str) -> None:
        """Set a setting of the store."""
        self.put_row("meta", {"key": key, "value": value})

    def next_seq(self, project: str) -> int:
        """Count one more learned run of a project."""
        found = self.project(project)
        if found is None:
            return 0
        self.put_project(Project(**{**found.__dict__, "run_seq": found.run_seq + 1}))
        return found.run_seq + 1

    def count(self, project: str, name: str, at: str, by: int = 1) -> None:
        """Count an event of a kind that should be rare: a skipped line, a fallback, a refused move."""
        self.rows(
            "INSERT INTO counter (project, day, name, count) VALUES (:project, :day, :name, :by)"
            " ON CONFLICT (project, day, name) DO UPDATE SET count = counter.count + excluded.count",
            project=project,
            day=at[:10],
            name=name,
            by=by,
        )


class RunWriter(RowWriter):
    """Runs, what was found in them, what was answered, and what waits."""

    def put_run(self, run: RunRow) -> None:
        """Write or correct a run's row."""
        named = {**run.__dict__, "complete": int(run.complete), "facts": json_text(run.facts)}
        self.rows(
            upsert_into("run", (*RunRow.FIELDS, "hash"), ("id",)),
            **named,
            hash=UNHASHED,
        )  # type: ignore[attr-defined]

    def put_finding(self, finding: FindingRow) -> None:
        """Write or correct a finding's row."""
        named = dict(finding.__dict__)
        into = upsert_into("finding", (*FindingRow.FIELDS, "hash"), ("key",))  # type: ignore[attr-defined]
        self.rows(into, **named, hash=UNHASHED)

    def bury(self, run: str, place: str, project: str, reason: str, at: str) -> None:
        """Leave a tombstone, so that no later extractor brings this place back."""
        row = {"run": run, "place": place, "project": project, "reason": reason, "at": at}
        self.put_row("tombstone", row, replace=False)

    def put_proposal(self, proposal: Proposal) -> None:
        """Write or correct a proposal's row."""
        as_text = {
            "payload": json_text(proposal.payload),
            "approvals": json_text(proposal.approvals),
        }
        named = {**proposal.__dict__, **as_text}
        self.rows(
            upsert_into("proposal", (*named, "hash"), ("id",)),
            **named,
            hash=UNHASHED,
        )

    def add_injection(
        self,
        event: str,
        project: str,
        run: str,
        unit: str,
        surface: str,
        tokens: int,
        given: Sequence[str],
        withheld: Sequence[str],
        left_out: Mapping[str, Any],
        at: str,
    ) -> bool:
        """Record an answer given to an agent; false if this very event was answered before."""
        if self.one("SELECT 1 FROM injection WHERE event = :event", event=event):
            return False
        about = {"event": event, "project": project, "run": run, "unit": unit, "surface": surface}
        told = {"given": dumps(list(given)), "withheld": dumps(list(withheld))}
        row = {**about, "tokens": tokens, **told, "left_out": json_text(left_out), "at": at}
        self.rows(insert_into("injection", row), **row)
        return True

    def enqueue(
        self,
        kind: str,
        key: str,
        project: str,
        payload: Mapping[str, Any],
        at: str,
        not_before: str = "",
    ) -> None:
        """Ask the worker for something; the same key again refreshes what waits."""
        self.rows(
            "INSERT INTO queue (kind, key, project, payload, at, not_before, attempts, lease, lease_until, error)"
            " VALUES (:kind, :key, :project, :payload, :at, :not_before, 0, '', '', '')"
            " ON CONFLICT (key) DO UPDATE SET payload = excluded.payload, at = excluded.at, not_before = excluded.not_before, attempts = 0",
            kind=kind,
            key=key,
            project=project,
            payload=json_text(payload),
            at=at,
            not_before=not_before,
        )

    def lease(
        self, who: str, now: str, until: str, after: int = 0, last: int = ENDLESS, kind: str = ""
    ) -> Job | None:
        """Take the oldest job due and not held, numbered beyond `after` up to `last`; `kind`: "read", or "rest" for all but those."""
        row = self.one(
            "SELECT id, kind, key, project, payload, attempts, at FROM queue WHERE not_before <= :now AND lease_until <= :now"
            f" AND id > :after AND id <= :last AND (:kind = '' OR (:kind = 'read') = (kind = 'read')) ORDER BY id LIMIT 1{self.FREE}",
            now=now,
            after=after,
            last=last,
            kind=kind,
        )
        if row is None:
            return None
        self.rows(
            "UPDATE queue SET lease = :holder, lease_until = :until, attempts = attempts + 1 WHERE id = :id",
            holder=who,
            until=until,
            id=row[0],
        )
        return Job(row[0], row[1], row[2], row[3], loads(row[4] or "{}"), row[5] + 1, row[6])

    def finish(self, job: Job, holder: str) -> None:
        """Take a done job off the queue, unless it was asked for again meanwhile or somebody else holds it."""
        self.rows(
            "DELETE FROM queue WHERE id = :id AND lease = :holder AND at = :at",
            id=job.id,
            holder=holder,
            at=job.at,
        )
        self.rows(
            "UPDATE queue SET lease = '', lease_until = '' WHERE id = :id AND lease = :holder",
            id=job.id,
            holder=holder,
        )

    def postpone(self, job: Job, error: str, not_before: str) -> None:
        """Put a failed job back for later."""
        self.rows(
            "UPDATE queue SET lease = '', lease_until = '', error = :error, not_before = :at WHERE id = :id",
            id=job.id,
            error=error[:500],
            at=not_before,
        )


class Transaction(Bracket, RunWriter):
    """Writing, inside one transaction: memories and their links."""

    def blank_entries(self, memory: str) -> None:
        """Take the words out of a memory's journal; the digests stay, and its chain still verifies."""
        self.rows("UPDATE journal SET payload = '', salt = x'' WHERE memory = :it", it=memory)

    def words(self, memory: Memory) -> str:
        """The derived words that full text needs beside the text: parts of names, then a line for each task it was met in."""
        from tacit.words.tokens import index_words, task_words

        if not memory.text:
            return ""
        told = [met_in(memory, "task"), *(row[0] for row in self.rows(TASKS, it=memory.id))]
        tasks = dict.fromkeys(task_words(task) for task in told if task)
        beside = " ".join((memory.about, *memory.tags, *memory.paths))
        return "\n".join((index_words(memory.text, beside=beside), *filter(None, tasks)))

    def reword(self, id: str) -> None:
        """Derive a memory's words anew: it was met in another task."""
        n, text, words = self.one("SELECT n, text, words FROM memory WHERE id = :id", id=id)
        fresh = self.words(self.get(id))
        if fresh != words:
            self.rows("UPDATE memory SET words = :words WHERE n = :n", words=fresh, n=n)
            self.index(n, (text, words), (text, fresh))

    def apply(self, change: Change) -> Entry:
        """The only way to write a memory: the new row and its reasoned entry, together."""
        from tacit.core.journal import starts_new_table

        row = to_row(change.memory)
        self.copy_row(row, row_hash(row), self.words(change.memory))
        entry = self._enter(change.entry)
        if starts_new_table(entry) and self.one(
            "SELECT 1 FROM use WHERE memory = :it LIMIT 1", it=entry.memory
        ):
            self.add_mark(
                Mark(entry.memory, "", entry.project, NEW_TABLE, reason=entry.verb, at=entry.at)
            )
        return entry

    def copy_row(self, row: Sequence[Any], sealed: bytes, words: str) -> None:
        """A memory's row as it is elsewhere, without an entry: half of `apply`, and all of it in a cache, whose truth is a server's."""
        named = dict(zip(DECIDED, row), hash=sealed, words=words)
        was = self.one(
            f"SELECT n, text, words FROM memory WHERE id = :id{self.LOCKED}", id=named["id"]
        )
        if was is None:
            self.rows(INSERT_MEMORY, **named)
            n = self.one("SELECT n FROM memory WHERE id = :id", id=named["id"])[0]
            self.index(n, None, (named["text"], words))
        else:
            self.rows(UPDATE_MEMORY, **named)
            if (named["text"], words) != (was[1], was[2]):
                self.index(was[0], (was[1], was[2]), (named["text"], words))
        self.spoke()

    def _enter(self, entry: Entry) -> Entry:
        from tacit.core.journal import payload

        last = self.one("SELECT max(n) FROM journal WHERE memory = :memory", memory=entry.memory)
        header = (
            entry.memory,
            (last[0] or 0) + 1,
            entry.project,
            entry.verb,
            entry.by,
            entry.at,
            entry.run,
            entry.profile,
            entry.machine or self.machine,
        )
        self.rows(
            INSERT_ENTRY,
            **dict(zip(HEADER, header)),
            payload=payload(entry),
            **dict.fromkeys(("salt", "digest", "row", "hash"), UNHASHED),
        )
        return entry

    def add_alias(self, project: str, namespace: str, alias: str, memory: str) -> None:
        """Another name of a memory; the first to take a name keeps it."""
        row = {"project": project, "namespace": namespace, "alias": alias, "memory": memory}
        self.put_row("alias", row, replace=False)

    def add_evidence(self, evidence: Evidence) -> bool:
        """Write a piece of evidence once; false if it was there."""
        row = link_row(evidence)
        if self.one("SELECT 1 FROM evidence WHERE key = :key", key=row[0]):
            return False
        self.rows(
            insert_into("evidence", (*EVIDENCE_COLUMNS, "hash")),
            **dict(zip(EVIDENCE_COLUMNS, row)),
            hash=UNHASHED,
        )
        self._count_evidence(evidence)
        return True

    def _count_evidence(self, evidence: Evidence) -> None:
        """Bring the tally in step. A sighting leaves all that uses add up to as it is, so that these need not be read again."""
        plain = evidence.signal == "seen" and evidence.stance == "supports" and not evidence.opening
        if self.confidence != "none" or not plain:
            self.refresh_tally(evidence.memory, evidence.project)
            return
        more, kept = self._sightings_of(evidence), self.tally(evidence.memory)
        tally = (
            seen_again(kept, self.evidence(evidence.memory))
            if more is None
            else seen_more(kept, more, evidence)
        )
        self.put_tally(evidence.memory, evidence.project, tally)

    def _sightings_of(self, evidence: Evidence) -> int | None:
        """How many sightings a new row adds: none where its unit or its origin was met before. None: it may tie two into one."""
        unit, origin, memory = evidence.root or evidence.run, evidence.origin, evidence.memory
        if not unit:
            return None
        key = evidence.key
        known = self.one(SAME_UNIT, memory=memory, unit=unit, key=key)
        if not origin:
            return 0 if known else 1
        met = self.one(SAME_ORIGIN, memory=memory, origin=origin, key=key)
        return None if known and met else 0 if known or met else 1

    def add_use(self, use: Use) -> bool:
        """Write an assignment once; the recorded one wins over a recomputed one."""
        known = self.rows("SELECT memory FROM use WHERE unit = :unit", unit=use.unit)
        if (use.memory,) in map(tuple, known):
            return False
        row = link_row(use)
        sealed = link_hash(row)
        self.rows(
            insert_into("use", (*USE_COLUMNS, "hash")), **dict(zip(USE_COLUMNS, row)), hash=sealed
        )
        # Counted on instead of folded anew: a hook has no time for a lesson's whole history. `check` holds the two equal.
        used_at = use.at if use.arm != "withheld" else ""
        self.rows(COUNT_USE, memory=use.memory, project=use.project, at=used_at)
        return True

    def add_mark(self, mark: Mark) -> None:
        """Write a later fact about a use, or an opening balance, and bring the tally in step."""
        self._write_mark(mark)
        if mark.signal in ADDED_UP:
            self._step(mark.memory, mark.project, mark.signal, mark.amount)
        else:
            self.refresh_tally(mark.memory, mark.project)

    def add_outcome(self, use: Use, mark: Mark, last: str) -> None:
        """The outcome of a use, and the one that stood before.

        Counted on: some lessons are given in every run, and folding all they ever did each time would cost more with
        every run. `check` holds the two equal. What a coin decided is folded anew where it is the first or was settled before.
        """
        self._write_mark(mark)
        known = [each for each in (last, mark.value) if each in OUTCOME_SIGNALS]
        present = not use.blank and use.at > self.measured_since(use.memory)
        coin = bool(known) and present and use.arm != "exempt"
        if coin and (last or not self.one(HAS_UNITS, it=use.memory)):
            self.refresh_tally(use.memory, use.project)
            return
        for outcome, step in ((last, -1.0), (mark.value, 1.0)):
            if outcome in OUTCOME_SIGNALS and use.arm != "withheld":
                self._step(use.memory, use.project, OUTCOME_SIGNALS[outcome], step)
        if coin:
            self._step(use.memory, use.project, "units", 1.0)
            if not use.task or not self.one(
                SAME_TASK, memory=use.memory, task=use.task, unit=use.unit
            ):
                self._step(use.memory, use.project, "tasks", 1.0)

    def measured_since(self, memory: str) -> str:
        """When a memory's present words came, as its marks say; empty where they are its first."""
        asked = "SELECT max(at) FROM use_mark WHERE memory = :it AND unit = '' AND signal = :mark"
        said = self.one(asked, it=memory, mark=NEW_TABLE)
        return (said and said[0]) or ""

    def _write_mark(self, mark: Mark) -> None:
        row = link_row(mark)
        sealed = link_hash(row)
        self.rows(
            insert_into("use_mark", (*MARK_COLUMNS, "hash")),
            **dict(zip(MARK_COLUMNS, row)),
            hash=sealed,
        )

    def _step(self, memory: str, project: str, signal: str, step: float) -> None:
        self.rows(COUNT_ON, memory=memory, project=project, signal=signal, step=step)

    def refresh_tally(self, memory: str, project: str) -> Tally:
        """Fold all rows of a memory again.

        It is counted under its own project, not under that of a run that used it.
        """
        from tacit.core.tally import tally_of

        project = (self.one("SELECT project FROM memory WHERE id = :it", it=memory) or (project,))[
            0
        ]
        uses, marks = self.uses(memory=memory), self.marks(memory=memory)
        tally = tally_of(self.evidence(memory), uses, marks, self.confidence, self.tally(memory))
        self.put_tally(memory, project, tally)
        return tally

    def put_signal(self, memory: str, project: str, signal: str, amount: float) -> None:
        """Keep a signal that a fold carries on; none where it is nothing."""
        self.rows(
            "DELETE FROM tally WHERE memory = :it AND signal = :signal", it=memory, signal=signal
        )
        if amount:
            self.rows(
                PUT_TALLY, memory=memory, signal=signal, project=project, amount=amount, at=""
            )

    def put_tally(self, memory: str, project: str, tally: Tally) -> None:
        """Keep a fold beside its memory."""
        self.rows("DELETE FROM tally WHERE memory = :it", it=memory)
        at = tally.__dict__
        for signal in COUNTED_SIGNALS:
            if at[signal] or (at[signal] is not None and signal == "confidence"):
                when = {"seen": tally.seen_at, "uses": tally.last_used_at}.get(signal) or ""
                self.rows(
                    PUT_TALLY,
                    memory=memory,
                    signal=signal,
                    project=project,
                    amount=float(at[signal]),
                    at=when,
                )
        for signal, amount in (tally.signals or {}).items():
            if signal not in COUNTED_SIGNALS:
                self.rows(
                    PUT_TALLY,
                    memory=memory,
                    signal=signal,
                    project=project,
                    amount=float(amount),
                    at="",
                )

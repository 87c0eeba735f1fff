"""The writing half, and how a store is opened: what rooms change that do not speak of `lesson.py` yet."""

from __future__ import annotations

from tacit.core.links import (
    ADDED_UP,
    NEW_TABLE,
    Evidence,
    Mark,
    Use,
    seen_again,
    seen_more,
)
from tacit.core.rows import FindingRow, Job, Project, RunRow
from tacit.core.states import ACTIVE, DOUBTED, ENDING_VERDICTS, GONE, UNDOUBTED, WAITING
from tacit.core.value import dumps, loads
from tacit.lesson import Lesson, Tally
from tacit.store import file
from tacit.store.reads import Reads, Store
from tacit.store.statements import (
    BURIED,
    COMPILED,
    COUNTED_SIGNALS,
    ENDLESS,
    EVENT,
    FOUND,
    LINE,
    MAKE,
    MARK,
    OUTCOME_SIGNALS,
    OWN_NAMES,
    PROJECT,
    SAME_ORIGIN,
    SAME_TASK,
    SAME_UNIT,
    WAS,
    insert_into,
    json_text,
    name_key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Change, Entry
    from tacit.core.proposal import Proposal
    from tacit.store.values import Lesson as Row


STANCES = ("supports", "contradicts")
ARMS = {"injected": "delivered", "withheld": "held out"}
_RUN = ("version", "domain", "task_id", "task_type", "settled_at")
_WORDS = {
    **dict.fromkeys(("user", "human", "person"), "person"),
    **dict.fromkeys(("agent", "observed", "review", "team"), "session"),
}


def upsert_into(table: str, columns: Sequence[str]) -> str:
    """A row in place of the one that has its key."""
    return f"INSERT OR REPLACE{insert_into(table, columns)[len('INSERT') :]}"


class RowWriter(Reads):
    """Projects, settings, and what is counted by the day."""

    confidence: str = "none"  # the profile's rule by which confidence is folded, with its numbers

    def may_change(self, project: str) -> bool:
        """Whether lessons of a project are this user's to change."""
        return True

    def put_project(self, project: Project) -> None:
        """Write or correct a project's row."""
        self.rows(
            "INSERT INTO project (id, name, root, key, remote, origin, trial_key, sessions,"
            " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            f" {', '.join(f'{name} = excluded.{name}' for name in PROJECT[1:])}",
            *project.__dict__.values(),
        )

    def put_profile(self, id: str, name: str, compiled: str, at: str) -> None:
        """Keep a profile version once."""
        if not self.meta(f"{COMPILED}{id}"):
            self.put_meta(f"{COMPILED}{id}", compiled)

    def put_meta(self, key: str, value: str) -> None:
        """Set a setting of the store."""
        self.rows("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", key, value)

    def next_seq(self, project: str) -> int:
        """Count one more learned run of a project."""
        sql = "UPDATE project SET sessions = sessions + 1 WHERE id = ? RETURNING sessions"
        found = self.rows(sql, project)
        return int(found[0][0]) if found else 0

    def count(self, project: str, name: str, at: str, by: int = 1) -> None:
        """Count an event of a kind that should be rare: a skipped line, a fallback, a refused move."""
        self.rows(
            f"INSERT INTO common (project, kind, what, count) VALUES (?, '{EVENT}', ?, ?)"
            " ON CONFLICT DO UPDATE SET count = count + excluded.count",
            *(project, f"{at[:10]} {name}", by),
        )


class RunWriter(RowWriter):
    """Runs, what was found in them, what was answered, and what waits."""

    def put_run(self, run: RunRow) -> None:
        """Write or correct a run's row."""
        at = run.__dict__
        extra = {**(run.facts or {}), **{name: at[name] for name in _RUN if at[name]}}
        same = ("id", "project", "host", "agent", "model", "task", "outcome", "path")
        row = {name: at[name] for name in (*same, "started_at", "ended_at", "learned_at")}
        row |= {"name": run.foreign_id, "grp": run.root, "number": run.seq}
        self.rows(_PUT_RUN, **row, complete=int(run.complete), extra=json_text(extra))

    def put_finding(self, finding: FindingRow) -> None:
        """Write or correct a finding's row."""
        at = finding.__dict__
        names = (
            "place extractor version outcome reason gate kind tier origin signature score".split()
        )
        extra = {name: at[name] for name in (*names, "runner_up") if at[name]}
        extra["place"] = finding.place
        if finding.digest:
            extra["digest"] = finding.digest.hex()
        self.rows(
            f"DELETE FROM evidence WHERE session = ? AND measure = '{FOUND}' AND place = ?",
            *(finding.run, finding.key),
        )
        self._witness(
            *(finding.memory, finding.project, finding.run, "", "supports", FOUND, 0.0),
            *(finding.key, finding.text, finding.by, finding.tier, finding.at, extra),
        )

    def _witness(
        self,
        lesson: str,
        project: str,
        session: str,
        group: str,
        stance: str,
        measure: str,
        amount: float,
        place: str,
        quote: str,
        by: str,
        tier: str,
        at: str,
        extra: Mapping[str, Any],
    ) -> bool:
        """A row of evidence; False where it is there already."""
        found = self.rows(
            'INSERT INTO evidence (lesson, project, session, "group", stance, measure, amount,'
            ' place, quote, "by", word, at, extra) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
            " ON CONFLICT DO NOTHING RETURNING n",
            *(lesson, project, session, group, stance, measure, amount, place, quote, by),
            *(_WORDS.get(tier, "outside"), at, json_text(extra)),
        )
        return bool(found)

    def bury(self, run: str, place: str, project: str, reason: str, at: str) -> None:
        """Leave a tombstone, so that no later extractor brings this place back."""
        buried = ("supports", BURIED, 0.0, place, reason, "", "observed", at, {})
        self._witness("", project, run, "", *buried)

    def put_proposal(self, proposal: Proposal) -> None:
        """Write or correct a proposal's row."""
        at = proposal.__dict__
        asked = {name: at[name] for name in ("by", "tier", "expires_at", "decided_at", "decision")}
        asked["approvals"] = [list(each) for each in proposal.approvals]
        open = proposal.state == "open"
        self.rows(
            upsert_into("question", _QUESTION),
            id=proposal.id,
            project=proposal.project,
            lesson=proposal.memory,
            kind=proposal.kind,
            text=proposal.reason,
            payload=json_text(
                {**(proposal.payload or {}), "as_question": {n: v for n, v in asked.items() if v}}
            ),
            asked_at=proposal.created_at,
            answered_at="" if open else proposal.decided_at or proposal.created_at,
            answer="" if open else proposal.state,
            by=proposal.decided_by,
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
        more = {"given": list(given), "withheld": list(withheld)}
        if left_out:
            more["left_out"] = left_out  # type: ignore[assignment]
        found = self.rows(
            _DELIVER,
            *("", project, run, unit, event, surface, "exempt", 0.0, "", tokens, at),
            json_text(more),
        )
        return bool(found)

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
            "INSERT INTO job (kind, key, project, payload, asked_at, not_before, attempts, holder,"
            " held_until, error) VALUES (:kind, :key, :project, :payload, :at, :not_before, 0, '',"
            " '', '') ON CONFLICT (key) DO UPDATE SET payload = excluded.payload, attempts = 0,"
            " asked_at = excluded.asked_at, not_before = excluded.not_before",
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
            "SELECT n, kind, key, project, payload, attempts, asked_at FROM job"
            " WHERE not_before <= :now AND held_until <= :now AND n > :after AND n <= :last"
            " AND (:kind = '' OR (:kind = 'read') = (kind = 'read')) ORDER BY n LIMIT 1",
            now=now,
            after=after,
            last=last,
            kind=kind,
        )
        if row is None:
            return None
        self.rows(
            "UPDATE job SET holder = ?, held_until = ?, attempts = attempts + 1 WHERE n = ?",
            *(who, until, row[0]),
        )
        return Job(row[0], row[1], row[2], row[3], loads(row[4] or "{}"), row[5] + 1, row[6])

    def finish(self, job: Job, holder: str) -> None:
        """Take a done job off the queue, unless it was asked for again meanwhile or somebody else holds it."""
        self.rows(
            "DELETE FROM job WHERE n = ? AND holder = ? AND asked_at = ?", job.id, holder, job.at
        )
        self.rows(
            "UPDATE job SET holder = '', held_until = '' WHERE n = ? AND holder = ?", job.id, holder
        )

    def postpone(self, job: Job, error: str, not_before: str) -> None:
        """Put a failed job back for later."""
        self.rows(
            "UPDATE job SET holder = '', held_until = '', error = ?, not_before = ? WHERE n = ?",
            *(error[:500], not_before, job.id),
        )


class Transaction(RunWriter, file.Transaction):
    """Writing, inside one transaction: memories and their links."""

    def __init__(self, store: Store, wait: float, keep: bool, confidence: str = "none") -> None:
        super().__init__(store, wait, keep)
        self.confidence = confidence
        self._spoke = False  # a lesson was written

    def blank_entries(self, memory: str) -> None:
        """Take the words out of a memory's journal; the entries stay."""
        self.rows(
            "UPDATE journal SET before = '', after = '', body = '',"
            f" why = CASE verb WHEN '{LINE}' THEN why ELSE '' END WHERE lesson = ?",
            memory,
        )

    def words(self, memory: Lesson) -> str:
        """The derived words that full text needs beside the text: parts of names, then a line for each task it was met in."""
        from tacit.store.write import found_by

        n = self.one("SELECT n FROM lesson WHERE id = ?", memory.id)
        return found_by(self, lesson_of(memory), n[0] if n else 0)

    def reword(self, id: str) -> None:
        """Derive a memory's words anew: it was met in another task."""
        self.rows(
            "UPDATE lesson SET words = ?1 WHERE id = ?2 AND words <> ?1",
            *(self.words(self.get(id)), id),
        )

    def apply(self, change: Change) -> Entry:
        """The only way to write a memory: the new row and its reasoned entry, together."""
        from tacit.core.journal import starts_new_table
        from tacit.store import rows, write
        from tacit.store.values import Hand

        entry, lesson = change.entry, lesson_of(change.memory)
        hand = Hand(entry.by, entry.at, entry.run, entry.machine or self.machine)
        was = rows.lesson_or_none(self, lesson.id)
        made = write.put(self, was, lesson, hand, entry.verb, entry.reason)
        self.spoke()
        if starts_new_table(entry) and self.one(
            "SELECT 1 FROM delivery WHERE lesson = ? LIMIT 1", entry.memory
        ):
            self.add_mark(
                Mark(entry.memory, "", entry.project, NEW_TABLE, reason=entry.verb, at=entry.at)
            )
        return self.entry(made.n)

    def spoke(self) -> None:
        """A lesson was written: what hooks look at before they open the store is of before."""
        if not self._spoke:
            self._spoke = True
            from tacit.store.spoken import forget_spoken

            forget_spoken(self.path)

    def add_alias(self, project: str, namespace: str, alias: str, memory: str) -> None:
        """Another name of a memory; the first to take a name keeps it."""
        self.rows(
            "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
            *(name_key(project, alias, namespace), memory),
        )

    def add_evidence(self, evidence: Evidence) -> bool:
        """Write a piece of evidence once; false if it was there."""
        measure = "" if evidence.signal == "seen" else evidence.signal
        stance = evidence.stance if evidence.stance in STANCES else STANCES[0]
        told = evidence.finding or evidence.place
        known = self.rows(
            "SELECT coalesce(nullif(finding, ''), place) FROM sighting WHERE memory = ? AND run = ?"
            " AND signal = ? AND stance = ? AND opening = ?",
            *(evidence.memory, evidence.run, evidence.signal, evidence.stance),
            int(evidence.opening),
        )
        if (told,) in known:
            return False
        at = evidence.__dict__
        extra: dict[str, Any] = {"tier": evidence.tier}
        extra |= {name: at[name] for name in ("finding", "origin", "seq") if at[name]}
        if evidence.opening:
            extra["opening"] = 1
        if evidence.stance != stance:
            extra["stance"] = evidence.stance
        own = (evidence.memory, evidence.project, evidence.run, evidence.root, stance, measure)
        said = (evidence.quote, evidence.by, evidence.tier, evidence.at)
        if not self._witness(*own, float(evidence.amount), evidence.place, *said, extra):
            # Two findings of one place are two pieces of evidence.
            extra["place"] = evidence.place
            self._witness(
                *own, float(evidence.amount), f"{evidence.place} {told} {len(known)}", *said, extra
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
        n = self.one("SELECT max(n) FROM evidence")[0]  # the row that was just written
        known = self.one(SAME_UNIT, memory=memory, unit=unit, n=n)
        if not origin:
            return 0 if known else 1
        met = self.one(SAME_ORIGIN, memory=memory, origin=origin, n=n)
        return None if known and met else 0 if known or met else 1

    def add_use(self, use: Use) -> bool:
        """Write an assignment once; the recorded one wins over a recomputed one."""
        known = 'SELECT 1 FROM delivery WHERE "group" = ? AND lesson = ?'
        if self.rows(known, use.unit, use.memory):
            return False
        at = use.__dict__
        names = ("epoch", "instrument", "instrument_eligible", "task", "blank")
        extra = {name: at[name] for name in names if at[name]}
        self.rows(
            _DELIVER,
            *(use.memory, use.project, use.run, use.unit, "", use.surface),
            *(ARMS.get(use.arm, use.arm), float(use.probability), use.family, 0, use.at),
            json_text(extra),
        )
        # Counted on instead of folded anew: a hook has no time for a lesson's whole history. `check` holds the two equal.
        used_at = use.at if use.arm != "withheld" else ""
        counts = self._counts(use.memory)
        amount, last = counts.get("uses", (0.0, ""))
        self._put_counts(use.memory, {**counts, "uses": (amount + 1, max(last, used_at))})
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
        if coin and (last or "units" not in self._counts(use.memory)):
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
        extra = {name: held for name in ("value", "surface") if (held := mark.__dict__[name])}
        place = str(self.one("SELECT coalesce(max(n), 0) + 1 FROM evidence")[0])
        self._witness(
            *(mark.memory, mark.project, mark.run, mark.unit, STANCES[0], f"{MARK}{mark.signal}"),
            *(float(mark.amount), place, mark.reason, "", "observed", mark.at, extra),
        )
        if mark.signal == "outcome" and mark.unit:
            self.rows(
                'UPDATE delivery SET outcome = ?, settled_at = ? WHERE "group" = ? AND lesson = ?',
                *(mark.value, mark.at, mark.unit, mark.memory),
            )

    def _step(self, memory: str, project: str, signal: str, step: float) -> None:
        counts = self._counts(memory)
        amount, at = counts.get(signal, (0.0, ""))
        self._put_counts(memory, {**counts, signal: (amount + step, at)})

    def _counts(self, memory: str) -> dict[str, Any]:
        row = self.one("SELECT counts FROM lesson WHERE id = ?", memory)
        return loads(row[0]) if row and row[0] else {}

    def _put_counts(self, memory: str, counts: Mapping[str, Any]) -> None:
        self.rows("UPDATE lesson SET counts = ? WHERE id = ?", json_text(counts), memory)

    def refresh_tally(self, memory: str, project: str) -> Tally:
        """Fold all rows of a memory again.

        It is counted under its own project, not under that of a run that used it.
        """
        from tacit.core.tally import tally_of

        uses, marks = self.uses(memory=memory), self.marks(memory=memory)
        tally = tally_of(self.evidence(memory), uses, marks, self.confidence, self.tally(memory))
        self.put_tally(memory, project, tally)
        return tally

    def put_signal(self, memory: str, project: str, signal: str, amount: float) -> None:
        """Keep a signal that a fold carries on; none where it is nothing."""
        counts = {name: at for name, at in self._counts(memory).items() if name != signal}
        self._put_counts(memory, {**counts, **({signal: (amount, "")} if amount else {})})

    def put_tally(self, memory: str, project: str, tally: Tally) -> None:
        """Keep a fold beside its memory."""
        at, times = tally.__dict__, {"seen": tally.seen_at, "uses": tally.last_used_at}
        counts: dict[str, Any] = {}
        for signal in COUNTED_SIGNALS:
            if at[signal] or (at[signal] is not None and signal == "confidence"):
                counts[signal] = (float(at[signal]), times.get(signal) or "")
        for signal, amount in (tally.signals or {}).items():
            if signal not in COUNTED_SIGNALS:
                counts[signal] = (float(amount), "")
        self._put_counts(memory, counts)


def lesson_of(memory: Lesson) -> Row:
    """A memory as a lesson; who set its words, and when, is the writer's to say."""
    from tacit.store.values import Lesson as Row

    at, extra = memory.__dict__, dict(memory.extra or {})
    was = {name: at[name] for name, unset in WAS.items() if at[name] not in (unset, (), False)}
    if "was" in extra:
        was[OWN_NAMES] = {"was": extra.pop("was")}
    state, reason = _state(memory)
    if state != memory.state:
        was["state"] = memory.state
    sign = extra.get("sign")
    marked = isinstance(sign, list) and len(sign) > 1 and sign[0] in _SIGN_IN
    return Row(
        memory.id,
        memory.project,
        memory.text,
        kind="decision" if memory.kind == "decision" else _KINDS.get(memory.klass, "fact"),
        about=memory.about,
        files=memory.paths,
        sign=str(sign[1]) if marked else "",
        sign_in=_SIGN_IN[sign[0]] if marked else "",
        word=_WORDS.get(memory.trust, "outside"),
        state=state,
        reason=reason,
        always=memory.pinned,
        family=memory.family,
        replaced_by=memory.superseded_by,
        created_at=memory.created_at,
        changed_at=memory.updated_at,
        extra=loads(dumps({**extra, "was": was})) if was else loads(dumps(extra)),
    )


def _state(memory: Lesson) -> tuple[str, str]:
    """Where a lesson stands for whoever delivers it, and why where that is more than a state."""
    if memory.state in UNDOUBTED and memory.gate != "allow":
        return WAITING, memory.gate_reason or "held"
    if memory.state == ACTIVE and memory.verdict in ENDING_VERDICTS:
        return DOUBTED, "it was measured to harm"
    if memory.state == ACTIVE and memory.superseded_by:
        return GONE, "replaced"
    if memory.state == GONE:
        return GONE, "replaced" if memory.superseded_by else memory.closed_by
    return memory.state, ""


_SIGN_IN = {"E": "output", "T": "call"}
_KINDS = {
    **dict.fromkeys(("rule", "command", "security"), "way"),
    **dict.fromkeys(("fix", "pitfall"), "cure"),
    "preference": "preference",
}


class OpenStore(Store):
    """A connection to one store file."""

    def write(  # type: ignore[override]
        self, *, wait: float | None = None, confidence: str = "none", keep: bool = True
    ) -> Transaction:
        """One transaction: `with store.write() as tx: tx.apply(change)`. Acknowledge after the block, never inside.

        With `keep=False` all of it is taken back at the end: a preview.
        """
        return Transaction(self, self.wait if wait is None else wait, keep, confidence)


def open_store(
    path: str, *, create: bool = True, machine: str = "", wait: float = file.WAIT
) -> Store:
    """Open a store, making it first where that is asked for. One that cannot be written is opened for reading."""
    store = file.open_as(OpenStore, path, create, wait)
    store.name_machine(machine)
    store.connection.execute(MAKE)
    return store


_PUT_RUN = (
    'INSERT OR REPLACE INTO session (id, project, host, name, "group", number, agent, model, task,'
    " outcome, complete, path, started_at, ended_at, learned_at, extra) VALUES (:id, :project,"
    " :host, :name, :grp, :number, :agent, :model, :task, :outcome, :complete, :path, :started_at,"
    " :ended_at, :learned_at, :extra)"
)
_QUESTION = "id project lesson kind text payload asked_at answered_at answer by".split()
_DELIVER = (
    'INSERT INTO delivery (lesson, project, session, "group", context, event, moment, arm,'
    " probability, family, tokens, at, outcome, loss, settled_at, extra)"
    " VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, '', 0.0, '', ?)"
    " ON CONFLICT DO NOTHING RETURNING n"
)

"""Writing: a lesson changes only together with the journal's entry that says who, when and why.

What a transaction returns may be acknowledged once its block was left. Hooks may load this module.
"""

from __future__ import annotations

from tacit.core.links import ADDED_UP, NEW_TABLE, Evidence, Mark, Use
from tacit.core.value import loads
from tacit.store import file, rows
from tacit.store.reads import Reads, Store
from tacit.store.rows import (
    BURIED,
    COMPILED,
    EVENT,
    FOUND,
    LINE,
    MARK,
    PROJECT,
    QUESTION,
    as_column,
    counts_of,
    field_from,
    json_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Change, Entry
    from tacit.core.proposal import Proposal
    from tacit.core.rows import FindingRow, Project, RunRow
    from tacit.lesson import Tally

TASKS = 3  # in which a lesson was met last, and by whose words it is found too
STANCES = ("supports", "contradicts")
UNJOURNALED = ("id", "project", "changed_at")  # what an entry need not say
NEW: dict[str, Any] = {
    **dict.fromkeys(rows.LESSON, ""),
    "kind": "fact",
    "word": "outside",
    "state": "waiting",
    "files": [],
    "always": False,
    "shared": False,
    "extra": {},
}  # what a field says that nobody set


def insert(tx: file.Transaction, table: str, at: Mapping[str, Any], more: str = "") -> bool:
    """A new row unless there is one already; whether it is new. Names are ours."""
    names = ", ".join(f'"{name}"' for name in at)
    marks = ", ".join("?" * len(at))
    sql = f"INSERT INTO {table} ({names}) VALUES ({marks}) ON CONFLICT {more or 'DO NOTHING'}"
    return bool(tx.rows(f"{sql} RETURNING 1", *at.values()))


def enter(tx: file.Transaction, entry: Mapping[str, Any], before: Any, after: Any) -> int:
    """An entry of the journal as it is: the change that it tells is the caller's to write."""
    at = {
        "session": "",
        **entry,
        "machine": entry.get("machine") or tx.machine,
        "before": json_text(before),
        "after": json_text(after),
        "number": 0,
        "line": "",
        "body": "",
        "signer": "",
        "standing": "applied",
    }
    insert(tx, "journal", at)
    return int(tx.rows("SELECT max(n) FROM journal")[0][0])


def put_lesson(tx: file.Transaction, at: Mapping[str, Any]) -> None:
    """A new lesson's row."""
    row = {name: as_column(name, at[name]) for name in rows.LESSON}
    insert(tx, "lesson", {**row, "words": found_by(tx, at)})


def found_by(tx: file.Transaction, lesson: Mapping[str, Any], known: bool = False) -> str:
    """The words a lesson is found by beside its text: its subject, parts of names, then a line a task it was met in."""
    if not lesson["text"]:
        return ""
    from tacit.words.tokens import index_words, task_words  # with `re`, which hooks do not load

    extra = lesson["extra"]
    was = extra.get("was") or {}
    tags = map(str, extra.get("tags") or was.get("tags") or ())
    beside = " ".join((lesson["about"], *tags, *lesson["files"]))
    met_in = extra.get("met_in")
    told = [str(met_in.get("task", ""))] if isinstance(met_in, dict) else []
    told += [row[0] for row in tx.rows(_TASKS, lesson["id"], TASKS)] if known else []
    tasks = dict.fromkeys(task_words(task) for task in told if task)
    return "\n".join((index_words(lesson["text"], beside=beside), *filter(None, tasks)))


_TASKS = (
    "SELECT s.task FROM evidence e JOIN session s ON s.id = e.session"
    " WHERE e.lesson = ? AND s.task <> '' GROUP BY s.task ORDER BY max(s.number) DESC LIMIT ?"
)


class Transaction(Reads, file.Transaction):
    """Writing, inside one transaction."""

    def __init__(self, store: Store, wait: float, keep: bool, confidence: str = "none") -> None:
        super().__init__(store, wait, keep)
        self.confidence = confidence  # the rule by which confidence is folded, with its numbers
        self._spoke = False  # a lesson was written

    # --- projects, settings, and what is counted by the day

    def put_project(self, project: Project) -> None:
        """Write or correct a project's row."""
        setting = ", ".join(f"{name} = excluded.{name}" for name in PROJECT[1:])
        row = dict(zip(PROJECT, project.__dict__.values()))
        insert(self, "project", row, f"(id) DO UPDATE SET {setting}")

    def put_profile(self, id: str, compiled: str) -> None:
        """Keep a profile version once."""
        if not self.meta(f"{COMPILED}{id}"):
            self.put_meta(f"{COMPILED}{id}", compiled)

    def put_meta(self, key: str, value: str) -> None:
        """Set a setting of the store."""
        self.rows("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", key, value)

    def next_seq(self, project: str) -> int:
        """Count one more learned session of a project."""
        sql = "UPDATE project SET sessions = sessions + 1 WHERE id = ? RETURNING sessions"
        found = self.rows(sql, project)
        return int(found[0][0]) if found else 0

    def count(self, project: str, name: str, at: str, by: int = 1) -> None:
        """Count an event of a kind that should be rare: a skipped line, a fallback, a refused move."""
        row = {"project": project, "kind": EVENT, "what": f"{at[:10]} {name}", "count": by}
        insert(self, "common", row, "DO UPDATE SET count = count + excluded.count")

    # --- sessions, what was found in them, and what waits for a person

    def put_run(self, run: RunRow) -> None:
        """Write or correct a session's row."""
        at = run.__dict__
        extra = {**(run.facts or {}), **{name: at[name] for name in rows.OF_RUN if at[name]}}
        self.rows(
            f"INSERT OR REPLACE INTO session ({rows.SESSION})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(run.id, run.project, run.host, run.foreign_id, run.root, run.seq, run.agent),
            *(run.model, run.task, run.outcome, int(run.complete), run.path),
            *(run.started_at, run.ended_at, run.learned_at, json_text(extra)),
        )

    def put_finding(self, finding: FindingRow) -> None:
        """Write or correct a finding's row."""
        at = finding.__dict__
        names = (
            "extractor version outcome reason gate kind tier origin signature score runner_up"
        ).split()
        extra = {"place": finding.place, **{name: at[name] for name in names if at[name]}}
        if finding.digest:
            extra["digest"] = finding.digest.hex()
        self.rows(
            f"DELETE FROM evidence WHERE session = ? AND measure = '{FOUND}' AND place = ?",
            *(finding.run, finding.key),
        )
        self._witness(
            *(finding.memory, finding.project, finding.run, "", STANCES[0], FOUND, 0.0),
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
        row = {
            "lesson": lesson,
            "project": project,
            "session": session,
            "group": group,
            "stance": stance,
            "measure": measure,
            "amount": amount,
            "place": place,
            "quote": quote,
            "by": by,
            "word": rows.WORDS.get(tier, "outside"),
            "at": at,
            "extra": json_text(extra),
        }
        return insert(self, "evidence", row)

    def bury(self, run: str, place: str, project: str, reason: str, at: str) -> None:
        """Leave a tombstone, so that no later extractor brings this place back."""
        buried = (STANCES[0], BURIED, 0.0, place, reason, "", "observed", at, {})
        self._witness("", project, run, "", *buried)

    def put_proposal(self, proposal: Proposal) -> None:
        """Write or correct a proposal's row."""
        row = rows.question_of(proposal)
        marks = ", ".join("?" * len(row))
        self.rows(f"INSERT OR REPLACE INTO question ({QUESTION}) VALUES ({marks})", *row)

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
        more: dict[str, Any] = {"given": list(given), "withheld": list(withheld)}
        if left_out:
            more["left_out"] = left_out
        answer = {"event": event, "tokens": tokens, "arm": "exempt", "extra": json_text(more)}
        return self._deliver(project, run, unit, surface, at, answer)

    def _deliver(
        self, project: str, run: str, unit: str, surface: str, at: str, said: Mapping[str, Any]
    ) -> bool:
        row = {
            "lesson": "",
            "project": project,
            "session": run,
            "group": unit,
            "context": "",
            "event": "",
            "moment": surface,
            "probability": 0.0,
            "family": "",
            "tokens": 0,
            "at": at,
            "outcome": "",
            "loss": 0.0,
            "settled_at": "",
            **said,
        }
        return insert(self, "delivery", row)

    # --- lessons

    def blank_entries(self, memory: str) -> None:
        """Take the words out of a lesson's journal; the entries stay."""
        self.rows(
            "UPDATE journal SET before = '', after = '', body = '',"
            f" why = CASE verb WHEN '{LINE}' THEN why ELSE '' END WHERE lesson = ?",
            memory,
        )

    def reword(self, id: str) -> None:
        """Derive a lesson's words anew: it was met in another task."""
        words = found_by(self, rows.fields_of(self.get(id)), known=True)
        self.rows("UPDATE lesson SET words = ?1 WHERE id = ?2 AND words <> ?1", words, id)

    def apply(self, change: Change) -> Entry:
        """The only way to write a lesson: the new row and its reasoned entry, together."""
        from tacit.core.journal import starts_new_table

        entry, now = change.entry, rows.fields_of(change.memory)
        before, after = self._put(now, entry)
        if now["changed_at"] not in ("", entry.at):
            after["changed_at"] = now["changed_at"]
        told = {"lesson": now["id"], "project": now["project"], "verb": entry.verb}
        told |= {"by": entry.by, "why": entry.reason, "at": entry.at, "session": entry.run}
        n = enter(self, {**told, "machine": entry.machine}, before, after)
        self._forget_spoken()
        given = "SELECT 1 FROM delivery WHERE lesson = ? LIMIT 1"
        if starts_new_table(entry) and self.one(given, entry.memory):
            self.add_mark(
                Mark(entry.memory, "", entry.project, NEW_TABLE, reason=entry.verb, at=entry.at)
            )
        return self.entry(n)

    def _put(self, now: dict[str, Any], entry: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
        """A lesson's row from what it was to what it is, and what differs: as it was, and as it is.

        Who set the words follows the entry; what a lesson is to the team and to calls stays as it is.
        """
        found = self.one(f"SELECT {', '.join(rows.LESSON)} FROM lesson WHERE id = ?", now["id"])
        was = {name: field_from(name, held) for name, held in zip(rows.LESSON, found or ())}
        if not was or was["text"] != now["text"]:
            now |= {"by": entry.by, "said_at": entry.at}
        now = {**(was or NEW), **now}
        changed = [
            name
            for name in rows.LESSON
            if name not in UNJOURNALED and now[name] != (was or NEW)[name]
        ]
        if was and _stood(was) != _stood(now) and "state" not in changed:
            changed.append("state")
        if not was:
            put_lesson(self, now)
            return {}, {name: now[name] for name in changed}
        row = {name: as_column(name, now[name]) for name in (*changed, "changed_at")}
        row["words"] = found_by(self, now, known=True)
        setting = ", ".join(f'"{name}" = ?' for name in row)
        self.rows(f"UPDATE lesson SET {setting} WHERE id = ?", *row.values(), now["id"])
        return {name: was[name] for name in changed}, {name: now[name] for name in changed}

    def _forget_spoken(self) -> None:
        """What hooks look at before they open the store is of before this."""
        if not self._spoke:
            self._spoke = True
            from tacit.store.spoken import forget_spoken

            forget_spoken(self.path)

    def add_alias(self, project: str, namespace: str, alias: str, memory: str) -> None:
        """Another name of a lesson; the first to take a name keeps it."""
        key = rows.name_key(project, alias, namespace)
        insert(self, "setting", {"key": key, "value": memory})

    # --- what vouches for a lesson, where it was delivered, and what is counted of both

    def add_evidence(self, evidence: Evidence) -> bool:
        """Write a piece of evidence once; false if it was there."""
        measure = "" if evidence.signal == "seen" else evidence.signal
        stance = evidence.stance if evidence.stance in STANCES else STANCES[0]
        told = evidence.finding or evidence.place
        known = [
            each.finding or each.place
            for each in self.evidence_where(
                "lesson = ? AND session = ? AND measure = ?", evidence.memory, evidence.run, measure
            )
            if (each.stance, each.opening) == (evidence.stance, evidence.opening)
        ]
        if told in known:
            return False
        at = evidence.__dict__
        extra: dict[str, Any] = {"tier": evidence.tier}
        extra |= {name: at[name] for name in ("finding", "origin", "seq") if at[name]}
        if evidence.opening:
            extra["opening"] = 1
        if evidence.stance != stance:
            extra["stance"] = evidence.stance
        own = (evidence.memory, evidence.project, evidence.run, evidence.root, stance, measure)
        words = (evidence.quote, evidence.by, evidence.tier, evidence.at)
        if not self._witness(*own, float(evidence.amount), evidence.place, *words, extra):
            # Two findings of one place are two pieces of evidence.
            extra["place"] = evidence.place
            place = f"{evidence.place} {told} {len(known)}"
            self._witness(*own, float(evidence.amount), place, *words, extra)
        self.refresh_tally(evidence.memory, evidence.project)
        return True

    def add_use(self, use: Use) -> bool:
        """Write an assignment once; the recorded one wins over a recomputed one."""
        known = 'SELECT 1 FROM delivery WHERE "group" = ? AND lesson = ?'
        if self.rows(known, use.unit, use.memory):
            return False
        at = use.__dict__
        names = ("epoch", "instrument", "instrument_eligible", "task", "blank")
        coin = {
            "lesson": use.memory,
            "arm": rows.KEPT_ARMS.get(use.arm, use.arm),
            "probability": float(use.probability),
            "family": use.family,
            "extra": json_text({name: at[name] for name in names if at[name]}),
        }
        self._deliver(use.project, use.run, use.unit, use.surface, use.at, coin)
        self._step(use.memory, "uses", 1.0, use.at if use.arm != "withheld" else "")
        return True

    def add_mark(self, mark: Mark) -> None:
        """Write a later fact about a use, or an opening balance, and bring what is counted in step."""
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
        if mark.signal in ADDED_UP:  # nothing is known of these but their sum
            self._step(mark.memory, mark.signal, mark.amount)
        else:
            self.refresh_tally(mark.memory, mark.project)

    def measured_since(self, memory: str) -> str:
        """When a lesson's present words came, as its marks say; empty where they are its first."""
        where = f"lesson = ? AND \"group\" = '' AND measure = '{MARK}{NEW_TABLE}'"
        said = self.one(f"SELECT max(at) FROM evidence WHERE {where}", memory)
        return (said and said[0]) or ""

    def _step(self, memory: str, signal: str, step: float, at: str = "") -> None:
        counts = self._counts(memory)
        amount, last = counts.get(signal, (0.0, ""))
        self._put_counts(memory, {**counts, signal: (amount + step, max(last, at))})

    def _counts(self, memory: str) -> dict[str, Any]:
        row = self.one("SELECT counts FROM lesson WHERE id = ?", memory)
        return loads(row[0]) if row and row[0] else {}

    def _put_counts(self, memory: str, counts: Mapping[str, Any]) -> None:
        self.rows("UPDATE lesson SET counts = ? WHERE id = ?", json_text(counts), memory)

    def refresh_tally(self, memory: str, project: str) -> Tally:
        """Fold all that is known of a lesson again."""
        from tacit.core.tally import tally_of

        told = self.evidence(memory), self.uses(memory=memory), self.marks(memory=memory)
        tally = tally_of(*told, self.confidence, self.tally(memory))
        self.put_tally(memory, tally)
        return tally

    def put_tally(self, memory: str, tally: Tally) -> None:
        """Keep a fold beside its lesson."""
        self._put_counts(memory, counts_of(tally))

    def put_signal(self, memory: str, project: str, signal: str, amount: float) -> None:
        """Keep a signal that a fold carries on; none where it is nothing."""
        counts = {name: at for name, at in self._counts(memory).items() if name != signal}
        self._put_counts(memory, {**counts, **({signal: (amount, "")} if amount else {})})


def _stood(lesson: Mapping[str, Any]) -> str:
    """Its state for rooms that know a gate beside it, where that is another."""
    return str((lesson["extra"].get("was") or {}).get("state", ""))


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
    return store

"""Memories of another system, taken in: each row a memory of its own, with its counts, its old name and its record.

Rows of one file are never merged, not even equal ones: whoever keeps two lessons apart has a reason, and gets them back
apart. A row that came before is recognised by its name and left alone. Whoever imports decides how far the words are
trusted; without a person's say-so they are imported text, and held.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.edits import made
from tacit.core.exchange import Given, Header, Note, Opening, OriginVerdict, Row, Skipped
from tacit.core.journal import Hand, change
from tacit.core.links import STATED_SIGNALS, Evidence, Mark, Use
from tacit.core.profile import class_of, kind_named
from tacit.core.rows import RunRow, run_id
from tacit.core.states import WAITING, at_stage, record_of, stage_of
from tacit.core.trust import HELD, least
from tacit.core.value import replace, value
from tacit.learn.gate import may_be_told
from tacit.lesson import PERSONAL, VERDICTS, Lesson, sound_text
from tacit.safety.redact import private, redact, redacted_record
from tacit.safety.witness import Vouch
from tacit.store.lookups import by_alias
from tacit.store.outgoing import UNNAMED_ROW, header_key, rows_namespace
from tacit.store.reads import WorkContext

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

TOLD = 50  # faults that are told one by one; all are counted


@value
class Read:
    """What a format read in one file."""

    format: str
    path: str
    namespace: str  # of its ids; empty: the format's name
    items: Sequence[Row | Given | OriginVerdict | Header | Note | Skipped]
    # an id of this format means one memory for good, or (False) with the same words; None: nothing is renewed
    lasting: bool | None = None


@value
class TakenIn:
    """What became of a file's memories."""

    format: str
    kept: tuple[str, ...] = ()
    already: int = 0  # came before, by name
    differing: int = (
        0  # of those: their record differs from the one that came before; what is kept here stays
    )
    held: int = 0
    quarantined: int = 0
    audits: int = 0  # injections and checks
    redacted: int = 0
    skipped: int = 0  # rows that could not be read
    fields: int = 0  # fields of rows that were kept
    faults: tuple[Skipped, ...] = ()  # the first of both, by place
    dry_run: bool = False
    warnings: tuple[str, ...] = ()
    updated: int = 0  # came before, and were brought up to date
    path: str = ""  # the file it was read from


def take_in(
    work: WorkContext, files: Sequence[Read], *, tier: str, vouch: Vouch, dry_run: bool = False
) -> list[TakenIn]:
    """Take in what formats read, at the trust that the caller may give: all of it in one transaction, or nothing."""
    at = work.now()
    intakes = [_Intake(work, file, tier, at, vouch) for file in files]
    with work.write(keep=not dry_run) as tx:
        for intake in intakes:
            intake.keep(tx)
    return [intake.report(dry_run) for intake in intakes]


class _Intake:
    """One file: what it has met and kept so far. Words are cleaned before the transaction, where nobody waits for it."""

    def __init__(self, work: WorkContext, file: Read, tier: str, at: str, vouch: Vouch) -> None:
        self.vouch = vouch
        self.project, self.profile, self.by, self.ids = (
            work.project,
            work.profile,
            work.actor.name,
            work.ids,
        )
        self.format, self.origin, self.tier, self.at = file.format, file.path, tier, at
        self.hand = Hand(self.by, at, profile=self.project.profile)
        self.namespace = file.namespace or file.format
        self.lasting = file.lasting
        self.names: dict[str, int] = {}
        self.kept: list[str] = []
        self.faults: list[Skipped] = []
        self.notes = [item.text for item in file.items if isinstance(item, Note)]
        self.counts = dict.fromkeys(
            (
                "already",
                "differing",
                "held",
                "quarantined",
                "audits",
                "redacted",
                "skipped",
                "fields",
                "updated",
            ),
            0,
        )
        for item in file.items:
            if isinstance(item, Skipped):
                self.fault(item)
        self.items = [
            (item, self._memory(item, at) if isinstance(item, Row) else None)
            for item in file.items
            if not isinstance(item, (Skipped, Note))
        ]

    def fault(self, fault: Skipped) -> None:
        self.counts["fields" if fault.field else "skipped"] += 1
        if len(self.faults) < TOLD:
            self.faults.append(fault)

    def keep(self, tx: Transaction) -> None:
        """Write what is new."""
        project = tx.project(self.project.id)
        self.seq = project.run_seq if project else 0
        for item, made_of in self.items:
            if isinstance(item, Row) and made_of:
                self._row(tx, item, *made_of)
            elif isinstance(item, Given):
                self._given(tx, item)
            elif isinstance(item, Header):
                self._header(tx, item, self.at)
            elif isinstance(item, OriginVerdict):
                self._judged(tx, item)

    def _row(self, tx: Transaction, row: Row, memory: Lesson, redacted: int) -> None:
        namespace, name = row_name(row, self.names, self.format, self.namespace)
        known = self._known(tx, name, namespace)
        if row.tier and not known and row.alias and tx.memories([row.alias]):
            known = row.alias  # it was born here
        newer = self.lasting or (
            self.lasting is False and bool(known) and is_same(tx.get(known), row)
        )
        if known and newer and not row.tier and self._renew(tx, tx.get(known), row, memory):
            self.counts["updated"] += 1
            return
        if known and not row.tier and not self.lasting and not is_same(tx.get(known), row):
            # Two machines both have an m-001: another lesson of the same name is another lesson.
            namespace, name = rows_namespace(self.format), other_name(row)
            known = self._known(tx, name, namespace)
        if known and self._lift(tx, tx.get(known), row, memory):
            return
        if known:
            self.counts["already"] += 1
            was = tx.get(known)
            self.counts["differing"] += record_of(was.extra) != record_of(
                redacted_record(row.memory.extra)
            ) or (bool(row.tier) and was.text != memory.text)
            return
        self.counts["redacted"] += redacted
        if not memory.text:
            self.fault(Skipped(row.place, "nothing is left of its text"))
            return
        told = f"imported from {self.format} {row.alias or '(unnamed)'}, {row.place or 'no place'}, as {self.tier}"
        tx.apply(made(memory, self.hand, told, "import"))
        tx.add_alias(self.project.id, namespace, name, memory.id)
        for opening in row.openings:
            self._opens(tx, memory, replace(opening, at=opening.at or memory.created_at), row.place)
        self.kept.append(memory.id)
        self.counts["held"] += memory.gate == "hold"
        self.counts["quarantined"] += memory.gate == "quarantine"

    def _lift(self, tx: Transaction, was: Lesson, row: Row, memory: Lesson) -> bool:
        """A row that came before and was held, brought again by somebody who stands for it: as if they had from the start."""
        if (
            was.gate != "hold"
            or was.trust not in HELD
            or memory.trust in HELD
            or not is_same(was, row)
        ):
            return False
        now = replace(
            was,
            state=memory.state if was.state == WAITING else was.state,
            gate=memory.gate,
            gate_reason=memory.gate_reason,
            trust=memory.trust,
            updated_at=self.at,
        )
        told = f"imported again from {self.format} {row.alias or '(unnamed)'}, as {self.tier}"
        tx.apply(change(was, now, self.hand, "gate", told))
        self.counts["updated"] += 1
        return True

    def _renew(self, tx: Transaction, was: Lesson, row: Row, memory: Lesson) -> bool:
        """Bring a memory up to date with a newer version of its record; whether anything changed.

        What was changed here since the record came stays: its text, its state. Figures become what the record says, by their difference.
        """
        came, new = record_of(was.extra), record_of(memory.extra)
        may = self.tier == "user" or was.trust not in PERSONAL
        if came == new or not came or not memory.text or memory.gate != was.gate or not may:
            return False
        old = next((each for each in (self._read_again(came, row),) if each is not None), None)
        text = memory.text if old is None or old.text == was.text else was.text
        stages, tags = self.profile.stages, memory.tags or was.tags
        stands = stage_of(was, stages)
        if old is None or stage_of(old, stages) == stands:
            stands = stage_of(memory, stages)
        now = replace(was, text=text, extra={**(was.extra or {}), **new}, tags=tags)
        now = replace(at_stage(now, stands, stages), updated_at=self.at)
        if now.state != was.state:
            now = replace(now, review_after=memory.review_after, previous_state=was.state)
        told = f"a newer version of {row.alias} was imported from {self.format}, {row.place or 'no place'}"
        tx.apply(change(was, now, self.hand, "import", told))
        for opening in row.openings:
            self._set(tx, tx.get(was.id), opening.signal, opening.amount, opening.at)
        return True

    def _read_again(self, came: Mapping[str, Any], row: Row) -> Lesson | None:
        """What a record that came before said of text and state, by the fields that the new one has them in."""
        new, stages = record_of(row.memory.extra), self.profile.stages
        stands = stage_of(row.memory, stages)
        names = [name for name, at in new.items() if at == row.memory.text]
        states = [name for name, at in new.items() if at == stands]
        if not names and not states:
            return None
        text = str(came.get(names[0], row.memory.text)) if names else row.memory.text
        said = str(came.get(states[0], stands)) if states else stands
        return at_stage(replace(row.memory, text=text), said if said in stages else stands, stages)

    def _set(self, tx: Transaction, memory: Lesson, signal: str, amount: float, at: str) -> None:
        """A figure as a record states it now."""
        tally, signals = memory.tally, memory.tally.signals or {}
        if signal == "confidence":
            if tally.confidence is not None and (step := round(amount - tally.confidence, 10)):
                tx.add_mark(
                    Mark(
                        memory.id,
                        "",
                        memory.project,
                        "weakened",
                        amount=step,
                        reason="as imported again",
                        at=self.at,
                    )
                )
            return
        have = {"seen": tally.seen, "uses": tally.uses, "contradicted": tally.contradicted}.get(
            signal, signals.get(signal, 0.0)
        )
        more = amount if signal in STATED_SIGNALS else amount - have
        if more and amount != have:
            self._opens(tx, memory, Opening(signal, more, at or self.at), f"again {self.at}")

    def _opens(self, tx: Transaction, memory: Lesson, counted: Opening, place: str) -> None:
        """Something that the other system counted."""
        said: dict[str, Any] = {
            "signal": counted.signal,
            "amount": counted.amount,
            "at": counted.at,
            "opening": True,
        }
        word: dict[str, Any] = {"by": self.by, "tier": self.tier, "place": place, "seq": self.seq}
        tx.add_evidence(Evidence(memory.id, memory.project, **word, **said))

    def _memory(self, row: Row, at: str) -> tuple[Lesson, int]:
        """A row as it will be kept, and how many secrets were taken out of it."""
        # What only an owner can say of a lesson stays behind where no owner speaks.
        came = (
            row.memory
            if self.tier == "user"
            else replace(row.memory, pinned=False, verdict=VERDICTS[0])
        )
        clean = redact(private(sound_text(came.text)))
        title = str((came.extra or {}).get("title") or "")
        beside = (
            title,
            came.source,
            came.category,
            came.domain,
            came.agent,
            *came.paths,
            *came.tags,
        )
        asked = may_be_told(clean.text, self.tier, self.vouch, beside)
        takes = asked.outcome == "quarantine" or (asked.outcome != "allow" and came.gate == "allow")
        gate, why = (asked.outcome, asked.reason) if takes else (came.gate, came.gate_reason)
        kind = kind_named(self.profile, came.kind)
        memory = replace(
            came,
            id=self.ids(),
            project=came.project or self.project.id,
            text=clean.text,
            kind=kind,
            klass=class_of(self.profile, kind),
            origin=came.origin or ("" if row.tier and self.tier == "user" else self.origin),
            trust=least((self.tier, row.tier or self.tier)),
            gate=gate,
            gate_reason=why,
            created_at=came.created_at or at,
            updated_at=came.updated_at or came.created_at or at,
            paths=tuple(redacted_record(came.paths)),
            tags=tuple(redacted_record(came.tags)),
            source=redacted_record(came.source),
            extra=redacted_record(came.extra) or None,
        )
        return memory, len(clean.hits)

    def _header(self, tx: Transaction, item: Header, at: str) -> None:
        kept = {"record": redacted_record(item.record), "at": at}
        tx.put_meta(
            header_key(self.format, item.part, self.project.id),
            json.dumps(kept, ensure_ascii=False),
        )

    def _given(self, tx: Transaction, item: Given) -> None:
        ids = [id for alias in item.memories if (id := self._known(tx, alias))]
        run = self._run(tx, item.run, item.domain, item.agent, item.at)
        record = redacted_record(item.record)
        event = f"{self.format} {short_hash(self.project.id, item.place, json.dumps(record, ensure_ascii=False))}"
        line = item.place.rpartition(":")[2]
        told = {
            "asked": {"domain": item.domain, "agent": item.agent},
            "record": record,
            "line": int(line) if line.isdigit() else 0,
        }
        if not tx.add_injection(
            event, self.project.id, run.id, run.root, self.format, 0, ids, (), told, item.at
        ):
            self.counts["already"] += 1
            return
        for id in ids:
            tx.add_use(
                Use(
                    id,
                    run.root,
                    self.project.id,
                    run.id,
                    id,
                    "exempt",
                    0.0,
                    self.format,
                    at=item.at,
                )
            )
        self.counts["audits"] += 1

    def _judged(self, tx: Transaction, item: OriginVerdict) -> None:
        id = self._known(tx, item.memory)
        if not id:
            self.fault(
                Skipped(
                    item.place,
                    f"a check of {item.memory}, which is not here: import the lessons first",
                )
            )
            return
        run = self._run(tx, item.run, "", "", item.at)
        line = item.place.rpartition(":")[2]
        figure = "" if item.figure is None else f"{item.figure:g}"
        told = (
            json.dumps(redacted_record(item.record), ensure_ascii=False)
            if item.record
            else item.text
        )
        mark = Mark(
            id,
            run.root,
            self.project.id,
            item.signal,
            figure,
            run=run.id,
            surface=f"{self.format}:{line}",
        )
        mark = replace(mark, reason=told, at=item.at)
        if mark in tx.marks(memory=id):
            self.counts["already"] += 1
            return
        tx.add_mark(mark)
        self.counts["audits"] += 1

    def _known(self, tx: Transaction, alias: str, namespace: str = "") -> str:
        return by_alias(tx, self.project.id, namespace or self.format, alias)

    def _run(self, tx: Transaction, name: str, domain: str, agent: str, at: str) -> RunRow:
        id = run_id(self.project.id, self.format, name)
        row = tx.run(id)
        if row is None:
            row = RunRow(
                id,
                self.project.id,
                self.format,
                name,
                id,
                domain=domain,
                agent=agent,
                started_at=at,
            )
            tx.put_run(row)
        return row

    def report(self, dry_run: bool) -> TakenIn:
        told: dict[str, Any] = {
            **self.counts,
            "faults": tuple(self.faults),
            "warnings": tuple(self.notes),
        }
        return TakenIn(self.format, tuple(self.kept), dry_run=dry_run, path=self.origin, **told)


def row_name(row: Row, names: dict[str, int], format: str, namespace: str) -> tuple[str, str]:
    """What a row is recognised by, in which namespace: its id; its content, or `id#2`, where that names it not alone.

    `names` counts those of the rows before it in its file.
    """
    name = row.alias or _hash(row)
    names[name] = number = names.get(name, 0) + 1
    if row.alias and number == 1:
        return namespace, name
    return rows_namespace(
        format
    ), f"{row.alias}#{number}" if row.alias else f"{UNNAMED_ROW}{name}#{number}"


def other_name(row: Row) -> str:
    """What another lesson of a name that is taken is recognised by."""
    return f"{UNNAMED_ROW}{row.alias}@{_hash(row)}"


def is_same(known: Lesson, row: Row) -> bool:
    """Whether a row is the memory that bears its name: the same text, or the one it came with before it was edited."""
    text = redacted_record(row.memory.text).strip()
    came = known.extra or {}
    fields = [name for name, at in (row.memory.extra or {}).items() if at == row.memory.text]
    if text == known.text or any(
        redacted_record(came.get(name)) == redacted_record(row.memory.text) for name in fields
    ):
        return True
    return not fields and json.dumps(text, ensure_ascii=False) in json.dumps(
        came, ensure_ascii=False
    )


def _hash(row: Row) -> str:
    return short_hash(
        json.dumps([row.memory.text, row.memory.extra], ensure_ascii=False, sort_keys=True)
    )

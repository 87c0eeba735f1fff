"""One memory on many machines: share what is new here, take in what is new elsewhere, and write this machine's own file.

Memory by memory, each in one transaction with everything that belongs to it: our own new rows become lines, the lines of
others that are signed by a key the user allows become rows, and the memory becomes what all its lines add up to
(`core.shared`). What nobody we know has signed makes a held lesson at most, and changes none that is here. The files are
read again as a whole each time and written last: whatever happens in between, the next run finds the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from tacit.core.clock import after_days
from tacit.core.errors import TacitError
from tacit.core.exchange import Skipped
from tacit.core.journal import Change, Hand, recorded
from tacit.core.memory import Memory, to_row
from tacit.core.profile import Profile
from tacit.core.proposal import APPROVED, OPEN, Proposal
from tacit.core.rows import Project
from tacit.core.states import CLOSED, is_legal
from tacit.core.value import grouped, replace, value
from tacit.stores.counts import held_unsigned
from tacit.stores.due import last_entry
from tacit.stores.shared import (
    add_link,
    has_own_rows,
    lines_of,
    machines_of,
    put_line,
    share,
    unshared,
    vouch_line,
)
from tacit.stores.sql import Store, WorkContext
from tacit.stores.sql_writer import Transaction
from tacit.stores.sqlite.erase import blank
from tacit.team.files import Doubt, Shared, read_files, write_file
from tacit.team.lines import (
    MATE,
    UNKNOWN,
    Folded,
    Fork,
    JournalLine,
    blanked,
    counting_lines,
    fold_lines,
    fork_id,
    is_erased,
    is_taking_away,
    memory_of,
    ordered,
    unfolded,
)

CHUNK = 200  # memories a transaction: others get their turn in between
_BY = "sync"


@value
class SyncedLesson:
    """What became of one lesson."""

    memory: str
    what: str  # added, changed, taken out, brought back, erased, held
    text: str
    was: str = ""  # its text before, where that changed
    by: tuple[str, ...] = ()
    signers: tuple[str, ...] = ()  # empty: nobody we know
    state: str = ""


@value
class Synced:
    """What a run of `sync` did."""

    machine: str
    shared: int = 0  # lines of ours that are new in the file
    taken: int = 0  # lines of others that are new here
    seen: tuple[SyncedLesson, ...] = ()
    forks: int = 0  # proposals made
    # machine, and lines that nobody we know has signed and that were left out
    unsigned: tuple[tuple[str, int], ...] = ()
    waiting: int = 0  # lines that build on others which are not here yet
    replayed: tuple[Doubt, ...] = ()  # signed for another repository, and left out
    unbound: tuple[
        Doubt, ...
    ] = ()  # signed for no repository that can be told, and taken as a stranger's
    missing: tuple[Doubt, ...] = ()  # signed, or seen by others, and not in the files
    repository: str = ""  # the first commit, for which we sign
    why_unsigned: str = ""
    skipped: tuple[tuple[str, Skipped], ...] = ()
    machines: int = 0
    signed: bool = False
    rewritten: bool = False
    erased: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def doubts(self) -> list[str]:
        """What was refused or is lacking in the files, for `sync` and `doctor`."""
        told = (
            (
                self.replayed,
                "signed for another repository were refused: somebody copied them here",
            ),
            (
                self.unbound,
                "signed for no repository that can be told are held like a stranger's, until that machine syncs again",
            ),
            (
                self.missing,
                "signed or had seen are not in its file: cut off, on another branch, or not pulled yet",
            ),
        )
        return [
            f"machine {each.machine}: {each.lines} lines that {each.signer} {what}"
            for found, what in told
            for each in found
        ]


def note_key(project: str) -> str:
    """The setting that keeps what the last sync found, for `doctor`."""
    return f"sync:{project}"


def sync(
    work: WorkContext,
    shared: Shared,
    machine: str,
    *,
    dry_run: bool = False,
    erased: Callable[[Memory], object] = lambda memory: None,
) -> Synced:
    """Bring this store and this machine's file in step with everybody's; `erased` blanks what lies outside the store."""
    store, project = work.store, work.project
    joining = Joining(store, project, work.profile, work.now(), dry_run=dry_run)
    files = read_files(store, project.id, shared)
    joining.skipped += files.skipped
    joining.join(files.lines, machine)
    mine = [] if dry_run else dict.fromkeys((machine, *machines_of(store, project.id)))
    attest = any(is_taking_away(line) for line in files.lines if line.standing == MATE)
    written = [
        write_file(store, project.id, shared, each, attest=attest and each == machine)
        for each in mine
    ]
    finish_erasing(store, project.id, erased)
    done = joining.report(
        machine, sum(lines for lines, _ in written), len(shared.folder.machines())
    )
    done = replace(
        done,
        signed=bool(shared.keys.key and shared.repository),
        rewritten=any(anew for _, anew in written),
        repository=shared.repository,
        replayed=files.replayed,
        unbound=files.unbound,
        missing=files.missing,
    )
    if not dry_run:
        note = {
            "at": joining.at,
            "unsigned": dict(done.unsigned),
            "waiting": done.waiting,
            "skipped": len(done.skipped),
            "doubts": done.doubts,
        }
        with store.write() as tx:
            tx.put_meta(note_key(project.id), json.dumps(note))
    return done


def finish_erasing(store: Store, project: str, erased: Callable[[Memory], object]) -> None:
    """Blank what lies outside the store for every memory that others erased, also for those a killed run left to us."""
    waiting = json.loads(store.meta(_erasing(project)) or "{}")
    for id, on_page in waiting.items():
        erased(replace(store.get(id), on_page=on_page))
    if waiting:
        with store.write() as tx:
            left = json.loads(tx.meta(_erasing(project)) or "{}")
            tx.put_meta(
                _erasing(project),
                json.dumps({id: flag for id, flag in left.items() if id not in waiting}),
            )


def _erasing(project: str) -> str:
    return f"sync:erasing:{project}"


def notes(store: Store, project: str) -> list[str]:
    """What a person should know of the team's journal: lines that nobody allowed has signed, lessons held for it."""
    kept = json.loads(store.meta(note_key(project)) or "{}")
    told = [
        *kept.get("doubts", ()),
        *(
            f".tacit/journal, machine {machine}: lines signed by nobody you allow, and left out at the last sync: {count}"
            for machine, count in kept.get("unsigned", {}).items()
        ),
    ]
    if held := held_unsigned(store, project):
        told.append(
            f"lessons from .tacit/journal held because nobody you allow has signed them: {held} (tacit review, or sync.signers)"
        )
    if kept.get("waiting"):
        told.append(
            f"lines of the team's journal that build on others which are not here yet: {kept['waiting']}; pull, and sync again"
        )
    if kept.get("skipped"):
        told.append(
            f"lines of the team's journal that could not be read at the last sync: {kept['skipped']}; tacit sync names them"
        )
    return told


# -- the store ----------------------------------------------------------------------------------------------------------


class Joining:
    """Lines on their way into one project of a store."""

    def __init__(
        self,
        store: Store,
        project: Project,
        profile: Profile,
        at: str,
        *,
        dry_run: bool = False,
    ) -> None:
        self.store, self.project, self.profile, self.at, self.dry_run = (
            store,
            project,
            profile,
            at,
            dry_run,
        )
        self.skipped: list[tuple[str, Skipped]] = []
        self._erased: list[str] = []
        self._seen: list[SyncedLesson] = []
        self._unsigned: dict[str, int] = {}
        self._taken = self._waiting = self._forks = 0

    def join(self, lines: Iterable[JournalLine], machine: str) -> None:
        """Share what is new here and take in what is new elsewhere, memory by memory."""
        by_memory = grouped(lines, lambda line: line.memory)
        todo = [*dict.fromkeys((*unshared(self.store, self.project.id, machine), *by_memory))]
        for start in range(0, len(todo), CHUNK):
            with self.store.write(
                confidence=self.profile.signals.confidence, keep=not self.dry_run
            ) as tx:
                for id in todo[start : start + CHUNK]:
                    self._memory(tx, id, by_memory.get(id, []), machine)

    def _memory(self, tx: Transaction, id: str, lines: list[JournalLine], machine: str) -> None:
        was = next(iter(tx.memories([id])), None)
        if was is not None and was.project != self.project.id:
            self._leave(lines, "a lesson of another project")
            return
        if was is not None:
            share(tx, self.project.id, was, machine)
        entries = {line.id: line for line in lines if line.kind == "entry"}
        known = [
            self._vouched(tx, line, entries.pop(line.id, line))
            for line in lines_of(tx, self.project.id, id)
        ]
        fresh = self._admitted(tx, was, known, [*entries.values()])
        try:
            rows, now = self._rows(known, fresh)
        except TacitError as error:
            self._leave(lines, error.message)
            return
        if now is None:
            self._leave(
                [line for line in lines if line.kind != "entry" and line.standing == UNKNOWN]
            )
            return
        self._apply(tx, was, fresh, rows, now, known)
        self._links(tx, [line for line in lines if line.kind != "entry"], now.erased)
        self._propose(tx, id, now)
        if now.erased:
            self._erase(tx, id, was, bool(fresh))

    def _vouched(self, tx: Transaction, known: JournalLine, told: JournalLine) -> JournalLine:
        """A line that is known, with the signature that it lacked."""
        if known.standing != UNKNOWN or told.standing == UNKNOWN:
            return known
        vouch_line(tx, told)
        return replace(known, standing=told.standing, signer=told.signer)

    def _erase(self, tx: Transaction, id: str, was: Memory | None, is_new: bool) -> None:
        """Blank the words of what somebody erased; what lies outside the store is noted here and blanked after the commit."""
        had_words = was is not None and not is_erased(was)
        if is_new or had_words:
            blank(tx, tx.get(id), self.at)
        if was is not None and had_words:
            self._erased.append(id)
            left = json.loads(tx.meta(_erasing(self.project.id)) or "{}")
            tx.put_meta(_erasing(self.project.id), json.dumps({**left, id: was.on_page}))

    def _admitted(
        self,
        tx: Transaction,
        was: Memory | None,
        known: list[JournalLine],
        fresh: list[JournalLine],
    ) -> list[JournalLine]:
        """The new entries that may count, in their order."""
        trusted = any(line.standing != UNKNOWN for line in (*known, *fresh))
        may = {line.id for line in counting_lines([*known, *fresh])}
        if (
            not trusted
            and was is not None
            and (not known or has_own_rows(tx, self.project.id, was.id))
        ):
            may = (
                set()
            )  # somebody here has decided about it, or it came another way: strangers have no say
        left = [line for line in fresh if line.id not in may]
        self._leave(left)
        kept = [line for line in fresh if line.id in may]
        if not any(line.head["verb"] == "erase" and line.words for line in (*known, *kept)):
            kept = [
                line for line in kept if not line.is_blank
            ]  # words are missing, and nobody erased them
        order = [line for line in ordered([*known, *kept]) if line.id in {each.id for each in kept}]
        self._waiting += len(fresh) - len(left) - len(order)
        return order

    def _rows(
        self, known: list[JournalLine], fresh: Sequence[JournalLine]
    ) -> tuple[list[Memory], Folded | None]:
        """The row after each new entry, and what all lines add up to; None where no line is known."""
        if not known and not fresh:
            return [], None
        id = (known or fresh)[0].memory
        now = fold_lines([*known, *fresh])
        last = memory_of(id, self.project.id, now.columns)
        if now.erased:
            return [last] * len(fresh), now
        return [memory_of(id, self.project.id, columns) for columns in unfolded(known, fresh)], now

    def _apply(
        self,
        tx: Transaction,
        was: Memory | None,
        fresh: Sequence[JournalLine],
        rows: Sequence[Memory],
        now: Folded,
        known: Sequence[JournalLine],
    ) -> None:
        current = was
        for line, row in zip(fresh, rows):
            legal = (
                current is None
                or current.state == row.state
                or is_legal(current.state, row.state, line.head["verb"])
            )
            verb = line.head["verb"] if now.erased or line.head["verb"] != "erase" else "forget"
            tx.apply(self._change(current, row, line, verb if legal else _BY))
            put_line(
                tx,
                self.project.id,
                blanked(line) if now.erased else line,
                str(last_entry(tx, row.id)),
            )
            current = row
        self._taken += len(fresh)
        if current is None:
            return
        goal = memory_of(current.id, self.project.id, now.columns)
        if to_row(goal) != to_row(current):
            tx.apply(self._change(current, goal, None, _BY))
        if was is None or to_row(goal) != to_row(was):
            self._tell(
                was, goal, fresh or known
            )  # nothing new was said: those who said it are known by now

    def _change(
        self, was: Memory | None, now: Memory, line: JournalLine | None, verb: str
    ) -> Change:
        head = line.head if line else {}
        reason = line.words[0] if line and line.words else "joined with what other machines decided"
        hand = Hand(
            head.get("by", _BY),
            head.get("at", self.at),
            head.get("run", ""),
            head.get("profile", ""),
        )
        made = recorded(was, now, hand, verb, reason)
        return replace(made, entry=replace(made.entry, machine=line.machine if line else ""))

    def _links(self, tx: Transaction, links: Sequence[JournalLine], erased: bool) -> None:
        """Evidence and uses count only from people we trust."""
        self._leave([line for line in links if line.standing == UNKNOWN])
        for line in links:
            if line.standing != UNKNOWN:
                add_link(tx, self.project.id, blanked(line) if erased else line)
                self._taken += 1

    def _propose(self, tx: Transaction, id: str, now: Folded) -> None:
        """A proposal for what was decided apart, once; one that was settled by a later entry waits no more."""
        pairs = grouped(now.forks, lambda fork: (fork.stands.id, fork.lost.id))
        wanted = {fork_id(each[0]): each for each in pairs.values()}
        for each in tx.proposals(memory=id, state=OPEN):
            if each.kind == "fork" and each.id not in wanted:
                tx.put_proposal(
                    replace(
                        each,
                        state=APPROVED,
                        decided_by=_BY,
                        decided_at=self.at,
                        decision="a later entry settled it",
                    )
                )
        for name, forks in wanted.items():
            if tx.proposal(name) is None:
                tx.put_proposal(self._proposal(name, id, forks))
                self._forks += 1

    def _proposal(self, name: str, id: str, forks: Sequence[Fork]) -> Proposal:
        stands, lost = forks[0].stands, forks[0].lost
        fields = {fork.field: fork.value for fork in forks}
        if "state" in fields:
            fields.update(
                {
                    field: lost.after[field]
                    for field in ("closed_by", "previous_state")
                    if field in lost.after
                }
            )
        one, other, what = (
            lost.head["by"],
            stands.head["by"],
            ", ".join(fork.field for fork in forks),
        )
        told = f"{one} and {other} changed {what} apart; what {other} said stands"
        if any(fork.asked for fork in forks):
            told = f"{one} changed {what} of what {other} stands for here; it stays as it is"
        if "erase" in fields:
            told = f"{one} erased it on another machine; a yes erases it here, too, for good"
            fields = {}
        return Proposal(
            name,
            self.project.id,
            "fork",
            told,
            _BY,
            self.at,
            id,
            tier="person",
            payload={
                "fields": fields,
                "by": one,
                "stands": other,
                **({} if fields else {"erase": True}),
            },
            expires_at=after_days(self.at, self.profile.triage.expire_days),
        )

    def _leave(self, lines: Sequence[JournalLine], why: str = "") -> None:
        for line in lines:
            if why:
                self.skipped.append((line.machine, Skipped(line.id[:12], why)))
            else:
                self._unsigned[line.machine] = self._unsigned.get(line.machine, 0) + 1

    def _tell(self, was: Memory | None, now: Memory, lines: Sequence[JournalLine]) -> None:
        if is_erased(now):
            what = "erased"
        elif was is None:
            what = "added" if now.gate == "allow" else "held"
        elif now.state in CLOSED and was.state not in CLOSED:
            what = "taken out"
        elif was.state in CLOSED and now.state not in CLOSED:
            what = "brought back"
        else:
            what = "changed"
        names = tuple(dict.fromkeys(line.head["by"] for line in lines))
        signers = tuple(dict.fromkeys(line.signer for line in lines if line.standing == MATE))
        before = was.text if was is not None and was.text != now.text else ""
        self._seen.append(SyncedLesson(now.id, what, now.text, before, names, signers, now.state))

    def report(self, machine: str, shared: int, machines: int) -> Synced:
        """What was done."""
        return Synced(
            machine,
            shared,
            self._taken,
            tuple(self._seen),
            self._forks,
            tuple(sorted(self._unsigned.items())),
            self._waiting,
            skipped=tuple(self.skipped),
            machines=machines,
            erased=tuple(self._erased),
            dry_run=self.dry_run,
        )

"""What silence does to lessons, as pure judgements: which lost a count, which is stale, which its ladder moves.

Fading is a function; nothing is rewritten until it crosses a threshold. A sweep therefore only asks those that may have
crossed one since the last sweep, and writes only for those that did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core import clock
from tacit.core.clock import after_days
from tacit.core.journal import Change, Hand, change
from tacit.core.ladder import Asked, Move
from tacit.core.links import LOST, Evidence, Mark
from tacit.core.moves import moved, proposed
from tacit.core.profile import Profile
from tacit.core.proposal import Proposal
from tacit.core.rows import Project, RunRow, run_id
from tacit.core.standing import lasts
from tacit.core.states import ACTIVE, DOUBTED, KEPT, UNDOUBTED, meant, stage_before, stage_of
from tacit.core.value import replace, value
from tacit.hookspecs import of_origins
from tacit.learn.due import crossed, due, in_state, runs_unmet
from tacit.learn.gone import look
from tacit.lesson import Lesson, is_unrecalled
from tacit.origins.night.context import Context, StepReport
from tacit.store.due import in_order, in_states, last_entry, may_have_faded, stale_and_met, touched
from tacit.store.outgoing import faded_key, faded_to
from tacit.store.reads import Reads

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

_JUDGED_AT_ONCE = 100  # memories judged in one transaction: others get their turn in between
REMIND = 30  # days under review after which it is brought up again
_BY = "tend"  # the name under which it writes


@value
class Loss:
    """What fading took off a lesson's count since the last sweep."""

    memory: str
    taken: int
    left: int
    reason: str


def loss(memory: Lesson, evidence: Sequence[Evidence], profile: Profile, until: int) -> Loss | None:
    """What the runs up to `until` took off a lesson; None where nothing, or where silence cannot touch it."""
    by_runs = of_origins("fade", profile.fade.function)
    if by_runs is None or lasts(profile, memory):
        return None
    now = by_runs(evidence, until, profile.fade.runs_step)
    before = -int((memory.tally.signals or {}).get(LOST, 0))
    if now.lost <= before:
        return None
    last = max((row.seq for row in evidence if row.stance == "supports"), default=0)
    told = f"not seen in the {until - last} runs since run {last}: {profile.fade.runs_step} of them cost one"
    return Loss(memory.id, now.lost - before, now.frequency, told)


def _mark_of(lost: Loss, project: str, run: str, at: str) -> Mark:
    """A loss, written down."""
    return Mark(
        lost.memory,
        "",
        project,
        LOST,
        str(lost.left),
        -float(lost.taken),
        run,
        _BY,
        lost.reason,
        at,
    )


def stale(
    memory: Lesson, profile: Profile, now: str, *, profile_version: str, unmet: int = 0
) -> Change | None:
    """A lesson that was not met for the stale days and never used, marked as such, or met again and fresh; None where nothing changes."""
    fade = profile.fade
    if memory.stale_at and (memory.tally.seen_at or "") > memory.stale_at:
        again = replace(memory, stale_at="")
        return change(memory, again, Hand(_BY, now, profile=profile_version), "stale", "met again")
    if memory.stale_at or memory.state not in UNDOUBTED or unmet < fade.exposure:
        return None
    days = clock.days_between(memory.tally.seen_at or memory.created_at, now)
    if not is_unrecalled(memory, days, fade.stale_days) or lasts(profile, memory):
        return None
    told = f"not met for {days:.0f} days and never recalled"
    marked = replace(memory, stale_at=now)  # not `updated_at`: its time in this state goes on
    return change(memory, marked, Hand(_BY, now, profile=profile_version), "stale", told)


def reminded(
    memory: Lesson, profile: Profile, now: str, *, id: str, project: str
) -> Proposal | None:
    """A reminder of a review that nobody closed, once its first date is past."""
    days = clock.days_between(memory.updated_at, now)
    if memory.state != DOUBTED or days < REMIND:
        return None
    back = stage_before(memory, profile.stages) or meant(ACTIVE, profile.stages)
    told = f"under review for {days:.0f} days; at {2 * REMIND} it is archived"
    expires = clock.after_days(now, profile.triage.expire_days)
    return Proposal(
        id,
        project,
        "review",
        told,
        _BY,
        now,
        memory.id,
        tier="person",
        payload={"to": back},
        expires_at=expires,
    )


def step(context: Context) -> StepReport:
    """Let what was not met fade, mark what is stale, make the moves that are due, remind of reviews, close what expired."""
    return _Sweep(context).report()


class _Sweep:
    """One sweep: small transactions over what may be due, up to the bound of one pass."""

    def __init__(self, context: Context) -> None:
        self.context, self.store, self.profile = context, context.store, context.profile
        self.project, self.at = context.project, context.now()
        self.lost: list[str] = []
        self.marked: list[str] = []
        self.moves: list[tuple[str, str, str, str]] = []
        self.asked: list[str] = []
        self.left = self.expired = self.gone = 0
        self.changed: list[str] = []  # what the journal speaks of since the last sweep

    def report(self) -> StepReport:
        """Do it, and say what was done. A preview is one transaction that is taken back: each part must see the one before."""
        entry = last_entry(self.store)
        if self.context.dry_run:
            with self.context.write() as tx:
                self._count(tx)
                self._judge_each(tx, self._candidates())
                self._close(tx)
        else:
            with self.context.write() as tx:
                self._count(tx)
            for ids in _portions(self._candidates()):
                with self.context.write() as tx:
                    self._judge_each(tx, ids)
                self.context.alive()
            self.gone = look(self.context.work, self.context.root, self.changed)
            with self.context.write() as tx:
                self._close(tx)
                if not self.left:  # what is left must be found again
                    self.context.put_mark(
                        tx, "swept", f"{self.at}\t{entry}\t{self.project.profile}\t{self.until}"
                    )
        facts = {
            "counted": bool(self.row) and self.until > self.before,
            "faded": len(self.lost),
            "stale": tuple(self.marked),
            "expired": self.expired,
            "gone": self.gone,
        }
        done = len(self.lost) + len(self.marked) + len(self.moves)
        return StepReport(
            "sweep", done, tuple(self.moves), tuple(self.asked), self.left, figures=facts
        )

    def _count(self, tx: Transaction) -> None:
        """The run's number, what the runs up to it took off, and the place up to which that was counted: together or not at all."""
        self.row = (
            _counted(tx, self.project, self.context.run, self.at) if self.context.run else None
        )
        self.until = self.row.seq if self.row else _last_run(tx, self.project)
        self.before = faded_to(tx, self.project.id)
        step = self.profile.fade.runs_step
        if self.profile.fade.function != "runs" or self.until <= self.before:
            return
        faded = may_have_faded(tx, self.project.id, self.before, self.until, step, UNDOUBTED)
        for id in in_order(tx, faded):
            lost = loss(tx.get(id), tx.evidence(id), self.profile, self.until)
            if lost is not None:
                tx.add_mark(_mark_of(lost, self.project.id, self._run, self.at))
                self.lost.append(id)
        tx.put_meta(faded_key(self.project.id), str(self.until))

    def _candidates(self) -> list[str]:
        """Whoever may have crossed a line since the last sweep."""
        project, profile = self.project.id, self.profile
        since, entry, runs = self._since()
        # what only waited for runs may be due now, whatever the date
        ran = profile.fade.exposure > 0 and self.until > runs
        found = [*self.lost]
        if profile.fade.stale_days:
            found += crossed(
                self.store,
                project,
                profile.fade.stale_days,
                "" if ran else since,
                self.at,
                UNDOUBTED,
            )
            found += stale_and_met(self.store, project, since)
        found += in_state(self.store, project, DOUBTED, after_days(self.at, -REMIND))
        if profile.tend.night:  # an origin's class says what fades, and its lessons are few
            found += in_states(self.store, project, KEPT)
        else:
            found += due(self.store, project, since, self.at, ran=ran)
        self.changed = touched(self.store, project, entry)
        found += self.changed
        return in_order(self.store, found)

    def _since(self) -> tuple[str, int, int]:
        """From when on, after which journal entry and after which run: of the last sweep that left nothing, under the same profile."""
        at, entry, profile, runs = [*self.context.mark("swept").split("\t"), "", "", "", ""][:4]
        if profile != self.project.profile or at > self.at:
            return "", 0, 0
        since = self.context.since
        return (since, 0, 0) if since and since < at else (at, int(entry), int(runs or 0))

    def _judge_each(self, tx: Transaction, ids: Sequence[str]) -> None:
        for id in ids:
            self._judge(tx, id)

    def _judge(self, tx: Transaction, id: str) -> None:
        memory = tx.get(id)
        if memory.project != self.project.id or memory.state not in KEPT:
            return
        evidence = tx.evidence(id)
        unmet = runs_unmet(tx, memory, evidence, self.profile)
        marked = stale(
            memory, self.profile, self.at, profile_version=self.project.profile, unmet=unmet
        )
        if marked is not None:
            tx.apply(marked)
            self.marked += [id] if marked.memory.stale_at else []
            memory = tx.get(id)
        ladder, asked = self.profile.ladder, Asked(self.at, "sweep", self.until, unmet)
        known = ladder.known(memory, self.profile, asked, evidence)
        move = ladder.advance(known)
        if move is not None:
            self._move(tx, memory, move)
        else:
            self._ask(tx, memory, ladder.lacking(known))

    def _move(self, tx: Transaction, memory: Lesson, move: Move) -> None:
        if not self.context.bound.take():
            self.left += 1
            return
        tx.apply(
            moved(memory, move, self.profile, Hand(_BY, self.at, self._run, self.project.profile))
        )
        self.moves.append((memory.id, stage_of(memory, self.profile.stages), move.to, move.reason))

    def _ask(self, tx: Transaction, memory: Lesson, lacking: Iterable[Move]) -> None:
        """What only lacks somebody's word is proposed, once while the memory stands as it stands."""
        asked = tx.proposals(memory=memory.id, state="", limit=-1)
        since = [each for each in asked if each.created_at >= memory.updated_at]
        for wanted in lacking:
            if not any(
                (each.payload or {}).get("to") == wanted.to
                and (each.state == "open" or each in since)
                for each in asked
            ):
                self._put(
                    tx,
                    proposed(
                        memory,
                        wanted,
                        self.profile,
                        by=_BY,
                        at=self.at,
                        id=self.context.ids(),
                        project=self.project.id,
                    ),
                )
        reminder = reminded(
            memory, self.profile, self.at, id=self.context.ids(), project=self.project.id
        )
        if reminder is not None and not any(each.kind == reminder.kind for each in since):
            self._put(tx, reminder)

    def _close(self, tx: Transaction) -> None:
        """Close proposals whose time is over; their memories keep their states."""
        for each in tx.proposals(self.project.id, state="open", limit=-1):
            if each.expires_at and each.expires_at <= self.at:
                tx.put_proposal(
                    replace(
                        each,
                        state="expired",
                        decided_by=_BY,
                        decided_at=self.at,
                        decision="its time is over",
                    )
                )
                self.expired += 1

    def _put(self, tx: Transaction, proposal: Proposal) -> None:
        tx.put_proposal(proposal)
        self.asked.append(proposal.id)

    @property
    def _run(self) -> str:
        return self.row.id if self.row else ""


def _portions(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _JUDGED_AT_ONCE):
        yield ids[start : start + _JUDGED_AT_ONCE]


def _counted(tx: Transaction, project: Project, run: str, at: str) -> RunRow:
    """The run's row with its number: a run that was never learned is counted now, under its own name."""
    id = run_id(project.id, "cli", run)
    row = tx.find_run(project.id, run) or RunRow(id, project.id, "cli", run, id, started_at=at)
    if not row.seq:
        row = replace(row, seq=tx.next_seq(project.id))
        tx.put_run(row)
    return row


def _last_run(store: Reads, project: Project) -> int:
    now = store.project(project.id)
    return now.run_seq if now else 0

"""What is written down before anything is told: the run, the uses with their arms, and the answer itself.

All of it in one short transaction; what cannot be recorded in time is not told.
"""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.links import MAIN, Mark, Use, known_in
from tacit.core.memory import seen_by
from tacit.core.rows import RunRow, run_id
from tacit.core.states import barred
from tacit.hooks.coin import tells_cure_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.core.memory import Memory
    from tacit.hooks.coin import Assigned
    from tacit.hooks.events import AskingRun, Query
    from tacit.stores.sql import Reads, Store
    from tacit.stores.sql_writer import Transaction

RECORD_WITHIN = 0.15  # seconds; what cannot be recorded by then is not told


def instrument_of(memory: Memory) -> str:
    """Which kind of source could see its problem again: the one that saw it first."""
    return seen_by(memory.trust)


def task_of(id: str, text: str) -> str:
    """Which task a use was for, so that tasks can be counted: its id, or a hash of its words, never the words."""
    words = " ".join(text.lower().split())
    return id or (short_hash("task", words) if words else "")


def is_told(memory: Memory, agent: str) -> bool:
    """Whether the one who would see the problem is the one who asks: a reviewer that is told looks harder."""
    return bool(agent) and agent == memory.source


def known_to(store: Reads, unit: str, context: str) -> dict[str, bool]:
    """What a context was assigned, and whether it was given. What was told on request stands in no answer; it is the main one's."""
    tellings = store.tellings(unit)
    known = known_in(tellings, context)
    if context == MAIN:
        answered = {id for each in tellings for id in (*each.given, *each.withheld)}
        known.update(
            {
                use.memory: use.arm != "withheld"
                for use in store.uses(unit=unit)
                if use.memory not in answered
            }
        )
    return known


def run_row_for(
    store: Store, project: str, asking: AskingRun, run: str, query: Query, now: str
) -> RunRow:
    """The run's row, as it is or as it will be written. Its task is not: a prompt may hold a secret, and `learn`, which
    redacts, writes it down."""
    id = run_id(project, asking.host, run)
    known = store.run(id)
    # a hook knows its host, an agent's shell may not
    if known is None and asking.run and not asking.surface.startswith("hook"):
        known = store.find_run(project, run)
    if known is not None and known.project == project:
        return known
    root = run_id(project, asking.host, asking.root) if asking.root else id
    return RunRow(
        id,
        project,
        asking.host,
        run,
        root,
        agent="" if asking.context else query.agent,
        model=asking.model,
        domain=query.domain,
        task_id=query.task_id,
        task_type=query.task_type,
        started_at=now,
    )


def cured_by(tx: Transaction, memories: Sequence[Memory]) -> dict[str, Memory]:
    """The lessons whose cure one of these commands tells."""
    wanted = [id for memory in memories if (id := tells_cure_of(memory))]
    return {memory.id: memory for memory in tx.memories(wanted)} if wanted else {}


def still_allowed(tx: Transaction, kept: Sequence[Memory], projects: Sequence[str]) -> list[Memory]:
    """What may be told now that nobody else can write: while we waited, somebody may have taken a lesson out."""
    now = {memory.id: memory for memory in tx.memories([each.id for each in kept])}
    return [each for each in kept if each.id in now and not barred(now[each.id], projects)]


def record_giving(
    tx: Transaction,
    row: RunRow,
    asking: AskingRun,
    query: Query,
    memories: Sequence[Memory],
    told: Sequence[Assigned],
    now: str,
    signal: str = "",
) -> None:
    """Write down who was given what, before it is given; `signal` says how, where that is not as usual."""
    if tx.run(row.id) is None:
        tx.put_run(row)
    task = task_of(query.task_id, query.task)
    for memory, at in zip(memories, told):
        if not at.recorded:
            tx.add_use(
                Use(
                    memory.id,
                    row.root,
                    row.project,
                    row.id,
                    at.family,
                    at.arm,
                    at.probability,
                    asking.surface,
                    instrument=instrument_of(memory),
                    instrument_eligible=is_told(memory, query.agent),
                    task=task,
                    at=now,
                )
            )
        if at.crossed:
            tx.add_mark(
                Mark(
                    memory.id,
                    row.root,
                    row.project,
                    "crossed",
                    run=row.id,
                    surface=asking.surface,
                    at=now,
                )
            )
        if signal and at.given:
            tx.add_mark(
                Mark(
                    memory.id,
                    row.root,
                    row.project,
                    "delivered",
                    signal,
                    1.0,
                    row.id,
                    asking.surface,
                    at=now,
                )
            )

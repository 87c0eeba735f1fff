"""A project's memories as rows for another system: what was decided, what was counted, and which runs saw them.

Read in a few sweeps over the project's tables, never memory by memory. Open memories come in the order of writing,
those that were taken out in the order in which that happened, as origins append to their archives.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tacit.core.digest import ALPHABET, ID_LENGTH
from tacit.core.edits import ERASED_BY
from tacit.core.exchange import Given, Header, Opening, OriginVerdict, Row
from tacit.core.links import Evidence
from tacit.core.profile import Profile
from tacit.core.standing import lasts
from tacit.core.states import GONE
from tacit.core.value import grouped
from tacit.lesson import Lesson
from tacit.store.rows import LINE, MARK, SIGHTING, said

if TYPE_CHECKING:
    from tacit.store.reads import Reads

UNNAMED_ROW = "~"  # begins what a row without an id is recognised by
_FADED = "faded:"  # in `meta`: up to which run of a project's sequence fading was counted


def faded_to(store: Reads, project: str) -> int:
    """Up to which run of the project's sequence fading was counted."""
    return int(store.meta(_FADED + project) or 0)


def faded_key(project: str) -> str:
    """The setting that keeps it."""
    return _FADED + project


def rows_namespace(format: str) -> str:
    """Where rows are recognised that their id does not name, or not alone."""
    return f"{format} rows"


def header_key(format: str, part: str, project: str) -> str:
    """The setting that keeps what an imported file said of itself."""
    return f"header:{format}:{part}:{project}"


def header(store: Reads, format: str, part: str, project: str) -> Header:
    """What the last imported file of this part said of itself, and when something here changed since."""
    kept = json.loads(store.meta(header_key(format, part, project)) or "{}")
    at = kept.get("at", "")
    last = [store.one(sql, p=project, at=at)[0] or "" for sql in _SINCE]
    return Header(part, kept.get("record"), max(last))


def outgoing(store: Reads, project: str, profile: Profile, namespace: str) -> list[Row]:
    """Every memory of a project that still has a text; its alias in this namespace, where it has one."""
    evidence = _evidence(store, project)
    rows = store.rows(_RUNS, project)
    runs = {row[0]: (row[1], row[2]) for row in rows}
    counted = sorted((row[3], row[2] or row[4]) for row in rows if row[3])
    names: dict[str, str] = {}
    for alias, memory in store.names_in(project, namespace):
        names.setdefault(memory, alias)
    for alias, memory in store.names_in(project, rows_namespace(namespace)):
        if not alias.startswith(UNNAMED_ROW):  # the second row of one name keeps that name
            names.setdefault(memory, alias.rpartition("#")[0])
    retrieved = {mark.memory: mark.at for mark in store.all_marks(project) if mark.signal == "uses"}
    last = dict(
        store.rows(
            f"SELECT lesson, max(n) FROM journal WHERE project = ? AND verb <> '{LINE}' GROUP BY 1",
            project,
        )
    )
    until = faded_to(store, project)
    order = _order(evidence)
    found = [
        Row(
            memory,
            names.get(memory.id, ""),
            _openings(
                memory,
                evidence.get(memory.id, []),
                runs,
                retrieved.get(memory.id, ""),
                profile,
                _until(memory, until, counted),
            ),
            place=str(number),  # the order of writing
            runs=_seen_in(evidence.get(memory.id, []), runs),
            order=order.get(memory.id, -1),
        )
        for number, memory in enumerate(store.select([project], sort="old", limit=-1))
        if memory.text and memory.closed_by != ERASED_BY
    ]
    closed = sorted(
        (row for row in found if row.memory.state == GONE),
        key=lambda row: last.get(row.memory.id, 0),
    )
    return [row for row in found if row.memory.state != GONE] + closed


def audited(
    store: Reads, project: str, namespace: str, signals: Iterable[str], aliases: dict[str, str]
) -> list[Given | OriginVerdict]:
    """What runs were given that their host named, and the origin's own word on it, in the order of time."""
    every = store.runs(project, limit=-1)
    runs = {row.id: row for row in every if row.host == namespace or not _is_ours(row.foreign_id)}
    found: list[tuple[tuple[str, int, int], Given | OriginVerdict]] = []
    # (a run's own name, memory) -> the agent that was given it; the host that learns the run is another
    askers: dict[tuple[str, str], str] = {}
    against = {
        (each.run, each.memory)
        for each in store.evidence_where("project = ? AND session <> ''", project)
        if each.stance == "contradicts"
    }
    for id, run, extra, at in store.rows(_ANSWERS, project):
        kept = json.loads(extra)
        given, told = kept["given"], kept.get("left_out", {})
        row = runs.get(run)
        if row is None:
            continue
        asked = told.get("asked", {})
        askers.update({(row.foreign_id, memory): asked.get("agent", row.agent) for memory in given})
        one: Given | OriginVerdict = Given(
            row.foreign_id,
            tuple(aliases.get(memory, memory) for memory in given),
            at,
            asked.get("domain", row.domain),
            asked.get("agent", row.agent),
            told.get("record"),
            cautions=tuple(aliases.get(memory, memory) for memory in told.get("cautions", ())),
            suppressed=tuple(aliases.get(memory, memory) for memory, _ in told.get("nearest", ())),
        )
        found.append(((at, int(told.get("line", 0)) or 1 << 40, id), one))
    wanted = frozenset(signals)
    for number, mark in enumerate(store.all_marks(project)):
        row = runs.get(mark.run)
        if mark.signal not in wanted or row is None:
            continue
        record = json.loads(mark.reason) if mark.reason.startswith("{") else None
        figure = float(mark.value) if mark.value.replace(".", "", 1).isdigit() else None
        denied = (mark.run, mark.memory) in against
        one = OriginVerdict(
            row.foreign_id,
            aliases.get(mark.memory, mark.memory),
            mark.signal,
            mark.at,
            figure,
            mark.reason,
            record,
            agent=askers.get((row.foreign_id, mark.memory), row.agent),
            surface=mark.surface,
            followup="weaken"
            if denied
            else mark.value
            if mark.value.isalpha() or "_" in mark.value
            else "",
        )
        line = mark.surface.rpartition(":")[2]
        found.append(((mark.at, int(line) if line.isdigit() else 1 << 41, number), one))
    return [one for _, one in sorted(found, key=lambda each: each[0])]


def _is_ours(run: str) -> bool:
    """Whether a run's name is one that we made because nobody named it."""
    return len(run) == ID_LENGTH and set(run) <= set(ALPHABET)


def _evidence(store: Reads, project: str) -> dict[str, list[Evidence]]:
    return grouped(store.evidence_where("project = ?", project), lambda each: each.memory)


def _order(evidence: dict[str, list[Evidence]]) -> dict[str, int]:
    """The place of each memory among those of the run that saw it first."""
    first = {
        id: next((row.run for row in rows if row.run and row.signal == "seen"), "")
        for id, rows in evidence.items()
    }
    counts: dict[str, int] = {}
    order: dict[str, int] = {}
    # evidence was read in the order of writing, so this is the order of the run's lessons
    for id, run in first.items():
        if run:
            order[id] = counts.get(run, 0)
            counts[run] = order[id] + 1
    return order


def _openings(
    memory: Lesson,
    evidence: list[Evidence],
    runs: dict[str, tuple[str, str]],
    retrieved: str,
    profile: Profile,
    until: int,
) -> tuple[Opening, ...]:
    """All its counts, each with the time of the last one counted."""
    tally = memory.tally
    learned = max(
        (runs[row.run][1] for row in evidence if row.run in runs and row.signal == "seen"),
        default="",
    )
    stated = max(
        (
            row.at
            for row in evidence
            if not row.opening and row.signal in ("confidence", "success_rate")
        ),
        default="",
    )
    counts = {
        "seen": (float(tally.seen), learned),
        "uses": (float(tally.uses), max(retrieved, tally.last_used_at or "")),
    }
    if tally.confidence is not None:
        counts["confidence"] = (tally.confidence, stated)
    counts.update({name: (amount, "") for name, amount in (tally.signals or {}).items()})
    if profile.own:
        counted = 0 if lasts(profile, memory) else until
        if faded := profile.own.faded(evidence, counted):
            counts["unseen"] = (float(faded.unseen), "")
    return tuple(Opening(name, amount, at) for name, (amount, at) in counts.items())


def _until(memory: Lesson, until: int, counted: list[tuple[int, str]]) -> int:
    """The last run that aged a memory: what was taken out ages no further."""
    if memory.state != GONE:
        return until
    return max((seq for seq, at in counted if seq <= until and at <= memory.updated_at), default=0)


def _seen_in(evidence: list[Evidence], runs: dict[str, tuple[str, str]]) -> tuple[str, ...]:
    seen = sorted(
        (row for row in evidence if row.signal == "seen" and not row.opening and row.run in runs),
        key=lambda row: row.seq,
    )
    return tuple(dict.fromkeys(runs[row.run][0] for row in seen))


_RUNS = "SELECT id, name, learned_at, number, started_at FROM session WHERE project = ?"
_ANSWERS = "SELECT n, session, extra, at FROM delivery WHERE project = ? AND lesson = '' ORDER BY n"
_SINCE = (
    "SELECT max(at) FROM journal WHERE project = :p AND verb NOT IN ('import', 'line')",
    "SELECT max(at) FROM delivery WHERE project = :p AND lesson <> '' AND at > :at",
    f"SELECT max(at) FROM evidence WHERE project = :p AND at > :at AND measure GLOB '{MARK}*'",
    f"SELECT max(at) FROM evidence WHERE project = :p AND at > :at AND {SIGHTING}"
    f" AND {said('extra', 'opening', 0)} = 0",
)

"""Incidents in the store: what runs were seen to meet, and the counts over it that telling asks for.

They are rows of `failure`; what is no failure bears its kind before its mark. A row may be written again when its run grew. Counts are over
lineages: forks, resumptions and sub-agents of one piece of work are one witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.run import FAILURE, PAST, Incident
from tacit.core.value import replace, value
from tacit.store.statements import json_text

if TYPE_CHECKING:
    from tacit.store.reads import Reads
    from tacit.store.writes import Transaction

FIELDS: tuple[str, ...] = Incident.FIELDS  # type: ignore[attr-defined]
_COLUMNS = ("program", "line", "calls", "seconds", "cure", "place", "at")
_NAMED = [name for name in FIELDS if name not in (*_COLUMNS, "mark", "kind")]
# A project that has more is counted by its newest, so that learning stays as quick as it was.
INCIDENT_RUNS = 1_000  # that are looked at; those of older runs become counts
UNTIL = "past until"  # the kind of the one row whose number is that of the last run that did
FOLDED_MOST = 20  # runs whose incidents become counts at a time: a store from before has many
_MOST = 2_000  # rows of one answer


@value
class Noted:
    """An incident as the store has it: with the run and the lineage that it was met in."""

    run: str
    lineage: str
    seq: int
    incident: Incident


def put_incidents(
    tx: Transaction,
    project: str,
    run: str,
    lineage: str,
    seq: int,
    noticed: Iterable[Incident],
    person: str = "",
) -> int:
    """Write the incidents of a run, anew where it grew; how many there are."""
    count = 0
    tx.rows("DELETE FROM failure WHERE session = ?", run)
    if seq <= _folded(tx, project):
        return 0  # it was counted, and is too old to be told of
    own = {"project": project, "run": run, "lineage": lineage, "person": person, "seq": seq}
    for each in noticed:
        _put(tx, each, own)
        count += 1
    return count


def _put(tx: Transaction, each: Incident, of: Mapping[str, object]) -> None:
    at = {**each.__dict__, "soft": int(each.soft)}
    extra = {name: at[name] for name in _NAMED if at[name]}
    extra |= {name: of[name] for name in ("person", "seq") if of[name]}
    if each.kind != FAILURE:
        extra |= {"kind": each.kind, "mark": each.mark}
    own = (of["run"], sign_of(each), of["project"], of["lineage"])
    tx.rows(_PUT, *own, *(at[name] for name in _COLUMNS), json_text(extra))


def sign_of(each: Incident) -> str:
    """What its row is known by beside its run."""
    return each.mark if each.kind == FAILURE else f"{each.kind}: {each.mark}"


def fold_incidents(tx: Transaction, project: str, newest: int) -> int:
    """Turn the incidents of runs that telling no longer looks at into counts, one per signature; how many rows went.

    A count is a row of the same table: of the kind `past failure`, under the project's own id instead of a run's,
    `count` the times and `failed` the lineages. A lineage that has newer rows of that signature is counted with those.
    """
    done = _folded(tx, project)
    until = min(newest - INCIDENT_RUNS, done + FOLDED_MOST)
    if until <= done:
        return 0
    old = tx.rows(
        f"SELECT run, lineage, seq, {', '.join(FIELDS)} FROM incident WHERE run IN"
        " (SELECT id FROM run WHERE project = :project AND seq > :done AND seq <= :until) ORDER BY seq",
        project=project,
        done=done,
        until=until,
    )
    for note in map(_read, old):
        _take(tx, note.run, note.incident)
        if note.incident.kind == FAILURE:
            _count_in(tx, project, note)
    _replace(tx, project, until, Incident(UNTIL, ""))
    return len(old)


def _count_in(tx: Transaction, project: str, note: Noted) -> None:
    one, kind = note.incident, PAST + note.incident.kind
    newer = tx.one(
        'SELECT 1 FROM failure WHERE project = ? AND sign = ? AND "group" = ? LIMIT 1',
        *(project, sign_of(one), note.lineage),
    )
    rows = tx.rows(
        f"SELECT run, lineage, seq, {', '.join(FIELDS)} FROM incident WHERE run = ? AND sign = ?",
        *(project, sign_of(Incident(kind, one.mark))),
    )
    known = _read(rows[0]).incident if rows else Incident(kind, one.mark, count=0)
    counted = replace(
        one,
        kind=kind,
        count=known.count + one.count,
        failed=known.failed + (newer is None),
        soft=one.soft and (known.soft or not rows),
        calls=known.calls + one.calls,
        seconds=known.seconds + one.seconds,
        ended="",
        cure="",
        line="",
        place="",
    )
    _replace(tx, project, note.seq, counted)


def _replace(tx: Transaction, project: str, seq: int, one: Incident) -> None:
    _take(tx, project, one)
    _put(tx, one, {"project": project, "run": project, "lineage": "", "person": "", "seq": seq})


def _take(tx: Transaction, run: str, one: Incident) -> None:
    tx.rows("DELETE FROM failure WHERE session = ? AND sign = ?", run, sign_of(one))


def _folded(store: Reads, project: str) -> int:
    """The number of the last run whose incidents became counts."""
    row = store.one(
        "SELECT seq FROM incident WHERE run = ? AND sign = ?", project, sign_of(Incident(UNTIL, ""))
    )
    return int(row[0]) if row else 0


def commonest(store: Reads, project: str, most: int = 200) -> list[dict[str, Any]]:
    """The failures that most lineages met, whether or not anybody is told of them."""
    sums = "SUM(count) AS times, SUM(soft) AS soft, SUM(calls) AS calls, SUM(seconds) AS seconds FROM incident WHERE project = :project"
    rows = store.rows(
        "SELECT mark, nature, SUM(met) AS all_met, SUM(times), SUM(soft), SUM(calls), SUM(seconds) FROM ("
        f"SELECT mark, nature, COUNT(DISTINCT lineage) AS met, {sums} AND kind = :kind GROUP BY mark, nature"
        f" UNION ALL SELECT mark, nature, SUM(failed) AS met, {sums} AND kind = :past GROUP BY mark, nature"
        ") AS every GROUP BY mark, nature ORDER BY all_met DESC, mark LIMIT :most",
        project=project,
        kind=FAILURE,
        past=PAST + FAILURE,
        most=most,
    )
    names = ("lineages", "times", "soft", "calls", "seconds")
    return [
        {"signature": mark, "nature": nature, **dict(zip(names, map(int, sums), strict=True))}
        for mark, nature, *sums in rows
    ]


def met(store: Reads, project: str, marks: Iterable[str]) -> list[tuple[Incident, int]]:
    """Some failures, the commonest first: each as it was met last with the program it was mostly met in, and how many lineages met it.

    Telling counts by the same rows, so that every screen names the same number.
    """
    counts, found = Counts(store, project), []
    for mark in marks:
        if not (notes := counts.failures(mark)):
            continue
        programs = [
            program
            for _, program in dict.fromkeys((each.lineage, each.incident.program) for each in notes)
        ]
        program = max(dict.fromkeys(programs), key=programs.count)
        found.append(
            (replace(notes[-1].incident, program=program), len({each.lineage for each in notes}))
        )
    return sorted(found, key=lambda each: -each[1])


def memory_of(store: Reads, project: str, subject: str, source: str) -> str:
    """The id of the memory that a source keeps about a subject; empty where there is none."""
    row = store.one(
        "SELECT id FROM memory WHERE project = :project AND signature = :subject AND signature <> '' AND source = :source"
        " ORDER BY n LIMIT 1",
        project=project,
        subject=subject,
        source=source,
    )
    return str(row[0]) if row else ""


def noted_of(store: Reads, run: str) -> list[str]:
    """The signatures of the failures of one run that are not the work in hand, nor the host's own."""
    rows = store.rows(
        "SELECT mark FROM incident WHERE run = :run AND kind = :kind AND nature IN ('env', 'gate', 'git', 'convention')"
        " ORDER BY mark",
        run=run,
        kind=FAILURE,
    )
    return [str(mark) for (mark,) in rows]


def failed_in(store: Reads, run: str, most: int = 50) -> list[Incident]:
    """What failed in one run, what cost most first; the host's own protocol is nobody's failure."""
    columns = ", ".join(FIELDS)
    sql = f"SELECT run, lineage, seq, {columns} FROM incident WHERE run = :run AND kind = :kind AND nature <> 'host'"
    sql += " ORDER BY calls DESC, mark LIMIT :most"
    return [_read(row).incident for row in store.rows(sql, run=run, kind=FAILURE, most=most)]


def seconds_a_call(store: Reads, project: str) -> float | None:
    """How long a call takes on the way out of a failure, over all that were noticed; None where nothing tells."""
    sql = "SELECT sum(seconds), sum(calls) FROM incident WHERE project = :p AND kind IN (:kind, :past) AND calls > 0"
    row = store.one(sql, p=project, kind=FAILURE, past=PAST + FAILURE)
    return float(row[0]) / float(row[1]) if row and row[0] and row[1] else None


def lineage_of(store: Reads, run: str) -> str:
    """The lineage that a run was noticed in; empty where nothing was."""
    row = store.one("SELECT lineage FROM incident WHERE run = :run LIMIT 1", run=run)
    return str(row[0]) if row else ""


class Counts:
    """What was noticed in one project, as telling asks for it."""

    def __init__(self, store: Reads, project: str) -> None:
        self.store, self.project = store, project

    def failures(self, mark: str) -> list[Noted]:
        """Failures of one signature, oldest first."""
        rows = self.store.rows(
            f"SELECT run, lineage, seq, {', '.join(FIELDS)} FROM incident WHERE project = :project AND kind = :kind AND sign = :mark"
            " ORDER BY seq DESC LIMIT :most",
            project=self.project,
            kind=FAILURE,
            mark=mark,
            most=_MOST,
        )
        return [_read(row) for row in reversed(rows)]


def forget_places(
    tx: Transaction, project: str, places: Iterable[tuple[str, str]], text: str
) -> None:
    """Take out what was noted at some places of some runs: the words there are to be gone for good.

    Counts know no place; those go whose names stand in the text that is erased.
    """
    for run, place in places:
        tx.rows(
            "DELETE FROM failure WHERE session = ?1 AND (place = ?2 OR ?2 = '')",
            *(run, place),
        )
    for kind, mark, *words in tx.rows(
        "SELECT kind, mark, mark, code, name, program FROM incident WHERE run = :project",
        project=project,
    ):
        if kind != UNTIL and any(word and word in text for word in words):
            _take(tx, project, Incident(kind, mark))


_PUT = (
    'INSERT INTO failure (session, sign, project, "group", program, line, calls, seconds, cure,'
    " place, at, extra) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)


def _read(row: tuple[Any, ...]) -> Noted:
    run, lineage, seq, *fields = row
    named = dict(zip(FIELDS, fields, strict=True))
    return Noted(run, lineage, seq, Incident(**{**named, "soft": bool(named["soft"])}))

"""What sessions were seen to meet, as rows of `failure`, and the counts over it that telling asks for.

What is no failure bears its kind before its mark. A row may be written again when its session grew. Counts are over
lineages: forks, resumptions and sub-agents of one piece of work are one witness.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.run import FAILURE, PAST, Incident
from tacit.core.value import loads, replace, value
from tacit.store.rows import json_text, said
from tacit.store.writes import insert

if TYPE_CHECKING:
    from tacit.store.reads import Reads
    from tacit.store.writes import Transaction

# A project that has more is counted by its newest, so that learning stays as quick as it was.
INCIDENT_RUNS = 1_000  # that are looked at; those of older sessions become counts
UNTIL = "past until"  # the kind of the one row whose number is that of the last session that did
FOLDED_MOST = 20  # sessions whose incidents become counts at a time: a store from before has many
_MOST = 2_000  # rows of one answer

_COLUMNS = ("program", "line", "calls", "seconds", "cure", "place", "at")
_NAMED = [
    name
    for name in Incident.FIELDS  # type: ignore[attr-defined]
    if name not in (*_COLUMNS, "mark", "kind")
]
_READ = f'SELECT session, sign, "group", {", ".join(_COLUMNS)}, extra FROM failure'
_KIND, _NATURE = said("extra", "kind", FAILURE), said("extra", "nature")
_COUNT, _FAILED = said("extra", "count", 0), said("extra", "failed", 0)
_MARK = "coalesce(nullif(extra, '') ->> '$.mark', sign)"


@value
class Noted:
    """An incident as the store has it: with the session and the lineage that it was met in."""

    run: str
    lineage: str
    seq: int
    incident: Incident


def _noted(store: Reads, where: str, *bound: Any) -> list[Noted]:
    found = []
    for run, sign, lineage, *columns, extra in store.rows(f"{_READ} WHERE {where}", *bound):
        more = loads(extra) if extra else {}
        at: dict[str, Any] = {"count": 0, **dict(zip(_COLUMNS, columns))}
        at |= {name: more[name] for name in _NAMED if name in more}
        at |= {"kind": more.get("kind", FAILURE), "mark": more.get("mark", sign)}
        incident = Incident(**{**at, "soft": bool(more.get("soft"))})
        found.append(Noted(run, lineage, more.get("seq", 0), incident))
    return found


def put_incidents(
    tx: Transaction,
    project: str,
    run: str,
    lineage: str,
    seq: int,
    noticed: Iterable[Incident],
    person: str = "",
) -> int:
    """Write the incidents of a session, anew where it grew; how many there are."""
    count = 0
    tx.rows("DELETE FROM failure WHERE session = ?", run)
    if seq <= _folded(tx, project):
        return 0  # it was counted, and is too old to be told of
    for each in noticed:
        _put(tx, each, project, run, lineage, {"person": person, "seq": seq})
        count += 1
    return count


def _put(
    tx: Transaction, each: Incident, project: str, run: str, lineage: str, of: Mapping[str, Any]
) -> None:
    at = {**each.__dict__, "soft": int(each.soft)}
    extra = {
        name: held for name, held in ({name: at[name] for name in _NAMED} | of).items() if held
    }
    if each.kind != FAILURE:
        extra |= {"kind": each.kind, "mark": each.mark}
    own = {"session": run, "sign": sign_of(each), "project": project, "group": lineage}
    row = {**own, **{name: at[name] for name in _COLUMNS}, "extra": json_text(extra)}
    insert(tx, "failure", row)


def sign_of(each: Incident) -> str:
    """What its row is known by beside its session."""
    return each.mark if each.kind == FAILURE else f"{each.kind}: {each.mark}"


def fold_incidents(tx: Transaction, project: str, newest: int) -> int:
    """Turn the incidents of sessions that telling no longer looks at into counts, one per signature; how many rows went.

    A count is a row of the same table: of the kind `past failure`, under the project's own id instead
    of a session's, `count` the times and `failed` the lineages. A lineage that has newer rows of that signature is
    counted with those.
    """
    done = _folded(tx, project)
    until = min(newest - INCIDENT_RUNS, done + FOLDED_MOST)
    if until <= done:
        return 0
    old = _noted(
        tx,
        "session IN (SELECT id FROM session WHERE project = ? AND number > ? AND number <= ?)",
        *(project, done, until),
    )
    for note in sorted(old, key=lambda each: each.seq):
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
    counts = _noted(tx, "session = ? AND sign = ?", project, sign_of(Incident(kind, one.mark)))
    known = counts[0].incident if counts else Incident(kind, one.mark, count=0)
    counted = replace(
        one,
        kind=kind,
        count=known.count + one.count,
        failed=known.failed + (newer is None),
        soft=one.soft and (known.soft or not counts),
        calls=known.calls + one.calls,
        seconds=known.seconds + one.seconds,
        **dict.fromkeys(("ended", "cure", "line", "place"), ""),
    )
    _replace(tx, project, note.seq, counted)


def _replace(tx: Transaction, project: str, seq: int, one: Incident) -> None:
    _take(tx, project, one)
    _put(tx, one, project, project, "", {"seq": seq})


def _take(tx: Transaction, run: str, one: Incident) -> None:
    tx.rows("DELETE FROM failure WHERE session = ? AND sign = ?", run, sign_of(one))


def _folded(store: Reads, project: str) -> int:
    """The number of the last session whose incidents became counts."""
    where = "session = ? AND sign = ?"
    found = _noted(store, where, project, sign_of(Incident(UNTIL, "")))
    return found[0].seq if found else 0


def commonest(store: Reads, project: str, most: int = 200) -> list[dict[str, Any]]:
    """The failures that most lineages met, whether or not anybody is told of them."""
    sums = (
        f"SUM({_COUNT}) AS times, SUM({said('extra', 'soft', 0)}) AS soft, SUM(calls) AS calls,"
        " SUM(seconds) AS seconds FROM failure WHERE project = :project AND"
    )
    of = f"SELECT {_MARK} AS mark, {_NATURE} AS nature"
    rows = store.rows(
        "SELECT mark, nature, SUM(met) AS all_met, SUM(times), SUM(soft), SUM(calls), SUM(seconds)"
        f' FROM ({of}, COUNT(DISTINCT "group") AS met, {sums} {_KIND} = :kind GROUP BY 1, 2'
        f" UNION ALL {of}, SUM({_FAILED}) AS met, {sums} {_KIND} = :past GROUP BY 1, 2)"
        " GROUP BY mark, nature ORDER BY all_met DESC, mark LIMIT :most",
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
        met_in = dict.fromkeys((each.lineage, each.incident.program) for each in notes)
        programs = [program for _, program in met_in]
        program = max(dict.fromkeys(programs), key=programs.count)
        last = replace(notes[-1].incident, program=program)
        found.append((last, len({each.lineage for each in notes})))
    return sorted(found, key=lambda each: -each[1])


def memory_of(store: Reads, project: str, subject: str, source: str) -> str:
    """The id of the lesson that a source keeps about a subject; empty where there is none."""
    row = store.one(
        "SELECT id FROM lesson WHERE project = ? AND signature = ? AND signature <> ''"
        f" AND {said('extra', 'was.source')} = ? ORDER BY n LIMIT 1",
        *(project, subject, source),
    )
    return str(row[0]) if row else ""


def noted_of(store: Reads, run: str) -> list[str]:
    """The signatures of the failures of one session that are not the work in hand, nor the host's own."""
    rows = store.rows(
        f"SELECT sign FROM failure WHERE session = ? AND {_KIND} = '{FAILURE}'"
        f" AND {_NATURE} IN ('env', 'gate', 'git', 'convention') ORDER BY sign",
        run,
    )
    return [str(mark) for (mark,) in rows]


def failed_in(store: Reads, run: str, most: int = 50) -> list[Incident]:
    """What failed in one session, what cost most first; the host's own protocol is nobody's failure."""
    where = f"session = ? AND {_KIND} = '{FAILURE}' AND {_NATURE} <> 'host'"
    notes = _noted(store, f"{where} ORDER BY calls DESC, sign LIMIT ?", run, most)
    return [each.incident for each in notes]


def seconds_a_call(store: Reads, project: str) -> float | None:
    """How long a call takes on the way out of a failure, over all that were noticed; None where nothing tells."""
    kinds = f"{_KIND} IN ('{FAILURE}', '{PAST}{FAILURE}')"
    sql = (
        f"SELECT sum(seconds), sum(calls) FROM failure WHERE project = ? AND {kinds} AND calls > 0"
    )
    row = store.one(sql, project)
    return float(row[0]) / float(row[1]) if row and row[0] and row[1] else None


def lineage_of(store: Reads, run: str) -> str:
    """The lineage that a session was noticed in; empty where nothing was."""
    row = store.one('SELECT "group" FROM failure WHERE session = ? LIMIT 1', run)
    return str(row[0]) if row else ""


class Counts:
    """What was noticed in one project, as telling asks for it."""

    def __init__(self, store: Reads, project: str) -> None:
        self.store, self.project = store, project

    def failures(self, mark: str) -> list[Noted]:
        """Failures of one signature, oldest first."""
        where = f"project = ? AND sign = ? AND {_KIND} = '{FAILURE}'"
        order = f"ORDER BY {said('extra', 'seq', 0)} DESC LIMIT {_MOST}"
        return _noted(self.store, f"{where} {order}", self.project, mark)[::-1]


def forget_places(
    tx: Transaction, project: str, places: Iterable[tuple[str, str]], text: str
) -> None:
    """Take out what was noted at some places of some sessions: the words there are to be gone for good.

    Counts know no place; those go whose names stand in the text that is erased.
    """
    for run, place in places:
        tx.rows("DELETE FROM failure WHERE session = ?1 AND (place = ?2 OR ?2 = '')", run, place)
    for note in _noted(tx, "session = ?", project):
        one = note.incident
        words = (one.mark, one.code, one.name, one.program)
        if one.kind != UNTIL and any(word and word in text for word in words):
            _take(tx, project, one)

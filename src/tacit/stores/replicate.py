"""Between a machine's cache and its server: what hooks recorded goes there, what the server knows comes here.

Both directions may be cut off at any point and begun again. A row leaves the outbox only after the server's COMMIT, and
arriving twice is arriving once: runs, uses and answers have keys, a mark is known by its hash. A project's copy says how
far it goes in the transaction that brings it there. One process at a time does this for a cache (`alone`), so
that an older look at the server never overwrites a newer one.

Nothing here asks which engine is on the other side: any store will do.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days, now, seconds
from tacit.core.edits import ERASED_BY
from tacit.core.errors import Refused, TextInvalid
from tacit.core.links import CONFIRMED, MARK_COLUMNS, USE_COLUMNS, Mark, Use, link_hash, link_row
from tacit.core.memory import AGENT, DECIDED, GLOBAL, row_hash
from tacit.core.profile import confidence_rule
from tacit.core.proposal import Proposal
from tacit.core.rows import Project, RunRow
from tacit.core.standing import is_confirmed
from tacit.core.states import CLOSED
from tacit.core.value import replace, value
from tacit.stores.cache import (
    CACHE_CARRIED,
    CACHE_ERROR,
    CACHE_TRIED,
    REFRESHED,
    forget,
    held,
    mark_of,
    note,
    refused_key,
    wanted,
)
from tacit.stores.lookups import logins, note_logins
from tacit.stores.places import KEPT_DAYS, remove_captured
from tacit.stores.tables import BY_NAME

if TYPE_CHECKING:
    from tacit.stores.sql import Store
    from tacit.stores.sql_writer import Transaction

    Link = Use | Mark | RunRow | tuple[Any, ...]

_CARRY_BATCH = 500  # rows a transaction, either way: others get their turn in between
WHOLE_DAYS = 1.0  # after which a project is compared whole: some counts change without leaving a trace in the journal
_INJECTION = BY_NAME["injection"].hashed
_BY_NAME_ALONE = ("cli", "library", "mcp")  # hosts of whoever names a run and cannot tell its host


@value
class Carried:
    """What became of an outbox."""

    rows: int = 0  # that the server has now
    left: int = 0  # that it would not take; they are counted, and wait no longer
    memories: frozenset[str] = frozenset()  # whose uses they were


@value
class Refreshed:
    """What a look at the server brought."""

    projects: int = 0
    written: int = 0
    taken_out: int = 0


class Unlike(Exception):
    """A record in the cache that is not what was written: its hash differs. It must not become truth on the server."""


@contextmanager
def alone(path: str, wait: float) -> Iterator[bool]:
    """Hold a cache for oneself; false where somebody else held it all the while."""
    fd = os.open(path + ".carry", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    until, got = time.monotonic() + wait, False
    try:
        while not got and time.monotonic() <= until:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                got = True
            except OSError:
                time.sleep(0.02)
        yield got
    finally:
        os.close(fd)


def in_step(
    near: Store, far: Store, *, only: Iterable[str] = (), wait: float = 60.0
) -> tuple[Carried, Refreshed]:
    """Carry, then fetch, all that is used here or `only` some projects. What the server says to it is noted in the cache."""
    with alone(near.path, wait) as got:
        if not got:
            return Carried(), Refreshed()
        try:
            carried = carry(near, far)
            fetched = refresh(near, far, only=only, touched=carried.memories)
        except Exception as error:
            note(near, time.time(), str(error))
            raise
        note(near, time.time())
        return carried, fetched


def cache_status(store: Store) -> dict[str, Any]:
    """How a machine's copy stands to its server, for screens: when they were in step, why not since, what waits here."""
    return {
        "path": store.path,
        "projects": len(set(held(store)) - {GLOBAL, AGENT}),
        "lessons": store.one("SELECT count(*) FROM memory")[0],
        "refreshed_at": store.meta(REFRESHED),
        "tried_at": store.meta(CACHE_TRIED),
        "carried_at": store.meta(CACHE_CARRIED),
        "error": store.meta(CACHE_ERROR),
        "outbox": store.one("SELECT count(*) FROM outbox")[0],
        "queue": store.queued(),
    }


# -- there --------------------------------------------------------------------------------------------------------------


def carry(near: Store, far: Store) -> Carried:
    """Bring what waits in the outbox to the server, oldest first."""
    rows = left = 0
    memories: set[str] = set()
    while batch := _waiting(near):
        for project, links in batch.items():
            refused = _deliver(near, far, project, links)
            rows, left = rows + len(links) - refused, left + refused
            memories.update(link.memory for _, link in links if isinstance(link, Use))
    return Carried(rows, left, frozenset(memories))


def _waiting(near: Store) -> dict[str, list[tuple[int, Any]]]:
    """The next batch of the outbox, by project: numbers and rows."""
    found: dict[str, list[tuple[int, Any]]] = {}
    for n, kind, key in near.rows(
        "SELECT n, kind, key FROM outbox ORDER BY n LIMIT :most", most=_CARRY_BATCH
    ):
        link = _READERS[kind](near, key)
        project = link[1] if isinstance(link, tuple) else getattr(link, "project", "")
        found.setdefault(project, []).append((n, link))
    return found


def _read_use(near: Store, key: str) -> Use | Unlike | None:
    unit, _, memory = key.rpartition(" ")
    where = "use WHERE unit = :unit AND memory = :memory"
    row = near.one(f"SELECT {', '.join(USE_COLUMNS)}, hash FROM {where}", unit=unit, memory=memory)
    if row is None or link_hash(row[:-1]) != row[-1]:
        return row and Unlike()
    return next(use for use in near.uses(unit=unit) if use.memory == memory)


def _read_mark(near: Store, key: str) -> Mark | Unlike | None:
    row = near.one(f"SELECT {', '.join(MARK_COLUMNS)}, hash FROM use_mark WHERE n = :n", n=int(key))
    if row is None or link_hash(row[:-1]) != row[-1]:
        return row and Unlike()
    return Mark(*row[:-1])


def _read_injection(near: Store, key: str) -> tuple[Any, ...] | None:
    row = near.one(f"SELECT {', '.join(_INJECTION)} FROM injection WHERE id = :id", id=int(key))
    return tuple(row) if row else None


_READERS: dict[str, Any] = {
    "run": lambda near, key: near.run(key),
    "use": _read_use,
    "mark": _read_mark,
    "injection": _read_injection,
}


def _deliver(near: Store, far: Store, project: str, links: Sequence[tuple[int, Any]]) -> int:
    """Some rows of one project, in one transaction there, and off the outbox once it is committed; how many were not taken.

    What a server will never take (a text it cannot hold, a project in which its user may only read, a row that is not what was written)
    must not stand in the way of the rest: then the rows go one by one, and such a one is counted and left behind.
    """
    try:
        far.lock = project
        with far.write(confidence=_signals(near, project)) as tx:
            for _, link in links:
                _arrive(tx, _of_known(near, tx, link))
    except (Refused, TextInvalid, Unlike) as error:
        if len(links) > 1:
            return sum(_deliver(near, far, project, [each]) for each in links)
        with near.write() as tx:
            tx.count(project, "carry_left", now())
            if isinstance(error, Refused):
                tx.put_meta(refused_key(project), error.message)
            _acknowledge(tx, links)
        return 1
    with near.write() as tx:
        tx.put_meta(CACHE_CARRIED, now())
        _acknowledge(tx, links)
    return 0


def _acknowledge(tx: Transaction, links: Iterable[tuple[int, object]]) -> None:
    numbers = json.dumps([n for n, _ in links])
    tx.rows(
        "DELETE FROM outbox WHERE n IN (SELECT value FROM json_each(:numbers))", numbers=numbers
    )


def _signals(near: Store, project: str) -> str:
    """The rule by which the project's profile folds confidence."""
    row = near.project(project)
    return confidence_rule(near.profile_json(row.profile) if row else None)


def _of_known(near: Store, tx: Transaction, link: Link | Unlike | None) -> Link | Unlike | None:
    """A row as it would have been written there: who asked for a run by its name alone meant the one that the server knows under it,
    and a cache holds no run that was only learned. Nothing for the row of that run itself."""
    unit = (
        link[3]
        if isinstance(link, tuple)
        else link.id
        if isinstance(link, RunRow)
        else getattr(link, "unit", "")
    )
    asked = near.run(unit) if unit else None
    if asked is None or asked.host not in _BY_NAME_ALONE or tx.run(unit) is not None:
        return link
    known = tx.find_run(asked.project, asked.foreign_id)
    if known is None or isinstance(link, RunRow):
        return link if known is None else None
    if isinstance(link, tuple):
        return (*link[:2], known.id, known.root, *link[4:])
    return replace(link, run=known.id, unit=known.root)


def _arrive(tx: Transaction, link: Link | Unlike | None) -> None:
    if isinstance(link, Unlike):
        raise link
    if link is None:
        return  # it was taken out here meanwhile
    if isinstance(link, tuple):
        event, project, run, unit, surface, tokens, *told, at = link
        given, withheld, left_out = (json.loads(each or "{}") for each in told)
        tx.add_injection(event, project, run, unit, surface, tokens, given, withheld, left_out, at)
    elif isinstance(link, Mark):
        _mark_once(tx, link)
    elif isinstance(link, Use):
        if not tx.add_use(link):
            _met(tx, link)
    elif tx.run(link.id) is None:
        tx.put_run(link)


def _mark_once(tx: Transaction, mark: Mark) -> None:
    there = tx.one(
        "SELECT 1 FROM use_mark WHERE memory = :memory AND unit = :unit AND hash = :hash",
        memory=mark.memory,
        unit=mark.unit,
        hash=link_hash(link_row(mark)),
    )
    if there is None:
        tx.add_mark(mark)


def _met(tx: Transaction, use: Use) -> None:
    """Another machine, or this one before a kill, assigned it first, and that counts. The coin is the same everywhere; the rate may
    have changed between two looks at the server, and then what was given against the assignment is said."""
    first = tx.one(
        "SELECT arm FROM use WHERE unit = :unit AND memory = :memory",
        unit=use.unit,
        memory=use.memory,
    )
    if first[0] == "withheld" and use.arm != "withheld":
        _mark_once(
            tx,
            Mark(
                use.memory,
                use.unit,
                use.project,
                "crossed",
                run=use.run,
                surface=use.surface,
                at=use.at,
            ),
        )


# -- and back -----------------------------------------------------------------------------------------------------------


def refresh(
    near: Store, far: Store, *, only: Iterable[str] = (), touched: Collection[str] = ()
) -> Refreshed:
    """Bring the copies of all projects that are used here in step, or `only` some; lessons that were `touched` are read anew."""
    at = now()
    visible = {project.id: project for project in far.projects()}
    _copy_projects(near, visible)
    some = [project for project in only if project]
    here = {*(some or wanted(near)), GLOBAL, AGENT}
    written = taken_out = 0
    for project in sorted(here & set(visible)):
        _copy_profile(near, far, visible[project])
        fetched = _refresh_project(near, far, project, touched, at)
        written, taken_out = written + fetched.written, taken_out + fetched.taken_out
    for project in set(held(near)) - set(visible):
        taken_out += _drop_project(near, project)
    with near.write() as tx:
        for project in here:
            forget(tx, project, held=False)
        if here.issuperset(held(tx)):
            tx.put_meta(REFRESHED, at)
            _sweep(tx, at)
    return Refreshed(len(here & set(visible)), written, taken_out)


def _sweep(tx: Transaction, at: str) -> None:
    """Let go of records that the server has and no session here needs any more."""
    before = after_days(at, -KEPT_DAYS)
    if tx.one("SELECT 1 FROM outbox LIMIT 1") is None:
        for table, when in (
            ("use", "at"),
            ("use_mark", "at"),
            ("injection", "at"),
            ("run", "started_at"),
        ):
            tx.rows(f"DELETE FROM {table} WHERE {when} < :before", before=before)


def _copy_projects(near: Store, visible: dict[str, Project]) -> None:
    """The rows of all projects that this user may see, so that a folder finds its own; not their lessons."""
    here = {project.id: project for project in near.projects()}
    fresh = [project for id, project in visible.items() if here.get(id) != project]
    gone = [id for id in here if id not in visible]
    if fresh or gone:
        with near.write() as tx:
            for project in fresh:
                tx.put_project(project)
            for id in gone:
                tx.rows("DELETE FROM project WHERE id = :id", id=id)


def _copy_profile(near: Store, far: Store, project: Project) -> None:
    if near.profile_json(project.profile) is None:
        row = far.one(
            "SELECT id, name, compiled, created_at FROM profile WHERE id = :id", id=project.profile
        )
        if row is not None:
            with near.write() as tx:
                tx.put_profile(*row)


def _refresh_project(
    near: Store, far: Store, project: str, touched: Collection[str], at: str
) -> Refreshed:
    before = json.loads(near.meta(mark_of(project)) or "{}")
    conflicts = [each for each in far.proposals(project, limit=-1) if each.kind == "contradiction"]
    if not before or seconds(at) - seconds(before["whole"]) > WHOLE_DAYS * 86400:
        ends = {name: far.one(sql, project=project)[0] or 0 for name, sql in _ENDS.items()}
        mark = {**ends, "whole": at}
        found = _all(near, far, project)
        # who could not write may have been admitted since; if not, the next record says so again
        with near.write() as tx:
            tx.rows("DELETE FROM meta WHERE key = :key", key=refused_key(project))
    else:
        ends = {name: before[name] for name in _SINCE}
        changed: set[str] = set()
        for name, sql in _SINCE.items():
            for n, memory in far.rows(sql, project=project, last=before[name]):
                changed.add(memory)
                ends[name] = max(ends[name], n)
        mark = {**before, **ends}
        found = _these(near, far, project, sorted({*changed, *_of_project(near, project, touched)}))
    with near.write() as tx:
        _copy_conflicts(tx, project, conflicts)
        tx.put_meta(mark_of(project), json.dumps(mark))
    return found


# What changed since, by the numbers that grow. A project's writers follow each other, so a number that is seen has none below it to come.
_COUNTED_ON = {
    "journal": ("journal", "id"),
    "evidence": ("evidence", "n"),
    "mark": ("use_mark", "n"),
}
_SINCE = {
    name: f"SELECT {n}, memory FROM {table} WHERE project = :project AND {n} > :last"
    for name, (table, n) in _COUNTED_ON.items()
}
_ENDS = {
    name: f"SELECT max({n}) FROM {table} WHERE project = :project"
    for name, (table, n) in _COUNTED_ON.items()
}


def _of_project(near: Store, project: str, ids: Collection[str]) -> list[str]:
    return [memory.id for memory in near.memories(sorted(ids)) if memory.project == project]


def _all(near: Store, far: Store, project: str) -> Refreshed:
    """Every lesson of a project that is not closed; what else is here goes."""
    seen: set[str] = set()
    written = last = 0
    while rows := far.rows(_LIVE, project=project, last=last, most=_CARRY_BATCH):
        last = rows[-1][0]
        ids = [row[1] for row in rows]
        seen.update(ids)
        written += _these(near, far, project, ids).written
    here = [
        row[0]
        for row in near.rows("SELECT id FROM memory WHERE project = :project", project=project)
    ]
    gone = _these(near, far, project, [id for id in here if id not in seen])
    return Refreshed(1, written + gone.written, gone.taken_out)


_LIVE = f"SELECT n, id FROM memory WHERE project = :project AND n > :last AND state NOT IN {CLOSED} AND text <> '' ORDER BY n LIMIT :most"


def _these(near: Store, far: Store, project: str, ids: Sequence[str]) -> Refreshed:
    """Lessons by id, as the server has them; what it has no more, or only as closed or erased, is taken out here."""
    written = taken_out = 0
    for chunk in _chunks(ids):
        asked = json.dumps(chunk)
        rows = far.rows(_MEMORIES, ids=asked)
        live = {row[0]: row for row in rows if _is_live(row, project)}
        counts = [row for row in far.rows(_TALLY_ROWS, ids=asked) if row[0] in live]
        names = [row for row in far.rows(_ALIAS_ROWS, ids=asked) if row[0] in live]
        theirs = logins(far, [*live])
        seen = {memory.id: memory for memory in far.memories([*theirs])}
        counts = [
            row
            for row in counts
            if row[1] != CONFIRMED or row[0] not in seen or is_confirmed(seen[row[0]])
        ]
        with near.write() as tx:
            taken_out += sum(_take_out(tx, id) for id in chunk if id not in live)
            note_logins(tx, chunk, theirs)
            for id, (*row, sealed, words) in live.items():
                if id in seen:  # another's words, as we see them
                    row[_TRUST], row[_PINNED] = seen[id].trust, int(seen[id].pinned)
                    sealed = row_hash(tuple(row))
                tx.copy_row(row, bytes(sealed), words)
            for table, derived in (("tally", counts), ("alias", names)):
                tx.rows(
                    f"DELETE FROM {table} WHERE memory IN (SELECT value FROM json_each(:ids))",
                    ids=json.dumps([*live]),
                )
                for row in derived:
                    tx.rows(_PUT_ROWS[table], **dict(zip("abcde", row)))
        written += len(live)
        erased = [row[0] for row in rows if row[_CLOSED_BY] == ERASED_BY]
        if erased:
            _scrub(near, far, erased)
    return Refreshed(1, written, taken_out)


def _scrub(near: Store, far: Store, erased: Sequence[str]) -> None:
    """Leave nothing of an erased text: not in full text, not in the log, not in what was written down of the sessions it came from."""
    with near.write() as tx:
        tx.rows(
            "UPDATE queue SET error = '' WHERE error <> ''"
        )  # a failed job quotes what it stumbled over
        tx.reindex()
    near.scrub()
    runs = [far.run(evidence.run) for id in erased for evidence in far.evidence(id)]
    remove_captured(near.path, {run.foreign_id for run in runs if run})


_CLOSED_BY, _STATE_AT, _TEXT, _PROJECT, _TRUST, _PINNED = (
    DECIDED.index(name) for name in ("closed_by", "state", "text", "project", "trust", "pinned")
)
_MEMORIES = f"SELECT {', '.join(DECIDED)}, hash, words FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY n"
_TALLY_ROWS = "SELECT memory, signal, project, amount, at FROM tally WHERE memory IN (SELECT value FROM json_each(:ids))"
_ALIAS_ROWS = "SELECT memory, project, namespace, alias FROM alias WHERE memory IN (SELECT value FROM json_each(:ids))"
_PUT_ROWS = {
    "tally": "INSERT INTO tally (memory, signal, project, amount, at) VALUES (:a, :b, :c, :d, :e)",
    "alias": "INSERT OR REPLACE INTO alias (memory, project, namespace, alias) VALUES (:a, :b, :c, :d)",
}


def _is_live(row: Sequence[Any], project: str) -> bool:
    """Whether a row may be copied: open, with a text, of this project, and as it was sealed."""
    kept = row[_STATE_AT] not in CLOSED and row[_TEXT] and row[_PROJECT] == project
    return bool(kept) and row_hash(tuple(row[:-2])) == bytes(row[-2])


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _CARRY_BATCH):
        yield ids[start : start + _CARRY_BATCH]


def _take_out(tx: Transaction, id: str) -> int:
    was = tx.one("SELECT n, text, words FROM memory WHERE id = :id", id=id)
    for table, column in (("memory", "id"), ("tally", "memory"), ("alias", "memory")):
        tx.rows(f"DELETE FROM {table} WHERE {column} = :id", id=id)
    if was is None:
        return 0
    tx.index(was[0], (was[1], was[2]), None)
    return 1


def _copy_conflicts(tx: Transaction, project: str, conflicts: Sequence[Proposal]) -> None:
    """Lessons that wait for a judge because they say opposite things are not given together."""
    tx.rows("DELETE FROM proposal WHERE project = :project", project=project)
    for each in conflicts:
        tx.put_proposal(each)


def _drop_project(near: Store, project: str) -> int:
    """A project that this user may no longer see leaves the machine."""
    ids = [
        row[0]
        for row in near.rows("SELECT id FROM memory WHERE project = :project", project=project)
    ]
    with near.write() as tx:
        gone = sum(_take_out(tx, id) for id in ids)
        _copy_conflicts(tx, project, ())
        forget(tx, project)
    near.scrub()
    return gone

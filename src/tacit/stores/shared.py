"""The lines of the team's journal in a store: which rows are not shared yet, and what is known of other machines' lines.

Our own rows become lines here, once; the words are redacted again on the way. What stands in the work tree is a copy: a branch
without it, or a file that somebody edited, changes nothing that is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.edits import WORDY
from tacit.core.journal import new_salt, payload_digest
from tacit.core.links import Evidence, Mark, Use
from tacit.core.memory import DECIDED, Memory, to_row
from tacit.core.trust import least
from tacit.guard.redact import redacted_record
from tacit.stores.sql_rows import insert_into
from tacit.team.lines import (
    ENTRY,
    LINKED_FIELDS,
    LISTS,
    MATE,
    OWN,
    SHARED_SCOPES,
    UNKNOWN,
    WORDS_OF,
    JournalLine,
    blanked,
    is_erased,
    line,
    spoken,
    tips,
    verifies,
)

if TYPE_CHECKING:
    from tacit.stores.sql import Reads, Store
    from tacit.stores.sql_writer import Transaction

_SHARED_COLUMNS = "id, kind, machine, memory, head, digest, salt, words, standing, signer"


def lines_of(store: Reads, project: str, memory: str, kind: str = "entry") -> list[JournalLine]:
    """What is known of one memory, in the order it became known."""
    return _lines(store, " AND memory = :m AND kind = :k", p=project, m=memory, k=kind)


def lines_by(store: Store, project: str, machine: str) -> list[JournalLine]:
    """The lines of one machine's file, in their order."""
    return _lines(store, f" AND machine = :m AND standing <> '{UNKNOWN}'", p=project, m=machine)


def standings(store: Store, project: str) -> dict[str, str]:
    """Every line that is known, and whose it is."""
    return dict(store.rows("SELECT id, standing FROM shared WHERE project = :p", p=project))


def lines_known(store: Store, project: str) -> dict[str, int]:
    """How many lines of each machine count here."""
    sql = f"SELECT machine, count(*) FROM shared WHERE project = :p AND standing <> '{UNKNOWN}' GROUP BY 1"
    return dict(store.rows(sql, p=project))


def machines_of(store: Store, project: str) -> list[str]:
    """The machines whose lines are this person's own: this one, and those whose lines it takes for its own."""
    sql = "SELECT DISTINCT machine FROM shared WHERE project = :p AND standing = 'own' ORDER BY 1"
    return [row[0] for row in store.rows(sql, p=project)]


def put_line(tx: Transaction, project: str, line: JournalLine, local: str) -> None:
    """Keep a line, and the row that it stands for."""
    own = {
        "project": project,
        "local": local,
        "head": _dump(line.head),
        "words": "" if line.words is None else _dump(line.words),
    }
    row = {**line.__dict__, **own}
    tx.rows(insert_into("shared", row), **row)


def vouch_line(tx: Transaction, line: JournalLine) -> None:
    """Somebody whose key is allowed has signed it after all."""
    tx.rows(
        "UPDATE shared SET standing = :s, signer = :by WHERE id = :id",
        id=line.id,
        s=line.standing,
        by=line.signer,
    )


def blank_lines(tx: Transaction, memory: str) -> None:
    """Take the words of an erased memory out of its lines; their ids and signatures stay good."""
    erasure = '{"verb":"erase",%'  # says which lesson went, and no word of it
    tx.rows(
        "UPDATE shared SET salt = '', words = '' WHERE memory = :m AND NOT (kind = 'entry' AND head LIKE :erasure)",
        m=memory,
        erasure=erasure,
    )


def canonical(store: Store, project: str) -> str:
    """The shared memory of a project as one text, the same on every machine that knows the same lines.

    Whose word is `user` on one machine and `team` on the others is written as `team`; a project's own id stays at home, and so do pins,
    pages, verdicts and promotions: each machine has its own.
    """
    trusted = "SELECT DISTINCT memory FROM shared WHERE project = :p AND kind = 'entry' AND standing <> 'unknown' ORDER BY 1"
    ids = [row[0] for row in store.rows(trusted, p=project)]
    entries = "SELECT id FROM shared WHERE project = :p AND kind = 'entry' AND standing <> 'unknown' ORDER BY 1"
    found: dict[str, list[Any]] = {
        "memories": [_at_home(dict(zip(DECIDED, to_row(m)))) for m in store.memories(ids)]
    }
    for kind in LINKED_FIELDS:
        links = [
            _at_home(dict(link.__dict__))
            for id in ids
            for _, link in _links(store, project, id, kind)
        ]
        found[kind] = sorted(links, key=lambda at: json.dumps(at, sort_keys=True))
    found["journal"] = [row[0] for row in store.rows(entries, p=project)]
    return json.dumps(found, ensure_ascii=False, sort_keys=True, indent=1) + "\n"


def _at_home(at: dict[str, Any]) -> dict[str, Any]:
    own = ("project", "pinned", "on_page", "verdict", "previous_state", "updated_at")
    told = {name: field for name, field in at.items() if name not in own}
    if told.get("state") in ("stable", "canonical"):
        told["state"] = "provisional"
    return {**told, **{name: "team" for name in ("trust", "tier") if told.get(name) == "user"}}


# -- our own rows -------------------------------------------------------------------------------------------------------


def unshared(store: Store, project: str, machine: str) -> list[str]:
    """Memories of a project that have rows of this machine's which are not lines yet."""
    found: dict[str, None] = {}
    for sql in _UNSHARED:
        named = {"p": project, "by": machine} if sql is _ENTRIES else {"p": project}
        found.update(dict.fromkeys(row[0] for row in store.rows(sql + " ORDER BY 1", **named)))
    return list(found)


def has_own_rows(tx: Transaction, project: str, memory: str) -> bool:
    """Whether something was decided here about a memory that is not a line yet."""
    return bool(
        tx.rows(
            _ENTRIES.replace("SELECT j.memory", "SELECT 1") + " AND j.memory = :m LIMIT 1",
            p=project,
            m=memory,
            by="",
        )
    )


def is_one_persons(memory: Memory) -> bool:
    """Whether a lesson was only heard from one person: theirs until they raise it, and nobody else's."""
    return bool((memory.extra or {}).get("word")) and memory.state not in ("stable", "canonical")


def share(tx: Transaction, project: str, memory: Memory, machine: str) -> list[JournalLine]:
    """Make lines of what is new about a memory, if it may be shared; those that were made."""
    known = lines_of(tx, project, memory.id)
    if memory.project != project or memory.scope not in SHARED_SCOPES:
        return []
    if not any(line.standing != UNKNOWN for line in known) and (
        memory.gate != "allow" or is_erased(memory)
    ):
        return []
    if not known and is_one_persons(memory):
        return []
    if not is_erased(memory) and tx.rows(
        "SELECT 1 FROM journal WHERE memory = :m AND payload = '' LIMIT 1", m=memory.id
    ):
        return []  # a repair could not bring back what an entry said: what it adds up to cannot be told to others
    entries = _share_entries(tx, project, memory, machine, known)
    return entries + [
        each for kind in LINKED_FIELDS for each in _share_links(tx, project, memory, machine, kind)
    ]


def _share_entries(
    tx: Transaction,
    project: str,
    memory: Memory,
    machine: str,
    known: list[JournalLine],
) -> list[JournalLine]:
    local = {
        int(row[0]): row[1]
        for row in tx.rows(
            "SELECT local, id FROM shared WHERE project = :p AND memory = :m AND kind = 'entry'",
            p=project,
            m=memory.id,
        )
    }
    by_id = {line.id: line for line in known}
    made, seen = [], []
    rows = tx.rows(
        "SELECT id, machine, verb, by, at, run, profile, payload, salt, digest FROM journal WHERE memory = :m ORDER BY n",
        m=memory.id,
    )
    for number, wrote, *head, payload, salt, digest in rows:
        if number in local:
            seen.append(by_id[local[number]])
            continue
        if head[0] == "sync" or wrote not in (machine, ""):
            continue
        at = dict(zip(ENTRY, (*head, tips(seen))))
        new = _entry_line(wrote or machine, memory, at, payload, salt, digest)
        put_line(tx, project, new, str(number))
        seen.append(new)
        made.append(new)
    return made


def _entry_line(
    machine: str, memory: Memory, head: dict[str, Any], payload: str, salt: bytes, digest: bytes
) -> JournalLine:
    if head["verb"] == "erase":
        left = {
            name: field
            for name, field in zip(DECIDED, to_row(memory))
            if name not in ("id", "project") and field not in ("", 0)
        }
        return _worded("entry", machine, memory.id, head, ["erased", {}, left])
    if not payload:
        return line("entry", machine, memory.id, head, digest.hex())
    said = json.loads(payload)
    clean = _clean_words(said)
    if clean != said:
        return _worded("entry", machine, memory.id, head, clean)
    return line("entry", machine, memory.id, head, digest.hex(), salt.hex(), said)


def _clean_words(said: list[Any]) -> list[Any]:
    """Reason and fields without secrets."""
    reason, before, after = said
    return [
        redacted_record(reason),
        *({name: _clean(name, field) for name, field in at.items()} for at in (before, after)),
    ]


def _clean(name: str, field: Any) -> Any:
    if name not in WORDY or not field:
        return field  # ids and closed words: nothing to hide, and an id may look like a secret
    return (
        _dump(redacted_record(json.loads(field)))
        if name in (*LISTS, "extra")
        else redacted_record(field)
    )


def _share_links(
    tx: Transaction, project: str, memory: Memory, machine: str, kind: str
) -> list[JournalLine]:
    made = []
    for local, link in _new_links(tx, project, memory.id, kind):
        head = {name: link.__dict__[name] for name in LINKED_FIELDS[kind]}
        if kind in WORDS_OF:
            new = _worded(
                kind, machine, memory.id, head, redacted_record(link.__dict__[WORDS_OF[kind]])
            )
        else:
            new = line(kind, machine, memory.id, head)
        new = blanked(new) if is_erased(memory) else new
        put_line(tx, project, new, local)
        made.append(new)
    return made


def _new_links(
    tx: Transaction, project: str, memory: str, kind: str
) -> Iterable[tuple[str, Evidence | Use | Mark]]:
    sql = "SELECT local FROM shared WHERE project = :p AND memory = :m AND kind = :k"
    known = {row[0] for row in tx.rows(sql, p=project, m=memory, k=kind)}
    for local, link in _links(tx, project, memory, kind):
        if local not in known:
            yield local, link


def _links(
    tx: Reads, project: str, memory: str, kind: str
) -> Iterable[tuple[str, Evidence | Use | Mark]]:
    if kind == "evidence":
        return [(each.key, each) for each in tx.evidence(memory) if each.project == project]
    if kind == "use":
        return [(each.unit, each) for each in tx.uses(memory=memory) if each.project == project]
    numbers = [
        row[0] for row in tx.rows("SELECT n FROM use_mark WHERE memory = :m ORDER BY n", m=memory)
    ]
    return [
        (_mark_name(n, each), each)
        for n, each in zip(numbers, tx.marks(memory=memory))
        if each.project == project
    ]


def _mark_name(n: int, mark: Mark) -> str:
    return f"{n} {mark.at}"


def add_link(tx: Transaction, project: str, line: JournalLine) -> None:
    """Another machine's evidence, use or mark becomes a row here, once."""
    words = {WORDS_OF[line.kind]: line.words or ""} if line.kind in WORDS_OF else {}
    at = {**line.head, **words, "memory": line.memory, "project": project}
    if line.kind == "evidence":
        evidence = Evidence(
            **{**at, "tier": least(("team", at["tier"])) if line.standing == MATE else at["tier"]}
        )
        tx.add_evidence(evidence)
        local = evidence.key
    elif line.kind == "use":
        use = Use(**at)
        tx.add_use(use)
        local = use.unit
    else:
        mark = Mark(**at)
        tx.add_mark(mark)
        local = _mark_name(tx.one("SELECT max(n) FROM use_mark")[0], mark)
    put_line(tx, project, line, local)


def is_sound(row: Mapping[str, Any]) -> bool:
    """Whether a row of the table is the line that its id names."""
    try:
        head, words = json.loads(row["head"]), json.loads(row["words"]) if row["words"] else None
        found = line(
            row["kind"], row["machine"], row["memory"], head, row["digest"], row["salt"], words
        )
        return found.id == row["id"] and verifies(found) and row["standing"] in (OWN, MATE, UNKNOWN)
    except (ValueError, TypeError, AttributeError):
        return False


def misplaced(store: Reads) -> list[tuple[str, str]]:
    """Lines (id, memory) that stand for no row of their memory and project, or for one that another line stands for."""
    return store.rows(f"SELECT id, memory FROM shared s WHERE NOT ({_STANDS}) OR EXISTS ({_TWICE})")


def _worded(kind: str, machine: str, memory: str, head: dict[str, Any], words: Any) -> JournalLine:
    salt = new_salt()
    return line(
        kind, machine, memory, head, payload_digest(salt, spoken(words)).hex(), salt.hex(), words
    )


def _lines(store: Reads, where: str, **named: str) -> list[JournalLine]:
    found = []
    sql = f"SELECT {_SHARED_COLUMNS} FROM shared WHERE project = :p{where} ORDER BY n"
    for id, kind, machine, memory, head, digest, salt, words, standing, signer in store.rows(
        sql, **named
    ):
        said = json.loads(words) if words else None
        found.append(
            JournalLine(
                id, kind, machine, memory, json.loads(head), digest, salt, said, standing, signer
            )
        )
    return found


def _dump(at: Any) -> str:
    return json.dumps(at, ensure_ascii=False, separators=(",", ":"))


_NOT_SHARED = "AND NOT EXISTS (SELECT 1 FROM shared s WHERE s.project = :p AND s.kind = '{kind}' AND s.local = {local})"
_ENTRIES = (
    "SELECT j.memory FROM journal j JOIN memory m ON m.id = j.memory WHERE m.project = :p AND j.project = :p AND j.verb <> 'sync' "
    "AND (:by = '' OR j.machine IN (:by, '')) "
    + _NOT_SHARED.format(kind="entry", local="CAST(j.id AS TEXT)")
)
_UNSHARED = (
    _ENTRIES,
    "SELECT e.memory FROM evidence e JOIN memory m ON m.id = e.memory WHERE m.project = :p AND e.project = :p "
    + _NOT_SHARED.format(kind="evidence", local="e.key"),
    "SELECT u.memory FROM use u JOIN memory m ON m.id = u.memory WHERE m.project = :p AND u.project = :p "
    + _NOT_SHARED.format(kind="use", local="u.unit AND s.memory = u.memory"),
    "SELECT k.memory FROM use_mark k JOIN memory m ON m.id = k.memory WHERE m.project = :p AND k.project = :p "
    + _NOT_SHARED.format(kind="mark", local="k.n || ' ' || k.at"),
)

_ROWS = {
    "entry": ("journal", "CAST(r.id AS TEXT)"),
    "evidence": ("evidence", "r.key"),
    "use": ("use", "r.unit"),
    "mark": ("use_mark", "r.n || ' ' || r.at"),
}
_STANDS = " OR ".join(
    f"(s.kind = '{kind}' AND EXISTS (SELECT 1 FROM {table} r WHERE r.memory = s.memory AND r.project = s.project AND {local} = s.local))"
    for kind, (table, local) in _ROWS.items()
)
_TWICE = (  # two machines may have met the same evidence; an entry and a mark are one machine's
    "SELECT 1 FROM shared o WHERE s.kind IN ('entry', 'mark')"
    " AND o.project = s.project AND o.kind = s.kind AND o.local = s.local AND o.memory = s.memory AND o.n <> s.n"
)

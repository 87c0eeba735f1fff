"""The lines of a team's log that a store keeps: its own, its mates', and those that nobody allowed has signed.

A row holds a line as it stands in a file or on a server, whose it is (`standing`: own, team, unknown), and in `digest` what the lesson
said here when the line had been taken: what a lesson says otherwise later is a change made here.
"""

from __future__ import annotations

from tacit.core.value import loads
from tacit.stores.sql_rows import insert_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.stores.sql import Reads
    from tacit.stores.sql_writer import Transaction

OWN, MATE, UNKNOWN = "own", "team", "unknown"


def keep_line(tx: Transaction, project: str, kept: Mapping[str, Any]) -> None:
    """Keep a line, once; one that is here gets the standing and the words that it has now."""
    row = {"kind": "line", "salt": "", **kept, "project": project}
    row["id"] = f"{project}:{kept['id']}"
    tx.rows(f"{insert_into('shared', row)} {_AGAIN}", **row)


def settle_lesson(tx: Transaction, project: str, memory: str, says: str) -> None:
    """Note what a lesson says here, now that all its lines were taken."""
    tx.rows(_SETTLE, p=project, m=memory, says=says)


def said(store: Reads, project: str) -> dict[str, str]:
    """What each shared lesson said here when its last line was taken."""
    return dict(store.rows(_SAID, p=project))


def rows_of(store: Reads, project: str, memory: str) -> list[dict[str, str]]:
    """The lines of one lesson, in the order they became known: standing, signer, when, and the line's words (empty: erased)."""
    rows = store.rows(_OF_LESSON, p=project, m=memory)
    return [dict(zip(("standing", "signer", "head", "words"), row)) for row in rows]


def lines_by(store: Reads, project: str, machine: str) -> list[tuple[str, str, str]]:
    """Id, lesson and words of the lines that were made here, in their order."""
    found = store.rows(_OWN, p=project, m=machine)
    return [(id.rpartition(":")[2], memory, words) for id, memory, words in found]


def last_number(store: Reads, project: str, machine: str) -> int:
    """The number of the last line that was made here, also where its words are gone."""
    return int(store.one(_LAST, p=project, m=machine)[0] or 0)


def ids_known(store: Reads, project: str) -> dict[str, str]:
    """Every line that is known, and its standing."""
    rows = store.rows("SELECT id, standing FROM shared WHERE project = :p", p=project)
    return {id.rpartition(":")[2]: standing for id, standing in rows}


def drop_lines(tx: Transaction, project: str, ids: list[str]) -> None:
    """Forget lines of one's own that nobody has seen: they are told again under another name."""
    for id in ids:
        tx.rows("DELETE FROM shared WHERE id = :id", id=f"{project}:{id}")


def blank_lines(tx: Transaction, memory: str) -> None:
    """Take the words of an erased memory out of its lines."""
    tx.rows("UPDATE shared SET words = '', digest = '' WHERE memory = :m", m=memory)


def signers_of(store: Reads, ids: list[str]) -> list[tuple[str, str, str]]:
    """Lesson, signer (empty: somebody here) and text of every line of these lessons that counts, in the order they became known."""
    found: list[tuple[str, str, str]] = []
    for start in range(0, len(ids), 500):
        named = {f"m{n}": id for n, id in enumerate(ids[start : start + 500])}
        rows = store.rows(_TOLD.format(", ".join(f":{name}" for name in named)), **named)
        found += [(id, by, str(loads(words)["says"].get("text", ""))) for id, by, words in rows]
    return found


_AGAIN = (
    "ON CONFLICT (id) DO UPDATE SET standing = excluded.standing, signer = excluded.signer,"
    " words = excluded.words, digest = excluded.digest"
)
_SETTLE = (
    "UPDATE shared SET digest = :says WHERE n ="
    " (SELECT max(n) FROM shared WHERE project = :p AND memory = :m AND kind = 'line')"
)
_SAID = (
    "SELECT memory, digest FROM shared WHERE n IN"
    " (SELECT max(n) FROM shared WHERE project = :p AND kind = 'line' GROUP BY memory)"
)
_OF_LESSON = (
    "SELECT standing, signer, head, words FROM shared"
    " WHERE project = :p AND memory = :m AND kind = 'line' ORDER BY n"
)
_OWN = (
    "SELECT id, memory, words FROM shared"
    " WHERE project = :p AND machine = :m AND standing = 'own' ORDER BY n"
)
_LAST = (
    "SELECT max(CAST(local AS INTEGER)) FROM shared"
    " WHERE project = :p AND machine = :m AND standing = 'own'"
)
_TOLD = (
    "SELECT memory, signer, words FROM shared"
    " WHERE standing <> 'unknown' AND words <> '' AND memory IN ({}) ORDER BY n"
)

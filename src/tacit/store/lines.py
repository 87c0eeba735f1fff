"""The lines of a team's log that a store keeps: its own, its mates', and those that nobody allowed has signed.

They are entries of the journal that change nothing by themselves. An entry holds a line as it stands in a file or on a server, whose
it is (`why`: own, team, unknown), and what the lesson said here when the line had been taken (`after`): what a lesson says otherwise
later is a change made here.
"""

from __future__ import annotations

from tacit.core.value import dumps, loads
from tacit.store.rows import LINE
from tacit.store.writes import insert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from tacit.store.reads import Reads
    from tacit.store.writes import Transaction

    class Line(Protocol):
        """A line of a team's log, as `sync/line.py` has it."""

        lesson: str
        at: str
        machine: str
        n: int
        body: str

        @property
        def digest(self) -> bytes: ...


OWN, MATE, UNKNOWN = "own", "team", "unknown"
_ANEW = ("why", "standing", "signer", "body", "after")
_STANDING = {OWN: "applied", MATE: "applied", UNKNOWN: "waiting"}


def keep_line(
    tx: Transaction, project: str, line: Line, standing: str, signer: str, digest: str
) -> None:
    """Keep a line, once; one that is here gets the standing and the words that it has now."""
    row = {
        "lesson": line.lesson,
        "project": project,
        "verb": LINE,
        "by": "",
        "why": standing,
        "at": line.at,
        "session": "",
        "before": "",
        "after": _says(digest),
        "machine": line.machine,
        "number": line.n,
        "line": line.digest.hex(),
        "body": line.body,
        "signer": signer,
        "standing": _STANDING[standing],
    }
    now = ", ".join(f"{name} = excluded.{name}" for name in _ANEW)
    insert(tx, "journal", row, f"(project, line) WHERE line <> '' DO UPDATE SET {now}")


def _says(digest: str) -> str:
    return dumps({"said": digest}) if digest else ""


def settle_lesson(tx: Transaction, project: str, memory: str, says: str) -> None:
    """Note what a lesson says here, now that all its lines were taken."""
    tx.rows(_SETTLE, p=project, m=memory, says=_says(says))


def said(store: Reads, project: str) -> dict[str, str]:
    """What each shared lesson said here when its last line was taken."""
    rows = store.rows(_SAID, p=project)
    return {id: loads(says)["said"] if says else "" for id, says in rows}


def rows_of(store: Reads, project: str, memory: str) -> list[tuple[str, str, str, int, str, str]]:
    """The lines of one lesson, in the order they became known: standing, signer, machine, number, when, and the line (empty: erased)."""
    return store.rows(
        "SELECT why, signer, machine, number, at, body FROM journal"
        " WHERE lesson = ? AND project = ? AND line <> '' ORDER BY n",
        *(memory, project),
    )


def lines_by(store: Reads, project: str, machine: str) -> list[tuple[str, str, str]]:
    """Id, lesson and words of the lines that were made here, in their order."""
    return store.rows(_OWN, p=project, m=machine)


def last_number(store: Reads, project: str, machine: str) -> int:
    """The number of the last line that was made here, also where its words are gone."""
    return int(store.one(_LAST, p=project, m=machine)[0] or 0)


def ids_known(store: Reads, project: str) -> dict[str, str]:
    """Every line that is known, and its standing."""
    return dict(store.rows(f"SELECT line, why FROM journal WHERE {_LINES}", p=project))


def drop_lines(tx: Transaction, project: str, ids: list[str]) -> None:
    """Forget lines of one's own that nobody has seen: they are told again under another name."""
    for id in ids:
        tx.rows("DELETE FROM journal WHERE project = ? AND line = ?", project, id)


def signers_of(store: Reads, ids: list[str]) -> list[tuple[str, str, str]]:
    """Lesson, signer (empty: somebody here) and text of every line of these lessons that counts, in the order they became known."""
    rows = store.rows(_TOLD, ids=dumps(ids))
    return [(id, by, str(loads(body)["says"].get("text", ""))) for id, by, body in rows]


_LINES = "project = :p AND line <> ''"
_SETTLE = (
    "UPDATE journal SET after = :says WHERE n ="
    " (SELECT max(n) FROM journal WHERE lesson = :m AND project = :p AND line <> '')"
)
_SAID = (
    "SELECT lesson, after FROM journal WHERE n IN"
    f" (SELECT max(n) FROM journal WHERE {_LINES} GROUP BY lesson)"
)
_OWN = (
    f"SELECT line, lesson, body FROM journal WHERE {_LINES}"
    f" AND machine = :m AND why = '{OWN}' ORDER BY n"
)
_LAST = f"SELECT max(number) FROM journal WHERE {_LINES} AND machine = :m AND why = '{OWN}'"
_TOLD = (
    f"SELECT lesson, signer, body FROM journal WHERE line <> '' AND why <> '{UNKNOWN}'"
    " AND body <> '' AND lesson IN (SELECT value FROM json_each(:ids)) ORDER BY n"
)

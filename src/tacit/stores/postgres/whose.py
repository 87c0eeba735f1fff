"""Whose words a lesson on a server has: ours, or another login's; and the projects that others offer.

The server writes down which login put a lesson's words, or a piece of evidence, there (schema 13). What another login calls a person's
word is a team mate's to us: of trust *team*, under that login's name, unpinned and on trial until somebody here confirms it. Rows are
kept as they were written; only how they are seen depends on who looks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tacit.core.links import CONFIRMED, Evidence
from tacit.core.memory import OWNER, Memory
from tacit.core.standing import is_confirmed
from tacit.core.value import replace
from tacit.stores.sql import JournalRows, LessonRows

# Our SQL as PostgreSQL reads it. Statements are written once, with named parameters, in the part both engines speak.
#
# Five things differ and are rewritten by their spelling: parameters (`:name`), the list function `json_each`, `instr`, the
# literal of no bytes, and hints (`INDEXED BY`), which its planner does without.
# Everything else that an engine does its own way is a method of its store.

_NAME = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_HINT = re.compile(r" INDEXED BY \w+")
_QUOTED = re.compile(r"('(?:[^']|'')*')")


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """The statement for psycopg; what stands in quotes stays as it is."""
    parts = _QUOTED.split(sql.replace("%", "%%").replace("x''", "''::bytea"))
    return "".join(part if at % 2 else _rewritten(part) for at, part in enumerate(parts))


def _rewritten(sql: str) -> str:
    return _NAME.sub(
        r"%(\1)s", _HINT.sub("", sql).replace("json_each(", "each_of(").replace("instr(", "strpos(")
    )


TEAM_ROLE = "team"


class Whose(LessonRows, JournalRows):
    """Lessons and evidence as this login sees them."""

    def logins(self, ids: Sequence[str]) -> dict[str, str]:
        """Of these lessons, those whose words another login put here, with its name."""
        return dict(
            self.rows(
                "SELECT id, login FROM memory WHERE id = ANY(:ids) AND login <> session_user",
                ids=list(ids),
            )
        )

    def _with_tallies(self, rows: Sequence[tuple[Any, ...]]) -> list[Memory]:
        found = super()._with_tallies(rows)
        loud = [
            each.id for each in found if each.trust == OWNER or each.pinned or is_confirmed(each)
        ]
        theirs = self.logins(loud) if loud else {}
        ours = self._confirmed_here(
            [each.id for each in found if each.id in theirs and is_confirmed(each)]
        )
        return [_seen(each, each.id in ours) if each.id in theirs else each for each in found]

    def _confirmed_here(self, ids: Sequence[str]) -> set[str]:
        sql = "SELECT DISTINCT memory FROM evidence WHERE memory = ANY(:ids) AND signal = :said AND login = session_user"
        return {row[0] for row in self.rows(sql, ids=list(ids), said=CONFIRMED)} if ids else set()

    def evidence(self, memory: str) -> list[Evidence]:
        """All evidence of a memory; another person's word in it is a team mate's."""
        found = super().evidence(memory)
        if not any(each.tier == OWNER for each in found):
            return found
        theirs = self.rows(
            "SELECT login <> session_user FROM evidence WHERE memory = :it ORDER BY n", it=memory
        )
        return [
            replace(each, tier=TEAM_ROLE) if other and each.tier == OWNER else each
            for each, (other,) in zip(found, theirs)
        ]

    def invitations(self) -> list[tuple[str, str, str, str]]:
        """The projects to which this login was invited and which it did not join: id, name, remote, owner."""
        return [
            (str(id), str(name), str(remote), str(owner))
            for id, name, remote, owner in self.rows("SELECT * FROM invitations()")
        ]

    def join(self, project: str, owner: str) -> None:
        """Join a project of somebody's, who is named."""
        self.rows(
            "SELECT join_project(:project, CAST(:owner AS name))", project=project, owner=owner
        )

    def as_kept(self, memory: Memory) -> Memory:
        """A lesson as its row has it, where only how we see it differs: what we change of another's leaves it theirs."""
        row = self.one(
            "SELECT trust, pinned, text FROM memory WHERE id = :id AND login <> session_user",
            id=memory.id,
        )
        if row is None or row[2] != memory.text:
            return memory
        trust = OWNER if (row[0], memory.trust) == (OWNER, TEAM_ROLE) else memory.trust
        return replace(memory, trust=trust, pinned=memory.pinned or bool(row[1]))


def _seen(memory: Memory, confirmed: bool) -> Memory:
    signals = {
        name: at
        for name, at in (memory.tally.signals or {}).items()
        if confirmed or name != CONFIRMED
    }
    trust = TEAM_ROLE if memory.trust == OWNER else memory.trust
    return replace(memory, trust=trust, pinned=False, tally=replace(memory.tally, signals=signals))

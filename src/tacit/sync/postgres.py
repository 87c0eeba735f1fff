"""A team's lines through PostgreSQL: one table that only grows.

The server says who wrote a row (`session_user`) and who sees a project (row security); that a line is its writer's is still the signature's
word. A machine that was here before asks for what is new; one that is fresh takes the newest line of each lesson by one query, and the
pushes, by which it can tell whose they are. Hooks never come here: the worker asks once at a session's start, and listens while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import psycopg
from psycopg import errors

from tacit.core.digest import hex_digest
from tacit.core.errors import NotFound, Refused, TacitError, Unavailable, UsageError
from tacit.sync.line import Item, Line, Push, item_of

CONNECT = 10  # seconds a server may take to answer
CHANNEL = "tacit"
MARK = "tacit lines 1"  # the comment of the schema that is ours


class Server:
    """The lines of one project on one server."""

    whole = False  # what was told before is not read again, and a lesson's older lines never

    def __init__(self, url: str, commit: str, owner: str = "") -> None:
        self.url, self.commit, self.owner = url, commit, owner
        self.reached: dict[str, int] = {}
        with _told("connecting to"):
            self._connection = psycopg.connect(url, connect_timeout=CONNECT, autocommit=True)
        try:
            with _told("opening"):
                (self.login,) = self._one("SELECT session_user")
                self._check()
        except TacitError:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the server."""
        self._connection.close()

    @property
    def project(self) -> str:
        """What is signed for, and what rows bear: the owner's login and the repository's first commit."""
        return f"{self.owner or self.login}/{self.commit}"

    # -- who and where ------------------------------------------------------------------------------

    def _check(self) -> None:
        """Make the tables, once, or find that they are ours and that nothing else runs when we write there."""
        found = self._one(_FOUND)
        if found[1] is None:
            with self._connection.transaction():
                self._connection.execute("SELECT pg_advisory_xact_lock(hashtext('tacit lines'))")
                if self._one(_FOUND)[1] is None:
                    script = files("tacit.sync").joinpath("lines.sql").read_text("utf-8")
                    self._connection.execute(script.encode())
            found = self._one(_FOUND)
        if found[0] != MARK:
            raise Refused(
                "The schema tacit on this server is not one of lines: it is somebody else's, or a"
                " store of Tacit 0.2.0.",
                "Name a database of its own: createdb, then tacit sync postgresql://…",
            )
        if strange := self._one(_STRANGE)[0]:
            raise Refused(
                f"The schema tacit on this server, which belongs to {found[1]}, would run {strange}"
                " in your name.",
                "Ask its keeper; lines need no trigger, rule or function.",
            )

    def offers(self) -> list[str]:
        """The owners whose project of this repository this login is a member of."""
        rows = self._rows("SELECT project FROM tacit.member WHERE login = session_user")
        named = (project.rpartition("/") for (project,) in rows)
        return sorted(owner for owner, _, commit in named if commit == self.commit)

    def join(self, owner: str) -> None:
        """Make a project of one's own, or take part in the one that its owner, who is named, has admitted us to."""
        if not self.commit:
            raise Refused(
                "This repository has no first commit that can be told.",
                "Commit first; in a shallow clone: git fetch --unshallow",
            )
        if owner in ("", self.login) and self.login not in self.offers():
            self.owner = self.login
            self.invite(self.login)
        elif owner and owner not in self.offers():
            raise NotFound(
                f"{owner} has admitted {self.login} to no project of this repository.",
                f"{owner} says: tacit sync --invite {self.login}",
            )
        self.owner = owner or self.login

    def invite(self, login: str) -> None:
        """Admit a login to one's own project."""
        if self.owner not in ("", self.login):
            raise Refused(f"Only {self.owner}, whose project it is, admits others.", "")
        with _told("admitting a member on"):
            self._connection.execute(_ADMIT, {"p": self.project, "login": login})

    # -- lines ---------------------------------------------------------------------------------------

    def read(self, numbers: Mapping[str, int], mine: str) -> dict[str, list[Item]]:
        """What is new since these numbers; where nothing but our own was ever heard, today's lessons alone."""
        with _told("reading from"):
            if not numbers.keys() - {mine}:
                told = self._items(self._rows(_NEWEST, p=self.project))
                after = {"p": self.project, "a": self.login, "m": mine, "n": numbers.get(mine, 0)}
                own = self._items((self.login, mine, *row) for row in self._rows(_AFTER, **after))
                told |= own
                pushes = self._rows(_PUSHES, p=self.project)
                for key, items in self._items((*row[:3], "", row[3]) for row in pushes).items():
                    told.setdefault(key, []).extend(items)
                return told
            found: dict[str, list[Item]] = {}
            machines = self._rows(_MACHINES, p=self.project)
            for author, machine in machines:
                after = numbers.get(self._key(author, machine), 0)
                rows = self._rows(_AFTER, p=self.project, a=author, m=machine, n=after)
                found |= self._items((author, machine, *row) for row in rows)
            return found

    def lines_of(self, lessons: Sequence[str]) -> dict[str, list[Item]]:
        """All lines of some lessons: what stands behind a newest one that nobody allowed has signed."""
        with _told("reading from"):
            return self._items(self._rows(_OF_LESSONS, p=self.project, of=list(lessons)))

    def _items(self, rows: Any) -> dict[str, list[Item]]:
        found: dict[str, list[Item]] = {}
        for author, machine, number, body, signature in rows:
            key = self._key(author, machine)
            items = found.setdefault(key, [])
            self.reached[key] = max(number, self.reached.get(key, 0))
            for text in filter(None, (body, signature)):
                items.append(item_of(text.encode(), machine, f"row {number}"))
        return found

    def _key(self, author: str, machine: str) -> str:
        """A machine's name here: two logins may each have one of the same name."""
        return machine if author == self.login else f"{machine}@{author}"

    def send(self, machine: str, new: Sequence[Line | Push], gone: Mapping[bytes, str]) -> None:
        """Add what is new, the push with the last line, in one transaction; whoever listens is told."""
        lines = [item for item in new if isinstance(item, Line)]
        push = next((item.body for item in new if isinstance(item, Push)), "")
        if not lines:
            return
        signed = [*[""] * (len(lines) - 1), push]
        rows = {"n": [line.n for line in lines], "b": [line.body for line in lines], "s": signed}
        try:
            with _told("writing to"), self._connection.transaction():
                self._connection.execute(_TELL, {"p": self.project, "m": machine, **rows})
                self._connection.execute(
                    "SELECT pg_notify(%s, %s)", (CHANNEL, hex_digest(self.project))
                )
        except _Twice:
            raise Unavailable(
                "Another machine with this one's name wrote meanwhile; nothing is lost.",
                "Sync again: it takes another name.",
            ) from None

    # -- news ----------------------------------------------------------------------------------------

    def listen(self) -> bool:
        """Hear of what others tell from now on; False where this server cannot say."""
        try:
            self._connection.execute(f"LISTEN {CHANNEL}")
        except psycopg.Error:
            return False
        return True

    def has_news(self, seconds: float) -> bool:
        """Whether somebody told something of this project within so many seconds; `Unavailable` where the server went away."""
        mine = hex_digest(self.project)
        with _told("listening to"):
            heard = self._connection.notifies(timeout=seconds, stop_after=1)
            return any(each.payload == mine for each in heard)

    def _rows(self, sql: str, **named: Any) -> list[Any]:
        return self._connection.execute(sql, named or None).fetchall()

    def _one(self, sql: str) -> Any:
        return self._connection.execute(sql).fetchone()


class _Twice(TacitError):
    """A row with this number is there."""


@contextmanager
def _told(doing: str) -> Iterator[None]:
    """What a server's refusal means, in one line with what to do."""
    try:
        yield
    except errors.UniqueViolation:
        raise _Twice() from None
    except errors.InsufficientPrivilege as error:
        raise Refused(
            f"{doing.capitalize()} the server was refused: {_line(error)}.",
            "Is this login admitted? tacit sync --invite LOGIN, by the project's owner.",
        ) from None
    except errors.UndefinedObject as error:
        raise NotFound(f"{doing.capitalize()} the server: {_line(error)}.", "") from None
    except errors.CheckViolation as error:
        raise UsageError(f"{doing.capitalize()} the server: {_line(error)}.") from None
    except psycopg.Error as error:
        raise Unavailable(
            f"{doing.capitalize()} the server failed: {_line(error)}; nothing is lost, the memory"
            " here works on.",
            "Check the address, the network and ~/.pgpass, then tacit sync.",
        ) from None


def _line(error: psycopg.Error) -> str:
    said = error.diag.message_primary or [*str(error).strip().splitlines(), "no reason"][-2]
    return said.strip().rstrip(".")[:200]


_FOUND = (
    "SELECT obj_description(n.oid, 'pg_namespace'), pg_get_userbyid(n.nspowner)"
    " FROM (SELECT 'tacit' AS name) AS wanted LEFT JOIN pg_namespace n ON n.nspname = wanted.name"
)
# Triggers, rules, and functions that a default, a check or a policy would call.
_STRANGE = """
WITH ours AS (SELECT oid FROM pg_class WHERE relnamespace = 'tacit'::regnamespace)
SELECT min(what) FROM (
  SELECT 'the trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM ours)
  UNION ALL SELECT 'the rule ' || rulename FROM pg_rewrite WHERE ev_class IN (SELECT oid FROM ours)
  UNION ALL SELECT 'the function ' || p.proname FROM pg_proc p WHERE p.pronamespace = 'tacit'::regnamespace
  UNION ALL SELECT 'the function ' || p.proname FROM pg_depend d JOIN pg_proc p ON p.oid = d.refobjid
    WHERE d.refclassid = 'pg_proc'::regclass AND p.pronamespace <> 'pg_catalog'::regnamespace AND d.objid IN (
      SELECT oid FROM pg_attrdef WHERE adrelid IN (SELECT oid FROM ours)
      UNION ALL SELECT oid FROM pg_policy WHERE polrelid IN (SELECT oid FROM ours)
      UNION ALL SELECT oid FROM pg_constraint WHERE conrelid IN (SELECT oid FROM ours))
) AS strange (what)
"""
_ADMIT = (
    "INSERT INTO tacit.member (project, login) SELECT %(p)s, rolname FROM pg_roles"
    " WHERE rolname = %(login)s ON CONFLICT DO NOTHING"
)
_TELL = (
    "INSERT INTO tacit.line (project, machine, number, body, signature)"
    " SELECT %(p)s, %(m)s, * FROM unnest(%(n)s::bigint[], %(b)s::text[], %(s)s::text[])"
)
_PUSHES = (
    "SELECT author, machine, number, signature FROM tacit.line"
    " WHERE project = %(p)s AND signature <> '' ORDER BY author, machine, number"
)
_AFTER = (
    "SELECT number, body, signature FROM tacit.line WHERE project = %(p)s AND author = %(a)s"
    " AND machine = %(m)s AND number > %(n)s ORDER BY number"
)
_OF_LESSONS = (
    "SELECT author, machine, number, body, '' FROM tacit.line"
    " WHERE project = %(p)s AND lesson = ANY(%(of)s)"
)
# One step down an index a lesson, or a machine: a server that skips by itself is not asked for.
_NEWEST = """
WITH RECURSIVE newest AS (
  (SELECT author, machine, number, body, lesson FROM tacit.line WHERE project = %(p)s
   ORDER BY lesson, at DESC, machine DESC, number DESC LIMIT 1)
  UNION ALL
  SELECT next.* FROM newest CROSS JOIN LATERAL (
    SELECT author, machine, number, body, lesson FROM tacit.line
    WHERE project = %(p)s AND lesson > newest.lesson
    ORDER BY lesson, at DESC, machine DESC, number DESC LIMIT 1) AS next
)
SELECT author, machine, number, body, '' FROM newest
"""
_MACHINES = """
WITH RECURSIVE heard AS (
  (SELECT author, machine FROM tacit.line WHERE project = %(p)s ORDER BY author, machine LIMIT 1)
  UNION ALL
  SELECT next.* FROM heard CROSS JOIN LATERAL (
    SELECT author, machine FROM tacit.line
    WHERE project = %(p)s AND (author, machine) > (heard.author, heard.machine)
    ORDER BY author, machine LIMIT 1) AS next
)
SELECT author, machine FROM heard
"""

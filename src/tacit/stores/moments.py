"""What a hook reads of a store at a moment, and what it writes down before it answers: all SQL of the hot path.

Plain tuples and one slotted class. A hook starts Python for each prompt, so nothing here loads what a prompt does not
use. Every function takes what has `rows(sql, *bound)`: a store, or a transaction in it.
"""

from __future__ import annotations

import apsw

from tacit.core.states import ACTIVE, ENDING_VERDICTS
from tacit.core.value import dumps, loads
from tacit.store.file import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from tacit.core.rows import Choice
    from tacit.stores.identity import Place

    class Reads(Protocol):
        """A store, or a transaction on one."""

        def rows(self, sql: str, *bound: Any) -> list[Any]: ...


SCHEMA = 16  # PRAGMA user_version
LOG_LIMIT = 4 << 20  # bytes to which the write-ahead log is cut
AHEAD = 4  # rows that are looked at for each candidate, before all are
PARTS = 0.3  # weight of what the index holds beside a text, among candidates
WAYS = 200  # ways of working that are looked at for a start
NEIGHBOURS = (-2, -1, 1, 2)  # how far away what is added in one group counts as beside
AT_ODDS = 1000  # open questions about two lessons that say opposite things

# What may ever be given to an agent; selection and trial narrow it further, nothing widens it.
TOLD = (
    f" AND m.state = '{ACTIVE}' AND m.gate = 'allow'"
    f" AND m.verdict NOT IN ({', '.join(f'{word!r}' for word in ENDING_VERDICTS)})"
    " AND m.superseded_by = ''"
)
_KINDS = {
    **dict.fromkeys(("rule", "security"), "way"),
    **dict.fromkeys(("fix", "pitfall", "command"), "cure"),
    "preference": "preference",
}
_SIGNED = {"E": "output", "T": "call", "U": "prompt"}


def opened(path: str, wait: float) -> Store:
    """A store as a hook opens it: it is there, of this version, and may be written."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
    store = Store(path, apsw.Connection(path, flags=flags), wait)
    try:
        found = store.rows(
            "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;"
            f" PRAGMA journal_size_limit = {LOG_LIMIT}; PRAGMA user_version"
        )
        if found[-1][0] != SCHEMA:
            raise ValueError(f"{path} is of another version")
        # a prompt waits: whoever comes next folds the log back
        store.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    except BaseException:
        store.close()
        raise
    return store


# --- projects and settings


class Project:
    """A project, as a moment needs it."""

    __slots__ = ("id", "profile", "root", "trial_key", "values")

    def __init__(self, id: str, root: str, trial_key: bytes, profile: str, values: Any) -> None:
        self.id, self.root, self.trial_key = id, root, trial_key
        self.profile = profile  # the name of its way of remembering
        self.values: Mapping[str, Any] = values or {}  # what is set otherwise in it


def project(store: Reads, id: str) -> Project | None:
    """A project by its id; None where nothing was ever kept for it."""
    for root, key, kept in store.rows(
        "SELECT p.root, p.trial_key, f.compiled FROM project p"
        " LEFT JOIN profile f ON f.id = p.profile WHERE p.id = ?",
        id,
    ):
        way = loads(kept) if kept else {}
        return Project(id, root, key, way.get("name", "default"), way.get("values"))
    return None


def places(store: Reads) -> list[tuple[str, str, str, str, str]]:
    """Where all projects lie: id, name, root, key, remote."""
    return store.rows("SELECT id, name, root, key, remote FROM project ORDER BY created_at, id")


def choice(store: Reads, place: Place) -> Choice:
    """The project that the store has for a place."""
    from tacit.core.rows import decide_project

    known = places(store)
    by_id = [id for id, *_ in known if id == place.id]
    # A clone of a local repository has that repository's folder as its remote.
    by_remote = [id for id, _, root, _, at in known if place.remote and place.remote in (at, root)]
    by_key = [id for id, _, _, key, _ in known if place.key and key == place.key]
    if place.given:
        by_id = [id for id, name, *_ in known if place.given in (id, name)]
    return decide_project(place, by_id, by_remote, by_key)


def meta(store: Reads, key: str) -> str:
    """A setting of the store; empty where it is not set."""
    found = store.rows("SELECT value FROM meta WHERE key = ?", key)
    return found[0][0] if found else ""


def put_meta(tx: Reads, key: str, value: str) -> None:
    """Set a setting of the store."""
    tx.rows(
        "INSERT INTO meta (key, value) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        key,
        value,
    )


def count(tx: Reads, project: str, name: str, at: str) -> None:
    """Count an event of a kind that should be rare."""
    tx.rows(
        "INSERT INTO counter (project, day, name, count) VALUES (?, ?, ?, 1)"
        " ON CONFLICT (project, day, name) DO UPDATE SET count = counter.count + 1",
        project,
        at[:10],
        name,
    )


# --- lessons


class Candidate:
    """A lesson that may be delivered, as moments see it."""

    __slots__ = (
        *("n", "id", "project", "text", "kind", "about", "files", "sign", "sign_in", "word"),
        *("by", "always", "family", "extra", "met", "klass", "state", "severity", "verdict"),
        *("on_page", "source", "scope", "agent", "category", "own_kind", "signals"),
    )

    def __init__(self, row: Sequence[Any]) -> None:
        (self.n, self.id, self.project, self.text, self.own_kind, self.klass, self.about) = row[:7]
        self.files: tuple[str, ...] = tuple(loads(row[7])) if row[7] else ()
        extra: Mapping[str, Any] = loads(row[8]) if row[8] else {}
        self.signals: Mapping[str, float] = loads(row[9])
        (self.by, self.state, self.severity, self.verdict, always, on_page) = row[10:16]
        (self.family, self.source, self.scope, self.agent, self.category) = row[16:]
        self.kind = _KINDS.get(self.klass) or (
            "decision" if self.own_kind == "decision" else "fact"
        )
        self.extra = extra
        sign = extra.get("sign")
        found = sign[:2] if isinstance(sign, list) and len(sign) > 1 else ("", "")
        self.sign_in, self.sign = _SIGNED.get(str(found[0]), ""), str(found[1])
        self.always, self.on_page = bool(always), bool(on_page)
        self.met = int(self.signals.get("seen", 0))  # session groups that vouch for it
        vouched = extra.get("witness") == "user" or self.signals.get("confirmed")
        self.word = "person" if self.by == "user" or vouched else "session"


_CANDIDATES = (
    "SELECT m.n, m.id, m.project, m.text, m.kind, m.klass, m.about, m.paths, m.extra,"
    " (SELECT json_group_object(signal, amount) FROM tally WHERE memory = m.id),"
    " m.trust, m.state, m.severity, m.verdict, m.pinned, m.on_page, m.family, m.source,"
    " m.scope, m.agent, m.category FROM memory m"
)


def candidates(store: Reads, numbers: Iterable[int], *, told: bool = True) -> list[Candidate]:
    """These lessons in this order; with `told`, only those that may be delivered."""
    wanted = list(numbers)
    where = " WHERE m.n IN (SELECT value FROM json_each(?))"
    rows = store.rows(_CANDIDATES + where + (TOLD if told else ""), dumps(wanted))
    found = {row[0]: Candidate(row) for row in rows}
    return [found[n] for n in wanted if n in found]


def by_id(store: Reads, ids: Iterable[str], *, told: bool = True) -> list[Candidate]:
    """The same, by their ids."""
    wanted = list(ids)
    where = " WHERE m.id IN (SELECT value FROM json_each(?))"
    rows = store.rows(_CANDIDATES + where + (TOLD if told else ""), dumps(wanted))
    found = {row[1]: Candidate(row) for row in rows}
    return [found[id] for id in wanted if id in found]


def about_errors(store: Reads, projects: Sequence[str], marks: Sequence[str]) -> list[int]:
    """The lessons about exactly these errors, the newest first."""
    rows = store.rows(
        "SELECT m.n FROM memory m WHERE m.project IN (SELECT value FROM json_each(?))"
        f" AND m.signature IN (SELECT value FROM json_each(?)) AND m.signature <> ''{TOLD}"
        " ORDER BY m.n DESC LIMIT 20",
        dumps(list(projects)),
        dumps(list(marks)),
    )
    return [n for (n,) in rows]


def error_and_tags(store: Reads, id: str) -> tuple[str, tuple[str, ...]]:
    """The error that a lesson is about, and its tags."""
    ((signature, tags),) = store.rows("SELECT signature, tags FROM memory WHERE id = ?", id)
    return signature, tuple(loads(tags)) if tags else ()


def at_odds(store: Reads, project: str) -> list[frozenset[str]]:
    """Pairs of lessons that wait for a judge because they say opposite things."""
    rows = store.rows(
        "SELECT memory, payload FROM proposal WHERE project = ? AND state = 'open'"
        f" AND kind = 'contradiction' ORDER BY created_at, id LIMIT {AT_ODDS}",
        project,
    )
    return [
        frozenset((memory, str((loads(kept) if kept else {}).get("other", ""))))
        for memory, kept in rows
    ]


def signers(store: Reads, lessons: Sequence[Candidate]) -> dict[str, str]:
    """Who signed the words of a team's lessons, as they stand; nobody where somebody changed them."""
    texts = {each.id: each.text for each in lessons}
    found: dict[str, str] = {}
    for id, signer, words in store.rows(
        "SELECT memory, signer, words FROM shared WHERE memory IN"
        " (SELECT value FROM json_each(?)) AND words <> ''"
        " AND standing <> 'unknown' ORDER BY n",
        dumps(list(texts)),
    ):
        if str(loads(words)["says"].get("text", "")) == texts[id]:
            found[id] = signer
    return {id: signer for id, signer in found.items() if signer}


# --- full text


class Text:
    """A lesson as it is read for ranking."""

    __slots__ = ("about", "group", "hearsay", "parts", "tasks", "text")

    def __init__(
        self,
        text: str,
        about: str = "",
        parts: str = "",
        tasks: Sequence[str] = (),
        group: str = "",
        hearsay: bool = False,
    ) -> None:
        self.text = text
        self.about = about  # its topic and names
        self.parts = parts  # what the index holds beside the text: parts of names, files
        self.tasks = tasks  # in which it was met
        self.group = group  # it stands in a row with others of this name
        self.hearsay = hearsay


_HEARSAY = ("imported", "quoted", "agent")


class FullText:
    """The lessons of some projects in one store; with `told`, only what may be delivered."""

    def __init__(self, store: Any, projects: Sequence[str], told: bool) -> None:
        self.store = store
        self.names = projects
        self.total, self.usual = _sizes(store)
        self._read = store.connection.fts5_tokenizer("porter", ["unicode61"])
        self._tokens: dict[str, list[str]] = {}
        self.projects = dumps(list(projects))
        self.may = TOLD if told else ""

    def tokens(self, text: str) -> list[str]:
        """A text as the index reads it."""
        found = self._tokens.get(text)
        if found is None:
            raw, flag = text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_DOCUMENT
            found = self._read(raw, flag, None, include_offsets=False, include_colocated=False)
            self._tokens[text] = found
        return found

    def counts(self, tokens: Iterable[str]) -> dict[str, int]:
        """How many lessons hold each word; what none holds is left out."""
        return dict(
            self.store.rows(
                "SELECT word, rows FROM term WHERE word IN (SELECT value FROM json_each(?))",
                dumps(list(tokens)),
            )
        )

    def match(self, words: Sequence[str], most: int) -> list[int]:
        """The lessons that hold any of these words, the best first."""
        asked = " OR ".join(f'"{word}"' for word in words)
        found: list[int] = []
        # The best rows may be other projects', or not to be told: then all that hold a word are looked at.
        for looked_at in (AHEAD * most, -1):
            if words and len(found) < most:
                rows = self.store.rows(
                    _MATCH.format(self.may), asked, looked_at, self.projects, most
                )
                found = [n for (n,) in rows]
        return found

    def beside(self, numbers: Sequence[int]) -> list[int]:
        """What stands one step or two beside these lessons."""
        near = sorted({n + step for n in numbers for step in NEIGHBOURS})
        rows = self.store.rows(
            "SELECT m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(?))"
            f" AND m.project IN (SELECT value FROM json_each(?)){self.may}",
            dumps(near),
            self.projects,
        )
        return [n for (n,) in rows]

    def ways(self) -> list[int]:
        """What is pinned, then ways of working and preferences, the newest first."""
        rows = self.store.rows(
            "SELECT m.n FROM memory m WHERE m.project IN (SELECT value FROM json_each(?))"
            f" AND (m.pinned = 1 OR m.klass IN ('rule', 'preference')){self.may}"
            f" ORDER BY m.pinned DESC, m.n DESC LIMIT {WAYS}",
            self.projects,
        )
        return [n for (n,) in rows]

    def texts(self, numbers: Iterable[int]) -> dict[int, Text]:
        """Their texts, by number."""
        rows = self.store.rows(
            "SELECT n, text, about, words, extra, trust FROM memory"
            " WHERE n IN (SELECT value FROM json_each(?))",
            dumps(list(numbers)),
        )
        found = {}
        for n, text, about, words, extra, trust in rows:
            parts, *tasks = words.split("\n")
            met = loads(extra).get("met_in") if '"met_in"' in extra else None
            group = str(met.get("group") or "") if isinstance(met, dict) else ""
            found[n] = Text(text, about.replace("*", ""), parts, tasks, group, trust in _HEARSAY)
        return found


_MATCH = (
    f"SELECT m.n FROM (SELECT rowid AS n, bm25(memory_fts, 1.0, {PARTS}) AS fit FROM memory_fts"
    " WHERE memory_fts MATCH ? ORDER BY 2, 1 LIMIT ?) f JOIN memory m ON m.n = f.n"
    " WHERE m.project IN (SELECT value FROM json_each(?)){} ORDER BY f.fit, m.n LIMIT ?"
)


def _sizes(store: Reads) -> tuple[int, float]:
    """The highest number of a lesson, and the mean words of a text.

    FTS5 keeps their sums: numbers of seven bits a byte, the rows first, then each column's words.
    """
    ((total, block),) = store.rows(
        "SELECT (SELECT coalesce(max(n), 0) FROM memory),"
        " (SELECT block FROM memory_fts_data WHERE id = 1)"
    )
    numbers, number = list[int](), 0
    for byte in block or b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return total, numbers[1] / numbers[0] if len(numbers) > 1 and numbers[0] else 0.0


# --- sessions and deliveries


def session(store: Reads, id: str) -> tuple[str, str, str, str, str] | None:
    """A session's host, name, group, model and agent; None where the store has not met it."""
    found = store.rows("SELECT host, foreign_id, root, model, agent FROM run WHERE id = ?", id)
    return found[0] if found else None


def session_named(store: Reads, project: str, name: str) -> str:
    """A session by the host's own id; of several that bear it, the one that was learned."""
    rows = store.rows(
        "SELECT id FROM run WHERE project = ? AND (foreign_id = ? OR id = ?)"
        " ORDER BY seq DESC LIMIT 1",
        project,
        name,
        name,
    )
    return rows[0][0] if rows else ""


class Answered:
    """What one answer gave a context, and what it held out."""

    __slots__ = ("at", "context", "given", "held", "surface", "tokens")

    def __init__(self, row: Sequence[Any]) -> None:
        self.surface, given, held, left, self.at, self.tokens = row
        self.given: list[str] = loads(given)
        self.held: list[str] = loads(held)
        asked = loads(left).get("asked") if '"context"' in left else None
        self.context = str(asked.get("context") or "") if isinstance(asked, dict) else ""


def delivered(store: Reads, group: str) -> list[Answered]:
    """What a session group was given or denied, the oldest first."""
    rows = store.rows(
        "SELECT surface, given, withheld, left_out, at, tokens FROM injection"
        " WHERE unit = ? ORDER BY id",
        group,
    )
    return [Answered(row) for row in rows]


class Use:
    """A lesson's recorded arm in a session group."""

    __slots__ = ("arm", "family", "memory", "probability")

    def __init__(self, memory: str, family: str, arm: str, probability: float) -> None:
        self.memory, self.family, self.arm, self.probability = memory, family, arm, probability


def assigned(store: Reads, group: str) -> list[Use]:
    """The coins of a session group."""
    rows = store.rows(
        "SELECT memory, family, arm, probability FROM use WHERE unit = ?"
        " ORDER BY at, (SELECT m.n FROM memory m WHERE m.id = use.memory), memory",
        group,
    )
    return [Use(*row) for row in rows]


def put_session(tx: Reads, row: Mapping[str, str]) -> None:
    """Write down a session that is told something before it was learned; the first word stays."""
    tx.rows(
        "INSERT INTO run (id, project, host, foreign_id, root, seq, agent, model, version, domain,"
        " task, task_id, task_type, outcome, complete, started_at, ended_at, learned_at,"
        " settled_at, path, facts, hash)"
        " VALUES (?, ?, ?, ?, ?, 0, ?, ?, '', ?, '', ?, ?, 'unknown', 0, ?, '', '', '', '', '', x'')"
        " ON CONFLICT (id) DO NOTHING",
        *(row["id"], row["project"], row["host"], row["name"], row["group"], row["agent"]),
        *(row["model"], row["domain"], row["task_id"], row["task_type"], row["at"]),
    )


def is_answered(tx: Reads, event: str) -> bool:
    """Whether this very event was answered before."""
    return bool(tx.rows("SELECT 1 FROM injection WHERE event = ?", event))


def record(tx: Reads, answer: Mapping[str, Any], made: Iterable[Mapping[str, Any]]) -> None:
    """Write down what is about to be told and what is held out: the answer, and each new coin."""
    at = answer["at"]
    whose = (answer["project"], answer["session"], answer["group"], answer["surface"])
    if "given" in answer:
        tx.rows(
            "INSERT INTO injection (event, project, run, unit, surface, tokens, given, withheld,"
            " left_out, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(answer["event"], *whose, answer["tokens"], dumps(answer["given"])),
            *(dumps(answer["held"]), dumps(answer["left"], ensure_ascii=False), at),
        )
    project, session, group, surface = whose
    for each in made:
        if not each["recorded"]:
            tx.rows(
                "INSERT INTO use (memory, unit, project, run, family, arm, probability, surface,"
                " epoch, instrument, instrument_eligible, task, blank, at, hash)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, x'')"
                " ON CONFLICT DO NOTHING",
                *(each["lesson"], group, project, session, each["family"], each["arm"]),
                *(float(each["probability"]), surface, "", each["instrument"]),
                *(each["eligible"], answer["task"], 0, at),
            )
            used_at = "" if each["arm"] == "withheld" else at
            tx.rows(
                "INSERT INTO tally (memory, signal, project, amount, at)"
                " VALUES (?, 'uses', ?, 1.0, ?) ON CONFLICT (memory, signal) DO UPDATE SET"
                " amount = tally.amount + 1, at = max(excluded.at, tally.at)",
                *(each["lesson"], project, used_at),
            )
        for signal, said in each["marks"]:
            tx.rows(
                "INSERT INTO use_mark (memory, unit, project, signal, value, amount, run, surface,"
                " reason, at, hash) VALUES (?, ?, ?, ?, ?, 1.0, ?, ?, '', ?, x'')",
                *(each["lesson"], group, project, signal, said, session, surface, at),
            )
            tx.rows(
                "INSERT INTO tally (memory, signal, project, amount, at) VALUES (?, ?, ?, 1.0, '')"
                " ON CONFLICT (memory, signal) DO UPDATE SET amount = tally.amount + 1",
                *(each["lesson"], signal, project),
            )


# --- the queue


def queued(store: Reads, key: str) -> tuple[str, str] | None:
    """When a job was last asked for, and with what; None where it does not wait."""
    found = store.rows("SELECT at, payload FROM queue WHERE key = ?", key)
    return found[0] if found else None


def is_job_due(store: Reads, now: str) -> bool:
    """Whether a job may be taken that nobody works on."""
    asked = "SELECT 1 FROM queue WHERE not_before <= ? AND lease_until <= ? LIMIT 1"
    return bool(store.rows(asked, now, now))


def enqueue(
    tx: Reads, kind: str, key: str, project: str, said: Mapping[str, Any], at: str, later: str = ""
) -> None:
    """Ask the worker for something; the same key again refreshes what waits."""
    tx.rows(
        "INSERT INTO queue (kind, key, project, payload, at, not_before, attempts, lease,"
        " lease_until, error) VALUES (?, ?, ?, ?, ?, ?, 0, '', '', '') ON CONFLICT (key) DO UPDATE"
        " SET payload = excluded.payload, at = excluded.at, not_before = excluded.not_before,"
        " attempts = 0",
        *(kind, key, project, dumps(said, ensure_ascii=False, separators=(",", ":")), at, later),
    )

"""What a hook reads of a store at a moment, and what it writes down before it answers: all SQL of the hot path.

Plain tuples and one slotted class. A hook starts Python for each prompt, so nothing here loads what a prompt does not
use. Every function takes what has `rows(sql, *bound)`: a store, or a transaction in it.
"""

from __future__ import annotations

import apsw

from tacit.core.value import dumps, loads
from tacit.store.file import LOG_LIMIT, SCHEMA, Store
from tacit.store.search import NEIGHBOURS as NEIGHBOURS
from tacit.store.search import PARTS as PARTS
from tacit.store.search import TOLD, TRUSTS
from tacit.store.search import WAYS as WAYS
from tacit.store.search import FullText as FullText
from tacit.store.search import Text as Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from tacit.core.rows import Choice
    from tacit.place.identity import Place

    class Reads(Protocol):
        """A store, or a transaction on one."""

        def rows(self, sql: str, *bound: Any) -> list[Any]: ...


AT_ODDS = 1000  # open questions about two lessons that say opposite things
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
        "SELECT p.root, p.trial_key, s.value FROM project p"
        " LEFT JOIN setting s ON s.key = 'compiled:' || p.origin WHERE p.id = ?",
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
    found = store.rows("SELECT value FROM setting WHERE key = ?", key)
    return found[0][0] if found else ""


def put_meta(tx: Reads, key: str, value: str) -> None:
    """Set a setting of the store."""
    tx.rows(
        "INSERT INTO setting (key, value) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        key,
        value,
    )


def count(tx: Reads, project: str, name: str, at: str) -> None:
    """Count an event of a kind that should be rare."""
    tx.rows(
        "INSERT INTO common (project, kind, what, count) VALUES (?, 'event', ?, 1)"
        " ON CONFLICT DO UPDATE SET count = count + 1",
        project,
        f"{at[:10]} {name}",
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
        (self.n, self.id, self.project, self.text, kind, self.klass, self.about, files) = row[:8]
        extra, counts, word, self.state, always, self.family = row[8:]
        self.files: tuple[str, ...] = tuple(loads(files)) if files else ()
        self.extra: Mapping[str, Any] = loads(extra) if extra else {}
        was = self.extra.get("was", {})
        self.signals: Mapping[str, float] = (
            {name: at[0] for name, at in loads(counts).items()} if counts else {}
        )
        self.own_kind, self.by = was.get("kind") or kind, was.get("trust") or TRUSTS[word]
        self.severity = was.get("severity", "info")
        self.verdict = was.get("verdict", "not yet known")
        self.scope, self.source = was.get("scope", "project"), was.get("source", "")
        self.agent, self.category = was.get("agent", ""), was.get("category", "")
        self.kind = _KINDS.get(self.klass) or (
            "decision" if self.own_kind == "decision" else "fact"
        )
        sign = self.extra.get("sign")
        found = sign[:2] if isinstance(sign, list) and len(sign) > 1 else ("", "")
        self.sign_in, self.sign = _SIGNED.get(str(found[0]), ""), str(found[1])
        self.always, self.on_page = bool(always), bool(was.get("on_page"))
        self.met = int(self.signals.get("seen", 0))  # session groups that vouch for it
        vouched = self.extra.get("witness") == "user" or self.signals.get("confirmed")
        self.word = "person" if self.by == "user" or vouched else "session"


_CANDIDATES = (
    "SELECT m.n, m.id, m.project, m.text, m.kind, m.klass, m.about, m.files, m.extra, m.counts,"
    " m.word, m.stood, m.always, m.family FROM lesson m"
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
        "SELECT m.n FROM lesson m WHERE m.project IN (SELECT value FROM json_each(?))"
        f" AND m.signature IN (SELECT value FROM json_each(?)) AND m.signature <> ''{TOLD}"
        " ORDER BY m.n DESC LIMIT 20",
        dumps(list(projects)),
        dumps(list(marks)),
    )
    return [n for (n,) in rows]


def at_odds(store: Reads, project: str) -> list[frozenset[str]]:
    """Pairs of lessons that wait for a judge because they say opposite things."""
    rows = store.rows(
        "SELECT lesson, payload FROM question WHERE project = ? AND answered_at = ''"
        f" AND kind = 'contradiction' ORDER BY asked_at, id LIMIT {AT_ODDS}",
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
        "SELECT lesson, signer, body FROM journal WHERE lesson IN"
        " (SELECT value FROM json_each(?)) AND body <> ''"
        " AND standing <> 'waiting' ORDER BY n",
        dumps(list(texts)),
    ):
        if str(loads(words)["says"].get("text", "")) == texts[id]:
            found[id] = signer
    return {id: signer for id, signer in found.items() if signer}


# --- sessions and deliveries


def session(store: Reads, id: str) -> tuple[str, str, str, str, str] | None:
    """A session's host, name, group, model and agent; None where the store has not met it."""
    found = store.rows('SELECT host, name, "group", model, agent FROM session WHERE id = ?', id)
    return found[0] if found else None


def session_named(store: Reads, project: str, name: str) -> str:
    """A session by the host's own id; of several that bear it, the one that was learned."""
    rows = store.rows(
        "SELECT id FROM session WHERE project = ? AND (name = ? OR id = ?)"
        " ORDER BY number DESC LIMIT 1",
        project,
        name,
        name,
    )
    return rows[0][0] if rows else ""


class Answered:
    """What one answer gave a context, and what it held out."""

    __slots__ = ("at", "context", "given", "held", "surface", "tokens")

    def __init__(self, row: Sequence[Any]) -> None:
        self.surface, said, self.at, self.tokens = row
        kept = loads(said)
        self.given: list[str] = kept["given"]
        self.held: list[str] = kept["withheld"]
        asked = kept.get("left_out", {}).get("asked")
        self.context = str(asked.get("context") or "") if isinstance(asked, dict) else ""


def delivered(store: Reads, group: str) -> list[Answered]:
    """What a session group was given or denied, the oldest first."""
    rows = store.rows(
        "SELECT moment, extra, at, tokens FROM delivery WHERE \"group\" = ? AND lesson = ''"
        " ORDER BY n",
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
        'SELECT d.lesson, d.family, d.arm, d.probability FROM delivery d WHERE d."group" = ?'
        " AND d.lesson <> '' ORDER BY d.at, (SELECT m.n FROM lesson m WHERE m.id = d.lesson)",
        group,
    )
    return [Use(id, family, _ARMS.get(arm, arm), held) for id, family, arm, held in rows]


def put_session(tx: Reads, row: Mapping[str, str]) -> None:
    """Write down a session that is told something before it was learned; the first word stays."""
    names = ("domain", "task_id", "task_type")
    extra = {name: row[name] for name in names if row[name]}
    tx.rows(
        'INSERT INTO session (id, project, host, name, "group", number, agent, model, task,'
        " outcome, complete, path, started_at, ended_at, learned_at, extra)"
        " VALUES (?, ?, ?, ?, ?, 0, ?, ?, '', 'unknown', 0, '', ?, '', '', ?)"
        " ON CONFLICT (id) DO NOTHING",
        *(row["id"], row["project"], row["host"], row["name"], row["group"], row["agent"]),
        *(row["model"], row["at"], dumps(extra, ensure_ascii=False) if extra else ""),
    )


def is_answered(tx: Reads, event: str) -> bool:
    """Whether this very event was answered before."""
    return bool(tx.rows("SELECT 1 FROM delivery WHERE event = ? AND lesson = ''", event))


def record(tx: Reads, answer: Mapping[str, Any], made: Iterable[Mapping[str, Any]]) -> None:
    """Write down what is about to be told and what is held out: the answer, and each new coin."""
    at = answer["at"]
    whose = (answer["project"], answer["session"], answer["group"], answer["surface"])
    if "given" in answer:
        said = {"given": list(answer["given"]), "withheld": list(answer["held"])}
        _deliver(tx, "", whose, answer, "exempt", {**said, "left_out": answer["left"]})
    project, session, group, surface = whose
    for each in made:
        counts = _counts(tx, each["lesson"])
        if not each["recorded"]:
            known = 'SELECT 1 FROM delivery WHERE "group" = ? AND lesson = ?'
            if not tx.rows(known, group, each["lesson"]):
                more = {
                    "instrument": each["instrument"],
                    "instrument_eligible": int(each["eligible"]),
                    "task": answer["task"],
                }
                coin = {**answer, **each, "event": "", "tokens": 0}
                kept = {name: held for name, held in more.items() if held}
                arm = _AS_KEPT.get(each["arm"], each["arm"])
                _deliver(tx, each["lesson"], whose, coin, arm, kept)
            amount, last = counts.get("uses", (0.0, ""))
            used_at = "" if each["arm"] == "withheld" else at
            counts["uses"] = (amount + 1, max(last, used_at))
        for signal, said in each["marks"]:
            tx.rows(
                'INSERT INTO evidence (lesson, project, session, "group", stance, measure, amount,'
                " place, quote, \"by\", word, at, extra) VALUES (?, ?, ?, ?, 'supports', ?, 1.0,"
                " (SELECT coalesce(max(n), 0) + 1 FROM evidence), '', '', 'session', ?, ?)",
                *(each["lesson"], project, session, group, f"mark:{signal}", at),
                dumps({"value": said, "surface": surface} if said else {"surface": surface}),
            )
            amount, last = counts.get(signal, (0.0, ""))
            counts[signal] = (amount + 1, last)
        tx.rows("UPDATE lesson SET counts = ? WHERE id = ?", dumps(counts), each["lesson"])


_ARMS = {"delivered": "injected", "held out": "withheld"}
_AS_KEPT = {"injected": "delivered", "withheld": "held out"}


def _deliver(
    tx: Reads,
    lesson: str,
    whose: Sequence[str],
    said: Mapping[str, Any],
    arm: str,
    more: Mapping[str, Any],
) -> None:
    project, session, group, surface = whose
    tx.rows(
        'INSERT INTO delivery (lesson, project, session, "group", context, event, moment, arm,'
        " probability, family, tokens, at, outcome, loss, settled_at, extra)"
        " VALUES (?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, '', 0.0, '', ?)",
        *(lesson, project, session, group, said["event"], surface, arm),
        *(float(said.get("probability", 0.0)), said.get("family", ""), said["tokens"]),
        *(said["at"], dumps(more, ensure_ascii=False) if more else ""),
    )


def _counts(tx: Reads, lesson: str) -> dict[str, Any]:
    found = tx.rows("SELECT counts FROM lesson WHERE id = ?", lesson)
    return loads(found[0][0]) if found and found[0][0] else {}


# --- the queue


def queued(store: Reads, key: str) -> tuple[str, str] | None:
    """When a job was last asked for, and with what; None where it does not wait."""
    found = store.rows("SELECT asked_at, payload FROM job WHERE key = ?", key)
    return found[0] if found else None


def is_job_due(store: Reads, now: str) -> bool:
    """Whether a job may be taken that nobody works on."""
    asked = "SELECT 1 FROM job WHERE not_before <= ? AND held_until <= ? LIMIT 1"
    return bool(store.rows(asked, now, now))


def enqueue(
    tx: Reads, kind: str, key: str, project: str, said: Mapping[str, Any], at: str, later: str = ""
) -> None:
    """Ask the worker for something; the same key again refreshes what waits."""
    tx.rows(
        "INSERT INTO job (kind, key, project, payload, asked_at, not_before, attempts, holder,"
        " held_until, error) VALUES (?, ?, ?, ?, ?, ?, 0, '', '', '') ON CONFLICT (key) DO UPDATE"
        " SET payload = excluded.payload, asked_at = excluded.asked_at, attempts = 0,"
        " not_before = excluded.not_before",
        *(kind, key, project, dumps(said, ensure_ascii=False, separators=(",", ":")), at, later),
    )

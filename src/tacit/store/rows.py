"""Rows as values and values as rows: what a column says, and what stands in a row's `extra`.

Hooks load this module.
"""

from __future__ import annotations

from tacit.core.links import Evidence, Mark, Use
from tacit.core.rows import FindingRow, Project, RunRow
from tacit.core.states import ACTIVE, DOUBTED, ENDING_VERDICTS, GONE, UNDOUBTED, WAITING
from tacit.core.value import dumps, loads
from tacit.lesson import NO_TALLY, Lesson, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Entry
    from tacit.core.proposal import Proposal

MARK, NOTE = "mark:", "note:"  # begin the measure of evidence that is a mark of a use, or a note
FOUND, BURIED = f"{NOTE}finding", f"{NOTE}buried"
SIGHTING = f"measure NOT GLOB '{MARK}*' AND measure NOT GLOB '{NOTE}*'"  # evidence that is neither
EVENT = "event"  # the kind of what is common that is a count of what happened
LINE = "line"  # the verb of what a team's line said that changed nothing by itself
NAME = "name:"  # begins the setting that is another name of a lesson
COMPILED = "compiled:"  # begins the setting that keeps a way of remembering


def json_text(field: Any) -> str:
    """A field as its column keeps it; nothing is empty text."""
    return dumps(field, ensure_ascii=False, separators=(",", ":")) if field else ""


def said(column: str, name: str, default: str | int = "") -> str:
    """What a column of JSON says under a name, as SQL has it."""
    unset = f"'{default}'" if isinstance(default, str) else str(default)
    return f"coalesce(nullif({column}, '') ->> '$.{name}', {unset})"


# --- lessons

# The columns of a lesson that say what it is; its words and counts are derived.
LESSON = (
    "id project text kind about files sign sign_in word by said_at state reason always shared family"
    " replaced_by guard step created_at changed_at extra"
).split()
# What has no column stands under `was` in `extra`, where it is not as here.
WAS: dict[str, str | int] = {
    **dict.fromkeys(("klass", "kind", "category", "domain", "agent", "task_type", "tags"), ""),
    **dict.fromkeys(("source", "origin", "trust", "gate_reason", "previous_state"), ""),
    **dict.fromkeys(("closed_by", "signature", "stale_at", "review_after", "supersedes"), ""),
    **dict.fromkeys(("under_review_count", "on_page", "merged"), 0),
    "scope": "project",
    "severity": "info",
    "gate": "allow",
    "verdict": "not yet known",
}
LISTS = ("tags", "supersedes")
OWN_NAMES = "own"  # under `was`: fields of a foreign record that are called as ours are
KINDS = {
    **dict.fromkeys(("rule", "command", "security"), "way"),
    **dict.fromkeys(("fix", "pitfall"), "cure"),
    "preference": "preference",
}
KLASSES = {"way": "rule", "cure": "fix", "preference": "preference"}
WORDS = {
    **dict.fromkeys(("user", "human", "person"), "person"),
    **dict.fromkeys(("agent", "observed", "review", "team"), "session"),
}
TRUSTS = {"person": "user", "session": "agent"}
SIGN_IN = {"E": "output", "T": "call"}
# Columns of a lesson by the names that its fields have, where these are others.
_CALLED = {
    "paths": "files",
    "pinned": "always",
    "superseded_by": "replaced_by",
    "updated_at": "changed_at",
    "state": "stood",
}
_COLUMNS = ("text", "about", "family", "created_at", "project", "id", "klass", "signature")


def facet(name: str) -> str:
    """A field of a lesson, as SQL has it."""
    if name in _CALLED or name in (*_COLUMNS, "origin", "review_after"):
        return f"m.{_CALLED.get(name, name)}"
    if name == "kind":
        return "coalesce(nullif(m.extra, '') ->> '$.was.kind', m.kind)"
    if name == "trust":
        return (
            "coalesce(nullif(m.extra, '') ->> '$.was.trust', CASE m.word WHEN 'person' THEN 'user'"
            " WHEN 'session' THEN 'agent' ELSE 'imported' END)"
        )
    return said("m.extra", f"was.{name}", WAS[name])


HELD = f"{facet('gate')} = 'hold' AND m.stood = 'waiting'"  # what waits for a person's word

# In the order in which `lesson_from` takes them.
_READ = (
    "id project text about files always family replaced_by created_at changed_at extra counts state"
    " kind word"
).split()
MEMORY_COLUMNS = ", ".join(f"m.{name}" for name in _READ)


def lesson_from(row: Sequence[Any], alias: str = "") -> Lesson:
    """The lesson behind a row of MEMORY_COLUMNS, with what is counted of it."""
    (id, project, text, about, files, always, family, replaced_by, created_at, changed_at) = row[
        :10
    ]
    whole, counts, state, kind, word = row[10:15]
    extra = loads(whole) if whole else {}
    was = extra.pop("was", None) or {}
    extra.update(was.pop(OWN_NAMES, ()))
    at: dict[str, Any] = {name: was.get(name, unset) for name, unset in WAS.items()}
    at.update(
        id=id,
        project=project,
        text=text,
        about=about,
        paths=tuple(loads(files)) if files else (),
        pinned=bool(always),
        family=family,
        superseded_by=replaced_by,
        created_at=created_at,
        updated_at=changed_at,
        kind=at["kind"] or kind,
        klass=at["klass"] or KLASSES.get(kind, "fact"),
        trust=at["trust"] or TRUSTS.get(word, "imported"),
        tags=tuple(at["tags"]),
        supersedes=tuple(at["supersedes"]),
        on_page=bool(at["on_page"]),
        state=was.get("state") or state,
        extra=extra or None,
        alias=alias,
        tally=tally_from(loads(counts) if counts else None),
    )
    # rows come by the dozen on the hook path: filled as they are, without an `__init__`
    lesson = Lesson.__new__(Lesson)
    object.__setattr__(lesson, "__dict__", {name: at[name] for name in Lesson.FIELDS})  # type: ignore[attr-defined]
    return lesson


def fields_of(lesson: Lesson) -> dict[str, Any]:
    """A lesson's columns; who set its words, and when, is the writer's to say."""
    at, extra = lesson.__dict__, dict(lesson.extra or {})
    was = {name: at[name] for name, unset in WAS.items() if at[name] not in (unset, (), False)}
    if "was" in extra:
        was[OWN_NAMES] = {"was": extra.pop("was")}
    state, reason = _standing(lesson)
    if state != lesson.state:
        was["state"] = lesson.state
    sign = extra.get("sign")
    marked = isinstance(sign, list) and len(sign) > 1 and sign[0] in SIGN_IN
    if was:
        extra["was"] = was
    return {
        "id": lesson.id,
        "project": lesson.project,
        "text": lesson.text,
        "kind": "decision" if lesson.kind == "decision" else KINDS.get(lesson.klass, "fact"),
        "about": lesson.about,
        "files": list(lesson.paths),
        "sign": str(sign[1]) if marked else "",
        "sign_in": SIGN_IN[sign[0]] if marked else "",
        "word": WORDS.get(lesson.trust, "outside"),
        "state": state,
        "reason": reason,
        "always": lesson.pinned,
        "family": lesson.family,
        "replaced_by": lesson.superseded_by,
        "created_at": lesson.created_at,
        "changed_at": lesson.updated_at,
        "extra": loads(dumps(extra)),
    }


def _standing(lesson: Lesson) -> tuple[str, str]:
    """Where a lesson stands for whoever delivers it, and why where that is more than a state."""
    if lesson.state in UNDOUBTED and lesson.gate != "allow":
        return WAITING, lesson.gate_reason or "held"
    if lesson.state == ACTIVE and lesson.verdict in ENDING_VERDICTS:
        return DOUBTED, "it was measured to harm"
    if lesson.state == ACTIVE and lesson.superseded_by:
        return GONE, "replaced"
    if lesson.state == GONE:
        return GONE, "replaced" if lesson.superseded_by else lesson.closed_by
    return lesson.state, ""


_JSON = ("files", "extra")
_FLAGS = ("always", "shared")


def field_from(name: str, column: Any) -> Any:
    """A column of a lesson as the field it is."""
    if name in _JSON:
        return loads(column) if column else ([] if name == "files" else {})
    return bool(column) if name in _FLAGS else column


def as_column(name: str, field: Any) -> Any:
    """A field of a lesson as its column keeps it."""
    if name in _JSON:
        return json_text(field)
    return int(field) if name in _FLAGS else field


COUNTED_SIGNALS = ("seen", "uses", "clean", "recurred", "contradicted", "confidence")


def tally_from(counts: Mapping[str, tuple[float, str]] | None) -> Tally:
    """What is counted of a lesson, as its column keeps it."""
    if not counts:
        return NO_TALLY
    number = {name: int(counts[name][0]) for name in COUNTED_SIGNALS[:5] if name in counts}
    others = {name: amount for name, (amount, _) in counts.items() if name not in COUNTED_SIGNALS}
    return Tally(
        **number,
        confidence=counts["confidence"][0] if "confidence" in counts else None,
        seen_at=counts["seen"][1] or None if "seen" in counts else None,
        last_used_at=counts["uses"][1] or None if "uses" in counts else None,
        signals=others or None,
    )


def counts_of(tally: Tally) -> dict[str, Any]:
    """The same as the column keeps it."""
    at, times = tally.__dict__, {"seen": tally.seen_at, "uses": tally.last_used_at}
    counts: dict[str, Any] = {}
    for signal in COUNTED_SIGNALS:
        if at[signal] or (at[signal] is not None and signal == "confidence"):
            counts[signal] = (float(at[signal]), times.get(signal) or "")
    for signal, amount in (tally.signals or {}).items():
        if signal not in COUNTED_SIGNALS:
            counts[signal] = (float(amount), "")
    return counts


def name_key(project: str, alias: str, namespace: str) -> str:
    """The setting that says whose name this is."""
    return f"{NAME}{project}:{alias}:{namespace.replace(':', ' ')}"


def named_by(key: str, project: str) -> tuple[str, str]:
    """(namespace, alias) of such a setting."""
    alias, _, namespace = key[len(NAME) + len(project) + 1 :].rpartition(":")
    return namespace, alias


# --- the journal

# An entry as rooms know it; their number of it counts the entries of its lesson.
ENTRY = (
    "j.n, j.lesson, (SELECT count(*) FROM journal e WHERE e.lesson = j.lesson AND e.n <= j.n"
    f" AND e.verb <> '{LINE}'), j.project, j.verb, j.\"by\", j.at, j.session, j.machine, j.why,"
    " j.before, j.after"
)
_SAME = {
    **{name: name for name in ("text", "about", "family", "created_at")},
    "files": "paths",
    "replaced_by": "superseded_by",
}


def entry_from(row: Sequence[Any]) -> Entry:
    """The entry behind a row of ENTRY."""
    from tacit.core.journal import Entry

    id, lesson, n, project, verb, by, at, run, machine, why, before, after = row
    erased = not (why or before or after)
    came = loads(after or "{}")
    was, now = decided(loads(before or "{}"), came)
    if not erased:
        now["updated_at"] = came.get("changed_at", at)
    told = (lesson, project, verb, by, "(erased)" if erased else why, at, was, now)
    return Entry(*told, run=run, machine=machine, n=n, id=id, erased=erased)


def decided(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Any, Any]:
    """What an entry says changed, by the fields of a lesson: as they were, and as they are."""
    was, now = _fields(before), _fields(after)
    if not before:
        return {}, {name: held for name, held in now.items() if held not in ("", 0)}
    same = {name for name in was if name in now and was[name] == now[name]}
    return tuple({name: at[name] for name in at if name not in same} for at in (was, now))


def _fields(columns: Mapping[str, Any]) -> dict[str, Any]:
    found = {field: columns[name] for name, field in _SAME.items() if name in columns}
    if "paths" in found:
        found["paths"] = json_text(found["paths"])
    if "always" in columns:
        found["pinned"] = int(columns["always"])
    extra = dict(columns.get("extra") or {})
    was = dict(extra.pop("was", None) or {})
    if "state" in columns:
        found["state"] = was.get("state") or columns["state"]
    if "extra" not in columns:
        return found
    extra.update(was.pop(OWN_NAMES, ()))
    for name, unset in WAS.items():
        held = was.get(name, unset)
        found[name] = json_text(held) if name in LISTS else held
    found["extra"] = json_text(extra)
    return found


# --- evidence, marks and findings: one table

EVIDENCE = 'lesson, project, session, "group", stance, measure, amount, place, quote, "by", word, at, extra'
_TIERS = {"person": "user", "session": "observed"}


def evidence_from(row: Sequence[Any]) -> Evidence:
    """What a session says of a lesson, by a row of EVIDENCE."""
    lesson, project, run, root, stance, measure, amount, place, quote, by, word, at, extra = row
    more = loads(extra) if extra else {}
    return Evidence(
        *(lesson, project, run, root),
        finding=more.get("finding", ""),
        stance=more.get("stance", stance),
        signal=measure or "seen",
        amount=amount,
        origin=more.get("origin", ""),
        by=by,
        tier=more.get("tier") or _TIERS.get(word, "imported"),
        place=more.get("place", place),
        quote=quote,
        at=at,
        seq=more.get("seq", 0),
        opening=bool(more.get("opening")),
    )


def mark_from(row: Sequence[Any]) -> Mark:
    """What became of a use, by a row of EVIDENCE."""
    lesson, project, run, unit, _, measure, amount, _, quote, _, _, at, extra = row
    more = loads(extra) if extra else {}
    mark = Mark.__new__(Mark)  # a lesson may have thousands: filled without an `__init__`
    mark.__dict__.update(
        memory=lesson,
        unit=unit,
        project=project,
        signal=measure[len(MARK) :],
        value=more.get("value", ""),
        amount=amount,
        run=run,
        surface=more.get("surface", ""),
        reason=quote,
        at=at,
    )
    return mark


def finding_from(row: Sequence[Any]) -> FindingRow:
    """What a session said that may be worth remembering, by a row of EVIDENCE."""
    lesson, project, run, _, _, _, _, key, quote, by, _, at, extra = row
    more = loads(extra) if extra else {}
    texts = ("extractor", "outcome", "reason", "gate", "kind", "tier", "origin", "signature")
    return FindingRow(
        key=key,
        project=project,
        run=run,
        place=more.get("place", ""),
        version=more.get("version", 0),
        memory=lesson,
        text=quote,
        digest=bytes.fromhex(more.get("digest", "")),
        by=by,
        score=more.get("score", 0),
        runner_up=more.get("runner_up", 0),
        at=at,
        **{name: more.get(name, "") for name in texts},
    )


# --- deliveries

USE = 'lesson, "group", project, session, family, arm, probability, moment, at, extra'
ARMS = {"delivered": "injected", "held out": "withheld"}
KEPT_ARMS = {"injected": "delivered", "withheld": "held out"}


def use_from(row: Sequence[Any]) -> Use:
    """A lesson assigned to a unit of work, by a row of USE."""
    lesson, unit, project, run, family, arm, probability, moment, at, extra = row
    more = loads(extra) if extra else {}
    use = Use.__new__(Use)  # a lesson may have thousands: filled without an `__init__`
    use.__dict__.update(
        memory=lesson,
        unit=unit,
        project=project,
        run=run,
        family=family,
        arm=ARMS.get(arm, arm),
        probability=probability,
        surface=moment,
        epoch=more.get("epoch", ""),
        instrument=more.get("instrument", ""),
        instrument_eligible=bool(more.get("instrument_eligible")),
        task=more.get("task", ""),
        blank=bool(more.get("blank")),
        at=at,
    )
    return use


def context_of(left_out: Mapping[str, Any]) -> str:
    """The context of an answer, which stands beside what it left out."""
    asked = left_out.get("asked")
    return str(asked.get("context") or "") if isinstance(asked, dict) else ""


# --- projects, sessions and questions

PROJECT = ("id", "name", "root", "key", "remote", "origin", "trial_key", "sessions", "created_at")
SESSION = (
    'id, project, host, name, "group", number, agent, model, task, outcome, complete, path,'
    " started_at, ended_at, learned_at, extra"
)
OF_RUN = ("version", "domain", "task_id", "task_type", "settled_at")


def project_from(row: Sequence[Any]) -> Project:
    """A project, by a row of PROJECT."""
    return Project(*row)


def run_from(row: Sequence[Any]) -> RunRow:
    """A session as it is kept, by a row of SESSION."""
    id, project, host, name, group, number, agent, model, task, outcome, complete, path = row[:12]
    started_at, ended_at, learned_at, extra = row[12:]
    facts = loads(extra) if extra else {}
    more = {each: facts.pop(each, "") for each in OF_RUN}
    return RunRow(
        *(id, project, host, name, group, number),
        agent=agent,
        model=model,
        task=task,
        outcome=outcome,
        complete=bool(complete),
        path=path,
        started_at=started_at,
        ended_at=ended_at,
        learned_at=learned_at,
        facts=facts or None,
        **more,
    )


QUESTION = 'id, project, lesson, kind, text, payload, asked_at, answered_at, answer, "by"'
_ASKED = "as_question"
_OF_QUESTION = ("by", "tier", "expires_at", "decided_at", "decision")


def proposal_from(row: Sequence[Any]) -> Proposal:
    """What waits for a person, by a row of QUESTION."""
    from tacit.core.proposal import Proposal  # not needed by hooks

    id, project, lesson, kind, text, payload, asked_at, answered_at, answer, by = row
    kept = loads(payload) if payload else {}
    asked = kept.pop(_ASKED, {})
    return Proposal(
        *(id, project, kind, text),
        created_at=asked_at,
        memory=lesson,
        state=answer if answered_at else "open",
        payload=kept or None,
        approvals=tuple(tuple(each) for each in asked.get("approvals", ())),
        decided_by=by,
        **{name: asked.get(name, "") for name in _OF_QUESTION},
    )


def question_of(proposal: Proposal) -> tuple[Any, ...]:
    """The same as a row of QUESTION."""
    at, open = proposal.__dict__, proposal.state == "open"
    asked = {name: at[name] for name in _OF_QUESTION if at[name]}
    if proposal.approvals:
        asked["approvals"] = [list(each) for each in proposal.approvals]
    payload = json_text({**(proposal.payload or {}), _ASKED: asked})
    return (
        *(proposal.id, proposal.project, proposal.memory, proposal.kind, proposal.reason, payload),
        proposal.created_at,
        "" if open else proposal.decided_at or proposal.created_at,
        "" if open else proposal.state,
        proposal.decided_by,
    )

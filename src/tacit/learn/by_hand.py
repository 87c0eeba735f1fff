"""A lesson that somebody states outright: from facets as typed, or as JSON, to a memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.digest import short_hash
from tacit.core.errors import Refused, UsageError
from tacit.core.profile import GENERAL, Profile, class_of
from tacit.core.rows import run_id
from tacit.core.run import Finding, Run
from tacit.core.trust import READ_BY, Actor
from tacit.core.value import replace, value
from tacit.learn.filing import filing_of
from tacit.learn.gate import GateDecision, may_be_told
from tacit.learn.outcomes import Session
from tacit.learn.prepare import judged_by_gate, what_it_says, without_secrets
from tacit.learn.stage import with_subject
from tacit.lesson import (
    AGENT,
    EDITABLE,
    GLOBAL,
    HEARSAY,
    MET_IN,
    OWNER,
    SCOPES,
    SEVERITIES,
    Lesson,
    checked,
    kept_subject,
    kept_text,
)
from tacit.safety.redact import private, redact, redacted_path, redacted_record
from tacit.safety.witness import Vouch
from tacit.store.reads import WorkContext
from tacit.words.signature import signature

_FACETS = (*EDITABLE, "trust", "task", "group", "place", "run", "alias", "at", "origin", "extra")
TASK_CHARS, GROUP_CHARS = 4000, 200


def memory_from(
    facets: Mapping[str, Any],
    actor: Actor,
    profile: Profile,
    project: str,
    id: str,
    at: str,
    vouch: Vouch,
) -> tuple[Lesson, str]:
    """The memory that these facets describe, and why it starts where it does."""
    unknown = [name for name in facets if name not in _FACETS]
    if unknown:
        raise UsageError(
            f"{unknown[0]} is not a facet of a lesson.", f"Facets: {', '.join(_FACETS)}."
        )
    if not isinstance(facets.get("text"), str):
        raise UsageError(
            "A lesson needs a text.", 'For example {"text": "Run make migrate before the tests."}'
        )
    plain = {name: facet for name, facet in facets.items() if name in EDITABLE and name != "text"}
    found = checked_facets(_given(plain), profile)
    text = kept_text(facets["text"])
    clean = redact(private(text))
    if tags := filing_of(profile).tags(clean.text, profile):
        found.setdefault("tags", tags)
    if profile.domains:
        found.setdefault("domain", GENERAL)
    kind = found.pop("kind", profile.add_kind)
    scope = found.pop("scope", profile.kinds[kind].scope or "project")
    if scope in ("agent", "global") and not actor.is_person:
        raise Refused(
            f"A lesson of {scope} scope reaches other projects and needs a person; {actor.reason}.",
            actor.how,
        )
    if scope == "agent" and not found.get("agent"):
        raise UsageError(
            "A lesson of agent scope must name its agent.",
            "Add --agent NAME, or choose another scope.",
        )
    tier = _tier(facets.get("trust"), actor)
    is_persons = tier == OWNER
    # A person may write what reads like an instruction; from an agent it is shown as such and given to nobody.
    beside = [
        str(found.get(name, "")) for name in ("source", "category", "domain", "agent", "about")
    ]
    beside += [
        *found.get("paths", ()),
        *found.get("tags", ()),
        str((facets.get("extra") or {}).get("title") or ""),
    ]
    asked = (
        GateDecision("allow", "") if is_persons else may_be_told(clean.text, tier, vouch, beside)
    )
    memory = Lesson(
        id=id,
        project={"global": GLOBAL, "agent": AGENT}.get(scope, project),
        text=clean.text,
        kind=kind,
        klass=class_of(profile, kind),
        scope=scope,
        source=found.pop(
            "source",
            profile.words.person if is_persons else actor.name if tier == actor.tier else tier,
        ),
        origin=str(facets.get("origin") or ""),
        trust=tier,
        gate=asked.outcome,
        gate_reason=asked.reason,
        state="active" if is_persons else "waiting",
        created_at=at,
        updated_at=at,
        extra=_extra(facets, actor),
        **found,
    )
    own = "a person's word" if is_persons else ""
    waits = asked.reason if asked.outcome == "hold" else ""
    said = (
        own or waits or f"an agent's own claim: it waits until {profile.trust.runs} sessions say so"
    )
    return with_subject(memory, profile), said + (
        f"; {len(clean.hits)} secrets redacted" if clean.hits else ""
    )


def _tier(trust: object, actor: Actor) -> str:
    """On whose word a lesson stands: the actor's own, or one below it that is added as such."""
    if not trust or trust == actor.tier:
        return actor.tier
    if trust == OWNER:
        raise Refused(f"A person's word needs a person; {actor.reason}.", actor.how)
    if trust not in HEARSAY:
        raise UsageError(
            f"Nobody's words can be added as {trust!r}.",
            f"One of: {', '.join(HEARSAY)}; your own: none.",
        )
    return str(trust)


def _extra(facets: Mapping[str, Any], actor: Actor) -> dict[str, Any] | None:
    """What else is noted of a lesson."""
    given = facets.get("extra")
    extra = redacted_record(given) if isinstance(given, dict) else {}
    where = _met_in(facets)
    return {
        **{name: at for name, at in extra.items() if actor.is_person or name not in READ_BY},
        **({MET_IN: where} if where else {}),
    } or None


def _met_in(facets: Mapping[str, Any]) -> dict[str, str]:
    """The task a lesson was met in, what it stands in a row with (a conversation, a document, a
    run), and the place where it was said."""
    for name in ("task", "group", "place"):
        if not isinstance(facets.get(name) or "", str):
            raise UsageError(f"{name} must be a text.")
    task = (
        redact(private(kept_text(facets["task"][:TASK_CHARS]))).text
        if (facets.get("task") or "").strip()
        else ""
    )
    group = redacted_record((facets.get("group") or str(facets.get("run") or "")).strip())[
        :GROUP_CHARS
    ]
    place = redacted_record((facets.get("place") or "").strip())[:GROUP_CHARS]
    return {
        name: said for name, said in (("task", task), ("group", group), ("place", place)) if said
    }


FINDING_FACETS = tuple(
    "kind category severity domain agent task_type tags paths about by quote error".split()
)


def finding_from(
    text: str, facets: Mapping[str, Any], profile: Profile, run: str, tier: str, at: str
) -> Finding:
    """A finding that somebody states outright in a run."""
    unknown = [name for name in facets if name not in FINDING_FACETS]
    if unknown:
        raise UsageError(
            f"{unknown[0]} is not a facet of a finding.", f"Facets: {', '.join(FINDING_FACETS)}."
        )
    found = checked_facets(_given(facets), profile)
    error = str(found.pop("error", ""))
    said = kept_text(text)
    return Finding(
        run,
        f"said:{short_hash(said)}",
        said,
        by=str(found.pop("by", tier)),
        tier=tier,
        quote=str(found.pop("quote", error)),
        signature=signature(error) if error else "",
        at=at,
        **found,
    )


def _given(facets: Mapping[str, Any]) -> dict[str, Any]:
    return {name: facet for name, facet in facets.items() if facet not in (None, "", [], ())}


def checked_facets(facets: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    """Facets with their words checked, kinds by the profile, scope and severity by the core, and
    without secrets."""
    found = dict(facets)
    if isinstance(found.get("text"), str):
        found["text"] = redact(private(found["text"])).text
    if "kind" in found:
        found["kind"] = _kind(str(found["kind"]), profile)
    if "severity" in found:
        found["severity"] = checked("severity", str(found["severity"]).lower(), SEVERITIES)
    if "scope" in found:
        found["scope"] = checked("scope", str(found["scope"]).lower(), SCOPES)
    for name in ("tags", "paths"):
        if name in found:
            listed = [found[name]] if isinstance(found[name], str) else found[name]
            if not isinstance(listed, (list, tuple)) or not all(
                isinstance(item, str) for item in listed
            ):
                raise UsageError(f"{name} must be a list of texts.")
            clean = redacted_path if name == "paths" else redacted_record
            found[name] = tuple(
                dict.fromkeys(clean(kept_text(item)) for item in listed if item.strip())
            )
    for name in ("category", "domain", "agent", "task_type", "source", "about"):
        if name in found:
            if not isinstance(found[name], str):
                raise UsageError(f"{name} must be a text.")
            most = 200 if name != "about" else None
            found[name] = (
                redacted_record(kept_text(found[name]))[:most] if found[name].strip() else ""
            )
    if "about" in found:
        found["about"] = kept_subject(found["about"])
    return found


def _kind(word: str, profile: Profile) -> str:
    folded = word.strip().lower().replace(" ", "_").replace("-", "_")
    for name, kind in profile.kinds.items():
        if folded == name.replace("-", "_") or folded in kind.aliases:
            return name
    raise UsageError(
        f"{word!r} is not a kind of the profile {profile.name}.",
        f"Kinds: {', '.join(profile.kinds)}.",
    )


# One finding that an agent submits while its run goes on.


@value
class Submitted:
    """What became of one finding that an agent submitted while its run goes on."""

    run: str
    outcome: str  # new, known, held, quarantined, discarded, linked, or echo: the agent handed a given lesson back
    reason: str
    memory: str = ""


def submitted(
    work: WorkContext,
    finding: Finding,
    *,
    host: str,
    vouch: Vouch,
    known_lines: Mapping[str, str] | None = None,
) -> Submitted:
    """Take in one finding of a run that is not over."""
    store, project, profile, at = work.store, work.project, work.profile, work.now()
    row = store.find_run(project.id, finding.run)
    run = Run(
        row.foreign_id if row else finding.run, row.host if row else host, findings=(finding,)
    )
    id = row.id if row else run_id(project.id, run.host, run.id)
    said, _ = what_it_says(work, run, id, known_lines)
    if not said:
        return Submitted(run.id, "echo", "these are the words of a lesson that this run was given")
    kept, decision = judged_by_gate(without_secrets(said[0])[0], profile, known_lines, False, vouch)
    session = Session(work, run, id, at)
    with work.write() as tx:
        session.enter(tx)
        tx.put_run(replace(session.row, seq=session.seq, started_at=session.row.started_at or at))
        session.take(tx, [(kept, decision)])
        taken = session.said.get(kept.key) or next(
            each for each in tx.findings(run=id) if each.key == kept.key
        )
    word = {
        "hold": "held",
        "quarantine": "quarantined",
        "discard": "discarded",
        "linked": "linked",
    }.get(taken.outcome, "known")
    return Submitted(
        run.id,
        "new" if session.report().new and word == "known" else word,
        taken.reason,
        taken.memory,
    )

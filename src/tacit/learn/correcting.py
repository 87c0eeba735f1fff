"""What a person does to lessons by hand: add, edit, pin, forget, undo, erase, say what they think of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.edits import edited, erased, forgotten, made, paged, pinned, undone
from tacit.core.errors import NotFound, Refused, UsageError
from tacit.core.journal import Change, Entry, Hand
from tacit.core.links import Evidence
from tacit.core.moves import lifted
from tacit.core.profile import class_of
from tacit.core.proposal import EXPIRES_AFTER_DAYS, OTHER_WORDS, Proposal, new_words
from tacit.core.rows import RunRow, run_id
from tacit.core.states import GONE, KEPT
from tacit.core.trust import reaches, tier_to_take_away
from tacit.core.value import replace
from tacit.hooks.common import forget_used
from tacit.learn.block import page
from tacit.learn.by_hand import checked_facets, memory_from
from tacit.learn.feedback import confirm, give_feedback, take_back
from tacit.learn.gate import may_be_told
from tacit.learn.promote import promote
from tacit.lesson import EDITABLE, Lesson, kept_text
from tacit.place.folders import data_folder, remove_captured
from tacit.place.replaced import blank_copies
from tacit.safety.redact import private, redact
from tacit.safety.screen import screened
from tacit.store import backup as copies
from tacit.store import readings, safekeeping
from tacit.store.erase import blank, erase_in
from tacit.store.looks import forget_looks, looks_folder
from tacit.store.story import put_note
from tacit.store.writes import Transaction

if TYPE_CHECKING:
    from tacit.facets import LessonFacets, LessonFields
    from tacit.opened import Opened


ADDED_AT_ONCE = 500  # memories a transaction when many are added: others get their turn in between


def add(opened: Opened, text: str, **facets: Unpack[LessonFacets]) -> Lesson:
    """Keep a lesson. Facets: kind, category, domain, agent, task_type, scope, tags, paths, severity, source, trust, task, group, run,
    alias, at, extra.

    `trust` says whose words these are if not one's own: agent, quoted, imported. They are then no more than that: a candidate, or held.
    `task` is the text of the task it was met in: asked again, it is recognised. What is added with one `group` (a
    conversation, a document) stands in a row: what lies beside a hit is evidence for it.
    """
    return add_many(opened, [{**facets, "text": text}])[0]


def add_many(
    opened: Opened, lessons: Iterable[str | Mapping[str, Any]], *, alias: str = "", at: str = ""
) -> list[Lesson]:
    """Keep many lessons, in chunked transactions: each chunk is kept whole or not at all.

    `alias` is the namespace of their aliases, `at` the time they are dated where they bring none.
    """
    opened.ensure_project()
    kept: list[Lesson] = []
    chunk: list[tuple[Change, str, str]] = []
    for lesson in lessons:
        facets = {"text": lesson} if isinstance(lesson, str) else dict(lesson)
        chunk.append(
            (
                _make(opened, facets, at),
                str(facets.get("alias") or ""),
                str(facets.get("run") or ""),
            )
        )
        if len(chunk) >= ADDED_AT_ONCE:
            kept += _keep(opened, chunk, alias)
            chunk = []
    kept += _keep(opened, chunk, alias)
    if len(kept) > ADDED_AT_ONCE:
        opened.store.tidy(len(kept))
    if not opened.profile.ids:
        return kept
    opened._name([memory.id for memory in kept])
    return opened.store.memories([memory.id for memory in kept])


def _make(opened: Opened, facets: dict[str, Any], at: str) -> Change:
    when = str(facets.get("at") or at or opened.now())
    memory, reason = memory_from(
        facets, opened.actor, opened.profile, opened.project_id, new_id(), when, opened.vouch
    )
    return made(
        memory,
        Hand(opened.actor.name, when, str(facets.get("run") or ""), opened.profile_version),
        reason=reason,
    )


def _keep(opened: Opened, chunk: Sequence[tuple[Change, str, str]], namespace: str) -> list[Lesson]:
    if not chunk:
        return []
    with opened.store.write(confidence=opened.profile.signals.confidence) as tx:
        for change, alias, run in chunk:
            tx.apply(change)
            memory = change.memory
            if alias:
                tx.add_alias(memory.project, namespace or "cli", alias, memory.id)
            if run:
                own, at = run_id(opened.project_id, "cli", run), memory.created_at
                row = tx.find_run(opened.project_id, run)
                row = row or RunRow(own, opened.project_id, "cli", run, own, started_at=at)
                tx.put_run(row)
                met = Evidence(
                    memory.id,
                    memory.project,
                    row.id,
                    row.root,
                    by=opened.actor.name,
                    tier=memory.trust,
                )
                seq = opened.project.run_seq if opened.project else 0
                tx.add_evidence(replace(met, place="tacit add", at=at, seq=seq))
        return tx.memories([change.memory.id for change, _, _ in chunk])


def edit(
    opened: Opened, id: str, *, reason: str = "", typo: bool = False, **fields: Unpack[LessonFields]
) -> Lesson:
    """Correct a memory's text or facets; never its id, times, evidence or origin.

    Other words are another lesson: what was measured of the former ones is kept beside it. A `typo` changes no meaning. A person's
    other words are confirmed by them: such a lesson is given every time, and no longer waits for a second sighting. Anybody else's are
    a new lesson that waits, whatever they are an edit of; it is what comes back, and the former one stays as it is.
    """
    found = opened.get(id)
    _need_standing(opened, found, "Editing")
    wanted = checked_facets(fields, opened.profile)
    if not opened.actor.is_person:
        if wanted.get("text", found.text) != found.text:
            return add(opened, **_as_another(found, wanted))
        _need_clean(opened, wanted)
    klass = class_of(opened.profile, wanted["kind"]) if wanted.get("kind") else ""
    theirs = opened.actor.is_person and "text" in wanted and not typo

    def stand_for(tx: Transaction, entry: Entry) -> None:
        confirm(tx, entry.memory, by=entry.by, at=entry.at)
        promote(
            tx,
            opened.ensure_project(),
            opened.profile,
            entry.memory,
            by=entry.by,
            at=entry.at,
            ids=new_id,
        )

    return opened._change(
        found.id,
        lambda m: edited(m, wanted, _hand(opened), klass=klass, reason=reason, typo=typo),
        stand_for if theirs else None,
    )


def _as_another(found: Lesson, wanted: Mapping[str, Any]) -> Any:
    """Other words for a lesson, as the facets of a new one: what that one is about stays, what speaks for it does not."""
    kept = {name: getattr(found, name) for name in EDITABLE if name not in ("text", "source")}
    return {**kept, **wanted}


def _need_clean(opened: Opened, wanted: Mapping[str, Any]) -> None:
    """What is printed beside a lesson may not address its reader either."""
    beside = [each for at in wanted.values() for each in ([at] if isinstance(at, str) else at)]
    if not (seen := screened("", *beside)).clean:
        raise Refused(
            f"That is for a person to write: {seen.reason}; {opened.actor.reason}.",
            opened.actor.how,
        )


def propose_edit(opened: Opened, id: str, text: str, *, reason: str = "") -> Proposal:
    """Other words for a lesson that only a person may change: they wait in the inbox, with what the gate says of them."""
    found, at, reason = opened.get(id), opened.now(), opened._kept_reason(reason)
    words = redact(private(kept_text(text))).text
    asked = may_be_told(words, opened.actor.tier, opened.vouch)
    proposal = Proposal(
        new_id(),
        found.project,
        "edit",
        reason or "an agent would word it so",
        opened.actor.name,
        at,
        memory=found.id,
        payload={"text": words, "gate": asked.outcome, "gate_reason": asked.reason},
        expires_at=clock.after_days(at, EXPIRES_AFTER_DAYS),
    )
    with opened.store.write() as tx:
        tx.put_proposal(proposal)
    return proposal


def may_change(opened: Opened, memory: Lesson) -> bool:
    """Whether whoever acts may reword a lesson or take it out: that needs as much as it took to put it in."""
    return opened.actor.is_person or reaches(
        opened.actor.tier, tier_to_take_away(memory, opened.store.evidence(memory.id))
    )


def _need_standing(opened: Opened, memory: Lesson, what: str) -> None:
    if not may_change(opened, memory):
        raise Refused(
            f"{what} {memory.id}, which stands on more than an agent's word, is for a person; {opened.actor.reason}.",
            f"tacit drop {memory.id} --reason says why. {opened.actor.how}",
        )


def _hand(opened: Opened) -> Hand:
    return Hand(opened.actor.name, opened.now(), profile=opened.profile_version)


def pin(opened: Opened, id: str, on: bool = True, *, reason: str = "") -> Lesson:
    """Always give this memory, outside the budget; or no longer."""
    opened.need_person("Pinning")
    return opened._change(opened.get(id).id, lambda m: pinned(m, on, _hand(opened), reason))


def put_on_page(opened: Opened, id: str, on: bool = True, *, reason: str = "") -> Lesson:
    """Approve a lesson for a page that the host loads, which takes it off trial; or take it off again."""
    opened.need_person("Approving a line for the page")
    found = opened.get(id).id
    memory = opened._change(found, lambda m: paged(m, on, _hand(opened), reason))
    return (
        opened._change(found, lambda m: lifted(m, opened.profile, "person", _hand(opened)))
        if on
        else memory
    )


def forget(opened: Opened, id: str = "", *, origin: str = "", reason: str = "") -> list[Lesson]:
    """Take out one memory, or everything that came from one origin; `undo` brings it back."""
    if bool(id) == bool(origin):
        raise UsageError("Forget what?", "Give either an id or --origin.")
    ids = [opened.get(id).id] if id else [each.id for each in _from_origin(opened, origin, KEPT)]
    if origin and not ids:
        raise NotFound(
            f"Nothing that is kept came from {origin!r}.", "tacit list --origin shows what did."
        )
    if id and opened.store.get(ids[0]).state == GONE:
        raise NotFound(
            f"{id} is not here any more: it was taken out before.",
            f"tacit why {ids[0]} --full tells when.",
        )
    for one in ids:
        _need_standing(opened, opened.store.get(one), "Forgetting")
    told = reason or (f"everything from {origin}" if origin else "")
    return [opened._change(one, lambda m: forgotten(m, _hand(opened), told)) for one in ids]


def clear(opened: Opened, *, reason: str = "") -> list[Lesson]:
    """Take out every memory of this project that is not out already; `undo` brings each back. Other projects and scopes stay."""
    opened.need_person("Clearing a project")
    told = reason or "the project was cleared"
    every = opened.store.select([opened.project_id], states=KEPT, sort="old", limit=1_000_000)
    return [opened._change(one.id, lambda m: forgotten(m, _hand(opened), told)) for one in every]


def note(opened: Opened, text: str, *, reason: str = "") -> Entry:
    """A line of the journal by hand: what was changed around the memory, and why. It is about no lesson."""
    said, why = (
        kept_text(opened._kept_reason(text)),
        kept_text(opened._kept_reason(reason)) if reason else "",
    )
    with opened.store.write() as tx:
        return put_note(tx, opened.ensure_project().id, said, why, opened.actor.name, opened.now())


def _from_origin(opened: Opened, origin: str, states: Sequence[str]) -> Sequence[Lesson]:
    return opened.store.select(
        opened.scopes, states=states, equal={"origin": origin}, limit=1_000_000
    )


def undo(opened: Opened, what: str | int = "", *, origin: str = "") -> list[Lesson]:
    """Take back a journal entry (by its number), a memory's last entry (by its id), or the forgetting of an origin."""
    if origin:
        gone = _from_origin(opened, origin, (GONE,))
        wanted = [opened.store.entries(memory=m.id, newest=True, limit=1)[0] for m in gone]
        return [_undo(opened, entry) for entry in wanted if entry.verb == "forget"]
    name = str(what)
    if name.isdigit() and len(name) < 12:
        return [_undo(opened, opened.store.entry(int(name)))]
    made = opened.store.entries(memory=opened.get(name).id, newest=True, limit=9)
    yes = next((at for at, entry in enumerate(made) if entry.verb != "move"), 0)
    let_in = made[yes].verb == "approve" and (made[0].by, made[0].at) == (
        made[yes].by,
        made[yes].at,
    )
    return [_undo(opened, entry) for entry in made[: yes + 1 if let_in else 1]][-1:]


def _undo(opened: Opened, entry: Entry) -> Lesson:
    with opened.store.write() as tx:
        memory = tx.get(entry.memory)
        _need_standing(opened, memory, "Undoing a change of")
        if entry.by != opened.actor.name:
            opened.need_person(f"Taking back what {entry.by} did")
        later = tx.entries(memory=entry.memory, after=entry.id)
        hand = _hand(opened)
        tx.apply(undone(memory, entry, later, hand))
        take_back(tx, entry, by=hand.by, at=hand.at)
        return tx.get(entry.memory)


def erase(opened: Opened, id: str, *, reason: str = "") -> Lesson:
    """Blank a memory's text everywhere: row, journal, evidence, findings, queue, full text, log, backups, captures."""
    opened.need_person("Erasing")
    found = opened.get(id)
    with opened.store.write() as tx:
        memory = tx.get(found.id)
        tx.apply(erased(memory, _hand(opened), reason))
        blank(tx, memory, opened.now())
    erase_outside(opened, found)
    return opened.store.get(found.id)


def erase_outside(opened: Opened, found: Lesson) -> None:
    """Blank what lies outside the store's tables: backups, captures, the write-ahead log, pages."""
    blank_copies(data_folder(opened.env), found.text)
    # first: a reader may keep the log from being cut
    folder = safekeeping.folder_of(opened)
    copies.erase(folder, lambda copy: erase_in(copy, found.id, _hand(opened)))
    runs = [opened.store.run(evidence.run) for evidence in opened.store.evidence(found.id)]
    remove_captured(opened.store.path, {run.foreign_id for run in runs if run})
    runs_of = {evidence.run for evidence in opened.store.evidence(found.id) if evidence.run}
    readings.remove_readings(readings.readings_folder(opened.store.path), runs_of)
    forget_looks(looks_folder(opened.store.path), opened.project_id, found.id, runs_of)
    forget_used(opened.store.path, opened.project_id, runs_of)
    opened.store.scrub()
    if found.on_page:
        page(
            opened
        )  # its line goes too, from every page that is kept; what git has committed stays there


def figures(
    opened: Opened, id: str, *, confidence: float | None = None, success_rate: float | None = None
) -> Lesson:
    """State a memory's figures anew, between 0 and 1; id, times and sources never change."""
    stated = {"confidence": confidence, "success_rate": success_rate}
    for name, figure in stated.items():
        if figure is not None and not 0 <= figure <= 1:
            raise UsageError(f"{name} must be between 0 and 1, not {figure:g}.")
    memory, at = opened.get(id), opened.now()
    with opened.store.write(confidence=opened.profile.signals.confidence) as tx:
        for name, figure in stated.items():
            if figure is not None:
                tx.add_evidence(
                    Evidence(
                        memory.id,
                        memory.project,
                        signal=name,
                        amount=figure,
                        by=opened.actor.name,
                        tier=opened.actor.tier,
                        place=f"stated {at} {new_id()}",
                        at=at,
                    )
                )
    return opened.store.get(memory.id)


def feedback(opened: Opened, id: str, word: str, *, run: str = "", reason: str = "") -> Lesson:
    """Somebody's word on a lesson: helped (a signal, never a verdict), wrong (evidence against it) or outdated (stale)."""
    memory = opened.get(id)
    if word not in ("helped", "wrong", "outdated"):
        raise UsageError(f"{word!r} is no feedback.", "One of: helped, wrong, outdated.")
    row = opened.store.find_run(opened.project_id, run) if run else None
    give_feedback(opened.work, memory, word, run=row, reason=opened._kept_reason(reason))
    return opened.store.get(memory.id)


def takes_more_than_a_number(opened: Opened, id: str) -> bool:
    """Whether a yes to it is given at a terminal only: it is held or asks about what is, would erase, or would put words in force that
    the gate holds."""
    asked = opened.store.proposal(id)
    payload = (asked.payload or {}) if asked else {}
    found = opened.store.memories([asked.memory if asked and asked.memory else id])
    if payload.get("erase") or any(memory.gate != "allow" for memory in found):
        return True
    would = new_words(asked) if asked and asked.kind in OTHER_WORDS else ""
    return bool(would) and may_be_told(would, "agent", opened.vouch).outcome != "allow"

"""What a person does to lessons by hand: add, edit, pin, forget, undo, erase, say what they think of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from tacit.app.pages import PageVerbs
from tacit.app.safety import Safety
from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.edits import edited, erased, forgotten, made, paged, pinned, rewritten, undone
from tacit.core.errors import NotFound, Refused, UsageError
from tacit.core.journal import Change, Entry, Hand
from tacit.core.links import Evidence
from tacit.core.moves import lifted
from tacit.core.profile import class_of
from tacit.core.proposal import EXPIRES_AFTER_DAYS, Proposal
from tacit.core.rows import RunRow, run_id
from tacit.core.states import GONE, KEPT
from tacit.core.trust import reaches, tier_to_take_away
from tacit.core.value import replace
from tacit.hooks.common import forget_used
from tacit.learn.by_hand import checked_facets, memory_from
from tacit.learn.feedback import confirm, give_feedback, take_back
from tacit.learn.gate import may_be_told
from tacit.learn.promote import promote
from tacit.lesson import EDITABLE, Lesson, kept_text
from tacit.opened import data_folder
from tacit.place.folders import remove_captured
from tacit.place.replaced import blank_copies
from tacit.safety.redact import private, redact
from tacit.safety.screen import screened
from tacit.store import backup as copies
from tacit.store import readings
from tacit.store.erase import blank
from tacit.store.looks import forget_looks, looks_folder
from tacit.store.story import put_note
from tacit.store.values import Hand as LessonHand
from tacit.store.writes import Transaction

if TYPE_CHECKING:
    from tacit.app.facets import LessonFacets, LessonFields


ADDED_AT_ONCE = 500  # memories a transaction when many are added: others get their turn in between


class ByHand(PageVerbs, Safety):
    """What a person does to lessons by hand: add, edit, pin, forget, undo, erase, say what they think of one."""

    def add(self, text: str, **facets: Unpack[LessonFacets]) -> Lesson:
        """Keep a lesson. Facets: kind, category, domain, agent, task_type, scope, tags, paths, severity, source, trust, task, group, run,
        alias, at, extra.

        `trust` says whose words these are if not one's own: agent, quoted, imported. They are then no more than that: a candidate, or held.
        `task` is the text of the task it was met in: asked again, it is recognised. What is added with one `group` (a
        conversation, a document) stands in a row: what lies beside a hit is evidence for it.
        """
        return self.add_many([{**facets, "text": text}])[0]

    def add_many(
        self, lessons: Iterable[str | Mapping[str, Any]], *, alias: str = "", at: str = ""
    ) -> list[Lesson]:
        """Keep many lessons, in chunked transactions: each chunk is kept whole or not at all.

        `alias` is the namespace of their aliases, `at` the time they are dated where they bring none.
        """
        self.ensure_project()
        kept: list[Lesson] = []
        chunk: list[tuple[Change, str, str]] = []
        for lesson in lessons:
            facets = {"text": lesson} if isinstance(lesson, str) else dict(lesson)
            chunk.append(
                (
                    self._make(facets, at),
                    str(facets.get("alias") or ""),
                    str(facets.get("run") or ""),
                )
            )
            if len(chunk) >= ADDED_AT_ONCE:
                kept += self._keep(chunk, alias)
                chunk = []
        kept += self._keep(chunk, alias)
        if len(kept) > ADDED_AT_ONCE:
            self.store.tidy(len(kept))
        if not self.profile.ids:
            return kept
        self._name([memory.id for memory in kept])
        return self.store.memories([memory.id for memory in kept])

    def _make(self, facets: dict[str, Any], at: str) -> Change:
        when = str(facets.get("at") or at or self.now())
        memory, reason = memory_from(
            facets, self.actor, self.profile, self.project_id, new_id(), when, self.vouch
        )
        return made(
            memory,
            Hand(self.actor.name, when, str(facets.get("run") or ""), self.profile_version),
            reason=reason,
        )

    def _keep(self, chunk: Sequence[tuple[Change, str, str]], namespace: str) -> list[Lesson]:
        if not chunk:
            return []
        with self.store.write(confidence=self.profile.signals.confidence) as tx:
            for change, alias, run in chunk:
                tx.apply(change)
                memory = change.memory
                if alias:
                    tx.add_alias(memory.project, namespace or "cli", alias, memory.id)
                if run:
                    own, at = run_id(self.project_id, "cli", run), memory.created_at
                    row = tx.find_run(self.project_id, run)
                    row = row or RunRow(own, self.project_id, "cli", run, own, started_at=at)
                    tx.put_run(row)
                    met = Evidence(
                        memory.id,
                        memory.project,
                        row.id,
                        row.root,
                        by=self.actor.name,
                        tier=memory.trust,
                    )
                    seq = self.project.run_seq if self.project else 0
                    tx.add_evidence(replace(met, place="tacit add", at=at, seq=seq))
            return tx.memories([change.memory.id for change, _, _ in chunk])

    def edit(
        self, id: str, *, reason: str = "", typo: bool = False, **fields: Unpack[LessonFields]
    ) -> Lesson:
        """Correct a memory's text or facets; never its id, times, evidence or origin.

        Other words are another lesson: what was measured of the former ones is kept beside it. A `typo` changes no meaning. A person's
        other words are confirmed by them: such a lesson is given every time, and no longer waits for a second sighting. Anybody else's are
        a new lesson that waits, whatever they are an edit of; it is what comes back, and the former one stays as it is.
        """
        found = self.get(id)
        self._need_standing(found, "Editing")
        wanted = checked_facets(fields, self.profile)
        if not self.actor.is_person:
            if wanted.get("text", found.text) != found.text:
                return self.add(**self._as_another(found, wanted))
            self._need_clean(wanted)
        klass = class_of(self.profile, wanted["kind"]) if wanted.get("kind") else ""
        theirs = self.actor.is_person and "text" in wanted and not typo

        def stand_for(tx: Transaction, entry: Entry) -> None:
            confirm(tx, entry.memory, by=entry.by, at=entry.at)
            promote(
                tx,
                self.ensure_project(),
                self.profile,
                entry.memory,
                by=entry.by,
                at=entry.at,
                ids=new_id,
            )

        return self._change(
            found.id,
            lambda m: edited(m, wanted, self._hand, klass=klass, reason=reason, typo=typo),
            stand_for if theirs else None,
        )

    @staticmethod
    def _as_another(found: Lesson, wanted: Mapping[str, Any]) -> Any:
        """Other words for a lesson, as the facets of a new one: what that one is about stays, what speaks for it does not."""
        kept = {name: getattr(found, name) for name in EDITABLE if name not in ("text", "source")}
        return {**kept, **wanted}

    def _need_clean(self, wanted: Mapping[str, Any]) -> None:
        """What is printed beside a lesson may not address its reader either."""
        beside = [each for at in wanted.values() for each in ([at] if isinstance(at, str) else at)]
        if not (seen := screened("", *beside)).clean:
            raise Refused(
                f"That is for a person to write: {seen.reason}; {self.actor.reason}.",
                self.actor.how,
            )

    def propose_edit(self, id: str, text: str, *, reason: str = "") -> Proposal:
        """Other words for a lesson that only a person may change: they wait in the inbox, with what the gate says of them."""
        found, at, reason = self.get(id), self.now(), self._kept_reason(reason)
        words = redact(private(kept_text(text))).text
        asked = may_be_told(words, self.actor.tier, self.vouch)
        proposal = Proposal(
            new_id(),
            found.project,
            "edit",
            reason or "an agent would word it so",
            self.actor.name,
            at,
            memory=found.id,
            payload={"text": words, "gate": asked.outcome, "gate_reason": asked.reason},
            expires_at=clock.after_days(at, EXPIRES_AFTER_DAYS),
        )
        with self.store.write() as tx:
            tx.put_proposal(proposal)
        return proposal

    def may_change(self, memory: Lesson) -> bool:
        """Whether whoever acts may reword a lesson or take it out: that needs as much as it took to put it in."""
        return self.actor.is_person or reaches(
            self.actor.tier, tier_to_take_away(memory, self.store.evidence(memory.id))
        )

    def _need_standing(self, memory: Lesson, what: str) -> None:
        if not self.may_change(memory):
            raise Refused(
                f"{what} {memory.id}, which stands on more than an agent's word, is for a person; {self.actor.reason}.",
                f"tacit drop {memory.id} --reason says why. {self.actor.how}",
            )

    def rewrite(self, id: str, text: str, extra: Mapping[str, Any], *, reason: str = "") -> Lesson:
        """Replace the words and foreign fields of a candidate, for the source that keeps it; secrets are redacted."""
        self._need_standing(found := self.get(id), "Rewording")
        clean = redact(private(text)).text
        asked = may_be_told(clean, found.trust, self.vouch)
        gate = {"gate": asked.outcome, "gate_reason": asked.reason}
        return self._change(
            id, lambda m: rewritten(m, {"text": clean, "extra": extra, **gate}, self._hand, reason)
        )

    @property
    def _hand(self) -> Hand:
        return Hand(self.actor.name, self.now(), profile=self.profile_version)

    def pin(self, id: str, on: bool = True, *, reason: str = "") -> Lesson:
        """Always give this memory, outside the budget; or no longer."""
        self.need_person("Pinning")
        return self._change(self.get(id).id, lambda m: pinned(m, on, self._hand, reason))

    def put_on_page(self, id: str, on: bool = True, *, reason: str = "") -> Lesson:
        """Approve a lesson for a page that the host loads, which takes it off trial; or take it off again."""
        self.need_person("Approving a line for the page")
        found = self.get(id).id
        memory = self._change(found, lambda m: paged(m, on, self._hand, reason))
        return (
            self._change(found, lambda m: lifted(m, self.profile, "person", self._hand))
            if on
            else memory
        )

    def forget(self, id: str = "", *, origin: str = "", reason: str = "") -> list[Lesson]:
        """Take out one memory, or everything that came from one origin; `undo` brings it back."""
        if bool(id) == bool(origin):
            raise UsageError("Forget what?", "Give either an id or --origin.")
        ids = [self.get(id).id] if id else [each.id for each in self._from_origin(origin, KEPT)]
        if origin and not ids:
            raise NotFound(
                f"Nothing that is kept came from {origin!r}.", "tacit list --origin shows what did."
            )
        if id and self.store.get(ids[0]).state == GONE:
            raise NotFound(
                f"{id} is not here any more: it was taken out before.",
                f"tacit why {ids[0]} --full tells when.",
            )
        for one in ids:
            self._need_standing(self.store.get(one), "Forgetting")
        told = reason or (f"everything from {origin}" if origin else "")
        return [self._change(one, lambda m: forgotten(m, self._hand, told)) for one in ids]

    def clear(self, *, reason: str = "") -> list[Lesson]:
        """Take out every memory of this project that is not out already; `undo` brings each back. Other projects and scopes stay."""
        self.need_person("Clearing a project")
        told = reason or "the project was cleared"
        every = self.store.select([self.project_id], states=KEPT, sort="old", limit=1_000_000)
        return [self._change(one.id, lambda m: forgotten(m, self._hand, told)) for one in every]

    def note(self, text: str, *, reason: str = "") -> Entry:
        """A line of the journal by hand: what was changed around the memory, and why. It is about no lesson."""
        said, why = (
            kept_text(self._kept_reason(text)),
            kept_text(self._kept_reason(reason)) if reason else "",
        )
        with self.store.write() as tx:
            return put_note(tx, self.ensure_project().id, said, why, self.actor.name, self.now())

    def _from_origin(self, origin: str, states: Sequence[str]) -> Sequence[Lesson]:
        return self.store.select(
            self.scopes, states=states, equal={"origin": origin}, limit=1_000_000
        )

    def undo(self, what: str | int = "", *, origin: str = "") -> list[Lesson]:
        """Take back a journal entry (by its number), a memory's last entry (by its id), or the forgetting of an origin."""
        if origin:
            gone = self._from_origin(origin, (GONE,))
            wanted = [self.store.entries(memory=m.id, newest=True, limit=1)[0] for m in gone]
            return [self._undo(entry) for entry in wanted if entry.verb == "forget"]
        name = str(what)
        if name.isdigit() and len(name) < 12:
            return [self._undo(self.store.entry(int(name)))]
        made = self.store.entries(memory=self.get(name).id, newest=True, limit=9)
        yes = next((at for at, entry in enumerate(made) if entry.verb != "move"), 0)
        let_in = made[yes].verb == "approve" and (made[0].by, made[0].at) == (
            made[yes].by,
            made[yes].at,
        )
        return [self._undo(entry) for entry in made[: yes + 1 if let_in else 1]][-1:]

    def _undo(self, entry: Entry) -> Lesson:
        with self.store.write() as tx:
            memory = tx.get(entry.memory)
            self._need_standing(memory, "Undoing a change of")
            if entry.by != self.actor.name:
                self.need_person(f"Taking back what {entry.by} did")
            later = tx.entries(memory=entry.memory, after=entry.id)
            hand = self._hand
            tx.apply(undone(memory, entry, later, hand))
            take_back(tx, entry, by=hand.by, at=hand.at)
            return tx.get(entry.memory)

    def erase(self, id: str, *, reason: str = "") -> Lesson:
        """Blank a memory's text everywhere: row, journal, evidence, findings, queue, full text, log, backups, captures."""
        self.need_person("Erasing")
        found = self.get(id)
        with self.store.write() as tx:
            memory = tx.get(found.id)
            tx.apply(erased(memory, self._hand, reason))
            blank(tx, memory, self.now())
        self._erase_outside(found)
        return self.store.get(found.id)

    def _erase_outside(self, found: Lesson) -> None:
        """Blank what lies outside the store's tables: backups, captures, the write-ahead log, pages."""
        blank_copies(data_folder(self.env), found.text)
        # first: a reader may keep the log from being cut
        hand = LessonHand(self.actor.name, self.now())
        copies.erase(self.backups_folder, found.id, hand, "erased")
        runs = [self.store.run(evidence.run) for evidence in self.store.evidence(found.id)]
        remove_captured(self.store.path, {run.foreign_id for run in runs if run})
        runs_of = {evidence.run for evidence in self.store.evidence(found.id) if evidence.run}
        readings.remove_readings(readings.readings_folder(self.store.path), runs_of)
        forget_looks(looks_folder(self.store.path), self.project_id, found.id, runs_of)
        forget_used(self.store.path, self.project_id, runs_of)
        self.store.scrub()
        if found.on_page:
            self._publish()  # its line goes too, from every page that is kept; what git has committed stays there

    def figures(
        self, id: str, *, confidence: float | None = None, success_rate: float | None = None
    ) -> Lesson:
        """State a memory's figures anew, between 0 and 1; id, times and sources never change."""
        stated = {"confidence": confidence, "success_rate": success_rate}
        for name, figure in stated.items():
            if figure is not None and not 0 <= figure <= 1:
                raise UsageError(f"{name} must be between 0 and 1, not {figure:g}.")
        memory, at = self.get(id), self.now()
        with self.store.write(confidence=self.profile.signals.confidence) as tx:
            for name, figure in stated.items():
                if figure is not None:
                    tx.add_evidence(
                        Evidence(
                            memory.id,
                            memory.project,
                            signal=name,
                            amount=figure,
                            by=self.actor.name,
                            tier=self.actor.tier,
                            place=f"stated {at} {new_id()}",
                            at=at,
                        )
                    )
        return self.store.get(memory.id)

    def feedback(self, id: str, word: str, *, run: str = "", reason: str = "") -> Lesson:
        """Somebody's word on a lesson: helped (a signal, never a verdict), wrong (evidence against it) or outdated (stale)."""
        memory = self.get(id)
        if word not in ("helped", "wrong", "outdated"):
            raise UsageError(f"{word!r} is no feedback.", "One of: helped, wrong, outdated.")
        row = self.store.find_run(self.project_id, run) if run else None
        give_feedback(self.work, memory, word, run=row, reason=self._kept_reason(reason))
        return self.store.get(memory.id)

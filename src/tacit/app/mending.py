"""A wrong line of an instruction file: shown as it would read, mended where a person says so, and put back by `undo`."""

from __future__ import annotations

from tacit.app.by_hand import ByHand
from tacit.core.errors import Refused
from tacit.core.proposal import APPROVED, OPEN, Proposal
from tacit.core.value import fields, replace
from tacit.guard.redact import private, redact
from tacit.learn.review import Reviewed
from tacit.learn.tell.instructions import Patch, patch_of, replaced, turned

_TRIES = 3  # an editor that saves in between is never written over


class Mending(ByHand):
    """A wrong line of an instruction file."""

    def patch(self, proposal: Proposal) -> Patch | None:
        """The line that a notice would have changed, as it stands and as it would; once it was accepted, as it was and as it is."""
        payload = proposal.payload or {}
        if payload.get("applied"):
            return Patch(**payload["applied"])
        if not payload.get("file") or self.project is None:
            return None
        raw = self._work_tree().read(str(payload["file"]))
        found = patch_of(payload, _text(raw)) if raw is not None else None
        return found if found is not None and _may_be_kept(found.before) else None

    def _mend(self, proposal: Proposal, reason: str) -> Reviewed | None:
        """Write the better line. What will be written is noted first: after a crash the same word finishes it."""
        payload = proposal.payload or {}
        if proposal.state != OPEN or not payload.get("file"):
            return None  # nothing to write: to know of it is all
        found = self.patch(proposal)
        if found is None:
            raise Refused(
                f"The line does not stand in {payload['file']} any more, or is none that a sentence can be added to.",
                f"Mend the file by hand, then: tacit review reject {proposal.id}",
            )
        noted = replace(proposal, payload={**payload, "applied": fields(found)})
        with self.store.write() as tx:
            tx.put_proposal(noted)
        self._rewrite(found)
        told = f"{found.file} line {found.number} reads as proposed now; tacit undo {proposal.id} puts it back"
        with self.store.write() as tx:
            why = reason or f"{self.actor.name} accepted it"
            tx.put_proposal(
                replace(noted, state=APPROVED, decided_by=self.actor.name, decided_at=self.now(), decision=why)
            )
        self.note(
            f"{found.file} line {found.number}: “{found.after.strip()}” instead of “{found.before.strip()}”",
            reason=reason,
        )
        return Reviewed("", "", "", told, "", proposal.id)

    def _put_back(self, proposal: Proposal) -> Proposal:
        """The file as it was, in this line; the notice without what was done about it."""
        payload = dict(proposal.payload or {})
        found = Patch(**payload.pop("applied"))
        self._rewrite(turned(found))
        self.note(f"{found.file} line {found.number} put back: “{found.before.strip()}”")
        return replace(proposal, payload=payload)

    def _rewrite(self, patch: Patch) -> None:
        tree = self._work_tree()
        for _ in range(_TRIES):
            raw = tree.read(patch.file)
            new = replaced(_text(raw), patch) if raw is not None else None
            if new is None:
                if raw is not None and patch.after in _text(raw).split("\n"):
                    return  # it was written before a crash
                raise Refused(
                    f"{patch.file} has no line “{patch.before.strip()[:120]}” any more.", "Edit the file by hand."
                )
            if tree.write(patch.file, new.encode("utf-8", "surrogateescape"), raw):
                return
        raise Refused(f"{patch.file} is being edited.", "Try again in a moment.")


def _may_be_kept(line: str) -> bool:
    """Whether a line may stand in the store, as it has to for `undo`: it is text, and has nothing to hide."""
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return redact(private(line)).text == line


def _text(raw: bytes | None) -> str:
    """A file's text from which its bytes can be had again, whatever they are."""
    return (raw or b"").decode("utf-8", "surrogateescape")

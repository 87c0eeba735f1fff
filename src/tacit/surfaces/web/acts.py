"""What a person does at the desk: one function per act, on the memories of the request, returning what the page shows then."""

from __future__ import annotations

from typing import Any

from tacit.app import Memories
from tacit.core.errors import UsageError
from tacit.core.memory import memory_json
from tacit.enforce.guard import says
from tacit.enforce.record import of_part, offers, why_not_offered
from tacit.surfaces.numbers import need_same_words
from tacit.surfaces.passing import question_meant, word_done
from tacit.surfaces.past import past_sessions
from tacit.surfaces.web import views

JUDGED = {
    "approve": "approved",
    "edit": "approved with your words",
    "reject": "rejected",
    "merge": "merged",
}


def row_word(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Keep, drop or reword what a row of the one screen stands for."""
    id, do = asked["id"], asked.get("do", "")
    if do not in ("keep", "drop", "edit"):
        raise UsageError(f"{do[:40]!r} is no word about a row.", "keep, drop or edit")
    if do != "edit":
        return {"id": id, **word_done(desk, id, do, words=_words_shown(asked))}
    text = asked.get("text", "").strip()
    if not text:
        raise UsageError("Edit to what?", "Write the better words.")
    question = question_meant(desk, id)
    if question is not None:
        desk.review(question.id, "edit", text=text)
    else:
        desk.edit(id, text=text)
    return {"id": id, "did": "kept with your words", "text": text}


def judge(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Approve, edit or reject what waits, or merge its lesson into another; the answer offers to take it back."""
    found = views.question(desk, asked["id"])
    decision, reason = asked.get("decision", ""), asked.get("reason", "")
    memory = _changed(found, decision == "approve")
    before = _last(desk, memory)
    if decision not in JUDGED:
        raise UsageError(f"{decision[:40]!r} is no judgement.", f"One of: {', '.join(JUDGED)}.")
    if decision == "approve":
        need_same_words(desk, found["id"], found["id"], _words_shown(asked))
    if decision == "merge":
        into = asked.get("into", "") or (found["other"]["id"] if found["other"] else "")
        done = desk.review(memory, "merge", into=into, reason=reason)
        if found["id"] != memory:
            desk.settle(found["id"], f"merged into {into}")
    else:
        done = desk.review(
            found["id"],
            decision,
            text=asked.get("text", ""),
            reason=reason,
            role=asked.get("role") or "person",
        )
    waits = getattr(done, "waits_for", "")
    return {
        "id": found["id"],
        "told": f"{JUDGED[decision]}; it still needs {waits}" if waits else JUDGED[decision],
        "reason": found["lesson"]["text"] if found["lesson"] else found["reason"],
        "entries": "" if decision == "merge" else _since(desk, memory, before),
        "merged": decision == "merge",
    }


def _words_shown(asked: dict[str, str]) -> str:
    """The digest of the words that stood beside a form's button: a yes without any is to nothing that was shown."""
    return asked.get("words") or "none"


def _changed(found: dict[str, Any], approved: bool) -> str:
    """The lesson that a judgement changes: its own, or of two opposites the one that goes."""
    goes = found["other"] if approved and found["kind"] == "contradiction" else None
    lesson = goes or found["lesson"]
    return str(lesson["id"]) if lesson else ""


def _last(desk: Memories, memory: str) -> int:
    entries = desk.log(memory=memory, newest=True, limit=1) if memory else []
    return entries[0].id if entries else 0


def _since(desk: Memories, memory: str, before: int) -> str:
    """The numbers of a lesson's entries after one, newest first."""
    entries = desk.log(memory=memory, after=before, newest=True, limit=20) if memory else []
    return " ".join(str(entry.id) for entry in entries)


def reopen(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Take a judgement back: the lesson stands where it stood, and what waited waits again."""
    found = views.question(desk, asked["id"])
    memory = found["lesson"]["id"] if found["lesson"] else ""
    if asked.get("merged") == "yes":
        desk.review(memory, "unmerge", reason="taken back")
    for entry in asked.get("entries", "").split():
        if entry.isdigit() and desk.store.entry(int(entry)).memory in (
            memory,
            _changed(found, approved=True),
        ):
            desk.undo(int(entry))
    if found["id"] != memory:
        desk.reopen(found["id"])
    return {"each": views.question(desk, asked["id"])}


def change(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Edit, pin, forget or judge one lesson."""
    id, do, reason = asked["id"], asked.get("do", ""), asked.get("reason", "")
    if do == "edit":
        desk.edit(id, text=asked.get("text", ""), reason=reason)
    elif do in ("pin", "unpin"):
        desk.pin(id, do == "pin", reason=reason)
    elif do == "forget":
        desk.forget(id, reason=reason)
    elif do in ("helped", "wrong", "outdated"):
        desk.feedback(id, do, reason=reason)
    elif do in ("approve", "reject", "open", "unmerge"):
        if do == "approve":
            need_same_words(desk, id, id, _words_shown(asked))
        desk.review(id, do, reason=reason)
    elif do == "close":
        words: dict[str, Any] = {name: asked.get(name, "") for name in ("outcome", "text", "into")}
        desk.review(id, "close", **words, reason=reason)
    elif do == "merge":
        desk.review(id, "merge", into=asked.get("into", ""), reason=reason)
    else:
        raise UsageError(
            f"{do[:40]!r} cannot be done with a lesson.",
            "edit, pin, forget, approve, reject, open, close, merge",
        )
    entry = desk.log(memory=desk.get(id).id, newest=True, limit=1)
    return {"told": f"Done: {do}.", "entry": entry[0].id if entry else None, "to": f"/lessons/{id}"}


def page_line(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Let a lesson onto the page, or take it off."""
    memory = desk.put_on_page(
        asked["id"], asked.get("on", "yes") == "yes", reason=asked.get("reason", "")
    )
    return {"line": memory_json(memory)}


def undo(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Take back one journal entry."""
    entry = asked.get("entry", "")
    if not entry.isdigit():
        raise UsageError("Undo which entry?", "Name its number.")
    [memory] = desk.undo(int(entry))
    return {"told": "Taken back.", "entry": None, "to": f"/lessons/{memory.id}"}


# -- guards: what `tacit guard` does, on one screen ------------------------------------------------

FIRINGS = 40  # of a guard that is tried
_DONE_WORDS = {
    "ask": "Asks you from now on.",
    "refuse": "Refused from now on.",
    "off": "Only told again.",
}


def guards_screen(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """What is armed, which lessons could be, and of one that is tried its record on past sessions."""
    tried = None
    if asked.get("tried"):
        guard, record = desk.try_guard(asked["tried"], past_sessions(desk))
        steps = [
            (step, says(part), of_part(part, record).said) for step, part in offers(guard, record)
        ]
        tried = {
            "id": guard.lesson,
            "text": guard.text,
            "said": record.said,
            "firings": record.firings[:FIRINGS],
            "steps": steps,
            "lacks": why_not_offered(record),
            "unseen": record.unseen,
        }
    return {
        "armed": [(each, says(each.guard)) for each in desk.guards()],
        "could": [(each, says(each)) for each in desk.guardable()],
        "tried": tried,
    }


def guard(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Let a lesson ask or refuse before a call, on its record, or only tell it again."""
    id, do = asked["id"], asked.get("do", "")
    if do == "off":
        desk.disarm_guard(id)
    else:
        desk.arm_guard(id, do, past_sessions(desk))
    return {"told": _DONE_WORDS[do], "entry": None, "to": "/guards"}

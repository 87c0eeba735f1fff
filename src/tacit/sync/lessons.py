"""What a lesson of the store says as a line, and what a line makes of a lesson.

What travels is what a lesson says, what it is about, whose word it is, and whether a person ended it. Pins, pages, verdicts, what was
counted and what a machine's own ladder made of it stay at home: each machine judges by its own sessions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tacit.core.edits import ERASED_BY, WORDY
from tacit.core.journal import Entry, is_automatic
from tacit.core.standing import is_settled
from tacit.core.states import ACTIVE, GONE, WAITING
from tacit.core.trust import least
from tacit.core.value import replace
from tacit.lesson import (
    SEVERITIES,
    TIERS,
    Lesson,
    check_fields,
    kept_text,
)
from tacit.safety.provenance import GROUNDED
from tacit.safety.redact import redacted_record
from tacit.safety.screen import screened
from tacit.safety.witness import Vouch
from tacit.sync.line import Line, digest_of_says

SCOPES = ("task", "mission", "project")  # global and agent lessons are a person's own
_EXTRA = ("klass", "scope", "category", "domain", "agent", "severity", "signature", "source")
_UNASKED = "nobody whose key you allow has signed it"
_OWN_ENDS = ("silence", "merge")  # what a machine found by itself


def says(memory: Lesson) -> dict[str, Any]:
    """What a lesson says, without secrets, as every machine spells it."""
    if memory.closed_by == ERASED_BY:
        return {"state": "erased"}
    extra: dict[str, Any] = {name: field for name in _EXTRA if (field := getattr(memory, name))}
    extra |= {"trust": memory.trust} | ({"tags": list(memory.tags)} if memory.tags else {})
    told = {
        "text": memory.text,
        "kind": memory.kind,
        "about": memory.about,
        "files": list(memory.paths),
        "word": _word(memory.trust),
        "state": _state(memory),
        "extra": extra,
    }
    clean: dict[str, Any] = redacted_record({name: each for name, each in told.items() if each})
    return {**clean, "text": clean["text"].strip()}


def _word(trust: str) -> str:
    if trust in ("imported", "quoted"):
        return "outside"
    return "person" if trust == "user" else "session"


def _state(memory: Lesson) -> str:
    """A lesson is over for all where a person ended it or another took its place; whatever a machine's ladder says else is its own."""
    ended = memory.superseded_by or not (
        is_automatic(memory.closed_by) or memory.closed_by in ("", *_OWN_ENDS)
    )
    if memory.state == GONE and ended:
        return "gone"
    return WAITING if memory.state == WAITING else ACTIVE


def is_new(memory: Lesson, said: str | None) -> bool:
    """Whether others are to hear of it: it may be shared, and says something else than its last line did."""
    if memory.scope not in SCOPES:
        return False
    if said is None:
        is_open = memory.state in (WAITING, ACTIVE)
        return is_open and memory.gate == "allow" and not is_one_persons(memory)
    if memory.gate != "allow" and memory.closed_by != ERASED_BY:
        return False
    return digest_of_says(says(memory)) != said


def is_one_persons(memory: Lesson) -> bool:
    """Whether a lesson was only heard from one person: theirs until they raise it, and nobody else's."""
    return bool((memory.extra or {}).get("word")) and not is_settled(memory)


def is_held(memory: Lesson) -> bool:
    """Whether it came in a line that nobody allowed has signed, and waits for a person."""
    return memory.gate == "hold" and memory.gate_reason == _UNASKED


def worded_by(entries: Iterable[Entry]) -> str:
    """Who set the words of a lesson, or ended it, by its journal, newest first."""
    by = ""
    for entry in entries:
        by = entry.by
        if "text" in entry.after or entry.after.get("state") == GONE:
            break
    return by


def is_confirmed(memory: Lesson, machine: str, entries: Iterable[Entry]) -> bool:
    """Whether a person here stands for these very words: pinned them, put them on a page, said yes to them, or set them as an edit."""
    if memory.pinned or memory.on_page:
        return True
    for entry in entries:
        here = entry.machine in (machine, "") and not is_automatic(entry.by)
        raised = entry.verb == "move" and entry.after.get("state") == ACTIVE
        if here and (entry.verb == "approve" or raised):
            return True
        if "text" in entry.after:
            return here and entry.verb in ("edit", "undo")
    return False


# -- what a line makes of a lesson --------------------------------------------------------------------------------------


def born(line: Line, project: str, was: Lesson | None, vouch: Vouch, *, mine: bool) -> Lesson:
    """A mate's lesson, on trial here like any; one that nobody allowed has signed waits for a person, and so do words that nobody here
    vouches for."""
    extra = line.says.get("extra", {})
    memory = replace(
        was or Lesson(line.lesson, project, ""),
        created_at=line.at,
        **_fields(line),
        **_sorted(extra),
    )
    memory = replace(
        memory, trust=_trust(line, mine), updated_at=line.at, gate="allow", gate_reason=""
    )
    memory = replace(memory, state=WAITING if line.state == WAITING else ACTIVE)
    if not line.signer:
        origin = f"lines of {line.machine}"
        held = replace(memory, trust="imported", origin=origin, state=WAITING)
        return check_fields(replace(held, gate="hold", gate_reason=_UNASKED))
    return _screened(check_fields(memory), line, None if mine else vouch)


def changed(was: Lesson, line: Line, vouch: Vouch, *, mine: bool) -> Lesson:
    """A lesson as a mate has it now. Whoever set the words gives the word: other words are the mate's, on trial, and nothing that was
    said of the former holds."""
    now = replace(was, **_fields(line), **_sorted(line.says.get("extra", {})), updated_at=line.at)
    if now.text != was.text:
        now = replace(
            now,
            trust=_trust(line, mine),
            pinned=False,
            on_page=False,
            verdict="not yet known",
        )
    if line.state == GONE and was.state != GONE:
        now = put_away(now, line)
    elif line.state != GONE and was.state == GONE:
        now = replace(now, state=WAITING, previous_state="", closed_by="")
    if line.state == ACTIVE and now.state == WAITING:
        now = replace(now, state=ACTIVE)
    other = now.text != was.text and not mine
    return _screened(check_fields(now), line, vouch if other else None)


def put_away(was: Lesson, line: Line) -> Lesson:
    """A lesson that somebody else took out; `undo` brings it back."""
    by = line.signer if is_automatic(line.by) or not line.by else line.by
    now = replace(was, state=GONE, previous_state=was.state, closed_by=by)
    return replace(now, pinned=False, on_page=False, updated_at=line.at)


def _fields(line: Line) -> dict[str, Any]:
    told = line.says
    return {
        "text": kept_text(told["text"]),
        "kind": told.get("kind") or "fact",
        "about": told.get("about", ""),
        "paths": tuple(told.get("files", ())),
    }


def _sorted(extra: Any) -> dict[str, Any]:
    """What a line adds, as far as a lesson has a place for it."""
    found = {name: field for name in _EXTRA if isinstance(field := extra.get(name, ""), str)}
    found["klass"] = found["klass"] or "fact"
    found["scope"] = found["scope"] if found["scope"] in SCOPES else "project"
    found["severity"] = found["severity"] if found["severity"] in SEVERITIES else "info"
    tags = extra.get("tags", [])
    return {**found, "tags": tuple(tags) if isinstance(tags, list) else ()}


def _trust(line: Line, mine: bool) -> str:
    """Whose word it is here: a mate's is the team's at most; a line of one's own other machine is one's own."""
    claimed = line.says.get("extra", {}).get("trust", "")
    if claimed not in TIERS:
        claimed = {"person": "user", "session": "agent"}.get(line.says["word"], "imported")
    return claimed if mine else least(("team", claimed))


def _screened(memory: Lesson, line: Line, vouch: Vouch | None) -> Lesson:
    """A key can be stolen: what seems meant for the reader of a prompt waits here, whoever signed it; and so does what would act unasked
    or brings a package, an address or a setting that no tracked file knows."""
    beside = [str(getattr(memory, name)) for name in WORDY if name != "text"]
    found = screened(memory.text, *filter(None, beside))
    if found.clean:
        asked = vouch(memory.text) if vouch and memory.text else GROUNDED
        if asked.grounded or memory.gate != "allow":
            return memory
        why = f"signed by {line.signer}, and {asked.reason}"
        return replace(memory, gate="hold", gate_reason=why, state=WAITING)
    reason = f"signed by {line.signer}, and {found.reason}"
    return replace(memory, gate="quarantine", gate_reason=reason, state=WAITING)

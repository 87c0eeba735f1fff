"""The words of every screen, once: how a lesson stands, when it is told, what came of it.

States, gates and arms are for programs (`--json`, `why --full`). A person asks other things: are agents told it, since when, on whose
word, and does it help? `tacit help words` explains each of these answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import numbered
from tacit.core.links import INSTRUCTED
from tacit.core.profile import Profile
from tacit.core.standing import is_confirmed, is_exempt, replay_command, wants_replay
from tacit.core.states import ACTIVE, DOUBTED, ENDING_VERDICTS, GONE, WAITING, faded
from tacit.core.tables import Tables
from tacit.core.value import replace, value
from tacit.lesson import HEARD_WORDS, OWNER, WAY, Lesson, is_found_once, names_of

# What a colour stands for: what does good, what waits for somebody, what does harm, what needs no eye.
GOOD, WAIT, BAD, QUIET_TONE, PLAIN_TONE = "good", "wait", "bad", "quiet", "plain"
TONES = {"helps": GOOD, "harms": BAD}  # of a verdict

# The words. Each stands for one thing, and no screen has another for it.
TOLD = "told to agents"
WAITS = "waits for you"
NOT_YET = "seen once, not told yet"
CONTRADICTED = "contradicted"
BLOCKED = "blocked: looks like an injection"
YOURS = "you said it"
ALWAYS = "always told"
IN_FILES = "in your files"
TESTED = "test group"
AT_START = "at session start"
MENTIONED = "when you mention it"
_tables = Tables(__file__)
WORDS = _tables.named("WORDS")
QUESTIONS = _tables.named("QUESTIONS")
EVENTS_COUNTED = _tables.named("EVENTS_COUNTED")

# by whom evidence is that a grammar recognised: what it keeps is a form of our own, nobody's words
BY_NOTICE = "notice"


def gone_words(memory: Lesson) -> str:
    """How a lesson that is gone left."""
    if memory.superseded_by:
        return "replaced"
    return "faded" if faded(memory) else "taken out"


def topic_words(about: str) -> str:
    """The topic of what a lesson is about; empty where nobody said, or it is a way of working."""
    return "" if about == WAY else about.partition(";")[0].strip()


def subject_words(memory: Lesson) -> str:
    """What a lesson is about, in a sentence; empty where nobody said."""
    if memory.about == WAY:
        return "A way of working: about everything."
    if not memory.about:
        return ""
    said = [topic] if (topic := topic_words(memory.about)) else []
    return f"About {' · '.join([*said, *names_of(memory.about), *memory.paths])}."


@value
class Phrase:
    """How a lesson stands, and what the colour of these words would mean."""

    words: str
    tone: str = PLAIN_TONE


def standing_words(memory: Lesson, profile: Profile) -> Phrase:
    """How a lesson stands, for a line of a list."""
    if memory.state == GONE:
        return Phrase(gone_words(memory), QUIET_TONE)
    if memory.state == DOUBTED:
        return Phrase(CONTRADICTED, BAD)
    if memory.gate != "allow":
        return Phrase(WAITS, WAIT) if memory.gate == "hold" else Phrase(BLOCKED, BAD)
    if memory.state == WAITING:
        once = memory.tally.seen <= 1
        return Phrase(NOT_YET if once else f"{seen(memory)}, not told yet", QUIET_TONE)
    if memory.verdict != "not yet known":
        return Phrase(memory.verdict, TONES.get(memory.verdict, QUIET_TONE))
    signals = memory.tally.signals or {}
    if memory.pinned:
        return Phrase(ALWAYS, GOOD)
    if memory.on_page or signals.get(INSTRUCTED):
        return Phrase(IN_FILES, GOOD)
    exempt = is_exempt(memory, profile)
    if is_confirmed(memory) or (memory.trust == OWNER and exempt and not is_found_once(memory)):
        return Phrase(YOURS, GOOD)
    if is_found_once(memory):
        return Phrase(TOLD, PLAIN_TONE)
    if exempt or not profile.trial.rate:
        return Phrase(TOLD, GOOD)
    # before the first session that could tell there is nothing to say of a test
    return Phrase(f"{TESTED} ({so_far(memory, profile)})" if signals.get("units") else TOLD)


def is_yours(memory: Lesson, profile: Profile) -> bool:
    """Whether a lesson is the person's own word: entered, approved or worded anew."""
    return standing_words(memory, profile).words == YOURS


def seen(memory: Lesson) -> str:
    """In how many independent sessions it was met."""
    return (
        f"seen in {numbered(memory.tally.seen, 'session')}" if memory.tally.seen else "not seen yet"
    )


def so_far(memory: Lesson, profile: Profile) -> str:
    """How far a trial has come."""
    told, wanted = int((memory.tally.signals or {}).get("units", 0)), profile.effect.min_units
    return f"{told} of {wanted} sessions" if told < wanted else numbered(told, "session")


def ahead(memory: Lesson, profile: Profile, next: str, replayed: bool = False) -> str:
    """What would change how it stands, in a sentence; `next` is what its ladder says, for profiles whose words are their own. A replay is
    offered where one would tell more than the coins and none was made."""
    undecided = "" if replayed else wants_replay(memory)
    command = replay_command(memory.id)
    offer = (
        f" A replay of past tasks tells in a night ({undecided}): {command}" if undecided else ""
    )
    return _ahead(memory, profile, next) + offer


def _ahead(memory: Lesson, profile: Profile, next: str) -> str:
    id = memory.id
    if memory.state == DOUBTED:
        return f"Somebody decides: tacit review show {id}"
    if memory.state == GONE:
        return f"Nothing, while it is {gone_words(memory)}: tacit undo {id} brings it back."
    if memory.gate != "allow":
        return f"You: tacit keep {id}, or drop."
    ours = "standing" in profile.columns
    if memory.state == WAITING and ours:
        return f"{missing(memory, profile)}, or your word: tacit keep {id}"
    if memory.verdict in ENDING_VERDICTS:
        return f"Nothing is measured any more, since nobody is told it: tacit review show {id}"
    said = standing_words(memory, profile).words
    if said == YOURS:
        return "Only you: tacit edit or drop. It is your word, so no session goes without it to measure it."
    measured = not is_exempt(memory, profile) and profile.trial.rate
    if said.startswith(TESTED) or (said == TOLD and measured and not is_found_once(memory)):
        word = (memory.extra or {}).get("word")
        heard = (
            f" You were heard: tacit keep {id} makes it your word." if word in HEARD_WORDS else ""
        )
        return (
            "It is left out of a session now and then to see whether it helps:"
            f" {so_far(memory, profile)} could tell so far. It goes if it harms.{heard}"
        )
    if not ours:
        return next
    each = " Told each time: no session can show whether it helps, so none goes without it."
    return f"You: tacit keep, edit or drop {id}." + (
        each if said == TOLD and not is_found_once(memory) else ""
    )


def missing(memory: Lesson, profile: Profile) -> str:
    """What keeps a lesson waiting that nothing holds back: too few sessions, or none of them with more than somebody's word for it."""
    lacking = profile.trust.runs - memory.tally.seen
    if lacking > 0:
        more = "Another, independent session that meets it"
        many = f"{lacking} more, independent sessions that meet it"
        return more if lacking == 1 else many
    if against := memory.tally.contradicted:
        return f"It was {seen(memory)}, and {against} spoke against it: sessions that bear it out"
    return f"It was {seen(memory)}, by agents' words alone: a session whose own output or call shows it"


def held_words(reason: str) -> str:
    """Why a lesson is held, for people: whose words they are, where that is all that speaks against it."""
    if reason.startswith("a reader's words"):
        return "in the reader's words, after a line of yours: did you mean it so?"
    runs, other, _ = reason.partition(" is no command of this repository")
    if other:
        return f"agents would run {runs}: is it right?"
    tier, kept, _ = reason.partition(" text waits for somebody to vouch for it")
    names = {"quoted": "a page, a file or an output", "imported": "another memory"}
    whose = names.get(tier, "somebody else")
    return f"some of its words stood in {whose}: is it right?" if kept else reason


# Where a lesson stands by its state alone.
STATE_WORDS = {WAITING: NOT_YET, ACTIVE: TOLD, DOUBTED: CONTRADICTED, GONE: "gone"}
MOVED = {**STATE_WORDS, GONE: "taken out"}
# What came of a lesson's problem in a session.
CAME = {
    "occurred": "came back",
    "not_occurred": "did not",
    "not_reached": "its moment did not come",
    "unknown": "could not be told",
    "": "not over yet",
}


def question(kind: str, payload: Mapping[str, Any]) -> str:
    """What a proposal asks a person, in one line."""
    if kind == "notice" and payload.get("file"):
        return f"A line of {payload['file']} is wrong. Mend it?"
    return QUESTIONS.get(kind, kind)


def decided(was: str, state: str) -> str:
    """What a decision made of a lesson, in a word or two."""
    return MOVED.get(state, state) if was != state else f"unchanged ({MOVED.get(state, state)})"


# What changed, in a word or two, by the journal's verb; a move is told by where it led.
CHANGES = {
    "add": "written down",
    "edit": "corrected",
    "typo": "spelling corrected",
    "subject": "subject told",
    "figures": "met again",
    "pin": "pinned or unpinned",
    "forget": "taken out",
    "undo": "change taken back",
    "erase": "erased",
    "merge": "joined with another",
    "unmerge": "taken apart again",
    "gate": "judged again",
    "verdict": "effect known",
    "page": "page changed",
    "stale": "aged",
    "trust": "vouched for",
    "family": "twins found",
    "import": "came from elsewhere",
    "approve": "approved",
    "sync": "joined with the team's",
}
# a count of that day, which has grown since
_COUNTED = re.compile(r"(?:noticed|met|seen) in \d+ sessions?")


def change_lines(entry: Mapping[str, Any]) -> list[str]:
    """A change of a lesson for people: what, by whom, why."""
    to, verb = (entry["after"] or {}).get("state"), entry["verb"]
    what = MOVED[to] if verb == "move" and to in MOVED else CHANGES.get(verb, verb)
    why = " ".join(str(entry["reason"] or "").split())[:400]
    return [what, str(entry["by"]), f"{why} by then" if _COUNTED.fullmatch(why) else why]


_YOU_SAID = ("said", "shown", "asked", "agreed")  # what a reader heard a lesson as, in your words


def came_up(memory: Lesson, calls: int = 0) -> str:
    """In how many sessions it came up and how many calls it took; of what the person said, that."""
    sessions, word = memory.tally.seen, str((memory.extra or {}).get("word", ""))
    if not sessions:
        return YOURS if memory.trust == OWNER else ""
    if calls:
        return spent_words(sessions, calls)
    return f"{YOURS if word in _YOU_SAID else 'seen'} in {numbered(sessions, 'session')}"


def listed_words(memory: Lesson, profile: Profile) -> Phrase:
    """How a lesson of a list stands; while nothing more is to be said than that it is told, as its title does, how it came up."""
    said = standing_words(memory, profile)
    if said.words != TOLD:
        return said
    return replace(said, words=came_up(memory) or said.words)


def spent_words(sessions: int, calls: int) -> str:
    extra = f", {numbered(calls, 'extra call')} in all" if calls else ""
    return numbered(sessions, "session") + extra

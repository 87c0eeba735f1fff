"""A lesson's life and a session's record, in words that need no page: pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.links import CONFIRMED, Evidence
from tacit.core.links import Mark as UseMark
from tacit.core.value import replace, value
from tacit.screens.wording import BY_NOTICE, change_lines
from tacit.store.story import SEEN, STORY_CAME, STORY_GIVEN, Event

if TYPE_CHECKING:
    from tacit.trial.audit import GivenLesson
    from tacit.trial.statement import Statement

TRUST = {
    "user": "your own word",
    "team": "a team mate's word",
    "review": "from a review or a test",
    "observed": "seen in sessions",
    "agent": "an agent's note",
    "quoted": "quoted from output or a page",
    "imported": "brought in from elsewhere",
}
CAME_WORDS = {
    "occurred": "its problem came back",
    "not_occurred": "its problem did not come back",
    "not_reached": "it did not come to what the lesson is about",
    "unknown": "nobody could tell what came of it",
}


@value
class StoryLine:
    """One line of a lesson's story."""

    at: str
    what: str  # seen, against, given, left, back, clean, untold, changed: its mark
    words: str
    run: str = ""  # the host's own name of the run
    quote: str = ""  # somebody's words
    why: str = ""  # ours
    place: str = ""
    by: str = ""
    before: str = ""  # of a text that was edited
    after: str = ""
    entry: int = 0  # of the journal, for undo


def lines(events: Sequence[Event], runs: Mapping[str, str]) -> list[StoryLine]:
    """Events as lines; what came of a use stands with the use where both are there."""
    told: list[StoryLine] = []
    used = {str(event.key): event for event in events if event.what == STORY_GIVEN}
    came = {event.told["unit"] for event in events if event.what == STORY_CAME}
    for event in events:
        if event.what == STORY_GIVEN and str(event.key) in came:
            continue
        told.append(
            _line(
                event,
                runs,
                used.get(event.told.get("unit", "")) if event.what == STORY_CAME else None,
            )
        )
    return told


def _line(event: Event, runs: Mapping[str, str], use: Event | None) -> StoryLine:
    at, run = event.told, runs.get(event.told.get("run") or event.told.get("unit") or "", "")
    if event.what == SEEN:
        if at["signal"] == CONFIRMED:
            words = (
                "No longer confirmed"
                if at["place"].startswith("taken back")
                else "Confirmed by a person"
            )
            return StoryLine(event.at, "changed", words, by=at["by"])
        against = at["stance"] == "contradicts"
        words = "A session spoke against it" if against else "A session met it" if run else "Said"
        what, (quote, why) = "against" if against else "seen", _words(at["quote"], at["by"])
        return StoryLine(event.at, what, words, run, quote, why=why, place=at["place"], by=at["by"])
    if event.what == STORY_GIVEN:
        return StoryLine(
            event.at, "left" if at["arm"] == "withheld" else "given", _given(at["arm"]), run
        )
    if event.what == STORY_CAME:
        kind = {"occurred": "back", "not_occurred": "clean"}.get(at["outcome"], "untold")
        outcome = CAME_WORDS.get(at["outcome"], at["outcome"])
        words = f"{_given(use.told['arm'])}; {outcome}" if use else _sentence(outcome)
        return StoryLine(event.at, kind, words, run, why=at["reason"])
    what, by, why = change_lines(at)
    before, after = (
        str(at["before"].get("text", "")),
        str(at["after"].get("text", "")) if at["before"] else "",
    )
    told = StoryLine(
        event.at, "changed", _sentence(what), run, why=why, by=by, entry=int(event.key)
    )
    return replace(told, before=before, after=after) if after else told


def _words(quote: str, by: str) -> tuple[str, str]:
    """(What somebody said, what was recognised): a form of our own is nobody's quote."""
    return ("", f"recognised: {quote}") if quote and by == BY_NOTICE else (quote, "")


def _given(arm: str) -> str:
    return "Left out, to compare" if arm == "withheld" else "Given"


ANSWERS = {"helps": "It helps", "harms": "It harms"}


def effect_words(found: Statement) -> tuple[str, str]:
    """What is known of a lesson's effect: the answer, and what it rests on."""
    unknown = "Not yet known" if found.measured else "Not measured"
    return ANSWERS.get(found.word, unknown), found.sentence


@value
class Part:
    """One lesson's part in one run."""

    id: str
    text: str
    words: str  # what came of it
    tone: str
    cited: bool
    why: str  # how that is known
    quotes: tuple[tuple[str, str], ...]  # (what was said, where)


@value
class Record:
    """A run: what it was given, what was left out, and what came of both."""

    given: tuple[Part, ...]
    left: tuple[Part, ...]

    @property
    def back(self) -> int:
        return sum(part.tone == "bad" for part in self.given)


def run_record(
    lessons: Sequence[GivenLesson], evidence: Iterable[Evidence] = (), marks: Iterable[UseMark] = ()
) -> Record:
    """A run's lessons, those whose problem came back first, with what the run said of each and how that is known."""
    quotes: dict[str, list[tuple[str, str]]] = {}
    for row in evidence:
        if row.quote:
            quotes.setdefault(row.memory, []).append(
                ("".join(_words(row.quote, row.by)), row.place)
            )
    why = {mark.memory: mark.reason for mark in marks if mark.signal == "outcome"}
    ranks = {"bad": 0, "good": 1, "quiet": 2}
    sides: dict[bool, list[Part]] = {False: [], True: []}
    for each in lessons:
        said, reason = tuple(quotes.get(each.memory, ())), why.get(each.memory, "")
        part = Part(each.memory, each.text, *_came(each.outcome), each.cited, reason, said)
        sides[each.arm == "withheld"].append(part)
    given, left = (
        tuple(sorted(side, key=lambda part: ranks[part.tone])) for side in sides.values()
    )
    return Record(given, left)


def _came(outcome: str) -> tuple[str, str]:
    tone = {"occurred": "bad", "not_occurred": "good"}.get(outcome, "quiet")
    return CAME_WORDS.get(outcome, "the session is not over yet"), tone


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def short(text: str, most: int = 200) -> str:
    """A text on one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"

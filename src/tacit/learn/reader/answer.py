"""What a reader answered, as values. Prose, fences, half an answer and wrong types are passed over; what is whole is taken.

Nothing here is believed yet: `check` looks for every quote.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tacit.core.answer import LONGEST_ANSWER, TRIES, answer_text
from tacit.core.value import value
from tacit.learn.reader.prompt import HOLDS, HOLDS_FOR, LESSON_KINDS, QUOTES, SAYS, STANDINGS, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

TEXT, WHEN, QUOTE, SIGN, UNTIL = 500, 120, 400, 200, 160  # characters
SHORTEST_SIGN = 12


@value
class Quote:
    """Words that are said to stand in a line."""

    line: int
    words: str


@value
class Lesson:
    """One lesson as the model tells it."""

    text: str
    when: str = ""
    kind: str = "fact"
    standing: str = "found"
    quotes: tuple[Quote, ...] = ()
    sign_in: str = ""
    sign: str = ""
    until: str = ""


@value
class Weighed:
    """What the second question brought of one lesson."""

    says: str = "no"
    holds: str = "order"


@value
class Verdict:
    """What the third question brought of one remembered lesson."""

    id: str
    verdict: str
    quote: Quote | None = None
    scope: str = "for_good"
    new: int = 0  # of a "same": the number of the new lesson
    better: str = ""


def lessons_of(said: str, most: int) -> tuple[Lesson, ...]:
    """The first lessons of an answer; the same text twice is one."""
    found: dict[str, Lesson] = {}
    for row in _objects(said, "lessons", "text"):
        lesson = _lesson(row)
        if lesson is not None and len(found) < most:
            found.setdefault(lesson.text, lesson)
    return tuple(found.values())


def struck_of(said: str) -> tuple[str, ...]:
    """What a later part of a session takes back."""
    whole = next(_decoded(said), {})
    held = whole.get("struck")
    return tuple(" ".join(each.split()) for each in held if isinstance(each, str)) if isinstance(held, list) else ()


def weighed_of(said: str, count: int) -> dict[int, Weighed]:
    """By number from 1; what is not answered is not there."""
    found: dict[int, Weighed] = {}
    for row in _objects(said, "answers", "n"):
        number, says, holds = row.get("n"), row.get("says"), row.get("holds")
        if type(number) is int and 1 <= number <= count and says in SAYS and holds in HOLDS:
            found.setdefault(number, Weighed(says, holds))
    return found


def verdicts_of(said: str) -> tuple[Verdict, ...]:
    """Every verdict that has the form of one."""
    return tuple(verdict for row in _objects(said, "verdicts", "verdict") if (verdict := _verdict(row)) is not None)


def is_answer(said: str, list_name: str) -> bool:
    """Whether this is an answer at all: an object with the list that was asked for, be it empty."""
    return any(isinstance(whole.get(list_name), list) for whole in _decoded(said))


def _lesson(row: Mapping[str, Any]) -> Lesson | None:
    text = answer_text(row, "text", TEXT)
    held = row.get("quotes")
    quotes = [quote for each in held if (quote := _quote(each)) is not None] if isinstance(held, list) else []
    if not text or not quotes:
        return None
    kind, standing = answer_text(row, "kind", 40), answer_text(row, "standing", 40)
    at = row.get("sign")
    sign = answer_text(at, "words", SIGN) if isinstance(at, dict) else ""
    sign_in = answer_text(at, "in", 4) if isinstance(at, dict) else ""
    if len(sign) < SHORTEST_SIGN or sign_in not in ("E", "T", "U"):
        sign = sign_in = ""
    return Lesson(
        text,
        answer_text(row, "when", WHEN),
        kind if kind in LESSON_KINDS else "fact",
        standing if standing in STANDINGS else "found",
        tuple(quotes[:QUOTES]),
        sign_in,
        sign,
        answer_text(row, "until", UNTIL),
    )


def lesson_from(at: Mapping[str, Any]) -> Lesson:
    """A lesson as it was kept."""
    quotes = tuple(Quote(int(each[0]), str(each[1])) for each in at.get("quotes", ()))
    plain = {name: str(at.get(name, "")) for name in ("text", "when", "kind", "standing", "sign_in", "sign", "until")}
    return Lesson(quotes=quotes, **plain)


def lesson_as(lesson: Lesson) -> dict[str, Any]:
    """A lesson to be kept."""
    return {**lesson.__dict__, "quotes": [[quote.line, quote.words] for quote in lesson.quotes]}


def _quote(at: Any) -> Quote | None:
    if not isinstance(at, dict):
        return None
    line, words = at.get("line"), answer_text(at, "words", QUOTE)
    return Quote(line if type(line) is int else 0, words) if words else None


def _verdict(row: Mapping[str, Any]) -> Verdict | None:
    id, verdict = answer_text(row, "id", 40), row.get("verdict")
    if not id or verdict not in VERDICTS:
        return None
    if verdict == "same":
        new = answer_text(row, "new", 10).removeprefix("n")
        number = int(new) if new.isdecimal() and len(new) < 4 else 0
        return Verdict(id, "same", new=number, better=answer_text(row, "better", TEXT)) if number else None
    quote, scope = _quote(row), row.get("scope")
    return Verdict(id, str(verdict), quote, scope if scope in HOLDS_FOR else "for_good") if quote else None


def _objects(said: str, list_name: str, key: str) -> Iterator[Mapping[str, Any]]:
    """The objects of the list that was asked for, also out of an answer that stops in the middle."""
    for whole in _decoded(said):
        held = whole.get(list_name)
        if isinstance(held, list):
            yield from (row for row in held if isinstance(row, dict))
        elif key in whole:
            yield whole


def _decoded(said: str) -> Iterator[dict[str, Any]]:
    text = said.rpartition("</think>")[2][:LONGEST_ANSWER]
    decoder = json.JSONDecoder()
    at = tries = 0
    while tries < TRIES and (at := text.find("{", at)) >= 0:
        try:
            whole, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at, tries = at + 1, tries + 1
            continue
        if isinstance(whole, dict):
            yield whole

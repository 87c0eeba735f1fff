"""What a reader answered, as values. Nearly right is mended: prose and fences around it, another
name for a field, a number in quotation marks, an answer that stops in the middle. What is whole is
taken, the rest is passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tacit.core.ports import answer_text, decoded
from tacit.core.value import value
from tacit.reading.prompt import (
    HOLDS,
    KNOWN_VERDICTS,
    LESSON_KINDS,
    NAMES,
    QUOTES,
    SAYS,
    STANDINGS,
    TWINS,
)

LONGEST_LESSON_TEXT, QUOTE, LONGEST_SIGN, NAME = 500, 400, 200, 80  # characters
SHORTEST_SIGN = 12
# What readers write instead of a field's name, and of a word of a list.
_FIELDS = {
    "text": ("lesson", "rule", "sentence"),
    "quotes": ("quote", "evidence"),
    "words": ("quote", "text", "quoted"),
    "verdict": ("status", "judgement"),
    "into": ("better", "wording", "becomes"),
    "new": ("same_as",),
    "n": ("number", "item", "id"),
}
_WORDS = {
    "way of working": "way",
    "rule": "way",
    "command": "fact",
    "fix": "cure",
    "pitfall": "cure",
    "contradicted": "reversed",
    "exception": "excepted",
}


@value
class Quote:
    """Words that are said to stand in a line."""

    line: int
    words: str


@value
class Lesson:
    """One lesson as the model tells it."""

    text: str
    kind: str = "fact"
    standing: str = "found"
    quotes: tuple[Quote, ...] = ()
    sign_in: str = ""
    sign: str = ""
    topic: str = ""
    names: tuple[str, ...] = ()  # what it is about, as the model says; `check` looks for each
    files: tuple[str, ...] = ()


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
    new: int = 0  # the number of the new lesson that says the same, or takes its place
    part: str = ""  # of an amendment: the words that hold no longer
    into: str = ""  # … and the lesson as it now reads; of a "same": a wording true to both


@value
class Struck:
    """A lesson of an earlier part that a later one takes back."""

    id: str  # its name, or its text
    quote: Quote | None = None


def lessons_of(said: str, most: int) -> tuple[Lesson, ...]:
    """The first lessons of an answer; the same text twice is one."""
    found: dict[str, Lesson] = {}
    for row in _objects(said, "lessons", "text"):
        lesson = _lesson(row)
        if lesson is not None and len(found) < most:
            found.setdefault(lesson.text, lesson)
    return tuple(found.values())


def struck_of(said: str) -> tuple[Struck, ...]:
    """What a later part of a session takes back."""
    held = next(decoded(said), {}).get("struck")
    rows = (
        [each if isinstance(each, dict) else {"id": each} for each in held]
        if isinstance(held, list)
        else []
    )
    return tuple(
        Struck(id, _quote(row))
        for row in rows
        if (id := answer_text(row, "id", LONGEST_LESSON_TEXT))
    )


def weighed_of(said: str, count: int) -> dict[int, Weighed]:
    """By number from 1; what is not answered is not there."""
    found: dict[int, Weighed] = {}
    for row in _objects(said, "answers", "says"):
        number, says, holds = (
            _number(_field(row, "n")),
            _word(row.get("says"), SAYS),
            _word(row.get("holds"), HOLDS),
        )
        if 1 <= number <= count and says and holds:
            found.setdefault(number, Weighed(says, holds))
    return found


def verdicts_of(said: str) -> tuple[Verdict, ...]:
    """Every verdict that has the form of one."""
    return tuple(
        verdict
        for row in _objects(said, "verdicts", "verdict")
        if (verdict := _verdict(row)) is not None
    )


def twins_of(said: str) -> dict[tuple[str, str], str]:
    """What two lessons are to each other, by their names; what is answered in two ways is not
    there."""
    found: dict[tuple[str, str], str] = {}
    for row in _objects(said, "pairs", "word"):
        pair = answer_text(row, "new", 10), answer_text(row, "other", 10)
        word = _word(row.get("word"), TWINS)
        found[pair] = word if found.get(pair, word) == word else ""
    return {pair: word for pair, word in found.items() if word}


def is_answer(said: str, list_name: str) -> bool:
    """Whether this is an answer at all: an object with the list that was asked for, be it empty,
    or the whole objects of such a list."""
    if any(isinstance(whole.get(list_name), list) for whole in decoded(said)):
        return True
    key = {"lessons": "quotes", "answers": "says", "verdicts": "verdict", "pairs": "word"}[
        list_name
    ]
    return any(_field(row, key) for row in _objects(said, list_name, key))


def _lesson(row: Mapping[str, Any]) -> Lesson | None:
    text, held = _text(row, "text", LONGEST_LESSON_TEXT), _field(row, "quotes")
    quotes = [
        quote
        for each in (held if isinstance(held, list) else [held])
        if (quote := _quote(each)) is not None
    ]
    if not text or not quotes:
        return None
    at, about = row.get("sign"), row.get("about")
    sign = (
        answer_text(at, "words", LONGEST_SIGN) or answer_text(at, "text", LONGEST_SIGN)
        if isinstance(at, dict)
        else ""
    )
    sign_in = answer_text(at, "in", 4) if isinstance(at, dict) else ""
    if len(sign) < SHORTEST_SIGN or sign_in not in ("E", "T", "U"):
        sign = sign_in = ""
    about = {"topic": about} if isinstance(about, str) and about not in ("", "*", "null") else about
    at = about if isinstance(about, dict) else {}
    return Lesson(
        text,
        _word(row.get("kind"), LESSON_KINDS) or "fact",
        _word(row.get("standing"), STANDINGS) or "found",
        tuple(quotes[:QUOTES]),
        sign_in,
        sign,
        answer_text(at, "topic", NAME),
        _names(at.get("names")),
        _names(at.get("files")),
    )


def lesson_from(at: Mapping[str, Any]) -> Lesson:
    """A lesson as it was kept."""
    quotes = tuple(Quote(int(each[0]), str(each[1])) for each in at.get("quotes", ()))
    plain = {
        name: str(at.get(name, ""))
        for name in ("text", "kind", "standing", "sign_in", "sign", "topic")
    }
    return Lesson(
        quotes=quotes, names=tuple(at.get("names", ())), files=tuple(at.get("files", ())), **plain
    )


def lesson_as(lesson: Lesson) -> dict[str, Any]:
    """A lesson to be kept."""
    return {**lesson.__dict__, "quotes": [[quote.line, quote.words] for quote in lesson.quotes]}


def _quote(at: Any) -> Quote | None:
    at = {"words": at} if isinstance(at, str) else at
    if not isinstance(at, dict):
        return None
    words = re.sub(r"^\d+ [A-Z] ", "", _text(at, "words", QUOTE)).strip('"“”')
    return Quote(_number(at.get("line")), words) if words else None


def _verdict(row: Mapping[str, Any]) -> Verdict | None:
    id, verdict = answer_text(row, "id", 40), _word(_field(row, "verdict"), KNOWN_VERDICTS)
    if verdict == "reversed" and row.get("scope") == "this_time":
        verdict = "excepted"
    new, quote = (
        _number(_field(row, "new")),
        _quote({"line": row.get("line"), "words": row.get("words")}),
    )
    if not id or not verdict or (not new if verdict == "same" else quote is None):
        return None
    return Verdict(
        id,
        verdict,
        quote,
        new,
        answer_text(row, "part", LONGEST_LESSON_TEXT),
        _text(row, "into", LONGEST_LESSON_TEXT),
    )


def _field(row: Mapping[str, Any], name: str) -> Any:
    """A field by its name, or by what readers call it instead."""
    return next((row[each] for each in (name, *_FIELDS.get(name, ())) if row.get(each)), None)


def _text(row: Mapping[str, Any], name: str, most: int) -> str:
    return answer_text({name: _field(row, name)}, name, most)


def _word(at: Any, words: tuple[str, ...]) -> str:
    word = " ".join(at.lower().split()) if isinstance(at, str) else ""
    return next(
        (each for each in (word, word.replace(" ", "_"), _WORDS.get(word, "")) if each in words), ""
    )


def _number(at: Any) -> int:
    """A number, also in quotation marks or behind a letter: 12, "12", "n2"; 0 where it is none."""
    if isinstance(at, str):
        found = re.fullmatch(r"\s*[A-Za-z#]?\s*(\d{1,6})(?: [A-Z])?\s*", at)
        return int(found[1]) if found else 0
    return at if type(at) is int else 0


def _names(at: Any) -> tuple[str, ...]:
    listed = at if isinstance(at, list) else [at]
    return tuple(
        " ".join(each.split()) for each in listed if isinstance(each, str) and 1 < len(each) <= NAME
    )[:NAMES]


def _objects(said: str, list_name: str, key: str) -> Iterator[Mapping[str, Any]]:
    """The objects of the list that was asked for, also out of an answer that stops in the middle
    or forgets the list's name."""
    for whole in decoded(said):
        held = whole.get(list_name)
        if isinstance(held, list):
            yield from (row for row in held if isinstance(row, dict))
        elif _field(whole, key):
            yield whole

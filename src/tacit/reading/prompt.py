"""What a reader is asked: six questions, each a pure function of what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tacit.core.digest import short_hash
from tacit.reading.page import SPEAKER_LETTERS, Line, page_text

# The wording of each question lies in `prompt.txt`.
with open(f"{__file__.rpartition('.')[0]}.txt", encoding="utf-8") as _file:
    _parts = re.split(r"^\[([A-Z]+)\]\n", _file.read(), flags=re.M)
_PROMPT_TEXT = dict(zip(_parts[1::2], _parts[2::2]))
# Of each question; the wording of a version is frozen. Version 3 reads a session once: lessons,
# requests and findings were three questions, and a fourth over the very same record drew weaker and
# doubled lessons. It keeps what was settled about the product.
VERSIONS = {"lessons": "3", "weigh": "3", "known": "3", "revoke": "2", "cure": "2", "twins": "1"}
VERSION = ".".join(VERSIONS.values())
QUOTES, STRUCK, NAMES = 3, 20, 6  # of a lesson; of an answer; of what a lesson is about
# lessons of one session; one more for every eight typed lines beyond 24
MOST_LESSONS, MORE_AFTER, MORE_PER = 8, 24, 8
LESSON_KINDS = ("way", "decision", "cure", "fact", "preference")
STANDINGS = ("said", "agreed", "shown", "asked", "found")
SAYS = ("yes", "partly", "no")
HOLDS = ("working", "decision", "fact", "order", "once")
TWINS = ("same", "less", "more", "different", "opposite")
KNOWN_VERDICTS = tuple(
    "came_back said_again followed breached excepted outdated reversed amended same".split()
)


def most_lessons(typed: int) -> int:
    """How many lessons a session may bring: a long one more than eight."""
    return MOST_LESSONS + max(0, (typed - MORE_AFTER) // MORE_PER)


def lessons(lines: Sequence[Line], most: int, before: Sequence[str] = ()) -> str:
    """The first question. `before` are the lessons of earlier parts of a session that did not
    fit into one call."""
    return "\n".join((_record(lines), _PROMPT_TEXT["LESSONS"].format(most=most), *_earlier(before)))


def weigh(pairs: Sequence[tuple[str, str]]) -> str:
    """The second question, about all lessons of a session at once: each with the person's line
    that is said to teach it."""
    return f"{_PROMPT_TEXT['WEIGH']}\n{_fenced(_pairs(pairs))}"


def known(
    lines: Sequence[Line],
    remembered: Sequence[tuple[str, str]],
    new: Sequence[str],
    headings: Sequence[str] = (),
) -> str:
    """The third question: the session, what is remembered (name and text), and what the session
    newly says."""
    lists = {"REMEMBERED": [f"{name}: {text}" for name, text in remembered]}
    lists["NEW IN THIS SESSION"] = [f"n{number}: {text}" for number, text in enumerate(new, 1)]
    lists["HEADINGS OF THE INSTRUCTION FILES"] = [
        f"h{number}: {text}" for number, text in enumerate(headings, 1)
    ]
    # Whoever writes an instruction file must not write among the lessons: each list stands in a
    # fence of its own.
    about = (_fenced("\n".join((title, *listed))) for title, listed in lists.items() if listed)
    return "\n".join((_record(lines), _PROMPT_TEXT["KNOWN"], *about))


def revoke(pairs: Sequence[tuple[str, str]]) -> str:
    """The second question about a contradiction: does the person's line take the remembered
    lesson back?"""
    return f"{_PROMPT_TEXT['REVOKE']}\n{_fenced(_pairs(pairs))}"


def cure(mark: str, count: int, pieces: Sequence[Sequence[Line]]) -> str:
    """The question about a failure that several pieces of work met: what helps against it?"""
    shown = "\n\n".join(
        f"PIECE {number}\n{page_text(lines)}" for number, lines in enumerate(pieces, 1)
    )
    return "\n".join(
        (
            _PROMPT_TEXT["LEAD"].format(legend=_legend()),
            _fenced(shown),
            _PROMPT_TEXT["CURE"].format(count=count, mark=mark),
        )
    )


def twins(groups: Sequence[tuple[str, str, Sequence[tuple[str, str]]]]) -> str:
    """The question about lessons alone: new ones (name and text), each with those that may say
    the same."""
    shown = (
        f"{new}: {text}\n" + "\n".join(f"    {old}: {each}" for old, each in near)
        for new, text, near in groups
    )
    return f"{_PROMPT_TEXT['TWINS']}\n{_fenced(chr(10).join(shown))}"


def prompt_name(prompt: str) -> str:
    """A prompt's name: the same words, the same answer."""
    return short_hash("reader", prompt)


def _legend() -> str:
    return "; ".join(f"{letter} {meaning}" for letter, meaning in SPEAKER_LETTERS.items())


def _earlier(before: Sequence[str]) -> list[str]:
    if not before:
        return []
    listed = "\n".join(f"p{number}: {text}" for number, text in enumerate(before, 1))
    told = (
        "Earlier parts of this session gave the lessons below. Do not repeat them. Where the person takes one back in this part, add\n"
        '"struck": [{"id": "p1", "line": 12, "words": "…"}], the words copied from that line of the person.'
    )
    return [f"{told}\n{_fenced(listed)}"]


def _record(lines: Sequence[Line]) -> str:
    return f"{_PROMPT_TEXT['LEAD'].format(legend=_legend())}\n{_fenced(page_text(lines))}"


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return "\n".join(
        f"{number}. lesson: {lesson}\n   line: {line}"
        for number, (lesson, line) in enumerate(pairs, 1)
    )


def _fenced(text: str) -> str:
    mark = short_hash("fence", text)[:12]
    return f"=== record {mark} ===\n{text}\n=== end of record {mark} ==="


def lessons_schema(most: int = MOST_LESSONS, earlier: int = 0) -> dict[str, Any]:
    """What an answer to the first question looks like. A small model that a schema lets go on
    does so until its last token; where there are no earlier lessons it has nothing to strike."""
    quote = {"line": _NUMBER, "words": _TEXT}
    sign = _maybe(_object({"in": _one_of(("E", "T", "U")), "words": _TEXT}))
    about = _maybe(
        _object({"topic": _TEXT, "names": _list(_TEXT, NAMES), "files": _list(_TEXT, NAMES)})
    )
    lesson = {
        "text": _TEXT,
        "kind": _one_of(LESSON_KINDS),
        "standing": _one_of(STANDINGS),
        "about": about,
        "quotes": _list(_object(quote), QUOTES),
        "sign": sign,
    }
    struck = (
        {"struck": _list(_object({"id": _TEXT, **quote}), min(earlier, STRUCK))} if earlier else {}
    )
    return _object({"lessons": _list(_object(lesson), most), **struck})


def weigh_schema(pairs: int) -> dict[str, Any]:
    """… to the second."""
    answer = {"n": _NUMBER, "says": _one_of(SAYS), "holds": _one_of(HOLDS)}
    return _object({"answers": _list(_object(answer), pairs)})


def known_schema(remembered: int, new: int = 0) -> dict[str, Any]:
    """… to the third: a lesson may have more than one verdict, a new one and a heading of a file
    may be the same."""
    text = _maybe(_TEXT)
    verdict = {
        "id": _TEXT,
        "verdict": _one_of(KNOWN_VERDICTS),
        "line": _maybe(_NUMBER),
        "words": text,
        "part": text,
        "into": text,
        "new": text,
    }
    return _object({"verdicts": _list(_object(verdict), 2 * (remembered + new))})


def twins_schema(pairs: int) -> dict[str, Any]:
    """… to the one about lessons alone."""
    return _object(
        {"pairs": _list(_object({"new": _TEXT, "other": _TEXT, "word": _one_of(TWINS)}), pairs)}
    )


_TEXT: dict[str, Any] = {"type": "string"}
_NUMBER: dict[str, Any] = {"type": "integer"}


def _maybe(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


def _one_of(words: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": [*words]}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": [*fields],
        "additionalProperties": False,
    }

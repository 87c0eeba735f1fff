"""Whose words a lesson is made of: the person's, the session's own, or those of an output, a page, a paste.

A word belongs to who says it first. An agent that repeats a page repeats a page; what a person typed is theirs wherever else it stands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

from tacit.core.tables import Tables
from tacit.learn.outside import LIKE_NAMES, brought, rows_of, spaced
from tacit.learn.reader.render import PERSON, Line
from tacit.words.claim_words import BLAND, FILLERS, HERE, related, same_place
from tacit.words.prepared import prepare

OUTSIDE = ("E", "X", "Q", "S")  # letters of lines whose words are nobody's here
_OWN_LETTERS = ("A", "T", "E")  # letters of what a session itself says, runs and is answered
LONGEST_READ_LINE = 6_000  # characters of a line that are read for its words

_DASHES = dict.fromkeys(
    map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d"), "-"
)
_DOTS = dict.fromkeys(map(ord, "\u2024\u3002\ufe52\uff0e\uff61\u06d4\u0701\ua4f8"), ".")
_PLAIN = {**_DASHES, **_DOTS}


def plain(text: str) -> str:
    """A text in the letters that it is read as: composed forms, dashes and dots that only look like ours."""
    return unicodedata.normalize("NFKC", text.translate(_PLAIN)).translate(_PLAIN)


def copied(text: str, lines: Sequence[Line]) -> str:
    """Six words in a row that an output, a page or a paste said first, and nobody typed; empty where there are none."""
    own = _runs(text)
    if not own:
        return ""
    speaker: dict[str, str] = {}
    for line in lines:
        for run in _runs(line.whole) & own:
            if line.letter in PERSON or run not in speaker:
                speaker[run] = line.letter
    return next((run.strip() for run in sorted(own) if speaker.get(run) in OUTSIDE), "")


def is_brought(text: str, lines: Sequence[Line], *, wholly: bool) -> str:
    """The first content word of a lesson that an output, a page or a paste brought into the session, and nobody typed; `wholly`: if most of
    its words are such, for what was found may well name what failed."""
    first = _speakers(lines)
    words = [term for term in _strange(text, first) if term in first]
    enough = 2 * len(words) > len(prepare(plain(text)).weights) if wholly else bool(words)
    return words[0] if enough else ""


def put_in(text: str, lines: Sequence[Line], *, names: bool = False) -> list[str]:
    """What a model put into a lesson: words that neither the person nor the agent said or ran before anybody else did, if they are several
    or one reads as a name; a single plain word is how a rule is made of a line. With `names` these alone. A word with a hyphen is one if a
    part of it is strange by itself."""
    first = _speakers(lines)
    strange = _strange(text, first)
    if len(strange) > 1 and not names:
        return strange
    like = (
        each
        for each in LIKE_NAMES.findall(plain(text))
        if "-" not in each or _strange(each.replace("-", " "), first)
    )
    named = {term for each in like for term in prepare(each).weights}
    return [term for term in strange if term in named]


def _strange(text: str, first: Mapping[str, str]) -> list[str]:
    return lacking(text, (term for term, letter in first.items() if letter not in OUTSIDE))


def _speakers(lines: Sequence[Line]) -> dict[str, str]:
    """Who says each word of a session first; what a person types or the agent runs is theirs, whenever they do."""
    first: dict[str, str] = {}
    for line in lines:
        for term in prepare(line.whole[:LONGEST_READ_LINE]).weights:
            if line.letter in (*PERSON, "T") or term not in first:
                first[term] = line.letter
    return first


def said_before(lines: Sequence[Line]) -> Callable[[str, int], bool]:
    """Whether a session's own lines hold a name, or a row of words between spaces, before a step: what a person types is theirs whenever
    they do, a call comes before its own output, and a name is not the agent's by its mere saying it."""
    own = [(line, spaced(line.whole)) for line in lines if line.letter in (*PERSON, *_OWN_LETTERS)]

    def said(words: str, step: int) -> bool:
        row = words.startswith(" ")
        return any(
            (words in told if row else words.casefold() in line.whole.casefold())
            and (
                line.letter in PERSON
                or (line.step < step + (line.letter == "T") and (row or line.letter != "A"))
            )
            for line, told in own
        )

    return said


def planted(text: str, lines: Sequence[Line], heard: Sequence[tuple[int, str]] | None) -> str:
    """What of an agent's words an output, or a text from outside (`heard`; None: nobody looked), said first, be it a plain word that
    tracked files hold as well; empty where nothing did."""
    if heard is None:
        return "nobody looked"
    word = copied(text, lines) or is_brought(text, lines, wholly=False)
    return word or brought(text, heard, said_before(lines), lambda name: False)


def lacking(text: str, held: Iterable[str]) -> list[str]:
    """The content words of a text for which none of these terms stands."""
    terms = {*held}
    missing = prepare(plain(text)).weights.keys() - terms - FILLERS - BLAND - HERE - _FREE
    return sorted(
        term
        for term in missing
        if not any(related(term, each) or same_place(term, each) for each in terms)
    )


def unsaid(text: str, line: str) -> list[str]:
    """The content words of a lesson that a line does not hold: what a model put into a person's mouth."""
    return lacking(text, prepare(plain(line)).weights)


# what a model needs to make a rule of a line, and what says nothing by itself
_FREE = frozenset(prepare(Tables(__file__).text("FREE")).weights)


def _runs(text: str) -> frozenset[str]:
    return frozenset(rows_of(plain(text)))

"""Whose words a lesson is made of: the person's, the session's own, or those of an output, a page,
a paste."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tacit.core.tables import Tables
from tacit.reading.page import PERSON, Line
from tacit.safety.names import plain as plain
from tacit.safety.record import Text
from tacit.safety.repository import repository_before
from tacit.safety.witness import Witness
from tacit.store.readings import Reading, load_texts
from tacit.words.claim_words import BLAND, FILLERS, HERE, related, same_place
from tacit.words.prepared import prepare

OUTSIDE = ("E", "X", "Q", "S")  # letters of lines whose words are nobody's here
# What reads as a name by itself: with a sign, a digit or a capital inside, behind an @, or with a
# capital inside a sentence.
LIKE_NAMES = re.compile(
    r"@\w+|\b\w+(?:[-._/:@]+\w+)+\b|\b\w*\d\w*\b|\b[a-z]+[A-Z]\w*\b|(?<=[\w,;.:] )[A-Z]\w+"
)
LONGEST_READ_LINE = 6_000  # characters of a line that are read for its words


def witness_of(folder: str, reading: Reading) -> Witness:
    """The witness of a session that was read."""
    texts = load_texts(folder, reading.run)
    repository = repository_before(reading.root, "", reading.commit)
    return Witness(None if texts is None else tuple(Text(*each) for each in texts), repository)


def put_in(text: str, lines: Sequence[Line], *, names: bool = False) -> list[str]:
    """What a model put into a lesson: words that neither the person nor the agent said or ran
    before anybody else did, if they are several or one reads as a name; a single plain word is
    how a rule is made of a line. With `names` these alone. A word with a hyphen is one if a part
    of it is strange by itself."""
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


def brought_in(text: str, lines: Sequence[Line]) -> list[str]:
    """Content words of a lesson that an output, a page or a paste said first."""
    first = _speakers(lines)
    return [word for word in _strange(text, first) if first.get(word) in OUTSIDE]


def _strange(text: str, first: Mapping[str, str]) -> list[str]:
    return lacking(text, (term for term, letter in first.items() if letter not in OUTSIDE))


def _speakers(lines: Sequence[Line]) -> dict[str, str]:
    """Who says each word of a session first; what a person types or the agent runs is theirs,
    whenever they do."""
    first: dict[str, str] = {}
    for line in lines:
        for term in prepare(line.whole[:LONGEST_READ_LINE]).weights:
            if line.letter in (*PERSON, "T") or term not in first:
                first[term] = line.letter
    return first


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
    """The content words of a lesson that a line does not hold: what a model put into a person's
    mouth."""
    return lacking(text, prepare(plain(line)).weights)


# what a model needs to make a rule of a line, and what says nothing by itself
_FREE = frozenset(prepare(Tables(__file__).text("FREE")).weights)

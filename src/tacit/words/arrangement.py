"""In which order a text puts things: what comes before what, what stands on which side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tacit.words.claim_words import (
    ARTICLES,
    EARLIER,
    FILE,
    JOINING,
    LATER,
    METHODS,
    PRONOUNS,
    THEN,
)
from tacit.words.clauses import Token, flipped
from tacit.words.tokens import (
    FLAG,
    NAME,
    PATH,
)


def subjects_of(tokens: Sequence[Token]) -> frozenset[str]:
    """Identifiers, paths and flags, each with its sort."""
    found: set[str] = set()
    for token in tokens:
        piece = token.piece
        if piece.kind == PATH:
            found.add("path:" + piece.whole)
        elif piece.kind == FLAG:
            found.add("flag:" + piece.whole.lstrip("-"))
        elif piece.kind == NAME and not any(c.isdigit() for c in piece.whole):
            if re.fullmatch(FILE, piece.raw):
                found.add("path:" + piece.whole)
            elif "_" in piece.raw or "." in piece.raw or piece.raw[0].islower():
                found.add("name:" + piece.whole)
    return frozenset(found)


def sides_in(tokens: Sequence[Token]) -> dict[str, frozenset[str]] | None:
    """The sides this text takes in known opposites; a denied one counts as its other."""
    found: dict[str, set[str]] = {}
    for token in tokens:
        sides = [*flipped(token.sides), *(s for s in token.sides if s[0][0] == "=")] if token.denied else token.sides
        for group, side in sides:
            found.setdefault(group, set()).add(side)
        if token.piece.raw in METHODS:
            found.setdefault("=method", set()).add(token.piece.raw)
    return {group: frozenset(sides) for group, sides in found.items()} or None


def sequence_of(tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]]:
    """Of "a before b" a and b, of "b after a" the same; nothing where nothing is put in order."""
    for number, token in enumerate(tokens):
        if token.word not in EARLIER and token.word not in LATER and token.word not in THEN:
            continue
        left = _terms_until(reversed(tokens[:number]))
        right = _terms_until(tokens[number + 1 :])
        if not left:  # "Before b, a"
            rest = [other for other in tokens[number + 1 :] if not set(other.terms) & right]
            left = frozenset(term for other in rest for term in other.terms)
        if left and right:
            return (right, left) if token.word in LATER else (left, right)
    return frozenset(), frozenset()


def _terms_until(tokens: Iterable[Token]) -> frozenset[str]:
    found: set[str] = set()
    for token in tokens:
        if found and any(mark in token.gap for mark in ",.;:!?()\n"):
            break
        found.update(token.terms)
    return frozenset(found)


def arrangement_of(tokens: Sequence[Token]) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[tuple[str, str]]]:
    """Content words in order, members of an enumeration sorted; the function words; and which of them precedes which."""
    groups: list[list[str]] = []
    closed: list[bool] = []  # a row of commas is an enumeration if an "and" ends it
    frame: list[str] = []
    bound: set[tuple[str, str]] = set()
    joined = False
    holder = ""
    for token in tokens:
        if not token.terms:
            if token.word in JOINING:
                joined = True
            elif token.word in THEN:
                joined, holder = False, ""
                groups.append(["then"])
                closed.append(True)
            elif token.word not in ARTICLES and token.word not in PRONOUNS:
                joined = False
                holder = token.word
                frame.append(holder)
            continue
        if groups and (joined or token.gap.strip() == ","):
            groups[-1].extend(token.terms)
            closed[-1] = joined
        else:
            groups.append(list(token.terms))
            closed.append(True)
        if holder:
            bound.update((holder, term) for term in token.terms)
        joined, holder = False, ""
    ordered = [sorted(group) if whole else group for group, whole in zip(groups, closed)]
    return tuple(term for group in ordered for term in group), tuple(frame), frozenset(bound)

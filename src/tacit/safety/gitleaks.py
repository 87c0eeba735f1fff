"""Secrets by the public rules of gitleaks: a word that announces, an expression, the entropy of
what it finds."""

from __future__ import annotations

import re

from tacit.safety.expressions import LONG_RUN, LONGEST_VALUE, compiled
from tacit.safety.redact_values import entropy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.safety.expressions import Span

_BEFORE = 80  # characters before its word that a rule may begin at
_PIECE = 1_400  # characters that are looked through at once
_LONGEST = 700  # characters from a match's beginning to its end: how far pieces overlap
_LONG_TEXT = 2_000  # from here on the words of a text are looked at once each

_read: list[Rule] = []
_allowed_always: list[str] = []


class Rule:
    """One rule: the words one of which a text must hold, and what its secret looks like."""

    __slots__ = ("allowed", "entropy", "group", "hints", "name", "pattern")

    def __init__(
        self, name: str, hints: tuple[str, ...], entropy: float, group: int, pattern: str
    ) -> None:
        self.name, self.hints, self.entropy = name, hints, entropy
        self.group, self.pattern = group, pattern
        self.allowed: list[str] = []


def gitleaks(text: str, low: str) -> Iterator[Span]:
    """What a rule of gitleaks calls a secret, named by that rule."""
    if not compiled(LONG_RUN).search(text):
        return
    words = low
    if len(low) > _LONG_TEXT:
        words = "\n".join(set(compiled(r"[^\s\"'`,;:(){}\[\]\\/=<>|]{2,}").findall(low)))
    for rule in _rules():
        hints = [hint for hint in rule.hints if hint.rstrip("=") in words]
        if hints:
            yield from _found(rule, hints, text, low)


def _found(rule: Rule, hints: list[str], text: str, low: str) -> Iterator[Span]:
    expression = compiled(rule.pattern, re.ASCII)
    done = 0
    for at in _places(hints, low):
        while done <= at:
            end = at + _PIECE
            match = expression.search(text, max(done, at - _BEFORE), end)
            if match and match.end() >= end:  # it may go on behind the piece
                match = expression.match(text, match.start(), end + LONGEST_VALUE)
            if match:
                group = rule.group or match.lastindex or 0
                if match[group] and not _allowed(rule, match[group]):
                    yield *match.span(group), rule.name
            done = max(match.end(), done + 1) if match else end - _LONGEST


def _places(hints: list[str], low: str) -> Iterator[int]:
    """Where one of the words stands, in order."""
    if len(hints) == 1:
        at = low.find(hints[0])
        while at >= 0:
            yield at
            at = low.find(hints[0], at + 1)
    else:
        for found in compiled("|".join(map(re.escape, hints))).finditer(low):
            yield found.start()


def _allowed(rule: Rule, secret: str) -> bool:
    """Whether the rule, or all rules, let this one stand: a stand-in, a word, too little entropy."""
    return entropy(secret) < rule.entropy or any(
        compiled(each, re.ASCII).search(secret) for each in (*_allowed_always, *rule.allowed)
    )


def _rules() -> list[Rule]:
    if not _read:
        with open(f"{__file__.rpartition('.')[0]}.txt", encoding="utf-8") as file:
            for line in file.read().splitlines():
                kind, *fields = line.split("\t")
                if kind == "rule":
                    name, hints, least, group, pattern = fields
                    _read.append(Rule(name, (*hints.split(),), float(least), int(group), pattern))
                elif kind == "allowed" and fields[0] == "*":
                    _allowed_always.append(fields[1])
                elif kind == "allowed":
                    _read[-1].allowed.append(fields[1])
    return _read

"""Reports and lessons: does a text tell what went wrong, or what to do?

Two people who report one problem share its subject and little else: "message archiving does not work", "archive function in Messenger
doesn't move message". Nothing follows from their other words, so likeness may speak for itself. Of two lessons each word counts:
whoever reads the second does something else. So a text is taken for a report only if something goes wrong in it and nobody is told
anything: no modal, no rule, no remedy, no order. When in doubt it is a lesson.

English only: elsewhere an order is not known by its first word.
"""

from __future__ import annotations

import re

from tacit.core.tables import Tables

_tables = Tables(__file__)

_WRONG = _tables.words("_WRONG")
_FINITE = _tables.words("_FINITE")
# "tests fail"
_PLURAL = frozenset(
    "break crash deadlock die disappear fail flicker freeze hang leak lose panic vanish".split()
)
# "error when …", not "error messages"
_NOUNS = frozenset("bug crash deadlock error exception leak overflow panic problem".split())
_NAMED = ("error", "exception", "failure")  # names of errors end so
_TWO = frozenset(
    tuple(pair.split())
    for pair in "no longer,timing out,times out,timed out,any more,failed to,failed with".split(",")
)
_BE = frozenset(
    "is are was were does did has have had can could will would".split()
)  # with "not" it does not happen
_BEHIND = frozenset(
    "in on at with when while if after before during for from is was occurs because and".split()
) | {""}
_ABOUT = frozenset(
    "in on as into to by per each every any no an".split()
)  # in front of a noun that is only mentioned
_UNDONE = ("ed", "ing", "shown", "seen", "found", "available", "possible", "sent")
_RULE = _tables.words("_RULE")
_ORDER_WORDS = _tables.words("_ORDER")
_ASKING = frozenset("to not can could will would does did and or cannot".split()) | {
    word for word in _FINITE if word.endswith("n't")
}
_BEGINNING = _tables.words("_BEGIN")
_NOUN_TOO = _tables.words("_NOUN_TOO")
_DETERMINING = frozenset(
    "the a an all every each any this that these those it them its no both".split()
)
_OPENING_WORDS = frozenset(
    "so then just better and but".split()
)  # behind them a clause still begins
_WORD = re.compile(r"[^\W_][\w'-]*")
_CLAUSE = re.compile(r"[;:.!?,—–(]|\s-\s")


def reports(head: str) -> bool:
    """Whether a text tells what went wrong, and nothing of what to do; `head` is its first line."""
    wrong, ordered = _read(head)
    return wrong and not ordered


def orders(head: str) -> bool:
    """Whether somebody is told, allowed or advised something."""
    return _read(head)[1]


def _read(head: str) -> tuple[bool, bool]:
    """Whether something goes wrong, as far as it was read, and whether there is an order, where it was read no further."""
    head = head.lower().replace("’", "'")
    found = list(_WORD.finditer(head))
    words = ["", *(each[0] for each in found), "", ""]
    wrong, begins, ended = False, True, 0
    for place, each in enumerate(found):
        before, word, after, later = words[place : place + 4]
        gap = head[ended : each.start()]
        begins = begins or bool(_CLAUSE.search(gap))
        if ";" in gap or _rules(before, word, after, later):
            return wrong, True
        called = head[each.end() : each.end() + 1] in ("(", ".", "/")  # delete() is a name
        if not called and before not in _DETERMINING and _orders(before, word, after, begins):
            return wrong, True
        wrong = wrong or _happens(before, word, after, begins)
        begins, ended = begins and word in _OPENING_WORDS, each.end()
    return wrong, False


def _happens(before: str, word: str, after: str, begins: bool) -> bool:
    if word == "not":  # "is not shown", "mail not shown", but no ", not shown"
        return before in _BE or (not begins and after.endswith(_UNDONE))
    if word == "never" or word == "don't" or (word, after) == ("do", "not"):
        return True  # else it were a rule
    if word in _NOUNS or word.endswith(_NAMED):
        return before not in _ABOUT and after in _BEHIND
    return (
        word in _WRONG
        or word in _FINITE
        or (word, after) in _TWO
        or (word in _PLURAL and before.endswith("s"))
    )


def _rules(before: str, word: str, after: str, later: str) -> bool:
    if word == "never":  # "never finishes" tells, "never commit" orders
        return not after.endswith(("s", "ed")) or after.endswith(("ss", "eed", "bed"))
    if word == "don't":  # "comments don't post" tells, "in tests don't mock" orders
        return not before.endswith("s") or after in _ORDER_WORDS
    if (word, after) == ("do", "not"):
        return not before.endswith("s") or later in _ORDER_WORDS
    if word in ("has", "have"):
        return after == "to"
    return word in _RULE or (word == "instead" and after != "of")


def _orders(before: str, word: str, after: str, begins: bool) -> bool:
    if word in _NOUN_TOO:
        return begins and after in _DETERMINING
    if after in _FINITE or after in _BE:  # "import fails": a noun
        return False
    if word in _BEGINNING:
        return begins or (before in _FINITE and before not in _ASKING)
    return word in _ORDER_WORDS and (begins or before not in _ASKING)

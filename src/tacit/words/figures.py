"""What a text says in numbers: figures with their units, bounds and what they measure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tacit.words import claim_words
from tacit.words.clauses import Token, flipped, negates
from tacit.words.tokens import FLAG, NAME, NUMBER, PATH, VERSION, WORD


def figures_in(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Numbers with their units and comparisons, versions, and names with a number in them, as they stand."""
    found: list[str] = []
    for number, token in enumerate(tokens):
        kind, word = token.piece.kind, token.word
        before = tokens[number - 1].word if number else ""
        after = tokens[number + 1] if number + 1 < len(tokens) else None
        if kind == NAME:
            # A date says when, not what, unless it is a version's.
            if any(c.isdigit() for c in word) and (
                before.endswith("version") or not re.fullmatch(r"\d{8}", word)
            ):
                found.append(re.sub(r"\d+", "", word) + "#" + ".".join(re.findall(r"\d+", word)))
            continue
        # ten per minute, every other day
        if (
            word in _EACH
            and after is not None
            and len(after.word) > 2
            and after.word in claim_words.UNIT_WORDS
        ):
            found.append(f"each#{2 if word == 'other' else 1} {claim_words.UNIT_WORDS[after.word]}")
            continue
        if (
            word in ("a", "an")
            and after is not None
            and len(after.word) > 2
            and after.word in claim_words.UNIT_WORDS
        ):
            word = "0.5" if before == "half" else "1"  # within an hour, five a second
            if [each.word for each in tokens[number + 2 : number + 5]] == ["and", "a", "half"]:
                word = "1.5"
        elif kind == WORD and word in claim_words.RATES:
            found.append(f"each#1 {claim_words.RATES[word]}")
            continue
        elif kind == WORD:
            word = claim_words.NUMBER_WORDS.get(word, "")
            if word == "1" and (after is None or not after.terms):  # "the closed one", a pronoun
                continue
        if not word or kind not in (WORD, NUMBER, VERSION) or before in claim_words.PLACE_WORDS:
            continue
        if before in claim_words.RECORD_WORDS:  # a name, not an amount
            found.append(f"record#{word}")
            continue
        if kind == VERSION:
            figure, unit = word.removeprefix("v"), ""
        else:
            figure, unit = _measure(word)
        if (
            not unit
            and after is not None
            and after.word in claim_words.UNIT_WORDS
            and not after.gap.strip(" -")
        ):
            unit = claim_words.UNIT_WORDS[after.word]
        sign = re.search(r"[<>≤≥^~]|(?:^|[\s(=:])-$", token.gap)
        if before in ("exact", "exactly", "precisely"):
            bound = "="
        elif sign:
            bound = sign[0][-1].replace("≤", "<").replace("≥", ">")
        else:
            bound = _bound(tokens, number, bool(unit))
        found.append((bound + f"{figure} {unit}").strip())
    return tuple(found)


def limits_of_figures(tokens: Sequence[Token]) -> frozenset[tuple[str, str]]:
    """Whether a figure itself is meant: "more than five" and "five or more"."""
    found = set()
    for number, token in enumerate(tokens):
        if token.piece.kind in (NUMBER, VERSION) or token.word in claim_words.NUMBER_WORDS:
            before = [each.word for each in tokens[max(0, number - 3) : number]]
            after = [each.word for each in tokens[number + 1 : number + 4]]
            if sign := next(
                (
                    _OPEN_ENDED[two] + "="
                    for one, two in pairwise(after)
                    if one == "or" and two in _OPEN_ENDED
                ),
                "",
            ):
                found.add((sign, token.word))
            elif (
                before[-1:] == ["than"]
                and len(before) > 1
                and before[-2] in _BOUNDS
                and before[-3:-2] not in (["no"], ["not"])
            ):
                found.add((_BOUNDS[before[-2]], token.word))
    return frozenset(found)


def ports_in(text: str, tokens: Sequence[Token]) -> list[str]:
    """What stands behind a host and a colon; behind a file it is a line, and says nothing."""
    head = text[: tokens[-1].piece.start + len(tokens[-1].piece.raw) + 6] if tokens else ""
    return [
        f"port#{port}"
        for host, port in re.findall(r"([\w.-]+):(\d{2,5})\b", head)
        if not re.fullmatch(claim_words.FILE_NAME, host)
    ]


_EACH = frozenset(("per", "every", "each", "other"))


def named_figures(tokens: Sequence[Token]) -> dict[str, frozenset[str]] | None:
    found: dict[str, set[str]] = {}
    for name, token in pairwise(tokens):
        if (
            token.piece.kind in (NUMBER, VERSION)
            and name.terms
            and name.piece.kind in (WORD, NAME)
            and not token.gap.strip()
        ):
            figure, unit = _measure(token.word.removeprefix("v"))
            if not unit and name.word not in _BOUNDS and name.word not in claim_words.PLACE_WORDS:
                found.setdefault(name.terms[0], set()).add(figure)
    return {name: frozenset(figures) for name, figures in found.items()} or None


def _bound(tokens: Sequence[Token], number: int, measured: bool) -> str:
    """Whether a figure is a least (">") or a most ("<"): "at least 3", "no more than 3", "3 or newer"; empty where it is neither."""
    before = [token.word for token in tokens[max(0, number - 4) : number]]
    after = [token.word for token in tokens[number + 1 : number + 7]]
    if after and after[0] in claim_words.UNIT_WORDS:
        del after[0]
    for joint, word in pairwise(after):
        if joint in claim_words.JOINING and word in _OPEN_ENDED:
            return _OPEN_ENDED[word]
    if (
        len(before) > 1
        and before[-2] in ("since", "until", "before", "after", "below", "above")
        and before[-1] not in _BOUNDS
    ):
        before.pop()  # since Django 4.2
    if "from" in before[-2:] and not {
        "on",
        "onward",
        "onwards",
        "upward",
        "upwards",
        "up",
    }.isdisjoint(after):
        return ">"
    if before[-2:-1] in (["starting"], ["beginning"]) and before[-1] in (
        "at",
        "with",
        "from",
        "in",
    ):
        return ">"
    while before and before[-1] in ("of", "the", "a", "an", "version", "release", "to", "than"):
        if before[-2:] in (["up", "to"], ["as", "of"]):
            return "<" if before[-1] == "to" else ">"
        before.pop()
    bound = _BOUNDS.get(before[-1], "") if before else ""
    # a newer version is a greater one, a newer file is younger
    if bound and before[-1] in ("older", "newer") and measured:
        bound = "<" if bound == ">" else ">"
    denied = any(negates(word) for word in before[-3:-1])
    return {"<": ">", ">": "<"}[bound] if bound and denied else bound


_BOUNDS = {
    **dict.fromkeys(
        "least minimum min over above beyond more greater larger longer bigger higher newer later since after exceed exceeds exceeding "
        "mindestens uber nach seit minimo menos moins depuis".split(),
        ">",
    ),
    **dict.fromkeys(
        "most maximum max under below within less fewer smaller shorter lower older earlier until before hochstens unter bis vor maximo plus".split(),
        "<",
    ),
}
_OPEN_ENDED = {
    **dict.fromkeys(
        "newer later above more higher greater up upward upwards over longer larger beyond onward onwards".split(),
        ">",
    ),
    **dict.fromkeys("older earlier below less fewer lower under smaller shorter down".split(), "<"),
}


def _measure(word: str) -> tuple[str, str]:
    found = re.fullmatch(r"([\d.,:]+?(?:x\d+)?)([a-z%]*)", word)
    return (
        (found[1].replace(",", ""), claim_words.UNIT_WORDS.get(found[2], found[2]))
        if found
        else (word, "")
    )


# In which order a text puts things: what comes before what, what stands on which side.


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
            if re.fullmatch(claim_words.FILE_NAME, piece.raw):
                found.add("path:" + piece.whole)
            elif "_" in piece.raw or "." in piece.raw or piece.raw[0].islower():
                found.add("name:" + piece.whole)
    return frozenset(found)


def sides_in(tokens: Sequence[Token]) -> dict[str, frozenset[str]] | None:
    """The sides this text takes in known opposites; a denied one counts as its other."""
    found: dict[str, set[str]] = {}
    for token in tokens:
        sides = (
            [*flipped(token.sides), *(s for s in token.sides if s[0][0] == "=")]
            if token.denied
            else token.sides
        )
        for group, side in sides:
            found.setdefault(group, set()).add(side)
        if token.piece.raw in claim_words.METHODS:
            found.setdefault("=method", set()).add(token.piece.raw)
    return {group: frozenset(sides) for group, sides in found.items()} or None


def sequence_of(tokens: Sequence[Token]) -> tuple[frozenset[str], frozenset[str]]:
    """Of "a before b" a and b, of "b after a" the same; nothing where nothing is put in order."""
    for number, token in enumerate(tokens):
        if (
            token.word not in claim_words.EARLIER
            and token.word not in claim_words.LATER_WORDS
            and token.word not in claim_words.THEN
        ):
            continue
        left = _terms_until(reversed(tokens[:number]))
        right = _terms_until(tokens[number + 1 :])
        if not left:  # "Before b, a"
            rest = [other for other in tokens[number + 1 :] if not set(other.terms) & right]
            left = frozenset(term for other in rest for term in other.terms)
        if left and right:
            return (right, left) if token.word in claim_words.LATER_WORDS else (left, right)
    return frozenset(), frozenset()


def _terms_until(tokens: Iterable[Token]) -> frozenset[str]:
    found: set[str] = set()
    for token in tokens:
        if found and any(mark in token.gap for mark in ",.;:!?()\n"):
            break
        found.update(token.terms)
    return frozenset(found)


def arrangement_of(
    tokens: Sequence[Token],
) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[tuple[str, str]]]:
    """Content words in order, members of an enumeration sorted; the function words; and which of them precedes which."""
    groups: list[list[str]] = []
    closed: list[bool] = []  # a row of commas is an enumeration if an "and" ends it
    frame: list[str] = []
    bound: set[tuple[str, str]] = set()
    joined = False
    holder = ""
    for token in tokens:
        if not token.terms:
            if token.word in claim_words.JOINING:
                joined = True
            elif token.word in claim_words.THEN:
                joined, holder = False, ""
                groups.append(["then"])
                closed.append(True)
            elif token.word not in claim_words.ARTICLES and token.word not in claim_words.PRONOUNS:
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

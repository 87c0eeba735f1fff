"""What a text claims: its negated clauses, figures, names, sides of known opposites, and the order in which they stand.

The head of each text is read once (`claims_of`); `disagree` then compares two of them claim by claim. The word lists that
decide stand in `claim_words`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tacit.core.value import value
from tacit.words.claim_words import ARTICLES, GROUNDS, PARTICLES, UNIVERSAL, doubtful
from tacit.words.clauses import (
    Token,
    clause_tokens,
    clauses_in,
    compounds_in,
    denied_in_run,
    flipped,
    is_negation,
    is_not_only,
    joined_words,
    joints_in,
)
from tacit.words.figures import (
    arrangement_of,
    figures_in,
    limits_of_figures,
    named_figures,
    ports_in,
    sequence_of,
    sides_in,
    subjects_of,
)
from tacit.words.limits import limits_of
from tacit.words.tokens import RUN, WORD, Piece, all_stop_words

HEAD_TERMS = 48  # claims are read in the first line, up to so many terms: a lesson whole, a report by its title


@value
class Denial:
    """One negation and how far it reaches."""

    terms: frozenset[str]
    first: frozenset[str] = (
        frozenset()
    )  # what it denies first: in "do not enable the cache" the enabling …
    amounts_to: frozenset[tuple[str, str]] = frozenset()  # … which amounts to disabling


@value
class Claims:
    """What the head of a text says, as far as it decides between a lesson and its opposite."""

    denied: tuple[Denial, ...] = ()
    plain: frozenset[str] = frozenset()  # terms said without one
    taken: frozenset[tuple[str, str]] = (
        frozenset()
    )  # sides of opposites (group, side) said without one
    doubtful: frozenset[str] = (
        frozenset()
    )  # "fails", "missing": negations only beside a text without them
    named: Mapping[str, frozenset[str]] | None = None  # a name → the bare figures that follow it
    figures: frozenset[str] = frozenset()  # numbers with their units, versions, numbered names
    subjects: frozenset[str] = frozenset()  # identifiers, paths and flags
    sides: Mapping[str, frozenset[str]] | None = None  # group of opposites → the sides taken
    first: frozenset[str] = frozenset()  # of "a before b": a …
    then: frozenset[str] = frozenset()  # … and b
    order: tuple[str, ...] = ()  # content terms as they stand, with words like "then" …
    # group of opposites → the term before the first of its sides, and they as they come
    mentioned: Mapping[str, tuple[str, ...]] | None = None
    placed: tuple[str, ...] = ()  # … with particles …
    grouped: tuple[str, ...] = ()  # … and with the members of an enumeration sorted
    frame: tuple[str, ...] = ()  # the function words between them …
    bound: frozenset[tuple[str, str]] = frozenset()  # … each with the content word it stands before
    ways: frozenset[tuple[str, str]] = frozenset()  # from what to what
    terms: frozenset[str] = frozenset()
    little: frozenset[str] = frozenset()  # function words of all sorts
    turned: frozenset[str] = (
        frozenset()
    )  # groups of opposites of which a side was taken by denying the other
    limits: frozenset[str] = frozenset()  # kinds of limit: all, some, only, except, unless
    said: tuple[str, ...] = ()  # every word, folded, as they stand …
    words: frozenset[str] = frozenset()  # … and as a set
    meant: tuple[tuple[str, ...], ...] = ()  # the terms that each of them stands for …
    clauses: tuple[int, ...] = ()  # … and the number of its clause …
    brackets: frozenset[int] = frozenset()  # … of which these stand in brackets
    proper: frozenset[str] = frozenset()  # words with a capital inside a sentence
    joined: frozenset[tuple[str, str]] = (
        frozenset()
    )  # terms beside each other with "and" or "or" between them
    towards: frozenset[str] = frozenset()  # what stands behind "to the", "that", "which"
    compounds: frozenset[tuple[str, str]] = frozenset()  # terms with nothing between them
    grounds: frozenset[str] = frozenset()  # terms that stand in a reason only
    universal: bool = False  # said of all
    negations: int = 0  # words that deny, wherever they stand …
    numbers: tuple[str, ...] = ()  # … and figures, in the order in which they stand
    signs: frozenset[tuple[str, str]] = (
        frozenset()
    )  # "<", "<=" and their like, each with its figure
    commands: frozenset[tuple[str, ...]] = frozenset()  # a program and what it is told: `git push`
    handles: frozenset[str] = frozenset()  # whom or what an @ names
    pairs: frozenset[tuple[str, str]] = (
        frozenset()
    )  # two that are passed in that order: (expected, actual)


def head_length(text: str, pieces: Sequence[Piece]) -> int:
    """How many pieces belong to the head: the first line that says something, bounded."""
    said = 0
    for number, piece in enumerate(pieces):
        if said >= 3 and "\n" in text[pieces[number - 1].start : piece.start]:
            return number
        said += piece.kind != WORD or piece.whole not in all_stop_words()
        if said > HEAD_TERMS:
            return number
    return len(pieces)


def claims_of(text: str, pieces: Sequence[Piece], tongue: str) -> Claims:
    """What the head of a text says."""
    tokens = clause_tokens(text, pieces, tongue)
    head = text[: pieces[-1].start + len(pieces[-1].raw) + 1].lower() if pieces else ""
    clauses = clauses_in(tokens)
    denied, plain, taken, negations = _polarity(tokens, clauses)
    words = [token.word for token in tokens]
    first, then = sequence_of(tokens)
    grouped, frame, bound = arrangement_of(tokens)
    terms = frozenset(term for token in tokens for term in token.terms)
    return Claims(
        denied=denied,
        plain=plain,
        taken=taken,
        doubtful=terms & doubtful(),
        named=named_figures(tokens),
        figures=frozenset(numbers := (*figures_in(tokens), *ports_in(text, tokens))),
        subjects=subjects_of(tokens),
        sides=sides_in(tokens),
        mentioned=_mentioned(tokens),
        first=first,
        then=then,
        order=tuple(term for token in tokens for term in (*joints_in(token), *token.terms)),
        placed=tuple(
            term
            for token in tokens
            for term in token.terms or [token.word]
            if token.terms or token.word in PARTICLES
        ),
        grouped=grouped,
        frame=frame,
        bound=bound,
        ways=frozenset(
            (one, other)
            for h, one in bound
            if h == "from"
            for g, other in bound
            if g in ("to", "into")
        ),
        terms=terms,
        little=frozenset(token.word for token in tokens if not token.terms and not token.denying),
        turned=frozenset(
            group for token in tokens if token.denied for group, _ in token.sides if group[0] == "~"
        ),
        limits=limits_of(tuple(words)),
        said=tuple(words),
        words=frozenset(words),
        meant=tuple(tuple(token.terms) for token in tokens),
        clauses=tuple(number for number, clause in enumerate(clauses) for _ in clause),
        brackets=frozenset(number for number, clause in enumerate(clauses) if "(" in clause[0].gap),
        grounds=_grounds(clauses),
        compounds=compounds_in(tokens),
        towards=_towards(tokens),
        joined=joined_words(tokens),
        proper=_proper(tokens)
        if tongue != "de"
        else frozenset(),  # German has a capital in every noun
        universal=any(
            token.word in UNIVERSAL and after.word != "other"
            for token, after in zip(tokens, [*tokens[1:], *tokens[-1:]])
        ),
        negations=negations,
        numbers=numbers,
        signs=frozenset(
            (sign[0].replace("≤", "<=").replace("≥", ">="), token.word)
            for token in tokens
            if token.gap.strip() and (sign := re.search(r"[<>]=?|[≤≥]", token.gap))
        )
        | limits_of_figures(tokens),
        commands=_commands(head) if "`" in head else frozenset(),
        handles=frozenset(_HANDLE.findall(head)) if "@" in head else frozenset(),
        pairs=frozenset(_PAIR.findall(head)) if "(" in head else frozenset(),
    )


_HANDLE = re.compile(r"(?<![\w.])@[\w-]+(?![\w/])")  # no scope of packages
_PAIR = re.compile(r"(?:\w|`|\btakes |\border |\breturns |\barguments |\bas )\((\w+), ?(\w+)\)")


def _commands(head: str) -> frozenset[tuple[str, ...]]:
    """What stands between backticks and is a program with words behind it, up to the first flag or path."""
    found = set()
    for span in re.findall(r"`([^`]+)`", head):
        words = re.match(r"[\w.-]+((?: [a-z][\w:-]*(?= |$))+)", span)
        if words:
            found.add(
                tuple(
                    word.removesuffix("s") if len(word) > 3 else word for word in words[0].split()
                )
            )
    return frozenset(found)


def _grounds(clauses: Sequence[Sequence[Token]]) -> frozenset[str]:
    """What is said only to explain the rest: "because …", "otherwise …", "it …"."""
    told: set[str] = set()
    explained: set[str] = set()
    for clause in clauses:
        (explained if clause[0].word in GROUNDS else told).update(
            term for token in clause for term in token.terms
        )
    return frozenset(explained - told)


def _mentioned(tokens: Sequence[Token]) -> dict[str, tuple[str, ...]] | None:
    found: dict[str, dict[str, None]] = {}
    before: dict[str, str] = {}
    term = ""
    for token in tokens:
        for group, side in token.sides:
            before.setdefault(group, term)
            found.setdefault(group, {})[side] = None
        term = token.terms[0] if token.terms else term
    return {
        group: (before[group], *sides) for group, sides in found.items() if len(sides) > 1
    } or None


def _proper(tokens: Sequence[Token]) -> frozenset[str]:
    inside = (
        token for token in tokens[1:] if not any(mark in token.gap for mark in ".:;!?(\n`\"'")
    )
    return frozenset(
        token.word
        for token in inside
        if token.piece.kind == WORD and token.piece.raw.istitle() and len(token.word) > 2
    )


def _towards(tokens: Sequence[Token]) -> frozenset[str]:
    """What stands behind "to a" (not "to load"), or begins a clause that says which: "releases that touch it"."""
    told: set[str] = set()
    named = False  # "the same thread that opened it": which one was said before
    for one, two, three in zip(tokens, tokens[1:], tokens[2:]):
        named = named or one.word == "same"
        says_which = (
            one.terms and two.word in ("that", "which") and not two.gap.strip() and not named
        )
        if says_which or (one.word == "to" and two.word in ARTICLES):
            told.update(three.terms)
    return frozenset(told)


def _polarity(
    tokens: Sequence[Token], clauses: Sequence[list[Token]]
) -> tuple[tuple[Denial, ...], frozenset[str], frozenset[tuple[str, str]], int]:
    """The negations, the terms and sides said plainly, and how many words deny; marks the word that each negation denies first.

    A negation reaches from its word to the end of its clause, or back over the clause where it comes last. Two in one
    clause cancel out ("do not deploy without approval"). What precedes a negation in its clause is neither denied nor
    plain: "secrets must not be logged" denies the logging.
    """
    denied: list[list[Token]] = []
    plain: list[Token] = []
    scripts: set[str] = set()
    for clause in clauses:
        places = [number for number in range(len(clause)) if is_negation(clause, number)]
        for place in places:
            clause[place].denying = True
        said = [token for token in clause if token.terms or token.sides]
        in_runs = {
            term
            for token in clause
            if token.piece.kind == RUN
            for term in denied_in_run(token.piece.raw)
        }
        if in_runs:
            scripts |= in_runs
        elif len(places) % 2 == 0:
            plain.extend(said)
        elif after := [token for token in clause[places[0] + 1 :] if token.terms or token.sides]:
            denied.append(after)
        elif said:
            denied.append(said)
        elif plain:  # "Retry POST requests? Never."
            denied.append(plain)
            plain = []
    denials = []
    for reach in denied:
        reach[0].denied = True
        terms = frozenset(term for token in reach for term in token.terms)
        if terms:
            denials.append(
                Denial(terms, frozenset(reach[0].terms), frozenset(flipped(reach[0].sides)))
            )
    if scripts:
        denials.append(Denial(frozenset(scripts)))
    said_plainly = frozenset(term for token in plain for term in token.terms)
    taken = frozenset(side for token in plain for side in token.sides)
    plainly = said_plainly.difference(*(denial.terms for denial in denials))
    # "Not only" denies nothing, and yet is not "only".
    denying = sum(
        token.denying or is_not_only(token, after)
        for token, after in zip(tokens, [*tokens[1:], None])
    )
    return tuple(denials), plainly, taken, denying

"""A text as tokens and clauses: where a sentence turns, and what a negation reaches."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from tacit.words import claim_words
from tacit.words.tokens import NAME, NUMBER, RUN, STEMMERS, WORD, Piece, english_stem, piece_terms


class Token:
    """A piece as the claims see it: its word, the terms it stands for (none for a function word), what precedes it."""

    __slots__ = ("denied", "denying", "gap", "negates", "piece", "sides", "terms", "word")

    def __init__(self, piece: Piece, terms: list[str], gap: str) -> None:
        self.piece = piece
        self.word = piece.whole
        self.terms = terms
        self.gap = gap
        self.sides: Sequence[tuple[str, str]] = ()
        self.denied = self.negates = self.denying = False


def compounds_in(tokens: Sequence[Token]) -> frozenset[tuple[str, str]]:
    """Terms that follow each other with nothing but a genitive between them: "the operator's webhook"."""
    beside = (pair for pair in pairwise(tokens) if pair[0].terms and pair[1].terms)
    return frozenset(
        (one.terms[-1], other.terms[0]) for one, other in beside if not other.gap.strip("'’s `")
    )


def joined_words(tokens: Sequence[Token]) -> frozenset[tuple[str, str]]:
    """Words with "and" or "or" between them, either way round."""
    pairs: set[tuple[str, str]] = set()
    # "and no tests" joins tests, too
    plain = [
        token for token in tokens if token.word not in claim_words.ARTICLES and token.word != "no"
    ]
    for one, between, other in zip(plain, plain[1:], plain[2:]):
        if between.word in claim_words.JOINING and all(
            each.terms and not each.terms[0][0].isdigit() for each in (one, other)
        ):
            pairs |= {(one.terms[0], other.terms[0]), (other.terms[0], one.terms[0])}
    return frozenset(pairs)


def joints_in(token: Token) -> list[str]:
    """Ends of clauses, and "then" and its like: they say nothing themselves, but what stands around them may not change places."""
    if token.word in claim_words.THEN:
        return ["then"]
    return ["|"] if any(mark in token.gap for mark in ",.;:()") else []


def clause_tokens(text: str, pieces: Sequence[Piece], tongue: str) -> list[Token]:
    stem, sides = STEMMERS[tongue], claim_words.side_table(tongue)
    tokens: list[Token] = []
    ended = 0
    for piece in pieces:
        terms = piece_terms(piece, stem)
        if piece.kind != RUN:
            terms = terms[:1]
        token = Token(
            piece, [claim_words.same_word(term) for term in terms], text[ended : piece.start]
        )
        token.negates = (
            piece.kind == WORD and negates(piece.whole) and (piece.raw != "None" or not tokens)
        )
        if token.negates or (piece.kind == WORD and piece.whole in claim_words.CONTRASTS):
            token.terms = []
        elif (
            tokens and len(piece.raw) == 1 and piece.raw.isupper() and piece.raw != "I"
        ):  # team A, plan B
            token.terms = [piece.whole]
        elif piece.whole in (
            "one",
            "ones",
        ):  # a pronoun as often as a number; `figures_in` and the sides know it still
            token.terms, token.sides = [], sides.get(piece.whole, ())
        elif (
            piece.whole in claim_words.UNIT_WORDS
            and tokens
            and (tokens[-1].piece.kind == NUMBER or tokens[-1].word in claim_words.NUMBER_WORDS)
        ):
            token.terms = [claim_words.UNIT_WORDS[piece.whole]]
        elif piece.kind in (WORD, NAME):
            token.sides = _sides_of(piece, stem, sides, tokens[-1].word if tokens else "")
            if piece.whole in claim_words.PARTICLES:
                token.terms = []
                if token.sides:  # "turn off": one word in two
                    tokens[-1].terms = [claim_words.same_word(english_stem(token.sides[0][1]))]
        tokens.append(token)
        if (
            piece.whole == "to" and tokens[-2:-1] and tokens[-2].word in claim_words.FAILING
        ):  # "fails to start" is "does not start"
            tokens[-2].terms, tokens[-2].sides, tokens[-2].negates = [], (), True
        ended = piece.start + len(piece.raw)
    return tokens


def _sides_of(
    piece: Piece,
    stem: Callable[[str], str],
    sides: Mapping[str, tuple[tuple[str, str], ...]],
    before: str,
) -> Sequence[tuple[str, str]]:
    word = piece.whole
    if word in claim_words.PARTICLES:
        return sides.get(english_stem(before) + " " + word, ())
    found = sides.get(word) or sides.get(stem(word))
    if found or piece.kind != WORD or len(piece.parts) < 2:
        return found or ()
    return [
        side
        for part in piece.parts
        if part not in claim_words.PARTICLES
        for side in sides.get(part) or sides.get(stem(part)) or ()
    ]


def is_not_only(token: Token, after: Token | None) -> bool:
    return token.negates and after is not None and after.word in ("only", "just")


def flipped(sides: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (group, claim_words.other_side()[group][side]) for group, side in sides if group[0] == "~"
    ]


def clauses_in(tokens: Sequence[Token]) -> list[list[Token]]:
    clauses: list[list[Token]] = [[]]
    preferred = False
    for number, token in enumerate(tokens):
        preferred = preferred or token.word in claim_words.PREFERRING
        following = tokens[number + 1].word if number + 1 < len(tokens) else ""
        contrast = token.word in claim_words.CONTRASTS and (
            token.word not in ("over", "to") or (preferred and following not in ("be", "have"))
        )
        joined = (
            token.word in claim_words.JOINING
            and number + 1 < len(tokens)
            and (tokens[number + 1].negates or following in _RESUMING)
        )
        but = token.word == "but" and number > 0 and tokens[number - 1].word in claim_words.ALL_BUT
        token.negates = token.negates or contrast or but
        if (
            any(mark in token.gap for mark in ",.;:!?()\n–—。、，；")
            or token.word in claim_words.BREAKS
            or contrast
            or joined
        ):
            clauses.append([])
        clauses[-1].append(token)
    return [clause for clause in clauses if clause]


# "never does x and has to be y": the y is not denied
_RESUMING = frozenset("has have must should needs is are was were will".split())


def is_negation(clause: Sequence[Token], number: int) -> bool:
    word = clause[number].word
    following = clause[number + 1].word if number + 1 < len(clause) else ""
    if word in claim_words.CONTRASTS:  # starts its own clause: "instead of npm", "over npm"
        return number == 0 and (
            (
                clause[0].negates
                if word in ("over", "to")
                else following in ("of", "than", "de", "que", "von", "to")
            )
            or word in claim_words.ALONE
        )
    if (word, following) in (("out", "of"), ("away", "from")):  # keep secrets out of the repository
        return any(token.word in claim_words.KEEPING for token in clause[:number])
    if word == "except" and number and clause[number - 1].word in claim_words.OF_CODE:
        return False
    if word in ("stop", "cease", "quit"):
        return following.endswith("ing")
    if not clause[number].negates:
        return False
    if word in ("not", "no") and following in ("only", "just", "matter", "later", "more", "less"):
        return False
    if word == "nor" and any(token.word == "neither" for token in clause[:number]):
        return False
    # French says it twice: "ne … pas" is one negation.
    return not (
        word in claim_words.FRENCH_SECOND and any(token.word == "ne" for token in clause[:number])
    )


def negates(word: str) -> bool:
    """Whether a folded word denies what follows it."""
    return word in claim_words.NEGATORS or word.endswith("n't")


def denied_in_run(run: str) -> list[str]:
    """The letter pairs under a negation in a script without spaces."""
    found = re.search(claim_words.RUN_NEGATIONS, run)
    if not found:
        return []
    # Chinese denies what follows; Japanese and Korean what precedes.
    reach = run[found.end() :] if found.group() in claim_words.BEFORE_VERB else run[: found.start()]
    return [reach[i : i + 2] for i in range(len(reach) - 1)]

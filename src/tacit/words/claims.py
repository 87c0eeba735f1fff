"""What a text claims: its negated clauses, figures, names, sides of known opposites, and the order in which they stand.

The head of each text is read once (`claims_of`); `disagree` then compares two of them claim by claim. The word lists that
decide stand in `claim_words`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from tacit.core.value import value
from tacit.words.claim_words import (
    ALL_BUT,
    ALONE,
    ARTICLES,
    BEFORE_VERB,
    BREAKS,
    CONTRASTS,
    EARLIER,
    FAILING,
    FILE,
    FRENCH_SECOND,
    GROUNDS,
    JOINING,
    KEEPING,
    LATER,
    METHODS,
    NUMBER_WORDS,
    OF_CODE,
    PARTICLES,
    PLACES,
    PREFERRING,
    PRONOUNS,
    RATES,
    RECORDS,
    RUN_NEGATIONS,
    THEN,
    UNITS,
    UNIVERSAL,
    doubtful,
    negators,
    other_side,
    same_word,
    side_table,
)
from tacit.words.limits import limits_of
from tacit.words.tokens import (
    FLAG,
    NAME,
    NUMBER,
    PATH,
    RUN,
    STEMMERS,
    VERSION,
    WORD,
    all_stop_words,
    english_stem,
    piece_terms,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tacit.words.tokens import Piece

HEAD_TERMS = 48  # claims are read in the first line, up to so many terms: a lesson whole, a report by its title


@value
class Denial:
    """One negation and how far it reaches."""

    terms: frozenset[str]
    first: frozenset[str] = frozenset()  # what it denies first: in "do not enable the cache" the enabling …
    amounts_to: frozenset[tuple[str, str]] = frozenset()  # … which amounts to disabling


@value
class Claims:
    """What the head of a text says, as far as it decides between a lesson and its opposite."""

    denied: tuple[Denial, ...] = ()
    plain: frozenset[str] = frozenset()  # terms said without one
    taken: frozenset[tuple[str, str]] = frozenset()  # sides of opposites (group, side) said without one
    doubtful: frozenset[str] = frozenset()  # "fails", "missing": negations only beside a text without them
    named: Mapping[str, frozenset[str]] | None = None  # a name → the bare figures that follow it
    figures: frozenset[str] = frozenset()  # numbers with their units, versions, numbered names
    subjects: frozenset[str] = frozenset()  # identifiers, paths and flags
    sides: Mapping[str, frozenset[str]] | None = None  # group of opposites → the sides taken
    first: frozenset[str] = frozenset()  # of "a before b": a …
    then: frozenset[str] = frozenset()  # … and b
    order: tuple[str, ...] = ()  # content terms as they stand, with words like "then" …
    mentioned: Mapping[str, tuple[str, ...]] | None = None  # group of opposites → the term before the first of its sides, and they as they come
    placed: tuple[str, ...] = ()  # … with particles …
    grouped: tuple[str, ...] = ()  # … and with the members of an enumeration sorted
    frame: tuple[str, ...] = ()  # the function words between them …
    bound: frozenset[tuple[str, str]] = frozenset()  # … each with the content word it stands before
    ways: frozenset[tuple[str, str]] = frozenset()  # from what to what
    terms: frozenset[str] = frozenset()
    little: frozenset[str] = frozenset()  # function words of all sorts
    turned: frozenset[str] = frozenset()  # groups of opposites of which a side was taken by denying the other
    limits: frozenset[str] = frozenset()  # kinds of limit: all, some, only, except, unless
    said: tuple[str, ...] = ()  # every word, folded, as they stand …
    words: frozenset[str] = frozenset()  # … and as a set
    meant: tuple[tuple[str, ...], ...] = ()  # the terms that each of them stands for …
    clauses: tuple[int, ...] = ()  # … and the number of its clause …
    brackets: frozenset[int] = frozenset()  # … of which these stand in brackets
    proper: frozenset[str] = frozenset()  # words with a capital inside a sentence
    joined: frozenset[tuple[str, str]] = frozenset()  # terms beside each other with "and" or "or" between them
    towards: frozenset[str] = frozenset()  # what stands behind "to the", "that", "which"
    compounds: frozenset[tuple[str, str]] = frozenset()  # terms with nothing between them
    grounds: frozenset[str] = frozenset()  # terms that stand in a reason only
    universal: bool = False  # said of all
    negations: int = 0  # words that deny, wherever they stand …
    numbers: tuple[str, ...] = ()  # … and figures, in the order in which they stand
    signs: frozenset[tuple[str, str]] = frozenset()  # "<", "<=" and their like, each with its figure
    commands: frozenset[tuple[str, ...]] = frozenset()  # a program and what it is told: `git push`
    handles: frozenset[str] = frozenset()  # whom or what an @ names
    pairs: frozenset[tuple[str, str]] = frozenset()  # two that are passed in that order: (expected, actual)


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


class _Token:
    """A piece as the claims see it: its word, the terms it stands for (none for a function word), what precedes it."""

    __slots__ = ("denied", "denying", "gap", "negates", "piece", "sides", "terms", "word")

    def __init__(self, piece: Piece, terms: list[str], gap: str) -> None:
        self.piece = piece
        self.word = piece.whole
        self.terms = terms
        self.gap = gap
        self.sides: Sequence[tuple[str, str]] = ()
        self.denied = self.negates = self.denying = False


def claims_of(text: str, pieces: Sequence[Piece], tongue: str) -> Claims:
    """What the head of a text says."""
    tokens = _tokens(text, pieces, tongue)
    head = text[: pieces[-1].start + len(pieces[-1].raw) + 1].lower() if pieces else ""
    clauses = _clauses(tokens)
    denied, plain, taken, negations = _polarity(tokens, clauses)
    words = [token.word for token in tokens]
    first, then = _sequence(tokens)
    grouped, frame, bound = _arrangement(tokens)
    terms = frozenset(term for token in tokens for term in token.terms)
    return Claims(
        denied=denied,
        plain=plain,
        taken=taken,
        doubtful=terms & doubtful(),
        named=_named(tokens),
        figures=frozenset(numbers := (*_figures(tokens), *_ports(text, tokens))),
        subjects=_subjects(tokens),
        sides=_sides(tokens),
        mentioned=_mentioned(tokens),
        first=first,
        then=then,
        order=tuple(term for token in tokens for term in (*_joints(token), *token.terms)),
        placed=tuple(term for token in tokens for term in token.terms or [token.word] if token.terms or token.word in PARTICLES),
        grouped=grouped,
        frame=frame,
        bound=bound,
        ways=frozenset((one, other) for h, one in bound if h == "from" for g, other in bound if g in ("to", "into")),
        terms=terms,
        little=frozenset(token.word for token in tokens if not token.terms and not token.denying),
        turned=frozenset(group for token in tokens if token.denied for group, _ in token.sides if group[0] == "~"),
        limits=limits_of(tuple(words)),
        said=tuple(words),
        words=frozenset(words),
        meant=tuple(tuple(token.terms) for token in tokens),
        clauses=tuple(number for number, clause in enumerate(clauses) for _ in clause),
        brackets=frozenset(number for number, clause in enumerate(clauses) if "(" in clause[0].gap),
        grounds=_grounds(clauses),
        compounds=_compounds(tokens),
        towards=_towards(tokens),
        joined=_joined(tokens),
        proper=_proper(tokens) if tongue != "de" else frozenset(),  # German has a capital in every noun
        universal=any(
            token.word in UNIVERSAL and after.word != "other" for token, after in zip(tokens, [*tokens[1:], tokens[-1]])
        ),
        negations=negations,
        numbers=numbers,
        signs=frozenset(
            (sign[0].replace("≤", "<=").replace("≥", ">="), token.word)
            for token in tokens
            if token.gap.strip() and (sign := re.search(r"[<>]=?|[≤≥]", token.gap))
        )
        | _limits_of_figures(tokens),
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
            found.add(tuple(word.removesuffix("s") if len(word) > 3 else word for word in words[0].split()))
    return frozenset(found)


def _grounds(clauses: Sequence[Sequence[_Token]]) -> frozenset[str]:
    """What is said only to explain the rest: "because …", "otherwise …", "it …"."""
    told: set[str] = set()
    explained: set[str] = set()
    for clause in clauses:
        (explained if clause[0].word in GROUNDS else told).update(term for token in clause for term in token.terms)
    return frozenset(explained - told)


def _mentioned(tokens: Sequence[_Token]) -> dict[str, tuple[str, ...]] | None:
    found: dict[str, dict[str, None]] = {}
    before: dict[str, str] = {}
    term = ""
    for token in tokens:
        for group, side in token.sides:
            before.setdefault(group, term)
            found.setdefault(group, {})[side] = None
        term = token.terms[0] if token.terms else term
    return {group: (before[group], *sides) for group, sides in found.items() if len(sides) > 1} or None


def _proper(tokens: Sequence[_Token]) -> frozenset[str]:
    inside = (token for token in tokens[1:] if not any(mark in token.gap for mark in ".:;!?(\n`\"'"))
    return frozenset(token.word for token in inside if token.piece.kind == WORD and token.piece.raw.istitle() and len(token.word) > 2)


def _towards(tokens: Sequence[_Token]) -> frozenset[str]:
    """What stands behind "to a" (not "to load"), or begins a clause that says which: "releases that touch it"."""
    told: set[str] = set()
    named = False  # "the same thread that opened it": which one was said before
    for one, two, three in zip(tokens, tokens[1:], tokens[2:]):
        named = named or one.word == "same"
        says_which = one.terms and two.word in ("that", "which") and not two.gap.strip() and not named
        if says_which or (one.word == "to" and two.word in ARTICLES):
            told.update(three.terms)
    return frozenset(told)


def _compounds(tokens: Sequence[_Token]) -> frozenset[tuple[str, str]]:
    """Terms that follow each other with nothing but a genitive between them: "the operator's webhook"."""
    beside = (pair for pair in pairwise(tokens) if pair[0].terms and pair[1].terms)
    return frozenset((one.terms[-1], other.terms[0]) for one, other in beside if not other.gap.strip("'’s `"))


def _joined(tokens: Sequence[_Token]) -> frozenset[tuple[str, str]]:
    """Words with "and" or "or" between them, either way round."""
    pairs: set[tuple[str, str]] = set()
    plain = [token for token in tokens if token.word not in ARTICLES and token.word != "no"]  # "and no tests" joins tests, too
    for one, between, other in zip(plain, plain[1:], plain[2:]):
        if between.word in JOINING and all(each.terms and not each.terms[0][0].isdigit() for each in (one, other)):
            pairs |= {(one.terms[0], other.terms[0]), (other.terms[0], one.terms[0])}
    return frozenset(pairs)


def _joints(token: _Token) -> list[str]:
    """Ends of clauses, and "then" and its like: they say nothing themselves, but what stands around them may not change places."""
    if token.word in THEN:
        return ["then"]
    return ["|"] if any(mark in token.gap for mark in ",.;:()") else []


def _tokens(text: str, pieces: Sequence[Piece], tongue: str) -> list[_Token]:
    stem, sides = STEMMERS[tongue], side_table(tongue)
    tokens: list[_Token] = []
    ended = 0
    for piece in pieces:
        terms = piece_terms(piece, stem)
        if piece.kind != RUN:
            terms = terms[:1]
        token = _Token(piece, [same_word(term) for term in terms], text[ended : piece.start])
        token.negates = piece.kind == WORD and negates(piece.whole) and (piece.raw != "None" or not tokens)
        if token.negates or (piece.kind == WORD and piece.whole in CONTRASTS):
            token.terms = []
        elif tokens and len(piece.raw) == 1 and piece.raw.isupper() and piece.raw != "I":  # team A, plan B
            token.terms = [piece.whole]
        elif piece.whole in ("one", "ones"):  # a pronoun as often as a number; `_figures` and the sides know it still
            token.terms, token.sides = [], sides.get(piece.whole, ())
        elif piece.whole in UNITS and tokens and (tokens[-1].piece.kind == NUMBER or tokens[-1].word in NUMBER_WORDS):
            token.terms = [UNITS[piece.whole]]
        elif piece.kind in (WORD, NAME):
            token.sides = _sides_of(piece, stem, sides, tokens[-1].word if tokens else "")
            if piece.whole in PARTICLES:
                token.terms = []
                if token.sides:  # "turn off": one word in two
                    tokens[-1].terms = [same_word(english_stem(token.sides[0][1]))]
        tokens.append(token)
        if piece.whole == "to" and tokens[-2:-1] and tokens[-2].word in FAILING:  # "fails to start" is "does not start"
            tokens[-2].terms, tokens[-2].sides, tokens[-2].negates = [], (), True
        ended = piece.start + len(piece.raw)
    return tokens



def _sides_of(
    piece: Piece, stem: Callable[[str], str], sides: Mapping[str, tuple[tuple[str, str], ...]], before: str
) -> Sequence[tuple[str, str]]:
    word = piece.whole
    if word in PARTICLES:
        return sides.get(english_stem(before) + " " + word, ())
    found = sides.get(word) or sides.get(stem(word))
    if found or piece.kind != WORD or len(piece.parts) < 2:
        return found or ()
    return [
        side for part in piece.parts if part not in PARTICLES for side in sides.get(part) or sides.get(stem(part)) or ()
    ]


def _polarity(
    tokens: Sequence[_Token], clauses: Sequence[list[_Token]]
) -> tuple[tuple[Denial, ...], frozenset[str], frozenset[tuple[str, str]], int]:
    """The negations, the terms and sides said plainly, and how many words deny; marks the word that each negation denies first.

    A negation reaches from its word to the end of its clause, or back over the clause where it comes last. Two in one
    clause cancel out ("do not deploy without approval"). What precedes a negation in its clause is neither denied nor
    plain: "secrets must not be logged" denies the logging.
    """
    denied: list[list[_Token]] = []
    plain: list[_Token] = []
    scripts: set[str] = set()
    for clause in clauses:
        places = [number for number in range(len(clause)) if _is_negation(clause, number)]
        for place in places:
            clause[place].denying = True
        said = [token for token in clause if token.terms or token.sides]
        in_runs = {term for token in clause if token.piece.kind == RUN for term in _denied_in_run(token.piece.raw)}
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
            denials.append(Denial(terms, frozenset(reach[0].terms), frozenset(_flipped(reach[0].sides))))
    if scripts:
        denials.append(Denial(frozenset(scripts)))
    said_plainly = frozenset(term for token in plain for term in token.terms)
    taken = frozenset(side for token in plain for side in token.sides)
    plainly = said_plainly.difference(*(denial.terms for denial in denials))
    # "Not only" denies nothing, and yet is not "only".
    denying = sum(token.denying or _not_only(token, after) for token, after in zip(tokens, [*tokens[1:], None]))
    return tuple(denials), plainly, taken, denying


def _not_only(token: _Token, after: _Token | None) -> bool:
    return token.negates and after is not None and after.word in ("only", "just")


def _flipped(sides: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(group, other_side()[group][side]) for group, side in sides if group[0] == "~"]


def _clauses(tokens: Sequence[_Token]) -> list[list[_Token]]:
    clauses: list[list[_Token]] = [[]]
    preferred = False
    for number, token in enumerate(tokens):
        preferred = preferred or token.word in PREFERRING
        following = tokens[number + 1].word if number + 1 < len(tokens) else ""
        contrast = token.word in CONTRASTS and (
            token.word not in ("over", "to") or (preferred and following not in ("be", "have"))
        )
        joined = token.word in JOINING and number + 1 < len(tokens) and (tokens[number + 1].negates or following in _RESUMING)
        but = token.word == "but" and number > 0 and tokens[number - 1].word in ALL_BUT
        token.negates = token.negates or contrast or but
        if any(mark in token.gap for mark in ",.;:!?()\n–—。、，；") or token.word in BREAKS or contrast or joined:
            clauses.append([])
        clauses[-1].append(token)
    return [clause for clause in clauses if clause]


_RESUMING = frozenset("has have must should needs is are was were will".split())  # "never does x and has to be y": the y is not denied


def _is_negation(clause: Sequence[_Token], number: int) -> bool:
    word = clause[number].word
    following = clause[number + 1].word if number + 1 < len(clause) else ""
    if word in CONTRASTS:  # starts its own clause: "instead of npm", "over npm"
        return number == 0 and (
            (clause[0].negates if word in ("over", "to") else following in ("of", "than", "de", "que", "von", "to"))
            or word in ALONE
        )
    if (word, following) in (("out", "of"), ("away", "from")):  # keep secrets out of the repository
        return any(token.word in KEEPING for token in clause[:number])
    if word == "except" and number and clause[number - 1].word in OF_CODE:
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
    return not (word in FRENCH_SECOND and any(token.word == "ne" for token in clause[:number]))


def negates(word: str) -> bool:
    """Whether a folded word denies what follows it."""
    return word in negators() or word.endswith("n't")


def _denied_in_run(run: str) -> list[str]:
    """The letter pairs under a negation in a script without spaces."""
    found = re.search(RUN_NEGATIONS, run)
    if not found:
        return []
    # Chinese denies what follows; Japanese and Korean what precedes.
    reach = run[found.end() :] if found.group() in BEFORE_VERB else run[: found.start()]
    return [reach[i : i + 2] for i in range(len(reach) - 1)]


def _figures(tokens: Sequence[_Token]) -> tuple[str, ...]:
    """Numbers with their units and comparisons, versions, and names with a number in them, as they stand."""
    found: list[str] = []
    for number, token in enumerate(tokens):
        kind, word = token.piece.kind, token.word
        before = tokens[number - 1].word if number else ""
        after = tokens[number + 1] if number + 1 < len(tokens) else None
        if kind == NAME:
            # A date says when, not what, unless it is a version's.
            if any(c.isdigit() for c in word) and (before.endswith("version") or not re.fullmatch(r"\d{8}", word)):
                found.append(re.sub(r"\d+", "", word) + "#" + ".".join(re.findall(r"\d+", word)))
            continue
        if word in _EACH and after is not None and len(after.word) > 2 and after.word in UNITS:  # ten per minute, every other day
            found.append(f"each#{2 if word == 'other' else 1} {UNITS[after.word]}")
            continue
        if word in ("a", "an") and after is not None and len(after.word) > 2 and after.word in UNITS:
            word = "0.5" if before == "half" else "1"  # within an hour, five a second
            if [each.word for each in tokens[number + 2 : number + 5]] == ["and", "a", "half"]:
                word = "1.5"
        elif kind == WORD and word in RATES:
            found.append(f"each#1 {RATES[word]}")
            continue
        elif kind == WORD:
            word = NUMBER_WORDS.get(word, "")
            if word == "1" and (after is None or not after.terms):  # "the closed one", a pronoun
                continue
        if not word or kind not in (WORD, NUMBER, VERSION) or before in PLACES:
            continue
        if before in RECORDS:  # a name, not an amount
            found.append(f"record#{word}")
            continue
        if kind == VERSION:
            figure, unit = word.removeprefix("v"), ""
        else:
            figure, unit = _measure(word)
        if not unit and after is not None and after.word in UNITS and not after.gap.strip(" -"):
            unit = UNITS[after.word]
        sign = re.search(r"[<>≤≥^~]|(?:^|[\s(=:])-$", token.gap)
        if before in ("exact", "exactly", "precisely"):
            bound = "="
        elif sign:
            bound = sign[0][-1].replace("≤", "<").replace("≥", ">")
        else:
            bound = _bound(tokens, number, bool(unit))
        found.append((bound + f"{figure} {unit}").strip())
    return tuple(found)


def _limits_of_figures(tokens: Sequence[_Token]) -> frozenset[tuple[str, str]]:
    """Whether a figure itself is meant: "more than five" and "five or more"."""
    found = set()
    for number, token in enumerate(tokens):
        if token.piece.kind in (NUMBER, VERSION) or token.word in NUMBER_WORDS:
            before = [each.word for each in tokens[max(0, number - 3) : number]]
            after = [each.word for each in tokens[number + 1 : number + 4]]
            if sign := next((_OPEN_ENDED[two] + "=" for one, two in pairwise(after) if one == "or" and two in _OPEN_ENDED), ""):
                found.add((sign, token.word))
            elif before[-1:] == ["than"] and len(before) > 1 and before[-2] in _BOUNDS and before[-3:-2] not in (["no"], ["not"]):
                found.add((_BOUNDS[before[-2]], token.word))
    return frozenset(found)


def _ports(text: str, tokens: Sequence[_Token]) -> list[str]:
    """What stands behind a host and a colon; behind a file it is a line, and says nothing."""
    head = text[: tokens[-1].piece.start + len(tokens[-1].piece.raw) + 6] if tokens else ""
    return [f"port#{port}" for host, port in re.findall(r"([\w.-]+):(\d{2,5})\b", head) if not re.fullmatch(FILE, host)]


_EACH = frozenset(("per", "every", "each", "other"))


def _named(tokens: Sequence[_Token]) -> dict[str, frozenset[str]] | None:
    found: dict[str, set[str]] = {}
    for name, token in pairwise(tokens):
        if (
            token.piece.kind in (NUMBER, VERSION)
            and name.terms
            and name.piece.kind in (WORD, NAME)
            and not token.gap.strip()
        ):
            figure, unit = _measure(token.word.removeprefix("v"))
            if not unit and name.word not in _BOUNDS and name.word not in PLACES:
                found.setdefault(name.terms[0], set()).add(figure)
    return {name: frozenset(figures) for name, figures in found.items()} or None


def _bound(tokens: Sequence[_Token], number: int, measured: bool) -> str:
    """Whether a figure is a least (">") or a most ("<"): "at least 3", "no more than 3", "3 or newer"; empty where it is neither."""
    before = [token.word for token in tokens[max(0, number - 4) : number]]
    after = [token.word for token in tokens[number + 1 : number + 7]]
    if after and after[0] in UNITS:
        del after[0]
    for joint, word in pairwise(after):
        if joint in JOINING and word in _OPEN_ENDED:
            return _OPEN_ENDED[word]
    if (
        len(before) > 1
        and before[-2] in ("since", "until", "before", "after", "below", "above")
        and before[-1] not in _BOUNDS
    ):
        before.pop()  # since Django 4.2
    if "from" in before[-2:] and not {"on", "onward", "onwards", "upward", "upwards", "up"}.isdisjoint(after):
        return ">"
    if before[-2:-1] in (["starting"], ["beginning"]) and before[-1] in ("at", "with", "from", "in"):
        return ">"
    while before and before[-1] in ("of", "the", "a", "an", "version", "release", "to", "than"):
        if before[-2:] in (["up", "to"], ["as", "of"]):
            return "<" if before[-1] == "to" else ">"
        before.pop()
    bound = _BOUNDS.get(before[-1], "") if before else ""
    if (
        bound and before[-1] in ("older", "newer") and measured
    ):  # a newer version is a greater one, a newer file is younger
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
    **dict.fromkeys("newer later above more higher greater up upward upwards over longer larger beyond onward onwards".split(), ">"),
    **dict.fromkeys("older earlier below less fewer lower under smaller shorter down".split(), "<"),
}


def _measure(word: str) -> tuple[str, str]:
    found = re.fullmatch(r"([\d.,:]+?(?:x\d+)?)([a-z%]*)", word)
    return (found[1].replace(",", ""), UNITS.get(found[2], found[2])) if found else (word, "")


def _subjects(tokens: Sequence[_Token]) -> frozenset[str]:
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


def _sides(tokens: Sequence[_Token]) -> dict[str, frozenset[str]] | None:
    """The sides this text takes in known opposites; a denied one counts as its other."""
    found: dict[str, set[str]] = {}
    for token in tokens:
        sides = [*_flipped(token.sides), *(s for s in token.sides if s[0][0] == "=")] if token.denied else token.sides
        for group, side in sides:
            found.setdefault(group, set()).add(side)
        if token.piece.raw in METHODS:
            found.setdefault("=method", set()).add(token.piece.raw)
    return {group: frozenset(sides) for group, sides in found.items()} or None


def _sequence(tokens: Sequence[_Token]) -> tuple[frozenset[str], frozenset[str]]:
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


def _terms_until(tokens: Iterable[_Token]) -> frozenset[str]:
    found: set[str] = set()
    for token in tokens:
        if found and any(mark in token.gap for mark in ",.;:!?()\n"):
            break
        found.update(token.terms)
    return frozenset(found)


def _arrangement(tokens: Sequence[_Token]) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[tuple[str, str]]]:
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

"""What a text claims, and on which claim two alike texts disagree.

Likeness cannot tell "commit the lock file" from "never commit the lock file". So the head of each text is read once for its
negated clauses, figures, names, sides of known opposites and order (`claims_of`), and two texts are compared claim by claim;
the first disagreement is the reason that a person sees (`disagreement`). The word lists that decide stand in `claim_words`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise, product

from tacit.core.claim_words import (
    AIMING,
    ALL_BUT,
    ALONE,
    ARTICLES,
    BEFORE_VERB,
    BLAND,
    BREAKS,
    CONTRASTS,
    EARLIER,
    FAILING,
    FILE,
    FILLERS,
    FRENCH_SECOND,
    GROUNDS,
    HERE,
    JOINING,
    JUDGING,
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
    near,
    negators,
    other_side,
    same_word,
    side_table,
    taking_away,
)
from tacit.core.copies import changed
from tacit.core.limits import aligned, is_word, limits_of, narrowed
from tacit.core.value import value
from tacit.core.words import (
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

    from tacit.core.words import Piece

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


# --- what two texts disagree on


def disagreement(x: Claims, y: Claims, *, same_error: bool = False, prescribed: bool = False) -> str:
    """The claim on which two alike texts disagree, with its kind; empty where there is none.

    `same_error`: both report one masked error, so figures and paths are the run's own. `prescribed`: one of them is a rule
    and the other a report of its breach, so that yes and no may differ.
    """
    if not same_error:
        if against := _other_figure(x.figures, y.figures):
            return against
        if against := _other_subject(x.subjects, y.subjects):
            return f"subject: {against}"
        if against := _other_number(x, y):
            return against
        if against := _other_named(x, y) or _other_sign(x, y):
            return against
    if against := _other_scope(x, y) or _other_person(x, y):
        return f"scope: {against}"
    if prescribed:
        return ""
    if against := _negation(x, y) or _antonym(x, y) or _turned(x, y) or _exchanged_sides(x, y) or _swapped(x, y):
        return against
    if not same_error and (against := narrowed(x, y)):
        return f"scope: {against}"
    if (x.negations - y.negations) % 2 and _words(x) == _words(y) and x.subjects == y.subjects:
        return "negation: all else is equal"
    if against := _substitution(x, y, same_error) or _replaced(x, y, same_error) or _little_word(x, y):
        return f"other word: {against}"
    return ""


def retouched(x: Claims, y: Claims) -> str:
    """What was changed in a text that otherwise repeats another nearly word for word; empty where nothing was, or it does not."""
    return changed(x, y, _related)


def beyond(one: Claims, other: Claims, but: frozenset[str] = frozenset()) -> frozenset[str]:
    """The terms of one text for which nothing in the other stands, `but` aside."""
    mine, theirs = one.terms - other.terms - FILLERS - BLAND - HERE, other.terms - but
    return frozenset(term for term in mine if not any(_related(term, each) or _same_place(term, each) for each in theirs))


def _words(of: Claims) -> frozenset[str]:
    """What a text says, without its figures and what may come and go."""
    return frozenset(filter(is_word, of.terms)) - FILLERS


def _other_number(x: Claims, y: Claims) -> str:
    """All else equal, a figure in place of another, even where both texts have both: then the place decides."""
    if x.numbers == y.numbers or len(x.numbers) != len(y.numbers):
        return ""
    if _reversed(x.numbers, y.numbers) and not (x.words ^ y.words) & _TURNING:
        return f"number: {x.numbers[0]} / {y.numbers[0]}"
    if _words(x) != _words(y):
        return ""
    for one, other in zip(x.numbers, y.numbers):
        if not _same_figure(one, other) and sorted(x.numbers) != sorted(y.numbers):
            return f"number: {one} / {other}"
    return ""


def _reversed(xs: tuple[str, ...], ys: tuple[str, ...]) -> bool:
    """Whether two versions changed places."""
    return (
        len(xs) == len(ys) == 2
        and all("." in each for each in xs + ys)
        and not _same_figure(xs[0], ys[0])
        and _same_figure(xs[0], ys[1])
        and _same_figure(xs[1], ys[0])
    )


def _other_named(x: Claims, y: Claims) -> str:
    """Another figure after the same name, wherever it stands: MySQL 8 and MySQL 5.7."""
    for name, figures in (x.named or {}).items():
        others = (y.named or {}).get(name)
        if others and not any(_same_figure(one, other) for one in figures for other in others):
            return f"number: {name} {min(figures)} / {min(others)}"
    return ""


def _other_sign(x: Claims, y: Claims) -> str:
    """Below a figure and up to it: "< 6.12", "<= 6.12"."""
    for sign, figure in sorted(x.signs - y.signs):
        for other, theirs in sorted(y.signs - x.signs):
            if figure == theirs:
                return f"number: {sign} {figure} / {other} {theirs}"
    return ""


def _little_word(x: Claims, y: Claims) -> str:
    """One function word in place of its opposite, all else equal: on / off, some / all."""
    if not x.terms <= y.terms and not y.terms <= x.terms:
        return ""
    only_x, only_y = x.little - y.little, y.little - x.little
    for one, other in _LITTLE:
        if (one in only_x and other in only_y) or (other in only_x and one in only_y):
            return f"{one} / {other}"
    return ""


# Function words that face each other; beside equal content words one in place of the other decides.
_LITTLE = tuple(
    (one, other)
    for line in (
        "on / off", "in / out", "up / down", "over / under", "above / below", "from / to", "if / unless", "into / from",
        "some few most several / all every each any", "few / many most", "once / twice", "inside / outside", "until / since now",
        "must should shall / may might can could", "and both / or either", "with / without", "if when whenever while / unless until",
        "while during / before after until since",
    )
    for ones, others in [line.split(" / ")]
    for one in ones.split()
    for other in others.split()
)  # fmt: skip


def _negation(x: Claims, y: Claims) -> str:
    for one, other in ((x, y), (y, x)):
        for denial in one.denied:
            # "No timeout" and "missing timeout" agree: a doubtful word of the other text may be its negation.
            said = denial.terms & other.plain if other.doubtful <= one.doubtful else frozenset()
            bare = any(map(is_word, said)) or not any(
                map(is_word, denial.terms)
            )  # a figure alone was compared before
            if 2 * len(said) >= len(denial.terms) and said and bare and not _answered(denial, other):
                return f"negation: {min(said)}"
        # "fails", "missing": a negation only if it is all that one text has beyond the other.
        certain = not one.denied and not other.denied
        if one.doubtful and certain and not other.doubtful and one.terms - other.terms <= one.doubtful:
            return f"negation: {min(one.doubtful)}"
        more = beyond(one, other)
        if certain and more and more <= taking_away() and not beyond(other, one, more):
            return f"negation: {min(more)}"
        if (judged := one.doubtful & JUDGING) and not other.negations and not other.doubtful & JUDGING:
            return f"negation: {min(judged)}"
    return ""


def _answered(denial: Denial, other: Claims) -> bool:
    """Whether the other text denies the same, or says the opposite plainly: "do not enable" and "disable"."""
    for theirs in other.denied:
        if denial.first & theirs.first:
            return True
        both = frozenset(filter(str.isalpha, denial.terms & theirs.terms))
        # What is denied, not only where: "over print in the worker" does not answer "over logs in the worker".
        if both & (denial.first | theirs.first) or 2 * len(both) > min(len(denial.terms), len(theirs.terms)):
            return True
    return not denial.amounts_to.isdisjoint(other.taken)


def _antonym(x: Claims, y: Claims) -> str:
    for group, side in (x.sides or {}).items():
        other = (y.sides or {}).get(group)
        if not other or group[0] != "~" or side & other or (group == "~beforeafter" and x.first and y.first):
            continue
        if (group in x.turned and _denies(y)) or (group in y.turned and _denies(x)):
            continue  # "avoid global state", "do not use global state": how far a denial reaches is a matter of wording
        return f"antonym: {min(side)} / {min(other)}"
    return _by_affix(_own_terms(x, y), _own_terms(y, x))


def _exchanged_sides(x: Claims, y: Claims) -> str:
    """Both sides of an opposite in both texts, in exchanged places: "prefer tabs, spaces fail" and "prefer spaces, tabs fail"."""
    if (x.words ^ y.words) & _TURNING or sorted(_clauses_of(x.order)) == sorted(_clauses_of(y.order)):
        return ""
    for group, sides in (x.mentioned or {}).items():
        before, *ours = sides
        behind, *theirs = (y.mentioned or {}).get(group, ("",))
        if ours == theirs[::-1] and before == behind:
            return f"antonym: {ours[0]} / {theirs[0]}"
    return ""


_TURNING = frozenset("not no never than over instead rather before after by without".split())


def _denies(of: Claims) -> bool:
    return bool(of.denied or of.doubtful)


def _own_terms(one: Claims, other: Claims) -> frozenset[str]:
    """What only one text says; a word that only one of them denies has been judged with its negation."""
    if len(one.denied) == len(other.denied):
        return one.terms - other.terms
    return one.terms.difference(other.terms, *(denial.first for denial in one.denied))


def _other_person(x: Claims, y: Claims) -> str:
    """A proper name in each text that the other has not."""
    only_x, only_y = x.proper - y.words, y.proper - x.words
    return f"{min(only_x)} / {min(only_y)}" if only_x and only_y else ""


def _other_scope(x: Claims, y: Claims) -> str:
    if not x.sides or not y.sides:
        return ""
    for group, side in x.sides.items():
        other = y.sides.get(group)
        if other and group[0] == "=" and not side & other:
            return f"{min(side)} / {min(other)}"
    return ""


def _by_affix(only_x: frozenset[str], only_y: frozenset[str]) -> str:
    """Opposites by their make: safe and unsafe, upload and download, stateful and stateless."""
    for one in only_x:
        for other in only_y:
            if (len(one) > 3 and len(other) > 3 and _affixed(one, other)) or f"un{one}" == other or f"un{other}" == one:
                return f"antonym: {min(one, other)} / {max(one, other)}"
    return ""


_NEGATING = ("un", "in", "im", "il", "ir", "non", "dis", "de", "des", "a", "anti", "mis", "ent")
_FACING = (
    ("up", "down"), ("in", "out"), ("over", "under"), ("pre", "post"), ("en", "de"), ("en", "dis"), ("in", "ex"),
    ("im", "ex"), ("in", "de"), ("sub", "super"), ("intra", "inter"), ("ein", "aus"), ("an", "ab"), ("auf", "ab"),
)  # fmt: skip


@lru_cache(maxsize=4096)
def _affixed(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if any(long == prefix + short for prefix in _NEGATING):
        return True
    if any(long[:i] + long[i + 2 :] == short and long[i : i + 2] in ("in", "un") for i in range(3, len(long) - 4)):
        return True  # case-sensitive, case-insensitive
    if one.endswith(("ful", "less")) and other.endswith(("ful", "less")) and one[-3:] != other[-3:]:
        return one.removesuffix("ful").removesuffix("less") == other.removesuffix("ful").removesuffix("less")
    for left, right in _FACING:
        for p, q in ((left, right), (right, left)):
            if one.startswith(p) and other.startswith(q) and len(one) > len(p) + 2 and one[len(p) :] == other[len(q) :]:
                return True
    return False


def _turned(x: Claims, y: Claims) -> str:
    """The same words in exchanged places: "b before a", "copy from b to a", "b imports a", "use b; a is refused"."""
    for one, other in x.ways & {(other, one) for one, other in y.ways}:
        return f"order: {min(one, other)}"
    for (little, one), (same, other) in product(sorted(x.bound - y.bound), sorted(y.bound - x.bound)):
        if little == same and little in AIMING and one in y.terms and other in x.terms:
            return f"order: {little} {one} / {other}"
    if x.first and x.then and y.first and y.then:
        straight = len(x.first & y.first) + len(x.then & y.then)
        crossed = len(x.first & y.then) + len(x.then & y.first)
        if crossed > straight:
            return "order: " + min((x.first & y.then) | (x.then & y.first))
    if exchanged := _exchanged_among(x, y) or _exchanged_heads(x, y):
        return f"order: {exchanged}"
    if (
        x.grouped == y.grouped
        or x.terms != y.terms
        or len(x.order) != len(y.order)
        or sorted(x.frame) != sorted(y.frame)
    ):
        return ""  # a passive brings function words of its own
    if (changed := set(x.bound) ^ set(y.bound)) and x.little.isdisjoint(PRONOUNS):
        return "order: " + min(term for _, term in changed)
    if "then" not in x.order and sorted(_clauses_of(x.order)) == sorted(_clauses_of(y.order)):
        return ""
    return f"order: {exchanged}" if (exchanged := _exchanged(x.order, y.order)) else ""


def _swapped(x: Claims, y: Claims) -> str:
    """Two words that changed places, all others as they were: "self is the bullet and other the target". Members of a row may."""
    one, other = x.said, y.said
    if len(one) != len(other):
        return ""
    places = [at for at, (word, theirs) in enumerate(zip(one, other)) if word != theirs]
    if len(places) != 2 or one[places[0]] != other[places[1]] or one[places[1]] != other[places[0]]:
        return ""
    if x.grouped == y.grouped and one[places[0]] not in PARTICLES:
        return ""
    between = one[places[0] + 1 : places[1]]
    return f"order: {one[places[0]]}" if any(word not in JOINING and word not in ARTICLES for word in between) else ""


def _exchanged_heads(x: Claims, y: Claims) -> str:
    """ "Inline the style sheet, loading it costs time" and "load the style sheet, inlining it costs time"."""
    one, other = x.placed[:3], y.placed[:3]
    if len(one) < 3 or one[0] == other[0] or one[1:] != other[1:] or not is_word(one[0]) or not is_word(other[0]):
        return ""
    return f"{one[0]} / {other[0]}" if one[0] in y.terms and other[0] in x.terms else ""


def _exchanged_among(x: Claims, y: Claims) -> str:
    """What changed places among the words that both texts have, each of them once."""
    both = x.terms & y.terms
    between = (x.little ^ y.little) - ARTICLES - PRONOUNS  # a passive, or another sentence: then places tell nothing
    if between or 3 * len(both) < 2 * max(len(x.terms), len(y.terms)):
        return ""
    one = [term for term in x.placed if term in both or term in PARTICLES]
    other = [term for term in y.placed if term in both or term in PARTICLES]
    if len(one) != len(set(one)) or sorted(one) != sorted(other):
        return ""
    if [term for term in x.grouped if term in both] == [term for term in y.grouped if term in both] and not any(term in PARTICLES for term in one):
        return ""
    return _exchanged(tuple(one), tuple(other))


def _clauses_of(order: tuple[str, ...]) -> list[str]:
    return " ".join(order).split(" | ")


def _exchanged(one: tuple[str, ...], other: tuple[str, ...]) -> str:
    """What changed places around something that stayed, as in a-b-c and c-b-a; empty where nothing did.

    Without anything between them two parts may well follow each other either way: "in tests use mocks", "use mocks in tests".
    """
    start, end = 0, len(one)
    while start < end and one[start] == other[start]:
        start += 1
    while end > start and one[end - 1] == other[end - 1]:
        end -= 1
    one, other = one[start:end], other[start:end]
    for i in range(1, len(one) - 1):
        if one[:i] != other[-i:]:
            continue
        for j in range(i + 1, len(one)):
            if one[j:] == other[: len(one) - j] and _as_before(one[i:j], other[len(one) - j : len(one) - i]):
                return one[0]
    return ""


def _as_before(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether what stands between stayed; a few words may be turned round with the rest."""
    return one == other or (len(one) <= 3 and sorted(one) == sorted(other))


def _replaced(x: Claims, y: Claims, same_error: bool) -> str:
    """In texts built alike, something in the place of something else, although other words differ, too."""
    if same_error:
        return ""
    shared = len(x.terms & y.terms)
    if max(len(x.terms), len(y.terms)) > 2 * shared + 1:
        return ""
    left = [term for term in x.order if term in x.terms]
    right = [term for term in y.order if term in y.terms]
    pairs = aligned(left, right)
    if 5 * len(pairs) < 4 * shared:
        return ""
    ones, others = _spare(left, right), _spare(right, left)
    if len(x.denied) != len(y.denied):
        ones, others = ones & _own_terms(x, y), others & _own_terms(y, x)
    for (i, k), (j, m) in zip([(-1, -1), *pairs], [*pairs, (len(left), len(right))]):
        here = [term for term in left[i + 1 : j] if term in ones]
        there = [term for term in right[k + 1 : m] if term in others]
        if here and there and not _stands_for(here, there):
            return f"{here[0]} / {there[0]}"
    return ""


def _spare(ones: Sequence[str], others: Sequence[str]) -> frozenset[str]:
    """What one text says more often than the other; not the pairs of letters of a script without spaces."""
    return frozenset(
        term for term in ones if ones.count(term) > others.count(term) and (term.isascii() or len(term) > 2)
    )


def _stands_for(here: Sequence[str], there: Sequence[str]) -> bool:
    if (FILLERS.issuperset(here) and FILLERS.issuperset(there)) or "work" in here or "work" in there:
        return True  # what "does not work" may be told more exactly
    if any(term[0].isdigit() for term in here) and any(term[0].isdigit() for term in there):
        return True  # figures were compared before
    return any(_related(one, other) or _same_place(one, other) for one in here for other in there)


def _substitution(x: Claims, y: Claims, same_error: bool) -> str:
    """One word in place of another, all else equal: then that word is what the lesson is about."""
    only_x, only_y = _own_terms(x, y) - FILLERS - x.doubtful, _own_terms(y, x) - FILLERS - y.doubtful
    if same_error:  # a word with a digit is one of the run's own making
        only_x, only_y = frozenset(filter(str.isalpha, only_x)), frozenset(filter(str.isalpha, only_y))
    changed = len(only_x) + len(only_y)
    if not only_x or not only_y or changed > 3 or len(x.terms & y.terms) < changed - 1:
        return ""
    # Figures, paths and flags were compared before.
    only_x, only_y = frozenset(filter(is_word, only_x)), frozenset(filter(is_word, only_y))
    if not only_x or not only_y:
        return ""
    for one in only_x:
        for other in only_y:
            if _related(one, other):
                return ""
    return f"{min(only_x)} / {min(only_y)}"


@lru_cache(maxsize=4096)
def _related(one: str, other: str) -> bool:
    """Two forms of one word (a typo, an abbreviation, an inflection our stemmer does not know), or two words of near meaning."""
    if not near().get(one, frozenset()).isdisjoint(near().get(other, frozenset())):
        return True
    short, long = sorted((one, other), key=len)
    if long == f"ge{short}":  # a German participle
        return True
    if len(short) >= 4 and long.startswith(short) and (len(short) >= 6 or len(long) - len(short) <= 3):
        return True  # not key and keyword, user and username
    if len(short) < 4 or short[:3] != long[:3]:
        return False
    return edits(one, other) <= max(1, len(long) // 4)


def _other_figure(xs: frozenset[str], ys: frozenset[str]) -> str:
    """A figure of each that the other has not. A figure that only one text has is more detail, unless the other has one of its sort."""
    if not xs or not ys or xs == ys:
        return ""
    only_x = [x for x in xs if not any(_same_figure(x, y) for y in ys)]
    only_y = [y for y in ys if not any(_same_figure(x, y) for x in xs)]
    if not only_x or not only_y:
        # One amount more of the same sort: "1 GB is enough", "1 GB is not the end of it: give it 4".
        for one in sorted(only_x or only_y):
            if any(_sort(one) == _sort(other) for other in (ys if only_x else xs)):
                return f"{'version' if '.' in one else 'number'}: {one} / none"
        return ""
    for one in sorted(only_x):
        for other in sorted(only_y):
            # Like is compared with like: ADR-0041 with ADR-0014, 3.11 with 3.12, neither with port 80.
            if _like(one) == _like(other):
                return f"{'version' if '.' in one else 'number'}: {one} / {other}"
    return ""


def _sort(figure: str) -> tuple[str, str]:
    """What a figure may be compared with: its unit, or that it is a version."""
    return _like(figure), figure.partition(" ")[2]


def _like(figure: str) -> str:
    name, numbered, _ = figure.partition("#")
    return name + "#" if numbered else "." if "." in figure and " " not in figure else ""


@lru_cache(maxsize=4096)
def _same_figure(one: str, other: str) -> bool:
    if one == other:
        return True
    a, b = one.lstrip("<>^~="), other.lstrip("<>^~=")
    if a != one and b != other and one[0] != other[0]:
        return False
    (a, _, unit_a), (b, _, unit_b) = a.partition(" "), b.partition(" ")
    if unit_a and unit_b and unit_a != unit_b:
        return False
    of_a, of_b = a.split("."), b.split(".")
    return of_a[: len(of_b)] == of_b[: len(of_a)]  # 3.11 and 3.11.7 agree


def _other_subject(xs: frozenset[str], ys: frozenset[str]) -> str:
    if not xs or not ys:
        return ""
    for kind in ("path", "flag", "name"):
        one = {x.partition(":")[2] for x in xs if x.startswith(kind)}
        other = {y.partition(":")[2] for y in ys if y.startswith(kind)}
        if one and other and not one & other and not any(_same_place(a, b) for a in one for b in other):
            return f"{min(one)} / {min(other)}"
    return ""


def _same_place(one: str, other: str) -> bool:
    """Two names of one thing: `src/app.py` and `app.py`, `os.path.join` and `join`, one file below two home folders."""
    short, long = sorted((one, other), key=len)
    if one == other or long.endswith(("/" + short, "." + short, ":" + short)) or f"/{short}/" in long:
        return True
    ends = one.split("/")[-3:], other.split("/")[-3:]
    return ends[0] == ends[1] or (one[0] in "/~" and other[0] in "/~" and ends[0][-2:] == ends[1][-2:])


# --- reading claims


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
        limits=limits_of(words),
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
    )


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
    plain = [token for token in tokens if token.word not in ARTICLES]
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
    if "from" in before[-2:] and not {"on", "onwards", "upwards", "up"}.isdisjoint(after):
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
    **dict.fromkeys("newer later above more higher greater up over longer larger beyond onwards".split(), ">"),
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


def edits(a: str, b: str) -> int:
    """How many letters to insert, delete or replace; a row of Levenshtein's table in one integer (Myers, Hyyrö)."""
    if a == b or not a or not b:
        return 0 if a == b else max(len(a), len(b))
    if len(a) > len(b):
        a, b = b, a
    places: dict[str, int] = {}
    for number, letter in enumerate(a):
        places[letter] = places.get(letter, 0) | 1 << number
    full, last, count = (1 << len(a)) - 1, 1 << (len(a) - 1), len(a)
    rises, falls = full, 0
    for letter in b:
        equal = places.get(letter, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
        up, down = falls | ~(diagonal | rises) & full, diagonal & rises
        count += bool(up & last) - bool(down & last)
        up, down = up << 1 | 1, down << 1
        rises, falls = (down | ~(diagonal | up)) & full, up & diagonal & full
    return count

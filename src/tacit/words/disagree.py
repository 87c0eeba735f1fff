"""On which claim two alike texts disagree.

Likeness cannot tell "commit the lock file" from "never commit the lock file". So what two texts claim (`claims`) is compared kind
by kind, and the first disagreement is the reason that a person sees. Between two near-copies `copies` looks further.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from tacit.words.claim_words import (
    AIMING,
    ARTICLES,
    BLAND,
    FILLERS,
    HERE,
    JOINING,
    JUDGING,
    PARTICLES,
    PRONOUNS,
    related,
    same_place,
    taking_away,
)
from tacit.words.claims import Claims, Denial
from tacit.words.limits import aligned, is_word, narrowed


def disagreement(
    x: Claims, y: Claims, *, same_error: bool = False, prescribed: bool = False
) -> str:
    """The claim on which two alike texts disagree, with its kind; empty where there is none.

    `same_error`: both report one masked error, so figures and paths are the run's own. `prescribed`: one of them is a rule
    and the other a report of its breach, so that yes and no may differ.
    """
    if not same_error:
        if against := _other_figure(x.figures, y.figures):
            return against
        if against := _other_subject(x.subjects, y.subjects):
            return f"subject: {against}"
        if not prescribed and (against := _other_command(x, y)):
            return f"subject: {against}"
        if against := _other_number(x, y):
            return against
        if against := _other_named(x, y) or _other_sign(x, y):
            return against
    if against := _other_scope(x, y) or _other_person(x, y):
        return f"scope: {against}"
    if prescribed:
        return ""
    if (
        against := _negation(x, y)
        or _antonym(x, y)
        or _turned(x, y)
        or _exchanged_sides(x, y)
        or _swapped(x, y)
    ):
        return against
    if not same_error and (against := narrowed(x, y)):
        return f"scope: {against}"
    if (x.negations - y.negations) % 2 and _words(x) == _words(y) and x.subjects == y.subjects:
        return "negation: all else is equal"
    if (
        against := _substitution(x, y, same_error)
        or (not same_error and _replaced(x, y))
        or _little_word(x, y)
    ):
        return f"other word: {against}"
    return ""


def beyond(one: Claims, other: Claims, but: frozenset[str] = frozenset()) -> frozenset[str]:
    """The terms of one text for which nothing in the other stands, `but` aside."""
    mine, theirs = one.terms - other.terms - FILLERS - BLAND - HERE, other.terms - but
    return frozenset(
        term
        for term in mine
        if not any(related(term, each) or same_place(term, each) for each in theirs)
    )


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
        "on / off",
        "in / out",
        "up / down",
        "over / under",
        "above / below",
        "from / to",
        "if / unless",
        "into / from",
        "some few most several / all every each any",
        "few / many most",
        "once / twice",
        "inside / outside",
        "until / since now",
        "must should shall / may might can could",
        "and both / or either",
        "with / without",
        "if when whenever while / unless until",
        "while during / before after until since",
    )
    for ones, others in [line.split(" / ")]
    for one in ones.split()
    for other in others.split()
)


def _negation(x: Claims, y: Claims) -> str:
    for one, other in ((x, y), (y, x)):
        for denial in one.denied:
            # "No timeout" and "missing timeout" agree: a doubtful word of the other text may be its negation.
            said = denial.terms & other.plain if other.doubtful <= one.doubtful else frozenset()
            bare = any(map(is_word, said)) or not any(
                map(is_word, denial.terms)
            )  # a figure alone was compared before
            if (
                2 * len(said) >= len(denial.terms)
                and said
                and bare
                and not _answered(denial, other)
            ):
                return f"negation: {min(said)}"
        # "fails", "missing": a negation only if it is all that one text has beyond the other.
        certain = not one.denied and not other.denied
        if (
            one.doubtful
            and certain
            and not other.doubtful
            and one.terms - other.terms <= one.doubtful
        ):
            return f"negation: {min(one.doubtful)}"
        more = beyond(one, other)
        if certain and more and more <= taking_away() and not beyond(other, one, more):
            return f"negation: {min(more)}"
        if (
            (judged := one.doubtful & JUDGING)
            and not other.negations
            and not other.doubtful & JUDGING
        ):
            return f"negation: {min(judged)}"
    return ""


def _answered(denial: Denial, other: Claims) -> bool:
    """Whether the other text denies the same, or says the opposite plainly: "do not enable" and "disable"."""
    for theirs in other.denied:
        if denial.first & theirs.first:
            return True
        both = frozenset(filter(str.isalpha, denial.terms & theirs.terms))
        # What is denied, not only where: "over print in the worker" does not answer "over logs in the worker".
        if both & (denial.first | theirs.first) or 2 * len(both) > min(
            len(denial.terms), len(theirs.terms)
        ):
            return True
    return not denial.amounts_to.isdisjoint(other.taken)


def _antonym(x: Claims, y: Claims) -> str:
    for group, side in (x.sides or {}).items():
        other = (y.sides or {}).get(group)
        if (
            not other
            or group[0] != "~"
            or side & other
            or (group == "~beforeafter" and x.first and y.first)
        ):
            continue
        if (group in x.turned and _denies(y)) or (group in y.turned and _denies(x)):
            continue  # "avoid global state", "do not use global state": how far a denial reaches is a matter of wording
        return f"antonym: {min(side)} / {min(other)}"
    return _by_affix(_own_terms(x, y), _own_terms(y, x))


def _exchanged_sides(x: Claims, y: Claims) -> str:
    """Both sides of an opposite in both texts, in exchanged places: "prefer tabs, spaces fail" and "prefer spaces, tabs fail"."""
    if (x.words ^ y.words) & _TURNING or sorted(_clauses_of(x.order)) == sorted(
        _clauses_of(y.order)
    ):
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
            if (
                (len(one) > 3 and len(other) > 3 and _affixed(one, other))
                or f"un{one}" == other
                or f"un{other}" == one
            ):
                return f"antonym: {min(one, other)} / {max(one, other)}"
    return ""


_NEGATING = ("un", "in", "im", "il", "ir", "non", "dis", "de", "des", "a", "anti", "mis", "ent")
_FACING = (
    ("up", "down"),
    ("in", "out"),
    ("over", "under"),
    ("pre", "post"),
    ("en", "de"),
    ("en", "dis"),
    ("in", "ex"),
    ("im", "ex"),
    ("in", "de"),
    ("sub", "super"),
    ("intra", "inter"),
    ("ein", "aus"),
    ("an", "ab"),
    ("auf", "ab"),
)


@lru_cache(maxsize=4096)
def _affixed(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if any(long == prefix + short for prefix in _NEGATING):
        return True
    if any(
        long[:i] + long[i + 2 :] == short and long[i : i + 2] in ("in", "un")
        for i in range(3, len(long) - 4)
    ):
        return True  # case-sensitive, case-insensitive
    if one.endswith(("ful", "less")) and other.endswith(("ful", "less")) and one[-3:] != other[-3:]:
        return one.removesuffix("ful").removesuffix("less") == other.removesuffix(
            "ful"
        ).removesuffix("less")
    for left, right in _FACING:
        for p, q in ((left, right), (right, left)):
            if (
                one.startswith(p)
                and other.startswith(q)
                and len(one) > len(p) + 2
                and one[len(p) :] == other[len(q) :]
            ):
                return True
    return False


def _turned(x: Claims, y: Claims) -> str:
    """The same words in exchanged places: "b before a", "copy from b to a", "b imports a", "use b; a is refused"."""
    for one, other in sorted(x.pairs & {(other, one) for one, other in y.pairs}):
        return f"order: {min(one, other)}"
    for one, other in x.ways & {(other, one) for one, other in y.ways}:
        return f"order: {min(one, other)}"
    for (little, one), (same, other) in product(
        sorted(x.bound - y.bound), sorted(y.bound - x.bound)
    ):
        if little == same and little in AIMING and one in y.terms and other in x.terms:
            return f"order: {little} {one} / {other}"
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
    return (
        f"order: {one[places[0]]}"
        if any(word not in JOINING and word not in ARTICLES for word in between)
        else ""
    )


def _exchanged_heads(x: Claims, y: Claims) -> str:
    """ "Inline the style sheet, loading it costs time" and "load the style sheet, inlining it costs time"."""
    one, other = x.placed[:3], y.placed[:3]
    if (
        len(one) < 3
        or one[0] == other[0]
        or one[1:] != other[1:]
        or not is_word(one[0])
        or not is_word(other[0])
    ):
        return ""
    return f"{one[0]} / {other[0]}" if one[0] in y.terms and other[0] in x.terms else ""


def _exchanged_among(x: Claims, y: Claims) -> str:
    """What changed places among the words that both texts have, each of them once."""
    both = x.terms & y.terms
    between = (
        (x.little ^ y.little) - ARTICLES - PRONOUNS
    )  # a passive, or another sentence: then places tell nothing
    if between or 3 * len(both) < 2 * max(len(x.terms), len(y.terms)):
        return ""
    one = [term for term in x.placed if term in both or term in PARTICLES]
    other = [term for term in y.placed if term in both or term in PARTICLES]
    if len(one) != len(set(one)) or sorted(one) != sorted(other):
        return ""
    mine, theirs = ([term for term in each.grouped if term in both] for each in (x, y))
    if mine == theirs and not any(term in PARTICLES for term in one):
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
            if one[j:] == other[: len(one) - j] and _as_before(
                one[i:j], other[len(one) - j : len(one) - i]
            ):
                return one[0]
    return ""


def _as_before(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether what stands between stayed; a few words may be turned round with the rest."""
    return one == other or (len(one) <= 3 and sorted(one) == sorted(other))


def _replaced(x: Claims, y: Claims) -> str:
    """In texts built alike, something in the place of something else, although other words differ, too."""
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
        term
        for term in ones
        if ones.count(term) > others.count(term) and (term.isascii() or len(term) > 2)
    )


def _stands_for(here: Sequence[str], there: Sequence[str]) -> bool:
    if (
        (FILLERS.issuperset(here) and FILLERS.issuperset(there))
        or "work" in here
        or "work" in there
    ):
        return True  # what "does not work" may be told more exactly
    if any(term[0].isdigit() for term in here) and any(term[0].isdigit() for term in there):
        return True  # figures were compared before
    return any(related(one, other) or same_place(one, other) for one in here for other in there)


def _substitution(x: Claims, y: Claims, same_error: bool) -> str:
    """One word in place of another, all else equal: then that word is what the lesson is about."""
    only_x, only_y = (
        _own_terms(x, y) - FILLERS - x.doubtful,
        _own_terms(y, x) - FILLERS - y.doubtful,
    )
    if same_error:  # a word with a digit is one of the run's own making
        only_x, only_y = (
            frozenset(filter(str.isalpha, only_x)),
            frozenset(filter(str.isalpha, only_y)),
        )
    changed = len(only_x) + len(only_y)
    if not only_x or not only_y or changed > 3 or len(x.terms & y.terms) < changed - 1:
        return ""
    # Figures, paths and flags were compared before.
    only_x, only_y = frozenset(filter(is_word, only_x)), frozenset(filter(is_word, only_y))
    if not only_x or not only_y:
        return ""
    for one in only_x:
        for other in only_y:
            if related(one, other):
                return ""
    return f"{min(only_x)} / {min(only_y)}"


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
    if a != one and b != other and one[0] in "~^":  # ~4.36 and ~4.36.2 let other versions in
        return a.removesuffix(".0") == b.removesuffix(".0")
    (a, _, unit_a), (b, _, unit_b) = a.partition(" "), b.partition(" ")
    if unit_a and unit_b and unit_a != unit_b:
        return False
    of_a, of_b = a.split("."), b.split(".")
    return of_a[: len(of_b)] == of_b[: len(of_a)]  # 3.11 and 3.11.7 agree


def _other_command(x: Claims, y: Claims) -> str:
    """One program told two things, `git push` and `git pull`, or another name behind an @: each text has one that the other has not."""
    for one in sorted(x.commands - y.commands):
        for other in sorted(y.commands - x.commands):
            if (
                one[0] == other[0]
                and one[: len(other)] != other[: len(one)]
                and not _told(one, y)
                and not _told(other, x)
            ):
                return f"{' '.join(one)} / {' '.join(other)}"
    if x.handles and y.handles and not x.handles & y.handles:
        return f"{min(x.handles)} / {min(y.handles)}"
    return ""


def _told(command: tuple[str, ...], by: Claims) -> bool:
    """Whether a text knows a command, with more words or with fewer."""
    return any(command[: len(each)] == each[: len(command)] for each in by.commands)


def _other_subject(xs: frozenset[str], ys: frozenset[str]) -> str:
    if not xs or not ys:
        return ""
    for kind in ("path", "flag", "name"):
        one = {x.partition(":")[2] for x in xs if x.startswith(kind)}
        other = {y.partition(":")[2] for y in ys if y.startswith(kind)}
        if (
            one
            and other
            and not one & other
            and not any(same_place(a, b) for a in one for b in other)
        ):
            return f"{min(one)} / {min(other)}"
    return ""

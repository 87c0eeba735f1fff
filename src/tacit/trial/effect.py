"""Whether a lesson helps: what the recorded coins say, valid however often one looks.

If a lesson does nothing, its problem strikes injected and withheld units like the coin that assigned them. Twelve small
bettors stake on that coin, given the outcome. Against a fair coin nobody gets rich, at any time (Ville's inequality),
so wealth is evidence: at 2/alpha on one side the lesson helps or harms, with a total error of alpha over all looks ever
made. Nothing is assumed but that the coin was fair at the recorded rate and that one unit's coin does not change
another unit's outcome; not a constant problem rate, not independent runs, not a schedule. What is bet on is a loss between
0 (the problem did not occur) and 1 (it occurred and was not overcome), in eighths: so a lesson that lets agents recover
counts, and the bets stay fair, since a score is linear in the loss and largest at its ends.

Everything here is counted from settled uses, each time anew: `tabulate` folds them into four counts per holdout rate,
and a lesson, a kind and an epoch are the same table, summed row by row; lessons together are `whole`. Three layers must
not be mixed: a *verdict* is a claim with an error rate; a *belief* is a guess that leans on other lessons of the kind and only
orders them; the origins' signals live elsewhere.

`docs/effect.md` gives the method on one page, `bench/effect.py` measures it.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p

from tacit.core.links import NEW_TABLE
from tacit.core.value import replace, value
from tacit.trial.coin import INJECTED, WITHHELD
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tacit.core.links import Mark, Use

    Table = Mapping[float, "Counts"]  # holdout rate → counts

ALPHA = 0.05
MARGIN = 0.10  # differences smaller than this, either way, are "no difference"

HELPS, HARMS, NO_DIFFERENCE, NOT_YET_KNOWN = "helps", "harms", "no difference", "not yet known"

# The bettors: guesses of the problem rate, the share of their wealth they stake, and how the first unit of wealth is shared out among
# them. These decide only how fast evidence grows, never whether it holds. Most is given to the middle of both: what a lesson's
# 40 to 200 units call for; the smallest stake is there for the long run, the largest for the strongest effects
# (docs/decisions/0031-stakes-and-belief.md).
GUESSES = {0.07: 1, 0.20: 2, 0.45: 1}
STAKES = {0.15: 3, 0.40: 10, 0.65: 6, 0.90: 1}
SHARES = tuple(guess * stake for guess in GUESSES.values() for stake in STAKES.values())
_ALL = sum(SHARES)

# Belief: problem rate when withheld, ratio when injected, and how common each ratio is before any lesson was measured.
BASES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.8, 0.9, 0.95)
RATIOS = {0.1: 0.10, 0.35: 0.15, 0.65: 0.20, 1.0: 0.40, 1.5: 0.10, 2.5: 0.05}
# A problem that strikes nearly every time can hardly strike more often: what would be harm counts as none there. Without such rates a
# useless lesson whose problem always strikes was believed to harm.
CEILING = 0.8
ATOMS = tuple(
    (base, base, 1.0) if ratio > 1 and base >= CEILING else (base, min(0.95, ratio * base), ratio) for base in BASES for ratio in RATIOS
)
PRIOR = tuple(weight / len(BASES) for _ in BASES for weight in RATIOS.values())
PSEUDO_LESSONS = 20  # how many measured lessons the prior counts for
EM_STEPS = 20

GRADES = 8  # losses are counted in eighths: enough to tell one step from many, few enough to keep a table small

FALSE_SHARE = 0.10  # e-BH: the expected share of false ones among the marked
OUT_OF_BALANCE = 20.0  # wealth of the bettor against the arms' sizes; a false alarm in at most one store in 20


@value
class Trial:
    """One settled use: what the coin said and what became of it."""

    unit: str
    family: str
    memory: str
    h: float  # the recorded holdout rate
    arm: str  # injected or withheld, as assigned; delivered, read or obeyed does not matter
    outcome: str  # occurred, not_occurred or unknown
    blank: bool = False  # the unit got no lesson on trial at all: all its coins fell together
    epoch: str = ""
    at: str = ""  # when it was first settled: the order in which coins count
    loss: float = 1.0  # where it occurred: what it cost until overcome, 1 if it was given up


@value
class Counts:
    """One row of a table: in how many units of each arm the problem occurred, and in how many not.

    An occurrence costs 1 unless it is counted among the milder ones: `injected_mild[k - 1]` is how many cost k eighths.
    """

    injected_occurred: int = 0
    injected_not: int = 0
    withheld_occurred: int = 0
    withheld_not: int = 0
    injected_mild: tuple[int, ...] = ()
    withheld_mild: tuple[int, ...] = ()

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The four counts, a b c d in the formulas."""
        return self.injected_occurred, self.injected_not, self.withheld_occurred, self.withheld_not

    @property
    def injected(self) -> int:
        return self.injected_occurred + self.injected_not

    @property
    def withheld(self) -> int:
        return self.withheld_occurred + self.withheld_not

    @property
    def losses(self) -> tuple[tuple[bool, float, int], ...]:
        """Whether injected, what it cost, and in how many units: every kind of coin of this row."""
        found = [(True, 0.0, self.injected_not), (False, 0.0, self.withheld_not)]
        arms = ((True, self.injected_occurred, self.injected_mild), (False, self.withheld_occurred, self.withheld_mild))
        for injected, occurred, mild in arms:
            found += [(injected, k / GRADES, n) for k, n in enumerate(mild, 1) if n]
            found.append((injected, 1.0, occurred - sum(mild)))
        return tuple(found)

    @property
    def lost(self) -> tuple[float, float]:
        """The sum of the losses of each arm, injected first."""
        return (
            sum(loss * n for injected, loss, n in self.losses if injected),
            sum(loss * n for injected, loss, n in self.losses if not injected),
        )

    def __add__(self, other: Counts) -> Counts:
        mild = (_summed(self.injected_mild, other.injected_mild), _summed(self.withheld_mild, other.withheld_mild))
        a, b, c, d = (mine + its for mine, its in zip(self.cells, other.cells))
        return Counts(a, b, c, d, *mild)


def _summed(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if not one or not other:
        return one or other
    return tuple(mine + its for mine, its in zip(one, other))


@value
class Verdict:
    """What a table says now."""

    word: str  # helps, harms, no difference or not yet known
    e_help: float  # evidence against "the difference is zero or more"
    e_harm: float  # evidence against "the difference is zero or less"
    e_no_help: float  # evidence against "it helps by the margin or more"
    e_no_harm: float  # evidence against "it harms by the margin or more"
    reason: str


@value
class Interval:
    """All differences that are not rejected. `low > high`: no single one fits, so the effect changed over time."""

    low: float
    high: float


@value
class Standing:
    """A verdict kept from the unit where it was crossed, beside what the table says now."""

    word: str
    run: int | None  # the how-manieth unit crossed the bar
    weaker: bool  # the table alone would not say so any more
    units: int
    now: Verdict

    @property
    def words(self) -> str:
        """For instance "helps (run 84), weaker since"."""
        return self.word + (f" (run {self.run})" if self.run else "") + (", weaker since" if self.weaker else "")


@value
class Course:
    """How far one lesson has come in one epoch: all that its next coin needs, so that nobody reads its past again."""

    alpha: float
    margin: float
    table: Table
    word: str = NOT_YET_KNOWN  # crossed once and kept
    run: int | None = None  # the how-manieth unit crossed the bar
    units: int = 0
    at: str = ""  # when the last coin was settled, and its unit
    unit: str = ""

    def precedes(self, coin: Trial) -> bool:
        """Whether this coin was settled after all that were counted."""
        return (self.at, self.unit) < (coin.at, coin.unit)


@value
class Belief:
    """A guess, with the help of the kind: for ordering and slots, never a claim."""

    help: float
    none: float
    harm: float
    expected: float  # expected difference of the problem rate; negative is good


@value
class Balance:
    """Whether the arms have the sizes the coin promised."""

    e: float
    alarm: bool
    reason: str


# The table


def tabulate(trials: Iterable[Trial]) -> dict[float, Counts]:
    """The table of some settled uses, of one lesson or of many; rebuilt from them, never incremented."""
    table: dict[float, Counts] = {}
    for coin in coins(trials):
        table[coin.h] = table.get(coin.h, Counts()) + counted(coin)
    return table


def coins(trials: Iterable[Trial]) -> list[Trial]:
    """One trial per coin that was tossed and told something, in the order in which the coins first appear.

    The uses of one unit and family (retries, sub-agents, near-duplicates) shared one coin: they count once, in the arm
    recorded first, as occurred if the problem occurred in any, at the largest loss. Blank units, outcomes that nobody could know, and uses
    without a toss stay out.
    """
    first: dict[tuple[str, str], Trial] = {}
    family: dict[tuple[str, str], str] = {}  # a memory keeps, within a unit, the family it was first assigned with
    for trial in trials:
        if trial.blank or not tossed(trial):
            continue
        key = trial.unit, family.setdefault((trial.unit, trial.memory), trial.family)
        seen = first.setdefault(key, trial)
        if trial.outcome == OCCURRED:
            worst = max(seen.loss, trial.loss) if seen.outcome == OCCURRED else trial.loss
            first[key] = replace(seen, outcome=OCCURRED, loss=worst)
        elif seen.outcome != OCCURRED and trial.outcome == NOT_OCCURRED:
            first[key] = replace(seen, outcome=NOT_OCCURRED)
    return [trial for trial in first.values() if trial.outcome in (OCCURRED, NOT_OCCURRED)]


def add(tables: Iterable[Table]) -> dict[float, Counts]:
    """The sum of tables, row by row.

    Counts are never added across rates: a holdout rate that changed along with the problem rate looks like an effect.
    """
    total: dict[float, Counts] = {}
    for table in tables:
        for h, row in table.items():
            total[h] = total.get(h, Counts()) + row
    return total


def tossed(trial: Trial) -> bool:
    """Whether a coin decided, at a rate that leaves both sides a chance."""
    return 0.0 < trial.h < 1.0 and trial.arm in (INJECTED, WITHHELD)


def graded(loss: float) -> int:
    """A loss in eighths; what occurred cost something."""
    return min(GRADES, max(1, round(loss * GRADES)))


def counted(coin: Trial) -> Counts:
    """One coin as a row."""
    injected, occurred = coin.arm == INJECTED, coin.outcome == OCCURRED
    a, b, c, d = (int(each == (injected, occurred)) for each in _CELLS)
    grade = graded(coin.loss)
    mild = () if not occurred or grade == GRADES else tuple(int(k == grade) for k in range(1, GRADES))
    return Counts(a, b, c, d, mild if injected else (), () if injected else mild)


_CELLS = ((True, True), (True, False), (False, True), (False, False))


# Evidence and verdict


def log_e(table: Table, difference: float, side: str) -> float:
    """Log evidence that the true difference lies below (`side="help"`) or above (`side="harm"`) the given one.

    On average at most 1 before the log, at any time, if it does not. Monotone in `difference`, which lies strictly
    between -1 and 1.
    """
    wealth = [0.0] * len(SHARES)
    for h, row in table.items():
        for injected, loss, n in row.losses:
            if n:
                for i, factor in enumerate(_bets(h, difference, side, injected, loss)):
                    wealth[i] += n * factor
    peak = max(wealth)
    return peak + log(sum(share * exp(w - peak) for share, w in zip(SHARES, wealth)) / _ALL)


@lru_cache(maxsize=4096)
def _bets(h: float, difference: float, side: str, injected: bool, loss: float) -> tuple[float, ...]:
    """For each bettor the log factor of his wealth after a coin of this kind.

    With mean loss guessed m, x = (Y - m)(A - p) / (p(1 - p)) has the true difference as its mean, whatever m. The
    harm side is the help side of -x.
    """
    sign = 1.0 if side == "help" else -1.0
    p, bound = 1.0 - h, sign * difference
    bets: list[float] = []
    for m in GUESSES:
        top = max(sign * (1 - m) / p, -sign * m / p, -sign * (1 - m) / h, sign * m / h)
        if top <= bound:  # such a score cannot speak about this bound
            bets += [0.0] * len(STAKES)
            continue
        score = sign * (loss - m) / p if injected else -sign * (loss - m) / h
        bets += [log1p(s * (bound - score) / (top - bound)) for s in STAKES]
    return tuple(bets)


def verdict(table: Table, alpha: float = ALPHA, margin: float = MARGIN) -> Verdict:
    """What the table says now, with error at most alpha over all looks ever made at it."""
    help_, harm = _e(table, 0.0, "help"), _e(table, 0.0, "harm")
    no_help, no_harm = _e(table, -margin, "harm"), _e(table, margin, "help")
    bar = 2.0 / alpha
    if help_ >= bar and help_ >= harm:
        word, reason = HELPS, f"e = {help_:.3g} that the problem is rarer when injected; the bar is {bar:g}"
    elif harm >= bar:
        word, reason = HARMS, f"e = {harm:.3g} that the problem is more common when injected; the bar is {bar:g}"
    elif no_help >= bar and no_harm >= bar:
        word = NO_DIFFERENCE
        weakest = min(no_help, no_harm)
        reason = f"e = {weakest:.3g} that the difference is under {margin:g} either way; the bar is {bar:g}"
    else:
        word, reason = NOT_YET_KNOWN, f"e = {help_:.3g} for help, {harm:.3g} for harm; the bar is {bar:g}"
    return Verdict(word, help_, harm, no_help, no_harm, reason)


def _e(table: Table, difference: float, side: str) -> float:
    return exp(min(log_e(table, difference, side), 690.0))  # stays a finite number, also in JSON


def interval(table: Table, alpha: float = ALPHA) -> Interval:
    """All differences that are not rejected; it excludes 0 exactly when the table helps or harms.

    Wider than a textbook interval, about 1.7 times, because it may be read after every run.
    """
    bar = log(2.0 / alpha)
    return Interval(-_furthest(table, bar, "harm", -1.0), _furthest(table, bar, "help", 1.0))


def _furthest(table: Table, bar: float, side: str, sign: float) -> float:
    """The largest difference, times sign, that is not rejected; the first point tried is 0, the ends ±1 never are."""
    kept, rejected = -1.0, 1.0
    if log_e(table, sign * _ALMOST_ONE, side) < bar:
        return 1.0
    for _ in range(30):  # to 2e-9
        middle = (kept + rejected) / 2
        if log_e(table, sign * middle, side) < bar:
            kept = middle
        else:
            rejected = middle
    return kept


_ALMOST_ONE = 1.0 - 1e-9


def estimate(table: Table) -> float | None:
    """The difference of the mean losses, injected minus withheld, within rows; None until one row has both arms."""
    total = weights = 0.0
    for row in table.values():
        if row.injected and row.withheld:
            weight = row.injected * row.withheld / (row.injected + row.withheld)
            injected, withheld = row.lost
            total += weight * (injected / row.injected - withheld / row.withheld)
            weights += weight
    return total / weights if weights else None


def forecast(table: Table, alpha: float = ALPHA) -> str | None:
    """A guess how many more units until helps or harms: tens, hundreds or more than 500; None until both arms exist.

    Within a factor of two in little more than half of the cases: no rule may depend on it.
    """
    difference = estimate(table)
    if difference is None:
        return None
    sums = sum(table.values(), Counts())
    injected, withheld = sums.lost
    injected, withheld = (injected + 0.5) / (sums.injected + 1), (withheld + 0.5) / (sums.withheld + 1)
    h = max(table, key=lambda rate: table[rate].injected + table[rate].withheld)
    mean = (1 - h) * injected + h * withheld
    growth = (1 - h) * _divergence(injected, mean) + h * _divergence(withheld, mean)
    missing = log(2.0 / alpha) - log_e(table, 0.0, "help" if difference < 0 else "harm")
    if missing < 100 * growth:
        return "tens"
    return "hundreds" if missing <= 500 * growth else "more than 500"


def _divergence(p: float, q: float) -> float:
    """Kullback-Leibler divergence between two coins."""
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))


def stand(trials: Iterable[Trial], alpha: float = ALPHA, margin: float = MARGIN) -> Standing:
    """The verdict over time: crossed once it is kept, and the other side takes over only by crossing later.

    The trials are those of one lesson in one epoch, in the order in which they were settled. `no difference` never
    replaces helps or harms.
    """
    return stands(course_of(trials, alpha, margin))


def course_of(trials: Iterable[Trial], alpha: float = ALPHA, margin: float = MARGIN) -> Course:
    """The course of one lesson in one epoch, from its trials in the order in which they were settled."""
    course = Course(alpha, margin, {})
    for coin in coins(trials):
        course = follow(course, coin)
    return course


def follow(course: Course, coin: Trial) -> Course:
    """The course with one more coin: looked at after each, since the error rate holds over all looks."""
    table = {**course.table, coin.h: course.table.get(coin.h, Counts()) + counted(coin)}
    word, run, units = course.word, course.run, course.units + 1
    now = verdict(table, course.alpha, course.margin).word
    if now != word and (now in (HELPS, HARMS) or word == NOT_YET_KNOWN):
        word, run = now, units
    return Course(course.alpha, course.margin, table, word, run, units, coin.at, coin.unit)


def stands(course: Course) -> Standing:
    """The kept verdict of a course, beside what its table says now."""
    now = verdict(course.table, course.alpha, course.margin)
    return Standing(course.word, course.run, course.word != now.word, course.units, now)


def counts(trial: Trial) -> bool:
    """Whether a trial is a coin that told something, as `coins` would keep it."""
    return not trial.blank and tossed(trial) and trial.outcome in (OCCURRED, NOT_OCCURRED)


def course_to_json(course: Course) -> str:
    """A course as the store keeps it."""
    import json

    table = {
        repr(h): [*row.cells, *((row.injected_mild, row.withheld_mild) if row.injected_mild or row.withheld_mild else ())]
        for h, row in course.table.items()
    }
    return json.dumps({**course.__dict__, "table": table}, separators=(",", ":"))


def course_from_json(kept: str) -> Course:
    """The course behind what a store kept."""
    import json

    at = json.loads(kept)
    table = {float(h): Counts(*cells[:4], *(tuple(mild) for mild in cells[4:])) for h, cells in at["table"].items()}
    return Course(**{**at, "table": table})


# Epochs


def by_epoch(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """The trials of each epoch, in the order of appearance; a unit belongs where it began."""
    home: dict[str, str] = {}
    parts: dict[str, list[Trial]] = {}
    for trial in trials:
        parts.setdefault(home.setdefault(trial.unit, trial.epoch), []).append(trial)
    return parts


# Belief


def weights_of(tables: Iterable[Table]) -> tuple[float, ...]:
    """How common each atom is among the lessons of one kind, learned by expectation-maximisation from the prior."""
    likelihoods = [_likelihood(table) for table in tables]
    total = PSEUDO_LESSONS + len(likelihoods)
    weights: Sequence[float] = PRIOR
    for _ in range(EM_STEPS if likelihoods else 0):
        sums = [PSEUDO_LESSONS * prior for prior in PRIOR]
        for likelihood in likelihoods:
            for i, share in enumerate(_posterior(likelihood, weights)):
                sums[i] += share
        weights = [s / total for s in sums]
    return tuple(weights)


def believe(table: Table, weights: Sequence[float] = PRIOR) -> Belief:
    """What to expect of one lesson, given the weights of its kind. Rows are added: this is a model, not a claim."""
    shares = _posterior(_likelihood(table), weights)
    known = list(zip(shares, ATOMS))
    return Belief(
        help=sum(share for share, (_, _, ratio) in known if ratio < 1),
        none=sum(share for share, (_, _, ratio) in known if ratio == 1),
        harm=sum(share for share, (_, _, ratio) in known if ratio > 1),
        expected=sum(share * (injected - withheld) for share, (withheld, injected, _) in known),
    )


def belief_from(uses: Sequence[Use], marks: Sequence[Mark]) -> Belief:
    """What to expect of one lesson in the epoch of the use that was settled last, by its own rows alone."""
    epochs = {use.unit: use.epoch for use in uses if use.arm in (INJECTED, WITHHELD)}
    last = next((epochs[mark.unit] for mark in reversed(marks) if mark.signal == "outcome" and mark.unit in epochs), "")
    return believe(tabulate(by_epoch(trials_from(uses, marks)).get(last, [])))


def _likelihood(table: Table) -> list[float]:
    """The likelihood of both arms at each atom, scaled so that the largest is 1; a loss counts as that share of a problem."""
    sums = sum(table.values(), Counts())
    a, c = sums.lost
    b, d = sums.injected - a, sums.withheld - c
    logs = [
        a * log(injected) + b * log(1 - injected) + c * log(withheld) + d * log(1 - withheld)
        for withheld, injected, _ in ATOMS
    ]
    peak = max(logs)
    return [exp(each - peak) for each in logs]


def _posterior(likelihood: Sequence[float], weights: Sequence[float]) -> list[float]:
    joint = [each * weight for each, weight in zip(likelihood, weights)]
    total = sum(joint)
    return [each / total for each in joint]


# Many lessons


def holds_across(e_values: Mapping[str, float], false_share: float = FALSE_SHARE) -> frozenset[str]:
    """The lessons whose claim "holds across all lessons" (e-BH): the expected share of false ones is bounded.

    Takes every lesson's current e-value on the side of the claim, not its maximum; they may depend on each other.
    A mark to show, not a condition.
    """
    ranked = sorted(e_values, key=lambda name: -e_values[name])
    count = 0
    for k, name in enumerate(ranked, 1):
        if e_values[name] * false_share * k >= len(ranked):
            count = k
    return frozenset(ranked[:count])


def holdout_cost(lessons: Iterable[tuple[Table, Belief]]) -> float:
    """What withholding has cost so far, in problems, as far as belief can tell."""
    return sum(sum(row.withheld for row in table.values()) * max(0.0, -belief.expected) for table, belief in lessons)


def balance(table: Table) -> Balance:
    """Are settled units missing from one arm? A bet against the arms' sizes, from settled units only."""
    wealth = 0.0
    for h, row in table.items():
        n1, n0 = row.injected, row.withheld
        wealth += lgamma(1 + n1) + lgamma(1 + n0) - lgamma(2 + n1 + n0) - n1 * log(1 - h) - n0 * log(h)
    e = exp(min(wealth, 690.0))
    if e < OUT_OF_BALANCE:
        return Balance(e, False, "the arms have the sizes the coin promised")
    return Balance(
        e, True, "the arms are out of balance: outcomes are being lost or selected; figures below cannot be trusted"
    )


def balance_of(tables: Mapping[str, Table]) -> Balance:
    """The same for all lessons together and for each: one that loses its outcomes in one arm does not show in the sum of many.

    Each lesson's bar is raised by their number, so that a false alarm stays as rare.
    """
    whole = balance(add(tables.values()))
    worst = max(tables, key=lambda id: balance(tables[id]).e, default="")
    if whole.alarm or not worst or (e := balance(tables[worst]).e) < OUT_OF_BALANCE * len(tables):
        return whole
    told = f"the arms of {worst} are out of balance: its outcomes are being lost or selected; its figures cannot be trusted"
    return Balance(e, True, told)


# Words


def sentence(table: Table, standing: Standing, alpha: float = ALPHA, margin: float = MARGIN) -> str:
    """What is known of a lesson, for people: counts before rates, and never a rate without its runs."""
    said = [sentence_of_counts(table, "problem")]
    difference = estimate(table)
    if difference is not None:
        span = interval(table, alpha)
        rows = ", compared rate by rate" if len(table) > 1 else ""
        low, high = _in_100(span.low), _in_100(span.high)
        said.append(f"Difference {_in_100(difference)} in 100 runs (somewhere between {low} and {high}{rows}).")
    said.append(_claim(standing, forecast(table, alpha), alpha, margin))
    return " ".join(said)


def sentence_of_counts(table: Table, thing: str) -> str:
    """How often it was met in each arm, in how many runs."""
    sums = sum(table.values(), Counts())
    given = f"Injected: {_count(sums.injected_occurred, thing)} in {_count(sums.injected, 'run')}."
    return f"{given} Withheld: {sums.withheld_occurred} in {sums.withheld}." if sums.withheld else f"{given} Never withheld yet."


def _claim(standing: Standing, more: str | None, alpha: float, margin: float) -> str:
    if standing.word == NOT_YET_KNOWN:
        guess = more if more in (None, "more than 500") else f"{more} of"
        return f"Not yet known; likely {guess} runs more." if guess else "Not yet known."
    words = standing.words.capitalize()
    if standing.word == NO_DIFFERENCE:
        words += f", none of {round(100 * margin)} in 100 runs or more"
    return f"{words}; error rate {100 * alpha:g} %, any number of looks."


def _count(n: int, thing: str) -> str:
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def _in_100(rate: float) -> str:
    n = round(100 * rate)
    return f"{'+' if n > 0 else '−' if n < 0 else ''}{abs(n)}"


def trials_from(uses: Iterable[Use], marks: Iterable[Mark], *, former: bool = False) -> list[Trial]:
    """The settled, tossed uses of one memory or many, in the order they were settled; the last outcome of a unit stands.

    A table belongs to a text: uses of a memory's former words come only when asked for, and then alone.
    """
    marks = list(marks)
    since = {mark.memory: mark.at for mark in marks if mark.signal == NEW_TABLE}
    settled: dict[tuple[str, str], tuple[str, str, float]] = {}
    for mark in marks:
        if mark.signal == "outcome":
            key = (mark.memory, mark.unit)
            settled[key] = (mark.value, settled[key][1] if key in settled else mark.at, mark.amount)
    found = [
        trial_of(use, *settled[use.memory, use.unit])
        for use in uses
        if (use.memory, use.unit) in settled
        and use.arm in (INJECTED, WITHHELD)
        and 0 < use.probability < 1
        and (use.at <= since.get(use.memory, "")) == former
    ]
    return sorted(found, key=lambda trial: (trial.at, trial.unit))


def trial_of(use: Use, outcome: str, at: str, loss: float = 1.0) -> Trial:
    """A use and what became of it, settled at a time."""
    return Trial(use.unit, use.family, use.memory, use.probability, use.arm, outcome, use.blank, use.epoch, at, loss)

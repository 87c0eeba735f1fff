"""Who is given a lesson: the coin of the trial.

Before a run each lesson on trial is injected or withheld by a keyed hash of the unit and the lesson's family. So the
arm is the same on every surface and after every crash, nobody without the store's key can foresee it, and nothing the
run does can change it. The holdout rate is stored with the use: a recorded assignment always wins over a recomputed
one, since rates and families change and an open run must not flip.

A unit is the root run with its retries, sub-agents and resumptions. A family is a lesson and its near-duplicates: one
coin, so also one rate; the caller passes the rate of the family's first member, and reuses the assignment that the unit
already holds for the family.
"""

from __future__ import annotations

from tacit.core.digest import keyed
from tacit.core.memory import HEARD_WORDS, OWNER
from tacit.core.states import ENDING_VERDICTS, INJECTABLE
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class TrialSettings(Protocol):
        """What a profile says about trials; the defaults are in the default profile."""

        @property
        def rate(self) -> float: ...  # holdout without a verdict
        @property
        def rate_watch(self) -> float: ...  # after "helps": keeps the table alive for drift
        @property
        def rate_severe(self) -> float: ...  # severity bug
        @property
        def rate_heard(
            self,
        ) -> float: ...  # what a reader heard a person say, until they confirm it
        @property
        def lean(self) -> bool: ...  # let belief move the rate
        @property
        def exempt(self) -> tuple[str, ...]: ...  # classes that are always injected


INJECTED = "injected"
WITHHELD = "withheld"

POOL = "pool "  # what the store notes, with the project's id: the verdict of its lessons together, once there is one

# units in a row that could not tell, before no further coin is thrown: withholding would cost and teach nothing
UNTOLD_ENOUGH = 5

# a rare problem tells little of its own lesson: its coins serve the pool of all lessons, and hardly that once the pool has a verdict
RARE_RATE = 0.20
# units without a verdict after which a lesson is watched only: what so many could not tell would cost more to learn than it is worth
LONGEST_TASK = 200

MATTER_MOST = 3  # of the first so many of an answer never more than one is left out of a session

SHOWN_TWICE = (
    2  # pieces of work after which a way of working that a person only showed is as good as said
)

# `lean`: measured 18.1 → 17.8 problems per 100 lesson-runs, for 16 % fewer verdicts. Off by default.
LEAN_UNITS = 30
LEAN_HELP, LEAN_HELP_RATE = 0.8, 0.10
LEAN_HARM, LEAN_HARM_RATE = 0.5, 0.70


@value
class Assignment:
    """Where the coin of one unit and family fell."""

    arm: str  # injected or withheld
    probability: float  # the holdout rate h: how probable "withheld" was
    u: float  # the coin itself, in [0, 1]; withheld when below h


@value
class Rate:
    """A holdout rate and why: 0 is always injected, 1 never."""

    value: float
    reason: str


def assign(key: bytes, unit: str, family: str, rate: float) -> Assignment:
    """The arm of this family in this unit; the same arguments give the same answer on every machine."""
    u = _coin(key, f"{unit}\0{family}")
    return Assignment(WITHHELD if u < rate else INJECTED, rate, u)


def is_spared(rank: int, left_out: int) -> bool:
    """Whether a lesson is given without a coin: it is among the first that matter most here, and the unit goes without one already.

    That hangs on coins that fell before, never on its own: what is tossed stays fair at its rate.
    """
    return rank < MATTER_MOST and left_out > 0


def _coin(key: bytes, message: str) -> float:
    return int.from_bytes(keyed(key, message.encode("utf-8", "surrogatepass"))[:8], "big") / 2**64


def rate_for(
    *,
    state: str,
    klass: str,
    severity: str,
    pinned: bool,
    verdict: str,
    on_page: bool,
    belief_help: float,
    belief_harm: float,
    units: int,
    settings: TrialSettings,
    word: str = "",
    trust: str = "",
    confirmed: bool = False,
    untold: int = 0,
    seen: int = 0,
    pool: bool = False,
) -> Rate:
    """The holdout rate of a lesson, from facts that stand before the assignment.

    `verdict` is that of the current epoch; the beliefs matter only under `lean`, after `units` settled units. `word` is whose word a reader
    heard: it is on trial until a person raises it, whatever its class; at the low rate what they said, or showed in two pieces of
    work. `untold` counts the last units in a row that could not tell what became of it; one that can, tossed or not, brings the coin back.
    `pool` says that the lessons together have a verdict.
    """
    if state not in INJECTABLE:
        return Rate(1.0, f"never injected: {state}")
    if verdict in ENDING_VERDICTS:
        return Rate(1.0, f"never injected: verdict {verdict}")
    heard = word in HEARD_WORDS and state == "provisional"
    exempt = _exemption(state, "" if heard else klass, pinned, on_page, settings)
    if not exempt and (confirmed or (trust == OWNER and not heard)):
        exempt = "a person's own word"
    if exempt:
        return Rate(0.0, f"exempt: {exempt}")
    if untold >= UNTOLD_ENOUGH:
        return Rate(0.0, f"given, not measurable here: the last {untold} units could not tell")
    watched = min(settings.rate, settings.rate_watch)
    if verdict in ("helps", "no difference"):
        return Rate(watched, f"watched: verdict {verdict}")
    severe = severity == "bug"
    plain = heard and (word == "said" or seen >= SHOWN_TWICE)
    rate = settings.rate_heard if plain else settings.rate_severe if severe else settings.rate
    if settings.lean and units >= LEAN_UNITS:
        if belief_harm >= LEAN_HARM:
            return Rate(
                max(rate, LEAN_HARM_RATE),
                f"lean: belief of harm {belief_harm:.2f} after {units} units",
            )
        if belief_help >= LEAN_HELP:
            return Rate(
                min(rate, LEAN_HELP_RATE),
                f"lean: belief of help {belief_help:.2f} after {units} units",
            )
    if verdict == "rare":
        many = "rare, and the lessons together have a verdict"
        return Rate(watched, many) if pool else Rate(min(rate, RARE_RATE), "rare")
    if units >= LONGEST_TASK:
        return Rate(watched, f"watched: {units} units without a verdict")
    return Rate(rate, f"heard: {word}" if heard else "severity bug" if severe else "no verdict yet")


def _exemption(state: str, klass: str, pinned: bool, on_page: bool, settings: TrialSettings) -> str:
    if settings.rate <= 0.0:
        return "this profile holds no trials"
    if pinned:
        return "pinned"
    if on_page:
        return "stands on a page that the host loads"
    if state == "canonical":
        return "canonical"
    if klass in settings.exempt:
        return f"class {klass}"
    return ""


def epoch_of(model: str, host: str) -> str:
    """The epoch of a run: the model's name without provider, snapshot and window, and the host.

    A new epoch starts a new table with its own error rate.
    """
    import re

    name = model.strip().lower().rsplit("/", 1)[-1]
    name = re.sub(r"^(?:[a-z]+\.)+(?=[a-z])", "", name)  # us.anthropic.claude-…
    name = re.sub(r"\[.*\]$|@.*$|-v\d+(:\d+)?$", "", name)  # [1m], @20250514, -v1:0
    name = re.sub(r"[-_](?:20\d{6}|20\d\d-\d\d-\d\d|latest|(?:preview|exp)\b.*)$", "", name)
    return f"{name or 'unknown'} / {host or 'unknown'}"

"""What reading sessions would bring and cost, before anybody is asked: a guess from how long each
is and how much was typed in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import zip_longest

from tacit.core.value import replace, value
from tacit.reading import prompt
from tacit.reading.asked import ROOM

_BYTES = 4  # of a token, in the middle
_STEP = 16.0  # tokens of the record for each step of a session
_REMEMBERED, _LISTED = 60, 25  # lessons that a session is held against at most, and tokens of each
_WEIGHED = 100  # tokens of one lesson beside the line that is said to tell it
# lessons that typed messages teach at most, and messages that bring half of them
_MOST_SAID, _HALF_SAID = 11.0, 13.0
_MOST_DONE, _HALF_DONE = 3.5, 100.0  # the same of steps
_ANSWER, _LESSON = 120, 90  # tokens of an answer, and of each lesson in it
_OWN_WORDS = 350  # that a host's own program sends beside each question
_QUESTIONS = 3
_FIRST_HERE = (
    4  # sessions of the project that one stands in, before those of others have their turn
)
# tokens of a typed line in the first look, and of a step in the second (one call in thirty fails);
# of the question, of the answer
_TYPED, _FAILED, _LOOK_ASKED, _LOOK_ANSWERED = 35.0, 1.2, 600, 700
MINUTES = 0.7  # that a session takes
# dollars a million tokens: the list price of the small model that claude-code reads with, Nov 2026
PRICE_IN, PRICE_OUT = 1.0, 5.0


@value
class UnreadSession:
    """What is known of a session before it is read."""

    run: str  # its host's own id
    host: str
    typed: int  # messages of the person
    steps: int
    at: str = ""  # when it began
    here: bool = False  # of the project that one stands in


@value
class Estimate:
    """What reading some sessions would bring and cost."""

    sessions: int = 0
    lessons: int = 0
    sent: int = 0  # tokens
    received: int = 0

    @property
    def tokens(self) -> int:
        return self.sent + self.received

    @property
    def usd(self) -> float:
        """At the list price of the small model that a host reads with."""
        return (self.sent * PRICE_IN + self.received * PRICE_OUT) / 1e6


def lessons_of(typed: int, steps: int) -> float:
    """How many lessons a session teaches in which so much was typed and done."""
    return _MOST_SAID * typed / (typed + _HALF_SAID) + _MOST_DONE * steps / (steps + _HALF_DONE)


def reading_estimate(sessions: Iterable[UnreadSession]) -> Estimate:
    """What reading sessions one after the other would take: the more is remembered, the more
    each is held against."""
    count, lessons, sent, received = 0, 0.0, 0.0, 0.0
    for each in sessions:
        count, new, record = count + 1, lessons_of(each.typed, each.steps), _STEP * each.steps
        held = min(_REMEMBERED, lessons) * _LISTED
        sent += 2 * record + _fixed() + new * _WEIGHED + held
        received += _QUESTIONS * _ANSWER + new * _LESSON
        lessons += new
    return Estimate(count, round(lessons), round(sent), round(received))


def with_looks(found: Estimate, sessions: Sequence[UnreadSession]) -> Estimate:
    """The same with the two questions over all of these sessions, which come first; one session
    is no whole."""
    if len(sessions) < 2:
        return found
    typed = min(ROOM, _TYPED * sum(each.typed for each in sessions))
    failed = min(ROOM, _FAILED * sum(each.steps for each in sessions))
    sent = typed + failed + 2 * (_LOOK_ASKED + _OWN_WORDS)
    return replace(
        found, sent=found.sent + round(sent), received=found.received + 2 * _LOOK_ANSWERED
    )


def in_order(sessions: Iterable[UnreadSession]) -> list[UnreadSession]:
    """Sessions in the order in which they are worth reading: most typed first, of as much the
    latest; some of the project here before any of another, then in turn one of it and one of the
    others."""
    every = sorted(
        sorted(sessions, key=lambda each: each.at, reverse=True), key=lambda each: -each.typed
    )
    here, others = [each for each in every if each.here], [each for each in every if not each.here]
    in_turn = zip_longest(others, here[_FIRST_HERE:])
    return here[:_FIRST_HERE] + [each for both in in_turn for each in both if each is not None]


def within(sessions: Sequence[UnreadSession], usd: float) -> list[UnreadSession]:
    """As many of them, from the first on, as cost no more than that; always one."""
    kept: list[UnreadSession] = []
    for each in sessions:
        if kept and reading_estimate([*kept, each]).usd > usd:
            break
        kept.append(each)
    return kept


@cache
def _fixed() -> float:
    """Tokens of the questions themselves."""
    asked = (
        prompt.lessons((), prompt.MOST_LESSONS),
        prompt.weigh(()),
        prompt.known((), (), (), ()),
    )
    return sum(len(each) for each in asked) / _BYTES + _QUESTIONS * _OWN_WORDS

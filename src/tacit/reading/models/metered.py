"""What holds for every model, however it is reached: redaction, the day's budget, the circuit, the
counters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.errors import ModelUnavailable
from tacit.core.value import value
from tacit.safety.redact import private, redact

if TYPE_CHECKING:
    from tacit.core.ports import Ledger

    class Provider(Protocol):
        """One way to reach a model."""

        identity: str

        def answer(self, prompt: str, schema: dict[str, Any] | None, timeout: float) -> Reply: ...


FAILURES = 3  # in a row, after which a model is left alone
# seconds: the first pause, doubled with every failure, and the longest
METER_PAUSE, METER_LONGEST = 60.0, 3600.0
CHARS_A_TOKEN = 4  # where nobody counts
QUEUED = "queued"  # the question was taken and is answered later: no failure, and other questions may go on
# failures after which the other side may have done the work
KEEPS_ITS_PRICE = ("timeout", "too_large")


@value
class Reply:
    """What a model said and what it cost; −1 where it does not say."""

    text: str
    tokens_in: int = -1
    tokens_out: int = -1


class Metered:
    """A model behind redaction, budget and circuit."""

    def __init__(
        self,
        provider: Provider,
        ledger: Ledger,
        daily: int,
        lane: str = "",
    ) -> None:
        self._provider, self._ledger, self._daily = provider, ledger, daily
        self.identity = provider.identity
        self._key = f"model:{short_hash(provider.identity, lane)}"

    def ask(
        self, prompt: str, *, schema: dict[str, Any] | None = None, timeout: float = 60.0
    ) -> str:
        """The answer, or `ModelUnavailable`. Secrets and private passages do not leave the
        machine."""
        clean = redact(private(prompt)).text
        price = rough_tokens(clean)
        self._enter(price, timeout)
        try:
            reply = self._provider.answer(clean, schema, timeout)
        except ModelUnavailable as failure:
            self._failed(failure, price)
            raise
        used = (reply.tokens_in if reply.tokens_in >= 0 else price) - price
        out = reply.tokens_out if reply.tokens_out >= 0 else rough_tokens(reply.text)
        self._ledger.update(
            self._key, lambda *_: "", {"model.tokens.in": used, "model.tokens.out": out}
        )
        return reply.text

    def _enter(self, price: int, timeout: float) -> None:
        """Ask to be let in, and pay; what is refused is counted too."""
        now = self._ledger.now()
        try:
            self._ledger.update(
                self._key,
                lambda state, today, _: admitted(state, today + price, self._daily, now, timeout),
                {"model.calls": 1, "model.tokens.in": price},
            )
        except ModelUnavailable as refusal:
            self._ledger.update(
                self._key, lambda state, *_: state, {f"model.failures.{refusal.why}": 1}
            )
            raise

    def _failed(self, failure: ModelUnavailable, price: int) -> None:
        now = self._ledger.now()
        counts = {f"model.failures.{failure.why}": 1}
        if failure.why not in KEEPS_ITS_PRICE:
            counts["model.tokens.in"] = -price
        change = (
            (lambda state, *_: state)
            if failure.why == QUEUED
            else lambda state, *_: after_failure(state, failure.after, now)
        )
        self._ledger.update(self._key, change, counts)


def admitted(state: str, spent: int, daily: int, now: str, timeout: float) -> str:
    """The circuit's state (failures in a row, and until when the model is left alone) after a
    question is let in; raises where it is not.

    After a pause one question is let through to see; until it is back, the others wait as if the
    pause went on.
    """
    failures, until = _read(state)
    if until > now:
        raise ModelUnavailable(
            f"The model failed {failures} times in a row and is left alone until {until}.",
            "tacit doctor tells why it failed.",
            why="paused",
        )
    if spent > daily:
        raise ModelUnavailable(
            f"Today's {daily} tokens for the model are used up; rules go on alone.",
            "model.daily_tokens sets another limit.",
            why="budget",
        )
    return state if failures < FAILURES else f"{failures} {_later(now, timeout)}"


def after_failure(state: str, asked_for: float, now: str) -> str:
    """The circuit's state after one more failure; the other side may have asked for a pause
    itself."""
    failures = _read(state)[0] + 1
    pause = METER_PAUSE * 2 ** min(failures - FAILURES, 10) if failures >= FAILURES else 0.0
    wait = min(max(pause, asked_for), METER_LONGEST)
    return f"{failures} {_later(now, wait) if wait else ''}".strip()


def rough_tokens(text: str) -> int:
    """A rough count, for servers and commands that give none."""
    return len(text.encode("utf-8", "replace")) // CHARS_A_TOKEN + 1


def _later(now: str, seconds: float) -> str:
    return clock.stamp(clock.seconds(now) + seconds)


def _read(state: str) -> tuple[int, str]:
    failures, _, until = state.partition(" ")
    return (int(failures), until) if failures.isdecimal() else (0, "")

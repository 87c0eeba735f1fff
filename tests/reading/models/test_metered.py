"""Redaction, budget and circuit: what holds for every model and for all processes of a store."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core import clock
from tacit.core.errors import ModelUnavailable
from tacit.reading.models.metered import (
    FAILURES,
    METER_LONGEST,
    METER_PAUSE,
    Metered,
    Reply,
    admitted,
    after_failure,
    rough_tokens,
)

NOW = "2026-11-15T09:00:00.000Z"


class Fake:
    """A provider that answers, or fails, to order."""

    identity = "fake"

    def __init__(self, *answers: Any) -> None:
        self.answers, self.prompts, self.times = list(answers), [], []

    def answer(self, prompt: str, schema: Any, timeout: float) -> Reply:
        self.prompts.append(prompt)
        self.times.append(timeout)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, ModelUnavailable):
            raise answer
        return answer


def failed(why: str, after: float = 0.0) -> ModelUnavailable:
    return ModelUnavailable("no", why=why, after=after)


def test_secrets_and_private_passages_do_not_leave(book: Any) -> None:
    """They are replaced before anything is sent."""
    fake = Fake(Reply("fine"))
    Metered(fake, book, 1000).ask(
        "GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a and <private>my diary</private>"
    )
    assert "ghp_" not in fake.prompts[0] and "diary" not in fake.prompts[0]


def test_tokens_are_counted_as_told_or_as_guessed(book: Any) -> None:
    """The price is paid in advance and set right afterwards."""
    Metered(Fake(Reply("fine", 11, 7)), book, 1000).ask("hello")
    assert book.counts == {"model.calls": 1, "model.tokens.in": 11, "model.tokens.out": 7}
    Metered(Fake(Reply("fine")), book, 1000).ask("hello")
    assert book.counts["model.tokens.in"] == 11 + rough_tokens("hello")


def test_a_failure_without_an_answer_is_paid_back_and_a_timeout_is_not(book: Any) -> None:
    """The other side may have worked."""
    asked = Metered(Fake(failed("dead"), failed("timeout")), book, 1000)
    for why, price in (("dead", 0), ("timeout", rough_tokens("hello"))):
        with pytest.raises(ModelUnavailable):
            asked.ask("hello")
        assert book.counts["model.tokens.in"] == price and book.counts[f"model.failures.{why}"] == 1


def test_the_day_s_budget_ends_and_is_said(book: Any) -> None:
    """Nothing is sent that would go beyond it; the refusal is counted, and is no failure of the model."""
    fake = Fake(Reply("fine", 60, 30))
    asked = Metered(fake, book, 100)
    asked.ask("hello")
    with pytest.raises(ModelUnavailable, match="used up"):
        asked.ask("hello " * 20)
    assert len(fake.prompts) == 1 and book.counts["model.failures.budget"] == 1
    assert all(not state for state in book.state.values())


def test_after_three_failures_nobody_asks_until_the_pause_is_over(book: Any) -> None:
    """Then one asks; its failure doubles the pause, its success ends it."""
    fake = Fake(failed("dead"))
    for _ in range(FAILURES):
        with pytest.raises(ModelUnavailable):
            Metered(fake, book, 10_000).ask("hello")
    with pytest.raises(ModelUnavailable, match="left alone"):
        Metered(fake, book, 10_000).ask("hello")
    assert len(fake.prompts) == FAILURES
    book.at = clock.stamp(clock.seconds(NOW) + METER_PAUSE + 1)
    fake.answers = [Reply("back")]
    assert Metered(fake, book, 10_000).ask("hello") == "back"
    assert list(book.state.values()) == [""]


def test_while_one_looks_the_others_wait() -> None:
    """A dead endpoint is asked by one process after a pause, not by all of them."""
    state = after_failure(after_failure(after_failure("", 0, NOW), 0, NOW), 0, NOW)
    later = clock.stamp(clock.seconds(NOW) + METER_PAUSE + 1)
    probing = admitted(state, 0, 100, later, 30.0)
    with pytest.raises(ModelUnavailable):
        admitted(probing, 0, 100, later, 30.0)
    admitted(probing, 0, 100, clock.stamp(clock.seconds(later) + 31), 30.0)


def test_pauses_double_up_to_the_longest_and_obey_the_other_side() -> None:
    """A server that asks for two minutes gets them at its first word."""
    state = after_failure("", 120.0, NOW)
    with pytest.raises(ModelUnavailable):
        admitted(state, 0, 100, clock.stamp(clock.seconds(NOW) + 119), 1.0)
    for _ in range(30):
        state = after_failure(state, 0, NOW)
    admitted(state, 0, 100, clock.stamp(clock.seconds(NOW) + METER_LONGEST), 1.0)


@pytest.mark.parametrize("state", ["{", '{"failures": 3}', "x 2099"])
def test_a_state_that_cannot_be_read_is_a_fresh_one(state: str) -> None:
    """A damaged line does not lock the model out."""
    assert admitted(state, 0, 100, NOW, 1.0) == state


def test_lanes_have_circuits_of_their_own(book: Any) -> None:
    """A question that waits a second must not stop those that wait a minute."""
    quick, slow = (
        Metered(Fake(failed("timeout")), book, 10_000, "rewrite"),
        Metered(Fake(Reply("fine")), book, 10_000),
    )
    for _ in range(FAILURES):
        with pytest.raises(ModelUnavailable):
            quick.ask("hello")
    assert slow.ask("hello") == "fine"


def test_the_store_s_ledger_holds_between_processes(tmp_path: Any) -> None:
    """Two connections see one budget and one circuit; a refusal writes nothing of its own."""
    from tacit.store.ledger import StoreLedger
    from tacit.store.writes import open_store

    with open_store(str(tmp_path / "t.db")) as one, open_store(str(tmp_path / "t.db")) as other:
        Metered(Fake(Reply("fine", 60, 30)), StoreLedger(one, lambda: NOW), 100).ask("hello")
        late = Metered(Fake(Reply("fine")), StoreLedger(other, lambda: NOW), 100)
        with pytest.raises(ModelUnavailable, match="used up"):
            late.ask("hello " * 20)
        counts = dict(one.rows("SELECT substr(what, 12), count FROM common WHERE kind = 'event'"))
        assert counts == {
            "model.calls": 1,
            "model.tokens.in": 60,
            "model.tokens.out": 30,
            "model.failures.budget": 1,
        }
        tomorrow = Metered(
            Fake(Reply("fine", 1, 1)), StoreLedger(other, lambda: "2026-11-16T00:00:00.000Z"), 100
        )
        assert tomorrow.ask("hello " * 20) == "fine"

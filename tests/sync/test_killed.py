"""A machine that dies at any point of a sync: nothing is lost, nothing is told or taken twice."""

from __future__ import annotations

from typing import Any

import pytest
from tests.sync.machines import Team, meet

from tacit.store.reads import Store
from tacit.sync.git import GitFolder

POINTS = 100


class Killed(BaseException):
    """As a signal ends a process: nothing after it runs."""


class Countdown:
    """Dies at the door that is counted: before or after a transaction or the sending of lines."""

    def __init__(self, left: int) -> None:
        self.left = left

    def door(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Killed


def dying(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Have the next steps of a sync count down."""
    count = Countdown(at)
    write, send = Store.write, GitFolder.send

    def writes(self: Any, **named: Any) -> Any:
        count.door()
        return write(self, **named)

    def sends(self: Any, *args: Any) -> None:
        count.door()
        send(self, *args)
        count.door()

    monkeypatch.setattr(Store, "write", writes)
    monkeypatch.setattr(GitFolder, "send", sends)


@pytest.mark.slow
def test_a_hundred_deaths_lose_and_double_nothing(team: Team) -> None:
    """Between commit and push, between pull and fold, and between the two halves of each."""
    ann, bob = team.member("ann"), team.member("bob")
    texts = {}
    for point in range(POINTS):
        lesson = ann.add(f"Run make target-{point} before the tests.")
        texts[lesson.id] = lesson.text
        if point % 3 == 0:
            first = next(iter(texts))
            if bob.memories.store.memories([first]):
                bob.memories.edit(first, text=f"Run make other-{point} before the tests.")
        victim = (ann, bob)[point % 2]
        victim.pull(*(each for each in (ann, bob) if each is not victim))
        with pytest.MonkeyPatch.context() as patch:
            dying(patch, 1 + point % 6)
            try:
                victim.sync()
            except Killed:
                pass
        if point % 5 == 4:
            meet(ann, bob)
    meet(ann, bob)
    for member in (ann, bob):
        told = {each.id: each.text for each in member.memories.list(limit=-1)}
        assert told.keys() == texts.keys()
        assert member.memories.health().health.is_sound
        assert (member.sync().sent, member.sync().taken) == (0, 0)
    assert {each.id: each.text for each in ann.memories.list(limit=-1)} == {
        each.id: each.text for each in bob.memories.list(limit=-1)
    }
    adds = [entry.memory for entry in bob.memories.log(limit=-1) if entry.verb == "add"]
    assert len(adds) == len(set(adds)) == len(texts)

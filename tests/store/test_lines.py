"""A team's lines are entries of the journal with a number; one not yet trusted is an entry that was not applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.store.conftest import MIGRATE, SHOP, ann

from tacit.lesson import Entry, Hand
from tacit.store import rows, write

if TYPE_CHECKING:
    from tacit.store.file import Store

MATE = Hand("bob", ann(5).at, machine="laptop", number=1, signer="bob@example.org")


def test_only_what_was_changed_since_it_is_shared_is_sent(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "a word between us")
        write.change(tx, "migrate", ann(2), "", text="Run make migrate first.")
        write.change(tx, "migrate", ann(3), "", shared=True)
        write.change(tx, "migrate", ann(4), "", state="doubted")
    sent = rows.unsent(store, SHOP)
    assert [each.at for each in sent] == [ann(3).at, ann(4).at]
    with store.write() as tx:
        assert [each.number for each in write.number_lines(tx, SHOP, sent)] == [1, 2]
    assert rows.unsent(store, SHOP) == []
    assert rows.heard(store, SHOP) == {store.machine: 2}
    assert [each.n for each in rows.lines(store, SHOP, store.machine, after=1)] == [sent[1].n]


def test_an_erased_lesson_is_still_told_to_the_team(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "")
        write.change(tx, "migrate", ann(2), "", shared=True)
        write.number_lines(tx, SHOP, rows.unsent(tx, SHOP))
        write.erase(tx, "migrate", ann(3), "")
    assert [each.verb for each in rows.unsent(store, SHOP)] == ["erase"]


def test_a_line_that_waits_changes_nothing_until_it_is_applied(store: Store) -> None:
    line = Entry(
        *("migrate", SHOP, "change", "bob", "", ann(5).at),
        after={"text": "Never migrate."},
        machine="laptop",
        number=1,
        standing="waiting",
    )
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "")
        assert write.keep_line(tx, line) is not None
        assert write.keep_line(tx, line) is None, "a line that comes twice is kept once"
    assert rows.lesson(store, "migrate").text == MIGRATE.text
    assert [each.n for each in rows.lines(store, SHOP, standing="waiting")] == [2]
    with store.write() as tx:
        write.change(tx, "migrate", MATE, "", text="Never migrate.")
    kept = rows.lesson(store, "migrate")
    assert (kept.text, kept.by) == ("Never migrate.", "bob")
    [told] = rows.lines(store, SHOP, "laptop")
    assert (told.standing, told.signer) == ("applied", "bob@example.org")
    assert rows.heard(store, SHOP) == {"laptop": 1}


def test_a_line_that_a_later_word_passed_stands_in_why(store: Store) -> None:
    line = Entry(
        *("migrate", SHOP, "change", "bob", "", ann(1).at),
        after={"text": "Never migrate."},
        machine="laptop",
        number=7,
        standing="waiting",
    )
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(2), "")
        kept = write.keep_line(tx, line)
        assert kept is not None
        write.pass_line(tx, kept.n)
    assert [each.standing for each in rows.why(store, "migrate").entries] == ["applied", "passed"]
    found = rows.lesson_at(store, "migrate", kept.n)
    assert found is not None
    assert found.text == MIGRATE.text


def test_an_applied_line_comes_with_its_change(store: Store) -> None:
    with pytest.raises(ValueError, match="by add or change"), store.write() as tx:
        write.keep_line(tx, Entry("migrate", SHOP, "change", "bob", "", ann().at))

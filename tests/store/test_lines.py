"""A team's lines are entries of the journal with a digest; one not yet trusted is an entry that was not applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.store.conftest import MIGRATE, SHOP, ann

from tacit.store import rows, write
from tacit.store.values import Entry, Hand

if TYPE_CHECKING:
    from tacit.store.file import Store

MATE = Hand(
    *("bob", ann(5).at),
    machine="laptop",
    number=1,
    line="d1",
    body="{the line}",
    signer="bob@example.org",
)


def test_only_what_was_changed_since_it_is_shared_is_sent(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "a word between us")
        write.change(tx, "migrate", ann(2), "", text="Run make migrate first.")
        write.change(tx, "migrate", ann(3), "", shared=True)
        write.change(tx, "migrate", ann(4), "", state="doubted")
    sent = rows.unsent(store, SHOP)
    assert [each.at for each in sent] == [ann(3).at, ann(4).at]
    with store.write() as tx:
        write.tell(tx, sent[-1].n, 1, "digest", "{body}")
    assert rows.unsent(store, SHOP) == [], "one line says all that its lesson says now"
    assert rows.last_number(store, SHOP, store.machine) == 1
    [line] = rows.lines(store, SHOP, machine=store.machine)
    assert (line.n, line.number, line.line, line.body) == (sent[1].n, 1, "digest", "{body}")
    with store.write() as tx:
        write.change(tx, "migrate", ann(5), "", state="active")
    assert [each.at for each in rows.unsent(store, SHOP)] == [ann(5).at]
    with store.write() as tx:
        write.tell_again(tx, SHOP, ["digest"])
    assert len(rows.unsent(store, SHOP)) == 3


def test_an_erased_lesson_is_still_told_to_the_team(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "")
        write.change(tx, "migrate", ann(2), "", shared=True)
        write.tell(tx, rows.unsent(tx, SHOP)[-1].n, 1, "digest", "{body}")
        write.erase(tx, "migrate", ann(3), "")
    assert [each.verb for each in rows.unsent(store, SHOP)] == ["erase"]
    [line] = rows.lines(store, SHOP, lesson="migrate")
    assert (line.line, line.body) == ("digest", ""), "its digest stays, so that it is known"


def test_a_line_that_waits_changes_nothing_until_it_is_applied(store: Store) -> None:
    line = Entry(
        *("migrate", SHOP, "change", "bob", "", ann(5).at),
        after={"text": "Never migrate."},
        machine="laptop",
        number=1,
        line="d1",
        body="{the line}",
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
    [told] = rows.lines(store, SHOP, machine="laptop")
    assert (told.standing, told.signer) == ("applied", "bob@example.org")
    assert rows.lines_known(store, SHOP) == {"d1": "applied"}
    assert rows.last_number(store, SHOP, "laptop") == 1


def test_a_line_that_a_later_word_passed_stands_in_why(store: Store) -> None:
    line = Entry(
        *("migrate", SHOP, "change", "bob", "", ann(1).at),
        after={"text": "Never migrate."},
        machine="laptop",
        number=7,
        line="d7",
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

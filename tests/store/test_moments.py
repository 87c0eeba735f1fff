"""What a hook reads and writes: the same rows as everybody's, without the values that cost a start."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.store.conftest import MIGRATE, SHOP, ann

from tacit.store import moments_old as moments
from tacit.store import rows, search, write
from tacit.store.values import Evidence, Project

if TYPE_CHECKING:
    from tacit.store.file import Store


def test_candidates_come_with_their_count_in_the_asked_order(store: Store) -> None:
    with store.write() as tx:
        for id, state in (("a", "active"), ("b", "active"), ("c", "doubted")):
            lesson = replace(MIGRATE, id=id, state=state, extra={"habit": True}, always=True)
            write.add(tx, lesson, ann(), "")
        for session, group in (("s1", "g1"), ("s2", "g1"), ("s3", "g2")):
            write.vouch(tx, Evidence("a", SHOP, session, group))
    numbers = search.FullText(store, [SHOP], True).match(["migrate"], 10)
    first, second = moments.candidates(store, reversed(numbers))
    assert [(each.id, each.met) for each in (first, second)] == [("b", 0), ("a", 2)]
    assert (first.files, first.always, first.extra) == (MIGRATE.files, True, {"habit": True})
    assert rows.met(store, ["a", "b"]) == {"a": 2}
    assert [each.id for each in moments.candidates(store, [3, 1], told=False)] == ["c", "a"]


def test_what_a_hook_records_is_a_delivery_like_any_other(store: Store) -> None:
    said = {
        "lesson": "migrate",
        "project": SHOP,
        "session": "s1",
        "group": "g1",
        "event": "e1",
        "moment": "prompt",
        "arm": "held out",
        "probability": 0.2,
        "at": ann().at,
    }
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(), "")
        moments.record(tx, [said, {**said, "arm": "delivered", "event": "e2", "tokens": 12}])
    kept = rows.deliveries_to(store, "g1")
    assert [(each.arm, each.tokens, each.outcome) for each in kept] == [
        ("held out", 0, ""),
        ("delivered", 12, ""),
    ]
    told = moments.delivered(store, "g1")
    assert [(each["event"], each["arm"]) for each in told] == [
        ("e1", "held out"),
        ("e2", "delivered"),
    ]
    assert moments.delivered(store, "g2") == []


def test_a_folder_finds_its_project_and_what_is_common_there(store: Store) -> None:
    with store.write() as tx:
        write.put_project(tx, Project("p2", "till", "/till", "/till/.git", trial_key=b"k"))
        write.put_common(tx, SHOP, "command", {"git status": 12})
        write.put_common(tx, SHOP, "word", {"test": 40})
        write.put_common(tx, "", "word", {"the": 9000})
    found = {each["id"]: each for each in moments.projects(store)}
    assert (found["p2"]["key"], found["p2"]["trial_key"]) == ("/till/.git", b"k")
    assert moments.common(store, SHOP) == {"git status": 12, "test": 40}

"""A lesson changes only with its entry in the journal; why and undo read that journal and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.store.conftest import MIGRATE, SHOP, ann

from tacit.core.errors import Ambiguous, NotFound, Refused, TextInvalid
from tacit.store import rows, write
from tacit.store.values import Delivery, Evidence, Failure, Hand, Lesson, Question, Session

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.store.file import Store

REWORDED = "Run `make migrate` before all tests."


def test_a_lesson_is_kept_with_its_entry(store: Store) -> None:
    with store.write() as tx:
        entry = write.add(tx, MIGRATE, ann(), "said so in a session")
    kept = rows.lesson(store, "migrate")
    assert replace(kept, n=0) == replace(
        MIGRATE, by="ann", said_at=ann().at, created_at=ann().at, changed_at=ann().at
    )
    [told] = rows.entries(store, "migrate")
    assert told.n == entry.n
    assert (told.verb, told.by, told.why, told.machine) == (
        "add",
        "ann",
        "said so in a session",
        store.machine,
    )
    assert told.after["text"] == MIGRATE.text


def test_a_change_says_what_differs_and_nothing_else(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "")
        entry = write.change(tx, "migrate", ann(2), "one contradiction", state="doubted")
        assert write.change(tx, "migrate", ann(3), "again", state="doubted") is None
    assert entry is not None
    assert (entry.before, entry.after) == ({"state": "active"}, {"state": "doubted"})
    assert rows.lesson(store, "migrate").changed_at == ann(2).at
    assert len(rows.entries(store, "migrate")) == 2


def test_who_changes_the_text_set_its_words(store: Store) -> None:
    bob = Hand("bob", ann(2).at)
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "")
        write.change(tx, "migrate", bob, "spelling", text=REWORDED)
    kept = rows.lesson(store, "migrate")
    assert (kept.text, kept.by, kept.said_at) == (REWORDED, "bob", bob.at)


def test_undo_puts_back_the_words_and_whose_they_are(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "")
        entry = write.change(
            tx, "migrate", Hand("bob", ann(2).at), "", text=REWORDED, files=("a.py",)
        )
        assert entry is not None
        write.undo(tx, entry.n, ann(3))
    kept = rows.lesson(store, "migrate")
    assert (kept.text, kept.by, kept.said_at, kept.files) == (
        MIGRATE.text,
        "ann",
        ann(1).at,
        MIGRATE.files,
    )
    assert [each.verb for each in rows.entries(store, "migrate")] == ["add", "change", "undo"]


def test_undo_of_an_undo_and_of_the_making(store: Store) -> None:
    with store.write() as tx:
        made = write.add(tx, MIGRATE, ann(1), "")
        back = write.undo(tx, made.n, ann(2))
        assert rows.lesson(tx, "migrate").state == "gone"
        write.undo(tx, back.n, ann(3))
    assert rows.lesson(store, "migrate").state == "active"


def test_undo_refuses_what_somebody_changed_again(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(1), "")
        first = write.change(tx, "migrate", ann(2), "", state="doubted")
        second = write.change(tx, "migrate", Hand("bob", ann(3).at), "", state="gone")
        write.change(tx, "migrate", ann(4), "", always=True)
        assert first is not None
        assert second is not None
    with (
        pytest.raises(Refused, match="changed again later, by bob") as refused,
        store.write() as tx,
    ):
        write.undo(tx, first.n, ann(5))
    assert str(second.n) in refused.value.hint
    with store.write() as tx:
        write.undo(tx, second.n, ann(5))
        write.undo(tx, first.n, ann(6))
    kept = rows.lesson(store, "migrate")
    assert (kept.state, kept.always) == ("active", True)


def test_the_journal_alone_tells_every_earlier_day(store: Store) -> None:
    with store.write() as tx:
        made = write.add(tx, MIGRATE, ann(1), "")
        write.change(tx, "migrate", ann(2), "", text=REWORDED, extra={"stage": "stable"})
        write.change(tx, "migrate", ann(4), "", state="gone", reason="dropped")
    assert rows.lesson_at(store, "migrate", made.n) == replace(
        MIGRATE, by="ann", said_at=ann(1).at, created_at=ann(1).at, changed_at=ann(1).at
    )
    [then] = rows.as_of(store, SHOP, ann(3).at)
    assert (then.text, then.state, then.extra) == (REWORDED, "active", {"stage": "stable"})
    assert rows.as_of(store, SHOP, "2025-12-31") == []
    now = rows.lesson(store, "migrate")
    assert rows.as_of(store, SHOP, ann(9).at) == [replace(now, n=0)]


def test_why_has_everything_about_a_lesson(store: Store) -> None:
    quote = Evidence("migrate", SHOP, "s1", "g1", place="line:3", quote="always migrate first")
    told = Delivery("migrate", SHOP, "s2", "g2", "start", "held out", 0.2, ann(2).at)
    asked = Question("q1", SHOP, "migrate", "doubt", "Is it still so?", asked_at=ann(3).at)
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(), "")
        write.put_session(tx, Session("s1", SHOP, "claude-code", "one", "g1", task="Fix the till"))
        assert write.vouch(tx, quote)
        assert not write.vouch(tx, quote), "learning a session twice adds nothing"
        write.deliver(tx, [told])
        write.ask(tx, asked)
    story = rows.why(store, "migrate")
    assert story.evidence == (quote,)
    assert story.questions == (asked,)
    assert [replace(each, n=0) for each in story.deliveries] == [told]
    with store.write() as tx:
        write.settle(tx, story.deliveries[0].n, "came", 2.5, ann(4).at)
        assert write.answer(tx, "q1", "yes", "ann", ann(4).at)
        assert not write.answer(tx, "q1", "no", "bob", ann(5).at), "the first answer holds"
    [settled] = rows.deliveries_to(store, "g2")
    assert (settled.outcome, settled.loss) == ("came", 2.5)
    assert rows.questions(store, SHOP) == []
    assert rows.questions(store, SHOP, open=False)[0].answer == "yes"


def test_sessions_of_one_group_are_one_witness(store: Store) -> None:
    seen = [("s1", "g1"), ("s2", "g1"), ("s3", "g2")]
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(), "")
        for session, group in seen:
            write.vouch(tx, Evidence("migrate", SHOP, session, group))
        write.vouch(tx, Evidence("migrate", SHOP, "s4", "g4", stance="contradicts"))
        write.vouch(tx, Evidence("migrate", SHOP, amount=4, place="counted elsewhere"))
    assert rows.met(store, ["migrate"]) == {"migrate": 6}


def test_nothing_is_half_done(store: Store) -> None:
    class Stop(Exception):
        pass

    with pytest.raises(Stop), store.write() as tx:
        write.add(tx, MIGRATE, ann(), "")
        raise Stop
    assert rows.lesson_or_none(store, "migrate") is None
    assert rows.latest(store) == []


def test_erase_leaves_no_word_in_the_file(store: Store) -> None:
    secret = "The vault opens with Zanzibar42."
    with store.write() as tx:
        write.add(tx, replace(MIGRATE, text=secret, sign="Zanzibar42"), ann(), "Zanzibar42")
        write.vouch(tx, Evidence("migrate", SHOP, "s1", "g1", place="p", quote="Zanzibar42 it is"))
        write.put_failures(
            tx, "s1", [Failure("s1", "sign", SHOP, "g1", line="Zanzibar42", place="p")]
        )
        write.ask(tx, Question("q", SHOP, "migrate", "doubt", "Zanzibar42?", {"is": "Zanzibar42"}))
    with store.write() as tx:
        entry = write.erase(tx, "migrate", ann(2), "a secret")
    write.scrub(store)
    kept = rows.lesson(store, "migrate")
    assert (kept.text, kept.state, kept.reason) == ("", "gone", "erased")
    with open(store.path, "rb") as file:
        assert b"Zanzibar" not in file.read().replace(b"zanzibar", b"Zanzibar")
    with pytest.raises(Refused, match="erased"), store.write() as tx:
        write.undo(tx, entry.n - 1, ann(3))


def test_an_id_may_be_cut_short(store: Store) -> None:
    with store.write() as tx:
        for id in ("abc1", "abc2", "b"):
            write.add(tx, replace(MIGRATE, id=id), ann(), "")
    assert rows.find_lesson(store, "abc1").id == "abc1"
    assert rows.find_lesson(store, "b").id == "b"
    with pytest.raises(Ambiguous, match="abc1, abc2"):
        rows.find_lesson(store, "ab")
    for nothing in ("x", ""):
        with pytest.raises(NotFound):
            rows.find_lesson(store, nothing)


@pytest.mark.parametrize(
    ("text", "said"),
    [("  ", "needs words"), ("x" * 300_000, "300,000 characters"), ("a \udcff b", "Unicode")],
)
def test_a_text_that_is_no_sentence_is_refused(store: Store, text: str, said: str) -> None:
    with pytest.raises(TextInvalid, match=said), store.write() as tx:
        write.add(tx, replace(MIGRATE, text=text), ann(), "")
    assert rows.counts(store, SHOP) == {}


def test_an_id_is_given_once(store: Store) -> None:
    with store.write() as tx:
        write.add(tx, MIGRATE, ann(), "")
    with pytest.raises(Refused, match="already"), store.write() as tx:
        write.add(tx, MIGRATE, ann(), "")


def test_lessons_are_found_by_state_sharing_and_text(store: Store) -> None:
    with store.write() as tx:
        for n, state in enumerate(("active", "waiting", "gone")):
            write.add(tx, Lesson(f"l{n}", SHOP, f"Words {n}.", state=state), ann(), "")
        write.change(tx, "l0", ann(2), "", shared=True)
    assert [each.id for each in rows.lessons(store, SHOP)] == ["l2", "l1", "l0"]
    assert [each.id for each in rows.lessons(store, SHOP, ["active", "waiting"])] == ["l1", "l0"]
    assert [each.id for each in rows.lessons(store, shared=True)] == ["l0"]
    assert [each.id for each in rows.same_words(store, SHOP, "Words 2.")] == ["l2"]
    assert rows.same_words(store, SHOP, "Words 9.") == []
    assert rows.counts(store, SHOP) == {"active": 1, "waiting": 1, "gone": 1}


def test_settings_and_counts(store: Store) -> None:
    with store.write() as tx:
        write.put_setting(tx, "sync:remote", "git")
        write.put_common(tx, SHOP, "command", {"git status": 12})
        assert [write.next_number(tx, SHOP) for _ in range(2)] == [1, 2]
    assert rows.setting(store, "sync:remote") == "git"
    assert rows.settings(store, "sync:") == {"sync:remote": "git"}
    assert rows.common(store, SHOP, "command") == {"git status": 12}
    with store.write() as tx:
        write.drop_setting(tx, "sync:remote")
    assert rows.setting(store, "sync:remote", "none") == "none"


def test_twelve_tables_and_no_more(store: Store) -> None:
    made = {
        name
        for name, sql in store.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
        if sql and not name.startswith(("lesson_fts_", "sqlite_"))
    }
    assert made == set(
        "project lesson lesson_fts journal evidence delivery session failure question job setting"
        " common".split()
    )
    strict = {row[0] for row in store.rows("SELECT name FROM pragma_table_list WHERE strict")}
    assert made - strict == {"lesson_fts"}


def test_the_same_machine_for_everybody(store: Store, tmp_path: Path) -> None:
    from tacit.store.file import open_store

    with open_store(store.path) as again, open_store(str(tmp_path / "other.db")) as other:
        assert again.machine == store.machine != other.machine

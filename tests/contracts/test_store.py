"""What a store promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.core import edits
from tacit.core.clock import now
from tacit.core.digest import new_id
from tacit.core.errors import Ambiguous, NotFound, Refused, TacitError
from tacit.core.journal import Hand
from tacit.core.links import Evidence, Mark, Use
from tacit.core.proposal import Proposal
from tacit.core.value import replace
from tacit.lesson import Lesson
from tacit.store.check import check
from tacit.store.writes import open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    with open_store(str(tmp_path / "contract.db")) as opened:
        yield opened


def lesson(text: str = "Run make migrate before the tests.", **fields: Any) -> Lesson:
    at = now()
    return Lesson(
        **{
            "id": new_id(),
            "project": "p",
            "text": text,
            "created_at": at,
            "updated_at": at,
            "state": "active",
            **fields,
        }
    )


def put(store: Any, *memories: Lesson) -> list[Lesson]:
    with store.write() as tx:
        for memory in memories:
            tx.apply(edits.made(memory, Hand("ada", memory.created_at), reason="said so"))
    return list(memories)


def test_state_and_journal_are_written_together(store: Any) -> None:
    """A transaction that fails leaves neither row nor entry."""
    memory = lesson()
    with pytest.raises(RuntimeError), store.write() as tx:
        tx.apply(edits.made(memory, Hand("ada", memory.created_at), reason="said so"))
        raise RuntimeError
    assert store.memories([memory.id]) == []
    assert store.entries(memory=memory.id) == []
    assert check(store).is_sound


def test_each_entry_says_what_changed_and_only_that(store: Any) -> None:
    """From what to what, by whom and why."""
    [memory] = put(store, lesson())
    with store.write() as tx:
        tx.apply(
            edits.edited(
                memory, {"text": "Run make migrate first."}, Hand("bob", "2026-11-15T00:00:00.000Z")
            )
        )
    first, second = store.entries(memory=memory.id)
    assert (first.verb, first.n, first.before) == ("add", 1, {})
    assert (second.verb, second.n, second.by) == ("edit", 2, "bob")
    assert second.before["text"] == memory.text
    assert second.after["text"] == "Run make migrate first."
    assert set(second.after) == {"text", "updated_at"}


def test_an_illegal_move_cannot_be_written(store: Any) -> None:
    """The table of legal moves is checked where changes are made, whatever the caller thinks."""
    from tacit.core.journal import change

    [memory] = put(store, lesson(state="gone"))
    with pytest.raises(Refused):
        change(
            memory,
            replace(memory, state="active"),
            Hand("x", now()),
            verb="move",
            reason="because",
        )


def test_ids_may_be_shortened_to_a_unique_prefix(store: Any) -> None:
    """A prefix of one is enough, of two is refused with both named, of none is not found; tricks are just names."""
    put(store, lesson(id="aaaaaaaaaaaa"), lesson(id="aaaabbbbbbbb"), lesson(id="zzzzzzzzzzzz"))
    assert store.resolve("z") == "zzzzzzzzzzzz"
    assert store.resolve("AAAAB") == "aaaabbbbbbbb"
    with pytest.raises(Ambiguous, match="aaaaaaaaaaaa, aaaabbbbbbbb"):
        store.resolve("aaaa")
    for name in ("", "q", "../../etc/passwd", "a%", "a*", "' OR 1=1 --", "\x00", "é", "{"):
        with pytest.raises(NotFound):
            store.resolve(name)


def test_an_alias_names_a_memory_in_its_project_only(store: Any) -> None:
    """The first to take a name keeps it; another project does not see it."""
    a, b = put(store, lesson(), lesson())
    with store.write() as tx:
        tx.add_alias("p", "archeflow", "m-001", a.id)
        tx.add_alias("p", "archeflow", "m-001", b.id)
        tx.add_alias("p", "ralph", "learn-1", a.id)
    assert store.resolve("m-001", "p") == a.id
    assert store.alias_of(a.id) == [("archeflow", "m-001"), ("ralph", "learn-1")]
    with pytest.raises(NotFound):
        store.resolve("m-001", "other")


def test_sightings_are_distinct_independent_runs(store: Any) -> None:
    """Two reviewers of one run, a retry of it, one document in five runs: one sighting each."""
    [memory] = put(store, lesson(state="waiting"))

    def see(**named: Any) -> int:
        with store.write() as tx:
            tx.add_evidence(Evidence(memory.id, "p", at=now(), **named))
        return int(store.get(memory.id).tally.seen)

    assert see(run="r1", root="r1", finding="f1", by="guardian") == 1
    assert see(run="r1", root="r1", finding="f2", by="sage") == 1
    assert see(run="r2", root="r1", finding="f3") == 1  # a retry
    assert see(run="r3", root="r3", finding="f4", origin="README.md") == 2
    for n in range(4, 8):
        assert see(run=f"r{n}", root=f"r{n}", finding="f", origin="README.md") == 2
    assert see(opening=True, amount=5.0, place="import") == 7
    assert see(run="r9", root="r9", finding="f9", stance="contradicts") == 7
    assert store.get(memory.id).tally.contradicted == 1
    assert check(store).is_sound


def test_evidence_and_uses_are_written_once(store: Any) -> None:
    """The same finding again adds nothing; the recorded assignment wins over a later one."""
    [memory] = put(store, lesson())
    use = Use(memory.id, "u1", "p", "r1", memory.id, "withheld", 0.3, at=now())
    with store.write() as tx:
        evidence = Evidence(memory.id, "p", "r1", "r1", "f1", at=now())
        assert tx.add_evidence(evidence) and not tx.add_evidence(evidence)
        assert tx.add_use(use) and not tx.add_use(replace(use, arm="injected", probability=0.0))
    assert store.uses(memory=memory.id) == [use]
    assert check(store).is_sound


def test_the_last_outcome_of_a_unit_stands(store: Any) -> None:
    """Growth settles again; the tally follows."""
    [memory] = put(store, lesson())
    with store.write() as tx:
        tx.add_use(Use(memory.id, "u1", "p", "r1", memory.id, "injected", 0.3, at=now()))
        for word in ("not_occurred", "occurred"):
            tx.add_mark(Mark(memory.id, "u1", "p", "outcome", word, at=now()))
            tx.refresh_tally(memory.id, "p")
    tally = store.get(memory.id).tally
    assert (tally.uses, tally.clean, tally.recurred) == (1, 0, 1)
    assert check(store).is_sound


def test_a_search_sees_its_own_project_only(store: Any) -> None:
    """The project is a required argument of every search; global lessons are asked for by name."""
    mine, other, everywhere = put(
        store,
        lesson("pnpm here"),
        lesson("pnpm there", project="q"),
        lesson("pnpm everywhere", project="@global"),
    )
    assert {h.memory.id for h in store.find(("p",), ["pnpm"]).hits} == {mine.id}
    assert {h.memory.id for h in store.find(("p", "@global"), ["pnpm"]).hits} == {
        mine.id,
        everywhere.id,
    }
    assert [h.memory.id for h in store.find(("q",), ["pnpm"]).hits] == [other.id]


def test_full_text_follows_every_change(store: Any) -> None:
    """An edited text is found by its new words and not by its old ones."""
    [memory] = put(store, lesson("use yarn"))
    with store.write() as tx:
        tx.apply(edits.edited(memory, {"text": "use pnpm in getUserName"}, Hand("ada", now())))
    assert store.find(("p",), ["yarn"]).hits == ()
    assert [h.memory.id for h in store.find(("p",), ["pnpm"]).hits] == [memory.id]
    assert [h.memory.id for h in store.find(("p",), ["user"]).hits] == [memory.id]


def test_a_forgotten_memory_comes_back_by_undo(store: Any) -> None:
    """Undo restores the fields as they were; an entry overtaken by a later one is refused."""
    [memory] = put(store, lesson(pinned=True))
    with store.write() as tx:
        tx.apply(edits.forgotten(memory, Hand("ada", now())))
    gone = store.get(memory.id)
    assert (gone.state, gone.closed_by, gone.pinned) == ("gone", "ada", False)
    entry = store.entries(memory=memory.id)[-1]
    with store.write() as tx:
        tx.apply(edits.undone(gone, entry, [], Hand("ada", now())))
    back = store.get(memory.id)
    assert (back.state, back.closed_by, back.pinned) == ("active", "", True)
    with store.write() as tx:
        tx.apply(edits.edited(back, {"text": "one"}, Hand("ada", now())))
        tx.apply(edits.edited(tx.get(memory.id), {"text": "two"}, Hand("ada", now())))
    entries = store.entries(memory=memory.id)
    with pytest.raises(Refused, match="text changed again later"):
        edits.undone(store.get(memory.id), entries[-2], entries[-1:], Hand("ada", now()))


DAMAGE = [
    ("UPDATE lesson SET counts = json_set(counts, '$.seen[0]', 7)", "tally"),
    ("DELETE FROM lesson_fts WHERE rowid = 1", "index"),
]


@pytest.mark.parametrize(("damage", "kind"), DAMAGE)
def test_what_is_derived_is_held_against_the_rows(store: Any, damage: str, kind: str) -> None:
    """What stands beside the rows and does not follow from them, check names; before, it found nothing."""
    [memory] = put(store, lesson())
    with store.write() as tx:
        tx.add_evidence(Evidence(memory.id, "p", "r1", "r1", "f1", at=now()))
        tx.refresh_tally(memory.id, "p")
    assert check(store).faults == ()
    with store.write() as tx:
        tx.rows(damage)
    assert kind in {fault.kind for fault in check(store).faults}


def test_erased_text_is_in_no_file_of_the_store(store: Any, tmp_path: Path) -> None:
    """Row, journal, quotes, findings, proposals, full text, write-ahead log."""
    from tacit.store.erase import blank

    secret = "xyzzy-plugh-42"
    memory = lesson(f"the magic word is {secret}", tags=(secret,), extra={"raw": secret})
    put(store, memory, lesson("another"))
    with store.write() as tx:
        tx.apply(edits.edited(memory, {"text": f"really {secret}"}, Hand("ada", now())))
        tx.add_evidence(
            Evidence(memory.id, "p", "r1", "r1", "f1", quote=f"they said {secret}", at=now())
        )
        tx.put_proposal(
            Proposal(
                new_id(),
                "p",
                "edit",
                f"about {secret}",
                "m",
                now(),
                memory.id,
                payload={"text": secret},
            )
        )
    with store.write() as tx:
        tx.apply(edits.erased(tx.get(memory.id), Hand("ada", now())))
        blank(tx, memory, now())
    store.scrub()
    assert check(store).faults == ()
    for path in tmp_path.glob("contract.db*"):
        assert secret.encode() not in path.read_bytes(), path.name
    assert [e.verb for e in store.entries(memory=memory.id)] == ["add", "edit", "erase"]
    assert store.find(("p",), ["xyzzy"]).hits == ()


def test_errors_are_ours() -> None:
    """Every error has an exit code and a default message."""
    for error in TacitError.__subclasses__():
        assert error().message and error.exit_code in range(1, 6)


def test_an_edit_does_not_carry_a_lesson_into_other_projects(store: Any) -> None:
    """Wider scope is reached by a person's new word, not by changing a facet."""
    [memory] = put(store, lesson())
    with pytest.raises(Refused, match="would change its project"):
        edits.edited(memory, {"scope": "global"}, Hand("ada", now()))
    assert edits.edited(memory, {"scope": "mission"}, Hand("ada", now())) is not None

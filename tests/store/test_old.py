"""The five kept stores of 0.2.0: each lesson, its words, its state and its evidence, by what 0.2.0 itself said of them."""

from __future__ import annotations

import hashlib
import json
import lzma
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from tests.store.conftest import ann, kept

from tacit.core.edits import undone
from tacit.core.errors import NoFile, NotAStore, StoreOther
from tacit.core.links import sightings as sightings_of
from tacit.store import old, rows
from tacit.store.backup import faults
from tacit.store.writes import NEW, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.store.reads import Store

KEPT = Path(__file__).parents[1] / "data" / "stores-0.2.0"
STORES = ("cipher-box", "decisions", "demo", "month-of-a-year", "origins")

# What `why` of 0.2.0 calls a lesson's standing, and the state it has now.
STANDINGS = {
    "in force": "active",
    "found once": "active",
    "in your files": "active",
    "your word": "active",
    "on trial": "active",
    "waiting": "waiting",
    "needs your word": "waiting",
    "in question": "doubted",
    "replaced": "gone",
}
WORDS = {"user": "person", "agent": "session", "observed": "session", "review": "session"}


@cache
def said_of(name: str) -> dict[str, Any]:
    """What 0.2.0 said."""
    found: dict[str, Any] = json.loads(lzma.decompress((KEPT / f"{name}.json.xz").read_bytes()))
    return found


@pytest.fixture(scope="module", params=STORES)
def taken(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path, Store, old.Taken]]:
    """One of the five, taken in."""
    folder = tmp_path_factory.mktemp(request.param)
    file = folder / "old.db"
    file.write_bytes(lzma.decompress((KEPT / f"{request.param}.db.xz").read_bytes()))
    source = old.OldStore(str(file))
    with open_store(str(folder / "tacit.db")) as store:
        with store.write() as tx:
            brought = old.take_in(tx, source)
        source.close()
        yield request.param, file, store, brought


def test_every_lesson_with_its_words_and_state(taken: Any) -> None:
    name, _, store, brought = taken
    lessons = {each.id: each for each in kept(store)}
    said = said_of(name)
    assert brought.lessons == len(lessons) == len(said["list"])
    for told in said["list"]:
        lesson = lessons[told["id"]]
        standing = said["why"][told["id"]]["standing"].partition(" (")[0]
        assert lesson.text == told["text"]
        assert lesson.project == told["project"]
        assert lesson.files == told["paths"]
        assert lesson.about == (told["about"] or "")
        assert lesson.state == STANDINGS[standing], standing
        assert lesson.word == WORDS.get(told["trust"], "outside")
        assert lesson.extra["stage"] == told["state"]
        assert {k: lesson.extra[k] for k in told["extra"]} == told["extra"]
        was = lesson.extra["was"]
        for field in ("category", "source", "signature", "tags", "trust", "closed_by", "kind"):
            assert (was.get(field) or None) == (told[field] or None), field
        assert (lesson.created_at, lesson.changed_at) == (told["created_at"], told["updated_at"])
        assert {*lesson.extra.get("alias", {}).values()} >= {told["alias"]} - {None}


def test_all_of_its_evidence(taken: Any) -> None:
    name, _, store, brought = taken
    names = dict(store.rows("SELECT id, name FROM session"))
    many = 0
    for id, told in said_of(name)["why"].items():
        found = store.evidence(id)
        rows_of = {
            (names.get(e.run, e.run), e.signal, e.stance, e.quote, e.by, e.amount) for e in found
        }
        expected = {
            (e["run"] or "", e["signal"], e["stance"], e["quote"], e["by"], e["amount"])
            for e in told["evidence"]
        }
        assert rows_of == expected, id
        assert len(found) == len(told["evidence"])
        many += len(told["evidence"])
        sightings = [
            e for e in told["evidence"] if (e["signal"], e["stance"]) == ("seen", "supports")
        ]
        if sightings:
            assert told["memory"]["seen"] > 0
            assert sightings_of(found) >= told["memory"]["seen"]
    assert brought.evidence == many


def test_its_history_adds_up_to_what_it_says_now(taken: Any) -> None:
    name, _, store, _ = taken
    for id, told in said_of(name)["why"].items():
        entries = store.entries(memory=id)
        by_old = [
            (each["verb"], each["by"], each["reason"], each["at"]) for each in told["journal"]
        ]
        assert [(e.verb, e.by, e.reason, e.at) for e in entries][: len(by_old)] == by_old
        assert {e.verb for e in entries[len(by_old) :]} <= {"import"}
        folded = {name: NEW[name] for name in rows.LESSON}
        for (after,) in store.rows("SELECT after FROM journal WHERE lesson = ? ORDER BY n", id):
            folded |= json.loads(after or "{}")
        [lesson] = [each for each in kept(store) if each.id == id]
        own = {"id": id, "project": lesson.project, "changed_at": lesson.changed_at}
        assert {**folded, **own} == vars(lesson)
        assert entries[0].after["text"] == told["journal"][0]["after"]["text"]


def test_once_is_enough_and_the_old_file_stays(taken: Any) -> None:
    name, file, store, brought = taken
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    source = old.OldStore(str(file))
    with store.write() as tx:
        again = old.take_in(tx, source)
    source.close()
    assert again == old.Taken(0, brought.lessons, 0, 0, 0, 0, 0, 0, ())
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest
    assert [each.name for each in file.parent.iterdir() if "old" in each.name] == ["old.db"]
    assert faults(store) == []
    assert len(kept(store)) == len(said_of(name)["list"])


def test_an_old_change_can_be_taken_back(taken: Any) -> None:
    name, _, store, _ = taken
    if name != "decisions":
        return
    [first, *_] = [each for each in kept(store) if each.replaced_by]
    last = store.entries(memory=first.id)[-1]

    class Stop(Exception):
        pass

    with pytest.raises(Stop), store.write() as tx:
        tx.apply(undone(tx.get(first.id), last, [], ann()))
        back = tx.get(first.id)
        assert (back.state, back.superseded_by) == ("active", "")
        assert back.extra["stage"] == "provisional"
        raise Stop


def test_what_is_no_store_of_020_is_refused_in_one_line(tmp_path: Path) -> None:
    new, other, early = (str(tmp_path / name) for name in ("new.db", "other.db", "early.db"))
    open_store(new).close()
    apsw.Connection(other).execute("CREATE TABLE t (a)")
    made = apsw.Connection(early)
    made.execute("PRAGMA application_id = 0x54616369; PRAGMA user_version = 9; CREATE TABLE t (a)")
    made.close()
    (tmp_path / "text").write_text("no database at all, but long enough to be read as one" * 50)
    for path, error, said in (
        (new, StoreOther, "is a store of this version"),
        (other, NotAStore, "is no store of Tacit"),
        (early, StoreOther, "has schema 9; those of 0.2.0 have 16"),
        (str(tmp_path / "text"), NotAStore, "is not a Tacit store"),
        (str(tmp_path / "nowhere"), NoFile, "is no file"),
        (str(tmp_path), NoFile, "is no file"),
    ):
        with pytest.raises(error, match=said):
            old.OldStore(path)


def test_an_old_store_is_not_opened_as_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    file.write_bytes(lzma.decompress((KEPT / "demo.db.xz").read_bytes()))
    with pytest.raises(StoreOther, match="has schema 16") as refused:
        open_store(str(file))
    assert f"tacit data import {file}" in refused.value.hint

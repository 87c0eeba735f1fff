"""The five kept stores of 0.2.0: each lesson, its words, its state and its evidence, by what 0.2.0 itself said of them."""

from __future__ import annotations

import hashlib
import json
import lzma
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from tests.store.conftest import ann

from tacit.core.errors import NoFile, NotAStore, StoreOther
from tacit.store import old, rows, write
from tacit.store.backup import faults
from tacit.store.file import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.store.file import Store

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
    kept = {each.id: each for each in rows.lessons(store)}
    said = said_of(name)
    assert brought.lessons == len(kept) == len(said["list"])
    for told in said["list"]:
        lesson = kept[told["id"]]
        standing = said["why"][told["id"]]["standing"].partition(" (")[0]
        assert lesson.text == told["text"]
        assert lesson.project == told["project"]
        assert list(lesson.files) == told["paths"]
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
    names = {
        each.id: each.name for p in rows.projects(store) for each in rows.sessions(store, p.id)
    }
    many = 0
    for id, told in said_of(name)["why"].items():
        found = {
            (
                names.get(e.session, e.session),
                e.measure or "seen",
                e.stance,
                e.quote,
                e.by,
                e.amount,
            )
            for e in rows.evidence(store, id)
        }
        expected = {
            (e["run"] or "", e["signal"], e["stance"], e["quote"], e["by"], e["amount"])
            for e in told["evidence"]
        }
        assert found == expected, id
        assert len(rows.evidence(store, id)) == len(told["evidence"])
        many += len(told["evidence"])
        sightings = [
            e for e in told["evidence"] if (e["signal"], e["stance"]) == ("seen", "supports")
        ]
        if sightings:
            assert rows.met(store, [id])[id] >= told["memory"]["seen"] > 0
    assert brought.evidence == many


def test_its_history_adds_up_to_what_it_says_now(taken: Any) -> None:
    name, _, store, _ = taken
    for id, told in said_of(name)["why"].items():
        entries = rows.entries(store, id)
        by_old = [
            (each["verb"], each["by"], each["reason"], each["at"]) for each in told["journal"]
        ]
        assert [(e.verb, e.by, e.why, e.at) for e in entries][: len(by_old)] == by_old
        assert {e.verb for e in entries[len(by_old) :]} <= {"import"}
        folded = rows.folded(entries)
        assert folded is not None
        lesson = rows.lesson(store, id)
        assert replace(folded, changed_at="") == replace(lesson, n=0, changed_at="")
        first = rows.lesson_at(store, id, entries[0].n)
        assert first is not None
        assert first.text == told["journal"][0]["after"]["text"]


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
    assert len(rows.lessons(store)) == len(said_of(name)["list"])


def test_an_old_change_can_be_taken_back(taken: Any) -> None:
    name, _, store, _ = taken
    if name != "decisions":
        return
    [first, *_] = [each for each in rows.lessons(store) if each.replaced_by]
    last = rows.entries(store, first.id)[-1]

    class Stop(Exception):
        pass

    with pytest.raises(Stop), store.write() as tx:
        write.undo(tx, last.n, ann())
        back = rows.lesson(tx, first.id)
        assert (back.state, back.replaced_by) == ("active", "")
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

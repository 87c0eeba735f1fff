"""A copy counts once it was opened and looked through; damage is met with the newest good one, and what is lost is said."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.store.conftest import MIGRATE, ann, kept
from tests.store.conftest import add as add_all

from tacit.core import clock
from tacit.core.errors import Damaged, NotAStore, NotFound, StoreBusy, StoreReadOnly
from tacit.core.value import replace
from tacit.store import backup
from tacit.store.erase import erase_in
from tacit.store.writes import open_store

if TYPE_CHECKING:
    from tacit.store.reads import Store

PAGE = 4096


def add(store: Store, *ids: str) -> None:
    add_all(store, *(replace(MIGRATE, id=id) for id in ids))


def fold(store: Store) -> None:
    store.rows("PRAGMA wal_checkpoint(TRUNCATE)")


def spoil(path: str, at: int, amount: int = PAGE) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(os.urandom(amount))


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "backups")


def test_a_backup_is_one_whole_file_for_its_owner_alone(store: Store, folder: str) -> None:
    add(store, "a", "b")
    made = backup.back_up(store, folder)
    assert backup.backups(folder) == [made]
    assert sorted(os.listdir(folder)) == [".lock", os.path.basename(made.path)]
    assert os.stat(made.path).st_mode & 0o777 == 0o600
    with open_store(made.path, create=False) as copy:
        assert kept(copy) == kept(store)


def test_a_damaged_store_makes_no_backup(store: Store, folder: str) -> None:
    add(store, *(f"l{n}" for n in range(60)))
    good = backup.back_up(store, folder)
    fold(store)
    store.close()
    for page in range(4, 12):
        spoil(store.path, page * PAGE)
    with open_store(store.path) as damaged, pytest.raises(Damaged, match="no backup was made"):
        backup.back_up(damaged, folder)
    assert backup.backups(folder) == [good]


def test_one_a_day_of_the_last_seven(store: Store, folder: str, monkeypatch) -> None:
    for day in range(1, 13):
        for hour in (1, 2):
            monkeypatch.setattr(
                clock, "now", lambda d=day, h=hour: f"2026-01-{d:02d}T{h:02d}:00:00.000Z"
            )
            add(store, f"l{day}-{hour}")
            backup.back_up(store, folder)
    kept = [each.at for each in backup.backups(folder)]
    assert kept == [f"2026-01-{day:02d}T02:00:00.000Z" for day in range(12, 5, -1)]


def test_the_worker_makes_one_when_a_day_has_passed_and_something_was_written(
    store: Store, folder: str
) -> None:
    now = time.time()
    assert backup.back_up_if_due(store, folder, now) is not None
    assert backup.back_up_if_due(store, folder, now + backup.EVERY + 1) is None
    os.utime(store.path, (now + 60, now + 60))
    assert backup.back_up_if_due(store, folder, now + 100) is None
    assert backup.back_up_if_due(store, folder, now + backup.EVERY + 1) is not None


def test_a_backup_that_cannot_be_made_is_no_error_for_the_worker(
    store: Store, tmp_path: Path
) -> None:
    place = tmp_path / "file"
    place.write_text("in the way")
    assert backup.back_up_if_due(store, str(place / "in"), time.time()) is None
    with pytest.raises(StoreReadOnly, match="Backups cannot be kept"):
        backup.back_up(store, str(place / "in"))


def test_two_backups_at_once_wait_for_each_other(store: Store, folder: str, monkeypatch) -> None:
    monkeypatch.setattr(time, "monotonic", iter(range(0, 1000, 20)).__next__)
    with backup._alone(folder), pytest.raises(StoreBusy, match="Another process"):
        backup.back_up(store, folder)


# Where the file is spoilt, and whether what was lost can still be read from it.
DAMAGE = {
    "the header": (0, 100, False),
    "the first page": (0, PAGE, False),
    "all of it": (0, 10**6, False),
    "a page in the middle": (9 * PAGE, PAGE, None),
    "many pages": (5 * PAGE, 20 * PAGE, None),
}


@pytest.mark.parametrize("where", DAMAGE)
def test_a_damaged_store_gives_way_to_its_newest_backup(
    store: Store, folder: str, where: str
) -> None:
    add(store, *(f"l{n}" for n in range(60)))
    made = backup.back_up(store, folder)
    add(store, "later")
    fold(store)
    machine = store.machine
    store.close()
    spoil(store.path, *DAMAGE[where][:2])
    spoilt = Path(store.path).read_bytes()
    restored = backup.restore(store.path, folder)
    assert restored.backup == made
    assert Path(restored.aside).read_bytes() == spoilt, "the damaged file is kept as it was"
    with open_store(store.path, create=False) as back:
        assert backup.faults(back) == []
        assert len(kept(back)) == 60
        assert back.machine == machine
        assert back.rows("PRAGMA journal_mode") == [("wal",)]
        add(back, "after")
    lost = [each.memory for each in restored.lost]
    assert lost == ["later"] or restored.unreadable, "what is lost is said, or that nobody knows"


def test_what_was_lost_is_named_where_the_file_still_tells(store: Store, folder: str) -> None:
    add(store, "kept")
    backup.back_up(store, folder)
    add(store, "lost1", "lost2")
    restored = backup.restore(store.path, folder)
    assert [each.memory for each in restored.lost] == ["lost1", "lost2"]
    assert not restored.unreadable
    assert [each.id for each in kept(store)] == ["kept"], "whoever has it open goes on"


def test_a_bad_backup_is_passed_over(store: Store, folder: str) -> None:
    add(store, *(f"l{n}" for n in range(60)))
    first = backup.back_up(store, folder)
    second = dataclasses.replace(first, path=first.path.replace("000001", "000002"), number=2)
    with open(first.path, "rb") as good, open(second.path, "wb") as bad:
        bad.write(good.read())
    spoil(second.path, 6 * PAGE, 10 * PAGE)
    assert backup.restore(store.path, folder).backup == first
    with pytest.raises(Damaged, match="does not pass"):
        backup.restore(store.path, folder, second)


def test_without_a_good_backup_nothing_is_touched(
    store: Store, folder: str, tmp_path: Path
) -> None:
    add(store, "a")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(NotFound, match="no good backup"):
        backup.restore(store.path, folder)
    assert sorted(os.listdir(tmp_path)) == before
    assert [each.id for each in kept(store)] == ["a"]


def test_erase_reaches_the_backups(store: Store, folder: str) -> None:
    secret = replace(MIGRATE, id="s", text="The vault opens with Zanzibar.")
    add(store, "a")
    add_all(store, secret)
    made = backup.back_up(store, folder)
    broken = made.path.replace("000001", "000002")
    with open(broken, "w") as file:
        file.write("Zanzibar")
    assert backup.erase(folder, lambda copy: erase_in(copy, "s", ann(2))) == [broken]
    assert backup.backups(folder) == [made]
    with open(made.path, "rb") as file:
        assert b"anzibar" not in file.read()
    with open_store(made.path, create=False) as copy:
        assert backup.faults(copy) == []
        assert {each.id: each.state for each in kept(copy)} == {"a": "active", "s": "gone"}


def test_a_file_that_is_no_store_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("these are notes, not a database, and there are many of them. " * 100)
    with pytest.raises(NotAStore, match="not a Tacit store"):
        open_store(str(path))


def test_restoring_runs_no_code_of_the_folder_it_is_called_in(
    memories: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository may bring a package of our name, or of the standard library's; what was there is truly kept aside."""
    hostile, ran = tmp_path / "hostile", tmp_path / "RAN"
    code = f"open({str(ran)!r}, 'w'); raise SystemExit(0)"
    (hostile / "tacit").mkdir(parents=True)
    for name in ("tacit/__init__.py", "hashlib.py", "os.py", "sitecustomize.py"):
        (hostile / name).write_text(code)
    memories.backup()
    memories.add("Said after the backup.")
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("PYTHONPATH", str(hostile))
    aside = memories.restore().aside
    assert not ran.exists()
    with open_store(aside, create=False) as kept:
        asked = "SELECT text FROM lesson WHERE text LIKE 'Said after%'"
        assert [row[0] for row in kept.rows(asked)] == ["Said after the backup."]


def test_a_copy_that_is_not_there_is_not_reported(
    memories: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be copied aside stops the restoring before anything is touched."""
    memories.backup()
    memories.add("Said after the backup.")

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(StoreReadOnly, match="could not be copied aside"):
        memories.restore()
    assert [each.text for each in memories.list()] == ["Said after the backup."]

"""Backups: what counts as one, which are kept, what erasing does to them, and how one comes back."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.faults.conftest import spoil

from tacit.app.whole import open as open_memories
from tacit.core import clock
from tacit.core.errors import Damaged, NotFound, StoreBusy, StoreReadOnly, Unavailable, UsageError
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.backup import BACKUPS_KEPT, WEEKS, back_up_if_due, rotated
from tacit.stores.sqlite.copies import Backup

DAY = 86400.0


def texts(memories: Any) -> set[str]:
    return {memory.text for memory in memories.list(archived=True)}


def test_a_backup_is_private_and_elsewhere(memories: Any) -> None:
    """In the data folder's backups, 0600 in 0700, one plain file."""
    made = memories.backup()
    folder = Path(memories.backups_folder)
    assert folder.parent.name == "backups" and [
        each.name for each in folder.iterdir() if each.suffix == ".db"
    ] == [made.name + ".db"]
    assert stat.S_IMODE(os.stat(made.path).st_mode) == 0o600
    assert {stat.S_IMODE(os.stat(place).st_mode) for place in (folder, folder.parent)} == {0o700}


def test_a_damaged_store_gives_no_backup(memories: Any) -> None:
    """A copy that does not verify is not kept, and does not push a good one out."""
    good = memories.backup()
    memories.store.close()
    spoil(memories.store.path)
    with open_memories() as again:
        with pytest.raises(Damaged):
            again.backup()
        assert again.backups() == [good]


def test_rotation_keeps_the_newest_and_weekly_ones() -> None:
    """Daily backups for half a year: seven newest, and the last of each of the four weeks before."""
    daily = [Backup(str(n), n, clock.stamp(n * DAY), 1) for n in range(180, 0, -1)]
    kept = [each.number for each in daily if each not in rotated(daily)]
    assert kept[:BACKUPS_KEPT] == list(range(180, 180 - BACKUPS_KEPT, -1))
    assert len(kept) == BACKUPS_KEPT + WEEKS and all(
        a - b <= 7 for a, b in zip(kept[BACKUPS_KEPT:], kept[BACKUPS_KEPT + 1 :])
    )


def test_the_worker_makes_one_a_day(memories: Any) -> None:
    """Not twice a day, not without news, again when the clock is far off in either direction."""
    store, folder = memories.store, memories.backups_folder
    first = back_up_if_due(store, folder)
    assert first is not None and memories.backup_if_due() is None
    tomorrow = clock.seconds(first.at) + DAY + 1
    assert back_up_if_due(store, folder, tomorrow) is None, "nothing was written since"
    memories.add("news")
    assert back_up_if_due(store, folder, tomorrow - DAY / 2) is None
    second = back_up_if_due(store, folder, tomorrow)
    memories.add("more news")
    third = back_up_if_due(store, folder, clock.seconds(first.at) - 400 * DAY)
    assert [each.number for each in (first, second, third) if each] == [1, 2, 3]


def test_an_automatic_backup_never_fails(memories: Any) -> None:
    """A damaged store is the doctor's business, not the worker's."""
    memories.store.close()
    spoil(memories.store.path)
    with open_memories() as again:
        assert again.backup_if_due() is None


def test_one_at_a_time(memories: Any) -> None:
    """A second one says that the first is at it."""
    from tacit.stores.sqlite.backup import _Alone

    with _Alone(memories.backups_folder), pytest.raises(StoreBusy):
        memories.backup()


def test_restore_puts_back_and_keeps_what_was_there(memories: Any) -> None:
    """The store is as it was, what was there lies aside, and the newest backup is of what was chosen."""
    memories.backup()
    before = texts(memories)
    memories.add("too late")
    done = memories.restore()
    assert texts(memories) == before and memories.health().health.faults == ()
    with open_store(done.aside) as aside:
        assert "too late" in {row[0] for row in aside.rows("SELECT text FROM memory")}
    assert [each.number for each in memories.backups()] == [2, 1]


def test_a_restore_whose_fresh_backup_fails_is_still_a_restore(memories: Any) -> None:
    """It came back, and that is said; what is missing is said too (found by EIO at a read after the restore)."""
    from tacit.stores.sqlite.backup import _Alone

    memories.backup()
    before = texts(memories)
    memories.add("too late")
    with _Alone(memories.backups_folder):
        done = memories.restore()
    assert texts(memories) == before and "no backup of it could be made" in done.warning
    assert memories.restore().warning == ""


def test_restore_to_another_file_leaves_the_store(memories: Any, tmp_path: Path) -> None:
    """For looking; never over an existing file."""
    memories.backup()
    memories.add("later")
    done = memories.restore("1", to=str(tmp_path / "looked-at.db"))
    assert done.aside == "" and "later" in texts(memories)
    with open_store(done.path) as store:
        assert store.one("SELECT count(*) FROM memory")[0] == 3
    with pytest.raises(UsageError):
        memories.restore(to=str(tmp_path / "looked-at.db"))


def test_restore_waits_for_nobody_to_work_on_the_store(
    memories: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another connection is open: nothing is touched."""
    import subprocess
    import sys

    from tacit.stores.sqlite import restore

    memories.backup()
    code = "import sys, apsw; c = apsw.Connection(sys.argv[1]); c.execute('SELECT 1 FROM memory').fetchall(); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, memories.store.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout and other.stdin
        other.stdout.readline()
        memories.store.close()
        with pytest.raises(StoreBusy):
            restore.install(
                memories.store.path, memories.backups()[0].path, memories.backups_folder, wait=0.1
            )
        other.stdin.close()
    memories.store = open_store(memories.store.path)
    assert len(texts(memories)) == 3


def test_a_backup_that_rotted_is_refused(memories: Any) -> None:
    """Restoring verifies once more, before anything is touched."""
    made = memories.backup()
    spoil(made.path)
    with pytest.raises(Damaged):
        memories.restore()
    assert len(texts(memories)) == 3
    with pytest.raises(NotFound):
        memories.restore("77")


def test_erasing_reaches_the_backups(memories: Any) -> None:
    """Backups that hold the words go, after a fresh one was made; no file of ours holds them any more."""
    secret = "xyzzy-plugh-42"
    memories.backup()
    id = memories.add(f"the word is {secret}").id
    memories.backup()
    memories.erase(id)
    assert [each.number for each in memories.backups()] == [3, 1]
    root = Path(memories.store.path).parent
    assert [
        path for path in root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
    ] == []


def test_erasing_reaches_the_backups_though_somebody_reads(memories: Any) -> None:
    """A reader keeps the log from being cut, which is said; the backups do not wait for him."""
    import subprocess
    import sys

    id = memories.add("the word is xyzzy-plugh-42").id
    memories.backup()
    code = "import sys, apsw; c = apsw.Connection(sys.argv[1]); r = c.execute('SELECT text FROM memory'); next(r); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, memories.store.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as reader:
        assert reader.stdout and reader.stdin
        reader.stdout.readline()
        memories.store.wait = 0.1
        with pytest.raises(StoreBusy, match="old pages may still stand"):
            memories.erase(id)
        reader.stdin.close()
    assert [each.number for each in memories.backups()] == [2]


def test_erasing_reaches_the_queue(memories: Any) -> None:
    """A job that failed quotes what it stumbled over."""
    id = memories.add("the word is xyzzy-plugh-42").id
    with memories.store.write() as tx:
        tx.enqueue("learn", "learn:claude-code:s1", "p", {}, clock.now())
        job = tx.lease("me", clock.now(), clock.now())
        tx.postpone(job, "ValueError: xyzzy-plugh-42", "")
    memories.erase(id)
    assert memories.store.rows("SELECT key, error FROM queue") == [("learn:claude-code:s1", "")]
    raw = b"".join(
        path.read_bytes() for path in Path(memories.store.path).parent.rglob("*") if path.is_file()
    )
    assert b"xyzzy-plugh-42" not in raw


def test_no_room_is_said_before_anything_is_copied(
    memories: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk with one block free: no backup and no restore begins; doctor names it; a lesson is still kept."""
    memories.backup()
    real = os.statvfs("/")
    monkeypatch.setattr(
        os, "statvfs", lambda _path: os.statvfs_result((4096, 4096, *real[2:4], 1, *real[5:]))
    )
    for act in (memories.backup, memories.restore):
        with pytest.raises(StoreReadOnly, match="0 MiB free"):
            act()
    assert memories.backup_if_due() is None and any(
        "free" in note for note in memories.safety_notes()
    )
    assert memories.add("kept all the same").id and len(memories.backups()) == 1


def test_the_command_line_backs_up_and_restores(tacit: Any) -> None:
    """backup, backup --list, restore signed by a person; an agent may not."""
    tacit("add", "one")
    name = tacit("data", "backup", "--json").data["name"]
    tacit("add", "two")
    assert [
        each["name"] for each in tacit("data", "backup", "--list", "--json").data["backups"]
    ] == [name]
    assert tacit("data", "restore", "--json").error["code"] == "refused"
    assert tacit("data", "restore", "--by", "ada", "--yes", "--json").data["backup"]["name"] == name
    assert tacit("list", "--json").data["count"] == 1


def test_a_backup_of_another_machine_is_put_back_by_its_path(tacit: Any, folder: Path) -> None:
    """Everything as it was; a file that is no store is refused, and nothing is made of it."""
    tacit("add", "one")
    path = tacit("data", "backup", "--json").data["path"]
    other, third = folder / "other.db", folder / "third.db"
    assert tacit("--store", str(other), "data", "restore", path, "--by", "ada", "--yes").code == 0
    assert "one" in tacit("--store", str(other), "list").out
    (folder / "junk").write_text("no store at all")
    refused = tacit("--store", str(third), "data", "restore", "junk", "--by", "ada", "--yes")
    assert (refused.code, third.exists()) == (5, False)
    assert "is not a Tacit store" in refused.err


def test_restoring_runs_no_code_of_the_folder_it_is_called_in(
    memories: Any, tmp_path: Path, monkeypatch: Any
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
        assert [
            row[0] for row in kept.rows("SELECT text FROM memory WHERE text LIKE 'Said after%'")
        ] == ["Said after the backup."]


def test_a_copy_that_is_not_there_is_not_reported(memories: Any, monkeypatch: Any) -> None:
    """A program that ends well and copied nothing, or something else, stops the restoring before anything is touched."""
    import subprocess

    memories.backup()
    memories.add("Said after the backup.")
    for said in ("", "0" * 64 + " /nowhere"):
        monkeypatch.setattr(
            subprocess,
            "run",
            lambda *a, said=said, **k: subprocess.CompletedProcess(a, 0, said, ""),
        )
        with pytest.raises(Unavailable, match="could not be copied aside"):
            memories.restore()
        assert "Said after the backup." in texts(memories)

"""A replay on disk: what was planned, and each run as soon as it is judged. Killed at any point, it goes on where it was.

    tacit-replay-ID/
        plan.json               the lesson, the tasks, the key of the coins: written once
        packs/                  histories, one per commit
        0001-1.1/               pair 1, first run, first attempt. Which arm it is stands in no name: an agent sees its path
            work/ home/ tmp/ store/     the run's own; gone once it was judged
            transcripts/ out.txt err.txt check.txt
            done.json           judged: written last

A file appears whole or not at all. A run without `done.json` was cut off: its folder is emptied and it is run again under
the next attempt's name, so that whatever still writes into the old folder disturbs nobody.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tacit.core.errors import StoreBusy, TacitError
from tacit.place.files import to_disk

PLAN, DONE = "plan.json", "done.json"
MARK = "TACIT_REPLAY"  # in the environment of everything that a replay runs


class ReplayFolder:
    """One replay's folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    @property
    def id(self) -> str:
        return os.path.basename(self.folder)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep others out: two processes on one replay would run its pairs twice."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        with open(os.path.join(self.folder, "lock"), "ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                told = f"This replay is running already ({self.folder})."
                raise StoreBusy(told, "Wait for it, or end that process.") from None
            yield

    def plan(self) -> dict[str, Any] | None:
        """What was planned; None before that."""
        return read(os.path.join(self.folder, PLAN))

    def keep_plan(self, plan: dict[str, Any]) -> None:
        write(os.path.join(self.folder, PLAN), plan)

    def runs(self) -> list[dict[str, Any]]:
        """The runs that were judged, in the order in which they were planned."""
        found = [read(os.path.join(self.folder, name, DONE)) for name in self._attempts()]
        return sorted(filter(None, found), key=lambda each: (each["pair"], each["order"]))

    def fresh(self, pair: int, order: int) -> str:
        """A new folder's name for a run; what was cut off before it is cleared away, its number stays used."""
        name, count = f"{pair:04d}-{order}.", 0
        for each in self._attempts():
            if each.startswith(name):
                count = max(count, int(each.removeprefix(name)))
                shutil.rmtree(os.path.join(self.folder, each), ignore_errors=True)
                os.makedirs(os.path.join(self.folder, each))
        return os.path.join(self.folder, f"{name}{count + 1}")

    def _attempts(self) -> list[str]:
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        return sorted(name for name in names if name[:4].isdecimal() and name[4:5] == "-")


def write(path: str, said: Any) -> None:
    """A file that is there whole or not at all, also after a power cut."""
    temporary = f"{path}.new"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(said, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    to_disk(os.path.dirname(path))


def read(path: str) -> dict[str, Any] | None:
    """What such a file holds; None where it is not there."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        told = f"Reading a replay: {path} cannot be read ({error})."
        raise TacitError(told, "Move its folder away and start the replay anew.") from None
    return found if isinstance(found, dict) else None

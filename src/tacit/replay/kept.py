"""A replay on disk: what was planned, and each run as soon as it is over. Killed at any point, it goes on where it was.

    tacit-replay-ID/
        plan.json               the lesson, the tasks, the key of the coins: written once
        packs/                  histories, one per commit
        0001-1.1/               pair 1, first run, first attempt. Which arm it is stands in no name: an agent sees its path
            work/ home/ tmp/ store/     the run's own; gone once it was judged
            ran.json            the agent ended: written when all it left is on disk
            transcripts/        what its host wrote down
            out.txt err.txt check.txt changes.patch
            done.json           judged: written last

A file appears whole or not at all. A run without `ran.json` was cut off: its folder is thrown away and it is run again under the next
attempt's name, so that whatever still writes into the old folder disturbs nobody.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
from typing import Any, Self

from tacit.core.errors import StoreBusy, TacitError
from tacit.core.value import value
from tacit.place.files import to_disk

PLAN, RAN, DONE, PID = "plan.json", "ran.json", "done.json", "pid.json"
MARK = "TACIT_REPLAY"  # in the environment of everything that a replay runs


@value
class Attempt:
    """One run's folder, and how far it came."""

    folder: str
    ran: dict[str, Any] | None = None
    done: dict[str, Any] | None = None


class ReplayFolder:
    """One replay's folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._lock: int | None = None

    @property
    def id(self) -> str:
        return os.path.basename(self.folder)

    def __enter__(self) -> Self:
        """Keep others out: two processes on one replay would run its pairs twice."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self._lock = os.open(
            os.path.join(self.folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            self._lock = None
            raise StoreBusy(
                f"This replay is running already ({self.folder}).",
                "Wait for it, or end that process.",
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def plan(self) -> dict[str, Any] | None:
        """What was planned; None before that."""
        return read(os.path.join(self.folder, PLAN))

    def keep_plan(self, plan: dict[str, Any]) -> None:
        write(os.path.join(self.folder, PLAN), plan)

    def runs(self) -> list[dict[str, Any]]:
        """The runs that were judged, in the order in which they were planned."""
        found = [each.done for each in self._attempts() if each.done is not None]
        return sorted(found, key=lambda each: (each["pair"], each["order"]))

    def attempt(self, pair: int, order: int) -> Attempt:
        """The run that a pair needs: judged, over and still to be judged, or a new folder for it. What was cut off is cleared away."""
        name, count = f"{pair:04d}-{order}.", 0
        for each in self._attempts():
            beginning, _, number = os.path.basename(each.folder).rpartition(".")
            if f"{beginning}." != name:
                continue
            if each.ran is not None or each.done is not None:
                return each
            count = max(count, int(number))
            self._clear(each.folder)
        return Attempt(os.path.join(self.folder, f"{name}{count + 1}"))

    def _attempts(self) -> list[Attempt]:
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return []
        found = []
        for name in names:
            pair, _, rest = name.partition("-")
            if pair.isdecimal() and rest.replace(".", "").isdecimal():
                folder = os.path.join(self.folder, name)
                found.append(
                    Attempt(
                        folder, read(os.path.join(folder, RAN)), read(os.path.join(folder, DONE))
                    )
                )
        return found

    def _clear(self, folder: str) -> None:
        """End what was left running by a process that was killed, and throw its half of a run away; its number stays used."""
        left = read(os.path.join(folder, PID))
        if left is not None and _is_ours(left["pid"], self.id):
            try:
                os.killpg(left["pid"], signal.SIGKILL)
            except OSError:
                pass
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name == PID:
                continue
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.unlink(path)


def _is_ours(pid: int, id: str) -> bool:
    """Whether a process number still means what we started: numbers are used again, so its environment is asked."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"{MARK}={id}".encode() in file.read().split(b"\0")
    except OSError:
        return False


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
        raise TacitError(
            f"Reading a replay: {path} cannot be read ({error}).",
            "Move its folder away and start the replay anew.",
        ) from None
    return found if isinstance(found, dict) else None

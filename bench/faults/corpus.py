"""What fuzzing keeps: every input by its door, in one archive beside this file, which the test suite replays.

An input is called `sample-…`, `kept-…` or `crash-…` and the beginning of its digest. The archive is written anew as a whole, sorted and without
times, so that the same inputs make the same bytes.
"""

from __future__ import annotations

import fcntl
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

ARCHIVE = Path(__file__).with_name("corpus.zip")


def inputs(door: str = "") -> dict[str, bytes]:
    """The inputs of a door, or of all, by `door/name`."""
    if not ARCHIVE.exists():
        return {}
    with zipfile.ZipFile(ARCHIVE) as archive:
        return {
            name: archive.read(name)
            for name in archive.namelist()
            if not door or name.startswith(f"{door}/")
        }


def named(door: str, kind: str, raw: bytes) -> str:
    """What an input is called."""
    return f"{door}/{kind}-{sha256(raw).hexdigest()[:12]}"


def change(edit: Callable[[dict[str, bytes]], None]) -> None:
    """Edit the inputs, one process after the other."""
    with ARCHIVE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        every = inputs()
        edit(every)
        partial = ARCHIVE.with_suffix(".new")
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, raw in sorted(every.items()):
                archive.writestr(
                    zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), raw, zipfile.ZIP_DEFLATED
                )
        partial.replace(ARCHIVE)

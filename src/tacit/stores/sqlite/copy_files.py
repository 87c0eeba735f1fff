"""Copy a store's file and its write-ahead log as they are; by hand or as a program of its own.

`backup` starts this file by its path, isolated from every folder and variable that could put other code in its place: it may be called
inside a repository that is not the user's. So it imports the standard library alone.
"""

from __future__ import annotations

import hashlib
import os
import sys


def copy_files(path: str, aside: str) -> list[str]:
    """The copies, and for each the SHA-256 of what was read: "DIGEST PATH"."""
    copied = []
    for end in ("", "-wal"):
        if os.path.exists(path + end) and (not end or os.path.getsize(path + end)):
            os.close(os.open(aside + end, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            read = hashlib.sha256()
            with open(path + end, "rb") as source, open(aside + end, "wb") as copy:
                while block := source.read(1 << 20):
                    read.update(block)
                    copy.write(block)
                copy.flush()
                os.fsync(copy.fileno())
            copied.append(f"{read.hexdigest()} {aside}{end}")
    fd = os.open(os.path.dirname(aside) or ".", os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    return copied


def is_copied(told: str, aside: str) -> bool:
    """Whether everything that was said to be copied lies there and is what was read, the store's own file among it."""
    pairs = [line.split(" ", 1) for line in told.splitlines()]
    try:
        return any(pair[-1] == aside for pair in pairs) and all(
            len(pair) == 2 and _digest(pair[1]) == pair[0] for pair in pairs
        )
    except OSError:
        return False


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    print("\n".join(copy_files(*sys.argv[1:])))

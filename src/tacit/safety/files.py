"""The one way in for files that somebody else may have put there: a repository's, its git
directory's, a host's."""

from __future__ import annotations

import errno
import os
import stat

# How much is read at each door. A repository's settings are four keys, parsed before a prompt in which 64 kB would be felt; the
# configuration of a clone with ten thousand branches is longer; what a host loads into a prompt it cuts itself, at sizes of this order.
SETTINGS_LIMIT = 1 << 14
GIT_LIMIT = 1 << 20
PAGE_LIMIT = 4 << 20
# What git itself opens in a work tree, and how many files and folders are looked through for it.
OPENED_BY_GIT, MOST_LOOKED_AT = (".gitignore", ".gitattributes"), 300_000
LONGEST_PATH = 4096  # of Linux; to look for a longer one costs its length squared


def open_plain(path: str, *, follow: bool = True) -> int:
    """A descriptor of a plain file; OSError for whatever else lies there. A device is not even opened: some act on it."""
    if len(path) > LONGEST_PATH:
        raise OSError(errno.ENAMETOOLONG, "the path is too long")
    _must_be_plain(os.stat(path, follow_symlinks=follow))
    fd = os.open(
        path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    )
    try:
        _must_be_plain(os.fstat(fd))
    except OSError:
        os.close(fd)
        raise
    return fd


def read_plain(path: str, limit: int, *, follow: bool = True) -> bytes:
    """A plain file's bytes; OSError also where it has more than `limit`."""
    with open(open_plain(path, follow=follow), "rb") as file:
        found = file.read(limit + 1)
    if len(found) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes")
    return found


def kind_of(path: str) -> str:
    """What lies at a path that is no plain file, in a word for people."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def head_of(path: str, most: int) -> bytes:
    """The first bytes of a plain file; none where it cannot be read."""
    try:
        with open(open_plain(path), "rb") as file:
            return file.read(most)
    except (OSError, ValueError):  # a path may hold a NUL or half a character
        return b""


def pipe_for_git(root: str) -> str:
    """What git would open in a work tree, and wait for: the first that is no plain file; empty where there is none."""
    looked_at, folders = 0, [root]
    while folders and looked_at < MOST_LOOKED_AT:
        try:
            with os.scandir(folders.pop()) as found:
                entries = list(found)
        except OSError:
            continue  # git cannot look into it either
        looked_at += len(entries)
        for each in entries:
            if each.name in OPENED_BY_GIT and _is_none(each):
                return each.path
            if each.is_dir(follow_symlinks=False) and each.name != ".git":
                folders.append(each.path)
    return ""


def _is_none(entry: os.DirEntry[str]) -> bool:
    """Whether something lies there that is no plain file: a link to nothing is nothing."""
    try:
        return not stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return False


def _must_be_plain(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file")

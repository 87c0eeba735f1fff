"""The files of a work tree that Tacit reads and, where a person asked for it, writes: pages.

A file is replaced whole or not at all: a temporary one beside it, flushed to the disk, renamed over it, so that whoever
reads at any moment, and whatever happens at any moment, finds the old text or the new one. Before the rename the file is
read once more: what an editor saved in between is never written over. Links are followed, never replaced.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import stat
import zlib
from typing import Any

from tacit.core.digest import new_id
from tacit.core.errors import Refused, Unavailable
from tacit.safety.files import PAGE_LIMIT, head_of, open_plain

_MARK = ".tacit-"  # in the name of a temporary file; one that a killed process left behind is known by it


class WorkTree:
    """One work tree. Paths are relative to it, with `/`; none leads out of it except through a link, and then only to a page.

    A repository may bring a link along: what is written into its CLAUDE.md would stand in the user's shell profile.
    """

    def __init__(self, root: str, git_dir: str = "", limit: int = PAGE_LIMIT) -> None:
        self.root = os.path.realpath(root)
        self._git_dir, self._limit = git_dir, limit

    @property
    def head(self) -> str:
        """What is checked out, as git names it: a branch or a commit; empty without git."""
        return (
            head_of(os.path.join(self._git_dir, "HEAD"), 400).decode("utf-8", "replace").strip()
            if self._git_dir
            else ""
        )

    def path(self, name: str) -> str:
        """The full path of a name, which may not lead out of the work tree."""
        parts = name.replace("\\", "/").split("/")
        if not name or os.path.isabs(name) or ".." in parts or "\0" in name:
            raise Refused(
                f"{name!r} is not a file of this project.", "Name it from the top of the work tree."
            )
        return os.path.join(self.root, *parts)

    def real(self, name: str) -> str:
        """Where a name leads: from the top of the work tree, or a full path where a link leads out of it."""
        found = os.path.realpath(self.path(name))
        inside = os.path.commonpath([found, self.root]) == self.root
        return os.path.relpath(found, self.root) if inside else found

    def own(self, name: str) -> str:
        """The full path of a file that may be written: one of the work tree, or a page that a link of the person's leads to."""
        path = os.path.realpath(self.path(name))
        if os.path.commonpath([path, self.root]) != self.root and not path.lower().endswith(
            (".md", ".mdc", ".markdown", ".txt")
        ):
            told = f"{name} is a link that leads out of this project, to {path}."
            raise Refused(
                told,
                "That is no page. Put a file in the link's place, or let it lead to a Markdown file.",
            )
        return path

    def read(self, name: str) -> bytes | None:
        """A file's bytes; None where there is none."""
        try:
            return _read(os.path.realpath(self.path(name)), name, self._limit)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unavailable(
                f"{name} cannot be read: {error.strerror}.", "Check its permissions."
            ) from None

    def write(self, name: str, data: bytes, was: bytes | None) -> bool:
        """Replace a file that still holds `was` (None: that is not there); False, and nothing changed, if it does not."""
        path = self.own(name)
        folder = os.path.dirname(path)
        temporary = os.path.join(folder, f".{os.path.basename(path)}{_MARK}{new_id()}")
        try:
            if was is None:
                os.makedirs(folder, exist_ok=True)
            mode = stat.S_IMODE(os.stat(path).st_mode) if was is not None else 0o644
            _clear(folder, os.path.basename(path))
            put_file(temporary, data, mode)
            try:
                if not _unchanged(path, name, was, self._limit):
                    return False
                os.rename(temporary, path)
            finally:
                remove_file(temporary)
            to_disk(folder)
        except FileNotFoundError:
            return False  # it vanished after it was read
        except OSError as error:
            raise Unavailable(
                f"{name} cannot be written: {error.strerror}.",
                "Check the permissions of its folder.",
            ) from None
        return True

    def remove(self, name: str, was: bytes) -> bool:
        """Remove a file that still holds `was`; False, and nothing changed, if it does not."""
        path = self.own(name)
        try:
            if not _unchanged(path, name, was, self._limit):
                return False
            os.unlink(path)
            to_disk(os.path.dirname(path))
        except OSError as error:
            raise Unavailable(
                f"{name} cannot be removed: {error.strerror}.",
                "Check the permissions of its folder.",
            ) from None
        return True


def _read(path: str, name: str, limit: int) -> bytes:
    try:
        fd = open_plain(path)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR):
            raise Refused(
                f"{name} is not a plain file.", "Move it away, or keep another page."
            ) from None
        raise
    with open(fd, "rb") as file:
        size = os.fstat(fd).st_size
        if size > limit:
            raise Refused(
                f"{name} has {size:,} bytes; at most {limit:,} are read.",
                "No host reads such a file.",
            )
        return file.read(limit)


def _unchanged(path: str, name: str, was: bytes | None, limit: int) -> bool:
    try:
        return _read(path, name, limit) == was
    except FileNotFoundError:
        return was is None


def put_file(path: str, data: bytes, mode: int) -> None:
    """A new file with these bytes, on the disk; one that is there is never written over."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(fd, "wb") as file:
        file.write(data)
        file.flush()
        os.fchmod(fd, mode)
        os.fsync(fd)


def put_whole(path: str, data: bytes) -> None:
    """A file for its owner alone, whole or not at all, in place of what is there."""
    half = f"{path}.{new_id()}.half"
    try:
        put_file(half, data, 0o600)
        os.replace(half, path)
    except BaseException:
        remove_file(half)
        raise


def put_packed(path: str, what: Any) -> None:
    """The same of plain values, compressed."""
    text = json.dumps(what, ensure_ascii=False).encode("utf-8", "replace")
    put_whole(path, gzip.compress(text, 6, mtime=0))


def read_packed(path: str) -> Any:
    """What was put there; None where there is nothing, or nothing that can be read."""
    try:
        with gzip.open(path, "rb") as file:
            return json.loads(file.read())
    except (OSError, EOFError, ValueError, zlib.error):
        return None


def to_disk(path: str) -> None:
    """Make what was written to a file last, or the new entries of a folder."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _clear(folder: str, name: str) -> None:
    """Take away what a killed process left behind."""
    for each in os.listdir(folder):
        if each.startswith(f".{name}{_MARK}"):
            remove_file(os.path.join(folder, each))


def remove_file(path: str) -> None:
    """Take a file away, or find it gone."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass

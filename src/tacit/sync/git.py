"""A team's lines through git: a file per machine in `.tacit/`, which git carries and merges line by line.

Only this machine writes its file, and appends to it; it is written anew where words were erased. Commit and push remain the person's, and
nothing of git's own (hooks, configuration, index) is touched.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tacit.core.errors import Refused, Unavailable
from tacit.place.files import WorkTree
from tacit.place.git import ask_git
from tacit.sync.line import Gone, Item, Line, Push, items_in

FOLDER = ".tacit"
ATTRIBUTES = ".gitattributes"
MERGED = (
    b"# Lines may stand in any order: git keeps those of both sides.\n*.jsonl merge=union -text\n"
)
MOST = 256 << 20  # bytes of one machine's file
_END = ".jsonl"


class GitFolder:
    """The files of a work tree."""

    whole = True  # each run reads all that was ever told
    reached: Mapping[str, int] = {}

    def __init__(self, root: str, project: str) -> None:
        self.project = project  # the repository's first commit: what is signed counts for it alone
        self._tree = WorkTree(root, limit=MOST)
        self.root = self._tree.root
        self.path = os.path.join(self.root, FOLDER)

    def machines(self) -> list[str]:
        """The machines that have a file here."""
        if os.path.realpath(self.path) != self.path:
            raise Refused(
                f"{FOLDER} leads elsewhere: it is a link.",
                "Remove it; a plain folder is made in its place.",
            )
        try:
            names = sorted(os.listdir(self.path))
        except OSError:
            return []
        machines = [name[: -len(_END)] for name in names if name.endswith(_END)]
        return [each for each in machines if each.isalnum() and self._is_plain(each + _END)]

    def read(self, numbers: Mapping[str, int], mine: str) -> dict[str, list[Item]]:
        """All that stands in each machine's file: git brings lines in any order."""
        return {machine: self.items(machine) for machine in self.machines()}

    def lines_of(self, lessons: Sequence[str]) -> dict[str, list[Item]]:
        """Nothing beside what was read."""
        return {}

    def items(self, machine: str) -> list[Item]:
        """What stands in one machine's file."""
        return [*items_in(self._tree.read(self.name(machine)) or b"", machine)]

    def send(self, machine: str, new: Sequence[Line | Push], gone: Mapping[bytes, str]) -> None:
        """Append to this machine's file; lines of what was erased (`gone`: digest and lesson) leave only their digest there."""
        name = self.name(machine)
        if not self._is_plain(machine + _END):
            raise Refused(f"{name} is a link and is not written.", "Remove it and sync again.")
        was = self._tree.read(name)
        data = was or b""
        items = [*items_in(data, machine)] if gone else []
        if any(isinstance(item, Line) and item.digest in gone for item in items):
            data = _told(_without(item, gone) for item in items if not _is_none(item))
        data += b"" if not data or data.endswith(b"\n") else b"\n"
        data += _told(new)
        if data == (was or b""):
            return
        self._attributes()
        if not self._tree.write(name, data, was):
            raise Unavailable(
                f"{name} was changed while it was written; nothing is lost.", "Sync again."
            )

    def _attributes(self) -> None:
        name = f"{FOLDER}/{ATTRIBUTES}"
        if self._is_plain(ATTRIBUTES) and self._tree.read(name) is None:
            self._tree.write(name, MERGED, None)

    def remove(self) -> list[str]:
        """Take away what was written here; what went. Git still has what was committed."""
        names = [f"{each}{_END}" for each in self.machines()]
        if self._is_plain(ATTRIBUTES) and self._tree.read(f"{FOLDER}/{ATTRIBUTES}") == MERGED:
            names.append(ATTRIBUTES)
        for name in names:
            os.unlink(os.path.join(self.path, name))
        try:
            os.rmdir(self.path)
        except OSError:
            pass  # somebody keeps settings there, or there is none
        return [f"{FOLDER}/{name}" for name in names]

    def uncommitted(self, machine: str) -> int:
        """Lines of this machine's file that stand in no commit yet."""
        name = self.name(machine)
        told = ask_git(self.root, "--literal-pathspecs", "show", f"HEAD:./{name}", timeout=30.0)
        committed = told.stdout if told is not None and not told.returncode else ""
        here = (self._tree.read(name) or b"").decode("utf-8", "replace")
        return len(set(here.splitlines()) - set(committed.splitlines()))

    def name(self, machine: str) -> str:
        """A machine's file, from the top of the work tree."""
        return f"{FOLDER}/{machine}{_END}"

    def _is_plain(self, name: str) -> bool:
        full = os.path.join(self.path, name)
        plain = os.path.isfile(full) or not os.path.lexists(full)
        return os.path.realpath(full) == full and plain


def _without(item: Item, gone: Mapping[bytes, str]) -> Item:
    is_gone = isinstance(item, Line) and item.digest in gone
    return Gone(item.machine, item.digest) if is_gone else item


def _is_none(item: Item) -> bool:
    return not isinstance(item, (Line, Push, Gone))


def _told(items: Sequence[Item]) -> bytes:
    return "".join(f"{item.body}\n" for item in items).encode()

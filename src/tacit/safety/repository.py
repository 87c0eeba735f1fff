"""The repository of a session as it stood before the session began: what its files say vouches for
names."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from tacit.place.git import ask_git

LONG = 20.0  # seconds for a question over a whole tree


@dataclass
class Repository:
    """Questions to git about one commit; each is asked once."""

    root: str = ""
    commit: str = ""
    trees: tuple[str, ...] = ()  # the work trees of this repository, the session's own first
    branches: frozenset[str] = frozenset()  # local ones
    files: frozenset[str] = frozenset()  # tracked paths, below the root
    _held: dict[tuple[str, str], bool] = field(default_factory=dict)
    _known: dict[str, bool] = field(default_factory=dict)

    def tracks(self, path: str) -> bool:
        """Whether the commit has this path, or files below it; relative to the root."""
        plain = os.path.normpath(path)
        return plain in self.files or plain in self._folders

    @property
    def _folders(self) -> frozenset[str]:
        found = self.__dict__.get("_every_folder")
        if found is None:
            parents = (path.rpartition("/")[0] for path in self.files)
            found = frozenset(
                "/".join(parts[:n])
                for parent in set(parents)
                if (parts := parent.split("/"))
                for n in range(1, len(parts) + 1)
            ) | {"."}
            self.__dict__["_every_folder"] = found
        return found

    def holds(self, name: str) -> bool:
        """Whether a tracked file, or the name of one, has this text; `program … word`: both in a line."""
        program, apart, word = name.partition(" … ")
        if not self.commit or not name.strip():
            return False
        if not apart and any(name in path for path in self.files):
            return True
        if apart:
            behind = rf"(^|[^[:alnum:]_/-]){_escaped(program)}[^|;&]{{0,60}}[^[:alnum:]_-]{_escaped(word)}([^[:alnum:]_-]|$)"
            return self._grep("-E", behind)
        return self._grep("-F", name)

    def _grep(self, kind: str, pattern: str) -> bool:
        if (kind, pattern) not in self._held:
            asked = ask_git(
                self.root, "grep", "-qIi", kind, "-e", pattern, self.commit, timeout=LONG
            )
            self._held[kind, pattern] = asked is not None and asked.returncode == 0
        return self._held[kind, pattern]

    def has_taken_in(self, ref: str) -> bool:
        """Whether a ref is an ancestor of the commit."""
        if not self.commit or ref.startswith("-"):
            return False
        if ref not in self._known:
            asked = ask_git(self.root, "merge-base", "--is-ancestor", ref, self.commit)
            self._known[ref] = asked is not None and asked.returncode == 0
        return self._known[ref]


NOWHERE = Repository()


def _escaped(word: str) -> str:
    return re.sub(r"([.\[\]{}()*+?^$|\\])", r"\\\1", word)


def repository_before(folder: str, began: str, commit: str = "") -> Repository:
    """The repository around a folder as it stood when a session began. `commit`: HEAD by the host's own record."""
    if not folder or not os.path.isdir(folder):
        return NOWHERE
    root = _answer(folder, "rev-parse", "--show-toplevel")
    if not root:
        return NOWHERE
    at = ""
    if re.fullmatch(r"[0-9a-f]{40}", commit):
        at = _answer(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if not at and began:
        at = _answer(root, "rev-list", "-1", f"--before={began}", "HEAD")
    if not at:
        return Repository(root=root, trees=(root,))
    listed = ask_git(root, "ls-tree", "-r", "-z", "--name-only", at, timeout=LONG)
    names = listed.stdout.split("\0") if listed is not None and not listed.returncode else ()
    trees = _answer(root, "worktree", "list", "--porcelain")
    others = [line[9:] for line in trees.split("\n") if line.startswith("worktree ")]
    heads = _answer(root, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    return Repository(
        root,
        at,
        tuple(dict.fromkeys((root, *others))),
        frozenset(heads.split()),
        frozenset(names) - {""},
    )


def _answer(folder: str, *words: str) -> str:
    asked = ask_git(folder, *words)
    return asked.stdout.strip() if asked is not None and not asked.returncode else ""

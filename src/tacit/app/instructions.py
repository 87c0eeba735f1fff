"""The instruction files of a work tree: what hosts load from it, read like everything that a repository brings."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tacit.guard.files import head_of, open_plain
from tacit.hosts import every_host
from tacit.learn.lines import KnownLines

OTHER_INSTRUCTIONS = ("MEMORY.md", "CONVENTIONS.md")  # beside those that hosts load


def instruction_lines(root: str, loaded: Mapping[str, str] | None = None) -> dict[str, str]:
    """The lines of a folder's instruction files, spelled for comparing, each with the file it stands in; `loaded` are those that a host
    says a session had, by path: nested ones and what they include count where they lie in the folder."""
    found = KnownLines()
    inside = {
        path[len(root) + 1 :]: text for path, text in (loaded or {}).items() if path.startswith(f"{root}{os.sep}")
    }
    for name, text in (inside | instruction_files(root)).items():
        for line in text.splitlines():
            found.add(line, name)
    return found


def instruction_files(root: str) -> dict[str, str]:
    """The instruction files that lie in a folder, by name."""
    loaded = [name for host in every_host().values() for name in host.instructions]
    heads = {name: head_of(os.path.join(root, name), 256_000) for name in (*loaded, *OTHER_INSTRUCTIONS)}
    return {name: head.decode("utf-8", "replace") for name, head in heads.items() if head}


def unreadable_instructions(root: str) -> list[str]:
    """Which of them are there and cannot be read, a sentence each."""
    found = []
    for name in dict.fromkeys(
        name for host in every_host().values() for name in (*host.instructions, *OTHER_INSTRUCTIONS)
    ):
        try:
            os.close(open_plain(os.path.join(root, name)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            found.append(f"{os.path.join(root, name)} cannot be read: {error.strerror}; left out")
    return found

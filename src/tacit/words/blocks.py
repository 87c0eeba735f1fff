"""An instruction file in blocks, by its headings, with what each costs; and the file without
some of its lines."""

from __future__ import annotations

import re

from tacit.core.value import value

CHARS_OF_TOKEN = 4  # as everywhere: a token for every four characters begun
_NAMED = re.compile(r"(?P<file>[^:]+):(?P<first>\d+)(?:-(?P<last>\d+))?")


@value
class Block:
    """Some lines of a file that every session loads."""

    file: str
    first: int  # lines, from 1
    last: int
    title: str
    text: str

    @property
    def name(self) -> str:
        """As `tacit replay --without` takes it."""
        return f"{self.file}:{self.first}-{self.last}"

    @property
    def tokens(self) -> int:
        """What it takes in every context that loads it, estimated."""
        return -(-len(self.text) // CHARS_OF_TOKEN)


def named_block(name: str, text: str) -> Block | None:
    """The lines that a name such as CLAUDE.md:12-18 stands for; None where there are none."""
    found = _NAMED.fullmatch(name)
    lines = text.splitlines()
    if found is None:
        return None
    first, last = int(found["first"]), int(found["last"] or found["first"])
    part = "\n".join(lines[first - 1 : last])
    return (
        Block(found["file"], first, last, part.strip().splitlines()[0].lstrip("# "), part)
        if 1 <= first <= last <= len(lines) and part.strip()
        else None
    )


def file_of_name(name: str) -> str:
    """The file of such a name; empty where it is none."""
    found = _NAMED.fullmatch(name)
    return found["file"] if found else ""


def without_block(text: str, block: str) -> str | None:
    """A text without these lines, wherever they stand in it; None where they do not."""
    lines, wanted = text.splitlines(keepends=True), [line.rstrip() for line in block.splitlines()]
    plain = [line.rstrip() for line in lines]
    for at in range(len(plain) - len(wanted) + 1):
        if plain[at : at + len(wanted)] == wanted:
            return "".join([*lines[:at], *lines[at + len(wanted) :]])
    return None

"""Vocabulary and rules as data: a plain text beside the module that uses it, `noise.txt` beside `noise.py`.

A line `[NAME]` begins a table, `# ` a reason, spaces go on with the line before. `{NAME}` stands for another table of the same file, its
lines as alternatives. So a list of words, of expressions or of rows (cut at tabs) can be read and changed without reading code.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Tables:
    """The tables of one file, by name."""

    def __init__(self, module: str) -> None:
        self._lines: dict[str, list[str]] = {}
        table: list[str] = []
        with open(f"{module.rpartition('.')[0]}.txt", encoding="utf-8") as file:
            for line in file.read().split("\n"):
                if (
                    line[:1] == "["
                    and line[-1] == "]"
                    and line[1:-1].replace("_", "A").isalnum()
                    and line.isupper()
                ):
                    table = self._lines[line[1:-1]] = []
                elif line[:1] == " ":
                    table[-1] += line.lstrip(" ")
                elif line and line[:2] != "# ":
                    table.append(line)

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a table, in order."""
        return tuple(self._filled(line) if "{" in line else line for line in self._lines[name])

    def text(self, name: str) -> str:
        """The lines as alternatives of one expression."""
        return "|".join(self.lines(name))

    def pattern(self, name: str, flags: int = 0) -> re.Pattern[str]:
        """The expression that the lines are the alternatives of."""
        return re.compile(self.text(name), flags)

    def listed(self, name: str) -> tuple[str, ...]:
        """The words of a table, in order."""
        return tuple(" ".join(self._lines[name]).split())

    def words(self, name: str) -> frozenset[str]:
        """The words of a table."""
        return frozenset(self.listed(name))

    def rows(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The lines, each cut at its tabs."""
        return tuple(tuple(line.split("\t")) for line in self.lines(name))

    def named(self, name: str) -> Mapping[str, str]:
        """Rows of two fields, the second by the first."""
        return dict(line.split("\t") for line in self.lines(name))

    def _filled(self, line: str) -> str:
        first, *others = line.split("{")
        for each in others:
            name, _, rest = each.partition("}")
            first += self.text(name) + rest if name in self._lines else "{" + each
        return first

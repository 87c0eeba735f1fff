"""How things look on a terminal: short, aligned, never wider than the screen."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from tacit.screens.wording import MOVED

if TYPE_CHECKING:
    from tacit.cli.verb import Cli
    from tacit.core.journal import Entry
    from tacit.lesson import Lesson

# A colour stands for a meaning: what does good, what waits for somebody, what does harm, what needs no eye.
_COLOURS = {
    "good": "32",
    "wait": "33",
    "bad": "31",
    "quiet": "2",
    "plain": "",
    "bold": "1",
    "id": "36",
}
WIDEST = 118  # columns; longer lines are hard to read
PIPE_CHARACTERS = 2000  # characters of a text on one line of a pipe
LEAST = 8  # columns that a cell keeps
WITHHELD_HERE = (
    "(withheld from this run by its coin; tacit why with its id shows it, and that is noted)"
)
_COLUMNS = ("id", "state", "kind", "seen", "text")  # where no profile is at hand


def paint(cli: Cli, meaning: str, text: str) -> str:
    """Text in the colour of its meaning, where colours are wanted."""
    colour = _COLOURS[meaning]
    return f"\x1b[{colour}m{text}\x1b[0m" if colour and text and cli.colour else text


def width() -> int:
    """Columns of the terminal; in a pipe as many as COLUMNS says, or a wide screen's."""
    try:
        return max(40, os.get_terminal_size(1).columns or 80)  # one whose size nobody set
    except OSError:
        told = os.environ.get("COLUMNS", "")
        return max(40, int(told)) if told.isdigit() else 120


def one_line(text: str, limit: int) -> str:
    """A text on one line, cut with an ellipsis where it takes more columns; control characters shown, not obeyed."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if columns(flat) <= limit:
        return flat
    while columns(flat) > max(1, limit - 1):
        flat = flat[: min(len(flat) - 1, limit)]
    return flat + "…"


def columns(text: str) -> int:
    """How many columns a text takes on a terminal: colours none, wide characters two."""
    if text.isascii() and "\x1b" not in text:
        return len(text)
    plain = _unpainted(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in plain)


def _unpainted(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def wrapped(text: str, before: int = 0, most: int = 100) -> list[str]:
    """A sentence in lines that fit, with so many columns before them."""
    room = max(30, min(width(), most) - before)
    flat = printable(text).replace("\n", " ")
    return textwrap.wrap(flat, room, break_on_hyphens=False) or [""]


def wrapped_text(text: str, columns: int) -> str:
    """An answer whose sentences are broken at words, below their own beginning; painted lines are left alone."""
    lines: list[str] = []
    for line in text.split("\n"):
        body = line.lstrip(" ")
        indent = " " * (len(line) - len(body) + (2 if body.startswith(("- ", "* ")) else 0))
        fits = len(line) <= columns or "\x1b" in line
        how = {"subsequent_indent": indent, "break_long_words": False, "break_on_hyphens": False}
        lines += [line] if fits else textwrap.wrap(line, max(30, columns), **how)  # type: ignore[arg-type]
    return "\n".join(lines)


def hung(head: str, text: str, most: int = 100) -> list[str]:
    """A sentence behind what stands before it, going on below its own beginning."""
    before = columns(head)
    first, *rest = wrapped(text, before, most)
    return [head + first, *(" " * before + line for line in rest)]


def printable(text: str) -> str:
    """A stored text for the terminal: line breaks stay, other control characters do not reach it."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def table(
    rows: Sequence[Sequence[str]], heads: Sequence[str] = (), *, before: int = 0, flow: bool = False
) -> str:
    """Columns aligned by their widest cell, on a terminal never wider than it: the widest gives way.

    What is cut loses its colour; with `flow` the last cell goes on below itself instead, whole.
    """
    lines = [[*heads], *map(list, rows)] if heads else [*map(list, rows)]
    if not lines:
        return ""
    widths = [max(columns(line[i]) for line in lines) for i in range(len(lines[0]))]
    if sys.stdout.isatty():
        room = width() - before - 2 * (len(widths) - 1)
        lines = _fitted(lines, _narrowed(widths, room), flow)
        widths = [max(columns(line[i]) for line in lines) for i in range(len(widths))]
    padded = (
        [cell + " " * (wide - columns(cell)) for cell, wide in zip(line, widths)] for line in lines
    )
    return "\n".join(" " * before + "  ".join(line).rstrip() for line in padded)


def _narrowed(widths: Sequence[int], room: int) -> list[int]:
    """The widths that fit; the first is what one names a row by, and stays."""
    found = [*widths]
    while sum(found) > room and max(found[1:], default=0) > LEAST:
        found[max(range(1, len(found)), key=found.__getitem__)] -= 1
    return found


def _fitted(lines: list[list[str]], widths: Sequence[int], flow: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines:
        cut = [
            cell if columns(cell) <= wide else one_line(_unpainted(cell), wide)
            for cell, wide in zip(line, widths)
        ]
        if flow and cut[-1] != line[-1]:
            double = columns(line[-1]) > len(line[-1])  # a character may take two columns
            said = textwrap.wrap(line[-1], max(4, widths[-1] // (2 if double else 1)))
            rows.append([*cut[:-1], said[0]])
            rows += [[*[""] * (len(cut) - 1), each] for each in said[1:]]
        else:
            rows.append(cut)
    return rows


def filled(
    rows: Sequence[Sequence[str]], heads: Sequence[str]
) -> tuple[list[list[str]], list[str]]:
    """Rows and heads without the columns in which no row says anything."""
    at = [i for i in range(len(heads)) if any(row[i].strip() not in ("", "-") for row in rows)]
    return [[row[i] for i in at] for row in rows], [heads[i] for i in at]


def memory_line(
    memory: Lesson,
    names: Sequence[str] = _COLUMNS,
    signer: str = "",
    standing: str = "",
    stage: str = "",
) -> list[str]:
    """A memory in a list, in a profile's columns; a team mate's with who signed it.

    `standing` is how it stands, as people say it, `stage` where, in an origin's words.
    """
    held = "" if memory.gate == "allow" else f"/{memory.gate}"
    told = {"standing": standing, "text": _cell(memory, "text")}
    told["state"] = f"{'*' if memory.pinned else ' '}{stage or memory.state}{held}"
    if held and not {"state", "standing"} & set(names):  # its columns would not tell
        told["text"] = f"({'held' if memory.gate == 'hold' else memory.gate}) {told['text']}"
    if signer:
        told["text"] += f"  (signed: {signer})"
    return [told.get(name) or _cell(memory, name) for name in names]


def heads(names: Sequence[str], memory: str = "lesson") -> list[str]:
    """What stands above them."""
    told = {"state": " state", "name": "id", "frequency": "freq", "task_type": "task"}
    told |= {"text": memory, "standing": "how it stands"}
    return [told.get(name, name) for name in names]


def _cell(memory: Lesson, name: str) -> str:
    if name == "text":
        return one_line(memory.text, PIPE_CHARACTERS) if memory.text else "(erased)"
    if name == "seen":
        return f"{memory.tally.seen}x" if memory.tally.seen else "-"
    if name == "frequency":  # a person's word is one
        return str(int((memory.tally.signals or {}).get("frequency", max(1, memory.tally.seen))))
    if name == "confidence":
        return "-" if memory.tally.confidence is None else f"{memory.tally.confidence:.2f}"
    return (memory.alias or memory.id) if name == "name" else str(getattr(memory, name) or "-")


def entry_line(entry: Entry) -> list[str]:
    """A journal entry in a list; where a lesson went in the words of the other screens, the inner ones are in --json."""
    to = entry.after.get("state", "") if entry.before else ""
    why = one_line((f"{MOVED.get(to, to)}: " if to else "") + entry.reason, PIPE_CHARACTERS)
    at = entry.at[:19].replace("T", " ")
    return [str(entry.id or "-"), at, entry.verb, entry.memory, entry.by, why]


def parts_line(explain: Mapping[str, Any]) -> str:
    """A score as its parts: what fits, added up, times what is known."""
    fits, known = explain["fits"], explain["known"]
    said = " + ".join(f"{name} {part:.3g}" for name, part in fits.items() if part) or "nothing fits"
    factors = " × ".join(f"{name} {factor:.3g}" for name, factor in known.items())
    return f"({said}) × {factors}" if factors else said

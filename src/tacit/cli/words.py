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

    return sum(
        0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in unpainted(text)
    )


def unpainted(text: str) -> str:
    """A text without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def wrapped(text: str, before: int = 0, most: int = 100) -> list[str]:
    """A sentence in lines that fit, with so many columns before them."""
    return textwrap.wrap(
        printable(text).replace("\n", " "),
        max(30, min(width(), most) - before),
        break_on_hyphens=False,
    ) or [""]


def hung(head: str, text: str, most: int = 100) -> list[str]:
    """A sentence behind what stands before it, going on below its own beginning."""
    before = columns(head)
    first, *rest = wrapped(text, before, most)
    return [head + first, *(" " * before + line for line in rest)]


def diff_lines(cli: Cli, patch: Mapping[str, Any] | None, before: int = 2) -> list[str]:
    """A line of a file as it stands and as it would, with so many columns before it."""
    if patch is None:
        return []
    lines = [f"{' ' * before}{patch['file']}, line {patch['number']}:"]
    for sign, name, tone in (("-", "before", "bad"), ("+", "after", "good")):
        first, *rest = wrapped(patch[name].strip(), before + 2)
        lines += [
            " " * before + paint(cli, tone, line)
            for line in (f"{sign} {first}", *(f"  {line}" for line in rest))
        ]
    return lines


def printable(text: str) -> str:
    """A stored text for the terminal: line breaks stay, other control characters do not reach it."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def table(
    rows: Sequence[Sequence[str]], heads: Sequence[str] = (), *, before: int = 0, flow: bool = False
) -> str:
    """Columns aligned by their widest cell, never wider than the screen: the last one is cut to what is left, and before it the widest.

    With `flow` the last one goes on below itself instead, whole. Cells may be painted; what is cut loses its colour. A pipe
    gets everything.
    """
    lines = [list(heads), *map(list, rows)] if heads else list(map(list, rows))
    if not lines:
        return ""
    if sys.stdout.isatty():
        lines = _flowing(lines, width() - before) if flow else _fitted(lines, width() - before)
    widths = [max(columns(line[i]) for line in lines) for i in range(len(lines[0]))]
    padded = (
        [cell + " " * (widths[i] - columns(cell)) for i, cell in enumerate(line)] for line in lines
    )
    return "\n".join(" " * before + "  ".join(line).rstrip() for line in padded)


def filled(
    rows: Sequence[Sequence[str]], heads: Sequence[str]
) -> tuple[list[list[str]], list[str]]:
    """Rows and heads without the columns in which no row says anything."""
    at = [i for i in range(len(heads)) if any(row[i].strip() not in ("", "-") for row in rows)]
    return [[row[i] for i in at] for row in rows], [heads[i] for i in at]


WIDEST = 118  # columns; longer lines are hard to read
PIPE_CHARACTERS = 2000  # characters of a text on one line of a pipe
LEAST = 24  # columns that the last cell of a row keeps, where the screen has them


def _flowing(lines: list[list[str]], room: int) -> list[list[str]]:
    """The same rows, each with as many lines as its last cell needs."""
    cut = _fitted(lines, room)
    widths = [max(columns(line[i]) for line in cut) for i in range(len(cut[0]))]
    rows: list[list[str]] = []
    for whole, line in zip(lines, cut):
        if whole[-1] == line[-1]:
            rows.append(line)
            continue
        wide = columns(whole[-1]) > len(whole[-1])  # a character may take two columns
        most = max(8, widths[-1]) // (2 if wide else 1)
        first, *rest = textwrap.wrap(whole[-1], most, break_on_hyphens=False) or [""]
        rows += [[*line[:-1], first], *([""] * (len(line) - 1) + [each] for each in rest)]
    return rows


def _fitted(lines: list[list[str]], room: int) -> list[list[str]]:
    """The same rows with cells cut so that a row takes no more than `room` columns."""
    widths = [max(columns(line[i]) for line in lines) for i in range(len(lines[0]))]
    gaps = 2 * (len(widths) - 1)
    while len(widths) > 1 and sum(widths[:-1]) + gaps + min(LEAST, widths[-1]) > room:
        at = max(
            range(1, len(widths) - 1), key=widths.__getitem__, default=0
        )  # the first is what one names a row by
        if widths[at] <= 6:
            break
        widths[at] -= 1
    widths[-1] = max(8, min(widths[-1], room - sum(widths[:-1]) - gaps))
    return [
        [
            cell if columns(cell) <= widths[i] else one_line(unpainted(cell), widths[i])
            for i, cell in enumerate(line)
        ]
        for line in lines
    ]


WITHHELD_HERE = (
    "(withheld from this run by its coin; tacit why with its id shows it, and that is noted)"
)
_COLUMNS = ("id", "state", "kind", "seen", "text")  # where no profile is at hand


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
    told = {"standing": standing, "text": _cell(memory, "text")}
    told["state"] = _stands(memory, stage or memory.state)
    if memory.gate != "allow" and not {"state", "standing"} & set(names):
        # its columns would not tell
        told["text"] = f"({'held' if memory.gate == 'hold' else memory.gate}) {told['text']}"
    if signer:
        told["text"] += f"  (signed: {signer})"
    return [told.get(name) or _cell(memory, name) for name in names]


def heads(names: Sequence[str], memory: str = "lesson") -> list[str]:
    """What stands above them."""
    told = {
        "state": " state",
        "name": "id",
        "frequency": "freq",
        "task_type": "task",
        "text": memory,
        "standing": "how it stands",
    }
    return [told.get(name, name) for name in names]


def _stands(memory: Lesson, stage: str) -> str:
    held = "" if memory.gate == "allow" else f"/{memory.gate}"
    return f"{'*' if memory.pinned else ' '}{stage}{held}"


def _cell(memory: Lesson, name: str) -> str:
    if name == "text":
        return one_line(memory.text, PIPE_CHARACTERS) if memory.text else "(erased)"
    if name == "seen":
        return f"{memory.tally.seen}x" if memory.tally.seen else "-"
    if name == "frequency":
        # a person's word is one
        return str(int((memory.tally.signals or {}).get("frequency", max(1, memory.tally.seen))))
    if name == "confidence":
        return "-" if memory.tally.confidence is None else f"{memory.tally.confidence:.2f}"
    return (memory.alias or memory.id) if name == "name" else str(getattr(memory, name) or "-")


def entry_line(entry: Entry) -> list[str]:
    """A journal entry in a list; where a lesson went in the words of the other screens, the inner ones are in --json."""
    to = entry.after.get("state", "") if entry.before else ""
    moved = f"{MOVED.get(to, to)}: " if to else ""
    return [
        str(entry.id or "-"),
        entry.at[:19].replace("T", " "),
        entry.verb,
        entry.memory,
        entry.by,
        one_line(moved + entry.reason, PIPE_CHARACTERS),
    ]


def parts_line(explain: Mapping[str, Any]) -> str:
    """A score as its parts: what fits, added up, times what is known."""
    fits, known = explain["fits"], explain["known"]
    said = " + ".join(f"{name} {part:.3g}" for name, part in fits.items() if part) or "nothing fits"
    factors = " × ".join(f"{name} {factor:.3g}" for name, factor in known.items())
    return f"({said}) × {factors}" if factors else said

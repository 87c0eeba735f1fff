"""How things look on a terminal: short, aligned, never wider than the screen."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Entry
    from tacit.core.memory import Memory
    from tacit.surfaces.cli import Cli

_COLOURS = {"dim": "2", "bold": "1", "red": "31", "green": "32", "yellow": "33", "blue": "34"}


def paint(cli: Cli, colour: str, text: str) -> str:
    """Text in a colour, where colours are wanted."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if cli.colour else text


def width() -> int:
    """Columns of the terminal."""
    import os

    try:
        return max(40, os.get_terminal_size(1).columns)
    except OSError:
        return 120


def one_line(text: str, limit: int) -> str:
    """A text on one line, cut with an ellipsis; control characters shown, not obeyed."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: max(1, limit - 1)] + "…"


def printable(text: str) -> str:
    """A stored text for the terminal: line breaks stay, other control characters do not reach it."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def table(rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """Columns aligned by their widest cell; the last one as it is."""
    lines = [list(heads), *map(list, rows)] if heads else list(map(list, rows))
    if not lines:
        return ""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(widths[i]) if i + 1 < len(line) else cell for i, cell in enumerate(line)).rstrip()
        for line in lines
    )


WITHHELD_HERE = "(withheld from this run by its coin; tacit show with its id shows it, and that is noted)"
COLUMNS = ("id", "state", "kind", "seen", "text")


def memory_line(memory: Memory, columns: Sequence[str] = COLUMNS, signer: str = "") -> list[str]:
    """A memory in a list, in a profile's columns; a team mate's with who signed it."""
    return [_cell(memory, name) + (f"  (signed: {signer})" if signer and name == "text" else "") for name in columns]


def heads(columns: Sequence[str], memory: str = "lesson") -> list[str]:
    """What stands above them."""
    told = {"state": " state", "name": "id", "frequency": "freq", "task_type": "task", "text": memory}
    return [told.get(name, name) for name in columns]


def _cell(memory: Memory, name: str) -> str:
    if name == "state":
        state = memory.state if memory.gate == "allow" else f"{memory.state}/{memory.gate}"
        return ("*" if memory.pinned else " ") + state
    if name == "text":
        return one_line(memory.text, max(30, width() - 50)) if memory.text else "(erased)"
    if name == "seen":
        return f"{memory.tally.seen}x" if memory.tally.seen else "-"
    if name == "frequency":
        return str(int((memory.tally.signals or {}).get("frequency", max(1, memory.tally.seen))))  # a person's word is one
    if name == "confidence":
        return "-" if memory.tally.confidence is None else f"{memory.tally.confidence:.2f}"
    return (memory.alias or memory.id) if name == "name" else str(getattr(memory, name) or "-")


def entry_line(entry: Entry) -> list[str]:
    """A journal entry in a list."""
    moved = (
        f"{entry.before.get('state', '')} → {entry.after['state']}: " if "state" in entry.after and entry.before else ""
    )
    return [
        str(entry.id),
        entry.at[:19].replace("T", " "),
        entry.verb,
        entry.memory,
        entry.by,
        one_line(moved + entry.reason, max(30, width() - 70)),
    ]


def parts_line(explain: Mapping[str, Any]) -> str:
    """A score as its parts: what fits, added up, times what is known."""
    fits, known = explain["fits"], explain["known"]
    said = " + ".join(f"{name} {part:.3g}" for name, part in fits.items() if part) or "nothing fits"
    factors = " × ".join(f"{name} {factor:.3g}" for name, factor in known.items())
    return f"({said}) × {factors}" if factors else said

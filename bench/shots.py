"""The terminal's screens as pictures: what commands print on a terminal of 80 columns, in light and in dark.

    python bench/shots.py docs/shots bare= list=list 'why=why k3v9' review=review …

Each NAME=WORDS is `tacit WORDS`, called here (the current folder, your HOME), and becomes terminal-NAME-light-80.svg and …-dark-80.svg. Needs rich.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import sys
import termios

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COLUMNS, ROWS = 80, 500
DARK = (
    (24, 24, 24),
    (220, 220, 220),
    [
        (30, 30, 30),
        (255, 110, 110),
        (120, 220, 120),
        (240, 190, 90),
        (120, 170, 255),
        (220, 140, 220),
        (90, 210, 220),
        (220, 220, 220),
    ],
)
LIGHT = (
    (255, 255, 255),
    (30, 30, 30),
    [
        (30, 30, 30),
        (176, 0, 32),
        (0, 110, 40),
        (138, 90, 0),
        (0, 70, 170),
        (130, 30, 130),
        (0, 105, 120),
        (90, 90, 90),
    ],
)
_GONE = re.compile(
    r"[^\n]*\r(?:\x1b\[[0-9?]*[A-Za-z])*\x1b\[2?K"
)  # a line that the next one replaced


def said(words: list[str]) -> str:
    """What a command prints on a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.environ |= {
            "COLUMNS": str(COLUMNS),
            "LINES": str(ROWS),
            "TERM": "xterm-256color",
            "PAGER": "cat",
        }
        os.execv(sys.executable, [sys.executable, "-m", "tacit", *words])
    parts = []
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other side is gone
            break
        if not part:
            break
        parts.append(part)
    os.waitpid(pid, 0)
    os.close(terminal)
    text = b"".join(parts).decode("utf-8", "replace").replace("\r\n", "\n")
    # whose machine it is stays out of the picture
    return _GONE.sub("", text).replace(os.path.expanduser("~"), "/home/me")


def picture(
    title: str,
    text: str,
    colours: tuple[tuple[int, int, int], tuple[int, int, int], list[tuple[int, int, int]]],
) -> str:
    """An SVG of it."""
    nowhere = open(os.devnull, "w")  # noqa: SIM115
    console = Console(
        record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor"
    )
    console.print(Text(f"$ {title}", style="bold"))
    console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=False)
    return console.export_svg(title=title, theme=TerminalTheme(*colours))


def main() -> None:
    folder, *shots = sys.argv[1:]
    for shot in shots:
        name, _, words = shot.partition("=")
        text = said(shlex.split(words))
        for mode, colours in (("light", LIGHT), ("dark", DARK)):
            with open(
                os.path.join(folder, f"terminal-{name}-{mode}-{COLUMNS}.svg"), "w", encoding="utf-8"
            ) as file:
                file.write(picture(f"tacit {words}".strip(), text, colours))
        print(f"{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()

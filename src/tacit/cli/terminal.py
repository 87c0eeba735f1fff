"""What only a terminal gets: a pager for long answers, and a line that says what is going on. A pipe never sees either.

Where `rich` is installed, its spinner shows that something is going on; without it the line does.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.hosts import SHELLS

if TYPE_CHECKING:
    from tacit.cli.verb import Cli

_PATIENCE = 1.0  # seconds before anybody is told
TICK = 0.25


class Ticker:
    """Says after a second that a command is still at work, and for how long; what the command told last goes on with its seconds."""

    def __init__(self, cli: Cli, verb: str) -> None:
        self.cli, self.verb = cli, verb
        self.began = self.last = time.monotonic()
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.shown = self.said = ""
        self.status: Any = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def told(self, text: str) -> None:
        """The command has said something itself: its line, not ours."""
        with self.lock:
            self._hide()
            self.said, self.last = text.strip(), time.monotonic()
            self.shown = "theirs"  # it leaves a line that has to go in the end

    def stop(self) -> None:
        """Take the line away; nothing is written afterwards."""
        self.over.set()
        with self.lock:
            self._hide()
            if self.shown:
                self.cli.err.write("\r\x1b[K")
                self.cli.err.flush()
        self.thread.join(1.0)

    def _run(self) -> None:
        while not self.over.wait(TICK):
            with self.lock:
                now = time.monotonic()
                if self.over.is_set() or now - self.last < _PATIENCE:
                    continue
                ours = f"{self.verb}: at work for {now - self.began:.0f} s"
                self._show(f"{self.said} {now - self.last:.0f} s" if self.said else ours)

    def _show(self, text: str) -> None:
        if self.shown == text:
            return
        self.shown = text
        if self.status is None:
            self.status = _spinner(self.cli) or False
        if self.status:
            self.status.update(text)
        else:
            self.cli.err.write(f"\r\x1b[K  {text}")
            self.cli.err.flush()

    def _hide(self) -> None:
        if self.status:
            self.status.stop()
        self.status = None


def _spinner(cli: Cli) -> Any:
    """A spinner of rich's, started; None where rich is not installed or colours are not wanted."""
    if not cli.colour:
        return None
    try:
        from rich.console import Console
        from rich.status import Status
    except ImportError:
        return None
    spinner = Status("", console=Console(file=cli.err))
    spinner.start()
    return spinner


def wrapped(text: str, columns: int) -> str:
    """An answer with sentences that would run over the edge broken at words, below their own beginning; painted lines are left alone."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= columns or "\x1b" in line:
            lines.append(line)
            continue
        body = line.lstrip(" ")
        indent = " " * (len(line) - len(body) + (2 if body.startswith(("- ", "* ")) else 0))
        lines += textwrap.wrap(
            line,
            max(30, columns),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [line]
    return "\n".join(lines)


def paged(text: str, cli: Cli) -> None:
    """An answer on the screen; one that is longer than it through a pager, where somebody is there to turn pages. PAGER= or PAGER=cat
    leaves it out, TACIT_PAGER goes first."""
    size = shutil.get_terminal_size()
    text = wrapped(text, size.columns)
    command = cli.env.get("TACIT_PAGER", cli.env.get("PAGER", "less"))
    rows = sum(1 + max(0, len(line) - 1) // max(1, size.columns) for line in text.splitlines())
    if (
        rows < size.lines
        or command in ("", "cat")
        or not turns_pages(cli.env)
        or not _through(command, text, cli)
    ):
        cli.out.write(text)


def turns_pages(env: Mapping[str, str]) -> bool:
    """Whether anybody can press a key: not an agent's shell nor CI, no terminal without a keyboard, and none whose size nobody ever set."""
    if env.get("TERM") == "dumb" or env.get("CI") or any(map(env.get, SHELLS)):
        return False
    try:
        return sys.stdin.isatty() and (os.get_terminal_size(1).lines > 0 or bool(env.get("LINES")))
    except (OSError, ValueError):
        return False


# -F leaves at once what fits, -R keeps colours, -X the text on the screen afterwards; the last line says how to go on and how to leave.
LESS = ("-FRX", "-Ps?eThe end, q quits:space shows more, q quits.")


def _through(command: str, text: str, cli: Cli) -> bool:
    """Show a text in a pager; False where there is none."""
    try:
        argv = shlex.split(command)
    except ValueError:
        return False
    if not argv or shutil.which(argv[0]) is None:
        return False
    if os.path.basename(argv[0]) == "less":
        argv[1:1] = LESS
    cli.out.flush()
    try:
        pager = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            env={"LV": "-c", "LESSHISTFILE": "-", **os.environ, **cli.env},
        )
    except OSError:
        return False
    try:
        pager.communicate(text.encode("utf-8", "replace"))
    except (BrokenPipeError, KeyboardInterrupt):
        pager.wait()  # somebody has seen enough
    return True

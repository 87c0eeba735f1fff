"""What only a terminal gets: a pager for long answers, and a line that says what is going on."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from tacit.cli.words import wrapped_text
from tacit.hosts import SHELLS

if TYPE_CHECKING:
    from tacit.cli.verb import Cli

_PATIENCE = 1.0  # seconds before anybody is told
TICK = 0.25


class Ticker:
    """Says after a second that a command is still at work, and for how long; what the command told
    last goes on with its seconds."""

    def __init__(self, err: TextIO, verb: str) -> None:
        self.err, self.verb = err, verb
        self.began = self.last = time.monotonic()
        self.over, self.lock = threading.Event(), threading.Lock()
        self.said, self.shown = "", False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def told(self, text: str) -> None:
        """The command has said something itself: its line, not ours."""
        with self.lock:
            self.said, self.last, self.shown = text.strip(), time.monotonic(), True

    def stop(self) -> None:
        """Take the line away; nothing is written afterwards."""
        self.over.set()
        with self.lock:
            if self.shown:
                self.err.write("\r\x1b[K")
                self.err.flush()
        self.thread.join(1.0)

    def _run(self) -> None:
        while not self.over.wait(TICK):
            with self.lock:
                now = time.monotonic()
                if self.over.is_set() or now - self.last < _PATIENCE:
                    continue
                ours = f"{self.verb}: at work for {now - self.began:.0f} s"
                told = f"{self.said} {now - self.last:.0f} s" if self.said else ours
                self.err.write(f"\r\x1b[K  {told}")
                self.err.flush()
                self.shown = True


def paged(text: str, cli: Cli) -> None:
    """An answer on the screen; one that is longer than it through a pager, where somebody is there
    to turn pages. PAGER= or PAGER=cat leaves it out, TACIT_PAGER goes first."""
    size = shutil.get_terminal_size()
    text = wrapped_text(text, size.columns)
    command = cli.env.get("TACIT_PAGER", cli.env.get("PAGER", "less"))
    fits = len(text.splitlines()) < size.lines
    if (
        fits
        or command in ("", "cat")
        or not turns_pages(cli.env)
        or not _through(command, text, cli)
    ):
        cli.out.write(text)


def turns_pages(env: Mapping[str, str]) -> bool:
    """Whether anybody can press a key: not an agent's shell nor CI, no terminal without a keyboard,
    and none whose size nobody ever set."""
    if env.get("TERM") == "dumb" or env.get("CI") or any(map(env.get, SHELLS)):
        return False
    try:
        return sys.stdin.isatty() and (os.get_terminal_size(1).lines > 0 or bool(env.get("LINES")))
    except (OSError, ValueError):
        return False


# -F leaves at once what fits, -R keeps colours, -X the text on the screen afterwards; the last line
# says how to go on and how to leave.
LESS = ("-FRX", "-Ps?eThe end, q quits:space shows more, q quits.")


def _through(command: str, text: str, cli: Cli) -> bool:
    """Show a text in a pager; False where there is none."""
    try:
        argv = shlex.split(command)
        if os.path.basename(argv[0]) == "less":
            argv[1:1] = LESS
        cli.out.flush()
        env = {"LV": "-c", "LESSHISTFILE": "-", **os.environ, **cli.env}
        pager = subprocess.Popen(argv, stdin=subprocess.PIPE, env=env)
    except (ValueError, IndexError, OSError):
        return False
    try:
        pager.communicate(text.encode("utf-8", "replace"))
    except (BrokenPipeError, KeyboardInterrupt):
        pager.wait()  # somebody has seen enough
    return True

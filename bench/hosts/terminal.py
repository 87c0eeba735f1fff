"""A program in a pseudo-terminal, driven as a person would: wait for what is on the screen, type, look again."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_CONTROL = re.compile(
    r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_78=>]|\x1bP[^\x1b]*\x1b\\"
)
# What a terminal is asked, and answers: where the cursor is, what it can do, which colours it has. Some programs wait for it.
_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b[0c": b"\x1b[?62;c",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x07",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x07",
}


class Terminal:
    """One program and its screen."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self.raw = b""
        self.process, self.fd = pty.fork()
        if not self.process:  # pragma: no cover - the child
            os.chdir(cwd)
            os.execve(argv[0], list(argv), {**env, "TERM": "xterm-256color"})
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))

    @property
    def text(self) -> str:
        """Everything that was shown, without colours and movements, and without spaces, which programs draw as movements."""
        return re.sub(r"\s+", "", _CONTROL.sub("", self.raw.decode("utf-8", "replace")))

    def read(self, seconds: float) -> bool:
        """Take in what comes within this time; False when the program is gone."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            more = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.raw += more
        for asked, answer in _ANSWERS.items():
            for _ in range(more.count(asked)):
                os.write(self.fd, answer)
        return bool(more)

    def wait(self, until: str | Callable[[], bool], seconds: float) -> bool:
        """Whether a text (without spaces) stood on the screen, or something else came true, within this time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if until() if callable(until) else re.search(until, self.text):
                return True
            if not self.read(0.1):
                return bool(until() if callable(until) else re.search(until, self.text))
        return False

    def type(self, text: str, *, enter: bool = True) -> None:
        """Type, as fast as a person who pastes does not, and press return."""
        seen = len(self.text)
        for letter in text:
            os.write(self.fd, letter.encode())
            self.read(0.02)
        if enter:
            end = re.sub(r"\s+", "", text)[-6:]
            # a busy program takes a return before the letters that came first
            self.wait(lambda: end in self.text[seen:], 5.0)
            self.wait(lambda: False, 0.5)
            os.write(self.fd, b"\r")

    def paste(self, text: str) -> None:
        """Paste, as a terminal says it: between marks."""
        os.write(self.fd, b"\x1b[200~" + text.encode() + b"\x1b[201~")
        self.wait(lambda: False, 1.5)

    def close(self, farewell: Sequence[str], seconds: float) -> bool:
        """Say goodbye as the program wants it; whether it left by itself."""
        for word in farewell:
            if word.startswith("/"):
                self.type(word)
            else:
                os.write(self.fd, word.encode())
            self.wait(lambda: False, 0.5)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.1)
            if os.waitpid(self.process, os.WNOHANG)[0]:
                os.close(self.fd)
                return True
        self.kill()
        return False

    def kill(self) -> None:
        """End the program without a word, as a closed window does not even do."""
        try:
            os.killpg(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            os.waitpid(self.process, 0)
        except ChildProcessError:
            pass
        os.close(self.fd)

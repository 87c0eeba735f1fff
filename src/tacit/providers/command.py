"""Any command that reads a prompt on its standard input and writes the answer to its standard output.

It is started from a list of words, never by a shell, in an empty folder of its own: it sees no repository, whose settings
are somebody else's. When its time is over its whole process group ends. A marker in its environment keeps our own
hooks silent, for a command such as `claude -p` is a host like any other, and must not be asked about its own asking.
"""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING

from tacit.core.answer import ASKED
from tacit.core.errors import ModelUnavailable
from tacit.hosts import MODEL_CALL, of_session
from tacit.providers.metered import QUEUED, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO, Any

LATER = 75  # exit status (EX_TEMPFAIL) of a command that took the question and will answer when it is asked again
_LARGEST = 4 * 1024 * 1024  # bytes of an answer
PIECE = 1 << 16


class Command:
    """A model behind a command."""

    def __init__(self, command: str, env: Mapping[str, str]) -> None:
        self._command, self._env = command, env
        self.identity = f"the command {command.split(' ', 1)[0]}"

    def answer(self, prompt: str, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Run it once. A schema is told in words by the prompt; commands take none."""
        deadline = time.monotonic() + timeout
        with (
            tempfile.TemporaryDirectory(prefix="tacit-model-") as folder,
            tempfile.TemporaryFile() as said,
            tempfile.TemporaryFile() as told,
        ):
            said.write(f"{ASKED}\n{prompt}".encode("utf-8", "replace"))
            said.seek(0)
            process = self._start(folder, said, told)
            try:
                raw = _read(process, deadline)
                status = process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise _too_late(self.identity) from None
            finally:
                _end(process)
            if status == LATER:
                raise ModelUnavailable(f"{self.identity} has no answer yet: {_last_line(told)}", why=QUEUED)
            if status:
                raise ModelUnavailable(f"{self.identity} ended with {status}: {_last_line(told)}", why="exit")
        return Reply(raw.decode("utf-8", "replace"))

    def _start(self, folder: str, said: IO[bytes], told: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                shlex.split(self._command), stdin=said, stdout=subprocess.PIPE, stderr=told, cwd=folder, env=surroundings(self._env),
                start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise ModelUnavailable(
                f"{self.identity} cannot be started: {error}.", "model.command names it.", why="dead"
            ) from None


def surroundings(env: Mapping[str, str]) -> dict[str, str]:
    """What the command sees: the user's environment without the session we may be in, and the marker of our call."""
    return {**{name: at for name, at in env.items() if not of_session(name)}, MODEL_CALL: "1"}


def _read(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    assert process.stdout is not None
    fd, raw = process.stdout.fileno(), b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            raise subprocess.TimeoutExpired(process.args, left)
        piece = os.read(fd, PIECE)
        if not piece:
            return raw
        raw += piece
        if len(raw) > _LARGEST:
            raise ModelUnavailable(f"The command's answer is longer than {_LARGEST} bytes.", why="too_large")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of it, with its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _too_late(who: str) -> ModelUnavailable:
    return ModelUnavailable(f"{who} did not answer in time.", "tacit goes on without it.", why="timeout")


def _last_line(told: IO[bytes]) -> str:
    from tacit.guard.redact import redact

    told.seek(0, os.SEEK_END)
    told.seek(max(0, told.tell() - 2000))
    lines = told.read().decode("utf-8", "replace").strip().splitlines()
    return redact(lines[-1][:300]).text if lines else "no word"

"""Any command that reads a prompt on its standard input and writes the answer to its standard
output."""

from __future__ import annotations

import itertools
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import IO, Any

from tacit.core.digest import short_hash
from tacit.core.errors import ModelUnavailable
from tacit.core.installation import search_path
from tacit.core.ports import TACIT_ASKS
from tacit.core.value import value
from tacit.hosts import MODEL_CALL, of_session
from tacit.reading.models.metered import QUEUED, Reply
from tacit.safety.redact import redact

TRY_LATER = 75  # exit status (EX_TEMPFAIL) of a command that took the question and will answer when it is asked again
_LARGEST = 4 * 1024 * 1024  # bytes of an answer
READ_PIECE = 1 << 16


class ModelCommand:
    """A model behind a command."""

    def __init__(self, command: str, env: Mapping[str, str]) -> None:
        self._command, self._env = command, env
        self.identity = f"the command {command.split(' ', 1)[0]}{_which(command, env)}"

    def answer(self, prompt: str, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Run it once. A schema is told in words by the prompt; commands take none."""
        deadline = time.monotonic() + timeout
        with (
            tempfile.TemporaryDirectory(prefix="tacit-model-") as folder,
            tempfile.TemporaryFile() as said,
            tempfile.TemporaryFile() as told,
        ):
            said.write(f"{TACIT_ASKS}\n{prompt}".encode("utf-8", "replace"))
            said.seek(0)
            process = self._start(folder, said, told)
            try:
                raw = _read(process, deadline)
                status = process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                raise _too_late(self.identity) from None
            finally:
                _end(process)
            if status == TRY_LATER:
                raise ModelUnavailable(
                    f"{self.identity} has no answer yet: {_last_line(told) or 'no word'}",
                    why=QUEUED,
                )
            reply = _reply(raw.decode("utf-8", "replace"))
            if status or reply.failed:
                # programs write their reason where they write their answer, some of them only there
                reason = _last_line(told) or _said_last(reply.text) or "no word"
                raise ModelUnavailable(
                    f"{self.identity} ended with {status}: {reason}{_mend(reason)}", why="exit"
                )
        return Reply(reply.text, reply.tokens_in, reply.tokens_out)

    def _start(self, folder: str, said: IO[bytes], told: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                shlex.split(self._command),
                stdin=said,
                stdout=subprocess.PIPE,
                stderr=told,
                cwd=folder,
                env=surroundings(self._env),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ModelUnavailable(
                f"{self.identity} cannot be started: {error}.",
                "model.command names it.",
                why="dead",
            ) from None


@value
class _Printed:
    """What a command printed: an answer, what it cost where it says so, and whether it is none."""

    text: str
    tokens_in: int = -1
    tokens_out: int = -1
    failed: bool = False


def _reply(printed: str) -> _Printed:
    """An answer as text, or as the JSON of a host's program (`--output-format json`), whose
    count of tokens holds the thinking too."""
    try:
        told = json.loads(printed) if printed.lstrip().startswith("{") else None
    except ValueError:
        told = None
    if (
        not isinstance(told, dict)
        or told.get("type") != "result"
        or not isinstance(told.get("result"), str)
    ):
        return _Printed(printed)
    usage = told.get("usage") if isinstance(told.get("usage"), dict) else {}
    read = [
        _count(usage, name)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    written = _count(usage, "output_tokens")
    known = max(read) >= 0 and written >= 0
    return _Printed(
        told["result"],
        sum(each for each in read if each > 0) if known else -1,
        written if known else -1,
        told.get("is_error") is True,
    )


def _count(usage: Any, name: str) -> int:
    found = usage.get(name)
    return found if type(found) is int and 0 <= found < 1 << 40 else -1


def _which(command: str, env: Mapping[str, str]) -> str:
    """The model that a command names and the build of its program: with another of either it is
    another model, which takes its own exam."""
    words = (
        shlex.split(command)
        if command.count("'") % 2 == command.count('"') % 2 == 0
        else command.split()
    )
    named = next((after for word, after in itertools.pairwise(words) if word == "--model"), "")
    program = shutil.which(words[0], path=search_path(env)) if words else None
    try:
        built = os.stat(program) if program else None
    except OSError:
        built = None
    of = [named] if named else []
    of += (
        [
            f"build {short_hash(os.path.realpath(program or ''), str(built.st_mtime_ns), str(built.st_size))[:6]}"
        ]
        if built
        else []
    )
    return f" ({', '.join(of)})" if named and of else ""


# What a host's program says where it cannot be asked, and what mends it.
_MENDS = (
    (
        re.compile(r"logged in|log ?in\b|\b401\b|authenticat|api key|oauth|credential", re.I),
        "start the program once and log in",
    ),
    (
        re.compile(r"\b429\b|rate.?limit|overloaded|\b529\b|usage limit|quota", re.I),
        "nothing to do: it is tried again later",
    ),
    (
        re.compile(r"\bcredit|billing|payment|\b402\b", re.I),
        "see to the account that it is asked under",
    ),
    (
        re.compile(r"model.{0,40}(?:not found|not exist|unavailable|invalid)|\b404\b", re.I),
        "name another with reader.model",
    ),
)


def _mend(reason: str) -> str:
    return next((f"; {mend}" for sign, mend in _MENDS if sign.search(reason)), "")


def surroundings(env: Mapping[str, str]) -> dict[str, str]:
    """What the command sees: the user's environment without the session we may be in, and the
    marker of our call. Refused by its service, it gives up within our time and says why: Claude
    Code repeats a question ten times and more, and is silent meanwhile."""
    return {
        "CLAUDE_CODE_MAX_RETRIES": "2",
        **{name: at for name, at in env.items() if not of_session(name)},
        "PATH": search_path(env),
        MODEL_CALL: "1",
    }


def _read(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    assert process.stdout is not None
    fd, raw = process.stdout.fileno(), b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            raise subprocess.TimeoutExpired(process.args, left)
        piece = os.read(fd, READ_PIECE)
        if not piece:
            return raw
        raw += piece
        if len(raw) > _LARGEST:
            raise ModelUnavailable(
                f"The command's answer is longer than {_LARGEST} bytes.", why="too_large"
            )


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
    return ModelUnavailable(
        f"{who} did not answer in time.", "tacit goes on without it.", why="timeout"
    )


def _last_line(told: IO[bytes]) -> str:
    told.seek(0, os.SEEK_END)
    told.seek(max(0, told.tell() - 2000))
    return _said_last(told.read().decode("utf-8", "replace"))


def _said_last(text: str) -> str:
    lines = text.strip().splitlines()
    return redact(lines[-1][:300]).text if lines else ""

"""One run of a pair: a clone, a home and a store of its own, the agent's command in it, and what it left."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tacit.core.run import Run
from tacit.core.value import fields, value
from tacit.learn.occurrences import occurrences
from tacit.replay.clone import clone, packed
from tacit.replay.confine import confined_argv
from tacit.replay.kept import MARK

if TYPE_CHECKING:
    from tacit.replay.request import ReplayRequest
    from tacit.replay.tasks import Task

CANNOT_TELL = 125  # a check's exit status for "this cannot be judged", as in git bisect
NOT_RUN = (126, 127)  # a shell's, where the command could not be started
GRACE = 5.0  # seconds between asking a process group to end and ending it
# where an agent that no host keeps a transcript of may write one, in the neutral format
TRANSCRIPT = "TACIT_REPLAY_TRANSCRIPT"
# Of the environment nothing else is handed on but what is named: what is not known to be harmless may be a credential.
HARMLESS = tuple(
    """
    PATH LANG LANGUAGE TZ TERM COLORTERM SHELL USER LOGNAME NO_COLOR
    HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
    SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE JAVA_HOME GOROOT RUSTUP_HOME VIRTUAL_ENV
    """.split()
)
GIT_CONFIG = """[user]
	name = Replay
	email = replay@localhost
[init]
	defaultBranch = main
"""
OWN = ("work", "home", "tmp", "store")  # a run's own folders, thrown away when it was judged


def run_once(request: ReplayRequest, task: Task, given: bool, folder: str) -> dict[str, Any]:
    """Run the agent once, and judge what it left; its own folders are thrown away afterwards."""
    place = _Place(folder, request)
    for name in ("home", "tmp", "store", "transcripts"):
        os.makedirs(os.path.join(folder, name))
    pack = packed(request.source, task.commit, os.path.join(request.kept.folder, "packs"))
    clone(pack, task.commit, place.clone)
    request.make_store(place.store, place.clone, given)
    request.make_home(place.home, place.store)
    with open(os.path.join(place.home, ".gitconfig"), "a", encoding="utf-8") as file:
        file.write(GIT_CONFIG)
    try:
        return _ran(place, task, given)
    finally:
        for name in OWN:
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def _ran(place: _Place, task: Task, given: bool) -> dict[str, Any]:
    request, env = place.request, place.environment()
    if request.options.setup:
        # dependencies may come by git
        fetching = {name: text for name, text in env.items() if name != "GIT_ALLOW_PROTOCOL"}
        status, _ = _run(place, ["sh", "-c", request.options.setup], fetching, "setup.txt")
        if status != 0:
            return fields(JudgedRun(None, f"the set-up failed ({status or 'not in time'})"))
    words, said = filled(request.agent, task.prompt, request.notes if given else "")
    inside = os.path.join(place.clone, task.folder)
    start = inside if os.path.isdir(inside) else place.clone
    status, seconds = _run(place, words, env, "out.txt", cwd=start, said=said)
    left = request.read_runs(place.folder, env)
    for number, (path, _) in enumerate(left, 1):
        kept = f"{number}-{os.path.basename(path)}"
        shutil.copyfile(path, os.path.join(place.folder, "transcripts", kept))
    runs = [run for _, run in left]
    reached = given and (request.by_notes or request.was_given(place.store))
    return {
        **fields(_judged(place, runs, status)),
        "status": status,
        "seconds": round(seconds, 3),
        "reached": reached,
        **cost(runs),
    }


def _judged(place: _Place, runs: Sequence[Run], status: int | None) -> JudgedRun:
    """What a run that is over lost."""
    if not os.path.isdir(place.clone) or os.path.islink(place.clone):
        return JudgedRun(1.0, "the agent removed its work tree")
    check = place.request.options.check
    if check:
        return by_check(_run(place, ["sh", "-c", check], place.environment(), "check.txt")[0])
    return judge_by_signature(runs, place.request.signature, status)


def filled(agent: Sequence[str], prompt: str, notes: str) -> tuple[list[str], str]:
    """The agent's words with the prompt and the notes in them, and what goes to its standard input: the prompt, if no word takes it."""
    texts = {"{prompt}": prompt, "{notes}": notes}  # in one pass: a prompt may speak of {notes}
    words = [re.sub(r"\{(?:prompt|notes)\}", lambda found: texts[found[0]], word) for word in agent]
    return words, "" if any("{prompt}" in word for word in agent) else prompt


def cost(runs: Sequence[Run]) -> dict[str, float]:
    """Tokens and money of a run, as its transcript tells them."""
    costs = [run.cost for run in runs if run.cost]
    tokens = sum(each.input + each.output + each.cache_read + each.cache_write for each in costs)
    usd = sum(each.usd or 0.0 for each in costs)
    return {**({"tokens": tokens} if tokens else {}), **({"usd": usd} if usd else {})}


class _Place:
    """Where things of one run are."""

    def __init__(self, folder: str, request: ReplayRequest) -> None:
        self.folder, self.request = folder, request
        self.clone = os.path.join(
            folder, "work", os.path.basename(request.source.rstrip("/")) or "work"
        )
        self.home, self.tmp = os.path.join(folder, "home"), os.path.join(folder, "tmp")
        self.store = os.path.join(folder, "store", "tacit.db")

    def environment(self) -> dict[str, str]:
        """What is handed on of the environment, and what is the run's own."""
        return environment(
            self.request.memories.env, self.request.keep_env, self.request.source
        ) | {
            "HOME": self.home,
            "XDG_CONFIG_HOME": os.path.join(self.home, ".config"),
            "XDG_DATA_HOME": os.path.join(self.home, ".local", "share"),
            "XDG_CACHE_HOME": os.path.join(self.home, ".cache"),
            "XDG_STATE_HOME": os.path.join(self.home, ".local", "state"),
            "TMPDIR": self.tmp,
            "TMP": self.tmp,
            "TEMP": self.tmp,
            "CLAUDE_CODE_TMPDIR": self.tmp,
            "PWD": self.clone,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_SSH_COMMAND": "false",
            "TACIT_STORE": self.store,
            MARK: self.request.kept.id,
            TRANSCRIPT: os.path.join(self.folder, "transcript.jsonl"),
        }

    @property
    def own(self) -> list[str]:
        """What it may write. Not its whole folder: what says how it went is not its to say."""
        path = self.environment()[TRANSCRIPT]
        with open(path, "ab"):
            pass
        return [
            os.path.dirname(self.clone),
            self.home,
            self.tmp,
            os.path.dirname(self.store),
            path,
            *map(os.path.abspath, self.request.options.write),
        ]


def environment(env: Mapping[str, str], keep: Sequence[str], source: str) -> dict[str, str]:
    """What of an environment is handed on: what is harmless, and what was named. Programs of the repository as it is
    now are not found."""
    begins = ("LC_", *(name[:-1] for name in keep if name.endswith("*")))
    named = {*HARMLESS, *keep}
    found = {name: text for name, text in env.items() if name in named or name.startswith(begins)}
    inside = source.rstrip("/") + "/"
    if "PATH" in found:
        parts = found["PATH"].split(os.pathsep)
        found["PATH"] = os.pathsep.join(p for p in parts if not (p + "/").startswith(inside))
    if found.get("VIRTUAL_ENV", "").startswith(inside):
        del found["VIRTUAL_ENV"]
    return found


def _run(
    place: _Place,
    words: Sequence[str],
    env: Mapping[str, str],
    out: str,
    cwd: str = "",
    said: str = "",
) -> tuple[int | None, float]:
    """A command of a run, confined, with all it prints in files: its status, None where it did not end in time, and the
    seconds it took; its whole process group ends with it."""
    argv, options = [*words], place.request.options
    if not options.unconfined:
        argv = confined_argv(words, place.own, place.request.hidden, place.request.readable)
    began = time.monotonic()
    with (
        open(os.path.join(place.folder, out), "ab") as printed,
        open(os.path.join(place.folder, "err.txt"), "ab") as errors,
    ):
        try:
            process = subprocess.Popen(
                argv,
                cwd=cwd or place.clone,
                env={**env},
                stdin=subprocess.PIPE if said else subprocess.DEVNULL,
                stdout=printed,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            errors.write(f"{shlex.join(words)[:200]}: {error}\n".encode())
            return 127, time.monotonic() - began
        given = said.encode("utf-8", "replace") if said else None
        status: int | None = None
        try:
            process.communicate(given, timeout=options.timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end(process)
    return status, time.monotonic() - began


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):  # nobody is left
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)


@value
class JudgedRun:
    """The loss of one run in [0, 1]; None where nothing could tell."""

    loss: float | None
    reason: str
    unsure: bool = False  # the check could not be run; if so in both arms, the pair tells nothing


def by_check(status: int | None) -> JudgedRun:
    """By a command of the user's: 0 is well done, 125 cannot be told, anything else is the problem.

    One that could not be run may have been removed by the agent, so that in one arm alone it counts as failed.
    """
    if status is None:
        return JudgedRun(1.0, "the check did not end in time")
    if status == CANNOT_TELL:
        return JudgedRun(None, f"the check says it cannot tell (exit {status})")
    if status in NOT_RUN:
        return JudgedRun(1.0, f"the check could not be run (exit {status})", unsure=True)
    said = f"the check failed (exit {status})" if status else "the check passed"
    return JudgedRun(float(status != 0), said)


def judge_by_signature(runs: Sequence[Run], signature: str, status: int | None) -> JudgedRun:
    """By the steps that failed with the lesson's signature: what they cost until overcome, 1 at most.

    A run that left nothing to read and failed gave its task up, in whichever arm; one that ended well is of a host that
    keeps no transcript.
    """
    if not runs:
        left = "left no transcript that can be read"
        return JudgedRun(None if status == 0 else 1.0, f"the agent {left}")
    met = [each for run in runs for each in occurrences(run, signature)]
    return JudgedRun(min(1.0, sum(each.loss for each in met)), f"{len(met)} steps failed so")

"""One run of a pair: a clone, a home and a store of its own, the agent's command in it, and what it left."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.run import Run
from tacit.core.value import value
from tacit.replay import kept, outcome
from tacit.replay.clone import clone, difference, packed
from tacit.replay.confine import confined_argv

if TYPE_CHECKING:
    from tacit.replay.outcome import JudgedRun
    from tacit.replay.request import ReplayRequest
    from tacit.replay.tasks import Task

GRACE = 5.0  # seconds between asking a process group to end and ending it
# where an agent that no host keeps a transcript of may write one, in the neutral format
TRANSCRIPT = "TACIT_REPLAY_TRANSCRIPT"
LARGEST_ANSWER = 4_000_000  # characters of what an agent printed that are looked at
# Of the environment nothing else is handed on but what is named: what is not known to be harmless may be a credential.
HARMLESS = tuple(
    """
    PATH LANG LANGUAGE TZ TERM COLORTERM SHELL USER LOGNAME NO_COLOR
    HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
    SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE JAVA_HOME GOROOT RUSTUP_HOME VIRTUAL_ENV
    """.split()
)
OWN = ("work", "home", "tmp", "store")  # a run's own folders, thrown away when it was judged


def begin(request: ReplayRequest, task: Task, given: bool, folder: str) -> None:
    """Run the agent once. When this returns, `ran.json` is there."""
    place = _Place(folder, request)
    os.makedirs(place.transcripts, exist_ok=True)
    for name in ("home", "tmp"):
        os.makedirs(os.path.join(folder, name))
    pack = packed(request.source, task.commit, request.packs)
    clone(pack, task.commit, task.branch, place.clone)
    os.makedirs(os.path.dirname(place.store))
    request.make_store(place.store, place.clone, given)
    request.make_home(place.home, place.store)
    _git_identity(place.home)
    start = (
        os.path.join(place.clone, task.folder)
        if os.path.isdir(os.path.join(place.clone, task.folder))
        else place.clone
    )
    env = place.environment()
    if request.setup:
        # dependencies may come by git
        fetching = {name: text for name, text in env.items() if name != "GIT_ALLOW_PROTOCOL"}
        done = _run(
            place, ["sh", "-c", request.setup], place.clone, fetching, "setup.txt", request.timeout
        )
        if done.status:
            told = (
                f"the set-up failed (exit {done.status})"
                if done.status is not None
                else "the set-up did not end in time"
            )
            return kept.write(
                os.path.join(folder, kept.RAN),
                {"status": None, "seconds": done.seconds, "given": given, "void": told},
            )
    words, said = filled(request.agent, task.prompt, request.notes if given else "")
    done = _run(place, words, start, env, "out.txt", request.timeout, said)
    runs = request.read_runs(folder, env)
    for number, (path, _) in enumerate(runs, 1):
        shutil.copyfile(path, os.path.join(place.transcripts, f"{number}-{os.path.basename(path)}"))
    reached = given and ("{notes}" in " ".join(request.agent) or request.was_given(place.store))
    kept.write(
        os.path.join(folder, kept.RAN),
        {
            "status": done.status,
            "seconds": round(done.seconds, 3),
            "given": given,
            "reached": reached,
            **cost([run for _, run in runs], _text(folder, "out.txt")),
        },
    )


def judge_run(request: ReplayRequest, task: Task, folder: str, ran: Mapping[str, Any]) -> JudgedRun:
    """What a run that is over lost; its folders are still there."""
    if "void" in ran:
        return outcome.JudgedRun(None, str(ran["void"]))
    place = _Place(folder, request)
    env = place.environment()
    if not os.path.isdir(place.clone) or os.path.islink(place.clone):
        return outcome.JudgedRun(1.0, "the agent removed its work tree")
    with open(
        os.path.join(folder, "changes.patch"), "w", encoding="utf-8", errors="replace"
    ) as file:
        file.write(
            difference(
                packed(request.source, task.commit, request.packs),
                task.commit,
                place.clone,
            )
        )
    if request.instrument == outcome.CHECK:
        return outcome.by_check(
            _run(
                place, ["sh", "-c", request.check], place.clone, env, "check.txt", request.timeout
            ).status
        )
    runs = [run for _, run in request.read_runs(folder, env)]
    if request.instrument == outcome.SIGNATURE:
        return outcome.judge_by_signature(runs, request.signature, ran["status"])
    asked = outcome.question(runs, request.lesson.text)
    return outcome.by_reader(request.ask(asked), runs, request.lesson.text, ran["status"])


def tidy_run(folder: str) -> None:
    """Throw away what only the run itself needed; what it left stays."""
    for name in OWN:
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def filled(agent: Sequence[str], prompt: str, notes: str) -> tuple[list[str], str]:
    """The agent's words with the prompt and the notes in them, and what goes to its standard input: the prompt, if no word takes it."""
    texts = {"{prompt}": prompt, "{notes}": notes}  # in one pass: a prompt may speak of {notes}
    words = [re.sub(r"\{(?:prompt|notes)\}", lambda found: texts[found[0]], word) for word in agent]
    return words, "" if any("{prompt}" in word for word in agent) else prompt


def cost(runs: Sequence[Run], printed: str) -> dict[str, float]:
    """Tokens and money of a run, as its transcript or what it printed tells them."""
    costs = [run.cost for run in runs if run.cost]
    tokens = sum(each.input + each.output + each.cache_read + each.cache_write for each in costs)
    usd = sum(each.usd or 0.0 for each in costs) or _printed_usd(printed)
    return {**({"tokens": tokens} if tokens else {}), **({"usd": usd} if usd else {})}


def _printed_usd(printed: str) -> float:
    for line in reversed([printed, *printed.splitlines()]):
        if "total_cost_usd" in line:
            try:
                found = json.loads(line)
            except ValueError:
                continue
            told = found.get("total_cost_usd") if isinstance(found, dict) else None
            if isinstance(told, (int, float)) and told >= 0:
                return float(told)
    return 0.0


@value
class _Ended:
    status: int | None  # None: it had to be ended
    seconds: float


class _Place:
    """Where things of one run are."""

    def __init__(self, folder: str, request: ReplayRequest) -> None:
        self.folder, self.request = folder, request
        self.clone = os.path.join(
            folder, "work", os.path.basename(request.source.rstrip("/")) or "work"
        )
        self.home, self.tmp = os.path.join(folder, "home"), os.path.join(folder, "tmp")
        self.store = os.path.join(folder, "store", "tacit.db")
        self.transcripts = os.path.join(folder, "transcripts")

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
            kept.MARK: self.request.kept.id,
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
            *self.request.writable,
        ]


def environment(env: Mapping[str, str], keep: Sequence[str], source: str) -> dict[str, str]:
    """What of an environment is handed on: what is harmless, and what was named. Programs of the repository as it is now are not found."""
    begins = tuple(name[:-1] for name in keep if name.endswith("*"))
    found = {
        name: text
        for name, text in env.items()
        if name in HARMLESS
        or name in keep
        or name.startswith("LC_")
        or (begins and name.startswith(begins))
    }
    inside = source.rstrip("/") + "/"
    if "PATH" in found:
        found["PATH"] = os.pathsep.join(
            each
            for each in found["PATH"].split(os.pathsep)
            if not (each + "/").startswith(inside) or f"{each}/*" in keep
        )
    if found.get("VIRTUAL_ENV", "").startswith(inside):
        del found["VIRTUAL_ENV"]
    return found


def _run(
    place: _Place,
    words: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    out: str,
    timeout: float,
    said: str = "",
) -> _Ended:
    """A command of a run, confined, with all it prints in files; its whole process group ends with it."""
    argv = (
        confined_argv(words, place.own, place.request.hidden, place.request.readable)
        if place.request.confined
        else [*words]
    )
    began = time.monotonic()
    with (
        open(os.path.join(place.folder, out), "ab") as printed,
        open(os.path.join(place.folder, "err.txt"), "ab") as errors,
    ):
        try:
            process = subprocess.Popen(
                argv,
                cwd=cwd,
                env={**env},
                stdin=subprocess.PIPE if said else subprocess.DEVNULL,
                stdout=printed,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            errors.write(f"{shlex.join(words)[:200]}: {error}\n".encode())
            return _Ended(127, time.monotonic() - began)
        kept.write(os.path.join(place.folder, kept.PID), {"pid": process.pid})
        try:
            process.communicate(said.encode("utf-8", "replace") if said else None, timeout=timeout)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
    return _Ended(status, time.monotonic() - began)


def _end(process: subprocess.Popen[bytes]) -> None:
    for number, patience in ((signal.SIGTERM, GRACE), (signal.SIGKILL, GRACE)):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            break  # nobody is left
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _git_identity(home: str) -> None:
    with open(os.path.join(home, ".gitconfig"), "a", encoding="utf-8") as file:
        file.write(
            "[user]\n\tname = Replay\n\temail = replay@localhost\n[init]\n\tdefaultBranch = main\n"
        )


def _text(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read(LARGEST_ANSWER)
    except OSError:
        return ""

"""What the campaigns share: a frozen copy of the program, a home of its own, and a ledger that lets a campaign go on later.

Each campaign is a function `batch(seed, place) -> dict` that does one small, self-contained piece of damage and
verifies. The ledger holds one JSON line per finished batch, with the commit it was done on: the last one that changed the
program or this harness. A campaign that is started again on the same commit skips the seeds it has done there; on another
commit it begins anew. Nothing here imports the program under test into the process that kills it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = ROOT / "bench" / "results" / "faults"
SHIM = HERE / "shim.py"
run = subprocess.run  # of a command that nobody disturbs; tests fork it instead


def frozen_source() -> Path:
    """A copy of the package as it is now, so that a long campaign does not see later edits. Made once per process."""
    given = os.environ.get("TACIT_FAULTS_SOURCE")
    if given:
        return Path(given)
    place = Path(tempfile.mkdtemp(prefix="tacit-faults-src-"))
    shutil.copytree(ROOT / "src" / "tacit", place / "tacit")
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(place / "tacit")], check=False)
    os.environ["TACIT_FAULTS_SOURCE"] = str(place)
    return place


def commit() -> str:
    """The last commit that changed the program or the harness; with a + where files differ from it. Made once per process."""
    given = os.environ.get("TACIT_FAULTS_COMMIT")
    if given:
        return given
    judged = ["src/tacit", "bench/faults/*.py"]
    last = subprocess.run(
        ["git", "log", "-1", "--abbrev=10", "--format=%h", "--", *judged],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--", *judged], capture_output=True, text=True, cwd=ROOT
    )
    os.environ["TACIT_FAULTS_COMMIT"] = (last.stdout.strip() or "unknown") + (
        "+" if changed.stdout.strip() else ""
    )
    return os.environ["TACIT_FAULTS_COMMIT"]


def surroundings(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user who has nothing but a home."""
    keep = {
        name: said
        for name, said in os.environ.items()
        if name in ("PATH", "LANG", "LC_ALL", "TMPDIR")
    }
    keys = home / ".config" / "tacit" / "keys"  # ada has no terminal here; she shows a key instead
    if not keys.exists():  # writers at work read it
        keys.parent.mkdir(parents=True, exist_ok=True)
        keys.write_text(json.dumps({sha256(b"ada's").hexdigest(): "ada"}))
    return {
        "TACIT_KEY": "ada's",
        **keep,
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "USER": "ada",
        "PYTHONPATH": str(frozen_source()),
        "TACIT_NO_WORKER": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        **more,
    }


def command(*args: str, fault: str = "") -> list[str]:
    """The command line as a user runs it; with `fault` through the shim that plants a known mistake (negative controls)."""
    return (
        [sys.executable, str(SHIM), fault, *args]
        if fault
        else [sys.executable, "-m", "tacit", *args]
    )


def tacit(
    home: Path, *args: str, stdin: str = "", fault: str = "", patience: float = 300, **env: str
) -> subprocess.CompletedProcess[str]:
    """One command, to its end."""
    return run(
        command(*args, fault=fault),
        input=stdin,
        capture_output=True,
        text=True,
        errors="replace",
        cwd=home / "work",
        env=surroundings(home, **env),
        timeout=patience,
    )


def new_home(place: Path) -> Path:
    """An empty home with a project's folder in it."""
    home = place / "home"
    (home / "work").mkdir(parents=True)
    return home


def store_of(home: Path) -> Path:
    """The store of a home."""
    return home / "data" / "tacit" / "tacit.db"


def doctor(home: Path) -> dict[str, Any]:
    """What the doctor says: {"sound": …, "faults": […]}, or the error it gave."""
    done = tacit(home, "doctor", "--json")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return {"sound": False, "faults": [f"doctor said nothing: {done.stderr[-300:]}"]}
    return dict(answer["data"]) if answer["ok"] else {"sound": False, "faults": [answer["error"]]}


def texts(home: Path) -> list[str]:
    """Every lesson's text."""
    done = tacit(home, "list", "--json", "--archived", "--limit", "1000000")
    return [memory["text"] for memory in json.loads(done.stdout)["data"]["memories"]]


def transcript(home: Path, number: int, about: int | None = None) -> Path:
    """A finished session of Claude Code in which a person states one wish and one failure is cured: `about` tells which."""
    about = number if about is None else about
    name = f"{number:08d}-0000-4000-8000-000000000000"
    path = home / f"{name}.jsonl"
    common = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": str(home / "work"),
        "sessionId": name,
        "version": "2.1.240",
    }
    failure = f"Exit code 1\nDatabaseError: schema {about} is out of date"
    said: list[tuple[str, Any]] = [
        ("user", f"From now on always run tool-zebra{about} --strict before you commit.")
    ]
    for n, (line, output) in enumerate(
        (("pnpm test", failure), ("make migrate", "applied"), ("pnpm test", "14 passed"))
    ):
        said.append(
            (
                "assistant",
                [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": line}}],
            )
        )
        said.append(
            (
                "user",
                [
                    {
                        "type": "tool_result",
                        "tool_use_id": f"t{n}",
                        "content": output,
                        "is_error": output == failure,
                    }
                ],
            )
        )
    with path.open("w") as file:
        for n, (kind, content) in enumerate(said):
            message = {
                "role": kind,
                "content": content,
                **({"id": f"m{n}", "model": "claude-opus-4-5"} if kind == "assistant" else {}),
            }
            stamp = f"2026-11-01T10:00:{n:02d}.000Z"
            # the host's mark of a typed prompt
            mark = {"permissionMode": "default"} if isinstance(content, str) else {}
            file.write(
                json.dumps(
                    {
                        **common,
                        **mark,
                        "type": kind,
                        "uuid": f"{name}-{n}",
                        "timestamp": stamp,
                        "message": message,
                    }
                )
                + "\n"
            )
    return path


class Ledger:
    """One line per finished batch, each with its time and the commit it was done on."""

    def __init__(self, name: str) -> None:
        RESULTS.mkdir(parents=True, exist_ok=True)
        self.path = RESULTS / f"{name}.jsonl"

    def lines(self, of: str = "") -> Iterator[dict[str, Any]]:
        """What was done so far, on one commit or on all."""
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                entry = json.loads(line)
                if not of or entry.get("commit") == of:
                    yield entry

    def add(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Note a finished batch."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        noted = {"commit": commit(), "at": at, **entry}
        with self.path.open("a") as file:
            file.write(json.dumps(noted) + "\n")
        return noted


def taken(option: str) -> dict[str, str]:
    """An option of one campaign's own, taken off the command line: `--only tend` becomes {"only": "tend"}."""
    if option not in sys.argv:
        return {}
    at = sys.argv.index(option)
    _, said = sys.argv.pop(at), sys.argv.pop(at)
    return {option.strip("-"): said}


def campaign(
    name: str, batch: Callable[..., dict[str, Any]], unit: str, default: int, **fixed: Any
) -> int:
    """Run batches until so many units are in the ledger, or the time is up; sums on standard output. The exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--points",
        type=int,
        default=default,
        help=f"{unit} to reach, counting earlier runs on this commit",
    )
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument(
        "--lane", default="1/1", help="2/3: the second of three processes that share the seeds"
    )
    args = parser.parse_args()
    lane, lanes = map(int, args.lane.split("/"))
    os.nice(
        max(0, 10 - os.nice(0))
    )  # behind everybody else, and no further back than the caller wants
    frozen_source()
    ledger = Ledger(name)
    end = time.monotonic() + args.minutes * 60
    while True:
        done = list(ledger.lines(commit()))
        reached, failures = (
            sum(each[unit] for each in done),
            sum(len(each["failures"]) for each in done),
        )
        if done:
            print(
                f"{name} on {commit()}: {reached} of {args.points} {unit}, {failures} failures",
                flush=True,
            )
        seeds, last = (
            {each["seed"] for each in done},
            min((each["seed"] for each in done if each.get("last")), default=1 << 30),
        )
        seed = next(
            (n for n in range(1, last + 1) if n % lanes == lane % lanes and n not in seeds), None
        )
        if seed is None or reached >= args.points or time.monotonic() >= end:
            return 1 if failures else 0
        place = Path(tempfile.mkdtemp(prefix=f"tacit-{name}-"))
        began = time.process_time(), os.times().children_user + os.times().children_system
        try:
            found = {"seed": seed, **batch(seed, place, **fixed)}
        finally:
            shutil.rmtree(place, ignore_errors=True)
        used = (
            time.process_time()
            - began[0]
            + os.times().children_user
            + os.times().children_system
            - began[1]
        )
        ledger.add({**found, "cpu seconds": round(used, 1)})

"""Hostile repositories: can a file that somebody else put there silence us, hold us up, or bring us down?

    python bench/redteam_repository.py [--files NAME,…] [--kinds NAME,…] [--table FILE]

Each of some thirty files of a work tree and its git directory is replaced in turn by what git or an archive can carry: links to devices
and to themselves, a pipe, a folder, two gigabytes; the settings also by texts that are wrong in every way. Then every door is entered,
in a process of its own: six hooks and eight commands. The person has one rule; hooks and `inject` have to give it, no hook may take
more than three times its usual work, nothing may hang or end in a traceback. The same with what a host says: a folder's name of a
megabyte, a pipe as the transcript.

Exit status 1: something was silent, slow, hung or broken.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import resource
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "bench")]

from redteam import World, prompt  # noqa: E402

RULE = "Never push to main without a review."
_SESSIONS = itertools.count()  # a session is told once
LIMIT = 10.0  # seconds after which a door counts as hung; a host waits no longer
FACTOR = 3.0  # times its usual work that a hook may take

FILES = (
    ".tacit/config.toml",
    ".tacit/journal/k3v9.jsonl",
    ".tacit/journal",
    ".tacit",
    ".tacit-project",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    "MEMORY.md",
    "CONVENTIONS.md",
    ".github/copilot-instructions.md",
    ".cursor/rules/team.mdc",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/skills/tacit/SKILL.md",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".github/hooks/hooks.json",
    ".mcp.json",
    "opencode.json",
    ".learnings/LEARNINGS.md",
    "package.json",
    "Makefile",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".git/HEAD",
    ".git/config",
    ".git/packed-refs",
    ".git/index",
    ".git/shallow",
    ".git/info/exclude",
    ".git/refs/heads/main",
    ".git/commondir",
)
# What says which project this is: where it cannot be read there is no project, and nothing to give.
IDENTITY = (".git/config", ".git/HEAD", ".git/commondir")

DOTTED = ".".join("a" * 8_000) + " = 1\n"
TEXTS = {
    "unknown key": "x = 1\n",
    "broken": "[\n",
    "wrong type": "profile = 7\nignore = 3\n",
    "deep arrays": "x = " + "[" * 30_000 + "]" * 30_000,
    "huge number": "x = " + "9" * 60_000,
    "dotted keys": DOTTED,
    "dotted quoted keys": ".".join(['"a"'] * 4_000) + " = 1\n",
    "many keys under a deep table": "["
    + ".".join("a" * 33)
    + "]\n"
    + "".join(f"k{n}=1\n" for n in range(2_000)),
    "many unknown keys": "".join(f"k{n}=1\n" for n in range(2_000)),
    "many tables": "".join(f"[t{n}]\n" for n in range(2_000)),
    "ignore all": 'ignore = ["*"]\n',
    "ignore by thousands": "ignore = [" + ",".join(f'"{n}*"' for n in range(2_000)) + "]\n",
    "unknown profile": 'profile = "nobody"\n',
    "another's profile": 'profile = "joelclaw"\nbudget = "x"\n',
    "no UTF-8": "\udcff\udcfe = 1\n",
    "NUL": "x = \0\n",
    "80 kB of dotted keys": ".".join("a" * 40_000) + " = 1\n",
    "600 kB": "# " + "x" * 600_000 + "\n",
}


def _link(to: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(to)


def _long(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2 << 30)


def _text(text: str) -> Callable[[Path], None]:
    def put(path: Path) -> None:
        path.write_text(text, encoding="utf-8", errors="surrogateescape")

    return put


KINDS: dict[str, Callable[[Path], None]] = {
    "link to /dev/ptmx": _link("/dev/ptmx"),
    "link to /dev/zero": _link("/dev/zero"),
    "link to /dev/tty": _link("/dev/tty"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "pipe": lambda path: os.mkfifo(path),
    "folder": lambda path: path.mkdir(),
    "2 GB": _long,
    "numbers for settings": _text(
        '{"hooks": {"Stop": [{"hooks": 5}, 7, {"hooks": [5]}]}, "mcpServers": 3}\n'
    ),
}


class Door(NamedTuple):
    """One way in."""

    name: str
    argv: list[str]
    said: dict[str, Any]
    gives: bool = False  # whether the person's rule must stand in its answer
    hook: bool = True


class Entered(NamedTuple):
    """What came of it."""

    status: int  # of the process; -9 where it hung
    cpu: float
    printed: str

    def fault(self, door: Door, usual: float, plain: float, knows: bool) -> str:
        if self.status == -signal.SIGKILL:
            return "hangs"
        if self.status < 0 or "Traceback" in self.printed:
            return f"ends with {self.status}"
        if door.gives and knows and RULE[:24] not in self.printed:
            return "silent"
        times = (usual + self.cpu - plain) / usual
        return f"{times:.0f} times its usual work" if door.hook and times > FACTOR else ""


def doors(repo: Path, transcript: Path) -> list[Door]:
    """Six hooks, eight commands."""
    base = {"cwd": str(repo), "transcript_path": str(transcript)}

    def hook(name: str, theirs: str, gives: bool = False, **more: Any) -> Door:
        said = {**base, "hook_event_name": theirs, **more}
        return Door(name, ["hook", name, "--host", "claude-code"], said, gives)

    def command(*argv: str, gives: bool = False) -> Door:
        return Door(" ".join(argv) or "tacit", list(argv), {}, gives, hook=False)

    bash = {"tool_name": "Bash", "tool_input": {"command": "git push origin main"}}
    return [
        hook("session-start", "SessionStart", True, source="startup"),
        hook("prompt", "UserPromptSubmit", True, prompt="push to main without a review"),
        hook("before-command", "PreToolUse", **bash),
        hook("tool-failure", "PostToolUseFailure", error="rejected: push to main", **bash),
        hook("stop", "Stop"),
        hook("session-end", "SessionEnd", reason="other"),
        command("inject", "--no-trial", gives=True),
        command("learn", str(transcript), "--over"),
        command("doctor"),
        command("review", "list"),
        command(),
        command("connect", "--list"),
        command("origin", "page", "--dry-run"),
        command("sync", "--dry-run"),
    ]


def entered(door: Door) -> Entered:
    """The door, entered by a child of this process, which has everything loaded."""
    door = door._replace(
        said={**door.said, "session_id": f"{next(_SESSIONS):08}-0000-4000-8000-000000000000"}
    )
    given = os.memfd_create("said")
    os.write(given, json.dumps(door.said).encode())
    os.lseek(given, 0, os.SEEK_SET)
    told, tells = os.pipe()
    child = os.fork()
    if not child:
        for fd, at in ((given, 0), (tells, 1), (tells, 2)):
            os.dup2(fd, at)
        os.closerange(3, 64)
        most = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + (
            1 << 30
        )
        resource.setrlimit(
            resource.RLIMIT_AS, (most, most)
        )  # a gigabyte beside what this process holds already
        status = 70
        try:
            status = _enter(door)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    os.close(given), os.close(tells)
    printed, until = b"", time.monotonic() + LIMIT
    while (left := until - time.monotonic()) > 0 and select.select([told], [], [], left)[0]:
        if not (more := os.read(told, 1 << 16)):
            break
        printed += more
    else:
        os.kill(child, signal.SIGKILL)
    os.close(told)
    _, status, used = os.wait4(child, 0)
    return Entered(
        os.waitstatus_to_exitcode(status),
        used.ru_utime + used.ru_stime,
        printed.decode("utf-8", "replace"),
    )


def _enter(door: Door) -> int:
    if door.hook:
        from tacit.hooks.main import main as answer

        return answer(door.argv[1:])
    from tacit.cli import main

    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    return main(door.argv)


def fresh(door: Door) -> float:
    """The work of a hook as its host starts it, the middle one of five."""

    def one() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "tacit", *door.argv],
            input=json.dumps(door.said).encode(),
            capture_output=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return statistics.median(one() for _ in range(5))


class Ground:
    """A user's machine with one repository, one rule, one session; each attack is made and taken back in it."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        os.environ["PYTHONPATH"] = str(ROOT / "src")
        self.repo = self.world.repo
        for argv in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
            subprocess.run(
                ["git", "-c", "user.name=a", "-c", "user.email=a@b", *argv],
                cwd=self.repo,
                check=True,
            )
        self.world.tacit("init")
        self.world.tacit("add", RULE, "--kind", "rule", "--by", "ada", "--yes")
        self.world.claude(1, [prompt("run the tests")])
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(self.repo))
        self.transcript = next((self.world.home / ".claude" / "projects" / slug).glob("*.jsonl"))
        self.doors = doors(self.repo, self.transcript)
        for door in self.doors:
            entered(door)  # whatever a first time costs
        self.usual = {door.name: fresh(door) if door.hook else 0.0 for door in self.doors}
        self.plain = {door.name: entered(door) for door in self.doors}

    def attacked(self, name: str, put: Callable[[Path], None]) -> dict[str, str]:
        """What is wrong at which door while this stands at that path."""
        path = self.repo / name
        aside = self.repo.parent / "aside"
        had = path.exists() or path.is_symlink()
        made = [each for each in reversed(path.parents) if not each.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        if had:
            path.rename(aside)
        try:
            put(path)
            return self.enter_all(self.doors, name not in IDENTITY)
        finally:
            _remove(path)
            if had:
                aside.rename(path)
            for each in reversed(made):
                shutil.rmtree(each, ignore_errors=True)

    def enter_all(self, ways: list[Door], knows: bool = True) -> dict[str, str]:
        found = {}
        for door in ways:
            # A machine that does other things, too, is slow by chance, and a hook that cannot record in time says nothing: what stays counts.
            for _ in range(3):
                fault = entered(door).fault(
                    door, self.usual[door.name] or 1.0, self.plain[door.name].cpu, knows
                )
                if "times" not in fault and fault != "silent":
                    break
            if fault:
                found[door.name] = fault
        return found

    def told(self, **said: str) -> dict[str, str]:
        """The same where the host's own words are the attack."""
        return self.enter_all(
            [
                each._replace(said={**each.said, **said}, gives=False)
                for each in self.doors
                if each.hook
            ]
        )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def attacks(
    ground: Ground, files: tuple[str, ...], kinds: tuple[str, ...]
) -> dict[tuple[str, str], dict[str, str]]:
    """Every attack with its faults."""
    found = {
        (name, kind): ground.attacked(name, put)
        for name in files
        for kind, put in KINDS.items()
        if kind in kinds
    }
    if ".tacit/config.toml" in files:
        for kind, text in TEXTS.items():
            found[".tacit/config.toml", kind] = ground.attacked(".tacit/config.toml", _text(text))
    pipe = ground.repo.parent / "pipe.jsonl"
    os.mkfifo(pipe)
    found["the host's words", "cwd of a megabyte"] = ground.told(
        cwd=str(ground.repo) + "/a" * 500_000
    )
    found["the host's words", "transcript of a megabyte"] = ground.told(
        transcript_path="/a" * 500_000
    )
    for kind, path in (("pipe", str(pipe)), ("/dev/ptmx", "/dev/ptmx"), ("/dev/zero", "/dev/zero")):
        found["the host's words", f"transcript is {kind}"] = ground.told(transcript_path=path)
    pipe.unlink()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", default=",".join(FILES))
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--table", type=lambda path: Path(path).resolve())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(folder))
        found = attacks(ground, tuple(args.files.split(",")), tuple(args.kinds.split(",")))
        many = len(ground.doors)
        os.chdir("/")
    bad = {at: faults for at, faults in found.items() if faults}
    for (name, kind), faults in bad.items():
        print(f"{name}, {kind}: " + "; ".join(f"{door} {fault}" for door, fault in faults.items()))
    line = f"{len(found)} attacks at {many} doors, {len(found) * many} tries: {sum(map(len, bad.values()))} silent, slow, hung or broken"
    print(line)
    if args.table:
        text = args.table.read_text(encoding="utf-8")
        head, tail = "<!-- repository -->\n", "\n<!-- /repository -->"
        args.table.write_text(
            text[: text.index(head) + len(head)] + line + "." + text[text.index(tail) :],
            encoding="utf-8",
        )
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())

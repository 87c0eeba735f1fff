"""Feed one project's sessions in the order of time, as its developer would have met them.

The home holds the host's own folders, so that words count as typed where the host marks them; the repository holds each instruction file as it
stood on the day. Before a session `tacit inject` says what its start is given, afterwards `tacit learn` learns it. Folder names in a transcript
are rewritten to the repository's, since the developers' own are not here. One JSON line per session is kept.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.lessons.need import first_calls, told_before
from bench.lessons.played import every_hook

from tacit.core.states import CLOSED, INJECTABLE

BENCH = Path(__file__).resolve().parents[2] / ".bench" / "lessons"
ERROR, MOMENTS = 4_000, 60  # characters of an output, outputs of a session
OURS = ("HOME", "XDG_", "TACIT_", "CLAUDE", "CODEX", "CURSOR", "GEMINI", "COPILOT", "OPENCODE")


@dataclass(frozen=True)
class Session:
    """One session of the data, as its index describes it."""

    id: str
    file: Path
    start: str
    lineage: str
    agent: str
    person: str


def unpacked(data: Path) -> Path:
    """The folder that holds the projects: this one, or what an archive in it holds, unpacked once."""
    if any(data.glob("*/index.json")):
        return data
    target = BENCH.parent / "data"
    for archive in data.glob("*.tar.xz"):
        if not any(target.glob("*/*/index.json")):
            target.mkdir(parents=True, exist_ok=True)
            with tarfile.open(archive) as file:
                file.extractall(target, filter="data")
    return next((place.parent.parent for place in target.glob("*/*/index.json")), data)


def sessions(data: Path, project: str) -> list[Session]:
    """The sessions of a project in the order they began."""
    index = json.loads((data / project / "index.json").read_text())
    found = [
        Session(
            each["session"],
            data / project / each["file"],
            each["start"],
            str(each["lineage"]),
            each["agent"],
            each["developer"],
        )
        for each in index
        if each.get("real", True)
    ]
    return sorted(found, key=lambda each: each.start)


class World:
    """A home, a repository and a store of their own."""

    def __init__(self, data: Path, project: str, name: str = "") -> None:
        self.data, self.project = data, project
        self.folder = BENCH / (name or project)
        self.home, self.repository = self.folder / "home", self.folder / "home" / "work" / project
        self.log = self.folder / "log.jsonl"
        self.settings = ""  # the user's own; empty: the defaults, which name no model

    def fresh(self) -> None:
        """Begin anew."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.repository.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.repository)], check=True)
        if self.settings:
            place = self.home / ".config" / "tacit" / "config.toml"
            place.parent.mkdir(parents=True)
            place.write_text(self.settings)
            # Who answers while the feeding waits needs more time than a model.
            (self.home / "patient.toml").write_text(
                'extends = "default"\nname = "patient"\n[model]\ntimeout_s = 3600.0\n'
            )

    def read_by(self, queue: Path, *options: str) -> None:
        """Have sessions read by answers that lie in a folder (recorded.py); questions without one are put there."""
        words = [
            sys.executable,
            str(Path(__file__).parents[1] / "exams" / "recorded.py"),
            str(queue / self.project),
            "--near",
            "--fold",
            str(self.repository),
            *options,
        ]
        budget = "daily_tokens = 1000000000\nmonthly_tokens = 10000000000"
        patient = f'profile = "{self.home / "patient.toml"}"\n' if "--wait" in options else ""
        self.settings = f'{patient}[model]\ncommand = "{shlex.join(words)}"\n{budget}\n[reader]\nby = "model"\nhosts = ["*"]\n'

    def env(self) -> dict[str, str]:
        """The environment of the person whose home this is."""
        return (
            {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
            | {
                "HOME": str(self.home),
                "USER": "dev",
                "TACIT_LOOKS": "off",  # what is kept was answered without them; bench.looks measures them alone
            }
        )

    def tacit(self, *args: str) -> dict[str, Any]:
        """One command of the public command line, as JSON; in this process, so that 367 sessions take minutes."""
        from tacit.surfaces.cli import main

        kept, here, out = dict(os.environ), os.getcwd(), io.StringIO()
        os.environ.clear()
        os.environ.update(self.env())
        os.chdir(self.repository)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                main([*args, "--json"])
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(kept)
        answer: dict[str, Any] = json.loads(out.getvalue())
        if not answer.get("ok"):
            raise SystemExit(f"tacit {' '.join(args)}: {answer}")
        found: dict[str, Any] = answer["data"]
        return found

    def instructions(self, at: str) -> None:
        """Put each instruction file in place as it stood at a time."""
        for each in json.loads(
            (self.data / self.project / "instructions" / "manifest.json").read_text()
        ):
            if (
                "file" not in each
                or _utc(each["date"]) > at
                or each["path"].startswith(("/", ".."))
            ):
                continue
            place = self.repository / each["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            stood = self.data / self.project / each["file"]
            if stood.exists():
                place.write_bytes(stood.read_bytes())

    def tracked(self, place: Path) -> None:
        """Commit what a session looks at of its repository, as far as the session shows it: the repositories themselves are not in the data, and
        without them every file would count as one that nobody tracks."""
        from tacit.formats import read
        from tacit.formats.source import FileSource
        from tacit.learn.command import commands, line_of
        from tacit.learn.outside import _files, _paths

        root, written = str(self.repository), set[str]()
        for run in read(FileSource(str(place))):
            for step in run.steps:
                line = line_of(step) if step.tool else ""
                found = (
                    [path for call in commands(line) if call.looks for path in _paths(call)]
                    if line
                    else _files(step)
                )
                inside = {os.path.relpath(os.path.join(root, path), root) for path in found}
                if step.tool.lower().startswith(("write", "apply_patch")):
                    written |= inside
                elif step.tool and step.output and not step.error and not step.status:
                    for path in sorted(inside - written):
                        _remember(self.repository, path, step.output)
        for words in (["add", "-Af", "--", "."], ["commit", "-qm", "as it was seen"]):
            subprocess.run(
                ["git", "-c", "user.name=dev", "-c", "user.email=dev@example.org", *words],
                cwd=root,
                capture_output=True,
            )

    def placed(self, session: Session) -> Path:
        """The session's file in the host's own folder, its folder names rewritten to this repository's."""
        text = session.file.read_text(errors="replace")
        for folder in _folders(text):
            text = text.replace(folder, str(self.repository))
        if session.agent == "Codex":
            day = session.start[:10].replace("-", "/")
            place = (
                self.home
                / ".codex"
                / "sessions"
                / day
                / f"rollout-{session.start[:19].replace(':', '-')}-{session.id}.jsonl"
            )
        else:
            place = (
                self.home
                / ".claude"
                / "projects"
                / re.sub(r"[^A-Za-z0-9]", "-", str(self.repository))
                / f"{session.id}.jsonl"
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place


UNTRACKED = {
    "node_modules",
    ".git",
    "target",
    "dist",
    "build",
    "tmp",
    ".venv",
    "vendor",
    "site-packages",
    ".cargo",
    ".cache",
    ".tacit",
}
SHOWN = 200_000  # characters that are kept of one file


def _remember(repository: Path, path: str, shown: str) -> None:
    """Put what was shown of a file where it stood, behind what was shown of it before."""
    parts = Path(path).parts
    if (
        not parts
        or parts[0] in ("..", "/", ".")
        or UNTRACKED.intersection(parts)
        or ".worktrees" in parts
    ):
        return
    file = repository / path
    with contextlib.suppress(OSError, ValueError):
        had = file.read_text(errors="replace") if file.is_file() else ""
        if shown not in had and len(had) < SHOWN and not file.is_dir():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(had + shown + "\n")


def feed(world: World, *options: str, limit: int = 0) -> Iterator[dict[str, Any]]:
    """Session after session: what its start is given, then what is learned from it. One line of the log each."""
    world.fresh()
    with world.log.open("w") as log:
        for number, session in enumerate(sessions(world.data, world.project)):
            if limit and number >= limit:
                break
            world.instructions(session.start)
            given = world.tacit("inject", "--run", session.id)
            place = world.placed(session)
            world.tracked(place)
            moments, lines = list(_moments(world, session.id, place)), first_calls(place)
            need, host = (
                told_before(world, session.id, lines, start=False),
                told_before(world, session.id, lines, start=True),
            )
            hooks = every_hook(world, session, place)
            learned = world.tacit("learn", str(place), "--over", *options)
            called = programs(place)
            place.unlink()  # what hosts keep for a month, and disks need not
            line = {
                "n": number,
                "session": session.id,
                "lineage": session.lineage,
                "start": session.start,
                "person": session.person,
                "given": given.get("injected", []),
                "withheld": given.get("withheld", []),
                "tokens": given.get("tokens", 0),
                "texts": _texts(given),
                "learned": learned["runs"],
                "programs": called,
                "moments": moments,
                "need": need,
                "host": host,
                "hooks": hooks,
                "after": _standing(world),
                "noticed": _noticed(world),
            }
            log.write(json.dumps(line) + "\n")
            log.flush()
            yield line


def _moments(world: World, run: str, place: Path) -> Iterator[dict[str, Any]]:
    """What the hook after a failed call would tell, failure by failure, as the host passes it: once per output."""
    from tacit.formats import read
    from tacit.formats.source import FileSource

    seen: set[str] = set()
    for each in read(FileSource(str(place))):
        for step in each.steps:
            said = (
                (step.error or step.output)[-ERROR:]
                if step.tool and (step.status or step.error)
                else ""
            )
            if said.strip() and said not in seen and len(seen) < MOMENTS:
                seen.add(said)
                told = world.tacit("inject", "--run", run, "--error", said)
                if told.get("injected"):
                    yield {"place": step.place, "given": told["injected"]}


def programs(place: Path) -> list[str]:
    """The programs that a session called, in the order of their first call; those that only look are told nothing about."""
    from tacit.formats import read
    from tacit.formats.source import FileSource
    from tacit.learn.command import commands, line_of

    found: dict[str, None] = {}
    for run in read(FileSource(str(place))):
        for step in run.steps:
            for call in commands(line_of(step)) if step.tool else ():
                if not call.looks:
                    found[call.called[:60]] = None
    return list(found)


def _standing(world: World) -> dict[str, list[str]]:
    """The lessons after a session: those in force, and those that are kept but wait."""
    found: dict[str, list[str]] = {"in force": [], "waiting": []}
    for id, state, gate in rows(world, "SELECT id, state, gate FROM memory ORDER BY n"):
        if state in INJECTABLE and gate == "allow":
            found["in force"].append(id)
        elif state not in CLOSED:
            found["waiting"].append(id)
    return found


def rows(world: World, sql: str) -> list[tuple[Any, ...]]:
    """An answer of the store, read only."""
    import apsw

    path = next(world.home.rglob("tacit.db"))
    found: list[tuple[Any, ...]] = (
        apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY).execute(sql).fetchall()
    )
    return found


def _noticed(world: World) -> list[dict[str, Any]]:
    """The lessons in force that come from noticing, as they stand after a session."""
    listed = world.tacit("list", "--sort", "seen", "--limit", "200")["memories"]
    keys = ("id", "text", "signature", "tags", "category", "class", "seen")
    return [
        {key: each[key] for key in keys}
        for each in listed
        if each["source"] == "notice" and each["state"] in INJECTABLE and each["gate"] == "allow"
    ]


def _texts(given: dict[str, Any]) -> list[str]:
    return [line for line in str(given.get("markdown", "")).splitlines() if line.startswith("- ")]


def _folders(text: str) -> list[str]:
    """The folders that a session worked in, the outermost: where a worktree or a subfolder lies below one, that one counts."""
    found = {each.rstrip("/") for each in re.findall(r'"cwd"\s*:\s*"(/[^"\\]{3,200})"', text)}
    outer = [each for each in found if not any(each.startswith(other + "/") for other in found)]
    roots = {re.sub(r"/\.(?:worktrees|claude/worktrees)/.*$", "", each) for each in outer}
    return sorted(roots, key=len, reverse=True)


def _utc(date: str) -> str:
    from datetime import UTC, datetime

    return datetime.fromisoformat(date).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")

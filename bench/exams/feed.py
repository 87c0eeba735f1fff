"""Sessions of a project, fed in the order of time as its developer would have met them, every hook played.

The home holds the host's own folders; the repository each instruction file as it stood on the day, and what the session before
it showed of tracked files. Before a session is learned its events are played on a copy of the store, without the trial's coin, so that the
feeding knows nothing of it. Readers answer from what is kept (`recorded.py`). One JSON line per session.

**Folders**: a page may be cut inside a path, so what a reader is shown depends on how long the repository's folder is. Everything is therefore
fed in a folder of one length (`ROOT` and eight letters), wherever the checkout lies; it is as long as the one that the kept answers were made in. In
hashes and in the names of questions that folder is written /repo (`recorded.folded`).
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from bench.exams import answers
from bench.exams.product import Home, Product
from bench.exams.transcript import Event, events

ROOT = "/tmp/tacit-exams-"  # with eight letters as long as the folder of the kept answers
# where the kept answers of a project were made in a folder of another length
LETTERS = {"entire-graph": 17}
HERE = Path(__file__).resolve().parent
ERROR = 4_000  # characters of an output that a host passes
SHOWN = 200_000  # characters that are kept of one file
# What nobody tracks.
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


@dataclass(frozen=True)
class Session:
    """One session of the data, as its index describes it."""

    id: str
    file: Path
    start: str
    agent: str


def sessions(project: Path) -> list[Session]:
    """The sessions of a project in the order they began."""
    index = json.loads((project / "index.json").read_text())
    found = [
        Session(each["session"], project / each["file"], each["start"], each["agent"])
        for each in index
        if each.get("real", True)
    ]
    return sorted(found, key=lambda each: each.start)


def projects(data: Path) -> list[Path]:
    """The projects with answer keys below a folder, the longest first."""
    found = [index.parent for index in (*data.glob("*/index.json"), *data.glob("*/*/index.json"))]
    found = [place for place in found if (place / "truth").is_dir()]
    return sorted(found, key=lambda place: -len(sessions(place)))


@dataclass
class World:
    """A project's home while it is fed, and what lies beside it."""

    project: Path
    home: Home
    folder: Path
    queue: Path  # of questions and kept answers
    asked: Path  # a line for each question
    read: int = 0  # bytes of it that were looked at

    def questions(self) -> list[dict[str, Any]]:
        """What was asked since the last look."""
        if not self.asked.exists():
            return []
        with self.asked.open() as file:
            file.seek(self.read)
            lines = file.read()
            self.read = file.tell()
        return [json.loads(line) for line in lines.splitlines()]


def world_of(project: Path, product: Product, name: str = "") -> World:
    """A fresh home for a project, with its kept answers laid out."""
    folder = Path(ROOT + secrets.token_hex(16)[: LETTERS.get(project.name, 8)]) / (
        name or project.name
    )
    repository = folder / "home" / "work" / project.name
    repository.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    queue, asked = folder.parent / "queue", folder.parent / "asked.jsonl"
    answers.unpack(queue, project.name)
    (queue / project.name).mkdir(parents=True, exist_ok=True)
    for kept in (project.parent / "readings" / project.name).glob("*.json"):
        shutil.copy(kept, queue / project.name / kept.name)
    world = World(project, Home(product, folder / "home", repository), folder, queue, asked)
    settings(world)
    return world


def settings(world: World) -> None:
    """Have every session read, by what is kept."""
    words = [
        sys.executable,
        str(HERE / "recorded.py"),
        str(world.queue / world.project.name),
        "--near",
        "--fold",
        str(world.home.repository),
        "--log",
        str(world.asked),
    ]
    place = world.home.home / ".config" / "tacit" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text(
        f"[model]\ncommand = {json.dumps(shlex.join(words))}\ndaily_tokens = 1000000000\n"
        '[reader]\nby = "model"\nhosts = ["*"]\n'
    )


def feed(world: World, *, play: bool = True, limit: int = 0) -> Iterator[dict[str, Any]]:
    """Session after session: what its hooks would tell, then what is learned from it."""
    known = world.home.lessons() if (world.home.home / ".local").exists() else {}
    for number, session in enumerate(sessions(world.project)[: limit or None]):
        instructions(world, session.start)
        place = placed(world, session)
        found = events(place)
        track(world, found, session.start)
        told = list(played(world, session, found, set(known))) if play and known else []
        world.home.learn(place)
        place.unlink()  # what hosts keep for a month, and disks need not
        known = world.home.lessons()
        by_state: dict[str, list[str]] = {}
        for lesson in known.values():
            by_state.setdefault(lesson.state, []).append(lesson.id)
        yield {
            "n": number,
            "session": session.id,
            "start": session.start,
            "hooks": told,
            "states": by_state,
            "questions": world.questions(),
            "prompts": [each.at for each in found if each.moment == "prompt"],
            "texts": {lesson.id: lesson.text for lesson in known.values()},
        }


# --- the repository


def instructions(world: World, at: str) -> None:
    """Put each instruction file in place as it stood at a time."""
    manifest = world.project / "instructions" / "manifest.json"
    for each in json.loads(manifest.read_text()) if manifest.exists() else ():
        if "file" not in each or each["path"].startswith(("/", "..")) or _utc(each["date"]) > at:
            continue
        stood = world.project / each["file"]
        if stood.exists():
            place = world.home.repository / each["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(stood.read_bytes())


def _utc(date: str) -> str:
    return datetime.fromisoformat(date).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def placed(world: World, session: Session) -> Path:
    """The session's file in the host's own folder, its folder names rewritten to this repository's."""
    text, root = session.file.read_text(errors="replace"), str(world.home.repository)
    for folder in folders(text):
        text = text.replace(folder, root)
    home = world.home.home
    if session.agent == "Codex":
        stamp = session.start[:19].replace(":", "-")
        day = home / ".codex" / "sessions" / session.start[:10].replace("-", "/")
        place = day / f"rollout-{stamp}-{session.id}.jsonl"
    else:
        name = re.sub(r"[^A-Za-z0-9]", "-", root)
        place = home / ".claude" / "projects" / name / f"{session.id}.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def folders(text: str) -> list[str]:
    """The folders that a session worked in, the outermost: of a worktree the repository that it lies in."""
    found = {each.rstrip("/") for each in re.findall(r'"cwd"\s*:\s*"(/[^"\\]{3,200})"', text)}
    outer = [one for one in found if not any(one.startswith(other + "/") for other in found)]
    roots = {re.sub(r"/\.(?:worktrees|claude/worktrees)/.*$", "", each) for each in outer}
    return sorted(roots, key=len, reverse=True)


def track(world: World, found: list[Event], began: str) -> None:
    """Commit what a session sees of its repository, as of the moment it began: the repository itself is not in the data, and without it no file would be tracked."""
    root, written = str(world.home.repository), set[str]()
    for event in found:
        path = (
            os.path.relpath(os.path.join(root, event.text), root)
            if event.moment in ("file", "seen")
            else ""
        )
        if event.moment == "file" and event.tool.startswith(("Write", "Edit")):
            written.add(path)
        elif event.moment == "seen" and path not in written:
            remember(world.home.repository, path, event.output)
    for words in (["add", "-Af", "--", "."], ["commit", "-qm", "as it was seen"]):
        who = ["-c", "user.name=dev", "-c", "user.email=dev@example.org"]
        before = {**os.environ, "GIT_COMMITTER_DATE": began, "GIT_AUTHOR_DATE": began}
        subprocess.run(["git", *who, *words], cwd=root, env=before, capture_output=True)


def remember(repository: Path, path: str, shown: str) -> None:
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
    try:
        had = file.read_text(errors="replace") if file.is_file() else ""
        if shown not in had and len(had) < SHOWN and not file.is_dir():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(had + shown + "\n")
    except (OSError, ValueError):
        return  # a name that no file can have, or below a file


# --- the hooks


# what 0.2.0 calls the moments on its command line, and what the host says there
MOMENTS = {
    "start": "session-start",
    "prompt": "prompt",
    "command": "before-command",
    "file": "before-command",
    "failure": "tool-failure",
}


def played(
    world: World, session: Session, found: list[Event], known: set[str]
) -> Iterator[dict[str, Any]]:
    """What each hook of a session says, on a copy of the store."""
    copy = copied(world.home, world.folder)
    common = {
        "session_id": f"{session.id}-played",
        "cwd": str(world.home.repository),
        "transcript_path": "",
    }
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    turns = [
        (0, "start", start),
        *(
            (each.at, each.moment, payload(n, each))
            for n, each in enumerate(found)
            if each.moment != "seen"
        ),
    ]
    for at, moment, said in turns:
        words = copy.hook(MOMENTS[moment], {**common, **said})
        if words:
            given = [id for id in dict.fromkeys(re.findall(r"\w{6,}", words)) if id in known]
            yield {"moment": moment, "at": at, "tokens": (len(words) + 3) // 4, "given": given}


def payload(n: int, event: Event) -> dict[str, Any]:
    """What the host says at an event."""
    if event.moment == "prompt":
        return {"hook_event_name": "UserPromptSubmit", "prompt": event.text, "prompt_id": f"p{n}"}
    given = {"file_path": event.text} if event.moment == "file" else {"command": event.text}
    told = {"tool_use_id": f"t{n}", "tool_name": event.tool, "tool_input": given}
    if event.moment == "failure":
        return {"hook_event_name": "PostToolUseFailure", **told, "error": event.output[-ERROR:]}
    return {"hook_event_name": "PreToolUse", **told}


@dataclass
class Copy(Home):
    """The same home and repository with a store of its own."""

    share: Path = field(default=Path())

    def env(self) -> dict[str, str]:
        return super().env() | {"XDG_DATA_HOME": str(self.share)}


NO_COIN = 'extends = "default"\nname = "uncoined"\n[trial]\nrate = 0.0\nrate_heard = 0.0\nrate_severe = 0.0\nrate_watch = 0.0\n'


def copied(home: Home, folder: Path) -> Copy:
    """A copy of the store without the trial's coin, so that what is delivered is what matters and not what the dice left."""
    place = folder / "played"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(home.home / ".local" / "share", place, symlinks=True)
    return uncoined(Copy(home.product, home.home, home.repository, share=place), folder)


Of = TypeVar("Of", bound=Home)


def uncoined(home: Of, folder: Path) -> Of:
    """A home without the trial's coin."""
    home.coin = False
    profile = folder / "uncoined.toml"
    profile.write_text(NO_COIN)
    # 0.2.0 has its coin in a profile; later products obey TACIT_COIN alone, and know no such command
    home.tacit("profile", "use", str(profile), "--by", "dev", "--yes")
    return home

"""What a checklist needs: a folder of its own, the command line and the library as a user has them, and items that hold or do not.

A chapter is a generator over one section of an origin's document. Each `yield` is one item of it: its words and whether it holds, or
`differs(words, holds, why)` where we do it otherwise on purpose; `why` is the head of the entry in docs/internals/origins that gives the reason.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, cast

from tests import verbs
from tests.verbs import Memories

from tacit.cli import main
from tacit.core import clock
from tacit.core.errors import Refused

DOCS = Path(__file__).parents[3] / "docs" / "internals" / "origins"
PERSON, SCRIPT, AGENT = "person", "script", "agent"
NEEDED = re.compile(
    r"\b(?:person|terminal|key)\b"
)  # a line that says why a person is needed, or what they do
TOTALS = {"archeflow": 77, "joelclaw": 90, "geas": 115, "ralph": 144}
WITH_A_PERSON = {
    "archeflow": 15,
    "joelclaw": 10,
    "geas": 44,
    "ralph": 43,
}  # items of which an orchestrator is told that one is needed


class Differs:
    """Something that we do otherwise, with the head of its reason."""

    def __init__(self, words: str, holds: bool, why: str) -> None:
        self.words, self.holds, self.why = words, holds, why


def differs(words: str, holds: bool, why: str) -> Differs:
    return Differs(words, holds, why)


Item = tuple[str, bool] | Differs
Chapter = Callable[["Place"], Iterator[Item]]
CHAPTERS: list[tuple[str, str, Chapter]] = []


def chapter(system: str, section: str) -> Callable[[Chapter], Chapter]:
    def keep(function: Chapter) -> Chapter:
        CHAPTERS.append((system, section, function))
        return function

    return keep


class Place:
    """A folder of one project with a store of its own, in the way of one origin."""

    def __init__(self, folder: Path, profile: str, caller: str = PERSON) -> None:
        self.folder, self.profile, self.store, self.caller = (
            folder,
            profile,
            str(folder / "tacit.db"),
            caller,
        )
        self.opened: list[Memories] = []
        self.told: list[str] = []  # what the caller was told about needing a person
        folder.mkdir(parents=True, exist_ok=True)
        if caller != PERSON:
            subprocess.run(["git", "init", "-q"], cwd=folder, check=True, capture_output=True)
        person = self._open("ada")
        person.use_profile(profile)
        self.memories = (
            person if caller == PERSON else cast("Memories", Called(self, self._open(""), person))
        )

    def another(self, name: str) -> Place:
        """A second project of the same system, called alike."""
        other = Place(self.folder / name, self.profile, self.caller)
        self.opened.append(other)  # type: ignore[arg-type]
        other.told = self.told
        return other

    def _open(self, by: str) -> Memories:
        env = os.environ if by else _without_person(self.caller)
        profile = self.profile if by else None
        self.opened.append(
            verbs.open(
                self.store, profile=profile, cwd=str(self.folder), env=env, by=by, yes=bool(by)
            )
        )
        return self.opened[-1]

    def sit(self, by: str) -> Memories:
        """The memories, in somebody's name; from an orchestrator, that somebody is called in where a person is needed."""
        named = self._open(by)
        return (
            named
            if self.caller == PERSON
            else cast("Memories", Called(self, self._open(""), named))
        )

    def write(self, path: str, content: Any) -> Path:
        """A file: a text as it is, rows as JSON lines, anything else as JSON."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        rows = (
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
            if isinstance(content, list)
            else ""
        )
        place.write_text(
            content
            if isinstance(content, str)
            else rows or json.dumps(content, ensure_ascii=False),
            encoding="utf-8",
        )
        return place

    def cli(self, *args: str, stdin: str = "") -> tuple[int, str, str]:
        """The command line: exit code, output, errors."""
        given = [*args, "--store", self.store]
        if self.caller == PERSON or self._is_told(args, stdin):
            given += ["--by", "ada", "--yes"] if not {"inject", "log"} & {*args[:2]} else []
            return self.called(given, stdin, os.environ)
        return self.called(given, stdin, _without_person(self.caller))

    def _is_told(self, args: tuple[str, ...], stdin: str) -> bool:
        """Whether the caller is told, by the command tried on a copy of the store, that a person is needed."""
        if args[:2] == ("data", "export") or {"inject", "page"} & {*args[:2]}:
            return "page" in args[:2]  # it writes a file of a person's
        copy = str(self.folder / "copy.db")
        for end in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(self.store + end, copy + end)
        _, _, err = self.called([*args, "--store", copy], stdin, _without_person(self.caller))
        for end in ("", "-wal", "-shm"):
            Path(copy + end).unlink(missing_ok=True)
        return self.note(err)

    def note(self, said: str) -> bool:
        """Whether this says that a person is needed; then it is noted."""
        lines = [line for line in said.splitlines() if NEEDED.search(line)]
        self.told += lines
        return bool(lines)

    def called(self, given: list[str], stdin: str, env: Mapping[str, str]) -> tuple[int, str, str]:
        out, err, was, before, env = (
            io.StringIO(),
            io.StringIO(),
            os.getcwd(),
            dict(os.environ),
            dict(env),
        )
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(env)
        try:
            with redirect_stdout(out), redirect_stderr(err), _stdin(stdin):
                code = main(given)
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os.chdir(was)
            os.environ.clear()
            os.environ.update(before)
        return code, out.getvalue(), err.getvalue()

    def restored(self, called: Called) -> Any:
        """A restore, for which nobody else may have the store open."""
        self._is_told(("data", "restore"), "")
        person = called.__dict__["_person"]
        for each in self.opened:
            if each is not person:
                each.close()
        done = person.restore()
        called.__dict__["_caller"] = self._open("")
        return done

    def rows(self, format: str, part: str = "") -> list[Any]:
        return [json.loads(line) for line in self.memories.export(format, part).splitlines()]

    def close(self) -> None:
        for memories in self.opened:
            memories.close()


class Called:
    """The library as an orchestrator has it: each verb is tried without a person, and where one is needed it is noted and they do it."""

    def __init__(self, place: Place, caller: Any, person: Any) -> None:
        self.__dict__.update(_place=place, _caller=caller, _person=person)

    def __setattr__(self, name: str, at: Any) -> None:
        for each in (self._caller, self._person):
            object.__setattr__(each, name, at)

    def __getattr__(self, name: str) -> Any:
        mine, theirs = getattr(self._caller, name), getattr(self._person, name)
        if not callable(mine):
            own = type(mine).__module__.startswith("tacit.") and name in (
                "staging",
                "knowledge",
                "vouching",
            )
            return Called(self._place, mine, theirs) if own else mine

        def call(*args: Any, **named: Any) -> Any:
            if name == "learn":
                tried = mine(*args, **{**named, "dry_run": True, "by_place": True})
                if any(self._place.note(note) for each in tried for note in each.warnings):
                    return theirs(*args, **named)
                return mine(*args, **{"by_place": True, **named})
            told = name == "add" and (
                "add",
                args[0],
            )  # what waits, or counts less, is told by the command
            told = told or (name == "feedback" and ("feedback", args[0], f"--{args[1]}"))
            if told and self._place._is_told(told, ""):
                return theirs(*args, **named)
            if name == "restore":
                return self._place.restored(self)
            try:
                return mine(*args, **named)
            except Refused as refused:
                if not self._place.note(f"{refused.message} {refused.hint}"):
                    raise
                return theirs(*args, **named)

        return call


def _without_person(caller: str) -> dict[str, str]:
    """An environment in which nobody signs: a script's, or an agent's shell."""
    env = {name: at for name, at in os.environ.items() if name not in ("TACIT_KEY", "TACIT_BY")}
    return {**env, "CLAUDECODE": "1"} if caller == AGENT else env


@contextmanager
def _stdin(text: str) -> Iterator[None]:
    import sys

    was = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        yield
    finally:
        sys.stdin = was


@contextmanager
def time_at(when: str) -> Iterator[list[str]]:
    """The clock, stopped; moved by hand."""
    now, was = [when], clock.now
    clock.now = lambda: now[0]  # type: ignore[assignment]
    try:
        yield now
    finally:
        clock.now = was  # type: ignore[assignment]

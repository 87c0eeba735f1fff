"""What a checklist needs: a folder of its own, the command line and the library as a user has them, and items that hold or do not.

A chapter is a generator over one section of an origin's document. Each `yield` is one item of it: its words and whether it holds, or
`differs(words, holds, why)` where we do it otherwise on purpose; `why` is the head of the entry in docs/origins that gives the reason.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import tacit
from tacit.app import Memories
from tacit.core import clock
from tacit.surfaces.cli import main

DOCS = Path(__file__).parents[3] / "docs" / "origins"
TOTALS = {"archeflow": 77, "joelclaw": 91, "geas": 115, "ralph": 144}


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

    def __init__(self, folder: Path, profile: str) -> None:
        self.folder, self.profile, self.store = folder, profile, str(folder / "tacit.db")
        self.opened: list[Memories] = []
        folder.mkdir(parents=True, exist_ok=True)
        self.memories = self.sit("ada")
        self.memories.use_profile(profile)

    def sit(self, by: str) -> Memories:
        """The memories, in somebody's name."""
        self.opened.append(tacit.open(self.store, profile=self.profile, cwd=str(self.folder), by=by, yes=True))
        return self.opened[-1]

    def write(self, path: str, content: Any) -> Path:
        """A file: a text as it is, rows as JSON lines, anything else as JSON."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        rows = (
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content) if isinstance(content, list) else ""
        )
        place.write_text(
            content if isinstance(content, str) else rows or json.dumps(content, ensure_ascii=False), encoding="utf-8"
        )
        return place

    def cli(self, *args: str, stdin: str = "") -> tuple[int, str, str]:
        """The command line: exit code, output, errors."""
        out, err, was = io.StringIO(), io.StringIO(), os.getcwd()
        given = [*args, "--store", self.store]
        given += ["--by", "ada", "--yes"] if args[0] not in ("inject", "log") else []
        os.chdir(self.folder)
        try:
            with redirect_stdout(out), redirect_stderr(err), _stdin(stdin):
                code = main(given)
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os.chdir(was)
        return code, out.getvalue(), err.getvalue()

    def rows(self, format: str, part: str = "") -> list[Any]:
        return [json.loads(line) for line in self.memories.export(format, part).splitlines()]

    def close(self) -> None:
        for memories in self.opened:
            memories.close()


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

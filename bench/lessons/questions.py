"""Write what is asked of every session alone to a folder, so that all of them can be answered at once: the first question, of a session in
several parts as far as earlier parts were answered.

    python bench/lessons/questions.py DATA PROJECT… --queue FOLDER

What a session teaches is asked of the session alone, so these are exactly the prompts that Tacit sends while the sessions are fed in order
(`recorded.py` folds the bench's own folder away). The later questions depend on answers and on what is remembered by then: they come up in
the feeding itself.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recorded import name_of, step_of

from tacit.core.errors import ModelUnavailable
from tacit.formats import read
from tacit.formats.source import FileSource
from tacit.guard.redact import private, redact
from tacit.learn.reader.asking import Questions, kept_lines
from tacit.learn.reader.render import page_tokens, rendered
from tacit.stores.readings import Reading

REPOSITORY = "/repo"


class Kept:
    """A model that knows the answers of a folder, and remembers what it was asked."""

    identity = "kept"

    def __init__(self, folder: Path, file: Path) -> None:
        self.folder, self.file, self.asked = folder, file, list[tuple[str, str]]()

    def ask(self, text: str, **_: Any) -> str:
        asked = folded(redact(private(text)).text, self.file)
        name = f"{step_of(asked)}-{name_of(asked)}"
        self.asked.append((name, asked))
        if not (at := self.folder / f"{name}.json").exists():
            raise ModelUnavailable(f"{name} waits to be answered.", why="later")
        return at.read_text()


def questions(
    data: Path, project: str, queue: Path
) -> Iterator[tuple[dict[str, Any], str, str, int]]:
    """Each session of a project in the order of time: its entry, what is asked of it alone as far as that is known, and the tokens of its page."""
    for entry in sorted(
        json.loads((data / project / "index.json").read_text()), key=lambda each: str(each["start"])
    ):
        if not entry.get("real", True):
            continue
        file = data / project / entry["file"]
        for run in read(FileSource(str(file)), None):
            page = rendered(run)
            if (
                not page.typed
                and run.outcome != "failure"
                and not any(line.letter == "E" for line in page.lines)
            ):
                continue
            kept = Kept(queue / project, file)
            with tempfile.TemporaryDirectory() as scratch, contextlib.suppress(ModelUnavailable):
                asking = Questions(
                    Reading("a" * 16, project, lines=kept_lines(page)),
                    scratch,
                    kept,
                    0.0,
                    lambda: "2026-01-01T00:00:00Z",
                )
                asking.lessons()
            for name, asked in kept.asked:
                yield entry, name, asked, page_tokens(page.lines)


def folded(text: str, file: Path) -> str:
    """A prompt without the folder that its session worked in."""
    held = file.read_text(errors="replace")
    for folder in folders(held):
        text = text.replace(folder, REPOSITORY)
    return text


def folders(text: str) -> list[str]:
    """The folders that a session worked in, the outermost."""
    found = {each.rstrip("/") for each in re.findall(r'"cwd"\s*:\s*"(/[^"\\]{3,200})"', text)}
    outer = [each for each in found if not any(each.startswith(other + "/") for other in found)]
    return sorted(
        {re.sub(r"/\.(?:worktrees|claude/worktrees)/.*$", "", each) for each in outer},
        key=len,
        reverse=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("projects", nargs="+")
    parser.add_argument("--queue", type=Path, required=True)
    args = parser.parse_args()
    for project in args.projects:
        folder = args.queue / project
        folder.mkdir(parents=True, exist_ok=True)
        sizes, order = [], []
        for entry, name, asked, size in questions(args.data, project, args.queue):
            order.append(f"{entry['start']} {entry['session']} {name} {size}")
            sizes.append(size)
            if not (folder / f"{name}.json").exists():
                (folder / f"{name}.txt").write_text(asked)
        (folder / "order.txt").write_text("\n".join(order) + "\n")
        sizes.sort()
        print(
            f"{project}: {len(sizes)} questions, tokens median {sizes[len(sizes) // 2]}, 95 % {sizes[len(sizes) * 95 // 100]}, sum {sum(sizes)}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The same replay for what we did not write: lines of an instruction file, with them and without."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.errors import NotFound, UsageError
from tacit.core.value import replace
from tacit.hosts import every_host
from tacit.hosts.registration import OTHER_INSTRUCTIONS
from tacit.lesson import Lesson
from tacit.place.git import ask_git
from tacit.replay.clone import commit_of, texts_at
from tacit.replay.request import ReplayRequest, starts_folder
from tacit.replay.starts import start_of
from tacit.replay.tasks import Skipped, Task, judge_task
from tacit.words.blocks import file_of_name, named_block, without_block

if TYPE_CHECKING:
    from tacit.opened import Opened


class BlockRequest(ReplayRequest):
    """One call of `replay --without`: a run that is given the lines has the file as it was, the other has it without them."""

    def __init__(self, memories: Opened, name: str, agent: str, **options: Any) -> None:
        file = file_of_name(name)
        loaded = {each for host in every_host().values() for each in host.instructions} | {
            *OTHER_INSTRUCTIONS
        }
        if os.path.basename(file) not in {os.path.basename(each) for each in loaded}:
            raise UsageError(
                f"{name!r} names no lines of an instruction file.",
                "For instance --without CLAUDE.md:12-18.",
            )
        path = os.path.join(memories.place.root, file)
        try:
            with open(path, encoding="utf-8", errors="replace") as said:
                block = named_block(name, said.read())
        except OSError as error:
            raise NotFound(
                f"{path} cannot be read: {error.strerror}.",
                "Name it from the top of the work tree.",
            ) from None
        if block is None:
            raise UsageError(
                f"{file} has no such lines: {name}.",
                "FIRST-LAST, from 1; tacit lookback lists its blocks.",
            )
        if not options.get("check"):
            raise UsageError(
                "What are these lines to be judged by?",
                "Name a command that exits 0 where the work is well: --check 'make test'.",
            )
        self.block = block
        super().__init__(
            memories,
            Lesson(name, memories.project_id, block.text, "rule", "rule", trust="user"),
            agent,
            **options,
        )

    def _tasks(self) -> Iterator[Task | Skipped]:
        """Every past run of this project in which the lines stood in the file."""
        for row in self.memories.store.runs(self.memories.project_id, limit=-1):
            run = self._reread(row.id) if row.learned_at else "it was never learned"
            if isinstance(run, str):
                yield Skipped(row.foreign_id, run)
                continue
            start = start_of(starts_folder(self.memories), run.host, run.id)
            found = judge_task(run, (), self.source, start)
            if isinstance(found, Skipped):
                yield found
                continue
            file, commit = self.block.file, commit_of(self.source, found.commit)
            held = texts_at(self.source, commit, [file]).get(file, "") if commit else ""
            if not commit:
                yield Skipped(run.id, "its commit is not in this repository")
            elif without_block(held, self.block.text) is None:
                yield Skipped(run.id, f"{file} did not hold these lines then")
            else:
                yield replace(found, commit=commit)

    def make_store(self, path: str, clone: str, given: bool) -> None:
        """An empty store in both arms; the file without the lines in one. git is told in both that it did not change."""
        super().make_store(path, clone, False)
        if not given:
            file = os.path.join(clone, self.block.file)
            with open(file, encoding="utf-8", errors="replace", newline="") as said:
                text = without_block(said.read(), self.block.text)
            if text is not None:
                with open(file, "w", encoding="utf-8", newline="") as cut:
                    cut.write(text)
        ask_git(clone, "update-index", "--assume-unchanged", "--", self.block.file, here=True)

    def was_given(self, path: str) -> bool:
        return True  # the host loads the file

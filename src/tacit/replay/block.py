"""The same replay for what we did not write: lines of an instruction file, with them and without."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.errors import NotFound, UsageError
from tacit.hosts import every_host
from tacit.hosts.registration import OTHER_INSTRUCTIONS
from tacit.lesson import Lesson
from tacit.place.git import ask_git
from tacit.replay.clone import texts_at
from tacit.replay.request import ReplayOptions, ReplayRequest
from tacit.replay.tasks import Skipped, Task
from tacit.words.blocks import file_of_name, named_block, without_block

if TYPE_CHECKING:
    from tacit.opened import Opened


class BlockRequest(ReplayRequest):
    """One call of `replay --without`: a run that is given the lines has the file as it was, the other has it without them."""

    def __init__(self, memories: Opened, options: ReplayOptions, opens: Callable[..., Any]) -> None:
        name = options.without
        file = file_of_name(name)
        loaded = {each for host in every_host().values() for each in host.instructions}
        known = {os.path.basename(each) for each in (*loaded, *OTHER_INSTRUCTIONS)}
        if os.path.basename(file) not in known:
            told = f"{name!r} names no lines of an instruction file."
            raise UsageError(told, "For instance --without CLAUDE.md:12-18.")
        path = os.path.join(memories.place.root, file)
        try:
            with open(path, encoding="utf-8", errors="replace") as said:
                block = named_block(name, said.read())
        except OSError as error:
            told = f"{path} cannot be read: {error.strerror}."
            raise NotFound(told, "Name it from the top of the work tree.") from None
        if block is None:
            told = f"{file} has no such lines: {name}."
            raise UsageError(told, "FIRST-LAST, from 1; tacit lookback lists its blocks.")
        self.block = block
        lesson = Lesson(name, memories.project_id, block.text, "rule", "rule", trust="user")
        super().__init__(memories, lesson, options, opens)

    def _tasks(self) -> Iterator[Task | Skipped]:
        """Every past run of this project in which the lines stood in the file."""
        for row in self.memories.store.runs(self.memories.project_id, limit=-1):
            run = self._reread(row.id) if row.learned_at else "it was never learned"
            found = Skipped(row.foreign_id, run) if isinstance(run, str) else self.task_of(run, ())
            if isinstance(found, Task):
                file = self.block.file
                held = texts_at(self.source, found.commit, [file]).get(file, "")
                if without_block(held, self.block.text) is None:
                    found = Skipped(found.run, f"{file} did not hold these lines then")
            yield found

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

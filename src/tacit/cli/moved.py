"""Sessions of folders that are gone: whether to learn them, asked once for each folder."""

from __future__ import annotations

import os
import shlex

from tacit.cli.verb import Cli
from tacit.cli.words import one_line
from tacit.core.errors import numbered


class AskedOnce:
    """Asks once about each folder that is gone and whose repository nobody knows, whether its sessions are learned as a project of
    their own. Without a terminal it is no, unless --yes was said."""

    def __init__(self, cli: Cli, yes: bool) -> None:
        self.cli, self.yes = cli, yes
        self.said: dict[str, bool] = {}
        self.refused: dict[str, int] = {}

    def __call__(self, folder: str) -> bool:
        at = folder
        while at not in self.said and at != os.path.dirname(at):
            at = os.path.dirname(at)
        folder = at if at in self.said else folder
        if folder not in self.said:
            question = f"{one_line(folder, 100)} is gone. Learn its sessions as a project of their own? [y/N] "
            self.said[folder] = self.yes or self.cli.ask(question)
        if not self.said[folder]:
            self.refused[folder] = self.refused.get(folder, 0) + 1
        return self.said[folder]

    def notes(self) -> list[str]:
        """What was left out, and how to take it in."""
        if not self.refused:
            return []
        many = len(self.refused)
        where = "a folder that is" if many == 1 else f"{many} folders that are"
        out = f"{numbered(sum(self.refused.values()), 'session')} of {where} gone, left out"
        first = shlex.quote(next(iter(self.refused)))
        return [
            f"{out}: tacit learn --yes takes each such folder as a project of its own; what was this project before it moved:"
            f" tacit learn --moved-from {first}"
        ]

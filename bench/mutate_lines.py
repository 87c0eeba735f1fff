"""The lines of tacit that a process executes, for whoever records them: mutate_tests.py in the process of the tests, sitecustomize in those they start."""

from __future__ import annotations

import atexit
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from coverage import Coverage

FOLDER = "MUTATE_RECORD"  # where a recording run keeps what it sees
CONTEXT = "MUTATE_CONTEXT"  # on whose behalf a process was started


class Lines:
    """What was executed since it was last taken, as rows of JSON in a file of its own."""

    def __init__(self) -> None:
        self.folder = Path(os.environ[FOLDER])
        self.root = Path(next(each for each in sys.path if each.endswith("/src"))).parent
        self.coverage = Coverage(
            data_file=None, config_file=False, include=[f"{self.root}/src/tacit/*"]
        )
        self.coverage.start()
        self.found: dict[str, set[int]] = self.coverage._collector.data  # type: ignore[union-attr, assignment]

    def taken(self) -> dict[str, str]:
        """The lines of each module, as bits; from here on none is known."""
        taken = {}
        for name, lines in list(self.found.items()):
            if lines:
                taken[os.path.relpath(name, self.root)] = (
                    f"{sum(1 << line for line in tuple(lines)):x}"
                )
                lines.clear()
        return taken

    def keep(self, *row: Any) -> None:
        """One row; whoever outlives the run says nothing."""
        try:
            with (self.folder / f"{os.getpid()}.rows").open("a") as file:
                file.write(json.dumps(row) + "\n")
        except OSError:
            pass


def record_process() -> None:
    """Record this process and its forks until they end, each for the test that its environment then names."""
    lines = Lines()

    def end() -> None:
        if taken := lines.taken():
            context = os.environ.get(CONTEXT, "")
            lines.keep("lines", context, taken)
            lines.keep("cpu", context, time.process_time())

    leave = os._exit

    def left(code: int) -> None:
        end()
        leave(code)

    os._exit = left  # type: ignore[assignment]
    atexit.register(end)
    os.register_at_fork(after_in_child=lambda: lines.taken() and None)

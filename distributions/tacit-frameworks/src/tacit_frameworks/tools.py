"""Tools that an agent of any framework may call: recall, remember and report, as plain functions with plain answers."""

from __future__ import annotations

from collections.abc import Callable

from tacit.app import Memories
from tacit.core.digest import new_id
from tacit.core.errors import TacitError
from tacit_frameworks import as_agent


class Tools:
    """The three tools for an agent. `run` tells which run it is in; in none nothing is recorded, and all that is kept is one run."""

    def __init__(self, memories: Memories, run: Callable[[], str] = str) -> None:
        self._memories = memories
        self._run = run
        self._own = f"tools-{new_id()}"

    def recall(self, query: str, error: str = "") -> str:
        """Call BEFORE starting a task, and when something FAILS: what past runs of this project learned about it.

        Args:
            query: What you are about to do, or want to know, in a sentence.
            error: The error that just happened, as it was printed; empty if there is none.
        """
        return self._answer(lambda: self._recall(query, error))

    def remember(self, text: str) -> str:
        """Call BEFORE FINISHING, when you found out something lasting about this project that a newcomer would not know.

        Args:
            text: One self-contained sentence that names the file, command or setting it is about. No guesses, no secrets.
        """
        return self._answer(lambda: self._submit(text, "fact", ""))

    def report(self, text: str, error: str = "") -> str:
        """Call when something WENT WRONG in this run that a later run should be spared.

        Args:
            text: What failed, why, and what worked instead, in a sentence or two.
            error: The error as it was printed; empty if there is none.
        """
        return self._answer(lambda: self._submit(text, "pitfall", error))

    @property
    def all(self) -> tuple[Callable[..., str], ...]:
        """The functions, for a framework that takes functions."""
        return self.recall, self.remember, self.report

    def _recall(self, query: str, error: str) -> str:
        with as_agent(self._memories) as memories:
            errors = (error,) if error else ()
            found = memories.recall(
                query, run=self._run(), host="library", surface="tool", errors=errors, limit=5
            )
            text = memories.notes(
                [hit.memory for hit in found.hits], [hit.mark for hit in found.hits]
            )
        return text or "Nothing fits."

    def _submit(self, text: str, kind: str, error: str) -> str:
        with as_agent(self._memories) as memories:
            done = memories.submit(text, run=self._run() or self._own, kind=kind, error=error)
        return f"{done.outcome}: {done.reason}"

    def _answer(self, act: Callable[[], str]) -> str:
        """An answer, or what went wrong in words that a model can act on: a memory must not end its run."""
        try:
            return act()
        except TacitError as error:
            return f"{error.message} {error.hint}".strip()

"""What plain selection (`hooks/select.py`) tells at a bug, and at prompts about nothing, from the store that the hooks read."""

from __future__ import annotations

from bench.exams.feed import World, sessions
from bench.exams.transcript import events

import tacit
from tacit.core.rows import scope_projects
from tacit.hooks.known import Known
from tacit.hooks.search import words_of
from tacit.hooks.select import COMMON, Lesson


class Selected:
    """One project's store, with the words that are common in its sessions."""

    def __init__(self, world: World) -> None:
        self.memories = tacit.open(
            str(world.home.home / ".local" / "share" / "tacit" / "tacit.db"),
            env=world.home.env(),
            cwd=str(world.home.repository),
            create=False,
        )
        self.first: dict[str, str] = {}  # session -> its first prompt
        heard: dict[str, int] = {}
        for session in sessions(world.project):
            typed = [each.text for each in events(session.file) if each.moment == "prompt"]
            self.first[session.id] = typed[0]
            for word in {word.lower() for text in typed for word in words_of(text)}:
                heard[word] = heard.get(word, 0) + 1
        most = COMMON * max(4, len(self.first))
        self.common = frozenset(word for word, times in heard.items() if times > most)

    def at_bug(self, report: dict[str, str]) -> str:
        """What is told at the start, at the report and at the file, as lines."""
        given: dict[str, Lesson] = {}
        for told in (
            lambda known: known.start(),
            lambda known: known.prompt(report["bug_report"]),
            lambda known: known.file(report["module"], "", 200),
        ):
            given |= {each.id: each for each in told(self._known(given))}
        return "\n".join(f"- [{each.id}] {each.text}" for each in given.values())

    def at_nothing(self, settling: set[str]) -> list[int]:
        """How many lessons each chat that settles nothing is told at its first prompt."""
        prompts = (text for session, text in self.first.items() if session not in settling)
        return [len(self._known({}).prompt(text)) for text in prompts]

    def close(self) -> None:
        self.memories.close()

    def _known(self, given: dict[str, Lesson]) -> Known:
        projects = scope_projects(self.memories.project_id)
        return Known(self.memories.store, projects, common=self.common, given=given)

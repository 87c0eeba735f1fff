"""What the worker hears of a server while it runs; nobody listens after that."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.core.errors import TacitError
from tacit.memory import Memory as Memories
from tacit.store.jobs import Job
from tacit.store.reads import Store
from tacit.sync import team

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.sync.postgres import Server


class Listening:
    """A connection for each project that was asked about since the worker began."""

    def __init__(self, store: Store, env: Mapping[str, str]) -> None:
        self._store, self._env = store, env
        self._heard: dict[str, tuple[Memories, Server]] = {}

    def __enter__(self) -> Listening:
        return self

    def __exit__(self, *_: object) -> None:
        for project in list(self._heard):
            self._leave(project)

    def begin(self, job: Job) -> None:
        """Hear of a project from now on, and ask once more what came before we listened."""
        if job.project in self._heard:
            return
        memories = Memories(self._store, self._env, str(job.payload["folder"]), job.project)
        try:
            news = team.news(memories)
        except TacitError:
            return  # the server is away, which the sync before this has said
        if news is not None:
            self._heard[job.project] = memories, news
            team.sync_by_itself(memories)

    def look(self) -> None:
        """Take in what others told meanwhile."""
        for project, (memories, news) in list(self._heard.items()):
            try:
                if news.has_news(0):
                    team.sync_by_itself(memories)
            except TacitError:
                self._leave(project)

    def _leave(self, project: str) -> None:
        self._heard.pop(project)[1].close()

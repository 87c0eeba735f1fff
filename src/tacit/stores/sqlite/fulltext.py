"""What `hooks/search.py` asks of a store: how common words are, which lessons hold them, and their texts."""

from __future__ import annotations

from tacit.core.memory import HEARSAY
from tacit.core.value import dumps, loads
from tacit.stores.sqlite.search import (
    INJECTABLE_ROWS,
    NEIGHBOURS,
    _numbered,
    _tokenizer,
    looked_up,
    usual_length,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tacit.core.rows import Hit
    from tacit.stores.sqlite import SqliteStore

WAYS = 200  # ways of working that are looked at for a start
AHEAD = 4  # rows that are looked at for each candidate, before all are
PARTS = 0.3  # weight of what the index holds beside a text, among candidates


class Text:
    """A lesson as it is read for ranking."""

    __slots__ = ("about", "group", "hearsay", "parts", "tasks", "text")

    def __init__(
        self,
        text: str,
        about: str = "",
        parts: str = "",
        tasks: Sequence[str] = (),
        group: str = "",
        hearsay: bool = False,
    ) -> None:
        self.text = text
        self.about = about  # its topic and names
        self.parts = parts  # what the index holds beside the text: parts of names, files
        self.tasks = tasks  # in which it was met
        self.group = group  # it stands in a row with others of this name
        self.hearsay = hearsay


class FullText:
    """The lessons of some projects in one store; with `told`, only what may be given to an agent."""

    def __init__(self, store: SqliteStore, projects: Sequence[str], told: bool) -> None:
        self.store = store
        self.total = store.one("SELECT coalesce(max(n), 0) FROM memory")[0]
        self.usual = usual_length(store)
        self.tokens = _tokenizer(store)
        self.projects = dumps(list(projects))
        self.may = f" AND {INJECTABLE_ROWS}" if told else ""

    def counts(self, tokens: Iterable[str]) -> dict[str, int]:
        """How many lessons hold each word."""
        return {word: rows for word, (rows, _) in looked_up(self.store, tokens).items()}

    def match(self, words: Sequence[str], most: int) -> list[int]:
        """The lessons that hold any of these words, the best first."""
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        found = self._match(asked, most, AHEAD * most)
        # The best rows may be other projects', or not to be told: then all that hold a word are looked at.
        return found if len(found) == most else self._match(asked, most, -1)

    def _match(self, asked: str, most: int, looked_at: int) -> list[int]:
        found: list[int] = self.store.column(
            "SELECT m.n FROM (SELECT rowid AS n, bm25(memory_fts, 1.0, :parts) AS fit FROM memory_fts"
            " WHERE memory_fts MATCH :asked ORDER BY 2, 1 LIMIT :looked_at) f JOIN memory m ON m.n = f.n"
            f" WHERE m.project IN (SELECT value FROM json_each(:projects)){self.may}"
            " ORDER BY f.fit, m.n LIMIT :most",
            asked=asked,
            parts=PARTS,
            projects=self.projects,
            looked_at=looked_at,
            most=most,
        )
        return found

    def beside(self, numbers: Sequence[int]) -> list[int]:
        """What stands one step or two beside these lessons."""
        near = {n + step for n in numbers for step in NEIGHBOURS}
        found: list[int] = self.store.column(
            "SELECT m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:near))"
            f" AND m.project IN (SELECT value FROM json_each(:projects)){self.may}",
            near=dumps(sorted(near)),
            projects=self.projects,
        )
        return found

    def ways(self) -> list[int]:
        """Rules and preferences, the newest first."""
        found: list[int] = self.store.column(
            "SELECT m.n FROM memory m WHERE m.project IN (SELECT value FROM json_each(:projects))"
            f" AND m.klass IN ('rule', 'preference'){self.may} ORDER BY m.n DESC LIMIT {WAYS}",
            projects=self.projects,
        )
        return found

    def lessons(self, scores: Mapping[int, float]) -> tuple[Hit, ...]:
        """The lessons themselves, in the order of these scores."""
        return _numbered(self.store, "words", [*scores.items()])

    def texts(self, numbers: Iterable[int]) -> dict[int, Text]:
        """Their texts, by number."""
        rows = self.store.rows(
            "SELECT n, text, about, words, extra, trust FROM memory"
            " WHERE n IN (SELECT value FROM json_each(:ns))",
            ns=dumps(list(numbers)),
        )
        return {n: _text(*row) for n, *row in rows}


def _text(text: str, about: str, words: str, extra: str, trust: str) -> Text:
    parts, *tasks = words.split("\n")
    met = loads(extra).get("met_in") if '"met_in"' in extra else None
    group = str(met.get("group") or "") if isinstance(met, dict) else ""
    return Text(text, about.replace("*", ""), parts, tasks, group, trust in HEARSAY)

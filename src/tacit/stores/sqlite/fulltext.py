"""What `hooks/search.py` asks of a store: how common words are, which lessons hold them, and their texts."""

from __future__ import annotations

from sys import byteorder

from tacit.core import states
from tacit.core.memory import HEARSAY
from tacit.core.rows import Hit
from tacit.core.value import dumps, loads
from tacit.stores.sql_rows import MEMORY_COLUMNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from tacit.stores.sql import LessonRows
    from tacit.stores.sqlite import SqliteStore

WAYS = 200  # ways of working that are looked at for a start
AHEAD = 4  # rows that are looked at for each candidate, before all are
PARTS = 0.3  # weight of what the index holds beside a text, among candidates

NEIGHBOURS = (-2, -1, 1, 2)  # how far away what is added in one group counts as beside
TEXTS_KEPT = 2000  # texts whose words a process keeps …
_LONG_TEXT = 2000  # … of so many characters at most

# What may ever be given to an agent (design §4); rank and trial narrow it further, nothing widens it.
IN_STATES = f"m.state IN {states.INJECTABLE}"
_ENDED_VERDICTS = ", ".join(f"'{word}'" for word in states.ENDING_VERDICTS)
INJECTABLE_ROWS = f"{IN_STATES} AND m.gate = 'allow' AND m.verdict NOT IN ({_ENDED_VERDICTS}) AND m.superseded_by = ''"


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
        self.tokens = tokenizer(store)
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
            f" AND (m.pinned = 1 OR m.klass IN ('rule', 'preference')){self.may}"
            f" ORDER BY m.pinned DESC, m.n DESC LIMIT {WAYS}",
            projects=self.projects,
        )
        return found

    def number(self, id: str) -> int:
        """A lesson's number."""
        found: int = self.store.one("SELECT n FROM memory WHERE id = :id", id=id)[0]
        return found

    def lessons(self, scores: Mapping[int, float]) -> tuple[Hit, ...]:
        """The lessons themselves, in the order of these scores."""
        return numbered(self.store, "words", [*scores.items()])

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


def usual_length(store: SqliteStore) -> float:
    """The mean words of a text here. FTS5 keeps their sums: numbers of seven bits a byte, the rows first, then each column's words."""
    row = store.one("SELECT block FROM memory_fts_data WHERE id = 1")
    numbers, number = list[int](), 0
    for byte in row[0] if row else b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers[1] / numbers[0] if len(numbers) > 1 and numbers[0] else 0.0


def looked_up(
    store: SqliteStore, words: Iterable[str]
) -> dict[str, tuple[int, Sequence[int] | None]]:
    """Of the words that any memory holds: how many do, and which, where they are few."""
    sql = "SELECT word, rows, few FROM term WHERE word IN (SELECT value FROM json_each(:words))"
    found = store.rows(sql, words=dumps(list(words)))
    return {word: (rows, None if few is None else _numbers(few)) for word, rows, few in found}


def _numbers(few: bytes) -> Sequence[int]:
    if byteorder == "little":
        return memoryview(few).cast("I").tolist()
    return [int.from_bytes(few[at : at + 4], "little") for at in range(0, len(few), 4)]


class _Tokens(dict[str, list[str]]):
    """The words that the index makes of a text; a process that asks again reads the same lessons again."""

    def __init__(self, store: SqliteStore) -> None:
        from apsw import FTS5_TOKENIZE_DOCUMENT

        self.read, self.flag = (
            store._connection.fts5_tokenizer("porter", ["unicode61"]),
            FTS5_TOKENIZE_DOCUMENT,
        )

    def __missing__(self, text: str) -> list[str]:
        raw = text.encode("utf-8", "replace")
        tokens: list[str] = self.read(
            raw, self.flag, None, include_offsets=False, include_colocated=False
        )  # type: ignore[assignment]
        if len(text) <= _LONG_TEXT:
            if len(self) >= TEXTS_KEPT:
                self.clear()
            self[text] = tokens
        return tokens


def tokenizer(store: SqliteStore) -> Callable[[str], list[str]]:
    if store.tokens is None:
        store.tokens = _Tokens(store).__getitem__
    return store.tokens


def loaded(store: LessonRows, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from rows that end with the memory's words, its number and the channel's score."""
    memories = store._with_tallies([row[:-3] for row in rows])
    return tuple(
        Hit(memory, channel, row[-1], row[-2], row[-3]) for memory, row in zip(memories, rows)
    )


def numbered(store: SqliteStore, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from row numbers and scores, in their order. The rows were sorted without their texts: they are wide."""
    if not rows:
        return ()
    wide = store.rows(
        f"SELECT {MEMORY_COLUMNS}, m.words, m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns))",
        ns=dumps([row[0] for row in rows]),
    )
    by_number = {row[-1]: row for row in wide}
    return loaded(store, channel, [(*by_number[n], score) for n, score in rows if n in by_number])

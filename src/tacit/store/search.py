"""What the ranking (`hooks/search.py`) asks of a store: how common words are, which lessons hold them, and their texts.

One FTS5 table. How common a word is the index itself says; of words that stand in very many lessons the worker keeps the
count (`common`), so that a prompt never reads a long list to learn that a word tells nothing. Hooks load this module.
"""

from __future__ import annotations

import apsw

from tacit.core.value import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tacit.store.file import Store

AHEAD = 4  # rows that are looked at for each candidate, before all are
PARTS = 0.3  # weight of what the index holds beside a text, among candidates
WAYS = 200  # ways of working that are looked at for a start
NEIGHBOURS = (-2, -1, 1, 2)  # rows beside a lesson of a group
MANY = 2_000  # lessons from which on a word's count is kept rather than read
TOLD = " AND m.state = 'active' AND m.replaced_by = ''"  # what may be delivered
HEARSAY = ("imported", "quoted", "agent")  # whose words nothing but the telling speaks for
TRUSTS = {"person": "user", "session": "agent", "outside": "imported"}
USUAL = "tacit_usual"  # our function: the mean words of a text


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
        self.hearsay = hearsay  # nobody but an agent said it


class FullText:
    """The lessons of some projects; with `told`, only what may be delivered to an agent."""

    def __init__(self, store: Store, projects: Sequence[str], told: bool) -> None:
        self.store = store
        self.total, self.usual = _sizes(store)
        self._read = store.connection.fts5_tokenizer("porter", ["unicode61"])
        self._tokens: dict[str, list[str]] = {}
        self.names = projects
        self.projects = dumps(list(projects))
        self.may = TOLD if told else ""

    def tokens(self, text: str) -> list[str]:
        """A text as the index reads it."""
        found = self._tokens.get(text)
        if found is None:
            raw = text.encode("utf-8", "replace")
            found = [
                str(token)
                for token in self._read(
                    raw,
                    apsw.FTS5_TOKENIZE_DOCUMENT,
                    None,
                    include_offsets=False,
                    include_colocated=False,
                )
            ]
            self._tokens[text] = found
        return found

    def counts(self, tokens: Iterable[str]) -> dict[str, int]:
        """How many lessons hold each word; what none holds is left out."""
        asked = dumps(list(tokens))
        found = dict(
            self.store.rows(
                "SELECT what, count FROM common WHERE project = '' AND kind = 'word'"
                " AND what IN (SELECT value FROM json_each(?))",
                asked,
            )
        )
        rest = [word for word in loads(asked) if word not in found]
        _vocabulary(self.store)
        found.update(
            self.store.rows(
                "SELECT term, doc FROM json_each(?) AS asked CROSS JOIN temp.term"
                " ON term = asked.value",
                dumps(rest),
            )
        )
        return found

    def match(self, words: Sequence[str], most: int) -> list[int]:
        """The lessons that hold any of these words, the best first."""
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        found = self._match(asked, most, AHEAD * most)
        # The best rows may be other projects', or not to be told: then all that hold a word are looked at.
        return found if len(found) == most else self._match(asked, most, -1)

    def _match(self, asked: str, most: int, looked_at: int) -> list[int]:
        rows = self.store.rows(
            f"SELECT m.n FROM (SELECT rowid AS n, bm25(lesson_fts, 1.0, {PARTS}) AS fit"
            " FROM lesson_fts WHERE lesson_fts MATCH ? ORDER BY 2, 1 LIMIT ?) f"
            " JOIN lesson m ON m.n = f.n"
            f" WHERE m.project IN (SELECT value FROM json_each(?)){self.may}"
            " ORDER BY f.fit, m.n LIMIT ?",
            *(asked, looked_at, self.projects, most),
        )
        return [n for (n,) in rows]

    def beside(self, numbers: Sequence[int]) -> list[int]:
        """What stands one step or two beside these lessons."""
        near = sorted({n + step for n in numbers for step in NEIGHBOURS})
        rows = self.store.rows(
            "SELECT m.n FROM lesson m WHERE m.n IN (SELECT value FROM json_each(?))"
            f" AND m.project IN (SELECT value FROM json_each(?)){self.may}",
            *(dumps(near), self.projects),
        )
        return [n for (n,) in rows]

    def ways(self) -> list[int]:
        """What is always delivered, then ways of working and preferences, the newest first."""
        rows = self.store.rows(
            "SELECT m.n FROM lesson m WHERE m.project IN (SELECT value FROM json_each(?))"
            f" AND (m.always = 1 OR m.klass IN ('rule', 'preference')){self.may}"
            f" ORDER BY m.always DESC, m.n DESC LIMIT {WAYS}",
            self.projects,
        )
        return [n for (n,) in rows]

    def texts(self, numbers: Iterable[int]) -> dict[int, Text]:
        """Their texts, by number; what nobody but an agent said is hearsay."""
        rows = self.store.rows(
            "SELECT n, text, about, words, extra, word FROM lesson"
            " WHERE n IN (SELECT value FROM json_each(?))",
            dumps(list(numbers)),
        )
        return {n: _text(*row) for n, *row in rows}


def _text(text: str, about: str, words: str, extra: str, word: str) -> Text:
    parts, *tasks = words.split("\n")
    kept = loads(extra) if extra else {}
    met = kept.get("met_in")
    group = str(met.get("group") or "") if isinstance(met, dict) else ""
    hearsay = (kept.get("was", {}).get("trust") or TRUSTS[word]) in HEARSAY
    return Text(text, about.replace("*", ""), parts, tasks, group, hearsay)


def _sizes(store: Store) -> tuple[int, float]:
    """How many lessons the index has, and the mean words of a text."""
    store.connection.register_fts5_function(USUAL, _usual)
    found = store.rows(f"SELECT {USUAL}(lesson_fts) FROM lesson_fts LIMIT 1")
    if not found:
        return 0, 0.0
    total, words = loads(found[0][0])
    return total, words / total if total else 0.0


def _usual(index: Any, *_: object) -> str:
    try:
        return dumps([index.row_count, index.column_total_size(0)])
    except apsw.CorruptError:  # an index that lost its words finds nothing
        return dumps([0, 0])


def _vocabulary(store: Store) -> None:
    """The index as a table of words, for this connection."""
    store.rows(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.term USING fts5vocab('main', 'lesson_fts', 'row')"
    )


def common_words(store: Store) -> Mapping[str, int]:
    """The words that very many lessons hold: what the worker keeps in `common`, by `write.put_common`."""
    _vocabulary(store)
    found: Iterator[Any] = store.each("SELECT term, doc FROM temp.term")
    return {word: rows for word, rows in found if rows >= MANY}


def rebuild(store: Store) -> None:
    """The index anew, from the lessons: what mends an index that does not fit them."""
    with store.write() as tx:
        tx.rows("INSERT INTO lesson_fts (lesson_fts) VALUES ('rebuild')")

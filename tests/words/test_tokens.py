"""Words for the matcher, for the index, and of errors."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import by_table

from tacit.words.signature import signature
from tacit.words.tokens import (
    english_stem,
    fold,
    index_words,
    query_words,
    terms,
)

# --- scanning and terms


@pytest.mark.parametrize(
    "forms",
    [
        "cache caches cached caching",
        "retry retries retried retrying",
        "commit commits committed committing",
        "validate validates validated validation",
        "configure configured configuration",
        "deploy deploys deployment",
        "use used using uses",
        "run runs running",
        "fail fails failed failing",
        "class classes",
        "process processes processed",
        "log logs logged logging",
        "silent silently",
        "connect connection connected",
        "keep kept keeps",
        "write written writes",
    ],
)
def test_one_stem_for_the_forms_of_a_word(forms: str) -> None:
    """Inflections that lessons use fall together."""
    assert len({english_stem(form) for form in forms.split()}) == 1


def test_folding_drops_case_and_accents_only() -> None:
    """Letters of other scripts stay what they are."""
    assert [fold(word) for word in ("Größe", "CAFÉ", "Ёлка", "हिन्दी", "한국어")] == [
        "grosse",
        "cafe",
        "елка",
        "हिन्दी",
        "한국어",
    ]


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    """No text breaks the scanner, and no term is empty or spaced."""
    assert all(term and not term.isspace() for term in terms(text))


# --- the index


class Index:
    """A full-text table as the store makes it."""

    def __init__(self, *texts: str) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, extra, tokenize = 'porter unicode61')"
        )
        for text in texts:
            self.db.execute("INSERT INTO words VALUES (?, ?)", (text, index_words(text)))

    def hits(self, query: str) -> list[int]:
        asked = " OR ".join(f'"{word}"' for word in query_words(query))
        return [
            row[0]
            for row in self.db.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid", (asked,)
            )
        ]

    def tokens(self, text: str) -> set[str]:
        tokenizer = self.db.fts5_tokenizer("unicode61", [])
        flags = apsw.FTS5_TOKENIZE_DOCUMENT
        return {word for (word,) in tokenizer(text.encode(), flags, None, include_offsets=False)}


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("getUserById fails for guests", "user"),
        ("getUserById fails for guests", "getUserById"),
        ("max_retry_count is ignored", "maxRetryCount"),
        ("maxRetryCount is ignored", "max_retry_count"),
        ("the parser runs twice", "running parsers"),
        ("see src/auth/session.py", "auth/session.py"),
        ("needs Python 3.11.7", "3.11.7"),
        ("the front-end build", "frontend"),
        ("the frontend build", "front-end"),
        ("入力値の検証がありません", "検証"),
        ("APIを呼ぶ", "API"),
        ("ภาษาไทย", "ไทย"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("사용자를 삭제", "사용자"),
        ("Größe der Straße", "GROSSE STRASSE"),
        ("naïve résumé", "naive resume"),
        ("Việt Nam thế giới", "the gioi"),
        ("ＡＰＩ call", "api"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ],
)
def test_what_is_asked_is_found(stored: str, asked: str) -> None:
    """Query and index agree on words, also where `porter unicode61` alone would not."""
    assert Index("something else entirely", stored).hits(asked) == [2]


@pytest.mark.parametrize(
    "text",
    [
        "getUserById in src/a_b.py 3.11.7",
        "Größe résumé ế Ёлка",
        "入力値の検証 API",
        "हिन्दी ไทย",
        "e\u0301te\u0301 naïve",
        "pre\u0300s de la\u0331",  # the first and the last of the accents that end no word
    ],
)
def test_only_what_the_tokenizer_misses_is_added(text: str) -> None:
    """The second column repeats no word that the text itself gives."""
    index = Index()
    assert not index.tokens(index_words(text)) & index.tokens(text)


def test_plain_text_needs_no_second_column() -> None:
    """An ordinary lesson costs nothing extra."""
    assert index_words("Run the linter before committing, then push.") == ""


def test_query_words_are_distinct_and_limited() -> None:
    """Inflections count once, stop words never, and the limit holds."""
    assert query_words("test the tests while testing the parser") == ["test", "parser"]
    assert query_words("alpha beta gamma delta", limit=2) == ["alpha", "beta"]


@given(st.text())
def test_query_words_are_safe_between_quotes(text: str) -> None:
    """No word can end the string it is quoted in, and every one makes a valid query."""
    asked = query_words(text)
    assert not any('"' in word or "\0" in word for word in asked)
    if asked:
        Index("x").hits(text)


# --- signatures

TRACEBACK = """Traceback (most recent call last):
  File "{path}", line {line}, in <module>
    load()
KeyError: 'region'"""


@by_table
def test_signature(output: str, expected: str) -> None:
    """The decisive line, masked."""
    assert signature(output) == expected


@pytest.mark.parametrize(
    "output",
    [
        "npm ERR! missing script: build\n" + 400_000 * "\x1b]",
        400_000 * "\x1b[m" + "\nnpm ERR! missing script: build",
    ],
)
def test_an_error_is_looked_for_at_both_ends_of_what_was_printed(output: str) -> None:
    """However much stands between, and whatever it is: only the ends are freed of escapes."""
    assert signature(output) == signature("npm ERR! missing script: build") != ""


def test_the_same_problem_in_two_runs_has_one_signature() -> None:
    """Path and line of a frame do not count."""
    assert signature(TRACEBACK.format(path="/app/a.py", line=3)) == signature(
        TRACEBACK.format(path="/srv/b/a.py", line=91)
    )


@pytest.mark.parametrize(
    "output",
    [
        "",
        "All tests passed",
        "12 passed, 0 failed in 3s",
        "no errors found",
        "Build done: errors: 0",
    ],
)
def test_no_error_has_no_signature(output: str) -> None:
    """Saying that nothing failed is no failure."""
    assert signature(output) == ""


@pytest.mark.parametrize(
    "output", ["Error", "Error: Process completed with exit code 1.", "exit status 1"]
)
def test_an_error_that_tells_nothing_has_no_signature(output: str) -> None:
    """Otherwise all such errors would be one problem."""
    assert signature(output) == ""


def test_a_signature_is_short() -> None:
    """It is cut at a word."""
    found = signature("error: " + "overlong words " * 60)
    assert len(found) <= 200 and found.endswith(("overlong", "words"))


@given(st.text())
def test_any_output_has_a_signature_or_none(text: str) -> None:
    """No output breaks it, and it stays one bounded line."""
    found = signature(text)
    assert len(found) <= 200 and "\n" not in found


def test_digits_of_other_scripts_are_words_too() -> None:
    """A digit that is not 0 to 9 is neither a number nor a version of ours, and breaks nothing."""
    assert terms("᪀ items") and terms("٣ items")

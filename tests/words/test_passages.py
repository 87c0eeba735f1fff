"""A question of any length: what is asked beside a paste is found, and what is counted of words stays true."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.tables import by_table

import tacit
from tacit.stores.sqlite.verify import index_faults
from tacit.testing import signed
from tacit.words.blocks import blocks_of
from tacit.words.passages import (
    PASTE,
    SHORT_CHARS,
    TEXT_WORDS,
    WINDOW,
    Weights,
    bounds_of,
    cut,
    names_of,
    passages_of,
    rarity_of,
    together,
    told_in,
    weighed,
)

NOUNS = "broker ledger socket parser kernel bundle cursor shard mirror beacon vault gadget anchor relay sensor turbine".split()
VERBS = (
    "stalls leaks deadlocks truncates overflows restarts diverges flickers corrupts starves".split()
)
PARTS = "upgrade snapshot rotation handshake checkpoint migration failover compaction rebalance eviction".split()


def opened(place: Path) -> tacit.Memories:
    """A store in a folder, ada's and nobody else's."""
    return tacit.open(
        str(place / "s.db"),
        project="p",
        env=signed({"HOME": str(place)}),
        cwd=str(place),
        by="ada",
        yes=True,
    )


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> tacit.Memories:
    """Two hundred lessons of words that all of them share."""
    kept = opened(tmp_path_factory.mktemp("passages"))
    kept.add_many({"text": text, "kind": "pitfall"} for text in _lessons())
    return kept


def _lessons() -> list[str]:
    chance = Random(3)
    found: dict[str, None] = {}
    while len(found) < 200:
        one, other = chance.sample(NOUNS, 2)
        found[
            f"The {one} {chance.choice(VERBS)} after a {chance.choice(PARTS)} when the {other} runs a {chance.choice(PARTS)}."
        ] = None
    return list(found)


def _log(chance: Random, lines: int) -> list[str]:
    return [
        f"2026-11-16T10:{chance.randrange(60):02}:07Z INFO {chance.choice(NOUNS)}-{chance.randrange(99)} {chance.choice(PARTS)} ok in {chance.randrange(900)} ms"
        for _ in range(lines)
    ]


@pytest.mark.parametrize("lines", [30, 300])
def test_what_is_asked_inside_a_paste_is_found(memories: tacit.Memories, lines: int) -> None:
    """Of lessons that a short question finds, 95 of 100 are found by the same question inside a log that has all their words."""
    chance = Random(lines)
    found = 0
    asked = chance.sample(_lessons(), 20)
    for text in asked:
        log = _log(chance, lines)
        log.insert(chance.randrange(lines), text.rstrip("."))
        found += text in [hit.memory.text for hit in memories.recall("\n".join(log), limit=10).hits]
    assert found >= 0.95 * len(asked)


def test_a_log_alone_finds_nothing_much(memories: tacit.Memories) -> None:
    """The floor silences noise, whatever its length: one word in a line says little."""
    noise = "\n".join(
        f"line {n}: nothing to see here, {word} fine" for n, word in enumerate(NOUNS[:4])
    )
    assert max((hit.score for hit in memories.recall(noise).hits), default=0.0) < 0.4


def test_a_long_line_is_cut_into_windows_and_keeps_its_end() -> None:
    """Nothing is cut off at the front or at the back."""
    words = [f"w{n}" for n in range(200)]
    read = cut(passages_of(" ".join(words)), str.split)
    assert max(map(len, read)) <= WINDOW + WINDOW // 3
    assert {word for each in read for word in each} == set(words)


def test_words_are_counted_in_step_with_the_texts(tmp_path: Path) -> None:
    """Adding, correcting, erasing, more than 64 rows of a word: the counts are those of the full text, and what is erased is gone."""
    with opened(tmp_path) as kept:
        rows = kept.add_many(f"common word and number{n}" for n in range(70))
        kept.edit(rows[3].id, text="another quokka")
        assert not list(index_faults(kept.store))  # type: ignore[arg-type]
        kept.erase(rows[3].id)
        assert not list(index_faults(kept.store))  # type: ignore[arg-type]
        assert kept.store.rows("SELECT word FROM term WHERE word IN ('quokka', 'number3')") == []
        assert kept.store.rows("SELECT rows, few FROM term WHERE word = 'common'") == [(69, None)]
        assert [hit.memory.text for hit in kept.recall("number42").hits] == [
            "common word and number42"
        ]


@pytest.mark.parametrize(
    ("sql", "wrong"),
    [
        ("UPDATE term SET rows = rows + 1 WHERE word = 'common'", "term"),
        ("UPDATE term SET few = x'01000000' WHERE word = 'number4'", "term"),
        ("UPDATE term SET few = CAST(few || few AS BLOB) WHERE word = 'number4'", "term"),
        ("UPDATE term SET word = 'quokka' WHERE word = 'number4'", "term"),
        ("DELETE FROM term WHERE word = 'number4'", "term"),
        ("INSERT INTO term (word, rows) VALUES ('quokka', 1)", "term"),
        ("INSERT INTO memory_fts (rowid, text, words) VALUES (3, 'number4', '')", "memory_fts"),
        (
            "INSERT INTO memory_fts (memory_fts, rowid, text, words) VALUES ('delete', 5, 'number4', '')",
            "memory_fts",
        ),
        ("UPDATE memory SET words = 'more' WHERE n = 3", "memory"),
    ],
)
def test_what_is_not_counted_as_the_texts_have_it_is_noticed(
    tmp_path: Path, sql: str, wrong: str
) -> None:
    """Each kind of damage by its table's name, and counting anew mends it."""
    with tacit.open(
        str(tmp_path / "s.db"), project="p", env={"HOME": str(tmp_path)}, cwd=str(tmp_path)
    ) as kept:
        kept.add_many(f"common word and number{n}" for n in range(70))
        with kept.store.write() as tx:
            assert tx.rows("SELECT n FROM memory WHERE text = 'common word and number4'") == [(5,)]
            tx.rows(sql)
        assert wrong in {fault.id for fault in index_faults(kept.store)}  # type: ignore[arg-type]
        kept.reindex()
        assert not list(index_faults(kept.store))  # type: ignore[arg-type]


def test_a_lesson_is_found_by_its_task_and_lifted_by_its_neighbours(tmp_path: Path) -> None:
    """`add` takes the task and the group; what stands beside a hit in its group comes along, what stands elsewhere does not."""
    with opened(tmp_path) as kept:
        kept.add("Use the second index.", task="speed up the quarterly billing export")
        kept.add_many(
            [
                {"text": "Which region did the customer ask for?", "group": "talk"},
                {"text": "Frankfurt.", "group": "talk"},
                {"text": "Oslo.", "group": "other"},
            ]
        )
        assert (
            kept.recall("quarterly billing export is slow").hits[0].memory.text
            == "Use the second index."
        )
        found = [
            hit.memory.text
            for hit in kept.recall("which region for the customer", min_score=0.0).hits
        ]
        assert "Frankfurt." in found and "Oslo." not in found


def test_a_start_is_bounded(tmp_path: Path) -> None:
    """A person's standing words always, and of the rest at most three; all of it within 450 tokens."""
    with opened(tmp_path) as kept:
        ways = {
            kept.add(f"Way of working number {n}, said by the person.", kind="preference").id
            for n in range(8)
        }
        kept.add_many(
            {"text": f"The queue hangs in case {n}: " + "words " * 40, "kind": "pitfall"}
            for n in range(9)
        )
        given = kept.inject("the queue hangs", trial=False)
        assert ways <= set(given.injected)
        assert len(given.injected) - len(ways) <= 3 and given.tokens <= 450


def test_a_short_text_is_not_crowded_out_by_long_ones(tmp_path: Path) -> None:
    """Long texts hold many asked words by the way: before any text is read, its length counts, or the right one is no candidate."""
    filler = [" ".join(f"w{n}x{k}" for k in range(120)) for n in range(80)]
    with opened(tmp_path) as memories:
        memories.add_many([f"Restart the {text} queue {text} worker." for text in filler])
        (right,) = memories.add_many(["Restart the queue worker first."])
        found = memories.recall("restart queue worker", limit=3)
    assert found.hits[0].memory.id == right.id


def test_words_beside_an_item_say_what_it_is_about(tmp_path: Path) -> None:
    """Of two equal answers the one goes first whose neighbour asks the question; the neighbour itself stays before both."""
    with opened(tmp_path) as memories:
        kept = memories.add_many(
            [
                {"text": "Use the second port.", "group": "one"},
                {"text": "All done.", "group": "one"},
                {"text": "Which port does the staging database listen on?", "group": "two"},
                {"text": "Use the second port.", "group": "two"},
            ]
        )
        found = [hit.memory.id for hit in memories.recall("staging database port", limit=4).hits]
    assert found[:3] == [kept[2].id, kept[3].id, kept[0].id]


def test_a_question_in_a_paste_is_not_measured_by_the_lines_beside_it() -> None:
    """Short lines of a log stay apart, lines of a word or two go together, and the number or time that a line begins with is no word of it."""
    paste = [
        *["26"] * 30,
        "27",
        "{",
        "   101 remove s3guard longer needed",
        "2026 11 16 10 07 type huber mail invalid manager",
        "done",
        "ok next",
    ]
    read = cut(tuple(paste), str.split)
    assert read == (
        ("remove", "s3guard", "longer", "needed"),
        ("type", "huber", "mail", "invalid", "manager"),
        ("done", "ok", "next"),
    )


def test_the_subject_of_a_long_text_is_kept() -> None:
    """A word that stands in most lines is what the text is about: its rarity among the lessons says whether it is only form."""
    text = tuple(f"migrate the ledger of department number{n} tonight" for n in range(60))
    assert all("ledger" in each for each in cut(text, str.split))


def test_a_long_text_asks_for_a_name_whole_and_split() -> None:
    """As a short one does: the index's own tokenizer takes `BouncyCastle` for one word."""
    paste = "\n".join(
        ["plain words of a log"] * 90
        + ["upgrade BouncyCastle for os.path.joinAll, HTTPServer stays"]
    )
    assert len(paste) > SHORT_CHARS
    assert (
        passages_of(paste)[-1]
        == "upgrade BouncyCastle Bouncy Castle for os.path.joinAll join All, HTTPServer stays"
    )


def test_names_are_what_the_index_takes_apart() -> None:
    assert names_of(
        [("cache_dir", "is", "missing", "3.11.7"), "a_line of a paste"],
        lambda word: word.replace("_", " ").replace(".", " ").split(),
    ) == [
        ("cache", "dir"),
        ("3", "11", "7"),
    ]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> tacit.Memories:
    """Short lessons that hold *cache*, *dir* or both apart, a longer one about `cache_dir`, and a long one that says valve and piston again and again."""
    kept = opened(tmp_path_factory.mktemp("named"))
    said = [
        f"{noun} {part} {at} seen in the night"
        for noun in NOUNS
        for at, part in enumerate(PARTS[:8])
    ]
    apart = [
        f"The {one} of the {two} {other}"
        for two in NOUNS[:15]
        for one, other in (("valve", "stalls"), ("piston", "leaks"))
    ]
    split = [f"The dir of the {noun} has a cache." for noun in NOUNS[:6]]
    long = " ".join(
        f"The {noun} {verb} in the {part} of it."
        for noun, verb, part in zip(NOUNS[:6], VERBS, PARTS)
    )
    again = f"A valve meets its piston. {long} So valve and piston go by turns: no valve without piston, no piston without valve."
    kept.add_many(
        {"text": text, "kind": "pitfall"}
        for text in [
            *said,
            *apart,
            *split,
            "Set cache_dir before the run, or every build starts anew and takes an hour.",
            again,
        ]
    )
    return kept


def test_a_name_that_stands_there_whole_leads(named: tacit.Memories) -> None:
    """Lessons that hold its words apart are not about it, though they are shorter."""
    assert "cache_dir" in named.recall("no cache_dir given", limit=1).hits[0].memory.text


def test_a_long_lesson_that_repeats_its_words_is_a_candidate(named: tacit.Memories) -> None:
    """How often a word stands in a text is only seen when it is read: before that, its length may not bar it."""
    assert "by turns" in named.recall("valve or piston", limit=1).hits[0].memory.text


ROWS = 1000


def _passages(many: int, words: int) -> list[tuple[str, ...]]:
    return [tuple(f"w{n}x{at}" for at in range(words)) for n in range(many)]


def _weights(tokens: list[tuple[str, ...]], told: dict[str, float]) -> Weights:
    """Words that are so telling; the others are held by no row."""
    told = dict(
        told_in(
            tokens, {word: told.get(word, rarity_of(0, ROWS)) for each in tokens for word in each}
        )
    )
    wholes = [sum(told[word] for word in each) for each in tokens]
    return Weights(tokens, ROWS, told, wholes, bounds_of(tokens, wholes, ROWS))


def test_a_text_is_also_one_question() -> None:
    """Of two lessons that hold as much of the best passage, the one that holds more of the text comes first; in a paste neither does."""
    for many, first in ((TEXT_WORDS, True), (PASTE, False)):
        tokens = _passages(many, 5)
        rows = {"w0x0": [1, 2], "w0x1": [1, 2], **{f"w{n}x0": [2] for n in range(1, 6)}}
        scores = weighed(_weights(tokens, dict.fromkeys(rows, 4.0)), rows)
        assert (scores[2] > scores[1]) is first


@pytest.mark.parametrize("passages", [1, 2, PASTE, 300])
def test_one_passage_or_a_paste_is_no_text(passages: int) -> None:
    assert together(0.4, 0.9, passages) == 0.4


def test_a_short_question_is_not_measured_by_the_length_of_the_lines_beside_it() -> None:
    """Three of its four words say more than six of the twenty-four of a line of prose."""
    tokens = [*_passages(60, 24), ("ask", "for", "these", "words")]
    rows = {"ask": [1], "for": [1], "these": [1], **{f"w7x{at}": [2] for at in range(6)}}
    scores = weighed(_weights(tokens, {word: 6.0 for each in tokens for word in each}), rows)
    assert scores[1] > scores[2]


def test_a_row_that_holds_little_of_a_paste_is_still_worth_something() -> None:
    """What is worth less than one is ranked behind, not left out: there may be nothing else."""
    tokens = _passages(PASTE, 5)
    scores = weighed(_weights(tokens, {"w0x0": 0.5, "w1x0": 4.0}), {"w0x0": [1], "w1x0": [2]})
    assert 0 < scores[1] < scores[2] < 1


def test_what_many_lines_of_a_paste_hold_tells_less() -> None:
    for many, less in ((TEXT_WORDS, False), (PASTE, True)):
        tokens = [("form", f"own{n}") for n in range(many)]
        told = told_in(tokens, {"form": 5.0, "own0": 5.0})
        assert told["own0"] == 5.0 and (told["form"] < 5.0) is less


def test_a_line_of_a_paste_that_says_what_no_other_says_is_asked_for_first() -> None:
    for many, less in ((TEXT_WORDS, False), (PASTE, True)):
        tokens = [("form", "head", f"own{n}") for n in range(many - 1)] + [
            ("asked", "once", "only")
        ]
        *form, asked = bounds_of(tokens, [9.0] * many, ROWS)
        assert asked == pytest.approx(9.0) and all((each > asked) is less for each in form)
    half = (TEXT_WORDS + PASTE) // 2
    share = (1 / half + 1) / 2  # of its two words one stands in every line
    bounds = bounds_of([("form", f"own{n}") for n in range(half)], [50.0] * half, ROWS)
    assert bounds == pytest.approx([50.0 / (0.5 + 0.5 * share)] * half)


@pytest.mark.parametrize(
    ("sign", "by_line"),
    [
        ("→", True),
        ("✓", True),
        ("é", True),
        ("\ufeff", True),
        ("日", False),
        ("ไ", False),
        ("한", False),
    ],
)
def test_a_long_paste_is_read_by_the_index_whatever_signs_it_has(sign: str, by_line: bool) -> None:
    text = "\n".join(f"{n}{sign}broker stalls on shard{n}" for n in range(200))
    assert len(text) > SHORT_CHARS
    assert all(isinstance(each, str) for each in passages_of(text)) is by_line


@by_table
def test_an_address_is_asked_for_by_its_end_unless_it_is_all_there_is(
    text: str, asked: list[str]
) -> None:
    """Its host and folders are shared by many pages; of a bare link they are all one has."""
    assert passages_of(text) == (tuple(asked),)


def test_a_heading_inside_a_fence_begins_no_block() -> None:
    """Each other heading does, and what stands before the first is a block of its own."""
    text = "Read this.\n# Build\nmake\n```\n# no heading\n```\n# Tests\nmake test\n"
    assert [each.text.splitlines()[0] for each in blocks_of("AGENTS.md", text)] == [
        "Read this.",
        "# Build",
        "# Tests",
    ]

"""A question of any length: what is asked beside a paste is found, and what is counted of words stays true."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import tacit
from tacit.testing import signed
from tacit.words.passages import (
    PASTE,
    SHORT_CHARS,
    TEXT_WORDS,
    Weights,
    bounds_of,
    cut,
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


def test_a_short_text_is_not_crowded_out_by_long_ones(tmp_path: Path) -> None:
    """Long texts hold many asked words by the way: before any text is read, its length counts, or the right one is no candidate."""
    filler = [" ".join(f"w{n}x{k}" for k in range(120)) for n in range(80)]
    with opened(tmp_path) as memories:
        memories.add_many([f"Restart the {text} queue {text} worker." for text in filler])
        (right,) = memories.add_many(["Restart the queue worker first."])
        found = memories.recall("restart queue worker", limit=3)
    assert found.hits[0].memory.id == right.id


def test_the_subject_of_a_long_text_is_kept() -> None:
    """A word that stands in most lines is what the text is about: its rarity among the lessons says whether it is only form."""
    text = tuple(f"migrate the ledger of department number{n} tonight" for n in range(60))
    assert all("ledger" in each for each in cut(text, str.split))


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

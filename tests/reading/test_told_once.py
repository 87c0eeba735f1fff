"""Lessons that say the same in other words: one is written where it may be, and of those that stay apart one is told."""

from __future__ import annotations

import json
from typing import Any

from tests.candidates import candidate
from tests.readers import desk_of, read_by
from tests.verbs import Memories

from tacit.core.value import replace
from tacit.hooks.known import lesson_of
from tacit.hooks.select import Here, filled
from tacit.lesson import Lesson, family_of, said_as
from tacit.reading.twins import near_ones, twin_words
from tacit.testing import run, say, tool, user

RTK = "Run `bun run test` directly, not `rtk bun run test`: rtk knows no `bun` subcommand."
LINT = "Run `bun run lint` directly, not behind rtk: rtk knows no `bun` subcommand."
REFUSED = "psycopg.OperationalError: connection to 127.0.0.1:5432 refused"
DATABASE = "Run `docker compose up -d db` before `pytest`, which needs the database."
OTHER = "Prices in the shop are whole cents, never floats."


class Reader:
    """Finds one lesson in a session, and says of lessons that are put together what its script says."""

    identity = "scripted"

    def __init__(self, text: str, words: str, word: str, *verdicts: Any) -> None:
        self.text, self.words, self.word, self.asked, self.verdicts = text, words, word, 0, verdicts

    def ask(self, prompt: str, *, schema: Any = None, timeout: float = 60.0) -> str:
        row = {
            "text": self.text,
            "kind": "cure",
            "standing": "found",
            "quotes": [{"line": 2, "words": self.words}],
        }
        self.asked += "that may say the same" in prompt
        pairs = [{"new": "n1", "other": "k1", "word": self.word}]
        return json.dumps(
            {"lessons": [row], "answers": [], "verdicts": [*self.verdicts], "pairs": pairs}
        )


def heard(memories: Memories, name: str, text: str, word: str = "different") -> tuple[Any, int]:
    """What becomes of a session that teaches one lesson, and how often lessons were put together."""
    words = f"the call of {name} failed, so this time"
    met = run(
        name,
        user("why?"),
        say(f"Well, {words} I ran it plainly."),
        tool("bun run test", "ok"),
        task=name,
        lineage=name,
    )
    model = Reader(text, words, word)
    return read_by(memories, met, model), model.asked


def test_what_a_reader_calls_the_same_is_a_sighting_of_the_older_one(memories: Memories) -> None:
    first, asked = heard(memories, "r1", RTK)
    assert (len(first.new), asked) == (1, 0)  # there is nothing to put beside it
    second, asked = heard(memories, "r2", LINT, "same")
    assert (second.new, second.matched, asked) == ((), first.new, 1)
    (memory,) = memories.store.memories(first.new)
    assert memory.tally.seen == 2 and memory.text == RTK


def test_what_rules_and_a_reader_find_in_one_session_is_one_sighting(memories: Memories) -> None:
    def failing(name: str) -> Any:
        bad = tool("pytest", error=REFUSED, status=1)
        said = say("Well, that call failed, so this time I started the database.")
        return run(
            name,
            user("why?"),
            said,
            bad,
            tool("docker compose up -d db", "started"),
            tool("pytest", "3 passed"),
            task=name,
            lineage=f"first line of {name}",
        )

    for name in ("r1", "r2"):
        memories.learn(failing(name))
    (rules,) = memories.list()
    read_by(memories, failing("r3"), Reader(DATABASE, "that call failed, so this time", "same"))
    (memory,) = memories.store.memories([rules.id])
    by = sorted(row.by for row in memories.store.evidence(memory.id) if row.run)
    assert (memory.tally.seen, by) == (3, ["notice", "notice", "notice", "reader"])
    back = {
        "id": "k1",
        "verdict": "came_back",
        "line": 3,
        "words": "psycopg.OperationalError",
    }
    read_by(
        memories, failing("r4"), Reader(OTHER, "that call failed, so this time", "different", back)
    )
    assert memories.store.memories([rules.id])[0].tally.seen == 4


def test_of_two_lessons_of_which_one_says_more_both_stay_under_one_name_and_one_coin(
    memories: Memories,
) -> None:
    (old,) = heard(memories, "r1", RTK)[0].new
    (new,) = heard(memories, "r2", LINT, "less")[0].new
    one, other = memories.store.memories([old, new])
    assert said_as(other) == said_as(one) == one.id and family_of(other) == family_of(one)
    assert told(one, other) == [one.id]


def told(*lessons: Lesson) -> list[str]:
    """Which of these a moment tells, in this order."""
    order = [lesson_of(candidate(memory, n)) for n, memory in enumerate(lessons)]
    return [each.id for each in filled(order, Here(), 10_000)]


def test_of_a_fuller_lesson_and_its_parts_the_fuller_one_is_told_and_without_it_every_part() -> (
    None
):
    union = "Lists of an overlay are merged as a union: base items first, then the overlay's new items, without repeats."
    append = (
        "Do not append lists of an overlay to those of the base: entries pile up at each reload."
    )
    replaced = "A list of an overlay must not replace the base's list."
    parts = [
        Lesson(
            id=id,
            project="p",
            text=text,
            kind="decision",
            trust="agent",
            extra={"twin": ["g", "g", *word]},
        )
        for id, text, word in (("c", replaced, ["less"]), ("b", append, ["less"]), ("a", union, []))
    ]

    assert told(*parts) == ["a"]
    assert told(*parts[:2]) == ["c", "b"]


def test_without_a_word_of_the_reader_two_lessons_are_two(memories: Memories) -> None:
    (old,) = heard(memories, "r1", RTK)[0].new
    (new,) = heard(memories, "r2", LINT)[0].new
    one, other = memories.store.memories([old, new])
    assert said_as(one) != said_as(other)


def test_nobody_is_asked_about_what_has_nothing_in_common_or_is_plainly_known(
    memories: Memories,
) -> None:
    heard(memories, "r1", RTK)
    assert heard(memories, "r2", OTHER)[1] == 0
    assert heard(memories, "r3", RTK)[1] == 0
    near = near_ones(desk_of(memories, Reader("", "", "")), {1: LINT, 2: LINT + " Always."})
    assert [each.text if isinstance(each, Lesson) else each for each in near[2]] == [1, RTK]


def test_a_lesson_of_the_person_is_never_left_out_for_one_that_is_not_theirs(
    memories: Memories,
) -> None:
    one = memories.add(RTK)
    agents = replace(
        one,
        id="b",
        trust="agent",
        text="Call bun plainly, no rtk in front: the wrapper hides what failed.",
        extra={"twin": [one.id, one.id]},
    )
    assert told(one, agents) == told(agents, one) == [one.id]


def test_the_best_word_of_several_counts() -> None:
    one, other = (
        Lesson(id=id, project="p", text=text, kind="fix") for id, text in (("a", RTK), ("b", LINT))
    )
    said = {("n1", "k1"): "more", ("n1", "k2"): "same", ("n2", "n1"): "opposite"}
    found = twin_words({1: [one, other], 2: [1]}, {1: "x", 2: "y"}, lambda groups: said)
    assert found == {1: ("same", other)}

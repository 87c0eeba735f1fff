"""What one session says twice is one lesson: in one answer, and beside what the rules took over."""

from __future__ import annotations

from tests.reading.test_reading import answer, reads, session, weighs
from tests.verbs import Memories

from tacit.reading.answers import Lesson
from tacit.reading.check import Checked
from tacit.reading.decide import Decided
from tacit.reading.twins import without_twins
from tacit.testing import say, user

TYPED = "please always run the type checker over everything before you say you are done, thanks"


def told(text: str, word: str) -> tuple[Checked, Decided]:
    return Checked(Lesson(text)), Decided(text, word)


def test_of_two_that_say_the_same_the_persons_word_stays() -> None:
    heard = [
        told("Use tabs.", "found"),
        told("Use tabs!", "said"),
        told("Use spaces.", "shown"),
        told("Use tabs", ""),
    ]
    kept = without_twins(heard, lambda one, other: one[:6] == other[:6])
    assert [decided.word for _, decided in kept] == ["", "said", "shown", ""]
    assert kept[0][1].reason == "says the same as: Use tabs!"


def test_a_typed_sentence_gives_way_to_the_readers_wording_of_it(memories: Memories) -> None:
    """Both stood side by side before. The sentence stays as the quote."""
    steps = (user(TYPED), say("ok"))
    said = {
        "text": "Always run the type checker over everything before you say you are done.",
        "kind": "way",
        "standing": "said",
        "quotes": [{"line": 1, "words": TYPED}],
    }
    memories.learn(session("r1", *steps))
    [raw] = memories.list(limit=9)
    reads(memories, session("r1", *steps), answer([said], [weighs()]))
    [now] = memories.list(limit=9)
    assert (now.id, now.text, now.trust, now.about) == (raw.id, said["text"], "user", "*")
    assert any(TYPED in each.quote for each in memories.store.evidence(now.id))


def test_what_the_person_settled_keeps_their_words(memories: Memories) -> None:
    steps = (user(TYPED), say("ok"))
    memories.learn(session("r1", *steps))
    [raw] = memories.list(limit=9)
    memories.pin(raw.id)
    said = {
        "text": "Always run the type checker before you are done.",
        "kind": "way",
        "standing": "said",
        "quotes": [{"line": 1, "words": TYPED}],
    }
    reads(memories, session("r1", *steps), answer([said], [weighs()]))
    assert memories.get(raw.id).text == raw.text

"""Meaning beside words: vectors that are derived, stamped, and compared only with their own kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tacit.core import edits
from tacit.core.errors import ModelUnavailable, SpacesMixed
from tacit.core.journal import Hand
from tacit.core.memory import Memory
from tacit.core.value import replace
from tacit.recall.query import Query, asked, parts_of
from tacit.recall.rewrite import pointed
from tacit.stores.check import check
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.vectors import embed_pending, identities, nearest_vectors
from tacit.testing import ToyEmbedder, ToyWordEmbedder

pytest.importorskip("numpy", reason="vectors are compared with numpy (the extra semantic)")

Make = Callable[..., Memory]
NOW = "2026-11-15T12:00:00.000Z"


@pytest.fixture
def toy() -> ToyEmbedder:
    return ToyEmbedder("automobile car vehicle", "repair mend fix")


def strangers(make: Make) -> list[Memory]:
    return [
        make(f"{word} number {n}")
        for n, word in enumerate("queue disk token cache lock worker parser".split())
    ]


def test_meaning_finds_what_words_do_not(world: Any, make: Make, toy: ToyEmbedder) -> None:
    """No word in common, the same direction; without an embedder nothing fits."""
    lesson = make("mend the vehicle")
    world.put(lesson, *strangers(make))
    assert embed_pending(world.store, toy) == 8
    found = world.recall("repair automobile", embedder=lambda: toy)
    assert [hit.memory.id for hit in found.hits] == [lesson.id] and not found.note
    assert found.hits[0].explain["fits"]["meaning"] > 0 == found.hits[0].explain["fits"]["words"]
    assert world.recall("repair automobile").hits == ()


def test_meaning_adds_to_words(world: Any, make: Make, toy: ToyEmbedder) -> None:
    """Of two that hold the asked word, the one that means it more goes first; both scores say how."""
    plain, near = make("mend the fence now"), make("mend the vehicle now")
    world.put(plain, near, *strangers(make))
    embed_pending(world.store, toy)
    found = world.recall("mend automobile", embedder=lambda: toy).hits
    assert [hit.memory.id for hit in found] == [near.id, plain.id]


def test_an_agent_is_given_by_meaning_only_what_it_may_be_given(
    world: Any, make: Make, toy: ToyEmbedder
) -> None:
    """Held, rejected and foreign lessons stay out, however near they are."""
    lesson = make("mend the vehicle")
    held, gone = (
        make("mend the vehicle soon", gate="hold"),
        make("mend the vehicle today", state="rejected"),
    )
    foreign = make("mend the vehicle there", project="other")
    world.put(lesson, held, gone, foreign, *strangers(make))
    embed_pending(world.store, toy)
    told = world.inject("repair automobile", trial=False, embedder=lambda: toy)
    assert told.injected[0] == lesson.id and not {held.id, gone.id, foreign.id} & set(told.injected)


def test_what_was_read_once_is_read_again_when_it_changed(
    tmp_path: Path, make: Make, toy: ToyEmbedder
) -> None:
    """By this connection or by another."""
    path, direction = str(tmp_path / "tacit.db"), toy.embed(["repair automobile"])[0]
    with open_store(path) as one, open_store(path) as two:
        for number, store in enumerate((one, two, one), 1):
            with store.write() as tx:
                tx.apply(
                    edits.made(
                        make(f"mend the vehicle, case {number}"), Hand("ada", NOW), reason="said so"
                    )
                )
            embed_pending(store, toy)
            assert (
                len(nearest_vectors(one, ("p",), toy.identity, direction, limit=9).rows) == number
            )
            assert (
                len(nearest_vectors(one, ("p",), toy.identity, direction, limit=9).rows) == number
            )


def test_what_is_unlike_everything_is_no_filler(world: Any, make: Make, toy: ToyEmbedder) -> None:
    world.put(*strangers(make))
    embed_pending(world.store, toy)
    assert world.recall("xylophone", embedder=lambda: toy).hits == ()


def test_vectors_of_another_model_are_not_compared(
    world: Any, make: Make, toy: ToyEmbedder
) -> None:
    """Words go on alone and the reader is told; adding to them is refused; reindex makes room."""
    lesson = make("mend the vehicle")
    world.put(lesson, *strangers(make))
    embed_pending(world.store, toy)
    other = ToyEmbedder("automobile car vehicle", "repair mend", identity="toy-2")
    found = world.recall("repair automobile", embedder=lambda: other)
    assert (
        found.hits == ()
        and "vectors here are of toy, not of toy-2" in found.note
        and "reindex" in found.note
    )
    assert [hit.memory.id for hit in world.recall("vehicle", embedder=lambda: other).hits] == [
        lesson.id
    ]
    world.put(make("a new lesson"))
    with pytest.raises(SpacesMixed) as refused:
        embed_pending(world.store, other)
    assert "toy-2" in refused.value.message and "reindex" in refused.value.hint
    assert world.store.embed(other, anew=True) == 9 and identities(world.store) == {"toy-2": 9}


def test_a_vector_of_another_size_is_not_compared(world: Any, make: Make, toy: ToyEmbedder) -> None:
    """Same name, other size: as a server does that swapped its model."""
    world.put(make("mend the vehicle"))
    embed_pending(world.store, toy)
    toy.size = 32
    assert world.recall("repair automobile", embedder=lambda: toy).hits == ()


def test_an_embedder_that_is_away_leaves_words(world: Any, make: Make) -> None:
    lesson = make("mend the vehicle")
    world.put(lesson)

    def away() -> ToyEmbedder:
        raise ModelUnavailable("It cannot be reached.")

    found = world.recall("vehicle", embedder=away)
    assert [hit.memory.id for hit in found.hits] == [
        lesson.id
    ] and "It cannot be reached." in found.note


def test_only_what_is_missing_is_made(world: Any, make: Make, toy: ToyEmbedder) -> None:
    """Twice makes nothing new; a corrected text is embedded again, an erased one never."""
    one, two = make("mend the vehicle"), make("drink tea")
    world.put(one, two)
    assert (embed_pending(world.store, toy), embed_pending(world.store, toy)) == (2, 0)
    with world.store.write() as tx:
        tx.apply(edits.edited(tx.get(one.id), {"text": "mend the boat"}, Hand("ada", NOW)))
        tx.apply(edits.erased(tx.get(two.id), Hand("ada", NOW)))
    assert world.store.one("SELECT count(*) FROM vector")[0] == 0
    toy.asked.clear()
    assert embed_pending(world.store, toy) == 1 and toy.asked[0].startswith("mend the boat")


def test_a_text_that_changes_while_it_is_embedded_gets_no_stale_vector(
    world: Any, make: Make
) -> None:
    lesson = make("mend the vehicle")
    world.put(lesson)

    class Slow(ToyEmbedder):
        def embed(self, texts: Any) -> list[list[float]]:
            if not self.asked:
                with world.store.write() as tx:
                    tx.apply(
                        edits.edited(tx.get(lesson.id), {"text": "mend the boat"}, Hand("ada", NOW))
                    )
            return super().embed(texts)

    slow = Slow()
    embed_pending(world.store, slow)
    assert world.store.one("SELECT count(*) FROM vector")[0] == 0
    assert embed_pending(world.store, slow) == 1


def test_doctor_sees_vectors_that_are_astray_or_mixed(
    world: Any, make: Make, toy: ToyEmbedder
) -> None:
    world.put(make("mend the vehicle"), make("drink tea"))
    embed_pending(world.store, toy)
    assert check(world.store).is_sound
    with world.store.write() as tx:
        tx.rows("UPDATE vector SET identity = 'other' WHERE n = 1")
        tx.rows("INSERT INTO vector (n, identity, vector) VALUES (99, 'toy', x'00')")
    faults = [fault for fault in check(world.store).faults if fault.id == "vector"]
    assert [fault.kind for fault in faults] == ["index", "index"]
    assert world.store.embed(toy, anew=True) == 2 and check(world.store).is_sound
    with world.store.write() as tx:
        tx.rows("UPDATE vector_centre SET identity = 'other'")
    assert [fault.id for fault in check(world.store).faults] == ["vector"]


# --- without the model: before a prompt


@pytest.fixture
def told() -> ToyWordEmbedder:
    return ToyWordEmbedder("automobile car vehicle", "repair mend fix", "fence")


def test_a_question_is_understood_without_the_model(
    world: Any, make: Make, told: ToyWordEmbedder
) -> None:
    """Of two candidates the nearer one goes first, in `inject` as in `recall`, and the score says so; nothing is asked of the model."""
    plain, near = make("mend the fence now"), make("mend the vehicle now")
    world.put(plain, near, *strangers(make))
    assert (
        world.recall("mend automobile").hits[0].memory.id == plain.id
    )  # words alone: equal, by text
    world.store.embed(told)
    told.asked.clear()
    found = world.recall("mend automobile").hits
    assert [hit.memory.id for hit in found][:2] == [near.id, plain.id] and not told.asked
    assert found[0].explain["fits"]["meaning"] > 0
    assert world.inject("mend automobile", trial=False).injected[0] == near.id


def test_with_the_model_at_hand_a_candidate_counts_the_same(
    world: Any, make: Make, told: ToyWordEmbedder
) -> None:
    """A scan finds more; what both find has one score on every surface, to the rounding of a byte."""
    world.put(
        make("mend the fence now"),
        make("mend the vehicle now"),
        make("my car broke down"),
        *strangers(make),
    )
    world.store.embed(told)
    scan = {
        hit.memory.id: hit.score
        for hit in world.recall("mend automobile", embedder=lambda: told).hits
    }
    plain = {hit.memory.id: hit.score for hit in world.recall("mend automobile").hits}
    assert plain and plain.keys() < scan.keys()
    assert {id: round(score, 4) for id, score in plain.items()} == {
        id: round(scan[id], 4) for id in plain
    }


def test_what_lies_far_down_by_words_is_lifted_among_the_hundred(
    world: Any, make: Make, told: ToyWordEmbedder
) -> None:
    """More candidates are compared than are looked at: the one that also means it is not the thirtieth to be read."""
    lessons = [make(f"mend the pipe number {n}") for n in range(60)]
    near = make("one may well mend a thing of which a part broke last year, the vehicle")
    world.put(*lessons, near, *(make(f"drink tea number {n} at once") for n in range(150)))
    assert near.id not in {hit.memory.id for hit in world.recall("mend automobile", limit=5).hits}
    world.store.embed(told)
    assert world.recall("mend automobile", limit=5).hits[0].memory.id == near.id


def test_a_question_points_alike_where_the_store_knows_no_vectors(
    world: Any, make: Make, told: ToyWordEmbedder
) -> None:
    """A server keeps no words' vectors: the same sum is made of the model's, by the words that it knows."""
    world.put(make("mend the fence now"), make("mend the vehicle now"), *strangers(make))
    world.store.embed(told)
    wanted = asked(Query("mend the automobile of the unheard"), world.profile)
    found = world.store.ask(("p",), parts_of(wanted), limit=10, meaning=1.0)
    kept, made = (
        pointed(told, wanted, each)[1] for each in (found, replace(found, direction=None))
    )
    assert len(kept) == len(made) == told.size and any(made)
    lengths = [sum(number * number for number in each) ** 0.5 for each in (kept, made)]
    cosine = sum(one * other for one, other in zip(kept, made)) / (lengths[0] * lengths[1])
    assert cosine == pytest.approx(1.0, abs=1e-3)  # a store keeps a byte of each number


def test_a_question_of_words_that_the_model_does_not_know_points_nowhere(
    world: Any, make: Make, told: ToyWordEmbedder
) -> None:
    """In the model's own space still, so that it can be compared with what is kept there."""
    world.put(make("mend the vehicle"), *strangers(make))
    wanted = asked(Query("queue number"), world.profile)
    found = replace(
        world.store.ask(("p",), parts_of(wanted), limit=10, meaning=1.0), direction=None
    )
    identity, direction = pointed(told, wanted, found)
    assert (identity, list(direction)) == (told.identity, [0.0] * told.size)


def test_words_that_the_model_does_not_know_leave_words(
    world: Any, make: Make, told: ToyWordEmbedder
) -> None:
    world.put(make("mend the vehicle"), *strangers(make))
    before = [(hit.memory.id, hit.score) for hit in world.recall("queue number").hits]
    world.store.embed(told)
    assert (
        before
        and [(hit.memory.id, hit.score) for hit in world.recall("queue number").hits] == before
    )


def test_a_model_of_whole_texts_leaves_prompts_to_words(
    world: Any, make: Make, toy: ToyEmbedder
) -> None:
    world.put(make("mend the fence now"), make("mend the vehicle now"), *strangers(make))
    before = world.recall("mend automobile").hits
    world.store.embed(toy)
    assert world.recall("mend automobile").hits == before


def test_what_is_left_for_prompts_follows_every_change(
    world: Any, make: Make, told: ToyWordEmbedder
) -> None:
    """The centre is of the vectors that are there, in whatever order they came; another model's words take the place of the former ones."""
    lessons = [make("mend the vehicle"), make("fix the fence"), make("drink tea")]
    world.put(*lessons)
    world.store.embed(told, most=2)
    world.store.embed(told)
    whole = world.store.rows("SELECT * FROM vector_centre")
    assert (
        world.store.embed(told, anew=True) == 3
        and world.store.rows("SELECT * FROM vector_centre") == whole
    )
    with world.store.write() as tx:
        tx.apply(edits.edited(tx.get(lessons[0].id), {"text": "paint the fence"}, Hand("ada", NOW)))
    world.store.embed(told)
    assert world.store.rows("SELECT * FROM vector_centre") != whole
    other = ToyWordEmbedder("moon", identity="toy-2")
    world.store.embed(other, anew=True)
    assert world.store.column("SELECT word FROM vector_word") == ["moon"]
    assert world.store.column("SELECT identity FROM vector_centre") == ["toy-2"]


def test_two_builds_of_one_store_answer_alike(
    world_of: Callable[..., Any], make: Make, told: ToyWordEmbedder
) -> None:
    """Other ids, other times, another order of writing, vectors made in other portions: the same answers with the same scores."""
    things, places = (
        "car vehicle fence queue disk token cache lock".split(),
        "shed yard roof cellar street".split(),
    )
    texts = [
        f"{verb} the {thing} in the {place}"
        for verb in ("mend", "fix", "paint")
        for thing in things
        for place in places
    ]
    builds = []
    for order, portion in ((texts, 1 << 30), (texts[::-1], 50)):
        built = world_of()
        built.put(*(make(text) for text in order))
        while built.store.embed(told, most=portion):
            pass
        asked = [
            f"{verb} {thing} {place}"
            for verb in ("repair", "mend")
            for thing in things
            for place in ("", *places)
        ]
        builds.append(
            [
                [(hit.memory.text, hit.score) for hit in built.recall(each, limit=10).hits]
                for each in asked
            ]
        )
    assert builds[0] == builds[1] and all(builds[0])


def test_of_more_equals_than_are_compared_none_is_left_to_the_order(
    world_of: Callable[..., Any], make: Make, told: ToyWordEmbedder
) -> None:
    """Two hundred lessons fit equally by words and some mean it, too: whichever were written first, and to the last digit."""
    texts = [f"mend the {'vehicle' if n % 8 == 0 else 'fence'} number {n}" for n in range(200)]
    builds = []
    for order in (texts, texts[::-1]):
        built = world_of()
        built.put(*(make(text) for text in order))
        built.store.embed(told)
        found = [
            built.recall("mend automobile", limit=10, embedder=by).hits
            for by in (None, lambda: told)
        ]
        builds.append([[(hit.memory.text, hit.score) for hit in hits] for hits in found])
    assert builds[0] == builds[1] and all(builds[0])

"""What is put first, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core.memory import Memory, Tally
from tacit.core.profile import Profile, with_values
from tacit.origins import named
from tacit.recall.query import Query, asked
from tacit.recall.rank import Candidate, Facts, Ranked, barred, ordered, ranking

NOW = "2026-11-15T12:00:00.000Z"
DEFAULT = named("default")
Make = Callable[..., Memory]


def tokens(text: str) -> list[str]:
    return text.lower().replace(".", " ").split()


def order(task: str, *memories: Memory, profile: Profile = DEFAULT, **facts: Any) -> list[Ranked]:
    query = facts.pop("query", Query(task=task))
    words = facts.pop("words", {})
    known = Facts(
        now=NOW,
        rows=100,
        tokens=tokens,
        **{"frequency": {word: 5 for word in task.lower().split()}, **facts},
    )
    hits = [
        Candidate(memory, "words", n, words.get(memory.id, "")) for n, memory in enumerate(memories)
    ]
    return ordered("lexical", hits, asked(query, profile), profile, known)


def test_more_of_the_question_goes_first(make: Make) -> None:
    """A lesson that holds both words stands before one that holds one."""
    one, both = make("the worker hangs"), make("the worker loses its queue")
    assert [each.memory.id for each in order("worker queue", one, both)] == [both.id, one.id]


def test_a_rare_word_weighs_more_than_a_common_one(make: Make) -> None:
    """Rarity comes from the store's counts."""
    common, rare = make("about the worker"), make("about the flux")
    found = order("worker flux", common, rare, frequency={"worker": 60, "flux": 1})
    assert [each.memory.id for each in found] == [rare.id, common.id]


def test_a_word_in_every_row_still_counts(make: Make) -> None:
    """FTS5 gives words in more than half of the rows no weight; the smoothed rarity does."""
    (found,) = order("worker", make("about the worker"), frequency={"worker": 100})
    assert found.score > 0


def test_the_very_error_goes_first(make: Make) -> None:
    """A lesson about the asked signature stands before one that merely holds the words."""
    error = "ModuleNotFoundError: No module named 'flask'"
    wanted = asked(Query(errors=(error,)), DEFAULT)
    about = make("Install the extras.", signature=wanted.signatures[0])
    words = make("module flask is named here")
    found = order("module flask", words, about, query=Query(errors=(error,)))
    assert found[0].memory.id == about.id and found[0].parts["signature"] == 1.0


def test_a_shared_file_lifts(make: Make) -> None:
    """Of two equal lessons the one that names the asked file is first."""
    other, named = (
        make("mind the queue", paths=("src/a.py",)),
        make("mind the queue", paths=("src/db/b.py",)),
    )
    found = order("queue", other, named, query=Query(task="queue", files=("src/db/b.py",)))
    assert found[0].memory.id == named.id


def test_what_happened_in_the_same_task_is_lifted(make: Make) -> None:
    """Only from the profile's similarity on."""
    plain, same = make("mind the queue"), make("mind the queue")
    tasks = {
        same.id: "\nspeed queue worker cache now",
        plain.id: "\nspeed queue worker report late",
    }
    found = order("speed queue worker cache", plain, same, words=tasks)
    assert [each.memory.id for each in found] == [same.id, plain.id]
    assert "same_task" in found[0].parts and "same_task" not in found[1].parts


def test_a_lesson_is_found_by_the_task_it_was_met_in(make: Make) -> None:
    """One about "it" is found by what the task was about; one that says so itself, met there too, stands before it."""
    own, met, other = make("the invoice is late"), make("it is very late"), make("it is very late")
    task = "\nsend invoice to the customer and wait"
    found = order("invoice", other, met, own, words={met.id: task, own.id: task})
    assert [each.memory.id for each in found] == [own.id, met.id, other.id]
    assert found[0].score > found[1].score > found[2].score == 0


def test_one_line_for_each_signature(make: Make) -> None:
    """Of two lessons about one error, the better; the other is named as left out."""
    once, often = (
        make("retry it", signature="E: <q>", tally=Tally(seen=2)),
        make("wait", signature="E: <q>", tally=Tally(seen=7)),
    )
    hits = [Candidate(once, "before", 1), Candidate(often, "before", 2)]
    found = ranking(hits, asked(Query(), DEFAULT), DEFAULT, Facts(NOW, 10))
    assert [each.memory.id for each in found.ranked] == [often.id]
    assert [(each.id, each.reason) for each in found.left] == [(once.id, "same signature")]


def test_what_is_believed_orders_and_takes_nothing_below_the_floor(make: Make) -> None:
    """A lesson that looks useless after three units goes last and is still on trial: whether it stays is the ladder's to say."""
    hopeless = Tally(seen=3, belief=0.1, signals={"belief_harm": 0.5})
    useless, unknown = (
        make("Run the migrations with the worker and all the rest of it.", tally=tally)
        for tally in (hopeless, Tally(seen=2))
    )
    known = Facts(now=NOW, rows=100, tokens=tokens, frequency={"worker": 40})
    found = ranking(
        [Candidate(useless, "words", 0), Candidate(unknown, "words", 1)],
        asked(Query(task="worker"), DEFAULT),
        DEFAULT,
        known,
    )
    assert [each.memory.id for each in found.ranked] == [unknown.id, useless.id] and not found.left
    # it would be out, were it for what is believed
    high = with_values(DEFAULT, {"rank.floor": found.ranked[1].score + 0.01})
    again = ranking(
        [Candidate(useless, "words", 0)], asked(Query(task="worker"), high), high, known
    )
    assert [each.memory.id for each in again.ranked] == [useless.id]


def test_below_the_floor_there_is_nothing(make: Make) -> None:
    """No filler: what hardly fits is left out, with its score."""
    memory = make("about the worker")
    known = Facts(NOW, 100, {word: 0 for word in "abcdefghijkl"} | {"worker": 90}, tokens)
    wanted = asked(
        Query(task="worker alpha bravo charlie delta echo foxtrot golf hotel india juliet"), DEFAULT
    )
    found = ranking([Candidate(memory, "words")], wanted, DEFAULT, known)
    assert found.ranked == () and [(each.id, each.reason) for each in found.left] == [
        (memory.id, "below the floor")
    ]
    assert 0 < found.left[0].score < DEFAULT.rank.floor


def test_what_a_person_ordered_needs_no_fitting_words(make: Make) -> None:
    """Standing lessons pass the floor at the start of a run."""
    memory = make("Answer in German.", kind="preference", klass="preference")
    found = ranking(
        [Candidate(memory, "standing")],
        asked(Query(task="queue"), DEFAULT),
        DEFAULT,
        Facts(NOW, 10),
    )
    assert [each.memory.id for each in found.ranked] == [memory.id]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"project": "other"}, "another project"),
        ({"state": "candidate"}, "candidate"),
        ({"state": "under_review"}, "under_review"),
        ({"state": "decayed"}, "decayed"),
        ({"state": "superseded"}, "superseded"),
        ({"state": "archived"}, "archived"),
        ({"state": "rejected"}, "rejected"),
        ({"gate": "hold"}, "hold"),
        ({"gate": "quarantine"}, "quarantine"),
        ({"gate": "discard"}, "discard"),
        ({"verdict": "harms"}, "verdict harms"),
        ({"verdict": "no difference"}, ""),
        ({"superseded_by": "m2"}, "superseded"),
        ({"text": " "}, "empty"),
        ({"pinned": True}, ""),
        ({"verdict": "helps"}, ""),
    ],
)
def test_what_may_never_be_given(make: Make, fields: dict[str, Any], reason: str) -> None:
    """The last wall before every prompt."""
    assert barred(make(**fields), ("p", "@global", "@agent")) == reason


@pytest.mark.parametrize(
    ("fields", "query", "keys", "reason"),
    [
        ({"category": "a"}, {"category": "b"}, {}, "other category"),
        ({"kind": "fix", "klass": "fix"}, {"kind": "pitfall"}, {}, "other kind"),
        ({"text": "short"}, {}, {"rank.min_chars": 12}, "too short"),
        ({"stale_at": NOW}, {}, {"rank.drop_stale": True}, "stale"),
        (
            {"created_at": "2026-01-01T00:00:00.000Z"},
            {},
            {"rank.drop_stale": True},
            "never recalled",
        ),
        (
            {"created_at": "2026-01-01T00:00:00.000Z", "tally": Tally(uses=1)},
            {},
            {"rank.drop_stale": True},
            "",
        ),
        ({"agent": "writer"}, {"agent": "tester"}, {}, "other agent"),
        ({"agent": "writer"}, {}, {}, ""),
        ({"domain": "writing"}, {"domain": "code"}, {"rank.by_domain": True}, "other domain"),
        ({"domain": "general"}, {"domain": "code"}, {"rank.by_domain": True}, ""),
        (
            {"kind": "estimate", "task_type": "feature"},
            {"task": "fix the tests"},
            {},
            "other task type",
        ),
        ({"kind": "estimate", "task_type": "test-fix"}, {"task": "fix the tests"}, {}, ""),
        (
            {"tally": Tally(confidence=0.4)},
            {},
            {"kinds.pitfall.min_confidence": 0.5},
            "confidence too low",
        ),
        (
            {"tally": Tally(signals={"success_rate": 0.5})},
            {},
            {"kinds.pitfall.min_success": 0.6},
            "success rate too low",
        ),
        ({"tally": Tally(seen=1)}, {}, {"rank.min_frequency": 2}, "seen too rarely"),
    ],
)
def test_what_is_not_for_this_query(
    make: Make, fields: dict[str, Any], query: dict[str, Any], keys: dict[str, Any], reason: str
) -> None:
    """Filters of the query and of the profile, each with its reason."""
    profile = with_values(DEFAULT, keys)
    memory = make(**fields)
    found = ranking(
        [Candidate(memory, "standing")], asked(Query(**query), profile), profile, Facts(NOW, 10)
    )
    assert [each.reason for each in found.left] == ([reason] if reason else [])

"""A session from its lines to lessons in force: what is asked, what is kept, what comes of it, what never does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.readers import desk_of, read_at, read_by
from tests.verbs import Memories

from tacit.core.errors import ModelUnavailable
from tacit.core.run import Run, Step
from tacit.core.value import replace
from tacit.learn.pipeline import read
from tacit.lesson import is_found_once
from tacit.reading.questions import ReaderContext
from tacit.reading.session import exam_key, examined, prepared
from tacit.store.readings import load, readings_folder
from tacit.testing import Scripted, run, say, tool, user

BEGUN = "2026-01-01T00:00:00.000Z"
BRANCH = "before you go doing that, we need to get back to main, and pull in latest"


def tells(
    text: str, line: int, words: str, kind: str = "fact", standing: str = "found"
) -> dict[str, Any]:
    return {
        "text": text,
        "kind": kind,
        "standing": standing,
        "quotes": [{"line": line, "words": words}],
    }


SAID = tells("Before new work get back to main and pull in latest.", 1, BRANCH, "rule", "said")


def answer(lessons: list[Any] = [], weighed: list[Any] = [], verdicts: list[Any] = []) -> str:  # noqa: B006
    """One text that answers whichever of the questions is asked."""
    return json.dumps({"lessons": lessons, "answers": weighed, "verdicts": verdicts})


def weighs(says: str = "yes", holds: str = "working", n: int = 1) -> dict[str, Any]:
    return {"n": n, "says": says, "holds": holds}


def desk(memories: Memories, *answers: str | Exception) -> ReaderContext:
    return desk_of(memories, Scripted(*answers))


def reads(memories: Memories, found: Run, *answers: str | Exception) -> Any:
    """Learn a run by the rules, then have it read."""
    return read_by(memories, found, Scripted(*answers))


def session(id: str, *steps: Step) -> Run:
    return run(id, *(steps or (user(BRANCH), say("Sure."))), task="t")


def by_text(memories: Memories, beginning: str) -> Any:
    return next(memory for memory in memories.list(limit=100) if memory.text.startswith(beginning))


def test_the_same_reading_twice_asks_nobody_and_changes_nothing(memories: Memories) -> None:
    found = session("r1")
    reads(memories, found, answer([SAID], [weighs()]))
    before = (
        memories.store.rows("SELECT * FROM journal"),
        memories.store.rows("SELECT * FROM evidence"),
    )
    assert reads(memories, found, ModelUnavailable("asked again")) is None
    assert (
        memories.store.rows("SELECT * FROM journal"),
        memories.store.rows("SELECT * FROM evidence"),
    ) == before


def test_an_answer_is_kept_before_the_next_question(memories: Memories) -> None:
    """Whoever dies between two questions repeats at most the one that was open; and the attempt is told."""
    found = session("r1")
    report = reads(memories, found, answer([SAID]), ModelUnavailable("gone"))
    assert "not read yet" in report.warnings[0]
    row = memories.store.find_run(memories.project_id, "r1")
    assert row is not None
    kept = load(readings_folder(memories.store.path), row.id)
    assert kept is not None and (kept.state, len(kept.answers), kept.attempts, kept.error) == (
        "waiting",
        1,
        1,
        "gone",
    )
    assert reads(
        memories, found, answer(weighed=[weighs()])
    ).new  # only the second question is asked


def test_a_reading_dies_anywhere_and_nothing_is_lost(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each point where something is written: the next one finishes, and the store is as if nothing had happened."""
    from tacit.store import readings

    whole, real = session("r1"), readings.save
    for point in range(6):
        left = [point]

        def dying(folder: str, reading: Any, left: list[int] = left) -> None:
            if left[0] == 0:
                left[0] = -1
                raise KeyboardInterrupt
            left[0] -= 1
            real(folder, reading)

        monkeypatch.setattr(readings, "save", dying)
        try:
            reads(memories, whole, answer([SAID], [weighs()]))
        except KeyboardInterrupt:
            pass
        monkeypatch.setattr(readings, "save", real)
        reads(memories, whole, answer([SAID], [weighs()]))
        heard = [
            memory
            for memory in memories.list(limit=100)
            if (memory.extra or {}).get("word") == "said"
        ]
        assert len(heard) == 1 and heard[0].tally.seen == 1


def test_a_session_that_goes_on_while_it_is_read_is_read_on(memories: Memories) -> None:
    """Learned again beside its reading, it keeps what was answered, and its new lines wait."""
    first = session("r1")
    longer = session(
        "r1", *first.steps, user("Never push to main by yourself, open a draft."), say("Fine.")
    )
    at = desk(memories, answer([SAID], [weighs()]))
    memories.learn(first)
    row = memories.store.find_run(memories.project_id, "r1")
    assert row is not None
    begun = prepared(at.folder, first, row.id, row.project, "2026-11-18T03:00:00.000Z")
    assert begun is not None
    prepared(at.folder, longer, row.id, row.project, "2026-11-18T03:00:30.000Z")
    assert read(at, begun).new
    left = load(at.folder, row.id)
    assert left is not None and (left.state, left.done, len(left.lines), len(left.lessons)) == (
        "waiting",
        2,
        4,
        1,
    )


def test_somebody_elses_session_brings_nothing(memories: Memories) -> None:
    other = {**SAID, "quotes": [{"line": 1, "words": "always deploy on fridays without tests"}]}
    assert reads(memories, session("r1"), answer([other], [weighs()])).new == ()


def test_an_order_becomes_a_habit_when_it_comes_again(memories: Memories) -> None:
    words = "commit this and update the changelog"
    asked = tells(
        "When asked to commit, update the changelog too.", 1, words, "preference", "shown"
    )
    steps = (user(words), say("ok"))
    reads(memories, session("r1", *steps), answer([asked], [weighs("partly", "order")]))
    memory = by_text(memories, "When asked to commit")
    assert is_found_once(memory)
    known = [{"id": f"k{n}", "verdict": "same", "new": "n1", "into": None} for n in range(1, 9)]
    again = {**asked, "text": "Changelogs are updated whenever something is committed."}
    said = answer([again], [weighs("partly", "order"), weighs(n=2)], known[:1])
    reads(memories, session("r2", *steps), said)
    again = memories.get(memory.id)
    assert (again.state, again.tally.seen, is_found_once(again)) == ("active", 2, False)


def test_the_agents_word_alone_never_suffices(memories: Memories) -> None:
    """A page that an agent repeats in five sessions is still a page; a failure and its cure in two are evidence."""
    talk = tells(
        "The schema file must be regenerated after every change.",
        2,
        "the schema file must be regenerated",
    )
    raised = "Raise the number in schema.lock when make test complains of a stale schema."
    shown = tells(raised, 4, "stale schema file found", "fix")
    steps = (
        user("go on"),
        say("It turns out the schema file must be regenerated."),
        tool("make test", error="stale schema file found here"),
        Step("tool", "e", tool="Edit", input={"file_path": "schema.lock"}),
        tool("make test", "ok"),
        say("done"),
    )
    for n in range(5):
        reads(memories, session(f"r{n}", *steps), answer([talk, shown]))
    assert is_found_once(
        by_text(memories, "The schema file")
    )  # at its moment, and at no start however often
    assert not is_found_once(by_text(memories, "Raise the number"))


@pytest.mark.parametrize(
    "once",
    [
        f"just {what} this time"
        for what in (
            "push to main",
            "skip the branch",
            "use the current branch",
            "work on main",
            "stay here",
        )
    ],
)
@pytest.mark.parametrize("how", ["excepted", "weighed", "doubted"])
def test_an_exception_suspends_nothing(memories: Memories, once: str, how: str) -> None:
    reads(memories, session("r1"), answer([SAID], [weighs()]))
    memory = by_text(memories, "Before new work")
    verdict = {
        "id": "k1",
        "verdict": "excepted" if how == "excepted" else "reversed",
        "line": 1,
        "words": once,
    }
    second = (
        weighs("yes", "once")
        if how == "weighed"
        else weighs("no", "working")
        if how == "doubted"
        else weighs()
    )
    reads(memories, session("r2", user(once), say("ok")), answer([], [second], [verdict]))
    assert memories.get(memory.id).state == "active"


@pytest.mark.parametrize("how", ["pinned", "security", "agent"])
def test_what_a_person_keeps_is_taken_away_by_a_person_only(memories: Memories, how: str) -> None:
    memory = memories.add(
        "Never bypass the signing of commits.", kind="security" if how == "security" else "rule"
    )
    if how == "pinned":
        memories.pin(memory.id)
    words = "signing of commits is not needed any more"
    steps = (say(words), user("ok")) if how == "agent" else (user(words), say("ok"))
    verdict = {"id": "k1", "verdict": "reversed", "line": 1, "words": words}
    reads(memories, session("r1", *steps), answer([], [weighs()], [verdict]))
    assert memories.get(memory.id).state == memory.state
    assert [each for each in memories.proposals() if each.memory == memory.id]


def test_a_session_that_grew_is_read_on(memories: Memories) -> None:
    first = session("r1")
    reads(memories, first, answer([SAID], [weighs()]))
    more = user("and please never squash the commits of others")
    steps = (*first.steps, replace(more, place="step:2"), replace(say("Noted."), place="step:3"))
    words = "please never squash the commits of others"
    later = tells("Never squash the commits of others.", 3, words, "rule", "said")
    at = desk(memories, answer([later], [weighs()]))
    assert read_at(at, memories, replace(first, steps=steps))
    asked = at.model.asked[0]  # type: ignore[attr-defined]
    assert "Earlier parts of this session gave the lessons below" in asked and SAID["text"] in asked
    assert {memory.text for memory in memories.list(limit=9) if memory.state == "active"} >= {
        SAID["text"],
        later["text"],
    }


def test_every_part_of_a_long_session_is_read(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first part that was full of lessons does not end the reading."""
    from tacit.reading import questions

    five = [
        {**SAID, "text": f"Before new work number {number} get back to main."}
        for number in range(5)
    ]
    monkeypatch.setattr(
        questions, "parts_of_session", lambda rendering: [rendering.lines[:1], rendering.lines[1:]]
    )
    memories.learn(session("r1"))
    at = desk(memories, answer(five), answer(), answer())
    assert read_at(at, memories, session("r1"))
    assert sum("what is worth remembering" in asked for asked in at.model.asked) == 2  # type: ignore[attr-defined]


def test_nothing_to_read_asks_nobody(memories: Memories) -> None:
    """No typed word and no failure: nobody is asked. A run that failed is read although nobody typed."""
    assert (
        reads(memories, run("r1", say("done"), tool("make", "ok")), ModelUnavailable("asked"))
        is None
    )
    assert (
        reads(
            memories,
            run("r2", say("done"), tool("make test", error="boom: it failed badly")),
            answer(),
        )
        is not None
    )


def test_what_was_erased_does_not_come_back(memories: Memories) -> None:
    reads(memories, session("r1"), answer([SAID], [weighs()]))
    memory = by_text(memories, "Before new work")
    row = memories.store.find_run(memories.project_id, "r1")
    assert row is not None
    memories.erase(memory.id)
    assert load(readings_folder(memories.store.path), row.id) is None
    again = {**SAID, "text": "Get back to main and pull in latest before new work."}
    assert reads(memories, session("r1"), answer([again], [weighs()])).new == ()


def assigned(memories: Memories, memory: str, run: str, arm: str) -> None:
    """A use of a lesson in a run to come."""
    from tacit.core.links import Use
    from tacit.core.rows import run_id

    unit = run_id(memories.project_id, "neutral", run)
    with memories.store.write() as tx:
        tx.add_use(
            Use(
                memory,
                unit,
                memories.project_id,
                unit,
                memory,
                arm,
                0.1,
                epoch="m / h",
                task="t",
                at=BEGUN,
            )
        )


@pytest.mark.parametrize("arm", ["injected", "withheld"])
@pytest.mark.parametrize("typed", [True, False])
def test_what_a_person_had_to_say_again_came_back(
    memories: Memories, arm: str, typed: bool
) -> None:
    """A reader who hears it as something new, and calls it the same as a remembered lesson, has seen it come back; what the agent says has not."""
    reads(memories, session("r1"), answer([SAID], [weighs()]))
    memory = by_text(memories, "Before new work")
    assigned(memories, memory.id, "r2", arm)
    words = "get back to main and pull in latest before you begin"
    steps = (
        (user(words), say("Right."))
        if typed
        else (user("go on with it, will you"), say(f"I {words}."))
    )
    text = "Get back to main and pull in latest before you begin."
    again = tells(text, 1 if typed else 2, words, "rule", "said")
    same = {"id": "k1", "verdict": "same", "new": "n1", "into": None}
    reads(memories, session("r2", *steps), answer([again], [weighs(), weighs(n=2)], [same]))
    outcomes = [mark for mark in memories.store.marks(memory=memory.id) if mark.signal == "outcome"]
    assert outcomes[-1].value == ("occurred" if typed else "not_occurred")
    assert (words in outcomes[-1].reason) == typed


def test_a_fork_that_says_nothing_new_is_not_read(memories: Memories) -> None:
    """Two questions for what was read already; one that goes on is read, and so is a session of perhaps typed words."""
    origin = replace(session("r1"), lineage="first")
    reads(memories, origin, answer([SAID], [weighs()]))
    place = readings_folder(memories.store.path)
    fork = replace(origin, id="r2")
    assert prepared(place, fork, "b" * 16, memories.project_id, memories.now()) is None
    longer = replace(
        fork, id="r3", steps=(*fork.steps, user("and never push to main from here on"))
    )
    assert prepared(place, longer, "c" * 16, memories.project_id, memories.now()) is not None
    assert (
        prepared(
            place,
            replace(fork, id="r4", lineage="other"),
            "d" * 16,
            memories.project_id,
            memories.now(),
        )
        is not None
    )
    unsure = run("r5", Step("user", "p", text="Always use uv here.", speaker="unsure"))
    assert prepared(place, unsure, "e" * 16, memories.project_id, memories.now()) is not None


def test_who_does_not_answer_in_form_has_failed_nothing(memories: Memories) -> None:
    """Prose, or half an answer: the session waits, and the exam is taken again when it is read again, or on request."""
    found = session("r1")
    memories.learn(found)
    for said in ("I would be happy to help!", '{"lessons": [{"text": "Use'):
        at = replace(desk(memories, said, said), examine=True)
        (told,) = read_at(at, memories, found, again=True).warnings
        assert (
            "in the form that was asked for" in told
            and memories.store.meta(exam_key(at.model.identity)) == ""
        )
    at = replace(desk(memories, answer(), answer(), answer(), answer()), examine=True)
    assert (
        examined(at).advises == "it hears nothing" == examined(at).advises
        and len(at.model.asked) == 2
    )  # type: ignore[attr-defined]
    assert examined(at, again=True).advises and len(at.model.asked) == 4  # type: ignore[attr-defined]


def test_what_the_person_took_out_stays_out_where_an_older_session_says_it_in_other_words(
    memories: Memories,
) -> None:
    """Sessions are read newest first; a lesson that was dropped came back from the next one. What is said later is a new wish."""
    reads(memories, session("r1"), answer([SAID], [weighs()]))
    gone = memories.forget(by_text(memories, "Before new work").id)[0]
    other = tells(
        "Pull in the latest main before you begin anything new.",
        1,
        "first get to main and pull it",
        "rule",
        "said",
    )
    same = json.dumps(
        {
            **json.loads(answer([other], [weighs()])),
            "pairs": [{"new": "n1", "other": "k1", "word": "same"}],
        }
    )
    for name, ended, new in (("r2", BEGUN, 0), ("r3", "2099-01-01T00:00:00.000Z", 1)):
        typed = user("stop: first get to main and pull it")
        found = replace(run(name, typed, say("Sure."), task=name, lineage=name), ended_at=ended)
        assert len(reads(memories, found, same).new) == new, name
        assert memories.get(gone.id).state == "gone"


def test_who_fails_the_exam_advises_only(memories: Memories) -> None:
    """What it hears is held for a person, and nothing that is remembered is touched on its word."""
    memory = memories.add("Use the develop branch for new work, never main.")
    at = replace(
        desk(
            memories,
            answer(
                [SAID],
                [weighs()],
                [{"id": "k1", "verdict": "reversed", "line": 1, "words": BRANCH}],
            ),
        ),
        examine=True,
    )
    found = session("r1")
    memories.learn(found)
    assert read_at(at, memories, found)
    heard = by_text(memories, "Before new work")
    assert (heard.state, heard.gate) == (
        "waiting",
        "hold",
    ) and "only advises" in heard.gate_reason
    assert (
        memories.get(memory.id).state == memory.state
        and memories.get(memory.id).tally.contradicted == 0
    )

"""What of a reader's answer about a whole project is taken, and what is said of the rest."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import pytest

from tacit.core.run import Run, Step
from tacit.reading import failures, habits, instructions, tidy
from tacit.reading.asked import (
    Item,
    items_as,
    items_from,
    tokens,
    typed_lines,
)
from tacit.reading.record import Failed, Left, Typed, as_families, left_by, left_from
from tacit.reading.tidy import Known

NONE: frozenset[str] = frozenset()


def session(number: int, *lines: str, failed: Sequence[Failed] = (), group: str = "") -> Left:
    """A session with these typed lines."""
    id = f"run{number}"
    typed = tuple(Typed(line, f"{id}-{at}") for at, line in enumerate(lines))
    return Left(id, group or id, f"2026-03-{number:02}T10:00:00Z", "", "", typed, tuple(failed))


def said(**lists: object) -> str:
    """An answer as a model writes it: prose and a fence around it."""
    return f"Here is what I found:\n```json\n{json.dumps(lists)}\n```"


CHANGELOG = (
    session(1, "add the flag", "now also update the changelog please"),
    session(2, "fix the parser", "did you update the changelog?"),
    session(3, "rename the option"),
)


def test_a_habit_names_lines_of_two_sessions() -> None:
    """What is invented is struck and said; what holds is taken."""
    row = {
        "id": "",
        "text": "When work is done, update the changelog.",
        "when": "end",
        "lines": [
            ["s1.2", "also update the changelog"],
            ["s2.2", "did you update the changelog?"],
            ["s3.1", "update the changelog"],
            ["s9.9", "update the changelog"],
        ],
    }
    once = {"text": "Rename options.", "lines": [["s3.1", "rename the option"]]}
    answer = habits.check(said(habits=[row, once]), CHANGELOG, ())
    assert [(item.id, item.text, item.when, item.sessions) for item in answer.items] == [
        ("h1", "When work is done, update the changelog.", "end", 2)
    ]
    assert [each.why for each in answer.struck] == [
        "these words do not stand there",
        "no such line",
        "fewer than two sessions show it",
    ]
    assert items_from(json.loads(json.dumps(items_as(answer.items)))) == answer.items


def habit(id: str = "h1") -> Item:
    """The changelog's habit as an earlier answer brought it."""
    row = {
        "text": "When work is done, update the changelog.",
        "lines": {"s1.2": "also update the changelog", "s2.2": "did you update the changelog?"},
    }
    return habits.check(said(habits=[row]), CHANGELOG, ()).items[0]


def test_the_last_answer_is_kept_mended_or_dropped_by_its_id() -> None:
    """Ids and lines stay; what an answer does not name stays too."""
    later = (*CHANGELOG, session(4, "ship it, and the changelog?"))
    kept = {"id": "h1", "lines": [["s4.1", "and the changelog"]]}
    answer = habits.check(said(habits=[kept]), later, [habit()])
    assert (answer.kept, answer.items[0].sessions, answer.items[0].text) == (
        ("h1",),
        3,
        habit().text,
    )
    mended = {"id": "h1", "text": "Offer a line for the changelog at the end."}
    assert habits.check(said(habits=[mended]), later, [habit()]).items[0].cites == habit().cites
    assert habits.check(said(habits=[]), later, [habit()]).items == (habit(),)
    gone = {"id": "h1", "why": "s4.1 takes it back"}
    answer = habits.check(said(habits=[], dropped=[gone]), later, [habit()])
    assert (answer.items, answer.dropped[0].why) == ((), "s4.1 takes it back")
    again = habits.check(
        said(habits=[{**mended, "id": "", "text": habit().text}]), later, [habit()]
    )
    assert [item.id for item in again.items] == ["h1"], "the same words are the same habit"


@pytest.mark.parametrize(
    "answer", ["I could not find any habits here.", "", "{", '{"something": [1, 2]}', "null"]
)
def test_what_is_no_answer_changes_nothing(answer: str) -> None:
    """Prose, nothing, half: everything stands as it was, and it is said."""
    found = habits.check(answer, CHANGELOG, [habit()])
    assert (found.items, found.answered) == ((habit(),), False)
    assert not failures.check(answer, CHANGELOG, ()).answered
    assert not tidy.check(answer, ()).answered
    assert not instructions.check(answer, {}, CHANGELOG).answered


def test_half_an_answer_gives_what_is_whole() -> None:
    """An answer that stops in the middle brings the objects that were finished."""
    row = {"text": "Update the changelog.", "lines": {"s1.2": "update the changelog please"}}
    row["lines"]["s2.2"] = "update the changelog?"
    whole = said(habits=[row, row])
    half = whole[: whole.rindex("lines")]
    assert [item.text for item in habits.check(half, CHANGELOG, ()).items] == [row["text"]]


def test_twenty_items_are_cut_to_what_was_asked_for() -> None:
    """The rest is counted."""
    lines = {"s1.2": "update the changelog please", "s2.2": "did you update the changelog?"}
    rows = [{"text": f"Mind the changelog, way {way}.", "lines": lines} for way in range(20)]
    answer = habits.check(said(habits=rows), CHANGELOG, ())
    assert len(answer.items) == habits.MOST_HABITS
    assert sum(each.why == "more than 8" for each in answer.struck) == 12


@pytest.mark.parametrize(
    ("text", "leave"),
    [
        ("When work is done, commit and push.", True),
        ("Commit each step.", True),
        ("Run the tests, then push to main.", True),
        ("Always deploy after the build.", True),
        ("When work is done, say whether it is committed, and offer to push.", False),
        ("Expect to be asked to commit and push.", False),
        ("Never commit unasked.", False),
        ("Write commit messages in the imperative.", False),
        ("Commit messages name the issue.", False),
        ("After a push, check that the CI and publish runs pass.", False),
        ("When asked to commit, put the issue's number first.", False),
    ],
)
def test_a_leave_is_told_from_a_wish(text: str, leave: bool) -> None:
    """What only a person may do is never a habit by itself."""
    assert habits.is_leave(text) is leave


def test_a_name_that_no_line_holds_is_invented() -> None:
    """A command that nobody typed is not worded into a person's habit."""
    row = {
        "text": "When done, run `make changelog`.",
        "lines": {"s1.2": "update the changelog please", "s2.2": "did you update the changelog?"},
    }
    answer = habits.check(said(habits=[row]), CHANGELOG, ())
    assert (answer.items, answer.struck[-1].why) == ((), "no line holds make")


PNPM = Failed("pnpm test", "sh: pnpm: command not found", "corepack pnpm test", "pnpm test")


def test_a_cure_has_a_line_and_a_sign_that_tells() -> None:
    """A sign that stands nowhere, or everywhere, is none; the cure stands without it."""
    others = [
        Failed(f"tool{at} run", f"tool{'x' * at} said: No such file or directory", "", f"tool{at}")
        for at in range(9)
    ]
    sessions = (session(1, failed=[PNPM, *others]), session(2, failed=[PNPM]))
    rows = [
        {
            "text": "Call `corepack pnpm`; pnpm alone is not here.",
            "sign": "pnpm: command not found",
            "lines": ["s1.1", "s2.1", "s7.1"],
        },
        {"text": "Make the file first.", "sign": "No such file or directory", "lines": ["s1.2"]},
        {"text": "Wait for the lock.", "sign": "database is locked", "lines": ["s1.3"]},
        {"text": "Use `yarn` instead.", "sign": "sh: pnpm", "lines": ["s1.1"]},
    ]
    answer = failures.check(said(cures=rows), sessions, ())
    assert [(item.sign, item.sessions, item.program) for item in answer.items] == [
        ("pnpm: command not found", 2, "pnpm test"),
        ("", 1, "tool0"),
        ("", 1, "tool1"),
    ]
    assert [each.why for each in answer.struck] == [
        "no such line",
        "the sign stands in many different failures",
        "the sign stands in no line that was named",
        "no line holds yarn",
    ]


def test_a_session_leaves_its_persons_words_and_its_failures() -> None:
    """Redacted, without what was pasted; the same failure once, with the call that passed."""

    def call(command: str, error: str = "") -> Step:
        return Step(
            "tool", "", tool="Bash", input={"command": command}, output="ok", error=error, status=1
        )

    secret = "ghp_" + "a1B2c3D4e5" * 4
    run = Run(
        "s",
        "claude-code",
        (
            Step("user", "line:1", f"use the token {secret} to fetch", typed=True, speaker="typed"),
            Step("user", "line:2", "the summary of a session", speaker="summary"),
            call("cargo test -q one two", "error: unexpected argument 'two' found"),
            call("cargo test -q three four", "error: unexpected argument 'four' found"),
            Step("tool", "", tool="Bash", input={"command": "cargo test -q one"}, output="ok"),
        ),
        started_at="2026-03-01T10:00:00Z",
    )
    left = left_by(run)
    assert len(left.typed) == 1
    assert secret not in left.typed[0].text
    assert left.failed[0].passed == "cargo test -q one"
    assert left.failed[0].told.startswith("error: unexpected argument")
    assert left_from(json.loads(json.dumps(left.as_json()))) == left


def test_failures_by_the_thousand_and_of_a_megabyte_are_few_short_lines() -> None:
    """The last ones of a session, each cut; none of them passed."""
    wide = "error: " + "x" * 1_000_000
    steps = tuple(
        Step("tool", "", tool="Bash", input={"command": f"tool{at} run"}, error=wide)
        for at in range(1_000)
    )
    began = time.process_time()
    left = left_by(Run("s", "claude-code", steps))
    assert time.process_time() - began < 20
    assert [failed.command for failed in left.failed] == [
        f"tool{at} run" for at in range(986, 1_000)
    ]
    assert max(len(failed.told) for failed in left.failed) <= 400
    asked = failures.ask([left], (), frozenset({"s"}))
    assert "s1.14 tool999 run ! error: xxx" in asked and asked.count(" -> –") == 14


def test_a_forks_line_stands_once() -> None:
    """A copied message is no second time, whatever the copy's file says."""
    first = session(1, "write tests first")
    fork = Left(
        "fork", "fork", "2026-03-02T10:00:00Z", "", "", (*first.typed, Typed("go on", "new"))
    )
    families = as_families([fork, first])
    assert [line.text for line in typed_lines(families)] == ["write tests first", "go on"]
    assert len({left.group for left in families}) == 1


def test_a_question_stays_in_its_room() -> None:
    """Of two thousand lines the newest are shown; long ones are cut, whatever their script."""
    many = [session(1, *(f"{at} прошу обновить журнал изменений {'ы' * at}" for at in range(2000)))]
    asked = habits.ask(many, (), frozenset({"run1"}))
    assert tokens(asked) < 11_500
    assert "s1.2000" in asked
    again = habits.ask(many, (), NONE)
    assert tokens(again) < 3_500, "what was shown before is shown shortened, and less of it"


def test_a_look_is_due_after_four_sessions_or_thirty_lines() -> None:
    """And a project with one session is not asked about."""
    few = [session(at, "continue") for at in range(1, 4)]
    fresh = frozenset(f"run{at}" for at in range(1, 9))
    assert not habits.is_due(few, (), fresh)
    assert habits.is_due([*few, session(4, "continue")], (), fresh)
    many = session(1, *(f"line {at} {'x' * at}" for at in range(30)))
    assert habits.is_due([many], (), fresh)
    assert not failures.is_due(few, (), fresh)


def test_failures_are_asked_about_again_when_something_fails_that_no_cure_meets() -> None:
    """Two sessions with something new; the same wrapper failing for the fortieth time is none."""
    known = [session(at, failed=[PNPM]) for at in range(1, 5)]
    fresh = frozenset(f"run{at}" for at in range(1, 9))
    assert failures.is_due(known, (), fresh)
    cure = Item("c1", "Call `corepack pnpm`.", (), sign="pnpm: command not found")
    assert not failures.is_due(known, (cure,), fresh)
    other = Failed("yq .", "zsh: command not found: yq", "", "yq")
    assert not failures.is_due([*known, session(5, failed=[other])], (cure,), fresh)
    new = [session(at, failed=[other]) for at in (5, 6)]
    assert failures.is_due([*known, *new], (cure,), fresh)


def test_what_fails_alike_stands_once_and_counts_as_often_as_it_failed() -> None:
    """The newest that something passed after stands for all; naming it names them all."""
    again = Failed("pnpm test", "sh: pnpm: command not found", "", "pnpm test")
    sessions = [session(1, failed=[again]), session(2, failed=[PNPM]), session(3, failed=[again])]
    asked = failures.ask(sessions, (), frozenset({"run1", "run2", "run3"}))
    assert asked.count("command not found") == 1
    assert "s2.1 ×3 pnpm test ! sh: pnpm: command not found -> corepack pnpm test" in asked
    row = {"text": "Call `corepack pnpm`.", "sign": "pnpm: command not found", "lines": ["s2.1"]}
    assert failures.check(said(cures=[row]), sessions, ()).items[0].sessions == 3


def test_a_question_shows_only_cures_that_the_new_failures_have_to_do_with() -> None:
    """Of forty that stand those that are met again, or of a program that failed anew; the rest stands on unseen."""
    new = [
        session(5, failed=[PNPM]),
        session(6, failed=[Failed("git push", "error: failed to push", "", "git push")]),
    ]
    cures = [
        Item("c1", "Call `corepack pnpm`.", (), sign="pnpm: command not found", program="pnpm"),
        Item("c2", "Pull first.", (), sign="tip of your current branch", program="git push"),
        Item("c3", "Wait.", (), sign="database is locked", program="sqlite3"),
    ]
    asked = failures.ask(new, cures, frozenset({"run5", "run6"}))
    assert ["c1 (sign" in asked, "c2 (sign" in asked, "c3 (sign" in asked] == [True, True, False]
    assert {item.id for item in failures.check(said(cures=[]), new, cures).items} == {
        "c1",
        "c2",
        "c3",
    }
    same = {"id": "", "text": "Use another.", "sign": "database is locked", "lines": ["s1.1"]}
    answer = failures.check(said(cures=[same]), new, cures)
    assert (answer.new, answer.kept) == ((), ("c3",)), "the same sign is the same cure"


@pytest.mark.parametrize(
    ("command", "passed", "shown"),
    [
        ("cargo test -q one two", "cargo test -q one", "-> cargo test -q one"),
        ("npx jest --testPathPattern=login", "npx jest --testPathPattern=login", "-> ="),
        (
            "workmux add --pr 1510 --name review -b",
            "workmux add --pr 1510 --name other -b",
            "-> …other -b",
        ),
        ("make", "", "-> –"),
    ],
)
def test_what_passed_stands_without_what_it_shares_with_what_failed(
    command: str, passed: str, shown: str
) -> None:
    """The difference is what a cure is made of."""
    failed = Failed(command, "error: it failed", passed, command.split()[0])
    asked = failures.ask([session(1, failed=[failed])], (), frozenset({"run1"}))
    assert asked.rstrip().endswith(shown)


LESSONS = (
    Known("1", "Run `make lint` before a commit.", "lint", 1),
    Known("2", "Lint with `make lint --all` before each commit.", "lint", 4),
    Known("3", "Releases go out on Friday.", "release", 2, persons=True),
    Known("4", "Releases go out on Monday.", "release", 9),
    Known("5", "Finish the port by the demo.", "port", 3),
    Known("6", "Deploy with `ship old`.", "deploy", 3),
    Known("7", "Deploy with `ship new`.", "deploy", 8),
)
LINTED = "Run `make lint --all` before each commit."


def test_tidying_is_a_plan_and_a_persons_own_is_asked_about() -> None:
    """The newest of doubles stays; what names no lesson, or an older one, or no words of both, is struck."""
    words = {"words": ["go out on Friday", "go out on Monday"]}
    answer = said(
        same=[{"ids": ["1", 2], "text": LINTED}, {"ids": ["5", "77"]}],
        replaced=[
            {"old": "3", "by": "4", **words},
            {"old": "4", "by": "3", **words},
            {"old": "9", "by": "4"},
            {"old": "6", "by": "7"},
            {"old": "6", "by": "7", "words": ["Deploy with `ship old`", "never deploy by hand"]},
        ],
        over=[{"id": "5", "why": "the demo was held"}],
    )
    plan = tidy.check(answer, LESSONS)
    assert plan.same == (tidy.Same("2", ("1",), LINTED),)
    assert [(each.id, each.verdict) for each in plan.out] == [("5", "over")]
    assert [(each.id, each.by) for each in plan.asked] == [("3", "4")]
    assert [each.why for each in plan.struck] == [
        "no two lessons that are there",
        "the other is older",
        "no such lesson",
        "no words of both",
        "these words do not stand in both",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no wording for all of them"),
        ("Run `make lint` before each commit.", "the wording loses --all"),
        ("Run `make lint --all --fix` before each commit.", "none of them holds --fix"),
        (f"{LINTED} {'Mind that. ' * 30}", "too long"),
    ],
)
def test_lessons_are_not_the_same_where_the_one_wording_loses_something(
    text: str, why: str
) -> None:
    """Every name, figure, option and path of each stands in it, and none that stands in none."""
    plan = tidy.check(said(same=[{"ids": ["1", "2"], "text": text}]), LESSONS)
    assert (plan.same, plan.struck[0].why) == ((), why)


def test_a_persons_own_words_take_the_place_only_of_what_they_hold() -> None:
    """They are not reworded, so what names more than they do stays beside them."""
    own = Known("8", "Run `make lint --all` before a commit.", "lint", 1, persons=True)
    some = (own, *LESSONS[:2], Known("9", "Run `make lint --all --fast` first.", "lint", 5))
    plan = tidy.check(said(same=[{"ids": ["8", "1", "2"], "text": LINTED}]), some)
    assert plan.same == (tidy.Same("8", ("1", "2"), own.text),)
    plan = tidy.check(said(same=[{"ids": ["8", "9"], "text": LINTED}]), some)
    assert (plan.same, plan.struck[0].why) == ((), "the wording loses --fast")


def test_tidying_is_due_when_many_lessons_are_new() -> None:
    """Twenty, and a third of those that it saw; and ten sessions."""
    assert tidy.is_due(20, 0, 10, 0)
    assert not tidy.is_due(19, 0, 10, 0)
    assert not tidy.is_due(40, 0, 9, 0)
    assert not tidy.is_due(120, 95, 60, 40)
    assert tidy.is_due(127, 95, 60, 40)


def test_what_speaks_against_an_instruction_file_names_lines_of_both() -> None:
    """A rule that was not kept, one that is wrong, and what is missing in three sessions."""
    files = {"AGENTS.md": "# House\n\nUpdate the changelog.\nRun pnpm test.\n"}
    sessions = [*CHANGELOG, session(4, "and the changelog again?", failed=[PNPM])]
    asked = instructions.ask(files, sessions)
    assert "AGENTS.md:3 Update the changelog." in asked
    assert "f4.1 pnpm test ! sh: pnpm: command not found -> corepack pnpm test" in asked
    three = {"s1.2": "update the changelog please", "s2.2": "did you update the changelog?"}
    answer = said(
        not_kept=[{"at": "AGENTS.md:3", "lines": three}, {"at": "AGENTS.md:9", "lines": three}],
        wrong=[
            {
                "at": "AGENTS.md:4",
                "lines": [["f4.1", "pnpm: command not found"]],
                "change": "Run corepack pnpm test.",
            }
        ],
        missing=[{"text": "Say when the changelog is done.", "lines": three}],
    )
    found = instructions.check(answer, files, sessions)
    assert [(each.verdict, each.at, each.sessions) for each in found.found] == [
        ("not_kept", "AGENTS.md:3", 2),
        ("wrong", "AGENTS.md:4", 1),
    ]
    assert [each.why for each in found.struck] == [
        "no such line of an instruction file by then",
        "fewer than three sessions",
    ]

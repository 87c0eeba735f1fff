"""What belongs to a moment: the table of design §5, a rule a test."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.hooks import select
from tacit.hooks.select import Fit, Here, Lesson, calls_of, filled, rare_words, stands


def lesson(n: int, text: str = "", kind: str = "rule", about: str = "", **more: Any) -> Lesson:
    return Lesson(f"l{n}", n, text or f"Lesson {n}.", kind, about, **more)


def fit(each: Lesson, *shared: str, score: float = 0.5) -> Fit:
    return Fit(each, score, frozenset(shared))


def ids(told: list[Lesson]) -> list[str]:
    return [each.id for each in told]


def none(topic: str) -> list[Lesson]:
    return []


# --- a start


def test_a_start_tells_what_most_sessions_met_then_a_persons_word() -> None:
    ways = [
        lesson(1, person=True),
        lesson(2, met=2),
        lesson(3, met=5, about="tests; pytest"),
        lesson(4, met=2, person=True),
        lesson(5, met=1),
        lesson(6, kind="decision", met=9, person=True),
    ]
    assert ids(select.at_start(ways, Here())) == ["l3", "l4", "l2", "l1"]


def test_a_start_stays_within_its_room() -> None:
    long = [lesson(n, "w" * 400, met=2) for n in range(9)]
    told = select.at_start(long, Here())
    assert 0 < sum(map(select.cost, told)) <= select.START_TOKENS


# --- a prompt


def test_three_rare_words_make_a_lesson_fit_and_two_do_not() -> None:
    here = Here(rare=("ledger", "cursor", "page"))
    two, three = lesson(1), lesson(2)
    told = select.at_prompt(
        "…", [fit(two, "ledger", "cursor"), fit(three, "ledger", "cursor", "page")], none, here
    )
    assert ids(told) == ["l2"]


def test_a_word_of_its_subject_counts_twice() -> None:
    here = Here(rare=("ledger", "cursor"))
    about = lesson(1, about="ledger")
    assert ids(select.at_prompt("…", [fit(about, "ledger", "cursor")], none, here)) == ["l1"]


def test_a_long_prompt_asks_for_more() -> None:
    here = Here(rare=("ledger", "cursor", "page"))
    fits = [fit(lesson(1), "ledger", "cursor", "page")]
    assert select.at_prompt("x" * 299, fits, none, here)
    assert not select.at_prompt("x" * 300, fits, none, here)


def test_a_name_of_its_subject_is_enough_where_it_stands_whole() -> None:
    named = [fit(lesson(1, about="merging; merge_tags"))]
    assert select.at_prompt("mend merge_tags please", named, none, Here())
    assert not select.at_prompt("mend merge_tags_all please", named, none, Here())
    assert not select.at_prompt("mend merge_tags", named, none, Here(common={"merge_tags"}))


def test_the_rest_of_the_best_ones_topic_follows_the_newest_first() -> None:
    here = Here(rare=("ledger", "cursor", "page"))
    best = lesson(3, about="The ledger; append")
    beside = [lesson(1, about="the ledger"), lesson(2, about="the ledger"), best]
    told = select.at_prompt(
        "…", [fit(best, "ledger", "cursor", "page")], {"the ledger": beside}.__getitem__, here
    )
    assert ids(told) == ["l3", "l2", "l1"]


def test_nothing_is_told_twice_in_a_context_nor_beside_its_twin() -> None:
    here = Here(rare=("a1", "b1", "c1"))
    one, twin = lesson(1, twins=("l1",)), lesson(2, twins=("l2", "l1"))
    fits = [fit(each, "a1", "b1", "c1") for each in (one, twin)]
    assert ids(select.at_prompt("…", fits, none, here)) == ["l1"]
    here.given = {"l2": twin}
    assert select.at_prompt("…", fits, none, here) == []


def test_few_lessons_make_a_word_rare_and_many_sessions_common() -> None:
    counts = {"ledger": 2, "page": 7, "the": 1, "ab": 1}
    assert rare_words(counts, 10, [], {"the"}) == {"ledger", "page"}
    holders = [fit(lesson(n), "page") for n in range(7)]
    assert rare_words(counts, 10, holders, {"the"}) == {"ledger"}
    assert rare_words({"page": 50}, 1000, [], ()) == {"page"}


def test_a_replaced_lesson_does_not_make_its_topics_words_common() -> None:
    """Of eight on file three may be told: their words are as rare as theirs."""
    fits = [fit(lesson(n), "downtime") for n in range(3)]
    assert rare_words({"downtime": 8}, 20, fits, ()) == {"downtime"}


# --- a call


@pytest.mark.parametrize(
    "line",
    ["gh pr diff 12", "cd /tmp && gh pr diff", "env A=1 timeout 5 gh pr diff 3", "sudo gh pr diff"],
)
def test_a_command_hears_what_is_about_it(line: str) -> None:
    known = lesson(1, about="reviews; gh pr diff")
    assert ids(select.at_command(line, [known], Here())) == ["l1"]


@pytest.mark.parametrize("line", ["gh pr view 12", "echo gh pr diff", "grep -r 'gh pr diff' .", ""])
def test_another_command_does_not(line: str) -> None:
    assert select.at_command(line, [lesson(1, about="reviews; gh pr diff")], Here()) == []


def test_a_common_command_needs_a_word_of_the_lessons_own() -> None:
    known = lesson(1, about="tests; cargo test; --lib")
    here = Here(common={"cargo test"})
    assert select.at_command("cargo test", [known], here) == []
    assert ids(select.at_command("cargo test --lib", [known], here)) == ["l1"]


def test_an_edit_hears_what_is_about_its_file_before_what_is_about_a_name() -> None:
    file, name = lesson(1, about="x; src/ledger.py"), lesson(2, about="y; append_event")
    told = select.at_file("/work/src/ledger.py", "def append_event():", [name, file], Here())
    assert ids(told) == ["l1", "l2"]
    assert select.at_file("/work/src/other.py", "", [file], Here()) == []


def test_a_file_that_is_read_and_then_edited_is_one() -> None:
    known = [lesson(n, about=f"topic {n}; src/a.py") for n in range(4)]
    first = select.at_file("src/a.py", "", known, Here())
    here = Here(given={each.id: each for each in first})
    assert len(first) == 2 and len(select.at_file("src/a.py", "", known, here)) == 2
    assert select.at_file("src/a.py", "", known, here, before=ids(first)) == []


def test_a_common_file_says_nothing() -> None:
    known = lesson(1, about="x; Cargo.toml")
    assert select.at_file("Cargo.toml", "", [known], Here(common={"cargo.toml"})) == []


def test_a_call_is_told_two_lines_of_two_topics() -> None:
    known = [lesson(n, about=f"topic {n % 2}; make seed") for n in range(6)]
    assert ids(select.at_command("make seed", known, Here())) == ["l5", "l4"]


# --- a failure


def test_a_failure_hears_its_sign() -> None:
    signed = lesson(1, kind="fact", sign=("output", "== not found"))
    assert ids(select.at_failure("echo ==", "zsh: == not found", [fit(signed)], Here())) == ["l1"]
    assert select.at_failure("echo ==", "zsh: no match", [fit(signed)], Here()) == []


def test_a_cure_needs_its_command_and_two_words_of_the_output() -> None:
    here = Here(rare=("biome", "worktree"))
    cure = lesson(1, kind="fix", about="lint; bun run lint")
    fits = [fit(cure, "biome", "worktree")]
    output = "biome: not in this worktree"
    assert ids(select.at_failure("bun run lint", output, fits, here)) == ["l1"]
    assert select.at_failure("bun run build", output, fits, here) == []
    assert select.at_failure("bun run lint", output, [fit(cure, "biome")], here) == []
    rule = lesson(2, kind="rule", about="lint; bun run lint")
    assert select.at_failure("bun run lint", output, [fit(rule, "biome", "worktree")], here) == []


# --- names and commands


def test_a_name_stands_as_a_whole() -> None:
    assert stands("map.example", "see map.example.") and stands("a_b", "(a_b)")
    assert not stands("map.example", "map.example.org") and not stands("src", "src/x")
    assert not stands("", "anything")


@pytest.mark.parametrize(
    "line", ["'", "a && ", "$(", "\0", "x" * 9000, "<<EOF", "| | |", "=", "timeout"]
)
def test_no_line_is_too_broken_to_be_read(line: str) -> None:
    assert isinstance(calls_of(line), list)


def test_what_costs_too_much_is_passed_over() -> None:
    long, short = lesson(1, "w" * 900), lesson(2, "short")
    assert ids(filled([long, short], Here(), 100)) == ["l2"]


def test_twelve_numbers_and_no_more() -> None:
    """Selection is plain: a thirteenth number is a question, not an addition."""
    table = (
        "BEST RARE RARE_ROWS RARE_SHARE COMMON MORE_PER PROMPT_TOKENS START_TOKENS LINES "
        "CALL_TOKENS OUTPUT_END RARE_OF_CURE"
    ).split()
    fixed = {"ENOUGH", "FRAME", "LONGEST_LINE", "LONGEST_WORDS"}  # what is read, not what is chosen
    numbers = {
        name
        for name, value in vars(select).items()
        if name.isupper() and type(value) in (int, float)
    }
    assert len(table) == 12 and numbers == {*table, *fixed}

"""What of a session is shown wider than it was rendered, and what a plain yes is."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core.run import Step
from tacit.reading.answers import Lesson, Quote
from tacit.reading.check import check, was_done
from tacit.reading.decide import decide, is_assent, why_not_agreed
from tacit.reading.excerpt import lesson_lines
from tacit.reading.page import NOTE_MARK, NOTED, rendered
from tacit.reading.whose import Witness
from tacit.safety.repository import Repository
from tacit.testing import run, say, tool, user

NOTED_LINE = "Run `make codegen` after every change of the schema."


def edit(path: str, new: str, old: str = "", **more: Any) -> Step:
    return Step(
        "tool",
        "p",
        tool="Edit",
        input={"file_path": path, "new_string": new, "old_string": old},
        files=(path,),
        **more,
    )


def lines_of(*steps: Step) -> Any:
    return rendered(run("r1", *steps)).lines


def test_what_was_added_to_an_instruction_file_is_shown_and_bounded() -> None:
    old = "# Rules of the house\nUse tabs, and write the commit's subject in the imperative, as the others are."
    (line,) = lines_of(edit("sub/CLAUDE.md", f"{old}\n{NOTED_LINE}", old))
    assert line.text == f"Edit sub/CLAUDE.md {' '.join(old.split())}"[:110] + " …"
    assert line.whole.endswith(f"{NOTE_MARK}{NOTED_LINE}")
    (shown,) = lesson_lines([line])
    assert NOTED_LINE in shown.text and shown.number == line.number
    (long,) = lines_of(edit("CLAUDE.md", "word " * 9000))
    assert len(long.whole.partition(NOTE_MARK)[2]) <= NOTED


def test_other_files_and_failed_edits_are_no_notes() -> None:
    assert not any(
        NOTE_MARK in line.whole
        for line in lines_of(
            edit("src/claude.py", NOTED_LINE), edit("CLAUDE.md", NOTED_LINE, error="no match")
        )
    )


def test_a_patch_of_an_instruction_file_is_a_note() -> None:
    patch = f"*** Update File: AGENTS.md\n@@\n-old\n+{NOTED_LINE}\n"
    (line,) = lines_of(
        Step("tool", "p", tool="apply_patch", input={"input": patch}, files=("AGENTS.md",))
    )
    assert (
        line.whole.endswith(f"{NOTE_MARK}{NOTED_LINE}")
        and "old" not in line.whole.partition(NOTE_MARK)[2]
    )


def test_secrets_in_a_note_are_scrubbed() -> None:
    (line,) = lines_of(edit("CLAUDE.md", "token ghp_16C7e42F292c6912E7710c838347Ae178B4a"))
    assert "ghp_" not in line.whole


def test_the_edit_that_ended_a_failure_is_shown_wider() -> None:
    change = "reload the schema " * 12
    steps = (
        tool("make test", error="stale schema"),
        edit("src/schema.py", change),
        tool("make test", "ok"),
    )
    lines = lines_of(user("fix it"), edit("src/other.py", change), *steps)
    shown = lesson_lines(lines)
    assert [each.number for each in shown] == [each.number for each in lines]
    edits = [each.text for each in shown if each.text.startswith("Edit")]
    assert edits == ["Edit src/other.py", f"Edit src/schema.py {change.strip()}"]


def test_other_edits_are_shown_by_their_file_once_in_a_row() -> None:
    steps = [edit("a.py", "one"), edit("a.py", "two"), edit("b.py", "one"), edit("a.py", "three")]
    assert [each.text for each in lesson_lines(lines_of(*steps))] == [
        "Edit a.py",
        "Edit b.py",
        "Edit a.py",
    ]


def test_a_few_words_before_a_call_are_left_out_unless_they_give_a_cause() -> None:
    steps = [
        say("Now the tests."),
        tool("make test"),
        say("Wrong port."),
        tool("make run"),
        say("abc " * 20 + "abc"),
        tool("ls"),
        say("Done."),
    ]
    assert [each.letter for each in lesson_lines(lines_of(*steps))] == [*"TATATA"]


def test_a_note_is_no_evidence_that_something_was_done() -> None:
    """Whoever writes a command into an instruction file has not run it."""
    assert not was_done("Run `make codegen`.", lines_of(edit("CLAUDE.md", NOTED_LINE)))
    assert was_done("Run `make codegen`.", lines_of(tool("make codegen")))


def test_every_file_that_a_host_loads_is_an_instruction_file() -> None:
    """What a session adds to one is shown in full; a new host's files must not be left out of it."""
    from tacit.hosts import every_host
    from tacit.reading.page import noted

    named = {
        file.replace("*", "style")
        for host in every_host().values()
        for file in (*host.instructions, *host.pages)
    }
    assert {"CLAUDE.md", "AGENTS.md", "GEMINI.md"} <= named
    assert [file for file in sorted(named) if not noted(edit(f"/repo/{file}", NOTED_LINE))] == []


@pytest.mark.parametrize(
    "text",
    [
        "Exactly.",
        "yes, that one",
        "Right. And when two collide, keep the newer",
        "ok do that",
        "Agreed — go ahead",
    ],
)
def test_a_plain_yes_is_assent(text: str) -> None:
    assert is_assent(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes but only in tests",
        "ok?",
        "right, not that one",
        "I see",
        "why exactly?",
        "go on",
        "sure, unless it is slow",
        "no",
        "good question, is it?",
    ],
)
def test_what_leaves_something_open_is_none(text: str) -> None:
    assert not is_assent(text)


OFFER = "I'd key duplicates on the lowercased email plus the calendar day of the update."
GROUNDS = Witness((), Repository())  # a session that no text from outside reached

LINES = lines_of(
    user("contacts double after every sync"),
    say(OFFER),
    user("Exactly."),
    say("Done."),
    user("yes"),
)


def agreed(
    *quotes: tuple[int, str],
    text: str = "Key duplicates on the lowercased email and the calendar day.",
) -> Any:
    told = Lesson(text, "decision", "agreed", tuple(Quote(line, words) for line, words in quotes))
    return check(told, LINES)


def test_what_the_person_agreed_to_is_a_tier_of_its_own() -> None:
    decided = decide(agreed((2, OFFER[:60]), (3, "Exactly.")), None, LINES, GROUNDS)
    assert (decided.word, decided.tier, decided.witness, decided.hold) == (
        "agreed",
        "agent",
        "agent",
        "",
    )


def test_a_yes_that_opens_a_longer_line_is_quoted_by_itself() -> None:
    """Readers quote the one word that agrees; elsewhere so few words of a long line are no quote."""
    more = "Exactly. And when two of them have the same number of filled fields, keep ours, whatever the feed says."
    lines = lines_of(user("contacts double"), say(OFFER), user(more))
    quotes = (Quote(2, OFFER[:60]), Quote(3, "Exactly."))
    told = [
        check(Lesson("Key duplicates on the lowercased email.", "decision", word, quotes), lines)
        for word in ("agreed", "said")
    ]
    assert decide(told[0], None, lines, GROUNDS).word == "agreed" and told[1].dropped


@pytest.mark.parametrize(
    ("quotes", "why"),
    [
        (((2, OFFER[:60]),), "not both"),
        (((3, "Exactly."),), "not both"),
        (((2, OFFER[:60]), (5, "yes")), "next line"),
        (((2, OFFER[:60]), (1, "contacts double after every sync")), "next line"),
    ],
)
def test_without_the_yes_in_the_next_line_it_is_found(quotes: Any, why: str) -> None:
    told = agreed(*quotes)
    assert why in why_not_agreed(told, LINES) and decide(told, None, LINES, GROUNDS).word == "found"


def test_a_name_that_neither_line_holds_is_not_agreed_to() -> None:
    told = agreed(
        (2, OFFER[:60]),
        (3, "Exactly."),
        text="Key duplicates with `merge_records` on the lowercased email.",
    )
    assert decide(told, None, LINES, GROUNDS).word == "found"


def test_what_would_act_waits_for_a_person_though_it_was_agreed_to() -> None:
    told = agreed(
        (2, OFFER[:60]), (3, "Exactly."), text="Always `git push --force` the lowercased email."
    )
    assert decide(told, None, LINES, GROUNDS).hold

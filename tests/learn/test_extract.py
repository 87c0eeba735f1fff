"""What a run says, without a model: wishes, cures, pitfalls, commands, resolutions."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tables import by_table

from tacit.core.run import Finding, Run, Step
from tacit.learn.extract import Known, extract
from tacit.learn.resolves import resolution
from tacit.learn.wishes import read, wishes
from tacit.testing import user

CWD = "/home/me/app"


def run(*steps: Step, findings: tuple[Finding, ...] = (), branch: str = "") -> Run:
    """A run of these steps, each at its own place."""
    placed = tuple(
        Step(**{**step.__dict__, "place": f"line:{n}"}) for n, step in enumerate(steps, 1)
    )
    return Run("r1", "test", placed, findings, cwd=CWD, branch=branch)


def sh(
    command: str, error: str = "", output: str = "", agent: str = "", interrupted: bool = False
) -> Step:
    status = 1 if error else 0
    return Step(
        "tool",
        "",
        tool="Bash",
        input={"command": command},
        output=output,
        error=error,
        status=status,
        agent=agent,
        interrupted=interrupted,
    )


def edit(path: str, error: str = "", tool: str = "Edit") -> Step:
    return Step("tool", "", tool=tool, input={"file_path": f"{CWD}/{path}"}, error=error)


def typed(text: str) -> Step:
    return Step("user", "", text=text, typed=True)


def texts(made: Run, *extractors: str) -> list[str]:
    return [finding.text for finding in extract(made, Known(extractors=extractors))]


# --- the table --------------------------------------------------------------------------------------------------------


def test_said_outright_passes_through() -> None:
    """What the format read is not touched, whatever its length."""
    said = (
        Finding("r1", "verdict:1", "ok", tier="review"),
        Finding("r1", "verdict:1", "ok", tier="review"),
    )
    assert extract(run(findings=said), Known(min_chars=50)) == said


# --- wishes -----------------------------------------------------------------------------------------------------------


def test_a_wish_whole() -> None:
    """A standing wish is the user's, in the user's words, at the place where it was typed."""
    made = run(
        Step(
            "user",
            "",
            text="ok, please never edit src/generated/api.ts!",
            typed=True,
            at="2026-01-02T03:04:05Z",
        )
    )
    assert extract(made, Known()) == (
        Finding(
            run="r1",
            place="line:1",
            text="Never edit src/generated/api.ts.",
            extractor="wish",
            version=1,
            kind="rule",
            by="user",
            tier="user",
            severity="warning",
            tags=("standing",),
            paths=("src/generated/api.ts",),
            quote="ok, please never edit src/generated/api.ts!",
            at="2026-01-02T03:04:05Z",
        ),
    )


@by_table
def test_wishes_that_outlive_the_task(said: str, kept: str) -> None:
    """In four languages: the person's own sentence without politeness and a leading no, its negation kept."""
    assert [wish.text for wish in read(said, after_action=True)] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "no, the other button",
        "make it blue",
        "thanks!",
        "never mind",
        "continue",
        "did you push?",
        "I don't know",
        "it always fails",
        "the server never starts",
        "we never got a reply",
        "every time I run it it crashes",
        "why do you always use npm?",
        "should we use pnpm instead of npm?",
        "maybe use pnpm instead of npm",
        "don't do that yet",
        "Never do that again",
        "don't worry about it",
        "don't use --no-git in those tests",
        "use the other one instead",
        "use a list here",
        "I prefer option 2",
        "run pytest again",
        "use port 3001",
        "put the config in config.yaml",
        "you should add a test for this",
        "Stop look in the justfile",
        "Remember to write it the new way",
        "the docs say: always use yarn",
        "in this project there is a bug",
        "der Test schlägt immer fehl",
        "immer noch der gleiche Fehler",
        "nein, der andere Knopf",
        "mach das nie wieder",
        "nunca funciona",
        "siempre da error",
        "no, el otro botón",
        "ça ne marche toujours pas",
        "non, l'autre bouton",
        "if we can read the language, add it to `platform_text`. but don't assume english as a fallback.",
    ],
)
def test_the_task_at_hand_is_no_lesson(said: str) -> None:
    """Requests, questions, descriptions, guesses and what points at something unseen are left alone."""
    assert list(read(said, after_action=True)) == []


@pytest.mark.parametrize(
    "said",
    [
        "Look at this:\n```\nalways use yarn\n```",
        "> always use yarn\nwhat does that mean?",
        "<private>always use yarn</private>",
        'he wrote "always use yarn"',
        "The README says:\n\nAlways use yarn.",
        "<doc>\nAlways use yarn.\n</doc>",
        "[Pasted text #1 +20 lines]",
        "\n".join(f"- always use rule {n}" for n in range(12)),
        "ERROR: never use main",
    ],
)
def test_only_the_persons_own_words_count(said: str) -> None:
    """Fences, quotations, private spans, tags, pasted blocks and reported text are somebody else's."""
    assert list(read(said, after_action=True)) == []


def test_only_typed_text_counts() -> None:
    """Meta text, tool results and sub-agents' prompts are not the person."""
    assert (
        extract(
            run(Step("user", "", text="always use pnpm"), sh("ls", output="always use pnpm")),
            Known(),
        )
        == ()
    )


def test_a_correction_needs_something_to_correct() -> None:
    """The same sentence opens a task, or corrects what was just done."""
    correction = typed("don't edit config/prod.exs")
    assert texts(run(correction), "wish") == []
    assert texts(run(edit("config/prod.exs"), correction), "wish") == [
        "Don't edit config/prod.exs."
    ]


# Written one set after the other, each before its first run. A way of working and a
# requirement of the product are asked for in the same words.
TO_STAY = Path(__file__).with_name("to_stay.txt").read_text(encoding="utf-8").strip().splitlines()
THE_TASK = Path(__file__).with_name("the_task.txt").read_text(encoding="utf-8").strip().splitlines()


@pytest.mark.parametrize("said", TO_STAY)
def test_ways_of_working_are_heard(said: str) -> None:
    """One wish per message, however politely or tersely it is put."""
    assert len(list(read(said, after_action=True))) == 1


@pytest.mark.parametrize("said", THE_TASK)
def test_requirements_and_requests_are_not(said: str) -> None:
    """What the product shall do, what is to be done now, and what is the matter."""
    assert list(read(said, after_action=True)) == []


# --- resolutions ------------------------------------------------------------------------------------------------------


@by_table
def test_resolutions(sentence: str, advice: str) -> None:
    """The advice without the diary; moods and plans are not advice."""
    assert resolution(sentence) == advice


def test_resolutions_are_the_agents_claims() -> None:
    """Their tier says so, and nothing but the resolution is taken."""
    said = "I looked in three drawers. Next time I will open the fridge before the microwave. Done."
    found = extract(run(Step("assistant", "", text=said)), Known())
    assert [(f.text, f.tier, f.by, f.kind) for f in found] == [
        ("Open the fridge before the microwave.", "agent", "agent", "pitfall")
    ]


# --- unmistakably standing, unmistakably the person's ------------------------------------------------------------------


def test_no_use_the_other_tool_is_heard_after_the_command_that_used_one() -> None:
    """The command says which tool was meant; without one there is nothing to correct."""
    assert texts(run(sh("npm install"), typed("No, use pnpm here.")), "wish") == [
        "Use pnpm instead of npm."
    ]
    assert texts(run(sh("pnpm install"), typed("No, use pnpm here.")), "wish") == []
    assert texts(run(typed("No, use pnpm here.")), "wish") == []


@pytest.mark.parametrize(
    "said",
    [
        "also, forgot to mention the implementation of suggested tests from the report",
        "always show these buttons before each commit of the changelog",
        "never call this from the tests",
        "Put the rewrite memo into a markdown file for future reference.",
        "Annotate the list, and keep going, do meaningful commits in the meantime, spawn review agents after each meaningful step.",
        "No it needs to be the terminal with git sync for any screenshots",
    ],
)
def test_what_points_at_the_moment_is_no_standing_word(said: str) -> None:
    """ "This" is gone next month, and forgetting to mention something is no order not to forget it."""
    assert texts(run(sh("make"), typed(said)), "wish") == []


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("no, use pnpm instead of npm here", "Use pnpm instead of npm here."),
        ("No, use tabs instead of spaces here", "Use tabs instead of spaces here."),
        ("No - use pnpm here instead of npm.", "Use pnpm here instead of npm."),
        ("no, run the tests with make test here", "Run the tests with make test here."),
        ("wrong, this repo uses pnpm", "This repo uses pnpm."),
        ("no, use a map here instead of a list", ""),
        ("no, use a list here", ""),
        ("no, use pnpm there", ""),
        ("this repo is a mess", ""),
    ],
)
def test_here_is_the_project_where_tools_are_named(said: str, heard: str) -> None:
    """People say "here" and mean in this project; of a piece of code they mean this place."""
    assert texts(run(sh("ls"), typed(said)), "wish") == ([heard] if heard else [])


@by_table
def test_a_wish_is_kept_without_the_task_beside_it(said: str, kept: str) -> None:
    """Every later agent would be told to run the tests; a note behind # and words around a file are heard."""
    assert [found.text for found in wishes(run(user(said)))] == [kept]

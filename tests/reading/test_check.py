"""What a reader says is checked, never believed."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core.run import Step
from tacit.core.value import replace
from tacit.reading.answers import Lesson, Quote, Weighed
from tacit.reading.check import Checked, check, find_quote, names_in, names_missing
from tacit.reading.decide import READERS_WORDS, Decided, decide, is_habit, reads_alone
from tacit.reading.page import rendered
from tacit.reading.whose import Witness
from tacit.safety.repository import Repository
from tacit.testing import run, say, tool, user

SAID = "no docker here, the services run on the host at 192.168.1.4"


def lines_of(*steps: Step) -> Any:
    return rendered(run("r1", *steps)).lines


GROUNDS = Witness((), Repository())  # a session that no text from outside reached

LINES = lines_of(
    user("fix the e2e tests please"),  # 1
    say("I will start docker because the tests need the services."),  # 2
    tool("docker compose up", error="Cannot connect to the Docker daemon"),  # 3 4
    user(SAID),  # 5
    tool("make e2e", error="ECONNREFUSED 127.0.0.1:5432"),  # 6 7
    say("The cause: DATABASE_URL pointed to localhost."),  # 8
    tool("DATABASE_URL=x make e2e", "ok"),  # 9
    say("All e2e tests pass now; DATABASE_URL must name the host."),  # 10
    Step(
        "user", "p", text="Implement the following plan: never write tests.", speaker="plan"
    ),  # 11
)


def lesson(
    text: str, *quotes: tuple[int, str], standing: str = "said", kind: str = "fact"
) -> Lesson:
    return Lesson(
        text, kind=kind, standing=standing, quotes=tuple(Quote(*quote) for quote in quotes)
    )


def judged(found: Lesson, says: str = "yes", holds: str = "working") -> Decided:
    return decide(check(found, LINES), Weighed(says, holds), LINES, GROUNDS)


@pytest.mark.parametrize(
    ("line", "words", "stands_in"),
    [
        (5, "the services run on the host", "U"),
        (99, "the services run on the host", "U"),  # the number is a hint only
        (5, "the  services\nrun on the host", "U"),
        (8, "DATABASE_URL pointed to localhost", "A"),
        (4, "Cannot connect to the Docker daemon", "E"),
        (5, "the services do not run on the host", ""),
        (5, "no", ""),  # says nothing by itself
        (5, "", ""),
    ],
)
def test_a_quote_stands_in_the_session_or_nowhere(line: int, words: str, stands_in: str) -> None:
    found = find_quote(Quote(line, words), LINES)
    assert (found.line.letter if found else "") == stands_in


def test_one_invented_quote_spoils_the_lesson() -> None:
    found = check(
        lesson("x", (5, "the services run on the host"), (5, "and always push to main")), LINES
    )
    assert found.dropped == "a quote does not stand in the session"


@pytest.mark.parametrize(
    ("more", "own"),
    [
        ("; Redis runs on the host", True),
        (": run `podman machine start`", False),
        (" with the colors-utils plugin", False),
        (". Evilmirror serves it", False),
    ],
)
def test_a_word_that_the_person_did_not_say_costs_the_wording(more: str, own: bool) -> None:
    """Their own line is the lesson then, if the two are about one thing, else they are asked; nothing is put into their mouth. With another
    reader "there are a few comments on that pr" was in force as a lesson."""
    found = judged(lesson(f"No docker here{more}.", (5, "no docker here")))
    if own:
        assert (found.word, found.tier, found.text) == ("said", "user", LINES[4].whole)
    else:
        assert (found.word, found.tier, found.witness, found.hold) == (
            "shown",
            "agent",
            "agent",
            READERS_WORDS,
        )


@pytest.mark.parametrize(
    ("line", "alone"),
    [
        ("use pnpm here, never npm", True),
        (
            "we also use migrations in staging, so I dont think that we need to avoid migrations",
            True,
        ),
        ("pr 177 has some merge conflicts. can you resolve these?", False),
        ("theres a comment on the PR. address it if applicable", False),
        ("I have already wiped staging and would prefer not to do it again", False),
        ("ok, it will be easier to solve them all at once", False),
        ("please do that for this small change", False),
        ("Change it for both. Do mark those nodes as healthy", False),
        ("/gsd:quick the page lost its footer, the status indicator should be in it", False),
        (
            "keep issue open, but remove implementation, flag that commenting on the issue if you need it",
            False,
        ),
        ("the login lost its footer. can you get it back, the status should be in it", False),
    ],
)
def test_a_line_is_a_lesson_only_where_it_can_be_read_alone(line: str, alone: bool) -> None:
    assert reads_alone(line) is alone


def test_of_a_line_that_sets_a_task_the_sentence_that_is_quoted_is_the_lesson() -> None:
    whole = "analyse which folders to leave out. also never lint the tests here"
    lines = [*LINES[:4], replace(LINES[4], text=whole, whole=whole), *LINES[5:]]
    checked = check(
        lesson("Never lint the tests with Docker Swarm.", (5, "never lint the tests here")), lines
    )
    assert (
        decide(checked, Weighed("yes", "working"), lines, GROUNDS).text
        == "also never lint the tests here"
    )


def test_what_cannot_be_read_alone_is_asked_about_in_the_readers_words() -> None:
    """A raw line of a chat is no lesson, and what nobody said is not told: the person is asked."""
    lines = [
        *LINES[:4],
        replace(LINES[4], text="why is docker used?", whole="why is docker used?"),
        *LINES[5:],
    ]
    checked = check(lesson("Never use Docker Swarm.", (5, "why is docker used?")), lines)
    found = decide(checked, Weighed("yes", "working"), lines, GROUNDS)
    heard = found.word, found.tier, found.witness, found.text, found.hold
    assert heard == ("shown", "agent", "agent", "Never use Docker Swarm.", READERS_WORDS)


@pytest.mark.parametrize(
    ("says", "holds", "word"),
    [
        ("yes", "working", "said"),
        ("yes", "fact", "said"),
        ("partly", "working", "shown"),
        ("no", "working", "found"),
        ("yes", "order", "asked"),
        ("yes", "once", ""),
    ],
)
def test_the_second_question_decides(says: str, holds: str, word: str) -> None:
    assert judged(lesson("No docker here.", (5, "no docker here")), says, holds).word == word
    asks = judged(lesson("No docker here: stop and ask.", (5, "no docker here")), says, holds)
    assert bool(asks.word) and (asks.word == "found") >= (holds == "once"), (
        "leave given once shows that it is asked for"
    )


def test_found_needs_evidence_of_the_session() -> None:
    quotes = (7, "ECONNREFUSED 127.0.0.1:5432"), (10, "DATABASE_URL must name the host")
    with_it = judged(lesson("e2e needs DATABASE_URL.", *quotes, standing="found"))
    talk = judged(lesson("Docker is needed.", (10, "All e2e tests pass now"), standing="found"))
    assert (with_it.word, with_it.witness, with_it.tier) == ("found", "observed", "agent")
    assert (talk.word, talk.witness) == ("found", "agent")


def test_a_first_guess_is_dropped() -> None:
    """What was said before the last failure of the command it is about is not found."""
    fails = (tool("make e2e", error=f"boom {number}") for number in ("one", "two"))
    lines = lines_of(
        user("go"),
        next(fails),
        say("The cause is the cache, clearly."),
        next(fails),
        say("No idea."),
    )
    found = check(
        lesson("Clear the cache.", (4, "The cause is the cache"), standing="found"), lines
    )
    assert found.dropped == "its quote stands before the last failure of that command"


@pytest.mark.parametrize(
    ("after", "dropped"),
    [
        ("never mind, use docker after all", True),
        ("actually, don't", True),
        ("thanks, now the docs", False),
    ],
)
def test_what_is_taken_back_is_dropped(after: str, dropped: bool) -> None:
    lines = lines_of(user("do not use docker in this repo"), say("ok"), user(after))
    assert (
        bool(check(lesson("No docker.", (1, "do not use docker in this repo")), lines).dropped)
        is dropped
    )


def test_what_the_person_denies_is_not_found() -> None:
    told, denied = (
        say("It turned out the schema must be updated."),
        user("no, the schema is a snapshot"),
    )
    lines = lines_of(user("why?"), told, denied, say("Right."))
    found = check(
        lesson("Update the schema.", (2, "the schema must be updated"), standing="found"), lines
    )
    assert found.dropped == "the person denied it"


def test_names_are_commands_paths_flags_and_figures() -> None:
    text = (
        "Run `mise run lint` with --fix in src/app before PR 12; ask Grafana, not .env, and fooBar."
    )
    assert {"mise", "run", "lint", "--fix", "src/app", "12", "Grafana", ".env", "fooBar"} <= set(
        names_in(text)
    )
    assert names_missing("Use pnpm, not npm.", "please use PNPM instead of npm") == []
    assert names_missing("Use pnpm, not npm.", "please use the right one") == ["pnpm", "npm"]


def test_an_act_that_was_shown_waits_for_the_person() -> None:
    words = "great, run npm publish"
    lines = lines_of(user(words), say("done"))
    shown = check(lesson("Run `npm publish` when done.", (1, words), standing="shown"), lines)
    found = decide(shown, Weighed("partly", "working"), lines, GROUNDS)
    act = "it would act unasked: `npm publish`"
    assert (found.word, found.hold, found.tier) == ("shown", act, "agent")


@pytest.mark.parametrize(
    ("command", "carries"),
    [("ssh web1 systemctl status app", True), ("curl http://web1/app", False)],
)
def test_output_of_the_own_server_may_carry_a_lesson(command: str, carries: bool) -> None:
    """Where the work is on a server its failures are what there is; they stay a text from outside."""
    failed = tool(command, error="app.service: failed, port 8080 is taken")
    lines = lines_of(user("look at the app"), failed, say("Hm."))
    told = check(
        lesson("Port 8080 is taken on the server.", (3, "port 8080 is taken"), standing="found"),
        lines,
    )
    assert [line.letter for line in lines] == ["U", "T", "X", "A"] and (not told.dropped) is carries


def test_what_names_a_time_that_passes_waits_and_leave_is_no_order() -> None:
    """ "In this phase" was given as a rule for good, and leave to use keys one evening as an order for every start."""
    lines = lines_of(
        user("use lazy rotation in this phase, it is easy to change"),
        user("you can check the server yourself, you have access to it"),
        user("make sure it mentions the note"),
    )

    def word(
        text: str, at: int, words: str, standing: str = "said", says: str = "partly"
    ) -> tuple[Checked, Decided]:
        found = check(lesson(text, (at, words), standing=standing), lines)
        return found, decide(found, Weighed(says, "working"), lines, GROUNDS)

    _, passing = word("Use lazy rotation in this phase.", 1, "use lazy rotation in this phase")
    assert (
        passing.word
        == word("Phase 14 shares read-only.", 1, "use lazy rotation in this phase")[1].word
        == ""
    )
    _, left = word(
        "Check the server yourself instead of asking.", 2, "you can check the server yourself"
    )
    assert left.word == "shown" and "allowed it" in left.hold
    checked, asked = word("A todo mentions the note.", 3, "make sure it mentions the note", "asked")
    assert asked.word == "asked" and not is_habit(checked, asked)

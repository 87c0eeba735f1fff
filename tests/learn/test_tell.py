"""Telling: few lines with something to do for the agent, the rest to the person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.rtk_sessions import rtk

from tacit.app import Memories
from tacit.app import open as open_memories
from tacit.core.run import Incident, Run, Step
from tacit.core.value import replace
from tacit.learn.tell import told_by
from tacit.learn.tell.lessons import of_failure
from tacit.learn.tell.notebook import Notebook
from tacit.learn.tell.requests import Request
from tacit.stores.incidents import Noted
from tacit.surfaces.views import for_you, overview


def failure(mark: str, family: str, nature: str, **more: object) -> Incident:
    return Incident("failure", mark, family, nature, **more)  # type: ignore[arg-type]


def command(purpose: str, form: str, passed: int = 1, folder: str = "") -> Incident:
    met = {"count": passed, "failed": 1 - min(passed, 1)}
    return Incident(
        "command", f"{purpose} {form}", nature=purpose, program=form, folder=folder, **met
    )


def told(
    per_lineage: list[list[Incident]], lines: dict[str, str] | None = None
) -> tuple[list[str], list[str]]:
    """(lessons, lines for the person) once every lineage was noticed."""
    book = Notebook()
    for n, met in enumerate(per_lineage):
        book.add(f"r{n}", f"l{n}", met)
    every = [each for met in per_lineage for each in met]
    found = told_by(book, every, lines or {})
    return [each.text for each in found.lessons], [each.text for each in found.person]


def bun(cure: str = "without rtk") -> Incident:
    return failure(
        "usage subcommand bun",
        "usage",
        "env",
        code="subcommand",
        name="bun",
        program="rtk",
        ended="form",
        cure=cure,
    )


def test_a_cure_needs_two_lineages() -> None:
    """One sighting is a coin toss."""
    assert told([[bun()]]) == ([], [])
    assert told([[bun()], [bun()]])[0] == [
        "Does not work here: `rtk bun` (no such subcommand: run `bun` itself)."
    ]
    assert told([[bun()], [bun("with --version")]])[0] == [
        "Does not work here: `rtk bun` (no such subcommand)."
    ]


def missing(
    name: str, family: str = "command", code: str = "", program: str = "", **more: object
) -> Incident:
    mark = " ".join(filter(None, (family, code, name)))
    return failure(mark, family, "env", code=code, name=name, program=program or name, **more)


def test_what_works_elsewhere_is_not_said_to_be_missing() -> None:
    """A program that passes in other work, a path looked for from below or there by now, an option of what is being built."""
    go = missing("go", program="go test")
    assert told([[go]] * 2 + [[command("test", "go test ./...")]] * 3)[0] == []
    assert told([[missing("src", "path", program="rg", folder="api")]] * 4)[0] == []
    assert told([[missing("target/debug/app", "path", program="ls")]] * 4)[0] == []
    assert told([[missing("--bogus", "usage", "option", "go run")]] * 3)[0] == []
    book = Notebook()
    for n in range(3):
        book.add(f"r{n}", f"l{n}", [missing("tests", "path", program="rg")])
    assert (
        told_by(
            book, [missing("tests", "path", program="rg")], {}, here=lambda path: path == "tests"
        ).lessons
        == ()
    )


def test_forks_of_one_piece_of_work_are_one_witness() -> None:
    """The same lineage twice says nothing new."""
    book = Notebook()
    book.add("r1", "l1", [bun()])
    book.add("r2", "l1", [bun()])
    assert told_by(book, [bun()], {}).lessons == ()


def test_work_in_progress_and_the_host_are_never_told() -> None:
    """However often they come."""
    wip = failure(
        "compile undefined",
        "compile",
        "wip",
        code="undefined",
        program="go build",
        ended="command",
        cure="go generate",
    )
    host = failure("host Edit", "host", "host", program="Edit")
    assert told([[wip, host]] * 9) == ([], [])


def test_an_instruction_that_orders_a_command_which_is_not_there() -> None:
    """With the spelling that works, where two lineages found it."""
    book = Notebook()
    for n in range(3):
        book.add(f"r{n}", f"l{n}", [missing("hk", ended="form", cure="as mise x hk -- hk")])
    (found,) = told_by(
        book, [missing("hk")], {"run hk install --mise once to set up hooks": "CLAUDE.md"}
    ).person
    assert (
        found.text
        == "CLAUDE.md says “run hk install --mise once to set up hooks”, and the command `hk` is not there in 3 of 3 sessions."
    )
    assert found.patch == "… `mise x hk -- hk` instead of `hk`"
    speaks = "hk install may print nothing. Use `mise run lint` / `mise run lint-fix` (which run hk) instead."  # and orders something else
    assert told_by(book, [missing("hk")], {speaks: "AGENTS.md"}).person == ()


def test_an_instruction_that_names_what_is_not_there() -> None:
    """Three lineages looked; a build product is there once it was built."""
    gone = failure(
        "path docs/cli.md", "path", "env", name="docs/cli.md", program="Read", ended="never"
    )
    built = failure(
        "path target/debug/app", "path", "env", name="target/debug/app", program="ls", ended="never"
    )
    lines = {"see docs/cli.md for commands": "CLAUDE.md", "run target/debug/app": "CLAUDE.md"}
    assert told([[gone, built]] * 3, lines)[1] == [
        "CLAUDE.md says “see docs/cli.md for commands”, and `docs/cli.md` is not there in 3 of 3 sessions."
    ]


# --- through the store


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    (tmp_path / "CLAUDE.md").write_text("Always prefix commands with rtk.\n")
    with open_memories(
        str(tmp_path / "m.db"), cwd=str(tmp_path), env={"HOME": str(tmp_path)}, by="ann", yes=True
    ) as opened:
        yield opened


def test_what_a_person_took_out_or_worded_stays_so(memories: Memories) -> None:
    """Met again it is counted, and nothing more."""
    for n in range(2):
        memories.learn(rtk(n))
    (lesson,) = [each for each in memories.list() if each.source == "notice"]
    memories.forget(lesson.id)
    for n in range(2, 5):
        memories.learn(rtk(n))
    assert [each.source for each in memories.list()].count("notice") == 0
    assert memories.get(lesson.id).state == "archived"


def test_the_inbox_asks_and_an_answer_is_a_standing_order(memories: Memories) -> None:
    """What the person should mend, and what may be a lasting order: once each, whatever is learned after."""
    for n in range(5):
        memories.learn(rtk(n))
    asked = {each.kind: each for each in memories.proposals()}
    assert set(asked) == {"request", "notice"}
    assert (
        asked["notice"].reason
        == "CLAUDE.md says “Always prefix commands with rtk.”, and `rtk bun` fails in 5 of 5 sessions."
    )
    (found,) = [each for each in for_you(memories) if each["kind"] == "notice"]
    assert (found["quote"], found["patch"], found["count"], len(found["runs"])) == (
        "Always prefix commands with rtk.",
        "… (except `bun`: run it without `rtk`)",
        5,
        5,
    )
    assert f"{found['text']} Suggested: {found['patch']}" in overview(memories)["for_you"]
    memories.review(asked["request"].id)
    memories.review(asked["notice"].id, "reject")
    memories.learn(rtk(5))
    assert memories.proposals() == []
    (order,) = [each for each in memories.list() if each.trust == "user"]
    assert (order.text, order.state) == (
        "Offer to commit and update changelog, which this person often asks for, and wait for their word.",
        "provisional",
    )
    runs = (asked["request"].payload or {})["runs"]
    quotes = {each.quote for each in memories.store.evidence(order.id)}  # each session's own words
    assert runs and quotes == {
        "commit and update changelog",
        "then commit, and update the changelog",
    }
    assert not any(
        "Make it a lasting order" in given
        for given in (memories.inject("x", trial=False).markdown,)
    )


def test_what_another_person_asks_for_is_not_asked_about_here(memories: Memories) -> None:
    """On a shared store each person's standing requests are their own."""
    said = [
        "commit and update changelog",
        "then commit and update the changelog",
        "commit, and update the changelog now",
    ]
    for n, text in enumerate(said):
        memories.env = {**memories.env, "USER": "ada" if n else "bob"}
        memories.learn(
            Run(
                f"s{n}",
                "claude-code",
                steps=(Step("user", "line:1", text=text, typed=True),),
                complete=True,
            )
        )
    assert memories.proposals() == []
    assert {row[0] for row in memories.store.rows("SELECT person FROM incident")} == {"ada", "bob"}


def test_erased_words_are_gone_from_what_was_noticed(memories: Memories) -> None:
    """Everything noted where an erased lesson was met goes with it."""
    for n in range(2):
        memories.learn(rtk(n))
    (lesson,) = [each for each in memories.list() if each.source == "notice"]
    memories.erase(lesson.id)
    assert (
        memories.store.rows("SELECT 1 FROM incident WHERE place = 'line:1' AND kind = 'failure'")
        == []
    )


def test_sessions_of_a_folder_that_is_gone_are_not_mixed_into_this_project(
    memories: Memories,
) -> None:
    """Each such folder is a project of its own where many are learned at once; a single file is vouched for by whoever names it."""
    for n in range(2):
        memories.learn(replace(rtk(n), cwd="/home/nobody/gone"), apart=True)
    assert [each.text for each in memories.list()] == []
    memories.learn(replace(rtk(2), cwd="/home/nobody/gone"))
    assert len(memories.store.rows("SELECT DISTINCT project FROM incident")) == 2


@pytest.mark.parametrize(
    ("family", "nature", "program", "is_told"),
    [
        ("module", "env", "make test", True),
        ("module", "work", "make test", False),
        ("path", "env", "make test", True),
        ("path", "env", "ls dist", False),
    ],
)
def test_a_failure_of_the_work_in_hand_is_not_told(
    family: str, nature: str, program: str, is_told: bool
) -> None:
    """Though two lineages got over it by the same command, and there are words for it; nor is a path that was guessed while looking around."""
    met = failure(
        "m", family, nature, name="left_pad", program=program, ended="command", cure="make install"
    )
    assert ("make install" in " ".join(told([[met], [met]])[0])) is is_told
    assert (
        of_failure("m", [Noted(f"r{n}", f"l{n}", 0, met) for n in range(2)]) is not None
    ) is is_told


@pytest.mark.parametrize(
    ("text", "after", "order"),
    [
        ("Run the tests!", False, "Without being asked each time: run the tests."),
        ("Run the tests!", True, "When the work is done, without being asked: run the tests."),
        (
            "Commit it.",
            False,
            "Offer to commit it, which this person often asks for, and wait for their word.",
        ),
        (
            "Commit it.",
            True,
            "When the work is done, offer to commit it, which this person often asks for, and wait for their word.",
        ),
    ],
)
def test_a_standing_request_is_worded_as_an_order(text: str, after: bool, order: str) -> None:
    """With when it was asked for; and no leave to do unasked what cannot be undone."""
    assert Request(text, (), (), (), after=after).order == order

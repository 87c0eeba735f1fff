"""The floor: what becomes a lesson without a reader, and what the person alone is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.rtk_sessions import rtk
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core.run import Incident, Run, Step
from tacit.core.value import replace
from tacit.learn.floor import STANDING_MARKS, cure_of, standing, standing_sentences
from tacit.learn.instructions import against
from tacit.store.failures import Noted
from tacit.testing import run, say, tool, user

REFUSED = "psycopg.OperationalError: connection to 127.0.0.1:5432 refused"


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    with open_memories(
        str(tmp_path / "m.db"), cwd=str(tmp_path), env={"HOME": str(tmp_path)}, by="ann", yes=True
    ) as opened:
        yield opened


def met(mark: str = "m", family: str = "module", nature: str = "env", **more: object) -> Incident:
    given = {"name": "left_pad", "program": "make test", "ended": "command", "cure": "make install"}
    return Incident("failure", mark, family, nature, **{**given, **more})  # type: ignore[arg-type]


def noted(*incidents: Incident) -> list[Noted]:
    """What as many pieces of work met."""
    return [Noted(f"r{n}", f"l{n}", n, each) for n, each in enumerate(incidents)]


def cures(*incidents: Incident) -> list[str]:
    cure = cure_of("m", noted(*incidents))
    return [cure.text] if cure else []


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Always use pnpm here.", ["Always use pnpm here."]),
        ("ok, please never edit src/generated!", ["Never edit src/generated!"]),
        (
            "Good work. From now on run ruff before you commit.",
            ["From now on run ruff before you commit."],
        ),
        ("run the linter from now on", ["Run the linter from now on"]),
        ("- remember to update the changelog\n- fix the bug", ["Remember to update the changelog"]),
        ("it always fails", []),
        ("never mind", []),
        ("is it always going to be slow?", []),
        ("Always the same?", []),
        ("```\nalways use tabs in here\n```", []),
        ("The docs say: never do that", []),
        ("never", []),
    ],
)
def test_a_sentence_counts_where_it_opens_with_a_standing_mark(typed: str, kept: list[str]) -> None:
    assert [text for text, _ in standing_sentences(typed)] == kept


def test_the_marks_are_a_dozen() -> None:
    """A closed list: what is not in it waits for a reader."""
    assert len(STANDING_MARKS) == 12


def test_what_may_be_pasted_or_came_from_nobody_is_no_lesson() -> None:
    said = Step("user", "p", text="Always use uv here, never pip.", speaker="unsure")
    assert [*standing(run("r1", said, say("Always use tabs.")))] == []


def test_a_cure_needs_two_pieces_of_work_and_the_same_command() -> None:
    """One sighting is a coin toss; two ways are none."""
    assert cures(met()) == cures(met(), met(cure="npm ci")) == []
    (cure,) = cures(met(), met())
    assert cure.startswith("Run `make install` before `make test`; otherwise ")


def test_forks_of_one_piece_of_work_are_one_witness() -> None:
    """The same lineage twice says nothing new."""
    assert cure_of("m", [Noted("r1", "l1", 1, met()), Noted("r2", "l1", 2, met())]) is None


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
    """Nor is a path that was guessed while looking around."""
    one = met("m", family, nature, program=program)
    assert bool(cures(one, one)) is is_told


def test_a_cure_of_two_sessions_is_given_and_stays_as_a_person_left_it(memories: Memories) -> None:
    def session(name: str) -> Run:
        return run(
            name,
            user("add the field"),
            tool("pytest", error=REFUSED, status=1),
            tool("docker compose up -d db", "started"),
            tool("pytest", "3 passed"),
            lineage=f"first line of {name}",
        )

    for name in ("r1", "r2"):
        memories.learn(session(name))
    (lesson,) = memories.list()
    assert (lesson.state, lesson.text.partition(";")[0]) == (
        "active",
        "Run `docker compose up -d db` before `pytest`",
    )
    memories.forget(lesson.id)
    memories.learn(session("r3"))
    assert [each.id for each in memories.list()] == []
    memories.erase(lesson.id)
    assert (
        memories.store.rows(
            "SELECT 1 FROM failure WHERE extra ->> '$.kind' IS NULL AND session LIKE '%r1'"
        )
        == []
    )


def test_an_instruction_that_orders_what_fails_is_told_to_the_person(memories: Memories) -> None:
    (Path(memories.place.root) / "CLAUDE.md").write_text("Always prefix commands with `rtk`.\n")
    for n in range(4):
        memories.learn(rtk(n))
    (asked,) = [each for each in memories.proposals() if each.kind == "notice"]
    assert asked.reason.startswith("CLAUDE.md says “Always prefix commands with `rtk`.”")
    memories.review(asked.id, "reject")
    memories.learn(rtk(5))
    assert [each for each in memories.proposals() if each.kind == "notice"] == []


def test_an_instruction_that_names_what_is_not_there() -> None:
    lines = {"see docs/old.md for the rules": "CLAUDE.md"}
    gone = met("path", "path", name="docs/old.md", program="cat", ended="never", cure="")
    assert [*against(lines, noted(gone, gone))] == []
    (said,) = against(lines, noted(gone, gone, gone))
    assert (said.file, said.said, said.lineages) == ("CLAUDE.md", "`docs/old.md` is not there", 3)


def test_sessions_of_a_folder_that_is_gone_are_not_mixed_into_this_project(
    memories: Memories,
) -> None:
    """Each such folder is a project of its own where many are learned at once; a single file is vouched for by whoever names it."""
    for n in range(2):
        memories.learn(replace(rtk(n), cwd="/home/nobody/gone"), apart=True)
    assert [each.text for each in memories.list()] == []
    memories.learn(replace(rtk(2), cwd="/home/nobody/gone"))
    assert len(memories.store.rows("SELECT DISTINCT project FROM failure")) == 2

"""A finding meets lessons of its own project and class: a rule for everywhere swallows nothing, others' words weigh nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.testing import finding, run

LINT = "This project is linted with `ruff check src`."


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[Memories]]:
    all_opened: list[Memories] = []
    yield all_opened
    for memories in all_opened:
        memories.close()


def project(opened: list[Memories], tmp_path: Path, name: str) -> Memories:
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    opened.append(
        verbs.open(str(tmp_path / "one.db"), cwd=str(folder), project=name, by="ada", yes=True)
    )
    return opened[-1]


def test_a_global_rule_swallows_no_projects_command(opened: list[Memories], tmp_path: Path) -> None:
    """Whatever other projects of the same store have learned before."""
    project(opened, tmp_path, "p0").add("You must lint.", scope="global", kind="rule")
    for name in ("p1", "p2", "p3", "p4"):
        memories = project(opened, tmp_path, name)
        memories.learn(
            run(f"{name}-s", finding(f"{name}-s", LINT, kind="command", by="tool", tier="observed"))
        )
        assert LINT in {each.text for each in memories.list(limit=20)}, name


def test_a_projects_finding_is_linked_to_a_rule_for_everywhere(
    opened: list[Memories], tmp_path: Path
) -> None:
    """Nearly the same words: a lesson of its own. The same words: a sighting of that."""
    memories = project(opened, tmp_path, "p1")
    wide = memories.add(
        "Never commit secrets to the repository; keep them in the vault.",
        scope="global",
        kind="rule",
    )
    near = "Never commit any secrets to the repository, keep them in the vault."
    memories.learn(run("r1", finding("r1", near, kind="rule")))
    (own,) = [each for each in memories.list(limit=20) if each.text == near]
    assert (own.scope, own.family) == ("project", "")
    learned = memories.learn(run("r2", finding("r2", wide.text, kind="rule")))[0]
    assert learned.new == () and learned.matched == (wide.id,)

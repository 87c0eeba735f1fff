"""Lines of an instruction file: what they cost, and whether sessions go better without them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.prove.test_replay import World

from tacit.core.errors import NotFound, UsageError
from tacit.surfaces.cli import main
from tacit.words.blocks import blocks_of, file_of_name, named_block, without_block

RULES = "# Rules\n\nUse tabs.\n\n## Tests\n\nSkip the slow tests.\n```sh\n# not a heading\n```\n\n## Style\n\nShort lines.\n"
# an agent that does what the file says: where it is told to skip tests, its work is not well
AGENT = """#!/bin/sh
[ -z "$(git status --short)" ] && ! grep -q 'Skip the slow tests' ../CLAUDE.md && touch well
echo '{"type":"run","id":"r","host":"loop"}' > "$TACIT_REPLAY_TRANSCRIPT"
"""


def test_a_file_in_blocks() -> None:
    """Each heading with what stands below it, and what each costs; a fence holds no headings."""
    found = blocks_of("CLAUDE.md", RULES)
    assert [(each.name, each.title) for each in found] == [
        ("CLAUDE.md:1-3", "Rules"), ("CLAUDE.md:5-10", "Tests"), ("CLAUDE.md:12-14", "Style"),
    ]  # fmt: skip
    assert [each.tokens for each in found] == [5, 14, 6]
    assert blocks_of("A.md", "") == blocks_of("A.md", "# Only a title\n") == []


def test_lines_by_name() -> None:
    """FILE:FIRST-LAST, one line too; what is none is none."""
    block = named_block("CLAUDE.md:5-10", RULES)
    assert block is not None and block == blocks_of("CLAUDE.md", RULES)[1]
    assert named_block("CLAUDE.md:3", RULES) is not None
    assert [
        named_block(name, RULES)
        for name in ("CLAUDE.md", "CLAUDE.md:0-2", "CLAUDE.md:9-99", "CLAUDE.md:4", "CLAUDE.md:8-5")
    ] == [None] * 5
    assert file_of_name("docs/AGENTS.md:2-3") == "docs/AGENTS.md" and file_of_name("7KQ2") == ""
    assert without_block(RULES, block.text) == "# Rules\n\nUse tabs.\n\n\n## Style\n\nShort lines.\n"
    assert without_block("other", block.text) is None


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    (made.repo / "CLAUDE.md").write_text(RULES)
    made.commit = made.grown("rules")
    for n in range(3):
        made.session(f"b{n}")
    made.agent = made.script("follows.sh", AGENT) + " {prompt}"
    return made


def test_a_block_that_harms_is_named(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the lines the check fails, without them it passes; git shows neither arm what was taken out; nothing of the store changes."""
    monkeypatch.chdir(world.repo)
    line = [
        "replay",
        "--without",
        "CLAUDE.md:5-10",
        "--agent",
        world.agent,
        "--check",
        "test -e api/well",
        "--unconfined",
    ]
    assert main([*line, "--plan"]) == 0
    said = capsys.readouterr().out
    assert "3 past tasks can be replayed" in said and "did not hold these lines then" in said
    with world.open() as memories:
        before = [(each.id, each.state) for each in memories.list()]
        found = memories.replay(
            "", agent=world.agent, without="CLAUDE.md:5-10", check="test -e api/well", unconfined=True, pairs=12
        )
        assert found.standing.word == "harms" and found.standing.better == 0
        assert [(each.id, each.state) for each in memories.list()] == before
        assert memories.replays("CLAUDE.md:5-10")[0].standing.word == "harms"
    assert main(["replay", "CLAUDE.md:5-10"]) == 0
    told = capsys.readouterr().out
    assert "CLAUDE.md:5-10 takes about 14 tokens in every context" in told and "CLAUDE.md:5-10 is what harms" in told


def test_another_repositorys_index_is_left_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell, or a hook of git's own, may name one: what was taken out is hidden in the clone alone."""
    monkeypatch.chdir(world.repo)
    monkeypatch.setenv("GIT_INDEX_FILE", str(world.repo / ".git" / "index"))
    with world.open() as memories:
        found = memories.replay(
            "", agent=world.agent, without="CLAUDE.md:5-10", check="test -e api/well", unconfined=True, pairs=1
        )
    assert found.pairs
    told = subprocess.run(["git", "ls-files", "-v", "CLAUDE.md"], capture_output=True, text=True, check=True).stdout
    assert told == "H CLAUDE.md\n"  # h: as unchanged, whatever is edited


def test_what_cannot_be_judged_is_refused(world: World) -> None:
    """No check, no such lines, no instruction file, no such file."""
    with world.open() as memories:
        for name, check, error in (
            ("CLAUDE.md:5-10", "", UsageError), ("CLAUDE.md:90-99", "true", UsageError), ("api/a.py:1-1", "true", UsageError), ("AGENTS.md:1-2", "true", NotFound),
        ):  # fmt: skip
            with pytest.raises(error):
                memories.plan_replay("", agent="x", without=name, check=check, unconfined=True)

"""A wrong line of an instruction file: shown as it would read, mended by a person's yes, put back byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import rtk_sessions
from tests.tables import by_table
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.core.errors import Refused
from tacit.core.run import Run
from tacit.core.value import replace
from tacit.learn import reviewing
from tacit.learn.instructions import Patch, patch_of, replaced, turned
from tacit.reading.echo import plain_line
from tacit.screens.views import for_you

ORDER = "**Always prefix commands with `rtk`**. It is always safe."
# Line ends of two kinds, bytes that are no UTF-8, no newline at the end: all of it stays.
FILE = b"# Caf\xe9\r\n\r\n- " + ORDER.encode() + b"  \r\n\r\nThe end \xff"


def rtk(n: int) -> Run:
    found = rtk_sessions.rtk(n)
    return replace(found, steps=found.steps[:2])  # nobody says anything


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    (tmp_path / "CLAUDE.md").write_bytes(FILE)
    with open_memories(
        str(tmp_path / "m.db"), cwd=str(tmp_path), env={"HOME": str(tmp_path)}, by="ann", yes=True
    ) as opened:
        for n in range(4):
            opened.learn(rtk(n))
        yield opened


def notice(memories: Memories) -> str:
    (found,) = [each.id for each in memories.proposals() if each.kind == "notice"]
    return found


@by_table
def test_how_a_line_is_reworded(line: str, swap: list[str], after: str | None) -> None:
    """Into the sentence's end, into a comment inside of code, or word for word; what is no sentence is left to the person."""
    subject = line.split("\n")[1] if "\n" in line else line
    found = patch_of(
        {"file": "CLAUDE.md", "quote": plain_line(subject), "swap": swap}, f"\n{line}\n"
    )
    assert (found and found.after) == after


def test_a_patch_finds_its_line_again_where_others_came_before_it() -> None:
    """By its number where it still is there, else the nearest that reads so; where none does, nothing is changed."""
    patch = Patch("CLAUDE.md", 2, "use rtk", "use rtk (not `bun`)")
    assert replaced("a\nuse rtk\nb", patch) == "a\nuse rtk (not `bun`)\nb"
    assert replaced("a\nmore\nuse rtk\nb", patch) == "a\nmore\nuse rtk (not `bun`)\nb"
    assert replaced("a\nuse RTK\nb", patch) is None
    assert replaced(str(replaced("x\nuse rtk", patch)), turned(patch)) == "x\nuse rtk"


def test_accepting_mends_one_line_and_undo_puts_every_byte_back(
    memories: Memories, tmp_path: Path
) -> None:
    id = notice(memories)
    (told,) = for_you(memories)
    assert (told["line"]["number"], told["line"]["before"].strip()) == (3, f"- {ORDER}")
    assert (tmp_path / "CLAUDE.md").read_bytes() == FILE  # looking changes nothing
    memories.review(id, "approve")
    mended = (tmp_path / "CLAUDE.md").read_bytes()
    assert mended == FILE.replace(
        b"It is always safe.  \r\n",
        b"It is always safe (except `bun`: run it without `rtk`).  \r\n",
    )
    assert memories.proposals() == []
    memories.learn(rtk(9))
    assert memories.proposals() == []  # it is not asked again
    assert [each.verb for each in memories.log() if "CLAUDE.md line 3" in each.reason] == ["note"]
    memories.reopen(id)
    assert (tmp_path / "CLAUDE.md").read_bytes() == FILE
    assert notice(memories) == id
    memories.review(id, "approve")
    assert (tmp_path / "CLAUDE.md").read_bytes() == mended


def test_a_file_that_changed_since_is_not_written_over(memories: Memories, tmp_path: Path) -> None:
    """Where the line is gone somebody has mended it; where it was edited after the yes, undo does not guess."""
    id = notice(memories)
    (tmp_path / "CLAUDE.md").write_text("Nothing about it.\n")
    with pytest.raises(Refused, match="does not stand in CLAUDE"):
        memories.review(id, "approve")
    (tmp_path / "CLAUDE.md").write_bytes(FILE)
    memories.review(id, "approve")
    (tmp_path / "CLAUDE.md").write_text("Another text.\n")
    with pytest.raises(Refused, match="has no line"):
        memories.reopen(id)
    assert (tmp_path / "CLAUDE.md").read_text() == "Another text.\n"


def test_a_crash_between_file_and_store_is_finished_by_the_same_word(
    memories: Memories, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would be written is noted first, so that the line is not taken for somebody else's."""
    id = notice(memories)

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(reviewing, "_rewrite", crash)
        with pytest.raises(KeyboardInterrupt):
            memories.review(id, "approve")
    assert notice(memories) == id
    memories.review(id, "approve")
    assert b"(except `bun`" in (tmp_path / "CLAUDE.md").read_bytes()
    memories.reopen(id)
    assert (tmp_path / "CLAUDE.md").read_bytes() == FILE


def test_an_agent_mends_nothing(memories: Memories, tmp_path: Path) -> None:
    id = notice(memories)
    with (
        open_memories(
            str(tmp_path / "m.db"), cwd=str(tmp_path), env={"HOME": str(tmp_path)}
        ) as agents,
        pytest.raises(Refused),
    ):
        agents.review(id, "approve")
    assert (tmp_path / "CLAUDE.md").read_bytes() == FILE

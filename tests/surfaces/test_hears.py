"""What an agent hears, and when: the look that `tacit inject` is at a terminal, and what the other screens say of it."""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tacit.app import open as open_memories
from tacit.surfaces.cli import Cli, _main
from tacit.surfaces.cli.inject import main as inject
from tacit.surfaces.one_screen import one_screen, renumbered
from tacit.surfaces.quoted import telling_line
from tacit.testing import run, signed, tool

MISSING = "Error: Cannot find module 'left-pad'"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def env(folder: Path) -> dict[str, str]:
    """A cure for a command, a way of working and a fact about a file, each of the person's."""
    seen = signed(dict(os.environ))
    cured = [tool("npm run test", error=MISSING), tool("npm ci"), tool("npm run test", "ok")]
    with open_memories(env=seen) as memories:
        for n in range(3):
            memories.learn(run(f"r{n}", *cured), over=True)
        memories.add("Answer in English, even when I write German.", kind="preference")
        memories.add("Maps may be nil in importer/read.go.", kind="fact", paths=["importer/read.go"])
    return seen


def told(env: dict[str, str], *args: str, code: int = 0) -> str:
    out = Screen()
    assert _main([*args], Cli({**env, "NO_COLOR": "1", "PAGER": "cat"}, out, out)) == code, out.getvalue()
    return " ".join(out.getvalue().split())


def looked(env: dict[str, str], *args: str) -> str:
    out = Screen()
    with redirect_stdout(out):
        assert inject(["inject", *args], env) == 0
    return " ".join(out.getvalue().split())


def test_a_look_shows_every_moment_and_records_nothing(env: dict[str, str]) -> None:
    """It said "nothing is told", with lessons in force; before a command or at a file nothing could be seen at all."""
    said = looked(env)
    start, _, later = said.partition("Later, each at its moment:")
    assert "Answer in English" in start and "(your word)" in start and "before `npm run test`: Run `npm ci`" in later
    assert "Run `npm ci`" in looked(env, "--command", "npm run test")
    assert "hears nothing" in looked(env, "--command", "git status")
    assert "Maps may be nil" in looked(env, "--file", "importer/read.go")
    assert "With that prompt it hears" in looked(env, "--task", "why are maps nil in importer/read.go?")
    with open_memories(env=env) as memories:
        assert not memories.store.sealed(memories.project_id).get("use", 0)


def test_what_is_kept_is_told_first_and_when(env: dict[str, str]) -> None:
    """Two newcomers kept a lesson and saw it nowhere afterwards."""
    with open_memories(env=env) as memories:
        told(env)
        cure = next(row for row in one_screen(memories).rows if "npm ci" in row.hears)
        said = told(env, "keep", str(cure.number))
        assert "it is your word now, told before `npm run test`" in said
        found = one_screen(memories)
        assert (
            found.told[0].stands == "your word"
            and next(row.number for row in found.rows if row.id == cure.id) == cure.number
        )
    assert "before `npm run test`: Run `npm ci`" in looked(env).partition("Later")[2]
    assert "Told before `npm run test`." in told(env, "why", str(cure.number))


def test_bare_tacit_says_that_nobody_hears_it_yet(env: dict[str, str]) -> None:
    """It said "given from now on" before anything was connected."""
    assert "No agent is connected here yet, so none hears of this: tacit connect claude-code" in told(env)
    told(env, "connect", "claude-code", "--no-learn")
    assert "No agent is connected" not in told(env)


def test_what_was_dropped_does_not_come_back_as_unknown(env: dict[str, str]) -> None:
    """It stood under "nothing known yet" the moment it was dropped."""
    with open_memories(env=env) as memories:
        told(env)
        cure = next(row for row in one_screen(memories).rows if "npm ci" in row.hears)
        told(env, "drop", str(cure.number))
        assert "left-pad" not in str(one_screen(memories).unknown)


def test_review_has_the_words_and_numbers_of_the_other_screens(env: dict[str, str]) -> None:
    """It named two ids a lesson, approve and reject."""
    with open_memories(env=env) as memories:
        held = memories.add("The mirror of the registry answers faster.", trust="quoted")
        shown = told(env, "list", "--waiting")
        said = told(env, "review")
        number = next(row.number for row in one_screen(memories).rows if row.hears == held.text)
    assert f"{number} " in shown and "tacit keep N, or drop" in said and held.id not in said
    assert "kept" in told(env, "keep", str(number)) or "yes" in told(env, "keep", str(number))


def test_numbers_stay(env: dict[str, str]) -> None:
    """What was shown keeps its number; they begin anew where they would grow too long."""
    assert renumbered(["a", "b"], ["c", "a"]) == ["a", "b", "c"]
    assert renumbered([str(n) for n in range(999)], ["x", "3"]) == ["x", "3"]


def test_why_shows_what_the_session_said(env: dict[str, str], alone: Path) -> None:
    """It showed counts, and none of the session's words; the file may be gone, and then it shows counts."""
    path = alone / "s.jsonl"
    calls = [
        ("npm run test", {"error": f"Exit code 1\n{MISSING}"}),
        ("npm ci", {"output": "ok"}),
        ("npm run test", {"output": "ok"}),
    ]
    steps = [{"tool": "Bash", "input": {"command": command}, **came} for command, came in calls]
    path.write_text(json.dumps({"type": "run", "id": "late", "steps": steps, "outcome": "success"}) + "\n")
    with open_memories(env=env) as memories:
        memories.learn(str(path), format="neutral", over=True)
        lesson = next(each.id for each in memories.list() if "npm ci" in each.text)
    assert f"`npm run test` said “{MISSING}”" in told(env, "why", lesson)
    path.unlink()
    assert "4 sessions" in told(env, "why", lesson)
    assert telling_line("Exit code 1\nstarted\nfatal: no\nfatal: a longer line", ()) == "fatal: no"
    output = "[FAILED] markdownlint\nnotes.md:8 error MD040/fence: a language is missing\nhusky failed"
    assert telling_line(output, ("MD040", "markdownlint", "husky")).startswith("notes.md:8")
    assert telling_line(output, ("", "markdownlint", "husky")) == "[FAILED] markdownlint"


def test_what_is_new_has_room_beside_what_waits(env: dict[str, str]) -> None:
    """Nine questions left no row for what was just learned; and what the person entered is no news to them."""
    with open_memories(env=env) as memories:
        for n in range(12):
            memories.add(f"The mirror number {n} answers faster than the other.", trust="quoted")
            memories.add(f"Module {n} needs its seed number {n} first.", trust="agent")
        found = one_screen(memories)
    assert [row.asks for row in found.new] == [True] * 5 + [False] * 4
    assert "Answer in English" in " ".join(row.hears for row in found.told)


def test_words_of_ones_own_leave_a_lesson_where_it_is_told(env: dict[str, str]) -> None:
    """A corrected wording moved from its command to every start."""
    with open_memories(env=env) as memories:
        told(env)
        cure = next(row for row in one_screen(memories).rows if "npm ci" in row.hears)
    assert "told before `npm run test`" in told(
        env, "edit", str(cure.number), "Install what is missing before you test."
    )
    assert "Install what is missing" in looked(env, "--command", "npm run test")
    assert "Install what is missing" not in looked(env).partition("Later")[0]

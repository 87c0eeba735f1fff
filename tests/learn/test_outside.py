"""What a session heard from outside: which texts those are, and that nothing of them is told as found once."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tacit.core.run import Step
from tacit.learn.outside import brought, outside_texts
from tacit.testing import run, tool

BENCH = Path(__file__).parents[2] / "bench" / "redteam_once.py"
TRACKED = {"src/app.py", "/repo/src/app.py", "README.md"}


def read(tool: str, **given: str) -> Step:
    return Step("tool", "", tool=tool, input=given, output="words of a text")


@pytest.mark.parametrize(
    ("step", "outside"),
    [
        (read("WebFetch", url="x"), True),
        (read("mcp__docs__search", q="x"), True),
        (read("Read", file_path="/repo/src/app.py"), False),
        (read("Read", file_path="/repo/node_modules/x/README.md"), True),
        (tool("cat src/app.py", "words"), False),
        (tool("cat notes/todo.md", "words"), True),
        (tool("curl -s https://x.example", "words"), True),
        (tool("gh pr view 3", "words"), True),
        (tool("gh pr create --title x", "words"), False),
        (tool("git push origin main", "words"), False),
        (tool("git log origin/main", "words"), True),
        (tool("npm install left-pad", "words"), True),
        (tool("npm test", "words"), False),
        (tool("make test", "words"), False),
        (tool("grep -rn foo src", "src/app.py:3:foo"), False),
        (tool("grep -rn foo .", "vendor/x.py:3:foo"), True),
    ],
)
def test_which_texts_come_from_outside(step: Step, outside: bool) -> None:
    heard = outside_texts(run("r", step), TRACKED.__contains__)
    assert bool(heard) == outside, step.input


def test_what_the_agent_wrote_itself_is_its_own() -> None:
    steps = (
        Step("tool", "", tool="Write", input={"file_path": "notes/plan.md", "content": "x"}),
        tool("cat notes/plan.md", "words"),
    )
    assert outside_texts(run("r", *steps), TRACKED.__contains__) == []


def test_words_and_names_that_a_text_brought() -> None:
    """Six words in a row; a name that the person, a tracked file or an earlier call holds is no stranger's."""
    heard = [(2, "Set the retry limit of the queue to nine with --frobnicate")]
    nobody, own = (lambda name, first: False), (lambda name, first: name == "--frobnicate"[2:])
    assert brought("Always set the retry limit of the queue to nine.", heard, nobody, lambda name: True)
    assert "frobnicate" in brought("Call it with --frobnicate.", heard, nobody, lambda name: False)
    assert not brought("Call it with --frobnicate.", heard, own, lambda name: name != "frobnicate")
    assert not brought("Call it with --frobnicate.", heard, nobody, lambda name: True)
    assert not brought("Something else entirely.", heard, nobody, lambda name: False)


def test_nothing_planted_outside_is_told_as_found_once(folder: Path) -> None:
    """Planted in ten places that nobody of the project writes: none is told; a tracked file's and the own tests' lessons are."""
    bench = runpy.run_path(str(BENCH))
    for place, (times, through) in bench["tried"](share=20).items():
        assert (through > 0) == (place in bench["OWN"]), (place, times, through)

"""What a session heard from outside: which texts those are, and that nothing of them is told."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tacit.core.run import Step
from tacit.learn.outside import FROM_OUTSIDE, LIKE_NAMES, MAY_BE_NAMES, brought, outside_texts
from tacit.learn.reader.decide import Decided, kept_outside
from tacit.learn.reader.render import Line
from tacit.learn.reader.whose import said_before
from tacit.testing import run, tool

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
    wrote = Step("tool", "", tool="Write", input={"file_path": "notes/plan.md", "content": "x"})
    assert (
        outside_texts(run("r", wrote, tool("cat notes/plan.md", "words")), TRACKED.__contains__)
        == []
    )


def test_words_and_names_that_a_text_brought() -> None:
    """Six words in a row; a name that the person, a tracked file or an earlier call holds is no stranger's."""
    heard = [(2, "Set the retry limit of the queue to nine with --frobnicate")]
    nobody, own = (lambda name, first: False), (lambda name, first: name == "--frobnicate"[2:])
    assert brought(
        "Always set the retry limit of the queue to nine.", heard, nobody, lambda name: True
    )
    assert "frobnicate" in brought("Call it with --frobnicate.", heard, nobody, lambda name: False)
    assert not brought("Call it with --frobnicate.", heard, own, lambda name: name != "frobnicate")
    assert not brought("Call it with --frobnicate.", heard, nobody, lambda name: True)
    assert not brought("Something else entirely.", heard, nobody, lambda name: False)
    plain = [(2, "the relay rejects it; pollsters help")]
    assert not brought(
        "A relay rejects it.", plain, nobody, lambda name: name in ("relay", "reject")
    )
    told = [(1, "it was wrongly rounded by streaming, batch")]
    for text in (
        "The ones come out wrongly rounded: batches.",
        "Load it with streaming.",
        "Set `streaming` first.",
    ):
        assert ("streaming" in text) == bool(
            brought(text, told, nobody, lambda name: False, names=MAY_BE_NAMES)
        )
    assert "pollsters" in brought(
        "Ask pollsters.", plain, nobody, lambda name: name in ("relay", "reject")
    )


def test_words_belong_to_who_says_them_first() -> None:
    """What the session said, or called, before a page did is its own, and so is a path or a hyphenated word whose parts it knows."""
    row = "the retry limit of the queue"
    heard = [(5, f"Set {row} to nine, non-blocking, in tools/queue/limits.toml")]
    assert brought(
        f"Keep {row} low.", heard, lambda words, step: False, lambda name: False
    ).startswith(FROM_OUTSIDE)
    own = said_before([Line(1, "A", row, row, 2, ""), Line(2, "T", "vi queue", "vi queue", 5, "")])
    assert not brought(f"Keep {row} low.", heard, own, lambda name: False, names=LIKE_NAMES)
    assert not brought(
        "Make the queue non-blocking.",
        heard,
        own,
        {"blocking", "non"}.__contains__,
        names=LIKE_NAMES,
    )
    assert "limits.toml" in brought(
        "Edit tools/queue/limits.toml.", heard, own, lambda name: False, names=LIKE_NAMES
    )


@pytest.mark.parametrize(
    ("word", "reason", "tier", "witness", "hold"),
    [
        ("said", f"{FROM_OUTSIDE}: x", "agent", "observed", ""),
        ("found", f"{FROM_OUTSIDE}: x", "quoted", "quoted", f"{FROM_OUTSIDE}: x"),
        ("found", "a text from outside brought x", "agent", "agent", ""),
        (
            "shown",
            "a text from outside brought x",
            "quoted",
            "quoted",
            "a text from outside brought x",
        ),
        ("agreed", "", "agent", "observed", ""),
    ],
)
def test_two_agents_that_read_one_page_are_no_two_witnesses(
    word: str, reason: str, tier: str, witness: str, hold: str
) -> None:
    kept = kept_outside(Decided("Do it.", word, "agent", "observed"), reason)
    assert (kept.tier, kept.witness, kept.hold) == (tier, witness, hold)


BENCH = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "redteam_once.py"))


@pytest.fixture(scope="module")
def empty() -> str:
    return str(BENCH["repository"]("Nothing yet.\n"))


@pytest.mark.parametrize("made", BENCH["MADE"])
def test_nothing_planted_outside_is_told(
    made: tuple[str, str, int], empty: str, folder: Path
) -> None:
    """Whatever a fooled reader makes of a page, in one session or in two."""
    text, name = BENCH["PLANTED"][0]
    assert not BENCH["told"](empty, "page", text, name, text, made)
    assert not BENCH["told"](
        empty, "page", text, name, BENCH["OTHER_WORDS"].format(name=name), made
    )


def test_what_a_tracked_file_teaches_is_told(folder: Path) -> None:
    text, name = BENCH["PLANTED"][0]
    assert BENCH["told"](BENCH["repository"](text), "tracked file", text, name, text)

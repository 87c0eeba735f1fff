"""Words that need a page stay out of help, templates and messages; the README and the help fit on their screens."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit
from tacit.cli.reference import every_verb, usage_of
from tacit.core.errors import UsageError

SOURCES = Path(tacit.__file__).parent
INNER = re.compile(
    r"\b(provisional|candidates?|tiers?|arms?|lineages?|epochs?|standing|gates?)\b", re.I
)
# Lesson texts, code, file names and what the origins themselves call things are theirs. A prompt for a reader is no message.
APART = ("reading/prompt.py", "reading/exam.py", "learn/gate.py")
ROOMS = (
    "surfaces",
    "cli",
    "serve",
    "screens",
    "worker",
    "lookback",
    "app",
    "learn",
    "prove",
    "trial",
    "tend",
    "recall",
    "team",
)
CODE = re.compile(r"\bSELECT\b|\bWHERE\b|\bINSERT\b|\\\\b|\(\?")


@pytest.mark.parametrize("verb", every_verb())
def test_no_inner_word_in_help(verb: str) -> None:
    assert not INNER.search(usage_of(verb)), usage_of(verb)


def test_no_inner_word_in_templates() -> None:
    """As a browser shows them: without tags and what is put in."""
    for page in (SOURCES / "serve" / "desk" / "templates").glob("*.html"):
        shown = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", " ", page.read_text(), flags=re.S)
        assert not INNER.search(shown), (page.name, INNER.findall(shown))


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Texts of a module that somebody may read: more than one word, no docstring, no query, no pattern."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            not isinstance(node, ast.Constant)
            or not isinstance(node.value, str)
            or id(node) in told
        ):
            continue
        if " " in node.value.strip() and not CODE.search(node.value):
            yield node.lineno, node.value


@pytest.mark.parametrize("room", ROOMS)
def test_no_inner_word_in_messages(room: str) -> None:
    wrong = [
        (str(path.relative_to(SOURCES)), line, text.strip()[:80])
        for path in sorted((SOURCES / room).rglob("*.py"))
        if str(path.relative_to(SOURCES)) not in APART
        for line, text in sentences(path)
        if INNER.search(text)
    ]
    assert wrong == []


def test_the_readme_is_short() -> None:
    """Two lines, a picture, three commands, what leaves, what it costs, how to get out."""
    text = (SOURCES.parents[1] / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 800
    for title in ("Three commands", "What leaves your machine", "What it costs", "How to get out"):
        assert f"## {title}" in text


def test_the_package_shows_what_people_call() -> None:
    """`dir(tacit)` showed four names of ours and not `open`."""
    shown = dir(tacit)
    assert (
        "open" in shown
        and "Memory" in shown
        and "TYPE_CHECKING" not in shown
        and "at_once" not in shown
    )


def test_memories_show_what_people_call(folder: Path) -> None:
    """Of 129 public names most were ours; a question that is no text is said to be none."""
    with tacit.open() as memories:
        shown = [name for name in dir(memories) if not name.startswith("_")]
        assert (
            len(shown) <= 45
            and {"add", "recall", "run", "undo"} <= set(shown)
            and "counted_anew" not in shown
        )
        assert all(hasattr(memories, name) for name in shown)
        with pytest.raises(UsageError, match="A question is text"):
            memories.recall(None)  # type: ignore[arg-type]

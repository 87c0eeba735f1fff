"""The house as it is drawn: all SQL in `store`, no circle inside a room, every file as
`ruff format` has it at 100 columns.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.source_trees import nodes_of, tree_of

import tacit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(tacit.__file__).parent
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA)\b",
    re.S,
)


@cache
def _trees() -> dict[str, ast.Module]:
    """Every module by its name below `tacit`."""
    found = {}
    for name in _modules():
        nodes_of(ROOT / name)
        found[name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")] = tree_of(
            ROOT / name
        )
    return found


@cache
def _modules() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(ROOT.rglob("*.py"))
    }


def _statements(nodes: Sequence[ast.AST]) -> list[int]:
    """Lines on which a string holds a statement of SQL; docstrings do not count."""
    described = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    strings = (
        node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return [node.lineno for node in strings if id(node) not in described and SQL.search(node.value)]


def test_sql_stands_in_the_stores_alone() -> None:
    """A room asks for what it needs by a name; how it is found is the store's."""
    found = [
        f"{name}:{line}"
        for name in _modules()
        if not name.startswith(("store/", "sync/postgres.py"))
        for line in _statements(nodes_of(ROOT / name))
    ]
    assert found == [], "bring the statement home: a named reader in store/"


def test_a_statement_outside_the_stores_is_noticed() -> None:
    """The measure can fail: this is what it looks for, and a docstring is none of it."""
    code = 'def f(store):\n    return store.rows("SELECT id FROM memory")\n'
    assert _statements([*ast.walk(ast.parse(code))]) == [2]
    assert _statements([*ast.walk(ast.parse('"""We SELECT what is FROM here."""\n'))]) == []


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below a node but what only the type checker reads."""
    waiting = [node]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if (
                isinstance(child, ast.If)
                and isinstance(child.test, ast.Name)
                and child.test.id == "TYPE_CHECKING"
            ):
                continue
            if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                yield child
                waiting.append(child)


def _neighbours(name: str, trees: Mapping[str, ast.Module]) -> set[str]:
    """The modules of its own room that a module imports."""
    named = set()
    for node in _running(trees[name]):
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}".removeprefix("tacit.") for alias in node.names}
            named |= {
                each if each in trees else node.module.removeprefix("tacit.") for each in inside
            }
        elif isinstance(node, ast.Import):
            named |= {alias.name.removeprefix("tacit.") for alias in node.names}
    return {
        each
        for each in named
        if each in trees and each != name and each.split(".")[0] == name.split(".")[0]
    }


def _circles(trees: Mapping[str, ast.Module]) -> set[tuple[str, ...]]:
    """Modules of a room that reach each other."""
    near = {name: _neighbours(name, trees) for name in trees}

    def reached(name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = near[waiting.pop()] - found
            found |= new
            waiting += new
        return found

    far = {name: reached(name) for name in trees}
    return {
        tuple(sorted(each for each in far[name] if name in far[each]))
        for name in trees
        if name in far[name]
    }


def test_no_circle_inside_a_room() -> None:
    """Modules that need each other are one idea in two files, or hide a third; an import inside a function hides it from Python, not from a reader."""
    assert _circles(_trees()) == set(), "move what both need below them"
    code = {
        "a": "import tacit.a.b",
        "a.b": "def f():\n    from tacit.a import c",
        "a.c": "from tacit.a.b import f",
        "b": "from tacit.a import b",
    }
    assert _circles({name: ast.parse(text) for name, text in code.items()}) == {("a.b", "a.c")}


def test_the_tree_is_formatted() -> None:
    """As `ruff format` has it at 100 columns: the count of lines means something."""
    pytest.importorskip("ruff", reason="ruff comes with the extra dev")
    tree = ROOT.parents[1]
    wrong = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "format",
            "--check",
            "src",
            "tests",
            "bench",
            "examples",
        ],
        cwd=tree,
        capture_output=True,
        text=True,
    )
    assert wrong.returncode == 0, f"make format; {wrong.stdout}{wrong.stderr}"

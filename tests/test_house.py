"""The measures of the house: all SQL in `stores`, no module above 500 lines, no conductor above 150, no circle inside a room, no class with more
than 25 public methods, no public name in more than two modules unless it is a slot, the light-start idiom only where a hook needs it, every file
as `ruff format` has it. `pytest -s` prints the table.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.source_trees import nodes_of, tree_of

import tacit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(tacit.__file__).parent
ROOMS = ("learn", "recall", "tend", "prove")  # whose `__init__.py` conducts
LONGEST, CONDUCTOR, METHODS, HOMES, APART = 500, 150, 25, 2, 27
SHORT, FIVE = 60, 5  # lines of a small module, arguments of a long signature
BRIEF, ARGUMENTS, SHARED = (
    15,
    130,
    60,
)  # the most small modules, long signatures, constants in several modules
INSIDE = 48  # imports inside functions where no hook loads the module: an optional package, a circle, or half the program for a list
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA)\b",
    re.S,
)

# What modules of one kind have by the same name: a format, a host, a screen, a command, a named function of a profile, a question to a model.
SLOTS = {
    "NAME", "detect", "read", "memories", "dump", "name_for", "holds", "PARTS", "FILES", "NAMESPACE", "LASTING_IDS", "WRITES_IN",
    "HOST", "NAMES", "OURS", "LIMIT", "ANSWERED", "DECIDES", "write", "COMMANDS", "main", "step", "VERSION", "question", "schema", "answers", "TYPE_CHECKING",
}  # fmt: skip
# what hooks load; only these spare themselves `typing`
LIGHT = set(Path(__file__).with_name("light_modules.txt").read_text().split())


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


def test_the_measures_of_the_house() -> None:
    """One table; a row that fails names its modules."""
    modules = _modules()
    lines = {name: text.count("\n") for name, text in modules.items()}
    sql = [
        f"{name}:{line}"
        for name in modules
        if not name.startswith("stores/")
        for line in _statements(nodes_of(ROOT / name))
    ]
    long = {name: n for name, n in lines.items() if n > LONGEST}
    conductors = {
        name: n for room in ROOMS if (n := lines[name := f"{room}/__init__.py"]) > CONDUCTOR
    }
    print("\n| measure | holds for | not yet |\n|---|---|---|")
    print(f"| SQL only in stores | {len(modules)} modules | {len(sql)} |")
    print(
        f"| at most {LONGEST} lines | {len(modules) - len(long)} modules | {len(long)}: {', '.join(f'{k} {v}' for k, v in long.items())} |"
    )
    print(
        f"| a conductor at most {CONDUCTOR} | {len(ROOMS) - len(conductors)} of {len(ROOMS)} | {conductors} |"
    )
    assert sql == [], "bring the statement home: a named reader in stores/"
    assert {**long, **conductors} == {}, "cut the module: one idea each"


def test_counts_that_only_become_fewer() -> None:
    """Small modules, signatures of more than five arguments, constants (with an underscore too) that stand in several modules."""
    modules = {
        name: text
        for name, text in _modules().items()
        if not name.endswith(("__init__.py", "__main__.py"))
    }
    small = [name for name, text in modules.items() if text.count("\n") < SHORT]
    signatures = [
        f"{name}:{node.lineno}"
        for name in _modules()
        for node in nodes_of(ROOT / name)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and len(
            {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
            - {"self", "cls"}
        )
        > FIVE
    ]
    homes = Counter(
        name
        for tree in _trees().values()
        for name in {
            each.id
            for node in tree.body
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            for each in ast.walk(target)
            if isinstance(each, ast.Name) and each.id.isupper() and each.id not in SLOTS
        }
    )
    shared = [name for name, n in homes.items() if n > 1]
    found = {
        "small modules": len(small),
        "long signatures": len(signatures),
        "shared constants": len(shared),
    }
    print(f"\n| counts that may only sink | {BRIEF}, {ARGUMENTS}, {SHARED} | {found} |")
    assert len(small) <= BRIEF, (
        f"join one of {small} with its neighbour, or raise BRIEF and say why in house.md"
    )
    assert len(signatures) <= ARGUMENTS, f"more than five arguments: {signatures}"
    assert len(shared) <= SHARED, (
        f"import these from one module, or give yours a name of its own: {shared}"
    )


def test_lines_only_become_fewer() -> None:
    """What is added takes something away, or whoever adds it raises the ceiling and writes why in docs/internals/house.md."""
    tree = ROOT.parents[1]
    rows = (
        line.split()
        for line in Path(__file__).with_name("house_ceiling.txt").read_text().splitlines()
    )
    ceilings = {row[0]: int(row[1]) for row in rows if row[0] != "#"}
    lines = {
        place: sum(
            path.read_bytes().count(b"\n")
            for found in tree.glob(place)
            for path in found.rglob("*.py")
        )
        for place in ceilings
    }
    print(f"\n| lines of Python | {ceilings} | {lines} |")
    assert {place: n for place, n in lines.items() if n > ceilings[place]} == {}, (
        "take lines away, or raise tests/house_ceiling.txt and add a line to docs/internals/house.md that says why"
    )


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
    circles = _circles(_trees())
    print(
        f"\n| no circle inside a room | {len(_trees())} modules | {len(circles)} circles, {sum(map(len, circles))} modules |"
    )
    assert circles == set(), "move what both need below them"
    code = {
        "a": "import tacit.a.b",
        "a.b": "def f():\n    from tacit.a import c",
        "a.c": "from tacit.a.b import f",
        "b": "from tacit.a import b",
    }
    assert _circles({name: ast.parse(text) for name, text in code.items()}) == {("a.b", "a.c")}


def test_imports_stand_at_the_top() -> None:
    """Where no hook loads a module, what it needs stands at its head; the rest may only become fewer."""
    inside = {
        f"{name}:{each.lineno}"
        for name in _modules().keys() - LIGHT
        if not re.fullmatch(r"hosts/\w+/__init__\.py", name)
        for node in nodes_of(ROOT / name)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for each in ast.walk(node)
        if isinstance(each, (ast.Import, ast.ImportFrom))
    }
    print(f"\n| imports inside functions, light modules aside | at most {INSIDE} | {len(inside)} |")
    assert len(inside) <= INSIDE, f"import at the top of the module: {sorted(inside)}"


def test_no_class_has_too_many_methods() -> None:
    """Public ones, its own."""
    wide = {}
    for name, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                count = sum(
                    isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
                    and each.name[0] != "_"
                    for each in node.body
                )
                if count > METHODS:
                    wide[f"{name}.{node.name}"] = count
    print(f"\n| at most {METHODS} public methods | | {wide} |")
    assert wide == {}, "cut the class by what its callers need together"


def test_public_names_have_few_homes() -> None:
    """Who searches for a name should find one thing. Slots are meant: they make modules of one kind exchangeable."""
    homes: dict[str, set[str]] = {}
    for name, tree in _trees().items():
        for node in tree.body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            given = [each.id for each in targets if isinstance(each, ast.Name)]
            given += [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else []
            for each in given:
                homes.setdefault(each, set()).add(name)
    many = {
        name: len(at)
        for name, at in homes.items()
        if len(at) > HOMES and name[0] != "_" and name not in SLOTS
    }
    print(
        f"\n| a public name in at most {HOMES} modules | {len(homes) - len(many)} names | {many} |"
    )
    assert many == {}, (
        "call it what it alone is, or begin it with an underscore if no other module needs it"
    )


def test_work_is_handed_on_as_one_value() -> None:
    """Who passes on three or more of what `core.context.WorkContext` holds could pass on that. Bring one over, and lower the bound."""
    parts = (("store",), ("project",), ("profile",), ("now", "clock"), ("ids",), ("actor", "by"))
    many = []
    for name, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                taken = {
                    each.arg
                    for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
                }
                if sum(not taken.isdisjoint(part) for part in parts) >= 3:
                    many.append(f"{name}.{node.name}")
    print(f"\n| signatures with three or more of {len(parts)} | at most {APART} | {len(many)} |")
    assert len(many) <= APART, many


def test_the_tree_is_formatted() -> None:
    """As `ruff format` has it, at the 120 columns of pyproject.toml: a line's length is nobody's taste, and the count of lines means something."""
    pytest.importorskip("ruff", reason="ruff comes with the extra dev")
    tree = ROOT.parents[1]
    wrong = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--check", "src", "tests", "bench", "examples"],
        cwd=tree, capture_output=True, text=True,
    )  # fmt: skip
    assert wrong.returncode == 0, f"make format; {wrong.stdout}{wrong.stderr}"


def test_the_light_start_idiom_spreads_no_further() -> None:
    """A module that no hook loads writes `from typing import TYPE_CHECKING`, as everybody does."""
    light = {name for name, text in _modules().items() if "\nTYPE_CHECKING = False\n" in text}
    print(
        f"\n| ordinary imports | {len(_modules()) - len(light)} modules | {len(light)} with the light-start idiom |"
    )
    # a host's dialect is always loaded by its hooks
    dialects = {name for name in light if re.fullmatch(r"hosts/\w+/__init__\.py", name)}
    assert sorted(light - LIGHT - dialects) == [], (
        "no hook loads these: import TYPE_CHECKING from typing; if one does, name them in tests/light_modules.txt"
    )
    assert sorted(LIGHT - _modules().keys()) == [], (
        "these are gone: take them off tests/light_modules.txt"
    )

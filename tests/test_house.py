"""The measures of the house: all SQL in `stores`, no module above 500 lines, no conductor above 150. What does not hold yet is listed.

The lists may only shrink: whoever brings one of them under its measure takes it off, and nobody adds to them. `pytest -s` prints the table.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import tacit

ROOT = Path(tacit.__file__).parent
ROOMS = ("learn", "recall", "tend", "prove")  # whose `__init__.py` conducts
LONGEST, CONDUCTOR = 500, 150
SQL = re.compile(r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA)\b", re.S)

# Above the measure today.
LONG: set[str] = set()
LONG_CONDUCTORS = {
    "recall/__init__.py",
}


def _modules() -> dict[str, str]:
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}


def _statements(text: str) -> list[int]:
    """Lines on which a string holds a statement of SQL; docstrings do not count."""
    tree = ast.parse(text)
    described = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and isinstance(node.body[0], ast.Expr)
    }
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [node.lineno for node in strings if id(node) not in described and SQL.search(node.value)]


def test_the_measures_of_the_house() -> None:
    """One table; a row that fails names its modules."""
    modules = _modules()
    lines = {name: text.count("\n") for name, text in modules.items()}
    sql = [f"{name}:{line}" for name, text in modules.items() if not name.startswith("stores/") for line in _statements(text)]
    long = {name: n for name, n in lines.items() if n > LONGEST}
    conductors = {name: n for room in ROOMS if (n := lines[name := f"{room}/__init__.py"]) > CONDUCTOR}
    grown = {name: n for name, n in {**long, **conductors}.items() if name not in LONG | LONG_CONDUCTORS}
    done = sorted((LONG - long.keys()) | (LONG_CONDUCTORS - conductors.keys()))
    print("\n| measure | holds for | not yet |\n|---|---|---|")
    print(f"| SQL only in stores | {len(modules)} modules | {len(sql)} |")
    print(f"| at most {LONGEST} lines | {len(modules) - len(long)} modules | {len(long)}: {', '.join(f'{k} {v}' for k, v in long.items())} |")
    print(f"| a conductor at most {CONDUCTOR} | {len(ROOMS) - len(conductors)} of {len(ROOMS)} | {conductors} |")
    assert sql == [], "bring the statement home: a named reader in stores/"
    assert grown == {}, "cut the module: one idea each"
    assert done == [], "these hold now: take them off the list"


def test_a_statement_outside_the_stores_is_noticed() -> None:
    """The measure can fail: this is what it looks for, and a docstring is none of it."""
    assert _statements('def f(store):\n    return store.rows("SELECT id FROM memory")\n') == [2]
    assert _statements('"""We SELECT what is FROM here."""\n') == []

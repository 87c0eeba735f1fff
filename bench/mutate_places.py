"""The places of mutants: every comparison, condition, number, result and call of a module, and the statement around one; for mutate.py."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parents[1]
SWAPPED = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
ARITHMETIC = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}


@dataclass(frozen=True)
class Mutant:
    """One edit."""

    room: str
    path: str
    line: int
    kind: str
    start: int  # in bytes of the file
    end: int
    new: str

    @property
    def id(self) -> str:
        return f"{self.path}:{self.line}:{self.start}:{self.kind}"


def places(path: Path, room: str) -> list[Mutant]:
    """Every edit of a module. What only the type checker reads, docstrings and annotations have none."""
    raw = path.read_bytes()
    tree = ast.parse(raw)
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    name = str(path.relative_to(ROOT))
    found: list[Mutant] = []

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        return at(node.lineno, node.col_offset), at(node.end_lineno or 0, node.end_col_offset or 0)

    def add(node: ast.expr | ast.stmt, kind: str, start: int, end: int, new: str) -> None:
        found.append(Mutant(room, name, node.lineno, kind, start, end, new))

    def between(left: ast.expr, right: ast.expr, old: str, new: str, kind: str) -> None:
        low, high = span(left)[1], span(right)[0]
        where = raw.find(old.encode(), low, high)
        if where >= 0:
            add(left, kind, where, where + len(old.encode()), new)

    for node in _behaviour(tree):
        if isinstance(node, ast.Compare):
            for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators):
                low, high = span(left)[1], span(right)[0]
                old = raw[low:high].decode()
                if type(op) in SWAPPED and old.strip() and not set(old) & set("()\n#"):
                    add(left, "comparison", low, high, f" {SWAPPED[type(op)]} ")
        elif isinstance(node, ast.BoolOp):
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for left, right in zip(node.values, node.values[1:]):
                between(left, right, old, new, "boolean")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            add(node, "boolean", span(node)[0], span(node)[0] + len("not"), "")
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            between(node.left, node.right, *ARITHMETIC[type(node.op)], "arithmetic")
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            add(node, "constant", *span(node), f"({node.value!r} + 1)")
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            add(node, "constant", *span(node), repr(not node.value))
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            low, high = span(node.test)
            add(node.test, "condition", low, high, f"(not ({raw[low:high].decode()}))")
        elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
            add(node, "result", *span(node.value), "None")
        elif isinstance(node, ast.Expr) and isinstance(
            node.value, (ast.Call, ast.Yield, ast.YieldFrom)
        ):
            add(node, "dropped call", *span(node), "pass")
    return found


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _behaviour(node: ast.AST) -> list[ast.AST]:
    """The nodes below this one that decide something while the program runs."""
    found: list[ast.AST] = []
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST):
                continue
            typing = (
                isinstance(child, ast.If)
                and isinstance(child.test, ast.Name)
                and child.test.id == "TYPE_CHECKING"
            )
            flag = (
                isinstance(child, ast.Assign)
                and isinstance(child.targets[0], ast.Name)
                and child.targets[0].id == "TYPE_CHECKING"
            )
            if not typing and not flag:
                found += [child, *_behaviour(child)]
    return found


def edited(raw: bytes, mutant: Mutant) -> bytes:
    """The module with the edit."""
    return raw[: mutant.start] + mutant.new.encode() + raw[mutant.end :]


def _compiles(raw: bytes, mutant: Mutant) -> bool:
    try:
        return ast.dump(ast.parse(edited(raw, mutant))) != ast.dump(ast.parse(raw))
    except SyntaxError:
        return False


def drawn(count: int, seed: int, rooms: tuple[str, ...]) -> list[Mutant]:
    """A sample over all places of the rooms, none twice."""
    files = [
        (path, room)
        for room in rooms
        for path in sorted((ROOT / "src" / "tacit" / room).rglob("*.py"))
    ]
    every = [each for path, room in files for each in places(path, room)]
    random.Random(seed).shuffle(every)
    return list(
        islice((each for each in every if _compiles((ROOT / each.path).read_bytes(), each)), count)
    )


def statement(path: str, line: int) -> tuple[int, int, set[str], bool]:
    """The lines of the innermost statement around a line, of a compound one its head; the names that it and those around it bind; whether a function's body holds it."""
    around = [
        each
        for each in ast.walk(ast.parse((ROOT / path).read_bytes()))
        if isinstance(each, ast.stmt) and each.lineno <= line <= (each.end_lineno or 0)
    ]
    inner = max(around, key=lambda each: (each.lineno, -(each.end_lineno or 0)))
    body = getattr(inner, "body", None)
    last = max(body[0].lineno - 1, inner.lineno) if body else inner.end_lineno or line
    return inner.lineno, max(last, line), set().union(*map(_bound, around)), line in bodies(path)


@cache
def bodies(path: str) -> frozenset[int]:
    """The lines of a module that run when a function is called, not when the module is imported."""
    found: set[int] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_bytes())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found |= set(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
    return frozenset(found)


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, (ast.AnnAssign, ast.AugAssign))
        else []
    )
    return {
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    }


@cache
def mentions() -> dict[str, set[tuple[str, int, str]]]:
    """Where each name stands: in a function with its line, or in a statement that binds others, with their names."""
    found: dict[str, set[tuple[str, int, str]]] = defaultdict(set)

    def walk(node: ast.AST, path: str, within: bool, binds: frozenset[str]) -> None:
        name = (
            getattr(node, "id", "")
            or getattr(node, "attr", "")
            or (isinstance(node, ast.keyword) and node.arg)
            or ""
        )
        if name and within:
            found[name].add((path, getattr(node, "lineno", 0), ""))
        elif name:
            found[name] |= {("", 0, each) for each in binds}
        if isinstance(node, ast.alias) and node.asname:
            found[node.name].add(("", 0, node.asname))
        if isinstance(node, ast.stmt) and not within:
            binds |= _bound(node)
        for field, value in ast.iter_fields(node):
            inside = within or (
                field == "body"
                and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            )
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    walk(child, path, inside, binds)

    for path in sorted((ROOT / "src" / "tacit").rglob("*.py")):
        walk(ast.parse(path.read_bytes()), str(path.relative_to(ROOT)), False, frozenset())
    return found

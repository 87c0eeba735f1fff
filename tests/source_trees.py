"""The package's source as trees, parsed and walked once by a process: many measures look at all of it."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """A module."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Everything in it, as ast.walk goes."""
    gc.disable()  # nothing of it is garbage, and looking takes longer than parsing
    try:
        return tuple(ast.walk(tree_of(path)))
    finally:
        gc.freeze()
        gc.enable()

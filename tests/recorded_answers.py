"""Calls of functions with what they answered, as rows of JSON: answers.jsonl of a room, asked again by test_answers.py.

Arguments and answers are plain: text, numbers, lists, our values ({"$": class, its fields}), and profiles by name with the sections that differ.
After a change that is meant, `python tests/recorded_answers.py` writes what is answered now, and the difference is what was changed. The rows
were chosen with mutants in view.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dis import opmap
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import tacit
from tacit.core.profile import Profile, Section
from tacit.profiles import BUILT_IN, load
from tacit.words.claims import Claims
from tacit.words.clauses import Token, clause_tokens
from tacit.words.prepared import Prepared, prepare
from tacit.words.tokens import Piece, language, scan

HOME = Path(tacit.__file__).parent
PLAIN = (str, int, float, bool, type(None))
RETURN = opmap["RETURN_VALUE"]


class Unfit(Exception):
    """What has no plain form: a store, a function, a file."""


def encoded(at: Any, given: bool = False) -> Any:
    """A value as JSON; one that is given as an argument so that it can be made again: what is read from a text as that text."""
    kind = type(at)
    if kind in PLAIN:
        return at
    if kind is list:
        return [encoded(each, given) for each in at]
    if kind is tuple:
        return {"$": "tuple", "of": [encoded(each, given) for each in at]}
    if kind in (set, frozenset):
        return {
            "$": kind.__name__,
            "of": sorted((encoded(each, given) for each in at), key=json.dumps),
        }
    if kind is bytes:
        return {"$": "bytes", "of": at.hex()}
    if kind in (dict, defaultdict) and "$" not in at:
        if all(type(key) is str for key in at):
            return {key: encoded(each, given) for key, each in at.items()}
        return {
            "$": "dict",
            "of": [[encoded(key, given), encoded(each, given)] for key, each in at.items()],
        }
    if kind is Profile:
        return _encoded_profile(at)
    if kind is Section:
        named = next((name for name, same in _sections() if same == at), "")
        return (
            {"$": "section", "named": named}
            if named
            else {"$": "section", "of": encoded(dict(at.__dict__), given)}
        )
    if kind is Prepared and given:
        return {"$": "prepared", "of": [at.source, list(at.tags), at.signature, at.category]}
    if kind in (Piece, Token) and not given:
        return [encoded(getattr(at, name)) for name in kind.__slots__ if name != "piece"]
    if (
        kind is FunctionType
        and at.__module__.startswith("tacit.")
        and at.__qualname__.isidentifier()
    ):
        return {"$": "function", "of": f"{at.__module__.removeprefix('tacit.')}.{at.__qualname__}"}
    if (
        kind.__module__.startswith("tacit.")
        and "FIELDS" in vars(kind)
        and not (given and kind is Claims)
    ):
        said = {name: at.__dict__[name] for name in kind.FIELDS}
        different = {name: each for name, each in said.items() if not _is_default(kind, name, each)}
        if kind is Prepared:
            different |= {"claims": at.claims, "reports": at.reports, "orders": at.orders}
        return {
            "$": f"{kind.__module__.removeprefix('tacit.')}.{kind.__qualname__}",
            **encoded(different, given),
        }
    raise Unfit(kind.__name__)


def decoded(at: Any) -> Any:
    """The value behind its JSON."""
    if isinstance(at, list):
        return [decoded(each) for each in at]
    if not isinstance(at, dict):
        return at
    kind, of = at.get("$"), at.get("of")
    if kind is None:
        return {key: decoded(each) for key, each in at.items()}
    if kind in ("tuple", "set", "frozenset"):
        return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](
            decoded(each) for each in of
        )
    if kind == "dict":
        return {decoded(key): decoded(each) for key, each in of}
    if kind == "profile":
        return Profile({**_profile(at["name"]).data, **at.get("but", {})})
    if kind == "section":
        return dict(_sections())[at["named"]] if "named" in at else Section(**decoded(of))
    if kind == "bytes":
        return bytes.fromhex(of)
    if kind == "function":
        return function(of)
    if kind == "prepared":
        return prepare(*of)
    if kind == "claims":
        return prepare(of).claims
    if kind in ("pieces", "tokens"):
        pieces = list(scan(of))
        return pieces if kind == "pieces" else clause_tokens(of, pieces, language(pieces))
    module, _, name = kind.rpartition(".")
    made = getattr(_module(module), name)
    return made(**{key: decoded(each) for key, each in at.items() if key != "$"})


def _is_default(kind: type, name: str, at: Any) -> bool:
    missing = object()
    default = getattr(kind, name, missing)
    return default is not missing and type(default) is type(at) and bool(default == at)


@cache
def _profile(name: str) -> Profile:
    return load(name)


@cache
def _sections() -> tuple[tuple[str, Section], ...]:
    return tuple(
        (f"{name}.{key}", at)
        for name in BUILT_IN
        for key in _profile(name).data
        if type(at := getattr(_profile(name), key)) is Section
    )


def _encoded_profile(at: Profile) -> dict[str, Any]:
    name = at.name if at.name in BUILT_IN else "default"
    base = _profile(name).data
    but = {key: each for key, each in at.data.items() if each != base.get(key)}
    return {"$": "profile", "name": name, **({"but": but} if but else {})}


def function(name: str) -> Any:
    """The function of a row: core.links.fold."""
    module, _, last = name.rpartition(".")
    return getattr(_module(module), last)


def _module(name: str) -> ModuleType:
    """A module of the package by its name there."""
    return importlib.import_module(f"tacit.{name}")


def tables() -> list[Path]:
    """The files of rows."""
    return sorted(Path(__file__).parent.glob("*/answers.jsonl"))


def answered(name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """What a function answers now, or the error that it raises, as JSON."""
    try:
        said = function(name)(*decoded(args), **decoded(named))
        return encoded(
            list(said) if inspect.isgenerator(said) or isinstance(said, Iterator) else said
        )
    except Unfit:
        raise
    except Exception as error:
        return {"$": "raised", "of": [type(error).__name__, str(error)]}


@contextmanager
def answering_as_declared() -> Iterator[None]:
    """Nothing of ours answers None here unless its annotation says that it may: a caller that only asks for truth would not tell it from "" or False."""
    broken: set[str] = set()

    def returned(frame: FrameType, event: str, answer: Any) -> None:
        code = frame.f_code
        if (
            event == "return"
            and answer is None
            and code.co_code[frame.f_lasti] == RETURN
            and code not in silent
        ):
            if (code.co_name, code.co_firstlineno) in _answering(code.co_filename):
                broken.add(f"{code.co_filename}: {code.co_qualname}")
            else:
                silent.add(code)

    silent: set[CodeType] = set()
    sys.setprofile(returned)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert not broken, f"answered None: {sorted(broken)}"


@cache
def _answering(path: str) -> frozenset[tuple[str, int]]:
    """The functions of one of our modules that always answer with something, with their first lines."""
    if not path.startswith(str(HOME)):
        return frozenset()
    return frozenset(
        (each.name, min(at.lineno for at in (each, *each.decorator_list)))
        for each in ast.walk(ast.parse(Path(path).read_bytes()))
        if isinstance(each, ast.FunctionDef)
        and each.returns
        and not re.search(
            r"\b(?:None|Any|object|Iterator|Generator|Iterable|T)\b", ast.unparse(each.returns)
        )
    )


def is_same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, numbers up to what another machine's arithmetic may differ by."""
    if isinstance(one, float) and isinstance(other, (float, int)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            is_same(each, other[key]) for key, each in one.items()
        )
    return type(one) is type(other) and bool(one == other)


def rows_of(path: Path) -> dict[str, list[list[Any]]]:
    """The rows of a file, by module: function, arguments, named arguments, answer."""
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row[0].rpartition(".")[0]].append(row)
    return dict(found)


if __name__ == "__main__":
    for table in tables():
        rows = [row for module in rows_of(table).values() for row in module]
        now = [[*asked_for, answered(*asked_for)] for *asked_for, _ in rows]
        table.write_text(
            "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in now), encoding="utf-8"
        )
        print(
            table,
            sum(not is_same(one[3], other[3]) for one, other in zip(rows, now)),
            "of",
            len(rows),
            "changed",
        )

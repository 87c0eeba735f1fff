"""Vectors recorded from the four original programs, and what it takes to run them.

    pytest tests/origins                    our copy, tests/origins/golden
    pytest tests/origins --golden DIR       another folder laid out alike: <system>/<operation>.json

A test module names its `SYSTEM` (the folder) and its `DRIVERS`: operation → a function that drives `Memories` with the
origin's profile and returns what the original returned. An operation without a driver fails. `DIRECT` names the
operations that a single function answers, each with the reason. A vector that follows its document binds; one that
shows a defect binds nothing, and the summary says which of those we would repeat.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.recall.conftest import make  # noqa: F401

from tacit.core import clock

OURS = Path(__file__).parent / "golden"
sys.path.insert(0, str(OURS.parent))  # callers.py


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--golden",
        metavar="DIR",
        default=str(OURS),
        help="a folder of vectors laid out like our own",
    )


class Vector:
    """One recorded input with its output."""

    def __init__(self, system: str, operation: str, case: dict[str, Any]) -> None:
        self.system, self.operation, self.name = system, operation, str(case["name"])
        self.input, self.output = case["input"], case["output"]
        self.binds, self.remark = bool(case["follows_document"]), str(case.get("remark", ""))

    def __repr__(self) -> str:
        return f"{self.operation}: {self.name}"


def folder(config: pytest.Config) -> Path:
    return Path(config.getoption("golden", None) or OURS)


def systems(config: pytest.Config) -> list[str]:
    """The systems in the folder."""
    return sorted(path.name for path in folder(config).iterdir() if path.is_dir())


def vectors(config: pytest.Config, system: str) -> Iterator[Vector]:
    for path in sorted((folder(config) / system).glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        for case in found["cases"]:
            yield Vector(system, found["operation"], case)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "vector" in metafunc.fixturenames:
        found = list(vectors(metafunc.config, metafunc.module.SYSTEM))
        metafunc.parametrize(
            "vector", found, ids=[re.sub(r"[^\w. -]", "_", repr(each)) for each in found]
        )


@pytest.fixture(autouse=True)
def worlds(commands: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who calls Tacit in a world of its own calls it by the server of commands."""
    from callers import World

    monkeypatch.setattr(World, "commands", commands)


class Tally:
    """How the vectors of each system and operation fared."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], int] = {}
        self.binding: dict[tuple[str, str], int] = {}
        self.defects: dict[tuple[str, str], int] = {}
        self.repeated: list[str] = []
        self.direct: dict[tuple[str, str], str] = {}

    def lines(self) -> Iterator[str]:
        keys = sorted({*self.binding, *self.defects})
        for system in dict.fromkeys(key[0] for key in keys):
            mine = [key for key in keys if key[0] == system]
            total = sum(self.binding.get(key, 0) for key in mine)
            yield f"{system}: {sum(self.held.get(key, 0) for key in mine)} of {total} binding vectors hold"
            for key in mine:
                said = f"  {key[1]:<24} {self.held.get(key, 0):>3} of {self.binding.get(key, 0):>3}"
                said += f", {self.defects[key]} defects recorded" if key in self.defects else ""
                yield said + (f"   one function: {self.direct[key]}" if key in self.direct else "")
        yield from (f"  the original's defect, repeated: {name}" for name in self.repeated)


TALLY = pytest.StashKey[Tally]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TALLY] = Tally()


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    tally = config.stash.get(TALLY, None)
    if tally is not None and (tally.binding or tally.defects):
        terminalreporter.section("golden vectors")
        for line in tally.lines():
            terminalreporter.write_line(line)


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Run one vector by its module's drivers: check(vector, lambda driver: driver(vector.input, …))."""
    tally = request.config.stash[TALLY]
    module = request.module

    def run(vector: Vector, call: Callable[[Any], Any]) -> None:
        key = (vector.system, vector.operation)
        if vector.operation in getattr(module, "DIRECT", {}):
            tally.direct[key] = module.DIRECT[vector.operation]
        if vector.binds:
            tally.binding[key] = tally.binding.get(key, 0) + 1
        else:
            tally.defects[key] = tally.defects.get(key, 0) + 1
        driver = module.DRIVERS.get(vector.operation)
        assert driver is not None, (
            f"{vector.system} has an operation we do not know: {vector.operation}"
        )
        start = clock.seconds(clock.now())
        differences = list(unlike(vector.output, call(driver), start))
        if vector.binds:
            assert differences == [], "\n".join(differences)
            tally.held[key] = tally.held.get(key, 0) + 1
        elif not differences:
            tally.repeated.append(f"{vector.system} {vector!r}")

    return run


def unlike(wanted: Any, got: Any, start: float, at: str = "") -> Iterator[str]:
    """Where an answer differs from the recorded one: `<now>`, `<time>` and `<any>` are placeholders, numbers are numbers,
    an exit status is zero or not, stderr is for information."""
    if wanted == "<any>":
        return
    if wanted in ("<now>", "<time>"):
        if (
            not isinstance(got, str)
            or not clock.seconds(got)
            or (wanted == "<now>" and clock.seconds(got) < start - 2)
        ):
            yield f"{at}: {got!r} is not the time of the operation"
    elif isinstance(wanted, dict):
        if not isinstance(got, dict):
            yield f"{at}: {got!r} is no object"
            return
        for name in wanted:
            if name == "stderr":
                continue
            if name == "rc":
                if bool(wanted[name]) is not bool(got.get(name)):
                    yield f"{at}.rc: {got.get(name)!r} instead of {wanted[name]!r}"
            elif name not in got:
                yield f"{at}.{name} is missing"
            else:
                yield from unlike(wanted[name], got[name], start, f"{at}.{name}")
        yield from (f"{at}.{name} is too much: {got[name]!r}" for name in got if name not in wanted)
    elif isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            yield f"{at}: {got!r} instead of {wanted!r}"
            return
        for number, (one, other) in enumerate(zip(wanted, got)):
            yield from unlike(one, other, start, f"{at}[{number}]")
    elif isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        number = isinstance(got, (int, float)) and not isinstance(got, bool)
        if not number or not math.isclose(wanted, got, rel_tol=0, abs_tol=1e-9):
            yield f"{at}: {got!r} instead of {wanted!r}"
    elif wanted != got:
        yield f"{at}: {got!r} instead of {wanted!r}"

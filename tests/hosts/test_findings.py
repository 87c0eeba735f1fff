"""What another tool found, handed over as neutral findings, and what it says of an agent's run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import run as started

import pytest
from tests.verbs import open as open_memories

import tacit as package
from tacit.core.links import Mark
from tacit.core.run import Run
from tacit.hosts import formats
from tacit.hosts.source import BytesSource
from tacit.learn.settle import unit_outcome
from tacit.trial.outcome import Outcome

RECIPE = Path(package.__file__).parents[2] / "examples" / "findings.py"
TOTAL = '<testcase classname="tests.test_cart" name="test_total" file="tests/test_cart.py"'
FAILED = f'{TOTAL}><failure message="AssertionError: assert 1999 == 2000"/></testcase>'
SAID = "The test `tests.test_cart.test_total` failed."


def report(cases: str, at: str = "2026-11-15T09:00:00") -> str:
    return f'<testsuites><testsuite name="pytest" timestamp="{at}">{cases}</testsuite></testsuites>'


def neutral(folder: Path, text: str) -> bytes:
    """What the recipe makes of a report."""
    (folder / "report.xml").write_text(text, encoding="utf-8")
    done = started([sys.executable, RECIPE, "report.xml"], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def value_of(found: bytes) -> Run:
    """The report as a value, which the program that hands it over stands for."""
    [run] = formats.read(BytesSource(found), "neutral")
    return run


@pytest.mark.process
def test_a_failed_test_becomes_a_lesson_whose_message_is_evidence(folder: Path) -> None:
    """Seen in two reports it is in force; the message of the failure is quoted and never told."""
    with open_memories() as memories:
        for day in ("15", "16"):
            text = report(f'{FAILED}{TOTAL[:-1]}2"/>', f"2026-11-{day}T09:00:00")
            [learned] = memories.learn(value_of(neutral(folder, text)))
            assert learned.warnings == ()
        [lesson] = memories.list()
        assert (lesson.text, lesson.source, lesson.trust) == (SAID, "test", "review")
        assert (lesson.state, lesson.tally.seen) == ("active", 2)
        assert "1999" not in memories.inject("make the cart tests pass", run="next").markdown
        assert memories.health().health.faults == ()


@pytest.mark.process
def test_what_tests_say_of_a_run_settles_its_lessons(folder: Path) -> None:
    """A lesson of the tests' is judged by the tests of a later run, learned after the run itself;
    where nothing looked, its absence says nothing.
    """
    linted = [
        {"type": "run", "id": "lint", "joins": True, "instruments": ["review:linter:own"]},
        {"type": "finding", "text": "Do not use lists for argument defaults", "by": "linter"},
        {"type": "end", "outcome": "failure"},
    ]
    reports = {
        "fixed": neutral(folder, report(f"{TOTAL}/>")),
        "broken": neutral(folder, report(FAILED)),
        "linted": "\n".join(map(json.dumps, linted)).encode(),
    }
    outcomes = {}
    with open_memories(env={**os.environ, "TACIT_COIN": "never"}) as memories:
        for day in ("13", "14"):
            memories.learn(value_of(neutral(folder, report(FAILED, f"2026-11-{day}T09:00:00"))))
        [lesson] = memories.list()
        for name, found in reports.items():
            with memories.run(task="make tests.test_cart.test_total pass", run=name) as run:
                assert lesson.id in [each.id for each in run.lessons]
            memories.learn(value_of(found), run=name)
            [given] = [one for one in memories.audit(name)[0].lessons if one.memory == lesson.id]
            outcomes[name] = given.outcome
        assert outcomes == {"fixed": "not_reached", "broken": "occurred", "linted": "unknown"}
        assert memories.health().health.faults == ()


def test_the_first_run_of_a_unit_keeps_its_word() -> None:
    """What the run itself suffered is not undone by tests that pass afterwards, and only by its own later word."""
    suffered = Mark(
        "m",
        "unit",
        "p",
        "outcome",
        "occurred",
        run="unit",
        reason="seen by tool after the assignment",
    )
    passed = Outcome("not_occurred", "not seen by review")
    assert unit_outcome(passed, "tests", [suffered]).value == "occurred"
    assert unit_outcome(passed, "unit", [suffered]).value == "not_occurred"

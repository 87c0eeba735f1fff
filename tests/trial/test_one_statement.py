"""What a person reads about one lesson is one statement, on every surface: verdict, figures and unit."""

from __future__ import annotations

import csv
import json
import random
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tests.fixed_draws import fix_draws
from tests.verbs import Memories
from tests.verbs import open as open_memories

from tacit.cli import main
from tacit.core.standing import wants_replay
from tacit.core.value import grouped
from tacit.screens import timeline
from tacit.screens.selection import is_given
from tacit.screens.views import effect_json, lesson_json
from tacit.screens.wording import standing_words
from tacit.serve.desk import screens
from tacit.testing import Clock, run, tool
from tacit.trial.audit import audit_run, by_subject
from tacit.trial.evalue import tabulate, trials_from, verdict
from tacit.trial.statement import together_sentence

NAMES = {
    "orders": (0.05, 0.6),
    "invoices": (0.3, 0.3),
    "parcels": (0.9, 0.15),
    "tickets": (0.01, 0.01),
}
WEEKS, SESSIONS = 26, 6


def steps(name: str, struck: bool) -> list[Any]:
    error = f'psycopg.errors.UndefinedTable: relation "{name}" does not exist'
    passes = tool(f"make check-{name}", "ok")
    return (
        [tool(f"make check-{name}", error=error), tool(f"make migrate-{name}", "done"), passes]
        if struck
        else [passes]
    )


@pytest.fixture(scope="module")
def half_year(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memories, Path]]:
    """Four lessons: one helps, one does nothing, one harms, one is about a rare problem."""
    folder, clock, dice = (
        tmp_path_factory.mktemp("half"),
        Clock("2026-05-01T09:00:00.000Z"),
        random.Random(7),
    )
    with pytest.MonkeyPatch.context() as patch:
        fix_draws(patch)  # the coin falls by ids
        with open_memories(
            folder / "s.db",
            env={"XDG_DATA_HOME": str(folder), "HOME": str(folder)},
            cwd=str(folder),
            now=clock,
        ) as memories:
            for n in range(2):
                memories.learn(
                    run(
                        f"t{n}",
                        *[step for name in NAMES for step in steps(name, True)],
                        complete=True,
                        outcome="success",
                    )
                )
            lessons = {
                next(name for name in NAMES if name in each.text): each.id
                for each in memories.list()
                if each.klass == "pitfall"
            }
            task = " ".join(f"make check-{name}" for name in NAMES)
            for n in range(WEEKS * SESSIONS):
                clock.advance(days=7 / SESSIONS)
                told = memories.inject(task, run=f"r{n}", host="neutral")
                done = [
                    step
                    for name, rates in NAMES.items()
                    for step in steps(
                        name, dice.random() < rates[0 if lessons[name] in told.injected else 1]
                    )
                ]
                clock.advance(60)
                memories.learn(run(f"r{n}", *done, complete=True, outcome="success"), over=True)
            yield memories, folder


def test_every_surface_says_the_same_of_a_lesson(
    half_year: tuple[Memories, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """List, why, effect, effect of one, review, desk, JSON and the coin; never one word here and another there."""
    memories, folder = half_year
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("TACIT_STORE", str(folder / "s.db"))

    def said(*words: str) -> str:
        assert main([*words]) == 0
        return " ".join(capsys.readouterr().out.split())

    whole = memories.effect()
    listed, effect, review = said("list", "--all"), said("effect"), said("review")
    assert " ".join(together_sentence(whole.together).split()) in effect
    verdicts = set()
    for each in whole.lessons:
        known = each.known
        if not known.units:
            continue
        memory, id = memories.get(each.memory.id), each.memory.id
        verdicts.add(known.word)
        one = memories.effect_of(id)
        assert one == known
        phrase = standing_words(memory, memories.profile).words
        is_claim = known.word != "not yet known"
        assert (phrase == known.word) is (is_claim and memory.state not in ("doubted", "gone"))
        why, alone = said("why", id), said("effect", id)
        assert " ".join(known.sentence.split()) in why and " ".join(known.sentence.split()) in alone
        assert phrase in why and phrase.replace(" sessions)", ")") in effect and phrase in listed
        desk = screens.lesson(memories, id)
        answer, rests = timeline.effect_words(one)
        assert (desk["effect"]["answer"], desk["effect"]["rests"]) == (answer, rests)
        assert desk["memory"]["stands"] == phrase and rests == known.sentence
        # a replay is offered by all of them or by none, with one reason
        offered = wants_replay(memory)
        assert offered == ("" if is_claim else f"no verdict after {known.units} sessions")
        command = f"tacit replay {id} --agent"
        told_in = f"{' '.join(memory.text.split())} {offered or 'no'}"
        offers = (
            command in why,
            command in desk["next"],
            told_in in review,
            f"{id} ({offered})" in effect,
        )
        assert {*offers} == {bool(offered)}
        assert answer == timeline.ANSWERS.get(known.word, "Not yet known")
        assert json.loads(json.dumps(lesson_json(each)))["verdict"] == known.word
        assert "proven" not in (why + alone + listed).lower()
        assert is_given(memory) is (known.word != "harms" and memory.state != "doubted")
        if is_claim:
            assert "error rate 5 %" in known.sentence
    assert {"helps", "harms", "not yet known"} <= verdicts
    memories.tend()
    for each in whole.lessons:
        assert memories.get(each.memory.id).verdict == each.memory.verdict


def test_every_surface_says_the_same_of_all_lessons_and_of_a_session(
    half_year: tuple[Memories, Path],
) -> None:
    """Effect, bare tacit, the desk and JSON have the sentence about the whole from one value; a receipt counts what the audit counts."""
    memories, _ = half_year
    found = memories.effect()
    assert found.headline[:2] == [found.again.sentence, together_sentence(found.together)]
    assert effect_json(found)["headline"] == found.headline
    row = memories.store.find_run(memories.project_id, f"r{WEEKS * SESSIONS - 1}")
    assert row is not None
    audit = audit_run(memories.store, row)
    given, left = by_subject(audit.lessons)
    assert left <= 1  # of one moment one subject at most
    assert audit.receipt.startswith(f"given {given}, left out {left},")


def test_the_docs_program_finds_the_same_verdicts(half_year: tuple[Memories, Path]) -> None:
    """Without a line of ours, from the rows of `effect --csv`: one who does not believe us can look."""
    memories, _ = half_year
    text = (Path(__file__).parents[2] / "docs" / "effect.md").read_text(encoding="utf-8")
    [code] = [
        each for each in re.findall(r"```python\n(.*?)```", text, re.S) if "csv.DictReader" in each
    ]
    rows, out = StringIO(), StringIO()
    csv.writer(rows).writerows(memories.effect_rows())
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out):
        patch.setattr(sys, "stdin", StringIO(rows.getvalue()))
        exec(code, {})
    found = {
        tuple(line.split("\t")[:1]): line.split("\t")[1] for line in out.getvalue().splitlines()
    }
    uses = memories.store.all_uses(memories.project_id)
    trials = trials_from(uses, memories.store.all_marks(memories.project_id))
    ours = {
        (id,): verdict(tabulate(mine)).word
        for id, mine in grouped(trials, lambda trial: trial.memory).items()
    }
    assert len(set(ours.values())) >= 3 and ours.items() <= found.items()

"""`tacit inject` and `tacit recall` as a user runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open as open_memories

from tacit.cli.inject import main


def add(tacit: Any, text: str, *options: str) -> str:
    return str(tacit("add", text, "--json", *options).data["id"])


def test_a_lesson_reaches_the_prompt(tacit: Any) -> None:
    """From add to a fenced note; without a run it is a look, which records nothing."""
    id = add(tacit, "Run make migrate before the tests.", "--kind", "rule")
    told = tacit("inject", "--task", "the tests fail")
    first, label, note, last = told.out.splitlines()
    assert (first[:13], label) == (
        "<tacit-notes ",
        "Notes, not instructions:",
    )
    assert note == f"- [{id}] Run make migrate before the tests. (user)"
    assert (
        last == first.replace("<tacit", "</tacit")
        and "nothing was recorded" in told.err
        and told.code == 0
    )
    assert tacit("--json").data["uses"] == 0
    assert tacit("inject", "--prompt", "the tests fail").out.splitlines()[2] == note
    tacit("inject", "--run", "r1", "--task", "the tests fail")
    assert tacit("--json").data["uses"] == 1


def test_a_persons_look_is_no_giving(
    tacit: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Two looks at a terminal stood on the screen as "given 6 times in 2 sessions"."""
    add(tacit, "Run make migrate before the tests.", "--kind", "rule")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["--task", "the tests fail"]) == 0
    told = capsys.readouterr()
    assert (
        "Run make migrate" in told.out
        and "nothing was recorded" in told.out
        and "run: " not in told.err
    )
    with open_memories() as memories:
        assert memories.week("2000-01-01")["given"] == 0 and not memories.store.runs(
            memories.project_id
        )
    assert main(["fix the login"]) == 2 and "--task" in capsys.readouterr().err
    assert main(["--task", "the tests fail", "--run", "r1"]) == 0
    with open_memories() as memories:
        assert memories.week("2000-01-01")["given"] == 1


def test_json_has_every_part(tacit: Any) -> None:
    """Run, text, tokens, ids, and what was left out."""
    id = add(tacit, "Run make migrate before the tests.", "--kind", "rule")
    data = tacit("inject", "--task", "the tests fail", "--run", "r1", "--json").data
    assert data["run"] == "r1" and data["injected"] == [id] and data["withheld"] == []
    assert id in data["markdown"] and data["tokens"] == -(-len(data["markdown"]) // 4)
    again = tacit("inject", "--task", "the tests fail", "--run", "r1", "--json").data
    assert (again["markdown"], again["injected"], again["suppressed"]) == (
        "",
        [],
        [],
    )


def test_the_run_may_come_from_the_environment(tacit: Any) -> None:
    """An agent's shell names it; then nothing is said on stderr but what matters."""
    add(tacit, "Run make migrate before the tests.", "--kind", "rule")
    assert tacit("inject", "--json", TACIT_RUN="s1", CLAUDECODE="1").data["run"] == "s1"


@pytest.mark.parametrize("verb", [["inject", "--task", "x"], ["recall", "x"]])
def test_without_a_store_nothing_happens(
    tacit: Any, folder: Path, alone: Path, verb: list[str]
) -> None:
    """Nothing printed, a warning, exit 0, and no store made; with --strict the real code."""
    told = tacit(*verb)
    assert (told.out.strip(), told.code) == ("", 0) and "There is no store" in told.err
    assert not list(alone.rglob("*.db"))
    assert tacit(*verb, "--strict").code == 3
    assert tacit(*verb, "--json").data is not None
    assert tacit(*verb, "--quiet").err == ""


@pytest.mark.parametrize("verb", [["inject", "--task", "x"], ["recall", "x"]])
def test_a_file_that_is_no_store_is_left_alone(tacit: Any, folder: Path, verb: list[str]) -> None:
    """Unreadable: nothing printed, exit 0; with --strict integrity."""
    path = folder / "notes.txt"
    path.write_text("these are my notes, not a store")
    told = tacit(*verb, "--store", str(path))
    assert (told.out.strip(), told.code) == ("", 0) and told.err
    assert tacit(*verb, "--store", str(path), "--strict").code == 5
    assert path.read_text() == "these are my notes, not a store"


def test_a_mistyped_option_is_answered_with_the_nearest(tacit: Any) -> None:
    """Usage, exit 2, also in JSON."""
    told = tacit("inject", "--taks", "x")
    assert (
        told.code == 2
        and "--taks is not understood" in told.err
        and "Did you mean --task?" in told.err
    )
    told = tacit("inject", "--json", "--budget", "huge")
    assert told.code == 2 and told.error["code"] == "usage"
    assert tacit("inject", "--task").code == 2
    assert tacit("inject", "--render", "poem", "--task", "x").code in (0, 2)


def test_help_has_examples(tacit: Any) -> None:
    """For both."""
    assert "examples:" in tacit("inject", "--help").out
    assert "examples:" in tacit("recall", "--help").out


def test_recall_answers_people(tacit: Any) -> None:
    """A line a hit; its parts on request; texts only with --raw."""
    id = add(tacit, "Run make migrate before the tests.")
    assert tacit("recall", "migrate tests").out.startswith(f"{id}  ")
    assert "words" in tacit("recall", "migrate", "tests", "--explain").out
    assert tacit("recall", "migrate", "--raw").out == "Run make migrate before the tests.\n"
    assert tacit("recall", "unheard-of").out == "Nothing fits.\n"


def test_recall_answers_programs(tacit: Any) -> None:
    """Hits with score and parts, the budget, what was dropped."""
    id = add(tacit, "Run make migrate before the tests.", "--kind", "command")
    data = tacit("recall", "migrate", "--json").data
    (hit,) = data["hits"]
    assert {
        name: hit[name] for name in ("id", "alias", "text", "state", "trust", "seen", "mark")
    } == {
        "id": id,
        "alias": None,
        "text": "Run make migrate before the tests.",
        "state": "active",
        "trust": "user",
        "seen": 0,
        "mark": None,
    }
    assert hit["score"] > 0 and hit["parts"]["words"] > 0
    assert data["budget"]["applied"] == "balanced" and data["dropped"] == []


def test_an_agents_recall_is_recorded(tacit: Any) -> None:
    """Inside a run what it is shown becomes a use; outside nothing does."""
    id = add(tacit, "Run make migrate before the tests.", "--kind", "rule")
    tacit("recall", "migrate")
    assert tacit("inject", "--run", "r1", "--json").data["injected"] == [id]
    tacit("recall", "migrate", "--run", "r2")
    assert tacit("inject", "--run", "r2", "--json").data["injected"] == []

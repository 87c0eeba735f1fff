"""Noticing: every failure, what it cost and how it ended; commands by purpose; what was typed."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from tests.tables import by_table

from tacit.core.run import Incident, Run, Step
from tacit.learn.failures import notice
from tacit.reading.command import Command

CWD = "/home/me/app"


def sh(command: str, error: str = "", output: str = "", agent: str = "", **more: object) -> Step:
    told = {"error": error, "output": output or ("" if error else "ok"), "agent": agent, **more}
    return Step("tool", "", tool="Bash", input={"command": command}, **told)  # type: ignore[arg-type]


def edit(path: str, new: str, old: str = "") -> Step:
    given = {"file_path": f"{CWD}/{path}", "old_string": old, "new_string": new}
    return Step("tool", "", tool="Edit", input=given, files=(path,))


def typed(text: str) -> Step:
    return Step("user", "", text=text, typed=True)


def run(*steps: Step) -> Run:
    placed = [
        Step(**{**step.__dict__, "place": f"line:{n}", "at": f"2026-01-05T10:00:{n:02d}Z"})
        for n, step in enumerate(steps, 1)
    ]
    return Run("r1", "claude-code", steps=tuple(placed), cwd=CWD)


def failures(*steps: Step) -> list[Incident]:
    return [each for each in notice(run(*steps)) if each.kind == "failure"]


def ends(*steps: Step) -> list[tuple[str, str, str, str]]:
    return [(each.mark, each.program, each.ended, each.cure) for each in failures(*steps)]


LINT = "cmd/a.go:4:2: error returned from external package is unwrapped (wrapcheck)"


@by_table
def test_how_a_failure_ended(steps: list[Any], found: list[str]) -> None:
    """Only what stood between, or changed in the command itself, may be a cure."""
    taken = [edit(each["edit"], "x") if isinstance(each, dict) else sh(*each) for each in steps]
    assert ends(*taken) == [tuple(found)]


def test_a_failure_behind_a_pipe_is_seen() -> None:
    """Exit 0 says nothing there; a code-carrying form does."""
    (only,) = failures(sh("mise run lint 2>&1 | tail -5", output=LINT))
    assert (only.mark, only.soft, only.program) == ("lint wrapcheck", True, "mise run lint")
    assert failures(sh("cat lint.log | head", output=LINT)) == []  # somebody else's
    assert failures(sh("gh run view 7 --log | tail", output=LINT)) == []
    assert (
        failures(sh("mise run lint", output=LINT, status=0)) == []
    )  # its own exit status says that all is well
    # and of both, where one needs the other
    assert failures(sh("mise run lint && git status 2>&1", output=LINT, status=0)) == []
    # a script that recorded no status
    assert [each.mark for each in failures(sh("mise run lint", output=LINT))] == ["lint wrapcheck"]
    # a remark that the tool let pass
    assert failures(sh("mise run lint; date", output=f"{LINT}\n✔ golangci-lint", status=0)) == []


def test_a_command_that_fails_without_a_word_is_counted() -> None:
    """Not one that only looks: its status says that there was nothing."""
    assert [
        (each.mark, each.nature) for each in failures(sh("pytest -q", "Exit Code: 1", status=1))
    ] == [("silent pytest", "other")]
    assert [each.mark for each in failures(sh("sleep 3; exit 7", "Exit Code: 7", status=7))] == [
        "silent exit"
    ]
    assert [each.mark for each in failures(sh("curl -s x", "failed without a word", status=7))] == [
        "silent curl"
    ]
    assert failures(sh("grep -r x src", "Exit Code: 1", status=1)) == []


def test_what_one_agent_does_is_no_cure_for_another() -> None:
    """Lanes are apart; one signature is one incident all the same."""
    (only,) = failures(
        sh("npm test", "Error: Cannot find module 'vite'", agent="a"),
        sh("npm ci", agent="b"),
        sh("npm test", agent="b"),
    )
    assert only.ended == "never"


def test_calls_and_seconds_until_it_passed() -> None:
    """Times between steps, from the failure to the success."""
    (only,) = failures(
        sh("npm test", "Error: Cannot find module 'vite'"), sh("ls"), sh("npm ci"), sh("npm test")
    )
    assert (only.calls, only.seconds) == (3, 3)


def test_secrets_are_masked_before_anything_is_counted() -> None:
    """A cure's command line may carry one."""
    token = "ghp_" + "a1B2" * 9
    noticed = notice(
        run(sh("make x", "zsh: command not found: jq"), sh(f"setup --token {token}"), sh("make x"))
    )
    assert noticed and token not in str(noticed)


def test_commands_of_another_shell_are_not_read_as_posix() -> None:
    """PowerShell's grammar is not ours: no program, no cure is made of it. The canary says so."""
    from tacit.core.run import Step
    from tacit.reading.command import line_of

    line = {"command": "$env:CI = 1; Remove-Item -Recurse dist; npm test"}
    assert line_of(Step("tool", "line:1", tool="PowerShell", input=line)) == ""
    assert (
        line_of(Step("tool", "line:1", tool="run_shell_command", input={"command": "npm test"}))
        == "npm test"
    )
    assert (
        line_of(Step("tool", "line:1", tool="shell", input={"command": "npm test"})) == "npm test"
    )


@pytest.mark.parametrize(
    ("before", "between", "ended"),
    [(0, 0, "command"), (50, 0, "command"), (0, 76, "command"), (0, 90, "never")],
)
def test_a_cure_is_sought_near_its_failure(before: int, between: int, ended: str) -> None:
    """However late in a run both stand; further apart they are strangers."""
    failed, passed = sh("npm test", "Error: Cannot find module 'vite'"), sh("npm test")
    looks = [sh(f"cat src/{n}.ts") for n in range(before + between)]
    [met] = failures(*looks[:before], failed, *looks[before:], sh("npm ci"), passed)
    assert met.ended == ended


@pytest.mark.parametrize("times", [1, 2])
def test_twice_the_failures_cost_twice_the_calls(times: int) -> None:
    """A session of ever different failures, each met once, or all of them again in its second half."""

    def entered(size: int) -> int:
        numbers = [*range(size // times)] * times
        steps = [sh(f"make t{n}", f"Error{n}: module m{n} not found at /x/{n}") for n in numbers]
        counted = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal counted
            counted += event == "call"

        told = run(*steps)
        sys.setprofile(count)
        try:
            found = notice(told)
        finally:
            sys.setprofile(None)
        assert len([each for each in found if each.kind == "failure"]) == size // times
        return counted

    entered(50)  # what is loaded and remembered at first
    assert entered(800) < 2.3 * entered(400)


def test_a_session_of_different_failures_is_compared_in_linear_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each failure is held against what soon followed it, not against the whole session."""
    compared = 0
    is_like = Command.is_like

    def counted(self: Command, other: Command) -> bool:
        nonlocal compared
        compared += 1
        return is_like(self, other)

    monkeypatch.setattr(Command, "is_like", counted)
    took = []
    for many in (200, 800):
        compared = 0
        calls = (sh(f"pytest t{n}", f"Error: module m{n} not found at /x/{n}") for n in range(many))
        assert notice(Run("r1", "claude-code", steps=tuple(calls), cwd=CWD))
        took.append(compared)
    assert 0 < took[1] <= 5 * took[0]

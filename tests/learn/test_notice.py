"""Noticing: every failure, what it cost and how it ended; commands by purpose; what was typed."""

from __future__ import annotations

from typing import Any

import pytest
from tests.tables import by_table

from tacit.core.run import Incident, Run, Step
from tacit.learn.notice import notice

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


def test_the_code_that_mends_a_rule_is_read_from_the_edit() -> None:
    """What an edit of the named file brought in, not what it kept."""
    mended = edit(
        "cmd/a.go", '\treturn fmt.Errorf("open: %w", err)\n\tlog.Print(x)', "\tlog.Print(x)"
    )
    (only,) = failures(sh("golangci-lint run", LINT), mended, sh("golangci-lint run"))
    assert (only.ended, only.repair.split()) == ("edit", ["fmt.Errorf(", "%w"])
    finding = "docs/a.md:12 MD040/fenced-code-language Fenced code blocks should have a language"
    repairs = [
        failures(
            sh("markdownlint .", finding),
            edit("docs/a.md", f"```{lang}\nx\n```"),
            sh("markdownlint ."),
        )[0].repair
        for lang in ("text", "sh")
    ]
    assert repairs == ["```language"] * 2  # whichever it was


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


def test_what_a_wrapper_says_is_no_finding_behind_a_pipe_either() -> None:
    """That the recursive run failed too says nothing."""
    assert (
        failures(
            sh(
                "pnpm -r test | tail",
                output="ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  api@1.0.0 test: `vitest`",
                status=0,
            )
        )
        == []
    )
    assert (
        failures(
            sh(
                "pnpm -r exec tsc | tail",
                output="ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command failed",
                status=0,
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("failed", "passed", "cure"),
    [
        ("hk install --mise", "mise x hk -- hk install --mise", "as mise x hk -- hk"),
        ("python scripts/x.py", "python3 scripts/x.py", "as python3"),
        ("timeout 9 git fetch", "git fetch", "without timeout"),
    ],
)
def test_a_command_that_is_not_there_is_spelled_otherwise(
    failed: str, passed: str, cure: str
) -> None:
    """The program's own head is the change: what stands in front of it, or its name."""
    missing = failed.split(" ")[0]
    (only,) = failures(
        sh(failed, f"zsh:1: command not found: {missing}", status=127), sh(passed, status=0)
    )
    assert (only.ended, only.cure) == ("form", cure)


def test_a_path_counts_where_it_was_asked_for() -> None:
    """Of a shell's program or of the host's reading tools."""
    (only,) = failures(
        sh("rg foo src tests | head", output="rg: tests: No such file or directory (os error 2)")
    )
    assert only.mark == "path tests"
    read = Step("tool", "", tool="Read", input={}, error=f"File does not exist: {CWD}/docs/a.md")
    assert [each.mark for each in failures(read)] == ["path docs/a.md"]


def test_a_pattern_says_whose_it_was() -> None:
    """Of several segments that one is blamed which holds it, wherever it lies."""
    line = "grep -rn creds --include=*.go && ls internal/*_test.go"
    (only,) = failures(sh(line, "Exit code 1\n(eval):1: no matches found: --include=*.go"))
    assert (only.mark, only.program) == ("glob no match", "grep")
    (only,) = failures(
        sh("rg x node_modules/*/a.ts; ls", "zsh:1: no matches found: node_modules/*/a.ts")
    )
    assert (only.mark, only.program) == ("glob no match", "rg")


def test_the_hosts_own_protocol_stands_apart() -> None:
    """A file not read before its edit is noticed as the host's, a refusal is not noticed at all."""
    edited = Step(
        "tool", "", tool="Edit", input={}, error="File has not been read yet. Read it first."
    )
    refused = sh("npm test", "The user doesn't want to proceed with this tool use.")
    assert [(each.mark, each.nature) for each in failures(edited, refused)] == [
        ("host Edit", "host")
    ]


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


@by_table
def test_commands_by_purpose(line: str, purpose: str, form: str, folder: str) -> None:
    """In the form that a stranger would type, where it works."""
    (only,) = [each for each in notice(run(sh(line))) if each.kind == "command"]
    assert (only.nature, only.program, only.folder, only.count, only.failed) == (
        purpose,
        form,
        folder,
        1,
        0,
    )
    assert only.family == ""  # for the whole project, not for single files


@pytest.mark.parametrize(
    "line",
    [
        "go test -c ./x -o /dev/null",
        "golangci-lint version",
        "golangci-lint version --short",
        "gofmt -d a.go",
        "pytest --collect-only",
        "command -v shellcheck",
    ],
)
def test_what_runs_nothing_serves_no_purpose(line: str) -> None:
    """Compiling, asking for a version and looking at a difference are no tests, no lint and no formatting."""
    assert [each for each in notice(run(sh(line))) if each.kind == "command"] == []


def test_sentences_and_complaints() -> None:
    """What the person typed is kept; that a check fails is a complaint only once the agent had done something."""
    said = notice(
        run(
            typed("lint is failing"),
            sh("make x"),
            typed("please update the changelog. mise run lint is still failing"),
        )
    )
    assert [each.program for each in said if each.kind == "sentence"] == [
        "lint is failing",
        "please update the changelog.",
        "mise run lint is still failing",
    ]
    assert [(each.code, each.program) for each in said if each.kind == "complaint"] == [
        ("lint", "mise run lint is still failing")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "write a test which should fail",
        "address pr feedback and failing checks",
        "why does the build fail?",
        '{"test": "failed"}',
    ],
)
def test_what_is_no_complaint(said: str) -> None:
    """A task, a question and a paste name failing checks too."""
    assert [
        each for each in notice(run(sh("make x"), typed(said))) if each.kind == "complaint"
    ] == []


def test_commands_of_another_shell_are_not_read_as_posix() -> None:
    """PowerShell's grammar is not ours: no program, no cure is made of it. The canary says so."""
    from tacit.core.run import Step
    from tacit.learn.command import line_of

    line = {"command": "$env:CI = 1; Remove-Item -Recurse dist; npm test"}
    assert line_of(Step("tool", "line:1", tool="PowerShell", input=line)) == ""
    assert (
        line_of(Step("tool", "line:1", tool="run_shell_command", input={"command": "npm test"}))
        == "npm test"
    )
    assert (
        line_of(Step("tool", "line:1", tool="shell", input={"command": "npm test"})) == "npm test"
    )


def test_a_server_of_the_users_and_a_service_that_is_asked_fail_too() -> None:
    """Counted, never told: no form knows them. A search that finds nothing is none."""
    click, said = "mcp__playwright__browser_click", "### Error\nRef e1 not found"
    served = Step("tool", "line:1", tool=click, input={"ref": "e1"}, error=said)
    asked = sh("gh pr checks 7", "E2E Tests\tfail\t5m\thttps://example.org/runs/1", status=1)
    found = [
        (each.nature, each.program)
        for each in failures(
            served, asked, sh("grep x a.log", "binary file matches nothing", status=1)
        )
    ]
    assert sorted(found) == [("other", "gh pr checks"), ("other", "playwright__browser_click")]
    assert [
        each.mark
        for each in failures(
            sh("gh pr checks 7", "windows-unit\tpending\t0\thttps://example.org/1", status=8)
        )
    ] == ["silent gh pr checks"]


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

"""Which programs a command runs, and which lesson is about one of them."""

from __future__ import annotations

import pytest

from tacit.core.programs import (
    acting,
    head_of,
    part_about,
    programs,
    purpose_of,
    purposes_in,
    runs_command,
)
from tacit.core.shell_line import ends_in_failure
from tacit.core.value import replace
from tacit.lesson import Lesson


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("./bin/pytest -q tests", ("pytest",)),
        ("cd web && npm install left-pad", ("npm",)),
        ("DEBUG=1 sudo -E docker compose up", ("docker",)),
        ("uv run pytest -k x | tail -5", ("pytest",)),
        ("python -m pip install x; make db", ("pip", "make")),
        ("timeout 30 cargo test 2>&1 | grep FAILED", ("cargo",)),
        ('gh run view 7 | grep -E "SIWE|401|shared" | head', ("gh",)),
        ("sh -c 'make db | tee log && pytest'", ("sh", "pytest")),
        ("ls -la; cat x | head", ()),
        ("git status", ("git",)),
        ("", ()),
        ("$(echo x)", ()),
        ("'unclosed", ("unclosed",)),
        ("&& || ;", ()),
    ],
)
def test_the_programs_of_a_command(line: str, expected: tuple[str, ...]) -> None:
    """Behind folders, variables, wrappers and runners; those that only look are none."""
    assert programs(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git log --oneline | head", ()),
        ("git -C sub diff && docker ps", ()),
        ("git diff && make test", ("make",)),
        ("git tag v1", ("git",)),
        ("gh pr view 3", ("gh",)),
    ],
)
def test_nothing_is_told_before_a_command_that_only_looks(
    line: str, expected: tuple[str, ...]
) -> None:
    """Of a program that does more, too; those that change something when they are given an argument are no looks."""
    assert acting(line) == expected


@pytest.mark.parametrize(
    ("command", "purpose"),
    [
        ("pytest -q", "test"),
        ("cargo test --lib", "test"),
        ("npm run lint:fix", "lint"),
        ("git commit", "commit"),
        ("git stash", ""),
        ("ls", ""),
    ],
)
def test_what_a_command_is_for(command: str, purpose: str) -> None:
    assert purpose_of(command) == purpose and head_of("mise run --dry-run") == ""


def test_what_a_task_asks_to_be_run() -> None:
    assert (
        purposes_in("Run the tests, then lint.") == ("test", "lint")
        and purposes_in("attest it") == ()
    )


def lesson(text: str, klass: str = "pitfall") -> Lesson:
    return Lesson(id="m", project="p", text=text, state="active", kind=klass, klass=klass)


@pytest.mark.parametrize(
    ("text", "klass", "command", "expected"),
    [
        ("`make db` needs port 5432.", "pitfall", "make db", True),
        ("Use pnpm, not npm.", "preference", "npm ci", True),
        ("Use pnpm, not npm.", "preference", "pnpm add x", True),
        ("Make sure that the port is free.", "pitfall", "make db", False),
        ("Let the job go on.", "fact", "go test ./...", False),
        ("Tests of this project run with `./bin/pytest tests`.", "command", "./bin/pytest", False),
        ("The npmrc is generated.", "fact", "npm ci", False),
        ("Explain from the git history why it broke.", "rule", "git commit -m x", False),
        ("Run mise locks on the blocking pool.", "rule", "mise run test", False),
        (
            "Type-check with pnpm --filter web exec tsc; pnpm typecheck fails.",
            "fix",
            "pnpm --filter api build",
            False,
        ),
        (
            "Type-check with pnpm --filter web exec tsc; pnpm typecheck fails.",
            "fix",
            "pnpm --filter web tsc",
            True,
        ),
        ("Quote a body with backticks for gh pr create.", "fix", "gh pr create --base main", True),
        ("In e2e tests on `mise run --dry-run`, append `2>&1`.", "fact", "mise run lint", False),
        ("pytest needs the database.", "fact", "pytest -q", False),
        ("pytest fails without the database.", "pitfall", "pytest -q", True),
        ("Call pytest --lf first.", "rule", "pytest -q", True),
    ],
)
def test_a_lesson_about_this_very_program(
    text: str, klass: str, command: str, expected: bool
) -> None:
    """It is called there, in code or in prose, or somebody says whether to use it; a word of prose is no mention."""
    assert part_about(lesson(text, klass), command, programs(command)) == (text if expected else "")


NOT_HERE = "Does not work here: `rtk bun` (no such subcommand), `cargo test --lib` (no library target), `rtk git -C` (no such option)."


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "rtk bun run test",
            "Does not work here: `rtk bun` (no such subcommand), `rtk git -C` (no such option).",
        ),
        (
            "cd x && cargo test --lib a",
            "Does not work here: `cargo test --lib` (no library target).",
        ),
        ("cargo build", ""),
        ("git status", ""),
    ],
)
def test_of_a_line_that_names_several_things_what_is_about_the_command(
    command: str, expected: str
) -> None:
    """A noticed lesson knows which of its parts belongs to which command."""
    about = {
        "rtk": ["`rtk bun` (no such subcommand)", "`rtk git -C` (no such option)"],
        "cargo test": ["`cargo test --lib` (no library target)"],
    }
    memory = replace(lesson(NOT_HERE), extra={"about": about})
    assert part_about(memory, command, programs(command)) == expected
    worded = replace(
        memory, text="Leave rtk out."
    )  # by a person: the parts are gone, and it names one of the commands
    assert part_about(worded, command, programs(command)) == (
        "Leave rtk out." if "rtk" in command else ""
    )
    worded = replace(memory, text="Try it plainly.")  # or none: it is told before all of them
    assert bool(part_about(worded, command, programs(command))) == bool(expected)


def test_a_linters_line_is_told_before_the_task_that_runs_it() -> None:
    """The whole of it, before that task and no other."""
    memory = replace(
        lesson("golangci-lint rejects in `mise run lint` again and again: a, b, c."),
        extra={"about": {"mise run lint": []}},
    )
    assert part_about(memory, "mise run lint 2>&1 | tail", ("mise",)) == memory.text
    assert part_about(memory, "mise run test", ("mise",)) == ""


@pytest.mark.parametrize(
    ("line", "command", "expected"),
    [
        ("npm test", "npm run test", True),
        ("timeout 60 ./node_modules/.bin/eslint src", "eslint", True),
        ("make tests", "make test", False),
        ("git status && git commit -m x", "git commit", True),
        ("", "git commit", False),
        ("pnpm --filter web build", "pnpm build", True),
        ("git -C sub commit -m x", "git commit", True),
    ],
)
def test_whether_a_line_runs_a_command(line: str, command: str, expected: bool) -> None:
    """By its words up to the command's last, whatever follows."""
    assert runs_command(line, command) is expected


@pytest.mark.parametrize(
    "output", ["Cloning …\nfatal: repository not found", "sh: 1: zorb: not found"]
)
def test_an_output_without_a_status_tells_a_failure_by_its_end(output: str) -> None:
    assert ends_in_failure(output) and not ends_in_failure(f"{output}\n12 files checked")

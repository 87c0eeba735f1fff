"""Which programs a command runs, and which of them only look."""

from __future__ import annotations

import pytest

from tacit.core.programs import acting, head_of, programs
from tacit.core.shell_line import ends_in_failure


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
        ("sh -c 'make db | tee log && pytest'", ("sh",)),
        ("ls -la; cat x | head", ()),
        ("git status", ("git",)),
        ("", ()),
        ("$(echo x)", ()),
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
    ("line", "expected"),
    [
        ("cd x && git -C sub commit -m x", "git commit"),
        ("npm run lint:fix -- src", "npm run lint:fix"),
        ("timeout 60 ./node_modules/.bin/eslint src", "eslint"),
        ("mise run --dry-run", ""),
    ],
)
def test_what_tells_a_command_from_others(line: str, expected: str) -> None:
    """Its program, and of one with many commands which of them."""
    assert head_of(line) == expected


@pytest.mark.parametrize(
    "output", ["Cloning …\nfatal: repository not found", "sh: 1: zorb: not found"]
)
def test_an_output_without_a_status_tells_a_failure_by_its_end(output: str) -> None:
    assert ends_in_failure(output) and not ends_in_failure(f"{output}\n12 files checked")

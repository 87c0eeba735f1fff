"""Sessions in which a wrapper of commands fails and the command alone passes."""

from __future__ import annotations

from tacit.core.run import Run, Step


def rtk(n: int, **more: object) -> Run:
    steps = (
        Step(
            "tool",
            "line:1",
            tool="Bash",
            input={"command": "rtk bun run test"},
            error="error: unrecognized subcommand 'bun'",
        ),
        Step("tool", "line:2", tool="Bash", input={"command": "bun run test"}, output="ok"),
        Step(
            "user",
            "line:3",
            text=("commit and update changelog", "then commit, and update the changelog")[n % 2],
            typed=True,
        ),
    )
    return Run(f"s{n}", "claude-code", steps=steps, complete=True, **more)  # type: ignore[arg-type]

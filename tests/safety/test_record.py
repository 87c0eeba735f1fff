"""What is kept of a session to answer whose word a lesson is."""

from __future__ import annotations

from pathlib import Path

from tacit.core.run import Step
from tacit.reading.session import prepared
from tacit.store.readings import load_texts
from tacit.testing import run, tool, user

TOKEN = "ghp_" + "k9Zq3LmT7vXw2BnR5sYd8FgH1jKpQwErTyUi"[:36]
PASSWORD = "EqKanUwTiiOc4"


def test_no_secret_lies_beside_a_reading(tmp_path: Path) -> None:
    """Neither in a call, nor in the words that it is taken to pieces into, nor in a reason."""
    step = Step("tool", "", tool="deploy", input={"password": PASSWORD}, output="ok")
    met = run(
        "r1",
        user("deploy it"),
        tool(f"make deploy && PGPASSWORD={PASSWORD} psql app && echo {TOKEN}", "done"),
        tool("make status", f"token: {TOKEN}"),
        step,
    )
    folder = tmp_path / "readings"
    assert prepared(str(folder), met, "r1", "p", "2026-01-01T00:00:00Z") is not None
    texts = load_texts(str(folder), "r1") or ()
    kept = " ".join(str(each) for each in texts)
    assert "make deploy" in kept and "[redacted:password]" in kept
    assert TOKEN not in kept and PASSWORD not in kept
